"""Named colours, and materials that give surfaces their texture and gloss.

A surface becomes a row of numbers for the shading kernels, which compute its texture at each hit from the position in
the frame of the room or thing.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from mtvm.errors import InputError
from mtvm.homes.home import Surface

PALETTE: dict[str, str] = {
    "white": "#f4f3ef",
    "black": "#1d1d20",
    "grey": "#8e9196",
    "dark grey": "#4a4d52",
    "brown": "#90602f",
    "dark brown": "#54321d",
    "beige": "#d6bd92",
    "cream": "#f3e6c3",
    "red": "#cc1f22",
    "dark red": "#7d1319",
    "orange": "#f07d16",
    "yellow": "#f6cf22",
    "green": "#3fa045",
    "dark green": "#1c5a30",
    "blue": "#2463cf",
    "light blue": "#94c7ee",
    "dark blue": "#1a2f74",
    "purple": "#7d3ca8",
    "pink": "#f296b8",
    "gold": "#d0992a",
    "silver": "#c3c7cc",
    "turquoise": "#27b8b3",
}
"""sRGB of each named colour."""

# Textures, as numbered in the kernels.
PLAIN, WOOD, PLANKS, TILE, BRICK, MARBLE, CARPET, WEAVE, LEATHER, CONCRETE, FOLIAGE, BRUSHED, PLASTER = range(13)
# What a ray does at a surface.
SOLID, GLOWING, GLASS, MIRROR, SKY = range(5)


@dataclasses.dataclass(frozen=True, slots=True)
class Material:
    """How a surface looks, apart from its colour."""

    texture: int = PLAIN
    strength: float = 0.0
    """How much the texture varies the brightness."""
    gloss: float = 0.0
    """The share of light that is reflected specularly, seen straight on."""
    sharpness: float = 20.0
    """Larger values give smaller reflections of lamps."""
    metallic: float = 0.0
    """How much reflections take on the colour of the surface."""
    behaviour: int = SOLID
    light: float = 0.0
    """Light that it emits, as a multiple of its colour."""
    joint: str = "grey"
    """The colour between tiles or bricks."""
    fade: float = 0.0
    """How much white is mixed into the colour, because whole walls in full colour would be overpowering."""
    dim: float = 1.0
    """Factor for the colour: bricks are duller than paint."""


MATERIALS: dict[str, Material] = {
    "paint": Material(PLASTER, 0.05, 0.012, 12),
    "wall": Material(PLASTER, 0.05, 0.008, 12, fade=0.08),
    "wall tile": Material(TILE, 0.08, 0.05, 90, joint="grey", fade=0.06),
    "wood": Material(WOOD, 0.55, 0.03, 30),
    "planks": Material(PLANKS, 0.5, 0.035, 40),
    "tile": Material(TILE, 0.08, 0.05, 90, joint="grey"),
    "marble": Material(MARBLE, 0.5, 0.06, 120),
    "carpet": Material(CARPET, 0.3),
    "fabric": Material(WEAVE, 0.16),
    "leather": Material(LEATHER, 0.22, 0.03, 25),
    "metal": Material(BRUSHED, 0.12, 0.35, 40, metallic=0.95),
    "lacquer": Material(PLAIN, 0.0, 0.08, 200),
    "glass": Material(PLAIN, 0.0, 0.06, 300, behaviour=GLASS),
    "water": Material(MARBLE, 0.25, 0.03, 100, light=0.35),
    "ceramic": Material(PLAIN, 0.0, 0.07, 150),
    "brick": Material(BRICK, 0.4, joint="grey", fade=0.07, dim=0.7),
    "plastic": Material(PLAIN, 0.0, 0.045, 60),
    "screen": Material(PLAIN, 0.0, 0.045, 300, light=0.12),
    "paper": Material(PLASTER, 0.06),
    "plant": Material(FOLIAGE, 0.45, 0.025, 20),
    "concrete": Material(CONCRETE, 0.3, 0.01, 10),
    "mirror": Material(behaviour=MIRROR),
    "glow": Material(light=1.0, behaviour=GLOWING),
    "sky": Material(behaviour=SKY),
}

SURFACE_COLUMNS = ("red", "green", "blue", "strength", "gloss", "sharpness", "metallic", "light", "joint r", "g", "b")


def linear_colour(name: str) -> NDArray[np.float64]:
    """A colour of the palette as linear light, 0 to 1."""
    if name not in PALETTE:
        raise InputError(f"There is no colour {name!r}; there are {', '.join(PALETTE)}.")
    code = PALETTE[name].lstrip("#")
    encoded = np.array([int(code[place : place + 2], 16) for place in (0, 2, 4)]) / 255
    return np.where(encoded <= 0.04045, encoded / 12.92, ((encoded + 0.055) / 1.055) ** 2.4)


def encode_table(entries: int, highest: float) -> NDArray[np.uint8]:
    """Table from linear light, 0 to `highest`, to screen values: exact up to a knee, then gently towards white."""
    light = np.linspace(0, highest, entries)
    knee = 0.72
    soft = np.where(light < knee, light, knee + (1 - knee) * (1 - np.exp(-(light - knee) / (1 - knee))))
    encoded = np.where(soft <= 0.0031308, soft * 12.92, 1.055 * np.maximum(soft, 1e-9) ** (1 / 2.4) - 0.055)
    return np.rint(np.clip(encoded, 0, 1) * 255).astype(np.uint8)


def surface_table(surfaces: Iterable[Surface]) -> tuple[NDArray[np.float32], NDArray[np.int32]]:
    """Each surface's numbers (see `SURFACE_COLUMNS`), and its texture and behaviour."""
    numbers, codes = [], []
    for surface in surfaces:
        if surface.material not in MATERIALS:
            raise InputError(f"There is no material {surface.material!r}; there are {', '.join(MATERIALS)}.")
        material = MATERIALS[surface.material]
        colour = linear_colour(surface.colour) * material.dim
        # Dark walls stay dark: the white is scaled by the brightest channel.
        colour = colour + (linear_colour("white") - colour) * material.fade * (0.35 + 0.65 * colour.max())
        joint = linear_colour(_joint_colour(surface, material))
        look = [material.strength, material.gloss, material.sharpness, material.metallic, material.light]
        numbers.append([*colour, *look, *joint])
        codes.append([material.texture, material.behaviour])
    return np.array(numbers, dtype=np.float32), np.array(codes, dtype=np.int32)


def _joint_colour(surface: Surface, material: Material) -> str:
    """A colour that stands out: dark between light tiles, light between dark ones."""
    if material.texture not in (TILE, BRICK):
        return material.joint
    light = float(linear_colour(surface.colour).mean())
    if material.texture == BRICK:
        return "beige" if light < 0.5 else "grey"
    return "grey" if light > 0.35 else "silver" if light > 0.05 else "dark grey"

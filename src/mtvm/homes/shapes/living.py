"""Screens, lamps, rugs, plants and other things of living rooms."""

from __future__ import annotations

import math

import numpy as np

from mtvm.homes.home import Surface
from mtvm.homes.shapes.solids import Floats, Form, cross
from mtvm.homes.shapes.storage import SHADOW

BLACK_PLASTIC = Surface("black", "plastic")
BLACK_GLASS = Surface("black", "screen")
STEEL = Surface("silver", "metal")
WHITE_PAPER = Surface("white", "paper")
SOIL = Surface("dark brown", "carpet")
BARK = Surface("brown", "wood")
GOLDEN_ANGLE = 2.39996
"""Angle between successive leaves or petals, which spreads them evenly."""


def television(f: Form) -> None:
    """A wide black screen in a thin frame on two feet."""
    foot = 0.07
    middle = 0.0
    f.box((f.left, f.right), (middle - 0.02, middle + 0.02), (foot, f.height), f.main)
    f.box(
        (f.left + 0.012, f.right - 0.012),
        (middle + 0.019, middle + 0.023),
        (foot + 0.025, f.height - 0.012),
        BLACK_GLASS,
    )
    f.box((f.left * 0.5, f.right * 0.5), (middle - 0.035, middle - 0.02), (foot + 0.05, f.height * 0.6), BLACK_PLASTIC)
    f.box((-0.02, 0.02), (middle + 0.02, middle + 0.024), (foot + 0.006, foot + 0.016), STEEL)
    for x in (f.left * 0.6, f.right * 0.6):
        f.box((x - 0.015, x + 0.015), (f.back, f.front), (0, 0.015), f.main)
        f.box((x - 0.012, x + 0.012), (middle - 0.012, middle + 0.012), (0.01, foot + 0.02), f.main)


def computer(f: Form) -> None:
    """A monitor with a lit screen on a stand, a keyboard and a mouse before it."""
    screen = f.width * 0.92 / 2
    y = f.back + 0.06
    f.box((-screen, screen), (y, y + 0.025), (0.13, f.height), f.main)
    picture = Surface(f.accent.colour if f.accent.colour != "black" else "dark blue", "screen")
    f.box((-screen + 0.012, screen - 0.012), (y + 0.024, y + 0.027), (0.15, f.height - 0.012), picture)
    pane = f.height - 0.17
    f.box(
        (-screen + 0.05, screen * 0.3),
        (y + 0.027, y + 0.029),
        (0.15 + pane * 0.2, 0.15 + pane * 0.85),
        Surface("white", "glow"),
    )
    for line in range(4):
        z = 0.15 + pane * (0.3 + 0.13 * line)
        f.box(
            (-screen + 0.07, screen * 0.2 - 0.03 * (line % 3)),
            (y + 0.029, y + 0.03),
            (z, z + 0.012),
            Surface("dark grey", "paper"),
        )
    f.box((-0.03, 0.03), (y - 0.02, y), (0.01, 0.25), f.main)
    f.box((-0.12, 0.12), (f.back, f.back + 0.14), (0, 0.012), f.main)
    keys = (f.front - 0.11, f.front)
    f.box((-0.15, 0.17), keys, (0, 0.018), f.main)
    light = Surface("grey" if f.main.colour == "white" else "white", "plastic")
    for row in range(4):
        for column in range(12):
            x = -0.143 + column * 0.0258
            f.box((x, x + 0.02), (keys[0] + 0.008 + row * 0.025, keys[0] + 0.027 + row * 0.025), (0.018, 0.023), light)
    f.ball((-0.21, f.front - 0.06, 0.012), (0.03, 0.05, 0.018), f.main, 6)
    f.fit()


def _shade_glow(surface: Surface) -> Surface:
    """A lit lampshade, which keeps the colour that instructions mention."""
    return Surface(surface.colour, "glow")


def floor_lamp(f: Form) -> None:
    """A foot, a thin pole, and a lit shade."""
    radius = min(f.width, f.depth) / 2
    shade = f.height * 0.2
    f.lathe(
        (0, 0, 0),
        [(0, 0), (radius * 0.75, 0), (radius * 0.75, 0.02), (radius * 0.2, 0.035), (0, 0.04)],
        f.accent,
        segments=24,
    )
    f.cylinder((0, 0, 0), 0.013, (0.02, f.height - 0.04), f.accent, segments=10)
    low, top = f.height - shade, f.height
    f.lathe((0, 0, 0), [(radius, low), (radius * 0.68, top)], _shade_glow(f.main), segments=28)
    f.lathe(
        (0, 0, 0), [(radius * 0.66, top - 0.004), (radius * 0.97, low + 0.004)], Surface("white", "glow"), segments=28
    )
    f.ball((0, 0, low + shade * 0.45), 0.05, Surface("white", "glow"), 6)


def table_lamp(f: Form) -> None:
    """A round body and a lit shade."""
    radius, body = min(f.width, f.depth) / 2, f.height * 0.55
    base = f.accent
    f.lathe(
        (0, 0, 0),
        [
            (0, 0),
            (radius * 0.5, 0),
            (radius * 0.5, 0.015),
            (radius * 0.25, 0.035),
            (radius * 0.55, body * 0.4),
            (radius * 0.5, body * 0.6),
            (radius * 0.12, body * 0.9),
            (radius * 0.1, body + 0.04),
            (0, body + 0.04),
        ],
        base,
    )
    f.lathe((0, 0, 0), [(radius, body), (radius * 0.62, f.height)], _shade_glow(f.main), segments=28)
    f.lathe(
        (0, 0, 0),
        [(radius * 0.6, f.height - 0.004), (radius * 0.97, body + 0.004)],
        Surface("white", "glow"),
        segments=28,
    )
    f.cylinder((0, 0, 0), 0.008, (body, f.height - 0.02), base, segments=8)
    f.ball((0, 0, body + (f.height - body) * 0.4), 0.035, Surface("white", "glow"), 6)


def ceiling_lamp(f: Form) -> None:
    """A lit bowl or pendant shade below a rod and a ceiling rose."""
    radius = min(f.width, f.depth) / 2
    f.cylinder((0, 0, 0), 0.06, (f.height - 0.025, f.height), f.accent, segments=20)
    lit = _shade_glow(f.main)
    drop = min(0.2, f.height * 0.75)
    f.cylinder((0, 0, 0), 0.01, (drop * 0.6, f.height - 0.01), f.accent, segments=8)
    if int(f.rng.integers(2)):
        f.lathe((0, 0, 0), [(radius, 0), (radius * 0.55, drop), (0, drop)], lit, segments=28)
        f.lathe(
            (0, 0, 0),
            [(0, drop * 0.9), (radius * 0.53, drop * 0.9), (radius * 0.96, 0.004)],
            Surface("white", "glow"),
            segments=28,
        )
        f.ball((0, 0, drop * 0.4), 0.06, Surface("white", "glow"), 6)
        return
    angles = np.linspace(-math.pi / 2, 0, 7)
    bowl = [(radius * math.cos(a), drop * (1 + math.sin(a))) for a in angles]
    f.lathe((0, 0, 0), [*bowl, (radius, drop), (0, drop)], lit, segments=28)
    f.lathe((0, 0, 0), [(radius, drop - 0.012), (radius, drop + 0.012), (0, drop + 0.013)], f.accent, segments=28)


def rug(f: Form) -> None:
    """A field in the main colour, a border and stripes in the second, fringes at both ends."""
    fringe = 0.05
    x, y = (f.left + fringe, f.right - fringe), (f.back, f.front)
    f.box(x, y, (0, f.height * 0.6), f.accent)
    border = 0.12
    f.box((x[0] + border, x[1] - border), (y[0] + border, y[1] - border), (0, f.height * 0.8), f.main)
    inner = 0.2
    f.box((x[0] + inner, x[1] - inner), (y[0] + inner, y[1] - inner), (0, f.height * 0.9), f.accent)
    f.box(
        (x[0] + inner + 0.03, x[1] - inner - 0.03),
        (y[0] + inner + 0.03, y[1] - inner - 0.03),
        (0, f.height * 0.95),
        f.main,
    )
    f.prism(
        [(-f.width * 0.16, 0), (0, -f.depth * 0.2), (f.width * 0.16, 0), (0, f.depth * 0.2)], (0, f.height), f.accent
    )
    f.prism(
        [(-f.width * 0.11, 0), (0, -f.depth * 0.14), (f.width * 0.11, 0), (0, f.depth * 0.14)],
        (0, f.height + 0.0005),
        f.main,
    )
    for end in ((f.left, x[0]), (x[1], f.right)):
        strands = int(f.depth / 0.06)
        for strand in range(strands):
            middle = f.back + f.depth * (strand + 0.5) / strands
            f.box(end, (middle - 0.012, middle + 0.012), (0, f.height * 0.4), Surface("cream", "carpet"))
    f.fit()


def potted_plant(f: Form) -> None:
    """A pot, and either long arching leaves or a small tree."""
    radius = min(f.width, f.depth) / 2
    pot = min(0.34, f.height * 0.3)
    size = min(radius * 0.72, 0.2)
    f.lathe(
        (0, 0, 0),
        [
            (0, 0),
            (size * 0.72, 0),
            (size, pot - 0.04),
            (size * 1.08, pot - 0.04),
            (size * 1.08, pot),
            (size * 0.95, pot),
            (size * 0.9, pot - 0.05),
            (0, pot - 0.04),
        ],
        f.accent,
        segments=24,
    )
    f.cylinder((0, 0, 0), size * 0.9, (pot - 0.06, pot - 0.025), SOIL)
    if int(f.rng.integers(2)) and f.height > 0.9:
        _tree(f, pot, radius)
    else:
        _fronds(f, pot, radius)


def _leaves(f: Form, roots: Floats, along: Floats, lengths: Floats, widths: Floats, droop: Floats) -> None:
    """Leaves of four cells each that bend down towards their tips; arrays have one row per leaf."""
    along = along / np.linalg.norm(along, axis=1, keepdims=True)
    side = np.stack([-along[:, 1], along[:, 0], np.zeros(len(along))], axis=-1)
    side /= np.maximum(np.linalg.norm(side, axis=1, keepdims=True), 1e-9)
    share = np.linspace(0, 1, 5)[None, :, None]
    spine = roots[:, None] + along[:, None] * lengths[:, None, None] * share
    spine[..., 2] -= (droop * lengths)[:, None] * share[..., 0] ** 2
    half = side[:, None] * widths[:, None, None] * np.array([0.15, 0.8, 1.0, 0.7, 0.02])[None, :, None]
    upper = np.stack([spine - half, spine + half], axis=2).reshape(len(roots), 10, 3)
    limit = np.array([f.right, f.front, f.height]) - 0.003
    upper = np.clip(upper, [-limit[0], -limit[1], 0.003], limit)
    lift = cross(side, along)
    lift *= np.where(lift[:, 2:] < 0, -1, 1) * 0.002
    strip = np.concatenate([[[2 * k, 2 * k + 1, 2 * k + 3], [2 * k, 2 * k + 3, 2 * k + 2]] for k in range(4)])
    flipped = np.where((cross(side, along)[:, 2] < 0)[:, None, None], strip[None], strip[None, :, ::-1])
    triangles = flipped + np.arange(len(roots))[:, None, None] * 10
    # Leaves are translucent: the underside is lit like the upper side.
    normals = np.tile([0.0, 0.0, 1.0], (len(roots) * 10, 1))
    for sign in (1, -1):
        points = (upper + sign * lift[:, None]).reshape(-1, 3)
        f.add(points, normals, (triangles if sign > 0 else triangles[..., ::-1]).reshape(-1, 3), f.main)


def _fronds(f: Form, pot: float, radius: float) -> None:
    """Long leaves from the middle of the pot, each steeper than the one before."""
    number = np.arange(26)
    angle, steep = number * GOLDEN_ANGLE, 0.35 + 1.1 * number / 26
    flat = np.stack([np.cos(angle), np.sin(angle)], axis=-1)
    along = np.column_stack([flat * np.cos(steep)[:, None], np.sin(steep)])
    up, out = np.maximum(np.sin(steep), 0.35), np.maximum(np.cos(steep), 0.2)
    lengths = np.minimum((f.height - pot) / up * 0.98, radius * 1.5 / out)
    roots = np.column_stack([flat * 0.03, np.full(26, pot - 0.03)])
    _leaves(f, roots, along, lengths, 0.035 + 0.03 * f.rng.random(26), 0.35 * np.cos(steep))


def _tree(f: Form, pot: float, radius: float) -> None:
    """A stem with a round crown of small leaves."""
    crown = (f.height - pot) * 0.36
    f.tube([(0, 0, pot - 0.04), (0.02, 0.01, f.height * 0.45), (0, 0, f.height - crown)], 0.018, BARK)
    number = np.arange(110)
    up, angle = 1 - 2 * (number + 0.5) / 110, number * GOLDEN_ANGLE
    ring = np.sqrt(1 - up * up)
    outward = np.stack([np.cos(angle) * ring, np.sin(angle) * ring, up], axis=-1)
    reach = (0.55 + 0.35 * f.rng.random(110))[:, None] * 0.8
    roots = outward * [radius, radius, crown] * reach + [0, 0, f.height - crown]
    along = np.add(outward, (0, 0, 0.2))
    _leaves(f, roots, along, np.full(110, 0.13), np.full(110, 0.035), np.full(110, 0.3))


def vase(f: Form) -> None:
    """A slender body with a few flowers."""
    radius, body = min(f.width, f.depth) / 2, f.height * 0.58
    wide = radius * 0.75
    outline = [
        (0, 0),
        (wide * 0.55, 0),
        (wide * 0.9, body * 0.25),
        (wide, body * 0.45),
        (wide * 0.75, body * 0.7),
        (wide * 0.4, body * 0.88),
        (wide * 0.55, body),
        (wide * 0.45, body),
        (wide * 0.3, body * 0.88),
        (0, body * 0.8),
    ]
    f.lathe(
        (0, 0, 0), outline, Surface(f.main.colour, "ceramic") if f.main.material == "glass" else f.main, segments=24
    )
    petals = f.accent if f.accent.material == "paper" else Surface("pink", "paper")
    for stem in range(7):
        angle, lean = stem * GOLDEN_ANGLE, 0.25 + 0.7 * (stem / 7)
        x, y = math.cos(angle) * radius * 0.8 * lean, math.sin(angle) * radius * 0.8 * lean
        top = f.height - 0.03 - 0.12 * f.height * lean * f.rng.random()
        f.tube(
            [(0, 0, body * 0.8), (x * 0.5, y * 0.5, body + (top - body) * 0.6), (x, y, top)],
            0.004,
            Surface("green", "plant"),
            5,
        )
        f.ball((x, y, top), (radius * 0.24, radius * 0.24, 0.024), petals, 6)
        f.ball((x, y, top + 0.012), (radius * 0.1, radius * 0.1, 0.016), Surface("yellow", "paper"), 4)


def fireplace(f: Form) -> None:
    """A surround with a mantel, a dark opening, logs and flames."""
    opening = f.width * 0.52 / 2
    top = f.height * 0.66
    front = f.front - 0.06
    for x in ((f.left + 0.05, -opening), (opening, f.right - 0.05)):
        f.box(x, (f.back, front), (0, f.height - 0.07), f.main)
    f.box((-opening, opening), (f.back, front), (top, f.height - 0.07), f.main)
    f.box((-opening, opening), (f.back, f.back + 0.04), (0, top), Surface("black", "brick"))
    for x in ((-opening, -opening + 0.02), (opening - 0.02, opening)):
        f.box(x, (f.back, front - 0.02), (0, top), Surface("black", "brick"))
    f.box((-opening, opening), (f.back, front - 0.02), (top - 0.02, top), SHADOW)
    f.box((f.left, f.right), (f.back, f.front), (f.height - 0.07, f.height), f.main)
    f.box((f.left, f.right), (f.back, f.front), (0, 0.05), f.main)
    f.box((-opening, opening), (f.back, front - 0.02), (0.05, 0.06), SHADOW)
    middle = (f.back + front) / 2
    for y, z in ((middle - 0.06, 0.1), (middle + 0.05, 0.1), (middle, 0.17)):
        f.cylinder((0, y, z), 0.045, (-opening * 0.65, opening * 0.65), BARK, "x", segments=10)
    for k, (share, tall) in enumerate(((-0.5, 0.55), (-0.22, 0.85), (0.05, 1.0), (0.3, 0.75), (0.52, 0.5))):
        height = 0.16 + (top - 0.2) * 0.62 * tall
        look = Surface(("orange", "yellow")[k % 2], "glow")
        f.lathe(
            (share * opening, middle, 0),
            [(0, 0.14), (0.05, 0.18), (0.035, 0.14 + (height - 0.14) * 0.5), (0, height)],
            look,
            segments=10,
        )

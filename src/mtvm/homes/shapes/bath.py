"""Things in bathrooms."""

from __future__ import annotations

import math

import numpy as np

from mtvm.homes.home import Surface
from mtvm.homes.shapes.kitchen import tap
from mtvm.homes.shapes.solids import Floats, Form
from mtvm.homes.shapes.storage import doors

STEEL = Surface("silver", "metal")
GLASS = Surface("light blue", "glass")
WATER = Surface("light blue", "screen")


def _oval(half_width: float, half_depth: float, count: int = 24, square: float = 1.0) -> Floats:
    """An anticlockwise oval; below 1, `square` fills the corners."""
    angles = np.arange(count) / count * 2 * math.pi
    across, along = np.cos(angles), np.sin(angles)
    return np.column_stack(
        [
            np.sign(across) * np.abs(across) ** square * half_width,
            np.sign(along) * np.abs(along) ** square * half_depth,
        ]
    )


def toilet(f: Form) -> None:
    """A tank at the wall, a bowl before it, a seat and an upright lid."""
    seat, tank = 0.41, 0.19
    half, middle = f.width / 2 * 0.92, f.back + tank + (f.depth - tank) / 2
    reach = (f.depth - tank) / 2
    f.lathe(
        (0, middle - 0.03, 0),
        [
            (0, 0),
            (0.6, 0),
            (0.55, 0.05),
            (0.52, 0.16),
            (0.75, 0.28),
            (0.97, 0.37),
            (0.97, 0.39),
            (0.7, 0.39),
            (0.5, 0.3),
            (0, 0.25),
        ],
        f.main,
        squash=(half, reach),
        segments=24,
    )
    f.box((-half * 0.6, half * 0.6), (f.back + 0.02, middle), (0, 0.36), f.main)
    outer, inner = _oval(half, reach, 24, 0.85), _oval(half * 0.66, reach * 0.68, 24, 0.9)
    for k in range(24):
        j = (k + 1) % 24
        corners = [outer[k], outer[j], inner[j], inner[k]]
        f.plate([(x, y + middle, seat) for x, y in corners], 0.022, f.accent)
    f.cylinder((0, middle, 0), 0.1, (0.25, 0.27), WATER)
    first = len(f.solids)
    f.prism(_oval(half, reach, 24, 0.85), (0, 0.02), f.accent)
    f.turn(first, "x", math.pi / 2 - 0.1)
    lid = f.solids[first]
    f.solids[first] = lid._replace(
        vertices=lid.vertices * [1, 1, (f.height - seat - 0.12) / (2 * reach)]
        + [0, f.back + tank + 0.04, seat + (f.height - seat - 0.12) / 2]
    )
    f.soft_box((f.left, f.right), (f.back, f.back + tank - 0.015), (0.36, f.height - 0.04), f.main, 0.025)
    f.soft_box((f.left, f.right), (f.back, f.back + tank), (f.height - 0.045, f.height - 0.01), f.main, 0.012)
    f.cylinder((0, f.back + tank / 2, 0), 0.025, (f.height - 0.02, f.height), STEEL)


def bathtub(f: Form) -> None:
    """A white tub: rim, sunken inside with water, tap at one end."""
    rim = f.height - 0.1 if f.height > 0.55 else f.height - 0.02
    wall, floor = 0.07, 0.14
    for x in ((f.left, f.left + wall), (f.right - wall, f.right)):
        f.box(x, (f.back, f.front), (0, rim), f.main)
    for y in ((f.back, f.back + wall), (f.front - wall, f.front)):
        f.box((f.left + wall, f.right - wall), y, (0, rim), f.main)
    f.box((f.left + wall, f.right - wall), (f.back + wall, f.front - wall), (0, floor), f.main)
    f.box((f.left + wall, f.right - wall), (f.back + wall, f.front - wall), (rim - 0.2, rim - 0.12), WATER)
    for x in ((f.left, f.left + wall + 0.02), (f.right - wall - 0.02, f.right)):
        f.soft_box(x, (f.back, f.front), (rim - 0.02, rim + 0.02), f.main, 0.018)
    for y in ((f.back, f.back + wall + 0.02), (f.front - wall - 0.02, f.front)):
        f.soft_box((f.left, f.right), y, (rim - 0.02, rim + 0.02), f.main, 0.018)
    metal = f.accent if f.accent.material == "metal" else STEEL
    end, top = f.left + wall / 2 + 0.01, f.height - 0.015
    f.tube([(end, 0, rim), (end, 0, top), (end + 0.1, 0, top), (end + 0.13, 0, top - 0.03)], 0.014, metal)
    for place in (-0.09, 0.09):
        f.cylinder((end, place, 0), 0.022, (rim + 0.01, min(rim + 0.06, f.height)), metal)


def shower(f: Form) -> None:
    """A tray, glass on three sides, a rail with a shower head."""
    tray = 0.09
    f.soft_box((f.left, f.right), (f.back, f.front), (0, tray), Surface("white", "ceramic"), 0.02, 1)
    f.cylinder((0, 0, 0), 0.05, (tray, tray + 0.004), STEEL)
    post = 0.03
    f.legs((f.left, f.right), (f.back, f.front), (tray, f.height), post, f.accent)
    for z in (tray, f.height - post):
        f.box((f.left, f.right), (f.front - post, f.front), (z, z + post), f.accent)
        for side in ((f.left, f.left + post), (f.right - post, f.right)):
            f.box(side, (f.back, f.front), (z, z + post), f.accent)
    level = (tray + post, f.height - post)
    f.box((f.left + post, f.right - post), (f.front - 0.02, f.front - 0.012), level, f.main)
    for x in (f.left + 0.012, f.right - 0.02):
        f.box((x, x + 0.008), (f.back + post, f.front - post), level, f.main)
    f.tube([(0.1, f.front - 0.005, 0.95), (0.1, f.front - 0.005, 1.2)], 0.005, f.accent)
    back = f.back + 0.05
    top = f.height - 0.12
    f.tube([(0, back, 0.95), (0, back, top), (0, back + 0.22, top)], 0.012, f.accent)
    f.cylinder((0, back + 0.22, 0), 0.11, (top - 0.035, top - 0.012), f.accent, segments=20)
    f.box((-0.1, 0.1), (f.back + 0.02, back + 0.03), (0.93, 0.99), f.accent)


def washbasin(f: Form) -> None:
    """A white bowl with a tap on a cabinet with two doors."""
    rim = f.height - 0.13
    body = rim - 0.16
    front = f.front - 0.06
    f.box((f.left + 0.03, f.right - 0.03), (f.back, front), (0.12, body), f.accent)
    f.box((f.left + 0.06, f.right - 0.06), (f.back, front - 0.05), (0, 0.12), f.accent)
    doors(f, (f.left + 0.03, f.right - 0.03), (0.13, body - 0.005), 2, front, f.accent, STEEL, 0.8)
    half, reach = f.width / 2, f.depth / 2
    f.box((f.left, f.right), (f.back, f.front), (body, body + 0.03), f.main)
    f.lathe(
        (0, 0, 0),
        [
            (0, body + 0.02),
            (0.6, body + 0.02),
            (0.9, rim - 0.02),
            (0.98, rim),
            (0.88, rim),
            (0.6, body + 0.07),
            (0, body + 0.05),
        ],
        f.main,
        squash=(half * 0.92, reach * 0.98),
        segments=28,
    )
    f.box((-half * 0.5, half * 0.5), (f.back, f.back + 0.1), (body + 0.03, rim), f.main)
    f.cylinder((0, 0, 0), 0.022, (body + 0.05, body + 0.056), STEEL)
    tap(f, 0, f.back + 0.05, rim, 0.14, f.height - rim - 0.014)


def towel_rack(f: Form) -> None:
    """Two towels over a bar."""
    bar = f.height - 0.03
    middle = f.depth * 0.1
    for end in (f.left + 0.015, f.right - 0.015):
        f.cylinder((end, 0, bar), 0.014, (f.back, middle + 0.01), f.accent, "y")
    f.cylinder((0, middle, bar), 0.011, (f.left, f.right), f.accent, "x")
    half = f.width / 2
    other = Surface("white" if f.main.colour != "white" else "light blue", "fabric")
    for x, low, look in (((f.left + 0.04, -0.02), 0.0, f.main), ((0.03, half - 0.05), f.height * 0.25, other)):
        f.soft_box(x, (middle + 0.006, f.front - 0.002), (low, f.height), look, 0.018)
        f.soft_box(x, (f.back + 0.005, middle - 0.006), (low + 0.06, f.height - 0.004), look, 0.018)
        f.box(
            (x[0] + 0.003, x[1] - 0.003),
            (f.front - 0.01, f.front),
            (low + 0.05, low + 0.08),
            other if look is f.main else f.main,
        )

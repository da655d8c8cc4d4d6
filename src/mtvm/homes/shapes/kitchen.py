"""Things in kitchens and laundry rooms."""

from __future__ import annotations

import math

from mtvm.homes.home import Surface
from mtvm.homes.shapes.solids import Form, Span
from mtvm.homes.shapes.storage import SHADOW, doors, drawers

BLACK_GLASS = Surface("black", "screen")
BLACK_PLASTIC = Surface("black", "plastic")
STEEL = Surface("silver", "metal")
WORKTOP = 0.9
"""Height of counters; a sink's tap rises above it."""


def fridge(f: Form) -> None:
    """A freezer door above a cooler door, with long handles on one side."""
    front = f.front - 0.06
    f.box((f.left, f.right), (f.back, front - 0.01), (0.03, f.height), f.main)
    f.box((f.left + 0.02, f.right - 0.02), (f.back + 0.02, front - 0.02), (0, 0.05), BLACK_PLASTIC)
    f.box((f.left + 0.005, f.right - 0.005), (front - 0.02, front + 0.004), (0.05, f.height - 0.005), SHADOW)
    split = f.height * 0.68
    handles = f.accent if f.accent.colour != f.main.colour else Surface("dark grey", "metal")
    for low, high in ((0.06, split - 0.006), (split + 0.006, f.height)):
        f.soft_box((f.left, f.right), (front - 0.01, front + 0.035), (low, high), f.main, 0.015, 1)
    x = f.left + 0.07
    for low, high in ((split - 0.5, split - 0.06), (split + 0.06, split + 0.32)):
        high = min(high, f.height - 0.05)
        f.tube(
            [
                (x, front + 0.03, low),
                (x, f.front - 0.011, low + 0.02),
                (x, f.front - 0.011, high - 0.02),
                (x, front + 0.03, high),
            ],
            0.011,
            handles,
        )
    f.box((-0.05, 0.05), (front + 0.03, front + 0.037), (split + 0.08, split + 0.105), STEEL)


def stove(f: Form) -> None:
    """Hob rings on top, a row of knobs, an oven door with a window and a bar."""
    front = f.front - 0.05
    f.box((f.left, f.right), (f.back, front), (0.05, f.height - 0.03), f.main)
    f.box((f.left + 0.02, f.right - 0.02), (f.back, front - 0.03), (0, 0.05), BLACK_PLASTIC)
    f.box((f.left, f.right), (f.back, front + 0.01), (f.height - 0.035, f.height - 0.012), BLACK_GLASS)
    radius = min(f.width, f.depth) * 0.17
    for x, y, size in ((-0.25, 0.16, 1.0), (0.25, 0.16, 0.8), (-0.25, -0.26, 0.8), (0.25, -0.26, 1.0)):
        centre = (x * f.width, y * f.depth - 0.02, 0)
        for share, top in ((1.0, 0.006), (0.72, 0.004), (0.3, 0.002)):
            shade = BLACK_PLASTIC if share == 0.72 else STEEL
            f.cylinder(centre, radius * size * share, (f.height - 0.012, f.height - top), shade, segments=24)
    panel = f.height - 0.14
    f.box((f.left, f.right), (front - 0.005, front + 0.008), (panel, f.height - 0.035), f.main)
    for knob in range(5):
        x = f.left + f.width * (knob + 0.5) / 5
        f.cylinder(
            (x, 0, (panel + f.height - 0.035) / 2), 0.024, (front + 0.008, f.front - 0.006), BLACK_PLASTIC, "y", 0.02
        )
    f.box((f.left + 0.01, f.right - 0.01), (front - 0.005, front + 0.012), (0.2, panel - 0.015), f.main)
    window = (f.left + 0.08, f.right - 0.08)
    f.box(window, (front + 0.01, front + 0.016), (0.28, panel - 0.13), BLACK_GLASS)
    bar = panel - 0.06
    ends = (f.left + 0.06, f.right - 0.06)
    f.tube(
        [
            (ends[0], front, bar),
            (ends[0], f.front - 0.012, bar),
            (ends[1], f.front - 0.012, bar),
            (ends[1], front, bar),
        ],
        0.011,
        STEEL,
    )
    f.box((f.left + 0.01, f.right - 0.01), (front - 0.005, front + 0.01), (0.06, 0.185), f.main)


def _base_cabinet(f: Form, surface: Surface, top: Surface, height: float) -> float:
    """A dark plinth, doors, drawers above them, and a worktop; returns the y of the front."""
    front = f.front - 0.05
    f.box((f.left, f.right), (f.back, front), (0.1, height - 0.04), surface)
    f.box((f.left, f.right), (f.back, front - 0.05), (0, 0.1), SHADOW)
    f.box((f.left, f.right), (f.back, f.front), (height - 0.04, height), top)
    return front


def kitchen_counter(f: Form) -> None:
    height = min(f.height, WORKTOP + 0.05)
    front = _base_cabinet(f, f.accent, f.main, height)
    count = max(2, round(f.width / 0.45))
    rail = height - 0.22
    doors(f, (f.left, f.right), (0.11, rail), count, front, f.accent, STEEL, 0.85)
    drawers(f, (f.left, f.right), (rail + 0.005, height - 0.045), 1, count, front, f.accent)


def kitchen_island(f: Form) -> None:
    """Like a counter, but finished on all sides and with a fruit bowl."""
    bowl = 0.0
    height = f.height - bowl
    inset = 0.06
    x, y = (f.left + inset, f.right - inset), (f.back + inset * 2, f.front - inset)
    f.box(x, y, (0.08, height - 0.05), f.accent)
    f.box((x[0] + 0.03, x[1] - 0.03), (y[0] + 0.03, y[1] - 0.03), (0, 0.08), SHADOW)
    f.box((f.left, f.right), (f.back, f.front), (height - 0.05, height), f.main)
    count = max(2, round(f.width / 0.5))
    doors(f, (x[0] + 0.01, x[1] - 0.01), (0.1, height - 0.06), count, y[1], f.accent, STEEL, 0.8)
    panels = max(2, round(f.width / 0.5))
    each = (x[1] - x[0]) / panels
    for panel in range(panels):
        left = x[0] + panel * each
        f.box((left + 0.05, left + each - 0.05), (y[0] - 0.012, y[0]), (0.16, height - 0.14), f.accent)


def tap(f: Form, x: float, back: float, level: float, reach: float, tall: float) -> None:
    """A swan neck over the basin, with a lever."""
    bend = reach / 2
    arc = [
        (x, back + bend - math.cos(a) * bend, level + tall - bend + math.sin(a) * bend)
        for a in [k * math.pi / 8 for k in range(9)]
    ]
    f.tube([(x, back, level), *arc, (x, back + reach, level + tall - bend - 0.04)], 0.013, STEEL)
    f.cylinder((x, back, 0), 0.025, (level, level + 0.03), STEEL)
    f.tube([(x + 0.02, back, level + 0.02), (x + 0.09, back, level + 0.05)], 0.008, STEEL)


def _basin(f: Form, x: Span, y: Span, top: float, deep: float, surface: Surface) -> None:
    """The sunken inside of a sink: four walls and a floor with a drain."""
    wall = 0.012
    f.box((x[0], x[0] + wall), y, (top - deep, top), surface)
    f.box((x[1] - wall, x[1]), y, (top - deep, top), surface)
    f.box((x[0] + wall, x[1] - wall), (y[0], y[0] + wall), (top - deep, top), surface)
    f.box((x[0] + wall, x[1] - wall), (y[1] - wall, y[1]), (top - deep, top), surface)
    f.box((x[0] + wall, x[1] - wall), (y[0] + wall, y[1] - wall), (top - deep, top - deep + 0.01), surface)
    middle = ((x[0] + x[1]) / 2, (y[0] + y[1]) / 2, 0)
    f.cylinder(middle, 0.03, (top - deep + 0.01, top - deep + 0.014), Surface("dark grey", "metal"))


def kitchen_sink(f: Form) -> None:
    """A cabinet with a basin in its top, a drainer, and a tap behind it."""
    level = WORKTOP if f.height > WORKTOP + 0.1 else f.height - 0.17
    front = f.front - 0.05
    x, y = (f.left + 0.07, f.left + f.width * 0.62), (f.back + 0.14, f.front - 0.08)
    f.box((f.left, f.right), (f.back, front), (0.1, level - 0.2), f.accent)
    f.box((f.left, f.right), (f.back, front - 0.05), (0, 0.1), SHADOW)
    count = max(2, round(f.width / 0.45))
    doors(f, (f.left, f.right), (0.11, level - 0.045), count, front, f.accent, STEEL, 0.85)
    for side in ((f.left, f.left + 0.02), (f.right - 0.02, f.right)):
        f.box(side, (f.back, front), (level - 0.2, level - 0.04), f.accent)
    f.box((f.left, f.right), (f.back, y[0]), (level - 0.03, level), f.main)
    f.box((f.left, f.right), (y[1], f.front), (level - 0.03, level), f.main)
    f.box((f.left, x[0]), y, (level - 0.03, level), f.main)
    f.box((x[1], f.right), y, (level - 0.03, level), f.main)
    _basin(f, x, y, level - 0.001, 0.18, f.main)
    for groove in range(5):
        a = x[1] + 0.05 + groove * (f.right - x[1] - 0.08) / 5
        f.box((a, a + 0.012), (y[0], y[1]), (level, level + 0.006), f.main)
    tap(f, (x[0] + x[1]) / 2, f.back + 0.07, level, 0.2, min(0.28, f.height - level - 0.014))


def microwave(f: Form) -> None:
    """A dark window on the left, buttons on the right."""
    front = f.front - 0.04
    f.box((f.left, f.right), (f.back, front), (0.012, f.height), f.main)
    f.legs((f.left + 0.03, f.right - 0.03), (f.back + 0.03, front - 0.03), (0, 0.014), 0.03, BLACK_PLASTIC)
    # Seen from the front, the thing's own right is on the left.
    split = f.left + f.width * 0.26
    f.box((split, f.right - 0.01), (front, front + 0.012), (0.03, f.height - 0.015), f.main)
    f.box((split + 0.03, f.right - 0.04), (front + 0.01, front + 0.015), (0.06, f.height - 0.045), BLACK_GLASS)
    f.tube([(split + 0.014, front + 0.03, 0.05), (split + 0.014, front + 0.03, f.height - 0.04)], 0.009, STEEL)
    f.box((f.left + 0.01, split - 0.006), (front, front + 0.01), (0.03, f.height - 0.015), BLACK_PLASTIC)
    f.box(
        (f.left + 0.02, split - 0.016),
        (front + 0.01, front + 0.013),
        (f.height - 0.07, f.height - 0.03),
        Surface("turquoise", "glow"),
    )
    for row in range(4):
        for column in range(3):
            x = f.left + 0.02 + column * (split - f.left - 0.035) / 3
            z = 0.045 + row * (f.height - 0.14) / 4
            f.box((x, x + 0.02), (front + 0.01, front + 0.014), (z, z + 0.02), Surface("white", "plastic"))


def _drum_machine(f: Form, door: float, ring: Surface) -> float:
    """A white-goods box with a control panel and a round door."""
    front = f.front - 0.05
    f.soft_box((f.left, f.right), (f.back, front), (0.01, f.height), f.main, 0.015, 1)
    f.box((f.left + 0.03, f.right - 0.03), (f.back + 0.03, front - 0.02), (0, 0.02), BLACK_PLASTIC)
    middle = f.height * 0.44
    f.lathe(
        (0, 0, middle),
        [
            (0, front),
            (door, front),
            (door, front + 0.02),
            (door * 0.93, front + 0.035),
            (door * 0.78, front + 0.035),
            (door * 0.74, front + 0.012),
            (0, front + 0.012),
        ],
        ring,
        "y",
        28,
    )
    f.box((f.left, f.right), (front - 0.01, front + 0.004), (f.height - 0.135, f.height - 0.13), SHADOW)
    return front


def washing_machine(f: Form) -> None:
    """A porthole with water and clothes behind it, a soap drawer and a dial."""
    door = f.width * 0.33
    front = _drum_machine(f, door, STEEL)
    middle = f.height * 0.44
    f.ball((0, front + 0.005, middle), (door * 0.76, 0.035, door * 0.76), Surface("dark grey", "screen"))
    f.ball((0, front + 0.012, middle - door * 0.3), (door * 0.5, 0.032, door * 0.33), Surface("light blue", "fabric"))
    f.ball(
        (door * 0.2, front + 0.013, middle - door * 0.1), (door * 0.28, 0.03, door * 0.2), Surface("white", "fabric")
    )
    z = (f.height - 0.115, f.height - 0.02)
    f.box((f.right - 0.2, f.right - 0.02), (front - 0.002, front + 0.01), z, Surface("grey", "plastic"))
    f.cylinder((0, 0, sum(z) / 2), 0.036, (front, front + 0.035), STEEL, "y")
    f.box((f.left + 0.04, f.left + 0.17), (front, front + 0.006), (z[0] + 0.02, z[1] - 0.02), BLACK_GLASS)


def dryer(f: Form) -> None:
    """A wide solid door with a bar, and a grille below."""
    front = _drum_machine(f, f.width * 0.37, Surface("dark grey", "plastic"))
    middle, door = f.height * 0.44, f.width * 0.37
    f.cylinder((0, 0, middle), door * 0.76, (front, front + 0.022), f.main, "y", segments=28)
    f.box(
        (-0.014, 0.014),
        (front + 0.02, front + 0.04),
        (middle + door * 0.3, middle + door * 0.75),
        Surface("dark grey", "plastic"),
    )
    z = (f.height - 0.115, f.height - 0.02)
    f.box((f.left + 0.03, f.right - 0.03), (front - 0.002, front + 0.006), z, Surface("dark grey", "plastic"))
    for x in (-0.16, 0.16):
        f.cylinder((x, 0, sum(z) / 2), 0.03, (front, front + 0.03), STEEL, "y")
    f.box((-0.07, 0.07), (front + 0.004, front + 0.009), (z[0] + 0.025, z[1] - 0.025), Surface("green", "glow"))
    for slot in range(4):
        level = 0.04 + slot * 0.016
        f.box((f.left + 0.08, f.right - 0.08), (front - 0.002, front + 0.004), (level, level + 0.007), SHADOW)


def trash_can(f: Form) -> None:
    """A bin that widens upwards, with a lid and a pedal."""
    radius = min(f.width, f.depth) / 2
    body = f.height - 0.07
    low, high = radius * 0.78, radius * 0.96
    f.cylinder((0, 0, 0), low, (0.02, body), f.main, end_radius=high, segments=24)
    f.cylinder((0, 0, 0), low * 1.02, (0, 0.03), f.accent, segments=24)
    f.lathe(
        (0, 0, 0),
        [(0, body), (radius, body), (radius, body + 0.02), (radius * 0.7, f.height - 0.015), (0, f.height)],
        f.accent,
        segments=24,
    )
    f.box((-0.04, 0.04), (low * 0.8, min(f.front, low + 0.06)), (0.01, 0.025), f.accent)

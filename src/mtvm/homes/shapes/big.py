"""Complex shapes: a car, an aquarium, outer doors."""

from __future__ import annotations

import math

from mtvm.homes.home import Surface
from mtvm.homes.shapes.solids import Form, span

BLACK_PLASTIC = Surface("black", "plastic")
DARK_GLASS = Surface("dark grey", "screen")
STEEL = Surface("silver", "metal")
TYRE = Surface("black", "concrete")
WHITE_PAINT = Surface("white", "paint")


def car(f: Form) -> None:
    """A hatchback along y: body, cabin with windows, wheels, lamps, number plates."""
    half, long = 0.88, 2.05
    paint = Surface(f.main.colour, "lacquer")
    for side in (-1, 1):
        for y in (-1.25, 1.28):
            inner, outer = sorted((side * 0.66, side * 0.86))
            f.cylinder((0, y, 0.31), 0.31, (inner, outer), TYRE, "x", segments=24)
            inner, outer = sorted((side * 0.84, side * 0.868))
            f.cylinder((0, y, 0.31), 0.2, (inner, outer), STEEL, "x", segments=20)
            f.cylinder((0, y, 0.31), 0.06, span(side * 0.86, side * 0.874), BLACK_PLASTIC, "x", segments=12)
    f.soft_box((-half, half), (-long, long), (0.26, 0.78), paint, 0.16, 3)
    f.soft_box((-half + 0.03, half - 0.03), (0.7, long - 0.04), (0.5, 0.9), paint, 0.2, 3)
    f.soft_box((-half + 0.02, half - 0.02), (-long + 0.03, 0.9), (0.5, 0.92), paint, 0.12, 3)
    # The cabin, extruded from an outline of (y, z); the glass protrudes slightly.
    cabin = [(-1.98, 0.85), (1.1, 0.85), (0.3, 1.4), (0.0, 1.46), (-1.1, 1.46), (-1.6, 1.38)]
    f.prism(cabin, (-half + 0.12, half - 0.12), paint, "x")
    for side in (-1, 1):
        outer = side * (half - 0.112)
        for window in (
            [(-1.62, 0.93), (-0.62, 0.93), (-0.62, 1.37), (-1.12, 1.37), (-1.5, 1.3)],
            [(-0.52, 0.93), (0.82, 0.93), (0.2, 1.35), (-0.52, 1.37)],
        ):
            f.prism(window, span(outer - side * 0.02, outer), DARK_GLASS, "x")
        f.soft_box(span(side * (half - 0.08), side * (half + 0.08)), (0.72, 0.84), (0.92, 1.04), paint, 0.04)
        f.box(span(side * half, side * (half + 0.006)), (-0.42, -0.25), (0.72, 0.75), STEEL)
        f.box(span(side * (half - 0.01), side * (half + 0.004)), (-0.58, -0.57), (0.4, 0.85), BLACK_PLASTIC)
        f.ball((side * 0.64, long - 0.08, 0.66), (0.17, 0.08, 0.09), Surface("white", "glow"), 8)
        f.ball((side * 0.68, -long + 0.07, 0.72), (0.14, 0.07, 0.12), Surface("red", "glow"), 8)
    wide = half - 0.2
    f.plate(
        [(wide, 1.04, 0.905), (-wide, 1.04, 0.905), (-wide * 0.88, 0.31, 1.405), (wide * 0.88, 0.31, 1.405)][::-1],
        -0.012,
        DARK_GLASS,
    )
    f.plate(
        [(-wide, -1.94, 0.93), (wide, -1.94, 0.93), (wide * 0.88, -1.62, 1.36), (-wide * 0.88, -1.62, 1.36)][::-1],
        -0.012,
        DARK_GLASS,
    )
    for end in (-1, 1):
        face = end * long
        f.soft_box(
            (-half + 0.06, half - 0.06),
            span(face - end * 0.1, face + end * 0.03),
            (0.24, 0.44),
            BLACK_PLASTIC,
            0.04,
        )
        f.box((-0.26, 0.26), span(face, face + end * 0.035), (0.46, 0.57), Surface("white", "plastic"))
        for letter in range(6):
            x = -0.21 + letter * 0.075
            f.box((x, x + 0.04), span(face + end * 0.035, face + end * 0.038), (0.485, 0.545), BLACK_PLASTIC)
    f.box((-0.45, 0.45), (long - 0.02, long + 0.015), (0.6, 0.7), BLACK_PLASTIC)
    f.fit()


def aquarium(f: Form) -> None:
    """A tank of water with fish and weeds on a cabinet, lit from its hood."""
    stand, hood = f.height * 0.52, 0.06
    f.box((f.left, f.right), (f.back, f.front - 0.02), (0, stand), f.accent)
    for x in ((f.left + 0.01, -0.005), (0.005, f.right - 0.01)):
        f.box(x, (f.front - 0.02, f.front - 0.004), (0.05, stand - 0.02), f.accent)
    f.box((-0.04, -0.025), (f.front - 0.004, f.front), (stand * 0.5, stand * 0.7), STEEL)
    f.box((0.025, 0.04), (f.front - 0.004, f.front), (stand * 0.5, stand * 0.7), STEEL)
    f.box((f.left, f.right), (f.back, f.front), (f.height - hood, f.height), f.accent)
    inside = 0.02
    x, y, z = (f.left + inside, f.right - inside), (f.back + inside, f.front - inside), (stand, f.height - hood)
    water = Surface(f.main.colour if f.main.colour in ("blue", "turquoise", "light blue") else "light blue", "water")
    f.box(x, (y[0], y[0] + 0.01), z, water)
    f.box((x[0] + 0.01, x[1] - 0.01), y, (stand, stand + 0.035), Surface("beige", "carpet"))
    f.box(
        (f.left + 0.012, f.right - 0.012),
        (f.front - 0.018, f.front - 0.012),
        (z[0], z[1]),
        Surface(water.colour, "glass"),
    )
    for side in (f.left + 0.008, f.right - 0.014):
        f.box((side, side + 0.006), (y[0], f.front - 0.02), z, Surface(water.colour, "glass"))
    deep = z[1] - z[0]
    for weed in range(7):
        a = x[0] + (x[1] - x[0]) * (0.08 + 0.14 * weed)
        b = y[0] + (y[1] - y[0]) * (0.3 + 0.3 * f.rng.random())
        tall = deep * (0.35 + 0.4 * f.rng.random())
        bends = [(a + 0.02 * math.sin(k * 1.3 + weed), b, stand + 0.03 + tall * k / 4) for k in range(5)]
        f.tube(bends, 0.011, Surface("green", "plant"), 5)
    f.ball((f.left * 0.4, 0, stand + 0.06), (0.09, 0.06, 0.07), Surface("grey", "concrete"), 6)
    fish = ("orange", "red", "yellow", "orange", "white", "yellow")
    for number, colour in enumerate(fish):
        a = x[0] + (x[1] - x[0]) * (0.12 + 0.76 * f.rng.random())
        c = stand + 0.1 + (deep - 0.2) * f.rng.random()
        b = y[0] + (y[1] - y[0]) * (0.35 + 0.5 * f.rng.random())
        facing = 1 if number % 2 else -1
        f.ball((a, b, c), (0.04, 0.012, 0.022), Surface(colour, "glow"), 6)
        tail = [(a - facing * 0.03, c), (a - facing * 0.07, c - 0.025), (a - facing * 0.07, c + 0.025)]
        f.prism(tail if facing < 0 else tail[::-1], (b - 0.003, b + 0.003), Surface(colour, "glow"), "y")


def front_door(f: Form) -> None:
    """A closed, panelled door in its frame, with a knob, a letter slot and a small window on top."""
    rim = 0.07
    leaf = f.back + f.depth * 0.55
    for x in ((f.left, f.left + rim), (f.right - rim, f.right)):
        f.box(x, (f.back, f.front - 0.012), (0, f.height), WHITE_PAINT)
    f.box((f.left + rim, f.right - rim), (f.back, f.front - 0.012), (f.height - rim, f.height), WHITE_PAINT)
    x = (f.left + rim, f.right - rim)
    f.box(x, (f.back, leaf), (0, f.height - rim), f.main)
    middle, raised = 0.0, leaf + (f.front - leaf) * 0.3
    inset = 0.09
    for a, b in ((x[0] + inset, middle - 0.05), (middle + 0.05, x[1] - inset)):
        for low, high in ((0.15, 0.8), (1.12, f.height - 0.5)):
            f.panel((a, b), (leaf, raised), (low, high), f.main, 0.012)
        f.box((a, b), (leaf, raised), (f.height - 0.42, f.height - rim - 0.1), Surface("light blue", "glow"))
    f.box((-0.13, 0.13), (leaf, raised), (0.93, 0.99), Surface("gold", "metal"))
    f.ball(
        (x[1] - 0.06, raised + (f.front - raised) * 0.4, 1.0),
        (0.033, (f.front - raised) * 0.55, 0.033),
        Surface("gold", "metal"),
        8,
    )
    f.cylinder((x[1] - 0.06, 0, 1.0), 0.04, (leaf, raised), Surface("gold", "metal"), "y")


def garage_door(f: Form) -> None:
    """A wide door of ribbed panels with a row of small windows."""
    rim = 0.08
    leaf = f.back + f.depth * 0.5
    for x in ((f.left, f.left + rim), (f.right - rim, f.right)):
        f.box(x, (f.back, f.front), (0, f.height), STEEL)
    f.box((f.left + rim, f.right - rim), (f.back, f.front), (f.height - rim, f.height), STEEL)
    f.box((f.left + rim, f.right - rim), (f.back, leaf), (0, f.height - rim), BLACK_PLASTIC)
    rows = max(4, round(f.height / 0.45))
    columns = max(3, round(f.width / 0.7))
    tall, wide = (f.height - rim) / rows, (f.width - 2 * rim) / columns
    for row in range(rows):
        low = row * tall
        f.box(
            (f.left + rim, f.right - rim),
            (leaf, leaf + (f.front - leaf) * 0.4),
            (low + 0.008, low + tall - 0.008),
            f.main,
        )
        for column in range(columns):
            a = f.left + rim + column * wide
            look = Surface("light blue", "glow") if row == rows - 2 else f.main
            z = (low + 0.06, low + tall - 0.06)
            f.panel((a + 0.06, a + wide - 0.06), (leaf, f.front - 0.002), z, look, 0.015)
    f.box((-0.12, 0.12), (leaf, f.front), (tall * 0.5 - 0.015, tall * 0.5 + 0.015), BLACK_PLASTIC)

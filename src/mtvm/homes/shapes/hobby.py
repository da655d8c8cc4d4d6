"""Instruments, sports equipment, tools and other leisure things."""

from __future__ import annotations

import math

import numpy as np

from mtvm.homes.home import Surface
from mtvm.homes.shapes.solids import Form, span
from mtvm.homes.shapes.storage import drawers

BLACK_PLASTIC = Surface("black", "plastic")
BLACK_PAINT = Surface("black", "paint")
BLACK_GLASS = Surface("black", "screen")
DARK_METAL = Surface("dark grey", "metal")
STEEL = Surface("silver", "metal")
WHITE_PLASTIC = Surface("white", "plastic")
TYRE = Surface("black", "concrete")


def piano(f: Form) -> None:
    """An upright: keys on a shelf, a music stand with a score above, pedals below."""
    body = f.back + f.depth * 0.5
    shelf = 0.68
    f.box((f.left, f.right), (f.back, body), (0.04, f.height - 0.03), f.main)
    f.box((f.left, f.right), (f.back, body + 0.02), (f.height - 0.03, f.height), f.main)
    for cheek in ((f.left, f.left + 0.06), (f.right - 0.06, f.right)):
        f.box(cheek, (body, f.front), (shelf - 0.1, shelf + 0.08), f.main)
        f.box(cheek, (f.front - 0.1, f.front - 0.04), (0, shelf - 0.1), f.main)
        f.box(cheek, (f.back, f.front - 0.04), (0, 0.07), f.main)
    f.box((f.left + 0.06, f.right - 0.06), (body, f.front - 0.01), (shelf - 0.1, shelf - 0.02), f.main)
    keys = (f.left + 0.07, f.right - 0.07)
    count = 36
    each = (keys[1] - keys[0]) / count
    near, far = f.front - 0.015, body + 0.04
    for key in range(count):
        x = keys[0] + key * each
        f.box((x + 0.0012, x + each - 0.0012), (far, near), (shelf - 0.02, shelf), WHITE_PLASTIC)
        # For the player, keys run from the thing's own right to its left.
        if (count - 1 - key) % 7 in (1, 2, 4, 5, 6):
            f.box(
                (x + each - 0.007, x + each + 0.007),
                (far, far + (near - far) * 0.62),
                (shelf, shelf + 0.014),
                BLACK_PLASTIC,
            )
    f.box((keys[0], keys[1]), (body, far), (shelf - 0.02, shelf + 0.05), f.main)
    f.box((-0.35, 0.35), (body, body + 0.03), (shelf + 0.1, shelf + 0.13), f.main)
    f.box((-0.2, -0.005), (body + 0.004, body + 0.012), (shelf + 0.13, shelf + 0.4), Surface("white", "paper"))
    f.box((0.005, 0.2), (body + 0.004, body + 0.012), (shelf + 0.13, shelf + 0.4), Surface("white", "paper"))
    for page in (-0.185, 0.02):
        for line in range(5):
            z = shelf + 0.17 + line * 0.045
            f.box((page, page + 0.165), (body + 0.012, body + 0.0135), (z, z + 0.012), BLACK_PAINT)
    for x in (-0.08, 0.0, 0.08):
        f.box((x - 0.02, x + 0.02), (body - 0.01, body + 0.09), (0.05, 0.065), Surface("gold", "metal"))


# Half the width of a guitar's body at heights above its end: two bouts with a waist between them.
_GUITAR_SIDE = (
    (0, 0), (0.07, 0.004), (0.125, 0.025), (0.165, 0.06), (0.187, 0.105), (0.19, 0.145), (0.178, 0.185), (0.15, 0.225),
    (0.125, 0.262), (0.118, 0.295), (0.125, 0.33), (0.14, 0.365), (0.145, 0.4), (0.135, 0.435), (0.105, 0.465),
    (0.06, 0.48), (0, 0.485),
)  # fmt: skip


def guitar(f: Form) -> None:
    """An acoustic guitar leaning back on a stand."""
    top = f.main
    half = np.array(_GUITAR_SIDE)
    outline = np.concatenate([half, half[-2:0:-1] * [-1, 1]])
    f.prism(outline, (-0.05, 0.045), Surface("dark brown", "wood"), "y")
    f.prism(outline * [0.985, 1], (0.045, 0.05), top, "y")
    f.cylinder((0, 0, 0.31), 0.05, (0.05, 0.0515), BLACK_PAINT, "y", segments=24)
    f.lathe(
        (0, 0, 0.31), [(0.05, 0.0505), (0.05, 0.053), (0.06, 0.053), (0.06, 0.0505)], Surface("cream", "wood"), "y", 24
    )
    f.box((-0.07, 0.07), (0.05, 0.062), (0.13, 0.155), Surface("dark brown", "wood"))
    f.box((-0.026, 0.026), (0.03, 0.062), (0.36, 0.9), Surface("dark brown", "wood"))
    for fret in range(11):
        z = 0.46 + 0.42 * (1 - 0.9**fret) / (1 - 0.9**11)
        f.box((-0.026, 0.026), (0.062, 0.064), (z, z + 0.004), STEEL)
    f.prism([(-0.03, 0.9), (0.03, 0.9), (0.04, 1.06), (-0.04, 1.06)], (0.025, 0.05), Surface("dark brown", "wood"), "y")
    for string in range(6):
        x = -0.018 + string * 0.0072
        f.box((x - 0.0008, x + 0.0008), (0.066, 0.0675), (0.14, 0.92), STEEL)
    for side in (-1, 1):
        for peg in range(3):
            f.cylinder(
                (0, 0.035, 0.94 + peg * 0.045),
                0.012,
                span(side * 0.04, side * 0.068),
                STEEL,
                "x",
                segments=8,
            )
    f.turn(0, "x", 0.16, (0, 0, 0))
    metal = f.accent
    for side in (-1, 1):
        f.tube([(0, -0.17, 0.55), (side * 0.14, -0.2, 0.01)], 0.011, metal)
        f.tube([(side * 0.14, -0.1, 0.012), (side * 0.14, 0.12, 0.012), (side * 0.14, 0.13, 0.08)], 0.011, metal)
    f.tube([(-0.14, -0.1, 0.012), (0.14, -0.1, 0.012)], 0.011, metal)
    f.fit()


def _wheel(f: Form, x: float, radius: float) -> None:
    circle = [
        (x + math.cos(k * math.pi / 14) * radius, 0, radius + 0.02 + math.sin(k * math.pi / 14) * radius)
        for k in range(29)
    ]
    f.tube(circle, 0.022, TYRE)
    f.tube([(x + (a - x) * 0.93, 0, radius + 0.02 + (c - radius - 0.02) * 0.93) for a, _, c in circle], 0.009, STEEL, 6)
    f.cylinder((x, 0, radius + 0.02), 0.025, (-0.04, 0.04), STEEL, "y")
    for spoke in range(9):
        angle = spoke * math.pi / 9
        dx, dz = math.cos(angle) * radius * 0.93, math.sin(angle) * radius * 0.93
        f.tube([(x - dx, 0, radius + 0.02 - dz), (x + dx, 0, radius + 0.02 + dz)], 0.0025, STEEL, 4)


def bicycle(f: Form) -> None:
    """Side view along x: two wheels, a diamond frame, saddle, handlebars, pedals."""
    radius = 0.33
    rear, fore, crank = (-0.5, 0, radius + 0.02), (0.52, 0, radius + 0.02), (-0.06, 0, 0.3)
    seat, head = (-0.2, 0, 0.78), (0.34, 0, 0.82)
    _wheel(f, rear[0], radius)
    _wheel(f, fore[0], radius)
    for line in ([seat, crank], [crank, head], [(-0.19, 0, 0.74), (0.35, 0, 0.76)]):
        f.tube(line, 0.021, f.main)
    for side in (-0.045, 0.045):
        f.tube([(rear[0], side, rear[2]), (-0.19, 0, 0.74)], 0.012, f.main)
        f.tube([(rear[0], side, rear[2]), crank], 0.012, f.main)
        f.tube([(fore[0], side, fore[2]), (0.37, side * 0.7, 0.7), head], 0.013, f.main)
    f.tube([head, (0.31, 0, 0.95)], 0.016, BLACK_PLASTIC)
    f.tube(
        [(0.2, -0.24, 0.96), (0.3, -0.19, 0.97), (0.32, 0, 0.95), (0.3, 0.19, 0.97), (0.2, 0.24, 0.96)],
        0.013,
        BLACK_PLASTIC,
    )
    f.tube([seat, (-0.23, 0, 0.88)], 0.014, STEEL)
    f.soft_box((-0.37, -0.1), (-0.065, 0.065), (0.87, 0.93), BLACK_PLASTIC, 0.03)
    f.cylinder((crank[0], 0, crank[2]), 0.09, (-0.055, -0.045), STEEL, "y", segments=20)
    f.tube([(crank[0] - 0.02, -0.07, crank[2]), (crank[0] + 0.1, -0.07, crank[2] - 0.14)], 0.011, STEEL)
    f.tube([(crank[0] + 0.02, 0.07, crank[2]), (crank[0] - 0.1, 0.07, crank[2] + 0.14)], 0.011, STEEL)
    f.box((crank[0] + 0.05, crank[0] + 0.15), (-0.15, -0.07), (crank[2] - 0.155, crank[2] - 0.13), BLACK_PLASTIC)
    f.box((crank[0] - 0.15, crank[0] - 0.05), (0.07, 0.15), (crank[2] + 0.13, crank[2] + 0.155), BLACK_PLASTIC)
    f.tube([(rear[0], -0.05, rear[2] + 0.04), (crank[0], -0.05, crank[2] + 0.09)], 0.005, BLACK_PLASTIC, 4)
    f.tube([(rear[0], -0.05, rear[2] - 0.04), (crank[0], -0.05, crank[2] - 0.09)], 0.005, BLACK_PLASTIC, 4)
    f.fit()


def treadmill(f: Form) -> None:
    """A belt on the floor; at the back two posts, rails and a console with a display."""
    f.box((f.left + 0.06, f.right - 0.06), (f.back + 0.1, f.front), (0.05, 0.15), f.main)
    f.box((f.left + 0.14, f.right - 0.14), (f.back + 0.3, f.front - 0.02), (0.15, 0.16), Surface("black", "carpet"))
    for runner in ((f.left + 0.06, f.left + 0.14), (f.right - 0.14, f.right - 0.06)):
        f.box(runner, (f.back + 0.3, f.front), (0.15, 0.165), f.accent)
        f.box(runner, (f.back + 0.02, f.front - 0.05), (0, 0.05), BLACK_PLASTIC)
    f.soft_box((f.left + 0.06, f.right - 0.06), (f.back + 0.03, f.back + 0.34), (0.08, 0.27), f.main, 0.05)
    top = f.height - 0.12
    for x in (f.left + 0.035, f.right - 0.035):
        f.tube([(x, f.back + 0.3, 0.06), (x, f.back + 0.16, top)], 0.03, f.accent)
        f.tube([(x, f.back + 0.16, top - 0.04), (x, f.back + 0.62, top - 0.14)], 0.024, BLACK_PLASTIC)
    first = len(f.solids)
    f.soft_box((f.left + 0.02, f.right - 0.02), (f.back + 0.1, f.back + 0.18), (top - 0.08, top + 0.12), f.main, 0.03)
    f.box((-0.2, 0.2), (f.back + 0.178, f.back + 0.184), (top - 0.02, top + 0.09), Surface("light blue", "glow"))
    f.box((-0.03, 0.03), (f.back + 0.178, f.back + 0.19), (top - 0.065, top - 0.035), Surface("red", "plastic"))
    f.turn(first, "x", 0.35, (0, f.back + 0.14, top))
    f.fit()


def dumbbell_rack(f: Form) -> None:
    """Rows of dumbbells on sloping shelves."""
    for x in (f.left, f.right - 0.06):
        f.box((x, x + 0.06), (f.back, f.front), (0, 0.05), f.main)
        f.box((x, x + 0.06), (f.back, f.back + 0.07), (0, f.height), f.main)
    rows = 3 if f.height > 0.85 else 2
    for row in range(rows):
        z = 0.2 + (f.height - 0.36) * row / (rows - 1)
        y = f.front - 0.19 - 0.07 * row
        for rail in (y - 0.09, y + 0.07):
            f.box((f.left + 0.02, f.right - 0.02), (rail, rail + 0.03), (z, z + 0.03), f.main)
        for x in (f.left + 0.01, f.right - 0.05):
            f.box((x, x + 0.04), (f.back + 0.03, y + 0.1), (z - 0.03, z), f.main)
        count = int((f.width - 0.14) / 0.17)
        size = 0.055 + 0.012 * (rows - row - 1)
        for place in range(count):
            x = f.left + 0.07 + (f.width - 0.14) * (place + 0.5) / count
            f.cylinder((x, 0, z + 0.03 + size), 0.016, (y - 0.15, y + 0.15), STEEL, "y", segments=8)
            for end in (-0.14, 0.06):
                f.cylinder((x, 0, z + 0.03 + size), size, (y + end, y + end + 0.08), f.accent, "y", segments=6)
    f.fit()


def workbench(f: Form) -> None:
    """A thick top with a vice, drawers below, a hammer, pliers and a saw on it."""
    tools = 0.09
    top = f.height - tools
    f.box((f.left, f.right), (f.back, f.front), (top - 0.07, top), f.main)
    f.legs((f.left + 0.04, f.right - 0.04), (f.back + 0.03, f.front - 0.05), (0, top - 0.07), 0.09, f.accent)
    f.box((f.left + 0.06, f.right - 0.06), (f.back + 0.05, f.front - 0.07), (0.15, 0.19), f.main)
    x = (f.left + 0.18, f.left + 0.7)
    f.box(x, (f.back + 0.05, f.front - 0.06), (top - 0.32, top - 0.07), f.accent)
    drawers(f, x, (top - 0.31, top - 0.08), 2, 1, f.front - 0.06, Surface("red", "metal"))
    vice = f.right - 0.25
    for y in (f.front - 0.12, f.front - 0.05):
        f.box((vice - 0.08, vice + 0.08), (y, y + 0.035), (top - 0.03, f.height), DARK_METAL)
    f.cylinder((vice, 0, top + 0.02), 0.014, (f.front - 0.15, f.front), STEEL, "y")
    f.box((-0.28, 0.02), (-0.1, -0.07), (top, top + 0.03), Surface("orange", "wood"))
    f.box((0.02, 0.06), (-0.15, -0.02), (top, top + 0.04), DARK_METAL)
    f.box((-0.2, 0.2), (0.09, 0.19), (top, top + 0.005), STEEL)
    f.soft_box((-0.33, -0.2), (0.08, 0.2), (top, top + 0.03), Surface("yellow", "plastic"), 0.014)
    f.box((f.left + 0.12, f.left + 0.45), (f.back + 0.06, f.back + 0.24), (top, f.height), Surface("red", "plastic"))
    f.box((f.left + 0.2, f.left + 0.37), (f.back + 0.14, f.back + 0.16), (f.height - 0.015, f.height), BLACK_PLASTIC)


def pool_table(f: Form) -> None:
    """Cloth between wooden rails with six pockets, balls in a triangle, a cue across."""
    rail, top = 0.13, f.height - 0.047
    f.box((f.left + rail, f.right - rail), (f.back + rail, f.front - rail), (top - 0.05, top - 0.012), f.main)
    for long in ((f.back, f.back + rail), (f.front - rail, f.front)):
        f.box((f.left, f.right), long, (top - 0.14, top + 0.02), f.accent)
    for short in ((f.left, f.left + rail), (f.right - rail, f.right)):
        f.box(short, (f.back + rail, f.front - rail), (top - 0.14, top + 0.02), f.accent)
    cushion = 0.035
    for y in (f.back + rail, f.front - rail - cushion):
        f.box((f.left + rail, f.right - rail), (y, y + cushion), (top - 0.02, top + 0.012), f.main)
    for x in (f.left + rail, f.right - rail - cushion):
        f.box((x, x + cushion), (f.back + rail, f.front - rail), (top - 0.02, top + 0.012), f.main)
    for x in (f.left + rail, 0.0, f.right - rail):
        for y in (f.back + rail - 0.01, f.front - rail + 0.01):
            f.cylinder((x, y, 0), 0.06, (top - 0.1, top + 0.023), BLACK_PAINT)
    f.box((f.left + rail, f.right - rail), (f.back + rail, f.front - rail), (top - 0.2, top - 0.05), f.accent)
    f.legs((f.left + 0.1, f.right - 0.1), (f.back + 0.1, f.front - 0.1), (0, top - 0.14), 0.14, f.accent)
    colours = ("yellow", "blue", "red", "purple", "orange", "green", "dark red", "black", "yellow", "blue")
    ball, at = 0.029, 0
    for row in range(4):
        for place in range(row + 1):
            x, y = f.width * 0.16 + row * ball * 1.74, (place - row / 2) * ball * 2.02
            f.ball((x, y, top - 0.012 + ball), ball, Surface(colours[at], "ceramic"), 6)
            at += 1
    f.ball((-f.width * 0.2, 0.05, top - 0.012 + ball), ball, Surface("white", "ceramic"), 6)
    f.tube(
        [(-f.width * 0.26, 0.07, top + 0.02), (f.left + 0.2, f.front - 0.06, top + 0.024)],
        0.006,
        Surface("beige", "wood"),
        6,
    )


def globe(f: Form) -> None:
    """A ball with continents in a ring, on a turned foot."""
    radius = min(f.width, f.depth) / 2 - 0.03
    middle = f.height - radius - 0.03
    f.ball((0, 0, middle), radius, f.main, 14)
    ball = f.solids.pop()
    corners = (ball.vertices[ball.triangles].mean(axis=1) - [0, 0, middle]) / radius
    # Continents are where a few waves over the ball add up.
    waves = np.array([[2.1, 0.7, 1.1], [-1.3, 2.4, 0.9], [0.8, -1.9, 2.2], [3.1, 1.6, -1.4]])
    is_land = np.sin(corners @ waves.T * 1.5 + [0.4, 1.9, 3.3, 5.0]).sum(axis=1) > 0.45
    land = Surface({"blue": "green", "green": "beige"}.get(f.main.colour, "cream"), "paint")
    f.add(ball.vertices, ball.normals, ball.triangles[~is_land], f.main)
    f.add(ball.vertices, ball.normals, ball.triangles[is_land], land)
    ring = [
        (math.cos(k * math.pi / 14) * (radius + 0.016), 0, middle + math.sin(k * math.pi / 14) * (radius + 0.016))
        for k in range(29)
    ]
    f.tube(ring, 0.011, f.accent)
    f.lathe(
        (0, 0, 0),
        [
            (0, 0),
            (radius * 0.75, 0),
            (radius * 0.75, 0.02),
            (radius * 0.3, 0.05),
            (0.02, 0.12),
            (0.035, (middle - radius) * 0.6),
            (0.018, middle - radius - 0.02),
            (0.03, middle - radius),
            (0, middle - radius),
        ],
        f.accent,
    )
    f.fit()


def coat_rack(f: Form) -> None:
    """A pole with hooks on three feet; a coat and a hat hang there."""
    for foot in range(3):
        angle = foot * 2 * math.pi / 3 + 0.5
        x, y = math.cos(angle) * f.width / 2 * 0.95, math.sin(angle) * f.depth / 2 * 0.95
        f.tube([(0, 0, 0.2), (x * 0.6, y * 0.6, 0.08), (x, y, 0.018)], 0.018, f.main)
    f.cylinder((0, 0, 0), 0.023, (0.12, f.height - 0.02), f.main)
    f.ball((0, 0, f.height - 0.03), 0.03, f.main, 6)
    for hook in range(6):
        angle = hook * math.pi / 3
        x, y = math.cos(angle), math.sin(angle)
        level = f.height - 0.22 - 0.12 * (hook % 2)
        f.tube([(0, 0, level), (x * 0.1, y * 0.1, level - 0.03), (x * 0.15, y * 0.15, level + 0.07)], 0.01, f.main, 6)
    x = f.width * 0.22
    f.lathe(
        (x, 0, 0),
        [(0, 0.62), (0.17, 0.62), (0.15, 1.0), (0.15, 1.2), (0.09, f.height - 0.3), (0, f.height - 0.27)],
        f.accent,
        squash=(0.72, 1.0),
        segments=14,
    )
    for side in (-1, 1):
        f.tube(
            [(x, side * 0.1, f.height - 0.36), (x + 0.01, side * 0.16, 1.15), (x, side * 0.15, 0.85)], 0.045, f.accent
        )
    f.lathe(
        (-f.width * 0.24, 0, f.height - 0.22),
        [(0, 0), (0.12, 0), (0.12, 0.012), (0.075, 0.02), (0.065, 0.09), (0, 0.1)],
        Surface("black", "fabric"),
    )
    f.fit()

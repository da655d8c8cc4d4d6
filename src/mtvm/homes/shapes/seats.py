"""Seats and beds."""

from __future__ import annotations

import math

from mtvm.homes.home import Surface
from mtvm.homes.shapes.solids import Form

WHITE_FABRIC = Surface("white", "fabric")
BLACK_PLASTIC = Surface("black", "plastic")
STEEL = Surface("silver", "metal")


def bed(f: Form) -> None:
    """A headboard at the back, a mattress, a blanket over most of it, and pillows."""
    frame = 0.30
    mattress = min(0.52, f.height - 0.25)
    f.box((f.left, f.right), (f.back, f.back + 0.06), (0, f.height), f.accent)
    f.box((f.left + 0.015, f.right - 0.015), (f.back + 0.06, f.front - 0.015), (0.10, frame), f.accent)
    f.legs((f.left + 0.015, f.right - 0.015), (f.back, f.front - 0.015), (0, 0.12), 0.07, f.accent)
    inner = (f.left + 0.03, f.right - 0.03)
    f.soft_box(inner, (f.back + 0.06, f.front - 0.03), (frame - 0.05, mattress), WHITE_FABRIC, 0.06)
    blanket = f.back + 0.06 + 0.30 * f.depth
    f.soft_box((f.left, f.right), (blanket, f.front), (frame - 0.09, mattress + 0.05), f.main, 0.06)
    fold = 0.22
    f.soft_box(
        (f.left, f.right), (blanket - 0.04, blanket + fold), (mattress - 0.1, mattress + 0.085), WHITE_FABRIC, 0.05
    )
    count = 2 if f.width > 1.3 else 1
    each = (f.width - 0.16) / count
    for place in range(count):
        x = f.left + 0.08 + each * place
        first = len(f.solids)
        f.soft_box(
            (x + 0.03, x + each - 0.03),
            (f.back + 0.1, f.back + 0.5),
            (mattress, mattress + 0.17),
            WHITE_FABRIC,
            0.085,
            3,
        )
        f.turn(first, "x", -0.18, (0, f.back + 0.3, mattress + 0.06))


def crib(f: Form) -> None:
    """Bars all round, a mattress and a small blanket within."""
    post = 0.045
    f.legs((f.left, f.right), (f.back, f.front), (0, f.height), post, f.main)
    low = 0.3
    for y in (f.back, f.front - post):
        f.box((f.left, f.right), (y, y + post), (f.height - 0.07, f.height - 0.02), f.main)
        f.box((f.left, f.right), (y, y + post), (low - 0.05, low), f.main)
        bars = round(f.width / 0.1)
        for bar in range(1, bars):
            x = f.left + f.width * bar / bars
            f.cylinder((x, y + post / 2, 0), 0.011, (low, f.height - 0.05), f.main, segments=8)
    for x in (f.left, f.right - post):
        f.box((x, x + post), (f.back, f.front), (f.height - 0.07, f.height - 0.02), f.main)
        f.box((x, x + post), (f.back, f.front), (low - 0.05, low), f.main)
        bars = round(f.depth / 0.1)
        for bar in range(1, bars):
            y = f.back + f.depth * bar / bars
            f.cylinder((x + post / 2, y, 0), 0.011, (low, f.height - 0.05), f.main, segments=8)
    inside_x, inside_y = (f.left + post, f.right - post), (f.back + post, f.front - post)
    f.soft_box(inside_x, inside_y, (low - 0.03, low + 0.12), WHITE_FABRIC, 0.04)
    f.soft_box((f.left + 0.4 * f.width, f.right - post), inside_y, (low + 0.05, low + 0.16), f.accent, 0.04)
    f.soft_box((f.left + 0.08, f.left + 0.36), (-0.2, 0.2), (low + 0.12, low + 0.2), f.accent, 0.04)


def _upholstered(f: Form, seats: int) -> None:
    """A sofa or an armchair: base, back, arms, and cushions for each seat."""
    leg, arm = 0.1, min(0.2, f.width * 0.17)
    seat, arm_top = 0.44, min(0.62, f.height - 0.12)
    back = f.back + 0.2
    f.legs((f.left + 0.04, f.right - 0.04), (f.back + 0.04, f.front - 0.06), (0, leg), 0.05, f.accent)
    f.soft_box((f.left + arm - 0.02, f.right - arm + 0.02), (f.back + 0.03, f.front - 0.03), (leg, 0.3), f.main, 0.03)
    for x in (f.left, f.right - arm):
        f.soft_box((x, x + arm), (f.back, f.front), (leg, arm_top), f.main, 0.07)
    f.soft_box((f.left + 0.02, f.right - 0.02), (f.back, back), (leg, f.height - 0.03), f.main, 0.08)
    inner = f.width - 2 * arm
    each = inner / seats
    for place in range(seats):
        x = f.left + arm + each * place
        f.soft_box((x + 0.006, x + each - 0.006), (back - 0.02, f.front - 0.01), (0.27, seat), f.main, 0.06)
        first = len(f.solids)
        f.soft_box(
            (x + 0.01, x + each - 0.01), (back - 0.06, back + 0.13), (seat - 0.03, f.height - 0.02), f.main, 0.07
        )
        f.turn(first, "x", 0.12, (0, back, seat))


def sofa(f: Form) -> None:
    _upholstered(f, 3 if f.width > 1.9 else 2)
    colours = ("white", "yellow", "turquoise", "orange")
    loose = Surface(colours[int(f.rng.integers(len(colours)))], "fabric")
    if loose.colour == f.main.colour:
        loose = Surface("dark grey", "fabric")
    for side in (-1, 1):
        first = len(f.solids)
        x = side * (f.width / 2 - 0.2 - 0.24)
        f.soft_box((x - 0.2, x + 0.2), (-0.08, 0.06), (0.44, 0.8), loose, 0.07)
        f.turn(first, "x", 0.35, (x, 0, 0.44))
        f.turn(first, "z", -side * 0.25, (x, 0, 0))
    f.fit()


def armchair(f: Form) -> None:
    _upholstered(f, 1)
    f.fit()


def chair(f: Form) -> None:
    """Four legs, a seat, and a back with rails."""
    seat, leg = 0.46, 0.035
    legs = f.accent
    f.legs((f.left + 0.02, f.right - 0.02), (f.back + 0.02, f.front - 0.03), (0, seat - 0.03), leg, legs)
    soft = f.main.material in ("fabric", "leather")
    x, y = (f.left + 0.005, f.right - 0.005), (f.back + 0.03, f.front)
    if soft:
        f.soft_box(x, y, (seat - 0.04, seat + 0.04), f.main, 0.035)
    else:
        f.soft_box(x, y, (seat - 0.03, seat + 0.008), f.main, 0.015, 1)
    first = len(f.solids)
    for post in (f.left + 0.03, f.right - 0.065):
        f.box(
            (post, post + leg),
            (f.back + 0.02, f.back + 0.045),
            (seat - 0.05, f.height - 0.02),
            legs if soft else f.main,
        )
    inner = (f.left + 0.02, f.right - 0.02)
    if soft or f.main.material == "plastic":
        f.soft_box(inner, (f.back + 0.02, f.back + 0.065), (seat + 0.1, f.height), f.main, 0.03)
    else:
        f.soft_box(inner, (f.back + 0.015, f.back + 0.045), (f.height - 0.1, f.height), f.main, 0.015, 1)
        f.box(inner, (f.back + 0.02, f.back + 0.04), (seat + 0.1, seat + 0.14), f.main)
        for slat in range(4):
            middle = f.left + f.width * (slat + 1) / 5
            f.box(
                (middle - 0.014, middle + 0.014),
                (f.back + 0.022, f.back + 0.038),
                (seat + 0.12, f.height - 0.05),
                f.main,
            )
    f.turn(first, "x", 0.1, (0, f.back + 0.03, seat))
    f.fit()


def stool(f: Form) -> None:
    """A round seat on four slanting legs with a footring."""
    radius = min(f.width, f.depth) / 2
    seat = f.height - 0.05
    if f.main.material in ("leather", "fabric"):
        profile = [(0, seat - 0.02), (radius * 0.95, seat - 0.02), (radius, seat), (radius * 0.97, f.height - 0.01)]
        f.lathe((0, 0, 0), [*profile, (radius * 0.8, f.height), (0, f.height)], f.main)
    else:
        f.cylinder((0, 0, 0), radius, (seat + 0.01, f.height), f.main, segments=24)
    for turn in range(4):
        angle = math.pi / 4 + turn * math.pi / 2
        x, y = math.cos(angle), math.sin(angle)
        top, foot = radius * 0.6, radius * 0.92
        f.tube([(x * foot, y * foot, 0.008), (x * top, y * top, seat + 0.01)], 0.016, f.accent)
    ring = radius * 0.83
    corners = [(math.cos(k * math.pi / 8) * ring, math.sin(k * math.pi / 8) * ring, f.height * 0.3) for k in range(17)]
    f.tube(corners, 0.009, f.accent, segments=6)


def bench(f: Form) -> None:
    """A long seat, padded or of planks, on two trestles."""
    seat = f.height - 0.06
    for x in (f.left + 0.08, f.right - 0.14):
        f.box((x, x + 0.06), (f.back + 0.03, f.back + 0.09), (0, seat), f.accent)
        f.box((x, x + 0.06), (f.front - 0.09, f.front - 0.03), (0, seat), f.accent)
        f.box((x, x + 0.06), (f.back + 0.03, f.front - 0.03), (seat - 0.06, seat), f.accent)
    f.box((f.left + 0.1, f.right - 0.1), (-0.03, 0.03), (0.12, 0.17), f.accent)
    if f.main.material in ("leather", "fabric"):
        f.soft_box((f.left, f.right), (f.back, f.front), (seat - 0.02, f.height), f.main, 0.035)
        return
    planks = 3
    each = f.depth / planks
    for plank in range(planks):
        y = f.back + plank * each
        f.box((f.left, f.right), (y + 0.005, y + each - 0.005), (seat + 0.01, f.height), f.main)


def office_chair(f: Form) -> None:
    """Five castors, a gas lift, a padded seat, arms and a high back."""
    radius, seat = min(f.width, f.depth) / 2, 0.48
    for spoke in range(5):
        angle = spoke * 2 * math.pi / 5 + math.pi / 2
        x, y = math.cos(angle), math.sin(angle)
        end = radius - 0.035
        f.tube([(0, 0, 0.11), (x * end, y * end, 0.075)], 0.02, f.accent)
        f.ball((x * end, y * end, 0.033), 0.032, BLACK_PLASTIC, 6)
    f.cylinder((0, 0, 0), 0.04, (0.08, 0.22), BLACK_PLASTIC)
    f.cylinder((0, 0, 0), 0.025, (0.2, seat - 0.05), STEEL)
    half = f.width / 2 - 0.06
    f.soft_box((-half, half), (f.back + 0.07, f.front), (seat - 0.06, seat + 0.04), f.main, 0.045)
    first = len(f.solids)
    f.soft_box((-half, half), (f.back + 0.02, f.back + 0.1), (seat + 0.08, f.height), f.main, 0.05, 3)
    f.box((-0.03, 0.03), (f.back + 0.0, f.back + 0.04), (seat - 0.05, seat + 0.3), BLACK_PLASTIC)
    f.turn(first, "x", 0.08, (0, f.back + 0.06, seat))
    for side in (-1, 1):
        x = side * (f.width / 2 - 0.03)
        f.tube([(x, 0.05, seat - 0.02), (x, 0.05, seat + 0.18)], 0.015, f.accent)
        f.tube([(x * 0.6, 0.05, seat - 0.03), (x, 0.05, seat - 0.02)], 0.015, f.accent)
        f.soft_box((x - 0.03, x + 0.03), (-0.1, 0.16), (seat + 0.17, seat + 0.21), BLACK_PLASTIC, 0.015)
    f.fit()

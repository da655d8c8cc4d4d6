"""Tables, and furniture for storage."""

from __future__ import annotations

import math

import numpy as np

from mtvm.homes.home import Surface
from mtvm.homes.shapes.solids import Form, Span

BLACK_PLASTIC = Surface("black", "plastic")
STEEL = Surface("silver", "metal")
BOOK_COLOURS = (
    "red",
    "dark red",
    "blue",
    "dark blue",
    "green",
    "dark green",
    "yellow",
    "orange",
    "brown",
    "beige",
    "white",
    "black",
    "purple",
    "turquoise",
)
SHADOW = Surface("black", "paint")
GLASS_TOP = 0.012


def _top(f: Form, thickness: float, surface: Surface) -> None:
    f.box((f.left, f.right), (f.back, f.front), (f.height - thickness, f.height), surface)


def dining_table(f: Form) -> None:
    inset, glass = 0.06, f.main.material == "glass"
    thick = GLASS_TOP if glass else 0.035
    _top(f, thick, f.main)
    x, y = (f.left + inset, f.right - inset), (f.back + inset, f.front - inset)
    f.legs(x, y, (0, f.height - thick), 0.07, f.accent)
    if glass:
        return
    for edge in (y[0] + 0.01, y[1] - 0.035):
        f.box((x[0] + 0.02, x[1] - 0.02), (edge, edge + 0.025), (f.height - 0.12, f.height - 0.035), f.accent)
    for edge in (x[0] + 0.01, x[1] - 0.035):
        f.box((edge, edge + 0.025), (y[0] + 0.02, y[1] - 0.02), (f.height - 0.12, f.height - 0.035), f.accent)


def coffee_table(f: Form) -> None:
    """A low table with a shelf below its top, and a few magazines on the shelf."""
    thick = GLASS_TOP if f.main.material == "glass" else 0.03
    _top(f, thick, f.main)
    f.legs((f.left + 0.04, f.right - 0.04), (f.back + 0.04, f.front - 0.04), (0, f.height - thick), 0.045, f.accent)
    shelf = 0.13
    f.box((f.left + 0.05, f.right - 0.05), (f.back + 0.05, f.front - 0.05), (shelf - 0.015, shelf), f.accent)
    f.box((-0.3, -0.08), (-0.12, 0.15), (shelf, shelf + 0.03), Surface("red", "paper"))
    f.box((-0.28, -0.09), (-0.1, 0.14), (shelf + 0.03, shelf + 0.05), Surface("white", "paper"))


def desk(f: Form) -> None:
    """A top, legs on one side and a column of drawers on the other."""
    _top(f, 0.03, f.main)
    column = 0.42
    x = f.right - column
    f.box((x, f.right - 0.02), (f.back + 0.02, f.front - 0.03), (0.06, f.height - 0.03), f.main)
    drawers(f, (x, f.right - 0.02), (0.08, f.height - 0.05), 3, 1, f.front - 0.03, f.main)
    for y in (f.back + 0.02, f.front - 0.08):
        f.box((f.left + 0.02, f.left + 0.07), (y, y + 0.05), (0, f.height - 0.03), f.accent)
    f.box((x + 0.02, f.right - 0.04), (f.back + 0.04, f.front - 0.06), (0, 0.06), f.accent)
    f.box((f.left + 0.04, x), (f.back + 0.03, f.back + 0.05), (f.height * 0.45, f.height - 0.03), f.main)


def drawers(f: Form, x: Span, z: Span, rows: int, columns: int, front: float, surface: Surface) -> None:
    """Drawer fronts on a dark ground, so that the gaps show, with a handle each."""
    f.box(x, (front - 0.01, front + 0.002), z, SHADOW)
    width, height = (x[1] - x[0]) / columns, (z[1] - z[0]) / rows
    handles = f.accent if f.accent.material == "metal" else STEEL
    for row in range(rows):
        for column in range(columns):
            left, low = x[0] + column * width, z[0] + row * height
            f.box(
                (left + 0.006, left + width - 0.006),
                (front, front + 0.014),
                (low + 0.006, low + height - 0.006),
                surface,
            )
            middle, half = left + width / 2, min(0.07, width * 0.2)
            level = low + height * 0.62
            f.box((middle - half, middle + half), (front + 0.014, front + 0.028), (level, level + 0.014), handles)


def doors(
    f: Form, x: Span, z: Span, count: int, front: float, surface: Surface, handles: Surface, high: float = 0.5
) -> None:
    """Cabinet doors with a panel and an upright handle, hinged outwards in pairs."""
    f.box(x, (front - 0.01, front + 0.002), z, SHADOW)
    width = (x[1] - x[0]) / count
    tall = z[1] - z[0]
    for place in range(count):
        left = x[0] + place * width + 0.004
        right, low, top = left + width - 0.008, z[0] + 0.004, z[1] - 0.004
        f.box((left, right), (front, front + 0.014), (low, top), surface)
        rim = min(0.07, width * 0.18)
        f.panel((left + rim, right - rim), (front + 0.014, front + 0.022), (low + rim, top - rim), surface)
        x_handle = right - 0.045 if place % 2 == 0 and count > 1 else left + 0.03
        middle, half = low + tall * high, min(0.09, tall * 0.15)
        f.box((x_handle, x_handle + 0.015), (front + 0.022, front + 0.04), (middle - half, middle + half), handles)


def wardrobe(f: Form) -> None:
    """Tall doors under a cornice."""
    front = f.front - 0.06
    f.box((f.left + 0.02, f.right - 0.02), (f.back, front), (0.08, f.height - 0.06), f.main)
    f.box((f.left + 0.03, f.right - 0.03), (f.back + 0.02, front - 0.03), (0, 0.08), f.main)
    f.box((f.left, f.right), (f.back, f.front - 0.01), (f.height - 0.06, f.height), f.main)
    handles = f.accent if f.accent.material == "metal" else STEEL
    count = max(2, round(f.width / 0.5))
    doors(f, (f.left + 0.02, f.right - 0.02), (0.1, f.height - 0.07), count, front, f.main, handles, 0.48)


def dresser(f: Form) -> None:
    """Rows of drawers below a slightly protruding top."""
    front = f.front - 0.04
    f.box((f.left + 0.015, f.right - 0.015), (f.back, front), (0.1, f.height - 0.03), f.main)
    f.legs((f.left + 0.02, f.right - 0.02), (f.back + 0.01, front - 0.01), (0, 0.1), 0.05, f.main)
    f.box((f.left, f.right), (f.back, f.front - 0.01), (f.height - 0.03, f.height), f.main)
    drawers(f, (f.left + 0.03, f.right - 0.03), (0.12, f.height - 0.05), 4, 2 if f.width > 1.0 else 1, front, f.main)


def nightstand(f: Form) -> None:
    """Two drawers, the upper over an open shelf when it is high enough."""
    front = f.front - 0.03
    f.legs((f.left, f.right), (f.back, front), (0, f.height - 0.025), 0.035, f.main)
    f.box((f.left, f.right), (f.back, f.front), (f.height - 0.025, f.height), f.main)
    f.box((f.left + 0.01, f.right - 0.01), (f.back, front), (0.12, f.height - 0.025), f.main)
    drawers(f, (f.left + 0.02, f.right - 0.02), (0.14, f.height - 0.035), 2, 1, front, f.main)


def sideboard(f: Form) -> None:
    """Doors on both sides of a column of drawers, on short legs."""
    front = f.front - 0.04
    f.box((f.left + 0.01, f.right - 0.01), (f.back, front), (0.16, f.height - 0.03), f.main)
    f.box((f.left, f.right), (f.back, f.front - 0.01), (f.height - 0.03, f.height), f.main)
    f.legs((f.left + 0.04, f.right - 0.04), (f.back + 0.02, front - 0.02), (0, 0.16), 0.045, f.main, True)
    third, z = f.width / 3, (0.18, f.height - 0.05)
    handles = f.accent if f.accent.material == "metal" else STEEL
    for x in (f.left + 0.02, f.right - third):
        doors(f, (x, x + third - 0.02), z, 1, front, f.main, handles)
    drawers(f, (f.left + third, f.right - third), z, 3, 1, front, f.main)


def tv_stand(f: Form) -> None:
    """A low, wide cabinet: doors at the sides, an open bay with a player in the middle."""
    front = f.front - 0.04
    third = f.width * 0.3
    z = (0.1, f.height - 0.03)
    f.box((f.left, f.right), (f.back, f.front - 0.01), (z[1], f.height), f.main)
    f.box((f.left, f.right), (f.back, front), (0.07, z[0]), f.main)
    f.legs((f.left + 0.04, f.right - 0.04), (f.back + 0.02, front - 0.02), (0, 0.07), 0.05, f.main)
    f.box((f.left, f.right), (f.back, f.back + 0.02), z, f.main)
    handles = f.accent if f.accent.material == "metal" else STEEL
    for x in (f.left, f.right - third):
        f.box((x, x + third), (f.back + 0.02, front), z, f.main)
        doors(f, (x + 0.01, x + third - 0.01), (z[0] + 0.005, z[1] - 0.005), 1, front, f.main, handles)
    middle = (z[0] + z[1]) / 2
    f.box((f.left + third, f.right - third), (f.back + 0.02, front - 0.01), (middle - 0.01, middle + 0.01), f.main)
    f.box((-0.18, 0.18), (f.back + 0.08, front - 0.05), (middle + 0.01, middle + 0.07), BLACK_PLASTIC)


def _book_row(f: Form, x: Span, y: Span, low: float, room: float) -> None:
    """Upright books of all colours, with a gap here and there."""
    place = x[0]
    while place < x[1] - 0.02:
        if f.rng.random() < 0.06:
            place += 0.05 + 0.1 * f.rng.random()
            continue
        thick = min(0.022 + 0.035 * f.rng.random(), x[1] - place)
        tall = room * (0.66 + 0.3 * f.rng.random())
        deep = y[1] - 0.015 - 0.04 * f.rng.random()
        own = f.rng.random() < 0.3
        colour = f.accent.colour if own else BOOK_COLOURS[int(f.rng.integers(len(BOOK_COLOURS)))]
        f.box((place + 0.001, place + thick - 0.001), (y[0], deep), (low, low + tall), Surface(colour, "paper"))
        place += thick


def bookshelf(f: Form) -> None:
    """Shelves full of books of all colours."""
    board = 0.025
    f.box((f.left, f.right), (f.back, f.back + 0.012), (0, f.height), f.main)
    bays = max(1, round(f.width / 0.85))
    each = (f.width - board) / bays
    for side in range(bays + 1):
        x = f.left + side * each
        f.box((x, x + board), (f.back, f.front), (0, f.height), f.main)
    shelves = max(3, round(f.height / 0.36))
    step = (f.height - board - 0.06) / shelves
    for shelf in range(shelves + 1):
        z = 0.06 + shelf * step
        f.box((f.left, f.right), (f.back, f.front - 0.004), (z, z + board), f.main)
        if shelf < shelves:
            for bay in range(bays):
                x = f.left + bay * each + board
                _book_row(f, (x, x + each - board), (f.back + 0.015, f.front), z + board, step - board)


def shoe_rack(f: Form) -> None:
    """Slatted shelves with pairs of shoes."""
    f.legs((f.left, f.right), (f.back, f.front), (0, f.height), 0.03, f.main)
    levels = 3 if f.height > 0.65 else 2
    for level in range(levels + 1):
        z = 0.07 + (f.height - 0.09) * level / levels
        for slat in range(4):
            y = f.back + f.depth * slat / 4
            f.box((f.left, f.right), (y + 0.008, y + f.depth / 4 - 0.008), (z, z + 0.018), f.main)
        if level < levels:
            pairs = int(f.width / 0.26)
            for pair in range(pairs):
                x = f.left + f.width * (pair + 0.5) / pairs
                colours = (
                    f.accent,
                    Surface("black", "leather"),
                    Surface("white", "fabric"),
                    Surface("brown", "leather"),
                )
                look = colours[int(f.rng.integers(len(colours)))]
                for shoe in (x - 0.055, x + 0.055):
                    _shoe(f, shoe, z + 0.018, look)


def _shoe(f: Form, x: float, z: float, surface: Surface) -> None:
    half = min(0.13, f.depth / 2 - 0.01)
    outline = [(-half, 0), (half, 0), (half, 0.035), (half * 0.45, 0.055), (half * 0.05, 0.085), (-half, 0.095)]
    f.prism(outline, (x - 0.042, x + 0.042), surface, "x", (0, 0, z))
    f.box((x - 0.044, x + 0.044), (-half, half), (z, z + 0.014), Surface("white", "plastic"))


def toy_chest(f: Form) -> None:
    """An open chest with a ball, blocks and a bear looking out."""
    body = f.height * 0.72
    wall = 0.025
    for x in (f.left, f.right - wall):
        f.box((x, x + wall), (f.back, f.front - 0.005), (0.05, body), f.main)
    for y in (f.back, f.front - wall - 0.005):
        f.box((f.left, f.right), (y, y + wall), (0.05, body), f.main)
    f.box((f.left, f.right), (f.back, f.front - 0.005), (0, 0.05), f.accent)
    for z in (0.05, body - 0.04):
        f.box((f.left, f.right), (f.front - 0.006, f.front), (z, z + 0.03), f.accent)
    f.box((f.left, f.right), (f.back, f.back + wall), (body, f.height), f.main)
    f.box((f.left + wall, f.right - wall), (f.back + wall, f.front - wall), (body * 0.6, body * 0.7), f.accent)
    f.ball((f.left + 0.2, 0, body), 0.12, Surface("red", "plastic"))
    f.lathe((f.left + 0.2, 0, body), [(0.1175, -0.03), (0.1215, 0), (0.1175, 0.03)], Surface("white", "plastic"))
    for x, colour in ((-0.1, "yellow"), (0.02, "blue"), (-0.04, "green")):
        level = body * 0.75 if colour != "green" else body * 0.75 + 0.11
        f.box((x - 0.05, x + 0.06), (-0.06, 0.05), (level, level + 0.11), Surface(colour, "paint"))
    _bear(f, f.right - 0.2, body - 0.02)


def _bear(f: Form, x: float, z: float) -> None:
    fur, nose = Surface("brown", "carpet"), Surface("beige", "carpet")
    f.ball((x, 0, z - 0.06), (0.09, 0.08, 0.1), fur, 6)
    f.ball((x, 0, z + 0.07), 0.07, fur)
    for side in (-1, 1):
        f.ball((x + side * 0.055, 0, z + 0.125), 0.026, fur, 6)
        f.ball((x + side * 0.025, 0.06, z + 0.09), 0.01, SHADOW, 4)
    f.ball((x, 0.06, z + 0.055), (0.03, 0.025, 0.025), nose, 6)


def laundry_basket(f: Form) -> None:
    """A slatted basket that widens upwards, heaped with clothes."""
    tall = f.height * 0.86
    slats = 22
    for slat in range(slats):
        angle = slat * 2 * math.pi / slats
        x, y = math.cos(angle), math.sin(angle)
        low, high = (0.78 * f.width / 2, 0.78 * f.depth / 2), (f.width / 2 - 0.012, f.depth / 2 - 0.012)
        f.tube([(x * low[0], y * low[1], 0.012), (x * high[0], y * high[1], tall)], 0.011, f.main, 6)
    for level, share in ((0.02, 0.79), (tall * 0.5, 0.9), (tall, 1.0)):
        ring = np.array([(math.cos(a), math.sin(a)) for a in np.linspace(0, 2 * math.pi, 25)])
        size = np.array([f.width / 2 - 0.012, f.depth / 2 - 0.012]) * share
        f.tube(np.column_stack([ring * size, np.full(25, level)]), 0.012, f.main, 6)
    scale = (f.width * 0.42, f.depth * 0.42)
    f.lathe((0, 0, 0), [(0, 0.01), (0.85, 0.01), (1, tall * 0.9), (0, tall * 0.9)], f.main, squash=scale)
    heap = (f.width * 0.4, f.depth * 0.4)
    f.ball((0, 0, tall * 0.9), (*heap, tall * 0.12), f.accent)
    for x, y, colour in ((-0.4, 0.3, "white"), (0.45, -0.2, "light blue"), (0.1, 0.5, "red"), (-0.2, -0.4, "yellow")):
        bulk = (heap[0] * 0.5, heap[1] * 0.42, f.height - tall - 0.002)
        f.ball((x * heap[0], y * heap[1], tall), bulk, Surface(colour, "fabric"), 6)

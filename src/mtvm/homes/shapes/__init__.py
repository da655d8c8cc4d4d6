"""The shape of every kind of thing: solids, made from its box and surfaces, that people recognise at a glance.

Each kind has a function that fills the box of a `Form`; the modules of this package group them by theme.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

from mtvm.errors import InputError
from mtvm.homes.home import Surface, Thing
from mtvm.homes.shapes import (
    bath,
    big,
    hobby,
    kitchen,
    living,
    seats,
    storage,
    wall,
)
from mtvm.homes.shapes.solids import Form, Solid

_KINDS = {
    seats: "bed, crib, sofa, armchair, chair, stool, bench, office chair",
    storage: "dining table, coffee table, desk, wardrobe, dresser, nightstand, sideboard, tv stand, bookshelf, "
    "shoe rack, toy chest, laundry basket",
    kitchen: "fridge, stove, kitchen counter, kitchen island, kitchen sink, microwave, washing machine, dryer, "
    "trash can",
    bath: "toilet, bathtub, shower, washbasin, towel rack",
    living: "television, computer, floor lamp, table lamp, ceiling lamp, rug, potted plant, vase, fireplace",
    wall: "painting, mirror, clock, curtain",
    hobby: "piano, guitar, bicycle, treadmill, dumbbell rack, workbench, pool table, globe, coat rack",
    big: "car, aquarium, front door, garage door",
}
SHAPES: dict[str, Callable[[Form], None]] = {
    kind: getattr(module, kind.replace(" ", "_")) for module, kinds in _KINDS.items() for kind in kinds.split(", ")
}

_VARIED = 64  # different shapes of one kind and size, for kinds with random details


def shape_of(thing: Thing) -> tuple[Solid, ...]:
    """The solids of a thing, centred on the middle of its underside, with its front towards +y."""
    size = (round(thing.width, 4), round(thing.depth, 4), round(thing.height, 4))
    return _shape(thing.kind, *size, thing.surface, thing.accent, thing.index % _VARIED)


def forget_shapes() -> None:
    """Empty the cache of shapes, for benchmarks."""
    _shape.cache_clear()


@functools.lru_cache(maxsize=2048)
def _shape(
    kind: str, width: float, depth: float, height: float, main: Surface, accent: Surface, seed: int
) -> tuple[Solid, ...]:
    if kind not in SHAPES:
        raise InputError(f"There is no shape for a {kind!r}; there is one for {', '.join(sorted(SHAPES))}.")
    form = Form(width, depth, height, main, accent, seed)
    SHAPES[kind](form)
    return tuple(form.solids)

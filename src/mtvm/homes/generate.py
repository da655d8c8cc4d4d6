"""Generating a whole home from a seed: floor plan, things and viewpoints."""

from __future__ import annotations

import dataclasses

import numpy as np

from mtvm.homes.home import Home
from mtvm.homes.plan.floorplan import draw_plan
from mtvm.homes.plan.furnish import furnish
from mtvm.homes.plan.viewpoints import BlockedError, place_viewpoints


def generate_home(scan: str, seed: int) -> Home:
    """Generate the home of a seed, identical on every machine; `scan` names the home and its viewpoints."""
    rng = np.random.default_rng(seed)
    home = draw_plan(scan, seed, rng)
    while True:
        furnished = dataclasses.replace(home, things=furnish(home, rng))
        try:
            viewpoints, edges = place_viewpoints(furnished)
        except BlockedError:
            continue  # rare: furnish it again, differently
        return dataclasses.replace(furnished, viewpoints=viewpoints, edges=edges)

"""Generated homes that several tests look at, each made once."""

from __future__ import annotations

import functools

from mtvm.homes.generate import generate_home
from mtvm.homes.home import Home

SEEDS = range(20)
DEFAULT_HOMES = 36


@functools.cache
def home(seed: int) -> Home:
    return generate_home(f"home{seed:02}", seed)

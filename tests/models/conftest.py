"""Observations for the agents of these tests."""

from __future__ import annotations

import numpy as np
import pytest
from small_agents import STEPS, TEXTS, Views, look


@pytest.fixture
def views() -> Views:
    """STEPS observations of each of the four agents."""
    generator = np.random.default_rng(2)
    return [[look(generator) for _ in TEXTS] for _ in range(STEPS)]

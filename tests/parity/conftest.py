"""The folder of recorded computations of the released programs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from recordings import Copy


@pytest.fixture
def golden(real_data: Path) -> Path:
    """The folder of the recordings."""
    return real_data / "golden"


@pytest.fixture
def copy(golden: Path, tmp_path: Path) -> Callable[[str], Copy]:
    """A copy of one of the recordings, to spoil."""
    return lambda name: Copy(golden, tmp_path, name)

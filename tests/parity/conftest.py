"""Where golden values come from: a small excerpt beside the tests, and the full data where it is found."""

from __future__ import annotations

import gzip
import lzma
from collections.abc import Callable
from pathlib import Path

import pytest
from recordings import Copy

EXCERPT = Path(__file__).parents[1] / "golden" / "excerpt"


@pytest.fixture(scope="session")
def excerpt(tmp_path_factory) -> Path:
    """The excerpt, unpacked into a folder like that of the full data."""
    if not EXCERPT.is_dir():
        pytest.skip(f"no excerpt at {EXCERPT}: python tests/golden/make_excerpt.py DATA makes it")
    folder = tmp_path_factory.mktemp("excerpt")
    for path in (path for path in EXCERPT.rglob("*") if path.is_file()):
        unpacked = folder / path.relative_to(EXCERPT)
        content = path.read_bytes()
        if path.name.endswith("_connectivity.json.gz"):  # the full data has these unpacked
            unpacked, content = unpacked.with_suffix(""), gzip.decompress(content)
        if path.name.endswith(".safetensors.xz"):
            unpacked, content = unpacked.with_suffix(""), lzma.decompress(content)
        unpacked.parent.mkdir(parents=True, exist_ok=True)
        unpacked.write_bytes(content)
    return folder


@pytest.fixture(scope="session", params=["excerpt", "full data"])
def golden_data(request) -> Path:
    """A folder with connectivity/ and golden/: each check runs on both."""
    return request.getfixturevalue("excerpt" if request.param == "excerpt" else "real_data")


@pytest.fixture(scope="session")
def any_golden_data(request) -> Path:
    """Either of them, for tests that would learn nothing from the other."""
    return request.getfixturevalue("excerpt" if EXCERPT.is_dir() else "real_data")


@pytest.fixture
def golden(any_golden_data: Path) -> Path:
    """The folder of the recordings."""
    return any_golden_data / "golden"


@pytest.fixture
def copy(golden: Path, tmp_path: Path) -> Callable[[str], Copy]:
    """A copy of one of the recordings, to spoil."""
    return lambda name: Copy(golden, tmp_path, name)

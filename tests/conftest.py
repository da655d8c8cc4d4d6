"""Where the tests' buildings come from: a tiny generated world, and the real files where they are."""

from __future__ import annotations

import dataclasses
import gc
import os
import signal
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings

from mtvm.tasks.data import DataFolder
from mtvm.tasks.load import load_episodes
from mtvm.testing.tiny import write_tiny_world
from mtvm.world.world import World

settings.register_profile("untimed", deadline=None)  # a busy machine is no failure
settings.load_profile("untimed")

gc.set_threshold(20_000, 20, 20)  # nearly all that tests make is freed at once, without the search for garbage

# nohup and shells in the background let us ignore signals, and what tests start would ignore them too.
for number, usual in ((signal.SIGHUP, signal.SIG_DFL), (signal.SIGINT, signal.default_int_handler)):
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, usual)


def pytest_collection_finish():
    """What was imported stays, and need not be looked through for garbage."""
    gc.collect()
    gc.freeze()


def pytest_terminal_summary(terminalreporter):
    """Say in a line each what was not tested here, and how to get it."""
    skipped = Counter(str(report.longrepr[2]) for report in terminalreporter.stats.get("skipped", []))
    for reason, count in skipped.items():
        terminalreporter.write_line(f"Not tested, {count}: {reason.removeprefix('Skipped: ')}")


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory):
    """Tests neither read nor fill the user's cache; what one process of them has made, the others need not."""
    before = os.environ.get("MTVM_CACHE")
    several = "PYTEST_XDIST_WORKER" in os.environ
    here = tmp_path_factory.getbasetemp()
    os.environ["MTVM_CACHE"] = str(here.parent / "cache" if several else tmp_path_factory.mktemp("cache"))
    yield
    if before is None:
        del os.environ["MTVM_CACHE"]
    else:
        os.environ["MTVM_CACHE"] = before


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder with the real connectivity, R2R, NDH and golden files."""
    named = os.environ.get("MTVM_DATA")
    folder = Path(named) if named else Path(__file__).parents[2] / "shared" / "data"
    if not (folder / "golden").is_dir():
        pytest.skip(f"no real data with golden values at {folder}: set MTVM_DATA to the folder that holds it")
    return folder


@pytest.fixture(scope="session")
def tiny_folder(tmp_path_factory, own_cache) -> Path:
    """The data folder of the generated world. Copy what you want to spoil."""
    return write_tiny_world(tmp_path_factory.mktemp("tiny"))


@pytest.fixture(scope="session")
def tiny_world(tiny_folder) -> World:
    return World.load(tiny_folder / "connectivity")


@pytest.fixture(scope="session")
def tiny_r2r(tiny_folder):
    return load_episodes("r2r", "val_unseen", DataFolder(tiny_folder))


@pytest.fixture(scope="session")
def there_and_back(tiny_r2r):
    """The same episodes, to be walked to their end and back to their start."""
    lengths, width = tiny_r2r.reference_lengths[:, None], tiny_r2r.references.shape[1]
    step = np.arange(2 * width - 1)
    there = np.where(step < lengths, step, 2 * (lengths - 1) - step)
    nodes = np.take_along_axis(tiny_r2r.references, np.maximum(there, 0), axis=1)
    return dataclasses.replace(
        tiny_r2r,
        references=np.where(there >= 0, nodes, -1),
        via=tiny_r2r.goals,
        goals=tiny_r2r.references[:, :1],
    )


@pytest.fixture(scope="session")
def tiny_ndh(tiny_folder):
    return load_episodes("ndh", "val_unseen", DataFolder(tiny_folder))

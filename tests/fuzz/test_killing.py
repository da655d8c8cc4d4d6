"""A few kills of writers; `make attack` has more."""

import random
import threading

import pytest

pytest.importorskip("torch")
from killing_writers import WRITERS, Writer, attack, attack_notes


@pytest.mark.slow
def test_writers_that_are_killed_leave_what_is_whole(tmp_path, tiny_folder):
    (tmp_path / "data").symlink_to(tiny_folder)
    baseline = next(writer for writer in WRITERS if writer.name == "baseline")
    assert attack(baseline, tmp_path, tmp_path / "results", 2, random.Random(0)) >= 2
    assert attack_notes(tmp_path, tmp_path / "notes", 2, random.Random(0)) >= 2


@pytest.mark.slow
def test_killer_finds_what_is_half(tmp_path):
    def write_in_halves(here, out):
        """The first two times to the end, which is how long it may take."""
        (out / "file").write_text("half")
        (here / "runs").open("a").write("x")
        if len((here / "runs").read_text()) > 2:
            threading.Event().wait()
        (out / "file").write_text("whole")

    with pytest.raises(AssertionError, match=r"not whole: .*file"):
        attack(Writer("halves", write_in_halves), tmp_path, tmp_path / "out", 99, random.Random(0))

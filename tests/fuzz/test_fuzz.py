"""A short run of the fuzzer; `make fuzz` is the long one."""

import random
import threading

import pytest
from fuzzing import attack, fuzz, table
from samples import make_samples
from targets import TARGETS, Target

from mtvm.errors import InputError


@pytest.fixture(scope="module")
def samples(tmp_path_factory):
    folder = tmp_path_factory.mktemp("fuzz")
    make_samples(folder)
    return folder


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("cases", [2, pytest.param(40, marks=pytest.mark.slow)])
@pytest.mark.parametrize("target", [one for one in TARGETS if not one.is_long], ids=lambda target: target.name)
def test_spoiled_files_are_refused_with_one_sentence(samples, target, cases, monkeypatch):
    monkeypatch.delenv("MTVM_DATA", raising=False)
    monkeypatch.setattr("fuzzing.LIMIT_SECONDS", 300)  # a busy machine is no failure; make fuzz asks for ten
    found = fuzz([target], samples, cases=cases, seed=1)[target.name]
    assert found.failures == []
    assert found.cases == cases


# The fuzzer itself

CASES = 8


def reader(fail):
    def run(folder):
        content = (folder / "file").read_bytes()
        if content != b"honest":
            fail(folder)

    return Target("made", ("file",), run)


def refuse(folder):
    raise InputError("no.")


def crash(folder):
    raise KeyError("a bug")


def leave_half(folder):
    (folder / "out" / ".half.tmp").mkdir()


def write_and_refuse(folder):
    (folder / "out" / "half").write_text("")
    refuse(folder)


def wait(folder):
    threading.Event().wait()


def compute(folder):
    while True:
        pass


def take_memory(folder):
    bytearray(2**26 * b"x")


@pytest.mark.parametrize(
    ("fail", "said"),
    [
        (refuse, None),
        (crash, "KeyError"),
        (leave_half, "half-written"),
        (write_and_refuse, "half-written"),
        (wait, "no answer"),
        (compute, "no answer"),
        (take_memory, "GB of memory"),
    ],
)
def test_fuzzer_finds_what_it_looks_for(tmp_path, monkeypatch, fail, said):
    monkeypatch.setattr("fuzzing.LIMIT_SECONDS", 0.1 if said == "no answer" else 300)
    monkeypatch.setattr("fuzzing.MOST_MEMORY", 2**25)
    (tmp_path / "file").write_bytes(b"honest")
    outcome = attack(reader(fail), tmp_path, CASES, random.Random(0))
    assert outcome.cases == CASES
    assert (tmp_path / "file").read_bytes() == b"honest"
    if said is None:
        assert outcome.failures == []
        assert outcome.refused > CASES / 2
    else:
        assert said in outcome.failures[0]
    assert f"| made | {CASES} |" in table({"made": outcome})

"""Nothing is lost when a run is interrupted, signalled or killed: it ends bit by bit as one that was not."""

import contextlib
import json
import os
import pty
import random
import re
import signal
import subprocess
import sys
import textwrap

import pytest
from small_runs import (
    OFF,
    Stopped,
    assert_same_state,
    changed,
    command,
    contents,
    environment,
    leftovers,
    record,
    saved_state,
    small_config,
    train,
)

from mtvm.learning import parallel
from mtvm.learning import trainer as trainers
from mtvm.learning.interruption import interruption
from mtvm.learning.run_folder import RunFolder
from mtvm.learning.trainer import Trainer

KINDS = {
    "plain": {},
    "EMA, frozen": {"optimizer": {"ema": 0.9, "warmup": 3, "schedule": "cosine", "frozen_language_layers": 1}},
    "muon": {"optimizer": {"kind": "muon"}},
    "in parts": {"optimizer": {"gradient_accumulation": 2}, "data": {"train": ("r2r/train", "prevalent/aug@0.5")}},
    "alternating": {
        "alternate": True,
        "log_every": 3,
        "loss": {"imitation": {"student_weight": 0.5}, "word_dropping": 0.5, "consistency": OFF},
    },
}


@pytest.mark.parametrize(
    ("kind", "after"),
    [
        ("muon", 2),
        *(pytest.param(kind, 2, marks=pytest.mark.slow) for kind in KINDS if kind != "muon"),
        *(pytest.param("plain", after, marks=pytest.mark.slow) for after in (1, 3)),
    ],
)
def test_interrupted_run_ends_bit_by_bit_as_one_that_was_not(small_data, tmp_path, kind, after):
    config = small_config(small_data, tmp_path / "whole")
    config = changed(config, **KINDS[kind])
    _, expected = train(config)
    broken = changed(config, out=tmp_path / "broken")
    assert not Stopped(broken, after).run()
    assert saved_state(broken.out)["update"] == after
    second = Trainer(broken, show_progress=False)
    assert second.learner.updates == after
    assert second.run()
    assert_same_state(expected, saved_state(broken.out))
    assert contents(broken.out / "best") == contents(config.out / "best")
    timeless = [
        [{n: v for n, v in line.items() if "second" not in n} for line in record(folder)]
        for folder in (config.out, broken.out)
    ]
    assert timeless[0] == timeless[1]


def test_run_that_was_interrupted_after_its_last_update_is_still_validated(small_data, tmp_path):
    config = small_config(small_data, tmp_path / "run", optimizer={"updates": 2})
    stopped = Stopped(config, 2)
    assert not stopped.run(), "the last evaluation is missing"
    trainer, _ = train(config)
    assert trainer.selection.best is not None
    assert [line["kind"] for line in record(config.out)] == ["train", "train", "r2r/val_seen"]


class Signalled(Trainer):
    """A run that gets signals in its second update."""

    def __init__(self, config, *signals):
        super().__init__(config, show_progress=False)
        self.signals = signals

    def _update(self):
        if self.learner.updates == 1:
            for one in self.signals:
                os.kill(os.getpid(), one)
        return super()._update()


def handlers():
    return [signal.getsignal(one) for one in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)]


@pytest.mark.parametrize(
    "signals",
    [
        (signal.SIGINT,),
        (signal.SIGTERM,),
        (signal.SIGHUP,),
        (signal.SIGINT, signal.SIGTERM),  # as the demo's agents get them: from the terminal, then from their parent
        (signal.SIGHUP, signal.SIGTERM, signal.SIGHUP, signal.SIGINT),
    ],
    ids=lambda signals: " ".join(one.name for one in signals),
)
@pytest.mark.slow
def test_signal_stops_the_run_after_its_update_and_is_handled_as_before_afterwards(small_data, tmp_path, signals):
    before = handlers()
    trainer = Signalled(small_config(small_data, tmp_path / "run", optimizer={"updates": 9}), *signals)
    assert not trainer.run()
    assert trainer.learner.updates == 2, "the update in which it came is the last"
    assert saved_state(trainer.config.out)["update"] == 2
    assert handlers() == before


def test_second_signal_stops_the_run_at_once(small_data, tmp_path):
    before = handlers()
    config = small_config(small_data, tmp_path / "run", optimizer={"updates": 9})
    trainer = Signalled(config, signal.SIGINT, signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        trainer.run()
    assert trainer.learner.updates == 1
    assert not RunFolder(trainer.config.out).checkpoint.exists()
    assert handlers() == before


def test_interruption_of_many_processes_stops_none_at_once(monkeypatch):
    """Their launcher passes on the signal that each of them got already."""
    monkeypatch.setattr(parallel, "size", lambda: 2)
    with interruption() as caught:
        for _ in range(3):
            os.kill(os.getpid(), signal.SIGINT)
    assert caught


KILLING = """
    import json, os, signal, sys, time
    import mtvm.app.commands.training
    import mtvm.models.text
    from mtvm.app.cli import main
    from transformers import BertConfig, BertModel

    mtvm.models.text.tokenize(["so that no child has to import anything"])

    whole, broken, delays = json.loads(sys.argv[1])

    def start(arguments):
        child = os.fork()
        if child:
            return child
        try:
            main(arguments)
            os._exit(0)
        except SystemExit as error:
            os._exit(error.code or 0)
        finally:
            os._exit(1)

    started = time.monotonic()
    assert os.waitstatus_to_exitcode(os.waitpid(start(whole), 0)[1]) == 0
    seconds = time.monotonic() - started
    killed = 0
    for delay in delays:
        child = start(broken)
        until = time.monotonic() + delay * seconds
        ended = 0
        while not ended and time.monotonic() < until:
            ended = os.waitpid(child, os.WNOHANG)[0]
            time.sleep(0.001)
        if not ended:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            killed += 1
    assert os.waitstatus_to_exitcode(os.waitpid(start(broken), 0)[1]) == 0
    print("killed", killed)
"""


@pytest.mark.slow
def test_killed_run_ends_bit_by_bit_as_one_that_was_not(small_data, tmp_path):
    whole = small_config(
        small_data, tmp_path / "whole" / "run", batch=2, optimizer={"updates": 6}, selection={"every": 2}
    )
    broken = changed(whole, out=tmp_path / "broken" / "run")
    draw = random.Random(3)
    delays = [draw.uniform(0.15, 0.6) for _ in range(5)]
    # Processes that are forked from one that has everything imported: there is more to kill in a second of work.
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(KILLING), json.dumps([command(whole), command(broken), delays])],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert int(re.search(r"killed (\d+)", done.stdout)[1]) >= 1
    states = [saved_state(config.out) for config in (whole, broken)]
    assert_same_state(*states)
    assert contents(whole.out / "best") == contents(broken.out / "best")
    assert contents(whole.out / "eval") == contents(broken.out / "eval")
    lines = [(line["update"], line["kind"]) for line in record(broken.out)]
    assert lines == [(line["update"], line["kind"]) for line in record(whole.out)]
    assert len(set(lines)) == len(lines)
    assert leftovers(broken.out) == []


@pytest.mark.slow
def test_ctrl_c_saves_and_says_how_to_go_on(small_data, tmp_path):
    config = small_config(small_data, tmp_path / "run", optimizer={"updates": 100_000}, selection={"every": 100_000})
    with subprocess.Popen(
        [sys.executable, "-m", "mtvm", *command(config)],
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        while not RunFolder(config.out).checkpoint.is_file() and process.poll() is None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(0.05)
        process.send_signal(signal.SIGINT)
        told, errors = process.communicate(timeout=120)
    assert process.returncode == 130, errors
    state = saved_state(config.out)
    assert 1 <= state["update"] < 100_000
    assert f"Stopped after update {state['update']}, everything is saved" in told
    assert f"mtvm resume {config.out}" in told
    assert record(config.out)[-1]["update"] == state["update"]
    assert leftovers(config.out) == []


def test_nohup_lets_a_run_go_on_when_its_terminal_is_closed(small_data, tmp_path, monkeypatch):
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        trainer = Signalled(small_config(small_data, tmp_path / "run"), signal.SIGHUP)
        assert trainer.run()
    finally:
        signal.signal(signal.SIGHUP, before)


@pytest.mark.slow
def test_closed_terminal_loses_nothing(small_data, tmp_path):
    """A real terminal: the run gets SIGHUP, and cannot print any more."""
    config = small_config(small_data, tmp_path / "run", optimizer={"updates": 100_000}, selection={"every": 100_000})
    options = command(config)
    options[options.index("--save-minutes") + 1] = "1000"
    child, terminal = pty.fork()
    if child == 0:
        os.execve(sys.executable, [sys.executable, "-m", "mtvm", *options], environment())
    files = RunFolder(config.out)
    with contextlib.suppress(OSError):
        while len(files.lines()) < 2:
            os.read(terminal, 1000)
    assert not files.checkpoint.is_file()
    os.close(terminal)
    os.waitpid(child, 0)
    assert saved_state(config.out)["update"] >= 2
    assert record(config.out)[-1]["update"] == saved_state(config.out)["update"]
    assert leftovers(config.out) == []


def test_train_clears_half_written_files(small_data, tmp_path):
    config = small_config(small_data, tmp_path / "run", optimizer={"updates": 1})
    train(config)
    lefts = (".checkpoint.pt.x1.tmp", "best/.model.safetensors.x2.tmp", ".metrics.jsonl.x3.tmp", "best/.c.json.x4.tmp")
    for left in lefts:
        (config.out / left).mkdir()
        (config.out / left / "half").write_text("half")
    assert trainers.train(config, show_progress=False).finished
    assert leftovers(config.out) == []

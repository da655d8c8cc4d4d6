"""Running trials: what is done is not done again, what fails twice is left out, what is interrupted is saved."""

import os
import signal
import threading
import time

import pytest
from fake_trials import fake_runner, fake_trial, tries

from mtvm.errors import InputError
from mtvm.studies.runner import LocalRunner, StudyInterruptedError, run_trials
from mtvm.studies.trial import Trial
from mtvm.studies.worker import is_out_of_memory, reason


def test_trials_run_once_and_are_not_run_again(tmp_path):
    trials = [fake_trial(tmp_path, "ok", seed) for seed in range(3)]
    assert run_trials(trials, fake_runner()) == {}
    assert all(trial.is_done for trial in trials)
    assert run_trials(trials, fake_runner()) == {}
    assert [tries(trial) for trial in trials] == [1, 1, 1]


def test_a_trial_with_another_evaluation_to_do_is_run_again(tmp_path):
    trial = fake_trial(tmp_path, "ok")
    run_trials([trial], fake_runner())
    (trial.evaluation(trial.evaluations[0])).rmdir()
    run_trials([trial], fake_runner())
    assert tries(trial) == 2


def test_two_arms_that_are_one_training_run_once(tmp_path):
    trial = fake_trial(tmp_path, "ok")
    run_trials([trial, trial], fake_runner())
    assert tries(trial) == 1


def test_a_trial_that_fails_once_is_tried_again(tmp_path, capsys):
    trial = fake_trial(tmp_path, "fails once")
    assert run_trials([trial], fake_runner()) == {}
    assert tries(trial) == 2
    assert "fails once (tiny, seed 0) failed and will be tried again: update 3 gave nan." in capsys.readouterr().err


def test_a_trial_that_fails_twice_is_left_out_and_the_others_finish(tmp_path):
    bad, good = fake_trial(tmp_path, "fails"), fake_trial(tmp_path, "ok")
    assert run_trials([bad, good], fake_runner(workers=1)) == {bad.folder.name: "update 3 gave nan."}
    assert (tries(bad), tries(good)) == (2, 1)
    assert good.is_done


def test_a_killed_process_is_said_to_be_out_of_memory_with_a_remedy(tmp_path):
    trial = fake_trial(tmp_path, "killed")
    (said,) = run_trials([trial], fake_runner()).values()
    assert "out of memory" in said
    assert "--workers" in said


def test_a_process_without_a_reason_is_named_by_its_exit_code(tmp_path):
    (said,) = run_trials([fake_trial(tmp_path, "ends")], fake_runner()).values()
    assert said == "its process ended with code 7."


@pytest.fixture
def heeding_ctrl_c():
    """As on a terminal: a shell lets processes in the background ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_study_lets_its_trials_save(sent, tmp_path, heeding_ctrl_c):
    slow = fake_trial(tmp_path, "slow")

    def interrupt():
        while not (slow.folder / "begun").exists():
            time.sleep(0.02)
        os.kill(os.getpid(), sent)

    threading.Thread(target=interrupt, daemon=True).start()
    with pytest.raises(StudyInterruptedError):
        run_trials([slow], fake_runner())
    assert (slow.folder / "saved").exists()
    assert not slow.is_done


def test_a_trial_is_read_as_it_was_written(tmp_path):
    trial = fake_trial(tmp_path, "ok", seed=3)
    assert Trial.load(trial.save()) == trial


def test_no_workers_are_refused():
    with pytest.raises(InputError, match="--workers must be at least 1"):
        LocalRunner(0)


@pytest.mark.parametrize(
    ("error", "is_memory"),
    [
        (MemoryError(), True),
        (RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate 9 bytes"), True),
        (RuntimeError("CUDA out of memory. Tried to allocate 20.00 MiB"), True),
        (RuntimeError("shapes differ"), False),
    ],
)
def test_out_of_memory_is_known_in_all_its_words(error, is_memory):
    assert is_out_of_memory(error) == is_memory
    assert ("--set batch=N" in reason(error)) == is_memory


def test_an_input_error_is_its_own_reason():
    assert reason(InputError("a.json: is empty.")) == "a.json: is empty."

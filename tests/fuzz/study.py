"""A study whose trainings are of one update, run in this process."""

import contextlib
import dataclasses
import io

from mtvm.studies.plan import Request
from mtvm.studies.registry import find_study
from mtvm.studies.runner import why_it_failed
from mtvm.studies.running import Sources, run_study
from mtvm.studies.study import BUDGETS
from mtvm.studies.worker import main

OPTIONS = {
    "model.hidden": 8,
    "model.heads": 2,
    "model.intermediate": 8,
    "model.language_layers": 1,
    "model.crossmodal_layers": 1,
    "model.critic_hidden": 4,
    "optimizer.updates": 1,
    "optimizer.warmup": 0,
    "optimizer.kind": "adamw",
    "loss.teacher_forced_updates": 0,
    "data.horizon": 3,
    "selection.limit": 2,
    "batch": 2,
}


def _here(trials):
    for trial in trials:
        yield trial, why_it_failed(trial, main(str(trial.save())))


def run(folder, data):
    """Run it in a folder, or go on with what is there."""
    study = find_study("drop-rate")
    study = dataclasses.replace(study, arms=study.arms[:2])
    request = Request(study, BUDGETS["quick"], folder, seeds=1, options=OPTIONS, device="cpu", any_version=True)
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        return run_study(request, Sources(data, sight="blind"), _here, announce=lambda text: None)

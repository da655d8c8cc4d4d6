"""A study from its name to its report."""

from __future__ import annotations

import dataclasses
import datetime
import importlib.util
import shlex
from collections.abc import Callable
from pathlib import Path

from mtvm.errors import InputError, MissingExtraError
from mtvm.homes.build import WorldConfig, build_world
from mtvm.machine import import_torch, require_matplotlib
from mtvm.studies.data import StudyData
from mtvm.studies.findings import Findings
from mtvm.studies.keeping import as_kept, restore
from mtvm.studies.plan import Request, make_plan
from mtvm.studies.report import write_report
from mtvm.studies.runner import Runner, run_trials
from mtvm.studies.trial import Trial
from mtvm.tasks.load import load_episodes
from mtvm.tasks.results import write_submission

_TEST, _SUBMISSION = "r2r/test", "submission-test.json"


@dataclasses.dataclass(frozen=True)
class Sources:
    """Where the data is, and what agents see; by default the built-in world and its names."""

    folder: Path | None = None
    features: Path | None = None
    sight: str | None = None


def run_study(
    request: Request, sources: Sources, runner: Runner, command: str = "", announce: Callable[[str], None] = print
) -> Path:
    """Run what is not done of a study's trials, then write its report; the folder of the report.

    With `request.folds` the report is of all folds that are done by then. The folder keeps all trials that are done,
    whether they are asked for now or not.
    """
    import_torch("A study")
    require_matplotlib("The report of a study")
    folder = sources.folder
    if folder is None:
        if importlib.util.find_spec("embreex") is None:
            raise MissingExtraError("embreex", "homes", "A study in the built-in world (give --data for another)")
        announce("No --data was given and $MTVM_DATA is not set: the study runs in the built-in world.")
        folder = build_world(WorldConfig(features="names"))
    data = StudyData(folder, request.out / "data", sources.features, sources.sight)
    restore(request.folder, request.out / "trials")
    every = make_plan(dataclasses.replace(request, only=()), data)
    if request.any_version:
        every = [as_kept(trial, request.folder) for trial in every]
    arms = {arm.name for arm in request.arms}
    trials = [trial for trial in every if trial.arm in arms or trial.config is None]
    wanted = [trial for trial in trials if not request.folds or trial.fold in request.folds]
    different = len({trial.folder for trial in wanted})
    announce(f"{request.study.name}: {different} trials, {request.budget.name} ({request.budget.meaning}).")
    for trial in wanted:
        if not trial.is_done:
            data.store(trial.data)
    failed = run_trials(wanted, runner)
    if len(failed) == different:
        reason = next(iter(failed.values()))
        raise InputError(f"{request.out / 'trials'}: all trials of {request.study.name} failed; the first: {reason}")
    if request.folds:
        trials = _of_whole_folds(trials, request.folder)
    findings = [Findings(request, data, trials, failed, preset) for preset in request.columns]
    return write_report(findings, every, _submissions(findings[0]), command, datetime.date.today().isoformat())


def _of_whole_folds(trials: list[Trial], report: Path) -> list[Trial]:
    """Those of folds of which all are done: arms are compared in the same buildings."""
    begun = {trial.fold for trial in trials if not trial.is_done}
    whole = [trial for trial in trials if trial.fold not in begun]
    if not whole:
        raise InputError(f"{report}: no fold is done yet by all arms, so there is nothing to report; run more of them.")
    return whole


def _submissions(findings: Findings) -> dict[str, Path]:
    """The file for R2R's leaderboard, of the study's reference, if the test split was evaluated."""
    source = findings.results_file(findings.study.reference, _TEST)
    if source is None or not source.is_file():
        return {}
    made = source.with_name(_SUBMISSION)
    write_submission(source, made, load_episodes("r2r", "test", findings.data.folder))
    return {_SUBMISSION: made}


def command_line(arguments: list[str]) -> str:
    """As it would be typed."""
    return shlex.join(["mtvm", *arguments])

"""From a study and what the user asks for to the trials that have to be run."""

from __future__ import annotations

import dataclasses
import json
import shlex
from pathlib import Path
from typing import Any

from mtvm.configs.data import BLIND, Split
from mtvm.configs.presets import PRESETS
from mtvm.configs.run import TrainConfig
from mtvm.errors import InputError, brief
from mtvm.io.config_files import differences, option_names, with_options
from mtvm.learning.run_folder import RunFolder, with_guesser_of
from mtvm.studies.conditions import NOISE_ON_SIGHT
from mtvm.studies.data import StudyData
from mtvm.studies.study import Arm, Budget, Options, Study
from mtvm.studies.trial import Evaluated, Trial, key_of_agent, key_of_run, name_of_evaluation

GIVEN = "given"
"""The preset of agents that are not trained here."""


@dataclasses.dataclass(frozen=True)
class Request:
    """What the user asks for."""

    study: Study
    budget: Budget
    out: Path
    seeds: int | None = None
    presets: tuple[str, ...] = ()
    options: Options = dataclasses.field(default_factory=dict)
    init: Path | None = None
    agents: tuple[Path, ...] = ()
    device: str = "auto"
    any_version: bool = False
    """Whether trials count that another version of the code has done."""
    only: tuple[str, ...] = ()
    """The names of the arms to run; all of them if empty."""
    folds: tuple[int, ...] = ()
    """The numbers of the folds to run; all of them if empty."""

    def __post_init__(self) -> None:
        known = [arm.name for arm in self.study.arms_of(self.budget)]
        for name in self.only:
            if name not in known:
                there = ", ".join(f"'{one}'" for one in known)
                where = f"{self.study.name} at the budget {self.budget.name}"
                raise InputError(f"--arms '{brief(name)}' is not an arm of {where}: {there}.")
        for number in self.folds:
            if not 1 <= number <= self.study.folds:
                there = f"folds 1 to {self.study.folds}" if self.study.folds else "no folds"
                raise InputError(f"--folds {number}: {self.study.name} has {there}.")
        if self.seeds is not None and self.seeds < 1:
            raise InputError(f"--seeds must be at least 1, not {self.seeds}.")
        for name in self.presets:
            if name not in PRESETS:
                raise InputError(f"--preset '{brief(name)}' is not one of {', '.join(PRESETS)}.")

    @property
    def folder(self) -> Path:
        """Where the report is written."""
        return self.out / f"{self.study.name}-{self.budget.name}"

    @property
    def arms(self) -> list[Arm]:
        return [arm for arm in self.study.arms_of(self.budget) if not self.only or arm.name in self.only]

    @property
    def columns(self) -> tuple[str, ...]:
        """The presets that the arms are built on."""
        own = self.study.preset if self.budget.name == "cpu" else ""
        return self.presets or (own or self.budget.preset,)

    @property
    def seed_count(self) -> int:
        return self.seeds or self.budget.seeds


def parse_options(texts: tuple[str, ...]) -> dict[str, Any]:
    """NAME=VALUE as options; values as in JSON, or plain strings."""
    options: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise InputError(f"--set '{brief(text)}' is not NAME=VALUE, such as optimizer.updates=500.")
        try:
            options[name.replace("-", "_")] = json.loads(value)
        except ValueError:
            options[name.replace("-", "_")] = value
    return options


def make_plan(request: Request, data: StudyData) -> list[Trial]:
    """All trials of the arms that are asked for; raises before any of them is begun if data is missing or an option
    wrong."""
    study = request.study
    if study.folds:
        return _fold_trials(request, data)
    splits = [*study.splits, *(text for text in study.if_there if data.has(text))]
    evaluated: list[tuple[str, str | None]] = [(data.split(text), None) for text in splits]
    is_blind = data.config().sight == BLIND
    conditions = [name for name in study.conditions if not (is_blind and name == NOISE_ON_SIGHT)]
    evaluated += [(data.split(study.compared_on), condition) for condition in conditions]
    trials = [
        _train_trial(request, data, preset, arm, seed, evaluated)
        for preset in request.columns
        for arm in request.arms
        for seed in range(request.seed_count)
    ]
    trials += [_agent_trial(request, data, path, evaluated) for path in request.agents]
    return [trial.of_any_version() for trial in trials] if request.any_version else trials


def _fold_trials(request: Request, data: StudyData) -> list[Trial]:
    """For each arm, seed and fold an agent that never saw the fold's buildings, evaluated in them."""
    study = request.study
    if request.agents or request.init is not None:
        raise InputError(f"{study.name} trains agents that have not seen a fold; it takes no --agents and no --init.")
    trials = []
    for fold in data.folds(study.folds):
        for preset in request.columns:
            for arm in request.arms:
                for seed in range(request.seed_count):
                    config = config_of(request, data, preset, arm, seed)
                    reads = dataclasses.replace(config.data, train=(fold.fit,))
                    chosen = dataclasses.replace(config.selection, split=fold.seen)
                    config = dataclasses.replace(config, data=reads, selection=chosen)
                    folder = request.out.absolute() / "trials" / key_of_run(config, data)
                    evaluations = tuple(
                        Evaluated(name_of_evaluation(fold.new, None, data, steps), fold.new, memory_steps=steps)
                        for steps in (None, *arm.fewer_steps)
                    )
                    trials.append(
                        Trial(
                            folder,
                            arm.name,
                            preset,
                            seed,
                            reads,
                            evaluations,
                            config,
                            device=request.device,
                            fold=fold.number,
                        )
                    )
    return [trial.of_any_version() for trial in trials] if request.any_version else trials


def _train_trial(
    request: Request,
    data: StudyData,
    preset: str,
    arm: Arm,
    seed: int,
    evaluated: list[tuple[str, str | None]],
) -> Trial:
    config = config_of(request, data, preset, arm, seed)
    folder = request.out.absolute() / "trials" / key_of_run(config, data)
    evaluations = _named(evaluated, data)
    return Trial(folder, arm.name, preset, seed, config.data, evaluations, config, device=request.device)


def _agent_trial(request: Request, data: StudyData, path: Path, evaluated: list[tuple[str, str | None]]) -> Trial:
    run = RunFolder(path)
    folder = run.best if run.best.is_dir() else path
    config = with_guesser_of(folder.absolute(), data.config())
    key = key_of_agent(folder, config, data)
    place = request.out.absolute() / "trials" / key
    evaluations = _named(evaluated, data)
    return Trial(place, path.name, GIVEN, 0, config, evaluations, agent=folder.absolute(), device=request.device)


def _named(evaluated: list[tuple[str, str | None]], data: StudyData) -> tuple[Evaluated, ...]:
    return tuple(Evaluated(name_of_evaluation(text, change, data), text, change) for text, change in evaluated)


def config_of(request: Request, data: StudyData, preset: str, arm: Arm, seed: int) -> TrainConfig:
    """The training of an arm: the preset, within the budget, with the options of study, arm and user, in this order."""
    study, quick = request.study, request.budget.name == "quick"
    base = PRESETS[preset]
    options = _within(request.budget, base) | dict(study.options) | (dict(study.quick_options) if quick else {})
    options |= dict(arm.options) | dict(request.options)
    where = data.config()
    options |= {"data.folder": str(where.folder), "data.sight": where.sight, "seed": seed, "tensorboard": False}
    options["data.features"] = where.features and str(where.features)
    if request.init is not None:
        options["init"] = str(request.init.absolute())
    config = with_options(base, options, Path(f"study {study.name}"))
    first, *more = study.train or config.data.train
    wanted = [first, *(text for text in more if not study.train or data.has(text))]
    train = tuple(data.split(text, arm.share) for text in wanted)
    reads = dataclasses.replace(config.data, train=train, evaluate=())
    if request.init is not None:
        reads = with_guesser_of(request.init.absolute(), reads)
    selection = dataclasses.replace(config.selection, split=data.split(config.selection.split))
    return dataclasses.replace(config, data=reads, selection=selection)


def _within(budget: Budget, base: TrainConfig) -> dict[str, Any]:
    """What a budget changes: fewer updates, of which warm-up and teacher forcing keep their shares."""
    updates = base.optimizer.updates
    if budget.updates is None or updates <= budget.updates:
        return {}
    share = budget.updates / updates
    return {
        "optimizer.updates": budget.updates,
        "optimizer.warmup": round(base.optimizer.warmup * share),
        "loss.teacher_forced_updates": round(base.loss.teacher_forced_updates * share),
        "selection.every": budget.updates,
    }


def command_of(trial: Trial) -> str:
    """The command that trains the same agent."""
    if trial.config is None:
        return f"mtvm eval {shlex.quote(str(trial.agent))} --data.folder {shlex.quote(str(trial.data.folder))}"
    changed = differences(PRESETS[trial.preset].to_dict(), trial.config.to_dict())
    there = option_names(trial.config.to_dict())
    parts = ["mtvm", "train", trial.preset]
    for name, (_, value) in changed.items():
        if name in ("out", "tensorboard", "data.evaluate"):
            continue
        if value is None and name not in there:  # an option of a part that is another one now
            continue
        *groups, last = name.removesuffix(".name").replace("_", "-").split(".")
        if isinstance(value, bool):
            parts.append("--" + ".".join([*groups, last if value else f"no-{last}"]))
        else:
            values = value if isinstance(value, list) else [value]
            parts += ["--" + ".".join([*groups, last]), *(shlex.quote(str(one)) for one in values)]
    return " ".join(parts)


def known_split(text: str) -> str:
    """The split's name as people know it, also of a file that was made."""
    split = Split.parse(text)
    stem = Path(split.split).stem
    return f"{split.task.name}/{stem.removeprefix(f'{split.task.name.upper()}_')}"

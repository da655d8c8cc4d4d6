"""The process of one trial: trains, then evaluates; what is done is kept."""

from __future__ import annotations

import dataclasses
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from mtvm.configs.data import Split
from mtvm.errors import InputError
from mtvm.io.files import atomic_path, write_json, write_text
from mtvm.learning.run_folder import RunFolder
from mtvm.machine import program_of
from mtvm.plugins import TRUST, give_names, given_names, trusting_code, trusts_code
from mtvm.studies.trial import COST, Evaluated, Trial

INTERRUPTED = 130
MEMORY_REMEDY = "give fewer --workers, a smaller --set batch=N, or --set optimizer.gradient_accumulation=N"


class TrialInterruptedError(Exception):
    """The training was asked to stop, and has saved its state."""


PROGRAM = program_of("mtvm.studies.worker")


def arguments_of(trial: Trial) -> list[str]:
    """What `main` is called with: the trial's file, and the code that the user of this process trusts."""
    return [str(trial.save()), *([TRUST] if trusts_code() else []), *given_names()]


def main(path: str, *trusted: str) -> int:
    """Do the trial; the exit code. Why it failed is then in its folder."""
    give_names(trusted)
    with trusting_code():  # whoever started us has just written it
        trial = Trial.load(Path(path))
    with trusting_code(TRUST in trusted):
        return _do(trial)


def _do(trial: Trial) -> int:
    trial.failure.unlink(missing_ok=True)
    try:
        run_trial(trial)
    except (TrialInterruptedError, KeyboardInterrupt):
        return INTERRUPTED
    except Exception as error:
        write_text(trial.failure, reason(error) + "\n")
        if not isinstance(error, InputError):
            raise
        print(f"mtvm: {error}", file=sys.stderr)
        return 2
    return 0


def reason(error: Exception) -> str:
    """Why a trial failed, in a sentence."""
    if isinstance(error, InputError):
        return str(error)
    if is_out_of_memory(error):
        return f"out of memory; {MEMORY_REMEDY}."
    return f"{type(error).__name__}: {error}"


def is_out_of_memory(error: Exception) -> bool:
    """Also as PyTorch says it, of a GPU or of a CPU."""
    text = str(error).lower()
    return isinstance(error, MemoryError) or "out of memory" in text or "can't allocate memory" in text


def run_trial(trial: Trial) -> None:
    """Train unless that is done, then evaluate where that is not done."""
    import torch

    if threads := os.environ.get("OMP_NUM_THREADS"):
        torch.set_num_threads(int(threads))
    if trial.config is not None and not trial.training.is_file():
        _train(trial)
    for one in trial.evaluations:
        if not trial.evaluation(one).is_dir():
            _evaluate(trial, one)


def _train(trial: Trial) -> None:
    from mtvm.learning.trainer import train
    from mtvm.models.agent import Agent

    assert trial.config is not None
    config = dataclasses.replace(trial.config, out=trial.run, device=trial.device)
    result = train(config, show_progress=False, announce=print)
    if not result.finished:
        raise TrialInterruptedError
    lines = [line for line in RunFolder(trial.run).lines() if line["kind"] == "train"]
    model = Agent.from_pretrained(RunFolder(trial.run).best, trial.device).model
    sizes = {name: sum(one.numel() for one in child.parameters()) for name, child in model.named_children()}
    training = {
        "updates": result.update,
        "best_update": result.selection.update,
        "seconds": result.seconds,
        "seconds_per_update": sum(line["seconds"] for line in lines) / len(lines),
        "peak_memory_bytes": _peak_memory(),
        "parameters": sum(sizes.values()),
        "parameters_as_table5": sum(sizes.values()) - sizes.get("language", 0) - sizes.get("critic", 0),
    }
    write_json(trial.training, training, indent=1)
    RunFolder(trial.run).checkpoint.unlink(missing_ok=True)  # as large as several agents, and of no more use


def _evaluate(trial: Trial, one: Evaluated) -> None:
    """Evaluate on a split; the metrics are always those of the unchanged episodes."""
    from mtvm.learning.evaluation import evaluate
    from mtvm.learning.run_folder import RunFolder
    from mtvm.models.agent import Agent
    from mtvm.tasks.evaluation_folder import write_evaluation
    from mtvm.tasks.load import load_episodes

    agent = Agent.from_pretrained(trial.agent or RunFolder(trial.run).best, trial.device)
    split, data = Split.parse(one.split), trial.data
    episodes = load_episodes(split.task, split.split, data.folder, supervision=data.supervision)
    with atomic_path(trial.evaluation(one)) as fresh:
        fresh.mkdir()
        with _changed(trial, one, episodes, fresh / "changed") as (where, text):
            (done,) = evaluate(agent, text, data=where, memory_steps=one.memory_steps, show_progress=False).values()
        # The changed episodes have the same buildings, so that their nodes are numbered alike.
        write_evaluation(fresh, dataclasses.replace(done, episodes=episodes), trial.name)
        write_json(fresh / COST, {"episodes": len(episodes), "seconds": done.seconds}, indent=1)


@contextmanager
def _changed(trial: Trial, one: Evaluated, episodes: Any, folder: Path) -> Iterator[tuple[Any, str]]:
    """The data and the split to evaluate: as they are, or in a changed condition, whose files are then removed."""
    import shutil

    from mtvm.features.store import FeatureStore
    from mtvm.learning.sight import SightMaker
    from mtvm.studies.conditions import change
    from mtvm.tasks.data import DataFolder

    if one.condition is None:
        yield trial.data, one.split
        return
    data = trial.data
    if data.features is not None:
        store: FeatureStore | None = FeatureStore.open(data.features)
    else:
        store = SightMaker(data, DataFolder.resolve(data.folder), show_progress=False).open()
    made = change(one.condition, episodes, data, store, folder)
    yield made.data, made.split
    shutil.rmtree(folder)


def _peak_memory() -> int:
    """The most bytes that this process has had: of a GPU if there is one, else of the machine's memory."""
    import torch

    if torch.cuda.is_available():
        return int(torch.cuda.max_memory_allocated())
    try:
        import resource
    except ImportError:  # Windows
        return 0
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit

"""`mtvm train`, `resume`, `eval` and `runs`: apart from the other commands, because they need torch to be described."""

from __future__ import annotations

import dataclasses
import sys
import time
from pathlib import Path
from typing import Annotated

import tyro
from rich.console import Console
from rich.markup import escape
from tyro.conf import Positional, arg

from mtvm.config import DESCRIPTIONS, PRESETS, Part, TrainConfig
from mtvm.errors import InputError
from mtvm.files import read_json
from mtvm.learning import parallel
from mtvm.learning.evaluation import write_evaluation
from mtvm.learning.lessons import evaluate_part
from mtvm.learning.trainer import BEST, CONFIG, Trainer
from mtvm.models.agent import Agent
from mtvm.tasks.data import DataFolder

console = Console()


def train(args: list[str]) -> None:
    """`mtvm train PRESET [--any.option value]`."""
    presets = {name: (DESCRIPTIONS[name], config) for name, config in PRESETS.items()}
    config = tyro.extras.overridable_config_cli(
        presets,
        prog="mtvm train",
        args=args or ["--help"],
        description="Train an agent. A run that is there already goes on where it was; Ctrl-C saves and stops.",
        config=(tyro.conf.FlagCreatePairsOff,),
    )
    run(_found_from_anywhere(config))


def _found_from_anywhere(config: TrainConfig) -> TrainConfig:
    """The config with whole paths, so that a run can go on in another folder and another shell."""
    folder = DataFolder.resolve(config.data.folder).path.absolute()
    features = config.data.features and config.data.features.absolute()
    data = dataclasses.replace(config.data, folder=folder, features=features)
    return dataclasses.replace(config, data=data, init=config.init and config.init.absolute())


def resume(args: list[str]) -> None:
    """`mtvm resume RUN`."""

    def command(
        folder: Annotated[Positional[Path], arg(metavar="RUN", help="Folder of a run.")],
        data: Annotated[Path | None, arg(metavar="DIR", help="Data folder, if it has moved.")] = None,
        features: Annotated[Path | None, arg(metavar="STORE", help="Feature store, if it has moved.")] = None,
        device: Annotated[str | None, arg(help="auto, cpu, cuda or cuda:N.")] = None,
    ) -> None:
        """Go on with a run that was stopped, with the config that it began with."""
        config = _moved(load_config(folder), data, features)
        run(config if device is None else dataclasses.replace(config, device=device))

    tyro.cli(command, prog="mtvm resume", args=args or ["--help"])


def load_config(folder: Path) -> TrainConfig:
    """The config of a run, with the folder where it is now."""
    path = folder / CONFIG
    if not path.is_file():
        raise InputError(f"{folder}: no run is here ({CONFIG} is missing); 'mtvm runs' lists those below a folder.")
    config = TrainConfig.from_dict(read_json(path, "config of a run"), path)
    return dataclasses.replace(config, out=folder)


def _moved(config: TrainConfig, folder: Path | None, features: Path | None) -> TrainConfig:
    """The config of a run whose data is elsewhere now."""
    data = dataclasses.replace(
        config.data, folder=folder or config.data.folder, features=features or config.data.features
    )
    return dataclasses.replace(config, data=data)


def run(config: TrainConfig) -> None:
    """Train to the end, then evaluate the best weights; an interruption says how to go on."""
    try:
        trainer = Trainer(config)
        if trainer.update and parallel.rank() == 0:
            console.print(f"Going on after update {trainer.update} of {config.optimizer.updates}.")
        finished = trainer.run()
        if finished:
            if parallel.rank() == 0:
                console.print(_ending(trainer), soft_wrap=True)
            evaluate_run(config, config.data.evaluate)
        elif parallel.rank() == 0:
            console.print(
                f"Stopped after update {trainer.update}, all is saved. Go on with: mtvm resume "
                f"{escape(str(config.out))}",
                soft_wrap=True,
            )
    finally:
        parallel.finish()
    if not finished:
        sys.exit(130)


def _ending(trainer: Trainer) -> str:
    config = trainer.config
    return (
        f"Trained {trainer.update} updates in {trainer.seconds / 60:.1f} minutes. Best "
        f"{config.selection.metric} on {config.selection.split}: {trainer.best:.1f} after update "
        f"{trainer.best_update}, saved in {escape(str(config.out / BEST))}."
    )


def evaluate_run(
    config: TrainConfig, splits: tuple[str, ...], attention: bool = False, limit: int | None = None
) -> None:
    """Walk splits with a run's best weights, write what happened, print the metrics."""
    from mtvm.app.cli import add_metrics_row, metrics_table

    agent = Agent.from_pretrained(config.out / BEST, str(parallel.local_device(config.device)))
    table = metrics_table(f"{config.out.name}: best weights")
    for text in splits:
        part = Part.parse(text)
        started = time.monotonic()
        done = evaluate_part(config, agent.model, part, probabilities=True, attention=attention, limit=limit)
        seconds = time.monotonic() - started
        if parallel.rank() == 0:
            folder = config.out / "eval" / f"{part.task}-{done.episodes.split}"
            means = write_evaluation(folder, done)
            console.print(
                f"{escape(part.name)}: {len(done.episodes)} episodes in {seconds:.1f} s "
                f"({len(done.episodes) / seconds:.0f}/s), written to {escape(str(folder))}",
                soft_wrap=True,
            )
            if means:
                add_metrics_row(table, part.name, means)
    if parallel.rank() == 0 and table.row_count:
        console.print(table)


def evaluate(args: list[str]) -> None:
    """`mtvm eval RUN`."""

    def command(
        folder: Annotated[Positional[Path], arg(metavar="RUN", help="Folder of a run.")],
        split: Annotated[
            tuple[str, ...], arg(metavar="TASK/SPLIT", help="r2r/val_unseen, ...; default what the config evaluates.")
        ] = (),
        attention: Annotated[bool, arg(help="Also write where the agent looks at each step (large files).")] = False,
        limit: Annotated[int | None, arg(metavar="N", help="Only the first N episodes.")] = None,
        data: Annotated[Path | None, arg(metavar="DIR", help="Data folder, if it has moved.")] = None,
        features: Annotated[Path | None, arg(metavar="STORE", help="Feature store, if it has moved.")] = None,
        device: Annotated[str, arg(help="auto, cpu, cuda or cuda:N.")] = "auto",
    ) -> None:
        """Walk splits greedily with a run's best weights, and write result files, records and metrics.

        RUN/eval/TASK-SPLIT gets results.json (for 'mtvm score' and the leaderboards), records.jsonl (for each episode
        its text, trajectory, metrics, the probabilities of every step and, if asked for, the attention) and
        metrics.json.
        """
        config = dataclasses.replace(_moved(load_config(folder), data, features), device=device)
        parallel.start(parallel.local_device(device))
        try:
            evaluate_run(config, split or config.data.evaluate, attention, limit)
        finally:
            parallel.finish()

    tyro.cli(command, prog="mtvm eval", args=args or ["--help"], config=(tyro.conf.FlagCreatePairsOff,))

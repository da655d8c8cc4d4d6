"""`mtvm grounding`: whether agents look at the words that describe where they are."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from rich.markup import escape
from tyro.conf import Positional, arg

from mtvm.app.options import DataOption, console
from mtvm.app.tables import simple_table
from mtvm.errors import InputError


def grounding(
    runs: Annotated[
        Positional[tuple[Path, ...]], arg(metavar="RUN", help="Folders of runs; their best agents are compared.")
    ],
    split: Annotated[str, arg(metavar="SPLIT", help="val_seen or val_unseen of R2R.")] = "val_unseen",
    data: DataOption = None,
) -> None:
    """Measure how much attention falls on the words that describe each step.

    Agents are led along R2R's reference paths, and their attention (final layer, mean of the heads) is compared with
    the sub-instructions of Fine-Grained R2R: FGR2R_<split>.json below the data folder. Runs after the first are also
    compared with it, episode by episode. Brackets are 95% intervals over buildings.
    """
    from mtvm.configs.data import Split
    from mtvm.learning.agents import resolve_agent
    from mtvm.learning.data import Data
    from mtvm.learning.grounding import Grounding, measure_grounding
    from mtvm.studies.blocks import formatted
    from mtvm.tasks.bootstrap import Sample, mean
    from mtvm.tasks.sub_instructions import read_sub_instructions

    if not runs:
        raise InputError("no run was named; give the folders of one or more.")
    opened = []
    for run in runs:
        agent, config, _, _ = resolve_agent(run, data, "auto")
        opened.append((agent.model, Data(config, agent.model.config, agent.model.device, trained=True)))
    folder = opened[0][1].folder
    found = folder.find([f"FGR2R_{split}.json"])
    if found is None:
        raise InputError(f"{folder.path}: no FGR2R_{split}.json below it; Fine-Grained R2R has it.")
    parts = read_sub_instructions(found)
    table = simple_table(f"Attention on the sub-instruction of each step, {split}", "percent of that on all words")
    names = ["run", "episodes", "attention", "by chance", "above chance"]
    for name in [*names, "against the first"] if len(runs) > 1 else names:
        table.add_column(name, justify="left" if name == "run" else "right", overflow="fold")
    first: Grounding | None = None
    for run, (model, data_of_run) in zip(runs, opened, strict=True):
        done = measure_grounding(model, data_of_run.dataset(Split.parse(f"r2r/{split}")), parts)
        above = mean(Sample(done.on_part - done.chance, done.scans))
        attention = mean(Sample(done.on_part, done.scans))
        row = [f"{len(done.scans)}", formatted(attention), f"{done.chance.mean():.1f}", formatted(above)]
        if first is not None:
            row.append(formatted(mean(Sample(*done.more_than(first))), signed=True))
        first = first or done
        table.add_row(escape(str(run)), *row)
    console.print(table)

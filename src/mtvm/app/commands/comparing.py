"""`mtvm compare`: whether one agent is better than another."""

from __future__ import annotations

from typing import Annotated

from rich.markup import escape
from tyro.conf import Positional, arg

from mtvm.app.options import Switch, console
from mtvm.errors import InputError
from mtvm.io.files import json_text
from mtvm.tasks.metric import describe_units


def compare(
    evaluations: Annotated[
        Positional[tuple[str, ...]],
        arg(
            metavar="EVALUATION",
            help="Folders that 'mtvm eval' wrote, such as RUN/eval/r2r-val_unseen. A pattern in quotes, "
            "'runs/seed*/NAME/eval/r2r-val_unseen', stands for the seeds of one training.",
        ),
    ],
    metrics: Annotated[tuple[str, ...], arg(metavar="NAME", help="Any that were measured.")] = ("SR", "SPL"),
    json_: Annotated[Switch, arg(name="json", help="Print one JSON object instead of a table.")] = False,
) -> None:
    """Compare evaluations of the same episodes with the first of them.

    Brackets are 95% intervals over buildings and, where there are several, over seeds; ± is the deviation of the seeds'
    means. A difference is of the same episodes in the same buildings. One seed says nothing of other trainings.
    """
    from mtvm.studies.blocks import formatted
    from mtvm.studies.comparison import compare as compared_by
    from mtvm.studies.comparison import read_trainings

    if not evaluations:
        raise InputError("no evaluation was named; give folders that 'mtvm eval' wrote.")
    trainings = read_trainings(evaluations)
    measured = {metric.name: metric for metric in trainings[0].metrics}
    for name in metrics:
        if name not in measured:
            raise InputError(f"{name!r} was not measured in all of them; choose from {', '.join(measured)}.")
    found = {name: compared_by(trainings, name) for name in metrics}
    if json_:
        numbers = {
            name: {evaluation: one.as_numbers() for evaluation, one in zip(evaluations, rows, strict=True)}
            for name, rows in found.items()
        }
        print(json_text(numbers))
        return
    first = trainings[0]
    units = describe_units(measured[name] for name in metrics)
    _print(f"{len(first.ids):,} episodes in {len(set(first.buildings))} buildings, {units}")
    for number, (evaluation, scores) in enumerate(zip(evaluations, trainings, strict=True)):
        _print(f"\n{evaluation}" + (f" ({scores.seeds} seeds)" if scores.seeds > 1 else ""))
        for name in metrics:
            one, decimals = found[name][number], measured[name].decimals
            value, _, bracket = formatted(one.mean, decimals).partition(" ")
            deviation = "" if one.deviation is None else f" ± {one.deviation:.{decimals}f}"
            gain = "" if one.gain is None else f"{formatted(one.gain, decimals, signed=True):<23}  {one.verdict}"
            _print(f"  {name:<5}{value + deviation:<13}{bracket:<18}{gain}".rstrip())


def _print(line: str) -> None:
    console.print(escape(line), soft_wrap=True, highlight=False)

"""`mtvm study`: the paper's tables and figures, and some more."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from rich.markup import escape
from tyro.conf import Positional, arg

from mtvm.app.options import DeviceOption, console
from mtvm.app.tables import simple_table

if TYPE_CHECKING:
    from mtvm.studies.plan import Request
    from mtvm.studies.runner import Runner
    from mtvm.studies.running import Sources

BudgetName = Literal["quick", "cpu", "paper"]


def list_() -> None:
    """List the studies."""
    from mtvm.studies.registry import NAMES, find_study
    from mtvm.studies.study import BUDGETS

    budgets = "; ".join(f"{name}: {budget.meaning}" for name, budget in BUDGETS.items())
    table = simple_table("Studies", f"mtvm study run NAME --budget quick, cpu or paper ({budgets})")
    for heading in ("name", "what", "from", "arms"):
        table.add_column(heading, no_wrap=heading == "name")
    for name in NAMES:
        study = find_study(name)
        table.add_row(name, study.title, study.source, str(len(study.arms)))
    console.print(table)


def run(
    name: Annotated[Positional[str], arg(metavar="NAME", help="See 'mtvm study list'; or MODULE:STUDY of your own.")],
    budget: Annotated[
        BudgetName, arg(help="quick: 15 minutes on two cores, built-in world. cpu: a night. paper: as the paper.")
    ] = "quick",
    data: Annotated[
        Path | None,
        arg(metavar="DIR", help="Data folder.", help_behavior_hint="(default: $MTVM_DATA, else the built-in world)"),
    ] = None,
    features: Annotated[Path | None, arg(metavar="STORE", help="Feature store of the views.")] = None,
    sight: Annotated[
        str | None,
        arg(
            metavar="SIGHT",
            help="What agents see without a store: names, captions, guesses, several joined by +, or blind.",
            help_behavior_hint="(default: guesses if the data has captions and names, else what it has)",
        ),
    ] = None,
    seeds: Annotated[
        int | None, arg(metavar="N", help="Trainings of each arm.", help_behavior_hint="(default: 1 if quick, else 3)")
    ] = None,
    preset: Annotated[
        tuple[str, ...],
        arg(
            metavar="PRESET",
            help="What the arms are built on, each with a section of its own; see 'mtvm train'.",
            help_behavior_hint="(default: paper-small, or paper with the budget paper)",
        ),
    ] = (),
    arms: Annotated[
        tuple[str, ...],
        arg(
            metavar="ARM",
            help="Run only these arms, and report them; what is done of the others is kept.",
            help_behavior_hint="(default: all)",
        ),
    ] = (),
    folds: Annotated[
        tuple[int, ...],
        arg(
            metavar="N",
            help="Run only these folds of a study that has some, and report all that are done.",
            help_behavior_hint="(default: all)",
        ),
    ] = (),
    set_: Annotated[
        tuple[str, ...],
        arg(name="set", metavar="NAME=VALUE", help="Options of every training, such as optimizer.updates=500."),
    ] = (),
    init: Annotated[Path | None, arg(metavar="PATH", help="Weights to start from, as in 'mtvm train'.")] = None,
    agents: Annotated[
        tuple[Path, ...], arg(metavar="DIR", help="Agents or runs to evaluate beside the arms, such as imported ones.")
    ] = (),
    workers: Annotated[
        int | None, arg(metavar="N", help="Trials at a time.", help_behavior_hint="(default: one for each core)")
    ] = None,
    ray: Annotated[
        str | None,
        arg(
            metavar="ADDRESS",
            help="Run trials on this Ray cluster ('local' starts one), each with a GPU if --device is cuda.",
        ),
    ] = None,
    device: DeviceOption = "auto",
    any_version: Annotated[
        bool,
        arg(help="Take finished trials of other versions of the code too, instead of running them again."),
    ] = False,
    out: Annotated[Path, arg(metavar="DIR", help="Where reports and trials are kept.")] = Path("runs/studies"),
) -> None:
    """Run a study and write its report; what is done already is not run again.

    Trials are kept in OUT/trials by the content of config, data and code. Ctrl-C keeps what was done, and the same
    command goes on. The report is in OUT/NAME-BUDGET: report.md, report.html and figures as PNG and SVG.
    """
    from mtvm.studies.plan import Request, parse_options
    from mtvm.studies.registry import find_study
    from mtvm.studies.running import Sources
    from mtvm.studies.study import BUDGETS

    options = parse_options(set_)
    request = Request(
        find_study(name), BUDGETS[budget], out, seeds, preset, options, init, agents, device, any_version, arms, folds
    )
    folder = data or (Path(os.environ["MTVM_DATA"]) if os.environ.get("MTVM_DATA") else None)
    _run(request, Sources(folder, features, sight), _runner(workers, ray, device))


def _run(request: Request, sources: Sources, runner: Runner) -> None:
    from mtvm.studies.runner import StudyInterruptedError
    from mtvm.studies.running import command_line, run_study

    try:
        report = run_study(request, sources, runner, command_line(sys.argv[1:]), _say)
    except StudyInterruptedError:
        _say("Interrupted. What was done is kept, and the same command goes on.")
        sys.exit(130)
    _say(f"The report: {report / 'report.html'} and {report / 'report.md'}")


def _runner(workers: int | None, ray: str | None, device: str) -> Runner:
    from mtvm.studies.ray_runner import RayRunner
    from mtvm.studies.runner import LocalRunner

    if ray is None:
        return LocalRunner(workers)
    return RayRunner(ray, gpus=1 if device.startswith("cuda") else 0)


def _say(text: str) -> None:
    console.print(escape(text), soft_wrap=True, highlight=False)


COMMANDS: dict[str, Callable[..., None]] = {"list": list_, "run": run}

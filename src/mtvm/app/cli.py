"""The command line: registers all commands and handles errors."""

from __future__ import annotations

import contextlib
import functools
import inspect
import io
import os
import re
import sys
from collections.abc import Callable
from typing import Annotated, Any, get_type_hints

from tyro.conf import arg
from tyro.extras import SubcommandApp

import mtvm
from mtvm.app.commands import (
    comparing,
    data,
    features,
    grounding,
    speaker,
    studies,
    tasks,
    training,
    viewing,
    weights,
    world,
)
from mtvm.app.options import Switch
from mtvm.errors import InputError, MissingExtraError, brief
from mtvm.machine import OPTIONAL
from mtvm.plugins import give_names, trusting_code
from mtvm.progress import notice

_LONGEST_SENTENCE = 2000
_DESCRIPTION = f"mtvm {mtvm.__version__}: Vision-and-Language Navigation in plain Python."

Command = Callable[..., None]


COMMANDS: dict[str, Command] = {
    "demo": world.demo,
    "doctor": world.doctor,
    "train": training.train,
    "pretrain": training.pretrain,
    "resume": training.resume,
    "eval": training.evaluate,
    "runs": training.runs,
    "view": viewing.view,
    "figure": viewing.figure,
    "score": tasks.score,
    "baseline": tasks.baseline,
    "submit": tasks.submit,
    "compare": comparing.compare,
    "grounding": grounding.grounding,
    "inspect": weights.inspect,
    "augment": speaker.augment,
}
GROUPS: dict[str, tuple[str, dict[str, Command]]] = {
    "features": ("Make and inspect feature stores.", features.COMMANDS),
    "study": ("The paper's tables and figures, each with one command.", studies.COMMANDS),
    "weights": ("Import, export and check weights.", weights.COMMANDS),
    "speaker": ("Train a speaker, which describes paths in words.", speaker.COMMANDS),
    "data": ("Make datasets from what others publish, and from each other.", data.COMMANDS),
    "homes": ("Build the built-in world.", {"build": world.build}),
}

READ_NAMES_OF_CODE: frozenset[Command] = frozenset(
    {
        *(training.resume, training.evaluate, training.runs, viewing.view, viewing.figure, comparing.compare),
        *(grounding.grounding, weights.inspect, weights.export_weights, weights.release),
        *(speaker.augment, speaker.evaluate, studies.run),
    }
)
"""Commands that read agents, runs or results, which may name code."""
TAKE_PRESETS: dict[Command, Callable[[list[str]], dict[str, Any]]] = {
    training.train: training.train_annotations,
    training.pretrain: training.pretrain_annotations,
}
"""Commands whose options depend on others that are given."""
TrustOption = Annotated[Switch, arg(help="Let files name code (MODULE:NAME), which is run; trust who wrote them.")]


def _app(args: list[str]) -> SubcommandApp:
    app = _group(COMMANDS, args)
    for name, (description, some) in GROUPS.items():
        app.command(_group(some, args), name=name, help=description)
    return app


def _group(commands: dict[str, Command], args: list[str]) -> SubcommandApp:
    """Register commands; lists show the first line of a docstring, the help of a command in `args` all of it."""
    group = SubcommandApp()
    for name, command in commands.items():
        first_line = (command.__doc__ or "").partition("\n")[0]
        group.command(name=name, help=None if name in args else first_line)(_later(command, args))
    return group


def _later(command: Command, args: list[str]) -> Callable[..., Callable[[], None]]:
    """The command with its options given, to be run once all of them are understood.

    A command that reads files which may name code gets an option to trust them; one that takes presets gets the options
    of the parts that `args` name.
    """

    @functools.wraps(command)
    def given(*options: Any, trust_code: bool = False, **named: Any) -> Callable[[], None]:
        def run() -> None:
            with trusting_code(trust_code):
                command(*options, **named)

        return run

    del given.__wrapped__  # tyro would ask it, which lacks the option to trust
    signature = inspect.signature(command)
    given.__signature__ = signature  # type: ignore[attr-defined]
    given.__annotations__ = get_type_hints(command, include_extras=True)
    if command in READ_NAMES_OF_CODE:
        trust = inspect.Parameter("trust_code", inspect.Parameter.KEYWORD_ONLY, default=False)
        given.__signature__ = signature.replace(parameters=[*signature.parameters.values(), trust])  # type: ignore[attr-defined]
        given.__annotations__ |= {"trust_code": TrustOption}
    if command in TAKE_PRESETS:
        given.__annotations__ |= TAKE_PRESETS[command](args)
    return given


def _parsed(args: list[str]) -> Callable[[], None]:
    """What the arguments ask for.

    tyro draws a box of several lines around whatever is wrong; here it is one sentence, as everywhere, and an
    `InputError` of a nested option is raised as it was.
    """
    said = io.StringIO()
    try:
        with contextlib.redirect_stderr(said):
            command: Callable[[], None] = _app(args).cli(prog="mtvm", description=_DESCRIPTION, args=args or ["--help"])
    except SystemExit as stop:
        cause = stop.__context__
        while cause is not None:
            if isinstance(cause, InputError):
                raise cause from None
            cause = cause.__context__
        if stop.code == 2 and (sentence := _unboxed(said.getvalue())):
            raise InputError(sentence) from None
        sys.stderr.write(said.getvalue())
        raise
    sys.stderr.write(said.getvalue())
    return command


_FRAME = re.compile(r"^[╭╰│]|[╮╯│]\s*$")
_RULE = re.compile(r"^[─-]{3,}$", re.MULTILINE)
_HELP = re.compile(r"For full helptext, (?:run|see):? (.*?--help)")
_EXPLANATION = "Argument helptext"


def _unboxed(box: str) -> str:
    """What stands in one of tyro's boxes, in a line; empty if it is no box. Not every terminal gets a frame."""
    _, *lines = [_FRAME.sub("", line).strip() for line in box.splitlines()] or [""]
    parts = [" ".join(part.split()).rstrip(".") for part in _RULE.split("\n".join(lines))]
    command = next((found[1] for part in parts if (found := _HELP.search(part))), None)
    if command is None:
        return ""
    said = [part for part in parts if part and not part.startswith(_EXPLANATION) and not _HELP.search(part)]
    return "; ".join([*(part[:1].lower() + part[1:] for part in said), f"see '{command}'."])


def main(args: list[str] | None = None) -> None:
    """Run the command line; what the user can mend prints one sentence to stderr and exits with code 2."""
    args = sys.argv[1:] if args is None else args
    if args == ["--version"]:
        print(f"mtvm {mtvm.__version__}")
        return
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # not every terminal can show every name
    give_names(args)
    try:
        _parsed(args)()
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(1)
    except KeyboardInterrupt:
        notice("interrupted")
        sys.exit(130)
    except (InputError, OSError, ImportError, MemoryError) as error:
        sentence = _sentence(error)
        if sentence is None:
            raise
        notice(brief(sentence, _LONGEST_SENTENCE))
        sys.exit(2)


def _sentence(error: Exception) -> str | None:
    """What to tell the user: the error is theirs, their machine's or their installation's; None if it is ours."""
    if isinstance(error, InputError):
        return str(error)
    if isinstance(error, MemoryError):
        return f"this needs more memory than there is ({error})."
    if isinstance(error, OSError):
        about = "a file" if error.filename is None else os.fsdecode(error.filename)
        return f"{about}: the system refuses this ({error.strerror or error})."
    package = (getattr(error, "name", None) or "").partition(".")[0]
    if package not in OPTIONAL:
        return None
    distribution, extra = OPTIONAL[package]
    return str(MissingExtraError(distribution, extra, "This command"))

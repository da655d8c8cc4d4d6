"""The command line: registers all commands and handles errors."""

from __future__ import annotations

import sys
from collections.abc import Callable

from tyro.extras import SubcommandApp

import mtvm
from mtvm.app.commands import features, speaker, studies, tasks, training, viewing, weights, world
from mtvm.errors import InputError

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
    "inspect": weights.inspect,
    "augment": speaker.augment,
}
GROUPS: dict[str, tuple[str, dict[str, Command]]] = {
    "features": ("Make and inspect feature stores.", features.COMMANDS),
    "study": ("The paper's tables and figures, each with one command.", studies.COMMANDS),
    "weights": ("Import, export and check weights.", weights.COMMANDS),
    "speaker": ("Train a speaker, which describes paths in words.", speaker.COMMANDS),
    "data": ("Build one dataset from another.", {"r4r": tasks.r4r, "hold-out": tasks.hold_out}),
    "homes": ("Build the built-in world.", {"build": world.build}),
}


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
        group.command(name=name, help=None if name in args else first_line)(command)
    return group


def main(args: list[str] | None = None) -> None:
    """Run the command line; an `InputError` prints one sentence to stderr and exits with code 2."""
    args = sys.argv[1:] if args is None else args
    if args == ["--version"]:
        print(f"mtvm {mtvm.__version__}")
        return
    try:
        _app(args).cli(prog="mtvm", description=_DESCRIPTION, args=args or ["--help"])
    except InputError as error:
        print(f"mtvm: {error}", file=sys.stderr)
        sys.exit(2)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(1)
    except KeyboardInterrupt:
        print("mtvm: interrupted", file=sys.stderr)
        sys.exit(130)

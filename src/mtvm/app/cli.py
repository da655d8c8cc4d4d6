"""The command line: which commands there are, and what becomes of errors."""

from __future__ import annotations

import sys
from collections.abc import Callable

from tyro.extras import SubcommandApp

import mtvm
from mtvm.app.commands import features, tasks, training, weights, world
from mtvm.errors import InputError

_DESCRIPTION = f"mtvm {mtvm.__version__}: Vision-and-Language Navigation in plain Python."

Command = Callable[..., None]


def _app() -> SubcommandApp:
    commands: dict[str, Command] = {
        "demo": world.demo,
        "doctor": world.doctor,
        "train": training.train,
        "resume": training.resume,
        "eval": training.evaluate,
        "runs": training.runs,
        "score": tasks.score,
        "baseline": tasks.baseline,
        "submit": tasks.submit,
        "inspect": weights.inspect,
    }
    groups: dict[str, tuple[str, dict[str, Command]]] = {
        "features": ("Make feature stores, and look at one.", features.COMMANDS),
        "weights": ("Bring other people's weights in, check them, and write them out.", weights.COMMANDS),
        "data": ("Make task files from others.", {"r4r": tasks.r4r}),
        "homes": ("Build the world that comes with the package.", {"build": world.build}),
    }
    app = _group(commands)
    for name, (description, some) in groups.items():
        app.command(_group(some), name=name, help=description)
    return app


def _group(commands: dict[str, Command]) -> SubcommandApp:
    group = SubcommandApp()
    for name, command in commands.items():
        group.command(name=name)(command)
    return group


def main(args: list[str] | None = None) -> None:
    """Run the command line; a user's mistake is one sentence on stderr and exit code 2."""
    args = sys.argv[1:] if args is None else args
    if args == ["--version"]:
        print(f"mtvm {mtvm.__version__}")
        return
    try:
        _app().cli(prog="mtvm", description=_DESCRIPTION, args=args or ["--help"])
    except InputError as error:
        print(f"mtvm: {error}", file=sys.stderr)
        sys.exit(2)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(1)
    except KeyboardInterrupt:
        print("mtvm: interrupted", file=sys.stderr)
        sys.exit(130)

"""Calling commands as a user does."""

from mtvm.app.cli import main


def run(capsys, *arguments, code=0):
    """What a command printed; it must end with this exit code."""
    try:
        main([str(argument) for argument in arguments])
        left = 0
    except SystemExit as stop:
        left = stop.code or 0
    printed = capsys.readouterr()
    assert left == code, printed.err
    return printed


def refused(capsys, *arguments):
    """The one sentence with which a command is refused."""
    printed = run(capsys, *arguments, code=2)
    assert printed.err.startswith("mtvm: ")
    assert printed.err.count("\n") == 1
    assert printed.out == ""
    return printed.err.removeprefix("mtvm: ").rstrip("\n")

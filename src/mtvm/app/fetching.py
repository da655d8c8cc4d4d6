"""`mtvm data fetch`: says how to download what others publish, and does it for those who ask."""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from rich.console import Console
from rich.markup import escape

from mtvm.app.sources import NOT_KNOWN, TERMS, Source
from mtvm.app.tables import simple_table
from mtvm.errors import InputError
from mtvm.io.files import atomic_path

_BLOCK = 1 << 20
_NO_QUESTIONS = {"GIT_TERMINAL_PROMPT": "0"}


def list_sources(sources: Mapping[str, Source], console: Console) -> None:
    """Everything that there is to download, in one table."""
    caption = (
        "mtvm data fetch WHAT ... prints the commands, with --run it runs them. All of it derives from Matterport3D, "
        f"whose Terms of Use hold besides: {TERMS}"
    )
    table = simple_table("what others publish", caption)
    for column in ("WHAT", "what it is", "for", "size", "licence"):
        table.add_column(column, no_wrap=column == "WHAT")
    for name, source in sources.items():
        table.add_row(name, source.title, source.use, source.size, source.licence)
    console.print(table)


def explain(source: Source, folder: Path, console: Console) -> None:
    """What one thing is, and the commands that bring it below `folder`."""
    for line in _explanation(source, folder):
        console.print(escape(line), soft_wrap=True, highlight=False)


def _explanation(source: Source, folder: Path) -> Iterator[str]:
    yield f"# {source.title}, for {source.use}"
    yield f"# from {source.page}; size: {source.size}; licence: {source.licence}"
    if source.note:
        yield f"# {source.note}"
    if source.commands:
        yield f"mkdir -p {shlex.quote(str(folder))} && cd {shlex.quote(str(folder))}"
    for command in source.commands:
        yield shlex.join(command)
    yield from source.afterwards
    if source.commands:
        sums = [f"{digest}  {name}" for name, digest in source.checksums.items()]
        yield f"# sha256 of the files that mtvm was tested with{':' if sums else f': {NOT_KNOWN}'}"
        yield from (f"#   {line}" for line in sums)
    yield ""


def fetch(sources: Sequence[Source], folder: Path, console: Console) -> None:
    """Download into `folder`, each source whole or not at all, once the user has agreed to it on a terminal."""
    for source in sources:
        if not source.commands:
            raise InputError(f"{source.title}: no command can download this; {source.note} ({source.page}).")
    wanted = [source for source in sources if not (folder / source.folder).exists()]
    for source in sources:
        if source not in wanted:
            console.print(f"{escape(str(folder / source.folder))} is there already; it is left as it is.")
    for program in {command[0] for source in wanted for command in source.commands}:
        if shutil.which(program) is None:
            raise InputError(f"{program} is not installed, which downloads this; install it, or download it by hand.")
    if wanted and not _agreed(wanted, folder):
        console.print("nothing was downloaded")
        return
    for source in wanted:
        _fetch(source, folder / source.folder, console)
        for line in source.afterwards:
            console.print(f"next, in {escape(str(folder))}: {escape(line)}", soft_wrap=True, highlight=False)


def _agreed(sources: Sequence[Source], folder: Path) -> bool:
    """Ask on a terminal; elsewhere the option was enough."""
    if not sys.stdin.isatty():
        return True
    amounts = ", ".join(f"{source.folder} ({source.size})" for source in sources)
    try:
        answer = input(f"Download {amounts} into {folder}? [y/N] ")
    except EOFError:  # Ctrl-D
        return False
    return answer.strip().lower() in ("y", "yes")


def _fetch(source: Source, target: Path, console: Console) -> None:
    with atomic_path(target) as fresh:
        for command in source.commands:
            console.print(f"$ {escape(shlex.join(command))}", soft_wrap=True, highlight=False)
            try:
                done = subprocess.run(
                    command, cwd=fresh.parent, env=os.environ | _NO_QUESTIONS, stdin=subprocess.DEVNULL, check=False
                )
            except OSError as error:
                raise InputError(f"{command[0]}: cannot be run ({error.strerror}).") from None
            if done.returncode:
                raise InputError(
                    f"{shlex.join(command)} failed with exit code {done.returncode}, as it says above; nothing was "
                    f"kept. Try again, or look at {source.page}."
                )
        if not fresh.is_dir():
            raise InputError(f"{target}: the commands ended well but brought nothing; look at {source.page}.")
        findings = [_checked(fresh / name, name, digest) for name, digest in source.checksums.items()]
    console.print(f"{escape(str(target))}: downloaded", soft_wrap=True)
    for finding in findings:
        console.print(f"  {escape(finding)}", soft_wrap=True, highlight=False)


def _checked(path: Path, name: str, digest: str) -> str:
    if not path.is_file():
        return f"{name} is not among the files: they were published differently when this was tested"
    found = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            found.update(block)
    same = found.hexdigest() == digest
    return f"{name}: {'as tested' if same else 'differs from the file that mtvm was tested with, see its checksum'}"

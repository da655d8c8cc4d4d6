"""Bring the line numbers of `docs/reproduction.md` up to date: links named after code lead to it."""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

PAGE = Path(__file__).parents[1] / "docs" / "reproduction.md"
LINK = re.compile(r"\[`(?P<name>[\w.]+)`\]\((?P<path>\.\./src/[^)#]+)#L(?P<line>\d+)\)")


def line_of(path: Path, name: str) -> int:
    """Where a class, function or method begins; LookupError if there is none of this name."""
    body = ast.parse(path.read_text(encoding="utf-8")).body
    line = 0
    for part in name.split("."):
        found = [one for one in body if isinstance(one, ast.ClassDef | ast.FunctionDef) and one.name == part]
        if not found:
            raise LookupError(f"{path} has no {name}")
        line, body = found[-1].lineno, found[-1].body
    return line


def with_lines(text: str) -> str:
    def linked(link: re.Match[str]) -> str:
        line = line_of(PAGE.parent / link["path"], link["name"])
        return f"[`{link['name']}`]({link['path']}#L{line})"

    return LINK.sub(linked, text)


if __name__ == "__main__":
    sys.exit(PAGE.write_text(with_lines(PAGE.read_text(encoding="utf-8")), encoding="utf-8") == 0)

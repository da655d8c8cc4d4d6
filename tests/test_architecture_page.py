"""The walk through the tree in docs/architecture.md is the tree."""

import re
from pathlib import Path

import pytest

import mtvm

SOURCE = Path(mtvm.__file__).parent
PAGE = Path(__file__).parents[1] / "docs" / "architecture.md"
BY_MODULE = ("world", "features", "tasks", "acting", "models", "learning", ".")
"""Rooms whose modules are named one by one; of the others, and of folders inside rooms, the folder is named."""


def table() -> str:
    page = PAGE.read_text(encoding="utf-8")
    return page.split("## A walk through the tree")[1].split("\n## ")[0]


def modules() -> list[Path]:
    found = (path.relative_to(SOURCE) for path in SOURCE.rglob("*.py"))
    return sorted(path for path in found if not path.name.startswith("_"))


@pytest.mark.parametrize("module", modules(), ids=str)
def test_module_is_in_the_walk_through_the_tree(module):
    room = str(module.parent)
    named = f"`{module.name}`" if room in BY_MODULE else f"`{module.parent.name}/"
    assert named in table() or (room not in BY_MODULE and f"`{module.parts[0]}/" in table())


def test_walk_through_the_tree_names_nothing_that_is_not_there():
    there = {path.name for path in SOURCE.rglob("*.py")}
    assert set(re.findall(r"`(\w+\.py)`", table())) <= there

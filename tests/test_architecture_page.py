"""The walk through the tree in docs/architecture.md names what is there, and every room."""

import re
from pathlib import Path

import mtvm

SOURCE = Path(mtvm.__file__).parent
PAGE = Path(__file__).parents[1] / "docs" / "architecture.md"


def table() -> str:
    page = PAGE.read_text(encoding="utf-8")
    return page.split("## A walk through the tree")[1].split("\n## ")[0]


def test_every_room_is_in_the_walk_through_the_tree():
    rooms = {path.parent.name for path in SOURCE.glob("*/__init__.py")}
    assert {"world", "features", "tasks", "models", "learning"} <= rooms
    assert {room for room in rooms if f"`{room}/`" not in table()} == set()


def test_walk_through_the_tree_names_nothing_that_is_not_there():
    named = set(re.findall(r"`(\w+\.py)`", table()))
    assert len(named) > 50
    assert named <= {path.name for path in SOURCE.rglob("*.py")}

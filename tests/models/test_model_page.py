"""docs/model.md and docs/paper-vs-code.md name only what there is."""

import ast
import dataclasses
import re
from pathlib import Path

import pytest

from mtvm.models.config import ModelConfig

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "mtvm"
PAGES = [ROOT / "docs" / name for name in ("model.md", "paper-vs-code.md")]
PATH = re.compile(r"`((?:models|learning|tasks)/[\w/]+\.py|tests/[\w/]+\.py)`")


def defined_in(path):
    """Names of a module, and of its classes with what is in them."""
    names = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            names.add(node.name)
        if isinstance(node, ast.ClassDef):
            names |= {f"{node.name}.{part.name}" for part in node.body if isinstance(part, ast.FunctionDef)}
    return names


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_page_names_files_that_are_there(page):
    found = PATH.findall(page.read_text(encoding="utf-8"))
    assert found
    missing = [name for name in found if not (ROOT / name if name.startswith("tests/") else SOURCE / name).is_file()]
    assert missing == []


def test_model_pages_table_names_what_its_files_define():
    """`file.py`: `Name`, `Other.method(...)`."""
    text = PAGES[0].read_text(encoding="utf-8")
    table = text[text.index("| in the paper | here |") : text.index("```sh")]
    pairs = re.findall(r"`([\w/]+\.py)`: ((?:`[^`]+`(?:, )?)+)", table)
    assert len(pairs) >= 8
    for file, names in pairs:
        known = defined_in(SOURCE / file)
        for name in re.findall(r"`([^`]+)`", names):
            assert name.partition("(")[0] in known or "/" in name or name.endswith(".py"), f"{file}: {name}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_page_names_options_that_there_are(page):
    known = {field.name.replace("_", "-") for field in dataclasses.fields(ModelConfig)}
    text = page.read_text(encoding="utf-8")
    assert set(re.findall(r"--model\.([a-z-]+)", text)) <= known
    assert {name.replace("_", "-") for name in re.findall(r"ModelConfig[(.](\w+)", text)} <= known

"""The notebook docs/tour.ipynb runs from its first cell to its last."""

import json
from pathlib import Path

import pytest

NOTEBOOK = Path(__file__).parents[1] / "docs" / "tour.ipynb"


def test_tour_runs(tmp_path, monkeypatch, capsys):
    pytest.importorskip("torch")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MTVM_DATA", raising=False)
    cells = [cell for cell in json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == "code"]
    assert len(cells) >= 5
    names = {"__name__": "tour"}
    for number, cell in enumerate(cells):
        exec(compile("".join(cell["source"]), f"cell {number}", "exec"), names)
    assert names["trained"].metrics()["SR"] > names["rule"].metrics()["SR"] + 20
    assert (tmp_path / "tour" / "map.svg").read_text().startswith("<svg")
    assert "drawn: attention.svg map.svg" in capsys.readouterr().out

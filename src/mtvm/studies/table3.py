"""Table 3: how the past enters the network."""

from __future__ import annotations

from mtvm.studies.blocks import Block, metrics_table
from mtvm.studies.findings import Findings
from mtvm.studies.published import SOURCE, TABLE3
from mtvm.studies.study import NO_CONSISTENCY, NO_HISTORY, Arm, Study

_NOTE = (
    "Every history is inside the same network and trained without the consistency loss, so that only histories differ; "
    "VLN⟲BERT is its own network; the last of our rows adds the consistency loss. " + SOURCE
)


def _draw(findings: Findings) -> list[Block]:
    title = "Table 3: success rate and success weighted by path length (%)"
    return [metrics_table(findings, title, ("SR", "SPL"), published=TABLE3, first="History encoding", note=_NOTE)]


def _history(name: str) -> dict[str, object]:
    return {"model.history": name, **NO_CONSISTENCY}


STUDY = Study(
    name="table3",
    title="Histories compared",
    source="Table 3 of the paper",
    says=(
        "The paper: oriented observations are the worst, cross-modal histories are better than visual ones in most "
        "settings, and the memory bank is the best."
    ),
    arms=(
        Arm("none", NO_HISTORY),
        Arm("oriented observations (E.T.)", _history("oriented")),
        Arm("hierarchical observations (HAMT)", _history("hierarchical")),
        Arm("recurrent state", _history("recurrent")),
        Arm("VLN⟲BERT", {"model.architecture": "vlnbert", **NO_CONSISTENCY}),
        Arm("memory bank", _history("memory")),
        Arm("memory bank + consistency"),
    ),
    draw=_draw,
    reference="memory bank",
)

"""Table 1: agents on R2R."""

from __future__ import annotations

from mtvm.studies.blocks import Block, metrics_table
from mtvm.studies.findings import Findings
from mtvm.studies.published import SOURCE, TABLE1
from mtvm.studies.study import NO_CONSISTENCY, NO_HISTORY, Arm, Study

MTVM = "MTVM"


def _draw(findings: Findings) -> list[Block]:
    title = "Table 1: navigation error (m), success rate and success weighted by path length (%)"
    return [metrics_table(findings, title, ("NE", "SR", "SPL"), published=TABLE1, note=SOURCE)]


STUDY = Study(
    name="table1",
    title="R2R: agents compared",
    source="Table 1 of the paper",
    says="The paper: MTVM is the best on val unseen and test, with SPL 59 on both, two points above VLN⟲BERT.",
    arms=(
        Arm(MTVM),
        Arm("VLN⟲BERT", {"model.architecture": "vlnbert", **NO_CONSISTENCY}),
        Arm("neither history nor consistency", NO_HISTORY),
    ),
    draw=_draw,
    shows=("NE", "SR", "SPL"),
    if_there=("r2r/test",),
    reference=MTVM,
    metrics=("SR", "SPL"),
    baselines=("random", "shortest"),
)

"""Table 4: the consistency loss and word dropping, with the memory bank and without."""

from __future__ import annotations

from mtvm.studies.blocks import Block, metrics_table
from mtvm.studies.findings import Findings
from mtvm.studies.published import SOURCE, TABLE4
from mtvm.studies.study import NO_CONSISTENCY, UNSEEN, Arm, Study

_DROPPED = {**NO_CONSISTENCY, "loss.word_dropping": 0.5}
_NONE = {"model.history": "none"}
_WEAK = {"loss.consistency.language_weight": 0.6 / 72, "loss.consistency.crossmodal_weight": 0.2 / 72}
"""To see whether the loss is too strong."""
_NOTE = (
    "Word dropping: half of the words are dropped as augmentation, without the consistency loss. Weak consistency: λs "
    "and λm of the paper divided by 72. " + SOURCE
)


def _draw(findings: Findings) -> list[Block]:
    title = "Table 4: success rate and success weighted by path length (%)"
    return [metrics_table(findings, title, ("SR", "SPL"), [UNSEEN], TABLE4, note=_NOTE)]


STUDY = Study(
    name="table4",
    title="Memory bank, consistency and word dropping",
    source="Table 4 of the paper",
    says=(
        "The paper: the consistency loss adds 1.7 points of SR and 0.8 of SPL to the memory bank; plain word dropping "
        "adds 0.5 and takes 0.8."
    ),
    arms=(
        Arm("memory bank", NO_CONSISTENCY),
        Arm("memory bank + consistency"),
        Arm("memory bank + weak consistency", _WEAK, quick=False),
        Arm("memory bank + word dropping", _DROPPED),
        Arm("no memory", {**_NONE, **NO_CONSISTENCY}),
        Arm("no memory + consistency", _NONE),
        Arm("no memory + word dropping", {**_NONE, **_DROPPED}),
    ),
    draw=_draw,
    reference="memory bank",
)

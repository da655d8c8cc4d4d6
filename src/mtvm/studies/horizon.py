"""Beyond the paper: does a longer memory pay on longer paths?"""

from __future__ import annotations

import numpy as np

from mtvm.studies.blocks import Block, Figure, metrics_table
from mtvm.studies.charts import Line, Panel, draw_panels
from mtvm.studies.findings import Findings
from mtvm.studies.study import NO_HISTORY, UNSEEN, Arm, Study
from mtvm.tasks.bootstrap import Interval

_LONG, _R4R = "long/val_unseen", "r4r/val_unseen"
_BINS = 4


def _draw(findings: Findings) -> list[Block]:
    panels = [_panel(findings, split) for split in findings.splits]
    described = "Success over the length of the reference path, a line for each memory; the table has the means."
    title = "Success against path length, by memory"
    return [
        Figure(f"horizon-{findings.preset}", title, draw_panels(panels), described),
        metrics_table(findings, "All lengths together", ("SR", "SPL", "nDTW"), first="Memory"),
    ]


def _panel(findings: Findings, split: str) -> Panel:
    """Success on a split, in bins of equally many episodes."""
    steps = findings.episodes(split).reference_lengths - 1
    edges = np.unique(np.quantile(steps, np.linspace(0, 1, _BINS + 1)).round())
    bins = np.clip(np.searchsorted(edges, steps, side="right") - 1, 0, max(len(edges) - 2, 0))
    centres = [float(steps[bins == one].mean()) for one in np.unique(bins)]
    lines = []
    for arm in findings.arms:
        scores = findings.scores(arm, split)
        if scores is not None:
            found: list[Interval] = [scores.mean("SR", np.nonzero(bins == one)[0]) for one in np.unique(bins)]
            lines.append(Line(arm, centres, found))
    return Panel(split, "steps of the reference path", "SR (%)", lines)


STUDY = Study(
    name="horizon",
    title="Memory and the length of the path",
    source="Beyond the paper",
    says="The question: what does memory do on paths that are longer than R2R's four to six steps?",
    arms=(
        Arm("1 step", {"model.history.steps": 1}),
        Arm("4 steps", {"model.history.steps": 4}),
        Arm("variable"),
        Arm("no memory", NO_HISTORY),
    ),
    draw=_draw,
    shows=("SR", "SPL", "nDTW"),
    splits=(UNSEEN, _R4R),
    if_there=(_LONG,),
    train=("r2r/train", "long/train", "r4r/train"),
    reference="variable",
    compared_on=_R4R,
    metrics=("SR", "nDTW"),
)

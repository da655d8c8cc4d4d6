"""The figure over the size of the memory bank."""

from __future__ import annotations

from mtvm.studies.blocks import Block, Figure, metrics_table
from mtvm.studies.charts import Line, Panel, draw_panels
from mtvm.studies.findings import Findings
from mtvm.studies.study import SEEN, UNSEEN, Arm, Study
from mtvm.tasks.metric import METRICS

_SIZES = ("1", "2", "3", "4", "variable")
_BASELINE = "no memory"
_METRICS = ("NE", "SR", "SPL")


def _draw(findings: Findings) -> list[Block]:
    panels = [_panel(findings, metric) for metric in _METRICS]
    described = "NE, SR and SPL over memory sizes 1, 2, 3, 4 and variable; the table has the numbers."
    title = "Size of the memory bank; dashed: no memory"
    return [
        Figure(f"memory-size-{findings.preset}", title, draw_panels(panels), described),
        metrics_table(findings, "The same as numbers", _METRICS, first="Memory"),
    ]


def _panel(findings: Findings, metric: str) -> Panel:
    lines, levels = [], []
    for split in (SEEN, UNSEEN):
        found = [(place, findings.mean(name, split, metric)) for place, name in enumerate(_SIZES)]
        known = [(float(place), one) for place, one in found if one is not None]
        lines.append(Line(split, [place for place, _ in known], [one for _, one in known]))
        if (level := findings.mean(_BASELINE, split, metric)) is not None:
            levels.append((f"{split}, {_BASELINE}", level.value))
    ticks = [(float(place), name) for place, name in enumerate(_SIZES)]
    return Panel(metric, "steps in memory", f"{metric} ({METRICS[metric].unit})", lines, levels, ticks)


STUDY = Study(
    name="memory-size",
    title="How much to remember",
    source="The paper's figure on the size of the memory bank",
    says=(
        "The paper: a larger memory helps in general, and the variable one is the best. Its dashed baseline is "
        "PREVALENT's own agent; ours is the same network, trained in the same way, without any history."
    ),
    arms=(
        *(Arm(size, {"model.history.steps": int(size)}) for size in _SIZES[:-1]),
        Arm("variable"),
        Arm(_BASELINE, {"model.history": "none"}),
    ),
    draw=_draw,
    shows=_METRICS,
    reference="variable",
)

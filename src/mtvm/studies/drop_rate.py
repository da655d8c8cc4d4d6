"""How many words the consistency loss drops."""

from __future__ import annotations

from mtvm.studies.blocks import Block, Figure, metrics_table
from mtvm.studies.charts import Line, Panel, draw_panels
from mtvm.studies.findings import Findings
from mtvm.studies.study import SEEN, UNSEEN, Arm, Study

_RATES = ("0.1", "0.3", "0.5", "0.7")


def _draw(findings: Findings) -> list[Block]:
    panels = []
    for metric in ("SR", "SPL"):
        lines = []
        for split in (SEEN, UNSEEN):
            found = [(float(rate), findings.mean(rate, split, metric)) for rate in _RATES]
            known = [(rate, one) for rate, one in found if one is not None]
            lines.append(Line(split, [rate for rate, _ in known], [one for _, one in known]))
        ticks = [(float(rate), rate) for rate in _RATES]
        panels.append(Panel(metric, "probability of dropping a word", f"{metric} (%)", lines, ticks=ticks))
    described = "SR and SPL over dropping rates 0.1, 0.3, 0.5 and 0.7; the table has the numbers."
    return [
        Figure(f"drop-rate-{findings.preset}", "Words dropped by the consistency loss", draw_panels(panels), described),
        metrics_table(findings, "The same as numbers", ("SR", "SPL"), first="Rate"),
    ]


STUDY = Study(
    name="drop-rate",
    title="How many words to drop",
    source="The paper's figure on word dropping rates",
    says="The paper: 0.1 is not as good as 0.5, and 0.7 is too much.",
    arms=tuple(Arm(rate, {"loss.consistency.drop_rate": float(rate)}) for rate in _RATES),
    draw=_draw,
    reference="0.5",
)

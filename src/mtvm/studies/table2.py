"""Table 2: goal progress on NDH under three kinds of supervision."""

from __future__ import annotations

from mtvm.acting.baselines import Baseline
from mtvm.studies.blocks import Block, Row, Table, formatted
from mtvm.studies.findings import Findings
from mtvm.studies.published import SOURCE, TABLE2
from mtvm.studies.study import NO_HISTORY, Arm, Study
from mtvm.tasks.metric import METRICS
from mtvm.tasks.ndh import SUPERVISIONS

_AGENTS = {"MTVM": {}, "no history": NO_HISTORY}
_SPLIT = "ndh/val_unseen"
_BASELINES: dict[str, Baseline] = {"random": "random", "shortest path": "shortest"}


def _arm(agent: str, supervision: str) -> str:
    return f"{agent}, {supervision}"


def _draw(findings: Findings) -> list[Block]:
    decimals = METRICS["GP"].decimals
    rows = []
    for label, baseline in _BASELINES.items():
        scores = [findings.baseline(baseline, _SPLIT, supervision) for supervision in SUPERVISIONS]
        rows.append(Row(label, tuple(METRICS["GP"].format(one.sample("GP").mean) for one in scores), "reference"))
    for agent in _AGENTS:
        found = [findings.mean(_arm(agent, supervision), _SPLIT, "GP") for supervision in SUPERVISIONS]
        rows.append(Row(agent, tuple(formatted(one, decimals) for one in found)))
    title = "Table 2: goal progress (m) on val unseen"
    columns = tuple(supervision.capitalize() for supervision in SUPERVISIONS)
    return [Table(title, columns, (*rows, *TABLE2), ((_SPLIT, len(columns)),), "Methods", SOURCE)]


STUDY = Study(
    name="table2",
    title="NDH: goal progress",
    source="Table 2 of the paper",
    says="The paper: MTVM makes 4.57, 4.80 and 5.15 m of progress, about a metre more than the best before it.",
    arms=tuple(
        Arm(_arm(agent, supervision), {"data.supervision": supervision, **options})
        for agent, options in _AGENTS.items()
        for supervision in SUPERVISIONS
    ),
    draw=_draw,
    shows=("GP",),
    splits=("ndh/val_seen", _SPLIT),
    train=("ndh/train",),
    options={"selection.split": "ndh/val_seen"},
    quick_options={"data.horizon": 20, "model.max_text": 120, "batch": 8},
    reference=_arm("MTVM", "mixed"),
    compared_on=_SPLIT,
    metrics=("GP",),
)

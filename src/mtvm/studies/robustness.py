"""Beyond the paper: what is left of success when words, ways or sight fail after training."""

from __future__ import annotations

from mtvm.studies.blocks import Block, Figure, Row, Table, formatted
from mtvm.studies.charts import Line, Panel, draw_panels
from mtvm.studies.conditions import CONDITIONS, MEANINGS
from mtvm.studies.findings import Findings, differences
from mtvm.studies.study import NO_CONSISTENCY, NO_HISTORY, UNSEEN, Arm, Study
from mtvm.tasks.metric import METRICS

_METRICS = ("SR", "SPL")
_PLAIN = "as it is"


def _draw(findings: Findings) -> list[Block]:
    named = {_PLAIN: None, **{name: name for name in CONDITIONS}}
    rows = []
    for label, condition in named.items():
        found = [(arm, metric) for arm in findings.arms for metric in _METRICS]
        cells = [
            formatted(findings.mean(arm, UNSEEN, metric, condition), METRICS[metric].decimals) for arm, metric in found
        ]
        rows.append(Row(label, tuple(cells)))
    note = "; ".join(f"{name}: {meaning}" for name, meaning in MEANINGS.items()) + "."
    table = Table(
        f"Success (%) on {UNSEEN}, changed after training",
        tuple(metric for _ in findings.arms for metric in _METRICS),
        tuple(rows),
        tuple((arm, len(_METRICS)) for arm in findings.arms),
        "condition",
        f"{note[0].upper()}{note[1:]} Scored on the unchanged episodes.",
    )
    described = "Success in each condition, a point for each agent; the table has the numbers."
    title = "What is left of success"
    drawn = draw_panels([_panel(findings, named)], width=7.0)
    return [Figure(f"robustness-{findings.preset}", title, drawn, described), table, _verdicts(findings, named)]


def _verdicts(findings: Findings, named: dict[str, str | None]) -> Table:
    """In each condition, all agents against the reference."""
    study = findings.study
    rows = [
        Row(label, (one.arm, one.metric, formatted(one.gain, METRICS[one.metric].decimals), one.verdict))
        for label, condition in named.items()
        for one in differences(findings, condition)
    ]
    columns = ("agent", "metric", "difference", "verdict")
    return Table(f"Is it more robust than {study.reference}?", columns, tuple(rows), first="condition")


def _panel(findings: Findings, named: dict[str, str | None]) -> Panel:
    lines = []
    for arm in findings.arms:
        found = [(place, findings.mean(arm, UNSEEN, "SR", one)) for place, one in enumerate(named.values())]
        known = [(float(place), one) for place, one in found if one is not None]
        lines.append(Line(arm, [place for place, _ in known], [one for _, one in known]))
    ticks = [(float(place), name.replace(" ", "\n")) for place, name in enumerate(named)]
    return Panel("", "", "SR (%)", lines, ticks=ticks, joined=False)


STUDY = Study(
    name="robustness",
    title="When words, ways or sight fail",
    source="Beyond the paper",
    says="The question: does the consistency loss, which drops words in training, make an agent robust, and to what?",
    arms=(
        Arm("memory bank + consistency"),
        Arm("memory bank", NO_CONSISTENCY),
        Arm("memory bank + word dropping", {**NO_CONSISTENCY, "loss.word_dropping": 0.5}),
        Arm("no memory", NO_HISTORY),
    ),
    draw=_draw,
    reference="memory bank",
    conditions=tuple(CONDITIONS),
)

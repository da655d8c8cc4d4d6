"""Beyond the paper: training data and the size of the network against success."""

from __future__ import annotations

from mtvm.studies.blocks import Block, Figure, metrics_table
from mtvm.studies.charts import Line, Panel, draw_panels
from mtvm.studies.findings import Findings
from mtvm.studies.study import SEEN, UNSEEN, Arm, Study

_SHARES = {"1/8 of the paths": 1 / 8, "1/4 of the paths": 1 / 4, "1/2 of the paths": 1 / 2}
_FULL = "all paths"
_WIDTHS = {"width 32": 32, "width 64": 64, "width 256": 256}
_HEAD = 32
"""Width of an attention head in the preset paper-small."""


def _draw(findings: Findings) -> list[Block]:
    shares = {**_SHARES, _FULL: 1.0}
    named_shares = {name: name.split(maxsplit=1)[0] for name in shares}
    sizes = {
        arm: cost["parameters_as_table5"] for arm in (*_WIDTHS, _FULL) if (cost := findings.training(arm)) is not None
    }
    named_sizes = {arm: f"{size / 1e6:.2f}M" for arm, size in sizes.items()}
    panels = [
        _panel(findings, "Training data", "share of the paths", shares, named_shares),
        _panel(findings, "Network", "parameters, as Table 5 counts them", sizes, named_sizes),
    ]
    drawn = draw_panels(panels)
    described = "Success over the share of training paths, and over parameters; the table has the numbers."
    return [
        Figure(f"scaling-{findings.preset}", "Data and size against success", drawn, described),
        metrics_table(findings, "The same as numbers", ("SR", "SPL"), first="Trained with"),
    ]


def _panel(findings: Findings, title: str, x: str, arms: dict[str, float], names: dict[str, str]) -> Panel:
    lines = []
    for split in (SEEN, UNSEEN):
        found = [
            (place, findings.mean(arm, split, "SR")) for arm, place in sorted(arms.items(), key=lambda one: one[1])
        ]
        known = [(place, one) for place, one in found if one is not None]
        lines.append(Line(split, [place for place, _ in known], [one for _, one in known]))
    ticks = [(place, names[arm]) for arm, place in arms.items()]
    return Panel(title, x, "SR (%)", lines, ticks=ticks, logarithmic=True)


def _width(hidden: int) -> dict[str, object]:
    return {"model.hidden": hidden, "model.heads": max(hidden // _HEAD, 1), "model.intermediate": 4 * hidden}


STUDY = Study(
    name="scaling",
    title="More data, larger networks",
    source="Beyond the paper",
    says="The question: is success limited by training data or by the size of the network, at the same updates?",
    arms=(
        *(Arm(name, share=share) for name, share in _SHARES.items()),
        *(Arm(name, _width(hidden), quick=hidden < 256) for name, hidden in _WIDTHS.items()),
        Arm(_FULL),
    ),
    draw=_draw,
    reference=_FULL,
)

"""The weights of the consistency loss, as a heat map."""

from __future__ import annotations

import math

from mtvm.studies.blocks import Block, Figure, metrics_table
from mtvm.studies.charts import draw_heat_map
from mtvm.studies.findings import Findings
from mtvm.studies.study import UNSEEN, Arm, Study

_WEIGHTS = (0.0, 0.2, 0.6, 2.0, 4.0, 6.0, 8.0)
_QUICK = ((0.2, 0.6, 2.0), (0.2, 2.0))
"""The paper's setup has 0.6 and 0.2; its sensitivity study and the released code 6 and 2, of another loss."""


def _arm(language: float, crossmodal: float) -> str:
    return f"λs {language:g}, λm {crossmodal:g}"


def _draw(findings: Findings) -> list[Block]:
    there = set(findings.arms)
    languages = [one for one in _WEIGHTS if any(_arm(one, other) in there for other in _WEIGHTS)]
    crossmodals = [one for one in _WEIGHTS if any(_arm(other, one) in there for other in _WEIGHTS)]
    values = [[_spl(findings, language, crossmodal) for crossmodal in crossmodals] for language in languages]
    rows, columns = ([f"{one:g}" for one in some] for some in (languages, crossmodals))
    drawn = draw_heat_map(values, rows, columns, "λm, cross-modal", "λs, language", f"SPL on {UNSEEN} (%)")
    described = "A heat map of SPL over the two weights; the table has the numbers."
    return [
        Figure(f"sensitivity-{findings.preset}", "Weights of the consistency loss; darker is better", drawn, described),
        metrics_table(findings, "The same as numbers", ("SR", "SPL"), first="Weights"),
    ]


def _spl(findings: Findings, language: float, crossmodal: float) -> float:
    found = findings.mean(_arm(language, crossmodal), UNSEEN, "SPL")
    return math.nan if found is None else found.value


STUDY = Study(
    name="sensitivity",
    title="Weights of the consistency loss",
    source="The paper's heat map of λs and λm",
    says="The paper: SPL is not very sensitive to the two weights around 2 to 8.",
    arms=tuple(
        Arm(
            _arm(language, crossmodal),
            {"loss.consistency.language_weight": language, "loss.consistency.crossmodal_weight": crossmodal},
            quick=language in _QUICK[0] and crossmodal in _QUICK[1],
        )
        for language in _WEIGHTS
        for crossmodal in _WEIGHTS
    ),
    draw=_draw,
    reference=_arm(0.6, 0.2),
)

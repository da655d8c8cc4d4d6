"""What the paper claims, decided over all of R2R's buildings whose goals are known: each is once new to the agents."""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import NDArray

from mtvm.studies.blocks import MISSING, Block, Row, Table, formatted, metrics_table
from mtvm.studies.findings import Findings
from mtvm.studies.study import NEW, NO_CONSISTENCY, NO_HISTORY, Arm, Options, Study
from mtvm.tasks import bootstrap
from mtvm.tasks.bootstrap import LEVEL, Interval, Sample
from mtvm.tasks.episode import EpisodeSet
from mtvm.world.storeys import storey_changes, storeys

MEMORY, CONSISTENCY, DROPPING = "memory bank", "memory bank + consistency", "memory bank + word dropping"
RECURRENT, VLNBERT, NONE = "recurrent state", "VLN⟲BERT", "no memory"
HAMT, ET = "hierarchical observations (HAMT)", "oriented observations (E.T.)"
SHORT, LONGER = "memory bank of 1 step", "memory bank of 4 steps"
FOLDS = 6
_FEWER = (1, 2, 3, 4)


@dataclasses.dataclass(frozen=True)
class Claim:
    """That an agent is better than another."""

    text: str
    arm: str
    against: str
    paper: tuple[float, float] | None
    """By how much, in SR and SPL on val_unseen, from its tables; None where it has only a figure."""


CLAIMS = (
    Claim("A history is worth having (Table 1, against PREVALENT's own agent)", MEMORY, NONE, (64.0 - 58, 58.6 - 53)),
    Claim("The memory bank is better than a recurrent state", MEMORY, RECURRENT, (64.0 - 63, 58.6 - 57)),
    Claim("MTVM is better than VLN⟲BERT (Table 3)", CONSISTENCY, VLNBERT, (65.7 - 63, 59.4 - 57)),
    Claim("MTVM is better than HAMT's history (Table 3)", CONSISTENCY, HAMT, (65.7 - 63.5, 59.4 - 57.5)),
    Claim("MTVM is better than E.T.'s history (Table 3)", CONSISTENCY, ET, (65.7 - 59.0, 59.4 - 54.5)),
    Claim("The consistency loss helps (Table 4)", CONSISTENCY, MEMORY, (65.7 - 64.0, 59.4 - 58.6)),
    Claim(
        "It is better than dropping words (Table 4)",
        CONSISTENCY,
        DROPPING,
        (65.7 - 64.5, 59.4 - 57.8),
    ),
    Claim("All steps are better than the last one (figure)", MEMORY, SHORT, None),
    Claim("All steps are better than the last four (figure)", MEMORY, LONGER, None),
)
_PAIRS = ((MEMORY, NONE), (MEMORY, RECURRENT), (CONSISTENCY, MEMORY))
"""Whose difference is looked at by kinds of episodes."""


def _draw(findings: Findings) -> list[Block]:
    measured = metrics_table(findings, "All agents, in buildings that are new to them", ("SR", "SPL"), [NEW])
    details = (_kinds_table(findings), _steps_table(findings))
    return [_claims_table(findings), measured, *(table for table in details if table.rows)]


def _samples(findings: Findings, claim: Claim, metric: str) -> tuple[Sample, Sample] | None:
    ours, theirs = findings.scores(claim.arm, NEW), findings.scores(claim.against, NEW)
    if ours is None or theirs is None:
        return None
    return ours.sample(metric), theirs.sample(metric)


def _claims_table(findings: Findings) -> Table:
    found = [(claim, pair) for claim in CLAIMS if (pair := _samples(findings, claim, "SR")) is not None]
    corrected = bootstrap.holm([bootstrap.p_value(*pair) for _, pair in found])
    rows = []
    for (claim, pair), p_value in zip(found, corrected, strict=True):
        success = bootstrap.difference(*pair)
        lengths = _samples(findings, claim, "SPL")
        assert lengths is not None
        published = MISSING if claim.paper is None else " / ".join(f"{one:+.1f}" for one in claim.paper)
        cells = (
            published,
            formatted(success, signed=True),
            formatted(bootstrap.difference(*lengths), signed=True),
            f"{p_value:.3f}",
            verdict(success, p_value),
        )
        rows.append(Row(claim.text, cells))
    note = (
        f"Differences in percentage points, with {LEVEL:.0%} intervals over buildings and seeds, each by itself. The p "
        "of SR, and so the verdict, are corrected for all lines of this table together, by Holm's method."
    )
    columns = ("paper, SR / SPL", "SR", "SPL", "p", "verdict on SR")
    return Table("What the paper claims", columns, tuple(rows), first="claim", note=note)


def verdict(gain: Interval, p_value: float) -> str:
    """What can be said of a difference of rates after Holm's correction."""
    if not gain.is_known:
        return "cannot tell"
    if p_value < 1 - LEVEL:
        return "better" if gain.value > 0 else "worse"
    return f"no larger than {gain.high:.1f}" if gain.high > 0 else "not better"


def kinds(episodes: EpisodeSet) -> dict[str, NDArray[np.bool_]]:
    """Episodes by the length of the path, the storeys that it changes, and the length of the instruction."""
    steps = episodes.reference_lengths - 1
    changes = storey_changes(storeys(episodes.world), episodes.references)
    words = np.array([len(text.split()) for text in episodes.texts])
    return {
        "paths of up to 4 steps": steps <= 4,
        "of 5": steps == 5,
        "of 6 and more": steps >= 6,
        "on one storey": changes == 0,
        "to another storey": changes > 0,
        "instructions of up to 20 words": words <= 20,
        "of 21 to 30": (words > 20) & (words <= 30),
        "of 31 and more": words > 30,
    }


def _kinds_table(findings: Findings) -> Table:
    parts = [kinds(episodes) for episodes in findings.fold_episodes()]
    pairs = [(one, other) for one, other in _PAIRS if findings.scores(one, NEW) and findings.scores(other, NEW)]
    rows = []
    for name in parts[0] if pairs else ():
        chosen = np.nonzero(np.concatenate([part[name] for part in parts]))[0]
        if not len(chosen):
            continue
        cells = []
        for pair in pairs:
            ours, theirs = (scores for arm in pair if (scores := findings.scores(arm, NEW)) is not None)
            gain = bootstrap.difference(ours.sample("SR", chosen), theirs.sample("SR", chosen))
            cells.append(formatted(gain, signed=True))
        rows.append(Row(name, (str(len(chosen)), *cells)))
    columns = ("episodes", *(f"{one}, against {other}" for one, other in pairs))
    return Table("Where does it help? Differences of SR", columns, tuple(rows), first="episodes")


def _steps_table(findings: Findings) -> Table:
    rows = []
    for steps in (*_FEWER, None):
        scores = findings.scores(MEMORY, NEW, memory_steps=steps)
        trained = {1: SHORT, 4: LONGER, None: MEMORY}.get(steps)
        alike = findings.scores(trained, NEW) if trained else None
        if scores is not None:
            cells = [
                MISSING if one is None else formatted(one.mean(metric))
                for one in (scores, alike)
                for metric in ("SR", "SPL")
            ]
            rows.append(Row("all" if steps is None else str(steps), tuple(cells)))
    groups = (("evaluated so", 2), ("trained so too", 2))
    return Table("Memory of fewer steps", ("SR", "SPL", "SR", "SPL"), tuple(rows), groups, first="last steps in memory")


def _history(name: str) -> Options:
    return {"model.history": name, **NO_CONSISTENCY}


_WITH_LOSS: Options = {"loss.consistency.enabled": True, "loss.word_dropping": 0.0}
_SAYS = (
    "The paper compares agents in the 11 buildings of val_unseen, one training each. Here the 72 buildings of R2R "
    f"whose goals are known are dealt into {FOLDS} folds; an agent of each arm learns in the buildings of the other "
    "folds, sees names that were guessed by networks which saw no others, and is evaluated on all instructions of its "
    "own fold. Its weights are those at the end of training. All arms have the same batches, seeds and updates."
)

STUDY = Study(
    name="claims",
    title="The paper's claims, in 72 new buildings",
    source="Tables 1, 3 and 4 of the paper, and its figure on the size of the memory bank",
    says=_SAYS,
    arms=(
        Arm(MEMORY, NO_CONSISTENCY, fewer_steps=_FEWER),
        Arm(CONSISTENCY, _WITH_LOSS),
        Arm(NONE, NO_HISTORY),
        Arm(RECURRENT, _history("recurrent"), quick=False),
        Arm(DROPPING, {**NO_CONSISTENCY, "loss.word_dropping": 0.5}, quick=False),
        Arm(VLNBERT, {"model.architecture": "vlnbert", **NO_CONSISTENCY}, quick=False),
        Arm(HAMT, _history("hierarchical"), quick=False),
        Arm(ET, _history("oriented"), quick=False),
        Arm(SHORT, {"model.history.steps": 1, **NO_CONSISTENCY}, quick=False),
        Arm(LONGER, {"model.history.steps": 4, **NO_CONSISTENCY}, quick=False),
    ),
    draw=_draw,
    splits=(NEW,),
    folds=FOLDS,
    preset="r2r-claims",
    reference=MEMORY,
    compared_on=NEW,
)

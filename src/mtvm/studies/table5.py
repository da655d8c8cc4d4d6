"""Table 5: what the networks cost."""

from __future__ import annotations

import dataclasses

from mtvm.studies.blocks import MISSING, Block, Row, Table, formatted, heading
from mtvm.studies.findings import Findings
from mtvm.studies.published import SOURCE, TABLE5
from mtvm.studies.study import NO_CONSISTENCY, UNSEEN, Arm, Study
from mtvm.tasks.metric import METRICS

_NOTE = (
    "Parameters without language encoder and critic, as the paper counts VLN⟲BERT's; memory is the most that the "
    "training process had, data and libraries included, where the paper's is a GPU's with batches of 16. " + SOURCE
)


def _draw(findings: Findings) -> list[Block]:
    rows = tuple(_row(findings, arm) for arm in findings.arms)
    columns = ("parameters", "peak memory", "s per update", "s per episode", heading("SR"), heading("SPL"))
    groups = (("cost", 4), (UNSEEN, 2))
    published = tuple(dataclasses.replace(row, kind="published") for row in TABLE5)
    return [Table("Table 5: cost and success", columns, rows + published, groups, "Methods", _NOTE)]


def _row(findings: Findings, arm: str) -> Row:
    cost, walking = findings.training(arm), findings.seconds_per_episode(arm, UNSEEN)
    cells = [MISSING] * 3
    if cost is not None:
        cells = [
            f"{cost['parameters_as_table5'] / 1e6:.2f} M",
            f"{cost['peak_memory_bytes'] / 1e9:.2f} GB",
            f"{cost['seconds_per_update']:.2f}",
        ]
    cells.append(MISSING if walking is None else f"{walking:.4f}")
    cells += [formatted(findings.mean(arm, UNSEEN, metric), METRICS[metric].decimals) for metric in ("SR", "SPL")]
    return Row(arm, tuple(cells))


STUDY = Study(
    name="table5",
    title="Memory and computation",
    source="Table 5 of the paper",
    says=(
        "The paper: with text only as key and value, MTVM†* needs a little less memory than VLN⟲BERT and does better; "
        "with both directions it needs twice as much and does best."
    ),
    arms=(
        Arm("VLN⟲BERT", {"model.architecture": "vlnbert", **NO_CONSISTENCY}),
        Arm("MTVM†* (single direction)", {"model.architecture.bidirectional": False, **NO_CONSISTENCY}),
        Arm("MTVM† (no consistency)", NO_CONSISTENCY),
    ),
    draw=_draw,
    reference="VLN⟲BERT",
)

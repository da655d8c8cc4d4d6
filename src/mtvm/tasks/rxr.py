"""RxR: long instructions in English, Hindi and Telugu, along paths that need not be the shortest.

Its guide annotations are JSON lines, `rxr_<split>_guide.jsonl.gz`, one for each instruction. What its leaderboard takes
is JSON lines too, `{"instruction_id": ..., "path": [viewpoint, ...]}`.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from mtvm.tasks import r2r
from mtvm.tasks.episode import EpisodeSet
from mtvm.tasks.records import TaskFile

_ID_FIELD = "instruction_id"
_UNKNOWN = -1
_TESTS = {"test": "test_standard_public", "test_challenge": "test_challenge_public"}


def read_rxr(file: TaskFile) -> EpisodeSet:
    """Episodes of a file of guide annotations; ids are `instruction_id`. The extra fields are `language`, such as
    `en-US`, and `annotator`, a number, -1 where a program wrote the instruction."""
    records, world = file.open(_ID_FIELD, without=("timed_instruction",))  # most of the file, and nobody reads it
    for entry, text in zip(records.entries, records.column("instruction", str), strict=True):
        entry["instructions"] = [text]
    languages = records.column("language", str)
    annotators = records.column("annotator_id", int, _UNKNOWN)
    return dataclasses.replace(
        r2r.episodes_of(file, records, world),
        ids=[str(identity) for identity in records.unique_ids(int)],
        extra={"language": languages, "annotator": np.array(annotators)},
    )


def _file_names(split: str) -> list[str]:
    return [f"rxr_{_TESTS.get(split, split)}_guide.jsonl{ending}" for ending in (".gz", "")]


def _horizon(supervision: str) -> int:
    return 30


SPEC = dataclasses.replace(
    r2r.SPEC,
    name="rxr",
    title="RxR",
    remedy="mtvm data fetch rxr",
    file_names=_file_names,
    read=read_rxr,
    horizon=_horizon,
    splits=("train", "val_seen", "val_unseen", *_TESTS),
    success_elsewhere=(),
    follow="path",
    selection_metric="nDTW",
    headline_metrics=("SR", "SPL", "nDTW", "SDTW"),
    id_field=_ID_FIELD,
    id_type=int,
    submission="paths",
    max_text=250,
)

"""Long episodes of the built-in world, with returns and loops: R2R's file format with `via`."""

from __future__ import annotations

import dataclasses

from mtvm.tasks import r4r
from mtvm.tasks.data import json_names


def _file_names(split: str) -> list[str]:
    return json_names(f"LONG_{split}")


SPEC = dataclasses.replace(
    r4r.SPEC,
    name="long",
    title="long episodes",
    remedy="mtvm homes build makes some, in the built-in world",
    file_names=_file_names,
)

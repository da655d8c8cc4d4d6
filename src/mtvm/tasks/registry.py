"""All tasks by name, and finding a user's own."""

from __future__ import annotations

import dataclasses

from mtvm.errors import InputError
from mtvm.plugins import is_object_name, load_object
from mtvm.tasks import long, ndh, prevalent, r2r, r4r, reverie, rxr
from mtvm.tasks.spec import TaskSpec

_SPECS = (r2r.SPEC, r4r.SPEC, long.SPEC, ndh.SPEC, reverie.SPEC, rxr.SPEC, prevalent.SPEC)
TASKS: dict[str, TaskSpec] = {spec.name: spec for spec in _SPECS}


def find_task(name: str) -> TaskSpec:
    """The task of this name, or the `TaskSpec` called NAME in a module of yours, written `module:NAME`."""
    if name in TASKS:
        return TASKS[name]
    if not is_object_name(name):
        raise InputError(f"unknown task '{name}'; give one of {', '.join(TASKS)}, or MODULE:NAME for your own.")
    spec: TaskSpec = load_object(name, TaskSpec, "task")
    return dataclasses.replace(spec, origin=name)

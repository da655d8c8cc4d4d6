"""All tasks by name, and finding a user's own."""

from __future__ import annotations

import importlib

from mtvm.errors import InputError
from mtvm.tasks import long, ndh, prevalent, r2r, r4r
from mtvm.tasks.spec import TaskSpec

TASKS: dict[str, TaskSpec] = {spec.name: spec for spec in (r2r.SPEC, r4r.SPEC, long.SPEC, ndh.SPEC, prevalent.SPEC)}


def find_task(name: str) -> TaskSpec:
    """The task of this name, or the `TaskSpec` called NAME in a module of yours, written `module:NAME`."""
    if name in TASKS:
        return TASKS[name]
    module_name, colon, attribute = name.partition(":")
    if not (colon and module_name and attribute) or module_name.startswith("."):
        raise InputError(f"unknown task '{name}'; give one of {', '.join(TASKS)}, or module:NAME for your own.")
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module_name}.".startswith(f"{error.name}."):
            raise  # the module is there, but something that it imports is not
        raise InputError(f"task '{name}': there is no module '{module_name}'; put its folder on PYTHONPATH.") from None
    spec = getattr(module, attribute, None)
    if spec is None:
        raise InputError(f"task '{name}': module '{module_name}' has no '{attribute}'.")
    if not isinstance(spec, TaskSpec):
        raise InputError(f"task '{name}': '{attribute}' is a {type(spec).__name__}, not a TaskSpec.")
    return spec

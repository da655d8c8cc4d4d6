"""Configs of earlier versions, as this version writes them. What was renamed or moved is said here alone.

Only plain values are moved about; whether they make sense is checked by whoever reads them.
"""

from __future__ import annotations

from typing import Any


def model_as_today(values: Any) -> Any:
    """A plain model config, whose parts once had their options among those of all networks."""
    if not isinstance(values, dict):
        return values
    rest = dict(values)
    taken = {
        name: rest.pop(name)
        for name in ("bidirectional", "pool_padding", "memory_steps", "panorama_layers", "temporal_layers")
        if name in rest
    }
    architecture, history = rest.get("architecture", "mtvm"), rest.get("history", "memory")
    if not isinstance(architecture, str) or not isinstance(history, str):
        return values
    rest["architecture"], rest["history"] = {"name": architecture}, {"name": history}
    if architecture == "mtvm":
        rest["architecture"] |= _some(taken, bidirectional="bidirectional")
        if "pool_padding" in taken:
            rest["architecture"]["released"] = {"padding": taken["pool_padding"]}
    if history in ("memory", "oriented", "hierarchical"):
        rest["history"] |= _some(taken, memory_steps="steps")
    if history == "hierarchical":
        rest["history"] |= _some(taken, panorama_layers="panorama_layers", temporal_layers="temporal_layers")
    return rest


def run_as_today(values: Any) -> Any:
    """A plain config of a run."""
    if not isinstance(values, dict):
        return values
    run = values | ({"model": model_as_today(values["model"])} if "model" in values else {})
    loss = run.get("loss")
    if isinstance(loss, dict) and isinstance(loss.get("consistency"), dict) and "variant" in loss["consistency"]:
        consistency = dict(loss["consistency"])
        released = consistency.pop("variant") == "released"
        run["loss"] = loss | {"consistency": consistency}
        model = run.get("model")
        if released and isinstance(model, dict) and isinstance(model.get("architecture"), dict):
            switches = model["architecture"].get("released", {}) | {"consistency": True}
            run["model"] = model | {"architecture": model["architecture"] | {"released": switches}}
    return run


def _some(values: dict[str, Any], **names: str) -> dict[str, Any]:
    """Some of the values, by their new names."""
    return {new: values[old] for old, new in names.items() if old in values}

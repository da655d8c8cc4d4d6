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


def speaker_as_today(values: Any) -> Any:
    """A plain config of a speaker's training, whose model has no parts."""
    if not isinstance(values, dict) or "optimizer" not in values:
        return values
    return values | {"optimizer": _renamed(values["optimizer"], accumulate="gradient_accumulation")}


def run_as_today(values: Any) -> Any:
    """A plain config of an agent's training."""
    if not isinstance(values, dict):
        return values
    run = dict(speaker_as_today(values))
    if "model" in run:
        run["model"] = model_as_today(run["model"])
    if isinstance(loss := run.get("loss"), dict):
        names = {"discount": "gamma", "value_weight": "value_coefficient", "entropy_weight": "entropy_coefficient"}
        run["loss"] = loss | ({"a2c": _renamed(loss["a2c"], **names)} if "a2c" in loss else {})
        run = _with_released_loss(run)
    return run


def _with_released_loss(run: dict[str, Any]) -> dict[str, Any]:
    """Which consistency loss it was, which the loss's own config said once."""
    loss, model = run["loss"], run.get("model")
    consistency = loss.get("consistency")
    if not isinstance(consistency, dict) or consistency.get("variant") not in ("paper", "released"):
        return run
    kept = {name: value for name, value in consistency.items() if name != "variant"}
    run = run | {"loss": loss | {"consistency": kept}}
    architecture = model.get("architecture") if isinstance(model, dict) else None
    if consistency["variant"] == "released" and isinstance(model, dict) and isinstance(architecture, dict):
        switches = architecture.get("released", {})
        if architecture.get("name") == "mtvm" and isinstance(switches, dict):
            run["model"] = model | {"architecture": architecture | {"released": switches | {"consistency": True}}}
    return run


def _renamed(values: Any, **names: str) -> Any:
    """The values with the new names of some."""
    if not isinstance(values, dict) or any(new in values for new in names.values()):
        return values
    return {names.get(name, name): value for name, value in values.items()}


def _some(values: dict[str, Any], **names: str) -> dict[str, Any]:
    """Some of the values, by their new names."""
    return {new: values[old] for old, new in names.items() if old in values}

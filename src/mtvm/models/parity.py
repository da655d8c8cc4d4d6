"""Compares our model with recorded computations of the released one.

A folder holds `parity_weights.safetensors` (the authors' names with the prefixes `vln_bert.` and `critic.`),
`parity_io.safetensors` (inputs and outputs of each step) and `parity_meta.json` (sizes).
"""

from __future__ import annotations

from pathlib import Path

import torch
from torch import Tensor

from mtvm.errors import InputError
from mtvm.files import read_json
from mtvm.models.config import ModelConfig
from mtvm.models.history.memory_bank import Remembered
from mtvm.models.model import MTVM
from mtvm.models.text import Tokens
from mtvm.models.weights import load_released, read_weight_file

_SIZES = {
    "hidden": "hidden_size",
    "heads": "num_attention_heads",
    "intermediate": "intermediate_size",
    "language_layers": "language_layers",
    "crossmodal_layers": "crossmodal_layers",
    "feature_width": "feature_size",
    "angle_width": "angle_feat_size",
    "max_text": "max_text",
    "vocabulary": "vocab_size",
}
_SIZES_BY_TENSOR = {
    "critic_hidden": "critic.state2value.0.bias",
    "max_positions": "vln_bert.vision_pos_encoder.position_embeddings.weight",
}


def load_parity_model(folder: Path) -> tuple[MTVM, dict[str, Tensor], int]:
    """The model with the recorded weights, the recorded tensors, and the number of steps."""
    meta = read_json(folder / "parity_meta.json", "parity description")
    missing = [key for key in (*_SIZES.values(), "steps") if not isinstance(meta, dict) or key not in meta]
    if missing:
        raise InputError(f"{folder / 'parity_meta.json'}: field '{missing[0]}' is missing.")
    if not isinstance(meta["steps"], int):
        raise InputError(f"{folder / 'parity_meta.json'}: 'steps' is not a whole number.")
    weights = folder / "parity_weights.safetensors"
    stored = {name: value for name, value in read_weight_file(weights).items() if isinstance(value, Tensor)}
    tensors = {name.removeprefix("vln_bert."): value for name, value in stored.items()}
    sizes = {ours: meta[theirs] for ours, theirs in _SIZES.items()} | {
        ours: len(tensors[name]) for ours, name in _SIZES_BY_TENSOR.items() if name in tensors
    }
    model = MTVM(ModelConfig(**sizes, pool_padding=True)).eval()
    report = load_released(model, tensors, weights)
    if report.fresh:
        raise InputError(f"{weights}: has no tensor for {report.fresh[0]}.")
    recorded = read_weight_file(folder / "parity_io.safetensors")
    found = {name: value for name, value in recorded.items() if isinstance(value, Tensor)}
    kinds = ("stream_features", "stream_mask", "logits", "head_tanh", "state", "value")
    needed = ["sentence", "lang_mask", "text_embeds"] + [
        f"step{n}.{kind}" for n in range(meta["steps"]) for kind in kinds
    ]
    for name in needed:
        if name not in found:
            raise InputError(f"{folder / 'parity_io.safetensors'}: tensor '{name}' is missing.")
    return model, found, meta["steps"]


@torch.no_grad()
def measure_parity(folder: Path) -> dict[str, float]:
    """The largest difference of each kind over all steps; the memory is our own."""
    model, recorded, steps = load_parity_model(Path(folder))
    tokens = Tokens(recorded["sentence"], torch.full_like(recorded["sentence"], -1))
    text = model.encode(tokens)
    worst = {"language": _difference(text.states, recorded["text_embeds"])}
    worst |= dict.fromkeys(("logits", "activations", "memory", "state", "value"), 0.0)
    past: Remembered = model.start(text)
    ended = torch.zeros(len(tokens.ids), dtype=torch.bool)
    for number in range(steps):
        known = {name: recorded[f"step{number}.{name}"] for name in ("stream_features", "stream_mask", "logits")}
        stream, mask = known["stream_features"], known["stream_mask"].bool()
        step = model.step(text, past, stream[:, number:], mask[:, number:])
        found = {
            "logits": _difference(step.logits[step.mask], known["logits"][step.mask]),
            "activations": _difference(step.activations, recorded[f"step{number}.head_tanh"]),
            "memory": _difference(past.bank.tokens(), stream[:, :number]),
            "state": _difference(model.pooler(step), recorded[f"step{number}.state"]),
            "value": _difference(model.value(step), recorded[f"step{number}.value"]),
        }
        worst |= {kind: _larger(worst[kind], difference) for kind, difference in found.items()}
        chosen = step.logits.argmax(dim=1)
        ended |= chosen == mask[:, number:].sum(dim=1) - 1  # STOP
        if number + 1 < steps:
            direction = recorded[f"step{number + 1}.stream_features"][:, number, model.config.feature_width :]
            step.activations[ended] = 0  # the released code stores zeros for episodes that have stopped
            past = model.remember(past, step, chosen, direction)
    return worst


def _larger(one: float, other: float) -> float:
    return other if other != other or other > one else one


def _difference(ours: Tensor, theirs: Tensor) -> float:
    if ours.shape != theirs.shape:
        raise InputError(f"parity tensors of shape {tuple(theirs.shape)} do not fit ours of shape {tuple(ours.shape)}.")
    return float((ours - theirs).abs().max()) if ours.numel() else 0.0

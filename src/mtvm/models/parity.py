"""Our networks against recorded computations of the released ones.

A recording is three files: `NAME_weights.safetensors` (the authors' names with the prefixes `vln_bert.` and `critic.`),
`NAME_io.safetensors` (what went in and came out, step by step) and `NAME_meta.json` (sizes).
"""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from mtvm.errors import InputError
from mtvm.io.files import read_json
from mtvm.io.weight_files import read_weight_file
from mtvm.models.config import ModelConfig
from mtvm.models.history.memory_bank import Remembered
from mtvm.models.model import MTVM
from mtvm.models.network import Network, make_network
from mtvm.models.parts import MTVMConfig, ReleasedCode
from mtvm.models.text import Tokens
from mtvm.models.vlnbert import VLNBert
from mtvm.models.weights import load_released

Differences = dict[str, float]
"""The largest difference of each kind of output."""

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
    "max_positions": "vln_bert.embeddings.position_embeddings.weight",
}


@dataclasses.dataclass(frozen=True)
class Recording:
    """What was recorded, and our network with the same weights."""

    meta: dict[str, Any]
    model: Network
    tensors: dict[str, Tensor]
    path: Path

    @property
    def steps(self) -> int:
        return int(self.meta["steps"])

    def __getitem__(self, name: str) -> Tensor:
        if name not in self.tensors:
            raise InputError(f"{self.path}: tensor '{name}' is missing.")
        return self.tensors[name]

    @property
    def tokens(self) -> Tokens:
        ids = self.numbers("sentence", len(self.model.language.word_table))
        return Tokens(ids, torch.full_like(ids, -1))

    def numbers(self, name: str, count: int, least: int = 0) -> Tensor:
        """A tensor of numbers of things, of which there are so many; `least` may stand for none."""
        numbers = self[name]
        if not ((numbers >= least) & (numbers < count)).all():
            raise InputError(f"{self.path}: tensor '{name}' has numbers that are not from {least} to {count - 1}.")
        return numbers


_FILES = ("meta.json", "weights.safetensors", "io.safetensors")


def is_there(folder: Path, name: str) -> bool:
    """Whether a recording is in the folder, whole or not."""
    return any((folder / f"{name}_{file}").is_file() for file in _FILES)


def load_recording(folder: Path, name: str, **options: Any) -> Recording:
    """The recording `name` in a folder; `options` are further fields of the network's config."""
    path = folder / f"{name}_meta.json"
    meta = read_json(path, "parity description")
    missing = [key for key in (*_SIZES.values(), "steps") if not isinstance(meta, dict) or key not in meta]
    if missing:
        raise InputError(f"{path}: field '{missing[0]}' is missing.")
    if not isinstance(meta["steps"], int) or meta["steps"] < 1:
        raise InputError(f"{path}: 'steps' is not a whole number of at least 1.")
    weights = folder / f"{name}_weights.safetensors"
    stored = {key: value for key, value in read_weight_file(weights).items() if isinstance(value, Tensor)}
    tensors = {key.removeprefix("vln_bert."): value for key, value in stored.items()}
    sizes = {ours: meta[theirs] for ours, theirs in _SIZES.items()} | {
        ours: len(tensors[theirs]) for ours, theirs in _SIZES_BY_TENSOR.items() if theirs in tensors
    }
    positions = tensors.get("vln_bert.vision_pos_encoder.position_embeddings.weight")
    if positions is not None:
        sizes["max_positions"] = len(positions)
    model = make_network(ModelConfig(**sizes, **options)).eval()
    report = load_released(model, tensors, weights)
    if report.fresh:
        raise InputError(f"{weights}: has no tensor for {report.fresh[0]}.")
    file = folder / f"{name}_io.safetensors"
    recorded = {key: value for key, value in read_weight_file(file).items() if isinstance(value, Tensor)}
    return Recording(meta, model, recorded, file)


@torch.no_grad()
def mtvm_differences(folder: Path) -> Differences:
    """MTVM over all recorded steps, with our own memory carried from step to step."""
    recorded = load_recording(folder, "parity", architecture=MTVMConfig(released=ReleasedCode(padding=True)))
    model = recorded.model
    assert isinstance(model, MTVM)
    text = model.encode(recorded.tokens)
    worst = {"language": difference(text.states, recorded["text_embeds"])}
    past: Remembered = model.start(text)
    ended = torch.zeros(len(text), dtype=torch.bool)
    for number in range(recorded.steps):
        known = {name: recorded[f"step{number}.{name}"] for name in ("stream_features", "stream_mask", "logits")}
        stream, mask = known["stream_features"], known["stream_mask"].bool()[:, number:]
        step = model.step(text, past, stream[:, number:], mask)
        found = {
            "logits": difference(step.logits, known["logits"], step.mask),
            "activations": difference(step.activations, recorded[f"step{number}.head_tanh"]),
            "memory": difference(past.bank.tokens(), stream[:, :number]),
            "state": difference(model.pooler(step), recorded[f"step{number}.state"]),
            "value": difference(model.value(step), recorded[f"step{number}.value"]),
        }
        worst |= {kind: larger(worst.get(kind, 0.0), value) for kind, value in found.items()}
        chosen = step.logits.argmax(dim=1)
        ended |= chosen == mask.sum(dim=1) - 1  # STOP
        if number + 1 < recorded.steps:
            direction = recorded[f"step{number + 1}.stream_features"][:, number, model.config.feature_width :]
            step.activations[ended] = 0  # the released code stores zeros for episodes that have stopped
            past = model.remember(past, step, chosen, direction)
    return worst


@torch.no_grad()
def vlnbert_differences(folder: Path) -> Differences:
    """VLN⟲BERT over all recorded steps, with our own state carried from step to step."""
    recorded = load_recording(folder, "vlnbert", architecture="vlnbert")
    model = recorded.model
    assert isinstance(model, VLNBert)
    text = model.encode(recorded.tokens)
    past = model.start(text, recorded["step0.action_angle"])
    worst = {
        "language": difference(text.states, recorded["text_embeds"], text.real),
        "start state": difference(past.state, recorded["init_state"]),
    }
    for number in range(recorded.steps):
        mask = recorded[f"step{number}.candidate_mask"].bool()
        step = model.step(text, past, recorded[f"step{number}.candidate_features"], mask)
        assert step.state is not None
        agree = step.logits.argmax(dim=1) == recorded[f"step{number}.action"]
        found = {
            "scores": difference(step.logits, recorded[f"step{number}.scores"], mask),
            "actions that differ": float((~agree).sum()),
            "state": difference(step.state, recorded[f"step{number}.state"]),
            "value": difference(model.value(step), recorded[f"step{number}.value"]),
        }
        worst |= {kind: larger(worst.get(kind, 0.0), value) for kind, value in found.items()}
        if number + 1 < recorded.steps:
            chosen = recorded.numbers(f"step{number}.action", step.logits.shape[1])
            past = model.remember(past, step, chosen, recorded[f"step{number + 1}.action_angle"])
    return worst


def larger(one: float, other: float) -> float:
    """The larger of two differences; not a number if either is not."""
    return other if other != other or other > one else one


def difference(ours: Tensor, theirs: Tensor, mask: Tensor | None = None) -> float:
    """The largest difference, or the largest where the mask is true."""
    if ours.shape != theirs.shape:
        raise InputError(f"parity tensors of shape {tuple(theirs.shape)} do not fit ours of shape {tuple(ours.shape)}.")
    apart = (ours.detach() - theirs).abs()
    if mask is not None:
        apart = apart[mask]
    return float(apart.max()) if apart.numel() else 0.0

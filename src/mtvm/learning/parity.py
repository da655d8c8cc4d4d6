"""Whatever was recorded of the released programs in a folder, against ours: `mtvm weights parity DIR`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import torch
from torch import Tensor

from mtvm.configs.run import ConsistencyConfig
from mtvm.errors import InputError
from mtvm.learning.losses.released_consistency import (
    LAYERS,
    ReleasedConsistency,
    between_layers,
    divergence,
    with_fewer_keys,
)
from mtvm.models.language import Text
from mtvm.models.model import MTVM
from mtvm.models.network import Output
from mtvm.models.parity import (
    Differences,
    Recording,
    difference,
    is_there,
    larger,
    load_recording,
    mtvm_differences,
    vlnbert_differences,
)
from mtvm.models.parts import MTVMConfig, ReleasedCode
from mtvm.models.weights import released_names

_ENDED = -100
"""The released code's target of an episode that has stopped."""


def measure_parity(folder: Path) -> dict[str, Differences]:
    """For each recording that is in the folder, the largest difference of each kind of output."""
    recordings: dict[str, tuple[str, Callable[[Path], Differences]]] = {
        "parity": ("MTVM", mtvm_differences),
        "vlnbert": ("VLN⟲BERT", vlnbert_differences),
        "released_loss": ("the released consistency loss", released_loss_differences),
    }
    found = {title: compare(folder) for name, (title, compare) in recordings.items() if is_there(folder, name)}
    if not found:
        names = ", ".join(f"{name}_meta.json" for name in recordings)
        raise InputError(f"{folder}: holds none of the recordings {names}.")
    return found


def released_loss_differences(folder: Path) -> Differences:
    """The released consistency loss of a teacher-forced rollout: masks, layers, both terms, their gradients."""
    recorded = load_recording(folder, "released_loss", architecture=MTVMConfig(released=ReleasedCode(padding=True)))
    model, rate = recorded.model, recorded.meta.get("drop_rate")
    assert isinstance(model, MTVM)
    if not isinstance(rate, int | float):
        raise InputError(f"{folder / 'released_loss_meta.json'}: field 'drop_rate' is missing or not a number.")
    if model.config.crossmodal_layers != LAYERS:
        raise InputError(f"{recorded.path}: the released loss needs {LAYERS} cross-modal layers.")
    loss = ReleasedConsistency(ConsistencyConfig(drop_rate=rate))
    tokens = recorded.tokens
    dropped = with_fewer_keys(tokens, rate, recorded["language.draws"])
    text = model.encode(tokens, dropped)
    full, other = (text.variant(number).states for number in (0, 1))
    language = divergence(full, other)
    worst = {
        "language": larger(difference(full, recorded["text_embeds"]), difference(other, recorded["text_embeds_drop"])),
        "language term": difference(language, recorded["loss.language"]),
        "masks": difference(text.variant(1).mask.float(), recorded["language.lang_mask_drop"].float()),
    }
    outputs = _walk(recorded, model, loss, text.variant(0), worst)
    worst["layers"] = _layer_difference(recorded, outputs)
    crossmodal = between_layers(*(step.layers for step in outputs))
    worst["cross-modal term"] = difference(crossmodal, recorded["loss.crossmodal"])
    weighted = loss.weights[0] * language + loss.weights[1] * crossmodal
    worst["weighted loss"] = difference(weighted, recorded["loss.weighted"])
    for name, term in (("language", language), ("crossmodal", crossmodal)):
        worst[f"gradients of the {name} term"] = _gradient_difference(recorded, model, name, term)
    return worst


def _walk(recorded: Recording, model: MTVM, loss: ReleasedConsistency, text: Text, worst: Differences) -> list[Output]:
    """Both passes of the last recorded step, with our own memory; stopped episodes stay in the batch."""
    width, ended = model.config.feature_width, torch.zeros(len(text), dtype=torch.bool)
    memory = torch.zeros(len(text), 0, model.config.token_width)
    after_stop = torch.zeros(len(text), 0, dtype=torch.bool)
    outputs: list[Output] = []
    for number in range(recorded.steps):
        stream, mask = recorded[f"step{number}.stream_features"], recorded[f"step{number}.stream_mask"].bool()
        current = mask[:, number:]
        both = loss.mask_words(text, recorded[f"step{number}.draws"])
        encoded = model.token_encoder(memory)
        step = model(both, encoded, mask[:, :number], stream[:, number:], current, need_layers=True)
        outputs = step.variants(2)
        found = {
            "masks": difference(both.mask[len(text) :].float(), recorded[f"step{number}.lang_mask_drop"].float()),
            "logits": difference(outputs[0].logits, recorded[f"step{number}.logits"], current),
            "activations": difference(outputs[0].activations, recorded[f"step{number}.head_tanh"]),
            "memory": difference(memory, stream[:, :number]),
            "cross-modal terms of all steps": difference(
                between_layers(*(one.layers for one in outputs)), recorded[f"step{number}.crossmodal"]
            ),
        }
        worst |= {kind: larger(worst.get(kind, 0.0), value) for kind, value in found.items()}
        if number + 1 < recorded.steps:
            targets = recorded.numbers(f"step{number}.target", current.shape[1], least=_ENDED)
            ended = ended | (targets < 0) | (targets == current.sum(dim=1) - 1)
            following = recorded[f"step{number + 1}.stream_features"][:, : number + 1]
            chosen = outputs[0].activations[torch.arange(len(text)), targets.clamp(min=0)]
            token = torch.cat([chosen, following[:, number, width:]], dim=-1)
            # What episodes leave behind after their stop is not computed: zeros, with an angle or without.
            after_stop = torch.cat([after_stop, ended[:, None]], dim=1)
            memory = torch.cat([memory, token[:, None]], dim=1)
            memory = torch.where(after_stop[..., None], following, memory)
    return outputs


def _layer_difference(recorded: Recording, outputs: list[Output]) -> float:
    """The largest difference of what the layers gave at the last step, in both passes."""
    worst = 0.0
    for step, suffix in zip(outputs, ("", "_drop"), strict=True):
        for stream, ours in zip(("language", "vision"), zip(*step.layers, strict=True), strict=True):
            theirs = recorded[f"step{recorded.steps - 1}.{stream}_layers{suffix}"]
            worst = larger(worst, difference(torch.stack(ours), theirs))
    return worst


def _gradient_difference(recorded: Recording, model: MTVM, term: str, loss: Tensor) -> float:
    """The largest difference of the recorded gradients, relative to the largest of each."""
    parameters = dict(model.named_parameters())
    names = sorted(parameters)
    gradients = torch.autograd.grad(loss, [parameters[name] for name in names], retain_graph=True, allow_unused=True)
    filled = [torch.zeros_like(parameters[n]) if g is None else g for n, g in zip(names, gradients, strict=True)]
    ours = released_names(dict(zip(names, filled, strict=True)))
    prefix, worst = f"grad.{term}.", 0.0
    theirs = {name.removeprefix(prefix): tensor for name, tensor in recorded.tensors.items() if name.startswith(prefix)}
    if not theirs:
        raise InputError(f"{recorded.path}: tensors '{prefix}*' are missing.")
    for name, tensor in theirs.items():
        if name not in ours:
            raise InputError(f"{recorded.path}: '{prefix}{name}' is the gradient of no weight of the model.")
        worst = larger(worst, difference(ours[name], tensor) / max(float(tensor.abs().max()), 1e-12))
    return worst

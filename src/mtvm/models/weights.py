"""Pretrained and released weights: reading them into our model, and writing the authors' format.

Our tensors have other names, and queries, keys and values are one matrix; `_released` names the authors' tensors that
each of ours consists of.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import torch
from torch import Tensor

from mtvm.errors import InputError, brief
from mtvm.io.weight_files import check_finite, read_weight_file, torch_file
from mtvm.machine import minilm_folder
from mtvm.models.config import ENGLISH, ModelConfig
from mtvm.models.network import Network
from mtvm.models.parts import VLNBertConfig

Source = Literal["mtvm", "prevalent", "vlnbert", "bert"]

_LAYER = {
    "cross.attention.qkv": ("visual_attention.att.query", "visual_attention.att.key", "visual_attention.att.value"),
    "cross.output.dense": ("visual_attention.output.dense",),
    "cross.output.norm": ("visual_attention.output.LayerNorm",),
} | {
    ours.format(stream): tuple(name.format(short) for name in theirs)
    for stream, short in (("vision", "visn"), ("text", "lang"))
    for ours, theirs in {
        "{}_attention.attention.qkv": ("{}_self_att.self.query", "{}_self_att.self.key", "{}_self_att.self.value"),
        "{}_attention.output.dense": ("{}_self_att.output.dense",),
        "{}_attention.output.norm": ("{}_self_att.output.LayerNorm",),
        "{}_feed_forward.expand": ("{}_inter.dense",),
        "{}_feed_forward.output.dense": ("{}_output.dense",),
        "{}_feed_forward.output.norm": ("{}_output.LayerNorm",),
    }.items()
}
_OUTSIDE = {
    "token_encoder.project": "vln_bert.vision_encoder.visn_fc",
    "token_encoder.norm": "vln_bert.vision_encoder.visn_layer_norm",
    "embedding.position": "vln_bert.vision_pos_encoder.position_embeddings",
    "embedding.kind": "vln_bert.vision_pos_encoder.token_type_embeddings",
    "embedding.norm": "vln_bert.vision_pos_encoder.LayerNorm",
    "pooler.mix": "vln_bert.pooler.f1",
    "pooler.dense": "vln_bert.pooler.dense",
    "head.activate": "outproj",
    "head.score": "visproj",
    "critic.0": "critic.state2value.0",
    "critic.3": "critic.state2value.3",
    # VLN⟲BERT's own
    "pooler": "vln_bert.pooler.dense",
    "match_norm": "vis_lang_LayerNorm",
    "refine": "state_proj",
    "refine_norm": "state_LayerNorm",
    "act": "action_state_project.0",
    "act_norm": "action_LayerNorm",
}


@dataclasses.dataclass
class Report:
    """Which tensors were loaded."""

    loaded: list[str]
    """Of the model, those that were filled."""
    fresh: list[str]
    """Of the model, those that the file does not have, which stay at random."""
    left_out: dict[str, str]
    """Of the file, those that were not used, and why."""


def _released(name: str) -> tuple[str, ...]:
    """The authors' tensors that one of ours consists of."""
    module, _, kind = name.rpartition(".")
    if name.startswith("language.bert."):
        theirs = name.removeprefix("language.bert.").replace("encoder.layer.", "lalayer.")
        return (f"vln_bert.{theirs}",)
    if found := re.fullmatch(r"crossmodal\.layers\.(\d+)\.(.+)", module):
        return tuple(f"vln_bert.addlayer.{found[1]}.{part}.{kind}" for part in _LAYER[found[2]])
    return (f"{_OUTSIDE[module]}.{kind}",) if module in _OUTSIDE else ()


def read_tensors(path: Path) -> dict[str, Tensor]:
    """All tensors of a checkpoint file or of a transformers folder, under the authors' names.

    The critic's are prefixed `critic.`; PREVALENT's prefix `bert.` becomes `vln_bert.`.
    """
    path = Path(path)
    if path.is_dir():
        found = [path / name for name in ("model.safetensors", "pytorch_model.bin") if (path / name).is_file()]
        if not found:
            raise InputError(f"{path}: this folder has neither model.safetensors nor pytorch_model.bin.")
        path = found[0]
    loaded = read_weight_file(path)
    tensors: dict[str, Any] = {}
    if "vln_bert" in loaded and isinstance(loaded["vln_bert"], Mapping):  # the authors' checkpoint
        for part, prefix in (("vln_bert", ""), ("critic", "critic.")):
            holder = loaded.get(part, {})
            state = holder.get("state_dict", {}) if isinstance(holder, Mapping) else None
            if not isinstance(state, Mapping):
                raise InputError(f"{path}: holds no tensors by name under '{part}'.")
            tensors |= {f"{prefix}{str(name).removeprefix('module.')}": value for name, value in state.items()}
    else:
        state = loaded.get("state_dict", loaded)
        tensors = dict(state) if isinstance(state, Mapping) else {}
    if not tensors or not all(isinstance(n, str) and isinstance(value, Tensor) for n, value in tensors.items()):
        raise InputError(f"{path}: holds no tensors by name; give a checkpoint of weights.")
    tensors = {re.sub(r"^(module\.)?bert\.", "vln_bert.", name): value for name, value in tensors.items()}
    if not any(name.startswith("vln_bert.") for name in tensors):  # a plain BERT
        tensors = {f"vln_bert.{name}": value for name, value in tensors.items()}
    renamed = {
        "vln_bert.encoder.layer.": "vln_bert.lalayer.",
        "LayerNorm.gamma": "LayerNorm.weight",  # as in BERT-base's own file
        "LayerNorm.beta": "LayerNorm.bias",
    }
    for old, new in renamed.items():
        tensors = {name.replace(old, new): value for name, value in tensors.items()}
    return tensors


def load_released(model: Network, tensors: Mapping[str, Tensor], path: Path) -> Report:
    """Fill the model with tensors under the authors' names; a shape that does not fit is an error."""
    state = model.state_dict()
    report = Report([], [], {})
    used: set[str] = set()
    for name, ours in state.items():
        theirs = _released(name)
        if not theirs or any(their not in tensors for their in theirs):
            report.fresh.append(name)
            continue
        for their, part in zip(theirs, ours.chunk(len(theirs)), strict=True):
            if tensors[their].shape != part.shape:
                raise InputError(
                    f"{path}: {their} has shape {tuple(tensors[their].shape)}, but the model needs "
                    f"{tuple(part.shape)}; choose the preset or the sizes that the weights were made with."
                )
            if not tensors[their].is_floating_point():
                raise InputError(f"{path}: {their} holds {tensors[their].dtype}, not real numbers.")
            check_finite(path, {their: tensors[their]})
            part.copy_(tensors[their])
        used.update(theirs)
        report.loaded.append(name)
    if not report.loaded:
        raise InputError(f"{path}: none of its {len(tensors)} tensors belongs to this model.")
    report.left_out = {name: _reason(name, model.config) for name in tensors if name not in used}
    return report


def load_reader(model: Network) -> None:
    """Fill the reader, if there is one, with all-MiniLM-L6-v2, which is a dependency of this package."""
    if model.language.reader is None:
        return
    tensors, expected = reader_tensors(model), model.language.reader.state_dict()
    if any(tensors[name].shape != ours.shape for name, ours in expected.items()):
        raise InputError(
            "The model's reader does not fit all-MiniLM-L6-v2, which has 30,522 words; keep its vocabulary."
        )
    model.language.reader.load_state_dict(tensors)


def reader_tensors(model: Network) -> dict[str, Tensor]:
    """Those of all-MiniLM-L6-v2 that the model's reader has, by the reader's names."""
    assert model.language.reader is not None
    tensors = read_weight_file(minilm_folder() / "model.safetensors")
    wanted = set(model.language.reader.state_dict())
    return {name: value for name, value in tensors.items() if name in wanted}


def _reason(name: str, config: ModelConfig) -> str:
    """Why one of the file's tensors is not used."""
    if found := re.match(r"vln_bert\.(lalayer|addlayer)\.(\d{1,6})\.", name):
        layers = config.language_layers if found[1] == "lalayer" else config.crossmodal_layers
        if int(found[2]) >= layers:
            return f"the model has only {layers} such layers"
        return "the text is only key and value in this model" if ".lang_" in name else "not part of the model"
    if "position_ids" in name:
        return "a table that is not learned"
    if name.startswith(("img_projection", "cand_LayerNorm")):
        return "a second candidate projection that the released model never uses"
    if name.startswith(("vln_bert.pooler", "pooler")):
        return "another pooler"
    return "a head of another task"


def released_tensors(model: Network) -> dict[str, Tensor]:
    """The model's weights under the authors' names, the critic's with the prefix `critic.`."""
    return released_names(model.state_dict())


def released_names(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Tensors of a model, or their gradients, under the authors' names."""
    found: dict[str, Tensor] = {}
    for name, value in tensors.items():
        theirs = _released(name)
        if not theirs:
            raise InputError(f"{name} has no counterpart in the authors' format, so this model cannot be exported.")
        found |= dict(zip(theirs, value.chunk(len(theirs)), strict=True))
    return found


def write_released(model: Network, path: Path) -> None:
    """Write a checkpoint that the authors' code loads."""
    tensors = {name: value.clone() for name, value in released_tensors(model).items()}
    critic = {n.removeprefix("critic."): v for n, v in tensors.items() if n.startswith("critic.")}
    rest = {n: v for n, v in tensors.items() if not n.startswith("critic.")}
    with torch_file(path) as file:
        torch.save(
            {
                name: {"epoch": 0, "state_dict": state, "optimizer": {}}
                for name, state in (("vln_bert", rest), ("critic", critic))
            },
            file,
        )


def sizes_of(tensors: Mapping[str, Tensor], defaults: ModelConfig, path: Path) -> ModelConfig:
    """The config that fits tensors under the authors' names; the heads, which no shape shows, are the default's.

    Of a language model alone at most as many layers are used as the default has.
    """

    def layers(kind: str) -> int:
        named = (re.match(rf"vln_bert\.{kind}\.(\d+)\.", name) for name in tensors)
        numbers = {found[1] for found in named if found}
        if numbers != {str(number) for number in range(len(numbers))}:
            last = max(numbers, key=len)
            raise InputError(f"{path}: names a layer {kind}.{brief(last)}, but holds only {len(numbers)} of these.")
        return len(numbers)

    def matrix(name: str) -> Tensor | None:
        found = tensors.get(name)
        if found is not None and found.ndim != 2:
            raise InputError(f"{path}: {name} has the shape {tuple(found.shape)}, which is no matrix.")
        return found

    words = matrix("vln_bert.embeddings.word_embeddings.weight")
    if words is None:
        raise InputError(f"{path}: has no word embeddings, so it is neither a language encoder nor an agent.")
    changes: dict[str, Any] = {"hidden": words.shape[1], "text_reader": ENGLISH, "vocabulary": None}
    if len(words) != dataclasses.replace(defaults, text_reader=ENGLISH, vocabulary=None).tokens_known:
        changes["vocabulary"] = len(words)
    angle_width = defaults.angle_width
    if (project := matrix("action_state_project.0.weight")) is not None:  # VLN⟲BERT's own
        angle_width = project.shape[1] - words.shape[1]
        changes |= {"architecture": VLNBertConfig(), "angle_width": angle_width}
    if (first := matrix("vln_bert.lalayer.0.intermediate.dense.weight")) is not None:
        changes["intermediate"] = len(first)
    if layers("addlayer"):
        changes |= {"language_layers": layers("lalayer"), "crossmodal_layers": layers("addlayer")}
    else:
        changes["language_layers"] = min(defaults.language_layers, layers("lalayer"))
    if (projection := matrix("vln_bert.vision_encoder.visn_fc.weight")) is not None:
        changes["feature_width"] = projection.shape[1] - angle_width
    if (mix := matrix("vln_bert.pooler.f1.weight")) is not None:
        changes["max_text"] = mix.shape[1]
    if (table := matrix("vln_bert.embeddings.position_embeddings.weight")) is not None:
        changes["max_positions"] = len(table)
    if (value := matrix("critic.state2value.0.weight")) is not None:
        changes["critic_hidden"] = len(value)
    try:
        return dataclasses.replace(defaults, **changes)
    except InputError as error:
        raise InputError(f"{path}: these weights are of no model that we know: {error}") from None

"""The model of a run with the weights that it starts from."""

from __future__ import annotations

from pathlib import Path

import torch

from mtvm.configs.run import TrainConfig
from mtvm.errors import InputError
from mtvm.learning import checkpoint
from mtvm.learning.run_folder import CHECKPOINT, RunFolder
from mtvm.machine import minilm_folder
from mtvm.models.config import ENGLISH, ModelConfig
from mtvm.models.network import Network, make_network
from mtvm.models.saving import CONFIG, WEIGHTS, fill, fill_where_it_fits
from mtvm.models.weights import Report, load_reader, load_released, read_tensors
from mtvm.plugins import UntrustedCodeError

_MINILM = {"hidden": 384, "heads": 12, "intermediate": 1536, "tokens_known": 30522, "max_positions": 512}


def make_model(config: TrainConfig, network: ModelConfig | None = None) -> tuple[Network, str]:
    """The model, and a sentence that says where its weights come from.

    `network` is the model's config where features have another width than it says.
    """
    torch.manual_seed(config.seed)
    model = make_network(network or config.network)
    load_reader(model)
    source = config.init
    if source is None and config.model.reader == "none" and _has_minilm_sizes(config.model):
        source = minilm_folder()
    if source is None:
        return model, "random numbers"
    if (source / CHECKPOINT).is_file():
        weights = checkpoint.load(source / CHECKPOINT).get("model")
        if not isinstance(weights, dict):
            raise InputError(f"{source / CHECKPOINT}: holds no model; give another --init.")
        fill(model, weights, source)
        return model, f"all of them from the checkpoint in {source}"
    for folder in (source, RunFolder(source).best):
        if _is_agent(folder):
            share = fill_where_it_fits(model, folder / WEIGHTS)
            amount = "all of them" if share == 1 else f"{share:.1%} of them"
            return model, f"{amount} from the agent in {folder}" + ("" if share == 1 else ", the rest random")
    return model, _describe(load_released(model, read_tensors(source), source), model, source)


def _has_minilm_sizes(config: ModelConfig) -> bool:
    return config.text_reader == ENGLISH and all(getattr(config, name) == value for name, value in _MINILM.items())


def _is_agent(folder: Path) -> bool:
    if not ((folder / CONFIG).is_file() and (folder / WEIGHTS).is_file()):
        return False
    try:
        ModelConfig.load(folder / CONFIG)
    except UntrustedCodeError:  # which is not run: only the weights are read
        return True
    except InputError:
        return False
    return True


def _describe(report: Report, model: Network, source: Path) -> str:
    sizes = {name: value.numel() for name, value in model.state_dict().items()}
    loaded = sum(sizes[name] for name in report.loaded)
    return f"{loaded / 1e6:.1f} of {sum(sizes.values()) / 1e6:.1f} million numbers from {source}, the rest random"

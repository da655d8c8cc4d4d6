"""An agent's folder: its config, its weights, and a model card."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any, Literal

import torch
from torch import Tensor

from mtvm import __version__
from mtvm.errors import InputError, brief
from mtvm.io.files import write_text
from mtvm.io.packed_weights import in_bytes, out_of_bytes
from mtvm.io.weight_files import check_finite, read_weight_file, write_safetensors
from mtvm.machine import choose_device
from mtvm.models.config import ModelConfig
from mtvm.models.network import Network, make_network

CONFIG, WEIGHTS, CARD = "config.json", "model.safetensors", "README.md"
Bits = Literal[16, 8]
"""Of a weight in an agent that is passed on."""

_READER = "language.reader."


def save_model(model: Network, path: Path | str, metrics: dict[str, float] | None = None) -> None:
    """Save config, weights and a model card to a folder; other files in it stay."""
    _save(model, Path(path), model.state_dict(), _model_card(model, metrics))


def save_compact(model: Network, path: Path | str, card: str, bits: Bits = 16) -> None:
    """Save an agent to be passed on: in half precision or less, without what of its reader pip brings anyway: a frozen
    reader, or of one that was trained the table of words, which never is."""
    own = _own(model)
    if model.language.reader is not None and not model.language.is_read_once and _reads_as_published(model):
        own = {name: value for name, value in own.items() if not name.startswith(_frozen_part(model))}
    halves = {name: value.half() if value.is_floating_point() else value for name, value in own.items()}
    check_finite(Path(path), halves)  # half precision ends at 65504
    _save(model, Path(path), halves if bits == 16 else in_bytes(own), card)


def _save(model: Network, folder: Path, tensors: dict[str, Tensor], card: str) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: cannot write there ({error.strerror}).") from None
    write_safetensors(folder / WEIGHTS, tensors)
    model.config.save(folder / CONFIG)
    write_text(folder / CARD, card)


def load_model(path: Path | str, device: str = "auto") -> Network:
    """The model saved in a folder, in evaluation mode."""
    folder = Path(path)
    if not (folder / CONFIG).is_file():
        raise InputError(f"{folder}: no agent here ({CONFIG} is missing); give a folder that an agent was saved to.")
    config = ModelConfig.load(folder / CONFIG)
    if (folder / WEIGHTS).is_file() and config.least_parameters > (folder / WEIGHTS).stat().st_size:
        raise InputError(f"{folder / CONFIG}: describes a larger model than {WEIGHTS} holds; restore one of them.")
    model = make_network(config).eval()
    load_weights(model, folder / WEIGHTS)
    return model.to(choose_device(device))


def load_weights(model: Network, path: Path) -> None:
    """Fill a model with weights that `save_model` or `save_compact` wrote; everything must fit."""
    from mtvm.models.weights import load_reader

    tensors = _read(path)
    brought = _frozen_part(model)
    if model.language.reader is not None and not any(name.startswith(brought) for name in tensors):
        load_reader(model)
        tensors |= {name: value for name, value in model.state_dict().items() if name.startswith(brought)}
    fill(model, tensors, path)


def _read(path: Path) -> dict[str, Any]:
    """The tensors of an agent's file, whatever it takes for each number."""
    try:
        return out_of_bytes(read_weight_file(path))
    except (KeyError, ValueError, AttributeError):
        raise InputError(f"{path}: rows of weights and their scales do not fit; copy the file again.") from None


def fill(model: Network, tensors: dict[str, Tensor], path: Path) -> None:
    """Fill a model with the tensors of its state dict, which were read from `path`; everything must fit."""
    expected = model.state_dict()
    wrong = sorted(map(str, set(tensors) ^ set(expected)))
    wrong = wrong or [name for name, ours in expected.items() if not _fits(tensors[name], ours)]
    if wrong:
        raise InputError(
            f"{path}: does not fit the model's config (first at {brief(wrong[0])}); use the config that it was saved "
            "with."
        )
    check_finite(path, tensors)
    model.load_state_dict(tensors)


_BY_POSITION = "pooler.mix.weight"
"""A number for each position of the text, of which models that read longer texts have more."""


def fill_where_it_fits(model: Network, path: Path) -> float:
    """Fill a model with what it has in common with another one, whose weights are at `path`; the share of its own
    learned numbers that this is. What both have must fit, except that texts may be of another length."""
    tensors = _read(path)
    expected = _own(model)
    common = {name: tensors[name] for name in expected if name in tensors}
    if _BY_POSITION in common:
        ours, given = expected[_BY_POSITION].clone(), common[_BY_POSITION]
        if isinstance(given, Tensor) and given.dim() == ours.dim() and len(given) == len(ours):
            length = min(ours.shape[1], given.shape[1])
            ours[:, :length] = given[:, :length]
            common[_BY_POSITION] = ours
    wrong = [name for name, given in common.items() if not _fits(given, expected[name])]
    if wrong or not common:
        raise InputError(
            f"{path}: does not fit the model's config (first at {brief(wrong[0] if wrong else next(iter(expected)))}); "
            "use the sizes that it was saved with."
        )
    check_finite(path, common)
    model.load_state_dict(common, strict=False)
    return sum(expected[name].numel() for name in common) / sum(ours.numel() for ours in expected.values())


def _own(model: Network) -> dict[str, Tensor]:
    """A model's weights without those of a frozen reader."""
    brought = (_READER,) if model.language.is_read_once else ()
    return {name: value for name, value in model.state_dict().items() if not name.startswith(brought)}


def _frozen_part(model: Network) -> str:
    """What the names of those tensors begin with that no training changes in an agent with a reader."""
    return _READER if model.language.is_read_once else f"{_READER}embeddings."


def _reads_as_published(model: Network) -> bool:
    """Whether the reader's table of words is that of all-MiniLM-L6-v2."""
    from mtvm.models.weights import reader_tensors

    frozen, published = _frozen_part(model), reader_tensors(model)
    return all(
        torch.equal(value.cpu(), published[name.removeprefix(_READER)])
        for name, value in model.state_dict().items()
        if name.startswith(frozen)
    )


def _fits(given: object, ours: Tensor) -> bool:
    if not isinstance(given, Tensor):
        return False
    return given.shape == ours.shape and given.is_floating_point() == ours.is_floating_point()


def _model_card(model: Network, metrics: dict[str, float] | None) -> str:
    parameters = sum(parameter.numel() for parameter in model.parameters())
    lines = [
        "# An mtvm agent",
        "",
        f"Saved by mtvm {__version__}. {parameters / 1e6:.1f} M parameters.",
        "",
        "## Metrics",
        "",
    ]
    if metrics:
        lines += ["| metric | value |", "|---|---|", *(f"| {name} | {value:.2f} |" for name, value in metrics.items())]
    else:
        lines += ["None were given when it was saved."]
    lines += ["", "## Config", "", "| option | value |", "|---|---|"]
    lines += [f"| {name} | {value} |" for name, value in dataclasses.asdict(model.config).items()]
    lines += [
        "",
        "## Use",
        "",
        "```python",
        "from mtvm.models.agent import Agent",
        "",
        'agent = Agent.from_pretrained(".")',
    ]
    return "\n".join([*lines, "```", ""])

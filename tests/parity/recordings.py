"""The recordings of released programs, and copies of them to spoil."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from safetensors.torch import load_file, save_file
from torch import Tensor

from mtvm.errors import InputError
from mtvm.learning.parity import measure_parity

BOUND = 1e-4
KINDS = {
    "parity": {"language", "logits", "activations", "memory", "state", "value"},
    "vlnbert": {"language", "start state", "scores", "actions that differ", "state", "value"},
    "released_loss": {
        "language",
        "language term",
        "masks",
        "logits",
        "activations",
        "memory",
        "layers",
        "cross-modal terms of all steps",
        "cross-modal term",
        "weighted loss",
        "gradients of the language term",
        "gradients of the crossmodal term",
    },
}
TITLES = {"parity": "MTVM", "vlnbert": "VLN⟲BERT", "released_loss": "the released consistency loss"}
FILES = ("weights.safetensors", "io.safetensors", "meta.json")


class Copy:
    """One recording in a folder of its own, to spoil."""

    def __init__(self, golden: Path, folder: Path, name: str) -> None:
        self.folder, self.name = folder, name
        for file in FILES:
            shutil.copyfile(golden / f"{name}_{file}", folder / f"{name}_{file}")

    @property
    def steps(self) -> int:
        return json.loads(self.path("meta.json").read_text())["steps"]

    def path(self, file: str) -> Path:
        return self.folder / f"{self.name}_{file}"

    def change(self, part: str, **changes: Callable[[Tensor], Tensor] | None) -> None:
        """Change tensors of the weights or of the recorded values, `last.` being the last step; None leaves one out."""
        path = self.path(f"{part}.safetensors")
        tensors = load_file(path)
        for tensor, change in changes.items():
            tensor = tensor.replace("last.", f"step{self.steps - 1}.")
            value = tensors.pop(tensor)
            if change is not None:
                tensors[tensor] = change(value).contiguous()
        path.unlink()
        save_file(tensors, path)

    def tensors(self, part: str) -> dict[str, Tensor]:
        return load_file(self.path(f"{part}.safetensors"))

    def add(self, part: str, **more: Tensor) -> None:
        """Add tensors."""
        tensors = self.tensors(part) | more
        self.path(f"{part}.safetensors").unlink()
        save_file(tensors, self.path(f"{part}.safetensors"))

    def describe(self, **changes: Any) -> None:
        """Change fields of the description; None leaves one out."""
        meta = json.loads(self.path("meta.json").read_text()) | changes
        self.path("meta.json").write_text(json.dumps({key: value for key, value in meta.items() if value is not None}))

    def differences(self) -> dict[str, float]:
        (title, found), *others = measure_parity(self.folder).items()
        assert (title, others) == (TITLES[self.name], [])
        assert set(found) == KINDS[self.name]
        return found

    def wrong(self) -> set[str]:
        """The kinds of output that are not as recorded."""
        return {kind for kind, difference in self.differences().items() if not difference <= BOUND}

    def refused(self, *parts: str) -> None:
        with pytest.raises(InputError) as error:
            measure_parity(self.folder)
        message = str(error.value)
        assert "\n" not in message
        assert len(message.replace(str(self.folder), "")) < 300
        assert message.endswith(".")
        for part in parts:
            assert part in message

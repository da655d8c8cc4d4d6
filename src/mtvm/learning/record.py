"""What a run writes down as it trains: `metrics.jsonl`, one JSON object a line, and curves for TensorBoard."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from mtvm.errors import InputError
from mtvm.files import write_text

RECORD = "metrics.jsonl"


class Record:
    """The record of a run that goes on after `update`; what an interrupted process wrote after that is dropped."""

    def __init__(self, folder: Path, update: int, tensorboard: Path | None) -> None:
        self.path = folder / RECORD
        kept = [line for line in read_record(folder) if line["update"] <= update]
        write_text(self.path, "".join(json.dumps(line) + "\n" for line in kept))
        self._board: Any = None
        if tensorboard is not None:
            try:
                from torch.utils.tensorboard import SummaryWriter
            except ImportError:
                return
            self._board = SummaryWriter(str(tensorboard), purge_step=update + 1)

    def write(self, kind: str, update: int, values: dict[str, float]) -> None:
        """Add a line; `kind` is train, or the split of a validation."""
        try:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"update": update, "kind": kind} | values) + "\n")
        except OSError as error:
            raise InputError(f"{self.path}: the record could not be written ({error.strerror}).") from error
        if self._board is not None:
            for name, value in values.items():
                self._board.add_scalar(f"{kind}/{name}", value, update)

    def close(self) -> None:
        if self._board is not None:
            self._board.close()


def read_record(folder: Path) -> list[dict[str, Any]]:
    """The lines of a run's record; a last line that a killed process left unfinished is ignored."""
    lines = []
    path = folder / RECORD
    for text in path.read_text(encoding="utf-8").splitlines() if path.is_file() else []:
        try:
            line = json.loads(text)
        except ValueError:
            continue
        if isinstance(line, dict) and isinstance(line.get("update"), int):
            lines.append(line)
    return lines

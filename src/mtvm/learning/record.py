"""What a run writes down as it trains: `metrics.jsonl`, one JSON object a line, and curves for TensorBoard."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mtvm.errors import InputError
from mtvm.files import json_text, parse_json, read_bytes, write_text
from mtvm.progress import notice

RECORD = "metrics.jsonl"
_MOST_UPDATES = 2**53


class Record:
    """The record of a run that goes on after `update`; what an interrupted process wrote after that is dropped."""

    def __init__(self, folder: Path, update: int, tensorboard: Path | None) -> None:
        self.path = folder / RECORD
        kept = [line for line in read_record(folder) if line["update"] <= update]
        write_text(self.path, "".join(json_text(line) + "\n" for line in kept))
        self._board: Any = None
        if tensorboard is not None:
            try:
                from torch.utils.tensorboard import SummaryWriter
            except ImportError:
                return
            with self._curves_if_possible():
                self._board = SummaryWriter(str(tensorboard), purge_step=update + 1)

    def write(self, kind: str, update: int, values: dict[str, float]) -> None:
        """Add a line; `kind` is train, or the split of a validation."""
        try:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json_text({"update": update, "kind": kind} | values) + "\n")
        except OSError as error:
            raise InputError(f"{self.path}: the record could not be written ({error.strerror}).") from error
        if self._board is not None:
            with self._curves_if_possible():
                for name, value in values.items():
                    self._board.add_scalar(f"{kind}/{name}", value, update)

    def close(self) -> None:
        if self._board is not None:
            with self._curves_if_possible():
                self._board.close()

    @contextlib.contextmanager
    def _curves_if_possible(self) -> Iterator[None]:
        """A run does not end because its curves cannot be drawn: it goes on without them, and says so."""
        try:
            yield
        except OSError as error:
            self._board = None
            notice(f"{self.path.parent}: the curves for TensorBoard end here ({error.strerror or error}).")


def read_record(folder: Path) -> list[dict[str, Any]]:
    """The lines of a run's record; a last line that a killed process left unfinished is ignored."""
    lines: list[dict[str, Any]] = []
    path = folder / RECORD
    content = read_bytes(path, "record of a run") if path.is_file() else b""
    try:
        content.decode()
    except UnicodeDecodeError:
        raise InputError(f"{path}: cannot be read as the record of a run (it is not UTF-8).") from None
    for text in content.split(b"\n"):
        with contextlib.suppress(InputError):
            line = parse_json(text, path)
            if isinstance(line, dict) and _is_update(line.get("update")):
                lines.append(line)
    return lines


def _is_update(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _MOST_UPDATES

"""What a run writes down as it trains: `metrics.jsonl`, one JSON object a line, and curves for TensorBoard."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mtvm.errors import InputError
from mtvm.io.files import json_text, parse_json, read_bytes, write_text
from mtvm.progress import notice

RECORD = "metrics.jsonl"
_MOST_UPDATES = 2**53


class Record:
    """The record of a run that goes on after `update`; what an interrupted process wrote after that is dropped."""

    def __init__(self, folder: Path, update: int, tensorboard: Path | None) -> None:
        self.path = folder / RECORD
        kept = [line for line in read_record(folder) if line["update"] <= update]
        write_text(self.path, "".join(json_text(line) + "\n" for line in kept))
        self._curves: _Curves | None = None
        if tensorboard is not None and importlib.util.find_spec("tensorboard") is not None:
            with self._curves_if_possible():
                self._curves = _Curves(tensorboard, update + 1)

    def write(self, kind: str, update: int, values: dict[str, float]) -> None:
        """Add a line; `kind` is train, or the split of a validation."""
        try:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json_text({"update": update, "kind": kind} | values) + "\n")
        except OSError as error:
            raise InputError(f"{self.path}: the record could not be written ({error.strerror}).") from error
        if self._curves is not None:
            with self._curves_if_possible():
                self._curves.write({f"{kind}/{name}": value for name, value in values.items()}, update)

    @contextlib.contextmanager
    def _curves_if_possible(self) -> Iterator[None]:
        """A run does not end because its curves cannot be drawn: it goes on without them, and says so."""
        try:
            yield
        except OSError as error:
            self._curves = None
            notice(f"{self.path.parent}: the curves for TensorBoard end here ({error.strerror or error}).")


class _Curves:
    """A file of curves for TensorBoard, whose own writer does so in a thread, which ends in a traceback if the disk is
    full. What earlier files say of `first` and later updates is to be forgotten."""

    def __init__(self, folder: Path, first: int) -> None:
        from tensorboard.compat.proto.event_pb2 import SessionLog

        folder.mkdir(parents=True, exist_ok=True)
        self._path = folder / f"events.out.tfevents.{int(time.time()):010d}.{socket.gethostname()}.{os.getpid()}"
        self._add(step=first, file_version="brain.Event:2")
        self._add(step=first, session_log=SessionLog(status=SessionLog.START))

    def write(self, values: dict[str, float], update: int) -> None:
        from tensorboard.compat.proto.summary_pb2 import Summary

        points = [Summary.Value(tag=name, simple_value=value) for name, value in values.items()]
        self._add(step=update, summary=Summary(value=points))

    def _add(self, **content: Any) -> None:
        from tensorboard.compat.proto.event_pb2 import Event
        from tensorboard.summary.writer.record_writer import RecordWriter

        with self._path.open("ab") as file:
            RecordWriter(file).write(Event(wall_time=time.time(), **content).SerializeToString())


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

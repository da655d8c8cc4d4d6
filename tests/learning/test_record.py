"""The record of a run: what is kept of it, and what is said if it cannot be written."""

import pytest

from mtvm.errors import InputError
from mtvm.learning.record import Record, read_record


def test_record_goes_on_after_the_update_that_was_saved(tmp_path):
    record = Record(tmp_path, 0, None)
    for update in (1, 2, 3):
        record.write("train", update, {"loss": update / 2})
    record.write("r2r/val_seen", 2, {"SPL": 1.0})
    with (tmp_path / "metrics.jsonl").open("a") as file:
        file.write('{"update": 4, "ki')
    Record(tmp_path, 2, None).write("train", 3, {"loss": 9.0})
    lines = read_record(tmp_path)
    assert [(line["update"], line["kind"]) for line in lines] == [
        (1, "train"),
        (2, "train"),
        (2, "r2r/val_seen"),
        (3, "train"),
    ]
    assert lines[-1]["loss"] == 9.0


def test_record_that_cannot_be_written_is_named(tmp_path):
    record = Record(tmp_path, 0, None)
    (tmp_path / "metrics.jsonl").unlink()
    (tmp_path / "metrics.jsonl").mkdir()
    with pytest.raises(InputError, match=r"metrics\.jsonl: the record could not be written"):
        record.write("train", 1, {})


def test_read_record_of_a_folder_without_one_has_no_lines(tmp_path):
    assert read_record(tmp_path) == []


@pytest.mark.parametrize("line", ["[1]", "3", "null", '{"kind": "train"}', '{"update": "3"}', "{"])
def test_read_record_passes_over_what_is_no_line(tmp_path, line):
    (tmp_path / "metrics.jsonl").write_text(f'{line}\n{{"update": 1, "kind": "train"}}\n')
    assert read_record(tmp_path) == [{"update": 1, "kind": "train"}]


def test_record_writes_curves_for_tensorboard(tmp_path):
    """Those of a run that goes on replace what was drawn after the update that was saved."""
    pytest.importorskip("tensorboard")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    record = Record(tmp_path, 0, tmp_path / "curves")
    for update in (1, 2):
        record.write("train", update, {"loss": update / 2})
    Record(tmp_path, 1, tmp_path / "curves").write("train", 2, {"loss": 8.0})
    found = EventAccumulator(str(tmp_path / "curves")).Reload()
    assert [(point.step, point.value) for point in found.Scalars("train/loss")] == [(1, 0.5), (2, 8.0)]

"""Progress in a log and on a terminal."""

import io

import pytest

from mtvm import progress as module
from mtvm.progress import progress, track


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_in_a_log_prints_one_line_for_short_work(capsys):
    with progress(3, "Reading", "files") as advance:
        for _ in range(3):
            advance()
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert captured.err.startswith("Reading: 3 files, ")
    assert captured.err.endswith("done in 0 s\n")


def test_progress_in_a_log_shows_done_total_rate_and_time_left(capsys, monkeypatch):
    monkeypatch.setattr(module, "SECONDS_BETWEEN_LINES", 0.0)
    clock = iter([0.0, 10.0, 20.0, 40.0])
    monkeypatch.setattr(module.time, "monotonic", lambda: next(clock))
    with progress(4000, "Reading", "MB") as advance:
        advance(1000)
        advance(1000)
    assert capsys.readouterr().err.splitlines() == [
        "Reading: 1,000 of 4,000 MB, 100 MB/s, 30 s left",
        "Reading: 2,000 of 4,000 MB, 100 MB/s, 20 s left",
        "Reading: 2,000 MB, 50 MB/s, done in 40 s",
    ]


def test_progress_already_done_counts_for_the_total_not_the_rate(capsys, monkeypatch):
    monkeypatch.setattr(module, "SECONDS_BETWEEN_LINES", 0.0)
    clock = iter([0.0, 10.0, 20.0])
    monkeypatch.setattr(module.time, "monotonic", lambda: next(clock))
    with progress(4000, "Training", "updates", already=3000) as advance:
        advance(200)
    assert capsys.readouterr().err.splitlines() == [
        "Training: 3,200 of 4,000 updates, 20 updates/s, 40 s left",
        "Training: 3,200 updates, 10 updates/s, done in 20 s",
    ]


def test_progress_with_unknown_total_shows_what_is_done(capsys, monkeypatch):
    monkeypatch.setattr(module, "SECONDS_BETWEEN_LINES", 0.0)
    clock = iter([0.0, 2.0, 4.0])
    monkeypatch.setattr(module.time, "monotonic", lambda: next(clock))
    with progress(None, "Reading", "MB") as advance:
        advance(3)
    assert capsys.readouterr().err.splitlines()[0] == "Reading: 3 MB, 1.5 MB/s"


def test_progress_of_failed_work_has_no_final_line(capsys):
    with pytest.raises(KeyError), progress(3, "Reading", "files"):
        raise KeyError
    assert capsys.readouterr().err == ""


def test_progress_hidden_prints_nothing(capsys):
    assert list(track("abc", 3, "Reading", "letters", show=False)) == ["a", "b", "c"]
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("total", [3, None])
def test_progress_on_a_terminal_shows_a_bar(monkeypatch, total):
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setattr(module, "SECONDS_BETWEEN_BARS", 0.0)
    assert list(track("abc", total, "Reading [all]", "letters")) == ["a", "b", "c"]
    assert "Reading [all]" in terminal.getvalue()
    assert "3 letters" in terminal.getvalue()


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.2, "0 s"), (99.4, "99 s"), (101, "2 min"), (3599, "60 min"), (7500, "2 h 05 min")],
)
def test_duration_is_readable(seconds, text):
    assert module._duration(seconds) == text

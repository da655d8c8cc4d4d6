"""The version of the code that a report names."""

import pytest

from mtvm.studies import report


@pytest.mark.parametrize(("changed", "version"), [("", "abc123"), ("M src/mtvm/config.py", "abc123-dirty")])
def test_a_report_calls_the_code_dirty_only_if_it_was_changed(monkeypatch, changed, version):
    monkeypatch.setattr(report, "_git", lambda *asked: changed if asked[0] == "status" else "abc123")
    assert report.git_version() == version


def test_code_outside_of_a_repository_has_an_unknown_version(monkeypatch, tmp_path):
    monkeypatch.setattr(report.mtvm, "__file__", str(tmp_path / "__init__.py"))
    assert report.git_version() == "unknown"

"""The excerpt of the golden values is what its program takes from the full data, and nothing else."""

import pytest

from golden.make_excerpt import OUT, differences, make_excerpt


@pytest.mark.slow
def test_excerpt_holds_what_make_excerpt_makes_and_nothing_else(excerpt, real_data, tmp_path):
    make_excerpt(real_data, tmp_path / "fresh")
    assert differences(tmp_path / "fresh", OUT) == []


def test_differences_names_changed_missing_and_additional_files(tmp_path):
    for folder, files in (
        ("one", {"same": "1", "changed": "2", "missing": "3"}),
        ("other", {"same": "1", "changed": "4"}),
    ):
        (tmp_path / folder).mkdir()
        for name, text in files.items():
            (tmp_path / folder / name).write_text(text)
    (tmp_path / "other" / "below").mkdir()
    (tmp_path / "other" / "below" / "more").write_text("5")
    assert differences(tmp_path / "one", tmp_path / "other") == ["below/more", "changed", "missing"]

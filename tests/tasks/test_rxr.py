"""RxR: guide annotations in their released form, and what its leaderboard takes."""

import gzip
import json

import numpy as np
import pytest

from mtvm.acting.baselines import baseline_policy
from mtvm.acting.walk import walk_split
from mtvm.app.cli import main
from mtvm.errors import InputError
from mtvm.tasks.data import DataFolder
from mtvm.tasks.load import available_splits, load_episodes
from mtvm.tasks.registry import TASKS
from mtvm.tasks.results import read_results, write_results, write_submission

SAID = {
    "en-US": "Okay, now you are in a hallway. Walk to the lamp and stop.",
    "hi-IN": "आप एक कमरे में हैं, बाईं ओर मुड़ें।",
    "te-IN": "మీరు ఒక గదిలో ఉన్నారు, ఎడమ వైపు తిరగండి.",
}


def guide(entry, number, language, **changes):
    """A line of a file of guide annotations, with all of its fields."""
    words = SAID[language].split()
    return {
        "split": "val_unseen",
        "instruction_id": 1000 + number,
        "annotator_id": 40 + number % 3,
        "language": language,
        "path_id": entry["path_id"],
        "scan": entry["scan"],
        "path": entry["path"],
        "heading": entry["heading"],
        "instruction": SAID[language],
        "timed_instruction": [{"word": word, "start_time": 0.5, "end_time": 0.9} for word in words],
        "edit_distance": 0.11,
    } | changes


@pytest.fixture(scope="module")
def folder(tiny_folder, tmp_path_factory):
    """The tiny buildings with RxR as it is released, of which the test split has no goals and no annotators' paths."""
    data = tmp_path_factory.mktemp("rxr")
    (data / "connectivity").symlink_to(tiny_folder / "connectivity")
    entries = json.loads((tiny_folder / "R2R" / "R2R_val_unseen.json").read_text())
    lines = [guide(entry, n, list(SAID)[n % 3]) for n, entry in enumerate(entries)]
    write(data, "rxr_val_unseen_guide", lines)
    write(data, "rxr_test_standard_public_guide", [line | {"path": line["path"][:1]} for line in lines])
    return data


def write(folder, name, lines):
    with gzip.open(folder / f"{name}.jsonl.gz", "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)


def read(path):
    return [json.loads(line) for line in gzip.decompress(path.read_bytes()).decode().splitlines()]


@pytest.fixture(scope="module")
def episodes(folder):
    return load_episodes("rxr/val_unseen", data=folder)


def test_guide_annotations_are_episodes_with_language_and_annotator(folder, episodes, tiny_r2r):
    assert available_splits(DataFolder(folder), TASKS["rxr"]) == ["val_unseen", "test"]
    assert episodes.ids[:2] == ["1000", "1001"]
    first = episodes[1]
    assert (first.text, first.extra) == (SAID["hi-IN"], {"language": "hi-IN", "annotator": 41})
    np.testing.assert_array_equal(np.unique(episodes.starts), np.unique(tiny_r2r.starts))
    assert episodes.has_goals
    assert episodes.task.selection_metric == "nDTW"
    assert episodes.task.follow == "path"


def test_the_test_split_keeps_its_goals(folder):
    assert not load_episodes("rxr/test", data=folder).has_goals


def test_timed_words_are_not_kept(folder):
    from mtvm.tasks.records import read_records

    path = folder / "rxr_val_unseen_guide.jsonl.gz"
    assert "timed_instruction" in read_records(path, "instruction_id").entries[0]
    assert "timed_instruction" not in read_records(path, "instruction_id", ("timed_instruction",)).entries[0]


def test_instructions_of_programs_have_no_annotator(folder, tiny_folder, tmp_path):
    (tmp_path / "connectivity").symlink_to(tiny_folder / "connectivity")
    lines = read(folder / "rxr_val_unseen_guide.jsonl.gz")
    for line in lines:
        del line["annotator_id"]
    write(tmp_path, "rxr_train_guide", lines)
    assert set(load_episodes("rxr/train", data=tmp_path).extra["annotator"].tolist()) == {-1}


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("language", None, r"entry 0 \(instruction_id 1000\): field 'language' is None, not a string"),
        ("instruction", 5, r"entry 0 \(instruction_id 1000\): field 'instruction' is 5, not a string"),
        ("instruction_id", "7a", r"entry 0 \(instruction_id 7a\): field 'instruction_id' is '7a', not a whole number"),
        ("path", ["nowhere"], r"entry 0 .*: field 'path': scan tiny\d+ has no included viewpoint nowhere"),
    ],
)
def test_malformed_annotations_are_refused(folder, tiny_folder, tmp_path, field, value, said):
    (tmp_path / "connectivity").symlink_to(tiny_folder / "connectivity")
    lines = read(folder / "rxr_val_unseen_guide.jsonl.gz")
    lines[0][field] = value
    write(tmp_path, "rxr_val_seen_guide", lines)
    with pytest.raises(InputError, match=said):
        load_episodes("rxr/val_seen", data=tmp_path)


@pytest.fixture
def results(episodes, tmp_path):
    path = tmp_path / "results.json"
    write_results(path, episodes, walk_split(baseline_policy("shortest"), episodes).trajectories())
    return path


def test_submissions_are_lines_with_the_path_of_each_instruction(folder, episodes, results, tmp_path):
    records = json.loads(results.read_text())
    records[0]["trajectory"].insert(1, records[0]["trajectory"][0])  # a turn on the spot
    results.write_text(json.dumps(records))
    out = tmp_path / "submission.jsonl"
    assert write_submission(results, out, episodes) == len(episodes)
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    assert [line["instruction_id"] for line in lines] == [int(identity) for identity in episodes.ids]
    assert all(set(line) == {"instruction_id", "path"} for line in lines)
    walked = [viewpoint for viewpoint, _, _ in read_results(results, episodes).trajectories[0]]
    assert lines[0]["path"] == walked[:1] + walked[2:]


def test_a_submission_is_written_as_the_leaderboard_names_it(folder, results, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    arguments = ["submit", str(results), "--task", "rxr", "--split", "val_unseen", "--data", str(folder)]
    main(arguments)
    assert (tmp_path / "submission.jsonl").is_file()


def test_scores_of_each_language(folder, results, capsys):
    base = ["score", str(results), "--task", "rxr", "--split", "val_unseen", "--data", str(folder)]
    main([*base, "--by", "language", "--json"])
    found = json.loads(capsys.readouterr().out)
    assert set(found["by language"]) == set(SAID)
    assert found["by language"]["te-IN"]["SR"] == 100
    lengths = [found["by language"][language]["TL"] for language in SAID]
    assert np.mean(lengths) == pytest.approx(found["TL"])  # four of each
    main([*base, "--by", "language"])
    assert "te-IN" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main([*base, "--by", "weather"])
    assert "no field 'weather'; they have annotator, language" in capsys.readouterr().err

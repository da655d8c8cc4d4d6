"""New paths like those of a dataset."""

import dataclasses
import gzip
import json
import shutil
from collections import Counter

import numpy as np
import pytest

from mtvm.app.cli import main
from mtvm.errors import InputError
from mtvm.io.files import write_json
from mtvm.tasks.data import DataFolder
from mtvm.tasks.hold_out import held_out_scans, hold_out
from mtvm.tasks.sampling import sample_paths


def sampled(episodes, count=40, seed=0):
    return sample_paths(episodes, count, np.random.default_rng(seed))


def test_sample_paths_are_shortest_paths_that_no_episode_takes(tiny_r2r):
    paths, headings = sampled(tiny_r2r)
    world = tiny_r2r.world
    known = set(zip(tiny_r2r.starts.tolist(), tiny_r2r.reference_ends.tolist(), strict=True))
    assert 0 < len(paths) == len(headings) <= 40
    for row in paths:
        nodes = row[row >= 0].tolist()
        assert nodes == world.shortest_path(nodes[0], nodes[-1])
        assert (nodes[0], nodes[-1]) not in known
    pairs = [(row[0], row[row >= 0][-1]) for row in paths]
    assert len(set(pairs)) == len(pairs)
    assert ((headings >= 0) & (headings < 2 * np.pi)).all()


def test_sample_paths_have_as_many_steps_and_metres_as_the_episodes(tiny_r2r):
    paths, _ = sampled(tiny_r2r, 30)
    assert set((paths >= 0).sum(axis=1)) <= set(tiny_r2r.reference_lengths)
    metres = tiny_r2r.world.distance(tiny_r2r.starts, tiny_r2r.reference_ends)
    ends = [row[row >= 0][-1] for row in paths]
    ours = tiny_r2r.world.distance(paths[:, 0], np.array(ends))
    assert metres.min() <= ours.min() <= ours.max() <= metres.max()


def test_sample_paths_follow_the_distribution_of_steps_where_there_are_enough(tiny_r2r):
    wanted = Counter(tiny_r2r.reference_lengths.tolist())
    paths, _ = sampled(tiny_r2r, 20)
    for size, count in Counter((paths >= 0).sum(axis=1).tolist()).items():
        assert count <= round(20 * wanted[size] / len(tiny_r2r))


def test_sample_paths_depend_on_the_seed_alone(tiny_r2r):
    assert np.array_equal(sampled(tiny_r2r)[0], sampled(tiny_r2r)[0])
    assert not np.array_equal(sampled(tiny_r2r)[0], sampled(tiny_r2r, seed=1)[0])


def test_sample_paths_refuse_episodes_without_goals(tiny_r2r):
    secret = dataclasses.replace(tiny_r2r, references=tiny_r2r.references[:, :1])
    with pytest.raises(InputError, match="no goals"):
        sampled(secret)


def test_hold_out_parts_the_training_buildings(tiny_folder, tmp_path):
    train = json.loads((tiny_folder / "R2R" / "R2R_train.json").read_text())
    scans = sorted({entry["scan"] for entry in train})
    (tmp_path / "scans.txt").write_text(f"\ufeff{scans[0]}  # one\n\n# held out\n")
    chosen = held_out_scans(tmp_path / "scans.txt")
    assert chosen == {scans[0]}
    if len(scans) == 1:
        with pytest.raises(InputError, match=r"fit\.json would be empty"):
            hold_out(DataFolder(tiny_folder), chosen, tmp_path / "dev")
        assert not (tmp_path / "dev").exists()
        return
    (tmp_path / "aug.json.gz").write_bytes(gzip.compress(json.dumps(train).encode()))
    counts = hold_out(DataFolder(tiny_folder), chosen, tmp_path / "dev", [tmp_path / "aug.json.gz"])
    fit, held = (json.loads((tmp_path / "dev" / f"{name}.json").read_text()) for name in ("fit", "held_out"))
    assert json.loads(gzip.decompress((tmp_path / "dev" / "aug.json.gz").read_bytes())) == fit
    assert {entry["scan"] for entry in held} == chosen
    assert chosen.isdisjoint(entry["scan"] for entry in fit)
    assert len(fit) + len(held) == len(train)
    assert counts["held_out.json"] == sum(len(entry["instructions"]) for entry in held)


@pytest.mark.parametrize("content", ["{}", "[1]", '[{"scan": 3}]', '[{"scan": "s", "instructions": "go"}]', "[{}]"])
def test_hold_out_of_a_malformed_file_is_one_sentence(tiny_folder, tmp_path, content):
    shutil.copytree(tiny_folder, tmp_path / "data")
    (tmp_path / "data" / "R2R" / "R2R_train.json").write_text(content)
    with pytest.raises(InputError, match=r"R2R_train\.json: ") as error:
        hold_out(DataFolder(tmp_path / "data"), frozenset({"s"}), tmp_path / "dev")
    assert "\n" not in str(error.value)
    assert not (tmp_path / "dev").exists()


def test_hold_out_refuses_what_it_would_do_wrongly(tiny_folder, tmp_path):
    with pytest.raises(InputError, match=r"R2R_train\.json: has no scan villa to hold out; check"):
        hold_out(DataFolder(tiny_folder), frozenset({"tiny0", "villa"}), tmp_path / "dev")
    with pytest.raises(InputError, match=r"fit\.json: this name is taken already"):
        hold_out(DataFolder(tiny_folder), frozenset({"tiny0"}), tmp_path / "dev", [tmp_path / "fit.json"])
    assert not (tmp_path / "dev").exists()


def test_held_out_scans_are_eight():
    assert len(held_out_scans()) == 8


def test_buildings_of_another_task_are_held_out_too(tiny_folder, tmp_path, capsys):
    data = tmp_path / "data"
    for split in ("train", "val_seen"):
        entries = json.loads((tiny_folder / "R2R" / f"R2R_{split}.json").read_text())
        entries = [entry | {"id": f"{entry['path_id']}_1", "objId": 1} for entry in entries]
        write_json(data / f"REVERIE_{split}.json", entries)
    scans = sorted({entry["scan"] for entry in json.loads((data / "REVERIE_train.json").read_text())})
    (tmp_path / "scans.txt").write_text(scans[0])
    options = ["--data", str(data), "--scans", str(tmp_path / "scans.txt"), "--task", "reverie"]
    main(["data", "hold-out", str(tmp_path / "dev"), *options])
    held = json.loads((tmp_path / "dev" / "held_out.json").read_text())
    assert {entry["scan"] for entry in held} == {scans[0]}
    assert all(entry["objId"] == 1 for entry in held)
    assert "held_out.json" in capsys.readouterr().out

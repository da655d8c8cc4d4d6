"""`mtvm speaker`, `augment`, `data hold-out`, `pretrain` and `grounding` as a user types them, on the tiny world."""

import json
import shutil

import numpy as np
import pytest
from command_line import refused, run

torch = pytest.importorskip("torch")
pytest.importorskip("pycocoevalcap")

from mtvm.features.store import FeatureStore  # noqa: E402
from mtvm.learning import checkpoint  # noqa: E402
from mtvm.tasks.load import load_episodes  # noqa: E402

SMALL = "--optimizer.updates 2 --batch 2"
SPEAKER = (
    f"{SMALL} --validate-every 1 --model.hidden 16 --model.heads 2 --model.encoder-layers 1 --model.decoder-layers 1"
)
FOUR = "--optimizer.updates 4"
AGENT = (
    f"{SMALL} --selection.every 1 --selection.limit 3 --device cpu --no-tensorboard --data.horizon 4 "
    "--data.evaluate r2r/val_unseen --model.hidden 16 --model.heads 2 --model.intermediate 32"
)


@pytest.fixture(autouse=True)
def alone(monkeypatch, tmp_path):
    """Whatever launched the tests, they train alone, on the CPU, in a folder of their own."""
    for name in ("WORLD_SIZE", "RANK", "LOCAL_RANK", "MTVM_DATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    monkeypatch.chdir(tmp_path)
    torch.set_num_threads(1)


@pytest.fixture
def data(tiny_folder, tiny_world, tmp_path):
    """A data folder with features beside it."""
    shutil.copytree(tiny_folder, tmp_path / "data")
    rng = np.random.default_rng(0)
    entries = (
        (tiny_world.scan(node), str(tiny_world.viewpoints[node]), rng.normal(size=(36, 6)).astype(np.float32))
        for node in range(len(tiny_world))
    )
    FeatureStore.write(tmp_path / "store", entries, source="random", source_format="test")
    return tmp_path / "data"


@pytest.mark.slow
def test_a_speaker_describes_paths_that_an_agent_trains_on(capsys, data, tmp_path):
    where = ("--data.folder", "data", "--data.features", "store")
    printed = run(capsys, "speaker", "train", "--out", "speaker", *where, *SPEAKER.split()).out
    for word in ("BLEU-4", "ROUGE-L", "CIDEr", "What it says"):
        assert word in printed
    run(capsys, "train", "tiny", "--out", "follower", *where, *AGENT.split())
    options = ("--paths", "10", "--out", "aug.json.gz")
    said = run(capsys, "augment", "--speaker", "speaker", "--follower", "follower", *options).out
    assert "kept: 5" in said
    assert "--data.train r2r/train prevalent/aug.json.gz" in said
    assert len(load_episodes("prevalent", str(tmp_path / "aug.json.gz"), data)) == 5
    mixed = ("--data.train", "r2r/train", "prevalent/aug.json.gz")
    run(capsys, "train", "tiny", "--out", "better", *where, *mixed, *AGENT.split())
    run(capsys, "data", "hold-out", "dev", "--data", "data", "--scans", _scans(data), "--augmented", "aug.json.gz")
    assert {path.name for path in (tmp_path / "dev").iterdir()} == {
        *("fit.json", "held_out.json", "val_seen.json", "aug.json.gz")
    }


def _scans(data):
    """A file that names one of the training buildings."""
    scans = sorted({entry["scan"] for entry in json.loads((data / "R2R" / "R2R_train.json").read_text())})
    (data.parent / "scans.txt").write_text(scans[0])
    return data.parent / "scans.txt"


def test_a_speaker_is_scored_where_its_data_is_now(capsys, data, tmp_path):
    where = ("--data.folder", "data", "--data.features", "store")
    run(capsys, "speaker", "train", "--out", "speaker", *where, *SPEAKER.split())
    shutil.move(data, tmp_path / "moved")
    run(capsys, "speaker", "eval", "speaker", "--data", "moved", "--split", "r2r/val_seen", "--samples", "1")
    assert f"{data}: the data folder does not exist" in refused(capsys, "speaker", "eval", "speaker")


def test_a_speaker_that_is_not_there_is_missed_by_name(capsys, data):
    said = refused(capsys, "augment", "--speaker", "nobody", "--out", "aug.json")
    assert said.startswith("nobody: no speaker here")
    assert "'mtvm speaker train' makes one" in said


def test_pretraining_is_what_training_starts_from(capsys, data):
    where = ("--data.folder", "data", "--data.features", "store")
    run(capsys, "pretrain", "tiny", "--out", "before", *where, *AGENT.split())
    kinds = [json.loads(line) for line in (data.parent / "before" / "metrics.jsonl").read_text().splitlines()]
    assert any("masked_words" in name for line in kinds for name in line)
    said = run(capsys, "train", "tiny", "--init", "before/best", "--out", "after", *where, *AGENT.split()).out
    assert "from the agent in" in said


@pytest.mark.slow
def test_pretraining_takes_turns_in_all_datasets(capsys, data):
    """R2R, R4R that is made of it, REVERIE, and a speaker's instructions."""
    where = ("--data.folder", "data", "--data.features", "store")
    entries = json.loads((data / "R2R" / "R2R_train.json").read_text())
    told = [
        entry | {"id": f"{entry['path_id']}_7", "objId": 7, "instructions": ["bring me the cup"]} for entry in entries
    ]
    cup = {"id": 7, "name": "cup", "views": [3], "boxes": [[1, 2, 3, 4]]}
    ends = sorted({(entry["scan"], entry["path"][-1]) for entry in entries})
    (data / "viewpoints.jsonl").write_text(
        "".join(json.dumps({"scan": scan, "viewpoint": place, "objects": [cup]}) + "\n" for scan, place in ends)
    )
    (data / "R2R" / "REVERIE_train.json").write_text(json.dumps(told))
    (data / "aug.json").write_text(json.dumps(entries[:5]))
    run(capsys, "data", "r4r", "train", "--data", "data", "--out", "r4r.json")
    splits = ("r2r/train", "r4r/r4r.json", "reverie/train", "prevalent/data/aug.json")
    run(capsys, "pretrain", "tiny", "--out", "before", "--data.train", *splits, *where, *AGENT.split(), *FOUR.split())
    assert checkpoint.load(data.parent / "before" / "checkpoint.pt")["batches"] == [1, 1, 1, 1]
    said = run(capsys, "train", "tiny", "--init", "before/best", "--out", "after", *where, *AGENT.split()).out
    assert "from the agent in" in said


def test_a_speaker_is_not_taken_for_a_run_nor_a_run_for_a_speaker(capsys, data):
    where = ("--data.folder", "data", "--data.features", "store")
    run(capsys, "speaker", "train", "--out", "speaker", *where, *SPEAKER.split())
    run(capsys, "train", "tiny", "--out", "agent", *where, *AGENT.split())
    assert "a speaker was trained here, not an agent" in refused(capsys, "weights", "release", "speaker", "small")
    said = refused(capsys, "augment", "--speaker", "agent", "--out", "aug.json")
    assert "best: not a speaker" in said
    (data.parent / "speaker" / "best" / "model.safetensors").unlink()
    assert "has no model.safetensors" in refused(capsys, "augment", "--speaker", "speaker", "--out", "aug.json")
    assert "speaker: another kind of run is there" in refused(
        capsys, "train", "tiny", "--out", "speaker", *where, *AGENT.split()
    )


@pytest.mark.parametrize("out", [".", "aug.txt", "folder.json"])
def test_augmenting_to_what_is_no_json_file_is_refused_before_the_work(capsys, data, out):
    (data.parent / "folder.json").mkdir()
    assert refused(capsys, "augment", "--speaker", "speaker", "--out", out).startswith(f"--out {out}: ")


def test_grounding_without_sub_instructions_names_the_file(capsys, data):
    where = ("--data.folder", "data", "--data.features", "store")
    run(capsys, "train", "tiny", "--out", "run", *where, *AGENT.split())
    assert "no FGR2R_val_unseen.json below it" in refused(capsys, "grounding", "run")

"""Pickles with code, HDF5 and other strangers in every place of the command line that takes a path: one sentence, and
nothing is run or left behind."""

import os
import pickle

import h5py
import pytest
import torch
from samples import SMALL

from mtvm.app.cli import main
from mtvm.models.network import make_network
from mtvm.models.saving import save_model


class Payload:
    """Makes a file when it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return os.mkdir, (str(self.path),)


def pickled(path, marker):
    path.write_bytes(pickle.dumps({"weights": Payload(marker)}))


def saved_by_torch(path, marker):
    torch.save({"state_dict": {"a": torch.ones(2)}, "code": Payload(marker)}, path)


def linked(path, marker):
    """HDF5 with what could lead elsewhere: a link to a file, external storage."""
    with h5py.File(path, "w") as file:
        file["tiny0_v"] = h5py.ExternalLink("/etc/passwd", "x")
        file.create_dataset("tiny1_v", (36, 4), dtype="f4", external=[("/etc/passwd", 0, 36 * 4 * 4)])


def empty(path, marker):
    path.write_bytes(b"")


def half(path, marker):
    path.write_bytes(b'[{"instr_id": "1_0", "trajectory": [["\xff')


STRANGERS = {"pickle": pickled, "torch": saved_by_torch, "hdf5": linked, "empty": empty, "half": half}
TRAIN = ("train", "tiny", "--out", "{out}/run", "--data.folder", "{data}", "--device", "cpu")
PLACES = {
    "score": ("score", "{it}", "--data", "{data}"),
    "score --split": ("score", "{it}", "--data", "{data}", "--split", "{it.json}"),
    "submit": ("submit", "{it}", "--data", "{data}", "--out", "{out}/s.json"),
    "baseline --split": ("baseline", "stop", "--data", "{data}", "--split", "{it.json}", "--out", "{out}/b.json"),
    "baseline --data": ("baseline", "stop", "--data", "{it}", "--out", "{out}/b.json"),
    "eval": ("eval", "{it}", "--split", "r2r/val_unseen", "--data.folder", "{data}", "--out", "{out}/e"),
    "eval --data.features": (
        "eval",
        "{agent}",
        "--data.folder",
        "{data}",
        "--data.features",
        "{it}",
        "--out",
        "{out}/e",
    ),
    "eval --data.guesser": (
        *("eval", "{agent}", "--data.folder", "{data}", "--data.sight", "guesses", "--data.guesser", "{it}"),
        *("--split", "r2r/val_unseen", "--out", "{out}/e"),
    ),
    "train --init": (*TRAIN, "--data.sight", "blind", "--init", "{it}"),
    "train --data.features": (*TRAIN, "--data.features", "{it}"),
    "resume": ("resume", "{it}"),
    "runs": ("runs", "{it}"),
    "compare": ("compare", "{it}", "{it}"),
    "figure": ("figure", "map", "{it}", "--data", "{data}", "--out", "{out}/f.svg"),
    "view": ("view", "{it}", "--data", "{data}", "--no-browser"),
    "grounding": ("grounding", "{it}", "--data", "{data}"),
    "inspect": ("inspect", "{it}"),
    "features import": ("features", "import", "{it}", "{out}/store"),
    "features import .hdf5": ("features", "import", "{it.hdf5}", "{out}/store"),
    "features import .npz": ("features", "import", "{it.npz}", "{out}/store"),
    "features import .tsv": ("features", "import", "{it.tsv}", "{out}/store"),
    "features info": ("features", "info", "{it}"),
    "features semantic": ("features", "semantic", "{it}", "{out}/store"),
    "features extract captions": ("features", "extract", "{it}", "{out}/store", "--encoder", "captions"),
    "features extract": ("features", "extract", "{it}", "{out}/store", "--data", "{data}"),
    "features extract --weights": (
        *("features", "extract", "{data}", "{out}/store", "--data", "{data}"),
        *("--encoder", "resnet152", "--weights", "{it}"),
    ),
    "weights import": ("weights", "import", "{it}", "{out}/agent"),
    "weights import .bin": ("weights", "import", "{it.bin}", "{out}/agent"),
    "weights import .safetensors": ("weights", "import", "{it.safetensors}", "{out}/agent"),
    "weights export": ("weights", "export", "{it}", "{out}/w.pt"),
    "weights parity": ("weights", "parity", "{it}"),
    "weights release": ("weights", "release", "{it}", "{out}/released"),
    "speaker eval": ("speaker", "eval", "{it}", "--data", "{data}"),
    "augment --speaker": ("augment", "--speaker", "{it}", "--out", "{out}/a.json", "--folder", "{data}"),
    "augment --instructions": (
        *("augment", "--instructions", "{it.json}", "--follower", "{it}", "--out", "{out}/a.json"),
        *("--folder", "{data}"),
    ),
    "data captions": ("data", "captions", "{it}", "--out", "{out}/c.jsonl"),
    "data names": ("data", "names", "{it}", "--out", "{out}/n.jsonl"),
    "data r4r": ("data", "r4r", "{it.json}", "--data", "{data}", "--out", "{out}/r.json"),
    "data hold-out": ("data", "hold-out", "{out}/dev", "--data", "{data}", "--scans", "{it}"),
    "data check": ("data", "check", "{it}"),
    "study run --agents": ("study", "run", "table1", "--data", "{data}", "--agents", "{it}", "--out", "{out}/study"),
}


@pytest.fixture(scope="module")
def agent(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile") / "agent"
    save_model(make_network(SMALL), folder)
    return folder


class Where:
    """Fills in `{it}`, and `{it.ending}` with the same content under a name that ends so."""

    def __init__(self, path):
        self._path = path

    def __getattr__(self, ending):
        named = self._path.with_suffix(f".{ending}")
        named.write_bytes(self._path.read_bytes())
        return named

    def __format__(self, _):
        return str(self._path)


@pytest.mark.parametrize(
    "stranger",
    [one if one == "torch" else pytest.param(one, marks=pytest.mark.slow) for one in STRANGERS],  # it is read furthest
)
@pytest.mark.parametrize("place", PLACES)
def test_a_stranger_is_refused_in_one_sentence_and_never_run(
    place, stranger, agent, tiny_folder, tmp_path, capsys, monkeypatch
):
    monkeypatch.delenv("MTVM_DATA", raising=False)
    (tmp_path / "out").mkdir()
    it, marker = tmp_path / "stranger", tmp_path / "marker"
    STRANGERS[stranger](it, marker)
    where = {"it": Where(it), "data": tiny_folder, "out": tmp_path / "out", "agent": agent}
    with pytest.raises(SystemExit) as stop:
        main([part.format(**where) for part in PLACES[place]])
    printed = capsys.readouterr()
    assert stop.value.code == 2, printed.err
    assert printed.err.startswith("mtvm: ")
    assert printed.err.splitlines()[-1].startswith("mtvm: ")
    assert not marker.exists()
    left = [path for path in (tmp_path / "out").iterdir() if place != "study run --agents"]
    assert left == []

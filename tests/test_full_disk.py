"""A disk that is full: one sentence, the old file stays, and a training goes on without its curves."""

import contextlib

import numpy as np
import pytest

from mtvm.errors import InputError
from mtvm.features.store import FeatureStore
from mtvm.homes.drawing import draw_home
from mtvm.homes.generate import generate_home
from mtvm.homes.painter import write_skybox
from mtvm.io.files import atomic_path
from mtvm.learning.record import Record, read_record
from mtvm.models.config import ModelConfig, SpeakerModelConfig
from mtvm.models.export import export_step
from mtvm.models.network import make_network
from mtvm.models.saving import save_compact, save_model
from mtvm.models.speaker import Speaker
from mtvm.models.weights import write_released
from mtvm.studies import charts
from mtvm.tasks.evaluation import Evaluation
from mtvm.tasks.evaluation_folder import write_evaluation
from mtvm.viewer.drawing import Drawing

resource = pytest.importorskip("resource", reason="the system cannot limit the sizes of files")
SMALL = ModelConfig(
    hidden=8, heads=2, intermediate=8, language_layers=1, crossmodal_layers=1, feature_width=4, critic_hidden=4
)

SPEAKER = SpeakerModelConfig(hidden=16, heads=2, encoder_layers=1, decoder_layers=1, feature_width=6, vocabulary=12)


@contextlib.contextmanager
def full_after(size):
    """No file may have more bytes than this: what a full disk does to those who write, but for the reason given."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


class Panorama:
    """Noise, which cannot be packed."""

    rng = np.random.default_rng(0)
    faces = rng.integers(0, 255, (6, 64, 64, 3)).astype(np.uint8)
    depth = rng.integers(0, 60000, (6, 64, 64)).astype(np.uint16)


def write_store(path):
    """Its ids take more space than its features."""
    entries = ((f"{'s' * 100}", f"{number}{'v' * 100}", np.zeros((36, 1), np.float32)) for number in range(99))
    FeatureStore.write(path, entries, source="made", source_format="test")


def write_charts(path):
    with atomic_path(path) as folder:
        folder.mkdir()
        charts.save(charts.draw_profiles({"one": [1.0, 0.5]}, [0, 1], "SR"), folder, "chart")


def draw(path):
    drawing = Drawing(400, 400, "lines")
    for number in range(400):
        drawing.line("edge", (number, number**2 % 397), (number**3 % 391, number))
    drawing.save(path)


def write_release(path):
    with atomic_path(path) as folder:
        folder.mkdir()
        save_compact(make_network(SMALL), folder / "best", "a card")


WRITERS = {
    "features": (write_store, "store"),
    "skyboxes": (
        lambda path: write_skybox(path.parents[2], "home", "v", Panorama),
        "home/matterport_skybox_images/v_skybox_small.jpg",
    ),
    "a home's plan": (lambda path: draw_home(generate_home("home", 1), path), "plan.png"),
    "charts of a study": (write_charts, "report"),
    "a figure as PNG": (draw, "figure.png"),
    "a figure as SVG": (draw, "figure.svg"),
    "an agent": (lambda path: save_model(make_network(SMALL), path.parent), "model.safetensors"),
    "a speaker": (lambda path: Speaker(SPEAKER).save(path.parent), "model.safetensors"),
    "weights in the authors' format": (lambda path: write_released(make_network(SMALL), path), "released.pt"),
    "a released run": (write_release, "released"),
    "the step as a program": (lambda path: export_step(make_network(SMALL), path), "step.pt2"),
}


@pytest.mark.slow
@pytest.mark.parametrize(("write", "name"), WRITERS.values(), ids=WRITERS)
@pytest.mark.parametrize("size", [0, 10_000])
def test_full_disk_is_one_sentence_and_the_old_file_stays(tmp_path, write, name, size):
    path = tmp_path / name
    write(path)
    before = {found: found.read_bytes() for found in tmp_path.rglob("*") if found.is_file()}
    assert max(map(len, before.values())) > size
    with full_after(size), pytest.raises(InputError) as found:
        write(path)
    assert str(path.parent) in str(found.value)
    assert ".tmp" not in str(found.value)
    assert "\n" not in str(found.value)
    assert {found: found.read_bytes() for found in tmp_path.rglob("*") if found.is_file()} == before


@pytest.mark.parametrize("size", [0, 300, 5000])
def test_full_disk_leaves_the_old_evaluation_whole(tmp_path, tiny_r2r, size):
    """None of its files is of the new one, whichever of them had no room."""
    folder, stay = tmp_path / "r2r-val_unseen", tiny_r2r.references[:, :1].astype(np.int64)
    write_evaluation(folder, Evaluation(tiny_r2r, stay, np.zeros_like(stay), [], 1.0))
    before = {found.name: found.read_bytes() for found in folder.iterdir()}
    assert max(map(len, before.values())) > size
    walks = tiny_r2r.references.astype(np.int64)
    with full_after(size), pytest.raises(InputError) as found:
        write_evaluation(folder, Evaluation(tiny_r2r, walks, np.zeros_like(walks), [], 1.0))
    assert str(folder) in str(found.value)
    assert "\n" not in str(found.value)
    assert {found.name: found.read_bytes() for found in folder.iterdir()} == before
    assert list(tmp_path.iterdir()) == [folder]


@pytest.mark.parametrize("size", [0, 150])
def test_full_disk_ends_the_curves_and_not_the_training(tmp_path, capsys, size):
    """The disk is full from the beginning, or after some updates; the record has room in either case."""
    pytest.importorskip("tensorboard")
    with full_after(size):
        record = Record(tmp_path, 0, tmp_path / "curves")
    for update in (1, 2, 3):
        with full_after(150):
            record.write("train", update, {"loss": 0.5})
    said = capsys.readouterr().err
    assert said.count("\n") == 1, said
    assert "the curves for TensorBoard end here" in said
    assert [line["update"] for line in read_record(tmp_path)] == [1, 2, 3]

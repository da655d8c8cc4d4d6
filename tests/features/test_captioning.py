"""Captions of one's own building: photographs and skyboxes, a captioner that can be checked, a tiny BLIP."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

Image = pytest.importorskip("PIL.Image")

from mtvm.errors import InputError  # noqa: E402
from mtvm.features.captioning import blip_captioner, caption_building  # noqa: E402
from mtvm.features.captions import read_captions  # noqa: E402
from mtvm.machine import minilm_folder  # noqa: E402
from mtvm.world.skybox import load_faces, render_views  # noqa: E402
from mtvm.world.views import IMAGE_HEIGHT, IMAGE_VFOV, IMAGE_WIDTH  # noqa: E402

ROWS = ("down", "level", "up")


def mean_colours(images):
    """A captioner that can be checked: it says the mean colour."""
    return [" ".join(f"{value:.0f}" for value in image.mean(axis=(0, 1))) + "\n" for image in images]


def photograph(path, shade):
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(np.full((6, 8, 3), shade, dtype=np.uint8)).save(path)


def test_photographs_are_described_in_their_directions(tmp_path):
    folder = tmp_path / "photographs"
    for heading in range(8):
        for row, name in enumerate(ROWS):
            photograph(folder / "office" / "door" / f"{45 * heading}_{name}.png", 10 * heading + row)
    photograph(folder / "office" / "desk" / "090_LEVEL.PNG", 99)
    photograph(folder / "barn" / "hay" / "0_up.png", 7)
    (folder / "office" / "desk" / "notes.txt").write_text("not a photograph")
    out = tmp_path / "captions.jsonl.gz"
    assert caption_building(folder, out, mean_colours, show_progress=False) == 3
    barn, desk, door = read_captions(out)
    assert (barn.scan, barn.viewpoint, barn.captions[0]) == ("barn", "hay", ["", "", "7 7 7"])
    assert (desk.viewpoint, door.viewpoint) == ("desk", "door")
    assert [caption for heading in desk.captions for caption in heading if caption] == ["99 99 99"]
    assert desk.captions[2][1] == "99 99 99"
    assert door.captions == [[f"{10 * h + row} {10 * h + row} {10 * h + row}" for row in range(3)] for h in range(8)]
    assert caption_building(folder, out, mean_colours, scans=["office"], show_progress=False) == 2


def test_skyboxes_are_rendered_in_those_directions(tmp_path):
    pytest.importorskip("numba")
    rotation = np.array([[1, 0, 0], [0, 0, 1], [0, -1, 0]], dtype=np.float32)
    pose = np.eye(4)
    pose[:3, :3] = rotation
    record = {"image_id": "v0", "pose": pose.ravel().tolist(), "included": True, "unobstructed": [False]}
    (tmp_path / "connectivity").mkdir()
    (tmp_path / "connectivity" / "home_connectivity.json").write_text(json.dumps([record]))
    pictures = tmp_path / "scans" / "home" / "matterport_skybox_images"
    pictures.mkdir(parents=True)
    colours = np.random.default_rng(0).integers(0, 256, (6, 1, 1, 3), dtype=np.uint8)
    strip = np.concatenate(list(np.broadcast_to(colours, (6, 16, 16, 3))), axis=1)
    Image.fromarray(strip).save(pictures / "v0_skybox_small.jpg", quality=100, subsampling=0)
    options = {"connectivity": tmp_path / "connectivity", "show_progress": False}
    assert caption_building(tmp_path / "scans", tmp_path / "said.jsonl", mean_colours, **options) == 1
    (place,) = read_captions(tmp_path / "said.jsonl")
    faces = load_faces(pictures, "v0")
    for heading, row in ((0, 1), (3, 0), (6, 2)):
        at = [math.radians(45 * heading)], [math.radians(30 * (row - 1))]
        view = render_views(faces, rotation, *at, IMAGE_WIDTH, IMAGE_HEIGHT, IMAGE_VFOV, threads=1)
        assert place.captions[heading][row] == mean_colours(view)[0].strip()
    assert len(place.captions) == 8
    assert caption_building(tmp_path / "scans", tmp_path / "said.jsonl", mean_colours, headings=12, **options) == 1
    assert len(next(read_captions(tmp_path / "said.jsonl")).captions) == 12


@pytest.mark.parametrize(
    ("names", "options", "message"),
    [
        ([], {}, "no photographs <scan>/<viewpoint>/<degrees>_<down|level|up>.jpg are in it"),
        (["50_level.png"], {}, "50 degrees is none of 8 even headings, 45 degrees apart"),
        (["360_level.png"], {}, "360 degrees is none of 8 even headings"),
        (["0_level.png"], {"headings": 7}, "7 headings are not possible"),
        (["0_level.png"], {"scans": ["barn"]}, "no photographs"),
    ],
)
def test_what_cannot_be_described_is_refused(names, options, message, tmp_path):
    (tmp_path / "photographs").mkdir()
    for name in names:
        photograph(tmp_path / "photographs" / "office" / "door" / name, 1)
    with pytest.raises(InputError) as caught:
        caption_building(tmp_path / "photographs", tmp_path / "out.jsonl", mean_colours, **options)
    assert message in str(caught.value)
    assert not (tmp_path / "out.jsonl").exists()


def test_a_damaged_photograph_is_named(tmp_path):
    path = tmp_path / "photographs" / "office" / "door" / "0_level.jpg"
    photograph(path, 1)
    path.write_bytes(path.read_bytes()[:200])
    with pytest.raises(InputError, match=r"0_level\.jpg: the file is "):
        caption_building(path.parents[2], tmp_path / "out.jsonl", mean_colours, show_progress=False)
    with pytest.raises(InputError, match="there is no such folder"):
        caption_building(tmp_path / "none", tmp_path / "out.jsonl", mean_colours)


@pytest.fixture(scope="module")
def tiny_blip(tmp_path_factory):
    """BLIP as transformers has it, in the same files but with random weights of a hundredth of the size."""
    torch, transformers = pytest.importorskip("torch"), pytest.importorskip("transformers")
    folder = tmp_path_factory.mktemp("blip")
    sizes = {"hidden_size": 8, "intermediate_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2}
    text = sizes | {"vocab_size": 30524, "encoder_hidden_size": 8, "max_position_embeddings": 64}
    config = transformers.BlipConfig(
        text_config=text, vision_config=sizes | {"image_size": 32, "patch_size": 16}, projection_dim=8
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        transformers.BlipForConditionalGeneration(config).save_pretrained(folder)
    tokenizer = transformers.BertTokenizerFast.from_pretrained(minilm_folder(), local_files_only=True)
    size = {"height": 32, "width": 32}
    transformers.BlipProcessor(transformers.BlipImageProcessor(size=size), tokenizer).save_pretrained(folder)
    return folder


@pytest.mark.slow
def test_blip_describes_a_building(tiny_blip, tmp_path):
    folder = tmp_path / "photographs"
    for name, shade in (("0_level", 10), ("45_down", 250), ("90_up", 10)):
        photograph(folder / "office" / "door" / f"{name}.png", shade)
    captioner = blip_captioner(str(tiny_blip), "cpu")
    assert caption_building(folder, tmp_path / "out.jsonl", captioner, show_progress=False) == 1
    (place,) = read_captions(tmp_path / "out.jsonl")
    said = [place.captions[0][1], place.captions[1][0], place.captions[2][2]]
    assert all(said)
    assert said[0] == said[2]  # of the same picture it says the same
    assert sum(bool(caption) for heading in place.captions for caption in heading) == 3


def test_what_is_no_blip_is_refused(tmp_path):
    pytest.importorskip("transformers")
    photograph(tmp_path / "photographs" / "office" / "door" / "0_level.png", 1)
    (tmp_path / "empty").mkdir()
    for model in (str(tmp_path / "empty"), "not a name!"):
        with pytest.raises(InputError, match="no BLIP model can be loaded from there"):
            caption_building(tmp_path / "photographs", tmp_path / "out.jsonl", blip_captioner(model, "cpu"))
    assert not (tmp_path / "out.jsonl").exists()

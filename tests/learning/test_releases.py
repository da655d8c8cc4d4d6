"""What stands in releases/ can be passed on: it loads, is small, has a card, and was made in training buildings."""

import hashlib
import sys
import zipfile
from pathlib import Path

import pytest

from mtvm.features.guesses import NameGuesser
from mtvm.io.files import write_text
from mtvm.learning.run_folder import RunFolder, guesser_of
from mtvm.models.saving import load_model
from mtvm.tasks.load import load_episodes

sys.path.append(str(Path(__file__).parents[2] / "tools"))
import release

RELEASES = Path(__file__).parents[2] / "releases"
AGENTS = sorted(path.parent for path in RELEASES.glob("*/config.json"))
INSTRUCTIONS = sorted(RELEASES.glob("*.json.gz"))


def test_releases_are_found():
    """Without any, the tests below would test nothing."""
    assert {"r2r-pixels", "r2r-annotated"} <= {folder.name for folder in AGENTS}
    assert {"r2r-augmented.json.gz", "r2r-augmented-second.json.gz"} <= {file.name for file in INSTRUCTIONS}


@pytest.mark.parametrize("folder", AGENTS, ids=lambda folder: folder.name)
def test_a_released_agent_loads_and_is_small_and_has_a_card(folder):
    config = RunFolder(folder).config()
    load_model(folder / "best", "cpu")
    assert sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) <= 8 * 2**20
    card = (folder / "README.md").read_text(encoding="utf-8")
    assert f"seed {config.seed}" in card
    assert "| r2r-val_seen | 1021 |" in card


@pytest.mark.parametrize(("name", "expected"), [("r2r-pixels", "captions only"), ("r2r-annotated", "privileged")])
def test_a_released_agent_has_what_it_needs_to_see_and_says_its_track(name, expected):
    folder = RELEASES / name
    guesser = guesser_of(folder)
    assert guesser is not None
    assert NameGuesser.load(guesser).width <= load_model(folder / "best", "cpu").config.feature_width
    track = RunFolder(folder).config().data.track
    assert track == expected
    assert f"Track: {track}." in (folder / "README.md").read_text(encoding="utf-8")


def test_what_is_uploaded_elsewhere_is_whole_and_has_checksums(tmp_path):
    (tmp_path / "releases" / "mine" / "best").mkdir(parents=True)
    for name in ("config.json", "best/model.safetensors", "eval/r2r-val_seen/results.json"):
        write_text(tmp_path / "releases" / "mine" / name, name)
    write_text(tmp_path / "releases" / "said.json.gz", "texts")
    for out in ("once", "twice"):
        files = release.gather(tmp_path / "releases", tmp_path / out)
        assert [file.name for file in files] == ["mine.zip", "said.json.gz", "SHA256SUMS"]
    with zipfile.ZipFile(tmp_path / "once" / "mine.zip") as archive:
        assert archive.namelist() == ["mine/best/model.safetensors", "mine/config.json"]
    sums = (tmp_path / "once" / "SHA256SUMS").read_text()
    assert sums == (tmp_path / "twice" / "SHA256SUMS").read_text()
    digest = hashlib.sha256((tmp_path / "once" / "mine.zip").read_bytes()).hexdigest()
    assert f"{digest}  mine.zip\n" in sums


@pytest.mark.slow
@pytest.mark.parametrize("file", INSTRUCTIONS, ids=lambda file: file.name)
def test_instructions_were_made_in_training_buildings_alone(file, real_data):
    made, train = load_episodes("prevalent", str(file), real_data), load_episodes("r2r", "train", real_data)
    assert len(made) == 40_000
    assert set(made.world.scans) <= set(train.world.scans)

"""What trials have written is read again with care: disks and people change files."""

import json
import lzma

import pytest

from mtvm.configs.data import DataConfig
from mtvm.errors import InputError
from mtvm.homes.build import WorldConfig, config_of
from mtvm.studies.findings import read_episodes, read_numbers
from mtvm.studies.keeping import EPISODES, TRIALS, restore
from mtvm.studies.trial import Trial
from mtvm.studies.watching import _faces
from mtvm.tasks.metric import NAVIGATION

NAMES = tuple(metric.name for metric in NAVIGATION)

HEADER = ",".join(["id", "scan", *NAMES])
ROW = ",".join(["7_0", "home000", *("0.5" for _ in NAMES)])


def test_a_table_of_episodes_is_read(tmp_path):
    (tmp_path / "episodes.csv").write_text(f"{HEADER}\n{ROW}\n{ROW}\n")
    scores = read_episodes(tmp_path / "episodes.csv")
    assert scores.ids == ["7_0", "7_0"]
    assert scores.columns["SR"].tolist() == [[0.5, 0.5]]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        HEADER.encode(),
        b"id,scan\n1,2\n",
        f"{HEADER}\n{ROW}".replace("0.5", "half").encode(),
        f"{HEADER}\n7_0\n".encode(),
        b"\xff\xfe" + HEADER.encode(),
    ],
)
def test_a_damaged_table_is_refused(tmp_path, content):
    (tmp_path / "episodes.csv").write_bytes(content)
    with pytest.raises(InputError, match="not a table of episodes"):
        read_episodes(tmp_path / "episodes.csv")


def test_ids_and_answers_may_hold_commas_and_odd_ends_of_lines(tmp_path):
    (tmp_path / "episodes.csv").write_text('id,scan,answer,SR\n"1,2",home000,\x0cyes\u2028no,50\n')
    assert read_episodes(tmp_path / "episodes.csv").ids == ["1,2"]
    (tmp_path / EPISODES).write_bytes(lzma.compress(b'evaluation,id,scan,0123 SR\nr2r,"1,2",home000,50\n'))
    (tmp_path / TRIALS).write_text('{"0123": {"evaluations": {"r2r": null}}}')
    restore(tmp_path, tmp_path / "trials")
    scores = read_episodes(tmp_path / "trials" / "0123" / "evaluations" / "r2r" / "episodes.csv")
    assert (scores.ids, scores.buildings, scores.columns["SR"].tolist()) == (["1,2"], ["home000"], [[50.0]])


@pytest.mark.parametrize("name", ["log.txt", "run", "evaluations/r2r"])
def test_a_trial_does_not_write_to_where_a_link_in_its_folder_leads(tmp_path, name):
    place = tmp_path / "trial" / name
    place.parent.mkdir(parents=True)
    place.symlink_to(tmp_path / "mine")
    trial = Trial(tmp_path / "trial", "arm", "tiny", 0, DataConfig(), ())
    with pytest.raises(InputError, match=f"{name}: is a link that leads out of"):
        trial.save()


@pytest.mark.parametrize("content", ["[]", "{}", '{"seconds": "long"}', '{"seconds": NaN}', '{"seconds": 1e999}'])
def test_costs_must_be_numbers(tmp_path, content):
    (tmp_path / "cost.json").write_text(content)
    with pytest.raises(InputError, match="'seconds' is missing or no number"):
        read_numbers(tmp_path / "cost.json", ["seconds"])


@pytest.mark.parametrize("config", [5, {"homes": "many"}, {"rooms": 3}, {"homes": 10**30}])
def test_a_world_that_is_not_described_is_refused(tmp_path, config):
    (tmp_path / "world.json").write_text(json.dumps({"config": config, "checksums": {}}))
    with pytest.raises(InputError):
        config_of(tmp_path)


def test_a_building_that_the_world_lacks_is_refused(tmp_path):
    (tmp_path / "world.json").write_text(json.dumps({"config": {"homes": 3}, "checksums": {}}))
    assert config_of(tmp_path) == WorldConfig(homes=3)
    with pytest.raises(InputError, match="has no castle"):
        _faces(tmp_path, "castle")

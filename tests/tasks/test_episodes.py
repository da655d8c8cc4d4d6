"""Task files read into episodes."""

import json

import numpy as np
import pytest
from task_files import FILES, SPLITS, change

from mtvm.tasks.episode import Episode
from mtvm.tasks.load import load_episodes
from mtvm.tasks.registry import TASKS


@pytest.mark.parametrize("split", SPLITS)
def test_read_r2r_gives_an_episode_for_each_instruction(tiny_folder, split):
    entries = json.loads((tiny_folder / "R2R" / f"R2R_{split}.json").read_text())
    episodes = load_episodes("r2r", split, tiny_folder)
    assert len(entries) == SPLITS[split]
    assert list(episodes) == [
        Episode(
            id=f"{entry['path_id']}_{number}",
            scan=entry["scan"],
            text=text,
            start=entry["path"][0],
            heading=entry["heading"],
            reference=tuple(entry["path"]),
            via=(),
            goals=() if split == "test" else (entry["path"][-1],),
        )
        for entry in entries
        for number, text in enumerate(entry["instructions"])
    ]
    assert (episodes.task, episodes.split, episodes.name) == (TASKS["r2r"], split, f"r2r {split}")
    assert episodes.has_goals == (split != "test")
    assert episodes.world.scans == sorted({entry["scan"] for entry in entries})


@pytest.mark.parametrize("split", ["train", "val_seen", "val_unseen"])
@pytest.mark.parametrize(("supervision", "field"), [("oracle", "planner_path"), ("navigator", "player_path")])
def test_read_ndh_gives_an_episode_for_each_dialog(tiny_folder, split, supervision, field):
    entries = json.loads((tiny_folder / "NDH" / f"{split}.json").read_text())
    episodes = load_episodes("ndh", split, tiny_folder, supervision=supervision)
    assert len(entries) == SPLITS[split]
    assert list(episodes) == [
        Episode(
            id=str(entry["inst_idx"]),
            scan=entry["scan"],
            text=f"<NAV> {entry['dialog_history'][0]['message']} <ORA> {entry['dialog_history'][1]['message']} "
            f"<TAR> {entry['target']}",
            start=entry["start_pano"]["pano"],
            heading=entry["start_pano"]["heading"],
            reference=tuple(entry[field]),
            via=(),
            goals=tuple(entry["end_panos"]),
        )
        for entry in entries
    ]


def test_read_ndh_test_split_has_no_goals(tiny_folder):
    entries = json.loads((tiny_folder / "NDH" / "test_cleaned.json").read_text())
    episodes = load_episodes("ndh", "test", tiny_folder)
    assert not episodes.has_goals
    assert [e.reference for e in episodes] == [(entry["start_pano"]["pano"],) for entry in entries]
    assert [e.goals for e in episodes] == [()] * SPLITS["test"]


@pytest.mark.parametrize("entry", [0, 5])
@pytest.mark.parametrize("comes_by", [True, False])
def test_mixed_supervision_takes_the_player_if_it_passes_the_planners_end(folder, entry, comes_by):
    """Planner a b c. The player who went a b c b came by c; the one who went a b a did not."""
    a, b, c = json.loads((folder / FILES["ndh"]).read_text())[entry]["planner_path"][:3]
    player = [a, b, c, b] if comes_by else [a, b, a]
    change(folder, "ndh", lambda entries: entries[entry].update(planner_path=[a, b, c], player_path=player))
    assert load_episodes("ndh", "val_unseen", folder)[entry].reference == tuple(player if comes_by else [a, b, c])


def test_mixed_supervision_ignores_the_players_start(folder):
    """The planner ends where both begin: a player who walks away has not come by it."""
    a, b = json.loads((folder / FILES["ndh"]).read_text())[3]["planner_path"][:2]
    change(folder, "ndh", lambda entries: entries[3].update(planner_path=[a], player_path=[a, b]))
    assert load_episodes("ndh", "val_unseen", folder)[3].reference == (a,)


@pytest.mark.parametrize(
    ("turns", "text"),
    [
        ([], "<TAR> lamp"),
        ([("navigator", " left? "), ("oracle", "yes\n")], "<NAV> left? <ORA> yes <TAR> lamp"),
        ([("oracle", "hi"), ("oracle", "go on")], "<ORA> hi <ORA> go on <TAR> lamp"),
    ],
)
def test_read_ndh_marks_roles_and_target(folder, turns, text):
    dialog = [{"nav_idx": 0, "role": role, "message": message} for role, message in turns]
    change(folder, "ndh", lambda entries: entries[2].update(dialog_history=dialog, target="lamp"))
    assert load_episodes("ndh", "val_unseen", folder).texts[2] == text


def test_read_r2r_takes_any_number_of_instructions(folder):
    change(folder, "r2r", lambda entries: entries[1].update(instructions=["Only one."]))
    episodes = load_episodes("r2r", "val_unseen", folder)
    assert episodes.ids[:6] == ["36_0", "36_1", "36_2", "37_0", "38_0", "38_1"]
    assert episodes.texts[3] == "Only one."
    assert episodes.starts[3] != episodes.starts[2]


def test_read_r2r_takes_paths_that_stay_in_place(folder):
    change(folder, "r2r", lambda entries: entries[1]["path"].insert(1, entries[1]["path"][0]))
    reference = load_episodes("r2r", "val_unseen", folder)[3].reference
    assert reference[0] == reference[1] != reference[2]


def test_load_episodes_reads_json_lines(folder, tiny_r2r):
    entries = json.loads((folder / FILES["r2r"]).read_text())
    path = folder / "mine.jsonl"
    path.write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    episodes = load_episodes("r2r", str(path), folder)
    assert list(episodes) == list(tiny_r2r)
    assert episodes.split == "mine"


def test_load_episodes_takes_a_file_as_split(folder, tiny_r2r):
    path = (folder / FILES["r2r"]).rename(folder / "mine.json")
    episodes = load_episodes("r2r", str(path), folder)
    assert list(episodes) == list(tiny_r2r)
    assert (episodes.split, episodes.source) == ("mine", path)


@pytest.mark.parametrize("spelled", ["mine.json", "./mine.json", "..//data/mine.json"])
def test_load_episodes_names_the_split_after_a_relative_file(folder, monkeypatch, spelled):
    (folder / FILES["r2r"]).rename(folder / "mine.json")
    monkeypatch.chdir(folder)
    assert load_episodes("r2r", spelled, folder).split == "mine"


def test_load_episodes_can_share_a_world(tiny_folder, tiny_world, tiny_r2r):
    episodes = load_episodes("r2r", "val_unseen", tiny_folder, world=tiny_world)
    assert episodes.world is tiny_world
    assert list(episodes) == list(tiny_r2r)


@pytest.mark.parametrize("rows", [[7, 2], np.array([7, 2]), []], ids=["list", "array", "none"])
def test_select_keeps_the_order_of_the_rows(tiny_r2r, rows):
    assert list(tiny_r2r.select(rows)) == [tiny_r2r[int(row)] for row in rows]


def test_select_takes_a_mask(tiny_r2r):
    mask = np.arange(len(tiny_r2r)) % 5 == 3
    assert list(tiny_r2r.select(mask)) == list(tiny_r2r)[3::5]

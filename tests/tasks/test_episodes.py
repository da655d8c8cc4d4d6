"""Task files: found in the common layouts, read into episodes, refused with file, entry and field."""

import json
import math
import os
import shutil
from pathlib import Path

import numpy as np
import pytest

from mtvm.errors import InputError
from mtvm.tasks.data import DataFolder
from mtvm.tasks.episode import Episode
from mtvm.tasks.load import load_episodes, splits_there, task_file
from mtvm.world.world import World

FILES = {"r2r": "R2R/R2R_val_unseen.json", "ndh": "NDH/val_unseen.json"}
SPLITS = {"train": 36, "val_seen": 36, "val_unseen": 12, "test": 12}  # paths or dialogs in the tiny world


@pytest.fixture
def folder(tiny_folder, tmp_path):
    """A copy of the tiny data folder that a test may spoil."""
    return shutil.copytree(tiny_folder, tmp_path / "data")


def change(folder, task, edit, split_file=None):
    """Rewrite a task file after `edit` of its parsed content in place; the file."""
    path = folder / (split_file or FILES[task])
    entries = json.loads(path.read_text())
    edit(entries)
    path.write_text(json.dumps(entries))
    return path


def refused(call):
    """The one sentence with which something is refused."""
    with pytest.raises(InputError) as caught:
        call()
    message = str(caught.value)
    assert "\n" not in message
    assert message.endswith(".")
    return message


# Reading


@pytest.mark.parametrize("split", SPLITS)
def test_r2r_has_one_episode_for_each_instruction(tiny_folder, split):
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
    assert (episodes.task, episodes.split, episodes.name) == ("r2r", split, f"r2r {split}")
    assert episodes.has_goals == (split != "test")
    assert episodes.world.scans == sorted({entry["scan"] for entry in entries})


@pytest.mark.parametrize("split", ["train", "val_seen", "val_unseen"])
@pytest.mark.parametrize(("supervision", "field"), [("oracle", "planner_path"), ("navigator", "player_path")])
def test_ndh_has_one_episode_for_each_dialog(tiny_folder, split, supervision, field):
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


def test_goals_of_the_ndh_test_split_are_secret(tiny_folder):
    entries = json.loads((tiny_folder / "NDH" / "test_cleaned.json").read_text())
    episodes = load_episodes("ndh", "test", tiny_folder)
    assert not episodes.has_goals
    assert [e.reference for e in episodes] == [(entry["start_pano"]["pano"],) for entry in entries]
    assert [e.goals for e in episodes] == [()] * SPLITS["test"]


@pytest.mark.parametrize("entry", [0, 5])
@pytest.mark.parametrize("comes_by", [True, False])
def test_mixed_supervision_trusts_a_player_who_comes_by_the_planners_end(folder, entry, comes_by):
    """Planner a b c. The player who went a b c b came by c; the one who went a b a did not."""
    a, b, c = json.loads((folder / FILES["ndh"]).read_text())[entry]["planner_path"][:3]
    player = [a, b, c, b] if comes_by else [a, b, a]
    change(folder, "ndh", lambda entries: entries[entry].update(planner_path=[a, b, c], player_path=player))
    assert load_episodes("ndh", "val_unseen", folder)[entry].reference == tuple(player if comes_by else [a, b, c])


def test_mixed_supervision_does_not_count_the_players_start(folder):
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
def test_text_of_a_dialog(folder, turns, text):
    dialog = [{"nav_idx": 0, "role": role, "message": message} for role, message in turns]
    change(folder, "ndh", lambda entries: entries[2].update(dialog_history=dialog, target="lamp"))
    assert load_episodes("ndh", "val_unseen", folder).texts[2] == text


def test_instructions_may_differ_in_number(folder):
    change(folder, "r2r", lambda entries: entries[1].update(instructions=["Only one."]))
    episodes = load_episodes("r2r", "val_unseen", folder)
    assert episodes.ids[:6] == ["36_0", "36_1", "36_2", "37_0", "38_0", "38_1"]
    assert episodes.texts[3] == "Only one."
    assert episodes.starts[3] != episodes.starts[2]


def test_a_path_may_stay_in_place(folder):
    change(folder, "r2r", lambda entries: entries[1]["path"].insert(1, entries[1]["path"][0]))
    reference = load_episodes("r2r", "val_unseen", folder)[3].reference
    assert reference[0] == reference[1] != reference[2]


def test_json_lines(folder, tiny_r2r):
    entries = json.loads((folder / FILES["r2r"]).read_text())
    path = folder / "mine.jsonl"
    path.write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    episodes = load_episodes("r2r", str(path), folder)
    assert list(episodes) == list(tiny_r2r)
    assert episodes.split == "mine"


def test_a_path_of_a_file_as_split(folder, tiny_r2r):
    path = (folder / FILES["r2r"]).rename(folder / "mine.json")
    episodes = load_episodes("r2r", str(path), folder)
    assert list(episodes) == list(tiny_r2r)
    assert (episodes.split, episodes.source) == ("mine", path)


@pytest.mark.parametrize("spelled", ["mine.json", "./mine.json", "..//data/mine.json"])
def test_a_relative_path_names_the_split_by_the_file(folder, monkeypatch, spelled):
    (folder / FILES["r2r"]).rename(folder / "mine.json")
    monkeypatch.chdir(folder)
    assert load_episodes("r2r", spelled, folder).split == "mine"


def test_splits_may_share_a_world(tiny_folder, tiny_world, tiny_r2r):
    episodes = load_episodes("r2r", "val_unseen", tiny_folder, world=tiny_world)
    assert episodes.world is tiny_world
    assert list(episodes) == list(tiny_r2r)


@pytest.mark.parametrize("rows", [[7, 2], np.array([7, 2]), []], ids=["list", "array", "none"])
def test_selected_episodes_keep_their_order(tiny_r2r, rows):
    assert list(tiny_r2r.select(rows)) == [tiny_r2r[int(row)] for row in rows]


def test_select_takes_a_mask(tiny_r2r):
    mask = np.arange(len(tiny_r2r)) % 5 == 3
    assert list(tiny_r2r.select(mask)) == list(tiny_r2r)[3::5]


# Finding


def lay_out(tiny_folder, root, **files):
    """Tiny files under other names: `files` is name=source pairs, below `root`."""
    shutil.copytree(tiny_folder / "connectivity", root / "connectivity")
    for place, source in files.items():
        (root / place).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(tiny_folder / source, root / place)
    return root


@pytest.mark.parametrize(
    ("task", "split", "place", "source"),
    [
        ("r2r", "val_unseen", "tasks/R2R/data/R2R_val_unseen.json", FILES["r2r"]),
        ("r2r", "val_unseen", "datasets/R2R/annotations/R2R_val_unseen_enc.json", FILES["r2r"]),
        ("r2r", "test", "data/R2R_test.json", "R2R/R2R_test.json"),
        ("ndh", "val_unseen", "tasks/NDH/data/val_unseen.json", FILES["ndh"]),
        ("ndh", "test", "tasks/NDH/data/test_cleaned.json", "NDH/test_cleaned.json"),
        ("ndh", "test", "tasks/NDH/data/test.json", "NDH/test_cleaned.json"),
        ("r4r", "val_unseen", "R4R_val_unseen.json", FILES["r2r"]),
        ("prevalent", "aug", "data/prevalent/prevalent_aug.json", "R2R/R2R_train.json"),
        ("prevalent", "aug", "R2R/annotations/prevalent_aug_train_enc.json", "R2R/R2R_train.json"),
    ],
)
def test_common_layouts(tiny_folder, tmp_path, task, split, place, source):
    root = lay_out(tiny_folder, tmp_path, **{place: source})
    assert load_episodes(task, split, root).source == root / place
    assert splits_there(DataFolder(root), task) == [split]


def test_ndh_is_told_from_the_raw_dialogs_of_cvdn(tiny_folder, tmp_path, tiny_ndh):
    root = lay_out(tiny_folder, tmp_path, **{"tasks/NDH/data/val_unseen.json": FILES["ndh"]})
    raw = [{"idx": 7, "scan": "tiny3", "dialog": [], "nav_steps": []}]
    for place in ("val_unseen.json", "tasks/CVDN/data/val_unseen.json"):  # nearer to the top, and first by name
        (root / place).parent.mkdir(parents=True, exist_ok=True)
        (root / place).write_text(json.dumps(raw))
    (root / "train.json").write_text(json.dumps(raw))
    assert list(load_episodes("ndh", "val_unseen", root)) == list(tiny_ndh)
    assert splits_there(DataFolder(root), "ndh") == ["val_unseen"]


def test_prevalent_entries_may_carry_token_ids(tiny_folder, tmp_path):
    root = lay_out(tiny_folder, tmp_path, **{"prevalent_aug.json": "R2R/R2R_train.json"})

    def encode(entries):
        for number, entry in enumerate(entries):
            entry |= {"path_id": f"{entry['scan']}_{number}", "instructions": entry["instructions"][:1]}
            entry["instr_enc"] = None if number == 3 else [101, 2175, 102]

    change(root, "prevalent", encode, "prevalent_aug.json")
    episodes = load_episodes("prevalent", "aug", root)
    assert len(episodes) == SPLITS["train"]
    assert episodes.ids[0] == "tiny0_0_0"
    assert episodes.name == "prevalent aug"


def test_prevalent_is_no_validation_split(tiny_folder, tmp_path):
    root = lay_out(tiny_folder, tmp_path, **{"prevalent_aug.json": "R2R/R2R_train.json"})
    assert "val_unseen" in refused(lambda: load_episodes("prevalent", "val_unseen", root))


def test_the_file_nearest_to_the_top_is_taken(tiny_folder, tmp_path):
    names = ("a/b/R2R_val_unseen.json", "z/R2R_val_unseen.json")
    root = lay_out(tiny_folder, tmp_path, **dict.fromkeys(names, FILES["r2r"]))
    assert task_file(DataFolder(root), "r2r", "val_unseen") == root / names[1]


def test_the_fuller_connectivity_folder_is_taken(folder):
    some = folder / "a"
    some.mkdir()
    for scan in ("tiny0", "tiny3"):
        shutil.copy(folder / "connectivity" / f"{scan}_connectivity.json", some)
    assert DataFolder(folder).connectivity == folder / "connectivity"


def test_hidden_and_image_folders_are_not_searched(tiny_folder, tmp_path):
    names = (".git/R2R_val_unseen.json", "v1/scans/x/matterport_skybox_images/R2R_val_unseen.json")
    root = lay_out(tiny_folder, tmp_path, **dict.fromkeys(names, FILES["r2r"]))
    refused(lambda: load_episodes("r2r", "val_unseen", root))


def test_links_are_followed(folder, tmp_path):
    (tmp_path / "other").mkdir()
    (folder / "R2R").rename(tmp_path / "other" / "R2R")
    (folder / "link").symlink_to(tmp_path / "other")
    assert load_episodes("r2r", "val_unseen", folder).source == folder / "link" / FILES["r2r"]


def test_links_in_a_circle_end(folder, monkeypatch):
    for name in ("one", "two"):
        (folder / name).symlink_to(folder)
    walk = os.walk

    def counted(*args, **kwargs):
        for number, found in enumerate(walk(*args, **kwargs)):
            assert number < 1000, "the search goes round in circles"
            yield found

    monkeypatch.setattr(os, "walk", counted)
    assert task_file(DataFolder(folder), "r2r", "val_unseen") == folder / FILES["r2r"]


def test_the_environment_names_the_data_folder(tiny_folder, tiny_r2r, monkeypatch):
    monkeypatch.setenv("MTVM_DATA", str(tiny_folder))
    assert list(load_episodes("r2r", "val_unseen")) == list(tiny_r2r)


# Refusing: what is not there


@pytest.mark.parametrize("named", [None, ""])
def test_no_data_folder_named(monkeypatch, named):
    monkeypatch.delenv("MTVM_DATA", raising=False)
    if named is not None:
        monkeypatch.setenv("MTVM_DATA", named)
    message = refused(lambda: load_episodes("r2r", "val_unseen"))
    assert "--data" in message
    assert "$MTVM_DATA" in message


def test_the_data_folder_does_not_exist(tmp_path):
    message = refused(lambda: load_episodes("r2r", "val_unseen", tmp_path / "no"))
    assert message.startswith(f"{tmp_path / 'no'}: ")
    assert "--data" in message


def test_no_connectivity(folder):
    shutil.rmtree(folder / "connectivity")
    message = refused(lambda: load_episodes("r2r", "val_unseen", folder))
    assert message.startswith(f"{folder}: ")
    assert "_connectivity.json" in message


@pytest.mark.parametrize(("task", "looked_for"), [("r2r", "R2R_val_unsen.json"), ("ndh", "val_unsen.json")])
def test_no_such_split(tiny_folder, task, looked_for):
    message = refused(lambda: load_episodes(task, "val_unsen", tiny_folder))
    assert message.startswith(f"{tiny_folder}: ")
    assert f"{task} split 'val_unsen'" in message
    assert looked_for in message
    assert "train, val_seen, val_unseen, test." in message


def test_no_split_at_all(tiny_folder):
    assert "splits there: none." in refused(lambda: load_episodes("r4r", "val_unseen", tiny_folder))


def test_no_such_file(tiny_folder, tmp_path):
    path = tmp_path / "mine.json"
    message = refused(lambda: load_episodes("r2r", str(path), tiny_folder))
    assert message.startswith(f"{path}: ")
    assert "no such file" in message


def test_unknown_supervision(tiny_folder):
    message = refused(lambda: load_episodes("ndh", "val_unseen", tiny_folder, supervision="planner"))
    assert "'planner'" in message
    assert "oracle, navigator, mixed" in message


# Refusing: what is wrong in a file


def without(field):
    return lambda entry: entry.pop(field)


def with_(**fields):
    return lambda entry: entry.update(fields)


SPOILED = {
    # what: (task, edit of entry 3, field named, words of the sentence)
    "no scan": ("r2r", without("scan"), "scan", "missing"),
    "no path": ("r2r", without("path"), "path", "missing"),
    "no heading": ("r2r", without("heading"), "heading", "missing"),
    "no instructions": ("r2r", without("instructions"), "instructions", "missing"),
    "scan that is a number": ("r2r", with_(scan=5), "scan", "5, not a string"),
    "unknown scan": ("r2r", with_(scan="nowhere"), "scan", "nowhere"),
    "path that is a string": ("r2r", with_(path="abc"), "path", "'abc', not a list"),
    "path of numbers": ("r2r", with_(path=[1, 2]), "path", "list of strings"),
    "empty path": ("r2r", with_(path=[]), "path", "empty"),
    "unknown via": ("r2r", with_(via=["nowhere"]), "via", "scan tiny3 has no included viewpoint nowhere"),
    "unknown viewpoint": ("r2r", with_(path=["nowhere"]), "path", "scan tiny3 has no included viewpoint nowhere"),
    "heading that is a string": ("r2r", with_(heading="1.5"), "heading", "'1.5', not"),
    "heading that is true": ("r2r", with_(heading=True), "heading", "True"),
    "heading that is null": ("r2r", with_(heading=None), "heading", "None"),
    "heading that is no number": ("r2r", with_(heading=math.nan), "heading", ""),
    "heading without end": ("r2r", with_(heading=math.inf), "heading", ""),
    "heading beyond all numbers": ("r2r", with_(heading=10**400), "heading", ""),
    "instructions that are a string": ("r2r", with_(instructions="Go."), "instructions", "not a list"),
    "instructions of numbers": ("r2r", with_(instructions=[1]), "instructions", "list of strings"),
    "empty instructions": ("r2r", with_(instructions=[]), "instructions", "empty"),
    "no start": ("ndh", without("start_pano"), "start_pano", "missing"),
    "start that is a string": ("ndh", with_(start_pano="x"), "start_pano", "not an object"),
    "start without viewpoint": ("ndh", with_(start_pano={"heading": 0}), "start_pano", "pano"),
    "start at an unknown viewpoint": ("ndh", with_(start_pano={"pano": "nowhere"}), "pano", "nowhere"),
    "no planner path": ("ndh", without("planner_path"), "planner_path", "missing"),
    "no player path": ("ndh", without("player_path"), "player_path", "missing"),
    "no goals": ("ndh", without("end_panos"), "end_panos", "missing"),
    "empty goals": ("ndh", with_(end_panos=[]), "end_panos", "empty"),
    "unknown goal": ("ndh", with_(end_panos=["nowhere"]), "end_panos", "nowhere"),
    "no target": ("ndh", without("target"), "target", "missing"),
    "no dialog": ("ndh", without("dialog_history"), "dialog_history", "missing"),
    "turn without message": ("ndh", with_(dialog_history=[{"role": "oracle"}]), "dialog_history", "message"),
    "turn that is a string": ("ndh", with_(dialog_history=["hi"]), "dialog_history", "message"),
    "unknown role": (
        "ndh",
        with_(dialog_history=[{"role": "guide", "message": "hi"}]),
        "dialog_history",
        "'guide' is neither navigator nor oracle",
    ),
    "role that is a list": (
        "ndh",
        with_(dialog_history=[{"role": ["oracle"], "message": "hi"}]),
        "dialog_history",
        "neither navigator nor oracle",
    ),
}


@pytest.mark.parametrize(("task", "edit", "field", "words"), SPOILED.values(), ids=SPOILED)
def test_spoiled_entries_are_refused_with_file_entry_and_field(folder, task, edit, field, words):
    path = change(folder, task, lambda entries: edit(entries[3]))
    message = refused(lambda: load_episodes(task, "val_unseen", folder))
    assert message.startswith(f"{path}: entry 3 ({'path_id' if task == 'r2r' else 'inst_idx'} 39): field '{field}'")
    assert words in message


@pytest.mark.parametrize("value", [None, 1.5, True, [1]])
@pytest.mark.parametrize(("task", "field"), [("r2r", "path_id"), ("ndh", "inst_idx")])
def test_ids_of_a_wrong_type_are_refused(folder, task, field, value):
    path = change(folder, task, lambda entries: entries[3].update({field: value}))
    message = refused(lambda: load_episodes(task, "val_unseen", folder))
    assert message.startswith(f"{path}: entry 3")
    assert f"field '{field}' is {value!r}" in message


def test_an_ndh_id_must_be_a_whole_number(folder):
    """Its result files hold whole numbers."""
    path = change(folder, "ndh", lambda entries: entries[3].update(inst_idx="abc"))
    message = refused(lambda: load_episodes("ndh", "val_unseen", folder))
    assert message.startswith(f"{path}: entry 3")
    assert "field 'inst_idx'" in message


@pytest.mark.parametrize(
    ("task", "field", "kind"), [("r2r", "path_id", int), ("r2r", "path_id", str), ("ndh", "inst_idx", int)]
)
def test_ids_that_are_there_twice_are_refused(folder, task, field, kind):
    path = change(folder, task, lambda entries: entries[3].update({field: kind(entries[1][field])}))
    message = refused(lambda: load_episodes(task, "val_unseen", folder))
    assert message == f"{path}: entry 3 ({field} 37): field '{field}' is there twice, first in entry 1."


@pytest.mark.parametrize(("task", "field"), [("r2r", "path"), ("ndh", "planner_path"), ("ndh", "player_path")])
def test_a_path_without_an_edge_is_refused(folder, task, field):
    path = folder / FILES[task]
    walked = json.loads(path.read_text())[3][field]
    change(folder, task, lambda entries: entries[3][field].pop(2))
    message = refused(lambda: load_episodes(task, "val_unseen", folder))
    assert message.startswith(f"{path}: entry 3 ({'path_id' if task == 'r2r' else 'inst_idx'} 39): field '{field}'")
    assert f"no edge between {walked[1]} and {walked[3]} (viewpoints 1 and 2" in message


def test_a_dialog_must_begin_where_its_path_begins(folder):
    path = change(folder, "ndh", lambda entries: entries[3]["start_pano"].update(pano=entries[3]["planner_path"][1]))
    message = refused(lambda: load_episodes("ndh", "val_unseen", folder))
    assert message.startswith(f"{path}: entry 3 (inst_idx 39): field 'start_pano'")


def test_goals_that_cannot_be_reached_are_refused(folder):
    """Otherwise distances to them, and every mean over the split, are infinite or not a number."""
    dialogs = json.loads((folder / FILES["ndh"]).read_text())
    walked = {name for dialog in dialogs for name in dialog["player_path"]}
    graph = folder / "connectivity" / "tiny3_connectivity.json"
    records = json.loads(graph.read_text())
    alone = next(place for place, record in enumerate(records) if record["image_id"] not in walked)
    for record in records:
        record["unobstructed"][alone] = False
    records[alone]["unobstructed"] = [False] * len(records)
    graph.write_text(json.dumps(records))
    path = change(folder, "ndh", lambda entries: entries[3].update(end_panos=[records[alone]["image_id"]]))
    message = refused(lambda: load_episodes("ndh", "val_unseen", folder, supervision="navigator"))
    assert message.startswith(f"{path}: entry 3 (inst_idx 39): field 'end_panos'")


def test_an_unknown_scan_names_the_connectivity_folder(folder):
    change(folder, "r2r", lambda entries: entries[3].update(scan="nowhere"))
    message = refused(lambda: load_episodes("r2r", "val_unseen", folder))
    assert "unknown scan nowhere" in message
    assert str(folder / "connectivity") in message


def test_a_scan_that_the_shared_world_lacks_is_refused(tiny_folder):
    world = World.load(tiny_folder / "connectivity", ["tiny0"])
    message = refused(lambda: load_episodes("r2r", "val_unseen", tiny_folder, world=world))
    assert "entry 0 (path_id 36): field 'scan'" in message
    assert "no connectivity file" not in message  # there is one, but it was not loaded


@pytest.mark.parametrize("task", FILES)
@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("[]", "non-empty list"),
        ("{}", "non-empty list"),
        ('[{"scan": "tiny3"}, 5]', "entry 1 is not an object"),
        ('[\n {"scan": "tiny3",\n  "path', "not valid JSON at line 3, column 3"),
        ("", "not valid JSON at line 1, column 1"),
    ],
    ids=["empty list", "object", "number", "cut off", "empty file"],
)
def test_files_of_another_form_are_refused(folder, task, content, words):
    path = folder / "mine.json"
    path.write_text(content)
    message = refused(lambda: load_episodes(task, str(path), folder))
    assert message.startswith(f"{path}: ")
    assert words in message


@pytest.mark.parametrize(
    ("content", "words"),
    [(b'{"scan": "a"}\n{"scan": \n', "line 2"), (b'{"scan": "\xff"}\n', "line 1"), (b"", "non-empty list")],
    ids=["cut off", "not UTF-8", "empty"],
)
def test_broken_json_lines_are_refused(folder, content, words):
    path = folder / "mine.jsonl"
    path.write_bytes(content)
    message = refused(lambda: load_episodes("r2r", str(path), folder))
    assert message.startswith(f"{path}: ")
    assert words in message


def test_a_folder_is_not_a_task_file(tiny_folder, tmp_path):
    path = Path(tmp_path, "mine.json")
    path.mkdir()
    assert refused(lambda: load_episodes("r2r", str(path), tiny_folder)).startswith(f"{path}: ")

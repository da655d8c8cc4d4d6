"""Bad task files, refused with file, entry and field."""

import json
import math
from pathlib import Path

import pytest
from task_files import FILES, change, refused

from mtvm.tasks.load import load_episodes
from mtvm.world.world import World


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
    "heading that is no number": ("r2r", with_(heading=math.nan), "heading", "nan, not a finite number"),
    "heading without end": ("r2r", with_(heading=math.inf), "heading", "inf, not a finite number"),
    "heading beyond all numbers": ("r2r", with_(heading=10**400), "heading", "not a finite number"),
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
def test_records_refuse_bad_entries_with_file_entry_and_field(folder, task, edit, field, words):
    path = change(folder, task, lambda entries: edit(entries[3]))
    message = refused(lambda: load_episodes(task, "val_unseen", folder))
    assert message.startswith(f"{path}: entry 3 ({'path_id' if task == 'r2r' else 'inst_idx'} 39): field '{field}'")
    assert words in message


@pytest.mark.parametrize("value", [None, 1.5, True, [1]])
@pytest.mark.parametrize(("task", "field"), [("r2r", "path_id"), ("ndh", "inst_idx")])
def test_unique_ids_refuse_a_wrong_type(folder, task, field, value):
    path = change(folder, task, lambda entries: entries[3].update({field: value}))
    message = refused(lambda: load_episodes(task, "val_unseen", folder))
    assert message.startswith(f"{path}: entry 3")
    assert f"field '{field}' is {value!r}" in message


def test_read_ndh_refuses_ids_that_are_not_whole_numbers(folder):
    """Its result files hold whole numbers."""
    path = change(folder, "ndh", lambda entries: entries[3].update(inst_idx="abc"))
    message = refused(lambda: load_episodes("ndh", "val_unseen", folder))
    assert message.startswith(f"{path}: entry 3")
    assert "field 'inst_idx'" in message


@pytest.mark.parametrize(
    ("task", "field", "kind"), [("r2r", "path_id", int), ("r2r", "path_id", str), ("ndh", "inst_idx", int)]
)
def test_unique_ids_refuse_an_id_that_occurs_twice(folder, task, field, kind):
    path = change(folder, task, lambda entries: entries[3].update({field: kind(entries[1][field])}))
    message = refused(lambda: load_episodes(task, "val_unseen", folder))
    assert message == f"{path}: entry 3 ({field} 37): field '{field}' occurs twice, first in entry 1."


@pytest.mark.parametrize(("task", "field"), [("r2r", "path"), ("ndh", "planner_path"), ("ndh", "player_path")])
def test_paths_refuse_moves_without_an_edge(folder, task, field):
    path = folder / FILES[task]
    walked = json.loads(path.read_text())[3][field]
    change(folder, task, lambda entries: entries[3][field].pop(2))
    message = refused(lambda: load_episodes(task, "val_unseen", folder))
    assert message.startswith(f"{path}: entry 3 ({'path_id' if task == 'r2r' else 'inst_idx'} 39): field '{field}'")
    assert f"no edge between {walked[1]} and {walked[3]} (viewpoints 1 and 2" in message


def test_read_ndh_refuses_a_start_that_is_not_the_paths(folder):
    path = change(folder, "ndh", lambda entries: entries[3]["start_pano"].update(pano=entries[3]["planner_path"][1]))
    message = refused(lambda: load_episodes("ndh", "val_unseen", folder))
    assert message.startswith(f"{path}: entry 3 (inst_idx 39): field 'start_pano'")


def test_read_ndh_refuses_unreachable_goals(folder):
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


STRANGE = "a\nb\x1b[31m\r\u202e" + "x" * 100_000


@pytest.mark.parametrize("field", ["path_id", "scan", "path", "heading"])
def test_records_refuse_strange_values_on_one_short_line(folder, field):
    def spoil(entries):
        entries[3] |= {"path_id": STRANGE, "scan": STRANGE} if field == "scan" else {"path_id": STRANGE, "heading": "x"}
        if field == "path":
            entries[3]["path"] = [STRANGE]
        if field == "path_id":
            entries[4]["path_id"] = STRANGE

    change(folder, "r2r", spoil)
    message = refused(lambda: load_episodes("r2r", "val_unseen", folder))
    assert message.isprintable()
    assert r"a\nb\x1b[31m\r\u202exxx" in message
    assert len(message) < len(str(folder)) * 2 + 300


def test_scans_refuse_an_unknown_one_and_name_the_connectivity_folder(folder):
    change(folder, "r2r", lambda entries: entries[3].update(scan="nowhere"))
    message = refused(lambda: load_episodes("r2r", "val_unseen", folder))
    assert "unknown scan nowhere" in message
    assert str(folder / "connectivity") in message


def test_scans_refuse_one_that_the_shared_world_lacks(tiny_folder):
    world = World.load(tiny_folder / "connectivity", ["tiny0"])
    message = refused(lambda: load_episodes("r2r", "val_unseen", tiny_folder, world=world))
    assert "entry 0 (path_id 36): field 'scan'" in message
    assert "unknown scan tiny3, which is not among the 1 of the given world" in message


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
def test_read_records_refuses_files_of_another_form(folder, task, content, words):
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
def test_read_records_refuses_broken_json_lines(folder, content, words):
    path = folder / "mine.jsonl"
    path.write_bytes(content)
    message = refused(lambda: load_episodes("r2r", str(path), folder))
    assert message.startswith(f"{path}: ")
    assert words in message


def test_read_records_refuses_a_folder(tiny_folder, tmp_path):
    path = Path(tmp_path, "mine.json")
    path.mkdir()
    assert refused(lambda: load_episodes("r2r", str(path), tiny_folder)).startswith(f"{path}: ")

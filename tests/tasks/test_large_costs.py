"""Small files that would cost gigabytes or hours are refused, and honest ones of any size are not."""

import gzip
import json
import subprocess
import sys

import numpy as np
import pytest

from mtvm.errors import InputError
from mtvm.features.captions import load_captions
from mtvm.features.detections import Detection, _once
from mtvm.io.files import _object
from mtvm.io.unpacking import check_amount, check_json_memory, json_memory
from mtvm.tasks.load import load_episodes
from mtvm.tasks.records import _MOST_LETTERS, _MOST_TEXTS, read_records

ENTRY = {"path_id": 1, "scan": "s", "heading": 0.0, "path": ["v"], "instructions": ["Walk."]}


def packed(path, text):
    path.write_bytes(gzip.compress(text.encode()))
    return path


BOMBS = {
    "objects": "[" + "{}," * 10_000_000 + "{}]",
    "lists": "[" + "[0]," * 9_000_000 + "{}]",
    "numbers": "[" + "0.5," * 16_000_000 + "0]",
    "names": "[" + '{"a":0},' * 5_000_000 + "{}]",
}


@pytest.mark.parametrize("name", BOMBS)
def test_objects_that_would_fill_the_memory_are_refused_before_they_are_made(tmp_path, name):
    path = packed(tmp_path / "R2R_train.json.gz", BOMBS[name])
    assert path.stat().st_size < 250_000
    with pytest.raises(
        InputError, match=r"could take \d\.\d GB of memory in a file of 0\.\d MB, which looks like a tr"
    ):
        read_records(path, "path_id")


def test_more_episodes_than_a_file_has_room_for_are_refused(tmp_path):
    path = packed(tmp_path / "R2R_train.jsonl.gz", "{}\n" * 30_000)
    with pytest.raises(InputError, match=r"holds 20,999 episodes in a file of 0\.0 MB, which looks like a trap"):
        read_records(path, "path_id")
    path = packed(tmp_path / "R2R_train.json.gz", "[" + "{}," * 20_000 + "{}]")
    with pytest.raises(InputError, match="holds 20,001 episodes"):
        read_records(path, "path_id")


def test_more_lines_than_a_file_has_room_for_are_refused(tmp_path):
    path = packed(tmp_path / "captions.jsonl.gz", "\n" * 1_200_000)
    with pytest.raises(InputError, match=r"holds 1,100,000 lines in a file of 0\.0 MB"):
        load_captions(path)


class CountedKey(str):
    """A key that knows how often keys were compared."""

    compared = 0
    __hash__ = str.__hash__

    def __eq__(self, other):
        CountedKey.compared += 1
        return str.__eq__(self, other)


def test_a_repeated_key_is_found_in_one_pass():
    """650 KB took 22 s."""
    pairs = [(CountedKey(number), 0) for number in range(1000)]
    with pytest.raises(ValueError, match="999"):
        _object([*pairs, (CountedKey(999), 1)])
    assert CountedKey.compared < 100


def test_objects_that_a_detector_found_are_compared_with_those_of_their_name_alone():
    """2.3 MB with 72,000 names took minutes."""
    before = CountedKey.compared
    found = [Detection(CountedKey(number), 0.0, 0.5) for number in range(1000)]
    assert len(_once([*found, Detection(CountedKey(999), 0.1, 0.5), Detection(CountedKey(999), 1.0, 0.5)])) == 1001
    assert CountedKey.compared < before + 100


def test_what_is_refused_takes_little_memory(tmp_path):
    """233 KB of `{}` took 6.2 GB."""
    path = packed(tmp_path / "R2R_train.json.gz", "[" + "{}," * 21_000_000 + "{}]")
    code = (
        "import resource, sys\n"
        "resource.setrlimit(resource.RLIMIT_AS, (2**30, 2**30))\n"
        "from pathlib import Path\n"
        "from mtvm.errors import InputError\n"
        "from mtvm.tasks.records import read_records\n"
        "try:\n    read_records(Path(sys.argv[1]), 'path_id')\n"
        "except InputError as error:\n    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=False)
    assert "looks like a trap" in done.stdout, done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    "value",
    [[{}] * 1000, [[0]] * 1000, [{"a": 0}] * 1000, ["ab"] * 1000, [1e300] * 1000, [{str(n): n for n in range(1000)}]],
    ids=["objects", "lists", "names", "texts", "numbers", "one object"],
)
def test_memory_is_never_estimated_too_low(value):
    content = json.dumps([value] * 1000, separators=(",", ":")).encode()
    assert size_of(json.loads(content)) <= json_memory(content)


def size_of(value):
    own = sys.getsizeof(value)
    if isinstance(value, dict):
        return own + sum(size_of(name) + size_of(inner) for name, inner in value.items())
    return own + sum(map(size_of, value)) if isinstance(value, list) else own


# Instructions and captions


@pytest.fixture
def load(tiny_folder, tmp_path):
    """Reads the tiny world's file of R2R train with a first entry that says something else."""

    def changed(**fields):
        entries = json.loads((tiny_folder / "R2R" / "R2R_train.json").read_text())
        path = packed(tmp_path / "R2R_train.json.gz", json.dumps([entries[0] | fields, *entries[1:]]))
        return load_episodes("r2r", str(path), tiny_folder)

    return changed


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        (["a"] * 20_000, "holds 20,1.. instructions in a file"),
        (["a" * 20_001], "the text of episode .*_0 has more than 20,000 letters"),
        ([f"{n} " * 2000 for n in range(900)], "holds .* letters of instructions in a file of"),
    ],
)
def test_more_instructions_than_a_file_has_room_for_are_refused(load, texts, said):
    with pytest.raises(InputError, match=said):
        load(instructions=texts)


def test_a_path_without_end_is_refused(load):
    with pytest.raises(InputError, match="field 'path' has 1,001 viewpoints, more than 1,000"):
        load(path=["a"] * 1001)


def test_many_instructions_are_allowed_by_the_user(load, monkeypatch):
    monkeypatch.setenv("MTVM_MAX_UNPACKED_GB", "1")
    assert len(load(instructions=["a"] * 20_000)) > 20_000


@pytest.mark.parametrize(
    ("captions", "said"),
    [
        ([["a", "b", "c" * 2001]], "line 1: a caption has more than 2,000 letters"),
        ([["a", "b", "c"]] * 361, "line 1: field 'captions' has 361 headings"),
        (
            [[f"{view} {heading} " * 250 for view in range(3)] for heading in range(360)],
            "holds 1,.* letters of different captions in a file of 0.0 MB",
        ),
    ],
)
def test_captions_that_would_take_hours_are_refused(tmp_path, captions, said):
    """315 KB of captions took 331 s."""
    line = json.dumps({"scan": "s", "viewpoint": "v", "captions": captions})
    with pytest.raises(InputError, match=said):
        load_captions(packed(tmp_path / "captions.jsonl.gz", line))


# Honest files


@pytest.mark.parametrize(("task", "count"), [("r2r", 14_039), ("reverie", 10_290)])
def test_released_files_are_not_taken_for_traps(real_data, tmp_path, task, count):
    """Packed as well as gzip can."""
    source = real_data / task.upper() / f"{task.upper()}_train.json"
    (tmp_path / f"{source.name}.gz").write_bytes(gzip.compress(source.read_bytes(), 9))
    assert len(load_episodes(task, f"{tmp_path}/{source.name}.gz", real_data)) == count


def test_a_million_instructions_are_not_taken_for_a_trap(tmp_path):
    """As many as PREVALENT's, in a file as large, of which 1% is read."""
    words = np.random.default_rng(0).choice(["walk", "turn", "left", "right", "stop", "door", "table"], (1784, 6, 25))
    entries = [
        ENTRY | {"path_id": n, "instructions": [" ".join(text) for text in texts]} for n, texts in enumerate(words)
    ]
    path = packed(tmp_path / "prevalent_aug.json.gz", json.dumps(entries))
    size = path.stat().st_size
    with path.open("ab") as file:  # what follows is not looked at
        file.truncate(100 * size)
    check_amount(path, 100 * 6 * len(entries), "instructions", *_MOST_TEXTS)
    check_amount(path, 100 * len(json.dumps(entries)), "letters", *_MOST_LETTERS)
    check_json_memory(path, 100 * json_memory(json.dumps(entries).encode()))


def test_captions_of_a_whole_dataset_are_not_taken_for_a_trap(real_data):
    assert len(load_captions(real_data / "captions" / "captions.jsonl.gz")) == 10_567

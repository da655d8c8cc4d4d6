"""Reading with clear errors, and writing all or nothing."""

import errno
import gzip
import json
import multiprocessing
import os
import stat
from pathlib import Path

import pytest

from mtvm.errors import InputError, brief
from mtvm.io import files
from mtvm.io.files import (
    atomic_path,
    cache_dir,
    parse_json,
    read_bytes,
    read_json,
    remove_leftovers,
    write_json,
    write_text,
)


def content(folder):
    """Everything below a folder, hidden names too."""
    return {str(path.relative_to(folder)): path.read_text() if path.is_file() else None for path in folder.rglob("*")}


def fill(folder, **files):
    folder.mkdir()
    for name, text in files.items():
        (folder / name).write_text(text)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("37_1", "37_1"),
        (108, "108"),
        ("küche 42", "küche 42"),
        ("a\tb\n", r"a\tb\n"),
        ("\x00\u200f\udc80", r"\x00\u200f\udc80"),
        ("x" * 20, "x" * 20),
        ("x" * 21, "x" * 17 + "..."),
        ("\n" * 11, r"\n" * 8 + "\\..."),
    ],
)
def test_brief_is_printable_and_short(value, text):
    assert brief(value, most=20) == text


@pytest.fixture
def failing_rename(monkeypatch):
    """A function that makes the rename of that number (1, 2, ...) fail, as on a full or busy disk."""
    replace = os.replace

    def install(number):
        calls = []

        def fail_once(source, target):
            calls.append(source)
            if len(calls) == number:
                raise OSError(errno.EBUSY, "Device or resource busy", str(source), None, str(target))
            replace(source, target)

        monkeypatch.setattr(os, "replace", fail_once)

    return install


# Writing


def write_some(path, make, error=None):
    """Let `make` write, then raise the error."""
    with atomic_path(path) as fresh:
        make(fresh)
        if error is not None:
            raise error


def make_file(fresh):
    fresh.write_text("new")


def make_folder(fresh):
    fill(fresh, kept="new")


def test_atomic_path_creates_missing_folders(tmp_path):
    with atomic_path(tmp_path / "a" / "b" / "out.txt") as fresh:
        fresh.write_text("new")
        assert not (tmp_path / "a" / "b" / "out.txt").exists()
    assert content(tmp_path) == {"a": None, "a/b": None, "a/b/out.txt": "new"}


def test_atomic_path_replaces_a_file(tmp_path):
    (tmp_path / "out.txt").write_text("old")
    with atomic_path(tmp_path / "out.txt") as fresh:
        fresh.write_text("new")
        assert (tmp_path / "out.txt").read_text() == "old"
    assert content(tmp_path) == {"out.txt": "new"}


def test_atomic_path_replaces_a_whole_folder(tmp_path):
    fill(tmp_path / "out", kept="old", gone="old")
    with atomic_path(tmp_path / "out") as fresh:
        fill(fresh, kept="new")
        assert content(tmp_path / "out") == {"kept": "old", "gone": "old"}
    assert content(tmp_path) == {"out": None, "out/kept": "new"}


def test_atomic_path_accepts_a_relative_path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_text(Path("out.txt"), "new")
    assert content(tmp_path) == {"out.txt": "new"}


@pytest.mark.parametrize("error", [RuntimeError("no"), KeyboardInterrupt(), InputError("no")])
def test_atomic_path_keeps_the_old_file_on_failure(tmp_path, error):
    (tmp_path / "out.txt").write_text("old")
    with pytest.raises(type(error)):
        write_some(tmp_path / "out.txt", make_file, error)
    assert content(tmp_path) == {"out.txt": "old"}


def test_atomic_path_keeps_the_old_folder_on_failure(tmp_path):
    fill(tmp_path / "out", kept="old")
    with pytest.raises(RuntimeError):
        write_some(tmp_path / "out", make_folder, RuntimeError("no"))
    assert content(tmp_path) == {"out": None, "out/kept": "old"}


def test_atomic_path_reports_a_full_disk_as_input_error(tmp_path):
    (tmp_path / "out.txt").write_text("old")
    with pytest.raises(InputError) as caught:
        write_some(tmp_path / "out.txt", make_file, OSError(errno.ENOSPC, "No space left on device"))
    assert str(caught.value).startswith(f"{tmp_path / 'out.txt'}: ")
    assert "No space left on device" in str(caught.value)
    assert content(tmp_path) == {"out.txt": "old"}


def test_atomic_path_passes_on_errors_about_other_files(tmp_path):
    with pytest.raises(FileNotFoundError), atomic_path(tmp_path / "out.txt"):
        (tmp_path / "not there").read_text()
    assert content(tmp_path) == {}


@pytest.mark.parametrize("number", [1, 2, 3])
def test_atomic_path_keeps_a_folder_if_a_rename_fails(tmp_path, failing_rename, number, monkeypatch):
    """Where folders cannot change places in one step, it takes two more renames."""
    monkeypatch.setattr(files, "_swap", lambda one, other: False)
    fill(tmp_path / "out", kept="old")
    failing_rename(number)
    with pytest.raises(InputError, match="busy") as caught:
        write_some(tmp_path / "out", make_folder)
    assert str(caught.value).startswith(f"{tmp_path / 'out'}: ")
    assert content(tmp_path) == {"out": None, "out/kept": "old"}


def test_atomic_path_replaces_a_folder_in_one_step(tmp_path, monkeypatch):
    """There is no moment without a whole folder, so a kill can hit none."""
    fill(tmp_path / "out", kept="old")
    replace, missing = os.replace, []

    def watched(source, target):
        try:
            replace(source, target)
        finally:
            missing.append(not (tmp_path / "out" / "kept").is_file())

    monkeypatch.setattr(os, "replace", watched)
    write_some(tmp_path / "out", make_folder)
    assert content(tmp_path) == {"out": None, "out/kept": "new"}
    assert missing
    assert not any(missing)


def test_atomic_path_removes_what_killed_writes_left_and_nothing_that_is_being_written(tmp_path):
    for name in ("out.txt", "other.txt"):
        (tmp_path / f".{name}.killed.tmp").mkdir()
        (tmp_path / f".{name}.killed.tmp" / name).write_text("half")
    (tmp_path / ".out.txt.mine").write_text("a file of the user's own")
    with atomic_path(tmp_path / "out.txt") as first:
        first.write_text("first")
        write_text(tmp_path / "out.txt", "second")
        assert first.read_text() == "first", "the first one is still being written"
    assert content(tmp_path) == {
        "out.txt": "first",
        ".out.txt.mine": "a file of the user's own",
        ".other.txt.killed.tmp": None,
        ".other.txt.killed.tmp/other.txt": "half",
    }
    remove_leftovers(tmp_path)
    assert sorted(content(tmp_path)) == [".out.txt.mine", "out.txt"]


@pytest.mark.parametrize("letters", [200, 255, 300])
def test_atomic_path_takes_any_name_that_the_file_system_takes(tmp_path, letters):
    path = tmp_path / ("a" * letters)
    if letters <= 255:
        write_text(path, "new")
        assert content(tmp_path) == {path.name: "new"}
    else:
        with pytest.raises(InputError, match="File name too long"):
            write_text(path, "new")
        assert content(tmp_path) == {}


def race(folder, number):
    """Write files and folders of the same names as others do."""
    for turn in range(40):
        write_text(folder / "file", f"{number} {turn}" * 1000)
        with atomic_path(folder / "folder") as fresh:
            fill(fresh, one=f"{number} {turn}", other=f"{number} {turn}")


def test_atomic_path_lets_processes_write_the_same_names_at_the_same_time(tmp_path):
    context = multiprocessing.get_context("fork")
    racing = [context.Process(target=race, args=(tmp_path, number)) for number in range(2)]
    for process in racing:
        process.start()
    for process in racing:
        process.join()
    assert [process.exitcode for process in racing] == [0, 0]
    found = content(tmp_path)
    assert sorted(found) == ["file", "folder", "folder/one", "folder/other"]
    assert found["folder/one"] == found["folder/other"]
    assert len(set(found["file"].split("39"))) <= 2


def test_atomic_path_keeps_a_file_if_a_rename_fails(tmp_path, failing_rename):
    (tmp_path / "out.txt").write_text("old")
    failing_rename(1)
    with pytest.raises(InputError, match="busy"):
        write_text(tmp_path / "out.txt", "new")
    assert content(tmp_path) == {"out.txt": "old"}


@pytest.mark.parametrize(("old", "new"), [(make_file, make_folder), (make_folder, make_file)])
def test_atomic_path_does_not_replace_files_by_folders_or_folders_by_files(tmp_path, old, new):
    old(tmp_path / "out")
    before = content(tmp_path)
    with pytest.raises(InputError) as caught:
        write_some(tmp_path / "out", new)
    assert str(caught.value).startswith(f"{tmp_path / 'out'}: ")
    assert content(tmp_path) == before


@pytest.mark.parametrize("kind", ["a pipe", "a link to a pipe", "a link to an open file"])
def test_atomic_path_does_not_replace_devices_and_pipes(tmp_path, kind):
    os.mkfifo(tmp_path / "pipe")
    path = tmp_path / "pipe" if kind == "a pipe" else tmp_path / "link"
    if kind == "a link to a pipe":
        path.symlink_to(tmp_path / "pipe")
    if kind == "a link to an open file":
        path.symlink_to("/proc/self/fd/1")
    with pytest.raises(InputError, match="is a device or a pipe"):
        write_text(path, "new")
    assert stat.S_ISFIFO((tmp_path / "pipe").lstat().st_mode)
    assert path.is_symlink() == (kind != "a pipe")
    assert len(list(tmp_path.iterdir())) == (1 if kind == "a pipe" else 2)


def test_atomic_path_refuses_unwritable_folders(tmp_path):
    (tmp_path / "file").write_text("not a folder")
    path = tmp_path / "file" / "sub" / "out.txt"
    with pytest.raises(InputError) as caught, atomic_path(path):
        pytest.fail("the block must not run")
    assert str(caught.value) == f"{path}: cannot write there (Not a directory)."


def test_write_json_packs_a_file_whose_name_says_so(tmp_path):
    for name in ("one.json.gz", "two.json.gz"):
        write_json(tmp_path / name, {"a": [1, 2]})
    packed = (tmp_path / "one.json.gz").read_bytes()
    assert json.loads(gzip.decompress(packed)) == {"a": [1, 2]}
    assert packed == (tmp_path / "two.json.gz").read_bytes()


def test_write_text_is_utf8_and_write_json_ends_with_a_newline(tmp_path):
    write_text(tmp_path / "out.txt", "Tür")
    assert (tmp_path / "out.txt").read_bytes() == "Tür".encode()
    write_json(tmp_path / "out.json", {"a": [1, "Tür"]})
    written = (tmp_path / "out.json").read_text()
    assert json.loads(written) == {"a": [1, "Tür"]}
    assert written.endswith("}\n")


def test_write_json_keeps_the_old_file_if_the_value_is_not_json(tmp_path):
    (tmp_path / "out.json").write_text("old")
    with pytest.raises(TypeError):
        write_json(tmp_path / "out.json", {"a": object()})
    assert content(tmp_path) == {"out.json": "old"}


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_write_json_never_writes_what_json_does_not_know(tmp_path, value):
    write_json(tmp_path / "out.json", {"a": [1.5, value, {"b": (value, "NaN", None)}]})
    text = (tmp_path / "out.json").read_text()
    assert json.loads(text, parse_constant=pytest.fail) == {"a": [1.5, None, {"b": [None, "NaN", None]}]}


# Reading


def test_read_json_reads_what_write_json_wrote(tmp_path):
    write_json(tmp_path / "in.json", [1, 2])
    assert read_json(tmp_path / "in.json", "list") == [1, 2]
    assert read_bytes(tmp_path / "in.json", "list") == b"[1, 2]\n"


def test_read_bytes_names_a_missing_file(tmp_path):
    path = tmp_path / "in.json"
    with pytest.raises(InputError) as caught:
        read_json(path, "result file")
    assert str(caught.value) == f"{path}: there is no such file (result file)."


@pytest.mark.parametrize(("name", "reason"), [("", "Is a directory"), ("file/in.json", "Not a directory")])
def test_read_bytes_names_an_unreadable_file(tmp_path, name, reason):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError) as caught:
        read_json(tmp_path / name, "result file")
    assert str(caught.value) == f"{tmp_path / name}: cannot read this result file ({reason})."


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"", "line 1, column 1"),
        (b"[1,\n 2,\n  oops]", "line 3, column 3"),
        (b'[1, "abc', "line 1, column 5"),
        (b'["\xff"]', "not UTF-8"),
        (b'["half a pair: \\ud83d"]', "surrogate"),
        (b'["\xed\xa0\xbd"]', "surrogate"),
        (b"[" * 100_000, ""),
        (b"[" + b"1" * 5_000 + b"]", ""),
    ],
    ids=[
        "empty",
        "third line",
        "cut off",
        "not UTF-8",
        "half a pair",
        "half of it raw",
        "too deep",
        "too long a number",
    ],
)
def test_parse_json_names_the_place_of_a_syntax_error(text, said):
    with pytest.raises(InputError) as caught:
        parse_json(text, Path("in.json"))
    assert str(caught.value).startswith("in.json: ")
    assert said in str(caught.value)


def test_parse_json_accepts_whole_pairs():
    assert parse_json(b'["\\ud83d\\ude00"]', Path("in.json")) == ["\U0001f600"]


def test_parse_json_accepts_a_byte_order_mark():
    assert parse_json(b"\xef\xbb\xbf[1]", Path("in.json")) == [1]


# The cache


@pytest.mark.parametrize(
    ("explicit", "base", "expected"),
    [
        ("here/mine", "base", "here/mine"),
        ("", "base", "base/mtvm"),
        (None, "base", "base/mtvm"),
        (None, "", "home/.cache/mtvm"),
        (None, None, "home/.cache/mtvm"),
    ],
)
def test_cache_dir_follows_the_environment(monkeypatch, explicit, base, expected):
    monkeypatch.setenv("HOME", "home")
    for name, value in (("MTVM_CACHE", explicit), ("XDG_CACHE_HOME", base)):
        if value is None:
            monkeypatch.delenv(name, raising=False)
        else:
            monkeypatch.setenv(name, value)
    assert cache_dir() == Path(expected)


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="this system has no /dev/zero")
def test_read_bytes_does_not_begin_to_read_a_device_without_end():
    with pytest.raises(
        InputError, match=r"/dev/zero: is a device, which may have no end, and no results file; name a file"
    ):
        read_bytes(Path("/dev/zero"), "results file")


@pytest.mark.parametrize("whole", [True, False], ids=["a file", "nothing yet"])
def test_a_link_stays_a_link_and_what_it_leads_to_is_written(tmp_path, whole):
    (tmp_path / "elsewhere").mkdir()
    target, link = tmp_path / "elsewhere" / "target.json", tmp_path / "link.json"
    if whole:
        target.write_text("before")
    link.symlink_to(target)
    write_json(link, [1])
    assert link.is_symlink()
    assert read_json(target, "file") == [1]
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["elsewhere", "link.json", "target.json"]

"""`mtvm data fetch`: what it says, and downloads from a repository and a server on this machine."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import http.server
import io
import re
import shutil
import subprocess
import threading

import pytest
from command_line import refused, run
from rich.console import Console

from mtvm.app import fetching
from mtvm.app.commands import data as commands
from mtvm.app.fetching import fetch
from mtvm.app.sources import SOURCES, Source
from mtvm.errors import InputError
from mtvm.io.files import write_text
from mtvm.tasks.registry import TASKS

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
needs_curl = pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")


def sources_of(program):
    return [name for name, source in SOURCES.items() if source.commands and source.commands[0][0] == program]


def git(*arguments, cwd):
    who = ["-c", "user.name=nobody", "-c", "user.email=nobody@example.org", "-c", "uploadpack.allowFilter=true"]
    subprocess.run(["git", *who, *arguments], cwd=cwd, check=True, capture_output=True)


@pytest.fixture
def github(tmp_path, monkeypatch):
    """Repositories on this machine in the place of github.com, with the folders that are asked for and others."""
    for name in sources_of("git"):
        source = SOURCES[name]
        url = next(word for word in source.commands[0] if word.startswith("https://github.com/"))
        repository = tmp_path / "github" / url.removeprefix("https://github.com/")
        for part in source.commands[1][source.commands[1].index("set") + 1 :]:
            write_text(repository / part / "wanted.json", "{}")
        write_text(repository / "unwanted" / "large.bin", "0" * 99)
        write_text(repository / "README.md", "read me")
    for repository in (tmp_path / "github").glob("*/*"):
        git("init", "-q", cwd=repository)
        git("add", ".", cwd=repository)
        git("commit", "-qm", "as published", cwd=repository)
        git("config", "uploadpack.allowFilter", "true", cwd=repository)
    monkeypatch.setenv("GIT_CONFIG_COUNT", "2")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", f"url.file://{tmp_path}/github/.insteadOf")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "https://github.com/")
    monkeypatch.setenv("GIT_CONFIG_KEY_1", "safe.directory")
    monkeypatch.setenv("GIT_CONFIG_VALUE_1", "*")
    return tmp_path / "github"


@pytest.fixture
def server(tmp_path):
    """The address of a server of the files below `tmp_path/served`."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    (tmp_path / "served").mkdir()
    handler = functools.partial(Quiet, directory=str(tmp_path / "served"))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{running.server_port}"
        running.shutdown()


def console():
    return Console(file=io.StringIO(), width=200)


def curled(server, *names, **fields):
    commands = tuple(
        ("curl", "--fail", "--location", "--silent", "--create-dirs", "--output", f"THERE/{name}", f"{server}/{name}")
        for name in names
    )
    known = {"title": "a thing", "use": "a test", "page": "a page", "size": "1 KB", "licence": "none"}
    return Source(**(known | {"folder": "THERE", "commands": commands} | fields))


# --- what it says ------------------------------------------------------------------------------------------


def test_everything_is_listed_and_nothing_is_run(capsys, monkeypatch):
    monkeypatch.setattr(subprocess, "run", None)
    printed = run(capsys, "data", "fetch").out
    assert all(name in printed for name in SOURCES)
    assert "Terms of Use" in printed


@pytest.mark.parametrize("name", SOURCES)
def test_each_source_is_explained_with_its_commands(name, capsys, monkeypatch, tmp_path):
    monkeypatch.setattr(subprocess, "run", None)
    source = SOURCES[name]
    printed = run(capsys, "data", "fetch", name, "--data", tmp_path / "my data").out
    assert source.page in printed
    assert f"size: {source.size}; licence: {source.licence}" in printed
    assert all(digest in printed for digest in source.checksums.values())
    if source.commands:
        assert f"mkdir -p '{tmp_path}/my data' && cd '{tmp_path}/my data'" in printed
        assert printed.count("\ngit ") + printed.count("\ncurl ") == len(source.commands)
    assert not (tmp_path / "my data").exists()


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_the_table_is_sound(source):
    """Commands write into the source's folder alone, over https, by programs that run nothing of what they bring."""
    for command in source.commands:
        assert command[0] in ("git", "curl")
        assert not any(word.startswith("http:") for word in command)
        written = command[command.index("--output") + 1] if command[0] == "curl" else command[-1]
        if command[1] == "-C":
            written = command[2]
        assert written.split("/")[0] == source.folder
    assert source.commands or source.note
    assert all(len(digest) == 64 for digest in source.checksums.values())


def test_what_is_not_there_is_refused(capsys, tmp_path):
    assert "nothing called moon to fetch; there are connectivity, r2r" in refused(capsys, "data", "fetch", "moon")
    assert "say what, for example" in refused(capsys, "data", "fetch", "--run")
    said = refused(capsys, "data", "fetch", "matterport3d", "--run", "--data", tmp_path)
    assert "no command can download this; sign the terms" in said


def test_what_was_tested_are_the_files_that_are_tested_with(real_data):
    for name, folder in (("r2r", "R2R"), ("fgr2r", "FGR2R"), ("ndh", "NDH")):
        for path, digest in SOURCES[name].checksums.items():
            file = real_data / folder / path.rpartition("/")[2]
            assert hashlib.sha256(file.read_bytes()).hexdigest() == digest, file


def test_the_doctor_names_commands_that_there_are(capsys, tmp_path):
    printed = run(capsys, "doctor", "--data", tmp_path).out
    missing = [line for line in printed.partition("\nData")[2].splitlines() if line.startswith("  missing ")]
    remedies = [command for line in missing for command in re.findall(" → (mtvm .*)", line)]
    assert len(remedies) == len(missing) >= len(TASKS) + 3  # the graphs, names and captions
    for command, rest in re.findall(r"mtvm data ([a-z0-9-]+)((?: [a-z0-9]+)*)", " / ".join(remedies)):
        assert command in commands.COMMANDS
        assert command != "fetch" or set(rest.split()) <= set(SOURCES)


# --- downloading -------------------------------------------------------------------------------------------


@needs_git
@pytest.mark.parametrize("name", [name for name in sources_of("git") if name != "langnav"])
def test_repositories_are_cloned_as_far_as_they_are_needed(name, github, tmp_path, capfd):
    run(capfd, "data", "fetch", name, "--run", "--data", tmp_path / "vln")
    source = SOURCES[name]
    brought = sorted(path.name for path in (tmp_path / "vln" / source.folder).rglob("*.*") if ".git" not in path.parts)
    assert brought == ["README.md", "wanted.json"]
    assert [path.name for path in (tmp_path / "vln").iterdir()] == [source.folder]


@needs_git
def test_a_commit_is_checked_out(github, tmp_path, monkeypatch, capfd):
    """LangNav's files are in one commit, by whose number they are asked for."""
    repository = github / "pbw-Berwin" / "LangNav"
    commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=repository, capture_output=True, text=True, check=True)
    git("rm", "-rq", "img_features", cwd=repository)
    git("commit", "-qm", "moved elsewhere", cwd=repository)
    *first, (*checkout, _) = SOURCES["langnav"].commands
    changed = dataclasses.replace(SOURCES["langnav"], commands=(*first, (*checkout, commit.stdout.strip())))
    monkeypatch.setitem(commands.SOURCES, "langnav", changed)
    printed = run(capfd, "data", "fetch", "langnav", "--run", "--data", tmp_path / "vln").out
    assert (tmp_path / "vln" / "LangNav" / "img_features" / "wanted.json").is_file()
    assert not (tmp_path / "vln" / "LangNav" / "unwanted").exists()
    assert "mtvm data captions LangNav" in printed


@needs_curl
def test_files_are_downloaded_and_their_checksums_compared(server, tmp_path):
    write_text(tmp_path / "served" / "a.json", "as published")
    write_text(tmp_path / "served" / "b.json", "changed")
    digest = hashlib.sha256(b"as published").hexdigest()
    source = curled(server, "a.json", "b.json", checksums={"a.json": digest, "b.json": digest, "c.json": digest})
    screen = console()
    fetch([source], tmp_path / "vln", screen)
    assert (tmp_path / "vln" / "THERE" / "a.json").read_text() == "as published"
    said = screen.file.getvalue()
    assert "a.json: as tested" in said
    assert "b.json: differs from the file that mtvm was tested with" in said
    assert "c.json is not among the files" in said
    write_text(tmp_path / "served" / "a.json", "changed")
    fetch([source], tmp_path / "vln", screen)
    assert "is there already; it is left as it is" in screen.file.getvalue()
    assert (tmp_path / "vln" / "THERE" / "a.json").read_text() == "as published"


@needs_curl
def test_a_download_that_fails_leaves_nothing(server, tmp_path):
    write_text(tmp_path / "served" / "a.json", "as published")
    with pytest.raises(InputError, match=r"none\.json failed with exit code 22, as it says above; nothing was kept"):
        fetch([curled(server, "a.json", "none.json")], tmp_path / "vln", console())
    assert not list((tmp_path / "vln").iterdir())
    with pytest.raises(InputError, match="brought nothing"):
        fetch([curled(server, commands=(("curl", "--version"),))], tmp_path / "vln", console())
    with pytest.raises(InputError, match="nosuchtool is not installed"):
        fetch([curled(server, commands=(("nosuchtool",),))], tmp_path / "vln", console())


@pytest.mark.parametrize("answer", ["y", "n", ""])
@needs_curl
def test_a_terminal_is_asked(answer, server, tmp_path, monkeypatch):
    write_text(tmp_path / "served" / "a.json", "as published")
    asked = []
    monkeypatch.setattr(fetching.sys, "stdin", type("Terminal", (), {"isatty": lambda self: True})())
    monkeypatch.setattr("builtins.input", lambda question: asked.append(question) or answer)
    fetch([curled(server, "a.json")], tmp_path / "vln", console())
    assert asked == [f"Download THERE (1 KB) into {tmp_path / 'vln'}? [y/N] "]
    assert (tmp_path / "vln").exists() == (answer == "y")


def test_who_ends_the_question_has_not_agreed(tmp_path, monkeypatch):
    monkeypatch.setattr(fetching.sys, "stdin", io.StringIO())
    monkeypatch.setattr(fetching.sys.stdin, "isatty", lambda: True)
    said = io.StringIO()
    fetch([SOURCES["rooms"]], tmp_path / "vln", Console(file=said))  # Ctrl-D
    assert "nothing was downloaded" in said.getvalue()
    assert not (tmp_path / "vln").exists()

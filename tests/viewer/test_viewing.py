"""`mtvm figure`, `mtvm view` and `mtvm.view`: files as asked for, addresses, tokens, and refusals."""

import io
import urllib.error
import urllib.request

import pytest
from PIL import Image

import mtvm
from mtvm.app.cli import main
from mtvm.app.commands import viewing
from mtvm.errors import InputError
from mtvm.viewer import builtin
from mtvm.viewer.shown import Shown
from mtvm.viewer.view import View, shown_of


def refused(capsys, *arguments):
    with pytest.raises(SystemExit) as stop:
        main([str(argument) for argument in arguments])
    assert stop.value.code == 2
    return capsys.readouterr().err


@pytest.mark.parametrize(
    ("kind", "name"), [("map", "a.svg"), ("matrix", "a.png"), ("strip", "a.svg"), ("html", "a.html")]
)
def test_figure_writes_what_is_asked_for(run, tmp_path, kind, name, capsys):
    main(["figure", kind, str(run), "--out", str(tmp_path / name)])
    assert "drawn to" in capsys.readouterr().out
    content = (tmp_path / name).read_bytes()
    beginnings = {".svg": b"<svg", ".png": b"\x89PNG", ".html": b"<!DOCTYPE"}
    assert content.startswith(beginnings[(tmp_path / name).suffix])


def test_figure_of_a_step_shows_what_the_agent_thought(run, tmp_path):
    main(["figure", "map", str(run), "--step", "0", "--out", str(tmp_path / "map.svg")])
    main(["figure", "map", str(run), "--out", str(tmp_path / "whole.svg")])
    assert 'class="candidate"' in (tmp_path / "map.svg").read_text()
    assert 'class="candidate"' not in (tmp_path / "whole.svg").read_text()


def test_figure_of_a_result_file_needs_only_the_data(results, data, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    main(["figure", "gif", str(results), "--data", str(data)])
    assert Image.open(io.BytesIO((tmp_path / "walk.gif").read_bytes())).n_frames > 1


def test_figure_refuses_and_writes_nothing(run, results, data, tmp_path, capsys):
    out = tmp_path / "a.jpg"
    assert "ends in .svg or .png" in refused(capsys, "figure", "map", run, "--out", out)
    assert "no episode nobody" in refused(
        capsys, "figure", "map", run, "--episode", "nobody", "--out", tmp_path / "a.svg"
    )
    assert "has steps 0 to" in refused(capsys, "figure", "map", run, "--step", "99", "--out", tmp_path / "a.svg")
    said = refused(capsys, "figure", "matrix", results, "--data", data, "--out", tmp_path / "a.svg")
    assert "no attention was recorded" in said
    assert list(tmp_path.iterdir()) == []


def test_view_answers_here_and_shows_itself_in_a_notebook(run):
    running = mtvm.view(run, port=0)
    try:
        assert running.url.startswith("http://127.0.0.1:")
        with urllib.request.urlopen(f"{running.url}/api/overview") as answer:
            assert b'"first r2r/val_unseen"' in answer.read()
        assert running._repr_html_().startswith(f'<iframe src="{running.url}"')
    finally:
        running.close()
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(f"{running.url}/api/overview", timeout=2)


def test_view_for_other_machines_asks_for_a_token(sources):
    running = View(Shown(sources), "0.0.0.0", 0)
    try:
        address, _, token = running.url.partition("/?token=")
        port = address.rpartition(":")[2]
        assert len(token) >= 20
        with pytest.raises(urllib.error.HTTPError, match="401"):
            urllib.request.urlopen(f"http://127.0.0.1:{port}/api/overview")
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/?token={token}") as answer:
            assert answer.status == 200
    finally:
        running.close()


def test_view_says_which_port_is_taken(sources):
    running = View(Shown(sources), "127.0.0.1", 0)
    try:
        with pytest.raises(InputError, match="--port"):
            View(Shown(sources), "127.0.0.1", int(running.url.rpartition(":")[2]))
    finally:
        running.close()


def test_view_command_prints_the_address_and_opens_a_browser_unless_told_not_to(run, capsys, monkeypatch):
    opened = []
    monkeypatch.setattr(viewing.webbrowser, "open", opened.append)
    monkeypatch.setattr(View, "wait", View.close)
    main(["view", str(run), "--no-browser", "--port", "0"])
    assert "The page is at http://127.0.0.1:" in capsys.readouterr().out
    assert opened == []
    main(["view", str(run), "--port", "0"])
    assert len(opened) == 1


def test_view_refuses_what_is_not_there(capsys, tmp_path):
    assert "no such run or result file" in refused(capsys, "view", tmp_path / "nothing", "--no-browser")


def test_view_of_nothing_shows_the_pretrained_agent(data, monkeypatch):
    """In a world of tests, which takes no minute to build; what the agent sees there are names."""
    monkeypatch.setattr(builtin, "build_world", lambda config: data)
    monkeypatch.setattr(builtin, "SPLITS", ("r2r/val_unseen",))
    shown = shown_of([], None)
    assert [source.name for source in shown.sources] == ["homes r2r/val_unseen"]
    assert [guide.name for guide in shown.guides] == ["homes"]
    walk = shown.walk(0, shown.sources[0].episodes.ids[0])
    assert all(event.words and event.probabilities for event in walk.events)

"""`mtvm figure`, `mtvm view` and `mtvm.view`: files as asked for, addresses, tokens, and refusals."""

import io
import json
import re
import shutil
import urllib.error
import urllib.request
import zipfile

import pytest
from PIL import Image

import mtvm
from mtvm.app.cli import main
from mtvm.app.commands import viewing
from mtvm.errors import InputError
from mtvm.viewer.sources import Defaults, open_sources
from mtvm.viewer.state import ViewerState
from mtvm.viewer.view import View


def refused(capsys, *arguments):
    with pytest.raises(SystemExit) as stop:
        main([str(argument) for argument in arguments])
    assert stop.value.code == 2
    return capsys.readouterr().err


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("map", "a.svg"),
        ("map", "a.pdf"),
        ("matrix", "a.png"),
        ("matrix", "a.pdf"),
        ("curves", "a.svg"),
        ("mistakes", "a.pdf"),
        ("strip", "a.svg"),
        ("walk", "a.html"),
        ("walk", "a.zip"),
        ("walk", "a.gif"),
    ],
)
def test_figure_writes_what_is_asked_for(run, tmp_path, kind, name, capsys):
    main(["figure", kind, str(run), "--out", str(tmp_path / name)])
    assert "drawn to" in capsys.readouterr().out
    content = (tmp_path / name).read_bytes()
    beginnings = {
        ".svg": b"<svg",
        ".pdf": b"%PDF",
        ".png": b"\x89PNG",
        ".gif": b"GIF8",
        ".html": b"<!DOCTYPE",
        ".zip": b"PK",
    }
    assert content.startswith(beginnings[(tmp_path / name).suffix])


def test_figure_of_an_agent_that_was_not_evaluated_says_what_makes_an_evaluation(run, tmp_path, capsys):
    shutil.copytree(run, tmp_path / "released", ignore=shutil.ignore_patterns("results.json"))
    said = refused(capsys, "figure", "map", tmp_path / "released", "--out", tmp_path / "map.svg")
    assert "no evaluation is here; make one with 'mtvm eval" in said
    assert not (tmp_path / "map.svg").exists()


def test_figure_of_a_step_shows_what_the_agent_thought(run, tmp_path):
    main(["figure", "map", str(run), "--step", "0", "--out", str(tmp_path / "map.svg")])
    main(["figure", "map", str(run), "--out", str(tmp_path / "whole.svg")])
    assert 'class="candidate"' in (tmp_path / "map.svg").read_text()
    assert 'class="candidate"' not in (tmp_path / "whole.svg").read_text()


def test_figure_of_a_result_file_needs_only_the_data(results, data, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "theirs.json").write_bytes(results.read_bytes())
    main(["figure", "map", "theirs.json", "--data", str(data), "--out", "map.svg"])
    assert (tmp_path / "map.svg").read_text().startswith("<svg")
    main(["figure", "walk", str(results), "--data", str(data)])
    assert Image.open(io.BytesIO((tmp_path / "walk.gif").read_bytes())).n_frames > 1


def test_frames_are_a_picture_for_each_step(run, tmp_path):
    main(["figure", "walk", str(run), "--out", str(tmp_path / "walk.zip")])
    main(["figure", "walk", str(run), "--out", str(tmp_path / "walk.gif")])
    with zipfile.ZipFile(tmp_path / "walk.zip") as archive, Image.open(tmp_path / "walk.gif") as animation:
        assert archive.namelist() == [f"step-{step:02d}.png" for step in range(animation.n_frames)]
        with Image.open(archive.open("step-00.png")) as picture:
            assert picture.size == animation.size


def test_figure_compares_agents_with_a_legend_a_scale_and_the_start(run, other_run, tmp_path):
    out = tmp_path / "map.svg"
    main(["figure", "map", str(run), str(other_run), "--step", "0", "--out", str(out)])
    drawn = out.read_text()
    for said in (">first<", ">second<", ">start<", ">reference path<", " m</text>"):
        assert said in drawn
    assert {'class="other-1"', 'class="start"', 'class="scale"'} <= set(re.findall('class="[^"]+"', drawn))


def test_figure_crops_storeys_and_sets_the_resolution(run, tmp_path):
    sizes = {}
    for name, more in (("all", []), ("one", ["--storeys", "1"]), ("fine", ["--storeys", "1", "--dpi", "384"])):
        main(["figure", "map", str(run), *more, "--out", str(tmp_path / f"{name}.png")])
        with Image.open(tmp_path / f"{name}.png") as picture:
            sizes[name] = picture.size
    assert sizes["one"][0] < sizes["all"][0]
    assert sizes["fine"][0] == pytest.approx(2 * sizes["one"][0], abs=2)


def test_walks_of_several_agents_are_one_animation(run, other_run, tmp_path):
    for name, runs in (("one", [run]), ("both", [run, other_run])):
        main(["figure", "walk", *map(str, runs), "--out", str(tmp_path / f"{name}.gif")])
    sources = open_sources([run, other_run], Defaults())
    with Image.open(tmp_path / "both.gif") as both:
        assert both.n_frames == max(len(source.events(0)) for source in sources)


def test_figure_refuses_and_writes_nothing(run, results, data, tmp_path, capsys):
    out = tmp_path / "a.jpg"
    assert "ends in .svg, .pdf or .png" in refused(capsys, "figure", "map", run, "--out", out)
    assert "no episode nobody" in refused(
        capsys, "figure", "map", run, "--episode", "nobody", "--out", tmp_path / "a.svg"
    )
    assert "has steps 0 to" in refused(capsys, "figure", "map", run, "--step", "99", "--out", tmp_path / "a.svg")
    said = refused(capsys, "figure", "matrix", results, "--data", data, "--out", tmp_path / "a.svg")
    assert "no attention was recorded" in said
    assert "has storeys 1 to 2" in refused(capsys, "figure", "map", run, "--storeys", "7", "--out", tmp_path / "a.svg")
    assert "--dpi" in refused(capsys, "figure", "map", run, "--dpi", "9", "--out", tmp_path / "a.png")
    assert "a walk is written as .gif" in refused(capsys, "figure", "walk", run, "--out", tmp_path / "a.png")
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
    running = View(ViewerState(sources), "0.0.0.0", 0)
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
    running = View(ViewerState(sources), "127.0.0.1", 0)
    try:
        with pytest.raises(InputError, match="--port"):
            View(ViewerState(sources), "127.0.0.1", int(running.url.rpartition(":")[2]))
    finally:
        running.close()


def test_view_refuses_a_port_that_cannot_be(sources):
    with pytest.raises(InputError, match="--port"):
        View(ViewerState(sources), "127.0.0.1", 99999)


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


@pytest.fixture
def own_file(run, data, tmp_path):
    """The run, also evaluated on a Chinese file of one's own outside of the data folder."""
    entries = json.loads((data / "R2R" / "R2R_val_unseen.json").read_text())[:2]
    file = tmp_path / "chinese" / "R2R_zh.json"
    file.parent.mkdir()
    file.write_text(json.dumps([entry | {"instructions": ["走到厨房。"]} for entry in entries]))
    copied = tmp_path / "run"
    shutil.copytree(run, copied)
    mtvm.evaluate(copied, f"r2r/{file}", attention=True, show_progress=False, device="cpu")
    return copied, file


def test_walks_of_a_file_of_ones_own_are_shown_by_the_runs_config_or_its_name(own_file, data):
    copied, file = own_file
    with pytest.raises(InputError, match=r"evaluated on a file of one's own, R2R_zh; name it with --split FILE"):
        open_sources([copied], Defaults(data))
    named = open_sources([copied], Defaults(data, split=str(file)))
    path = copied / "config.json"
    config = json.loads(path.read_text())
    config["data"]["evaluate"].append(f"r2r/{file}")
    path.write_text(json.dumps(config))
    for sources in (named, open_sources([copied], Defaults(data))):
        assert [source.name for source in sources] == ["run r2r/R2R_zh", "run r2r/val_unseen"]
        assert sources[0].episodes.texts == ["走到厨房。"] * 2


def test_walks_in_another_data_folder_are_shown_by_the_runs_config(run, data, tmp_path):
    copied, other = tmp_path / "run", tmp_path / "other"
    shutil.copytree(run, copied)
    shutil.copytree(data, other)
    shutil.copytree(copied / "eval" / "r2r-val_unseen", copied / "eval" / "other-r2r-val_unseen")
    path = copied / "config.json"
    config = json.loads(path.read_text())
    config["data"] |= {"evaluate": ["r2r/val_unseen", f"{other}::r2r/val_unseen"], "features": None, "sight": "blind"}
    path.write_text(json.dumps(config))
    folders = {source.path.parent.name: source.folder.path for source in open_sources([copied], Defaults())}
    assert folders == {"r2r-val_unseen": data, "other-r2r-val_unseen": other}


@pytest.mark.parametrize(("name", "told"), [("a.pdf", True), ("a.png", True), ("a.gif", True), ("a.svg", False)])
def test_figures_say_that_they_lack_letters(own_file, data, tmp_path, name, told, capsys, recwarn):
    copied, file = own_file
    kind = "walk" if name == "a.gif" else "matrix"
    main(["figure", kind, str(copied), "--split", str(file), "--data", str(data), "--out", str(tmp_path / name)])
    assert ("letters such as 到 are boxes in it" in capsys.readouterr().err) == told
    assert not [one for one in recwarn if "Glyph" in str(one.message)]

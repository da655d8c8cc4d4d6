"""What the agent sees where no store is given: made once of the data folder, kept in the cache, refused by name."""

import functools
import json
import shutil

import numpy as np
import pytest
from small_runs import count_calls, describe_places, small_config, train

import mtvm
from mtvm.configs.data import DataConfig
from mtvm.errors import InputError
from mtvm.features import captions, names
from mtvm.features.guesses import NameGuesser
from mtvm.learning import sight as sights
from mtvm.learning.release import release
from mtvm.learning.run_folder import RunFolder, guesser_of
from mtvm.learning.sight import SightMaker
from mtvm.tasks.data import DataFolder


def embed(phrases, title=None):
    """Three numbers for each phrase, quickly."""
    return np.array([[len(phrase) % 7 + 1, phrase.count("e") + 1, 1] for phrase in phrases], dtype=np.float32)


@pytest.fixture
def folder(tiny_folder, tiny_world, tmp_path, monkeypatch):
    """A data folder of its own with names and captions of every viewpoint."""
    monkeypatch.setenv("MTVM_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(names, "embed_phrases", embed)
    monkeypatch.setattr(captions, "embed_phrases", embed)
    shutil.copytree(tiny_folder, tmp_path / "data")
    describe_places(tmp_path / "data", tiny_world)
    return tmp_path / "data"


def opened(folder, sight):
    config = DataConfig(folder=folder, sight=sight)
    return SightMaker(config, DataFolder(folder), show_progress=False).open()


def test_sight_that_is_not_named_is_refused_with_one_sentence(folder):
    with pytest.raises(InputError) as found:
        opened(folder, None)
    message = str(found.value)
    assert message.startswith("what the agent sees is not said")
    for option in (
        "--data.features STORE",
        "--data.sight with names, captions, guesses, aligned, described, described-aligned",
        "--data.sight blind",
    ):
        assert option in message
    assert "\n" not in message


@pytest.mark.parametrize("sight", ["", "pictures", "names+", "names+blind", "Names"])
def test_sight_that_nobody_can_make_is_refused_by_the_config(sight):
    with pytest.raises(InputError, match="is neither blind nor made of names, captions, guesses, aligned, described, "):
        DataConfig(sight=sight)


def test_sight_of_the_blind_is_none(folder):
    assert opened(folder, "blind") is None


@pytest.mark.parametrize(
    ("sight", "maker", "file"),
    [("names", "semantic_features", "viewpoints.jsonl"), ("captions", "caption_features", "captions.jsonl")],
)
def test_sight_is_made_once_and_anew_for_another_file(folder, tmp_path, monkeypatch, sight, maker, file):
    made = count_calls(monkeypatch, sights, maker, lambda source, out, **_: out)
    first, again = opened(folder, sight), opened(folder, sight)
    assert len(made) == 1
    assert first.path == again.path
    assert first.path.is_relative_to(tmp_path / "cache")
    (folder / file).write_text((folder / file).read_text().replace("a bed", "a bath").replace("bedroom", "kitchen"))
    assert opened(folder, sight).path != first.path
    assert len(made) == 2


def test_sight_of_names_is_made_anew_for_other_graphs(folder):
    before = opened(folder, "names").path
    graph = next((folder / "connectivity").glob("*_connectivity.json"))
    graph.write_text(graph.read_text() + "\n")
    assert opened(folder, "names").path != before


@pytest.fixture
def learnt(monkeypatch):
    """Learning to guess names takes two folds here, since there are few buildings; the calls of it."""
    learn = functools.partial(sights.learn_names, folds=2, epochs=1)
    monkeypatch.setattr(sights, "learn_names", learn)
    return count_calls(monkeypatch, sights, "learn_names", lambda *_, **options: options["walks"])


def test_guesses_learn_from_people_whatever_else_is_trained_on(folder, learnt):
    """So that an agent sees the same after it was taught on other paths."""
    for splits in (("r2r/train",), ("r4r/train", "r2r/train"), ("r2r/train", "prevalent/aug")):
        config = DataConfig(folder=folder, sight="guesses", train=splits)
        assert SightMaker(config, DataFolder(folder), show_progress=False).open().width > 0
    assert len(learnt) == 1
    config = DataConfig(folder=folder, sight="guesses", train=("r4r/train",))
    with pytest.raises(InputError, match="learns from what people say"):
        SightMaker(config, DataFolder(folder), show_progress=False).open()


def test_a_guesser_that_is_damaged_in_the_cache_learns_anew(folder, learnt):
    maker = SightMaker(DataConfig(folder=folder, sight="guesses"), DataFolder(folder), show_progress=False)
    file = maker.guesser()
    whole = file.read_bytes()
    file.write_bytes(whole[:-50] + bytes(50))
    assert maker.guesser() == file
    assert file.read_bytes() == whole
    assert len(learnt) == 2


def test_a_guesser_that_is_given_needs_neither_names_nor_splits_that_people_described(folder, learnt):
    own = DataFolder(folder)
    learning = SightMaker(DataConfig(folder=folder, sight="guesses"), own, show_progress=False)
    file, before = learning.guesser(), learning.open()
    (folder / "viewpoints.jsonl").unlink()
    config = DataConfig(folder=folder, sight="guesses", train=("r4r/train",), guesser=file)
    given = SightMaker(config, own, show_progress=False).open()
    assert given.path == before.path
    assert len(learnt) == 1


def test_alignment_comes_with_all_that_guesses_have(folder, learnt, monkeypatch):
    def maker(sight, **options):
        return SightMaker(DataConfig(folder=folder, sight=sight, **options), DataFolder(folder), show_progress=False)

    with monkeypatch.context() as patched:
        patched.setattr("mtvm.features.known_names._OFTEN_SPOKEN", 1_000_000)
        with pytest.raises(InputError, match="no word is frequent enough in the instructions"):
            maker("aligned").open()
    guesses, aligned = maker("guesses"), maker("aligned")
    spoken = NameGuesser.load(aligned.guesser()).spoken
    assert aligned.open().width == guesses.open().width + len(spoken) > guesses.open().width
    assert len({maker(sight).identity() for sight in ("guesses", "aligned")}) == 2
    assert maker("aligned", guesser=aligned.guesser()).open().path == aligned.open().path
    for sight, other in (("guesses", aligned), ("aligned", guesses), ("described", guesses)):
        with pytest.raises(InputError, match=rf"were learnt for --data.sight {other.config.sight}; let the agent see"):
            maker(sight, guesser=other.guesser()).open()
    assert DataConfig(sight="names+aligned").track == "privileged"
    assert DataConfig(sight="aligned").track == "captions only"
    for several in ("guesses+aligned", "described+guesses", "described+described-aligned"):
        with pytest.raises(InputError, match="are all guessed names; name one of them"):
            DataConfig(sight=several)


def test_sights_that_are_joined_stand_side_by_side(folder, tiny_world):
    one, other, both = (opened(folder, sight) for sight in ("names", "captions", "names+captions"))
    assert both.width == one.width + other.width
    where = ([tiny_world.scan(3)], [str(tiny_world.viewpoints[3])])
    views = [store.panorama(store.rows(*where))[0] for store in (one, other, both)]
    np.testing.assert_array_equal(views[2], np.concatenate(views[:2], axis=1))
    assert opened(folder, "names+captions").path == both.path
    assert opened(folder, "captions+names").path != both.path


@pytest.mark.parametrize(
    ("sight", "missing"),
    [
        ("names", "viewpoints.jsonl"),
        ("captions", "captions.jsonl"),
        ("guesses", "captions.jsonl"),
        ("guesses", "viewpoints.jsonl"),
        ("described", "captions.jsonl"),
        ("described", "langnav.jsonl"),
    ],
)
def test_sight_without_its_file_is_refused(folder, sight, missing):
    (folder / missing).unlink()
    with pytest.raises(InputError, match=rf"no (\w+ file )?{missing}\(\.gz\) below it.* '?mtvm data ") as found:
        opened(folder, sight)
    assert str(found.value).startswith(str(folder))


def guessing(folder, out, **changes):
    data = {"features": None, "sight": "guesses"} | changes.pop("data", {})
    return small_config(folder, out, optimizer={"updates": 1}, selection={"every": 1, "limit": 5}, data=data, **changes)


def test_an_agent_that_sees_guesses_carries_the_networks_that_make_them(folder, learnt, tmp_path):
    run = train(guessing(folder, tmp_path / "run"))[0].folder.path
    own = RunFolder(run).config().data
    assert own.guesser == run / "guesser.safetensors"
    assert (run / "best" / "guesser.safetensors").read_bytes() == own.guesser.read_bytes()
    # Another run that starts from it sees the same, though its own splits would teach something else.
    other = folder / "few.json"
    other.write_text(json.dumps(json.loads((folder / "R2R" / "R2R_train.json").read_text())[:3]))
    config = guessing(folder, tmp_path / "next", init=run / "best", data={"train": (f"r2r/{other}",)})
    after = train(config)[0].folder.path
    assert (after / "best" / "guesser.safetensors").read_bytes() == own.guesser.read_bytes()
    train(RunFolder(after).config())  # it can be resumed
    assert len(learnt) == 1


def test_a_run_resumes_with_its_own_guesser(folder, learnt, tmp_path, monkeypatch):
    """By the same command, where nothing is in the cache and annotation has changed."""
    config = guessing(folder, tmp_path / "run")
    train(config)
    (folder / "viewpoints.jsonl").write_text((folder / "viewpoints.jsonl").read_text().replace("kitchen", "garage"))
    (tmp_path / "run" / "best" / "guesser.safetensors").unlink()
    monkeypatch.setenv("MTVM_CACHE", str(tmp_path / "another"))
    train(config)
    assert len(learnt) == 1
    kept = [(tmp_path / "run" / place / "guesser.safetensors").read_bytes() for place in (".", "best")]
    assert kept[0] == kept[1], "what was lost is there again"


def test_the_guesser_of_a_run_is_found_from_anything_in_it(folder, learnt, tmp_path):
    run = train(guessing(folder, tmp_path / "run"))[0].folder.path
    own = run / "guesser.safetensors"
    (run / "diverged-1").mkdir()
    assert guesser_of(run) == guesser_of(run / "diverged-1") == own
    best = run / "best"
    assert guesser_of(best) == guesser_of(best / "model.safetensors") == best / "guesser.safetensors"
    assert guesser_of(folder) is None


@pytest.mark.parametrize("sight", ["described", "described-aligned"])
def test_a_released_agent_that_sees_what_was_described_needs_both_files(folder, learnt, tmp_path, monkeypatch, sight):
    run = train(guessing(folder, tmp_path / "run", data={"sight": sight}))[0].folder.path
    passed_on = release(run, tmp_path / "released")
    assert "Track: captions and detections" in (passed_on / "README.md").read_text()
    (folder / "viewpoints.jsonl").unlink()
    (folder / "R2R" / "R2R_train.json").unlink()
    monkeypatch.setenv("MTVM_CACHE", str(tmp_path / "another"))
    done = mtvm.evaluate(passed_on, ["r2r/val_unseen"], data=folder, show_progress=False, device="cpu")
    assert len(done["r2r/val_unseen"].nodes)
    assert len(learnt) == 1
    (folder / "langnav.jsonl").unlink()
    with pytest.raises(InputError, match=rf"no langnav.jsonl\(.gz\) below it, which --data.sight {sight} guesses"):
        mtvm.evaluate(passed_on, ["r2r/val_unseen"], data=folder, show_progress=False, device="cpu")


def test_a_released_agent_that_sees_guesses_needs_captions_only(folder, learnt, tmp_path, monkeypatch):
    run = train(guessing(folder, tmp_path / "run"))[0].folder.path
    passed_on = release(run, tmp_path / "released")
    (folder / "viewpoints.jsonl").unlink()
    (folder / "R2R" / "R2R_train.json").unlink()
    monkeypatch.setenv("MTVM_CACHE", str(tmp_path / "another"))
    for agent, config in ((passed_on, folder), (passed_on / "best", DataConfig(folder=folder, sight="guesses"))):
        done = mtvm.evaluate(agent, ["r2r/val_unseen"], data=config, show_progress=False, device="cpu")
        assert len(done["r2r/val_unseen"].nodes)
    assert len(learnt) == 1


def test_release_of_a_run_that_lost_its_guesser_makes_it_again(folder, learnt, tmp_path):
    run = train(guessing(folder, tmp_path / "run"))[0].folder.path
    for file in run.rglob("guesser.safetensors"):
        file.unlink()
    assert NameGuesser.load(release(run, tmp_path / "released") / "best" / "guesser.safetensors").width > 0


def test_release_of_an_agent_that_sees_no_guesses_has_no_guesser(folder, learnt, tmp_path):
    run = train(guessing(folder, tmp_path / "run"))[0].folder.path
    config = guessing(folder, tmp_path / "blind", data={"sight": "blind", "guesser": run / "guesser.safetensors"})
    train(config)
    assert not list(release(config.out, tmp_path / "released").rglob("guesser.safetensors"))


def test_a_guesser_that_is_no_guesser_is_refused(folder, tmp_path):
    for given, said in ((tmp_path / "nothing", "no networks that guess names are here"), (folder, "no networks that")):
        config = DataConfig(folder=folder, sight="guesses", guesser=given)
        with pytest.raises(InputError, match=said) as found:
            SightMaker(config, DataFolder(folder), show_progress=False).open()
        assert str(found.value).startswith(f"{given}: ")


def test_evaluate_takes_another_guesser(folder, learnt, tmp_path, monkeypatch):
    run = train(guessing(folder, tmp_path / "run"))[0].folder.path
    moved = shutil.move(run / "guesser.safetensors", tmp_path / "moved.safetensors")
    (run / "best" / "guesser.safetensors").unlink()
    (folder / "viewpoints.jsonl").unlink()
    data = DataConfig(folder=folder, guesser=moved)
    done = mtvm.evaluate(run, ["r2r/val_unseen"], data=data, show_progress=False, device="cpu")
    assert len(done["r2r/val_unseen"].nodes)
    assert len(learnt) == 1


def test_a_released_agent_that_was_given_a_store_does_not_say_that_it_sees_names(small_data, tmp_path):
    config = small_config(small_data, tmp_path / "run", optimizer={"updates": 1}, data={"sight": "names"})
    train(config)
    passed_on = release(config.out, tmp_path / "released")
    assert RunFolder(passed_on).config().data.sight is None
    assert "Sight: a feature store that the user brings" in (passed_on / "README.md").read_text()

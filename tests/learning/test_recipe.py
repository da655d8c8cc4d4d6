"""A recipe goes through its stages, each from the best weights of the one before, and goes on wherever it stopped."""

import dataclasses
import signal
from pathlib import Path

import pytest
import torch
from small_runs import SMALL, assert_same_state, changed, saved_state

import mtvm
from mtvm.app.runs import find_runs
from mtvm.configs.presets import RECIPES
from mtvm.configs.recipe import RecipeConfig, StageConfig
from mtvm.errors import InputError
from mtvm.io.files import read_json
from mtvm.io.weight_files import read_weight_file
from mtvm.learning.run_folder import RECIPE, RunFolder
from mtvm.learning.trainer import Trainer

RELEASES = Path(__file__).parents[2] / "releases"
UPDATES = 4


def small_recipe(folder, out, **changes):
    """The preset `tiny-stages`, smaller still."""
    recipe = RECIPES["tiny-stages"]
    stages = {
        name: changed(
            stage,
            batch=3,
            optimizer={"updates": UPDATES},
            selection={"every": 2, "limit": 5, "split": "r2r/val_unseen"},
        )
        for name, stage in recipe.stages.items()
    }
    data = dataclasses.replace(recipe.data, folder=folder, features=folder / "features", horizon=5)
    small = dataclasses.replace(
        recipe, out=out, model=SMALL, data=data, stages=stages, device="cpu", log_every=1, tensorboard=False
    )
    return dataclasses.replace(small, **changes)


@pytest.fixture
def stop(monkeypatch):
    """Let a signal come after so many updates in all; what is counted is returned."""
    update, counted = Trainer._update, []

    def after(number):
        def counting(self):
            recorded = update(self)
            counted.append(self.folder.path)
            if len(counted) == number:
                signal.raise_signal(signal.SIGINT)
            return recorded

        counted.clear()
        monkeypatch.setattr(Trainer, "_update", counting)
        return counted

    return after


def train(recipe):
    return mtvm.train(recipe, show_progress=False)


@pytest.fixture(scope="module")
def whole(small_data, tmp_path_factory):
    """A recipe that was not interrupted."""
    recipe = small_recipe(small_data, tmp_path_factory.mktemp("whole") / "run")
    assert train(recipe).finished
    return recipe


@pytest.mark.parametrize("after", [4, *(pytest.param(number, marks=pytest.mark.slow) for number in (1, 5, 8))])
def test_interrupted_recipe_ends_bit_by_bit_as_one_that_was_not(whole, small_data, tmp_path, stop, after):
    recipe = small_recipe(small_data, tmp_path / "run")
    stop(after)
    result = train(recipe)
    assert result.update == (after - 1) % UPDATES + 1
    if not (result.finished and after == 2 * UPDATES):
        assert train(recipe).finished
    for there, here in ((whole.out, recipe.out), (whole.out / "imitation", recipe.out / "imitation")):
        assert_same_state(saved_state(there), saved_state(here))
        one, other = (read_weight_file(folder / "best" / "model.safetensors") for folder in (there, here))
        assert one.keys() == other.keys()
        assert all(torch.equal(one[name], other[name]) for name in one)


def test_recipe_starts_a_stage_from_the_best_weights_of_the_one_before(whole):
    runs = whole.runs()
    assert runs["imitation"].init is None
    assert runs["a2c"].init == whole.out.absolute() / "imitation" / "best"
    assert runs["a2c"].out == whole.out
    assert RunFolder(whole.out).config().init == runs["a2c"].init
    assert runs["imitation"].data.evaluate == ()


def test_what_is_done_is_not_done_again(whole, stop):
    counted = stop(0)
    told = []
    result = mtvm.train(whole, show_progress=False, announce=told.append)
    assert (result.finished, result.update, counted) == (True, UPDATES, [])
    assert told == ["Stage 1 of 2, imitation: done.", "Stage 2 of 2, a2c: done."]


def test_recipe_is_resumed_from_its_folder_and_after_it_was_moved(small_data, tmp_path, stop):
    recipe = small_recipe(small_data, tmp_path / "run")
    counted = stop(UPDATES + 1)
    assert not train(recipe).finished
    (tmp_path / "run").rename(tmp_path / "moved")
    assert mtvm.train(tmp_path / "moved", show_progress=False).finished
    assert counted[UPDATES:] == [tmp_path / "run"] + (UPDATES - 1) * [tmp_path / "moved"]
    assert RunFolder(tmp_path / "moved").recipe() == dataclasses.replace(recipe, out=tmp_path / "moved")


def test_runs_show_the_stages_and_those_that_wait(whole, small_data, tmp_path, stop):
    assert {run.name: run.stage for run in find_runs(whole.out.parent)} == {
        "run": "a2c, 2 of 2",
        "run/imitation": "imitation, 1 of 2",
    }
    stop(2)
    train(small_recipe(small_data, tmp_path / "run"))
    last, first = find_runs(tmp_path)
    assert (last.stage, last.state(0.0), last.update, last.total) == ("a2c, 2 of 2", "waiting", 0, UPDATES)
    assert (first.stage, first.update) == ("imitation, 1 of 2", 2)


def test_a_stage_to_come_may_be_changed_but_not_one_that_has_begun(small_data, tmp_path, stop):
    recipe = small_recipe(small_data, tmp_path / "run")
    stop(2)
    train(recipe)
    other = {name: changed(stage, optimizer={"lr": 1e-4}) for name, stage in recipe.stages.items()}
    with pytest.raises(InputError, match=r"imitation: a run with another config is there \(optimizer\.lr is 0\.001"):
        train(dataclasses.replace(recipe, stages=other))
    changed_recipe = dataclasses.replace(recipe, stages=recipe.stages | {"a2c": other["a2c"]})
    assert train(changed_recipe).finished
    assert RunFolder(recipe.out).config().optimizer.lr == 1e-4
    assert read_json(recipe.out / RECIPE, "recipe") == changed_recipe.to_dict()


@pytest.mark.parametrize(
    ("stages", "said"),
    [
        ({}, "at least one"),
        ({"best": StageConfig()}, "'best' cannot name a stage"),
        ({"../out": StageConfig()}, "cannot name a stage"),
    ],
)
def test_recipes_that_cannot_be_are_refused(tmp_path, stages, said):
    with pytest.raises(InputError, match=said):
        RecipeConfig(tmp_path, SMALL, stages)


@pytest.mark.parametrize("name", RECIPES)
def test_recipe_comes_back_from_its_file(name, tmp_path):
    recipe = RECIPES[name]
    assert RecipeConfig.from_dict(recipe.to_dict(), tmp_path / RECIPE) == recipe


def test_recipe_files_with_wrong_values_are_refused_by_file_and_option(tmp_path):
    plain = RECIPES["tiny-stages"].to_dict()
    plain["stages"]["a2c"]["optimizer"]["lr"] = "fast"
    with pytest.raises(InputError, match=r"recipe\.json: stages\.a2c\.optimizer\.lr is 'fast', not a number"):
        RecipeConfig.from_dict(plain, tmp_path / RECIPE)


@pytest.mark.parametrize("name", ["r2r-annotated", "r2r-pixels"])
def test_the_recipes_of_the_released_agents_are_those_that_they_were_trained_by(name):
    """Their configs are kept with them; guesser, seed and place differ, and the vocabulary is the reader's."""
    released = RunFolder(RELEASES / name).config()
    last = RECIPES[name].runs()["a2c"]
    same = dataclasses.replace(last, out=released.out, init=None, seed=released.seed)
    kept = {"guesser": released.data.guesser, "evaluate": released.data.evaluate}
    model = dataclasses.replace(same.model, vocabulary=same.model.tokens_known)
    assert dataclasses.replace(same, model=model, data=dataclasses.replace(same.data, **kept)) == released

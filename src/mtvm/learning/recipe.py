"""Going through the stages of a recipe. What is done is not done again, so that the same call goes on wherever it was
interrupted, and ends with the same weights."""

from __future__ import annotations

from collections.abc import Callable

from mtvm.configs.recipe import RecipeConfig
from mtvm.configs.run import TrainConfig
from mtvm.errors import InputError
from mtvm.io.files import write_json
from mtvm.learning import parallel
from mtvm.learning.run_folder import RECIPE, RunFolder, Selection
from mtvm.learning.trainer import TrainResult, train
from mtvm.machine import choose_device


def train_recipe(
    recipe: RecipeConfig, show_progress: bool = True, announce: Callable[[str], None] = lambda text: None
) -> TrainResult:
    """Train stage after stage, to the end or until interrupted; the result is that of the last one that was trained."""
    recipe.data.check_splits_to_evaluate()
    parallel.start(choose_device(recipe.device))
    runs = recipe.runs()
    RunFolder(recipe.out).check_links(runs)
    for config in runs.values():
        RunFolder(config.out).check(config)
    parallel.wait()
    if parallel.rank() == 0:
        _begin(recipe)
    for number, (name, config) in enumerate(runs.items(), start=1):
        done = _done(config)
        if parallel.rank() == 0:
            announce(f"Stage {number} of {len(runs)}, {name}{'' if done is None else ': done'}.")
        result = train(config, show_progress, announce) if done is None else done
        if not result.finished:
            break
    return result


def _begin(recipe: RecipeConfig) -> None:
    """Write down what the recipe is, for whoever resumes or lists it."""
    try:
        recipe.out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{recipe.out}: cannot write there ({error.strerror}).") from None
    write_json(recipe.out / RECIPE, recipe.to_dict(), indent=1)


def _done(config: TrainConfig) -> TrainResult | None:
    """How a stage ended; None if it has not."""
    folder = RunFolder(config.out)
    if not folder.is_run or not folder.best.is_dir():
        return None
    lines = folder.lines()
    selection = Selection.of(config.selection).replay(lines)
    validated = max((line["update"] for line in lines if line.get("kind") == selection.split), default=0)
    if validated < config.optimizer.updates and not selection.out_of_patience:
        return None
    seconds = next((line["trained_seconds"] for line in reversed(lines) if "trained_seconds" in line), 0.0)
    return TrainResult(folder, True, validated, seconds, selection)

"""Studies on the tiny world, with trainings of one update in this process."""

import numpy as np

from mtvm.features.store import FeatureStore
from mtvm.studies.data import StudyData
from mtvm.studies.plan import Request, make_plan
from mtvm.studies.registry import find_study
from mtvm.studies.runner import why_it_failed
from mtvm.studies.study import BUDGETS
from mtvm.studies.worker import main
from mtvm.world.world import World

SMALL = {
    "model.hidden": 16,
    "model.heads": 2,
    "model.intermediate": 16,
    "model.language_layers": 1,
    "model.crossmodal_layers": 1,
    "model.critic_hidden": 8,
    "optimizer.updates": 1,
    "optimizer.warmup": 0,
    "optimizer.kind": "adamw",
    "loss.teacher_forced_updates": 0,
    "data.horizon": 3,
    "selection.limit": 2,
    "batch": 2,
}


def run_here(trials):
    """Runs trials in this process, which has imported everything already."""
    for trial in trials:
        yield trial, why_it_failed(trial, main(trial.save()))


def write_sight(folder, path, width=4):
    """Random features for every viewpoint."""
    world, rng = World.load(folder / "connectivity"), np.random.default_rng(0)
    views = ((world.scan(n), str(world.viewpoints[n]), rng.normal(size=(36, width))) for n in range(len(world)))
    return FeatureStore.write(path, views, source="random", source_format="test").path


def request_of(name, out, **changes):
    """A study at the budget quick, smaller still; `options` are added to the small ones."""
    changes["options"] = SMALL | changes.get("options", {})
    return Request(find_study(name), BUDGETS["quick"], out, device="cpu", **changes)


def plan_of(request, folder, sight="blind", features=None):
    data = StudyData(folder, request.out / "data", features, None if features else sight, show=False)
    return make_plan(request, data)

"""Walking whole splits: what does not depend on batches, what is written, and which agent walks on which data."""

import csv
import dataclasses
import json
import shutil

import numpy as np
import pytest
import torch
from small_runs import SMALL, Stopped, lively_model, small_config, train

from mtvm.configs.data import DataConfig, Split
from mtvm.errors import InputError
from mtvm.learning.agents import walk
from mtvm.learning.data import Data
from mtvm.learning.evaluation import evaluate
from mtvm.learning.rollout import roll_out
from mtvm.learning.run_folder import RunFolder
from mtvm.learning.texts import Texts
from mtvm.learning.trace import RolloutPlan
from mtvm.models.agent import Agent
from mtvm.models.parts import MemoryConfig
from mtvm.tasks.evaluation_folder import write_evaluation
from mtvm.tasks.events import EventFile
from mtvm.tasks.load import load_episodes
from mtvm.tasks.metrics import score_trajectories
from mtvm.tasks.score import score


@pytest.fixture(scope="module")
def sighted(small_data):
    """A data config with everything."""
    return DataConfig(folder=small_data, features=small_data / "features", horizon=6)


@pytest.fixture(scope="module")
def dataset(sighted):
    return Data(sighted, SMALL, show_progress=False).dataset(Split.parse("r2r/val_unseen"))


@pytest.fixture(scope="module")
def run(small_data, tmp_path_factory):
    """A finished run. Copy what you want to spoil."""
    config = small_config(
        small_data,
        tmp_path_factory.mktemp("runs") / "run",
        data={"evaluate": ("r2r/val_unseen", "ndh/val_unseen")},
        optimizer={"updates": 2},
    )
    train(config)
    return config.out


def files(folder):
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


# Walking


def test_walk_does_not_depend_on_its_batches(dataset):
    model = lively_model(seed=2).train()
    one, other = (walk(model, dataset, batch=size, steps=True, show_progress=False) for size in (5, 128))
    assert model.training
    assert np.array_equal(one.nodes, other.nodes)
    assert np.array_equal(one.views, other.views)
    assert one.metrics() == pytest.approx(
        {name: column.mean() for name, column in score_trajectories(dataset.episodes, one.nodes).items()}
    )
    for mine, theirs, nodes in zip(one.steps, other.steps, one.nodes, strict=True):
        assert len(mine) == min((nodes >= 0).sum(), 6)
        for step, same in zip(mine, theirs, strict=True):
            assert step.probabilities == pytest.approx(same.probabilities, abs=1e-3)
            assert sum(step.probabilities) == pytest.approx(1, abs=1e-3)
            assert step.words is None


def test_walk_keeps_its_steps_only_if_asked(dataset):
    assert walk(lively_model(), dataset.first(3), show_progress=False).steps == []


def test_walk_reads_texts_that_were_read_before(dataset):
    model = lively_model(seed=2)
    texts = Texts(model, dataset.tokens, "texts", show_progress=False)
    one, other = (walk(model, dataset, texts=some, show_progress=False) for some in (None, texts))
    assert np.array_equal(one.nodes, other.nodes)


def test_walk_is_cut_at_the_horizon(dataset):
    done = walk(lively_model(seed=2), dataclasses.replace(dataset, horizon=2), show_progress=False)
    assert done.nodes.shape[1] == 3
    assert (done.nodes[:, 2] >= 0).any()


# Writing


def test_write_evaluation_writes_all_that_happened(dataset, tmp_path):
    some = dataset.first(4)
    done = walk(lively_model(seed=2), some, steps=True, attention=True, show_progress=False)
    write_evaluation(tmp_path, done)
    assert done.folder == tmp_path
    episodes, means = some.episodes, done.metrics()
    records = [json.loads(line) for line in (tmp_path / "records.jsonl").read_text().splitlines()]
    assert [one["id"] for one in records] == episodes.ids
    written = EventFile(tmp_path / "steps.jsonl")
    names, candidates = episodes.world.viewpoints, episodes.world.candidates
    for one, text, nodes in zip(records, episodes.texts, done.nodes, strict=True):
        assert one["text"] == text
        walked = [episodes.world.node(one["scan"], pose[0]) for pose in one["trajectory"]]
        assert walked == nodes[nodes >= 0].tolist()
        steps = written.of(one["id"])
        assert [step.step for step in steps] == list(range(len(steps)))
        for step, node in zip(steps, nodes, strict=False):
            assert episodes.world.node(step.scan, step.viewpoint) == node
            assert step.candidates == [str(names[other]) for other in candidates[node] if other >= 0]
            assert "".join(word for word, _ in step.words) == text.replace(" ", "")
            assert 0 < sum(weight for _, weight in step.words) <= 1.001
            assert len(step.memory) == step.step
        assert [step.target for step in steps if not step.stops] == [pose[0] for pose in one["trajectory"][1:]]
    assert json.loads((tmp_path / "metrics.json").read_text()) == {"split": episodes.name, "episodes": 4} | means
    assert np.mean([one["metrics"]["SPL"] for one in records]) == pytest.approx(means["SPL"], abs=1e-3)
    table = list(csv.DictReader((tmp_path / "episodes.csv").read_text().splitlines()))
    assert [row["id"] for row in table] == episodes.ids
    assert np.mean([float(row["SPL"]) for row in table]) == pytest.approx(means["SPL"])
    scored, columns = score(tmp_path / "results.json", episodes)
    assert len(scored) == 4
    assert columns["SPL"].mean() == pytest.approx(means["SPL"])


def test_write_evaluation_of_secret_goals_has_no_metrics(sighted, tmp_path):
    secret = Data(sighted, SMALL, show_progress=False).dataset(Split.parse("r2r/test")).first(3)
    write_evaluation(tmp_path, walk(lively_model(), secret, show_progress=False))
    assert json.loads((tmp_path / "metrics.json").read_text()) == {"split": "r2r test", "episodes": 3}
    assert all(json.loads(line)["metrics"] == {} for line in (tmp_path / "records.jsonl").read_text().splitlines())
    assert not (tmp_path / "episodes.csv").exists()


# Runs


def test_evaluate_walks_the_splits_of_a_runs_config_with_its_best_agent(run, small_data):
    told = []
    done = evaluate(run, show_progress=False, report=lambda split, one: told.append((split.name, one.folder)))
    assert list(done) == ["r2r/val_unseen", "ndh/val_unseen"]
    assert told == [
        ("r2r/val_unseen", run / "eval" / "r2r-val_unseen"),
        ("ndh/val_unseen", run / "eval" / "ndh-val_unseen"),
    ]
    agent = Agent.from_pretrained(run / "best", "cpu")
    config = RunFolder(run).config()
    same = walk(
        agent.model,
        Data(config.data, agent.model.config, show_progress=False).dataset(Split.parse("r2r/val_unseen")),
        show_progress=False,
    )
    assert np.array_equal(done["r2r/val_unseen"].nodes, same.nodes)
    assert files(run / "eval") == {
        f"{split}/{name}"
        for split in ("r2r-val_unseen", "ndh-val_unseen")
        for name in ("results.json", "records.jsonl", "episodes.csv", "steps.jsonl", "metrics.json", "manifest.json")
    }


def test_evaluate_with_a_limit_writes_beside_the_whole(run, small_data, tmp_path):
    evaluate(run, ["r2r/val_unseen"], out=tmp_path, show_progress=False)
    whole = (tmp_path / "r2r-val_unseen" / "results.json").read_bytes()
    (done,) = evaluate(run, ["r2r/val_unseen"], limit=3, out=tmp_path, show_progress=False).values()
    assert done.folder == tmp_path / "r2r-val_unseen-first-3"
    assert done.episodes.ids == load_episodes("r2r", "val_unseen", small_data).ids[:3]
    assert (tmp_path / "r2r-val_unseen" / "results.json").read_bytes() == whole
    assert json.loads((done.folder / "metrics.json").read_text())["episodes"] == 3


def test_evaluate_finds_data_that_has_moved(run, small_data, tmp_path):
    shutil.copytree(small_data, tmp_path / "moved")
    shutil.copytree(run, tmp_path / "run")
    config = json.loads((tmp_path / "run" / "config.json").read_text())
    config["data"] |= {"folder": "/nowhere", "features": "/nowhere/features"}
    (tmp_path / "run" / "config.json").write_text(json.dumps(config))
    with pytest.raises(InputError, match="/nowhere"):
        evaluate(tmp_path / "run", ["r2r/val_unseen"], show_progress=False)
    there = DataConfig(folder=tmp_path / "moved", features=tmp_path / "moved" / "features")
    done = evaluate(tmp_path / "run", ["r2r/val_unseen"], data=there, limit=2, show_progress=False)
    assert done["r2r/val_unseen"].episodes.source.is_relative_to(tmp_path / "moved")
    assert done["r2r/val_unseen"].nodes.shape[1] <= RunFolder(run).config().data.horizon + 1, "all else is the run's"


def test_evaluate_with_fewer_steps_in_memory(run, sighted, tmp_path):
    """As an agent that was made to remember so few, and only for this evaluation."""
    agent = Agent(lively_model(seed=3))
    splits = {"splits": ["r2r/val_unseen"], "data": sighted, "show_progress": False}

    def nodes(**options):
        (done,) = evaluate(agent, **splits, **options).values()
        return done.nodes

    whole, short, none = nodes(), nodes(memory_steps=1), nodes(memory_steps=0)
    history = agent.model.history
    history.config = dataclasses.replace(history.config, history=MemoryConfig(steps=1))
    assert np.array_equal(short, nodes())
    history.config = dataclasses.replace(history.config, history=MemoryConfig())
    assert np.array_equal(whole, nodes())
    assert not np.array_equal(whole, short)
    assert not np.array_equal(short, none)
    evaluate(run, ["r2r/val_unseen"], memory_steps=2, out=tmp_path, show_progress=False)
    assert (tmp_path / "r2r-val_unseen-memory-2" / "metrics.json").is_file()


def test_walk_with_two_looks_acts_on_what_they_agree_on(dataset):
    """On the mean of the log-probabilities of the building as it is and in a mirror."""
    model = lively_model(seed=4)
    steps = {looks: walk(model, dataset, steps=True, looks=looks, show_progress=False) for looks in (1, 2)}
    count = len(dataset)
    text = model.encode(dataset.mirrored(model.config).select(torch.arange(count, 2 * count)))
    first = []
    with torch.no_grad():
        plan = RolloutPlan("greedy", 1, mirrored=np.ones(count, dtype=bool))
        roll_out(model, dataset.vision, dataset.episodes, text, plan, watch=first.append)
    mirrored = first[0].outputs[0].logits.log_softmax(dim=1)
    for row, (plain, both) in enumerate(zip(steps[1].steps, steps[2].steps, strict=True)):
        known = torch.tensor(plain[0].probabilities)
        agreed = ((known.log() + mirrored[row, : len(known)]) / 2).softmax(dim=0)
        assert both[0].probabilities == pytest.approx(agreed.tolist(), abs=2e-3)
        assert both[0].action == int(torch.tensor(both[0].probabilities).argmax())
    assert not np.array_equal(steps[1].nodes, steps[2].nodes)
    assert all(len(some) <= dataset.horizon for some in steps[2].steps)


def test_evaluate_writes_more_looks_beside_a_whole_evaluation(run, tmp_path):
    evaluate(run, ["r2r/val_unseen"], looks=4, out=tmp_path, show_progress=False)
    assert [path.name for path in tmp_path.iterdir()] == ["r2r-val_unseen-looks-4"]
    with pytest.raises(InputError, match="an agent can look 1, 2, 4, 8 times, not 3"):
        evaluate(run, ["r2r/val_unseen"], looks=3, show_progress=False)


def test_evaluate_ndh_with_another_supervision(run, tmp_path):
    done = {
        name: evaluate(run, ["ndh/val_unseen"], supervision=name, out=tmp_path, show_progress=False)["ndh/val_unseen"]
        for name in ("oracle", "navigator")
    }
    assert {path.name for path in tmp_path.iterdir()} == {"ndh-val_unseen-oracle", "ndh-val_unseen-navigator"}
    one, other = (each.episodes for each in done.values())
    assert not np.array_equal(one.references, other.references)


@pytest.mark.parametrize("changes", [{"history": "none"}, {"architecture": "vlnbert"}])
def test_evaluate_refuses_to_limit_a_memory_that_is_not_there(sighted, changes):
    agent = Agent(lively_model(**changes))
    with pytest.raises(InputError, match="no memory of single steps"):
        evaluate(agent, ["r2r/val_unseen"], data=sighted, memory_steps=2, show_progress=False)


@pytest.mark.parametrize(("limit", "splits", "said"), [(0, ["r2r/val_unseen"], "limit"), (None, ["val"], "TASK/SPLIT")])
def test_evaluate_refuses_what_cannot_be_walked(run, limit, splits, said):
    with pytest.raises(InputError, match=said):
        evaluate(run, splits, limit=limit, show_progress=False)


# Agents without a run


def test_evaluate_takes_an_agents_folder_and_writes_there(run, sighted, tmp_path):
    shutil.copytree(run / "best", tmp_path / "agent")
    done = evaluate(tmp_path / "agent", ["r2r/val_seen"], data=sighted, limit=2, show_progress=False)
    assert done["r2r/val_seen"].folder == tmp_path / "agent" / "eval" / "r2r-val_seen-first-2"
    assert done["r2r/val_seen"].folder.is_dir()


def test_evaluate_takes_an_agent_and_writes_nothing_unless_told_where(run, sighted, tmp_path):
    agent = Agent.from_pretrained(run / "best", "cpu")
    (done,) = evaluate(agent, ["r2r/val_seen"], data=sighted, limit=2, show_progress=False).values()
    assert done.folder is None
    (done,) = evaluate(agent, ["r2r/val_seen"], data=sighted, limit=2, out=tmp_path, show_progress=False).values()
    assert (tmp_path / "r2r-val_seen-first-2" / "results.json").is_file()


def test_evaluate_of_an_agent_asks_for_splits_and_sight(run, small_data):
    with pytest.raises(InputError, match="no split was named"):
        evaluate(run / "best", data=small_data, show_progress=False)
    with pytest.raises(InputError, match="what the agent sees is not said"):
        evaluate(run / "best", ["r2r/val_seen"], data=small_data, show_progress=False)


def test_evaluate_refuses_a_folder_without_an_agent(tmp_path, small_data):
    with pytest.raises(InputError, match="no agent here"):
        evaluate(tmp_path, ["r2r/val_seen"], data=small_data, show_progress=False)


def test_evaluate_refuses_a_run_that_has_no_best_agent_yet(small_data, tmp_path):
    config = small_config(small_data, tmp_path / "run")
    RunFolder(config.out).write_config(config)
    with pytest.raises(InputError, match="no best agent yet; the first validation saves one"):
        evaluate(config.out, show_progress=False)
    assert not Stopped(config, 1).run()
    with pytest.raises(InputError, match="no best agent yet; the first validation saves one"):
        evaluate(config.out, show_progress=False)


def test_evaluation_trajectories_have_the_views_of_the_walk(dataset):
    done = walk(lively_model(seed=2), dataset.first(2), show_progress=False)
    for trajectory, nodes, views in zip(done.trajectories(), done.nodes, done.views, strict=True):
        names = dataset.episodes.world.viewpoints[nodes[nodes >= 0]].tolist()
        assert [pose[0] for pose in trajectory] == names
        turns = torch.tensor([pose[1] for pose in trajectory])
        assert turns.tolist() == pytest.approx((np.pi / 6 * (views[nodes >= 0] % 12)).tolist())

"""Losses that bring weights of their own: trained, saved and resumed with the run, and left out of the agent."""

import sys

import pytest
import torch
from small_runs import Stopped, assert_same_state, changed, contents, saved_state, small_config, train

from mtvm.errors import InputError
from mtvm.learning.optimizer import Muon
from mtvm.learning.trainer import Trainer
from mtvm.models.saving import load_model
from thinning import thinned

OWN = """
import torch
from torch import nn
from torch.nn import functional

from mtvm.learning.losses import Loss, Needs, Term


class Progress(Loss):
    '''How many steps are left, read off from the action that was taken; all weights but the bias are its own.'''

    needs = Needs(teacher=True)

    def __init__(self, weight):
        self.weight = weight

    def modules(self, config):
        self.head = nn.Sequential(nn.Linear(config.feature_width, 6), nn.Tanh(), nn.Dropout(0.2), nn.Linear(6, 1))
        return self.head

    def __call__(self, trace):
        total, count = 0, 0
        lengths = torch.from_numpy(trace.lengths)
        for number, step in enumerate(trace.steps):
            chosen = step.outputs[0].activations[torch.arange(len(step.rows)), step.actions]
            left = (lengths[step.rows] - number - 1).float()
            total = total + functional.mse_loss(self.head(chosen)[:, 0], left, reduction="sum")
            count += len(step.rows)
        return [Term("progress", total, count, self.weight)]


class Intruder(Progress):
    def attach(self, model):
        model.progress = nn.Linear(3, 1)


class Reader(Loss):
    '''Keeps what it sees of each trace.'''

    def __init__(self, weight):
        self.weight, self.seen = weight, []

    def __call__(self, trace):
        self.seen.append(trace)
        return [Term("nothing", trace.steps[0].outputs[0].activations.sum() * 0, 1, 0.0)]
"""


@pytest.fixture
def own(tmp_path, monkeypatch):
    """A folder with a module of the user's own, on Python's path."""
    (tmp_path / "heads_of_mine.py").write_text(OWN)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "heads_of_mine", raising=False)
    yield tmp_path
    sys.modules.pop("heads_of_mine", None)


@pytest.fixture
def config(own, small_data):
    """A run whose loss has weights, on the device that the tests have."""
    return small_config(small_data, own / "run", loss={"extra": ("heads_of_mine:Progress@0.5",)})


@pytest.mark.parametrize("optimizer", thinned([{"kind": "muon"}, {"ema": 0.9}], every=2))
def test_run_with_a_loss_that_has_weights_resumes_bit_by_bit(config, optimizer):
    config = changed(config, optimizer=optimizer)
    _, expected = train(config)
    broken = changed(config, out=config.out.with_name("broken"))
    assert not Stopped(broken, 3).run()
    second = Trainer(broken, show_progress=False)
    assert second.learner.updates == 3
    assert second.run()
    assert_same_state(expected, saved_state(broken.out))
    assert contents(broken.out / "best") == contents(config.out / "best")
    (weights,) = {name.rpartition(".")[0].rpartition(".")[0] for name in expected["losses"]}
    assert weights.endswith("Progress")
    assert len(expected["losses"]) == 4


def test_weights_of_a_loss_learn(config):
    trainer = Trainer(config, show_progress=False)
    before = {name: value.clone() for name, value in trainer.learner.loss_weights.state_dict().items()}
    assert trainer.learner.update()["teacher_progress"] > 0
    after = trainer.learner.loss_weights.state_dict()
    assert before.keys() == after.keys()
    assert not any(torch.equal(before[name], after[name]) for name in before)


def test_weights_of_a_loss_are_left_out_of_the_agent(config):
    trainer, state = train(config)
    assert not any("Progress" in name for name in state["model"])
    agent = load_model(config.out / "best", "cpu")
    assert agent.state_dict().keys() == trainer.model.state_dict().keys()


def test_muon_learns_the_matrices_of_a_loss(config):
    learner = Trainer(changed(config, optimizer={"kind": "muon"}), show_progress=False).learner
    assert isinstance(learner.optimizer, Muon)
    first, last = (dict(learner.loss_weights.named_parameters())[f"3-Progress.{n}.weight"] for n in (0, 3))
    groups = {id(one): group["pieces"] for group in learner.optimizer.param_groups for one in group["params"]}
    assert groups[id(first)] == 1
    assert groups[id(last)] == 0, "a single row is no matrix"


def test_model_of_a_run_starts_the_same_with_a_loss_that_has_weights(config):
    other = changed(config, out=config.out.with_name("other"), loss={"extra": ()})
    one, two = (Trainer(some, show_progress=False).model.state_dict() for some in (config, other))
    assert all(torch.equal(one[name], two[name]) for name in one)


def test_run_without_weights_of_losses_saves_what_it_always_did(config):
    _, state = train(changed(config, loss={"extra": ()}))
    assert "losses" not in state


def test_loss_that_puts_weights_into_the_network_is_refused(config):
    with pytest.raises(InputError, match=r"loss Intruder: adds progress\.bias to the network") as found:
        Trainer(changed(config, loss={"extra": ("heads_of_mine:Intruder",)}), show_progress=False)
    assert "`modules`" in str(found.value)


def test_trace_has_the_episodes_that_were_walked(config):
    learner = Trainer(changed(config, loss={"extra": ("heads_of_mine:Reader",)}), show_progress=False).learner
    _, rows = learner.batches.next()
    learner.batches.taken[0] = 0
    learner.update()
    whole = learner.datasets[0].episodes
    for trace in learner.losses[-1].seen:
        assert list(trace.episodes.ids) == [whole.ids[row] for row in rows]
        assert trace.nodes[:, 0].tolist() == trace.episodes.starts.tolist()

"""Which losses a config gives, and losses of one's own."""

import sys

import numpy as np
import pytest
import torch
from small_runs import OFF, STEADY, record, small_config, train

from mtvm.configs.run import A2CConfig, ImitationConfig, LossConfig
from mtvm.errors import InputError
from mtvm.learning.losses import Loss, make_losses
from mtvm.learning.trainer import Trainer
from mtvm.models.text import MASK

OWN = """
import torch

from mtvm.learning.losses import Loss, Needs, Term, Variant
from mtvm.models.text import drop_words


class Shy(Loss):
    '''How probable the actions are that were taken; in sampled rollouts only.'''

    needs = Needs(teacher=True)

    def __init__(self, weight):
        self.weight, self.seen = weight, []

    def applies_to(self, policy):
        return policy == "sample"

    def __call__(self, trace):
        self.seen.append(trace)
        chosen = [step.outputs[0].logits.softmax(dim=1).gather(1, step.actions[:, None]) for step in trace.steps]
        total = torch.cat(chosen).sum()
        return [Term("shy", total, sum(map(len, chosen)), self.weight), Term("steps", total * 0 + len(chosen), 1, 0.0)]


class Everywhere(Shy):
    def applies_to(self, policy):
        return True


class Twin(Loss):
    '''A second variant of the text, beside that of the consistency loss.'''

    needs = Needs(context=True)

    def __init__(self, weight):
        self.weight, self.seen = weight, []

    def vary(self, batch, draws):
        return Variant(drop_words(batch.tokens, 1.0, draws)[0])

    def __call__(self, trace):
        number = trace.variants[self].number
        self.seen.append((trace, number))
        apart = [(step.outputs[0].logits - step.outputs[number].logits) for step in trace.steps]
        total = torch.stack([row.masked_fill(~row.isfinite(), 0).abs().sum() for row in apart]).sum()
        return [Term("twin", total, trace.batch, self.weight)]


class Unfinished(Loss):
    def applies_to(self, policy):
        return True


class NoLoss:
    pass
"""


@pytest.fixture
def own(tmp_path, monkeypatch):
    """A folder with a module of the user's own, in which everything is called."""
    (tmp_path / "losses_of_mine.py").write_text(OWN)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delitem(sys.modules, "losses_of_mine", raising=False)
    yield tmp_path
    sys.modules.pop("losses_of_mine", None)


# Which losses


def kinds(**config):
    return [type(loss).__name__ for loss in make_losses(LossConfig(**config))]


def test_make_losses_gives_the_terms_of_the_equation_in_its_order():
    assert kinds() == ["Imitation", "A2C", "Consistency"]
    assert kinds(consistency=OFF) == ["Imitation", "A2C"]
    assert kinds(a2c=A2CConfig(weight=0.0)) == ["Imitation", "Consistency"]


def test_make_losses_adds_those_of_the_user_with_their_weights(own):
    losses = make_losses(LossConfig(extra=("losses_of_mine:Shy@0.5", "losses_of_mine:Twin")))
    assert [type(loss).__name__ for loss in losses[3:]] == ["Shy", "Twin"]
    assert [loss.weight for loss in losses[3:]] == [0.5, 1.0]
    assert all(isinstance(loss, Loss) for loss in losses)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("losses_of_mine:Shy@much", "loss.extra 'losses_of_mine:Shy@much': the weight after @ must be a number."),
        ("losses_of_yours:Shy", "loss 'losses_of_yours:Shy': the module losses_of_yours cannot be imported"),
        ("losses_of_mine:Loud", "loss 'losses_of_mine:Loud': the module losses_of_mine has no Loud."),
        ("losses_of_mine:NoLoss", "loss 'losses_of_mine:NoLoss': NoLoss is not a Loss of mtvm.learning.losses"),
        ("losses_of_mine:Unfinished", "loss 'losses_of_mine:Unfinished': Unfinished does not define __call__."),
        ("losses_of_mine", "loss 'losses_of_mine' is not of the form MODULE:NAME."),
        (":Shy", "loss ':Shy' is not of the form MODULE:NAME."),
        ("losses_of_mine:", "loss 'losses_of_mine:' is not of the form MODULE:NAME."),
    ],
)
def test_make_losses_refuses_what_is_no_loss_with_one_sentence(own, text, said):
    with pytest.raises(InputError) as found:
        make_losses(LossConfig(extra=(text,)))
    assert str(found.value).startswith(said)
    assert "\n" not in str(found.value)


# In an update


def first_update(small_data, out, *extra, **changes):
    """A learner after its first update, and what was recorded of it."""
    config = small_config(small_data, out, model=STEADY, loss={"extra": extra} | changes)
    learner = Trainer(config, show_progress=False).learner
    return learner, learner.update()


def test_own_loss_is_computed_in_the_rollouts_it_applies_to(own, small_data):
    learner, recorded = first_update(
        small_data, own / "run", "losses_of_mine:Shy@0.5", imitation=ImitationConfig(weight=1.0, student_weight=1.0)
    )
    assert {policy for policy in ("teacher", "student", "sample") if f"{policy}_steps" in recorded} == {
        "teacher",
        "student",
        "sample",
    }
    assert {name for name in recorded if name.endswith("_shy")} == {"sample_shy"}
    assert [trace.policy for trace in learner.losses[-1].seen] == ["sample"]
    assert 0 < recorded["sample_shy"] < 1
    learner, recorded = first_update(small_data, own / "other", "losses_of_mine:Everywhere")
    assert {name for name in recorded if name.endswith("_shy")} == {"teacher_shy", "sample_shy"}


def test_own_loss_gets_what_it_needs(own, small_data):
    """Sampled rollouts ask no teacher by themselves."""
    learner, _ = first_update(small_data, own / "run", "losses_of_mine:Shy")
    (trace,) = learner.losses[-1].seen
    assert all(step.teacher is not None for step in trace.steps)


@pytest.mark.parametrize("weight", [0.5, 4.0])
def test_own_loss_enters_with_its_weight(own, small_data, weight):
    _, without = first_update(small_data, own / "without")
    _, recorded = first_update(small_data, own / "with", f"losses_of_mine:Shy@{weight}")
    assert recorded["loss"] == pytest.approx(without["loss"] + weight * recorded["sample_shy"], rel=1e-5)
    assert recorded["sample_policy"] == pytest.approx(without["sample_policy"])


def test_own_loss_changes_the_weights_if_it_weighs_anything(own, small_data):
    def trained(name, *extra):
        changes = {"model": STEADY, "loss": {"extra": extra}, "optimizer": {"updates": 2}}
        return train(small_config(small_data, own / name, **changes))

    _, without = trained("without")
    (_, zero), (_, some) = (trained(weight, f"losses_of_mine:Shy@{weight}") for weight in "03")
    weights = without["model"].items()
    assert all(torch.equal(zero["model"][name], value) for name, value in weights)
    assert not all(torch.equal(some["model"][name], value) for name, value in weights)
    assert any("sample_shy" in line for line in record(own / "0")), "it is recorded"


def test_own_loss_has_a_variant_of_the_texts_beside_that_of_the_consistency(own, small_data):
    learner, recorded = first_update(small_data, own / "run", "losses_of_mine:Twin")
    consistency, twin = learner.losses[-2:]
    for trace, number in twin.seen:
        assert number == 2
        assert trace.variants[consistency].number == 1
        assert trace.text.variants == 3
        assert all(len(step.outputs) == 3 for step in trace.steps)
    assert recorded["teacher_twin"] > 0
    alone, _ = first_update(small_data, own / "alone", "losses_of_mine:Twin", consistency=OFF)
    assert {number for _, number in alone.losses[-1].seen} == {1}


def test_variants_of_an_update_are_the_texts_and_what_the_losses_make_of_them(own, small_data):
    config = small_config(small_data, own / "run", loss={"extra": ("losses_of_mine:Twin",)})
    learner = Trainer(config, show_progress=False).learner
    which, rows = learner.batches.next()
    batch = learner._batch(which, rows, np.arange(len(rows)))
    whole, some, none = learner._variants(batch)[0]
    assert torch.equal(whole.ids, batch.tokens.ids)
    words = batch.tokens.words >= 0
    assert torch.equal(none.ids == MASK, words), "all words are dropped"
    dropped = (some.ids == MASK) & words
    assert 0 < int(dropped.sum()) < int(words.sum())


def test_consistency_of_a_run_stays_the_same_beside_a_loss_with_a_variant(own, small_data):
    """Each loss finds its own variant."""
    _, alone = first_update(small_data, own / "alone")
    _, beside = first_update(small_data, own / "beside", "losses_of_mine:Twin@0")
    for name, value in alone.items():
        if name != "gradient_norm":
            assert beside[name] == pytest.approx(value, rel=1e-4, abs=1e-6), name

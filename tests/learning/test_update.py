"""One update: how its terms add up, which rollouts it walks, and that parts of a batch weigh as much as the whole."""

import dataclasses
import math

import numpy as np
import pytest
import torch
from small_runs import (
    IMITATION,
    OFF,
    SMALL,
    STEADY,
    WITH_STUDENTS,
    assert_close_weights,
    changed,
    count_calls,
    record,
    small_config,
    train,
)

from mtvm.learning import streams, update
from mtvm.learning.learner import DivergedError
from mtvm.learning.losses import Term
from mtvm.learning.streams import Batches
from mtvm.learning.trainer import Trainer
from thinning import thinned


def learner_of(config):
    return Trainer(config, show_progress=False).learner


def one_update(config):
    """The gradients of the first update, before they are applied, and what was recorded."""
    learner, found = learner_of(config), {}

    def keep(*_, **__):
        found.update({n: p.grad.clone() for n, p in learner.model.named_parameters() if p.grad is not None})

    learner.scaler.step = keep
    return found, learner.update()


# Terms


@pytest.fixture
def learner(small_data, tmp_path):
    return learner_of(small_config(small_data, tmp_path / "run", batch=4))


def backward(learner, terms, share=1.0):
    """The loss, what is recorded, and the gradient of the first term's sum."""
    whole = learner._batch(*learner.batches.next(), np.arange(4))
    whole.share, recorded = share, {}
    loss = learner._backward(terms, "sample", whole, recorded)
    return loss, recorded


def test_update_loss_is_the_weighed_sum_of_the_means(learner):
    totals = [torch.tensor(value, requires_grad=True) for value in (6.0, 8.0, 3.0)]
    terms = [
        Term("one", totals[0] * 1, 4, 0.2),
        Term("two", totals[1] * 1, torch.tensor(16), -0.6),
        Term("seen", totals[2] * 1, 30, 0.0),
    ]
    loss, recorded = backward(learner, terms)
    assert loss == pytest.approx(0.2 * 1.5 - 0.6 * 0.5)
    assert recorded == pytest.approx({"sample_one": 1.5, "sample_two": 0.5, "sample_seen": 0.1})
    assert [total.grad.item() for total in totals[:2]] == pytest.approx([0.2 / 4, -0.6 / 16])
    assert totals[2].grad is None, "a weight of 0 only records"


def test_update_of_half_a_batch_weighs_half(learner):
    whole, half = torch.tensor(6.0, requires_grad=True), torch.tensor(6.0, requires_grad=True)
    loss, recorded = backward(learner, [Term("one", whole * 1, 4)])
    fewer, parts = backward(learner, [Term("one", half * 1, 4)], share=0.5)
    assert fewer == pytest.approx(loss / 2)
    assert parts["sample_one"] == pytest.approx(recorded["sample_one"] / 2)
    assert half.grad.item() == pytest.approx(whole.grad.item() / 2)


def test_update_counts_at_least_one_thing(learner):
    total = torch.tensor(0.0, requires_grad=True)
    assert backward(learner, [Term("none", total * 1, 0)])[0] == 0


# Which rollouts


@pytest.mark.parametrize(
    ("loss", "policies"),
    [
        ({}, ["teacher", "sample"]),
        ({"imitation": {"student_weight": 1.0}}, ["teacher", "student", "sample"]),
        ({"imitation": {"weight": 0.0}}, ["sample"]),
        ({"a2c": {"weight": 0.0}}, ["teacher"]),
    ],
    ids=str,
)
def test_update_walks_the_rollouts_that_have_a_weight(small_data, tmp_path, loss, policies):
    recorded = learner_of(small_config(small_data, tmp_path / "run", loss=loss)).update()
    assert {name.removesuffix("_steps") for name in recorded if name.endswith("_steps")} == set(policies)
    assert {name for name in recorded if name.endswith("_success")} == {
        f"{p}_success" for p in policies if p != "teacher"
    }


def walked(learner, updates):
    """The rollouts of some updates."""
    return [
        sorted(name.removesuffix("_steps") for name in learner.update() if name.endswith("_steps"))
        for _ in range(updates)
    ]


def test_update_alternates_between_rollouts_on_each_dataset(small_data, tmp_path):
    config = small_config(
        small_data,
        tmp_path / "run",
        alternate=True,
        loss=WITH_STUDENTS,
        data={"train": ("r2r/train", "prevalent/aug")},
    )
    learner = learner_of(config)
    found = walked(learner, 4)
    assert learner.batches.taken == [2, 2]
    assert found == [["teacher"], ["teacher"], ["student"], ["student"]], "each dataset's turns by themselves"


def test_update_is_teacher_forced_at_first(small_data, tmp_path):
    config = small_config(small_data, tmp_path / "run", loss={"teacher_forced_updates": 2})
    assert walked(learner_of(config), 4) == [["teacher"], ["teacher"], ["sample", "teacher"], ["sample", "teacher"]]


def test_update_leaves_the_teacher_out_after_the_first_updates(small_data, tmp_path):
    students = dataclasses.replace(WITH_STUDENTS.imitation, weight=0.0)
    loss = dataclasses.replace(WITH_STUDENTS, imitation=students, teacher_forced_updates=2)
    learner = learner_of(small_config(small_data, tmp_path / "run", loss=loss))
    assert learner.update()["teacher_imitation"] > 0, "it learns with the students' weight"
    assert walked(learner, 3) == [["teacher"], ["student"], ["student"]]


def test_update_counts_steps_and_success(small_data, tmp_path):
    learner = learner_of(small_config(small_data, tmp_path / "run", loss=IMITATION, data={"horizon": 15}, batch=5))
    rows = Batches([len(learner.datasets[0])], [1.0], 5, seed=0).next()[1]
    recorded = learner.update()
    lengths = learner.datasets[0].episodes.reference_lengths[rows]
    assert recorded["teacher_steps"] == pytest.approx(lengths.mean())
    assert recorded["lr"] == learner.config.optimizer.lr


# Gradients


def test_activation_checkpointing_gives_the_same_gradients(small_data, tmp_path):
    config = small_config(small_data, tmp_path / "run")
    plain, _ = one_update(config)
    again, _ = one_update(changed(config, out=tmp_path / "other", optimizer={"checkpoint_activations": True}))
    assert plain.keys() == again.keys()
    assert_close_weights(plain, again, 1e-6)


@pytest.mark.parametrize("largest", [0.0, 0.5])
def test_update_clips_gradients_and_records_their_norm(small_data, tmp_path, largest):
    config = small_config(small_data, tmp_path / "run", model=STEADY, optimizer={"clip": largest})
    gradients, recorded = one_update(config)
    norm = math.sqrt(sum(float(gradient.square().sum()) for gradient in gradients.values()))
    assert recorded["gradient_norm"] > 1
    assert norm == pytest.approx(min(recorded["gradient_norm"], largest or math.inf), rel=1e-4)


@pytest.mark.parametrize("loss", thinned([WITH_STUDENTS, IMITATION], every=2))
def test_batch_in_parts_gives_the_same_weights(small_data, tmp_path, loss):
    config = small_config(small_data, tmp_path / "whole", model=STEADY, batch=5, loss=loss, optimizer={"clip": 0.0})
    _, whole = train(config)
    _, parts = train(changed(config, out=tmp_path / "parts", optimizer={"gradient_accumulation": 2}))
    assert_close_weights(whole["model"], parts["model"])
    for one, other in zip(record(config.out), record(tmp_path / "parts"), strict=True):
        for name in one.keys() - {"kind", "seconds", "episodes_per_second", "trained_seconds"}:
            assert one[name] == pytest.approx(other[name], rel=1e-3, abs=1e-4), name


def test_two_equal_halves_of_a_batch_weigh_as_much_as_the_whole(small_data, tmp_path, monkeypatch):
    """Where a term is a mean over steps or tokens, halves need the same number of them to be compared."""

    def twice(shape, stream, *numbers):
        axis = len(shape) - 1 if stream == "actions" else 0
        half = torch.from_numpy(streams.generator(stream, *numbers).random(shape, dtype=np.float32))
        return torch.cat([half.narrow(axis, 0, shape[axis] // 2)] * 2, dim=axis)

    monkeypatch.setattr(streams, "uniform", twice)
    monkeypatch.setattr(Batches, "next", lambda self: (0, np.array([4, 9, 4, 9])))
    config = small_config(small_data, tmp_path / "whole", model=STEADY, batch=4)
    one, parts = one_update(config)
    two, same = one_update(changed(config, out=tmp_path / "parts", optimizer={"gradient_accumulation": 2}))
    assert parts["sample_return"] != 0
    assert_close_weights(one, two)
    assert parts == pytest.approx(same, rel=1e-4, abs=1e-5)


# Words


@pytest.mark.parametrize("dropping", [{}, {"word_dropping": 0.5, "consistency": OFF}], ids=["consistency", "alone"])
def test_update_drops_words_of_texts_whose_beginning_is_cut(small_data, tmp_path, dropping):
    """The words that are left have high numbers."""
    import json

    entries = json.loads((small_data / "NDH" / "train.json").read_text())[:4]
    for entry in entries:
        entry["dialog_history"][0]["message"] = "Should I go on, or wait here? " * 40
    (tmp_path / "long.json").write_text(json.dumps(entries))
    config = small_config(
        small_data,
        tmp_path / "run",
        model=changed(SMALL, max_text=80),
        data={"train": (f"ndh/{tmp_path / 'long.json'}",)},
        loss=dropping,
    )
    learner = learner_of(config)
    tokens = learner.datasets[0].tokens
    assert int(tokens.words[:, 0].min()) > 80
    learner.update()


def test_update_drops_words_as_plain_augmentation(small_data, tmp_path):
    from mtvm.models.text import MASK

    config = small_config(small_data, tmp_path / "run", loss={"word_dropping": 0.5, "consistency": OFF})
    learner = learner_of(config)
    batch = learner._batch(*learner.batches.next(), np.arange(config.batch))
    (tokens,), _ = learner._variants(batch)
    assert 0.2 < float((tokens.ids == MASK).sum() / (batch.tokens.words >= 0).sum()) < 0.8


# Divergence


def test_update_drops_features_everywhere_in_a_building(small_data, tmp_path, monkeypatch):
    config = small_config(small_data, tmp_path / "run", loss=WITH_STUDENTS, data={"environment_dropout": 0.5})
    learner = learner_of(config)
    plans = count_calls(monkeypatch, update, "roll_out", lambda *given, **_: given[4])
    learner.update()
    kept = [plan.kept_features for plan in plans]
    assert len(kept) == 2
    assert torch.equal(*kept), "one building for all rollouts of the update"
    assert kept[0].unique().tolist() == [0, 2]
    assert not torch.equal(kept[0][0], kept[0][1]), "each episode has its own"
    learner.update()
    assert not torch.equal(plans[-1].kept_features, kept[0])
    steps = steps_with(learner, plans[-1])
    assert len(steps) > 1
    for step in steps:
        features = step.outputs[0].actions[..., : config.model.feature_width]
        dropped = plans[-1].kept_features[torch.from_numpy(step.rows)] == 0
        assert (features * dropped[:, None] == 0).all()
        assert (features != 0).any()


def test_update_turns_buildings(small_data, tmp_path, monkeypatch):
    config = small_config(small_data, tmp_path / "run", loss=WITH_STUDENTS, data={"turn": True})
    learner = learner_of(config)
    plans = count_calls(monkeypatch, update, "roll_out", lambda *given, **_: given[4])
    learner.update()
    first, second = (plan.turned for plan in plans)
    assert np.array_equal(first, second)
    assert len(set(first.tolist())) == config.batch
    assert first.min() >= 0
    assert first.max() < 2 * math.pi


def steps_with(learner, plan):
    dataset = learner.datasets[0].first(len(plan.kept_features))
    text = learner.model.encode(dataset.tokens)
    with torch.no_grad():
        return update.roll_out(learner.model, dataset.vision, dataset.episodes, text, plan, keep_steps=True).steps


def test_update_that_diverges_takes_no_batch_and_no_step(small_data, tmp_path):
    learner = learner_of(small_config(small_data, tmp_path / "run"))
    learner.update()
    with torch.no_grad():
        learner.model.head.score.weight[0, 0] = float("nan")
    before = {name: value.clone() for name, value in learner.model.state_dict().items()}
    with pytest.raises(DivergedError, match="loss of nan") as found:
        learner.update()
    assert (learner.updates, learner.batches.taken) == (1, [1])
    assert found.value.split == "r2r/train"
    assert len(found.value.episodes) == 3
    assert set(found.value.episodes) <= set(learner.datasets[0].episodes.ids)
    for name, value in learner.model.state_dict().items():
        assert torch.equal(value, before[name]) or value.isnan().any()


def test_learner_goes_on_from_its_state(small_data, tmp_path):
    config = small_config(small_data, tmp_path / "run", optimizer={"ema": 0.9})
    whole, halves = learner_of(config), learner_of(config)
    for _ in range(2):
        whole.update(), halves.update()
    other = learner_of(config)
    other.load_state_dict(halves.state_dict())
    assert (other.updates, other.batches.taken) == (2, [2])
    assert other.update() == whole.update()

"""The consistency loss (Eq. 3 to 5) against two separate passes and the equations written out."""

import dataclasses
import math

import numpy as np
import pytest
import torch
from made_traces import by_name, mean, number
from slow_walks import (
    KINDS,
    ROWS,
    STEPS,
    assert_close,
    assert_same_walk,
    drawing,
    draws_of,
    rolled_out,
    varied,
    walk_slowly,
    word_draws,
)
from small_runs import SMALL, lively_model
from torch.nn import functional

from mtvm.configs.run import ConsistencyConfig
from mtvm.learning.losses.consistency import Consistency, kl_divergence
from mtvm.learning.losses.released_consistency import ReleasedConsistency
from mtvm.learning.trace import Needs, RolloutPlan
from mtvm.models.text import Tokens, drop_words, tokenize


@pytest.fixture(scope="module")
def some(tiny_r2r):
    return tiny_r2r.select(ROWS)


@pytest.fixture(scope="module")
def words(tokens):
    return tokens.select(torch.from_numpy(ROWS))


def consistency_of(**config):
    return Consistency(ConsistencyConfig(**config))


# The divergence


def distribution(values):
    """Softmax of a list of numbers, in plain Python."""
    powers = [math.exp(value) for value in values]
    return [power / sum(powers) for power in powers]


def plain_divergence(one, other, mask):
    """Eq. 5's D(one || other) + D(other || one) with each token a distribution, summed over real tokens."""
    total = 0.0
    for first, second, real in zip(one.tolist(), other.tolist(), mask.tolist(), strict=True):
        for p, q, counts in zip(map(distribution, first), map(distribution, second), real, strict=True):
            if counts:
                total += sum(a * math.log(a / b) for a, b in zip(p, q, strict=True))
                total += sum(b * math.log(b / a) for a, b in zip(p, q, strict=True))
    return total


@pytest.fixture
def outputs():
    """Two outputs (2, 3, 4), one padded token in the second episode."""
    one, other = (torch.randn(2, 3, 4, generator=torch.Generator().manual_seed(seed)) for seed in (1, 2))
    return one, other, torch.tensor([[True, True, True], [True, True, False]])


def test_kl_divergence_goes_in_both_directions(outputs):
    total, count = kl_divergence(*outputs)
    assert number(total) == pytest.approx(plain_divergence(*outputs), rel=1e-5)
    assert int(count) == 5


def test_kl_divergence_of_two_numbers_by_hand():
    """p = (1/2, 1/2) and q = (3/4, 1/4): half of log 3 times one half."""
    one, other = torch.tensor([[[0.0, 0.0]]]), torch.tensor([[[math.log(3), 0.0]]])
    total, count = kl_divergence(one, other, torch.tensor([[True]]))
    assert number(total) == pytest.approx((0.75 - 0.5) * math.log(0.75 / 0.5) + (0.25 - 0.5) * math.log(0.25 / 0.5))
    assert number(total) == pytest.approx(math.log(3) / 4)
    assert int(count) == 1


def test_kl_divergence_is_symmetric_and_zero_for_equals(outputs):
    one, other, mask = outputs
    there, back, same = (
        number(kl_divergence(*pair, mask)[0]) for pair in ((one, other), (other, one), (one, one.clone()))
    )
    assert there == pytest.approx(back)
    assert there > 0.01
    assert same == 0


def test_kl_divergence_counts_no_padding(outputs):
    one, other, mask = outputs
    expected = number(kl_divergence(one, other, mask)[0])
    spoiled = [torch.where(mask[..., None], part, 30 * torch.randn_like(part)) for part in (one, other)]
    assert number(kl_divergence(*spoiled, mask)[0]) == pytest.approx(expected, rel=1e-5)
    longer = [functional.pad(part, (0, 0, 0, 2), value=9.0) for part in (one, other)]
    total, count = kl_divergence(*longer, functional.pad(mask, (0, 2)))
    assert number(total) == pytest.approx(expected, rel=1e-5)
    assert int(count) == 5
    for part in spoiled:
        part.requires_grad_()
    kl_divergence(*spoiled, mask)[0].backward()
    for part in spoiled:
        assert (part.grad[~mask] == 0).all()
        assert (part.grad[mask].abs().sum(dim=-1) > 0).all()


def test_kl_divergence_has_gradients_through_both_terms_to_both_sides(outputs):
    one, other, mask = outputs
    one, other = one.double().requires_grad_(), other.double().requires_grad_()
    kl_divergence(one, other, mask)[0].backward()
    first, second = (part.detach().clone().requires_grad_() for part in (one, other))
    p, q = first[mask].log_softmax(dim=-1), second[mask].log_softmax(dim=-1)
    both = functional.kl_div(q, p, reduction="sum", log_target=True) + functional.kl_div(
        p, q, reduction="sum", log_target=True
    )
    both.backward()
    assert_close(one.grad, first.grad, 1e-9)
    assert_close(other.grad, second.grad, 1e-9)


# Whole rollouts


@pytest.mark.parametrize("changes", KINDS, ids=str)
def test_consistency_is_that_of_two_separate_passes(changes, vision, some, words):
    model, draws = lively_model(seed=1, **changes), draws_of(5, STEPS, len(ROWS))
    loss = consistency_of()
    masked = varied(loss, words).tokens
    plan = RolloutPlan("sample", STEPS, needs=loss.needs | Needs(rewards=True), action_draws=draws)
    trace = rolled_out(model, vision, some, words, plan, loss)
    terms = by_name(loss(trace))
    language = crossmodal = 0.0
    counts = [0, 0]
    for row in range(len(some)):
        walk = walk_slowly(model, vision, some, words, row, drawing(draws, row), masked=masked)
        assert_same_walk(trace, row, walk)
        assert_close(trace.bootstrap[row], walk.bootstrap)
        assert_close(trace.values[: len(walk.values), row], [float(value) for value in walk.values])
        full, other = walk.texts
        total, count = kl_divergence(full.states, other.states, full.real)
        language, counts[0] = language + number(total), counts[0] + int(count)
        for step, dropped in zip(walk.steps, walk.dropped, strict=True):
            pairs = [(step.stream, dropped.stream)]
            pairs += [(step.text, dropped.text)] if model.text_is_query else []
            for ours, theirs in pairs:
                total, count = kl_divergence(ours, theirs, torch.ones(ours.shape[:2], dtype=torch.bool))
                crossmodal, counts[1] = crossmodal + number(total), counts[1] + int(count)
    assert [int(term.count) for term in terms.values()] == counts
    assert_close(terms["language_consistency"].total, language, 1e-3)
    assert_close(terms["crossmodal_consistency"].total, crossmodal, 1e-3)
    assert language > 0
    assert crossmodal > 0


def test_consistency_language_term_is_the_equation_written_out(vision, some, words):
    loss = consistency_of()
    plan = RolloutPlan("teacher", STEPS, needs=loss.needs)
    trace = rolled_out(lively_model(seed=1), vision, some, words, plan, loss)
    term = by_name(loss(trace))["language_consistency"]
    one, other = trace.text.variant(0).states, trace.text.variant(1).states
    assert mean(term) == pytest.approx(
        plain_divergence(one, other, trace.text.real) / int(trace.text.real.sum()), rel=1e-3
    )


def test_consistency_does_not_change_where_the_agent_walks(vision, some, words):
    model, plan = lively_model(seed=2), RolloutPlan("greedy", STEPS)
    alone = rolled_out(model, vision, some, words, plan)
    plan = dataclasses.replace(plan, needs=Needs(context=True))
    paired = rolled_out(model, vision, some, words, plan, consistency_of())
    assert np.array_equal(alone.nodes, paired.nodes)


def test_consistency_is_zero_where_nothing_is_dropped(vision, some, words):
    loss = consistency_of(drop_rate=0.0)
    plan = RolloutPlan("teacher", STEPS, needs=loss.needs)
    trace = rolled_out(lively_model(seed=1), vision, some, words, plan, loss)
    for term in loss(trace):
        assert number(term.total) == pytest.approx(0, abs=1e-4)
        assert int(term.count) > 0


def test_consistency_passes_see_the_same_memory_and_vision(vision, some, words):
    """Also in training: dropout falls on the stream once, for both."""
    model = lively_model(seed=1).train()
    seen, loss = [], consistency_of()
    model.crossmodal.register_forward_pre_hook(lambda _, given: seen.append(given[2]))
    plan = RolloutPlan("teacher", STEPS, needs=loss.needs)
    rolled_out(model, vision, some, words, plan, loss)
    assert len(seen) > 3
    for step, stream in enumerate(seen):
        full, other = stream.chunk(2)
        assert torch.equal(full, other)
        assert full.shape[1] > step, "one token of the memory a step, and the actions"


def test_consistency_trains_both_encoders_through_the_memory(vision, some, words):
    """The paper's own loss reaches every parameter of the encoders, also by way of the memory."""
    model, loss = lively_model(seed=1).train(), consistency_of()
    plan = RolloutPlan("teacher", STEPS, needs=loss.needs)
    trace = rolled_out(model, vision, some, words, plan, loss)
    sum(term.weight * term.total / term.count for term in loss(trace)).backward()
    silent = ("head.score", "pooler.", "critic.")
    for name, parameter in model.named_parameters():
        reached = parameter.grad is not None and bool(parameter.grad.abs().sum() > 0)
        assert reached != name.startswith(silent), name


def test_consistency_weighs_its_terms_as_the_paper_does(vision, some, words):
    plan = RolloutPlan("teacher", 2, needs=Needs(context=True))
    default, other = consistency_of(), consistency_of(language_weight=0.0, crossmodal_weight=3.0)
    trace = rolled_out(lively_model(), vision, some, words, plan, default, other)
    assert [term.weight for term in default(trace)] == [0.6, 0.2], "the paper's setup section"
    assert [term.weight for term in other(trace)] == [0.0, 3.0]


@pytest.mark.parametrize(
    ("kind", "config", "weights"),
    [
        (Consistency, {}, (0.6, 0.2)),
        (ReleasedConsistency, {}, (6.0, 2.0)),
        (ReleasedConsistency, {"language_weight": 0.0}, (0.0, 2.0)),
        (Consistency, {"crossmodal_weight": 0.1}, (0.6, 0.1)),
    ],
)
def test_consistency_has_the_weights_of_paper_or_code_unless_they_are_given(kind, config, weights):
    assert kind(ConsistencyConfig(**config)).weights == weights


# Dropped words


def test_consistency_drops_words_of_the_text_and_nothing_else(words):
    dropped = varied(consistency_of(drop_rate=0.5), words).tokens
    expected, where = drop_words(words, 0.5, word_draws())
    assert where.any()
    assert torch.equal(dropped.ids, expected.ids)
    assert torch.equal(dropped.ids != words.ids, where)
    assert torch.equal(dropped.mask, words.mask)
    assert dropped.hidden is None


def test_consistency_drops_the_same_words_with_the_same_draws(words):
    loss = consistency_of()
    first, again, other = (varied(loss, words, word_draws(seed)).tokens.ids for seed in (3, 3, 4))
    assert torch.equal(first, again)
    assert not torch.equal(first, other)


def language_term(model, tokens, rate):
    loss = consistency_of(drop_rate=rate)
    text = model.encode(tokens, varied(loss, tokens, torch.rand(len(tokens.ids), SMALL.text_length)).tokens)
    assert text.states.isfinite().all()
    total, count = kl_divergence(text.variant(0).states, text.variant(1).states, text.real)
    return number(total) / int(count)


def test_consistency_of_a_text_of_special_tokens_alone_has_nothing_to_drop():
    model, tokens = lively_model(), tokenize(["", "Go up."])
    assert language_term(model, tokens, 1.0) > 0
    only = Tokens(tokens.ids[:1, :1], tokens.words[:1, :1])
    assert language_term(model, only, 1.0) == pytest.approx(0, abs=1e-6)


# Texts in two variants


@pytest.fixture(params=[{}, {"architecture": {"bidirectional": False}}], ids=str)
def paired(request, vision, some, words):
    """A model, the texts in two variants, and the observations at the start."""
    model = lively_model(seed=1, **request.param)
    text = model.encode(words, drop_words(words, 0.5, word_draws())[0])
    actions, mask = vision.actions(rolled_out(model, vision, some, words, RolloutPlan("teacher", 1)).steps[0].seen)
    return model, text, actions, mask


def test_text_variants_are_encoded_like_each_alone(paired, words):
    model, text, *_ = paired
    for variant, tokens in enumerate((words, drop_words(words, 0.5, word_draws())[0])):
        alone = model.encode(tokens)
        assert_close(text.variant(variant).states[words.mask], alone.states[words.mask])
        assert torch.equal(text.variant(variant).mask, alone.mask)
    assert torch.equal(text.real, words.mask)


def test_text_variants_of_episodes_that_leave_change_nothing_for_the_others(paired):
    model, text, actions, mask = paired
    everyone = model.step(text, model.start(text), actions, mask).variants(2)
    for rows in (torch.tensor([2, 1]), torch.tensor([1]), torch.arange(len(ROWS))):
        kept = text.keep(rows)
        assert kept.real.shape == (len(rows), int(text.real[rows].sum(dim=1).max()))
        assert len(kept.states) == 2 * len(rows)
        outputs = model.step(kept, model.start(kept), actions[rows], mask[rows]).variants(2)
        for one, every in zip(outputs, everyone, strict=True):
            assert_close(one.logits, every.logits[rows])
            real = kept.real
            assert_close(one.text[real], every.text[rows][:, : real.shape[1]][real])


def test_text_variants_of_which_all_have_left_are_empty(paired):
    _, text, *_ = paired
    assert len(text.keep(torch.tensor([], dtype=torch.long)).states) == 0

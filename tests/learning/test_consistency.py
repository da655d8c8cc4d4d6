"""The consistency loss against two separate passes and the equations written out."""

import dataclasses
import math

import pytest
import torch
from torch.nn import functional

from mtvm.learning.consistency import (
    ConsistencyConfig,
    Mean,
    consistency_loss,
    crossmodal_consistency,
    divergence,
    encode_pair,
    language_consistency,
    step_pair,
)
from mtvm.models.config import PRESETS
from mtvm.models.model import MTVM
from mtvm.models.text import Tokens, drop_words, tokenize

torch.set_num_threads(1)

TINY = dataclasses.replace(PRESETS["tiny"], vocabulary=1000)  # quick to build

TEXTS = ["Walk past the sofa and the chandeliers, then stop.", "Go up.", "Leave the kitchen by the left door."]


def words_of(texts):
    """WordPieces of the texts, in the small vocabulary."""
    tokens = tokenize(texts)
    return Tokens(torch.where(tokens.ids < 200, tokens.ids, 200 + tokens.ids % 800), tokens.words)


def make_model(**changes):
    """A model whose weights are large enough that every input matters."""
    torch.manual_seed(0)
    model = MTVM(dataclasses.replace(TINY, **changes)).eval()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            wide = parameter.shape[-1] ** -0.5 if "embedding" not in name else 1.0
            parameter.normal_(std=2 * wide if parameter.dim() > 1 else 0.3).add_("orm.weight" in name)
    return model


@pytest.fixture
def walk():
    """For each of three steps the candidates, their counts, the chosen one and the new direction."""
    config, generator = PRESETS["tiny"], torch.Generator().manual_seed(1)
    steps = []
    for _ in range(3):
        counts = torch.randint(1, 5, (3,), generator=generator)
        views = torch.randn(3, int(counts.max()), config.token_width, generator=generator)
        views *= (torch.arange(views.shape[1]) < counts[:, None])[..., None]
        chosen = (torch.rand(3, generator=generator) * counts).long()
        steps.append((views, counts, chosen, torch.randn(3, config.angle_width, generator=generator)))
    return steps


def seeded(seed=3):
    """More random numbers than any test here has words."""
    return torch.rand(64, 128, generator=torch.Generator().manual_seed(seed))


def assert_same(found, expected, tolerance=1e-4):
    torch.testing.assert_close(found, expected, atol=tolerance, rtol=tolerance)


def number(loss):
    return (loss.value if isinstance(loss, Mean) else loss).detach().item()


def spread(values):
    """Softmax of a list of numbers, in plain Python."""
    powers = [math.exp(value) for value in values]
    return [power / sum(powers) for power in powers]


def plain_divergence(one, other, mask):
    """Eq. 5's D(one || other) + D(other || one) with each token a distribution, averaged over real tokens."""
    terms = []
    for first, second, real in zip(one.tolist(), other.tolist(), mask.tolist(), strict=True):
        for p, q, counts in zip(map(spread, first), map(spread, second), real, strict=True):
            if counts:
                there = sum(a * math.log(a / b) for a, b in zip(p, q, strict=True))
                back = sum(b * math.log(b / a) for a, b in zip(p, q, strict=True))
                terms.append(there + back)
    return sum(terms) / len(terms)


@pytest.fixture
def outputs():
    """Two outputs (2, 3, 4), one padded token in the second episode."""
    one, other = (torch.randn(2, 3, 4, generator=torch.Generator().manual_seed(seed)) for seed in (1, 2))
    return one, other, torch.tensor([[True, True, True], [True, True, False]])


def test_the_divergence_is_kl_in_both_directions(outputs):
    assert number(divergence(*outputs)) == pytest.approx(plain_divergence(*outputs), rel=1e-5)


def test_the_divergence_of_two_numbers_by_hand():
    """p = (1/2, 1/2) and q = (3/4, 1/4): half of log 3 times one half."""
    one, other = torch.tensor([[[0.0, 0.0]]]), torch.tensor([[[math.log(3), 0.0]]])
    found = divergence(one, other, torch.tensor([[True]]))
    assert number(found) == pytest.approx((0.75 - 0.5) * math.log(0.75 / 0.5) + (0.25 - 0.5) * math.log(0.25 / 0.5))
    assert number(found) == pytest.approx(math.log(3) / 4)


@pytest.mark.parametrize("variant", ["paper", "released"])
def test_the_divergence_is_symmetric_and_zero_for_equals(outputs, variant):
    one, other, mask = outputs
    assert number(divergence(one, other, mask, variant)) == pytest.approx(number(divergence(other, one, mask, variant)))
    assert number(divergence(one, other, mask, variant)) > 0.01
    assert number(divergence(one, one.clone(), mask, variant)) == 0


@pytest.mark.parametrize("variant", ["paper", "released"])
def test_padding_counts_nothing(outputs, variant):
    one, other, mask = outputs
    expected = number(divergence(one, other, mask, variant))
    spoiled = [torch.where(mask[..., None], part, 30 * torch.randn_like(part)) for part in (one, other)]
    assert number(divergence(*spoiled, mask, variant)) == pytest.approx(expected, rel=1e-5)
    longer = [functional.pad(part, (0, 0, 0, 2), value=9.0) for part in (one, other)]
    assert number(divergence(*longer, functional.pad(mask, (0, 2)), variant)) == pytest.approx(expected, rel=1e-5)
    for part in spoiled:
        part.requires_grad_()
    divergence(*spoiled, mask, variant).value.backward()
    for part in spoiled:
        assert (part.grad[~mask] == 0).all()
        assert (part.grad[mask].abs().sum(dim=-1) > 0).all()


def test_in_the_paper_gradients_flow_through_both_terms_to_both_sides(outputs):
    one, other, mask = outputs
    one, other = one.double().requires_grad_(), other.double().requires_grad_()
    divergence(one, other, mask).value.backward()
    first, second = (part.detach().clone().requires_grad_() for part in (one, other))
    p, q = first[mask].log_softmax(dim=-1), second[mask].log_softmax(dim=-1)
    both = functional.kl_div(q, p, reduction="sum", log_target=True) + functional.kl_div(
        p, q, reduction="sum", log_target=True
    )
    (both / int(mask.sum())).backward()
    assert_same(one.grad, first.grad, 1e-9)
    assert_same(other.grad, second.grad, 1e-9)


def test_the_released_variant_is_its_formula(outputs):
    """A softmax over the token axis of each episode, kl_div with mean reduction, targets detached."""
    one, other, mask = outputs
    one, other = one.double().requires_grad_(), other.double().requires_grad_()
    found = divergence(one, other, mask, "released").value
    found.backward()
    first, second = (part.detach().clone().requires_grad_() for part in (one, other))
    total = torch.zeros((), dtype=torch.float64)
    for row, real in enumerate(mask):
        p, q = first[row][real].log_softmax(dim=0), second[row][real].log_softmax(dim=0)
        total = total + functional.kl_div(p, q.detach().exp(), reduction="sum")
        total = total + functional.kl_div(q, p.detach().exp(), reduction="sum")
    expected = total / (int(mask.sum()) * one.shape[-1])
    expected.backward()
    assert_same(found, expected, 1e-9)
    assert_same(one.grad, first.grad, 1e-9)
    assert_same(other.grad, second.grad, 1e-9)


def test_without_padding_the_released_variant_is_torchs_mean(outputs):
    one, other, _ = outputs
    p, q = one.log_softmax(dim=1), other.log_softmax(dim=1)
    both = functional.kl_div(p, q.exp(), reduction="none") + functional.kl_div(q, p.exp(), reduction="none")
    assert_same(divergence(one, other, torch.ones(2, 3, dtype=torch.bool), "released").value, both.mean(), 1e-6)


@pytest.mark.parametrize("bidirectional", [True, False])
@pytest.mark.parametrize("variant", ["paper", "released"])
def test_the_doubled_pass_is_two_passes(variant, bidirectional, walk):
    model = make_model(bidirectional=bidirectional)
    config = ConsistencyConfig(variant=variant)
    tokens = words_of(TEXTS)
    masked, dropped = drop_words(tokens, config.drop_rate, seeded())
    assert dropped.any()
    pair = encode_pair(model, tokens, config, seeded())
    full = model.encode(tokens)
    other = model.encode(masked) if variant == "paper" else model.encode(tokens, tokens.mask & ~dropped)
    real = tokens.mask
    assert torch.equal(pair.real, real)
    for found, expected in zip(pair.both.states.chunk(2), (full.states, other.states), strict=True):
        assert_same(found[real], expected[real])
    expected = divergence(full.states, other.states, real, variant)
    assert_same(language_consistency(pair, variant).value, expected.value)
    past, plain_past = model.start(pair.full), model.start(full)
    for views, counts, chosen, direction in walk:
        found = step_pair(model, pair, past, views, counts)
        plain = [model.step(text, plain_past, views, counts) for text in (full, other)]
        for one, two in zip(found, plain, strict=True):
            assert_same(one.logits, two.logits)
            assert_same(one.text[real], two.text[real])
            assert_same(one.stream[one.stream_mask], two.stream[two.stream_mask])
        joined = [torch.cat([step.text, step.stream], dim=1) for step in plain]
        mask = torch.cat([real, plain[0].stream_mask], dim=1)
        expected = divergence(*joined, mask, variant)
        assert number(expected) > 1e-5
        assert_same(crossmodal_consistency(*found, pair.real, variant).value, expected.value)
        alone = divergence(*(step.stream for step in plain), plain[0].stream_mask, variant)
        assert_same(crossmodal_consistency(*found, pair.real, variant, with_text=False).value, alone.value)
        past = model.remember(past, found[0], chosen, direction)
        plain_past = model.remember(plain_past, plain[0], chosen, direction)


def test_nothing_dropped_nothing_lost(walk):
    model = make_model()
    for variant in ("paper", "released"):
        pair = encode_pair(model, words_of(TEXTS), ConsistencyConfig(drop_rate=0.0, variant=variant))
        views, counts, *_ = walk[0]
        steps = step_pair(model, pair, model.start(pair.full), views, counts)
        assert number(language_consistency(pair, variant)) == pytest.approx(0, abs=1e-6)
        assert number(crossmodal_consistency(*steps, pair.real, variant)) == pytest.approx(0, abs=1e-6)


def test_the_paper_drops_words_and_the_released_code_attention():
    model, tokens = make_model(), words_of(TEXTS)
    _, dropped = drop_words(tokens, 0.5, seeded())
    seen = []
    model.language.register_forward_pre_hook(lambda _, given: seen.append(given))
    for variant in ("paper", "released"):
        encode_pair(model, tokens, ConsistencyConfig(variant=variant), seeded())
    (paper, paper_mask), (released, released_mask) = seen
    paper_ids, released_ids = paper.ids, released.ids
    assert torch.equal(paper_mask, tokens.mask.repeat(2, 1))
    assert torch.equal(paper_ids[:3], tokens.ids)
    assert torch.equal(paper_ids[3:] != tokens.ids, dropped)
    assert torch.equal(released_ids, tokens.ids.repeat(2, 1))
    assert torch.equal(released_mask, torch.cat([tokens.mask, tokens.mask & ~dropped]))


def test_both_passes_see_the_same_memory_and_vision(walk):
    """Also in training: dropout falls on the stream once, for both."""
    model = make_model().train()
    seen = []
    model.crossmodal.register_forward_pre_hook(lambda _, given: seen.append(given[2]))
    pair = encode_pair(model, words_of(TEXTS), ConsistencyConfig(), seeded())
    past = model.start(pair.full)
    for views, counts, chosen, direction in walk:
        step, _ = step_pair(model, pair, past, views, counts)
        past = model.remember(past, step, chosen, direction)
    for step, stream in enumerate(seen):
        full, other = stream.chunk(2)
        assert torch.equal(full, other)
        assert full.shape[1] == step + walk[step][0].shape[1] + 1
    assert len(seen) == 3


@pytest.mark.parametrize("bidirectional", [True, False])
@pytest.mark.parametrize("variant", ["paper", "released"])
def test_pairs_that_leave_change_nothing_for_the_others(variant, bidirectional, walk):
    model = make_model(bidirectional=bidirectional)
    pair = encode_pair(model, words_of(TEXTS), ConsistencyConfig(variant=variant), seeded())
    past = model.start(pair.full)
    views, counts, chosen, direction = walk[0]
    past = model.remember(past, step_pair(model, pair, past, views, counts)[0], chosen, direction)
    views, counts, *_ = walk[1]
    everyone = step_pair(model, pair, past, views, counts)
    for rows in (torch.tensor([2, 1]), torch.tensor([1]), torch.tensor([0, 1, 2])):
        kept = pair.keep(rows)
        assert kept.real.shape == (len(rows), int(pair.real[rows].sum(dim=1).max()))
        assert len(kept.both.states) == 2 * len(rows)
        some = step_pair(model, kept, past.keep(rows), views[rows], counts[rows])
        for one, all_ in zip(some, everyone, strict=True):
            assert_same(one.logits, all_.logits[rows])
            words = pair.real[rows][:, : kept.real.shape[1]]
            assert_same(one.text[words], all_.text[rows][:, : kept.real.shape[1]][words])


def test_pairs_are_kept_by_mask_as_by_index():
    """As texts and memory banks are."""
    pair = encode_pair(make_model(), words_of(TEXTS), ConsistencyConfig(), seeded())
    by_index, by_mask = pair.keep(torch.tensor([0, 2])), pair.keep(torch.tensor([True, False, True]))
    assert torch.equal(by_mask.both.states, by_index.both.states)
    assert torch.equal(by_mask.real, by_index.real)


def test_when_all_pairs_have_left_nothing_is_left():
    model = make_model()
    pair = encode_pair(model, words_of(TEXTS), ConsistencyConfig(), seeded())
    assert len(pair.keep(torch.tensor([], dtype=torch.long)).both.states) == 0


def test_the_full_half_is_the_text_for_the_history():
    for bidirectional in (True, False):
        model = make_model(bidirectional=bidirectional)
        tokens = words_of(TEXTS)
        pair, text = encode_pair(model, tokens, ConsistencyConfig(), seeded()), model.encode(tokens)
        assert_same(pair.full.states[tokens.mask], text.states[tokens.mask])
        assert torch.equal(pair.full.mask, tokens.mask)
        views = torch.randn(3, 2, model.config.token_width)
        counts = torch.full((3,), 2)
        steps = [model.step(one, model.start(one), views, counts) for one in (pair.full, text)]
        assert_same(steps[0].logits, steps[1].logits)


def test_the_loss_weighs_its_terms():
    config = ConsistencyConfig()
    assert (config.language_weight, config.crossmodal_weight) == (0.6, 0.2), "the paper's setup section"
    found = consistency_loss(torch.tensor(2.0), torch.tensor(5.0), config)
    assert number(found) == pytest.approx(0.6 * 2 + 0.2 * 5)


def test_the_loss_trains_both_encoders_through_the_memory(walk):
    """The paper's own loss reaches every parameter of the encoders, also by way of the memory."""
    model = make_model().train()
    config = ConsistencyConfig()
    pair = encode_pair(model, words_of(TEXTS), config, seeded())
    past, loss = model.start(pair.full), torch.zeros(())
    for views, counts, chosen, direction in walk:
        full, other = step_pair(model, pair, past, views, counts)
        loss = loss + crossmodal_consistency(full, other, pair.real).value
        past = model.remember(past, full, chosen, direction)
    consistency_loss(language_consistency(pair).value, loss, config).backward()
    silent = ("head.score", "pooler.", "critic.")
    for name, parameter in model.named_parameters():
        reached = parameter.grad is not None and bool(parameter.grad.abs().sum() > 0)
        assert reached != name.startswith(silent), name


def test_the_same_generator_gives_the_same_pair():
    model, tokens = make_model(), words_of(TEXTS)
    first, again, other = (
        encode_pair(model, tokens, ConsistencyConfig(), seeded(seed)).both.states for seed in (3, 3, 4)
    )
    assert torch.equal(first, again)
    assert not torch.equal(first, other)


def test_a_text_of_special_tokens_alone_has_nothing_to_drop():
    model = make_model()
    tokens = words_of(["", "Go up."])
    for variant in ("paper", "released"):
        pair = encode_pair(model, tokens, ConsistencyConfig(drop_rate=1.0, variant=variant))
        assert torch.isfinite(pair.both.states).all()
        assert number(language_consistency(pair, variant)) > 0
    only = Tokens(tokens.ids[:1, :1], tokens.words[:1, :1])
    assert number(language_consistency(encode_pair(model, only, ConsistencyConfig(drop_rate=1.0)))) < 1e-6

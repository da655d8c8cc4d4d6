"""The consistency loss of the released code: the formula, which words it hides, and which layers it compares.

`tests/parity` compares it with what the released code itself computed.
"""

import pytest
import torch
from made_traces import by_name, mean, number
from slow_walks import ROWS, STEPS, assert_close, draws_of, rolled_out, varied, word_draws
from small_runs import SMALL, changed, lively_model, small_config, train
from torch.nn import functional

from mtvm.configs.run import ConsistencyConfig
from mtvm.errors import InputError
from mtvm.learning.losses.released_consistency import ReleasedConsistency, between_layers, divergence
from mtvm.learning.trace import Needs, RolloutPlan

RELEASED = changed(SMALL, architecture={"released": {"padding": True, "consistency": True}}, crossmodal_layers=4)


@pytest.fixture(scope="module")
def some(tiny_r2r):
    return tiny_r2r.select(ROWS)


@pytest.fixture(scope="module")
def words(tokens):
    return tokens.select(torch.from_numpy(ROWS))


@pytest.fixture
def outputs():
    return [torch.randn(2, 3, 4, generator=torch.Generator().manual_seed(seed)).double() for seed in (1, 2)]


def loss_of(**config):
    return ReleasedConsistency(ConsistencyConfig(**config))


# The divergence


def test_released_divergence_is_torchs_mean_over_the_token_axis(outputs):
    """A softmax over the tokens, kl_div with mean reduction, targets detached."""
    one, other = (part.requires_grad_() for part in outputs)
    found = divergence(one, other)
    found.backward()
    first, second = (part.detach().clone().requires_grad_() for part in outputs)
    p, q = first.log_softmax(dim=1), second.log_softmax(dim=1)
    expected = functional.kl_div(p, q.detach().exp(), reduction="none").mean()
    expected = expected + functional.kl_div(q, p.detach().exp(), reduction="none").mean()
    expected.backward()
    assert_close(found, expected, 1e-9)
    assert_close(one.grad, first.grad, 1e-9)
    assert_close(other.grad, second.grad, 1e-9)


def test_released_divergence_is_symmetric_and_zero_for_equals(outputs):
    one, other = outputs
    assert number(divergence(one, other)) == pytest.approx(number(divergence(other, one)))
    assert number(divergence(one, other)) > 0.01
    assert number(divergence(one, one.clone())) == 0


def test_released_divergence_counts_padding_like_tokens(outputs):
    one, other = (functional.pad(part, (0, 0, 0, 2)) for part in outputs)
    assert number(divergence(one, other)) != pytest.approx(number(divergence(*outputs)), rel=0.05)


def test_between_layers_compares_the_first_two_layers_with_the_last_two():
    generator = torch.Generator().manual_seed(0)
    layers = [tuple(torch.randn(2, 3, 4, generator=generator) for _ in range(2)) for _ in range(4)]
    expected = sum(
        number(divergence(layers[early][part], layers[early + 2][part])) for early in (0, 1) for part in (0, 1)
    )
    assert number(between_layers(layers)) == pytest.approx(expected)
    assert number(between_layers(layers, layers)) == pytest.approx(2 * expected), "both passes add up"


# Hidden words


def test_released_loss_hides_tokens_from_attention_and_drops_none(words):
    dropped = varied(loss_of(drop_rate=0.3), words).tokens
    kept = word_draws()[:, : words.ids.shape[1]] < 0.3
    assert torch.equal(dropped.ids, words.ids)
    assert torch.equal(dropped.hidden, words.mask & ~kept)
    assert dropped.hidden.any()


def test_released_loss_hides_other_tokens_at_each_step(words):
    model, loss = lively_model(config=RELEASED), loss_of(drop_rate=0.3)
    text, draws = model.encode(words), word_draws()
    both = loss.mask_words(text, draws)
    assert both.variants == 2
    assert torch.equal(both.mask, torch.cat([text.mask, text.mask & (draws < 0.7)]))
    assert torch.equal(both.states, text.states.repeat(2, 1, 1))


def test_released_loss_gives_two_passes_of_four_layers_a_step(vision, some, words):
    model, loss = lively_model(config=RELEASED), loss_of()
    plan = RolloutPlan("teacher", STEPS, needs=loss.needs, mask_words=loss.mask_words, word_draws=step_draws())
    trace = rolled_out(model, vision, some, words, plan, loss)
    assert all(len(step.outputs) == 2 and len(step.rows) == len(some) for step in trace.steps)
    assert all(len(output.layers) == 4 for step in trace.steps for output in step.outputs)
    last = [output.layers for output in trace.steps[-1].outputs]
    terms = by_name(loss(trace))
    assert mean(terms["crossmodal_consistency"]) == pytest.approx(number(between_layers(*last)), rel=1e-5)
    one, other = (trace.text.variant(number).states for number in (0, 1))
    assert mean(terms["language_consistency"]) == pytest.approx(number(divergence(one, other)), rel=1e-5)
    assert [term.weight for term in terms.values()] == [6.0, 2.0]


def step_draws():
    return draws_of(7, STEPS, len(ROWS), SMALL.text_length)


def test_released_loss_needs_layers_and_ended_episodes():
    assert loss_of().needs == Needs(context=True, layers=True, ended=True)


# Training


@pytest.mark.slow
def test_released_loss_trains(small_data, tmp_path):
    config = small_config(small_data, tmp_path / "run", model=RELEASED)
    _, state = train(config)
    assert state["update"] == 4
    assert all(value.isfinite().all() for value in state["model"].values())


@pytest.mark.parametrize(
    "model",
    [{"architecture": {"released": {"padding": False}}}, {"crossmodal_layers": 2}, {"reader": "minilm"}],
    ids=str,
)
def test_config_refuses_the_released_loss_without_the_released_network(small_data, tmp_path, model):
    config = small_config(small_data, tmp_path / "run", model=RELEASED)
    with pytest.raises(InputError, match=r"needs --model\.architecture\.released\.padding"):
        changed(config, model=model)

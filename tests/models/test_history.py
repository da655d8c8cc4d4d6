"""The memory bank and its rivals behind one interface: what each keeps of the past."""

import dataclasses

import pytest
import torch
from small_models import (
    TEXTS,
    TINY,
    assert_same,
    follow,
    make_walk,
    walk_of,
    walk_through,
    words_of,
)
from small_models import make_model as make_small_model

from mtvm.models.history import ReadHistory, Transition
from mtvm.models.parts import HISTORIES

STEPS = 3
TOKENS = {  # of the past, before each of the four steps
    "memory": [0, 1, 2, 3],
    "none": [0, 0, 0, 0],
    "recurrent": [1, 1, 1, 1],
    "oriented": [0, 1, 2, 3],
    "hierarchical": [1, 2, 3, 4],  # [CLS] and the steps
    "cached": [0, 0, 0, 0],  # it is read in the layers
}
every_history = pytest.mark.parametrize("history", HISTORIES)
with_and_without_gradients = pytest.mark.parametrize("grad", [True, False])


def make_model(history, **changes):
    return make_small_model(history=history, **changes)


@pytest.fixture
def walk():
    return make_walk(TINY, steps=STEPS + 1)


def kept(model, past):
    """(B, n, width) what the network can see of the past."""
    return (
        past.tokens() if isinstance(model.history, ReadHistory) else model.history.tokens(past, model.token_encoder)[0]
    )


def turned(walk):
    """The walk with another direction after the first move."""
    return [walk[0]._replace(direction=torch.randn(3, TINY.angle_width)), *walk[1:]]


@with_and_without_gradients
@every_history
def test_history_tokens_precede_the_actions(history, grad, walk):
    model = make_model(history)
    with torch.set_grad_enabled(grad):
        text = model.encode(words_of(TEXTS))
        past = model.start(text)
        for number, move in enumerate(walk):
            if not isinstance(model.history, ReadHistory):
                tokens, mask = model.history.tokens(past, model.token_encoder)
                assert tokens.shape == (3, TOKENS[history][number], model.config.hidden)
                assert mask.shape == tokens.shape[:2]
                assert mask.dtype == torch.bool
                assert mask.all()
            step = model.step(text, past, move.actions, move.mask)
            assert step.stream.shape[1] == TOKENS[history][number] + move.actions.shape[1]
            past = model.remember(past, step, move.chosen, move.direction, move.panorama)


@every_history
def test_history_matters_except_none(history, walk):
    model = make_model(history)
    for number, (one, two) in enumerate(
        zip(follow(model, TEXTS, walk), follow(model, TEXTS, turned(walk)), strict=True)
    ):
        same = torch.allclose(one.logits, two.logits, atol=1e-3)
        assert same == (number == 0 or history == "none")


@with_and_without_gradients
@every_history
def test_history_of_a_batch_is_that_of_single_episodes(history, grad, walk):
    model = make_model(history)
    with torch.set_grad_enabled(grad):
        together = follow(model, TEXTS, walk)
        for row, text in enumerate(TEXTS):
            alone = follow(model, [text], walk_of(walk, torch.tensor([row])))
            for step, single in zip(together, alone, strict=True):
                width = single.logits.shape[1]
                assert_same(step.logits[row, :width], single.logits[0])
                assert_same(model.value(step)[row], model.value(single)[0])


@with_and_without_gradients
@every_history
def test_history_keep_changes_nothing_for_those_kept(history, grad, walk):
    model = make_model(history)
    with torch.set_grad_enabled(grad):
        everyone = follow(model, TEXTS, walk)[-1]
        _, past = walk_through(model, TEXTS, walk[:-1])
        text = model.encode(words_of(TEXTS))
        for rows in (torch.tensor([2, 0]), torch.tensor([1])):
            step = model.step(text.keep(rows), past.keep(rows), walk[-1].actions[rows], walk[-1].mask[rows])
            assert_same(step.logits, everyone.logits[rows])


@every_history
def test_history_gradients_reach_all_its_parameters(history, walk):
    model = make_model(history).train()
    last = follow(model, TEXTS, walk)[-1]
    last.logits[last.mask].square().sum().backward()
    still = [name for name, p in model.history.named_parameters() if p.grad is None or not p.grad.abs().sum() > 0]
    assert still == []


@every_history
def test_history_gradients_flow_in_evaluation_and_without_dropout(history, walk):
    """Every step's loss has its gradient, although the past has grown since."""
    for model in (make_model(history), make_model(history, dropout=0.0, feature_dropout=0.0).train()):
        steps = follow(model, TEXTS, walk)
        sum(step.logits[step.mask].square().sum() for step in steps).backward()
        assert model.token_encoder.project.weight.grad.abs().sum() > 0


@pytest.mark.parametrize("history", ["memory", "recurrent", "hierarchical", "cached"])
def test_history_gradients_flow_back_to_the_first_step(history, walk):
    model = make_model(history)
    first = walk[0].direction.requires_grad_()
    last = follow(model, TEXTS, walk)[-1]
    last.logits[last.mask].square().sum().backward()
    assert (first.grad.abs().sum(dim=1) > 0).all()


@pytest.mark.parametrize(("history", "expected"), [("memory", 1), ("oriented", 1), ("hierarchical", 2), ("cached", 1)])
def test_history_limit_bounds_its_tokens(history, expected, walk):
    model = make_model(history, history__steps=1)
    _, past = walk_through(model, TEXTS, walk)
    assert kept(model, past).shape[1] == expected


@pytest.mark.parametrize("history", ["oriented", "hierarchical"])
def test_history_limit_of_one_forgets_the_first_step(history, walk):
    """Of a changed first step nothing is left at the third; the other histories carry it on in what they keep."""
    model = make_model(history, history__steps=1)
    third, other = (follow(model, TEXTS, one)[2] for one in (walk, turned(walk)))
    assert_same(other.logits, third.logits)


@pytest.mark.parametrize("steps", [1, 2])
def test_memory_history_limit_is_the_full_model_with_truncated_memory(steps, walk):
    full, limited = make_model("memory"), make_model("memory", history__steps=steps)
    assert all(torch.equal(a, b) for a, b in zip(full.parameters(), limited.parameters(), strict=True))
    text = limited.encode(words_of(TEXTS))
    past, tokens = limited.start(text), []
    for move in walk:
        found = limited.step(text, past, move.actions, move.mask)
        short = full.start(text)
        for token in tokens[-steps:]:
            short.bank.append(token)
        assert_same(found.logits, full.step(text, short, move.actions, move.mask).logits)
        past = limited.remember(past, found, move.chosen, move.direction)
        tokens.append(torch.cat([found.activations[torch.arange(3), move.chosen], move.direction], dim=1))
    whole = follow(full, TEXTS, walk)[-1]
    assert not torch.allclose(found.logits[found.mask], whole.logits[whole.mask], atol=1e-3), "the limit does nothing"


def test_memory_history_keeps_the_models_own_activations(walk):
    """Eq. 2."""
    steps, past = walk_through(make_model("memory"), TEXTS, walk)
    for number, (step, move) in enumerate(zip(steps, walk, strict=True)):
        expected = torch.cat([step.activations[torch.arange(3), move.chosen], move.direction], dim=1)
        assert torch.equal(past.bank.tokens()[:, number], expected)


@pytest.mark.parametrize("limit", [None, 2])
def test_memory_history_encodes_each_token_once(limit, walk):
    model, encoded = make_model("memory", history__steps=limit), []
    model.token_encoder.register_forward_pre_hook(lambda _, given: encoded.append(given[0]))
    _, past = walk_through(model, TEXTS, walk)
    remembered = [tokens for tokens in encoded if len(tokens) == 3]
    expected = past.bank.keep(torch.arange(3)).tokens()
    assert len(remembered) == STEPS, "of four steps the last one's token was not read"
    assert torch.equal(remembered[-1], expected[:, -2])


def test_oriented_history_keeps_the_chosen_view_and_direction(walk):
    model = make_model("oriented")
    _, past = walk_through(model, TEXTS, walk)
    for number, move in enumerate(walk):
        seen = move.actions[torch.arange(3), move.chosen, : model.config.feature_width]
        assert torch.equal(past.bank.tokens()[:, number], torch.cat([seen, move.direction], dim=1))


def test_recurrent_history_begins_as_the_texts_first_token():
    model = make_model("recurrent")
    text = model.encode(words_of(TEXTS))
    tokens, _ = model.history.tokens(model.start(text), model.token_encoder)
    assert torch.equal(tokens[:, 0], text.states[:, 0])


def test_recurrent_history_refines_its_state_after_vln_bert(walk):
    """State and match of attended language and vision, projected; then joined with the action and projected again."""
    model = make_model("recurrent")
    (step,), past = walk_through(model, TEXTS, walk[:1])
    direction, history = walk[0].direction, model.history
    for row in range(3):
        state = step.stream[row, 0]
        attended = []
        for tokens in (step.text[row][step.text_mask[row]], step.stream[row, 1:][step.stream_mask[row, 1:]]):
            weights = (tokens @ state / model.config.hidden**0.5).softmax(dim=0)
            attended.append(weights @ tokens)
        match = history.match_norm(attended[0] * attended[1])
        refined = history.refine_norm(history.refine(torch.cat([state, match])))
        acted = history.act_norm(torch.tanh(history.act(torch.cat([refined, direction[row]]))))
        assert_same(past.token[row], acted)


def test_recurrent_history_never_reads_padding():
    model, generator = make_model("recurrent"), torch.Generator().manual_seed(2)
    config = model.config
    text, stream = (torch.randn(2, 5, config.hidden, generator=generator) for _ in range(2))
    real = torch.tensor([[True] * 5, [True] * 3 + [False] * 2])
    states = []
    for scale in (0.0, 3.0):
        padding = scale * torch.randn(2, 5, config.hidden, generator=generator)
        record = Transition(
            chosen=torch.tensor([0, 0]),
            actions=torch.zeros(2, 4, config.token_width),
            activations=torch.zeros(2, 4, config.feature_width),
            direction=torch.ones(2, config.angle_width),
            text=torch.where(real[..., None], text, padding),
            text_mask=real,
            stream=torch.where(real[..., None], stream, padding),
            stream_mask=real,
        )
        states.append(model.history.update(None, record).token)
    assert_same(states[1], states[0])


@every_history
def test_history_says_whether_it_needs_panoramas(history, walk):
    model, move = make_model(history), walk[0]
    text = model.encode(words_of(TEXTS))
    past = model.start(text)
    step = model.step(text, past, move.actions, move.mask)
    if model.history.needs_panorama:
        with pytest.raises(ValueError, match="36 views"):
            model.remember(past, step, move.chosen, move.direction)
    else:
        past = model.remember(past, step, move.chosen, move.direction)
        assert torch.isfinite(model.step(text, past, walk[1].actions, walk[1].mask).logits).any()
    assert model.history.needs_panorama == (history == "hierarchical")


@every_history
def test_history_says_whether_it_needs_the_rest(history, walk):
    """Where it does not, its past is the same without X̂ and M̂."""
    model = make_model(history)
    (_, full), (_, quick) = (
        walk_through(model, TEXTS, walk, need_context=rest) for rest in (True, model.history.needs_context)
    )
    assert_same(kept(model, full), kept(model, quick))
    assert model.history.needs_context == (history == "recurrent")


@every_history
def test_history_starts_from_the_first_variant_of_the_text(history, walk):
    model = make_model(history)
    tokens = words_of(TEXTS)
    other = dataclasses.replace(tokens, ids=tokens.ids.clamp(max=150))
    starts = [model.start(model.encode(*variants)) for variants in ((tokens,), (tokens, other))]
    assert_same(*(kept(model, start) for start in starts))


def test_histories_have_the_same_parameters_outside_themselves():
    models = {history: make_model(history) for history in HISTORIES}
    names = [{n for n, _ in model.named_parameters() if not n.startswith("history.")} for model in models.values()]
    assert all(one == names[0] for one in names)
    own = {history: sum(p.numel() for p in model.history.parameters()) for history, model in models.items()}
    assert own["memory"] == own["none"] == own["oriented"] == 0
    assert min(own["recurrent"], own["hierarchical"], own["cached"]) > 0

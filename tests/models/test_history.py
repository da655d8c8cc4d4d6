"""The memory bank and its rivals behind one interface: what each keeps of the past."""

import dataclasses

import pytest
import torch

from mtvm.models.config import HISTORIES, PRESETS
from mtvm.models.history import StepRecord
from mtvm.models.model import MTVM
from mtvm.models.text import Tokens, tokenize

torch.set_num_threads(1)

TINY = dataclasses.replace(PRESETS["tiny"], vocabulary=1000)  # quick to build

TEXTS = ["Walk past the sofa and the chandeliers, then stop.", "Go up.", "Leave the kitchen by the left door."]
STEPS = 3
TOKENS = {  # of the past, before each of the four steps
    "memory": [0, 1, 2, 3],
    "none": [0, 0, 0, 0],
    "recurrent": [1, 1, 1, 1],
    "oriented": [0, 1, 2, 3],
    "hierarchical": [0, 1, 2, 3],
}


def words_of(texts):
    """WordPieces of the texts, in the small vocabulary."""
    tokens = tokenize(texts)
    return Tokens(torch.where(tokens.ids < 200, tokens.ids, 200 + tokens.ids % 800), tokens.words)


def make_model(history, **changes):
    """A model whose weights are large enough that every input matters."""
    torch.manual_seed(0)
    model = MTVM(dataclasses.replace(TINY, history=history, **changes)).eval()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            wide = parameter.shape[-1] ** -0.5 if "embedding" not in name else 1.0
            parameter.normal_(std=2 * wide if parameter.dim() > 1 else 0.3).add_("orm.weight" in name)
    return model


@pytest.fixture
def walk():
    """For each step the candidates, their counts, the chosen one, the new direction and the panorama of 3 episodes."""
    config, generator = PRESETS["tiny"], torch.Generator().manual_seed(1)
    steps = []
    for _ in range(STEPS + 1):
        counts = torch.randint(1, 5, (3,), generator=generator)
        views = torch.randn(3, int(counts.max()), config.token_width, generator=generator)
        views *= (torch.arange(views.shape[1]) < counts[:, None])[..., None]
        chosen = (torch.rand(3, generator=generator) * counts).long()
        direction = torch.randn(3, config.angle_width, generator=generator)
        steps.append((views, counts, chosen, direction, torch.randn(3, 36, config.token_width, generator=generator)))
    return steps


def of_row(walk, row):
    return [
        tuple(
            part[row : row + 1, : int(step[1][row])] if number == 0 else part[row : row + 1]
            for number, part in enumerate(step)
        )
        for step in walk
    ]


def follow(model, texts, walk):
    """The steps that the model makes, and the past after them."""
    text = model.encode(words_of(texts))
    past, steps = model.start(text), []
    for views, counts, chosen, direction, panorama in walk:
        steps.append(model.step(text, past, views, counts))
        past = model.remember(past, steps[-1], chosen, direction, panorama)
    return steps, past


def assert_same(found, expected, tolerance=1e-4):
    torch.testing.assert_close(found, expected, atol=tolerance, rtol=tolerance)


@pytest.mark.parametrize("grad", [True, False])
@pytest.mark.parametrize("history", HISTORIES)
def test_the_past_stands_before_the_candidates(history, grad, walk):
    model = make_model(history)
    with torch.set_grad_enabled(grad):
        text = model.encode(words_of(TEXTS))
        past = model.start(text)
        for number, (views, counts, chosen, direction, panorama) in enumerate(walk):
            tokens, mask = model.history.tokens(past, model.token_encoder)
            assert tokens.shape == (3, TOKENS[history][number], model.config.hidden)
            assert mask.shape == tokens.shape[:2]
            assert mask.dtype == torch.bool
            assert mask.all()
            step = model.step(text, past, views, counts)
            assert step.stream.shape[1] == tokens.shape[1] + views.shape[1] + 1
            past = model.remember(past, step, chosen, direction, panorama)


@pytest.mark.parametrize("history", HISTORIES)
def test_the_past_matters_except_where_there_is_none(history, walk):
    model = make_model(history)
    other = [(*walk[0][:3], torch.randn(3, model.config.angle_width), walk[0][4]), *walk[1:]]
    for number, (one, two) in enumerate(
        zip(follow(model, TEXTS, walk)[0], follow(model, TEXTS, other)[0], strict=True)
    ):
        same = torch.allclose(one.logits, two.logits, atol=1e-3)
        assert same == (number == 0 or history == "none")


@pytest.mark.parametrize("grad", [True, False])
@pytest.mark.parametrize("history", HISTORIES)
def test_a_batch_is_its_episodes_one_by_one(history, grad, walk):
    model = make_model(history)
    with torch.set_grad_enabled(grad):
        together, _ = follow(model, TEXTS, walk)
        for row, text in enumerate(TEXTS):
            for step, single in zip(together, follow(model, [text], of_row(walk, row))[0], strict=True):
                width = single.logits.shape[1]
                assert_same(step.logits[row, :width], single.logits[0])
                assert_same(model.value(step)[row], model.value(single)[0])


@pytest.mark.parametrize("grad", [True, False])
@pytest.mark.parametrize("history", HISTORIES)
def test_keeping_some_episodes_changes_nothing_for_them(history, grad, walk):
    model = make_model(history)
    with torch.set_grad_enabled(grad):
        everyone = follow(model, TEXTS, walk)[0][-1]
        _, past = follow(model, TEXTS, walk[:-1])
        text = model.encode(words_of(TEXTS))
        views, counts, *_ = walk[-1]
        for rows in (torch.tensor([2, 0]), torch.tensor([1])):
            step = model.step(text.keep(rows), past.keep(rows), views[rows], counts[rows])
            assert_same(step.logits, everyone.logits[rows])


@pytest.mark.parametrize("history", HISTORIES)
def test_gradients_reach_all_parameters_of_the_history(history, walk):
    model = make_model(history).train()
    steps, _ = follow(model, TEXTS, walk)
    steps[-1].logits[steps[-1].mask].square().sum().backward()
    still = [name for name, p in model.history.named_parameters() if p.grad is None or not p.grad.abs().sum() > 0]
    assert still == []


@pytest.mark.parametrize("history", HISTORIES)
def test_gradients_flow_in_evaluation_mode_and_without_dropout(history, walk):
    """Every step's loss has its gradient, although the past has grown since."""
    for model in (make_model(history), make_model(history, dropout=0.0, feature_dropout=0.0).train()):
        steps, _ = follow(model, TEXTS, walk)
        sum(step.logits[step.mask].square().sum() for step in steps).backward()
        assert model.token_encoder.project.weight.grad.abs().sum() > 0


@pytest.mark.parametrize("history", ["memory", "recurrent", "hierarchical"])
def test_gradients_flow_back_to_the_first_step(history, walk):
    model = make_model(history)
    first = walk[0][3].requires_grad_()  # the direction after the first move
    steps, _ = follow(model, TEXTS, walk)
    steps[-1].logits[steps[-1].mask].square().sum().backward()
    assert (first.grad.abs().sum(dim=1) > 0).all()


@pytest.mark.parametrize("history", HISTORIES)
def test_a_limit_of_one_step_forgets_the_first(history, walk):
    """Of a changed first step nothing is left at the third, except in a state that is refined from step to step."""
    model = make_model(history, memory_steps=1)
    changed = [(*walk[0][:3], torch.randn(3, model.config.angle_width), walk[0][4]), *walk[1:]]
    if history in ("oriented", "hierarchical"):  # the memory bank's own tokens carry the past on
        third, other = (follow(model, TEXTS, one)[0][2] for one in (walk, changed))
        assert_same(other.logits, third.logits)
    elif history == "recurrent":
        third, other = (follow(model, TEXTS, one)[0][2] for one in (walk, changed))
        assert not torch.allclose(other.logits, third.logits, atol=1e-3)
    past = follow(model, TEXTS, walk)[1]
    assert model.history.tokens(past, model.token_encoder)[0].shape[1] == min(TOKENS[history][2], 1)


def test_the_memory_bank_keeps_the_models_own_activations(walk):
    model = make_model("memory")
    steps, past = follow(model, TEXTS, walk)
    for number, (step, (_, _, chosen, direction, _)) in enumerate(zip(steps, walk, strict=True)):
        expected = torch.cat([step.activations[torch.arange(3), chosen], direction], dim=1)
        assert torch.equal(past.bank.tokens()[:, number], expected)


def test_the_oriented_history_keeps_what_was_seen_and_done(walk):
    model = make_model("oriented")
    _, past = follow(model, TEXTS, walk)
    for number, (views, _, chosen, direction, _) in enumerate(walk):
        seen = views[torch.arange(3), chosen, : model.config.feature_width]
        assert torch.equal(past.bank.tokens()[:, number], torch.cat([seen, direction], dim=1))


def test_the_recurrent_state_begins_as_the_texts_first_token(walk):
    model = make_model("recurrent")
    text = model.encode(words_of(TEXTS))
    tokens, _ = model.history.tokens(model.start(text), model.token_encoder)
    assert torch.equal(tokens[:, 0], text.states[:, 0])


def test_the_recurrent_state_is_refined_as_in_vln_bert(walk):
    """State and match of attended language and vision, projected; then joined with the action and projected again."""
    model = make_model("recurrent")
    steps, past = follow(model, TEXTS, walk[:1])
    step, direction, history = steps[0], walk[0][3], model.history
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


def test_the_recurrent_state_looks_at_no_padding():
    """Whatever stands in padded places, of the text or of the stream, the next state is the same."""
    model, generator = make_model("recurrent"), torch.Generator().manual_seed(2)
    config = model.config
    text, stream = (torch.randn(2, 5, config.hidden, generator=generator) for _ in range(2))
    real = torch.tensor([[True] * 5, [True] * 3 + [False] * 2])
    states = []
    for rubbish in (0.0, 3.0):
        spoil = rubbish * torch.randn(2, 5, config.hidden, generator=generator)
        record = StepRecord(
            chosen=torch.tensor([0, 0]),
            candidates=torch.zeros(2, 4, config.token_width),
            activations=torch.zeros(2, 4, config.feature_width),
            direction=torch.ones(2, config.angle_width),
            text=torch.where(real[..., None], text, spoil),
            text_mask=real,
            stream=torch.where(real[..., None], stream, spoil),
            stream_mask=real,
        )
        states.append(model.history.update(None, record).token)
    assert_same(states[1], states[0])


def test_the_hierarchical_history_is_panoramas_and_steps(walk):
    """Without its transformers a past panorama is the mean of its views, the view turned to, and when it was."""
    model = make_model("hierarchical", panorama_layers=0, temporal_layers=0)
    _, past = follow(model, TEXTS, walk)
    tokens, _ = model.history.tokens(past, model.token_encoder)
    history = model.history
    for number, (views, _, chosen, direction, panorama) in enumerate(walk):
        turned = views[torch.arange(3), chosen, : model.config.feature_width]
        action = history.step_norm(history.step(torch.cat([turned, direction], dim=1)))
        seen = history.view_norm(history.view(panorama)).mean(dim=1)
        assert_same(tokens[:, number], seen + action + history.when.weight[number])


def test_the_hierarchical_history_does_not_depend_on_the_order_of_views(walk):
    model = make_model("hierarchical")
    turned = [(*step[:4], step[4].roll(5, dims=1)) for step in walk]
    for one, two in zip(follow(model, TEXTS, walk)[0], follow(model, TEXTS, turned)[0], strict=True):
        assert_same(one.logits, two.logits, 1e-3)


def test_an_episode_that_starts_anew_has_no_past_and_spoils_none(walk):
    """Beside episodes with a past, one without: no NaN in outputs or gradients, and the others as before."""
    model = make_model("hierarchical")
    _, past = follow(model, TEXTS, walk[:2])
    before, _ = model.history.tokens(past, model.token_encoder)
    past.forget(torch.tensor([1]))
    tokens, mask = model.history.tokens(past, model.token_encoder)
    assert mask.sum(dim=1).tolist() == [2, 0, 2]
    assert_same(tokens[[0, 2]], before[[0, 2]])
    text = model.encode(words_of(TEXTS))
    views, counts, *_ = walk[2]
    step = model.step(text, past, views, counts)
    fresh = model.step(text, model.start(text), views, counts)
    assert_same(step.logits[1], fresh.logits[1])
    step.logits[step.mask].sum().backward()
    assert all(torch.isfinite(p.grad).all() for p in model.parameters() if p.grad is not None)


@pytest.mark.parametrize("grad", [True, False])
def test_what_the_bank_forgets_is_not_read_any_more(grad, walk):
    model = make_model("memory")
    with torch.set_grad_enabled(grad):
        text = model.encode(words_of(TEXTS))
        views, counts, *_ = walk[2]
        _, past = follow(model, TEXTS, walk[:2])
        before = model.step(text, past, views, counts)
        past.bank.forget(torch.tensor([1]))
        step = model.step(text, past, views, counts)
        fresh = model.step(text, model.start(text), views, counts)
    assert_same(step.logits[1], fresh.logits[1])
    assert_same(step.logits[[0, 2]], before.logits[[0, 2]])
    assert not torch.allclose(before.logits[1], fresh.logits[1], atol=1e-2)


def test_only_the_hierarchical_history_needs_panoramas(walk):
    views, counts, chosen, direction, _ = walk[0]
    for history in HISTORIES:
        model = make_model(history)
        text = model.encode(words_of(TEXTS))
        past = model.start(text)
        step = model.step(text, past, views, counts)
        assert model.history.needs_panorama == (history == "hierarchical")
        if history == "hierarchical":
            with pytest.raises(ValueError, match="36 views"):
                model.remember(past, step, chosen, direction)
        else:
            past = model.remember(past, step, chosen, direction)
            assert torch.isfinite(model.step(text, past, *walk[1][:2]).logits).any()


def test_rivals_differ_in_their_history_alone():
    """Everything else is equal: the same parameters outside the history."""
    names = [
        {name for name, _ in make_model(history).named_parameters() if not name.startswith("history.")}
        for history in HISTORIES
    ]
    assert all(one == names[0] for one in names)
    own = {history: sum(p.numel() for p in make_model(history).history.parameters()) for history in HISTORIES}
    assert own["memory"] == own["none"] == own["oriented"] == 0
    assert min(own["recurrent"], own["hierarchical"]) > 0

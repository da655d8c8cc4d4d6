"""HAMT's history: its released form, sizes and gradients."""

import pytest
import torch
from small_models import TEXTS, TINY, assert_same, facing, follow, make_walk, walk_through, words_of
from small_models import make_model as make_small_model

from mtvm.models.config import PRESETS, ModelConfig
from mtvm.models.model import MTVM
from mtvm.models.parts import HierarchicalConfig

STEPS = 4


def make_model(**changes):
    return make_small_model(history="hierarchical", **changes)


@pytest.fixture
def walk():
    return make_walk(TINY, steps=STEPS)


def tokens_of(model, past):
    return model.history.tokens(past, model.token_encoder)[0]


def embedded(part, images, angles):
    """LN(W v) + LN(W' d), written out."""
    image, angle = part.image(images), part.angle(angles)
    return part.image_norm(image) + part.angle_norm(angle)


def expected_token(history, move, number):
    """A step's token, written out, without the layers over the views."""
    width = history.config.feature_width
    turned_to = move.actions[torch.arange(len(move.chosen)), move.chosen, :width]
    action = embedded(history.step, turned_to, move.direction)
    views = embedded(history.view, move.panorama[..., :width], move.panorama[..., width:]).mean(dim=1)
    return history.norm(action + views + history.when.weight[number] + history.kind.weight[0])


def test_hierarchical_history_has_hamts_released_layers():
    """Two over the views of a panorama, none over time."""
    assert (HierarchicalConfig().panorama_layers, HierarchicalConfig().temporal_layers) == (2, 0)
    with torch.device("meta"):
        history = MTVM(ModelConfig(history="hierarchical")).history
    assert (len(history.over_views), len(history.over_time)) == (2, 0)


def test_hierarchical_history_has_as_many_parameters_as_hamts():
    """At the released sizes of R2R, features of 2048 and 128 numbers: HAMT's own count, tensor by tensor."""
    paper, hidden = PRESETS["paper"], 768
    with torch.device("meta"):
        history = MTVM(ModelConfig(history="hierarchical", max_positions=100)).history
    norm = 2 * hidden
    embedding = paper.feature_width * hidden + paper.angle_width * hidden + 2 * hidden + 2 * norm
    layer = 4 * (hidden**2 + hidden) + 2 * hidden * 3072 + 3072 + hidden + 2 * norm
    cls, when, kind = hidden, 100 * hidden, hidden
    assert sum(p.numel() for p in history.parameters()) == 2 * embedding + 2 * layer + cls + when + kind + norm


def test_hierarchical_history_begins_with_a_learned_cls(walk):
    """LN(cls + type), the same in every episode and at every step."""
    model = make_model()
    history = model.history
    steps, past = walk_through(model, TEXTS, walk)
    assert len(steps) == STEPS
    text = model.encode(words_of(TEXTS))
    first = tokens_of(model, model.start(text, facing(walk, model.config)))
    expected = history.norm(history.cls + history.kind.weight[0]).expand(len(TEXTS), -1)
    assert_same(first[:, 0], expected)
    assert_same(tokens_of(model, past)[:, 0], expected)


def test_hierarchical_history_adds_views_action_time_and_kind(walk):
    """Without layers over the views a token is the LayerNorm of their sum."""
    model = make_model(history__panorama_layers=0)
    _, past = walk_through(model, TEXTS, walk)
    tokens = tokens_of(model, past)
    assert tokens.shape == (len(TEXTS), 1 + STEPS, TINY.hidden)
    for number, move in enumerate(walk):
        assert_same(tokens[:, 1 + number], expected_token(model.history, move, number))


def test_hierarchical_history_numbers_steps_beyond_its_limit(walk):
    """The last step is still the fourth, although the first ones are forgotten."""
    model = make_model(history__panorama_layers=0, history__steps=1)
    _, past = walk_through(model, TEXTS, walk)
    assert_same(tokens_of(model, past)[:, 1], expected_token(model.history, walk[-1], STEPS - 1))


def test_hierarchical_history_numbers_no_step_beyond_its_table(walk):
    model = make_model(history__panorama_layers=0, max_positions=2, language_layers=1)
    tokens = words_of(["Go."] * 3)
    short = type(tokens)(tokens.ids[:, :2], tokens.words[:, :2])
    _, past = walk_through(model, short, walk)
    assert_same(tokens_of(model, past)[:, -1], expected_token(model.history, walk[-1], 1))


def test_hierarchical_history_sends_views_through_its_layers(walk):
    """With layers the views' mean is that of a transformer over the panorama's 36 views, alone."""
    with_layers, without = make_model(history__panorama_layers=2), make_model(history__panorama_layers=0)
    without.load_state_dict({n: v for n, v in with_layers.state_dict().items() if "over_views" not in n})
    found, plain = (tokens_of(model, walk_through(model, TEXTS, walk)[1]) for model in (with_layers, without))
    assert_same(found[:, 0], plain[:, 0])
    assert not torch.allclose(found[:, 1:], plain[:, 1:], atol=1e-2)


def test_hierarchical_history_leaves_time_to_the_crossmodal_layers(walk):
    """By default a step's token does not depend on other steps; a transformer over time makes it depend on them."""
    changed = [walk[0]._replace(panorama=-walk[0].panorama), *walk[1:]]
    for layers, same in ((0, True), (1, False)):
        model = make_model(history__temporal_layers=layers)
        one, two = (tokens_of(model, walk_through(model, TEXTS, moves)[1]) for moves in (walk, changed))
        assert not torch.allclose(one[:, 1], two[:, 1], atol=1e-2)
        for place in (0, 2, STEPS):
            assert torch.allclose(one[:, place], two[:, place], atol=1e-5) == same


def test_hierarchical_history_ignores_the_order_of_views(walk):
    model = make_model()
    rolled = [move._replace(panorama=move.panorama.roll(5, dims=1)) for move in walk]
    for one, two in zip(follow(model, TEXTS, walk), follow(model, TEXTS, rolled), strict=True):
        assert_same(one.logits, two.logits, 1e-3)


def test_hierarchical_history_drops_image_features_and_no_angles(walk):
    model = make_model(history__panorama_layers=0, dropout=0.0, feature_dropout=0.9).train()
    part, tokens = model.history.view, walk[0].panorama
    width = TINY.feature_width
    torch.manual_seed(0)
    noisy = part(tokens)
    angles = part.angle_norm(part.angle(tokens[..., width:]))
    assert not torch.allclose(noisy, embedded(part, tokens[..., :width], tokens[..., width:]), atol=1e-2)
    blind = torch.cat([torch.zeros_like(tokens[..., :width]), tokens[..., width:]], dim=-1)
    assert_same(part(blind) - angles, part.image_norm(part.image.bias).expand_as(angles))


@pytest.mark.parametrize("temporal_layers", [0, 1])
def test_hierarchical_history_gradients_reach_all_its_parameters(walk, temporal_layers):
    model = make_model(history__temporal_layers=temporal_layers).train()
    last = follow(model, TEXTS, walk)[-1]
    last.logits[last.mask].square().sum().backward()
    still = [name for name, p in model.history.named_parameters() if p.grad is None or not p.grad.abs().sum() > 0]
    assert still == []


def test_hierarchical_history_of_features_that_are_all_zeros_has_tame_gradients(walk):
    """A blind agent's images are zeros: a LayerNorm over a projection without bias would multiply gradients by 1e6."""
    torch.manual_seed(0)
    model = MTVM(ModelConfig(**{**vars(TINY), "history": "hierarchical"}))
    width = TINY.feature_width
    for move in walk:
        move.actions[..., :width] = 0
        move.panorama[..., :width] = 0
    last = follow(model, TEXTS, walk)[-1]
    last.logits[last.mask].square().sum().backward()
    largest = max(float(p.grad.norm()) for p in model.history.parameters())
    assert largest < 1e3

"""VLN⟲BERT: its state, its scores, what may attend to what, and its gradients."""

import dataclasses
import math

import pytest
import torch
from small_models import TEXTS, TINY, assert_same, facing, follow, make_walk, walk_of, walk_through, words_of
from small_models import make_model as make_small_model
from torch import nn

from mtvm.configs.run import TrainConfig
from mtvm.errors import InputError
from mtvm.io.config_files import with_options
from mtvm.models.config import ModelConfig
from mtvm.models.text import CLS, Tokens, drop_words, tokenize
from mtvm.models.vlnbert import State

CONFIG = dataclasses.replace(TINY, architecture="vlnbert")
STEPS = 3


def make_model(**changes):
    return make_small_model(CONFIG, **changes)


def words(texts):
    return words_of(texts, leading_cls=True)


@pytest.fixture
def walk():
    return make_walk(CONFIG, steps=STEPS)


@pytest.fixture
def model():
    return make_model()


def begin(model, walk, tokens=None):
    text = model.encode(words(TEXTS) if tokens is None else tokens)
    return text, model.start(text, facing(walk, model.config))


# What goes in


def test_vlnbert_texts_begin_with_cls_whatever_the_config_says():
    assert ModelConfig(architecture="vlnbert").leading_cls
    assert ModelConfig(architecture="vlnbert", leading_cls=False).leading_cls
    assert not ModelConfig().leading_cls
    assert (words(TEXTS).ids[:, 0] == CLS).all()


def test_vlnbert_is_not_trained_with_the_released_loss_of_mtvm(tmp_path):
    """It masks texts that are padded to their full length, which VLN⟲BERT's are not."""
    released = {"architecture.released.consistency": True, "architecture.released.padding": True}
    TrainConfig(out=tmp_path, model=with_options(ModelConfig(), released, tmp_path))
    with pytest.raises(InputError, match=r"no option architecture\.released"):
        with_options(ModelConfig(), {"architecture": "vlnbert"} | released, tmp_path)


def test_vlnbert_start_state_is_the_pooled_cls(model, walk):
    tokens = words(TEXTS)
    text, past = begin(model, walk, tokens)
    states = model.language(tokens, tokens.mask)
    assert_same(past.state, torch.tanh(model.pooler(states[:, 0])))
    assert torch.equal(past.direction, facing(walk, CONFIG))
    assert not text.mask[:, 0].any(), "[CLS] is no key"
    assert torch.equal(text.mask[:, 1:], tokens.mask[:, 1:])


def test_vlnbert_direction_at_the_start_matters(model, walk):
    """It enters the first state already."""
    text, past = begin(model, walk)
    turned = State(past.state, -past.direction)
    first, other = (model.step(text, start, walk[0].actions, walk[0].mask) for start in (past, turned))
    assert (first.logits[first.mask] - other.logits[other.mask]).abs().max() > 1e-3
    assert (first.state - other.state).abs().max() > 1e-3


def test_vlnbert_direction_after_a_move_matters(model, walk):
    """And nothing else of the move: the action taken changes nothing by itself."""
    turned = [walk[0]._replace(direction=-walk[0].direction), *walk[1:]]
    elsewhere = [walk[0]._replace(chosen=torch.zeros_like(walk[0].chosen)), *walk[1:]]
    plain, other, same = (follow(model, TEXTS, moves) for moves in (walk, turned, elsewhere))
    assert torch.equal(plain[0].logits, other[0].logits)
    assert (plain[1].logits - other[1].logits)[plain[1].mask].abs().max() > 1e-3
    assert torch.equal(plain[1].logits, same[1].logits)


# What may attend to what


def test_vlnbert_language_positions_are_never_queries(model, walk):
    """What the text gives does not change from layer to layer or step to step, whatever the agent sees."""
    text, past = begin(model, walk)
    before = text.states.clone()
    for move in walk:
        step = model.step(text, past, move.actions, move.mask, need_layers=True)
        assert torch.equal(step.text, before)
        assert len(step.layers) == CONFIG.crossmodal_layers
        assert all(torch.equal(of_text, before) for of_text, _ in step.layers)
        past = model.remember(past, step, move.chosen, move.direction)
    assert not model.text_is_query
    assert not any("text_" in name for name, _ in model.crossmodal.named_modules()), "it has no blocks for the text"


def test_vlnbert_order_of_encoded_words_does_not_matter(model, walk):
    """As keys and values alone, encoded words are a set; as queries with positions they would not be."""
    text, past = begin(model, walk)
    order = torch.tensor([0, *range(text.states.shape[1] - 1, 0, -1)])
    states, mask = text.states[:, order], text.mask[:, order]
    cache = [tuple(part[:, :, order] for part in parts) for parts in text.cache]
    packing = type(text.packing)(mask)
    shuffled = dataclasses.replace(text, states=states, mask=mask, packing=packing, cache=cache)
    one, two = (model.step(which, past, walk[0].actions, walk[0].mask) for which in (text, shuffled))
    assert_same(one.logits, two.logits)
    assert_same(one.state, two.state)


def test_vlnbert_encoded_cls_is_read_by_nobody_after_the_start(model, walk):
    """The state stands in its place."""
    text, past = begin(model, walk)
    states = text.states.clone()
    states[:, 0] = 9.0
    cache = model.crossmodal.text_cache(states, text.packing)
    changed = dataclasses.replace(text, states=states, cache=cache)
    one, two = (model.step(which, past, walk[0].actions, walk[0].mask) for which in (text, changed))
    assert torch.equal(one.logits, two.logits)
    assert torch.equal(one.state, two.state)


def test_vlnbert_order_of_candidates_only_reorders_the_scores(model, walk):
    """There are no positions in the vision stream."""
    move, order = walk[0], torch.tensor([2, 0, 1])
    views, mask = move.actions[:, :4].clone(), torch.ones(3, 4, dtype=torch.bool)
    shuffled = torch.cat([views[:, order], views[:, 3:]], dim=1)
    text, past = begin(model, walk)
    one, two = (model.step(text, past, actions, mask) for actions in (views, shuffled))
    assert_same(two.logits[:, :3], one.logits[:, order])
    assert_same(two.logits[:, 3], one.logits[:, 3])
    assert_same(two.state, one.state)
    assert not torch.allclose(one.logits[:, :3], one.logits[:, order], atol=1e-3)


def scores_by_hand(model, text, past, move, row):
    """The last layer's scores of the state over [state; actions], of one episode, each head on its own."""
    config = model.config
    state = model.act_norm(torch.tanh(model.act(torch.cat([past.state[row], past.direction[row]]))))
    actions = move.actions[row][move.mask[row]]
    stream = torch.cat([state[None], model.token_encoder(actions)])
    words = text.states[row][text.mask[row]]
    width = config.hidden // config.heads

    def heads(linear, part, tokens):
        rows = slice(part * config.hidden, (part + 1) * config.hidden)
        projected = nn.functional.linear(tokens, linear.weight[rows], linear.bias[rows])
        return projected.view(len(tokens), config.heads, width).transpose(0, 1)

    def attend(block, queries, keys):
        qkv = block.attention.qkv
        scores = heads(qkv, 0, queries) @ heads(qkv, 1, keys).transpose(1, 2) / math.sqrt(width)
        mixed = (scores.softmax(dim=-1) @ heads(qkv, 2, keys)).transpose(0, 1).flatten(1)
        return scores.mean(dim=0)[0], block.output(mixed, queries)

    for layer in model.crossmodal.layers:
        over_words, crossed = attend(layer.cross, stream, words)
        over_stream, mixed = attend(layer.vision_attention, crossed, crossed)
        stream = layer.vision_feed_forward(mixed)
    attended = over_words.softmax(0) @ words, over_stream[1:].softmax(0) @ model.token_encoder(actions)
    matched = model.match_norm(attended[0] * attended[1])
    pooled = torch.tanh(model.pooler(stream[0]))
    return over_stream, model.refine_norm(model.refine(torch.cat([pooled, matched])))


@torch.no_grad()
def test_vlnbert_scores_and_state_are_those_written_out(model, walk):
    """Scores are the last layer's, before the softmax, averaged over heads; the state's own column is left out."""
    text, past = begin(model, walk)
    for move in walk:
        step = model.step(text, past, move.actions, move.mask)
        for row in range(len(TEXTS)):
            scores, state = scores_by_hand(model, text, past, move, row)
            assert_same(step.logits[row][move.mask[row]], scores[1:])
            assert_same(step.state[row], state)
        past = model.remember(past, step, move.chosen, move.direction)


@torch.no_grad()
@pytest.mark.parametrize(("place", "counts"), [(0, False), (1, True)])
def test_vlnbert_states_own_column_never_scores(model, walk, monkeypatch, place, counts):
    """However much the state attends to itself, neither scores nor state change; with an action's key they do."""
    text, past = begin(model, walk)
    plain = model.step(text, past, walk[0].actions, walk[0].mask)
    heads = model.crossmodal.layers[-1].vision_attention.attention
    key_value = heads.key_value

    def loud(packed, packing):
        key, value = key_value(packed, packing)
        key[:, :, place] *= 50
        return key, value

    monkeypatch.setattr(heads, "key_value", loud)
    other = model.step(text, past, walk[0].actions, walk[0].mask)
    assert torch.equal(other.logits, plain.logits) != counts
    assert torch.equal(other.state, plain.state) != counts
    assert other.logits.shape == walk[0].mask.shape


# Batches


@torch.no_grad()
def test_vlnbert_padding_changes_nothing(model, walk):
    tokens = words(TEXTS)
    longer = Tokens(nn.functional.pad(tokens.ids, (0, 5)), nn.functional.pad(tokens.words, (0, 5), value=-1))
    wider = [
        move._replace(actions=nn.functional.pad(move.actions, (0, 0, 0, 3)), mask=nn.functional.pad(move.mask, (0, 3)))
        for move in walk
    ]
    for plain, padded in zip(follow(model, tokens, walk), follow(model, longer, wider), strict=True):
        assert_same(padded.logits[:, :-3], plain.logits)
        assert torch.isinf(padded.logits[:, -3:]).all()
        assert_same(padded.state, plain.state)
        assert_same(model.value(padded), model.value(plain))


@torch.no_grad()
def test_vlnbert_features_of_padded_actions_change_nothing(model, walk):
    loud = [move._replace(actions=torch.where(move.mask[..., None], move.actions, 7.0)) for move in walk]
    assert any(not move.mask.all() for move in walk)
    for plain, other in zip(follow(model, TEXTS, walk), follow(model, TEXTS, loud), strict=True):
        assert_same(other.logits, plain.logits)
        assert_same(other.state, plain.state)


@torch.no_grad()
def test_vlnbert_of_a_batch_is_that_of_single_episodes(model, walk):
    together = follow(model, TEXTS, walk)
    for row, text in enumerate(TEXTS):
        for step, single in zip(together, follow(model, [text], walk_of(walk, torch.tensor([row]))), strict=True):
            width = single.logits.shape[1]
            assert_same(step.logits[row, :width], single.logits[0])
            assert_same(model.value(step)[row], model.value(single)[0])


@torch.no_grad()
@pytest.mark.parametrize("rows", [[2, 0], [1]])
def test_vlnbert_episodes_that_leave_do_not_change_the_others(model, walk, rows):
    rows = torch.tensor(rows)
    everyone = follow(model, TEXTS, walk)
    _, past = walk_through(model, TEXTS, walk[:1])
    text, past = model.encode(words(TEXTS)).keep(rows), past.keep(rows)
    for move, expected in zip(walk_of(walk, rows)[1:], everyone[1:], strict=True):
        step = model.step(text, past, move.actions, move.mask)
        assert_same(step.logits, expected.logits[rows][:, : step.logits.shape[1]])
        assert_same(step.state, expected.state[rows])
        past = model.remember(past, step, move.chosen, move.direction)


@torch.no_grad()
def test_vlnbert_variants_are_separate_passes(model, walk):
    """The full and the dropped instruction in one pass, from the state of the full one."""
    tokens = words(TEXTS)
    dropped, where = drop_words(tokens, 0.5, torch.rand(3, 64, generator=torch.Generator().manual_seed(0)))
    assert where.any()
    both, past = begin(model, walk)
    both = model.encode(tokens, dropped)
    assert_same(model.start(both, past.direction).state, past.state)
    for move in walk:
        steps = model.step(both, past, move.actions, move.mask, need_layers=True).variants(2)
        for step, alone in zip(steps, (tokens, dropped), strict=True):
            expected = model.step(model.encode(alone), past, move.actions, move.mask)
            assert_same(step.logits, expected.logits)
            assert_same(step.state, expected.state)
            assert step.actions.shape == move.actions.shape
            assert len(step.layers[0][0]) == len(step.layers[0][1]) == len(TEXTS)
        past = model.remember(past, steps[0], move.chosen, move.direction)


@torch.no_grad()
def test_vlnbert_attention_is_that_of_state_and_actions(model, walk):
    text, past = begin(model, walk)
    step = model.step(text, past, walk[0].actions, walk[0].mask, need_attention=True)
    layers, batch, heads, tokens, over = step.attention.over_words.shape
    assert (layers, batch, heads) == (CONFIG.crossmodal_layers, len(TEXTS), CONFIG.heads)
    assert (tokens, over) == (1 + walk[0].mask.shape[1], text.states.shape[1])
    hidden = ~text.mask[:, None, :].expand(-1, heads, -1)
    assert (step.attention.over_words[-1, :, :, 0][hidden] == 0).all()
    assert_same(step.attention.over_stream[:, :, :, 0].sum(dim=-1), torch.ones(layers, batch, heads))


# Gradients


def test_vlnbert_gradients_reach_every_parameter(walk):
    """None is left over: what the released network never uses (img_projection, cand_LayerNorm, each layer's blocks for
    the text) is not here, and its pooler serves the start and every step."""
    model = make_model().train()
    steps = follow(model, TEXTS, walk)
    sum(step.logits[step.mask].square().sum() + model.value(step).square().sum() for step in steps).backward()
    never_used = [name for name, p in model.named_parameters() if p.grad is None or not p.grad.abs().sum() > 0]
    assert never_used == []


def test_vlnbert_gradients_flow_through_the_state_to_the_first_step(model, walk):
    first = walk[0].actions.requires_grad_()
    last = follow(model, TEXTS, walk)[-1]
    last.logits[last.mask].square().sum().backward()
    assert torch.equal(first.grad.abs().sum(dim=-1) > 0, walk[0].mask)


def test_vlnbert_checkpointing_changes_no_gradient_and_runs_layers_again(walk):
    gradients, runs = [], []
    for checkpointing in (False, True):
        model = make_model().train()
        model.crossmodal.checkpointing = checkpointing
        calls = []
        model.crossmodal.layers[0].register_forward_pre_hook(lambda *_, calls=calls: calls.append(1))
        torch.manual_seed(3)
        steps = follow(model, TEXTS, walk[:2])
        sum(step.logits[step.mask].square().sum() for step in steps).backward()
        gradients.append(model.crossmodal.layers[0].cross.attention.qkv.weight.grad)
        runs.append(len(calls))
    torch.testing.assert_close(*gradients)
    assert runs == [2, 4]


@torch.no_grad()
def test_vlnbert_scales_features_as_asked(walk):
    one, other = make_model(feature_scale=3.0), make_model()
    width = CONFIG.feature_width
    larger = [move._replace(actions=move.actions.clone()) for move in walk]
    for move in larger:
        move.actions[..., :width] *= 3
    for found, expected in zip(follow(one, TEXTS, walk), follow(other, TEXTS, larger), strict=True):
        assert_same(found.logits, expected.logits)


@torch.no_grad()
def test_vlnbert_reads_an_empty_instruction(walk):
    """[CLS] and [SEP]: one key is left."""
    model = make_model(vocabulary=30522)
    text = model.encode(tokenize(["", "Go."], leading_cls=True))
    rows = torch.tensor([0, 1])
    step = model.step(text, model.start(text, facing(walk, CONFIG)[rows]), walk[0].actions[rows], walk[0].mask[rows])
    assert torch.isfinite(step.logits[step.mask]).all()
    assert torch.isfinite(step.state).all()

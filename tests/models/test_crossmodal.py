"""The cross-modality encoder against Eq. 1 written out, and what must not reach what."""

import dataclasses
import math

import pytest
import torch
from small_models import TINY, strengthen
from torch.nn import functional

from mtvm.models.attention import LAYER_NORM_EPS
from mtvm.models.crossmodal import CrossModalEncoder
from mtvm.models.packing import Packing

WORDS, STREAM = (7, 4, 1), (6, 6, 2)  # real tokens of three episodes


def make_encoder(bidirectional=True, **changes):
    torch.manual_seed(0)
    return strengthen(CrossModalEncoder(dataclasses.replace(TINY, **changes), bidirectional).eval())


def mask_of(lengths, longest=None):
    return torch.arange(longest or max(lengths)) < torch.tensor(lengths)[:, None]


@pytest.fixture
def inputs():
    """Text, its mask, vision, its mask."""
    generator = torch.Generator().manual_seed(1)
    text, vision = (torch.randn(3, max(n), TINY.hidden, generator=generator) for n in (WORDS, STREAM))
    return text, mask_of(WORDS), vision, mask_of(STREAM)


@pytest.fixture(params=[True, False], ids=["both", "single"])
def encoder(request):
    return make_encoder(bidirectional=request.param)


def plain_attention(heads, asking, answering, mask):
    """Softmax attention with an additive mask, one head after the other: the mixed values and the weights."""
    hidden = asking.shape[-1]
    parts = zip(heads.qkv.weight.split(hidden), heads.qkv.bias.split(hidden), strict=True)
    tokens = (asking, answering, answering)
    query, key, value = (functional.linear(one, *part) for one, part in zip(tokens, parts, strict=True))
    size = hidden // heads.heads
    mixed, weights = [], []
    for part in (slice(head * size, (head + 1) * size) for head in range(heads.heads)):
        scores = query[..., part] @ key[..., part].transpose(1, 2) / math.sqrt(size)
        weights.append((scores + torch.where(mask, 0.0, -1e5)[:, None]).softmax(dim=-1))
        mixed.append(weights[-1] @ value[..., part])
    return torch.cat(mixed, dim=-1), torch.stack(weights, dim=1)


def plain_block(block, inner, residual):
    return functional.layer_norm(
        functional.linear(inner, block.dense.weight, block.dense.bias) + residual,
        residual.shape[-1:],
        block.norm.weight,
        block.norm.bias,
        LAYER_NORM_EPS,
    )


def plain_finish(attention, feed_forward, tokens, mask):
    attended, weights = plain_attention(attention.attention, tokens, tokens, mask)
    tokens = plain_block(attention.output, attended, tokens)
    expanded = functional.gelu(functional.linear(tokens, feed_forward.expand.weight, feed_forward.expand.bias))
    return plain_block(feed_forward.output, expanded, tokens), weights


def plain_encoder(encoder, text, text_mask, vision, vision_mask):
    """Eq. 1 as the released code computes it: shared cross-attention, then self-attention and feed-forward each."""
    over_words, over_stream = [], []
    for layer in encoder.layers:
        read, weights = plain_attention(layer.cross.attention, vision, text, text_mask)
        over_words.append(weights)
        seen, _ = plain_attention(layer.cross.attention, text, vision, vision_mask)
        vision = plain_block(layer.cross.output, read, vision)
        vision, weights = plain_finish(layer.vision_attention, layer.vision_feed_forward, vision, vision_mask)
        over_stream.append(weights)
        if encoder.bidirectional:
            text = plain_block(layer.cross.output, seen, text)
            text, _ = plain_finish(layer.text_attention, layer.text_feed_forward, text, text_mask)
    return text, vision, torch.stack(over_words), torch.stack(over_stream)


def run(encoder, inputs, **options):
    """X̂ and [M̂; V̂]."""
    text, text_mask, vision, vision_mask = inputs
    return encoder(text, Packing(text_mask), vision, Packing(vision_mask), **options)


def test_crossmodal_encoder_is_the_plain_computation(encoder, inputs):
    text, vision = run(encoder, inputs)
    plain_text, plain_vision, _, _ = plain_encoder(encoder, *inputs)
    torch.testing.assert_close(text[inputs[1]], plain_text[inputs[1]], atol=1e-4, rtol=1e-4)
    torch.testing.assert_close(vision[inputs[3]], plain_vision[inputs[3]], atol=1e-4, rtol=1e-4)


def test_crossmodal_encoder_without_padding_is_the_plain_computation(encoder, inputs):
    full = (inputs[0], torch.ones_like(inputs[1]), inputs[2], torch.ones_like(inputs[3]))
    for found, expected in zip(run(encoder, full), plain_encoder(encoder, *full), strict=False):
        torch.testing.assert_close(found, expected, atol=1e-4, rtol=1e-4)


def test_crossmodal_encoder_with_padding_kept_is_the_plain_computation(encoder, inputs):
    """As the released code does: padding is never attended to, but attends itself."""
    packings = (Packing(mask, drop=False) for mask in (inputs[1], inputs[3]))
    found = encoder(inputs[0], next(packings), inputs[2], next(packings))
    for one, expected in zip(found, plain_encoder(encoder, *inputs), strict=False):
        torch.testing.assert_close(one, expected, atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("stream", ["text", "vision"])
def test_crossmodal_encoder_never_reads_padding(encoder, inputs, stream):
    index, masks = (0 if stream == "text" else 2), (inputs[1], inputs[3])
    changed, mask = list(inputs), masks[index // 2]
    changed[index] = torch.where(mask[..., None], inputs[index], 50 * torch.randn_like(inputs[index]))
    for found, expected, real in zip(run(encoder, changed), run(encoder, inputs), masks, strict=True):
        torch.testing.assert_close(found[real], expected[real], atol=1e-5, rtol=1e-5)
    changed[index] = inputs[index] + torch.randn_like(inputs[index])  # and what is not padding matters
    assert not torch.allclose(run(encoder, changed)[1][masks[1]], run(encoder, inputs)[1][masks[1]], atol=1e-2)


def test_crossmodal_encoder_gives_padding_no_gradient(encoder, inputs):
    text, text_mask, vision, vision_mask = inputs
    text.requires_grad_()
    vision.requires_grad_()
    read, seen = run(encoder, inputs)
    (read[text_mask].square().sum() + seen[vision_mask].square().sum()).backward()
    for given, mask in ((text, text_mask), (vision, vision_mask)):
        assert (given.grad[~mask] == 0).all()
        assert (given.grad[mask].abs().sum(dim=-1) > 0).all()


@pytest.mark.parametrize("layers", [1, 2])
@pytest.mark.parametrize("bidirectional", [True, False])
@pytest.mark.parametrize("drop", [True, False])
@pytest.mark.parametrize("full", [True, False])
@pytest.mark.parametrize("count", [1, 3, 6])
def test_crossmodal_encoder_asked_for_last_tokens_gives_the_same(inputs, layers, bidirectional, drop, full, count):
    encoder = make_encoder(crossmodal_layers=layers, bidirectional=bidirectional)
    text, text_mask, vision, mask = inputs
    mask = torch.ones_like(mask) if full else mask.flip(1)  # of a stream it is the beginning that may be missing
    words, stream, asked = Packing(text_mask, drop), Packing(mask, drop), Packing(mask[:, -count:], drop)
    _, expected = encoder(text, words, vision, stream)
    given, found = encoder(text, words, vision, stream, asked=asked)
    assert given is text
    real = mask[:, -count:]
    torch.testing.assert_close(asked.spread(found)[real], expected[:, -count:][real], atol=1e-5, rtol=1e-5)


def test_crossmodal_encoder_text_cache_gives_the_same(encoder, inputs):
    cache = encoder.text_cache(inputs[0], Packing(inputs[1]))
    assert len(cache) == (1 if encoder.bidirectional else len(encoder.layers))
    for found, expected in zip(run(encoder, inputs, cache=cache), run(encoder, inputs), strict=True):
        torch.testing.assert_close(found, expected, atol=1e-5, rtol=1e-5)
    zeros = [tuple(torch.zeros_like(part) for part in parts) for parts in cache]
    assert not torch.allclose(run(encoder, inputs, cache=zeros)[1], run(encoder, inputs)[1], atol=1e-2), "unused"


def test_crossmodal_encoder_text_cache_passes_gradients(encoder, inputs):
    gradients = []
    for cached in (False, True):
        text = inputs[0].clone().requires_grad_()
        cache = encoder.text_cache(text, Packing(inputs[1])) if cached else None
        run(encoder, (text, *inputs[1:]), cache=cache)[1][inputs[3]].square().sum().backward()
        gradients.append(text.grad)
    assert gradients[0].abs().sum() > 0
    torch.testing.assert_close(*gradients, atol=1e-3, rtol=1e-4)


def test_crossmodal_encoder_of_a_single_direction_leaves_the_text_alone(inputs):
    encoder = make_encoder(bidirectional=False)
    assert torch.equal(run(encoder, inputs)[0], inputs[0])
    names = {name for name, _ in encoder.named_parameters()}
    assert not any("text_" in name for name in names)
    assert names < {name for name, _ in make_encoder().named_parameters()}


@pytest.mark.parametrize("whole", [True, False])
def test_crossmodal_encoder_records_its_attention_weights(encoder, inputs, whole):
    record = []
    asked = None if whole else Packing(inputs[3][:, -3:])
    text, vision = run(encoder, inputs, asked=asked, record=record)
    silent_text, silent_vision = run(encoder, inputs, asked=asked)
    assert torch.equal(text, silent_text)
    assert torch.equal(vision, silent_vision)
    over_words, over_stream = (torch.stack(weights) for weights in zip(*record, strict=True))
    *_, plain_words, plain_stream = plain_encoder(encoder, *inputs)
    real = inputs[3]
    for found, expected, keys in ((over_words, plain_words, inputs[1]), (over_stream, plain_stream, inputs[3])):
        asked = found.movedim(3, 2)[:, real]  # (layers, real tokens, heads, keys)
        torch.testing.assert_close(asked, expected.movedim(3, 2)[:, real], atol=1e-4, rtol=1e-4)
        torch.testing.assert_close(asked.sum(dim=-1), torch.ones(asked.shape[:-1]), atol=1e-5, rtol=1e-5)
        assert all((found[:, row][..., ~mask] == 0).all() for row, mask in enumerate(keys))

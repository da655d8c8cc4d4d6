"""Packing: real tokens alone, spread out and back, and the gradients of its gathers."""

import pytest
import torch

from mtvm.models.packing import Packing, take
from mtvm.models.places import Places
from mtvm.products import using

MASK = torch.tensor([[True, True, False], [True, False, False], [False, False, False], [True, True, True]])
PACKINGS = {
    "some": Packing(MASK),
    "all real": Packing(torch.ones_like(MASK)),
    "padding kept": Packing(MASK, drop=False),
}


def plain_spread_heads(packing, packed):
    return packing.spread(packed).permute(2, 0, 3, 1, 4)


def plain_pack_heads(packing, spread):
    return packing.pack(spread.transpose(1, 2).flatten(2))


def count(packing):
    return len(packing.pack(torch.zeros(4, 3, 1)))


def test_packing_spread_undoes_pack():
    tokens = torch.randn(4, 3, 5)
    packing = PACKINGS["some"]
    packed = packing.pack(tokens)
    assert torch.equal(packed, tokens[MASK])
    assert torch.equal(packing.spread(packed), tokens * MASK[..., None])


@pytest.mark.parametrize("kind", ["all real", "padding kept"])
def test_packing_without_dropping_keeps_all_tokens(kind):
    tokens = torch.randn(4, 3, 5)
    packing = PACKINGS[kind]
    assert torch.equal(packing.pack(tokens), tokens.flatten(0, 1))
    assert torch.equal(packing.spread(packing.pack(tokens)), tokens)


def test_packing_mask_is_none_only_where_all_tokens_are_real():
    assert PACKINGS["all real"].mask is None
    assert torch.equal(PACKINGS["some"].mask, MASK)
    assert torch.equal(PACKINGS["padding kept"].mask, MASK)


@pytest.mark.parametrize("length", [1, 2, 3])
@pytest.mark.parametrize("drop", [True, False])
def test_packing_last_picks_the_end_of_each_row(length, drop):
    mask, tokens = MASK.flip(1), torch.randn(4, 3, 5)
    whole, tail = Packing(mask, drop), Packing(mask[:, -length:], drop)
    assert torch.equal(whole.last(whole.pack(tokens), tail), tail.pack(tokens[:, -length:]))


@pytest.mark.parametrize("packing", PACKINGS.values(), ids=PACKINGS)
def test_packing_spread_heads_is_spread_and_permute(packing):
    packed = torch.randn(count(packing), 2, 3, 4)
    assert torch.equal(packing.spread_heads(packed), plain_spread_heads(packing, packed))


@pytest.mark.parametrize("packing", PACKINGS.values(), ids=PACKINGS)
def test_packing_pack_heads_is_transpose_and_pack(packing):
    spread = torch.randn(4, 2, 3, 5)
    assert torch.equal(packing.pack_heads(spread), plain_pack_heads(packing, spread))


@pytest.mark.parametrize("packing", PACKINGS.values(), ids=PACKINGS)
def test_packing_gradients_are_numeric_ones(packing):
    packed = torch.randn(count(packing), 2, 3, 2, dtype=torch.float64, requires_grad=True)
    spread = torch.randn(4, 2, 3, 2, dtype=torch.float64, requires_grad=True)
    tokens = torch.randn(4, 3, 2, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(packing.spread_heads, packed)
    assert torch.autograd.gradcheck(packing.pack_heads, spread)
    assert torch.autograd.gradcheck(packing.pack, tokens)


def test_take_is_indexing_with_its_gradient():
    batch, rows = torch.randn(5, 3, requires_grad=True), torch.tensor([4, 0, 2])
    weights = torch.randn(3, 3)
    gradients = []
    for taken in (take(batch, rows), batch[rows]):
        assert torch.equal(taken, batch.detach()[rows])
        gradients.append(torch.autograd.grad((taken * weights).sum(), batch)[0])
    assert torch.equal(*gradients)


@pytest.mark.parametrize("kind", ["onednn", "bfloat16"])
def test_packing_fills_up_to_few_sizes_without_changing_anything(kind):
    """Rows that only fill up are never spread, and have no gradients."""
    generator = torch.Generator().manual_seed(3)
    mask = torch.rand(9, 11, generator=generator) < 0.8
    mask[:, 0] = True
    tokens = torch.randn(9, 11, 3 * 2 * 4, generator=generator, requires_grad=True)
    usual = Packing(mask)
    found = []
    for fills in (False, True):
        with using(kind if fills else "mkl"):
            packing = Packing(mask)
            packed = packing.pack(tokens)
            assert len(packed) == (128 if fills else int(mask.sum()))
            heads = packing.spread_heads(packed.view(-1, 3, 2, 4).cos())
            again = packing.pack_heads(heads[0])
            assert len(again) == len(packed)
            spread = packing.spread(again + 1)
            tail = Packing(mask[:, -4:])
            last = tail.spread(packing.last(packed.sin(), tail))
            (gradient,) = torch.autograd.grad(spread.square().sum() + heads[1].sum() + last.square().sum(), tokens)
            found.append((spread, *heads, last, gradient, packing.real(tokens)))
    for one, other in zip(*found, strict=True):
        assert torch.equal(one, other)
    assert torch.equal(usual.real(tokens), found[0][-1])


@pytest.mark.parametrize("full", [True, False])
def test_rows_that_ask_the_same_are_asked_side_by_side(full):
    mask = torch.tensor([[True, True], [True, full], [True, True]])
    tokens = torch.arange(6.0).view(3, 2, 1) + 1
    packing = Packing(mask)
    packed = packing.pack(tokens)
    packing.join(Places(2, 2, torch.tensor([0, 1, 1]), torch.tensor([0, 0, 1])))
    grid = packing.together.spread_heads(packed[:, None, None])[0, :, 0, :, 0]
    assert grid.tolist() == [[1, 2, 0, 0], [3, 4 * full, 5, 6]]
    assert torch.equal(packing.together.pack_heads(grid[:, None, :, None]), packed)
    assert torch.equal(packing.spread(packed)[mask], tokens[mask])

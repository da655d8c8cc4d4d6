"""Products by torch, by oneDNN and in bfloat16: the same results, and how one of them is chosen."""

import itertools
import json
import subprocess
from types import SimpleNamespace

import pytest
import torch
from torch import nn
from torch.nn import functional

from mtvm import products
from mtvm.errors import InputError
from mtvm.learning.optimizer import orthogonal
from mtvm.products import KINDS, LARGEST_ERROR, choose, linear, using

FOUND = products._in_a_child(128, 256)
WORKS = pytest.mark.skipif("onednn" not in FOUND, reason="this CPU or PyTorch cannot compute products by oneDNN")
TOLERANCE = {"onednn": LARGEST_ERROR, "bfloat16": 1e-2}
pytestmark = WORKS
other_kinds = pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "mkl"])


def draw(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def share(found, exact):
    return float((found - exact).norm() / exact.norm())


def results(values, weight, bias):
    leaves = [one.clone().requires_grad_() for one in (values, weight, bias)]
    result = linear(*leaves)
    return [result.detach(), *torch.autograd.grad(result, leaves, draw(*result.shape, seed=9))]


@other_kinds
@pytest.mark.parametrize("shape", [(70,), (64,), (3, 40), (1100,), (4200,)], ids=str)
def test_products_and_their_gradients_are_those_of_torch(kind, shape):
    """Of any number of rows, in buckets or not."""
    given = draw(*shape, 32), draw(48, 32, seed=1), draw(48, seed=2)
    expected = results(*given)
    with using(kind):
        found = results(*given)
    for one, other in zip(found, expected, strict=True):
        assert one.shape == other.shape
        assert share(one, other) < TOLERANCE[kind]
    assert any(not torch.equal(one, other) for one, other in zip(found, expected, strict=True)) or kind == "onednn"


@other_kinds
def test_products_of_parts_of_matrices_are_those_of_torch(kind):
    """Of rows and of columns of weights, and of columns of values."""
    values, weight = draw(100, 96), draw(64, 96, seed=1)
    for left, right in (
        (values, weight[16:48]),
        (values[:, 32:64], weight[:, 32:64]),
        (values[:, ::2], weight[:, ::2]),
        (values.t()[:, :64], weight.t()[:, :64]),
    ):
        with using(kind):
            assert share(linear(left, right), functional.linear(left, right)) < TOLERANCE[kind]


def test_products_in_bfloat16_follow_a_weight_that_changes():
    values, weight = draw(64, 32), nn.Parameter(draw(32, 32, seed=1))
    with using("bfloat16"):
        for _ in range(2):
            assert share(linear(values, weight).detach(), functional.linear(values, weight).detach()) < 1e-2
            with torch.no_grad():
                weight.mul_(-3)


@other_kinds
@pytest.mark.parametrize("rank", [96, 8])  # of a low rank, rounding to bfloat16 would let the steps grow
def test_products_of_muon_are_those_of_torch(kind, rank):
    matrices = draw(3, 128, rank) @ draw(3, rank, 96, seed=1)
    expected = orthogonal(matrices)
    with using(kind):
        assert share(orthogonal(matrices), expected) < 1e-4


def test_buckets_are_few_and_never_too_small():
    with using("onednn"):
        sizes = [products.bucket(rows) for rows in range(1, 6000)]
    assert all(rows <= size for rows, size in enumerate(sizes, 1))
    assert all(before <= after for before, after in itertools.pairwise(sizes))
    assert len({size for size in sizes if size >= 64}) < 50
    assert [products.bucket(rows) for rows in (1, 65, 1000)] == [1, 65, 1000], "as torch computes them otherwise"


# The choice


@pytest.fixture
def measured(monkeypatch, tmp_path):
    """What the child process finds, to be set, and how often it was asked."""
    monkeypatch.setenv("MTVM_CACHE", str(tmp_path))
    state = SimpleNamespace(found={}, asked=0)

    def in_a_child(hidden, intermediate):
        state.asked += 1
        return state.found

    monkeypatch.setattr(products, "_in_a_child", in_a_child)
    return state


def test_choice_is_the_fastest_whose_error_is_that_of_float32(measured):
    measured.found = {
        "mkl": {"seconds": 3.0, "error": 2e-7},
        "onednn": {"seconds": 1.5, "error": 4e-7},
        "bfloat16": {"seconds": 0.5, "error": 3e-3},
    }
    choice = choose("auto", hidden=256, intermediate=1024)
    assert choice.kind == "onednn"
    assert "2.0 times as fast" in choice.reason
    measured.found["onednn"]["seconds"] = 2.9
    assert choose("auto", hidden=512, intermediate=1024).kind == "mkl", "hardly faster"
    measured.found["onednn"] = {"seconds": 1.0, "error": 1e-3}
    assert choose("auto", hidden=384, intermediate=1024).kind == "mkl", "that is not float32"


def test_choice_is_measured_once_for_each_size(measured):
    measured.found = {"mkl": {"seconds": 3.0, "error": 2e-7}, "onednn": {"seconds": 1.0, "error": 4e-7}}
    assert [choose("auto", hidden=256, intermediate=1024).kind for _ in range(3)] == ["onednn"] * 3
    assert measured.asked == 1
    for path in (products.cache_dir() / "products").glob("*.json"):
        path.write_text("{}")
    assert choose("auto", hidden=256, intermediate=1024).kind == "onednn"
    assert measured.asked == 2, "a damaged file is measured again"


def test_choice_asks_nobody_where_nothing_can_be_gained(measured):
    assert choose("auto", hidden=16, intermediate=32).kind == "mkl"
    assert choose("auto", hidden=256, intermediate=1024, device="cuda").kind == "mkl"
    assert choose("mkl", hidden=256, intermediate=1024).kind == "mkl"
    assert measured.asked == 0


def test_choice_of_what_does_not_work_here_is_one_sentence(measured):
    measured.found = {"mkl": {"seconds": 3.0, "error": 2e-7}}
    with pytest.raises(InputError, match="cannot compute products by onednn; give mkl or auto"):
        choose("onednn", hidden=256, intermediate=1024)
    assert choose("auto", hidden=256, intermediate=1024).kind == "mkl"
    with pytest.raises(InputError, match="not one of auto, mkl"):
        choose("fast", hidden=256, intermediate=1024)


def test_child_that_dies_of_an_instruction_leaves_what_it_found_before(monkeypatch):
    def died(command, **options):
        return subprocess.CompletedProcess(command, -4, "mkl 0.5 2e-07\n", "")

    monkeypatch.setattr(subprocess, "run", died)
    assert products._in_a_child(256, 1024) == {"mkl": {"seconds": 0.5, "error": 2e-7}}


def test_child_measures_every_kind():
    assert set(FOUND) == set(KINDS)
    assert FOUND["mkl"]["error"] < LARGEST_ERROR
    assert FOUND["onednn"]["error"] < LARGEST_ERROR < FOUND["bfloat16"]["error"]
    assert json.dumps(FOUND)

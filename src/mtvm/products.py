"""Products of tokens with weight matrices, by the way of multiplying that is fastest on this CPU.

torch sends float32 products to MKL, which on some CPUs reaches less than half of what oneDNN does, in the same torch,
in float32 and with the same error. torch's own switch (`torch.set_float32_matmul_precision`) would send all products
there, those inside attention too, of which each has another shape, and oneDNN compiles a program for each shape; on
other CPUs it means bfloat16. So linear layers and their gradients ask oneDNN themselves, in float32 wherever they run,
with their rows in buckets, so that there are few shapes; everything else stays as it is.

    use(choose("auto", hidden=256, intermediate=1024).kind)    # once, before a training or an evaluation

`choose` measures in a child process, which may die of an instruction that the CPU lacks, and keeps what it found.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal, get_args

import torch
from torch import Tensor, nn
from torch.nn import functional

from mtvm.errors import InputError
from mtvm.io.files import cache_dir, write_json
from mtvm.machine import keep_few_onednn_primitives, program_of

Kind = Literal["mkl", "onednn", "bfloat16"]
"""mkl: as torch does it. onednn: by oneDNN, in float32. bfloat16: by oneDNN, in bfloat16; sums, norms, softmax, losses
and Muon's steps stay in float32."""
KINDS: tuple[Kind, ...] = get_args(Kind)
FASTER = 1.2
"""By which factor a way must be faster than torch's own to be worth rows in buckets."""
LARGEST_ERROR = 2e-6
"""Of a product against float64, as a share of its norm: 4e-7 in float32, 3e-4 in TF32, 2e-3 in bfloat16."""
NARROWEST = 128
"""Models with narrower tokens gain nothing: their products are short beside all else."""

_FEWEST_ROWS = 64
_FEWEST_COLUMNS = 16
_PRIMITIVES = 256
"""How many compiled operations oneDNN keeps: those of some twenty buckets."""
_PROBED_ROWS = 512

_kind: Kind = "mkl"


def kind() -> Kind:
    """How this process multiplies."""
    return _kind


def use(chosen: Kind) -> None:
    """Multiply in this way from now on; call it before oneDNN runs for the first time."""
    global _kind
    _kind = chosen
    keep_few_onednn_primitives(*(() if chosen == "mkl" else (_PRIMITIVES,)))


@contextlib.contextmanager
def using(chosen: Kind) -> Iterator[None]:
    """A block that multiplies in this way."""
    before = _kind
    use(chosen)
    try:
        yield
    finally:
        use(before)


def bucket(rows: int) -> int:
    """How many rows to compute for so many."""
    if _kind == "mkl" or rows < _FEWEST_ROWS:
        return rows
    step = 64 if rows <= 1024 else 128 if rows <= 4096 else 512
    return -(-rows // step) * step


def linear(values: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """torch's `linear`."""
    if _kind == "mkl" or not _suits(values, weight):
        return functional.linear(values, weight, bias)
    flat = values.reshape(-1, values.shape[-1])
    if torch.is_grad_enabled() and (values.requires_grad or weight.requires_grad):
        result: Tensor = _Linear.apply(flat, weight, bias)  # type: ignore[no-untyped-call]
    else:
        result = _of_rows(flat, weight, bias)
    return result.view(*values.shape[:-1], len(weight))


class Linear(nn.Linear):
    """`linear` as a module."""

    def forward(self, input: Tensor) -> Tensor:
        return linear(input, self.weight, self.bias)


def adopt(module: nn.Module) -> None:
    """Make the linear layers of a module of somebody else's ours."""
    for child in module.modules():
        if type(child) is nn.Linear:
            child.__class__ = Linear


def multiply(one: Tensor, other: Tensor) -> Tensor:
    """(n, r, k) times (n, k, c), of few shapes and without gradients; in float32 always.

    Muon's iterations need it: they square a matrix of low rank again and again, and where bfloat16 rounds its zeros to
    something below zero, that grows instead of shrinking.
    """
    if _kind == "mkl" or one.device.type != "cpu" or one.shape[-2] < _FEWEST_ROWS:
        return one @ other
    if len(one) == 1:
        return _onednn(one[0], other[0].t(), None)[None]
    return torch.stack([_onednn(*pair, None) for pair in zip(one, other.mT, strict=True)])


def _suits(values: Tensor, weight: Tensor) -> bool:
    rows = values.numel() // max(values.shape[-1], 1)
    return (
        rows >= _FEWEST_ROWS
        and len(weight) >= _FEWEST_COLUMNS
        and values.device.type == "cpu"
        and values.dtype == weight.dtype == torch.float32
        and not torch.is_autocast_enabled("cpu")
        and not torch.compiler.is_compiling()
    )


class _Linear(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, flat: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        ctx.save_for_backward(flat, weight)
        ctx.has_bias = bias is not None
        return _of_rows(flat, weight, bias)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, Tensor | None, Tensor | None]:
        flat, weight = ctx.saved_tensors
        gradient = _in_bucket(gradients[0])
        of_values, of_weight, of_bias = ctx.needs_input_grad
        return (
            _product(gradient, weight.t())[: len(flat)] if of_values else None,
            _product(gradient.t(), _in_bucket(flat).t()) if of_weight else None,
            gradients[0].sum(dim=0) if ctx.has_bias and of_bias else None,
        )


def _of_rows(flat: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    return _product(_in_bucket(flat), weight, bias)[: len(flat)]


def _in_bucket(flat: Tensor) -> Tensor:
    extra = bucket(len(flat)) - len(flat)
    return functional.pad(flat, (0, 0, 0, extra)) if extra else flat


def _product(one: Tensor, other: Tensor, bias: Tensor | None = None) -> Tensor:
    """(r, k) times the transposed (c, k), by oneDNN."""
    if _kind == "bfloat16":
        product: Tensor = _onednn(one.bfloat16(), _rounded(other), None).float()
        return product if bias is None else product.add_(bias)
    return _onednn(one, other, bias)


def _onednn(one: Tensor, other: Tensor, bias: Tensor | None) -> Tensor:
    product: Tensor = torch.ops.mkldnn._linear_pointwise(_dense(one), _dense(other), bias, "none", [], "")
    return product


def _dense(matrix: Tensor) -> Tensor:
    """Without gaps between its rows or columns, over which oneDNN is a hundred times slower."""
    return matrix if matrix.is_contiguous() or matrix.t().is_contiguous() else matrix.contiguous()


_rounded_weights: dict[int, tuple[nn.Parameter, int, Tensor]] = {}


def _rounded(matrix: Tensor) -> Tensor:
    """In bfloat16; weights are rounded once after each change."""
    weight = matrix if matrix._base is None else matrix._base
    if not isinstance(weight, nn.Parameter) or not weight.is_contiguous():
        return matrix.bfloat16()
    known = _rounded_weights.get(id(weight))
    if known is None or known[0] is not weight or known[1] != weight._version:
        known = _rounded_weights[id(weight)] = (weight, weight._version, weight.detach().bfloat16())
    return known[2].as_strided(matrix.shape, matrix.stride(), matrix.storage_offset())


# Which way is the fastest


@dataclasses.dataclass(frozen=True)
class Choice:
    """How a training or an evaluation multiplies."""

    kind: Kind
    reason: str
    """A sentence for the log; empty where there was nothing to choose."""


def choose(wanted: str, *, hidden: int, intermediate: int, device: str = "cpu") -> Choice:
    """The way that is wanted, or with `auto` the fastest whose error is float32's, for a model of this size."""
    if wanted not in ("auto", *KINDS):
        raise InputError(f"products '{wanted}' is not one of auto, {', '.join(KINDS)}.")
    if device != "cpu" or (wanted == "auto" and hidden < NARROWEST):
        return Choice("mkl", "")
    if wanted == "mkl":
        return Choice("mkl", "Products by MKL, as was asked for.")
    found = _probed(hidden, intermediate)
    usual = found["mkl"]
    if wanted != "auto":
        if wanted not in found:
            raise InputError(f"this CPU or this PyTorch cannot compute products by {wanted}; give mkl or auto.")
        return Choice(wanted, f"Products by {wanted}, as was asked for.")  # type: ignore[arg-type]
    exact: dict[Kind, float] = {
        name: usual["seconds"] / found[name]["seconds"]
        for name in KINDS
        if name in found and found[name]["error"] < LARGEST_ERROR
    }
    fastest = max(exact, key=lambda name: exact[name])
    if exact[fastest] < FASTER:
        return Choice("mkl", "Products by MKL: no other way is much faster here.")
    error = found[fastest]["error"]
    return Choice(fastest, f"Products by {fastest}: {exact[fastest]:.1f} times as fast here as MKL, error {error:.0e}.")


def _probed(hidden: int, intermediate: int) -> dict[str, dict[str, float]]:
    """Seconds and error of each kind that works, from the cache or from a child process."""
    name = f"{_machine()}-{hidden}-{intermediate}-{torch.get_num_threads()}"
    path = cache_dir() / "products" / f"{hashlib.sha256(name.encode()).hexdigest()[:32]}.json"
    with contextlib.suppress(OSError, ValueError, TypeError, KeyError):
        kept = json.loads(path.read_text(encoding="utf-8"))
        if kept["of"] == name and "mkl" in kept["found"]:
            return {
                str(kind): {"seconds": float(one["seconds"]), "error": float(one["error"])}
                for kind, one in kept["found"].items()
            }
    found = _in_a_child(hidden, intermediate)
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_json(path, {"of": name, "found": found})
    return found


def _machine() -> str:
    """The CPU and the PyTorch that multiply."""
    model = platform.processor()
    with contextlib.suppress(OSError):
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").split("\n\n")[0].splitlines()
        parts = ("model name", "cpu family", "model", "stepping", "flags", "Features")
        model = "; ".join(line for line in lines if line.split("\t")[0].strip() in parts)
    return f"{platform.machine()}; {model}; torch {torch.__version__}"


def _in_a_child(hidden: int, intermediate: int) -> dict[str, dict[str, float]]:
    """One line for each kind; where the child dies, for those before."""
    sizes = map(str, (hidden, intermediate, torch.get_num_threads()))
    command = [sys.executable, "-c", program_of("mtvm.products"), *sizes]
    alone = {name: value for name, value in os.environ.items() if name not in ("WORLD_SIZE", "RANK", "LOCAL_RANK")}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=alone)
    found: dict[str, dict[str, float]] = {"mkl": {"seconds": 1.0, "error": 0.0}}
    for line in done.stdout.splitlines():
        name, seconds, error = line.split()
        found[name] = {"seconds": float(seconds), "error": float(error)}
    return found


def main(hidden: str, intermediate: str, threads: str) -> None:
    """What the child does."""
    torch.set_num_threads(int(threads))
    _probe(int(hidden), int(intermediate))


def _probe(hidden: int, intermediate: int) -> None:
    """Print seconds and error of each kind, those that may not work last."""
    generator = torch.Generator().manual_seed(0)

    def draw(*shape: int) -> Tensor:
        return torch.randn(*shape, generator=generator)

    sizes = [(hidden, 3 * hidden), (hidden, intermediate), (intermediate, hidden)]
    cases = [(draw(_PROBED_ROWS, width), draw(wide, width), draw(_PROBED_ROWS, wide)) for width, wide in sizes]

    def work() -> list[Tensor]:
        results = []
        for values, weight, gradient in cases:
            leaves = values.requires_grad_(), weight.requires_grad_()
            result = linear(*leaves)
            results += [result.detach(), *torch.autograd.grad(result, leaves, gradient)]
        return results

    exact = []
    for values, weight, gradient in cases:
        wide = [part.detach().double() for part in (values, weight, gradient)]
        exact += [wide[0] @ wide[1].t(), wide[2] @ wide[1], wide[2].t() @ wide[0]]
    for name in KINDS:
        with using(name):
            error = max(float((a - b).norm() / b.norm()) for a, b in zip(work(), exact, strict=True))
            seconds = statistics.median(_timed(work) for _ in range(9))
        print(name, seconds, error, flush=True)


def _timed(work: Callable[[], object]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started

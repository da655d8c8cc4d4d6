"""What an update of a run would cost on many GPUs, on paper: operations, bytes, latency, and what would bind first.

    python benchmarks/plan.py                                  # the preset `paper`
    python benchmarks/plan.py --preset r2r-map --batch 256 --gpus 1 8 64

Counted: the operations of an episode's steps (as `mtvm inspect` counts them), the dispatched operations of a step, the
weights, and how often processes meet. Assumed, and options: what a GPU and its network reach. Nothing here is measured
on a GPU.
"""

from __future__ import annotations

import argparse
import dataclasses

import torch
from rich.console import Console
from rich.table import Table
from torch.utils._python_dispatch import TorchDispatchMode

from mtvm.configs.presets import PRESETS
from mtvm.models.config import ModelConfig
from mtvm.models.inspect import parts
from mtvm.models.network import Network, make_network
from mtvm.models.text import Tokens

BACKWARD = 2.0
"""The operations of a backward pass, as a multiple of the forward pass's."""
MEETINGS = 5
"""All-reduces of an update: counts of tokens of two rollouts, gradients and who has them, and what is logged."""
LONGEST = 1.5
"""Steps of the longest walk of a batch, as a multiple of the mean: all are stepped together."""


class Dispatches(TorchDispatchMode):
    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def __torch_dispatch__(self, function, types, arguments=(), named=None):
        self.count += 1
        return function(*arguments, **(named or {}))


def outline(config: ModelConfig) -> Network:
    """A model whose weights are never drawn: only its sizes count."""
    with torch.device("meta"):
        model = make_network(config)
    model.to_empty(device="cpu")
    for buffer in model.buffers():
        buffer.zero_()
    return model


def dispatches_of_a_step(config: ModelConfig, words: int, memory: int, candidates: int) -> int:
    """Of a forward step, which do not depend on widths."""
    narrow = dataclasses.replace(config, hidden=8 * config.heads, intermediate=16, critic_hidden=8)
    model = outline(narrow).eval()
    ids = torch.ones(2, words, dtype=torch.long)
    actions, mask = torch.zeros(2, candidates + 1, narrow.token_width), torch.ones(2, candidates + 1, dtype=torch.bool)
    mask[1, 0] = False
    direction, panorama = torch.zeros(2, narrow.angle_width), torch.zeros(2, 36, narrow.token_width)
    with torch.no_grad():
        text = model.encode(Tokens(ids, ids))
        past = model.start(text, direction)
        for _ in range(memory + 1):
            with Dispatches() as counting:
                step = model.step(text, past, actions, mask)
                model.value(step)
                past = model.remember(past, step, torch.ones(2, dtype=torch.long), direction, panorama)
    return counting.count


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--preset", choices=PRESETS, default="paper")
    parser.add_argument("--batch", type=int, help="episodes an update, over all GPUs; default: 64 for each GPU")
    parser.add_argument("--gpus", type=int, nargs="+", default=[1, 8, 64])
    parser.add_argument("--words", type=int, default=32)
    parser.add_argument("--steps", type=float, default=7, help="of an episode")
    parser.add_argument("--rollouts", type=int, default=2, help="of an update")
    parser.add_argument("--teraflops", type=float, default=120, help="that a GPU reaches in bf16 on products")
    parser.add_argument("--launch", type=float, default=5, help="microseconds of CPU time of a dispatched operation")
    parser.add_argument("--inside", type=float, default=150, help="GB/s of an all-reduce inside a machine")
    parser.add_argument("--between", type=float, default=20, help="GB/s between machines of eight GPUs")
    parser.add_argument("--latency", type=float, default=30, help="microseconds of a meeting, for each doubling")
    chosen = parser.parse_args()
    preset = PRESETS[chosen.preset]
    config, memory, candidates = preset.network, round(chosen.steps / 2), 5
    model = outline(config)
    listed = parts(model, chosen.words, memory, candidates)
    variants = 2 if preset.loss.consistency.enabled else 1
    once = variants * sum(part.flops for part in listed if part.once)
    each = variants * sum(part.flops for part in listed if not part.once)
    episode = (1 + BACKWARD) * (once + chosen.rollouts * chosen.steps * each)
    weights = sum(one.numel() for one in model.parameters() if one.requires_grad)
    dispatched = dispatches_of_a_step(config, chosen.words, memory, candidates)
    launches = (1 + BACKWARD) * chosen.rollouts * LONGEST * chosen.steps * dispatched
    print(
        f"{chosen.preset}: {weights / 1e6:.1f} million trained weights, {episode / 1e9:.1f} GFLOP an episode and "
        f"update, {dispatched} dispatched operations a step, {launches:.0f} an update"
    )
    table = Table("GPUs", "batch", "products ms", "launches ms", "gradients MB", "sum ms", "meetings ms", "binds first")
    for gpus in chosen.gpus:
        batch, doublings = chosen.batch or 64 * gpus, (gpus - 1).bit_length()
        speed = chosen.inside if gpus <= 8 else chosen.between
        found = {
            "products": 1e3 * episode * batch / gpus / (chosen.teraflops * 1e12),
            "launches": 1e-3 * launches * chosen.launch,
            "sum": 1e3 * 2 * (gpus - 1) / gpus * 4 * weights / (speed * 1e9),
            "meetings": 1e-3 * MEETINGS * chosen.latency * doublings,
        }
        cells = [f"{found[name]:.1f}" for name in ("products", "launches")]
        cells += [f"{4 * weights / 1e6:.0f}", f"{found['sum']:.1f}", f"{found['meetings']:.1f}"]
        table.add_row(str(gpus), str(batch), *cells, max(found, key=lambda name: found[name]))
    Console(highlight=False, width=110).print(table)


if __name__ == "__main__":
    main()

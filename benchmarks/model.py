"""What a rollout costs, against a plain restatement of the usual computation in the same run.

    python benchmarks/model.py                 # hidden 256 (3 + 2 layers) and the paper's size
    python benchmarks/model.py --sizes small-256 --repeats 5
    python benchmarks/model.py --sizes paper --only evaluation   # plain training of 16 episodes does not fit into 24 GB

Both compute the same losses on the same synthetic episodes with the same weights: instructions of R2R's lengths, 2 to 8
candidates, a teacher-forced rollout of 5 to 7 steps and a sampled one of 4 to 15. The plain one pads every text to 80
tokens, encodes it anew for each rollout, runs full and dropped instructions one after the other, has separate products
for queries, keys and values, writes the attention out, and keeps episodes that have ended in the batch.
"""

from __future__ import annotations

import argparse
import copy
import dataclasses
import math
import statistics
import subprocess
import sys
import time
from collections.abc import Collection, Sequence

import torch
from process_memory import forget_peak, memory_megabytes
from torch import Tensor
from torch.nn import functional

from mtvm.configs.run import ConsistencyConfig, OptimizerConfig
from mtvm.learning.losses.consistency import Consistency, kl_divergence
from mtvm.learning.optimizer import make_optimizer
from mtvm.learning.texts import EncodedTexts
from mtvm.models.attention import FeedForward, Heads, Residual, SelfAttention
from mtvm.models.config import PRESETS, ModelConfig
from mtvm.models.dropout import Dropout
from mtvm.models.inspect import count_flops
from mtvm.models.language import Text
from mtvm.models.model import MTVM
from mtvm.models.text import MASK, PAD, Tokens, drop_words

SIZES = {
    "small-256": dataclasses.replace(
        PRESETS["paper"], hidden=256, heads=4, intermediate=1024, language_layers=3, crossmodal_layers=2
    ),
    "paper": PRESETS["paper"],
}
LOSS = ConsistencyConfig()
LANGUAGE_WEIGHT, CROSSMODAL_WEIGHT = Consistency(LOSS).weights
JOBS = ("memory", "training", "evaluation")


@dataclasses.dataclass
class Episodes:
    """A synthetic batch: what a rollout would be given."""

    tokens: Tokens
    steps: Tensor
    """(B,) how many steps each episode takes."""
    actions: list[Tensor]
    """For each step (B, A, token width): candidates, then STOP, zeros for STOP and padding."""
    masks: list[Tensor]
    """For each step (B, A)."""


def make_episodes(config: ModelConfig, batch: int, steps: tuple[int, int], seed: int) -> Episodes:
    """Of any seed, the texts are the same: an update walks its batch in two ways."""
    generator = torch.Generator().manual_seed(0)

    def draw(low: int, high: int) -> Tensor:
        return torch.randint(low, high + 1, (batch,), generator=generator)

    lengths = (20 + 25 * torch.rand(batch, generator=generator) ** 1.5).long()  # R2R: about 32 pieces, up to 80
    lengths[0] = 60
    ids = torch.randint(1000, 30000, (batch, int(lengths.max())), generator=generator)
    places = torch.arange(ids.shape[1])
    real = places < lengths[:, None]
    words = torch.where(places < lengths[:, None] - 1, places, -1)
    generator.manual_seed(seed)
    count = draw(*steps)
    counts = [draw(2, 8) for _ in range(int(count.max()))]
    actions, masks = [], []
    for number in counts:
        views = torch.randn(batch, int(number.max()), config.token_width, generator=generator)
        views *= (torch.arange(views.shape[1]) < number[:, None])[..., None]
        actions.append(functional.pad(views, (0, 0, 0, 1)))
        masks.append(torch.arange(views.shape[1] + 1) <= number[:, None])
    return Episodes(Tokens(ids.masked_fill(~real, PAD), words.expand_as(ids)), count, actions, masks)


def our_rollout(model: MTVM, episodes: Episodes, text: Text) -> Tensor:
    """Consistency and imitation-like losses of a rollout, if the texts have a variant with words dropped."""
    running, learn = torch.arange(len(episodes.steps)), text.variants > 1
    loss, past = torch.zeros(()), model.start(text)
    if learn:
        full, dropped = text.variant(0), text.variant(1)
        loss = LANGUAGE_WEIGHT * _mean(kl_divergence(full.states, dropped.states, full.real))
    for number in range(int(episodes.steps.max())):
        mask = episodes.masks[number][running]
        length = int(mask.sum(dim=1).max())
        actions, mask = episodes.actions[number][running][:, :length], mask[:, :length]
        step, *others = model.step(text, past, actions, mask, need_context=learn).variants(text.variants)
        for other in others:
            one, two = (torch.cat([output.text, output.stream], dim=1) for output in (step, other))
            compared = torch.cat([text.real, step.stream_mask], dim=1)
            loss = loss + CROSSMODAL_WEIGHT * _mean(kl_divergence(one, two, compared))
            loss = loss - step.logits.log_softmax(dim=1)[:, 0].mean() + model.value(step).mean()
        past = model.remember(
            past, step, torch.zeros_like(running), torch.zeros(len(running), model.config.angle_width)
        )
        going = torch.nonzero(episodes.steps[running] > number + 1)[:, 0]
        if len(going) < len(running):
            running, past, text = running[going], past.keep(going), text.keep(going)
    return loss


def _mean(summed: tuple[Tensor, Tensor]) -> Tensor:
    total, count = summed
    return total / count


def our_training(model: MTVM, walked: Sequence[Episodes]) -> None:
    """The gradients of several rollouts of the same texts, which are encoded once."""
    tokens = walked[0].tokens
    texts = EncodedTexts(model, [tokens, drop_words(tokens, LOSS.drop_rate)[0]])
    for episodes in walked:
        our_rollout(model, episodes, texts.text).backward()
    texts.backward()


class Plain:
    """The same weights, used the usual way: torch's own dropout, attention written out, all tokens padded."""

    def __init__(self, model: MTVM) -> None:
        shared = {id(parameter): parameter for parameter in model.parameters()}
        self.model = copy.deepcopy(model, shared)
        for module in list(self.model.modules()):
            for name, child in module.named_children():
                if isinstance(child, Dropout):
                    setattr(module, name, torch.nn.Dropout(child.p))
        for bert in (self.model.language.bert, self.model.language.reader):
            if bert is not None:
                bert.set_attn_implementation("eager")
        self.feature_dropout = torch.nn.Dropout(self.model.config.feature_dropout)
        self.model.token_encoder.feature_dropout = 0.0  # it is applied here

    def train(self, mode: bool) -> None:
        self.model.train(mode)
        self.feature_dropout.train(mode)

    def encode(self, ids: Tensor) -> Tensor:
        """(B, L, hidden) X of padded texts. A frozen reader, if there is one, reads them each time."""
        language, mask = self.model.language, (ids != PAD).long()
        if language.reader is None:
            return language.bert(input_ids=ids, attention_mask=mask).last_hidden_state
        with torch.no_grad():
            states = language.reader(input_ids=ids, attention_mask=mask).last_hidden_state
        return language.bert(inputs_embeds=language.project(states), attention_mask=mask).last_hidden_state

    def stream(self, memory: Tensor, current: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """The embedded [M; V] and its mask; `current` (B, K + 1, token width) has STOP after the last candidate."""
        width = self.model.config.feature_width
        scaled = [current[..., :width] * self.model.config.feature_scale, current[..., width:]]
        tokens = torch.cat([memory, torch.cat(scaled, dim=-1)], dim=1)
        tokens = torch.cat([self.feature_dropout(tokens[..., :width]), tokens[..., width:]], dim=-1)
        stream_mask = torch.cat([torch.ones(memory.shape[:2], dtype=torch.bool), mask], dim=1)
        kinds = torch.cat(
            [torch.ones(memory.shape[1], dtype=torch.long), torch.zeros(current.shape[1], dtype=torch.long)]
        )
        positions = torch.arange(tokens.shape[1]).expand_as(stream_mask)
        return self.model.embedding(self.model.token_encoder(tokens), positions, kinds), stream_mask

    def attention(self, heads: Heads, queries: Tensor, context: Tensor, mask: Tensor) -> Tensor:
        hidden = queries.shape[-1]
        weight, bias = heads.qkv.weight.split(hidden), heads.qkv.bias.split(hidden)
        split = (len(queries), -1, heads.heads, hidden // heads.heads)
        query, key, value = (
            functional.linear(tokens, weight[i], bias[i]).view(split).permute(0, 2, 1, 3)
            for i, tokens in enumerate((queries, context, context))
        )
        scores = query @ key.transpose(-1, -2) / math.sqrt(query.shape[-1]) + mask[:, None, None, :]
        weights = functional.dropout(scores.softmax(dim=-1), heads.dropout, heads.training)
        return (weights @ value).permute(0, 2, 1, 3).contiguous().view(queries.shape)

    def block(self, heads: Heads, output: Residual, tokens: Tensor, context: Tensor, mask: Tensor) -> Tensor:
        return output(self.attention(heads, tokens, context, mask), tokens)

    def crossmodal(self, text: Tensor, stream: Tensor, real: Tensor, stream_mask: Tensor) -> tuple[Tensor, Tensor]:
        words, places = (1.0 - real.float()) * -100000.0, (1.0 - stream_mask.float()) * -10000.0
        for layer in self.model.crossmodal.layers:
            cross = layer.cross
            read = self.block(cross.attention, cross.output, stream, text, words)
            if self.model.config.bidirectional:
                seen = self.block(cross.attention, cross.output, text, stream, places)
                text = self.finish(layer.text_attention, layer.text_feed_forward, seen, words)
            stream = self.finish(layer.vision_attention, layer.vision_feed_forward, read, places)
        return text, stream

    def finish(self, attention: SelfAttention, feed_forward: FeedForward, tokens: Tensor, mask: Tensor) -> Tensor:
        attended = self.block(attention.attention, attention.output, tokens, tokens, mask)
        return feed_forward(attended)

    def value(self, text: Tensor, stream: Tensor, real: Tensor, stream_mask: Tensor) -> Tensor:
        """(B,) of the critic."""
        pooler = self.model.pooler
        mixed = pooler.mix((text * real[..., None]).transpose(1, 2))[..., 0]
        seen = (stream * stream_mask[..., None]).sum(dim=1) / stream_mask.sum(dim=1, keepdim=True)
        return self.model.critic(torch.tanh(pooler.dense(mixed + seen)))[:, 0]

    def divergence(self, one: Tensor, other: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """The Kullback-Leibler divergences in both directions, summed over real tokens; and how many these are."""
        first, second = one[mask].log_softmax(dim=-1), other[mask].log_softmax(dim=-1)
        there = functional.kl_div(second, first, reduction="sum", log_target=True)
        back = functional.kl_div(first, second, reduction="sum", log_target=True)
        return there + back, mask.sum()

    def training(self, walked: Sequence[Episodes]) -> None:
        """The gradients of several rollouts, one after the other, so that they fit into memory."""
        for episodes in walked:
            self.rollout(episodes, True).backward()

    def rollout(self, episodes: Episodes, train: bool, passes: int = 2) -> Tensor:
        model, config = self.model, self.model.config
        self.train(train)
        ids = functional.pad(episodes.tokens.ids, (0, config.text_length - episodes.tokens.ids.shape[1]))
        real = ids != PAD
        texts = [self.encode(ids)]
        loss = torch.zeros(())
        if passes == 2:
            _, dropped = drop_words(episodes.tokens, LOSS.drop_rate)
            dropped = functional.pad(dropped, (0, config.text_length - dropped.shape[1]))
            texts.append(self.encode(ids.masked_fill(dropped, MASK)))
        if train:
            loss = LANGUAGE_WEIGHT * _mean(self.divergence(texts[0], texts[1], real))
        memory = torch.zeros(len(ids), 0, config.token_width)
        for number in range(int(episodes.steps.max())):
            current, mask = episodes.actions[number], episodes.masks[number]
            stream, stream_mask = self.stream(memory, current, mask)
            outputs = [self.crossmodal(text, stream, real, stream_mask) for text in texts]
            scores, activations = model.head(outputs[0][1][:, memory.shape[1] :])
            if train:
                joined = [torch.cat(output, dim=1) for output in outputs]
                tokens = torch.cat([real, stream_mask], dim=1)
                loss = loss + CROSSMODAL_WEIGHT * _mean(self.divergence(joined[0], joined[1], tokens))
                loss = loss - scores.masked_fill(~mask, -1e9).log_softmax(dim=1)[:, 0].mean()
                loss = loss + self.value(*outputs[0], real, stream_mask).mean()
            token = torch.cat([activations[:, 0], torch.zeros(len(ids), config.angle_width)], dim=1)
            memory = torch.cat([memory, token[:, None]], dim=1)
        return loss


def peak_gflops() -> float:
    matrix = torch.randn(2048, 2048)
    times = [_timed(lambda: matrix @ matrix) for _ in range(7)]
    return 2 * 2048**3 / min(times) / 1e9


def _timed(work) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def measure(config: ModelConfig, batch: int, repeats: int, only: Collection[str]) -> None:
    torch.manual_seed(0)
    model = MTVM(config)
    plain = Plain(model)
    optimizers = {
        "ours": make_optimizer(model, OptimizerConfig(lr=1e-6)),
        "plain": torch.optim.AdamW(model.parameters(), lr=1e-6),
    }
    forced, sampled = make_episodes(config, batch, (5, 7), 1), make_episodes(config, batch, (4, 15), 2)
    full = make_episodes(config, batch, (15, 15), 3)

    def iterate(name: str) -> None:
        model.train()
        optimizers[name].zero_grad(set_to_none=True)
        trainings[name]((forced, sampled))
        optimizers[name].step()

    def evaluate(name: str) -> None:
        model.eval()
        with torch.inference_mode():
            evaluations[name](full)

    trainings = {"ours": lambda walked: our_training(model, walked), "plain": plain.training}
    evaluations = {
        "ours": lambda episodes: our_rollout(model, episodes, model.encode(episodes.tokens)),
        "plain": lambda episodes: plain.rollout(episodes, False),
        "plain, one pass": lambda episodes: plain.rollout(episodes, False, passes=1),
    }
    jobs = [*(("training", name) for name in trainings), *(("evaluation", name) for name in evaluations)]
    jobs = [(job, name) for job, name in jobs if job in only]
    times: dict[tuple[str, str], list[float]] = {job: [] for job in jobs}
    evaluate("ours")  # the first run of anything is slower
    for _ in range(repeats):
        for job, name in jobs:
            work = iterate if job == "training" else evaluate
            times[job, name].append(_timed(lambda work=work, name=name: work(name)))
    median = {job: statistics.median(taken) for job, taken in times.items()}
    for job, name in jobs:
        ratio = median[job, name] / median[job, "ours"]
        print(f"  {job:<11} {name:<16} {median[job, name]:8.2f} s   {ratio:.1f}x")
    if "evaluation" not in only:
        return
    peak = peak_gflops()
    with torch.no_grad():
        _, flops = count_flops(model.eval(), lambda: our_rollout(model, full, model.encode(full.tokens)))
    reached = flops.total / median["evaluation", "ours"] / 1e9
    print(f"  evaluation reaches {reached:.0f} GFLOP/s, {100 * reached / peak:.0f}% of this machine's {peak:.0f}")


def peak_memory(size: str, batch: int, way: str) -> float:
    """GB at the peak of one training iteration, in a process of its own."""
    done = subprocess.run(
        [sys.executable, __file__, "--sizes", size, "--batch", str(batch), "--memory-of", way],
        capture_output=True,
        text=True,
        check=True,
    )
    return float(done.stdout.strip().splitlines()[-1])


def report_memory(config: ModelConfig, batch: int, way: str) -> None:
    model = MTVM(config).train()
    episodes = [make_episodes(config, batch, steps, seed) for seed, steps in ((1, (5, 7)), (2, (4, 15)))]
    forget_peak()
    before = memory_megabytes("VmRSS")
    if way == "ours":
        our_training(model, episodes)
    else:
        Plain(model).training(episodes)
    print((memory_megabytes("VmHWM") - before) / 1000)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", nargs="+", choices=SIZES, default=list(SIZES))
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--only", nargs="+", choices=JOBS, default=JOBS)
    parser.add_argument("--memory-of", choices=("ours", "plain"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.memory_of:
        report_memory(SIZES[arguments.sizes[0]], arguments.batch, arguments.memory_of)
        return
    for size in arguments.sizes:
        config = SIZES[size]
        layers = f"{config.language_layers} + {config.crossmodal_layers} layers"
        print(f"{size}: hidden {config.hidden}, {layers}, batch {arguments.batch}, {torch.get_num_threads()} threads")
        if "memory" in arguments.only:
            ours, theirs = (peak_memory(size, arguments.batch, way) for way in ("ours", "plain"))
            print(
                f"  training memory above the model: ours {ours:.2f} GB   plain {theirs:.2f} GB   {theirs / ours:.1f}x"
            )
        measure(
            config, arguments.batch, arguments.repeats, arguments.only
        )  # last: what it has used it does not give back


if __name__ == "__main__":
    main()

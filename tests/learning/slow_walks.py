"""One episode walked alone, slowly, by the model's own functions: what rollouts of a batch are compared with."""

import dataclasses
from types import SimpleNamespace

import numpy as np
import torch
from small_runs import SMALL

from mtvm.learning.rollout import roll_out
from mtvm.models.parts import HISTORIES
from mtvm.tasks.rewards import Rewards
from mtvm.tasks.teacher import Teacher
from mtvm.world.explored import ExploredMap
from mtvm.world.simulator import Simulator

ROWS = np.array([3, 0, 17, 8, 30])
STEPS = 6
KINDS = [{"history": history} for history in HISTORIES] + [
    {"architecture": {"bidirectional": False}},
    {"architecture": {"bidirectional": False}, "history": "recurrent"},
    {"history": {"steps": 2}},
    {"architecture": "vlnbert"},
]


def draws_of(seed, *shape):
    return torch.rand(*shape, generator=torch.Generator().manual_seed(seed))


def varied(loss, tokens, draws=None):
    """The variant that a loss makes of texts, token by token; None for none."""
    return loss.vary(SimpleNamespace(tokens=tokens), word_draws() if draws is None else draws)


def with_variants(plan, tokens, *losses):
    """The plan of an update whose losses vary the texts, and the texts in all variants."""
    made = {loss: one for loss in losses if (one := varied(loss, tokens)) is not None}
    numbered = {loss: dataclasses.replace(one, number=1 + number) for number, (loss, one) in enumerate(made.items())}
    return dataclasses.replace(plan, variants=numbered), [tokens, *(one.tokens for one in made.values())]


def rolled_out(model, vision, episodes, tokens, plan, *losses, keep_steps=True, **options):
    """`roll_out` with texts that are encoded for it, also in the variants of losses."""
    plan, texts = with_variants(plan, tokens, *losses)
    text = model.encode(*texts)
    return roll_out(model, vision, episodes, text, plan, keep_steps=keep_steps, **options)


@dataclasses.dataclass
class Walk:
    """What one episode did, step by step."""

    nodes: list
    views: list
    texts: list
    logits: list = dataclasses.field(default_factory=list)
    teacher: list = dataclasses.field(default_factory=list)
    chosen: list = dataclasses.field(default_factory=list)
    values: list = dataclasses.field(default_factory=list)
    rewards: list = dataclasses.field(default_factory=list)
    steps: list = dataclasses.field(default_factory=list)
    dropped: list = dataclasses.field(default_factory=list)
    bootstrap: float = 0.0


@torch.no_grad()
def walk_slowly(model, vision, episodes, tokens, row, choose, max_steps=STEPS, masked=None):
    """One episode alone; `choose(number, logits, teacher)` gives the action, `masked` the text with words dropped."""
    alone = episodes.select([row])
    simulator = Simulator(alone.world)
    simulator.reset(alone.starts, alone.headings)
    rewards, teacher = Rewards(alone), Teacher(alone)
    text = model.encode(tokens.select(torch.tensor([row])))
    other = None if masked is None else model.encode(masked.select(torch.tensor([row])))
    known = ExploredMap(simulator) if model.config.actions == "map" else None
    look = simulator.observe if known is None else known.observe
    past = model.start(text, vision.facing(simulator.view))
    walk = Walk([int(simulator.node[0])], [int(simulator.view[0])], [text, other])
    for number in range(max_steps):
        seen = look()
        step = model.step(text, past, *vision.actions(seen))
        if other is not None:
            walk.dropped.append(model.step(other, past, *vision.actions(seen)))
        stop = int(seen.count[0])
        right = int((teacher.actions(seen.node) if known is None else teacher.actions_on_map(seen))[0])
        action = choose(number, step.logits[0], right)
        walk.steps.append(step)
        walk.logits.append(step.logits[0])
        walk.teacher.append(right)
        walk.chosen.append(action)
        walk.values.append(model.value(step)[0])
        panorama = vision.panorama(seen)
        walked = simulator.step([action]) if known is None else known.go(seen, np.array([action]))
        walk.rewards.append(rewards.step(walked, np.array([action == stop]))[0])
        if action == stop:
            return walk
        walk.nodes += walked[0].tolist()
        walk.views += [int(simulator.view[0])] * walked.shape[1]
        past = model.remember(past, step, torch.tensor([action]), vision.facing(simulator.view), panorama)
    walk.bootstrap = float(model.value(model.step(text, past, *vision.actions(look()))))
    return walk


def greedy(number, logits, teacher):
    return int(logits.argmax())


def drawing(draws, row):
    """Inverse CDF in plain Python."""

    def choose(number, logits, teacher):
        left = float(draws[number, row])
        chances = logits.detach().double().softmax(dim=0).tolist()
        for action, chance in enumerate(chances):
            left -= chance
            if left < 0:
                return action
        return len(chances) - 1

    return choose


def assert_close(found, expected, tolerance=2e-4):
    torch.testing.assert_close(torch.as_tensor(found), torch.as_tensor(expected), atol=tolerance, rtol=tolerance)


def assert_same_walk(trace, row, walk):
    length = len(walk.nodes)
    assert trace.nodes[row, :length].tolist() == walk.nodes
    assert trace.views[row, :length].tolist() == walk.views
    assert (trace.nodes[row, length:] == -1).all()
    assert trace.lengths[row] == len(walk.logits)
    assert int(trace.live[:, row].sum()) == len(walk.logits)


def visited(trace, row):
    nodes = trace.nodes[row]
    return nodes[nodes >= 0].tolist()


def word_draws(seed=6):
    """More than any text of these tests has words."""
    return draws_of(seed, len(ROWS), SMALL.text_length)

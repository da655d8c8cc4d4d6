"""Rollouts of a batch against each episode walked alone, slowly, by the model's own functions."""

import dataclasses
import itertools

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from small_runs import SMALL, lively_model

from mtvm.features.store import FeatureStore
from mtvm.learning.consistency import ConsistencyConfig, divergence
from mtvm.learning.losses import LossConfig, rollout_loss
from mtvm.learning.rewards import Rewards
from mtvm.learning.rollout import RolloutPlan, roll_out
from mtvm.learning.teacher import Teacher
from mtvm.learning.vision import Vision
from mtvm.models import agent as agents
from mtvm.models.config import HISTORIES
from mtvm.models.text import drop_words
from mtvm.world.simulator import STOP, Simulator

ROWS = np.array([3, 0, 17, 8, 30])
STEPS = 6
KINDS = [{"history": history} for history in HISTORIES] + [
    {"bidirectional": False},
    {"bidirectional": False, "history": "recurrent"},
    {"memory_steps": 2},
]


@pytest.fixture(scope="module")
def some(tiny_r2r):
    return tiny_r2r.select(ROWS)


@pytest.fixture(scope="module")
def words(tokens):
    return tokens.select(torch.from_numpy(ROWS))


@pytest.fixture(scope="module")
def a_model():
    return lively_model()


def noise_of(seed, *shape):
    return torch.rand(*shape, generator=torch.Generator().manual_seed(seed))


@dataclasses.dataclass
class Walk:
    """What one episode did, step by step."""

    nodes: list
    views: list
    logits: list
    teacher: list
    chosen: list
    values: list
    rewards: list
    texts: list
    steps: list
    dropped: list
    bootstrap: float = 0.0


@torch.no_grad()
def walk_slowly(model, vision, episodes, tokens, row, choose, max_steps=STEPS, masked=None):
    """One episode alone; `choose(number, logits, teacher)` gives the place, `masked` the text with words dropped."""
    alone = episodes.select([row])
    simulator = Simulator(alone.world)
    simulator.reset(alone.starts, alone.headings)
    paths = (nodes.astype(np.int64) for nodes in (alone.references, alone.via, alone.goals))
    rewards = Rewards(alone.world, simulator.node, *paths)
    text = model.encode(tokens.select(torch.tensor([row])))
    other = None if masked is None else model.encode(masked.select(torch.tensor([row])))
    past = model.start(text)
    walk = Walk([int(simulator.node[0])], [int(simulator.view[0])], [], [], [], [], [], [text, other], [], [])
    ends = alone.reference_ends.astype(np.int64)

    def look():
        seen = simulator.observe(ends)
        return seen, vision.candidates(seen), torch.from_numpy(seen.count)

    for number in range(max_steps):
        seen, candidates, counts = look()
        step = model.step(text, past, candidates, counts)
        if other is not None:
            walk.dropped.append(model.step(other, past, candidates, counts))
        count = int(seen.count[0])
        teacher = count if seen.teacher[0] == STOP else int(seen.teacher[0])
        place = choose(number, step.logits[0], teacher)
        walk.steps.append(step)
        walk.logits.append(step.logits[0])
        walk.teacher.append(teacher)
        walk.chosen.append(place)
        walk.values.append(model.value(step)[0])
        panorama = vision.panorama(seen)
        simulator.step([STOP if place == count else place])
        walk.rewards.append(rewards.step(simulator.node, np.array([place == count]))[0])
        if place == count:
            return walk
        walk.nodes.append(int(simulator.node[0]))
        walk.views.append(int(simulator.view[0]))
        past = model.remember(past, step, torch.tensor([place]), vision.facing(simulator.view), panorama)
    walk.bootstrap = float(model.value(model.step(text, past, *look()[1:])))
    return walk


def greedy(number, logits, teacher):
    return int(logits.argmax())


def teaching(number, logits, teacher):
    return teacher


def drawing(noise, row):
    """Inverse CDF in plain Python."""

    def choose(number, logits, teacher):
        left = float(noise[number, row])
        chances = logits.detach().double().softmax(dim=0).tolist()
        for place, chance in enumerate(chances):
            left -= chance
            if left < 0:
                return place
        return len(chances) - 1

    return choose


def assert_close(found, expected, tolerance=2e-4):
    torch.testing.assert_close(torch.as_tensor(found), torch.as_tensor(expected), atol=tolerance, rtol=tolerance)


def assert_same_walk(rollout, row, walk):
    length = len(walk.nodes)
    assert rollout.nodes[row, :length].tolist() == walk.nodes
    assert rollout.views[row, :length].tolist() == walk.views
    assert (rollout.nodes[row, length:] == -1).all()
    assert int(rollout.live[:, row].sum()) == len(walk.logits)


def visited(rollout, row):
    nodes = rollout.nodes[row]
    return nodes[nodes >= 0].tolist()


# The teacher


def test_a_teacher_forced_rollout_walks_the_shortest_path_and_stops(vision, tiny_r2r, tokens):
    rollout = roll_out(lively_model(), vision, tiny_r2r, tokens, RolloutPlan("teacher", 15))
    for row, (start, end) in enumerate(zip(tiny_r2r.starts, tiny_r2r.reference_ends, strict=True)):
        assert visited(rollout, row) == tiny_r2r.world.shortest_path(int(start), int(end))
    assert rollout.stopped.all()
    assert rollout.live.sum(dim=0).tolist() == tiny_r2r.reference_lengths.tolist()
    assert rollout.steps == tiny_r2r.reference_lengths.sum()


def with_reference(episodes, path):
    """One episode whose reference is `path`, padded by two."""
    reference = np.array([[*path, -1, -1]], dtype=np.int32)
    return dataclasses.replace(episodes.select([0]), references=reference)


def detour(world, start):
    """A walk that is no shortest path: to a neighbour, back, to another place, and round again."""
    neighbours = world.graphs[0].neighbours(start).tolist()
    there = neighbours[0]
    onward = [node for node in world.graphs[0].neighbours(there).tolist() if node != start]
    return [start, there, start, there, *onward[:1]] if onward else [start, there, start, there]


@given(st.data())
@settings(max_examples=15, deadline=None)
def test_following_the_path_walks_the_reference_exactly(a_model, vision, tiny_r2r, tokens, data):
    world = tiny_r2r.world
    path = [data.draw(st.integers(0, len(world) - 1), label="start")]
    for _ in range(data.draw(st.integers(0, 8), label="length")):
        stays = data.draw(st.booleans(), label="stays")
        path.append(path[-1] if stays else data.draw(st.sampled_from(world.graphs[0].neighbours(path[-1]).tolist())))
    plan = RolloutPlan("teacher", 15, follow="path")
    rollout = roll_out(a_model, vision, with_reference(tiny_r2r, path), tokens.select(torch.tensor([0])), plan)
    moved = [path[0], *(there for here, there in itertools.pairwise(path) if here != there)]
    assert visited(rollout, 0) == moved
    assert rollout.stopped.all()


def test_following_the_goal_takes_the_shortest_way_of_a_winding_reference(vision, tiny_r2r, tokens):
    path = detour(tiny_r2r.world, int(tiny_r2r.starts[0]))
    plan = RolloutPlan("teacher", 15)
    rollout = roll_out(lively_model(), vision, with_reference(tiny_r2r, path), tokens.select(torch.tensor([0])), plan)
    assert visited(rollout, 0) == tiny_r2r.world.shortest_path(path[0], path[-1])


def test_an_agent_that_strays_is_led_back_to_where_it_left(tiny_r2r):
    teacher = Teacher(with_reference(tiny_r2r, [10, 11, 12, 13]), "path")
    asked = [(10, 11), (11, 12), (40, 12), (13, 12), (41, 12), (12, 13), (11, 13), (13, 13)]
    assert [int(teacher.heading_for(np.array([node]))[0]) for node, _ in asked] == [there for _, there in asked]


def test_a_path_that_crosses_itself_is_followed_in_order(tiny_r2r):
    teacher = Teacher(with_reference(tiny_r2r, [10, 11, 10, 12]), "path")
    assert [int(teacher.heading_for(np.array([node]))[0]) for node in (10, 11, 10, 12)] == [11, 10, 12, 12]


def test_staying_in_place_for_long_is_no_reason_to_stop(tiny_r2r):
    """Low-level paths of NDH repeat a viewpoint while somebody turns."""
    teacher = Teacher(with_reference(tiny_r2r, [10, 10, 10, 10, 11, 11, 12, 12, 12]), "path")
    assert [int(teacher.heading_for(np.array([node]))[0]) for node in (10, 11, 12)] == [11, 12, 12]


def test_the_teacher_forgets_the_episodes_that_ended(tiny_r2r):
    both = dataclasses.replace(
        tiny_r2r.select([0, 1]), references=np.array([[10, 11, -1], [20, 21, 22]], dtype=np.int32)
    )
    teacher = Teacher(both, "path")
    assert teacher.heading_for(np.array([10, 20])).tolist() == [11, 21]
    assert teacher.heading_for(np.array([11, 21])).tolist() == [11, 22]
    teacher.keep(np.array([1]))
    assert teacher.heading_for(np.array([22])).tolist() == [22]


# Alone or together


@pytest.mark.parametrize("changes", KINDS, ids=str)
@torch.no_grad()
def test_greedy_rollouts_are_those_of_each_episode_alone(changes, vision, some, words):
    model = lively_model(seed=2, **changes)
    plan = RolloutPlan("greedy", STEPS, probabilities=True)
    rollout = roll_out(model, vision, some, words, plan)
    for row in range(len(some)):
        walk = walk_slowly(model, vision, some, words, row, greedy)
        assert_same_walk(rollout, row, walk)
        assert bool(rollout.stopped[row]) == (walk.chosen[-1] == len(walk.logits[-1]) - 1)
        traced = [(trace, trace.rows.tolist().index(row)) for trace in rollout.traces if row in trace.rows]
        for (trace, place), logits in zip(traced, walk.logits, strict=True):
            count = int(trace.counts[place])
            assert count == len(logits) - 1
            assert_close(trace.probabilities[place, : count + 1], logits.softmax(dim=0))
            assert (trace.probabilities[place, count + 1 :] == 0).all()


@torch.no_grad()
def test_episodes_end_at_different_times_in_these_tests(vision, some, words):
    """Otherwise the tests here would show little."""
    for changes in KINDS:
        rollout = roll_out(lively_model(seed=2, **changes), vision, some, words, RolloutPlan("greedy", STEPS))
        assert len(set(rollout.live.sum(dim=0).tolist())) > 1, changes


@pytest.mark.parametrize("changes", KINDS, ids=str)
def test_the_agent_that_others_hold_walks_the_same(changes, vision, some, words):
    model = lively_model(seed=2, **changes)
    rollout = roll_out(model, vision, some, words, RolloutPlan("greedy", STEPS))
    agent = agents.Agent(model)
    for row, episode in enumerate(some):
        simulator = Simulator(some.world)
        simulator.reset(some.starts[[row]], some.headings[[row]])
        agent.start(episode.text)
        walked = [int(simulator.node[0])]
        for _ in range(STEPS):
            seen = simulator.observe()
            features = vision.candidates(seen)[0, :, : SMALL.feature_width].numpy()
            around = vision.panorama(seen)[0, :, : SMALL.feature_width].numpy()
            view = agents.Observation(
                seen.headings[0],
                seen.elevations[0],
                features,
                heading=float(seen.heading[0]),
                elevation=float(seen.elevation[0]),
                panorama=around,
            )
            place = agent.act(view).place
            if place == agents.STOP:
                break
            simulator.step([place])
            walked.append(int(simulator.node[0]))
        assert visited(rollout, row) == walked


@pytest.mark.parametrize("changes", KINDS, ids=str)
def test_what_is_collected_equals_a_slow_reference(changes, vision, some, words):
    steps = 3  # so that some are cut
    model, noise = lively_model(seed=1, **changes), noise_of(5, steps, len(ROWS))
    plan = RolloutPlan("sample", steps, imitation=True, reinforcement=True, noise=noise)
    rollout = roll_out(model, vision, some, words, plan)
    imitation, lengths = 0.0, set()
    for row in range(len(some)):
        walk = walk_slowly(model, vision, some, words, row, drawing(noise, row), steps)
        assert_same_walk(rollout, row, walk)
        taken = len(walk.logits)
        lengths.add(taken)
        logs = [logits.log_softmax(dim=0) for logits in walk.logits]
        imitation -= sum(float(log[place]) for log, place in zip(logs, walk.teacher, strict=True))
        assert_close(
            rollout.log_probabilities[:taken, row], [float(x[p]) for x, p in zip(logs, walk.chosen, strict=True)]
        )
        assert_close(rollout.entropies[:taken, row], [-float((log.exp() * log).sum()) for log in logs])
        assert_close(rollout.values[:taken, row], [float(value) for value in walk.values])
        assert_close(rollout.rewards[:taken, row], np.array(walk.rewards, dtype=np.float32))
        for collected in (rollout.log_probabilities, rollout.entropies, rollout.values, rollout.rewards):
            assert (collected[taken:, row] == 0).all()
        assert_close(rollout.bootstrap[row], walk.bootstrap)
    assert_close(rollout.imitation, imitation, 1e-3)
    assert len(lengths) > 1
    assert 0 < rollout.stopped.sum() < len(some)


def test_only_episodes_that_were_cut_have_a_value_to_go_on_from(vision, tiny_r2r, tokens):
    noise = noise_of(1, 3, len(tiny_r2r))
    plan = RolloutPlan("sample", 3, reinforcement=True, noise=noise)
    rollout = roll_out(lively_model(seed=1), vision, tiny_r2r, tokens, plan)
    assert 0 < rollout.stopped.sum() < len(tiny_r2r)
    assert ((rollout.bootstrap == 0).numpy() == rollout.stopped).all()
    assert not rollout.bootstrap.requires_grad
    assert rollout.live[-1].numpy()[~rollout.stopped].all()


def test_gradients_of_a_batch_are_the_sum_of_those_of_its_episodes(vision, some, words):
    model, noise = lively_model(seed=1), noise_of(5, STEPS, len(ROWS))

    def gradients(rows):
        plan = RolloutPlan("sample", STEPS, imitation=True, reinforcement=True, noise=noise[:, rows])
        rollout = roll_out(model, vision, some.select(rows), words.select(torch.from_numpy(rows)), plan)
        loss = rollout.imitation + rollout.log_probabilities.sum() + (rollout.values**2).sum() + rollout.entropies.sum()
        return torch.autograd.grad(loss, list(model.parameters()), allow_unused=True)

    together = gradients(np.arange(len(ROWS)))
    alone = [gradients(np.array([row])) for row in range(len(ROWS))]
    for joint, *parts in zip(together, *alone, strict=True):
        if joint is None:
            assert all(part is None for part in parts)
        else:
            expected = sum(part for part in parts if part is not None)
            assert float((joint - expected).norm()) <= 1e-3 * float(joint.norm()) + 1e-3


# Chance


def test_the_same_noise_gives_the_same_walk_and_other_noise_another(vision, tiny_r2r, tokens):
    model = lively_model(seed=1)

    def walked(seed):
        plan = RolloutPlan("sample", STEPS, noise=noise_of(seed, STEPS, len(tiny_r2r)))
        return roll_out(model, vision, tiny_r2r, tokens, plan).nodes

    with torch.no_grad():
        assert np.array_equal(walked(1), walked(1))
        assert walked(1).shape != walked(2).shape or not np.array_equal(walked(1), walked(2))


@torch.no_grad()
def test_actions_are_drawn_with_their_probabilities(vision, tiny_r2r, tokens):
    count = 2000
    model = lively_model(seed=5)
    with torch.no_grad():
        model.head.score.weight *= 0.2  # so that no action is certain
    rows = np.zeros(count, dtype=int)
    plan = RolloutPlan("sample", 1, probabilities=True, noise=noise_of(0, 1, count))
    rollout = roll_out(model, vision, tiny_r2r.select(rows), tokens.select(torch.from_numpy(rows)), plan)
    chances = rollout.traces[0].probabilities[0]
    start = int(tiny_r2r.starts[0])
    candidates = tiny_r2r.world.candidates[start]
    ends = [*candidates[candidates >= 0].tolist(), -1]
    assert np.sort(chances)[-2] > 0.05, "one certain action would show nothing"
    for node, chance in zip(ends, chances, strict=True):
        share = (rollout.nodes[:, 1] == node).mean() if rollout.nodes.shape[1] > 1 else float(node == -1)
        assert abs(share - chance) <= 4 * np.sqrt(chance * (1 - chance) / count) + 1e-9


@torch.no_grad()
def test_extreme_noise_draws_a_possible_action(vision, some, words):
    below_one = float(np.nextafter(np.float32(1), np.float32(0)))
    for value in (0.0, below_one):
        plan = RolloutPlan("sample", STEPS, noise=torch.full((STEPS, len(ROWS)), value))
        rollout = roll_out(lively_model(seed=1), vision, some, words, plan)
        assert rollout.live[0].all()


# Consistency


@pytest.mark.parametrize("changes", KINDS, ids=str)
def test_consistency_is_that_of_two_separate_passes(changes, vision, some, words):
    model, noise = lively_model(seed=1, **changes), noise_of(5, STEPS, len(ROWS))
    config, draws = ConsistencyConfig(), noise_of(6, len(ROWS), SMALL.max_text)
    plan = RolloutPlan("sample", STEPS, consistency=config, reinforcement=True, noise=noise, word_noise=draws)
    rollout = roll_out(model, vision, some, words, plan)
    masked, _ = drop_words(words, config.drop_rate, draws)
    language = crossmodal = 0.0
    counts = [0, 0]
    for row in range(len(some)):
        walk = walk_slowly(model, vision, some, words, row, drawing(noise, row), masked=masked)
        assert_same_walk(rollout, row, walk)
        assert_close(rollout.bootstrap[row], walk.bootstrap)
        assert_close(rollout.values[: len(walk.values), row], [float(value) for value in walk.values])
        full, other = walk.texts
        mean = divergence(full.states, other.states, full.mask)
        language, counts[0] = language + float(mean.total), counts[0] + int(mean.count)
        for step, dropped in zip(walk.steps, walk.dropped, strict=True):
            pairs = [(step.stream, dropped.stream)]
            pairs += [(step.text, dropped.text)] if model.config.bidirectional else []
            for ours, theirs in pairs:
                mean = divergence(ours, theirs, torch.ones(ours.shape[:2], dtype=torch.bool))
                crossmodal, counts[1] = crossmodal + float(mean.total), counts[1] + int(mean.count)
    assert [int(rollout.language.count), int(rollout.crossmodal.count)] == counts
    assert_close(rollout.language.total, language, 1e-3)
    assert_close(rollout.crossmodal.total, crossmodal, 1e-3)
    assert language > 0
    assert crossmodal > 0


def test_consistency_does_not_change_where_the_agent_walks(vision, some, words):
    model = lively_model(seed=2)
    for config in (ConsistencyConfig(), ConsistencyConfig(variant="released")):
        plan = RolloutPlan("greedy", STEPS)
        paired = dataclasses.replace(plan, consistency=config, word_noise=noise_of(6, len(ROWS), SMALL.max_text))
        one, other = (roll_out(model, vision, some, words, which) for which in (plan, paired))
        assert np.array_equal(one.nodes, other.nodes)


# What learns


def gradients_of(model, vision, some, words, **loss):
    config = LossConfig(**loss)
    generator = torch.Generator().manual_seed(0)
    for kind in ("teacher", "sample") if config.reinforcement > 0 else ("teacher",):
        plan = RolloutPlan(
            kind,
            STEPS,
            imitation=kind == "teacher",
            reinforcement=kind == "sample",
            consistency=config.consistency if config.consistency.enabled else None,
            noise=torch.rand(STEPS, len(some), generator=generator),
            word_noise=torch.rand(len(some), SMALL.max_text, generator=generator),
        )
        rollout = roll_out(model, vision, some, words, plan)
        rollout_loss(rollout, float(kind == "teacher"), config, len(some))[0].backward()
    return {name: parameter.grad for name, parameter in model.named_parameters() if parameter.requires_grad}


@pytest.mark.parametrize("changes", KINDS, ids=str)
def test_gradients_reach_every_weight(changes, vision, some, words):
    model = lively_model(seed=1, **changes)
    found = gradients_of(model, vision, some, words)
    # The score's bias moves all actions alike; keys' biases all scores of a query.
    without = {"head.score.bias"} | {name for name in found if name.endswith("attention.self.key.bias")}
    for name, gradient in found.items():
        assert gradient is not None, name
        assert gradient.isfinite().all()
        assert name in without or bool((gradient.abs() > 1e-7).any()), name


def test_a_text_that_nobody_reads_after_the_last_layer_learns_nothing_there(vision, some, words):
    model = lively_model(seed=1)
    found = gradients_of(model, vision, some, words, reinforcement=0.0, consistency=ConsistencyConfig(enabled=False))
    untouched = {name for name, gradient in found.items() if gradient is None}
    last = "crossmodal.layers.1.text_"
    assert untouched == {name for name in found if name.startswith((last, "pooler.", "critic."))}


def test_a_blind_agent_walks_too(tiny_r2r, tokens):
    blind = Vision(tiny_r2r.world, None, SMALL)
    rollout = roll_out(lively_model(history="hierarchical"), blind, tiny_r2r, tokens, RolloutPlan("teacher", 15))
    assert rollout.stopped.all()


def test_dialogs_are_walked_too(small_data, tiny_ndh):
    from mtvm.learning.evaluation import text_tokens

    sight = Vision(tiny_ndh.world, FeatureStore.open(small_data / "features"), SMALL)
    words = text_tokens(tiny_ndh, SMALL.max_text, SMALL.leading_cls)
    for follow in ("goal", "path"):
        rollout = roll_out(lively_model(), sight, tiny_ndh, words, RolloutPlan("teacher", 40, follow=follow))
        last = np.take_along_axis(rollout.nodes, (rollout.nodes >= 0).sum(axis=1)[:, None] - 1, axis=1)[:, 0]
        assert (last == tiny_ndh.reference_ends).all()
        assert rollout.stopped.all()

"""Rollouts of a batch against each episode walked alone, slowly, by the model's own functions."""

import dataclasses
import itertools

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from slow_walks import (
    KINDS,
    ROWS,
    STEPS,
    assert_close,
    assert_same_walk,
    drawing,
    draws_of,
    greedy,
    rolled_out,
    varied,
    visited,
    walk_slowly,
)
from small_runs import SMALL, lively_model

from mtvm.configs.run import ConsistencyConfig
from mtvm.features.store import FeatureStore
from mtvm.learning import rollout
from mtvm.learning.losses.consistency import Consistency
from mtvm.learning.trace import Needs, RolloutPlan
from mtvm.models import agent as agents
from mtvm.models.parts import CachedConfig, MTVMConfig
from mtvm.models.seeing import Vision
from mtvm.models.text import tokenize
from mtvm.world.simulator import Simulator


@pytest.fixture(scope="module")
def some(tiny_r2r):
    return tiny_r2r.select(ROWS)


@pytest.fixture(scope="module")
def words(tokens):
    return tokens.select(torch.from_numpy(ROWS))


@pytest.fixture(scope="module")
def a_model():
    return lively_model()


# The teacher


def test_rollout_of_the_teacher_walks_the_shortest_path_and_stops(vision, tiny_r2r, tokens):
    trace = rolled_out(lively_model(), vision, tiny_r2r, tokens, RolloutPlan("teacher", 15))
    for row, (start, end) in enumerate(zip(tiny_r2r.starts, tiny_r2r.reference_ends, strict=True)):
        assert visited(trace, row) == tiny_r2r.world.shortest_path(int(start), int(end))
    assert trace.stopped.all()
    assert trace.live.sum(dim=0).tolist() == tiny_r2r.reference_lengths.tolist()
    assert trace.lengths.tolist() == tiny_r2r.reference_lengths.tolist()


def with_reference(episodes, path):
    """One episode whose reference is `path`, padded by two; its goal is the end, as in all of R2R."""
    reference, goal = np.array([[*path, -1, -1]], dtype=np.int32), np.array([[path[-1]]], dtype=np.int32)
    return dataclasses.replace(episodes.select([0]), references=reference, goals=goal)


def detour(world, start):
    """A walk that is no shortest path: to a neighbour, back, to another place, and round again."""
    there = int(world.graphs[0].neighbours(start)[0])
    onward = [node for node in world.graphs[0].neighbours(there).tolist() if node != start]
    return [start, there, start, there, *onward[:1]]


@given(st.data())
@settings(max_examples=15)
def test_rollout_that_follows_the_path_walks_the_reference_exactly(a_model, vision, tiny_r2r, tokens, data):
    world = tiny_r2r.world
    path = [data.draw(st.integers(0, len(world) - 1), label="start")]
    for _ in range(data.draw(st.integers(0, 8), label="length")):
        stays = data.draw(st.booleans(), label="stays")
        path.append(path[-1] if stays else data.draw(st.sampled_from(world.graphs[0].neighbours(path[-1]).tolist())))
    plan = RolloutPlan("teacher", 15, follow="path")
    trace = rolled_out(a_model, vision, with_reference(tiny_r2r, path), tokens.select(torch.tensor([0])), plan)
    moved = [path[0], *(there for here, there in itertools.pairwise(path) if here != there)]
    assert visited(trace, 0) == moved
    assert trace.stopped.all()


def test_rollout_that_follows_the_goal_takes_the_shortest_way_of_a_winding_reference(vision, tiny_r2r, tokens):
    path = detour(tiny_r2r.world, int(tiny_r2r.starts[0]))
    episode, words = with_reference(tiny_r2r, path), tokens.select(torch.tensor([0]))
    trace = rolled_out(lively_model(), vision, episode, words, RolloutPlan("teacher", 15))
    assert visited(trace, 0) == tiny_r2r.world.shortest_path(path[0], path[-1])


@pytest.mark.parametrize("share", [0.0, 0.4, 1.0])
def test_rollout_of_a_student_takes_its_own_actions_at_its_share_of_steps(vision, tiny_r2r, tokens, share):
    model, count = lively_model(seed=1), len(tiny_r2r)
    draws = {"action_draws": draws_of(1, STEPS, count), "student_draws": draws_of(2, STEPS, count)}
    trace = rolled_out(model, vision, tiny_r2r, tokens, RolloutPlan("student", STEPS, student_share=share, **draws))
    own, differing = [], 0
    for number, step in enumerate(trace.steps):
        rows = torch.from_numpy(step.rows)
        probabilities = step.outputs[0].logits.softmax(dim=1).cumsum(dim=1)
        sampled = (probabilities <= draws["action_draws"][number, rows][:, None] * probabilities[:, -1:]).sum(dim=1)
        mine = draws["student_draws"][number, rows] < share
        assert torch.equal(step.actions, torch.where(mine, sampled, step.teacher))
        own += mine.tolist()
        differing += int((sampled != step.teacher).sum())
    assert np.mean(own) == pytest.approx(share, abs=0.1)
    assert differing, "otherwise this shows little"


@pytest.mark.parametrize("policy", ["teacher", "student", "sample"])
@pytest.mark.parametrize(("tokens_at_once", "steps"), [(rollout._AT_ONCE, None), (150, None), (1, 2)])
@pytest.mark.parametrize("bidirectional", [True, False])
def test_rollout_with_a_cached_history_is_walked_first_and_computed_at_once(
    policy, tokens_at_once, steps, bidirectional, vision, some, words, monkeypatch
):
    """What the losses see is what the model makes of each step, with its gradients."""
    monkeypatch.setattr(rollout, "_AT_ONCE", tokens_at_once)
    monkeypatch.setattr(rollout, "computes_at_once", lambda *_: True)
    architecture = MTVMConfig(bidirectional=bidirectional)
    model = lively_model(seed=2, history=CachedConfig(steps=steps), architecture=architecture)
    draws = {"action_draws": draws_of(1, STEPS, len(some)), "student_draws": draws_of(2, STEPS, len(some))}
    needs = Needs(teacher=True, rewards=True)
    trace = rolled_out(model, vision, some, words, RolloutPlan(policy, STEPS, needs=needs, **draws))
    for row in range(len(some)):
        there = [(step, step.rows.tolist().index(row)) for step in trace.steps if row in step.rows]
        taken = iter([int(step.actions[place]) for step, place in there])
        walk = walk_slowly(model, vision, some, words, row, lambda *_, taken=taken: next(taken))
        assert_same_walk(trace, row, walk)
        for (step, place), logits, value in zip(there, walk.logits, walk.values, strict=True):
            assert_close(step.outputs[0].logits[place, : len(logits)], logits)
            assert_close(step.values[place], value)
        assert_close(trace.left[row], 0.0 if trace.stopped[row] else walk.bootstrap)
    sum(step.outputs[0].logits[step.outputs[0].mask].square().sum() for step in trace.steps).backward()
    assert model.history.mark.weight.grad.abs().sum() > 0


@pytest.mark.parametrize("steps", [None, 1])
@pytest.mark.parametrize("bidirectional", [True, False])
def test_gradients_with_a_cached_history_do_not_depend_on_what_is_computed_at_once(
    steps, bidirectional, vision, some, words, monkeypatch
):
    history, architecture = CachedConfig(steps=steps), MTVMConfig(bidirectional=bidirectional)
    model, found, asked = lively_model(seed=2, history=history, architecture=architecture), [], []
    step = model.step
    monkeypatch.setattr(model, "step", lambda *given, **named: asked.append(1) or step(*given, **named))
    for tokens_at_once in (rollout._AT_ONCE, 150 if bidirectional else 40, 1, 0):
        monkeypatch.setattr(rollout, "_AT_ONCE", tokens_at_once)
        monkeypatch.setattr(model, "computes_walks", tokens_at_once > 0)
        model.zero_grad()
        trace = rolled_out(model, vision, some, words, RolloutPlan("teacher", STEPS))
        sum(step.outputs[0].logits[step.outputs[0].mask].square().sum() for step in trace.steps).backward()
        found.append({name: part.grad.clone() for name, part in model.named_parameters() if part.grad is not None})
        assert len(set(map(len, (step.rows for step in trace.steps)))) > 1, "some walks end before others"
    assert 2 < len(trace.steps) < len(asked) - len(trace.steps) - 2, "several steps at once, and one by one"
    for other in found[1:]:
        for name, gradient in found[0].items():
            torch.testing.assert_close(
                other[name], gradient, atol=1e-4 * max(float(gradient.abs().max()), 1), rtol=1e-3
            )


@pytest.mark.parametrize(("policy", "variants", "more"), [("teacher", 1, 1), ("sample", 1, 0), ("sample", 2, 1)])
def test_rollouts_with_a_cached_history_are_computed_in_one_pass_where_that_pays(
    policy, variants, more, vision, some, words, monkeypatch
):
    model, asked = lively_model(history="cached"), []
    step = model.step
    monkeypatch.setattr(model, "step", lambda *given, **named: asked.append(1) or step(*given, **named))
    text = model.encode(*variants * [words])
    trace = rollout.roll_out(model, vision, some, text, RolloutPlan(policy, STEPS), keep_steps=True)
    assert len(trace.steps) > 2
    assert len(asked) == more + (0 if policy == "teacher" else len(trace.steps))


# Alone or together


@pytest.mark.parametrize("changes", KINDS, ids=str)
@torch.no_grad()
def test_rollout_of_a_batch_is_that_of_each_episode_alone(changes, vision, some, words):
    model = lively_model(seed=2, **changes)
    trace = rolled_out(model, vision, some, words, RolloutPlan("greedy", STEPS))
    for row in range(len(some)):
        walk = walk_slowly(model, vision, some, words, row, greedy)
        assert_same_walk(trace, row, walk)
        assert bool(trace.stopped[row]) == (walk.chosen[-1] == len(walk.logits[-1]) - 1)
        there = [(step, step.rows.tolist().index(row)) for step in trace.steps if row in step.rows]
        for (step, place), logits in zip(there, walk.logits, strict=True):
            count = int(step.seen.count[place])
            assert count == len(logits) - 1
            probabilities = step.outputs[0].logits.softmax(dim=1)[place]
            assert_close(probabilities[: count + 1], logits.softmax(dim=0))
            assert (probabilities[count + 1 :] == 0).all()


@torch.no_grad()
def test_rollouts_of_these_tests_end_at_different_times(vision, some, words):
    """Otherwise the tests here would show little."""
    for changes in KINDS:
        trace = rolled_out(lively_model(seed=2, **changes), vision, some, words, RolloutPlan("greedy", STEPS))
        assert len(set(trace.lengths.tolist())) > 1, changes


@torch.no_grad()
def test_rollout_shows_each_step_to_watch_and_keeps_none_unless_asked(vision, some, words):
    model, plan, seen = lively_model(seed=2), RolloutPlan("greedy", STEPS), []
    kept = rolled_out(model, vision, some, words, plan)
    trace = rolled_out(model, vision, some, words, plan, keep_steps=False, watch=seen.append)
    assert trace.steps == []
    assert np.array_equal(trace.nodes, kept.nodes)
    assert [step.actions.tolist() for step in seen] == [step.actions.tolist() for step in kept.steps]


@pytest.mark.parametrize("changes", KINDS, ids=str)
def test_agent_walks_like_a_greedy_rollout(changes, vision, some):
    model = lively_model(seed=2, **changes)
    words = tokenize(some.texts, model.config.text_length, leading_cls=model.config.leading_cls)
    trace = rolled_out(model, vision, some, words, RolloutPlan("greedy", STEPS))
    agent = agents.Agent(model)
    for row, episode in enumerate(some):
        simulator = Simulator(some.world)
        simulator.reset(some.starts[[row]], some.headings[[row]])
        agent.start(episode.text)
        walked = [int(simulator.node[0])]
        for _ in range(STEPS):
            seen = simulator.observe()
            features = vision.actions(seen)[0][0, : seen.count[0], : SMALL.feature_width].numpy()
            around = vision.panorama(seen)[0, :, : SMALL.feature_width].numpy()
            view = agents.Observation(
                seen.headings[0],
                seen.elevations[0],
                features,
                heading=float(seen.heading[0]),
                elevation=float(seen.elevation[0]),
                panorama=around,
            )
            action = agent.act(view)
            if action.stop:
                break
            simulator.step([action.index])
            walked.append(int(simulator.node[0]))
        assert visited(trace, row) == walked


# Collecting


@pytest.mark.parametrize("changes", KINDS, ids=str)
def test_rollout_collects_what_a_slow_reference_does(changes, vision, some, words):
    steps = 3  # so that some are cut
    model, draws = lively_model(seed=1, **changes), draws_of(5, steps, len(ROWS))
    plan = RolloutPlan("sample", steps, needs=Needs(teacher=True, rewards=True), action_draws=draws)
    trace = rolled_out(model, vision, some, words, plan)
    teacher, lengths = trace.spread([step.teacher for step in trace.steps]), set()
    actions = trace.spread([step.actions for step in trace.steps])
    for row in range(len(some)):
        walk = walk_slowly(model, vision, some, words, row, drawing(draws, row), steps)
        assert_same_walk(trace, row, walk)
        taken = len(walk.logits)
        lengths.add(taken)
        assert teacher[:taken, row].tolist() == walk.teacher
        assert actions[:taken, row].tolist() == walk.chosen
        assert_close(trace.values[:taken, row], [float(value) for value in walk.values])
        assert_close(trace.rewards[:taken, row], np.array(walk.rewards, dtype=np.float32))
        for collected in (trace.values, trace.rewards, teacher, actions):
            assert (collected[taken:, row] == 0).all()
        assert_close(trace.bootstrap[row], walk.bootstrap)
    assert len(lengths) > 1
    assert 0 < trace.stopped.sum() < len(some)


def test_bootstrap_is_the_value_of_episodes_that_were_cut_and_zero_of_those_that_stopped(vision, tiny_r2r, tokens):
    plan = RolloutPlan("sample", 3, needs=Needs(rewards=True), action_draws=draws_of(1, 3, len(tiny_r2r)))
    trace = rolled_out(lively_model(seed=1), vision, tiny_r2r, tokens, plan)
    assert 0 < trace.stopped.sum() < len(tiny_r2r)
    assert ((trace.bootstrap == 0).numpy() == trace.stopped).all()
    assert not trace.bootstrap.requires_grad
    assert trace.live[-1].numpy()[~trace.stopped].all()


@pytest.mark.parametrize("name", ["rewards", "values", "bootstrap"])
def test_trace_refuses_what_was_not_collected(vision, some, words, name):
    trace = rolled_out(lively_model(), vision, some, words, RolloutPlan("teacher", 2))
    with pytest.raises(ValueError, match="was not collected: the loss must say that it needs it"):
        getattr(trace, name)


@pytest.mark.parametrize("policy", ["teacher", "student", "sample", "greedy"])
def test_rollout_asks_the_teacher_only_where_somebody_needs_it(vision, some, words, policy):
    for needs in (Needs(), Needs(teacher=True)):
        trace = rolled_out(lively_model(), vision, some, words, RolloutPlan(policy, 2, needs=needs))
        asked = policy in ("teacher", "student") or needs.teacher
        assert all((step.teacher is not None) == asked for step in trace.steps)


@pytest.mark.parametrize("policy", ["teacher", "sample"])
def test_rollout_that_keeps_ended_episodes_counts_neither_their_steps_nor_their_rewards(vision, some, words, policy):
    model, draws = lively_model(seed=1), draws_of(5, STEPS, len(ROWS))
    plan = RolloutPlan(policy, STEPS, needs=Needs(teacher=True, rewards=True, context=True), action_draws=draws)
    leaving = rolled_out(model, vision, some, words, plan)
    kept = dataclasses.replace(plan, needs=plan.needs | Needs(ended=True))
    staying = rolled_out(model, vision, some, words, kept)
    assert all(len(step.rows) == len(some) for step in staying.steps)
    assert any(len(step.rows) < len(some) for step in leaving.steps)
    assert np.array_equal(staying.nodes, leaving.nodes)
    assert staying.lengths.tolist() == leaving.lengths.tolist()
    assert torch.equal(staying.live, leaving.live)
    assert staying.stopped.tolist() == leaving.stopped.tolist()
    torch.testing.assert_close(staying.rewards, leaving.rewards)
    torch.testing.assert_close(staying.bootstrap, leaving.bootstrap, atol=1e-4, rtol=1e-4)


# Variants of the texts


@pytest.mark.parametrize(
    "changes", [{}, {"architecture": {"bidirectional": False}}, {"architecture": "vlnbert"}], ids=str
)
def test_rollout_gives_the_outputs_of_each_variant_of_the_texts(changes, vision, some, words):
    """Two more variants: everything is walked as the first one decides, and each output is that of its own text."""
    model = lively_model(seed=1, **changes)
    losses = [Consistency(ConsistencyConfig(drop_rate=rate)) for rate in (0.3, 0.8)]
    others = [varied(loss, words).tokens for loss in losses]
    plan = RolloutPlan("greedy", STEPS, needs=Needs(context=True))
    with torch.no_grad():
        trace = rolled_out(model, vision, some, words, plan, *losses)
        alone = rolled_out(model, vision, some, words, plan)
        assert np.array_equal(trace.nodes, alone.nodes)
        assert all(len(step.outputs) == 3 for step in trace.steps)
        for number, masked in enumerate([words, *others]):
            for row in range(len(some)):
                walk = walk_slowly(model, vision, some, words, row, greedy, masked=masked)
                there = [(step, step.rows.tolist().index(row)) for step in trace.steps if row in step.rows]
                for (step, place), expected in zip(there, walk.dropped, strict=True):
                    output, width = step.outputs[number], expected.logits.shape[1]
                    assert_close(output.logits[place, :width], expected.logits[0])
                    assert_close(output.stream[place][output.stream_mask[place]], expected.stream[0])
    one, other = trace.steps[0].outputs[1:]
    assert not torch.allclose(one.stream, other.stream), "the two variants say different things"


# Chance


def test_rollout_depends_on_its_draws_alone(vision, tiny_r2r, tokens):
    model = lively_model(seed=1)

    def walked(seed):
        plan = RolloutPlan("sample", STEPS, action_draws=draws_of(seed, STEPS, len(tiny_r2r)))
        return rolled_out(model, vision, tiny_r2r, tokens, plan).nodes

    with torch.no_grad():
        assert np.array_equal(walked(1), walked(1))
        assert walked(1).shape != walked(2).shape or not np.array_equal(walked(1), walked(2))


@torch.no_grad()
def test_sampled_actions_are_drawn_with_their_probabilities(vision, tiny_r2r, tokens):
    count = 2000
    model = lively_model(seed=5)
    model.head.score.weight *= 0.2  # so that no action is certain
    rows = np.zeros(count, dtype=int)
    plan = RolloutPlan("sample", 1, action_draws=draws_of(0, 1, count))
    trace = rolled_out(model, vision, tiny_r2r.select(rows), tokens.select(torch.from_numpy(rows)), plan)
    chances = trace.steps[0].outputs[0].logits.softmax(dim=1)[0].numpy()
    candidates = tiny_r2r.world.candidates[int(tiny_r2r.starts[0])]
    ends = [*candidates[candidates >= 0].tolist(), -1]
    assert np.sort(chances)[-2] > 0.05, "one certain action would show nothing"
    assert trace.nodes.shape[1] == 2
    for node, chance in zip(ends, chances, strict=True):
        share = (trace.nodes[:, 1] == node).mean()
        assert abs(share - chance) <= 4 * np.sqrt(chance * (1 - chance) / count) + 1e-9


@torch.no_grad()
@pytest.mark.parametrize("value", [0.0, float(np.nextafter(np.float32(1), np.float32(0)))])
def test_extreme_draws_give_a_possible_action(vision, some, words, value):
    plan = RolloutPlan("sample", STEPS, action_draws=torch.full((STEPS, len(ROWS)), value))
    trace = rolled_out(lively_model(seed=1), vision, some, words, plan)
    for step in trace.steps:
        chosen = step.outputs[0].logits.gather(1, step.actions[:, None])
        assert chosen.isfinite().all(), "neither padding nor beyond the last action"


# Other agents and tasks


def test_rollout_of_a_blind_agent_walks_too(tiny_r2r, tokens):
    blind = Vision(tiny_r2r.world, None, SMALL)
    trace = rolled_out(lively_model(history="hierarchical"), blind, tiny_r2r, tokens, RolloutPlan("teacher", 15))
    assert trace.stopped.all()


@pytest.mark.parametrize("follow", ["goal", "path"])
def test_rollout_of_dialogs_ends_where_the_reference_does(small_data, tiny_ndh, follow):
    sight = Vision(tiny_ndh.world, FeatureStore.open(small_data / "features"), SMALL)
    words = tokenize(tiny_ndh.texts, SMALL.text_length, truncation="start")
    trace = rolled_out(lively_model(), sight, tiny_ndh, words, RolloutPlan("teacher", 40, follow=follow))
    last = np.take_along_axis(trace.nodes, (trace.nodes >= 0).sum(axis=1)[:, None] - 1, axis=1)[:, 0]
    assert (last == tiny_ndh.reference_ends).all()
    assert trace.stopped.all()

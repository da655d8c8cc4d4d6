"""The contract of policies: what they are shown, in which order, when episodes leave, and what is written down."""

import json
import subprocess
import sys

import numpy as np
import pytest

import mtvm
from mtvm.acting.navigator import at_starts
from mtvm.acting.policy import Decision, Decisions, Policy, WordAttention
from mtvm.acting.scenes import Scenes
from mtvm.acting.walk import Batch, Teaching, Walking, walk, walk_split
from mtvm.errors import InputError
from mtvm.tasks.events import EventFile, write_events


class Noting(Policy):
    """Goes to a candidate that depends on episode and step, stops after as many steps as the episode's number, and
    notes all that it was shown."""

    def start(self, episodes):
        self.ids, self.shown = episodes.ids, []

    def act(self, sights):
        self.shown.append((int(sights.steps[0]), sights.rows.copy(), sights.kept.copy(), sights.taken.copy()))
        return [
            Decision(
                sight.stop if sight.step == sight.row else (sight.row + sight.step) % sight.stop,
                thought=f"{sight.episode.id} at {sight.step}",
                answer=str(sight.step) if sight.step % 2 == 0 else None,
                details={"cost": 0.5} if sight.step % 2 else None,
            )
            for sight in sights
        ]


@pytest.fixture
def some(tiny_r2r):
    return tiny_r2r.select(np.arange(5))


def test_walk_shows_the_running_episodes_in_order(some):
    policy = Noting()
    walks = walk(policy, some, keep_steps=True)
    assert policy.ids == some.ids
    assert [step for step, *_ in policy.shown] == [0, 1, 2, 3, 4]
    assert [rows.tolist() for _, rows, _, _ in policy.shown] == [[*range(first, 5)] for first in range(5)]
    assert [kept.tolist() for _, _, kept, _ in policy.shown] == [
        [0, 1, 2, 3, 4],
        *([*range(1, 6 - n)] for n in range(1, 5)),
    ]
    assert (policy.shown[0][3] == -1).all()
    for row, steps in enumerate(walks.steps):
        assert [event.step for event in steps] == list(range(row + 1))
        for event in steps[:-1]:
            _, rows, _, taken = policy.shown[event.step + 1]
            assert taken[rows.tolist().index(row)] == event.action
    assert walks.lengths.tolist() == [1, 2, 3, 4, 5]
    assert walks.stopped.all()


def test_walk_goes_where_the_actions_say(some):
    walks = walk(Noting(), some, keep_steps=True)
    for steps, poses, episode in zip(walks.steps, walks.trajectories(), some, strict=True):
        assert [poses[0][0], *(event.target for event in steps[:-1])] == [pose[0] for pose in poses]
        assert poses[0][0] == episode.start
        for event, pose in zip(steps, poses, strict=True):
            assert (event.viewpoint, event.heading, event.elevation) == pose
            node = some.world.node(event.scan, event.viewpoint)
            assert event.candidates == [
                some.world.viewpoints[other] for other in some.world.candidates[node] if other >= 0
            ]


def test_walk_is_cut_after_max_steps(some):
    walks = walk(Noting(), some, max_steps=2)
    assert walks.lengths.tolist() == [1, 2, 2, 2, 2]
    assert walks.stopped.tolist() == [True, True, False, False, False]
    assert (walks.nodes >= 0).sum(axis=1).tolist() == [1, 2, 3, 3, 3]


def test_walk_keeps_thoughts_and_the_last_answer(some, tmp_path):
    walks = walk(Noting(), some, keep_steps=True)
    assert walks.answers == ["0", "0", "2", "2", "4"]
    write_events(tmp_path / "steps.jsonl", (event for steps in walks.steps for event in steps))
    written = EventFile(tmp_path / "steps.jsonl")
    assert [event.thought for event in written.of(some.ids[2])] == [f"{some.ids[2]} at {step}" for step in range(3)]
    assert [event.answer for event in written.of(some.ids[2])] == ["0", None, "2"]
    assert [event.details for event in written.of(some.ids[2])] == [None, {"cost": 0.5}, None]


@pytest.mark.parametrize("moves", ["candidates", "map"])
def test_agents_that_begin_another_episode_are_as_if_it_were_their_first(some, moves):
    """The others go on, and those that wait or have ended stay."""
    batch = Batch(some, at_starts(moves, some), Scenes(some.world))
    for _ in range(3):
        batch.go(np.minimum(batch.look().seen.count - 1, 1))
    before, ended = batch.look(), np.array([False, True, False, False, False])
    batch.end(ended)
    batch.go(np.zeros(5, dtype=int), waiting=np.arange(5) == 2)
    assert (batch.look().seen.node == before.seen.node).tolist() == [False, True, True, False, False]
    assert batch.look().taken.tolist() == [0, 0, -1, 0, 0]
    assert batch.ended.tolist() == ended.tolist()
    others = batch.look()
    batch.begin(ended | (np.arange(5) == 4), np.array([3, 0]))
    sights = batch.look()
    assert sights.rows.tolist() == [0, 3, 2, 3, 0]
    assert sights.steps.tolist() == [4, 0, 4, 4, 0]
    assert not batch.ended.any()
    assert others.rows.tolist() == [0, 1, 2, 3, 4], "what was seen stays as it was"
    alone = at_starts(moves, some.select([3, 0]))
    for _ in range(4):
        expected, found = alone.observe(), batch.look().seen
        for place, row in enumerate((1, 4)):
            assert found.node[row] == expected.node[place]
            count = expected.count[place]
            assert found.candidates[row, : found.count[row]].tolist() == expected.candidates[place, :count].tolist()
            np.testing.assert_array_equal(found.angles[row, :count], expected.angles[place, :count])
        actions = np.minimum(found.count - 1, 2)
        batch.go(actions)
        alone.go(actions[[1, 4]])


def test_walk_split_is_the_same_for_any_batch_and_part(tiny_r2r):
    class Few(Noting):
        def act(self, sights):
            return [Decision(sight.stop if sight.step == len(sight.episode.text) % 4 else 0) for sight in sights]

        def order(self, episodes):
            return np.arange(len(episodes))[::-1]

    whole = walk_split(Few(), tiny_r2r, keep_steps=True)
    assert whole.episodes.ids == tiny_r2r.ids
    few = Few()
    few.batch = 3
    again = walk_split(few, tiny_r2r, keep_steps=True)
    assert np.array_equal(whole.nodes, again.nodes)
    assert whole.steps == again.steps
    parts = [walk_split(Few(), tiny_r2r, part=(number, 2)) for number in (0, 1)]
    assert sorted(parts[0].episodes.ids + parts[1].episodes.ids) == sorted(tiny_r2r.ids)
    by_id = dict(zip(whole.episodes.ids, whole.trajectories(), strict=True))
    for part in parts:
        assert [by_id[identity] for identity in part.episodes.ids] == part.trajectories()


def test_walk_split_of_nothing_is_empty(tiny_r2r):
    walks = walk_split(Noting(), tiny_r2r.select([]))
    assert (len(walks.nodes), walks.trajectories(), walks.answers) == (0, [], [])


def test_walk_led_by_a_teacher_does_what_the_teacher_says(some):
    """The policy thinks all the same, and is told what was done."""
    policy = Noting()
    walks = walk(policy, some, lead=Teaching(), keep_steps=True)
    ends = walks.nodes[np.arange(5), (walks.nodes >= 0).sum(axis=1) - 1]
    assert (ends == some.reference_ends).all()
    for row, steps in enumerate(walks.steps):
        for event, (_, rows, _, taken) in zip(steps[:-1], policy.shown[1:], strict=False):
            assert taken[rows.tolist().index(row)] == event.action


def test_walk_on_a_map_goes_back_over_several_viewpoints(tiny_r2r):
    """To the last of its candidates, which is the farthest of those that it remembers."""

    class Back(Policy):
        moves = "map"

        def start(self, episodes):
            pass

        def act(self, sights):
            return Decisions(np.where(sights.steps < 3, sights.seen.count - 1, sights.seen.count))

    walks = walk(Back(), tiny_r2r, keep_steps=True)
    ways = [event.way for steps in walks.steps for event in steps if event.way]
    assert ways
    for steps, nodes in zip(walks.steps, walks.nodes, strict=True):
        passed = [name for event in steps for name in [*(event.way or []), *([event.target] if event.target else [])]]
        assert passed == tiny_r2r.world.viewpoints[nodes[nodes >= 0][1:]].tolist()


def test_walking_step_by_step_lets_others_decide(some):
    walking = Walking(Noting(), some)
    sights, _ = walking.think()
    walking.act(sights, np.where(sights.rows == 3, sights.seen.count, 0))
    assert walking.rows.tolist() == [0, 1, 2, 4]
    sights, done = walking.think()
    assert sights.taken.tolist() == [0, 0, 0, 0]
    assert [sight.row for sight in sights] == [0, 1, 2, 4]
    assert len(done) == 4


# What a policy gives


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([Decision(0)], "Wrong.act: gave 1 decisions for 5 sights"),
        (
            [Decision(99)] * 5,
            r"action 99 at viewpoint .* of episode .* is out of range; there are actions 0 to \d+ \(STOP\)",
        ),
        ([Decision(-1)] * 5, "action -1 at"),
        ([Decision(0.5)] * 5, "an action is a whole number"),
        (Decisions(np.zeros((5, 2), dtype=int)), "an action is a whole number"),
    ],
)
def test_walk_refuses_decisions_that_cannot_be_done(some, given, said):
    class Wrong(Noting):
        def act(self, sights):
            return given

    with pytest.raises(InputError, match=said):
        walk(Wrong(), some)


def test_decisions_of_arrays_and_of_single_ones_are_the_same(some):
    sights, _ = Walking(Noting(), some).think()
    single = [
        Decision(0, [0.5, 0.25, 0.25][: 2 + row % 2], WordAttention([("go", 0.1 * row)], [0.2]), f"{row}", None)
        for row in range(5)
    ]
    joined = Decisions.of(single, sights, None)
    assert joined.probabilities.shape == (5, 3)
    assert [one.thought for one in joined] == [one.thought for one in single]
    assert [one.attention for one in joined] == [one.attention for one in single]
    assert joined.answers is None


def test_an_agent_without_torch_walks_where_torch_is_not_installed(tiny_folder):
    code = """
import sys
sys.modules["torch"] = None  # any import of it fails
import json, mtvm

class First(mtvm.Policy):
    def start(self, episodes):
        self.count = len(episodes)

    def act(self, sights):
        return [mtvm.Decision(0 if sight.step < 2 else sight.stop, thought="ahead") for sight in sights]

episodes = mtvm.load_episodes("r2r", "val_unseen", sys.argv[1])
print(json.dumps([len(steps) for steps in mtvm.walk(First(), episodes, keep_steps=True).steps]))
"""
    done = subprocess.run([sys.executable, "-c", code, str(tiny_folder)], capture_output=True, text=True, check=True)
    episodes = mtvm.load_episodes("r2r", "val_unseen", tiny_folder)
    assert json.loads(done.stdout) == [3] * len(episodes)


def test_at_starts_puts_agents_at_the_starts_of_their_episodes(some):
    for moves in ("candidates", "map", "turns"):
        navigator = at_starts(moves, some)
        assert navigator.moves == moves
        assert (navigator.observe().node == some.starts).all()

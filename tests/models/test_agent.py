"""The agent acting: one or many, with features or images, and the mistakes of its caller."""

import dataclasses

import numpy as np
import pytest
import torch
from small_agents import FEATURES, STEPS, TEXTS, look, make_model, walk_alone, walk_together

from mtvm.models.agent import Action, Agent
from mtvm.models.parts import ARCHITECTURES, HISTORIES
from mtvm.models.text import tokenize
from mtvm.world.views import VIEW_ELEVATION, VIEW_HEADING, angle_feature


def walk_by_hand(model, row, views):
    """The model stepped by hand: actions and probabilities."""
    config = model.config
    text = model.encode(tokenize([TEXTS[row]], config.text_length, leading_cls=config.leading_cls))
    past, waiting, found = None, None, []
    for seen in views:
        view = seen[row]
        direction = torch.from_numpy(angle_feature([view.heading], [view.elevation]))
        if waiting is None:
            past = model.start(text, direction)
        else:
            past = model.remember(past, *waiting[:2], direction, waiting[2])
        angles = angle_feature(view.headings, view.elevations)
        tokens = np.concatenate([np.asarray(view.features, dtype=np.float32), angles], axis=1)
        around = angle_feature(VIEW_HEADING - view.heading, VIEW_ELEVATION)
        panorama = np.concatenate([np.asarray(view.panorama, dtype=np.float32), around], axis=1)
        stop = len(tokens)
        actions = np.concatenate([tokens, np.zeros((1, config.token_width), dtype=np.float32)])
        mask = torch.ones(1, stop + 1, dtype=torch.bool)
        step = model.step(text, past, torch.from_numpy(actions)[None], mask)
        best = step.logits.argmax(dim=1)
        found.append((int(best), step.logits.softmax(dim=1)[0].numpy()))
        if best == stop:
            break
        waiting = step, best, torch.from_numpy(panorama)[None]
    return found


@pytest.mark.parametrize(
    "changes",
    [{"history": history} for history in HISTORIES]
    + [{"architecture__bidirectional": False}, {"history__steps": 2}, {"leading_cls": True}, {"max_text": 5}]
    + [{"architecture": "vlnbert"}, {"architecture": "vlnbert", "max_text": 6}],
    ids=str,
)
def test_agent_acts_alone_and_in_a_batch_as_the_model_by_hand(changes, views):
    model = make_model(**changes)
    agent = Agent(model)
    together = walk_together(agent, views)
    with torch.no_grad():
        for row in range(len(TEXTS)):
            alone, by_hand = walk_alone(agent, row, views), walk_by_hand(model, row, views)
            mine = [actions[row] for actions in together if actions[row] is not None]
            assert [a.index for a in alone] == [a.index for a in mine] == [index for index, _ in by_hand]
            for one, two, (_, expected) in zip(alone, mine, by_hand, strict=True):
                np.testing.assert_allclose(one.probabilities, expected, atol=1e-4)
                np.testing.assert_allclose(two.probabilities, expected, atol=1e-4)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_agents_of_these_tests_stop_at_different_times(architecture, views):
    """Otherwise the test above would show little."""
    agent = Agent(make_model(architecture=architecture))
    lengths = {len(walk_alone(agent, row, views)) for row in range(len(TEXTS))}
    assert len(lengths) > 1
    assert max(lengths) >= 3


def test_agent_ignores_observations_after_stopping(views):
    agent = Agent(make_model())
    agent.start(TEXTS)
    stopped = np.zeros(len(TEXTS), dtype=bool)
    for seen in views:
        if stopped.all():
            break
        actions = agent.act(seen)
        assert [action is None for action in actions] == stopped.tolist()
        stopped |= np.array([action is not None and action.stop for action in actions])
        assert agent.ended.tolist() == stopped.tolist()
    assert stopped.any()


def test_agent_needs_start_after_all_have_stopped(views):
    agent = Agent(make_model())
    agent.start("Stop.")
    assert agent.act(look(np.random.default_rng(0), count=0)).stop
    assert agent.ended.tolist() == [True]
    with pytest.raises(ValueError, match="call start"):
        agent.act(views[0][0])
    agent.start("Go.")
    assert agent.ended.tolist() == [False]
    assert agent.act(views[0][0]).probabilities.shape == (len(views[0][0].headings) + 1,)


def test_agent_start_forgets_earlier_episodes(views):
    agent = Agent(make_model())
    first = walk_together(agent, views)
    again = walk_together(agent, views)
    for one, two in zip(first, again, strict=True):
        for a, b in zip(one, two, strict=True):
            assert (a is None) == (b is None)
            if a is not None:
                assert a.index == b.index
                np.testing.assert_array_equal(a.probabilities, b.probabilities)


def test_action_is_the_likeliest_of_candidates_and_stop(views):
    for actions, seen in zip(walk_together(Agent(make_model()), views), views, strict=False):
        for action, view in zip(actions, seen, strict=True):
            if action is not None:
                count = len(view.headings)
                assert action.probabilities.shape == (count + 1,)
                assert action.probabilities.sum() == pytest.approx(1, abs=1e-5)
                assert action.index == int(action.probabilities.argmax())
                assert action.stop == (action.index == count)
                assert action.attention is None


def test_action_has_a_candidate_unless_it_stops():
    probabilities = np.array([0.2, 0.5, 0.3], dtype=np.float32)
    assert Action(1, probabilities).candidate == 1
    assert not Action(1, probabilities).stop
    with pytest.raises(ValueError, match="stops"):
        _ = Action(2, probabilities).candidate


def test_agent_remembers_the_heading_after_the_move(views):
    """Only the heading of the second observation differs, and it enters as memory."""
    agent, second = Agent(make_model()), views[1][0]
    found = []
    for heading in (second.heading, second.heading + 1):
        agent.start(TEXTS[0])
        assert not agent.act(views[0][0]).stop, "the agent of this test must take a step"
        found.append(agent.act(dataclasses.replace(second, heading=heading)).probabilities)
    assert np.abs(found[0] - found[1]).max() > 1e-6


def test_agent_attention_is_of_its_own_tokens_and_words(views):
    """In a batch as alone: (layers, heads, memory + candidates + STOP, words or the same)."""
    agent = Agent(make_model())
    together = walk_together(agent, views[:2], need_attention=True)
    for row, text in enumerate(TEXTS):
        alone = walk_alone(agent, row, views[:2], need_attention=True)
        mine = [actions[row] for actions in together if actions[row] is not None]
        for number, (one, two) in enumerate(zip(alone, mine, strict=True)):
            tokens = number + len(views[number][row].headings) + 1
            words = tokenize([text]).ids.shape[1]
            assert one.attention.over_words.shape == (2, 4, tokens, words)
            assert one.attention.over_stream.shape == (2, 4, tokens, tokens)
            torch.testing.assert_close(two.attention.over_words, one.attention.over_words, atol=1e-4, rtol=1e-4)
            torch.testing.assert_close(two.attention.over_stream, one.attention.over_stream, atol=1e-4, rtol=1e-4)
            torch.testing.assert_close(one.attention.over_words.sum(dim=-1), torch.ones(2, 4, tokens))


def test_agent_attention_changes_no_action(views):
    agent = Agent(make_model())
    for one, two in zip(walk_together(agent, views), walk_together(agent, views, need_attention=True), strict=True):
        assert [a and a.index for a in one] == [b and b.index for b in two]


def test_agent_encodes_images(views):
    """Images give the actions that their features give."""
    shown = []

    def encoder(images):
        shown.append(images)
        return images.reshape(len(images), -1)[:, :FEATURES].astype(np.float32) / 100

    generator, model = np.random.default_rng(0), make_model()
    agent, blind = Agent(model, encoder), Agent(model)
    agent.start(TEXTS)
    blind.start(TEXTS)
    given = [generator.integers(0, 256, (len(view.headings), 4, 3, 3)) for view in views[0]]
    seen = [dataclasses.replace(v, features=None, images=i) for v, i in zip(views[0], given, strict=True)]
    known = [dataclasses.replace(v, features=encoder(i)) for v, i in zip(views[0], given, strict=True)]
    shown.clear()
    for one, two in zip(agent.act(seen), blind.act(known), strict=True):
        assert one.index == two.index
        np.testing.assert_allclose(one.probabilities, two.probabilities, atol=1e-5)
    assert [images.dtype for images in shown] == [np.uint8] * len(TEXTS)
    blind.start(TEXTS)
    with pytest.raises(ValueError, match="encoder"):
        blind.act(seen)


def test_agent_truncates_a_long_text_on_the_side_asked_for():
    agent = Agent(make_model(max_text=6))
    text = " ".join(TEXTS)
    for truncation in ("end", "start"):
        agent.start(text, truncation)
        expected = tokenize([text], 6, truncation=truncation)
        states = agent.model.encode(expected).states
        assert torch.allclose(agent._remembering.text.states, states)


def test_agent_says_how_much_of_its_instructions_it_cannot_read(capsys):
    agent = Agent(make_model())
    agent.start(["Go on, naïve one.", "Stop."])
    assert capsys.readouterr().err == ""
    agent.start(["Stop", "कमरे"])  # a vowel sign
    assert "12.5% of the letters of these instructions are lost" in capsys.readouterr().err


def test_agent_refuses_wrong_observations(views):
    agent = Agent(make_model())
    agent.start(TEXTS)
    with pytest.raises(ValueError, match="4 instructions"):
        agent.act(views[0][:2])
    with pytest.raises(ValueError, match="needs an observation"):
        agent.act([None, *views[0][1:]])
    view = views[0][0]
    for wrong in (
        dataclasses.replace(view, features=np.zeros((len(view.headings), FEATURES + 1))),
        dataclasses.replace(view, features=np.zeros((len(view.headings) + 1, FEATURES))),
        dataclasses.replace(view, features=None),
        dataclasses.replace(view, elevations=np.zeros(len(view.headings) + 1)),
    ):
        agent.start("Go.")
        with pytest.raises(ValueError, match=r"features|shape|elevations"):
            agent.act(wrong)


def test_agent_goes_on_after_a_wrong_observation(views):
    model = make_model()
    expected = walk_alone(Agent(model), 0, views)
    agent = Agent(model)
    agent.start(TEXTS[0])
    for number, action in enumerate(expected):
        view = views[number][0]
        with pytest.raises(ValueError, match="features"):
            agent.act(dataclasses.replace(view, features=None, heading=view.heading + 2))
        np.testing.assert_allclose(agent.act(view).probabilities, action.probabilities, atol=1e-5)


def test_agent_refuses_to_act_before_start(views):
    agent = Agent(make_model())
    for given in (views[0][0], views[0], []):
        with pytest.raises(ValueError, match="call start"):
            agent.act(given)


def test_agent_refuses_to_start_without_instructions():
    with pytest.raises(ValueError, match="instruction"):
        Agent(make_model()).start([])


@pytest.mark.parametrize("panorama", [None, np.zeros((12, FEATURES)), np.zeros((36, FEATURES + 1))])
@pytest.mark.parametrize("changes", [{"history": "hierarchical"}, {"stop_sight": "panorama"}])
def test_agent_whose_history_or_stop_shows_panoramas_needs_them(views, panorama, changes):
    agent = Agent(make_model(**changes))
    agent.start(TEXTS[0])
    with pytest.raises(ValueError, match="panorama"):
        agent.act(dataclasses.replace(views[0][0], panorama=panorama))


def test_agent_without_candidates_stops_beside_others(views):
    agent = Agent(make_model())
    agent.start(TEXTS[:2])
    lost, other = agent.act([look(np.random.default_rng(0), count=0), views[0][1]])
    assert lost.stop
    assert lost.probabilities.tolist() == [1.0]
    agent.start(TEXTS[1])
    np.testing.assert_allclose(agent.act(views[0][1]).probabilities, other.probabilities, atol=1e-5)


def test_agent_keeps_no_gradients(views):
    agent = Agent(make_model())
    agent.start(TEXTS[0])
    agent.act(views[0][0])
    agent.act(views[1][0])
    assert len(agent._remembering._past.bank) == 1
    with torch.enable_grad():
        assert not agent._remembering._past.bank.tokens().requires_grad


@torch.no_grad()
def test_agent_copies_no_memory_while_nobody_stops(views):
    agent = Agent(make_model())
    agent.model.head.score.weight.zero_()  # never stop
    agent.model.head.score.bias.zero_()
    agent.start(TEXTS)
    addresses = []
    for seen in views:
        agent.act(seen)
        bank = agent._remembering._past.bank
        if len(bank):
            addresses.append(bank.tokens().data_ptr())
    assert len(addresses) == STEPS - 1
    assert len(set(addresses)) == 1


def test_agent_that_is_overruled_remembers_what_was_done(views):
    agent, found = Agent(make_model()), []
    for action in (0, 1):
        agent.start(TEXTS[0])
        agent.think(views[0][0])
        agent.take(action)
        found.append(agent.act(views[1][0]).probabilities)
    assert np.abs(found[0] - found[1]).max() > 1e-6
    agent.start(TEXTS[0])
    own = agent.act(views[0][0]).index
    assert own in (0, 1), "the agent of this test must choose one of them"
    np.testing.assert_array_equal(agent.act(views[1][0]).probabilities, found[own])


def test_agent_that_is_told_to_stop_has_ended(views):
    agent = Agent(make_model())
    agent.start(TEXTS[0])
    agent.think(views[0][0])
    agent.take(len(views[0][0].headings))
    assert agent.ended.all()


def test_agent_refuses_to_take_what_it_cannot(views):
    agent = Agent(make_model())
    agent.start(TEXTS[0])
    with pytest.raises(ValueError, match="call think first"):
        agent.take(0)
    agent.think(views[0][0])
    with pytest.raises(ValueError, match="call take"):
        agent.think(views[0][0])
    for wrong in (-1, len(views[0][0].headings) + 1, [0, 0]):
        with pytest.raises(ValueError, match="1 actions, each from 0 to"):
            agent.take(wrong)
    agent.take(0)

"""The agent that others hold: one or many, saved and loaded, with features or images."""

import dataclasses
import json

import numpy as np
import pytest
import torch

import mtvm
from mtvm.errors import InputError
from mtvm.models.agent import STOP, Agent, Observation
from mtvm.models.config import HISTORIES, PRESETS
from mtvm.models.model import MTVM
from mtvm.models.text import tokenize
from mtvm.world.views import VIEW_ELEVATION, VIEW_HEADING, angle_feature

torch.set_num_threads(1)

TEXTS = [
    "Walk past the sofa and the chandeliers, then stop.",
    "Go up.",
    "Leave the kitchen by the left door.",
    "Wait by the window.",
]
STEPS = 6
FEATURES = PRESETS["tiny"].feature_width


def make_model(seed=4, **changes):
    """A model whose weights are large enough that every input matters."""
    torch.manual_seed(seed)
    model = MTVM(dataclasses.replace(PRESETS["tiny"], **changes)).eval()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            wide = parameter.shape[-1] ** -0.5 if "embedding" not in name else 1.0
            parameter.normal_(std=2 * wide if parameter.dim() > 1 else 0.3).add_("orm.weight" in name)
    return model


def look(generator, count=None):
    """What somebody sees somewhere."""
    count = int(generator.integers(1, 6)) if count is None else count
    return Observation(
        headings=generator.uniform(-3, 3, count),
        elevations=generator.uniform(-0.5, 0.5, count),
        features=generator.normal(size=(count, FEATURES)),
        heading=float(generator.uniform(0, 6)),
        elevation=float(generator.uniform(-0.5, 0.5)),
        panorama=generator.normal(size=(36, FEATURES)),
    )


@pytest.fixture
def views():
    """STEPS observations of each of the four agents."""
    generator = np.random.default_rng(2)
    return [[look(generator) for _ in TEXTS] for _ in range(STEPS)]


def walk_together(agent, views, **options):
    """The actions of all agents, step by step, until everybody has stopped."""
    agent.start(TEXTS)
    actions = []
    for seen in views:
        if agent.ended.all():
            break
        given = [None if ended else view for view, ended in zip(seen, agent.ended, strict=True)]
        actions.append(agent.act(given, **options))
    return actions


def walk_alone(agent, row, views, **options):
    agent.start(TEXTS[row])
    actions = []
    for seen in views:
        actions.append(agent.act(seen[row], **options))
        if actions[-1].place == STOP:
            break
    return actions


def walk_by_hand(model, row, views):
    """The model stepped by hand: places and probabilities."""
    config = model.config
    text = model.encode(tokenize([TEXTS[row]], config.max_text, leading_cls=config.leading_cls))
    past, waiting, found = model.start(text), None, []
    for seen in views:
        view = seen[row]
        if waiting is not None:
            direction = torch.from_numpy(angle_feature([view.heading], [view.elevation]))
            past = model.remember(past, *waiting[:2], direction, waiting[2])
        angles = angle_feature(view.headings, view.elevations)
        tokens = np.concatenate([np.asarray(view.features, dtype=np.float32), angles], axis=1)
        around = angle_feature(VIEW_HEADING - view.heading, VIEW_ELEVATION)
        panorama = np.concatenate([np.asarray(view.panorama, dtype=np.float32), around], axis=1)
        step = model.step(text, past, torch.from_numpy(tokens)[None], torch.tensor([len(tokens)]))
        best = step.logits.argmax(dim=1)
        found.append((STOP if best == len(tokens) else int(best), step.logits.softmax(dim=1)[0].numpy()))
        if best == len(tokens):
            break
        waiting = step, best, torch.from_numpy(panorama)[None]
    return found


@pytest.mark.parametrize(
    "changes",
    [{"history": history} for history in HISTORIES]
    + [{"bidirectional": False}, {"memory_steps": 2}, {"leading_cls": True}, {"max_text": 5}],
    ids=str,
)
def test_alone_together_or_by_hand_it_acts_the_same(changes, views):
    model = make_model(**changes)
    agent = Agent(model)
    together = walk_together(agent, views)
    with torch.no_grad():
        for row in range(len(TEXTS)):
            alone, by_hand = walk_alone(agent, row, views), walk_by_hand(model, row, views)
            mine = [actions[row] for actions in together if actions[row] is not None]
            assert [a.place for a in alone] == [a.place for a in mine] == [place for place, _ in by_hand]
            for one, two, (_, expected) in zip(alone, mine, by_hand, strict=True):
                np.testing.assert_allclose(one.probabilities, expected, atol=1e-4)
                np.testing.assert_allclose(two.probabilities, expected, atol=1e-4)


def test_agents_stop_at_different_times_in_these_tests(views):
    """Otherwise the test above would show little."""
    lengths = {len(walk_alone(Agent(make_model()), row, views)) for row in range(len(TEXTS))}
    assert len(lengths) > 1
    assert max(lengths) >= 3


def test_agents_that_stopped_are_left_alone(views):
    agent = Agent(make_model())
    agent.start(TEXTS)
    stopped = np.zeros(len(TEXTS), dtype=bool)
    for seen in views:
        if stopped.all():
            break
        actions = agent.act(seen)  # also what those see that have stopped
        assert [action is None for action in actions] == stopped.tolist()
        stopped |= np.array([action is not None and action.place == STOP for action in actions])
        assert agent.ended.tolist() == stopped.tolist()
    assert stopped.any()


def test_when_all_have_stopped_there_is_nothing_to_do(views):
    agent = Agent(make_model())
    agent.start("Stop.")
    assert agent.act(look(np.random.default_rng(0), count=0)).place == STOP
    assert agent.ended.tolist() == [True]
    with pytest.raises(ValueError, match="call start"):
        agent.act(views[0][0])
    agent.start("Go.")
    assert agent.ended.tolist() == [False]
    assert agent.act(views[0][0]).probabilities.shape == (len(views[0][0].headings) + 1,)


def test_starting_anew_forgets_everything(views):
    agent = Agent(make_model())
    first = walk_together(agent, views)
    again = walk_together(agent, views)
    for one, two in zip(first, again, strict=True):
        for a, b in zip(one, two, strict=True):
            assert (a is None) == (b is None)
            if a is not None:
                assert a.place == b.place
                np.testing.assert_array_equal(a.probabilities, b.probabilities)


def test_probabilities_are_of_the_candidates_and_stopping(views):
    for actions, seen in zip(walk_together(Agent(make_model()), views), views, strict=False):
        for action, view in zip(actions, seen, strict=True):
            if action is not None:
                assert action.probabilities.shape == (len(view.headings) + 1,)
                assert action.probabilities.sum() == pytest.approx(1, abs=1e-5)
                best = int(action.probabilities.argmax())
                assert action.place == (STOP if best == len(view.headings) else best)
                assert action.attention is None


def test_the_heading_after_the_move_is_remembered(views):
    """Only the direction of the second observation differs, and it enters as memory."""
    agent, second = Agent(make_model()), views[1][0]
    found = []
    for heading in (second.heading, second.heading + 1):
        agent.start(TEXTS[0])
        if agent.act(views[0][0]).place == STOP:
            pytest.fail("the agent of this test must take a step")
        found.append(agent.act(dataclasses.replace(second, heading=heading)).probabilities)
    assert np.abs(found[0] - found[1]).max() > 1e-6


def test_attention_is_of_the_agents_own_tokens_and_words(views):
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


def test_looking_at_the_attention_changes_no_action(views):
    agent = Agent(make_model())
    for one, two in zip(walk_together(agent, views), walk_together(agent, views, need_attention=True), strict=True):
        assert [a and a.place for a in one] == [b and b.place for b in two]


def test_images_go_through_the_encoder(views):
    """Pictures give the actions that their features give."""
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
        assert one.place == two.place
        np.testing.assert_allclose(one.probabilities, two.probabilities, atol=1e-5)
    assert [images.dtype for images in shown] == [np.uint8] * len(TEXTS)
    blind.start(TEXTS)
    with pytest.raises(ValueError, match="encoder"):
        blind.act(seen)


def test_too_long_a_text_loses_the_side_that_was_asked_for(views):
    agent = Agent(make_model(max_text=6))
    text = " ".join(TEXTS)
    for truncation in ("end", "start"):
        agent.start(text, truncation)
        expected = tokenize([text], 6, truncation=truncation)
        states = agent.model.encode(expected).states
        assert torch.allclose(agent._text.states, states)


@pytest.mark.parametrize("history", HISTORIES)
def test_a_saved_agent_acts_as_before(tmp_path, views, history):
    agent = Agent(make_model(history=history))
    agent.save_pretrained(tmp_path / "agent", {"SR": 61.234})
    again = Agent.from_pretrained(tmp_path / "agent", device="cpu")
    assert again.model.config == agent.model.config
    assert not again.model.training
    for one, two in zip(walk_together(agent, views), walk_together(again, views), strict=True):
        for a, b in zip(one, two, strict=True):
            assert (a is None) == (b is None)
            if a is not None:
                np.testing.assert_array_equal(a.probabilities, b.probabilities)


def test_saving_again_replaces_the_agent_and_nothing_else(tmp_path, views):
    """A run's folder holds logs beside the agent; they are the user's."""
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "log.txt").write_text("precious")
    first, second = Agent(make_model(seed=1)), Agent(make_model(seed=2))
    first.save_pretrained(folder)
    second.save_pretrained(folder)
    again = Agent.from_pretrained(folder)
    assert torch.equal(again.model.head.score.weight, second.model.head.score.weight)
    assert (folder / "log.txt").read_text() == "precious"


def test_an_agent_can_be_saved_where_one_stands(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Agent(make_model()).save_pretrained(".")
    assert Agent.from_pretrained(".").model.config == PRESETS["tiny"]


def test_the_model_card_tells_version_metrics_and_config(tmp_path):
    agent = Agent(make_model(memory_steps=7))
    agent.save_pretrained(tmp_path / "agent", {"SR": 61.234, "SPL": 55.5})
    card = (tmp_path / "agent" / "README.md").read_text(encoding="utf-8")
    assert mtvm.__version__ in card
    assert "| SR | 61.23 |" in card
    assert "| SPL | 55.50 |" in card
    for name, value in dataclasses.asdict(agent.model.config).items():
        assert f"| {name} | {value} |" in card
    millions = sum(parameter.numel() for parameter in agent.model.parameters()) / 1e6
    assert f"{millions:.1f} M parameters" in card
    agent.save_pretrained(tmp_path / "other")
    assert "None were given" in (tmp_path / "other" / "README.md").read_text(encoding="utf-8")


def spoil(folder, name, change):
    path = folder / name
    if name.endswith(".json"):
        path.write_text(json.dumps(change(json.loads(path.read_text()))))
    else:
        path.write_bytes(change(path.read_bytes()))


SPOILED = {
    "no config": ("config.json", None),
    "no weights": ("model.safetensors", None),
    "a cut file": ("model.safetensors", lambda content: content[: len(content) // 2]),
    "other bytes": ("model.safetensors", lambda content: b"hello"),
    "another size": ("config.json", lambda config: config | {"hidden": 32}),
    "more layers": ("config.json", lambda config: config | {"crossmodal_layers": 3}),
    "an unknown option": ("config.json", lambda config: config | {"colour": "red"}),
    "an unknown history": ("config.json", lambda config: config | {"history": "magic"}),
    "a list": ("config.json", lambda config: [1, 2]),
    "no heads": ("config.json", lambda config: config | {"heads": 0}),
    "heads that do not fit": ("config.json", lambda config: config | {"heads": 5}),
    "a word for a number": ("config.json", lambda config: config | {"hidden": "64"}),
    "a negative memory": ("config.json", lambda config: config | {"memory_steps": -1}),
    "a strange dropout": ("config.json", lambda config: config | {"dropout": 1.5}),
}


@pytest.mark.parametrize(("name", "change"), SPOILED.values(), ids=SPOILED)
def test_a_spoiled_agent_is_one_sentence(tmp_path, name, change):
    folder = tmp_path / "agent"
    Agent(make_model()).save_pretrained(folder)
    if change is None:
        (folder / name).unlink()
    else:
        spoil(folder, name, change)
    with pytest.raises(InputError) as error:
        Agent.from_pretrained(folder)
    assert "\n" not in str(error.value)
    assert str(error.value).count(". ") <= 1


def test_a_folder_that_is_not_there_is_one_sentence(tmp_path):
    with pytest.raises(InputError, match="no agent here"):
        Agent.from_pretrained(tmp_path / "nowhere")


def test_a_device_that_is_not_there_is_one_sentence(tmp_path):
    Agent(make_model()).save_pretrained(tmp_path / "agent")
    with pytest.raises(InputError, match="nonsense"):
        Agent.from_pretrained(tmp_path / "agent", device="nonsense")


def test_mistakes_in_observations_are_told(views):
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


def test_a_mistake_can_be_mended(views):
    """After a wrong observation the right one goes on as if nothing had happened."""
    model = make_model()
    expected = walk_alone(Agent(model), 0, views)
    agent = Agent(model)
    agent.start(TEXTS[0])
    for number, action in enumerate(expected):
        view = views[number][0]
        with pytest.raises(ValueError, match="features"):
            agent.act(dataclasses.replace(view, features=None, heading=view.heading + 2))
        np.testing.assert_allclose(agent.act(view).probabilities, action.probabilities, atol=1e-5)


def test_an_agent_that_was_not_started_says_so(views):
    agent = Agent(make_model())
    for given in (views[0][0], views[0], []):
        with pytest.raises(ValueError, match=r"instructions|start"):
            agent.act(given)


def test_no_instructions_are_a_mistake():
    with pytest.raises(ValueError, match="instruction"):
        Agent(make_model()).start([])


@pytest.mark.parametrize("panorama", [None, np.zeros((12, FEATURES)), np.zeros((36, FEATURES + 1))])
def test_the_hierarchical_history_asks_for_panoramas(views, panorama):
    agent = Agent(make_model(history="hierarchical"))
    agent.start(TEXTS[0])
    with pytest.raises(ValueError, match="panorama"):
        agent.act(dataclasses.replace(views[0][0], panorama=panorama))


def test_nowhere_to_go_beside_others_who_have(views):
    agent = Agent(make_model())
    agent.start(TEXTS[:2])
    lost, other = agent.act([look(np.random.default_rng(0), count=0), views[0][1]])
    assert (lost.place, lost.probabilities.tolist()) == (STOP, [1.0])
    agent.start(TEXTS[1])
    np.testing.assert_allclose(agent.act(views[0][1]).probabilities, other.probabilities, atol=1e-5)


def test_acting_leaves_no_gradients(views):
    agent = Agent(make_model())
    agent.start(TEXTS[0])
    agent.act(views[0][0])
    agent.act(views[1][0])
    assert len(agent._past.bank) == 1
    assert not agent._past.bank.tokens().requires_grad


@torch.no_grad()
def test_acting_copies_no_memory(views):
    """While nobody stops, nobody's memory is moved."""
    agent = Agent(make_model())
    agent.model.head.score.weight.zero_()  # never stop
    agent.model.head.score.bias.zero_()
    agent.start(TEXTS)
    places = []
    for seen in views:
        agent.act(seen)
        bank = agent._past.bank
        if len(bank):
            places.append(bank.tokens().data_ptr())
    assert len(places) == STEPS - 1
    assert len(set(places)) == 1

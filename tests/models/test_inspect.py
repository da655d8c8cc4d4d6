"""The table of a model: its parameters, and its operations against the usual formulas."""

import pytest
import torch
from rich.console import Console
from small_models import TEXTS, TINY, changed, follow, make_model, make_walk

from mtvm.errors import InputError
from mtvm.models.config import ModelConfig
from mtvm.models.inspect import count_flops, describe, parts
from mtvm.models.parts import HISTORIES
from mtvm.models.saving import save_model
from mtvm.models.text import Tokens

WORDS, MEMORY, CANDIDATES = 12, 4, 5
HIDDEN, WIDTH = TINY.hidden, TINY.token_width


def flops(**changes):
    """Of each part, and of all parts of a step."""
    listed = parts(make_model(**changes), WORDS, MEMORY, CANDIDATES)
    found = {part.name.split(" (")[0].split(":")[0]: part.flops for part in listed}
    return found | {"step": sum(part.flops for part in listed if not part.once)}


def layer(tokens, hidden=HIDDEN, intermediate=TINY.intermediate):
    """Self-attention and feed-forward."""
    return 8 * tokens * hidden**2 + 4 * tokens**2 * hidden + 4 * tokens * hidden * intermediate


every_network = pytest.mark.parametrize(
    "kind",
    [{"history": history, "architecture__bidirectional": both} for history in HISTORIES for both in (True, False)]
    + [{"architecture": "vlnbert"}, {"history": "hierarchical", "history__temporal_layers": 1}],
    ids=str,
)


@every_network
def test_parts_have_all_parameters(kind):
    model = make_model(**kind)
    listed = parts(model)
    assert sum(part.parameters for part in listed) == sum(parameter.numel() for parameter in model.parameters())
    assert len({part.name for part in listed}) == len(listed)


@every_network
def test_parts_have_all_flops_of_an_episode(kind):
    """Encoding the text and one step, with its value and what it leaves behind, counted as a whole."""
    model = make_model(**kind)
    ids = torch.ones(1, WORDS, dtype=torch.long)
    move = make_walk(model.config, batch=1, steps=1)[0]
    actions, mask = torch.ones(1, CANDIDATES + 1, WIDTH), torch.ones(1, CANDIDATES + 1, dtype=torch.bool)

    def walk():
        step = model.step(text, past, actions, mask)
        model.value(step)
        model.remember(past, step, torch.zeros(1, dtype=torch.long), move.direction, move.panorama)

    with torch.no_grad():
        text, encoding = count_flops(model, lambda: model.encode(Tokens(ids, ids)))
        past = model.start(text, move.direction)
        _, step = count_flops(model, walk)
    assert sum(part.flops for part in parts(model, WORDS, 0, CANDIDATES)) == encoding.total + step.total


def test_parts_of_vln_bert_are_those_of_its_layers_state_and_scores():
    stream = CANDIDATES + 2
    found = flops(architecture="vlnbert")
    layers = TINY.crossmodal_layers
    assert found["text projections"] == layers * 4 * (WORDS - 1) * HIDDEN**2, "[CLS] is no key"
    cross = 4 * stream * HIDDEN**2 + 4 * WORDS * stream * HIDDEN
    assert found["cross-modality encoder"] == layers * (cross + layer(stream))
    assert found["act"] == 2 * (HIDDEN + TINY.angle_width) * HIDDEN
    assert found["refine"] == 4 * HIDDEN**2
    assert found["pooler"] == 2 * HIDDEN**2
    queries_and_keys = 2 * (2 + 2) * stream * HIDDEN**2
    scores_and_mixes = 2 * HIDDEN * (WORDS + stream) + 2 * HIDDEN * (WORDS + CANDIDATES + 1)
    assert found["between the parts"] == queries_and_keys + scores_and_mixes
    assert not {"action head", "stream embedding", "history"} & set(found)


@pytest.mark.parametrize("memory", [0, 9])
def test_parts_of_vln_bert_cost_the_same_however_long_the_past(memory):
    model = make_model(architecture="vlnbert")
    assert parts(model, WORDS, memory, CANDIDATES) == parts(model, WORDS, 4, CANDIDATES)


@pytest.mark.parametrize("layers", [1, 3])
def test_parts_crossmodal_flops_of_both_directions(layers):
    stream = MEMORY + CANDIDATES + 1
    cross = 8 * (WORDS + stream) * HIDDEN**2 + 8 * WORDS * stream * HIDDEN
    found = flops(crossmodal_layers=layers)
    assert found["text projections"] == 6 * WORDS * HIDDEN**2
    expected = layers * (cross + layer(stream) + layer(WORDS)) - found["text projections"]
    assert found["cross-modality encoder"] == expected


@pytest.mark.parametrize("layers", [1, 3])
def test_parts_crossmodal_flops_of_a_single_direction(layers):
    stream = MEMORY + CANDIDATES + 1
    cross = 4 * stream * HIDDEN**2 + 4 * WORDS * stream * HIDDEN
    found = flops(crossmodal_layers=layers, architecture__bidirectional=False)
    assert found["text projections"] == layers * 4 * WORDS * HIDDEN**2
    assert found["cross-modality encoder"] == layers * (cross + layer(stream))


def test_parts_language_flops_are_those_of_its_layers():
    assert flops(language_layers=2)["language encoder"] == 2 * layer(WORDS)


def test_parts_language_flops_include_the_reader():
    found = flops(reader="minilm", reader_layers=1)["language encoder"]
    assert found == layer(WORDS) + layer(WORDS, 384, 1536) + 2 * WORDS * 384 * HIDDEN


@pytest.mark.parametrize(
    ("history", "expected"),
    [
        ("memory", 0),
        ("none", 0),
        ("oriented", 0),
        ("recurrent", 2 * HIDDEN * (3 * HIDDEN + TINY.angle_width) + 4 * HIDDEN * (WORDS + CANDIDATES + 1)),
        ("hierarchical", 2 * 37 * WIDTH * HIDDEN + 2 * layer(36)),
    ],
)
def test_parts_history_flops_are_those_of_its_update_and_tokens(history, expected):
    assert flops(history=history)["history"] == expected


def test_parts_history_flops_of_a_transformer_over_time_include_cls():
    found = [flops(history="hierarchical", history__temporal_layers=layers)["history"] for layers in (0, 2)]
    assert found[1] - found[0] == 2 * layer(1 + MEMORY)


@pytest.mark.parametrize(
    ("history", "tokens"),
    [("memory", 1), ("oriented", 1), ("none", 0), ("recurrent", 0), ("hierarchical", 0)],
)
def test_parts_token_encoder_flops_are_of_actions_and_the_newest_memory(history, tokens):
    """A memory token is encoded once, at the first step that reads it."""
    assert flops(history=history)["token encoder"] == 2 * (CANDIDATES + 1 + tokens) * WIDTH * HIDDEN


def test_parts_flops_of_heads():
    found = flops()
    assert found["action head"] == 2 * (CANDIDATES + 1) * (HIDDEN + 1) * TINY.feature_width
    assert found["critic"] == 2 * TINY.critic_hidden * (HIDDEN + 1)
    assert found["pooler"] == 2 * HIDDEN**2


def test_parts_flops_grow_with_memory_up_to_its_limit():
    costs = [sum(part.flops for part in parts(make_model(), 32, memory, 5)) for memory in (0, 4, 15)]
    assert costs == sorted(set(costs))
    model = make_model(history__steps=4)
    at_limit, beyond = ([part.flops for part in parts(model, 32, memory, 5)] for memory in (4, 9))
    assert at_limit == beyond


@pytest.mark.parametrize("training", [True, False])
def test_parts_leave_the_model_as_it_was(training):
    model = make_model().train(training)
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    parts(model)
    assert torch.equal(torch.rand(3), expected), "the global random numbers moved on"
    assert model.training == training
    assert all(parameter.grad is None for parameter in model.parameters())


@pytest.mark.parametrize("sizes", [(0, 4, 5), (81, 4, 5), (8, -1, 5), (8, 4, -1)])
def test_parts_refuse_sizes_that_cannot_be(sizes):
    with pytest.raises(InputError, match=r"words|memory"):
        parts(make_model(), *sizes)


@torch.no_grad()
def test_count_flops_gives_the_result_and_its_parts():
    model = make_model()
    walk = make_walk(model.config, steps=1)
    (step,), found = count_flops(model, lambda: follow(model, TEXTS, walk))
    assert torch.equal(step.mask, walk[0].mask)
    assert set(found.inside) == {name for name, _ in model.named_children()}
    assert 0 < found.inside["crossmodal"] < found.total
    assert found.total >= sum(found.inside.values())


def printed(table):
    console = Console(width=200)
    with console.capture() as capture:
        console.print(table)
    return capture.get()


@pytest.mark.parametrize(
    ("name", "numbers"),
    [
        ("paper", ("158,418,259", "158,024,018", "70,395,986", "87,628,032")),
        ("paper-single", ("130,066,771", "129,672,530", "42,044,498", "87,628,032")),
        (ModelConfig(architecture="vlnbert"), ("129,967,361", "41,945,088", "87,628,032")),
    ],
    ids=["paper", "paper-single", "vlnbert"],
)
def test_describe_has_the_papers_parameters(name, numbers):
    """Table 5 has 41.9 M for VLN⟲BERT: without language encoder and critic."""
    text = printed(describe(name, 32, 4, 5))
    for number in numbers:
        assert number in text


@pytest.mark.parametrize(
    ("kind", "title"),
    [
        ({}, "mtvm, hidden 64, 1 + 2 layers, both directions"),
        ({"architecture__bidirectional": False}, "mtvm, hidden 64, 1 + 2 layers, text only as key and value"),
        ({"architecture": "vlnbert"}, "vlnbert, hidden 64, 1 + 2 layers, text only as key and value"),
    ],
)
def test_describe_says_which_network_it_is(kind, title):
    assert title in printed(describe(changed(TINY, **kind), 12, 4, 5))


def test_describe_a_saved_agent_or_its_config(tmp_path):
    model = make_model(history="recurrent")
    save_model(model, tmp_path / "agent")
    of_agent, of_config = (
        printed(describe(str(tmp_path / "agent"), 32, 4, 5)),
        printed(describe(model.config, 32, 4, 5)),
    )
    for text in (of_agent, of_config):
        assert "history: recurrent" in text
        assert f"{sum(p.numel() for p in model.parameters()):,}" in text
    assert of_agent.splitlines()[-14:] == of_config.splitlines()[-14:]


def test_describe_refuses_what_is_no_model(tmp_path):
    with pytest.raises(InputError, match="neither a preset"):
        describe(str(tmp_path / "nowhere"), 32, 4, 5)

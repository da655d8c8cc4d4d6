"""The table of a model: its parameters, and its operations against the usual formulas."""

import pytest
import torch
from rich.console import Console
from small_models import TEXTS, TINY, follow, make_model, make_walk

from mtvm.errors import InputError
from mtvm.models.config import HISTORIES
from mtvm.models.inspect import count_flops, describe, parts
from mtvm.models.saving import save_model

WORDS, MEMORY, CANDIDATES = 12, 4, 5
HIDDEN, WIDTH = TINY.hidden, TINY.token_width
every_history = pytest.mark.parametrize("history", HISTORIES)


def flops(**changes):
    """Of each part, and of all parts of a step."""
    listed = parts(make_model(**changes), WORDS, MEMORY, CANDIDATES)
    found = {part.name.split(" (")[0].split(":")[0]: part.flops for part in listed}
    return found | {"step": sum(part.flops for part in listed if not part.once)}


def layer(tokens, hidden=HIDDEN, intermediate=TINY.intermediate):
    """Self-attention and feed-forward."""
    return 8 * tokens * hidden**2 + 4 * tokens**2 * hidden + 4 * tokens * hidden * intermediate


@every_history
@pytest.mark.parametrize("bidirectional", [True, False])
def test_parts_have_all_parameters(history, bidirectional):
    model = make_model(history=history, bidirectional=bidirectional)
    listed = parts(model)
    assert sum(part.parameters for part in listed) == sum(parameter.numel() for parameter in model.parameters())
    assert len({part.name for part in listed}) == len(listed)


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
    found = flops(crossmodal_layers=layers, bidirectional=False)
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
        ("hierarchical", 2 * 37 * WIDTH * HIDDEN + layer(36) + 2 * layer(MEMORY)),
    ],
)
def test_parts_history_flops_are_those_of_its_update_and_tokens(history, expected):
    assert flops(history=history)["history"] == expected


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
    assert found["critic's pooler"] == 2 * HIDDEN**2


def test_parts_flops_grow_with_memory_up_to_its_limit():
    costs = [sum(part.flops for part in parts(make_model(), 32, memory, 5)) for memory in (0, 4, 15)]
    assert costs == sorted(set(costs))
    model = make_model(memory_steps=4)
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


def shown(table):
    console = Console(width=200)
    with console.capture() as capture:
        console.print(table)
    return capture.get()


@pytest.mark.parametrize(
    ("name", "numbers"),
    [
        ("paper", ("158,418,259", "158,024,018", "70,395,986", "87,628,032")),
        ("paper-single", ("130,066,771", "129,672,530", "42,044,498", "87,628,032")),
    ],
)
def test_describe_a_preset_has_the_papers_parameters(name, numbers):
    text = shown(describe(name, 32, 4, 5))
    for number in numbers:
        assert number in text


def test_describe_a_saved_agent_or_its_config(tmp_path):
    model = make_model(history="recurrent")
    save_model(model, tmp_path / "agent")
    of_agent, of_config = shown(describe(str(tmp_path / "agent"), 32, 4, 5)), shown(describe(model.config, 32, 4, 5))
    for text in (of_agent, of_config):
        assert "history: recurrent" in text
        assert f"{sum(p.numel() for p in model.parameters()):,}" in text
    assert of_agent.splitlines()[-14:] == of_config.splitlines()[-14:]


def test_describe_refuses_what_is_no_model(tmp_path):
    with pytest.raises(InputError, match="neither a preset"):
        describe(str(tmp_path / "nowhere"), 32, 4, 5)

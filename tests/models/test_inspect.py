"""The table of a model against its parameters and a count of the operations that torch does."""

import dataclasses

import pytest
import torch
from rich.console import Console
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode

from mtvm.errors import InputError
from mtvm.models.agent import Agent
from mtvm.models.attention import Packing
from mtvm.models.config import HISTORIES, PRESETS
from mtvm.models.inspect import describe, parts
from mtvm.models.model import MTVM
from mtvm.models.text import tokenize

torch.set_num_threads(1)

MEMORY, CANDIDATES = 4, 5
TEXT = "Walk past the sofa and the chandeliers, then stop."


def make_model(**changes):
    torch.manual_seed(0)
    return MTVM(dataclasses.replace(PRESETS["tiny"], **changes)).eval()


def named(model, words):
    return {part.name: part for part in parts(model, words, MEMORY, CANDIDATES)}


def counted(work):
    """Operations of the products that torch does, with attention written out so that its products are seen too."""
    with torch.no_grad(), sdpa_kernel(SDPBackend.MATH), FlopCounterMode(display=False) as counter:
        work()
    return counter.get_total_flops()


@pytest.mark.parametrize("history", HISTORIES)
@pytest.mark.parametrize("bidirectional", [True, False])
def test_parameters_add_up(history, bidirectional):
    model = make_model(history=history, bidirectional=bidirectional)
    listed = parts(model)
    assert sum(part.parameters for part in listed) == sum(parameter.numel() for parameter in model.parameters())
    assert len({part.name for part in listed}) == len(listed)


def test_the_papers_model_in_millions():
    with torch.device("meta"):
        listed = {part.name.split(" (")[0]: part.parameters for part in parts(MTVM(PRESETS["paper"]))}
    assert round(sum(listed.values()) / 1e6, 1) == 158.4
    assert round((sum(listed.values()) - listed["critic"]) / 1e6, 1) == 158.0
    assert round(listed["language encoder"] / 1e6, 1) == 87.6


@pytest.mark.parametrize("bidirectional", [True, False])
@pytest.mark.parametrize("layers", [1, 3])
def test_operations_of_the_crossmodal_encoder_are_torchs(bidirectional, layers):
    model = make_model(bidirectional=bidirectional, crossmodal_layers=layers)
    words, stream, hidden = 12, MEMORY + CANDIDATES + 1, model.config.hidden
    text, vision = torch.randn(1, words, hidden), torch.randn(1, stream, hidden)
    packings = [Packing(torch.ones(1, count, dtype=torch.bool)) for count in (words, stream)]
    cache = model.crossmodal.text_cache(text, packings[0])  # once an episode
    found = counted(lambda: model.crossmodal(text, packings[0], vision, packings[1], cache))
    assert named(model, words)["cross-modality encoder"].flops == pytest.approx(found, rel=0.03)


def test_operations_of_the_language_encoder_are_torchs():
    model, tokens = make_model(language_layers=2), tokenize([TEXT])
    found = counted(lambda: model.language(tokens, tokens.mask))
    part = named(model, tokens.ids.shape[1])["language encoder (once an episode)"]
    assert part.flops == pytest.approx(found, rel=0.03)


@pytest.mark.parametrize("name", ["token encoder", "action head", "critic"])
def test_operations_of_the_small_parts_are_torchs(name):
    model, config = make_model(), PRESETS["tiny"]
    text = model.encode(tokenize([TEXT]))
    step = model.step(
        text, model.start(text), torch.randn(1, CANDIDATES, config.token_width), torch.tensor([CANDIDATES])
    )
    state = model.pooler(step)
    works = {
        "token encoder": lambda: model.token_encoder(torch.randn(1, MEMORY + CANDIDATES + 1, config.token_width)),
        "action head": lambda: model.head(torch.randn(1, CANDIDATES + 1, config.hidden)),
        "critic": lambda: model.critic(state),
    }
    assert named(model, text.states.shape[1])[name].flops == pytest.approx(counted(works[name]), rel=0.03)


@pytest.mark.parametrize("history", HISTORIES)
def test_operations_of_a_step_are_torchs_whatever_the_history(history):
    """A step with a past of four, its value, and taking it into the history: where the rivals differ in cost."""
    model, config = make_model(history=history), PRESETS["tiny"]
    text = model.encode(tokenize([TEXT]))
    past = model.start(text)
    views, counts, chosen = (
        torch.randn(1, CANDIDATES, config.token_width),
        torch.tensor([CANDIDATES]),
        torch.tensor([0]),
    )
    direction, panorama = torch.randn(1, config.angle_width), torch.randn(1, 36, config.token_width)
    for _ in range(MEMORY):
        past = model.remember(past, model.step(text, past, views, counts), chosen, direction, panorama)

    def work():
        with torch.enable_grad():  # as in training: every memory token is encoded at every step
            step = model.step(text, past, views, counts)
            model.value(step)
            model.remember(past, step, chosen, direction, panorama)

    listed = named(model, text.states.shape[1])
    per_step = sum(part.flops for name, part in listed.items() if not name.startswith("language"))
    assert per_step == pytest.approx(counted(work), rel=0.03)


def test_more_memory_costs_more():
    model = make_model()
    costs = [sum(part.flops for part in parts(model, 32, memory, 5)) for memory in (0, 4, 15)]
    assert costs == sorted(set(costs))


def shown(table):
    console = Console(width=200)
    with console.capture() as capture:
        console.print(table)
    return capture.get()


def test_the_table_of_a_preset_names_all_counts():
    told = shown(describe("paper", 32, 4, 5))
    for number in ("158,418,259", "158,024,018", "70,395,986"):
        assert number in told


def test_the_table_of_a_saved_agent(tmp_path):
    model = make_model(history="recurrent")
    Agent(model).save_pretrained(tmp_path / "agent")
    told = shown(describe(str(tmp_path / "agent"), 32, 4, 5))
    assert "history: recurrent" in told
    assert f"{sum(p.numel() for p in model.parameters()):,}" in told
    with pytest.raises(InputError, match="neither a preset"):
        describe(str(tmp_path / "nowhere"), 32, 4, 5)

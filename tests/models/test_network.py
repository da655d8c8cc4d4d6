"""A network of the user's own, named module:Class as the architecture, and what all networks have in common."""

import dataclasses
import sys

import numpy as np
import pytest
import torch
from small_agents import TEXTS as AGENT_TEXTS
from small_agents import make_model as make_agents_model
from small_agents import walk_alone, walk_together
from small_models import TEXTS, TINY, assert_same, facing, follow, make_model, make_walk, words_of

from mtvm.errors import InputError
from mtvm.models.agent import Agent
from mtvm.models.config import ModelConfig
from mtvm.models.export import export_step
from mtvm.models.inspect import describe, parts
from mtvm.models.model import MTVM
from mtvm.models.network import Output, make_network
from mtvm.models.parts import ARCHITECTURES
from mtvm.models.saving import load_model, save_model
from mtvm.models.vlnbert import VLNBert

MODULE = """
import dataclasses
import torch
from torch import nn
from mtvm.models.crossmodal import CrossModalEncoder
from mtvm.models.language import LanguageEncoder, Text
from mtvm.models.network import Network, Output, initialize_like_bert, make_critic
from mtvm.models.packing import Packing
from mtvm.models.vision import TokenEncoder

@dataclasses.dataclass
class Facing:
    direction: torch.Tensor

    def keep(self, rows):
        return Facing(self.direction[rows])

class Matching(Network):
    '''Each action is scored by its product with the text's mean and the agent's direction.'''

    def __init__(self, config):
        super().__init__()
        self.config = config
        self.language = LanguageEncoder(config)
        self.crossmodal = CrossModalEncoder(dataclasses.replace(config, crossmodal_layers=0), bidirectional=False)
        self.token_encoder = TokenEncoder(config)
        self.turn = nn.Linear(config.angle_width, config.hidden)
        self.critic = make_critic(config)
        initialize_like_bert(self, config.hidden)

    def encode(self, *variants):
        (tokens,) = variants
        return Text(self.language(tokens, tokens.mask), tokens.mask, tokens.mask, Packing(tokens.mask), [])

    def start(self, text, direction):
        return Facing(direction)

    def step(self, text, past, actions, mask, *, need_context=True, need_attention=False, need_layers=False):
        real = text.mask[..., None]
        wanted = (text.states * real).sum(dim=1) / real.sum(dim=1) + self.turn(past.direction)
        tokens = self.token_encoder(actions)
        logits = (tokens @ wanted[:, :, None])[..., 0].masked_fill(~mask, -torch.inf)
        return Output(logits, mask, actions, tokens, text.states, text.mask, tokens, mask, state=wanted)

    def remember(self, past, step, chosen, direction, panorama=None):
        return Facing(direction)

    def value(self, step):
        return self.critic(step.state)[:, 0]

class Half(Network):
    def encode(self, *variants):
        return None

class Other(nn.Module):
    pass
"""
OWN = "own_network:Matching"


@pytest.fixture
def module(tmp_path, monkeypatch):
    (tmp_path / "own_network.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    sys.modules.pop("own_network", None)


def test_make_network_makes_what_the_config_names(module):
    assert type(make_network(TINY)) is MTVM
    assert type(make_network(dataclasses.replace(TINY, architecture="vlnbert"))) is VLNBert
    assert type(make_network(dataclasses.replace(TINY, architecture=OWN))).__name__ == "Matching"


def test_own_network_gets_gradients(module):
    model = make_model(architecture=OWN).train()
    steps = follow(model, TEXTS, make_walk(model.config, steps=3))
    sum(step.logits[step.mask].square().sum() + model.value(step).square().sum() for step in steps).backward()
    assert [name for name, p in model.named_parameters() if p.grad is None or not p.grad.abs().sum() > 0] == []


def test_own_network_acts_alone_and_in_a_batch(module, views):
    agent = Agent(make_agents_model(architecture=OWN))
    together = walk_together(agent, views)
    for row in range(len(AGENT_TEXTS)):
        mine = [actions[row] for actions in together if actions[row] is not None]
        for one, two in zip(walk_alone(agent, row, views), mine, strict=True):
            np.testing.assert_allclose(one.probabilities, two.probabilities, atol=1e-4)


def test_own_network_is_saved_by_name(module, tmp_path):
    model = make_model(architecture=OWN)
    save_model(model, tmp_path / "agent")
    again = load_model(tmp_path / "agent", "cpu")
    assert again.config.architecture.name == OWN
    assert torch.equal(again.turn.weight, model.turn.weight)


def test_own_network_is_inspected_part_by_part(module):
    model = make_model(architecture=OWN)
    listed = {part.name: part for part in parts(model, 8, 3, 5)}
    assert listed["turn"].parameters == TINY.angle_width * TINY.hidden + TINY.hidden
    assert listed["turn"].flops == 2 * TINY.angle_width * TINY.hidden
    assert listed["between the parts"].flops == 2 * 6 * TINY.hidden, "six actions times what is wanted"
    assert sum(part.parameters for part in listed.values()) == sum(p.numel() for p in model.parameters())
    assert OWN in describe(model.config, 8, 3, 5).title


def test_own_network_is_not_exported(module, tmp_path):
    with pytest.raises(InputError, match=OWN):
        export_step(make_model(architecture=OWN), tmp_path / "step.pt2")


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("nowhere_to_be_found:Net", "nowhere_to_be_found"),
        ("own_network:Missing", "has no Missing"),
        ("own_network:Other", "not a Network"),
        ("own_network:Half", "does not define remember, start, step, value"),
        ("mtvm.models.network:Network", "does not define encode"),
    ],
)
def test_own_network_that_cannot_be_made_is_one_sentence(module, name, says):
    with pytest.raises(InputError, match=says) as error:
        make_network(dataclasses.replace(TINY, architecture=name))
    assert name in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("name", ["magic", "own_network", ":Net", "own_network:", "a b:C", "", 3, None, [], {}])
def test_config_refuses_other_names_of_architectures(name):
    with pytest.raises(InputError, match="mtvm, vlnbert"):
        ModelConfig(architecture=name)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_step_select_picks_rows_of_everything(architecture):
    """Whatever a step has, layers and state too; attention, which nobody selects, is left behind."""
    model = make_model(architecture=architecture)
    move, rows = make_walk(model.config, steps=1)[0], torch.tensor([2, 0])
    text = model.encode(words_of(TEXTS, model.config.leading_cls))
    past = model.start(text, facing([move], model.config))
    step = model.step(text, past, move.actions, move.mask, need_attention=True, need_layers=True)
    some = step.select(lambda batch: batch[rows])
    for field in dataclasses.fields(Output):
        value = getattr(step, field.name)
        if isinstance(value, torch.Tensor):
            assert torch.equal(getattr(some, field.name), value[rows]), field.name
    for (of_text, of_stream), found in zip(step.layers, some.layers, strict=True):
        assert torch.equal(found[0], of_text[rows])
        assert torch.equal(found[1], of_stream[rows])
    assert len(step.layers) == model.config.crossmodal_layers
    assert step.attention is not None
    assert some.attention is None


@torch.no_grad()
@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize("rest", [True, False])
def test_step_layers_end_with_the_streams_output(architecture, rest):
    """Whether X̂ and M̂ were asked for or not."""
    model = make_model(architecture=architecture)
    for step in follow(model, TEXTS, make_walk(model.config, steps=3), need_layers=True, need_context=rest):
        assert_same(step.layers[-1][0], step.text)
        assert_same(step.layers[-1][1], step.stream)
        assert not torch.allclose(step.layers[0][1], step.stream, atol=1e-2)
    plain = follow(model, TEXTS, make_walk(model.config, steps=3))
    assert_same(step.logits, plain[-1].logits)
    assert all(one.layers == [] for one in plain)

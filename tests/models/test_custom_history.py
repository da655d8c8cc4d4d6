"""A history of the user's own, named module:Class in the config."""

import dataclasses
import subprocess
import sys

import pytest
import torch
from small_models import TEXTS, TINY, follow, make_model, make_walk

from mtvm.errors import InputError
from mtvm.models.agent import Agent
from mtvm.models.config import ModelConfig
from mtvm.models.export import export_step
from mtvm.models.inspect import parts
from mtvm.models.model import MTVM

MODULE = """
import dataclasses
import torch
from torch import nn
from mtvm.models.history import HistoryEncoder

@dataclasses.dataclass
class Sum:
    total: torch.Tensor

    def keep(self, rows):
        return Sum(self.total[rows])

class Total(HistoryEncoder):
    '''One token: the sum of all chosen actions.'''

    def __init__(self, config):
        super().__init__(config)
        self.project = nn.Linear(config.token_width, config.hidden)

    def start(self, text):
        return Sum(text.states.new_zeros(len(text), self.config.hidden))

    def tokens(self, past, token_encoder):
        return past.total[:, None], past.total.new_ones(len(past.total), 1, dtype=torch.bool)

    def update(self, past, step):
        return Sum(past.total + self.project(step.at_chosen(step.actions)))

class Half(HistoryEncoder):
    def start(self, text):
        return None

class Other(nn.Module):
    pass
"""


@pytest.fixture
def module(tmp_path, monkeypatch):
    (tmp_path / "own_history.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    sys.modules.pop("own_history", None)


def test_custom_history_trains_a_step(module):
    model = make_model(history="own_history:Total").train()
    steps = follow(model, TEXTS, make_walk(model.config, steps=3))
    steps[-1].logits[steps[-1].mask].square().sum().backward()
    assert model.history.project.weight.grad.abs().sum() > 0
    assert steps[-1].stream.shape[1] == 1 + steps[-1].mask.shape[1]


def test_custom_history_is_saved_by_name(module, tmp_path):
    model = make_model(history="own_history:Total")
    Agent(model).save_pretrained(tmp_path / "agent")
    again = Agent.from_pretrained(tmp_path / "agent", device="cpu").model
    assert again.config.history.name == "own_history:Total"
    assert torch.equal(again.history.project.weight, model.history.project.weight)


def test_custom_history_is_counted_by_inspect(module):
    listed = {part.name: part for part in parts(make_model(history="own_history:Total"), 8, 3, 5)}
    found = listed["history: own_history:Total"]
    assert found.parameters == TINY.token_width * TINY.hidden + TINY.hidden
    assert found.flops == 2 * TINY.token_width * TINY.hidden


def test_custom_history_without_activations_is_not_exported(module, tmp_path):
    with pytest.raises(InputError, match="own_history:Total"):
        export_step(make_model(history="own_history:Total"), tmp_path / "step.pt2")


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("nowhere_to_be_found:Total", "nowhere_to_be_found"),
        ("own_history.deeper:Total", "own_history"),
        ("own_history:Missing", "has no Missing"),
        ("own_history:Other", "not a HistoryEncoder"),
        ("own_history:MODULE_LEVEL", "has no MODULE_LEVEL"),
        ("own_history:dataclasses", "not a HistoryEncoder"),
        ("own_history:Half", "does not define tokens, update"),
        ("mtvm.models.history:HistoryEncoder", "does not define start"),
    ],
)
def test_custom_history_that_cannot_be_made_is_one_sentence(module, name, says):
    with pytest.raises(InputError, match=says) as error:
        MTVM(dataclasses.replace(TINY, history=name))
    assert name in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "name", ["magic", "own_history", ":Total", "own_history:", "a b:C", "a..b:C", "a:b:C", "", 3, None, [], {}]
)
def test_config_refuses_other_names_of_histories(name):
    with pytest.raises(InputError, match="memory, none, recurrent, oriented, hierarchical, cached"):
        ModelConfig(history=name)


def test_config_names_histories_without_importing_torch():
    made = "import sys; from mtvm.models.config import ModelConfig; ModelConfig(history='hierarchical')"
    code = f"{made}; print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_custom_history_has_options_of_its_own(module, tmp_path):
    (module / "own_history.py").write_text(MODULE + WITH_OPTIONS)
    model = make_model(**{"history": "own_history:Fading", "history__half_life": 3})
    assert model.history.options.half_life == 3
    Agent(model).save_pretrained(tmp_path / "agent")
    again = Agent.from_pretrained(tmp_path / "agent", device="cpu").model
    assert again.config == model.config
    with pytest.raises(InputError, match=r"history\.half_life is 'long', not a number"):
        make_model(**{"history": "own_history:Fading", "history__half_life": "long"})


WITH_OPTIONS = """
from mtvm.models.parts import HistoryConfig

@dataclasses.dataclass(frozen=True)
class Rate(HistoryConfig):
    half_life: float = 2.0

class Fading(Total):
    Options = Rate

    def update(self, past, step):
        return Sum(past.total * 0.5 ** (1 / self.options.half_life) + self.project(step.at_chosen(step.actions)))
"""

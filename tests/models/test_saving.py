"""An agent's folder: saved and loaded, and folders that are not what they should be."""

import dataclasses
import json

import numpy as np
import pytest
import torch
from small_agents import make_model, walk_together
from small_models import TINY
from small_models import make_model as make_small_model

import mtvm
from mtvm.errors import InputError
from mtvm.models.agent import Agent
from mtvm.models.parts import ARCHITECTURES, HISTORIES
from mtvm.models.saving import fill, fill_where_it_fits, load_model, load_weights, save_compact, save_model


@pytest.mark.parametrize(
    "kind",
    [{"history": history} for history in HISTORIES] + [{"architecture": name} for name in ARCHITECTURES],
    ids=str,
)
def test_saved_agent_acts_as_before(tmp_path, views, kind):
    agent = Agent(make_model(**kind))
    agent.save_pretrained(tmp_path / "agent", {"SR": 61.234})
    again = Agent.from_pretrained(tmp_path / "agent", device="cpu")
    assert again.model.config == agent.model.config
    assert not again.model.training
    for one, two in zip(walk_together(agent, views), walk_together(again, views), strict=True):
        for a, b in zip(one, two, strict=True):
            assert (a is None) == (b is None)
            if a is not None:
                np.testing.assert_array_equal(a.probabilities, b.probabilities)


def test_save_model_replaces_the_agent_and_nothing_else(tmp_path):
    """A run's folder holds logs beside the agent; they are the user's."""
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "log.txt").write_text("precious")
    first, second = make_small_model(seed=1), make_small_model(seed=2)
    save_model(first, folder)
    save_model(second, folder)
    assert torch.equal(load_model(folder).head.score.weight, second.head.score.weight)
    assert (folder / "log.txt").read_text() == "precious"


def test_save_model_writes_to_the_current_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    save_model(make_small_model(), ".")
    assert load_model(".").config == TINY


def test_save_model_refuses_a_file_as_folder(tmp_path):
    (tmp_path / "agent").write_text("")
    with pytest.raises(InputError, match="cannot write there"):
        save_model(make_small_model(), tmp_path / "agent")


def test_model_card_has_version_metrics_and_config(tmp_path):
    model = make_small_model(history__steps=7)
    save_model(model, tmp_path / "agent", {"SR": 61.234, "SPL": 55.5})
    card = (tmp_path / "agent" / "README.md").read_text(encoding="utf-8")
    assert mtvm.__version__ in card
    assert "| SR | 61.23 |" in card
    assert "| SPL | 55.50 |" in card
    for name, value in dataclasses.asdict(model.config).items():
        assert f"| {name} | {value} |" in card
    millions = sum(parameter.numel() for parameter in model.parameters()) / 1e6
    assert f"{millions:.1f} M parameters" in card
    save_model(model, tmp_path / "other")
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
    "an unknown architecture": ("config.json", lambda config: config | {"architecture": "magic"}),
    "another architecture": ("config.json", lambda config: config | {"architecture": "vlnbert"}),
    "an architecture that is a list": ("config.json", lambda config: config | {"architecture": ["mtvm"]}),
    "an unknown history": ("config.json", lambda config: config | {"history": "magic"}),
    "a history that is a list": ("config.json", lambda config: config | {"history": ["memory"]}),
    "a list": ("config.json", lambda config: [1, 2]),
    "no heads": ("config.json", lambda config: config | {"heads": 0}),
    "heads that do not fit": ("config.json", lambda config: config | {"heads": 5}),
    "a word for a number": ("config.json", lambda config: config | {"hidden": "64"}),
    "a negative memory": ("config.json", lambda config: config | {"history": {"name": "memory", "steps": -1}}),
    "endless layers": ("config.json", lambda c: c | {"history": {"name": "hierarchical", "panorama_layers": 10**6}}),
    "more layers of a history": (
        "config.json",
        lambda c: c | {"history": {"name": "hierarchical", "temporal_layers": 900}},
    ),
    "endless words of a reader": ("config.json", lambda c: c | {"reader": "minilm", "vocabulary": 10**8}),
    "a strange dropout": ("config.json", lambda config: config | {"dropout": 1.5}),
}


@pytest.mark.parametrize(("name", "change"), SPOILED.values(), ids=SPOILED)
def test_load_model_of_a_spoiled_folder_is_one_sentence(tmp_path, name, change):
    folder = tmp_path / "agent"
    save_model(make_small_model(), folder)
    if change is None:
        (folder / name).unlink()
    else:
        spoil(folder, name, change)
    with pytest.raises(InputError) as error:
        load_model(folder)
    assert "\n" not in str(error.value)
    assert str(error.value).count(". ") <= 1


def test_load_model_of_a_missing_folder_is_one_sentence(tmp_path):
    with pytest.raises(InputError, match="no agent here"):
        load_model(tmp_path / "nowhere")


def test_load_model_on_a_missing_device_is_one_sentence(tmp_path):
    save_model(make_small_model(), tmp_path / "agent")
    with pytest.raises(InputError, match="nonsense"):
        load_model(tmp_path / "agent", device="nonsense")


def test_load_weights_fills_another_model(tmp_path):
    model, other = make_small_model(seed=1), make_small_model(seed=2)
    save_model(model, tmp_path)
    load_weights(other, tmp_path / "model.safetensors")
    assert all(torch.equal(one, two) for one, two in zip(model.parameters(), other.parameters(), strict=True))


@pytest.mark.parametrize("change", ["missing", "another", "shape"])
def test_fill_refuses_tensors_that_do_not_fit(tmp_path, change):
    model = make_small_model()
    tensors = dict(model.state_dict())
    if change == "missing":
        del tensors["head.score.bias"]
    elif change == "another":
        tensors["head.other.bias"] = torch.zeros(1)
    else:
        tensors["head.score.bias"] = torch.zeros(2)
    with pytest.raises(InputError, match=r"head\.(score|other)\.bias"):
        fill(model, tensors, tmp_path / "weights")


@pytest.mark.parametrize("number", [torch.nan, torch.inf, -torch.inf])
def test_weights_that_are_not_finite_are_refused(tmp_path, number):
    """An agent of NaNs walks too, and would be evaluated."""
    model = make_small_model()
    with torch.no_grad():
        model.head.score.weight[0, 3] = number
    save_model(model, tmp_path / "agent")
    told = r"model\.safetensors: the weights head\.score\.weight are not all finite numbers"
    with pytest.raises(InputError, match=told):
        load_model(tmp_path / "agent")
    with pytest.raises(InputError, match=told):
        fill_where_it_fits(make_small_model(), tmp_path / "agent" / "model.safetensors")


def test_weights_too_large_for_half_precision_are_not_released(tmp_path):
    model = make_small_model()
    with torch.no_grad():
        model.head.score.weight[0, 3] = 70_000
    with pytest.raises(InputError, match=r"head\.score\.weight are not all finite"):
        save_compact(model, tmp_path / "agent", "card")
    assert not (tmp_path / "agent").exists()


def test_saved_weights_can_be_read_by_whoever_can_read_the_config(tmp_path):
    save_model(make_model(), tmp_path / "agent")
    modes = {path.name: path.stat().st_mode for path in (tmp_path / "agent").iterdir()}
    assert len(modes) > 1
    assert len(set(modes.values())) == 1, modes

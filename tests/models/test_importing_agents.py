"""From a released checkpoint to an agent's folder, and back."""

import dataclasses
import json

import pytest
import torch
from small_models import TINY, changed, make_model

from mtvm.errors import InputError
from mtvm.models.config import PRESETS
from mtvm.models.importing import describe_import, export_agent, import_agent
from mtvm.models.saving import load_model, save_model
from mtvm.models.vlnbert import VLNBert
from mtvm.models.weights import write_released


def test_import_agent_undoes_export_agent(tmp_path):
    model = make_model()
    save_model(model, tmp_path / "agent")
    export_agent(tmp_path / "agent", tmp_path / "theirs.pt", "released")
    summary = import_agent(tmp_path / "theirs.pt", tmp_path / "again", "tiny", "memory", seed=0)
    again = load_model(tmp_path / "again", "cpu")
    assert again.config == dataclasses.replace(TINY, max_text=80), "the pooler's width tells the text's length"
    assert all(torch.equal(one, other) for one, other in zip(model.parameters(), again.parameters(), strict=True))
    assert summary.startswith(f"loaded:   {len(model.state_dict())} tensors")
    assert "random" not in summary
    assert "left out" not in summary


def test_import_agent_says_what_stays_random_and_what_is_left_out(tmp_path):
    path = tmp_path / "theirs.pt"
    write_released(make_model(), path)
    content = torch.load(path, weights_only=True)
    content["vln_bert"]["state_dict"] |= {f"cls.predictions.{name}": torch.ones(2) for name in ("weight", "bias")}
    torch.save(content, path)
    summary = import_agent(path, tmp_path / "agent", "tiny", "recurrent", seed=0)
    assert "random:   10 tensors" in summary
    assert "history.refine (2)" in summary
    assert "left out: 2 tensors, a head of another task (e.g. cls.predictions.weight)" in summary


@pytest.mark.parametrize("history", ["memory", "recurrent"])
def test_import_agent_of_vln_bert_is_vln_bert_whatever_the_history(tmp_path, history):
    """The history is MTVM's; the weights say which network they are of."""
    model = make_model(architecture="vlnbert")
    save_model(model, tmp_path / "agent")
    export_agent(tmp_path / "agent", tmp_path / "theirs.pt", "released")
    summary = import_agent(tmp_path / "theirs.pt", tmp_path / "again", "tiny", history, seed=0)
    again = load_model(tmp_path / "again", "cpu")
    assert (again.config.architecture.name, again.config.leading_cls) == ("vlnbert", True)
    assert type(again) is VLNBert
    assert all(torch.equal(one, other) for one, other in zip(model.parameters(), again.parameters(), strict=True))
    assert "random" not in summary


def test_import_agent_fills_what_stays_random_by_the_seed(tmp_path):
    write_released(make_model(), tmp_path / "theirs.pt")
    states = []
    for number, seed in enumerate((1, 1, 2)):
        import_agent(tmp_path / "theirs.pt", tmp_path / str(number), "tiny", "recurrent", seed)
        states.append(load_model(tmp_path / str(number), "cpu").history.refine.weight)
    assert torch.equal(states[0], states[1])
    assert not torch.equal(states[0], states[2])


def test_import_agent_refuses_an_unknown_preset(tmp_path):
    with pytest.raises(InputError, match=", ".join(PRESETS)):
        import_agent(tmp_path, tmp_path / "agent", "huge", "memory", seed=0)


@pytest.mark.slow
def test_export_agent_writes_a_program(tmp_path):
    config = changed(TINY, crossmodal_layers=1, architecture__bidirectional=False)
    save_model(make_model(config), tmp_path / "agent")
    export_agent(tmp_path / "agent", tmp_path / "step.pt2", "program")
    program = torch.export.load(tmp_path / "step.pt2").module()
    ones = torch.ones(1, 2, dtype=torch.bool)
    tokens = torch.zeros(1, 2, config.token_width)
    logits, activations = program(torch.zeros(1, 2, config.hidden), ones, tokens, ones, tokens, ones)
    assert logits.shape == (1, 2)
    assert activations.shape == (1, 2, config.feature_width)


@pytest.mark.parametrize("loaded", ["many", None, 10**400])
def test_describe_import_refuses_a_note_of_something_else(tmp_path, loaded):
    note = {"source": "theirs.pt", "numbers": 5, "loaded": loaded, "random": []}
    (tmp_path / "import.json").write_text(json.dumps(note))
    with pytest.raises(InputError, match="not what 'mtvm weights import' writes"):
        describe_import(tmp_path)

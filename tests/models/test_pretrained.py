"""Agents that come with the package."""

import json

import numpy as np
import pytest
import torch
from small_agents import make_model

from mtvm.errors import InputError
from mtvm.io.weight_files import read_weight_file, write_safetensors
from mtvm.models.agent import Agent, Observation
from mtvm.models.pretrained import HOMES, agent_folder, pretrained_names
from mtvm.models.saving import load_model, save_compact
from mtvm.models.weights import load_reader


@pytest.fixture(scope="module")
def homes():
    return Agent.from_pretrained("homes", "cpu")


def test_pretrained_agent_is_small_and_has_a_card():
    folder = agent_folder(HOMES)
    assert sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) < 8_000_000
    tensors = read_weight_file(folder / "model.safetensors")
    assert {tensor.dtype for tensor in tensors.values()} == {torch.float16}
    card = (folder / "README.md").read_text()
    for said in ("seed 0", "750 updates", "r2r/val_unseen", "make pretrained"):
        assert said in card


def test_pretrained_agent_is_known_by_name_only_as_a_name(tmp_path, monkeypatch):
    assert HOMES in pretrained_names()
    assert agent_folder("runs/mine/best").as_posix() == "runs/mine/best"
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="no agent here"):
        Agent.from_pretrained("./homes")


def test_pretrained_agent_walks_towards_what_it_is_told(homes):
    """Two doors, with a kitchen behind one and a bedroom behind the other."""
    from mtvm.features.names import embed_phrases

    kitchen, bedroom, hallway = embed_phrases(["kitchen", "bedroom", "hallway"])
    nothing = np.zeros_like(kitchen)
    doors = np.stack([np.concatenate([nothing, hallway, room]) for room in (kitchen, bedroom)])
    seen = Observation(headings=[0.3, -0.3], elevations=[0.0, 0.0], features=doors)
    liked = []
    for room in ("kitchen", "bedroom"):
        homes.start(f"Walk into the {room} and stop.")
        chances = homes.act(seen).probabilities
        liked.append(chances[0] - chances[1])
    assert liked[0] > liked[1]


def test_compact_agent_thinks_as_the_whole_one_to_half_precision(tmp_path):
    model = make_model()
    save_compact(model, tmp_path, "card")
    again = load_model(tmp_path, "cpu")
    assert (tmp_path / "README.md").read_text() == "card"
    for name, value in model.state_dict().items():
        found = again.state_dict()[name]
        assert found.dtype == value.dtype
        torch.testing.assert_close(found, value.half().to(value.dtype))


def test_agent_in_bytes_thinks_as_the_whole_one_to_half_a_step_of_each_row(tmp_path):
    model = make_model()
    save_compact(model, tmp_path / "halves", "card")
    save_compact(model, tmp_path / "bytes", "card", bits=8)
    again = load_model(tmp_path / "bytes", "cpu").state_dict()
    for name, value in model.state_dict().items():
        assert again[name].dtype == value.dtype
        if value.dim() < 2:
            torch.testing.assert_close(again[name], value.half().to(value.dtype))
        else:
            step = value.abs().amax(-1, keepdim=True) / 127
            assert ((again[name] - value).abs() <= 0.51 * step).all()
    sizes = [(tmp_path / kind / "model.safetensors").stat().st_size for kind in ("bytes", "halves")]
    assert sizes[0] < sizes[1]


def test_agent_in_bytes_without_its_scales_is_refused(tmp_path):
    save_compact(make_model(), tmp_path, "card", bits=8)
    file = tmp_path / "model.safetensors"
    tensors = read_weight_file(file)
    scale = next(name for name in tensors if name.endswith(".scale"))
    for spoilt in (
        {name: value for name, value in tensors.items() if name != scale},
        tensors | {scale: tensors[scale][:-1].clone()},
    ):
        write_safetensors(file, spoilt)
        with pytest.raises(InputError, match=r"model\.safetensors: rows of weights and their scales do not fit"):
            load_model(tmp_path, "cpu")


def test_compact_agent_takes_its_reader_from_the_package(homes):
    own = json.loads((agent_folder(HOMES) / "config.json").read_text())
    assert own["reader"] == "minilm"
    shipped = read_weight_file(agent_folder(HOMES) / "model.safetensors")
    assert not any(name.startswith("language.reader.") for name in shipped)
    words = homes.model.language.reader.get_submodule("embeddings.word_embeddings").weight
    assert words.std() > 0.01
    assert words.dtype == torch.float32


def test_compact_agent_with_a_trained_reader_takes_the_words_from_the_package(tmp_path):
    model = make_model(reader="minilm", reader_layers=1, train_reader=True, vocabulary=30522)
    load_reader(model)
    with torch.no_grad():  # as training does, which leaves the words as they are
        for parameter in model.language.reader.get_submodule("encoder").parameters():
            parameter.add_(0.01)
    model.eval()
    save_compact(model, tmp_path / "compact", "card")
    assert (tmp_path / "compact" / "model.safetensors").stat().st_size < 5_000_000
    again = load_model(tmp_path / "compact", "cpu")
    for name, value in model.state_dict().items():
        kept = value if name.startswith("language.reader.embeddings.") else value.half().float()
        torch.testing.assert_close(again.state_dict()[name], kept, rtol=0, atol=0)


def test_compact_agent_keeps_words_that_are_not_those_of_the_package(tmp_path):
    model = make_model(reader="minilm", reader_layers=1, train_reader=True, vocabulary=30522)
    save_compact(model, tmp_path / "compact", "card")
    words = "language.reader.embeddings.word_embeddings.weight"
    assert torch.equal(
        load_model(tmp_path / "compact", "cpu").state_dict()[words], model.state_dict()[words].half().float()
    )

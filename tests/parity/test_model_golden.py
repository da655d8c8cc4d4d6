"""Our model with recorded weights against what the released model computed with them."""

import json
import shutil

import pytest
import torch
from safetensors.torch import load_file, save_file

from mtvm.errors import InputError
from mtvm.models.parity import measure_parity

torch.set_num_threads(1)

FILES = ("parity_weights.safetensors", "parity_io.safetensors", "parity_meta.json")
KINDS = {"language", "logits", "activations", "memory", "state", "value"}
BOUND = 1e-4


@pytest.fixture
def copy(any_golden_data, tmp_path):
    """A copy of the recorded files, to spoil."""
    for name in FILES:
        shutil.copyfile(any_golden_data / "golden" / name, tmp_path / name)
    return tmp_path


def change_tensor(folder, file, name, change):
    tensors = load_file(folder / file)
    (folder / file).unlink()
    save_file(tensors | {name: change(tensors[name])}, folder / file)


def shorten(folder, steps):
    meta = json.loads((folder / "parity_meta.json").read_text())
    (folder / "parity_meta.json").write_text(json.dumps(meta | {"steps": steps}))


def test_every_number_is_the_released_models(golden_data):
    found = measure_parity(golden_data / "golden")
    assert set(found) == KINDS
    assert all(difference < BOUND for difference in found.values()), found


@pytest.mark.parametrize(
    ("name", "kinds"),
    [
        ("vln_bert.vln_bert.lalayer.1.output.dense.bias", KINDS),
        ("vln_bert.vln_bert.addlayer.0.visual_attention.att.key.weight", KINDS - {"language"}),
        ("vln_bert.vln_bert.addlayer.1.lang_output.dense.bias", {"state", "value"}),
        ("vln_bert.outproj.bias", {"logits", "activations", "memory"}),
        ("vln_bert.vln_bert.pooler.f1.weight", {"state", "value"}),
        ("critic.state2value.3.bias", {"value"}),
    ],
)
def test_a_spoiled_weight_is_found(copy, name, kinds):
    """And only where it is read."""
    shorten(copy, 3)
    change_tensor(copy, FILES[0], name, lambda value: value + 0.1 * torch.randn(value.shape).abs() + 0.05)
    found = measure_parity(copy)
    assert {kind for kind, difference in found.items() if difference > BOUND} >= kinds
    if name.startswith(("critic", "vln_bert.vln_bert.pooler", "vln_bert.vln_bert.addlayer.1.lang")):
        assert {kind for kind, difference in found.items() if difference > BOUND} == kinds


@pytest.mark.parametrize("name", ["critic.state2value.3.bias", "vln_bert.visproj.bias"])
def test_not_a_number_does_not_pass(copy, name):
    shorten(copy, 3)
    change_tensor(copy, FILES[0], name, lambda value: torch.full_like(value, torch.nan))
    found = measure_parity(copy)
    assert not all(difference <= BOUND for difference in found.values()), found
    assert not found["value" if name.startswith("critic") else "logits"] <= BOUND


def test_a_spoiled_record_is_found(copy):
    shorten(copy, 3)
    change_tensor(copy, FILES[1], "step2.logits", lambda value: value + 0.01)
    found = measure_parity(copy)
    assert found["logits"] == pytest.approx(0.01, rel=0.01)
    assert max(found["memory"], found["state"], found["value"]) < BOUND


@pytest.mark.parametrize("name", FILES)
def test_a_missing_file_is_one_sentence(copy, name):
    (copy / name).unlink()
    with pytest.raises(InputError, match=name):
        measure_parity(copy)


@pytest.mark.parametrize(
    "change",
    [{"steps": 16}, {"steps": "many"}, {"hidden_size": "48"}, {"hidden_size": 96}, {"num_attention_heads": 0}],
    ids=str,
)
def test_a_description_that_does_not_fit_is_one_sentence(copy, change):
    meta = json.loads((copy / "parity_meta.json").read_text())
    (copy / "parity_meta.json").write_text(json.dumps(meta | change))
    with pytest.raises(InputError) as error:
        measure_parity(copy)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("name", ["sentence", "step0.value", "step1.stream_mask"])
def test_a_record_without_a_tensor_is_one_sentence(copy, name):
    tensors = load_file(copy / FILES[1])
    del tensors[name]
    (copy / FILES[1]).unlink()
    save_file(tensors, copy / FILES[1])
    with pytest.raises(InputError, match=name):
        measure_parity(copy)


def test_a_missing_weight_is_one_sentence(copy):
    tensors = load_file(copy / FILES[0])
    del tensors["critic.state2value.0.bias"]
    (copy / FILES[0]).unlink()
    save_file(tensors, copy / FILES[0])
    with pytest.raises(InputError, match="critic"):
        measure_parity(copy)

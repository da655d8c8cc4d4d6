"""Recordings that are not whole: what is missing or does not fit is named in one sentence."""

import pytest
import torch
from recordings import FILES, KINDS, TITLES

from mtvm.errors import InputError
from mtvm.learning.parity import measure_parity
from thinning import thinned

torch.set_num_threads(1)

every_recording = pytest.mark.parametrize("name", KINDS)
SIZES = (
    "hidden_size",
    "num_attention_heads",
    "intermediate_size",
    "language_layers",
    "crossmodal_layers",
    "feature_size",
    "angle_feat_size",
    "max_text",
    "vocab_size",
    "steps",
)


@every_recording
def test_a_folder_with_one_recording_checks_that_one(copy, name):
    assert set(measure_parity(copy(name).folder)) == {TITLES[name]}


@pytest.mark.parametrize("missing", KINDS)
def test_a_folder_with_two_recordings_checks_both(copy, missing):
    names = [name for name in KINDS if name != missing]
    copies = [copy(name) for name in names]
    assert list(measure_parity(copies[0].folder)) == [TITLES[name] for name in names]


@pytest.mark.parametrize("there", [True, False])
def test_a_folder_without_recordings_is_one_sentence(tmp_path, there):
    folder = tmp_path if there else tmp_path / "nowhere"
    with pytest.raises(InputError) as error:
        measure_parity(folder)
    assert "\n" not in str(error.value)
    for part in (str(folder), *(f"{name}_meta.json" for name in KINDS)):
        assert part in str(error.value)


@every_recording
@pytest.mark.parametrize("file", FILES)
def test_a_missing_file_is_one_sentence(copy, name, file):
    incomplete = copy(name)
    incomplete.path(file).unlink()
    incomplete.refused(f"{name}_{file}")


def test_a_missing_file_is_found_beside_whole_recordings(copy):
    """A recording without its description does not silently go unchecked."""
    copy("vlnbert")
    incomplete = copy("parity")
    incomplete.path("meta.json").unlink()
    incomplete.refused("parity_meta.json")


@every_recording
@pytest.mark.parametrize("field", SIZES)
def test_a_missing_field_is_one_sentence(copy, name, field):
    incomplete = copy(name)
    incomplete.describe(**{field: None})
    incomplete.refused(f"{name}_meta.json", field)


@pytest.mark.parametrize("rate", [None, "half", [0.5]])
def test_a_drop_rate_that_is_missing_or_no_number_is_one_sentence(copy, rate):
    incomplete = copy("released_loss")
    incomplete.describe(drop_rate=rate)
    incomplete.refused("released_loss_meta.json", "drop_rate")


@every_recording
@pytest.mark.parametrize(
    "change",
    [
        {"steps": 99},
        {"steps": 0},
        {"steps": -1},
        {"steps": "many"},
        {"steps": 2.5},
        {"hidden_size": "48"},
        {"hidden_size": 96},
        {"num_attention_heads": 0},
        {"vocab_size": 7},
        {"feature_size": 1},
        {"crossmodal_layers": 9},
    ],
    ids=str,
)
def test_a_description_that_does_not_fit_is_one_sentence(copy, name, change):
    wrong = copy(name)
    wrong.describe(**change)
    wrong.refused()


@every_recording
@pytest.mark.parametrize("content", ["", "{", "[]", "3"])
def test_a_description_that_is_no_description_is_one_sentence(copy, name, content):
    wrong = copy(name)
    wrong.path("meta.json").write_text(content)
    wrong.refused(f"{name}_meta.json")


def test_fewer_layers_than_the_released_loss_needs_is_one_sentence(copy):
    """It would otherwise compare layers that are not there."""
    wrong = copy("released_loss")
    wrong.describe(crossmodal_layers=3)
    wrong.refused("4 cross-modal layers")


READ = {
    "parity": ["sentence", "text_embeds"]
    + [f"step1.{kind}" for kind in ("stream_features", "stream_mask", "logits", "head_tanh", "state", "value")],
    "vlnbert": ["sentence", "text_embeds", "init_state", "step0.action_angle", "last.action_angle"]
    + [f"last.{kind}" for kind in ("candidate_features", "candidate_mask", "scores", "action", "state", "value")],
    "released_loss": ["sentence", "text_embeds", "text_embeds_drop", "language.draws", "language.lang_mask_drop"]
    + [f"loss.{kind}" for kind in ("language", "crossmodal", "weighted")]
    + [f"step1.{kind}" for kind in ("draws", "lang_mask_drop", "stream_features", "stream_mask", "logits", "head_tanh")]
    + [f"step1.{kind}" for kind in ("target", "crossmodal")]
    + [f"last.{kind}_layers{suffix}" for kind in ("language", "vision") for suffix in ("", "_drop")],
}


EVERY = [(name, tensor) for name, tensors in READ.items() for tensor in tensors]


@pytest.mark.parametrize(("name", "tensor"), thinned(EVERY, every=3))
def test_a_missing_recorded_tensor_is_one_sentence(copy, name, tensor):
    incomplete = copy(name)
    incomplete.change("io", **{tensor: None})
    incomplete.refused(f"{name}_io.safetensors", tensor.removeprefix("last."))


@pytest.mark.parametrize(
    ("name", "tensor"),
    [
        ("parity", "text_embeds"),
        ("parity", "step1.logits"),
        ("parity", "step1.head_tanh"),
        ("vlnbert", "init_state"),
        ("vlnbert", "last.scores"),
        ("vlnbert", "last.state"),
        ("released_loss", "language.lang_mask_drop"),
        ("released_loss", "step1.logits"),
        ("released_loss", "last.vision_layers"),
        ("released_loss", "grad.language.vln_bert.embeddings.LayerNorm.weight"),
    ],
)
def test_a_recorded_output_of_another_shape_is_one_sentence(copy, name, tensor):
    wrong = copy(name)
    wrong.change("io", **{tensor: lambda value: value[..., :-1]})
    wrong.refused("shape")


@pytest.mark.parametrize("term", ["language", "crossmodal"])
def test_a_recording_without_gradients_of_a_term_is_one_sentence(copy, term):
    """Otherwise nothing would be compared, and it would pass."""
    incomplete = copy("released_loss")
    names = [name for name in incomplete.tensors("io") if name.startswith(f"grad.{term}.")]
    assert names
    incomplete.change("io", **dict.fromkeys(names))
    incomplete.refused("released_loss_io.safetensors", f"grad.{term}.")


def test_a_gradient_of_no_weight_is_one_sentence(copy):
    wrong = copy("released_loss")
    wrong.add("io", **{"grad.language.colour": torch.ones(3)})
    wrong.refused("grad.language.colour")


@pytest.mark.parametrize(
    ("name", "weight"),
    [
        ("parity", "critic.state2value.0.bias"),
        ("parity", "vln_bert.outproj.weight"),
        ("parity", "vln_bert.vln_bert.addlayer.1.lang_self_att.self.key.bias"),
        ("vlnbert", "vln_bert.state_proj.bias"),
        ("vlnbert", "vln_bert.vln_bert.pooler.dense.weight"),
        ("vlnbert", "vln_bert.action_LayerNorm.bias"),
        ("released_loss", "vln_bert.vln_bert.lalayer.0.output.dense.weight"),
    ],
)
def test_a_missing_weight_is_one_sentence(copy, name, weight):
    incomplete = copy(name)
    incomplete.change("weights", **{weight: None})
    incomplete.refused(f"{name}_weights.safetensors", "has no tensor for")


@every_recording
@pytest.mark.parametrize("file", FILES[:2])
def test_a_corrupt_file_is_one_sentence(copy, name, file):
    corrupt = copy(name)
    content = corrupt.path(file).read_bytes()
    corrupt.path(file).write_bytes(content[: len(content) // 2])
    corrupt.refused(f"{name}_{file}")


@pytest.mark.parametrize(
    ("name", "tensor"), [("parity", "sentence"), ("vlnbert", "step1.action"), ("released_loss", "step1.target")]
)
@pytest.mark.parametrize("number", [-(10**6), 10**6])
def test_numbers_of_what_is_not_there_are_one_sentence(copy, name, tensor, number):
    """They would be looked up beyond the end of a table."""
    wrong = copy(name)
    wrong.change("io", **{tensor: lambda value: value.clone().fill_(number)})
    wrong.refused(f"{name}_io.safetensors", f"tensor '{tensor}' has numbers that are not from")

"""Our networks and the released loss with recorded weights, against what the released programs computed with them."""

import pytest
import torch
from recordings import BOUND, KINDS, TITLES

from mtvm.learning.parity import measure_parity
from thinning import thinned

torch.set_num_threads(1)


def more(value: torch.Tensor) -> torch.Tensor:
    return value + 0.05 + 0.1 * torch.randn(value.shape, generator=torch.Generator().manual_seed(0)).abs()


def test_every_number_is_the_released_programs(golden_data):
    found = measure_parity(golden_data / "golden")
    assert {title: set(kinds) for title, kinds in found.items()} == {TITLES[name]: KINDS[name] for name in KINDS}
    for title, differences in found.items():
        assert all(difference < BOUND for difference in differences.values()), (title, differences)


def test_losses_are_the_released_programs_to_the_last_digits(golden_data):
    """They are small numbers themselves."""
    found = measure_parity(golden_data / "golden")[TITLES["released_loss"]]
    losses = {kind for kind in found if "term" in kind and "gradients" not in kind} | {"weighted loss"}
    assert len(losses) == 4
    assert all(found[kind] < 1e-6 for kind in losses), found


LANGUAGE, VISION = "vln_bert.vln_bert.lalayer.1.output.dense.bias", "vln_bert.vln_bert.addlayer.{}.visn_output"
ATTENTION = "vln_bert.vln_bert.addlayer.0.visual_attention.att.key.weight"
CROSSMODAL = {"cross-modal terms of all steps", "cross-modal term", "weighted loss", "gradients of the crossmodal term"}
OF_LANGUAGE = {"language", "language term", "weighted loss", "gradients of the language term"}
SPOILED_WEIGHTS = [
    ("parity", LANGUAGE, 3, KINDS["parity"]),
    ("parity", ATTENTION, 3, KINDS["parity"] - {"language"}),
    ("parity", VISION.format(1) + ".dense.bias", 1, {"logits", "activations", "state", "value"}),
    ("parity", "vln_bert.vln_bert.addlayer.1.lang_output.dense.bias", 3, {"state", "value"}),
    ("parity", "vln_bert.outproj.bias", 1, {"logits", "activations"}),
    ("parity", "vln_bert.outproj.bias", 3, KINDS["parity"] - {"language"}),  # through the memory
    ("parity", "vln_bert.visproj.bias", 3, {"logits"}),
    ("parity", "vln_bert.vln_bert.pooler.f1.weight", 3, {"state", "value"}),
    ("parity", "critic.state2value.3.bias", 3, {"value"}),
    ("vlnbert", "vln_bert.vln_bert.pooler.dense.bias", 1, {"start state", "scores", "state", "value"}),
    ("vlnbert", "vln_bert.action_state_project.0.weight", 1, {"scores", "state", "value"}),
    ("vlnbert", ATTENTION, 1, {"scores", "state", "value"}),
    ("vlnbert", VISION.format(1) + ".dense.bias", 1, {"state", "value"}),
    ("vlnbert", "vln_bert.state_proj.weight", 1, {"state", "value"}),
    ("vlnbert", "vln_bert.state_proj.weight", 3, {"scores", "state", "value"}),  # through the state
    ("vlnbert", "vln_bert.vis_lang_LayerNorm.weight", 1, {"state", "value"}),
    ("vlnbert", "critic.state2value.3.bias", 3, {"value"}),
    ("vlnbert", "vln_bert.img_projection.weight", 3, set()),  # which the released program never uses
    ("vlnbert", "vln_bert.vln_bert.addlayer.0.lang_output.dense.bias", 3, set()),
    (
        "released_loss",
        VISION.format(3) + ".dense.bias",
        4,
        CROSSMODAL | {"logits", "activations", "memory", "layers"},
    ),
    ("released_loss", "vln_bert.visproj.bias", 4, {"logits"}),
    ("released_loss", "vln_bert.outproj.bias", 4, CROSSMODAL | {"logits", "activations", "memory", "layers"}),
    ("released_loss", "vln_bert.vln_bert.pooler.f1.weight", 4, set()),
]


@pytest.mark.parametrize(("name", "weight", "steps", "kinds"), SPOILED_WEIGHTS)
def test_a_spoiled_weight_is_found_only_where_it_is_read(copy, name, weight, steps, kinds):
    spoiled = copy(name)
    spoiled.describe(steps=steps)
    spoiled.change("weights", **{weight: more})
    assert spoiled.wrong() - {"actions that differ"} == kinds


@pytest.mark.parametrize("name", ["vlnbert", "released_loss"])
def test_a_spoiled_language_encoder_is_found(copy, name):
    spoiled = copy(name)
    spoiled.change("weights", **{LANGUAGE: more})
    expected = {
        "vlnbert": KINDS["vlnbert"] - {"actions that differ"},
        "released_loss": {"language", "logits", "memory", "layers", "gradients of the language term"},
    }
    assert spoiled.wrong() >= expected[name]


def flipped(value: torch.Tensor) -> torch.Tensor:
    """Other draws, or the mask of the others."""
    return 1 - value


def without_one(value: torch.Tensor) -> torch.Tensor:
    """The mask without its first candidate."""
    first = value.clone()
    first[0, -value[0].flip(0).argmax() - 2] = 0
    return first


SPOILED_INPUTS = [
    ("released_loss", "language.draws", flipped, OF_LANGUAGE | {"masks"}),
    ("released_loss", "step0.draws", flipped, {"masks", "cross-modal terms of all steps"}),  # only the last step counts
    ("released_loss", "last.draws", flipped, CROSSMODAL | {"masks", "layers"}),
    ("released_loss", "step1.lang_mask_drop", flipped, {"masks"}),
    ("released_loss", "language.lang_mask_drop", flipped, {"masks"}),
    ("released_loss", "last.stream_mask", without_one, CROSSMODAL | {"logits", "activations", "layers"}),
    ("vlnbert", "last.candidate_mask", without_one, {"scores", "state", "value"}),
    ("vlnbert", "last.candidate_features", more, {"scores", "state", "value"}),
    ("vlnbert", "last.action_angle", more, {"scores", "state", "value"}),
]


@pytest.mark.parametrize(("name", "tensor", "change", "kinds"), SPOILED_INPUTS)
def test_a_spoiled_draw_mask_or_input_is_found_only_where_it_is_read(copy, name, tensor, change, kinds):
    spoiled = copy(name)
    spoiled.change("io", **{tensor: change})
    assert spoiled.wrong() - {"actions that differ"} == kinds


def slightly(value: torch.Tensor) -> torch.Tensor:
    return value + 0.01


RECORDED = [
    ("parity", "text_embeds", "language"),
    ("parity", "step2.logits", "logits"),
    ("parity", "step2.head_tanh", "activations"),
    ("parity", "step0.state", "state"),
    ("parity", "step1.value", "value"),
    ("vlnbert", "text_embeds", "language"),
    ("vlnbert", "init_state", "start state"),
    ("vlnbert", "step2.scores", "scores"),
    ("vlnbert", "step0.state", "state"),
    ("vlnbert", "last.value", "value"),
    ("released_loss", "text_embeds", "language"),
    ("released_loss", "text_embeds_drop", "language"),
    ("released_loss", "loss.language", "language term"),
    ("released_loss", "loss.crossmodal", "cross-modal term"),
    ("released_loss", "loss.weighted", "weighted loss"),
    ("released_loss", "step1.crossmodal", "cross-modal terms of all steps"),
    ("released_loss", "step2.logits", "logits"),
    ("released_loss", "step2.head_tanh", "activations"),
    *[
        ("released_loss", f"last.{stream}_layers{suffix}", "layers")
        for stream in ("language", "vision")
        for suffix in ("", "_drop")
    ],
]


@pytest.mark.parametrize(("name", "tensor", "kind"), thinned(RECORDED, every=3))
def test_a_spoiled_recorded_value_is_found_by_as_much(copy, name, tensor, kind):
    spoiled = copy(name)
    spoiled.change("io", **{tensor: slightly})
    assert spoiled.wrong() == {kind}
    assert spoiled.differences()[kind] == pytest.approx(0.01, rel=0.01)


@pytest.mark.parametrize("term", ["language", "crossmodal"])
def test_a_spoiled_recorded_gradient_is_found(copy, term):
    """Relative to the largest of its tensor."""
    spoiled = copy("released_loss")
    spoiled.change("io", **{f"grad.{term}.vln_bert.embeddings.LayerNorm.weight": lambda value: 1.01 * value})
    assert spoiled.wrong() == {f"gradients of the {term} term"}


def test_a_recorded_action_that_is_not_ours_is_counted(copy):
    spoiled = copy("vlnbert")
    spoiled.change("io", **{"last.action": lambda value: torch.where(value == 0, 1, 0)})
    assert spoiled.differences()["actions that differ"] == 3
    assert spoiled.wrong() == {"actions that differ"}


@pytest.mark.parametrize(
    ("name", "weight", "kind"),
    [
        ("parity", "critic.state2value.3.bias", "value"),
        ("parity", "vln_bert.visproj.bias", "logits"),
        ("vlnbert", "critic.state2value.3.bias", "value"),
        ("vlnbert", "vln_bert.state_proj.bias", "state"),
        ("released_loss", "vln_bert.visproj.bias", "logits"),
        ("released_loss", "vln_bert.vln_bert.lalayer.0.output.dense.bias", "gradients of the language term"),
    ],
)
def test_not_a_number_does_not_pass(copy, name, weight, kind, monkeypatch):
    monkeypatch.setattr("mtvm.models.weights.check_finite", lambda path, tensors: None)  # as if a computation made it
    spoiled = copy(name)
    spoiled.change("weights", **{weight: lambda value: torch.full_like(value, torch.nan)})
    assert kind in spoiled.wrong()


def test_recorded_weights_that_are_not_finite_are_refused(copy):
    spoiled = copy("vlnbert")
    spoiled.change("weights", **{"critic.state2value.3.bias": lambda value: torch.full_like(value, torch.nan)})
    spoiled.refused("critic.state2value.3.bias are not all finite numbers")

"""Released weights: every name and shape, there and back."""

import dataclasses
import json

import pytest
import torch
from safetensors.torch import save_file
from small_models import changed, one_sentence

from mtvm.errors import InputError
from mtvm.machine import minilm_folder
from mtvm.models.config import PRESETS
from mtvm.models.model import MTVM
from mtvm.models.network import make_network
from mtvm.models.parts import ARCHITECTURES, VLNBertConfig
from mtvm.models.text import tokenize
from mtvm.models.weights import load_released, read_tensors, released_tensors, sizes_of, write_released

torch.set_num_threads(1)

# The usual shape, with few words in the vocabulary: small enough to write to disk again and again.
CONFIG = dataclasses.replace(PRESETS["tiny"], vocabulary=300, max_positions=90)


def make_model(config=CONFIG, seed=0, **changes):
    torch.manual_seed(seed)
    model = make_network(changed(config, **changes)).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.normal_()
    return model


def outline(**changes):
    """The paper's model without its numbers."""
    with torch.device("meta"):
        return make_network(changed(PRESETS["paper"], **changes))


@pytest.fixture(scope="module")
def golden(real_data):
    """Names and shapes of the released models, the critic's prefixed."""

    def read(name):
        content = json.loads((real_data / "golden" / f"{name}_tensors.json").read_text())
        shapes = {tensor: tuple(shape) for tensor, shape in content["vln_bert"]}
        shapes |= {f"critic.{tensor}": tuple(shape) for tensor, shape in content["critic"]}
        return shapes, content["params_vln_bert"] + content["params_critic"]

    return read


def hollow(shapes):
    return {name: torch.empty(shape, device="meta") for name, shape in shapes.items()}


def assert_equal_models(one, other):
    state = other.state_dict()
    for name, value in one.state_dict().items():
        assert torch.equal(value, state[name]), name


def test_released_tensors_of_the_papers_model_are_the_authors(golden):
    shapes, count = golden("mtvm")
    model = outline()
    assert {name: tuple(value.shape) for name, value in released_tensors(model).items()} == shapes
    assert sum(parameter.numel() for parameter in model.parameters()) == count


def test_load_released_mtvm_fills_the_papers_model(golden, tmp_path):
    shapes, _ = golden("mtvm")
    report = load_released(outline(), hollow(shapes), tmp_path)
    assert (report.fresh, report.left_out) == ([], {})
    assert len(report.loaded) == len(outline().state_dict())


def test_load_released_vln_bert_fills_vln_bert(golden, tmp_path):
    """All of it; left out is what the released network has but never uses."""
    shapes, count = golden("vlnbert")
    model = outline(architecture="vlnbert")
    report = load_released(model, hollow(shapes), tmp_path)
    assert report.fresh == []
    unused = [name for name in shapes if name.startswith(("img_projection.", "cand_LayerNorm.")) or ".lang_" in name]
    assert set(report.left_out) == set(unused)
    assert len(unused) == 4 + 4 * 16, "biases and weights of two parts, and of each layer's text blocks"
    assert "never uses" in report.left_out["img_projection.weight"]
    assert "key and value" in report.left_out["vln_bert.addlayer.3.lang_output.dense.bias"]
    numbers = sum(parameter.numel() for parameter in model.parameters())
    assert numbers == count - sum(torch.Size(shapes[name]).numel() for name in unused)


def test_load_released_vln_bert_fills_no_history(golden, tmp_path):
    """The history "recurrent" is our own state inside MTVM."""
    report = load_released(outline(history="recurrent"), hollow(golden("vlnbert")[0]), tmp_path)
    assert [name for name in report.loaded if name.startswith("history.")] == []
    assert len([name for name in report.fresh if name.startswith("history.")]) == 10


def test_sizes_of_vln_berts_tensors_are_vln_bert(golden, tmp_path):
    tensors = hollow(golden("vlnbert")[0])
    expected = dataclasses.replace(PRESETS["paper"], architecture=VLNBertConfig(), leading_cls=True)
    assert sizes_of(tensors, PRESETS["paper"], tmp_path) == expected
    small = dataclasses.replace(PRESETS["tiny"], angle_width=4)
    assert sizes_of(tensors, small, tmp_path) == dataclasses.replace(expected, heads=small.heads)


def test_sizes_of_the_released_tensors_are_the_papers(golden, tmp_path):
    """All but the heads, whatever the preset was."""
    tensors, expected = hollow(golden("mtvm")[0]), dataclasses.replace(PRESETS["paper"], max_text=80)
    assert sizes_of(tensors, PRESETS["paper"], tmp_path) == expected
    small = dataclasses.replace(PRESETS["tiny"], max_positions=100)
    assert sizes_of(tensors, small, tmp_path) == dataclasses.replace(expected, heads=small.heads)


def test_sizes_of_our_own_tensors_are_the_config(tmp_path):
    sizes = {"hidden": 32, "intermediate": 48, "language_layers": 3, "crossmodal_layers": 1, "max_text": 50}
    config = dataclasses.replace(CONFIG, **sizes)
    assert sizes_of(released_tensors(make_model(config)), CONFIG, tmp_path) == config


def test_sizes_of_a_transformers_folder_are_its_own(tmp_path):
    """MiniLM's six layers of width 384, of which a model with fewer takes the first."""
    tensors = read_tensors(minilm_folder())
    assert sizes_of(tensors, PRESETS["small"], tmp_path) == PRESETS["small"]
    few = dataclasses.replace(PRESETS["small"], hidden=96, intermediate=100, language_layers=2)
    assert sizes_of(tensors, few, tmp_path) == dataclasses.replace(PRESETS["small"], language_layers=2)
    with pytest.raises(InputError, match="no word embeddings"):
        sizes_of({"vln_bert.a": torch.ones(2)}, PRESETS["small"], tmp_path)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_write_released_reads_back_exactly(tmp_path, architecture):
    model, path = make_model(architecture=architecture), tmp_path / "best.pt"
    write_released(model, path)
    other = make_model(seed=1, architecture=architecture)
    report = load_released(other, read_tensors(path), path)
    assert (report.fresh, report.left_out) == ([], {})
    assert_equal_models(model, other)


def test_write_released_has_the_authors_form(tmp_path):
    model, path = make_model(), tmp_path / "best.pt"
    write_released(model, path)
    content = torch.load(path, weights_only=True)
    assert set(content) == {"vln_bert", "critic"}
    for part in content.values():
        assert set(part) == {"epoch", "state_dict", "optimizer"}
    inner = content["vln_bert"]["state_dict"]
    query = inner["vln_bert.addlayer.0.visual_attention.att.query.weight"]
    assert torch.equal(query, model.crossmodal.layers[0].cross.attention.qkv.weight[:64])
    assert torch.equal(content["critic"]["state_dict"]["state2value.3.bias"], model.critic[3].bias)
    assert query.untyped_storage().nbytes() == query.nbytes, "a view of a larger tensor was saved whole"


def test_read_tensors_of_a_data_parallel_checkpoint_drops_its_prefix(tmp_path):
    """DataParallel puts `module.` before every name."""
    model, path = make_model(), tmp_path / "best.pt"
    write_released(model, path)
    content = torch.load(path, weights_only=True)
    for part in content.values():
        part["state_dict"] = {f"module.{name}": value for name, value in part["state_dict"].items()}
    torch.save(content, path)
    other = make_model(seed=1)
    assert load_released(other, read_tensors(path), path).fresh == []
    assert_equal_models(model, other)


@pytest.mark.parametrize("history", ["recurrent", "hierarchical"])
def test_write_released_refuses_histories_that_the_authors_do_not_have(tmp_path, history):
    with pytest.raises(InputError, match="no counterpart"):
        write_released(make_model(history=history), tmp_path / "best.pt")
    assert list(tmp_path.iterdir()) == []


def prevalent(model):
    """A file as PREVALENT's: the inner model under `bert.`, pretraining heads, and more layers than we use."""
    tensors = {}
    for name, value in released_tensors(model).items():
        if name.startswith("vln_bert.") and "vision_pos" not in name and "pooler.f1" not in name:
            tensors[f"bert.{name.removeprefix('vln_bert.')}"] = value.clone()
    extra = {name.replace(".0.", ".7."): value for name, value in tensors.items() if ".addlayer.0." in name}
    heads = {
        "cls.predictions.bias": torch.randn(300),
        "cls.predictions.transform.dense.weight": torch.randn(64, 64),
        "next_action.linear.weight": torch.randn(36, 64),
        "bert.embeddings.position_ids": torch.arange(90)[None],
    }
    return tensors | extra | heads


@pytest.mark.parametrize("folder", [True, False])
def test_load_released_prevalent_fills_the_encoders_and_says_what_it_left_out(tmp_path, folder):
    model, path = make_model(), tmp_path / "pytorch_model.bin"
    torch.save(prevalent(model), path)
    other = make_model(seed=1)
    report = load_released(other, read_tensors(tmp_path if folder else path), path)
    assert {name.split(".")[0] for name in report.fresh} == {"embedding", "head", "pooler", "critic"}
    assert "pooler.dense.weight" in report.loaded
    for part in ("language", "crossmodal", "token_encoder"):
        assert_equal_models(getattr(model, part), getattr(other, part))
    reasons = report.left_out
    assert "another task" in reasons["cls.predictions.bias"]
    assert "another task" in reasons["next_action.linear.weight"]
    assert "not learned" in reasons["vln_bert.embeddings.position_ids"]
    assert "only 2" in reasons["vln_bert.addlayer.7.visual_attention.att.query.weight"]
    assert set(report.loaded).isdisjoint(report.fresh)
    assert len(report.loaded) + len(report.fresh) == len(other.state_dict())


def test_load_released_into_a_single_direction_leaves_the_texts_blocks_out(tmp_path):
    report = load_released(make_model(architecture__bidirectional=False), released_tensors(make_model()), tmp_path)
    assert report.fresh == []
    assert report.left_out
    assert all(".lang_" in name and "key and value" in reason for name, reason in report.left_out.items())


def bert_folder(folder, layers, style):
    """A folder as transformers writes it, or with the names of the original conversion that BERT-base still has."""
    source = make_model(language_layers=layers)
    prefix = "" if style == "plain" else "bert."
    tensors = {
        f"{prefix}{n.removeprefix('language.bert.')}": v.clone()
        for n, v in source.state_dict().items()
        if n.startswith("language.")
    }
    tensors[f"{prefix}pooler.dense.weight"] = torch.randn(64, 64)
    tensors[f"{prefix}pooler.dense.bias"] = torch.randn(64)
    tensors["cls.predictions.bias"] = torch.randn(300)
    if style == "original":
        tensors = {
            name.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta"): value
            for name, value in tensors.items()
        }
    save_file(tensors, folder / "model.safetensors")
    return source


@pytest.mark.parametrize("style", ["plain", "prefixed", "original"])
def test_load_released_bert_fills_the_language_encoder(tmp_path, style):
    """BERT-base's file calls LayerNorm's weight and bias gamma and beta."""
    source = bert_folder(tmp_path, 12, style)
    model = make_model(seed=1, language_layers=9)
    report = load_released(model, read_tensors(tmp_path), tmp_path)
    assert not [name for name in report.fresh if name.startswith("language.")]
    for name, value in model.language.state_dict().items():
        assert torch.equal(value, source.language.state_dict()[name]), name
    unused = [reason for name, reason in report.left_out.items() if ".11." in name]
    assert len(unused) == 16
    assert all("only 9" in reason for reason in unused)
    assert any("another task" in reason for name, reason in report.left_out.items() if "predictions" in name)


def test_load_released_minilm_computes_what_it_computed():
    from transformers import BertModel
    from transformers.utils import logging

    model = MTVM(PRESETS["small"]).eval()
    report = load_released(model, read_tensors(minilm_folder()), minilm_folder())
    assert not [name for name in report.fresh if name.startswith("language.")]
    assert [reason for name, reason in report.left_out.items() if "position_ids" not in name] == []
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    reference = BertModel.from_pretrained(minilm_folder()).eval()
    tokens = tokenize(["Walk past the sofa and stop.", "Go."], leading_cls=True)
    with torch.no_grad():
        expected = reference(tokens.ids, tokens.mask.long()).last_hidden_state
        found = model.encode(tokens).states
    torch.testing.assert_close(found[tokens.mask], expected[tokens.mask], atol=1e-5, rtol=1e-5)


def test_load_released_takes_half_precision(tmp_path):
    model = make_model()
    save_file(
        {name: value.half().contiguous() for name, value in released_tensors(model).items()}, tmp_path / "w.safetensors"
    )
    other = make_model(seed=1)
    load_released(other, read_tensors(tmp_path / "w.safetensors"), tmp_path)
    assert other.head.activate.weight.dtype == torch.float32
    torch.testing.assert_close(other.head.activate.weight, model.head.activate.weight, atol=1e-2, rtol=1e-3)


@pytest.mark.parametrize(
    ("name", "shape"),
    [
        ("vln_bert.embeddings.word_embeddings.weight", (301, 64)),
        ("visproj.weight", (1, 33)),
        ("vln_bert.addlayer.1.visual_attention.att.key.weight", (64, 32)),
        ("vln_bert.addlayer.1.visual_attention.att.key.bias", ()),
        ("vln_bert.addlayer.0.lang_self_att.self.value.weight", (65, 64)),
    ],
)
def test_load_released_names_a_shape_that_does_not_fit(tmp_path, name, shape):
    """The tensor of the file, with the shape that it has there."""
    tensors = released_tensors(make_model()) | {name: torch.zeros(shape)}
    with pytest.raises(InputError) as error:
        load_released(make_model(), tensors, tmp_path / "best.pt")
    one_sentence(error, "best.pt", name, str(shape))


def test_load_released_checks_queries_keys_and_values_one_by_one(tmp_path):
    """Their sum fits, but the rows would be mixed up."""
    attention = "vln_bert.addlayer.0.visual_attention.att."
    swapped = {f"{attention}key.bias": torch.zeros(60), f"{attention}value.bias": torch.zeros(68)}
    with pytest.raises(InputError, match=r"key\.bias"):
        load_released(make_model(), released_tensors(make_model()) | swapped, tmp_path)


def test_load_released_refuses_weights_that_are_not_finite(tmp_path):
    tensors = released_tensors(make_model()) | {"critic.optimizer": torch.full((2,), torch.inf)}
    load_released(make_model(), tensors, tmp_path / "best.pt")  # what is not used does no harm
    tensors["visproj.weight"] = torch.full_like(tensors["visproj.weight"], torch.nan)
    with pytest.raises(InputError, match=r"best\.pt: the weights visproj\.weight are not all finite"):
        load_released(make_model(), tensors, tmp_path / "best.pt")


def test_load_released_refuses_another_models_weights(tmp_path):
    with pytest.raises(InputError, match="none of its 2 tensors"):
        load_released(make_model(), {"conv1.weight": torch.zeros(3), "fc.bias": torch.zeros(2)}, tmp_path)

"""A checkpoint in VLN⟲BERT's own format, imported as an agent that does what the released one did."""

import json

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from mtvm.app.cli import main
from mtvm.models import agent as agents
from mtvm.models.agent import Agent, Observation
from mtvm.models.saving import load_model
from mtvm.models.text import Tokens
from mtvm.models.vlnbert import VLNBert
from mtvm.models.weights import read_tensors

torch.set_num_threads(1)

UNUSED = {"img_projection", "cand_LayerNorm", "lang_self_att", "lang_inter", "lang_output"}
BOUND = 1e-4


@pytest.fixture
def recorded(golden):
    return load_file(golden / "vlnbert_io.safetensors")


@pytest.fixture
def meta(golden):
    return json.loads((golden / "vlnbert_meta.json").read_text())


@pytest.fixture
def tokens(recorded):
    return Tokens(recorded["sentence"], torch.full_like(recorded["sentence"], -1))


@pytest.fixture
def checkpoint(golden, tmp_path):
    """As VLN⟲BERT's trainer saves it."""
    weights, path = load_file(golden / "vlnbert_weights.safetensors"), tmp_path / "best_val_unseen"
    content = {}
    for part in ("vln_bert", "critic"):
        state = {n.removeprefix(f"{part}."): v for n, v in weights.items() if n.startswith(f"{part}.")}
        parameters = [torch.nn.Parameter(value) for value in state.values()]
        optimizer = torch.optim.AdamW(parameters, lr=1e-5).state_dict()
        content[part] = {"epoch": 12, "state_dict": state, "optimizer": optimizer}
    torch.save(content, path)
    return path


@pytest.fixture
def folder(checkpoint, tmp_path, capsys):
    main(["weights", "import", str(checkpoint), str(tmp_path / "agent"), "--preset", "tiny"])
    return tmp_path / "agent"


def differences(model, recorded, tokens, steps):
    """The largest difference of the logits of real actions, with the recorded actions taken."""
    text = model.encode(tokens)
    past, worst = model.start(text, recorded["step0.action_angle"]), 0.0
    for number in range(steps):
        mask = recorded[f"step{number}.candidate_mask"].bool()
        step = model.step(text, past, recorded[f"step{number}.candidate_features"], mask)
        worst = max(worst, float((step.logits - recorded[f"step{number}.logits"])[mask].abs().max()))
        assert torch.isinf(step.logits[~mask]).all()
        if number + 1 < steps:
            action = recorded[f"step{number}.action"]
            past = model.remember(past, step, action, recorded[f"step{number + 1}.action_angle"])
    return worst


@torch.no_grad()
def test_import_of_vln_berts_checkpoint_gives_its_logits(folder, recorded, tokens, meta):
    model = load_model(folder, "cpu")
    assert type(model) is VLNBert
    sizes = ("hidden_size", "num_attention_heads", "crossmodal_layers", "feature_size", "angle_feat_size", "vocab_size")
    config = model.config
    ours = config.hidden, config.heads, config.crossmodal_layers, config.feature_width, config.angle_width
    assert (*ours, config.vocabulary) == tuple(meta[size] for size in sizes)
    assert (config.max_positions, config.critic_hidden) == (meta["max_positions"], meta["critic_hidden"])
    assert differences(model, recorded, tokens, meta["steps"]) < BOUND


@torch.no_grad()
def test_import_of_vln_berts_checkpoint_survives_saving_and_exporting(folder, recorded, tokens, meta, tmp_path):
    """Saved and loaded again, and written in the authors' format and imported again."""
    Agent.from_pretrained(folder, device="cpu").save_pretrained(tmp_path / "saved")
    assert differences(load_model(tmp_path / "saved", "cpu"), recorded, tokens, meta["steps"]) < BOUND
    main(["weights", "export", str(folder), str(tmp_path / "theirs.pt")])
    main(["weights", "import", str(tmp_path / "theirs.pt"), str(tmp_path / "again"), "--preset", "tiny"])
    assert differences(load_model(tmp_path / "again", "cpu"), recorded, tokens, meta["steps"]) < BOUND


def test_export_of_vln_bert_has_all_that_the_released_network_uses(folder, checkpoint, tmp_path):
    main(["weights", "export", str(folder), str(tmp_path / "theirs.pt")])
    released, ours = read_tensors(checkpoint), read_tensors(tmp_path / "theirs.pt")
    used = {name for name in released if not UNUSED & set(name.split("."))}
    assert set(ours) == used
    assert all(torch.equal(ours[name], released[name]) for name in used)


def test_import_of_vln_berts_checkpoint_says_what_is_never_used(checkpoint, tmp_path, capsys):
    main(["weights", "import", str(checkpoint), str(tmp_path / "agent"), "--preset", "tiny"])
    said = capsys.readouterr().out
    assert "random" not in said
    assert "left out: 4 tensors, a second candidate projection that the released model never uses" in said
    assert "left out: 32 tensors, the text is only key and value in this model" in said


def observation(features, mask, pose, width):
    """What the recorded agent saw, with the directions that its angle features say."""
    views = features[mask][:-1].double().numpy()  # without STOP
    sin_heading, cos_heading, sin_elevation, cos_elevation = views[:, width : width + 4].T
    return Observation(
        headings=np.arctan2(sin_heading, cos_heading),
        elevations=np.arctan2(sin_elevation, cos_elevation),
        features=views[:, :width],
        heading=pose[0],
        elevation=pose[1],
    )


@pytest.mark.parametrize("together", [True, False])
def test_imported_agent_walks_as_the_released_one(folder, recorded, tokens, meta, monkeypatch, together):
    """Instructions and observations in, actions out, alone and in a batch; after its stop an agent is not asked."""
    agent, width = Agent.from_pretrained(folder, device="cpu"), meta["feature_size"]
    for rows in [list(range(meta["batch"]))] if together else [[row] for row in range(meta["batch"])]:
        some = tokens.select(torch.tensor(rows))
        monkeypatch.setattr(agents, "read_texts", lambda *_, some=some, **__: some)  # the recorded words are numbers
        agent.start(["..."] * len(rows))
        for number in range(meta["steps"]):
            if agent.ended.all():
                break
            known = {
                name: recorded[f"step{number}.{name}"]
                for name in ("candidate_features", "candidate_mask", "logits", "action")
            }
            masks = known["candidate_mask"].bool()
            seen = [
                observation(known["candidate_features"][row], masks[row], meta["poses"][number][row], width)
                for row in rows
            ]
            for row, action in zip(rows, agent.act(seen), strict=True):
                stopped = meta["stopped_at"][row]
                assert (action is None) == (stopped is not None and number > stopped)
                if action is not None:
                    assert action.index == known["action"][row]
                    expected = known["logits"][row][masks[row]].softmax(dim=0)
                    np.testing.assert_allclose(action.probabilities, expected, atol=BOUND)

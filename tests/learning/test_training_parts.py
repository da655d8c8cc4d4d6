"""The parts of training, each against values computed by hand or by a slower way."""

import dataclasses
import json
import math
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from mtvm.learning.a2c import A2CConfig
from mtvm.learning.consistency import ConsistencyConfig, Mean
from mtvm.learning.optimizing import make_optimizer
from mtvm.learning.reading import ReadTexts
from mtvm.learning.sampling import Turns
from small_runs import SMALL, STEADY, lively_model

from mtvm.config import PRESETS, OptimizerConfig, Part, SelectionConfig, TrainConfig
from mtvm.config_files import differences
from mtvm.errors import InputError
from mtvm.features.store import FeatureStore
from mtvm.learning import reading, sampling
from mtvm.learning.evaluation import evaluate_agent, text_tokens, write_evaluation
from mtvm.learning.losses import LossConfig, rollout_loss
from mtvm.learning.record import Record, read_record
from mtvm.learning.rollout import Rollout
from mtvm.learning.vision import Vision
from mtvm.models import language
from mtvm.models.model import MTVM
from mtvm.models.text import MASK, drop_words, tokenize
from mtvm.models.weights import load_reader
from mtvm.tasks.metrics import score_trajectories
from mtvm.world.simulator import Simulator
from mtvm.world.views import VIEW_ELEVATION, VIEW_HEADING

# Whose turn it is


def taken(turns, count):
    return [turns.next() for _ in range(count)]


def test_equal_weights_alternate():
    turns = Turns([10, 10], [1.0, 1.0], 2, seed=0)
    assert [part for part, _ in taken(turns, 6)] == [0, 1] * 3


def test_a_weight_of_three_gets_three_of_four_turns():
    parts = [part for part, _ in taken(Turns([10, 10], [3.0, 1.0], 2, seed=0), 40)]
    for first in range(0, 40, 4):
        assert sorted(parts[first : first + 4]) == [0, 0, 0, 1]


@given(st.lists(st.floats(0.01, 10), min_size=1, max_size=4), st.integers(1, 60))
def test_no_set_is_ever_a_turn_ahead_of_what_it_is_due(weights, count):
    turns = Turns([7] * len(weights), weights, 3, seed=1)
    taken(turns, count)
    for weight, had in zip(weights, turns.taken, strict=True):
        assert had < count * weight / sum(weights) + 1 + 1e-6
    assert sum(turns.taken) == count


@given(st.integers(1, 12), st.integers(1, 15), st.integers(0, 99))
def test_every_epoch_has_each_episode_once(size, batch, seed):
    rows = np.concatenate([rows for _, rows in taken(Turns([size], [1.0], batch, seed), 2 * size)])
    epochs = rows[: len(rows) // size * size].reshape(-1, size)
    assert (np.sort(epochs, axis=1) == np.arange(size)).all()


def test_epochs_and_seeds_have_orders_of_their_own():
    def order(seed):
        return [rows.tolist() for _, rows in taken(Turns([30], [1.0], 30, seed), 2)]

    assert order(0)[0] != order(0)[1]
    assert order(0) != order(1)
    assert order(0) == order(0)


@given(st.integers(0, 20), st.integers(0, 99))
def test_what_was_taken_is_all_that_must_be_kept(count, seed):
    sizes, weights = [5, 11], [2.0, 1.0]
    turns = Turns(sizes, weights, 4, seed)
    taken(turns, count)
    other = Turns(sizes, weights, 4, seed)
    other.taken = list(turns.taken)
    for (one, rows), (two, same) in zip(taken(turns, 5), taken(other, 5), strict=True):
        assert one == two
        assert rows.tolist() == same.tolist()


def test_random_numbers_depend_on_nothing_but_their_names():
    assert torch.equal(sampling.uniform((3, 2), 0, 5, 3), sampling.uniform((3, 2), 0, 5, 3))
    assert not torch.equal(sampling.uniform((3, 2), 0, 5, 3), sampling.uniform((3, 2), 0, 6, 3))
    numbers = sampling.uniform((1000,), 1)
    assert bool(((numbers >= 0) & (numbers < 1)).all())
    sampling.seed_dropout(3, 7)
    first = torch.rand(3)
    torch.rand(5)
    sampling.seed_dropout(3, 7)
    assert torch.equal(torch.rand(3), first)
    sampling.seed_dropout(3, 8)
    assert not torch.equal(torch.rand(3), first)


# Eyes


def observed(episodes, goals=None):
    simulator = Simulator(episodes.world)
    simulator.reset(episodes.starts, episodes.headings)
    return simulator.observe(goals)


def test_candidates_are_the_features_of_their_views_and_their_directions(vision, tiny_r2r):
    seen = observed(tiny_r2r)
    found, width = vision.candidates(seen), SMALL.feature_width
    world, store = tiny_r2r.world, vision.store
    for row in range(len(tiny_r2r)):
        node = int(seen.node[row])
        place = store.rows([world.scan(node)], [str(world.viewpoints[node])])
        for slot in range(seen.mask.shape[1]):
            if seen.mask[row, slot]:
                image = store.gather(place, [int(seen.candidate_views[row, slot])])[0]
                assert found[row, slot, :width].tolist() == image.astype(np.float32).tolist()
                heading, elevation = seen.headings[row, slot], seen.elevations[row, slot]
                angles = [math.sin(heading), math.cos(heading), math.sin(elevation), math.cos(elevation)]
                assert found[row, slot, width:].tolist() == pytest.approx(angles * 2, abs=1e-5)
            else:
                assert (found[row, slot] == 0).all()


def test_the_panorama_has_all_views_and_directions_relative_to_the_agents(vision, tiny_r2r):
    seen = observed(tiny_r2r.select([4]))
    found, width = vision.panorama(seen), SMALL.feature_width
    node = int(seen.node[0])
    place = vision.store.rows([tiny_r2r.world.scan(node)], [str(tiny_r2r.world.viewpoints[node])])
    np.testing.assert_array_equal(found[0, :, :width].numpy(), vision.store.panorama(place)[0].astype(np.float32))
    for view in range(36):
        turn, up = VIEW_HEADING[view] - float(seen.heading[0]), VIEW_ELEVATION[view]
        angles = [math.sin(turn), math.cos(turn), math.sin(up), math.cos(up)]
        assert found[0, view, width:].tolist() == pytest.approx(angles * 2, abs=1e-5)


def test_a_blind_agent_sees_directions_alone(vision, tiny_r2r):
    seen, width = observed(tiny_r2r), SMALL.feature_width
    blind = Vision(tiny_r2r.world, None, SMALL)
    for found, sighted in (
        (blind.candidates(seen), vision.candidates(seen)),
        (blind.panorama(seen), vision.panorama(seen)),
    ):
        assert (found[..., :width] == 0).all()
        assert torch.equal(found[..., width:], sighted[..., width:])


def test_features_of_another_width_are_refused(vision, tiny_r2r):
    wider = dataclasses.replace(SMALL, feature_width=9)
    with pytest.raises(InputError, match=r"8 numbers, the model reads 9; set --model\.feature-width 8"):
        Vision(tiny_r2r.world, vision.store, wider)


def test_features_without_a_scan_are_refused(tmp_path, tiny_r2r):
    entries = [("elsewhere", "a", np.zeros((36, SMALL.feature_width), dtype=np.float32))]
    store = FeatureStore.write(tmp_path / "store", entries, source="made", source_format="test")
    with pytest.raises(InputError, match="have no features in this store"):
        Vision(tiny_r2r.world, store, SMALL)


# Texts


@pytest.fixture(scope="module")
def reader():
    """A small model on top of the real, frozen MiniLM."""
    torch.manual_seed(0)
    model = MTVM(dataclasses.replace(STEADY, reader="minilm", leading_cls=True))
    load_reader(model)
    return model


TEXTS = ["Walk past the sofa.", "Stop.", "Go up the stairs, turn left and wait beside the chandelier."]


def test_texts_that_were_read_before_equal_those_read_now(reader):
    tokens = tokenize(TEXTS, leading_cls=True)
    texts = ReadTexts(reader, tokens, "texts", show_progress=False)
    for rows in ([0, 1, 2], [1], [2, 0]):
        found = texts.select(torch.tensor(rows))
        expected = reader.language.read(tokens.select(torch.tensor(rows)))
        assert torch.equal(found.ids, expected.ids)
        torch.testing.assert_close(found.states[found.mask], expected.states[expected.mask], atol=2e-3, rtol=2e-3)
        assert (found.states[~found.mask] == 0).all()
        with torch.no_grad():
            one, two = (reader.encode(text).states[found.mask] for text in (found, expected))
        torch.testing.assert_close(one, two, atol=2e-2, rtol=0)


def test_texts_are_read_once(reader, monkeypatch):
    tokens = tokenize(TEXTS[:2], leading_cls=True)
    first = ReadTexts(reader, tokens, "texts", show_progress=False).select(torch.tensor([0, 1]))
    monkeypatch.setattr(language.LanguageEncoder, "read", lambda *_: 1 / 0)
    again = ReadTexts(reader, tokens, "texts", show_progress=False).select(torch.tensor([0, 1]))
    assert torch.equal(first.states, again.states)


@pytest.mark.parametrize("content", [b"", b"\x93NUMPY\x01\x00 rubbish", None])
def test_a_damaged_or_unwritable_cache_costs_only_time(reader, tmp_path, monkeypatch, content):
    tokens = tokenize(TEXTS[1:2], leading_cls=True)
    folder = tmp_path / "cache"
    monkeypatch.setenv("MTVM_CACHE", str(folder))
    if content is None:
        folder.write_text("a file where the cache should be")
    else:
        ReadTexts(reader, tokens, "texts", show_progress=False)
        (cached,) = (folder / "texts").iterdir()
        cached.write_bytes(content)
    found = ReadTexts(reader, tokens, "texts", show_progress=False).select(torch.tensor([0]))
    torch.testing.assert_close(found.states, reader.language.read(tokens).states, atol=2e-3, rtol=2e-3)


def test_too_many_texts_are_read_each_time(reader, monkeypatch):
    monkeypatch.setattr(reading, "_LARGEST", 10)
    texts = ReadTexts(reader, tokenize(TEXTS), "texts", show_progress=False)
    assert texts.select(torch.tensor([1])).states is None


def test_without_a_reader_texts_are_only_selected():
    tokens = tokenize(TEXTS)
    found = ReadTexts(MTVM(SMALL), tokens, "texts", show_progress=False).select(torch.tensor([1]))
    assert found.states is None
    assert found.ids.tolist() == tokens.select(torch.tensor([1])).ids.tolist()


def test_dropped_words_lose_what_the_reader_made_of_them(reader):
    tokens = ReadTexts(reader, tokenize(TEXTS, leading_cls=True), "texts", show_progress=False)
    whole = tokens.select(torch.tensor([2]))
    dropped, where = drop_words(whole, 0.5, torch.rand(1, 80, generator=torch.Generator().manual_seed(0)))
    assert where.any()
    spoiled = dataclasses.replace(dropped, states=torch.where((dropped.ids == MASK)[..., None], 99.0, dropped.states))
    with torch.no_grad():
        assert torch.equal(reader.encode(dropped).states, reader.encode(spoiled).states)
        assert not torch.equal(reader.encode(dropped).states, reader.encode(whole).states)


def test_the_reader_never_learns(reader):
    reader.train()
    assert not reader.language.reader.training
    optimizer = make_optimizer(reader, OptimizerConfig())
    learning = {id(p) for group in optimizer.param_groups for p in group["params"]}
    assert not any(id(p) in learning for p in reader.language.reader.parameters())
    reader.encode(tokenize(TEXTS, leading_cls=True)).states.sum().backward()
    assert all(p.grad is None for p in reader.language.reader.parameters())
    assert reader.language.dropped.requires_grad


def test_frozen_layers_have_neither_gradients_nor_dropout():
    config = dataclasses.replace(SMALL, language_layers=2, dropout=0.5)
    model = MTVM(config)
    model.language.freeze(1)
    model.train()
    encoder = model.language.bert
    frozen = [encoder.embeddings, encoder.encoder.layer[0]]
    assert not any(module.training for part in frozen for module in part.modules())
    assert all(module.training for module in encoder.encoder.layer[1].modules())
    model.encode(tokenize(TEXTS)).states.sum().backward()
    assert all(p.grad is None and not p.requires_grad for part in frozen for p in part.parameters())
    assert all(p.grad is not None for p in encoder.encoder.layer[1].parameters())
    ids = tokenize(TEXTS).ids
    assert torch.equal(encoder.embeddings(ids), encoder.embeddings(ids))


def test_nothing_is_frozen_unless_asked_for():
    model = MTVM(SMALL)
    model.language.freeze(0)
    model.train()
    assert all(p.requires_grad for p in model.parameters())
    assert all(module.training for module in model.modules())


@torch.no_grad()
def test_texts_in_chunks_equal_one_padded_pass(tiny_r2r):
    model = lively_model()
    tokens = text_tokens(tiny_r2r, 80, False).select(torch.arange(35).flip(0))
    assert len(tokens.ids) >= 2 * language._CHUNK
    hidden = tokens.mask & (torch.rand(tokens.ids.shape, generator=torch.Generator().manual_seed(0)) < 0.8)
    hidden[:, 0] = True
    for mask in (tokens.mask, hidden):
        whole = model.language.bert(input_ids=tokens.ids, attention_mask=mask.long()).last_hidden_state
        chunks = language._in_chunks(model.language.bert, "input_ids", tokens.ids, tokens.mask, mask)
        torch.testing.assert_close(chunks[tokens.mask], whole[tokens.mask], atol=1e-4, rtol=1e-4)
        assert chunks.shape == whole.shape


# The loss


def a_rollout():
    """Two episodes, of two steps and of one; the first was cut."""
    return Rollout(
        nodes=np.zeros((2, 3), dtype=np.int64),
        views=np.zeros((2, 3), dtype=np.int64),
        stopped=np.array([False, True]),
        live=torch.tensor([[True, True], [True, False]]),
        imitation=torch.tensor(6.0),
        log_probabilities=torch.tensor([[-1.0, -2.0], [-0.5, 0.0]]),
        entropies=torch.tensor([[1.0, 0.5], [0.25, 0.0]]),
        values=torch.tensor([[2.0, 1.0], [1.0, 0.0]]),
        rewards=torch.tensor([[1.0, -2.0], [0.5, 0.0]]),
        bootstrap=torch.tensor([4.0, 0.0]),
        language=Mean(torch.tensor(8.0), torch.tensor(16)),
        crossmodal=Mean(torch.tensor(3.0), torch.tensor(30)),
    )


def test_the_loss_is_the_weighed_sum_of_its_terms():
    config = LossConfig(
        reinforcement=2.0,
        a2c=A2CConfig(discount=0.5, value_weight=0.5, entropy_weight=0.1),
        consistency=ConsistencyConfig(language_weight=0.6, crossmodal_weight=0.2),
    )
    # Returns: 0.5 + 2 = 2.5 and 1 + 1.25 = 2.25; -2. Advantages: 0.25, 1.5; -3.
    policy = (1 * 0.25 + 0.5 * 1.5 + 2 * -3) / 3
    value = (0.25**2 + 1.5**2 + 3**2) / 3
    entropy = 1.75 / 3
    loss, parts = rollout_loss(a_rollout(), 0.2, config, batch=4)
    assert parts == pytest.approx(
        {
            "imitation": 6 / 4,
            "policy": policy,
            "value": value,
            "entropy": entropy,
            "return": -0.5 / 4,
            "language_consistency": 8 / 16,
            "crossmodal_consistency": 3 / 30,
        }
    )
    expected = 0.2 * 1.5 + 2 * (policy + 0.5 * value - 0.1 * entropy) + 0.6 * 0.5 + 0.2 * 0.1
    assert loss.item() == pytest.approx(expected)


def test_what_was_not_collected_costs_nothing():
    plain = dataclasses.replace(a_rollout(), rewards=None, language=None, crossmodal=None)
    loss, parts = rollout_loss(plain, 0.5, LossConfig(), batch=2)
    assert loss.item() == pytest.approx(1.5)
    assert parts == {"imitation": 3.0}
    assert rollout_loss(plain, 0.0, LossConfig(), batch=2)[0].item() == 0


def test_half_a_batch_weighs_half():
    whole, parts = rollout_loss(a_rollout(), 0.0, LossConfig(), batch=4)
    half, fewer = rollout_loss(a_rollout(), 0.0, LossConfig(), batch=4, share=0.5)
    assert half.item() == pytest.approx(whole.item() / 2)
    assert fewer["policy"] == pytest.approx(parts["policy"] / 2)


# Configs


@pytest.mark.parametrize(
    "text", ["", "r2r", "r2r/", "/train", "r3r/train", "r2r/train@x", "r2r/train@0", "r2r/train@-1"]
)
def test_a_split_that_is_none_is_named(text):
    with pytest.raises(InputError, match=f"^'{text}'"):
        Part.parse(text)


@pytest.mark.parametrize("weight", ["inf", "nan"])
def test_a_weight_that_is_no_number_is_refused(weight):
    with pytest.raises(InputError, match="must be a number above 0"):
        Part.parse(f"r2r/train@{weight}")


def test_splits_may_be_files_and_have_weights():
    assert Part.parse("prevalent/aug@0.5") == Part("prevalent", "aug", 0.5)
    assert Part.parse("r2r/some/where/R2R_train.json") == Part("r2r", "some/where/R2R_train.json")
    assert Part.parse("r2r/train@2").name == "r2r/train"


@pytest.mark.parametrize("name", PRESETS)
def test_a_config_survives_json(name):
    config = PRESETS[name]
    values = json.loads(json.dumps(config.to_dict()))
    assert TrainConfig.from_dict(values, Path("config.json")) == config
    assert differences(values, config.to_dict()) == {}


@given(st.data())
@settings(max_examples=20)
def test_unknown_options_are_refused_wherever_they_are(data):
    values = PRESETS["tiny"].to_dict()
    place = data.draw(st.sampled_from([(), ("model",), ("data",), ("loss",), ("loss", "a2c"), ("optimizer",)]))
    part = values
    for name in place:
        part = part[name]
    part["novelty"] = 1
    with pytest.raises(InputError, match=r"some/config\.json: .*unknown.*novelty"):
        TrainConfig.from_dict(values, Path("some/config.json"))


@pytest.mark.parametrize("values", [[], None, 3, "text"])
def test_a_config_that_is_no_object_is_refused(values):
    with pytest.raises(InputError, match=r"config\.json"):
        TrainConfig.from_dict(values, Path("config.json"))


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        (OptimizerConfig, {"updates": 0}),
        (OptimizerConfig, {"accumulate": 0}),
        (OptimizerConfig, {"rate": 0.0}),
        (OptimizerConfig, {"rate": float("nan")}),
        (OptimizerConfig, {"ema": 1.0}),
        (OptimizerConfig, {"clip": -1.0}),
        (SelectionConfig, {"metric": "BLEU"}),
        (SelectionConfig, {"every": 0}),
        (SelectionConfig, {"split": "train"}),
    ],
    ids=str,
)
def test_impossible_values_are_refused(kind, values):
    with pytest.raises(InputError):
        kind(**values)


# The record and the evaluation


def test_the_record_goes_on_after_the_update_that_was_saved(tmp_path):
    record = Record(tmp_path, 0, tensorboard=False)
    for update in (1, 2, 3):
        record.write("train", update, {"loss": update / 2})
    record.write("r2r/val_seen", 2, {"SPL": 1.0})
    with (tmp_path / "metrics.jsonl").open("a") as file:
        file.write('{"update": 4, "ki')
    Record(tmp_path, 2, tensorboard=False).write("train", 3, {"loss": 9.0})
    lines = read_record(tmp_path)
    assert [(line["update"], line["kind"]) for line in lines] == [
        (1, "train"),
        (2, "train"),
        (2, "r2r/val_seen"),
        (3, "train"),
    ]
    assert lines[-1]["loss"] == 9.0


def test_a_record_that_cannot_be_written_is_named(tmp_path):
    record = Record(tmp_path, 0, tensorboard=False)
    (tmp_path / "metrics.jsonl").unlink()
    (tmp_path / "metrics.jsonl").mkdir()
    with pytest.raises(InputError, match=r"metrics\.jsonl: the record could not be written"):
        record.write("train", 1, {})


def test_a_folder_without_a_record_has_no_lines(tmp_path):
    assert read_record(tmp_path) == []


def test_an_evaluation_does_not_depend_on_its_batches(vision, tiny_r2r):
    model = lively_model(seed=2).train()
    one, other = (
        evaluate_agent(model, vision, tiny_r2r, 6, batch=size, probabilities=True, show_progress=False)
        for size in (5, 128)
    )
    assert model.training
    assert np.array_equal(one.nodes, other.nodes)
    assert np.array_equal(one.views, other.views)
    assert one.metrics() == pytest.approx(
        {name: column.mean() for name, column in score_trajectories(tiny_r2r, one.nodes).items()}
    )
    for mine, theirs, nodes in zip(one.traces, other.traces, one.nodes, strict=True):
        assert len(mine["probabilities"]) == min((nodes >= 0).sum(), 6)
        for step, same in zip(mine["probabilities"], theirs["probabilities"], strict=True):
            assert step == pytest.approx(same, abs=1e-3)
            assert sum(step) == pytest.approx(1, abs=1e-3)


def test_an_evaluation_is_written_with_all_that_happened(vision, tiny_r2r, tmp_path):
    some = tiny_r2r.select(np.arange(4))
    done = evaluate_agent(
        lively_model(seed=2), vision, some, 6, probabilities=True, attention=True, show_progress=False
    )
    means = write_evaluation(tmp_path, done)
    records = [json.loads(line) for line in (tmp_path / "records.jsonl").read_text().splitlines()]
    assert [one["id"] for one in records] == some.ids
    for one, text, nodes in zip(records, some.texts, done.nodes, strict=True):
        assert one["text"] == text
        walked = [some.world.node(one["scan"], pose[0]) for pose in one["trajectory"]]
        assert walked == nodes[nodes >= 0].tolist()
        for chances, attention in zip(one["probabilities"], one["attention"], strict=True):
            shape = np.array(attention["over_words"]).shape
            assert shape[:2] == (SMALL.crossmodal_layers, SMALL.heads)
            assert shape[2] >= len(chances)
            np.testing.assert_allclose(np.array(attention["over_words"]).sum(axis=-1), 1, atol=0.01)
            np.testing.assert_allclose(np.array(attention["over_stream"]).sum(axis=-1), 1, atol=0.01)
    assert json.loads((tmp_path / "metrics.json").read_text()) == {"split": some.name, "episodes": 4} | means
    assert np.mean([one["metrics"]["SPL"] for one in records]) == pytest.approx(means["SPL"], abs=1e-3)
    assert len(json.loads((tmp_path / "results.json").read_text())) == 4

"""Training a speaker and making data with it, in the tiny world."""

import dataclasses
import json
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch
from small_runs import (
    Stopped,
    assert_close_weights,
    assert_same_state,
    contents,
    record,
    small_config,
    train,
    write_features,
)

from mtvm.configs.data import DataConfig
from mtvm.configs.run import OptimizerConfig
from mtvm.configs.speaker import AugmentConfig, SpeakerConfig
from mtvm.errors import InputError
from mtvm.features.store import FeatureStore
from mtvm.learning import augment as augmenting
from mtvm.learning import checkpoint
from mtvm.learning.augment import augment
from mtvm.learning.paths import PathVision
from mtvm.learning.speaker import Spoken, batch_of_one_length, speech_loss, validation_loss
from mtvm.learning.speaking import evaluate_speaker, text_scores
from mtvm.learning.trainer import Trainer
from mtvm.models.config import SpeakerModelConfig
from mtvm.models.speaker import Speaker
from mtvm.tasks.load import load_episodes
from thinning import thinned

SIZES = SpeakerModelConfig(hidden=16, heads=2, encoder_layers=1, decoder_layers=1, dropout=0.1)


def config(small_data, out, updates=4, **changes):
    made = SpeakerConfig(
        out=out,
        device="cpu",
        model=SIZES,
        data=DataConfig(folder=small_data, features=small_data / "features", mirror=True),
        optimizer=OptimizerConfig(kind="muon", updates=updates, lr=3e-3, ema=0.9),
        validate_every=2,
        batch=4,
    )
    return dataclasses.replace(made, **changes)


@pytest.fixture(scope="module")
def trained(small_data, tmp_path_factory):
    out = tmp_path_factory.mktemp("speaker") / "speaker"
    train(config(small_data, out, updates=60))
    return out


@pytest.fixture(scope="module")
def vision_of_paths(small_data, tiny_r2r):
    return PathVision(tiny_r2r.world, FeatureStore.open(small_data / "features"))


def test_path_inputs_have_the_view_taken_and_the_turn_to_it(vision_of_paths, tiny_r2r):
    paths, headings = tiny_r2r.references[:3], tiny_r2r.headings[:3]
    seen = vision_of_paths.inputs(paths, headings)
    world, store = tiny_r2r.world, vision_of_paths.store
    for row in range(3):
        nodes, heading = paths[row][paths[row] >= 0].tolist(), headings[row]
        assert seen.mask[row].sum() == len(nodes)
        for step, (node, after) in enumerate(zip(nodes, [*nodes[1:], None], strict=True)):
            token = seen.actions[row, step].numpy()
            if after is None:
                assert not token.any()
                continue
            slot = world.candidates[node].tolist().index(after)
            toward = world.candidate_headings[node, slot]
            where = store.rows([world.scan(node)], [str(world.viewpoints[node])])
            feature = store.gather(where, np.array([world.candidate_views[node, slot]]))[0]
            assert np.allclose(token[:-4], feature)
            turn = toward - heading
            assert np.allclose(token[-4:-2], [np.sin(turn), np.cos(turn)], atol=1e-5)
            heading = toward


def test_path_inputs_in_a_mirror_turn_the_other_way(vision_of_paths, tiny_r2r):
    paths, headings = tiny_r2r.references[:2], tiny_r2r.headings[:2]
    plain = vision_of_paths.inputs(paths, headings)
    mirrored = vision_of_paths.inputs(paths, headings, np.array([True, False]))
    for one, two in ((plain.actions, mirrored.actions), (plain.views, mirrored.views)):
        assert torch.equal(one[0, ..., -4], -two[0, ..., -4])
        assert torch.equal(one[1], two[1])
        assert torch.equal(one[0, ..., :-4], two[0, ..., :-4])


def test_path_inputs_refuse_an_edge_that_is_not_there(vision_of_paths, tiny_r2r):
    far = tiny_r2r.references[:1].copy()
    far[0, 1] = far[0, 0]
    with pytest.raises(InputError, match="an edge"):
        vision_of_paths.inputs(far, tiny_r2r.headings[:1])


def test_batch_of_one_length_takes_every_text_once_an_epoch():
    lengths = np.random.default_rng(0).integers(5, 60, 205)
    batches = [batch_of_one_length(lengths, 10, 3, update) for update in range(20)]
    assert len(set(np.concatenate(batches).tolist())) == 200
    spread = np.mean([np.ptp(lengths[rows]) for rows in batches])
    assert spread < np.ptp(lengths) / 3
    assert not np.array_equal(batches[0], batch_of_one_length(lengths, 10, 3, 20))
    assert np.array_equal(batches[7], batch_of_one_length(lengths, 10, 3, 7))
    assert len(batch_of_one_length(lengths[:4], 10, 0, 2)) == 4


@pytest.mark.slow
def test_train_speaker_learns(trained, small_data):
    lines = [json.loads(line) for line in (trained / "metrics.jsonl").read_text().splitlines()]
    losses = [line["loss"] for line in lines if line["kind"] == "r2r/val_seen"]
    assert len(losses) == 30
    assert losses[-1] < losses[0] - 0.3


def test_train_speaker_keeps_the_weights_with_the_lowest_loss(trained, small_data):
    lines = [json.loads(line) for line in (trained / "metrics.jsonl").read_text().splitlines()]
    lowest = min(line["loss"] for line in lines if line["kind"] == "r2r/val_seen")
    spoken = Spoken(load_episodes("r2r", "val_seen", small_data), FeatureStore.open(small_data / "features"))
    assert validation_loss(Speaker.load(trained), spoken) == pytest.approx(lowest, abs=1e-6)


def test_validation_loss_is_the_mean_over_word_pieces(trained, small_data):
    spoken = Spoken(load_episodes("r2r", "val_seen", small_data), FeatureStore.open(small_data / "features"))
    speaker = Speaker.load(trained)
    with torch.no_grad():
        whole = float(speech_loss(speaker, *spoken.batch(np.arange(len(spoken)))))
    assert validation_loss(speaker, spoken, batch=3) == pytest.approx(whole, rel=1e-4)


def test_train_speaker_resumed_is_the_one_that_was_not_interrupted(small_data, tmp_path):
    one, two = (config(small_data, tmp_path / name, log_every=2) for name in ("one", "two"))
    _, expected = train(one)
    assert not Stopped(two, 3).run()
    _, state = train(two)
    assert_same_state(expected, state)
    assert contents(one.out / "best") == contents(two.out / "best")
    timeless = [
        [{n: v for n, v in line.items() if "second" not in n} for line in record(one.out)] for one in (one, two)
    ]
    assert timeless[0] == timeless[1]


def test_train_speaker_in_parts_is_nearly_the_same(small_data, tmp_path):
    """Each word counts the same, however many of them are in a part."""
    steady = dataclasses.replace(SIZES, dropout=0.0, feature_dropout=0.0)
    whole = config(small_data, tmp_path / "whole", model=steady, optimizer=OptimizerConfig(updates=2, lr=1e-3))
    options = dataclasses.replace(whole.optimizer, gradient_accumulation=2)
    states = [train(one)[1] for one in (whole, dataclasses.replace(whole, out=tmp_path / "parts", optimizer=options))]
    assert_close_weights(states[0]["model"], states[1]["model"])


def test_train_speaker_that_diverges_says_so(small_data, tmp_path):
    trainer = Trainer(config(small_data, tmp_path / "speaker"), show_progress=False)
    with torch.no_grad():
        trainer.model.norm.weight.fill_(torch.nan)
    with pytest.raises(InputError, match=r"update 0 gave a loss of nan .* on episodes .*lower --optimizer\.lr\.$"):
        trainer.run()
    assert len(json.loads((tmp_path / "speaker" / "diverged-0" / "episodes.json").read_text())["episodes"]) == 4


def test_train_speaker_refuses_the_folder_of_another(small_data, tmp_path):
    train(config(small_data, tmp_path, updates=2))
    with pytest.raises(InputError, match=r"a run with another config is there \(seed is 0 there, 1 here"):
        train(config(small_data, tmp_path, updates=2, seed=1))


def test_speaker_of_an_earlier_version_can_be_used_but_not_trained_on(trained, small_data, tmp_path):
    """Where a run's config is now, there was the speaker's own."""
    earlier = shutil.copytree(trained / "best", tmp_path / "speaker")
    shutil.copyfile(trained / "config.json", earlier / "training.json")
    done = json.loads(evaluate_speaker(earlier, "r2r/val_seen", show_progress=False).read_text())
    assert done["scores"] == json.loads(evaluate_speaker(trained, "r2r/val_seen").read_text())["scores"]
    before = contents(earlier)
    with pytest.raises(InputError, match=r"speaker: holds a speaker of an earlier version .* name another folder"):
        train(config(small_data, earlier))
    assert contents(earlier) == before


@pytest.fixture(scope="module")
def half(small_data, tmp_path_factory):
    out = tmp_path_factory.mktemp("half") / "speaker"
    assert not Stopped(config(small_data, out, updates=4), 2).run()
    return out


@pytest.fixture
def stopped(half, small_data, tmp_path):
    """A speaker that has not learnt all yet, on data of its own; its checkpoint is spoiled by some."""
    shutil.copytree(small_data, tmp_path / "data")
    return config(tmp_path / "data", shutil.copytree(half, tmp_path / "speaker"), updates=4)


def change_graph(folder):
    path = folder / "connectivity" / "tiny0_connectivity.json"
    records = json.loads(path.read_text())
    records[0]["pose"][3] += 0.25
    path.write_text(json.dumps(records))


def change_episodes(folder):
    path = folder / "R2R" / "R2R_train.json"
    path.write_text(json.dumps(json.loads(path.read_text())[1:]))


def change_features(folder):
    path = folder / "features" / "features.npy"
    content = bytearray(path.read_bytes())
    content[-1000] ^= 1
    path.write_bytes(content)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (change_graph, "graphs of r2r/train is not what it was"),
        (change_episodes, "r2r/train is not what it was"),
        (change_features, r"features\.npy: this feature store is damaged"),
    ],
)
def test_train_speaker_refuses_to_go_on_with_other_data(stopped, change, said):
    change(stopped.data.folder)
    with pytest.raises(InputError, match=said):
        Trainer(stopped, show_progress=False).run()


@pytest.mark.parametrize("name", ["model", "optimizer", "ema", "unwritten", "data", "config"])
@pytest.mark.parametrize("spoil", [lambda state, name: state.pop(name), lambda state, name: state.update({name: 7})])
def test_train_speaker_refuses_a_checkpoint_of_something_else(stopped, name, spoil):
    path = stopped.out / "checkpoint.pt"
    state = checkpoint.load(path)
    spoil(state, name)
    torch.save(state, path)
    with pytest.raises(InputError, match=r"checkpoint\.pt: not a checkpoint of this run"):
        Trainer(stopped, show_progress=False).run()


def first_moments(state):
    """What the optimizer knows of one of the weights."""
    return next(iter(state["optimizer"]["state"].values()))


ODD = {
    "an odd option": lambda state: state["optimizer"]["param_groups"][0].update(betas="often"),
    "an odd rate": lambda state: state["optimizer"]["param_groups"][0].update(lr=None),
    "another option": lambda state: state["optimizer"]["param_groups"][0].update(pieces=5),
    "a moment of another shape": lambda state: first_moments(state).update(exp_avg=torch.zeros(7)),
    "a moment that is one number": lambda state: first_moments(state).update(exp_avg=torch.tensor(0.5)),
    "a moment that is a word": lambda state: first_moments(state).update(exp_avg="high"),
    "a moment less": lambda state: first_moments(state).pop("exp_avg_sq"),
    "a weight of another shape": lambda state: state["model"].update({"norm.weight": torch.zeros(3)}),
    "weights that are not finite": lambda state: state["model"]["norm.weight"].fill_(torch.nan),
    "an average that is not finite": lambda state: next(iter(state["ema"]["weights"].values())).fill_(torch.inf),
    "other words": lambda state: state["model"]["pieces"].add_(1),
    "an update after the last": lambda state: state.update(update=2**62),
    "a best that is a word": lambda state: state["selection"].update(best="good"),
}


@pytest.mark.parametrize("odd", thinned(ODD, every=2))
def test_train_speaker_refuses_a_checkpoint_with_something_odd(stopped, odd):
    path = stopped.out / "checkpoint.pt"
    state = checkpoint.load(path)
    ODD[odd](state)
    torch.save(state, path)
    with pytest.raises(InputError, match=r"checkpoint\.pt: not a checkpoint of this run"):
        Trainer(stopped, show_progress=False).run()


def test_train_speaker_with_a_damaged_checkpoint_offers_the_one_before(small_data, tmp_path):
    made = config(small_data, tmp_path, updates=4)
    train(made)
    (tmp_path / "checkpoint.pt").write_bytes(b"rubbish")
    with pytest.raises(InputError, match=r"go on from the one before it.*mv .*checkpoint-before\.pt"):
        Trainer(made, show_progress=False).run()


def test_train_speaker_refuses_to_be_blind(small_data, tmp_path):
    data = DataConfig(folder=small_data, sight="blind")
    with pytest.raises(InputError, match="nothing to say"):
        Trainer(config(small_data, tmp_path, data=data), show_progress=False).run()


def test_evaluate_speaker_describes_each_path_once(trained, small_data):
    done = json.loads(evaluate_speaker(trained, "r2r/val_unseen", show_progress=False).read_text())
    episodes = load_episodes("r2r", "val_unseen", small_data)
    assert done["paths"] == len(done["texts"]) == len({one.rsplit("_", 1)[0] for one in episodes.ids})
    assert set(done["scores"]) == {"loss", "BLEU-4", "ROUGE-L", "CIDEr"}
    assert sum(len(row["instructions"]) for row in done["texts"]) == len(episodes)


def test_evaluate_speaker_refuses_features_of_another_width(trained, small_data, tiny_world, tmp_path):
    speaker = shutil.copytree(trained, tmp_path / "speaker")
    write_features(tmp_path / "features", tiny_world, width=5)
    content = json.loads((speaker / "config.json").read_text())
    content["data"]["features"] = str(tmp_path / "features")
    (speaker / "config.json").write_text(json.dumps(content))
    with pytest.raises(InputError, match="sees features of width 8, not 5"):
        evaluate_speaker(speaker, "r2r/val_unseen", show_progress=False)


def test_text_scores_are_full_for_what_people_said():
    texts = {"1": "Walk past the red couch and stop.", "2": "Go up the stairs, then turn left."}
    scores = text_scores(texts, {one: [text, "Leave."] for one, text in texts.items()})
    assert scores["BLEU-4"] == pytest.approx(100, abs=0.01)
    assert scores["ROUGE-L"] == pytest.approx(100, abs=0.01)
    wrong = text_scores({"1": texts["2"], "2": texts["1"]}, {one: [text] for one, text in texts.items()})
    assert wrong["BLEU-4"] < 20
    assert wrong["CIDEr"] < scores["CIDEr"] / 4


@pytest.fixture(scope="module")
def follower(small_data, tmp_path_factory):
    out = tmp_path_factory.mktemp("follower") / "run"
    train(small_config(small_data, out, optimizer={"updates": 2}))
    return out


def augmented(trained, follower, tmp_path, **changes):
    options = {"speaker": trained, "follower": follower, "paths": 12, "shard": 5} | changes
    numbers = augment(AugmentConfig(out=tmp_path / "aug.json", **options), show_progress=False)
    return json.loads((tmp_path / "aug.json").read_text()), numbers


def test_augment_keeps_what_the_follower_understands_best(trained, follower, small_data, tmp_path):
    entries, numbers = augmented(trained, follower, tmp_path)
    (tmp_path / "all").mkdir()
    everything, _ = augmented(trained, follower, tmp_path / "all", keep=1.0)
    assert numbers["kept"] == len(entries) == -(-len(everything) // 2)
    kept = {entry["path_id"] for entry in entries}
    worst = min(entry["score"] for entry in entries)
    assert all(entry["score"] <= worst for entry in everything if entry["path_id"] not in kept)
    assert numbers["mean score of those kept"] >= numbers["mean score"]
    assert not (tmp_path / "aug.shards").exists()


@pytest.mark.slow
def test_augment_leaves_paths_alone_that_are_selected_on_or_described_already(trained, small_data, tmp_path):
    def ends(episodes):
        return {(one.scan, one.reference[0], one.reference[-1]) for one in episodes}

    whole, _ = augmented(trained, None, tmp_path, paths=10_000, shard=10_000, not_in=())
    seen = ends(load_episodes("r2r", "val_seen", small_data))
    described = {(entry["scan"], entry["path"][0], entry["path"][-1]) for entry in whole}
    assert described & seen, "this test needs paths of val_seen that might be described"
    (tmp_path / "aug.json").rename(tmp_path / "first.json")
    few = json.loads((tmp_path / "first.json").read_text())[:20]
    (tmp_path / "first.json").write_text(json.dumps(few))
    before = ends(load_episodes("prevalent", str(tmp_path / "first.json"), small_data))
    splits = ("r2r/val_seen", f"prevalent/{tmp_path / 'first.json'}")
    rest, _ = augmented(trained, None, tmp_path, paths=10_000, shard=10_000, not_in=splits)
    again = {(entry["scan"], entry["path"][0], entry["path"][-1]) for entry in rest}
    assert again == described - seen - before


def test_augment_chooses_from_several_instructions_of_a_path(follower, small_data, tmp_path):
    given = {"speaker": None, "instructions": small_data / "R2R" / "R2R_train.json", "folder": small_data}
    entries, numbers = augmented(None, follower, tmp_path, keep=1.0, **given)
    train = load_episodes("r2r", "train", small_data)
    assert len(train) > len({one.rsplit("_", 1)[0] for one in train.ids})
    assert numbers["kept"] == len(entries) == len(train)
    assert sorted(load_episodes("prevalent", str(tmp_path / "aug.json"), small_data).texts) == sorted(train.texts)


def test_augment_does_not_mix_shards_of_two_speakers(trained, tmp_path, small_data, monkeypatch):
    speaker = shutil.copytree(trained, tmp_path / "speaker")
    monkeypatch.setattr(augmenting.shutil, "rmtree", lambda *_, **__: None)  # as if interrupted just before the end
    augmented(speaker, None, tmp_path)
    train(config(small_data, tmp_path / "other", updates=2))
    shutil.copyfile(tmp_path / "other" / "best" / "model.safetensors", speaker / "best" / "model.safetensors")
    with pytest.raises(InputError, match="was made with other options"):
        augmented(speaker, None, tmp_path)


def test_augment_does_not_mix_shards_of_other_paths(trained, tmp_path, small_data, monkeypatch):
    monkeypatch.setattr(augmenting.shutil, "rmtree", lambda *_, **__: None)  # as if interrupted just before the end
    taken = small_data / "R2R" / "R2R_val_seen.json"
    shutil.copyfile(taken, tmp_path / "taken.json")
    splits = (f"prevalent/{tmp_path / 'taken.json'}",)
    augmented(trained, None, tmp_path, not_in=splits)
    augmented(trained, None, tmp_path, not_in=splits)
    (tmp_path / "taken.json").write_text(json.dumps(json.loads(taken.read_text())[:1]))
    with pytest.raises(InputError, match="other options, weights or data"):
        augmented(trained, None, tmp_path, not_in=splits)


def test_augment_writes_episodes_to_train_on(trained, follower, small_data, tmp_path):
    entries, _ = augmented(trained, follower, tmp_path)
    episodes = load_episodes("prevalent", str(tmp_path / "aug.json"), small_data)
    assert episodes.texts == [entry["instructions"][0] for entry in entries]
    split = f"prevalent/{tmp_path / 'aug.json'}@0.5"
    run = small_config(small_data, tmp_path / "run", data={"train": ("r2r/train", split)})
    trainer, _ = train(run)
    assert trainer.learner.batches.taken[1] > 0


def test_augment_without_a_follower_keeps_everything(trained, tmp_path):
    entries, numbers = augmented(trained, None, tmp_path)
    assert numbers == {"described": len(entries), "kept": len(entries)}
    assert not any("score" in entry for entry in entries)  # nobody judged them


def test_augment_lets_another_follower_choose(trained, follower, small_data, tmp_path):
    """A second round: the same instructions, scored anew."""
    everything, _ = augmented(trained, None, tmp_path)
    (tmp_path / "again").mkdir()
    given = {"speaker": None, "instructions": tmp_path / "aug.json", "folder": small_data}
    entries, numbers = augmented(None, follower, tmp_path / "again", keep=0.25, **given)
    assert numbers["described"] == len(everything)
    assert numbers["kept"] == len(entries) == -(-len(everything) // 4)
    (tmp_path / "first").mkdir()
    first, _ = augmented(trained, follower, tmp_path / "first", keep=0.25)
    assert entries == first


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "either --speaker"),
        ({"speaker": Path("a"), "instructions": Path("b"), "follower": Path("c")}, "either --speaker"),
        ({"instructions": Path("b")}, "chosen by a follower"),
    ],
)
def test_augment_needs_a_speaker_or_instructions(given, message):
    with pytest.raises(InputError, match=message):
        AugmentConfig(out=Path("aug.json"), **given)


def test_augment_goes_on_after_an_interruption(trained, follower, tmp_path, monkeypatch):
    (tmp_path / "whole").mkdir()
    whole, _ = augmented(trained, follower, tmp_path / "whole")
    said, real = [], augmenting.speak

    def interrupted(*arguments, **options):
        said.append(1)
        if len(said) == 2:
            raise KeyboardInterrupt
        return real(*arguments, **options)

    monkeypatch.setattr(augmenting, "speak", interrupted)
    with pytest.raises(KeyboardInterrupt):
        augmented(trained, follower, tmp_path)
    assert not (tmp_path / "aug.json").exists()
    entries, _ = augmented(trained, follower, tmp_path)
    assert entries == whole
    assert len(said) == 2 + 2  # the first shard was not made again


def test_augment_refuses_shards_of_other_options(trained, tmp_path, monkeypatch):
    monkeypatch.setattr(augmenting, "write_json", lambda path, value: None)
    shards = tmp_path / "aug.shards"
    shards.mkdir()
    (shards / "0.json").write_text('{"config": "other"}')
    with pytest.raises(InputError, match="made with other options"):
        augment(AugmentConfig(speaker=trained, out=tmp_path / "aug.json", paths=4), show_progress=False)

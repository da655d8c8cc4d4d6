"""The losses of pretraining, against what they say written out, and whole runs with them."""

import dataclasses
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from made_traces import by_name, mean, number
from slow_walks import ROWS, STEPS
from small_runs import SMALL, changed, lively_model, record, small_config, train
from torch.nn import functional

import mtvm
from mtvm.configs.presets import PRESETS, PRETRAINING, pretraining
from mtvm.configs.run import LossConfig, MaskedWordsConfig, MatchingConfig
from mtvm.errors import InputError
from mtvm.learning.losses import matching
from mtvm.learning.losses.masked_words import MaskedWords
from mtvm.learning.losses.matching import Matching
from mtvm.learning.rollout import roll_out
from mtvm.learning.trace import RolloutPlan
from mtvm.models.text import MASK
from mtvm.tasks.shared_paths import SharedPaths

DRAWS = torch.rand(len(ROWS), 200, generator=torch.Generator().manual_seed(4))


def batch_of(episodes, rows, tokens=None):
    """What a loss reads of the batch of the episodes at these rows of a dataset."""

    def texts(some):
        return None if tokens is None else tokens.select(torch.from_numpy(some))

    dataset = SimpleNamespace(episodes=episodes)
    return SimpleNamespace(dataset=dataset, of_dataset=rows, tokens=texts(rows), instructions=texts)


def walked(loss, model, vision, tiny_r2r, tokens):
    """The teacher's walk with the loss's variant of the texts, and the loss's terms."""
    words = tokens.select(torch.from_numpy(ROWS))
    loss.attach(model)
    variant = loss.vary(batch_of(tiny_r2r, ROWS, tokens), DRAWS)
    width = max(words.ids.shape[1], variant.tokens.ids.shape[1])
    words, other = words.padded(width), variant.tokens.padded(width)
    plan = RolloutPlan("teacher", STEPS, needs=loss.needs, variants={loss: variant})
    episodes = tiny_r2r.select(ROWS)
    trace = roll_out(model, vision, episodes, model.encode(words, other), plan, keep_steps=True)
    return trace, by_name(loss(trace)), words, other


def test_masked_words_are_read_off_at_the_end_of_each_path(vision, tiny_r2r, tokens):
    model = lively_model()
    trace, terms, words, masked = walked(MaskedWords(MaskedWordsConfig(1.0, 0.4)), model, vision, tiny_r2r, tokens)
    embeddings = model.language.bert.embeddings.word_embeddings.weight
    expected, count, right = 0.0, 0, 0
    for row in range(len(ROWS)):
        if not trace.stopped[row]:
            continue  # it was cut before the end of its path
        step = trace.steps[trace.lengths[row] - 1]
        place = step.rows.tolist().index(row)
        for column in torch.nonzero(masked.ids[row] == MASK)[:, 0].tolist():
            logits = step.outputs[1].text[place, column] @ embeddings.T
            wanted = int(words.ids[row, column])
            expected -= number(logits.log_softmax(0)[wanted])
            right += int(logits.argmax()) == wanted
            count += 1
    assert count > 5
    assert terms["masked_words"].count == count
    assert number(terms["masked_words"].total) == pytest.approx(expected, rel=1e-4)
    assert mean(terms["masked_words_right"]) == pytest.approx(100 * right / count)


def test_masked_words_teach_text_and_sight(vision, tiny_r2r, tokens):
    model = lively_model()
    _, terms, _, _ = walked(MaskedWords(MaskedWordsConfig(1.0, 0.4)), model, vision, tiny_r2r, tokens)
    terms["masked_words"].total.backward()
    for part in (model.token_encoder.project.weight, model.crossmodal.layers[0].cross.attention.qkv.weight):
        assert part.grad is not None
        assert part.grad.abs().sum() > 0


def test_masked_words_of_a_frozen_reader_are_scored_against_what_the_encoder_makes_of_its_words(
    vision, tiny_r2r, tokens
):
    model = lively_model(reader="minilm", reader_layers=0)
    trace, terms, words, masked = walked(MaskedWords(MaskedWordsConfig(1.0, 0.4)), model, vision, tiny_r2r, tokens)
    language = model.language
    vectors = language.project(language.reader.embeddings.word_embeddings.weight)
    expected = 0.0
    for row in np.flatnonzero(trace.stopped):
        step = trace.steps[trace.lengths[row] - 1]
        states = step.outputs[1].text[step.rows.tolist().index(row)]
        for column in torch.nonzero(masked.ids[row] == MASK)[:, 0].tolist():
            expected -= number((states[column] @ vectors.T).log_softmax(0)[int(words.ids[row, column])])
    assert number(terms["masked_words"].total) == pytest.approx(expected, rel=1e-4)
    terms["masked_words"].total.backward()
    assert language.project.weight.grad.abs().sum() > 0
    assert language.reader.embeddings.word_embeddings.weight.grad is None


def test_matching_compares_a_path_with_its_own_and_another_instruction(vision, tiny_r2r, tokens):
    model = lively_model()
    trace, terms, _, _ = walked(Matching(MatchingConfig(1.0)), model, vision, tiny_r2r, tokens)
    losses, right = [], []
    for row in range(len(ROWS)):
        scores = [0.0, 0.0]
        for step in trace.steps:
            if row in step.rows:
                place = step.rows.tolist().index(row)
                for variant in (0, 1):
                    logs = step.outputs[variant].logits[place].log_softmax(0)
                    scores[variant] += number(logs[step.teacher[place]])
        losses.append(number(functional.softplus(torch.tensor(scores[1] - scores[0]))))
        right.append(scores[0] > scores[1])
    assert terms["matching"].count == len(ROWS)
    assert number(terms["matching"].total) == pytest.approx(sum(losses), rel=1e-4)
    assert mean(terms["matching_right"]) == pytest.approx(100 * np.mean(right))


def test_matching_compares_nothing_where_there_is_one_path_only(vision, tiny_r2r, tokens):
    loss = Matching(MatchingConfig(1.0))
    alone = tiny_r2r.select(np.array([3, 3]))
    words = tokens.select(torch.tensor([3, 3]))
    variant = loss.vary(batch_of(alone, np.array([0, 1]), words), DRAWS[:2])
    assert torch.equal(variant.tokens.ids, words.ids)
    plan = RolloutPlan("teacher", STEPS, needs=loss.needs, variants={loss: variant})
    trace = roll_out(lively_model(), vision, alone, lively_model().encode(words, words), plan, keep_steps=True)
    assert by_name(loss(trace))["matching"].count == 0


def test_matching_looks_at_the_paths_of_each_dataset_once(tiny_r2r, monkeypatch):
    looked = []
    monkeypatch.setattr(matching, "SharedPaths", lambda episodes: looked.append(episodes) or SharedPaths(episodes))
    loss = Matching(MatchingConfig(1.0))
    rows, halves = np.arange(2), (tiny_r2r.select(np.arange(4)), tiny_r2r.select(np.arange(4, 8)))
    first = [loss.vary(batch_of(half, rows), DRAWS[:2]).kept.tolist() for half in halves]
    again = [loss.vary(batch_of(half, rows), DRAWS[:2]).kept.tolist() for half in halves]
    assert first == again
    assert [id(one) for one in looked] == [id(half) for half in halves]


def test_matching_gives_every_episode_the_whole_of_another_text(vision, tiny_r2r, tokens):
    """Also where the other text is longer than any that is left in the batch."""
    model = lively_model(config=dataclasses.replace(SMALL, dropout=0.0))
    trace, _, words, other = walked(Matching(MatchingConfig(1.0)), model, vision, tiny_r2r, tokens)
    assert not (words.ids == other.ids).all(dim=1).all()
    for step in trace.steps:
        for place, row in enumerate(step.rows.tolist()):
            read = int(step.outputs[1].text_mask[place].sum())
            assert read == int((other.ids[row] != 0).sum())


PRETRAINED = {
    "imitation": {"weight": 1.0},
    "a2c": {"weight": 0.0},
    "consistency": {"enabled": False},
    "masked_words": {"weight": 1.0, "rate": 0.3},
    "matching": {"weight": 0.5},
}


@pytest.mark.slow
def test_pretraining_learns_its_tasks_and_gives_an_agent_to_start_from(small_data, tmp_path):
    optimizer = {"updates": 40, "lr": 3e-3}
    changes = {"loss": PRETRAINED, "optimizer": optimizer, "selection": {"every": 40}, "batch": 6}
    config = small_config(small_data, tmp_path / "pretrained", **changes)
    train(config)
    lines = [line for line in record(config.out) if line["kind"] == "train"]
    for name in ("teacher_masked_words", "teacher_imitation"):
        first, last = (np.mean([line[name] for line in part]) for part in (lines[:8], lines[-8:]))
        assert last < first
    assert all(0 <= line["teacher_matching_right"] <= 100 for line in lines)
    after = small_config(small_data, tmp_path / "run", init=config.out / "best", optimizer={"updates": 1})
    result = mtvm.train(after, show_progress=False)
    assert result.finished


@pytest.mark.parametrize(
    ("model", "loss", "message"),
    [
        ({"architecture": {"bidirectional": False}}, {}, "whose text sees the walk"),
        ({}, {"masked_words": MaskedWordsConfig(1.0, 1.5)}, "must lie between 0 and 1"),
        ({}, {"imitation": dataclasses.replace(LossConfig().imitation, weight=0.0)}, "teacher-forced"),
    ],
)
def test_pretraining_that_cannot_be_is_refused(model, loss, message):
    run = pretraining(PRESETS["tiny"])
    with pytest.raises(InputError, match=message):
        dataclasses.replace(
            run,
            model=changed(run.model, **model),
            loss=dataclasses.replace(run.loss, a2c=dataclasses.replace(run.loss.a2c, weight=0.1), **loss),
        )


def test_pretraining_presets_keep_the_network_of_the_run(tmp_path):
    for name, run in PRETRAINING.items():
        assert run.model == PRESETS[name].model
        assert run.out != PRESETS[name].out
    assert PRETRAINING["paper-small"].loss.masked_words.weight > 0
    assert PRETRAINING["r2r-map"].loss.masked_words.weight == 0, "its text does not see the walk"

"""Data and training in languages that are not English."""

import dataclasses
import json
import shutil

import pytest
import torch
from small_runs import SMALL, record, small_config, train

import mtvm
from mtvm.configs.data import DataConfig, Split
from mtvm.errors import InputError
from mtvm.learning.data import Data
from mtvm.models.text import WordPieces, letters, text_reader

IN = {"zh": "向左转，走到沙发前停下", "hi": "बाईं ओर मुड़ें और रसोई में रुकें।"}
CHARACTERS = dataclasses.replace(SMALL, text_reader="characters", max_text=20)


@pytest.fixture(scope="module", params=list(IN))
def foreign(request, small_data, tmp_path_factory):
    """The small world with R2R in another language."""
    folder = tmp_path_factory.mktemp("foreign") / "data"
    shutil.copytree(small_data, folder)
    for path in (folder / "R2R").glob("R2R_*.json"):
        entries = json.loads(path.read_text())
        for entry in entries:
            entry["instructions"] = [IN[request.param]] * len(entry["instructions"])
        path.write_text(json.dumps(entries))
    return request.param, folder


def opened(folder, model):
    return Data(DataConfig(folder=folder, sight="blind"), model).dataset(Split.parse("r2r/val_unseen"))


def test_data_says_once_which_share_of_a_split_cannot_be_read(foreign, small_data, capsys):
    language, folder = foreign
    opened(folder, SMALL)
    (message,) = [line for line in capsys.readouterr().err.splitlines() if "letters" in line]
    share = WordPieces().unreadable(IN[language]) / letters(IN[language])
    assert share > 0.5
    assert f"{share:.1%} of the letters of r2r/val_unseen are lost on wordpiece-en" in message
    assert "--model.text-reader characters or bytes" in message
    opened(folder, CHARACTERS)
    opened(small_data, SMALL)
    assert "letters" not in capsys.readouterr().err


def test_texts_of_a_language_that_cannot_be_mirrored_are_refused(foreign):
    language, folder = foreign
    for model in (SMALL, CHARACTERS):
        dataset = opened(folder, model)
        if (language, model) == ("zh", CHARACTERS):
            both = dataset.mirrored(model)
            reader, there = text_reader("characters"), dataset.tokens
            assert torch.equal(both.select(torch.arange(len(dataset))).ids, there.ids)
            mirrored = reader.tokenize(["向右转，走到沙发前停下"], 20)
            assert torch.equal(both.ids[-1, : mirrored.ids.shape[1]], mirrored.ids[0])
        else:
            with pytest.raises(InputError, match=r"the texts of r2r/val_unseen cannot be mirrored: .* leave them out"):
                dataset.mirrored(model)


@pytest.mark.parametrize(
    ("foreign", "reader"),
    [
        ("zh", "bytes"),
        ("hi", "characters"),
        pytest.param("zh", "characters", marks=pytest.mark.slow),
        pytest.param("hi", "bytes", marks=pytest.mark.slow),
    ],
    indirect=["foreign"],
)
@pytest.mark.slow
def test_run_reads_any_language_and_its_agent_says_which_words_it_read(foreign, tmp_path, reader):
    language, folder = foreign
    model = {"text_reader": reader}
    config = small_config(folder, tmp_path / "run", model=model, data={"mirror": language == "zh"})
    _, state = train(config)
    assert state["model"]["language.bert.embeddings.word_embeddings.weight"].shape[0] == text_reader(reader).vocabulary
    assert len(record(config.out)) > 2
    done = mtvm.evaluate(config.out, ["r2r/val_unseen"], attention=True, limit=2, show_progress=False)
    words = [word for word, _ in done["r2r/val_unseen"].steps[0][0].words]
    assert words == list(text_reader(reader).words(IN[language]))[: len(words)]
    assert "沙" in words or "ओर" in words

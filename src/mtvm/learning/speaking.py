"""A speaker at work: describing paths, and what its words are worth."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from mtvm.configs.data import DataConfig
from mtvm.errors import InputError, MissingExtraError
from mtvm.features.store import FeatureStore
from mtvm.io.files import write_json
from mtvm.learning.paths import PathVision
from mtvm.learning.run_folder import EVALUATIONS, RunFolder
from mtvm.learning.speaker import Spoken, load, open_store, validation_loss
from mtvm.models.speaker import Speaker
from mtvm.models.text import decode, tokenize
from mtvm.progress import progress
from mtvm.tasks.data import DataFolder

_SCORED = ("BLEU-4", "ROUGE-L", "CIDEr")


def speak(
    speaker: Speaker,
    vision: PathVision,
    paths: NDArray[np.int32],
    headings: NDArray[np.float64],
    *,
    temperature: float = 0.0,
    seed: int = 0,
    batch: int = 256,
    show_progress: bool = True,
) -> list[str]:
    """An instruction for each path (N, T)."""
    by_length = np.argsort((paths >= 0).sum(axis=1), kind="stable")
    texts = [""] * len(paths)
    generator = torch.Generator().manual_seed(seed)
    with progress(len(paths), "Describing paths", "paths", show_progress) as advance:
        for rows in np.array_split(by_length, max(math.ceil(len(paths) / batch), 1)):
            some = paths[rows]
            some = some[:, : int((some >= 0).sum(axis=1).max(initial=1))]
            said = speaker.say(vision.inputs(some, headings[rows]), temperature=temperature, generator=generator)
            for row, ids in zip(rows, said, strict=True):
                texts[row] = decode(ids)
            advance(len(rows))
    return texts


def evaluate_speaker(folder: Path, split: str, data: Path | None = None, show_progress: bool = True) -> Path:
    """Score what a speaker says of a split's paths, and write the scores and the texts. `data` is where the data is
    now."""
    RunFolder(folder).check_links()
    speaker, _, where, store = load_speaker(folder, data, show_progress)
    episodes = load(split, where)
    spoken = Spoken(episodes, store)
    loss = validation_loss(speaker, spoken)
    _, first = np.unique([path_id(one) for one in episodes.ids], return_index=True)
    paths, headings = episodes.references[first], episodes.headings[first]
    said = speak(speaker, spoken.vision, paths, headings, show_progress=show_progress)
    references: dict[str, list[str]] = {}
    for one, text in zip(episodes.ids, episodes.texts, strict=True):
        references.setdefault(path_id(one), []).append(text)
    texts = {path_id(episodes.ids[row]): text for row, text in zip(first, said, strict=True)}
    scores = {"loss": loss} | text_scores(texts, references)
    out = folder / EVALUATIONS / f"{split.replace('/', '-')}.json"
    rows = [{"path_id": one, "said": text, "instructions": references[one]} for one, text in texts.items()]
    write_json(out, {"split": split, "paths": len(texts), "scores": scores, "texts": rows}, indent=1)
    return out


def text_scores(said: dict[str, str], references: dict[str, list[str]]) -> dict[str, float]:
    """BLEU-4, ROUGE-L and CIDEr in percent, of texts as WordPiece words, by pycocoevalcap."""
    bleu_scorer, rouge_scorer, cider_scorer = text_scorers()
    hypotheses = {one: [plain(text)] for one, text in said.items()}
    truth = {one: [plain(text) for text in references[one]] for one in said}
    bleu = bleu_scorer.compute_score(truth, hypotheses, verbose=0)[0][3]
    values = (bleu, *(scorer.compute_score(truth, hypotheses)[0] for scorer in (rouge_scorer, cider_scorer)))
    return {name: 100 * float(value) for name, value in zip(_SCORED, values, strict=True)}


def text_scorers() -> tuple[Any, Any, Any]:
    """pycocoevalcap's BLEU up to 4, ROUGE-L and CIDEr."""
    try:
        from pycocoevalcap.bleu.bleu import Bleu
        from pycocoevalcap.cider.cider import Cider
        from pycocoevalcap.rouge.rouge import Rouge
    except ImportError:
        raise MissingExtraError("pycocoevalcap", "speaker", "Scoring what a speaker says") from None
    return Bleu(4), Rouge(), Cider()


def plain(text: str) -> str:
    """A text as the tokenizer reads it, so that both sides are cut into words alike: lower case, marks apart."""
    ids = tokenize([text], 512).ids[0]
    return decode(ids[ids > 0][:-1].tolist()).replace(",", " ,").replace(".", " .")


def path_id(instruction_id: str) -> str:
    return instruction_id.rsplit("_", 1)[0]


def load_speaker(
    folder: Path, data: Path | None, show_progress: bool
) -> tuple[Speaker, DataConfig, DataFolder, FeatureStore]:
    """A trained speaker, what it was trained on, and what it sees. `data` is where the data is now."""
    speaker = Speaker.load(folder)
    config = RunFolder(folder).speaker_config().data
    config = dataclasses.replace(config, folder=data or config.folder)
    where = DataFolder.resolve(config.folder)
    store = open_store(config, where, show_progress)
    if store.width != speaker.config.feature_width:
        raise InputError(
            f"{folder}: this speaker sees features of width {speaker.config.feature_width}, not {store.width} as those "
            f"of {store.path}; bring back what it was trained with."
        )
    return speaker, config, where, store

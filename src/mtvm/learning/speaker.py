"""Training a speaker, and measuring what it says.

The folder of a speaker:

    config.json, model.safetensors   the best weights so far, see `models/speaker.py`
    training.json                    every option of the training
    checkpoint.pt                    the state to resume from; checkpoint-before.pt is the one before it
    metrics.jsonl                    the record
    eval/TASK-SPLIT.json             scores and what was said on a split
"""

from __future__ import annotations

import dataclasses
import math
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from mtvm.configs.run import DataConfig, Split
from mtvm.configs.speaker import SpeakerConfig
from mtvm.errors import InputError, MissingExtraError, shown
from mtvm.features.store import FeatureStore
from mtvm.io.config_files import differences, from_plain, to_plain
from mtvm.io.files import read_json, write_json
from mtvm.learning import checkpoint, streams
from mtvm.learning.data import fingerprints
from mtvm.learning.ema import EMA
from mtvm.learning.interruption import interruption
from mtvm.learning.optimizer import check_optimizer, load_optimizer, lr_at, make_optimizer, set_lr
from mtvm.learning.paths import PathVision
from mtvm.learning.record import Record
from mtvm.learning.run_folder import BEFORE, CHECKPOINT, RunFolder
from mtvm.learning.sight import SightMaker
from mtvm.machine import keep_few_onednn_primitives
from mtvm.models.speaker import PathInputs, Speaker, vocabulary_of
from mtvm.models.text import decode, tokenize, with_mirrored
from mtvm.progress import progress
from mtvm.tasks.data import DataFolder
from mtvm.tasks.episode import EpisodeSet
from mtvm.tasks.load import load_episodes

TRAINING = "training.json"
_POOL = 16
"""Batches among which texts are sorted by length."""
_SCORED = ("BLEU-4", "ROUGE-L", "CIDEr")


class SpeakerTrainer:
    """The training of a speaker in its folder."""

    def __init__(self, config: SpeakerConfig, show_progress: bool = True) -> None:
        keep_few_onednn_primitives()
        self.config, self.show_progress = config, show_progress
        folder = DataFolder.resolve(config.data.folder)
        self.store = open_store(config.data, folder, show_progress)
        if len(config.data.train) != 1:
            raise InputError("a speaker learns from one split; give one as --data.train TASK/SPLIT.")
        self.train = Spoken(load(config.data.train[0], folder), self.store, config.data.mirror)
        self.validation = Spoken(load(config.validate_on, folder), self.store)
        torch.manual_seed(config.seed)
        pieces = vocabulary_of(self.train.ids)
        sizes = dataclasses.replace(config.model, feature_width=self.store.width, vocabulary=len(pieces))
        self.speaker = Speaker(sizes, pieces)
        self.optimizer = make_optimizer(self.speaker, config.optimizer)
        self.ema = EMA(self.speaker, config.optimizer.ema) if config.optimizer.ema > 0 else None
        self.updates, self.best, self.validated = 0, math.inf, 0
        self.losses: list[float] = []
        """Of the updates that are not in the record yet."""
        sets = {config.data.train[0]: self.train.episodes, config.validate_on: self.validation.episodes}
        self._fingerprints = fingerprints(self.store, sets)
        self._resume()

    def run(self) -> bool:
        """Train to the end; false if it was interrupted."""
        config, total = self.config, self.config.optimizer.updates
        record = Record(config.out, self.updates, None)
        saved, losses = time.monotonic(), self.losses
        with (
            interruption() as interrupted,
            progress(total, "Training the speaker", "updates", self.show_progress, already=self.updates) as advance,
        ):
            while self.updates < total and not interrupted:
                losses.append(self._update())
                advance(1, f"loss {losses[-1]:.3f}" + (f", best {self.best:.3f}" if self.validated else ""))
                if self.updates % 50 == 0 or self.updates == total:
                    record.write("train", self.updates, {"loss": float(np.mean(losses))})
                    losses.clear()
                if self.updates % config.validate_every == 0 or self.updates == total:
                    record.write(config.validate_on, self.updates, {"loss": self._validate()})
                    self._save()
                elif interrupted or time.monotonic() - saved > 300:
                    self._save()
                    saved = time.monotonic()
        return self.updates >= total

    def _update(self) -> float:
        config = self.config.optimizer
        streams.seed_dropout(self.config.seed, self.updates)
        set_lr(self.optimizer, lr_at(self.updates, config))
        rows = batch_of_one_length(self.train.lengths, self.config.batch, self.config.seed, self.updates)
        mirrored = None
        if self.config.data.mirror:
            mirrored = streams.generator("mirror", self.config.seed, self.updates).random(len(rows)) < 0.5
        path, ids = self.train.batch(rows, mirrored)
        self.speaker.train()
        loss = speech_loss(self.speaker, path, ids, self.config.label_smoothing)
        self.optimizer.zero_grad(set_to_none=True)
        torch.autograd.backward(loss)
        if config.clip > 0:
            torch.nn.utils.clip_grad_norm_(self.speaker.parameters(), config.clip)
        value = loss.item()
        if not math.isfinite(value):
            raise InputError(f"{self.config.out}: the loss of update {self.updates} is {value}; lower the lr.")
        self.optimizer.step()
        self.updates += 1
        if self.ema is not None:
            self.ema.update(self.speaker)
        return value

    def _validate(self) -> float:
        """The loss on the validation split; the weights are saved if it is the lowest so far."""
        self.speaker.eval()
        if self.ema is None:
            loss = validation_loss(self.speaker, self.validation)
            return self._consider(loss)
        with self.ema.in_place(self.speaker):
            return self._consider(validation_loss(self.speaker, self.validation))

    def _consider(self, loss: float) -> float:
        self.validated = self.updates
        if loss < self.best:
            self.best = loss
            self.speaker.save(self.config.out)
        return loss

    def state(self) -> dict[str, Any]:
        return {
            "config": to_plain(self.config),
            "speaker": self.speaker.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "ema": None if self.ema is None else self.ema.state_dict(),
            "updates": self.updates,
            "best": self.best,
            "validated": self.validated,
            "losses": self.losses,
            "data": self._fingerprints,
        }

    def _save(self) -> None:
        checkpoint.save(self.config.out / CHECKPOINT, self.state(), self.config.out / BEFORE)

    def _resume(self) -> None:
        path, plain = self.config.out / CHECKPOINT, to_plain(self.config)
        if not path.is_file():
            write_json(self.config.out / TRAINING, plain, indent=1)
            return
        state = checkpoint.load(path, self.config.out / BEFORE)
        with checkpoint.going_on_from(path):
            self._check_unchanged(state, plain)
            self._go_on_from(state)

    def _check_unchanged(self, state: dict[str, Any], plain: dict[str, Any]) -> None:
        checkpoint.refuse_other_data(self.config.out / CHECKPOINT, state["data"], self._fingerprints)
        changed = differences(state["config"], plain)
        for name in ("out", "data.folder", "data.features"):
            changed.pop(name, None)
        if changed:
            name, (before, now) = next(iter(changed.items()))
            raise InputError(
                f"{self.config.out}: another speaker is there ({name} is {shown(before)} there, {shown(now)} here); "
                "name another folder with --out."
            )

    def _go_on_from(self, state: dict[str, Any]) -> None:
        for name, ours in self.state().items():
            if name not in ("config", "data", "optimizer"):
                checkpoint.check_kind(state[name], ours, name)
        check_optimizer(state["optimizer"], self.optimizer)
        if not state["validated"] <= state["updates"] <= self.config.optimizer.updates:
            raise ValueError(f"updates is {state['updates']}, validated {state['validated']}")
        if not torch.equal(state["speaker"]["pieces"], self.speaker.pieces):
            raise ValueError("it speaks in other words")
        self.speaker.load_state_dict(state["speaker"])
        load_optimizer(self.optimizer, state["optimizer"])
        if self.ema is not None:
            self.ema.load_state_dict(state["ema"])
        self.updates, self.best, self.validated = state["updates"], float(state["best"]), state["validated"]
        self.losses = [float(loss) for loss in state["losses"]]


def train_speaker(config: SpeakerConfig, show_progress: bool = True) -> bool:
    """Train a speaker to the end or until interrupted; false if it was."""
    with RunFolder(config.out).lock():
        return SpeakerTrainer(config, show_progress).run()


class Spoken:
    """Paths of a split with their instructions."""

    def __init__(self, episodes: EpisodeSet, store: FeatureStore, mirror: bool = False) -> None:
        self.episodes = episodes
        self.vision = PathVision(episodes.world, store)
        tokens = tokenize(episodes.texts, episodes.task.max_text, leading_cls=True)
        self.ids = (with_mirrored(tokens) if mirror else tokens).ids
        self.lengths = tokens.lengths.numpy()

    def __len__(self) -> int:
        return len(self.episodes)

    def batch(self, rows: NDArray[np.int64], mirrored: NDArray[np.bool_] | None = None) -> tuple[PathInputs, Tensor]:
        """What is seen along the paths, and the WordPieces (B, L) of their instructions."""
        paths = self.episodes.references[rows]
        paths = paths[:, : int((paths >= 0).sum(axis=1).max())]
        texts = rows if mirrored is None else rows + len(self) * mirrored
        ids = self.ids[torch.from_numpy(texts)]
        return self.vision.inputs(paths, self.episodes.headings[rows], mirrored), ids[:, : int((ids > 0).sum(1).max())]


def batch_of_one_length(lengths: NDArray[np.int64], batch: int, seed: int, update: int) -> NDArray[np.int64]:
    """(batch,) the rows of an update: texts of about one length, so that little is padded. Every text comes once an
    epoch, and which ones come together changes from epoch to epoch."""
    batch = min(batch, len(lengths))
    each = len(lengths) // batch
    epoch, number = divmod(update, each)
    rng = streams.generator("order", seed, epoch)
    rows = rng.permutation(len(lengths))[: each * batch]
    pools = np.split(rows, range(_POOL * batch, len(rows), _POOL * batch))
    rows = np.concatenate([pool[np.argsort(lengths[pool], kind="stable")] for pool in pools])
    batches: NDArray[np.int64] = rows.reshape(each, batch)
    return batches[rng.permutation(each)[number]]


def speech_loss(speaker: Speaker, path: PathInputs, ids: Tensor, smoothing: float = 0.0) -> Tensor:
    """The mean negative log-probability of a WordPiece, given those before it."""
    indices = speaker.indices(ids)
    wanted = indices[:, 1:]
    asked = wanted >= 0
    logits = speaker(path, indices[:, :-1].clamp(min=0), asked)
    return functional.cross_entropy(logits, wanted[asked], label_smoothing=smoothing)


@torch.no_grad()
def validation_loss(speaker: Speaker, spoken: Spoken, batch: int = 128) -> float:
    """The mean over WordPieces of a whole split."""
    total = count = 0.0
    for rows in np.array_split(np.arange(len(spoken)), math.ceil(len(spoken) / batch)):
        path, ids = spoken.batch(rows)
        pieces = float((speaker.indices(ids)[:, 1:] >= 0).sum())
        total, count = total + float(speech_loss(speaker, path, ids)) * pieces, count + pieces
    return total / count


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
    out = folder / "eval" / f"{split.replace('/', '-')}.json"
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


def load(text: str, folder: DataFolder) -> EpisodeSet:
    """The episodes of TASK/SPLIT, which must have goals."""
    split = Split.parse(text)
    episodes = load_episodes(split.task, split.split, folder)
    if not episodes.has_goals:
        raise InputError(
            f"{episodes.source}: {split.name} has no paths to describe; name a split with goals, as r2r/val_seen."
        )
    return episodes


def open_store(config: DataConfig, folder: DataFolder, show_progress: bool) -> FeatureStore:
    store = (
        FeatureStore.open(config.features).verify()
        if config.features is not None
        else SightMaker(config, folder, show_progress).open()
    )
    if store is None:
        raise InputError("a blind speaker has nothing to say: give --data.features, or --data.sight names.")
    return store


def load_speaker(
    folder: Path, data: Path | None, show_progress: bool
) -> tuple[Speaker, DataConfig, DataFolder, FeatureStore]:
    """A trained speaker, what it was trained on, and what it sees. `data` is where the data is now."""
    speaker = Speaker.load(folder)
    config = training_config(folder, data)
    where = DataFolder.resolve(config.folder)
    store = open_store(config, where, show_progress)
    if store.width != speaker.config.feature_width:
        raise InputError(
            f"{folder}: this speaker sees features of width {speaker.config.feature_width}, not {store.width} as those "
            f"of {store.path}; bring back what it was trained with."
        )
    return speaker, config, where, store


def training_config(folder: Path, data: Path | None) -> DataConfig:
    """What the speaker was trained on, in the data folder `data` if it is there now."""
    if not (folder / TRAINING).is_file():
        raise InputError(
            f"{folder}: has no {TRAINING}, which says what the speaker sees; copy it from where it was trained."
        )
    content: Any = read_json(folder / TRAINING, "config of a speaker's training")
    config: SpeakerConfig = from_plain(SpeakerConfig, content, folder / TRAINING)
    return dataclasses.replace(config.data, folder=data or config.data.folder)

"""Names of rooms and objects as a network guesses them from captions: sight that carries over to new buildings.

An agent learns captions by heart, because nearly all of them are different; names are few. The network learns from the
annotation of training buildings only. What it says of a training building comes from a network that never saw that
building, so that the agent learns from guesses that are as uncertain as those that it will get in a new one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from mtvm.errors import InputError, MissingExtraError
from mtvm.features.caption_words import frequent_words, word_numbers
from mtvm.features.captions import CaptionedPlace, load_captions
from mtvm.features.known_names import KnownNames, Walk, known_names
from mtvm.features.store import FeatureStore
from mtvm.progress import progress, track
from mtvm.world.views import VIEWS

_FREQUENT = 30  # captions of training buildings that a word must be in for the network to read it

Guesses: TypeAlias = tuple[NDArray[np.float32], ...]
"""Of n places: the shares (n, rooms) of the room; (n, 36, ...) of rooms ahead, of objects and none, of words."""


def predicted_name_features(
    captions: Path | str,
    semantics: Path | str,
    connectivity: Path | str,
    train_scans: Collection[str],
    out: Path | str,
    *,
    walks: Iterable[Walk] = (),
    scans: Collection[str] | None = None,
    folds: int = 4,
    epochs: int = 8,
    seed: int = 0,
    show_progress: bool = True,
) -> FeatureStore:
    """Write a store with, for each view, the names that its viewpoint's captions suggest.

    A feature holds the square roots of the shares of

    1. the types of room that the viewpoint may be in,
    2. the types of room that the view may look into,
    3. the objects that it may show, which sum to less than 1 because it may show none,

    and, if `walks` with their instructions are given (the training episodes of R2R), so that the network learns what
    people call what they see,

    4. the words that they may say of the view: logarithms of their shares against the mean over all views.

    Annotation, graphs and walks of the `train_scans` are learnt from, and those of others are not looked at. A training
    building's features come from the one of `folds` networks that saw nothing of it, those of all others from a network
    that saw all training buildings. The store has the viewpoints of the captions, of the `scans` asked for or of all.
    The same seed gives the same store on the same machine.
    """
    captions, training = Path(captions), set(train_scans)
    if not 2 <= folds <= len(training):
        raise InputError(
            f"{folds} folds of {len(training)} training scans are not possible; take from 2 to the number of scans."
        )
    places = load_captions(captions, None if scans is None else {*scans, *training})
    learnt = [place for place in places if place.scan in training]
    texts = [caption for place in learnt for heading in place.captions for caption in heading]
    known = known_names(Path(semantics), Path(connectivity), training, walks, texts)
    learnt = _in_order(known, learnt, captions)
    others = [place for place in places if place.scan not in training]
    guesses = _cross_fitted(learnt, others, known, frequent_words(texts, _FREQUENT), folds, epochs, seed, show_progress)
    features = _features(guesses, len(learnt))
    entries = (
        (place.scan, place.viewpoint, feature)
        for place, feature in zip([*learnt, *others], features, strict=True)
        if scans is None or place.scan in scans
    )
    shown = track(entries, len(places), "Predicted features", "viewpoints", show_progress)
    return FeatureStore.write(out, shown, source=captions, source_format="names guessed from captions")


def _in_order(known: KnownNames, places: Sequence[CaptionedPlace], source: Path) -> list[CaptionedPlace]:
    """The places of which something is known, in the order of its rows."""
    by_id = {(place.scan, place.viewpoint): place for place in places}
    for scan, viewpoint in known.row_of:
        if (scan, viewpoint) not in by_id:
            raise InputError(
                f"{source}: says nothing of viewpoint {viewpoint} of training scan {scan}; describe it, or leave the "
                "scan out of the training scans."
            )
    return [by_id[pair] for pair in known.row_of]


def _cross_fitted(
    learnt: Sequence[CaptionedPlace],
    others: Sequence[CaptionedPlace],
    known: KnownNames,
    vocabulary: Sequence[str],
    folds: int,
    epochs: int,
    seed: int,
    show_progress: bool,
) -> Guesses:
    """Of the places learnt from, by networks that did not, and of the others after them."""
    try:
        from mtvm.features.guesser import Examples, fit, guess
    except ImportError:
        raise MissingExtraError("torch", "model", "Guessing names from captions") from None
    words = word_numbers([*learnt, *others], vocabulary)
    kinds = [kind for kind in (known.rooms_ahead, known.objects, known.words) if kind.shape[2]]
    examples = Examples(words[: len(learnt)], known.rooms, kinds)
    fold = _folds([place.scan for place in learnt], folds, seed)
    guesses: list[Guesses] = []
    order: list[NDArray[np.int64]] = []
    amount = epochs * (folds * len(learnt) - len(learnt) + (len(learnt) if others else 0))
    with progress(amount, "Learning to guess names", "places", show_progress) as advance:
        for number in range(folds):
            network = fit(
                examples.select(fold != number), len(vocabulary), epochs=epochs, seed=seed + 1 + number, advance=advance
            )
            order.append(np.nonzero(fold == number)[0])
            guesses.append(guess(network, examples.words[order[-1]]))
        if others:
            network = fit(examples, len(vocabulary), epochs=epochs, seed=seed, advance=advance)
            order.append(np.arange(len(learnt), len(words)))
            guesses.append(guess(network, words[len(learnt) :]))
    back = np.argsort(np.concatenate(order))
    return tuple(np.concatenate(kind)[back] for kind in zip(*guesses, strict=True))


def _folds(scans: Sequence[str], folds: int, seed: int) -> NDArray[np.int64]:
    """The fold of each place: buildings are dealt out in a random order."""
    dealt = np.random.default_rng(seed).permutation(sorted(set(scans)))
    fold_of = {scan: number % folds for number, scan in enumerate(dealt.tolist())}
    return np.array([fold_of[scan] for scan in scans])


def _features(guesses: Guesses, learnt: int) -> Iterator[NDArray[np.float32]]:
    """What the store holds of each place; the first `learnt` places are those of training buildings."""
    rooms, ahead, objects, *words = guesses
    if words:
        logarithms = np.log(np.maximum(words[0], 1e-6))
        mean = logarithms[:learnt].mean(axis=(0, 1))
        spread = (logarithms[:learnt] - mean).std() * np.sqrt(len(mean))
    for place in range(len(rooms)):
        here = np.broadcast_to(rooms[place], (VIEWS, rooms.shape[1]))
        parts = [np.sqrt(here), np.sqrt(ahead[place]), np.sqrt(objects[place, :, :-1])]
        if words:
            parts.append((logarithms[place] - mean) / max(spread, 1e-6))
        yield np.hstack(parts)

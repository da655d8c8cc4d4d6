"""Names of rooms and objects as networks guess them from captions: sight that carries over to new buildings.

They read the captions of one image model, or those of two and what a detector found (`mtvm.features.described`).

An agent learns captions by heart, because nearly all of them are different; names are few. The networks learn from the
annotation of training buildings only. What they say of a training building comes from a network that never saw that
building, so that the agent learns from guesses that are as uncertain as those that it will get in a new one.
"""

from __future__ import annotations

import dataclasses
import functools
import json
import math
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mtvm.errors import InputError, MissingExtraError
from mtvm.features.caption_words import frequent_words, word_numbers
from mtvm.features.captions import MOST_HEADINGS, CaptionedPlace, load_captions
from mtvm.features.described import MOST_WORDS, OF_CLASS, read_said, what_occurs
from mtvm.features.known_names import KnownNames, Walk, known_names
from mtvm.features.store import FeatureStore
from mtvm.io.files import parse_json
from mtvm.io.packed_weights import in_bytes, out_of_bytes
from mtvm.io.weight_files import check_finite, read_weight_file, write_safetensors
from mtvm.progress import progress
from mtvm.world.views import ROWS, VIEWS

if TYPE_CHECKING:
    from torch import Tensor

    from mtvm.features.guesser import NameNetwork, Said

_FREQUENT = 30  # captions of training buildings that a word must be in for the networks to read it
_EPOCHS, _EPOCHS_TO_ALIGN = 8, 10
_DESCRIPTION = "description"
_LISTS = ("vocabulary", "rooms", "objects", "words", "spoken")

Guesses: TypeAlias = tuple[NDArray[np.float32], ...]
"""Of n places: the shares (n, rooms) of the room; (n, 36, ...) of rooms ahead, of objects and none, of words."""


@dataclasses.dataclass(frozen=True)
class NameGuesser:
    """Networks that guess names, and what it takes to use them in any building that has captions.

    Of a view they say the square roots of the shares of

    1. the types of room that the viewpoint may be in (`rooms`),
    2. the types of room that the view may look into (`rooms` again),
    3. the objects that it may show (`objects`), which sum to less than 1 because it may show none,

    and, if they learnt from walks with instructions,

    4. the words that people may say of the view (`words`): logarithms of their shares against the mean over all views,
    5. and if they were to align them, how much better each word of an instruction (`spoken`) fits this direction than
       the others from there.
    """

    vocabulary: tuple[str, ...]
    """The words of captions that the networks read."""
    rooms: tuple[str, ...]
    objects: tuple[str, ...]
    words: tuple[str, ...]
    spoken: tuple[str, ...]
    captions: int
    """Of each place: headings times rows."""
    fold_of: dict[str, int]
    """The number of the network that did not learn from each training building; the last one learnt from all."""
    networks: tuple[NameNetwork, ...]
    mean: NDArray[np.float32]
    """(words + spoken,) of their numbers, over all views of training buildings."""
    spread: NDArray[np.float64]
    """What the numbers of words, and those of spoken words, are divided by."""
    classes: tuple[str, ...] | None = None
    """What the detector finds, if the networks also read what it found and what a second image model said."""

    @property
    def sight(self) -> str:
        """What an agent that sees these guesses is said to see."""
        if self.classes is None:
            return "aligned" if self.spoken else "guesses"
        return "described-aligned" if self.spoken else "described"

    @property
    def width(self) -> int:
        return 2 * len(self.rooms) + len(self.objects) + len(self.words) + len(self.spoken)

    @property
    def object_columns(self) -> slice:
        """Where the objects are in the numbers of a view."""
        return slice(2 * len(self.rooms), 2 * len(self.rooms) + len(self.objects))

    def save(self, path: Path | str, compact: bool = False) -> None:
        """Write everything to one safetensors file, if it is to be `compact` in a byte for each weight."""
        import torch

        lists = {name: getattr(self, name) for name in (*_LISTS, "captions")}
        if self.classes is not None:
            lists["classes"] = self.classes
        text = json.dumps(lists | {"fold_of": self.fold_of}).encode()
        tensors: dict[str, Tensor] = {_DESCRIPTION: torch.frombuffer(bytearray(text), dtype=torch.uint8)}
        tensors |= {"mean": torch.tensor(self.mean), "spread": torch.tensor(self.spread)}
        for number, network in enumerate(self.networks):
            weights = {f"{number}.{name}": value for name, value in network.state_dict().items()}
            tensors |= in_bytes(weights) if compact else weights
        write_safetensors(Path(path), tensors)

    @classmethod
    def load(cls, path: Path | str) -> NameGuesser:
        tensors = read_weight_file(Path(path))
        check_finite(Path(path), tensors)
        try:
            return _loaded(out_of_bytes(tensors), Path(path))
        except (KeyError, ValueError, TypeError, AttributeError, RuntimeError):
            raise InputError(
                f"{path}: not the networks that guess names from captions; give guesser.safetensors of an agent that "
                "was trained with --data.sight guesses or described."
            ) from None

    def write_features(
        self,
        captions: Path | str,
        out: Path | str,
        scans: Collection[str] | None = None,
        show_progress: bool = True,
        described: Path | str | None = None,
    ) -> FeatureStore:
        """A store of the guesses for all places that the file has captions of, or for those of the `scans`; networks
        that read what was `described` by others need that too."""
        captions = Path(captions)
        places = load_captions(captions, scans)
        count = len(places[0].captions) * len(places[0].captions[0])
        if count != self.captions:
            raise InputError(
                f"{captions}: has {count} captions of each viewpoint, where the networks that guess names from them "
                f"learnt from {self.captions}; describe as many headings, or train an agent with these captions."
            )
        # Training buildings first; the same batches give the same bits.
        places.sort(key=lambda place: place.scan not in self.fold_of)
        said = _said(places, described, self.vocabulary, self.classes)
        numbers = np.array([self.fold_of.get(place.scan, len(self.networks) - 1) for place in places])
        guesses = _guessed_by(self.networks, said, numbers, show_progress)
        entries = zip(places, self._features(guesses), strict=True)
        return FeatureStore.write(
            out,
            ((place.scan, place.viewpoint, feature) for place, feature in entries),
            source=captions,
            source_format="names guessed from captions",
        )

    def _features(self, guesses: Guesses) -> Iterator[NDArray[np.float32]]:
        """What the store holds of each place."""
        rooms, ahead, objects, *words = guesses
        count = len(self.words)
        for place in range(len(rooms)):
            here = np.broadcast_to(rooms[place], (VIEWS, rooms.shape[1]))
            parts = [np.sqrt(here), np.sqrt(ahead[place]), np.sqrt(objects[place, :, :-1])]
            if self.words:
                parts.append((_logarithms(words[0][place]) - self.mean[:count]) / self.spread[0])
            if self.spoken:
                parts.append((words[-1][place] - self.mean[count:]) / self.spread[-1])
            yield np.hstack(parts)


def learn_names(
    captions: Path | str,
    semantics: Path | str,
    connectivity: Path | str,
    train_scans: Collection[str],
    *,
    walks: Iterable[Walk] = (),
    align: bool = False,
    described: Path | str | None = None,
    folds: int = 4,
    epochs: int | None = None,
    seed: int = 0,
    show_progress: bool = True,
) -> NameGuesser:
    """Networks that have learnt to guess names: one for each of the `folds`, which saw nothing of its buildings, and
    one that saw all training buildings, for those that are none.

    Annotation, graphs and walks of the `train_scans` are learnt from, and those of others are not looked at. Walks are
    the training episodes of R2R; from their instructions the networks learn what people call what they see, and, if
    they are to `align` words with ways, which of the ways that were open people took with which words. That takes twice
    as long. If what was `described` by a second image model and a detector is given, they read that too. The same seed
    gives the same networks on the same machine.
    """
    try:
        from mtvm.features.guesser import Examples, fit
    except ImportError:
        raise MissingExtraError("torch", "model", "Guessing names from captions") from None
    captions, training = Path(captions), set(train_scans)
    if not 2 <= folds <= len(training):
        raise InputError(
            f"{folds} folds of {len(training)} training scans are not possible; take from 2 to the number of scans."
        )
    epochs = epochs or (_EPOCHS_TO_ALIGN if align else _EPOCHS)
    places = load_captions(captions, training)
    texts = [caption for place in places for heading in place.captions for caption in heading]
    known = known_names(Path(semantics), Path(connectivity), training, walks, texts, align)
    places = _in_order(known, places, captions)
    vocabulary, classes = tuple(frequent_words(texts, _FREQUENT)), None
    if described is not None:
        vocabulary, classes = what_occurs(places, Path(described), training, _FREQUENT)
    said = _said(places, described, vocabulary, classes)
    kinds = [kind for kind in (known.rooms_ahead, known.objects, known.words) if kind.shape[2]]
    examples = Examples(said, known.rooms, kinds, known.choices)
    sizes = [kind.shape[2] for kind in kinds]
    make = _maker(vocabulary, said[0].shape[1], classes, len(known.room_names), sizes, len(known.spoken_names))
    fold_of = deal_folds(training, folds, seed)
    fold = np.array([fold_of[place.scan] for place in places])
    amount = epochs * folds * len(places)
    with progress(amount, "Learning to guess names", "places", show_progress) as advance:
        options: dict[str, Any] = {"epochs": epochs, "advance": advance}
        networks = [
            fit(make, examples.select(fold != number), seed=seed + 1 + number, **options) for number in range(folds)
        ]
        networks.append(fit(make, examples, seed=seed, **options))
    numbers: list[NDArray[np.float32]] = []
    if known.word_names or known.spoken_names:
        guessed = _guessed_by(networks, said, fold, show_progress)
        numbers += [_logarithms(guessed[3])] if known.word_names else []
        numbers += [guessed[-1]] if known.spoken_names else []
    means = [number.mean(axis=(0, 1)) for number in numbers]
    return NameGuesser(
        vocabulary=vocabulary,
        rooms=known.room_names,
        objects=known.object_names,
        words=known.word_names,
        spoken=known.spoken_names,
        captions=said[0].shape[1],
        fold_of=fold_of,
        networks=tuple(networks),
        mean=np.concatenate(means) if means else np.zeros(0, dtype=np.float32),
        spread=np.array([_spread(number - mean) for number, mean in zip(numbers, means, strict=True)]),
        classes=classes,
    )


def _said(
    places: Sequence[CaptionedPlace],
    described: Path | str | None,
    vocabulary: Sequence[str],
    classes: Sequence[str] | None,
) -> Said:
    """What networks read of some places, which know these words, and these classes if they read what was found."""
    if classes is None:
        return (word_numbers(places, vocabulary),)
    if described is None:
        raise InputError("these networks also read what a detector found and another image model said; name that file.")
    return read_said(places, Path(described), vocabulary, classes)


def _maker(
    vocabulary: Sequence[str],
    captions: int,
    classes: Sequence[str] | None,
    rooms: int,
    names: Sequence[int],
    spoken: int,
) -> Callable[[], NameNetwork]:
    """What makes a new network that reads these captions, with what was found if there are classes of it."""
    from mtvm.features.described_guesser import DescribedGuesser
    from mtvm.features.guesser import Guesser

    if classes is None:
        return functools.partial(Guesser, len(vocabulary), captions, rooms, names, spoken)
    return functools.partial(DescribedGuesser, len(vocabulary), captions, len(classes), rooms, names, spoken)


def _spread(numbers: NDArray[np.float32]) -> float:
    """What brings vectors of such numbers to a length of about 1."""
    return max(float(numbers.std()) * math.sqrt(numbers.shape[-1]), 1e-6)


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


def deal_folds(scans: Collection[str], folds: int, seed: int) -> dict[str, int]:
    """The fold of each building: they are dealt out in a random order."""
    dealt = np.random.default_rng(seed).permutation(sorted(scans))
    return {scan: number % folds for number, scan in enumerate(dealt.tolist())}


def _guessed_by(
    networks: Sequence[NameNetwork], said: Said, numbers: NDArray[np.int64], show_progress: bool
) -> Guesses:
    """What the network with each place's number says of it."""
    from mtvm.features.guesser import guess

    order = [np.nonzero(numbers == number)[0] for number in range(len(networks))]
    asked = [(network, rows) for network, rows in zip(networks, order, strict=True) if len(rows)]
    with progress(len(numbers), "Guessing names", "places", show_progress) as advance:
        parts = [guess(network, tuple(part[rows] for part in said), advance) for network, rows in asked]
    back = np.argsort(np.concatenate([rows for _, rows in asked]))
    return tuple(np.concatenate(kind)[back] for kind in zip(*parts, strict=True))


def _logarithms(shares: NDArray[np.float32]) -> NDArray[np.float32]:
    found: NDArray[np.float32] = np.log(np.maximum(shares, 1e-6))
    return found


def _loaded(tensors: dict[str, Any], path: Path) -> NameGuesser:
    """What `save` wrote; whatever is wrong with it raises, before memory is taken for what it says of itself."""
    said = parse_json(bytes(tensors.pop(_DESCRIPTION).numpy()), path)
    names = {kind: tuple(said.get(kind, []) if kind == "spoken" else said[kind]) for kind in _LISTS}
    captions, fold_of = said["captions"], dict(said["fold_of"])
    classes = tuple(said["classes"]) if "classes" in said else None
    if not all(isinstance(name, str) for kind in (*names.values(), classes or ()) for name in kind):
        raise ValueError("a name is none")
    if classes is not None and len(names["vocabulary"]) > MOST_WORDS:
        raise ValueError("it knows more words than can be numbered")
    if type(captions) is not int or captions % ROWS or not 0 < captions <= ROWS * MOST_HEADINGS:
        raise ValueError("so many captions are not possible")
    if not all(type(number) is int and number >= 0 for number in fold_of.values()):
        raise ValueError("a network has an odd number")
    sizes = [len(names["rooms"]), len(names["objects"]) + 1, *([len(names["words"])] if names["words"] else [])]
    room = "room.3" if classes is None else "room"
    rows = {"word": len(names["vocabulary"]) + 1, room: sizes[0], "name": sum(sizes) + len(names["spoken"])}
    if any(len(tensors[f"0.{layer}.weight"]) != count for layer, count in rows.items()):
        raise ValueError("it has other names than numbers")
    if classes is not None and tensors["0.found.weight"].shape[1:] != (len(classes) * OF_CLASS,):
        raise ValueError("it has other classes than numbers")
    mean, spread = tensors.pop("mean").numpy(), np.atleast_1d(tensors.pop("spread").numpy())
    kinds = sum(1 for kind in ("words", "spoken") if names[kind])
    if mean.dtype.kind != "f" or spread.shape != (kinds,) or not (spread > 0).all():
        raise ValueError("what names are divided by is odd")
    make = _maker(names["vocabulary"], captions, classes, len(names["rooms"]), sizes, len(names["spoken"]))
    networks = []
    for number in range(max(fold_of.values()) + 2):
        network = make().eval()
        network.load_state_dict({name: tensors.pop(f"{number}.{name}") for name in network.state_dict()})
        networks.append(network)
    if tensors or mean.shape != (len(names["words"]) + len(names["spoken"]),):
        raise ValueError("something is left over")
    return NameGuesser(
        **names,
        captions=captions,
        fold_of=fold_of,
        networks=tuple(networks),
        mean=mean,
        spread=spread,
        classes=classes,
    )

"""Names of objects as networks guess them from what a detector and an image model say of their boxes.

Which boxes there are is given, as to every agent of REVERIE; what is in them is guessed from pixels alone. As with the
names that are guessed of views (`mtvm.features.guesses`), networks learn from the annotation of training buildings, and
what they say of a training building comes from one that never saw it.
"""

from __future__ import annotations

import dataclasses
import json
import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mtvm.errors import InputError, MissingExtraError
from mtvm.features.caption_words import frequent_words, words_of
from mtvm.features.detections import DescribedPlace, read_described
from mtvm.features.guesses import deal_folds
from mtvm.features.names import SeenObject, object_phrase, read_semantics
from mtvm.features.objects import Boxes, in_order, prominence
from mtvm.io.arrays import keep_cached, read_cached
from mtvm.io.files import parse_json
from mtvm.io.weight_files import check_finite, read_weight_file, write_safetensors
from mtvm.progress import Advance, progress, track
from mtvm.world.views import IMAGE_HEIGHT, IMAGE_WIDTH, direction_in_view

if TYPE_CHECKING:
    from torch import nn

_FREQUENT_NAME, _FREQUENT_WORD = 8, 30  # objects, and viewpoints, of training buildings
_SHAPE = 9
_HIDDEN, _EPOCHS, _AT_A_TIME = 256, 8, 128
_DROPOUT_SEEN, _DROPOUT = 0.2, 0.4
_DESCRIPTION = "description"
_MOST = 100_000


@dataclasses.dataclass(frozen=True)
class BoxGuesser:
    """Networks that guess the names of objects from their boxes."""

    classes: tuple[str, ...]
    """What the detector finds."""
    vocabulary: tuple[str, ...]
    """The words of captions that the networks read."""
    names: tuple[str, ...]
    fold_of: dict[str, int]
    """The number of the network that did not learn from each training building; the last one learnt from all."""
    networks: tuple[nn.Module, ...]

    @property
    def width(self) -> int:
        return _width(self.classes, self.vocabulary)

    def guess(self, described: Path | str, semantics: Path | str, show_progress: bool = True) -> Boxes:
        """The names of all objects of a file, by a file of what was said of the views."""
        import torch

        objects, last = _objects(semantics), len(self.networks) - 1
        shares: dict[tuple[str, str], NDArray[np.float16]] = {}
        places = _described(described, objects)
        with torch.inference_mode():
            for place in track(places, len(places), "Names of boxes", "viewpoints", show_progress):
                key = place.scan, place.viewpoint
                network = self.networks[min(self.fold_of.get(place.scan, last), last)]
                known = torch.from_numpy(evidence(place, objects[key], self.classes, self.vocabulary))
                shares[key] = network(known).softmax(1)[:, :-1].numpy().astype(np.float16)
        return Boxes(self.names, shares)

    def save(self, path: Path | str) -> None:
        """Write everything to one safetensors file."""
        import torch

        said = {name: getattr(self, name) for name in ("classes", "vocabulary", "names", "fold_of")}
        tensors = {_DESCRIPTION: torch.frombuffer(bytearray(json.dumps(said).encode()), dtype=torch.uint8)}
        for number, network in enumerate(self.networks):
            tensors |= {f"{number}.{name}": value.half() for name, value in network.state_dict().items()}
        write_safetensors(Path(path), tensors)

    @classmethod
    def load(cls, path: Path | str) -> BoxGuesser:
        tensors = read_weight_file(Path(path))
        check_finite(Path(path), tensors)
        try:
            return _loaded(tensors, Path(path))
        except (KeyError, ValueError, TypeError, AttributeError, RuntimeError):
            raise InputError(
                f"{path}: not the networks that guess names of boxes; give those of an agent that was trained with "
                "--data.boxes detections."
            ) from None


_ARRAYS = ("names", "scans", "viewpoints", "first", "shares")


def kept_boxes(path: Path) -> Boxes | None:
    """What `keep_boxes` kept in the cache."""
    kept = read_cached(path, _ARRAYS)
    if kept is None:
        return None
    keys = zip(kept["scans"].tolist(), kept["viewpoints"].tolist(), strict=True)
    parts = np.split(kept["shares"], kept["first"][1:-1])
    return Boxes(tuple(kept["names"].tolist()), dict(zip(keys, parts, strict=True)))


def keep_boxes(path: Path, boxes: Boxes) -> None:
    """Keep what was guessed in the cache, as a table."""
    scans, viewpoints = (np.array([key[part] for key in boxes.shares]) for part in range(2))
    first = np.cumsum([0, *map(len, boxes.shares.values())])
    values = dict(zip(_ARRAYS, (np.array(boxes.names), scans, viewpoints, first), strict=False))
    keep_cached(path, values | {"shares": np.concatenate(list(boxes.shares.values()))})


def learn_boxes(
    described: Path | str,
    semantics: Path | str,
    train_scans: Collection[str],
    *,
    folds: int = 4,
    epochs: int = _EPOCHS,
    seed: int = 0,
    show_progress: bool = True,
) -> BoxGuesser:
    """Networks that have learnt to guess names of boxes: one for each of the `folds` (as far as there are buildings),
    which saw nothing of its buildings, and one that saw all of `train_scans`. The annotation of others is not looked
    at."""
    training = set(train_scans)
    folds = min(folds, len(training))
    if folds < 2:
        raise InputError("names of boxes are learnt in two buildings at least, as each is guessed by the others'.")
    objects = _objects(semantics, training)
    phrases = Counter(object_phrase(thing.name) for here in objects.values() for thing in here)
    names = tuple(name for name, count in sorted(phrases.items()) if count >= _FREQUENT_NAME)
    if not names:
        raise InputError(f"{semantics}: no object of the training scans has a name that is frequent enough to learn.")
    places = _described(described, objects)
    classes = tuple(sorted({box.name for place in places for boxes in place.boxes for box in boxes}))
    texts = (text for place in places for text in _texts(place))
    vocabulary = tuple(frequent_words(texts, _FREQUENT_WORD))
    row_of = {name: row for row, name in enumerate(names)}
    here = [objects[place.scan, place.viewpoint] for place in places]
    known = np.concatenate(
        [evidence(*pair, classes, vocabulary).astype(np.float16) for pair in zip(places, here, strict=True)]
    )
    wanted = np.array([row_of.get(object_phrase(thing.name), len(names)) for things in here for thing in things])
    fold_of = deal_folds(training, folds, seed)
    fold = np.repeat([fold_of[place.scan] for place in places], list(map(len, here)))
    amount = epochs * folds * len(wanted)
    with progress(amount, "Learning names of boxes", "boxes", show_progress) as advance:
        parts = [np.nonzero(fold != number)[0] for number in range(folds)] + [np.arange(len(wanted))]
        networks = [
            _fit(known, wanted, rows, len(names) + 1, epochs, (seed + 1 + number) if number < folds else seed, advance)
            for number, rows in enumerate(parts)
        ]
    return BoxGuesser(classes, vocabulary, names, fold_of, tuple(networks))


def evidence(
    place: DescribedPlace, objects: Sequence[SeenObject], classes: Sequence[str], vocabulary: Sequence[str]
) -> NDArray[np.float32]:
    """(n, width) what is known of some objects of a viewpoint:

    1. of each of the detector's classes, how well one of its boxes fits, how much of the object's it covers, and how
       much of its own the object's does, in the view where that is most;
    2. of each word, how well the best box fits that it was said of;
    3. and the share of the object's views that it was said of, where large boxes in the middle of a view count most;
    4. how high, large and wide the object is, and whether views cut it.
    """
    class_of, word_of = ({name: row for row, name in enumerate(list_)} for list_ in (classes, vocabulary))
    said = [_numbers(text, word_of) for text in place.captions]
    found = np.zeros((len(objects), _width(classes, vocabulary)), dtype=np.float32)
    first, second = 3 * len(classes), 3 * len(classes) + len(vocabulary)
    for row, thing in zip(found, objects, strict=True):
        fits = row[:first].reshape(3, -1)
        of_boxes, of_views = row[first:second], row[second : second + len(vocabulary)]
        for view, own, share in zip(thing.views, thing.boxes, prominence(thing.boxes), strict=True):
            of_views[said[view]] += share
            for box in place.boxes[view]:
                overlap = _overlap(own, box.corners)
                if overlap is None or box.name not in class_of:
                    continue
                column = class_of[box.name]
                fits[:, column] = np.maximum(fits[:, column], overlap)
                words = _numbers(box.caption, word_of)
                of_boxes[words] = np.maximum(of_boxes[words], overlap[0])
        row[-_SHAPE:] = _shape(thing)
    return found


def _width(classes: Sequence[str], vocabulary: Sequence[str]) -> int:
    return 3 * len(classes) + 2 * len(vocabulary) + _SHAPE


def _objects(semantics: Path | str, scans: Collection[str] | None = None) -> dict[tuple[str, str], list[SeenObject]]:
    """The objects that are seen from each scan and viewpoint, where there are some."""
    seen = {(place.scan, place.viewpoint): in_order(place.objects) for place in read_semantics(semantics, scans)}
    return {key: here for key, here in seen.items() if here}


def _described(source: Path | str, objects: Mapping[tuple[str, str], Sequence[SeenObject]]) -> list[DescribedPlace]:
    """What was said of each viewpoint that has objects; an error names one of which nothing was."""
    places = [one for one in read_described(source, {scan for scan, _ in objects}) if one[:2] in objects]
    if absent := objects.keys() - {one[:2] for one in places}:
        scan, viewpoint = min(absent)
        raise InputError(f"{source}: says nothing of viewpoint {viewpoint} of scan {scan}; describe it too.")
    return places


def _texts(place: DescribedPlace) -> list[str]:
    return [*place.captions, *(box.caption for boxes in place.boxes for box in boxes)]


def _numbers(text: str, word_of: Mapping[str, int]) -> list[int]:
    return [word_of[word] for word in dict.fromkeys(words_of(text)) if word in word_of]


def _overlap(own: Sequence[float], corners: Sequence[float]) -> tuple[float, float, float] | None:
    """Of a box [x, y, w, h] and another one's corners: what both have as a share of what one of them has, of the first
    and of the second; None where they do not touch."""
    left, top, width, height = own
    wide = min(left + width, corners[2]) - max(left, corners[0])
    high = min(top + height, corners[3]) - max(top, corners[1])
    if wide <= 0 or high <= 0:
        return None
    both, mine = wide * high, max(width * height, 1.0)
    other = max((corners[2] - corners[0]) * (corners[3] - corners[1]), 1.0)
    return both / max(mine + other - both, 1.0), both / mine, both / other


def _shape(thing: SeenObject) -> list[float]:
    areas = [width * height for _, _, width, height in thing.boxes]
    largest = int(np.argmax(areas))
    left, top, width, height = thing.boxes[largest]
    _, elevation = direction_in_view(thing.views[largest], left + width / 2, top + height / 2)
    return [
        2 * elevation,
        2 * width / IMAGE_WIDTH,
        2 * height / IMAGE_HEIGHT,
        math.log(max(width, 1) / max(height, 1)),
        (sum(areas) / (IMAGE_WIDTH * IMAGE_HEIGHT)) ** 0.5,
        math.log(areas[largest] + 1) - 10,
        len(thing.views) / 6,
        float(left < 2 or left + width > IMAGE_WIDTH - 3),
        float(top < 2 or top + height > IMAGE_HEIGHT - 3),
    ]


def _network(width: int, names: int) -> nn.Module:
    from torch import nn

    from mtvm.products import Linear

    return nn.Sequential(
        nn.Dropout(_DROPOUT_SEEN), Linear(width, _HIDDEN), nn.ReLU(), nn.Dropout(_DROPOUT), Linear(_HIDDEN, names)
    )


def _fit(
    known: NDArray[np.float16],
    wanted: NDArray[np.int64],
    rows: NDArray[np.int64],
    names: int,
    epochs: int,
    seed: int,
    advance: Advance,
) -> nn.Module:
    try:
        import torch
        from torch.nn import functional
    except ImportError:
        raise MissingExtraError("torch", "model", "Guessing names of boxes") from None
    random, batches = np.random.default_rng(seed), max(len(rows) // _AT_A_TIME, 1)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        network = _network(known.shape[1], names)
        optimizer = torch.optim.AdamW(network.parameters(), lr=2e-3, weight_decay=0.02)
        schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.0, epochs * batches)
        for _ in range(epochs):
            for some in np.array_split(random.permutation(rows), batches):
                logits = network(torch.from_numpy(known[some]).float())
                loss = functional.cross_entropy(logits, torch.from_numpy(wanted[some]))
                optimizer.zero_grad()
                loss.backward()  # type: ignore[no-untyped-call]
                optimizer.step()
                schedule.step()
                advance(len(some))
    return network.eval()


def _loaded(tensors: dict[str, Any], path: Path) -> BoxGuesser:
    """What `save` wrote; whatever is wrong with it raises, before memory is taken for what it says of itself."""
    said = parse_json(bytes(tensors.pop(_DESCRIPTION).numpy()), path)
    lists = {kind: tuple(said[kind]) for kind in ("classes", "vocabulary", "names")}
    fold_of = dict(said["fold_of"])
    if not all(isinstance(one, str) and len(kind) < _MOST for kind in lists.values() for one in kind):
        raise ValueError("a name is none")
    if not all(type(number) is int and number >= 0 for number in fold_of.values()):
        raise ValueError("a network has an odd number")
    width, names = _width(lists["classes"], lists["vocabulary"]), len(lists["names"]) + 1
    networks = []
    for number in range(max(fold_of.values()) + 2):
        if tensors[f"{number}.1.weight"].shape != (_HIDDEN, width) or len(tensors[f"{number}.4.weight"]) != names:
            raise ValueError("it has other names than numbers")
        network = _network(width, names).eval()
        network.load_state_dict({name: tensors.pop(f"{number}.{name}").float() for name in network.state_dict()})
        networks.append(network)
    if tensors:
        raise ValueError("something is left over")
    return BoxGuesser(**lists, fold_of=fold_of, networks=tuple(networks))

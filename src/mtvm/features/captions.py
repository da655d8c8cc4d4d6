"""What an image model said of the views, in sentences, and features made of them.

The file has one JSON object a line, plain or gzipped:

    {"scan": ..., "viewpoint": ..., "captions": [["a rug on a floor", "a sofa in a room", "a white ceiling"], ...]}

`captions` has one entry for each heading, evenly spaced and clockwise from north (+y), with three captions each:
looking 30 degrees down, level, and 30 degrees up. Eight headings are 45 degrees apart, twelve are our own views; 36
captions in a row, one for each view in our order, are twelve headings too. A view that nobody described has an empty
caption. Other fields are ignored.
"""

from __future__ import annotations

import hashlib
import math
import zlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mtvm.errors import InputError
from mtvm.features.lines import checked_texts, read_viewpoint_lines
from mtvm.features.names import Embed, embed_phrases, unit_vectors
from mtvm.features.store import FeatureStore
from mtvm.io.arrays import keep_cached, read_cached
from mtvm.io.files import cache_dir
from mtvm.io.unpacking import check_amount
from mtvm.progress import notice, track
from mtvm.world.views import HEADING_STEP, HEADINGS, ROWS, VIEWS

_EMBEDDER = "all-MiniLM-L6-v2"
_PART = 16_384
"""About how many embeddings are cached together: what an interruption, or another caption in the file, costs."""

_LONGEST_CAPTION = 2000
MOST_HEADINGS = 360
_MOST_LETTERS = 1_000_000, 10  # in any file, and for each byte of a larger one: text is packed to a fifth at best


class CaptionedPlace(NamedTuple):
    """What a line of the file says of one viewpoint."""

    scan: str
    viewpoint: str
    captions: list[list[str]]
    """Of each heading: down, level, up."""


def read_captions(source: Path | str, scans: Collection[str] | None = None) -> Iterator[CaptionedPlace]:
    """The lines of a captions file (plain or gzipped), or those of some scans; an error names line and field."""
    return read_viewpoint_lines(Path(source), "captions file", check_captions, scans)


def load_captions(source: Path | str, scans: Collection[str] | None = None) -> list[CaptionedPlace]:
    """The places of the file, or those of the `scans` asked for, all with the same number of headings."""
    places = [place for place in read_captions(source) if scans is None or place.scan in scans]
    if absent := set(scans or ()) - {place.scan for place in places}:
        raise InputError(f"{source}: says nothing of scan {min(absent)}; check the names of the scans.")
    different = {caption for place in places for row in place.captions for caption in row}
    check_amount(Path(source), sum(map(len, different)), "letters of different captions", *_MOST_LETTERS)
    if not places:
        raise InputError(f"{source}: holds no captions; give a file with at least one viewpoint.")
    if different == {""}:
        raise InputError(f"{source}: all captions are empty; describe at least one view.")
    if (odd := empty_captions(places)) is not None:
        notice(f"{source}: {odd}.")
    for place in places:
        if len(place.captions) != len(places[0].captions):
            raise InputError(
                f"{source}: field 'captions' of viewpoint {place.viewpoint} of scan {place.scan} has "
                f"{len(place.captions)} headings where the first viewpoint has {len(places[0].captions)}; "
                "describe all of them at the same headings."
            )
    return places


def empty_captions(places: Sequence[CaptionedPlace]) -> str | None:
    """What is to be said of viewpoints that nobody described, if there are any."""
    silent = [place for place in places if not any(caption for row in place.captions for caption in row)]
    if not silent:
        return None
    first = silent[0]
    return (
        f"{len(silent):,} of {len(places):,} viewpoints have only empty captions, the first {first.viewpoint} of scan "
        f"{first.scan}"
    )


def caption_features(
    source: Path | str,
    out: Path | str,
    *,
    scans: Collection[str] | None = None,
    embed: Embed | None = None,
    show_progress: bool = True,
) -> FeatureStore:
    """Write a store with the captions of each view as text embeddings.

    A view lies between two of the headings with captions: its feature is the mean of their embeddings, the nearer one
    counting more, brought to length 1. With the default `embed` (all-MiniLM-L6-v2) it has 384 numbers. All embeddings
    are kept in the cache, because a hundred thousand of them take minutes.
    """
    source = Path(source)
    places = load_captions(source, scans)
    vector_of = embed_captions(places, embed, show_progress)
    shares = heading_shares(len(places[0].captions))
    entries = ((place.scan, place.viewpoint, view_vectors(place, vector_of, shares)) for place in places)
    tracked = track(entries, len(places), "Caption features", "viewpoints", show_progress)
    return FeatureStore.write(out, tracked, source=source, source_format="captions of views as text embeddings")


def embed_captions(
    places: Sequence[CaptionedPlace], embed: Embed | None = None, show_progress: bool = True
) -> Mapping[str, NDArray[np.float32]]:
    """The embedding of each different caption, zeros for an empty one; MiniLM's come from the cache."""
    texts = sorted({caption for place in places for row in place.captions for caption in row if caption})
    if not texts:
        raise InputError("all captions are empty; describe at least one view.")
    vectors = embed(texts) if embed is not None else _cached_embeddings(texts, show_progress)
    return {"": np.zeros_like(vectors[0])} | dict(zip(texts, vectors, strict=True))


def heading_shares(count: int) -> NDArray[np.float32]:
    """(12, count) how much each of `count` even headings counts to each view of a row: the two nearest share it."""
    steps = np.arange(HEADINGS) * HEADING_STEP * count / (2 * math.pi)
    steps = np.round(steps, 9)  # so that a heading that is a view's own has all of it
    before = np.floor(steps).astype(np.int64)
    shares = np.zeros((HEADINGS, count), dtype=np.float32)
    np.add.at(shares, (np.arange(HEADINGS), before % count), 1 - (steps - before))
    np.add.at(shares, (np.arange(HEADINGS), (before + 1) % count), steps - before)
    return shares


def view_vectors(
    place: CaptionedPlace, vector_of: Mapping[str, NDArray[np.float32]], shares: NDArray[np.float32]
) -> NDArray[np.float32]:
    """(36, width) what was said of each view."""
    said = np.array([[vector_of[caption] for caption in row] for row in place.captions], dtype=np.float32)
    seen = np.einsum("vh,hrw->rvw", shares, said)
    return unit_vectors(seen.reshape(ROWS * HEADINGS, -1))


def _cached_embeddings(texts: Sequence[str], show_progress: bool) -> NDArray[np.float32]:
    parts = 1 << math.ceil(math.log2(max(len(texts) / _PART, 1)))
    # A text's part depends on that text alone, so that another one does not move it.
    part_of = np.array([zlib.crc32(text.encode()) % parts for text in texts])
    order = np.argsort(part_of, kind="stable")
    together = np.split(order, np.nonzero(np.diff(part_of[order]))[0] + 1)
    found = []
    for number, rows in enumerate(together):
        title = "Embedding captions" + (f", part {number + 1} of {len(together)}" if len(together) > 1 else "")
        found.append(_cached_part([texts[row] for row in rows], title if show_progress else None))
    vectors = np.empty((len(texts), found[0].shape[1]), dtype=np.float32)
    vectors[order] = np.concatenate(found)
    return vectors


def _cached_part(texts: Sequence[str], title: str | None) -> NDArray[np.float16]:
    digest = hashlib.sha256(_EMBEDDER.encode())
    for text in texts:
        digest.update(b"\0" + text.encode())
    path = cache_dir() / "captions" / f"{digest.hexdigest()[:32]}.npz"
    found = read_cached(path, ["vectors"])
    if found is None:
        found = {"vectors": embed_phrases(texts, title).astype(np.float16)}
        keep_cached(path, found)
    return found["vectors"]


def check_captions(record: Any, where: str) -> CaptionedPlace:
    if not isinstance(record, dict):
        raise InputError(f"{where}: not a JSON object with scan, viewpoint and captions.")
    scan, viewpoint = checked_texts(record, ("scan", "viewpoint"), where)
    captions = record.get("captions")
    if not isinstance(captions, list) or not captions:
        raise InputError(f"{where}: field 'captions' is missing or not a list with an entry for each heading.")
    if len(captions) == VIEWS and all(isinstance(caption, str) for caption in captions):
        captions = [captions[heading::HEADINGS] for heading in range(HEADINGS)]
    if len(captions) > MOST_HEADINGS:
        raise InputError(f"{where}: field 'captions' has {len(captions):,} headings, more than {MOST_HEADINGS}.")
    for heading, row in enumerate(captions):
        if not isinstance(row, list) or len(row) != ROWS or not all(isinstance(caption, str) for caption in row):
            raise InputError(
                f"{where}: field 'captions', entry {heading}: not a list of {ROWS} texts (looking down, level, up); "
                "write an empty text for a view that has none."
            )
    if max(len(caption) for row in captions for caption in row) > _LONGEST_CAPTION:
        raise InputError(f"{where}: a caption has more than {_LONGEST_CAPTION:,} letters, which nothing reads.")
    return CaptionedPlace(scan, viewpoint, [[caption.strip() for caption in row] for row in captions])

"""Feature store: importing, opening and gathering, each against the usual way of doing it in the same run.

    python benchmarks/features.py [--tsv-viewpoints 150] [--store-viewpoints 2000] [--width 2048]

Everything is synthetic and lives in a temporary folder; figures are medians of interleaved repetitions.
"""

from __future__ import annotations

import argparse
import base64
import csv
import itertools
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mtvm.features.importing import import_features
from mtvm.features.store import FEATURES_FILE, FeatureStore
from mtvm.world.views import VIEWS

R2R_VIEWPOINTS = 10_567
EPISODES = 64
MOST_CANDIDATES = 13
TSV_FIELDS = ["scanId", "viewpointId", "image_w", "image_h", "vfov", "features"]


def medians(repetitions: int, *contestants: Callable[[], object]) -> list[float]:
    """Median seconds of each contestant, run in turns so that both meet the same state of the machine."""
    seconds: list[list[float]] = [[] for _ in contestants]
    for _ in range(repetitions):
        for place, contestant in enumerate(contestants):
            begin = time.perf_counter()
            contestant()
            seconds[place].append(time.perf_counter() - begin)
    return [statistics.median(values) for values in seconds]


def made_entries(viewpoints: int, width: int) -> Iterator[tuple[str, str, NDArray[np.float32]]]:
    random = np.random.default_rng(0)
    base = random.random((VIEWS, width), dtype=np.float32)
    for number in range(viewpoints):
        yield f"scan{number % 90:07d}", f"{number:032x}", np.roll(base, number)


def read_the_usual_way(path: Path) -> dict[str, NDArray[np.float32]]:
    """The reading loop found in most VLN code: csv rows, base64 into a dictionary of arrays."""
    csv.field_size_limit(sys.maxsize)
    features = {}
    with path.open(newline="") as file:
        for row in csv.DictReader(file, delimiter="\t", fieldnames=TSV_FIELDS):
            content = base64.b64decode(row["features"].encode("ascii"))
            features[f"{row['scanId']}_{row['viewpointId']}"] = np.frombuffer(content, np.float32).reshape(VIEWS, -1)
    return features


def benchmark_import(folder: Path, viewpoints: int, width: int) -> list[tuple[str, str, str]]:
    source = folder / "features.tsv"
    with source.open("w") as file:
        for scan, viewpoint, features in made_entries(viewpoints, width):
            file.write(f"{scan}\t{viewpoint}\t640\t480\t60\t{base64.b64encode(features.tobytes()).decode()}\n")
    megabytes = source.stat().st_size / 1e6
    out = folder / "imported"
    ours, usual, opening = medians(
        5,
        lambda: import_features(source, out, show_progress=False),
        lambda: read_the_usual_way(source),
        lambda: FeatureStore.open(out),
    )
    return [
        (f"import a TSV of {megabytes:.0f} MB (once)", f"{megabytes / ours:.0f} MB/s", f"{ours:.2f} s"),
        ("  usual: csv + base64 into a dict (each run)", f"{megabytes / usual:.0f} MB/s", f"{usual:.2f} s"),
        ("  open the imported store (each run)", "", f"{opening * 1e3:.2f} ms"),
    ]


def benchmark_opening(folder: Path, width: int) -> list[tuple[str, str, str]]:
    """A full-sized store whose features are a hole in the file: opening must not read them anyway."""
    path = folder / "full-size"
    entries = ((scan, viewpoint, row[:, :1]) for scan, viewpoint, row in made_entries(R2R_VIEWPOINTS, 1))
    store = FeatureStore.write(path, entries, source="made", source_format="made")
    shape = (R2R_VIEWPOINTS, VIEWS, width)
    with (path / FEATURES_FILE).open("wb") as file:
        header = {"descr": "<f2", "fortran_order": False, "shape": shape}
        np.lib.format.write_array_header_1_0(file, header)
        size = file.tell() + 2 * int(np.prod(shape))
        file.truncate(size)
    meta = (path / "meta.json").read_text()
    meta = meta.replace('"width": 1,', f'"width": {width},')
    meta = meta.replace(f'"features_bytes": {store.meta["features_bytes"]}', f'"features_bytes": {size}')
    (path / "meta.json").write_text(meta)
    store = FeatureStore.open(path)
    scans, viewpoints = store.index["scan"].astype(str), store.index["viewpoint"].astype(str)
    opening, lookup = medians(20, lambda: FeatureStore.open(path), lambda: store.rows(scans, viewpoints))
    return [
        (f"open a store of {R2R_VIEWPOINTS} viewpoints ({size / 1e9:.2f} GB)", "", f"{opening * 1e3:.2f} ms"),
        ("  look up all its viewpoints", "", f"{lookup * 1e3:.2f} ms"),
    ]


def made_batches(viewpoints: int, number: int) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Rows and views of the candidates of a step: 1 to 13 per episode, 5 on average, padded with -1."""
    random = np.random.default_rng(1)
    batches = []
    for _ in range(number):
        counts = 1 + random.binomial(MOST_CANDIDATES - 1, 1 / 3, EPISODES)
        real = np.arange(counts.max()) < counts[:, None]
        rows = np.where(real, random.integers(viewpoints, size=(EPISODES, 1)), -1)
        batches.append((rows, random.integers(VIEWS, size=rows.shape)))
    return batches


def gather_the_usual_way(
    features: list[NDArray[np.float16]], rows: NDArray[np.int64], views: NDArray[np.int64]
) -> NDArray[np.float16]:
    """One episode and one candidate after the other, then stacked."""
    width = features[0].shape[1]
    batch = np.zeros((*rows.shape, width), dtype=np.float16)
    for episode, (episode_rows, episode_views) in enumerate(zip(rows, views, strict=True)):
        real = [features[row][view] for row, view in zip(episode_rows, episode_views, strict=True) if row >= 0]
        batch[episode, : len(real)] = np.stack(real)
    return batch


def benchmark_gather(folder: Path, viewpoints: int, width: int) -> list[tuple[str, str, str]]:
    entries = made_entries(viewpoints, width)
    store = FeatureStore.write(folder / "gathered", entries, source="made", source_format="made")
    in_memory = list(np.load(store.path / FEATURES_FILE))
    batches = made_batches(viewpoints, 40)
    buffers: dict[Any, NDArray[np.float16]] = {
        rows.shape: np.empty((*rows.shape, width), dtype=np.float16) for rows, _ in batches
    }
    store.panorama(np.arange(viewpoints))  # maps every page, as after the first epoch
    for rows, views in batches:
        assert np.array_equal(store.gather(rows, views), gather_the_usual_way(in_memory, rows, views))
    # Each contestant meets the batches at another time, so that none finds its rows in the processor's cache.
    turns = [itertools.cycle(batches[start:] + batches[:start]) for start in (0, 13, 26)]

    def into_buffer() -> None:
        rows, views = next(turns[0])
        store.gather(rows, views, buffers[rows.shape])

    seconds = medians(
        400,
        into_buffer,
        lambda: store.gather(*next(turns[1])),
        lambda: gather_the_usual_way(in_memory, *next(turns[2])),
    )
    real = statistics.mean(float((rows >= 0).sum()) / EPISODES for rows, _ in batches)
    names = [
        f"gather {EPISODES} episodes x {real:.1f} candidates, into a buffer",
        "  into a new array",
        "  usual: loop over episodes, features in memory",
    ]
    return [
        (name, f"{EPISODES / value:,.0f} obs/s", f"{value * 1e6:.0f} us")
        for name, value in zip(names, seconds, strict=True)
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tsv-viewpoints", type=int, default=150)
    parser.add_argument("--store-viewpoints", type=int, default=2000)
    parser.add_argument("--width", type=int, default=2048)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        lines = benchmark_import(folder, options.tsv_viewpoints, options.width)
        lines += benchmark_opening(folder, options.width)
        lines += benchmark_gather(folder, options.store_viewpoints, options.width)
    for what, rate, duration in lines:
        print(f"{what:<56}{rate:>18}{duration:>12}")


if __name__ == "__main__":
    main()

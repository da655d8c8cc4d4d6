"""Views per second from skyboxes to features, what drawing takes of it, and how long a whole world would take.

    python benchmarks/extract.py [--viewpoints 8] [--sizes 128 160 224] [--face-size 256] [--no-semantic]

A made-up building is written to a temporary folder and encoded with EfficientNet-Lite0 as `mtvm features extract` does
it. Beside it stands the usual way in the same run: square pictures, a batch at a time, all cores on each layer, no
folding. Figures are the best of three; those per CPU second are the ones to trust on a machine with other work.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image
from torch.nn import functional

from mtvm.features.encoders import Encoder, _lite0_blocks, _read_weights, _weights_file, load_encoder
from mtvm.features.extract import extract_features, view_images
from mtvm.features.names import semantic_features
from mtvm.world.skybox import load_faces
from mtvm.world.views import VIEWS

WORLD_VIEWPOINTS = 1200
REPETITIONS = 3
SCAN = "made"
NAMES = ["chair", "table", "lamp", "bed", "sofa", "window", "painting", "rug", "plant", "sink", "stove", "mirror"]
ROOMS = ["kitchen", "bedroom", "hallway", "living room", "bathroom", "office"]


class Clock:
    """Seconds by the clock and of this process's cores, since it was made."""

    def __init__(self) -> None:
        self._wall, self._cores = time.perf_counter(), time.process_time()

    def seconds(self) -> tuple[float, float]:
        return time.perf_counter() - self._wall, time.process_time() - self._cores


def quickest(repetitions: int, work: Callable[[], object]) -> tuple[float, float]:
    """The least seconds by the clock and the least of cores, after one run to warm up."""
    work()
    seconds = []
    for _ in range(repetitions):
        clock = Clock()
        work()
        seconds.append(clock.seconds())
    return min(wall for wall, _ in seconds), min(cores for _, cores in seconds)


def write_building(folder: Path, viewpoints: int, face_size: int) -> None:
    """Skyboxes of smooth colours with some noise, a graph and a semantics file, in the real formats."""
    rng = np.random.default_rng(0)
    pictures = folder / SCAN / "matterport_skybox_images"
    pictures.mkdir(parents=True)
    records, lines = [], []
    for place in range(viewpoints):
        name = f"v{place}"
        coarse = Image.fromarray(rng.integers(0, 256, (8, 48, 3), dtype=np.uint8))
        strip = np.asarray(coarse.resize((6 * face_size, face_size)), dtype=np.int16)
        noisy = (strip + rng.integers(-8, 9, strip.shape)).clip(0, 255).astype(np.uint8)
        Image.fromarray(noisy).save(pictures / f"{name}_skybox_small.jpg", quality=90)
        pose = [1, 0, 0, 2.0 * place, 0, 0, 1, 0, 0, -1, 0, 1.5, 0, 0, 0, 1]
        near = [abs(place - other) == 1 for other in range(viewpoints)]
        records.append({"image_id": name, "pose": pose, "included": True, "unobstructed": near})
        views = rng.integers(0, VIEWS, (12, 5)).tolist()
        objects = [
            {"id": number, "name": thing, "views": views[number], "boxes": [[0, 0, 90, 60]] * 5}
            for number, thing in enumerate(NAMES)
        ]
        room = ROOMS[place % len(ROOMS)]
        lines.append(json.dumps({"scan": SCAN, "viewpoint": name, "room": room, "objects": objects}))
    (folder / f"{SCAN}_connectivity.json").write_text(json.dumps(records))
    (folder / "semantics.jsonl.gz").write_bytes(gzip.compress("\n".join(lines).encode()))


@contextmanager
def building(viewpoints: int, face_size: int) -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as name:
        write_building(Path(name), viewpoints, face_size)
        yield Path(name)


def drawing_seconds(folder: Path, viewpoints: int, encoder: Encoder) -> float:
    """Core seconds to decode and draw all views once."""
    rotation = np.array([[1, 0, 0], [0, 0, 1], [0, -1, 0]], dtype=np.float32)
    pictures = folder / SCAN / "matterport_skybox_images"
    clock = Clock()
    for place in range(viewpoints):
        view_images(load_faces(pictures, f"v{place}"), rotation, encoder.image_width, encoder.image_height)
    return clock.seconds()[1]


def plain_network() -> Callable[[torch.Tensor], torch.Tensor]:
    """EfficientNet-Lite0 layer by layer, with padding, normalisation and clipping on their own."""
    path = _weights_file("efficientnet-lite0", None)
    weights = _read_weights(path)

    def padded(image: torch.Tensor, kernel: int, stride: int) -> torch.Tensor:
        high, wide = (max((-(-size // stride) - 1) * stride + kernel - size, 0) for size in image.shape[2:])
        return functional.pad(image, (wide // 2, wide - wide // 2, high // 2, high - high // 2))

    def network(image: torch.Tensor) -> torch.Tensor:
        for convolutions, residual in _lite0_blocks():
            before = image
            for layer in convolutions:
                kernel = weights[f"{layer.name}.weight"]
                image = padded(image, layer.shape[2], layer.stride)
                image = functional.conv2d(image, kernel, stride=layer.stride, groups=layer.groups)
                parts = (weights[f"{layer.normalisation}.{part}"] for part in _PARTS)
                image = functional.batch_norm(image, *parts, eps=1e-3)
                image = functional.relu6(image) if layer.clipped else image
            image = image + before if residual else image
        return image.mean((2, 3))

    return network


_PARTS = ("running_mean", "running_var", "weight", "bias")


def usual_way(size: int, views: NDArray[np.uint8]) -> tuple[float, float]:
    """Seconds by the clock and of cores for square pictures, a viewpoint in a batch and all cores on each layer."""
    network = plain_network()
    pixels = torch.from_numpy((views.astype(np.float32) - 127) / 128).permute(0, 3, 1, 2).contiguous()
    square = functional.interpolate(pixels, (size, size))
    with torch.inference_mode():
        return quickest(REPETITIONS, lambda: network(square))


def report(name: str, views: int, wall: float, cores: float, note: str = "") -> None:
    free = 2 * views / cores
    minutes = WORLD_VIEWPOINTS * VIEWS / free / 60
    print(f"{name:34}{views / wall:>10.0f}{free:>16.0f}{minutes:>17.1f} min  {note}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--viewpoints", type=int, default=8)
    parser.add_argument("--sizes", type=int, nargs="+", default=[128, 160, 224])
    parser.add_argument("--face-size", type=int, default=256)
    parser.add_argument("--semantic", action=argparse.BooleanOptionalAction, default=True)
    arguments = parser.parse_args()
    views = arguments.viewpoints * VIEWS
    print(f"{arguments.viewpoints} viewpoints, {arguments.face_size}-pixel faces, {os.cpu_count()} cores")
    print(f"{'':34}{'views/s':>10}{'per 2 CPU s':>16}{f'{WORLD_VIEWPOINTS} viewpoints':>21}")
    with building(arguments.viewpoints, arguments.face_size) as folder:
        for size in arguments.sizes:
            encoder = load_encoder("efficientnet-lite0", size=size, device="cpu")
            drawing_seconds(folder, 1, encoder)  # compiles
            drawn = drawing_seconds(folder, arguments.viewpoints, encoder)
            pictures = np.zeros((VIEWS, encoder.image_height, encoder.image_width, 3), np.uint8)
            extract = partial(extract_features, folder, folder, folder / "store", encoder, show_progress=False)
            wall, cores = quickest(REPETITIONS, extract)
            report(f"ours, {size}x{encoder.image_height}", views, wall, cores, f"drawing {drawn / cores:.0%}")
            report(f"usual way, {size}x{size}, no drawing", VIEWS, *usual_way(size, pictures))
        if arguments.semantic:
            clock = Clock()
            semantic_features(folder / "semantics.jsonl.gz", folder / "semantic", show_progress=False)
            print(f"semantic features, loading MiniLM included: {clock.seconds()[1]:.1f} CPU s")


if __name__ == "__main__":
    main()

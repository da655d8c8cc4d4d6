"""Captions of a building of your own, by a captioning model, in the format of `captions`.

The images are skyboxes in Matterport3D's layout, of which the views are rendered, or photographs:

    <scan>/<viewpoint>/<degrees>_<down|level|up>.jpg      also .png; 0_level.jpg looks north (+y), 90_level.jpg east

with degrees in even steps from 0. A photograph that is not there becomes an empty caption.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mtvm.errors import InputError, MissingExtraError, brief
from mtvm.features.converting.published import check_id, write_lines
from mtvm.features.extract import view_images
from mtvm.machine import choose_device, import_torch
from mtvm.progress import track
from mtvm.world.skybox import load_faces, read_image, skybox_folder
from mtvm.world.views import ELEVATION_STEP, IMAGE_HEIGHT, IMAGE_WIDTH, ROWS
from mtvm.world.world import World

Image: TypeAlias = NDArray[np.uint8]
"""(height, width, 3) RGB."""

Captioner: TypeAlias = Callable[[Sequence[Image]], Sequence[str]]
"""Says one short sentence of each image."""

HEADINGS_OF_NAVGPT = 8
_MOST_HEADINGS = 36
_ROW_NAMES = ("down", "level", "up")
_PHOTOGRAPH = re.compile(r"(\d{1,3})_(down|level|up)\.(?:jpe?g|png)", re.IGNORECASE)
_FILES_OF_MODEL = ["*.json", "*.txt", "*.safetensors", "pytorch_model.bin"]
_LONGEST = 30
"""Tokens of a caption."""


class _Place(NamedTuple):
    scan: str
    viewpoint: str
    images: Callable[[], list[Image | None]]
    """Of each heading: down, level, up; read or rendered when asked for."""


def caption_building(
    images: Path | str,
    out: Path | str,
    captioner: Captioner,
    *,
    connectivity: Path | str | None = None,
    headings: int = HEADINGS_OF_NAVGPT,
    scans: Collection[str] = (),
    show_progress: bool = True,
) -> int:
    """Describe the views of every viewpoint and write the captions file; the number of viewpoints is returned.

    With `connectivity` the images are skyboxes of the scans that have a graph there, else photographs. The released
    agents read 8 `headings`; 12 are the views themselves.
    """
    if not 1 <= headings <= _MOST_HEADINGS or 360 % headings:
        raise InputError(f"{headings} headings are not possible: from 1 to {_MOST_HEADINGS}, a divisor of 360.")
    folder = Path(images)
    if not folder.is_dir():
        raise InputError(f"{folder}: there is no such folder (images to describe).")
    if connectivity is None:
        places = _photographed(folder, headings, scans)
    else:
        places = _in_skyboxes(folder, World.load(Path(connectivity), sorted(scans) or None), headings)
    lines = (_line(place, captioner) for place in places)
    return write_lines(Path(out), track(lines, len(places), "Captions", "viewpoints", show_progress))


def blip_captioner(model: str, device: str = "auto") -> Captioner:
    """BLIP (Li et al. 2022) by transformers: the folder of a model, or its name on Hugging Face's hub, from where it is
    then downloaded. It is loaded when the first image is there."""
    chosen = choose_device(device)
    loaded: list[Any] = []

    def describe(images: Sequence[Image]) -> list[str]:
        torch = import_torch("Describing images")
        if not loaded:
            loaded.extend(_load_blip(model, chosen))
        processor, network = loaded
        given = processor(images=list(images), return_tensors="pt").to(chosen)
        with torch.inference_mode():
            tokens = network.generate(**given, max_new_tokens=_LONGEST, do_sample=False)
        return [str(text) for text in processor.batch_decode(tokens, skip_special_tokens=True)]

    return describe


def _load_blip(model: str, device: str) -> tuple[Any, Any]:
    """The processor and the network; no code of the model's is run."""
    try:
        from huggingface_hub import snapshot_download
        from transformers import BlipForConditionalGeneration, BlipProcessor
    except ImportError:
        raise MissingExtraError("transformers", "model", "Describing images") from None
    try:
        folder = model if Path(model).is_dir() else snapshot_download(model, allow_patterns=_FILES_OF_MODEL)
        processor = BlipProcessor.from_pretrained(folder, local_files_only=True)
        network: Any = BlipForConditionalGeneration.from_pretrained(folder, local_files_only=True)
    except (OSError, ValueError, RuntimeError, TypeError, AttributeError, KeyError) as error:
        first_line = str(error).strip().partition("\n")[0]
        raise InputError(
            f"{brief(model)}: no BLIP model can be loaded from there ({brief(first_line, 200)}); give the folder of "
            "one, or its name on Hugging Face's hub."
        ) from None
    return processor, network.to(device).eval()


def _line(place: _Place, captioner: Captioner) -> str:
    images = place.images()
    there = [number for number, image in enumerate(images) if image is not None]
    said = captioner([image for image in images if image is not None]) if there else []
    if len(said) != len(there):
        raise ValueError(f"the captioner said {len(said)} sentences of {len(there)} images")
    captions = [""] * len(images)
    for number, caption in zip(there, said, strict=True):
        captions[number] = " ".join(caption.split())
    rows = [captions[first : first + ROWS] for first in range(0, len(captions), ROWS)]
    return json.dumps({"scan": place.scan, "viewpoint": place.viewpoint, "captions": rows})


def _in_skyboxes(folder: Path, world: World, headings: int) -> list[_Place]:
    """Raises right away if a scan has no skyboxes."""
    heading = np.repeat(np.arange(headings) * (2 * math.pi / headings), ROWS)
    elevation = np.tile((np.arange(ROWS) - 1) * ELEVATION_STEP, headings)

    def rendered(pictures: Path, viewpoint: str, rotation: NDArray[np.float32]) -> Callable[[], list[Image | None]]:
        def render() -> list[Image | None]:
            faces = load_faces(pictures, viewpoint)
            return list(view_images(faces, rotation, IMAGE_WIDTH, IMAGE_HEIGHT, heading, elevation))

        return render

    places = []
    for graph in world.graphs:
        pictures = skybox_folder(folder, graph.scan)
        for viewpoint, rotation in zip(graph.viewpoints.tolist(), graph.rotations, strict=True):
            places.append(_Place(graph.scan, viewpoint, rendered(pictures, viewpoint, rotation)))
    return places


def _photographed(folder: Path, headings: int, scans: Collection[str]) -> list[_Place]:
    places = []
    for path in sorted(folder.glob("*/*")):
        scan, viewpoint = path.parent.name, path.name
        photographs = dict(_photographs(path, headings)) if path.is_dir() and (not scans or scan in scans) else {}
        if photographs:
            check_id(scan, path)
            check_id(viewpoint, path)
            places.append(_Place(scan, viewpoint, _read(photographs, headings)))
    if not places:
        raise InputError(
            f"{folder}: no photographs <scan>/<viewpoint>/<degrees>_<down|level|up>.jpg are in it; for skyboxes, name "
            "the graphs too."
        )
    return places


def _photographs(folder: Path, headings: int) -> Iterator[tuple[tuple[int, int], Path]]:
    """The heading's number and the row of each photograph."""
    step = 360 // headings
    for path in sorted(folder.iterdir()):
        match = _PHOTOGRAPH.fullmatch(path.name)
        if match is None or not path.is_file():
            continue
        degrees = int(match[1])
        if degrees % step or degrees >= 360:
            raise InputError(f"{path}: {degrees} degrees is none of {headings} even headings, {step} degrees apart.")
        yield (degrees // step, _ROW_NAMES.index(match[2].lower())), path


def _read(photographs: dict[tuple[int, int], Path], headings: int) -> Callable[[], list[Image | None]]:
    places = [(heading, row) for heading in range(headings) for row in range(ROWS)]
    return lambda: [read_image(photographs[place]) if place in photographs else None for place in places]

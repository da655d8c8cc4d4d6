"""`mtvm features`: making and inspecting feature stores."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from rich.markup import escape
from tyro.conf import Positional, arg

from mtvm.app.options import DataOption, DeviceOption, console
from mtvm.errors import InputError
from mtvm.features.encoders import EncoderName
from mtvm.machine import check_workers
from mtvm.tasks.data import DataFolder

if TYPE_CHECKING:
    from mtvm.features.store import FeatureStore


def import_(
    source: Annotated[Positional[Path], arg(metavar="SOURCE", help="TSV, HDF5 or .npz file of image features.")],
    out: Annotated[Positional[Path], arg(metavar="STORE", help="Folder of the store to write.")],
    width: Annotated[int | None, arg(help="Keep only the first WIDTH columns.", metavar="WIDTH")] = None,
    scans: Annotated[
        tuple[str, ...], arg(help="Only these scans.", help_behavior_hint="(default: all)", metavar="SCAN")
    ] = (),
) -> None:
    """Convert a file of image features to a feature store.

    Reads R2R's ResNet TSV (plain, .gz or .zip), and HDF5 and .npz files with a key <scan>_<viewpoint> for each 36 x
    width array. The store is a memory-mapped half-precision array with an index, which opens in milliseconds.
    """
    from mtvm.features.importing import import_features

    store = import_features(source, out, width=width, scans=set(scans) or None)
    _say_written(store, out)


def extract(
    source: Annotated[
        Positional[Path],
        arg(
            metavar="SOURCE",
            help="Folder with <scan>/matterport_skybox_images; for the encoder captions, a file of captions.",
        ),
    ],
    out: Annotated[Positional[Path], arg(metavar="STORE", help="Folder of the store to write.")],
    data: DataOption = None,
    encoder: Annotated[
        EncoderName | Literal["captions"],
        arg(help="An image encoder; or captions, which embeds what an image model said of the views."),
    ] = "efficientnet-lite0",
    weights: Annotated[Path | None, arg(metavar="FILE", help="Checkpoint; required for resnet152.")] = None,
    size: Annotated[
        int | None, arg(metavar="PIXELS", help="Width of the views.", help_behavior_hint="(default: the encoder's)")
    ] = None,
    scans: Annotated[
        tuple[str, ...], arg(help="Only these scans.", help_behavior_hint="(default: all with a graph)", metavar="SCAN")
    ] = (),
    device: DeviceOption = "auto",
    workers: Annotated[
        int | None, arg(metavar="N", help="Threads.", help_behavior_hint="(default: one per core)")
    ] = None,
) -> None:
    """Encode the 36 views of every viewpoint: rendered from skyboxes, or described in a file of captions.

    With images, an interrupted run resumes where it stopped. Captions are embedded once and kept in the cache.
    """
    if encoder == "captions":
        if not all(option is None for option in (weights, size, data, workers)):
            raise InputError("--weights, --size, --data and --workers are for images; leave them out for captions.")
        from mtvm.features.captions import caption_features

        store = caption_features(source, out, scans=set(scans) or None)
        _say_written(store, out)
        return
    from mtvm.features.encoders import load_encoder
    from mtvm.features.extract import extract_features

    check_workers(workers)
    network = load_encoder(encoder, weights=weights, size=size, device=device)
    graphs = DataFolder.resolve(data).connectivity
    store = extract_features(source, graphs, out, network, scans=set(scans) or None, workers=workers)
    _say_written(store, out)


def semantic(
    source: Annotated[Positional[Path], arg(metavar="JSONL", help="Semantics file: rooms and objects per viewpoint.")],
    out: Annotated[Positional[Path], arg(metavar="STORE", help="Folder of the store to write.")],
    connectivity: Annotated[
        Path | None,
        arg(metavar="DIR", help="Connectivity graphs; adds the rooms that are visible in each view."),
    ] = None,
    scans: Annotated[
        tuple[str, ...], arg(help="Only these scans.", help_behavior_hint="(default: all)", metavar="SCAN")
    ] = (),
) -> None:
    """Embed the names of the rooms and objects in each view.

    The features are text embeddings; no images are needed.
    """
    from mtvm.features.names import semantic_features

    store = semantic_features(source, out, connectivity=connectivity, scans=set(scans) or None)
    _say_written(store, out)


def info(store: Annotated[Positional[Path], arg(metavar="STORE", help="Folder of a feature store.")]) -> None:
    """Show what a feature store contains."""
    from mtvm.features.store import FeatureStore

    opened = FeatureStore.open(store)
    console.print(f"{len(opened)} viewpoints x 36 views x {opened.width}, half precision")
    console.print(f"made from {escape(str(opened.meta['source']))}, id {escape(opened.meta['id'])}", soft_wrap=True)


def _say_written(store: FeatureStore, out: Path) -> None:
    console.print(f"{len(store)} viewpoints x 36 views x {store.width} written to {escape(str(out))}", soft_wrap=True)


COMMANDS: dict[str, Callable[..., None]] = {"import": import_, "extract": extract, "semantic": semantic, "info": info}

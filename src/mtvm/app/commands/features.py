"""`mtvm features`: making feature stores and looking at them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

from rich.markup import escape
from tyro.conf import Positional, arg

from mtvm.app.options import DataOption, DeviceOption, console
from mtvm.features.encoders import EncoderName
from mtvm.tasks.data import DataFolder


def import_(
    source: Annotated[Positional[Path], arg(metavar="SOURCE", help="TSV, HDF5 or .npz file of image features.")],
    out: Annotated[Positional[Path], arg(metavar="STORE", help="Folder of the store to write.")],
    width: Annotated[int | None, arg(help="Keep the first WIDTH numbers of each view.", metavar="WIDTH")] = None,
    scans: Annotated[tuple[str, ...], arg(help="Keep these scans; default all.", metavar="SCAN")] = (),
) -> None:
    """Convert others' image features once to a store that opens in milliseconds.

    Read are the ResNet TSV of R2R (also zipped), HDF5 and .npz files with a key <scan>_<viewpoint> for each 36 x width
    array. The store is one memory-mapped half-precision array with an index.
    """
    from mtvm.features.importing import import_features

    store = import_features(source, out, width=width, scans=set(scans) or None)
    console.print(f"{len(store)} viewpoints x 36 views x {store.width} written to {escape(str(out))}", soft_wrap=True)


def extract(
    dataset: Annotated[Positional[Path], arg(metavar="SKYBOXES", help="Folder with <scan>/matterport_skybox_images.")],
    out: Annotated[Positional[Path], arg(metavar="STORE", help="Folder of the store to write.")],
    data: DataOption = None,
    encoder: Annotated[EncoderName, arg(help="The network that looks at the views.")] = "efficientnet-lite0",
    weights: Annotated[Path | None, arg(metavar="FILE", help="Checkpoint; resnet152 needs one.")] = None,
    size: Annotated[int | None, arg(metavar="PIXELS", help="Width of the views; default is the encoder's own.")] = None,
    scans: Annotated[tuple[str, ...], arg(help="Only these scans; default all with a graph.", metavar="SCAN")] = (),
    device: DeviceOption = "auto",
    workers: Annotated[int | None, arg(metavar="N", help="Threads; default one a core.")] = None,
) -> None:
    """Draw the 36 views of every viewpoint from its skybox and encode them; a stopped run goes on where it was."""
    from mtvm.features.encoders import load_encoder
    from mtvm.features.extract import extract_features

    network = load_encoder(encoder, weights=weights, size=size, device=device)
    graphs = DataFolder.resolve(data).connectivity
    store = extract_features(dataset, graphs, out, network, scans=set(scans) or None, workers=workers)
    console.print(f"{len(store)} viewpoints x 36 views x {store.width} written to {escape(str(out))}", soft_wrap=True)


def semantic(
    source: Annotated[Positional[Path], arg(metavar="JSONL", help="Semantics file: rooms and objects of viewpoints.")],
    out: Annotated[Positional[Path], arg(metavar="STORE", help="Folder of the store to write.")],
    connectivity: Annotated[
        Path | None,
        arg(metavar="DIR", help="The graphs: with them a view also shows the rooms that are in sight."),
    ] = None,
    scans: Annotated[tuple[str, ...], arg(help="Only these scans; default all.", metavar="SCAN")] = (),
) -> None:
    """Turn the names of rooms and objects in each view into text embeddings: features without any picture."""
    from mtvm.features.names import semantic_features

    store = semantic_features(source, out, connectivity=connectivity, scans=set(scans) or None)
    console.print(f"{len(store)} viewpoints x 36 views x {store.width} written to {escape(str(out))}", soft_wrap=True)


def info(store: Annotated[Positional[Path], arg(metavar="STORE", help="Folder of a feature store.")]) -> None:
    """Say what a feature store holds."""
    from mtvm.features.store import FeatureStore

    opened = FeatureStore.open(store)
    console.print(f"{len(opened)} viewpoints x 36 views x {opened.width}, half precision")
    console.print(f"made from {escape(str(opened.meta['source']))}, id {opened.meta['id']}", soft_wrap=True)


COMMANDS: dict[str, Callable[..., None]] = {"import": import_, "extract": extract, "semantic": semantic, "info": info}

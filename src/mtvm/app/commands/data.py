"""`mtvm data`: making datasets from what others publish, and from each other."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

from rich.markup import escape
from tyro.conf import Positional, arg

from mtvm.app.commands import tasks
from mtvm.app.options import console
from mtvm.features.converting.captions import CaptionSource, convert_captions
from mtvm.features.converting.names import convert_names

_Scans = Annotated[tuple[str, ...], arg(help="Only these scans.", help_behavior_hint="(default: all)", metavar="SCAN")]
_Published = Annotated[Positional[Path], arg(metavar="DIR", help="Folder with the published files anywhere below it.")]


def captions(
    folder: _Published,
    out: Annotated[Path, arg(metavar="FILE", help="The file to write.")] = Path("captions.jsonl.gz"),
    source: Annotated[
        CaptionSource | None, arg(help="Whose captions.", help_behavior_hint="(default: those that are there)")
    ] = None,
    rooms: Annotated[
        Path | None,
        arg(
            metavar="FILE",
            help="Also write the number of each viewpoint's room: LAD's vp2room_label.json, or .house files.",
        ),
    ] = None,
    scans: _Scans = (),
) -> None:
    """Convert the captions that NavGPT or LangNav published.

    NavGPT's, which the released agents read, are in a folder observations; what is in observations_summarized and
    objects_list beside it is taken along. LangNav's are in a folder r2r_blip_DETR_vis2text.
    """
    count = convert_captions(folder, out, source=source, rooms=rooms, scans=scans)
    console.print(f"captions of {count:,} viewpoints written to {escape(str(out))}", soft_wrap=True)


def names(
    folder: _Published,
    out: Annotated[Path, arg(metavar="FILE", help="The file to write.")] = Path("viewpoints.jsonl.gz"),
    rooms: Annotated[
        Path | None,
        arg(
            metavar="FILE",
            help="Types of rooms: LAD's vp2room_label.json, or a folder with Matterport3D's .house files.",
            help_behavior_hint='(default: all are an "other room")',
        ),
    ] = None,
    scans: _Scans = (),
) -> None:
    """Convert REVERIE's boxes of objects and types of rooms.

    The boxes are in a folder BBox, one file for each viewpoint.
    """
    count = convert_names(folder, out, rooms=rooms, scans=scans)
    console.print(f"names of {count:,} viewpoints written to {escape(str(out))}", soft_wrap=True)


COMMANDS: dict[str, Callable[..., None]] = {
    "captions": captions,
    "names": names,
    "r4r": tasks.r4r,
    "hold-out": tasks.hold_out,
}

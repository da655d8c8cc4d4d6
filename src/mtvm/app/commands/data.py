"""`mtvm data`: making datasets from what others publish, and from each other."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

from rich.markup import escape
from tyro.conf import Positional, arg

from mtvm.app.commands import tasks
from mtvm.app.fetching import explain, fetch, list_sources
from mtvm.app.options import DataOption, DeviceOption, Switch, console
from mtvm.app.sources import SOURCES
from mtvm.errors import InputError, brief
from mtvm.features.converting.captions import CaptionSource, convert_captions
from mtvm.features.converting.names import convert_names
from mtvm.tasks.checking import check_data
from mtvm.tasks.data import DataFolder

_Scans = Annotated[tuple[str, ...], arg(help="Only these scans.", help_behavior_hint="(default: all)", metavar="SCAN")]
_Published = Annotated[Positional[Path], arg(metavar="DIR", help="Folder with the published files anywhere below it.")]


def fetch_(
    what: Annotated[
        Positional[tuple[str, ...]],
        arg(metavar="WHAT", help=f"{', '.join(SOURCES)}.", help_behavior_hint="(default: list all of them)"),
    ] = (),
    data: DataOption = None,
    run: Annotated[Switch, arg(help="Run the commands, after asking on a terminal.")] = False,
) -> None:
    """Say what to download from where: sizes, licences, checksums and commands.

    Nothing is downloaded without --run. What is downloaded is put into the data folder, which is where the other
    commands look for it.
    """
    for name in what:
        if name not in SOURCES:
            raise InputError(f"there is nothing called {brief(name)} to fetch; there are {', '.join(SOURCES)}.")
    if not what:
        if run:
            raise InputError("--run downloads only what is named; say what, for example: mtvm data fetch r2r --run.")
        list_sources(SOURCES, console)
        return
    chosen = [SOURCES[name] for name in dict.fromkeys(what)]
    folder = DataFolder.locate(data)
    if run:
        fetch(chosen, folder, console)
        return
    for source in chosen:
        explain(source, folder, console)


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


def caption_images(
    images: Annotated[
        Positional[Path], arg(metavar="DIR", help="Photographs <scan>/<viewpoint>/<degrees>_<down|level|up>.jpg.")
    ],
    model: Annotated[
        str, arg(metavar="MODEL", help="A folder with a BLIP model, or its name on Hugging Face's hub to download it.")
    ],
    out: Annotated[Path, arg(metavar="FILE", help="The file to write.")] = Path("captions.jsonl.gz"),
    headings: Annotated[int, arg(metavar="N", help="Headings; 8 is what the released agents read.")] = 8,
    skyboxes: Annotated[
        Switch,
        arg(help="DIR has <scan>/matterport_skybox_images, to be rendered by the data folder's graphs."),
    ] = False,
    data: DataOption = None,
    scans: _Scans = (),
    device: DeviceOption = "auto",
) -> None:
    """Describe the views of your own building with an image model.

    0_level.jpg looks north (+y of the graph), 45_down.jpg north-east and 30 degrees down. The model is BLIP, as
    transformers has it, such as Salesforce/blip-image-captioning-base.
    """
    from mtvm.features.captioning import blip_captioner, caption_building

    graphs = DataFolder.resolve(data).connectivity if skyboxes else None
    captioner = blip_captioner(model, device)
    count = caption_building(images, out, captioner, connectivity=graphs, headings=headings, scans=scans)
    console.print(f"captions of {count:,} viewpoints written to {escape(str(out))}", soft_wrap=True)


def check(
    folder: Annotated[
        Positional[Path | None],
        arg(metavar="[DIR]", help="Data folder.", help_behavior_hint="(default: $MTVM_DATA)"),
    ] = None,
) -> None:
    """Look into the files of a data folder: graphs, episodes, names, captions, feature stores and results.

    What is wrong is named with file and place, and refused by the other commands too. What is odd may be meant so: it
    gets a line.
    """
    from mtvm.app.checking import print_findings

    data = DataFolder.resolve(folder)
    wrong = print_findings(check_data(data), console)
    if wrong:
        raise InputError(
            f"{data.path}: {wrong} of its files {'is' if wrong == 1 else 'are'} wrong; mend what is named."
        )


COMMANDS: dict[str, Callable[..., None]] = {
    "fetch": fetch_,
    "check": check,
    "captions": captions,
    "names": names,
    "caption-images": caption_images,
    "r4r": tasks.r4r,
    "hold-out": tasks.hold_out,
}

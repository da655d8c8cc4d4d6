"""`mtvm view` and `figure`: looking at walks, in a browser and on paper."""

from __future__ import annotations

import threading
import time
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from rich.markup import escape
from tyro.conf import Positional, arg

from mtvm.app.options import DataOption, SplitOption, SupervisionOption, Switch, TaskOption, console
from mtvm.errors import InputError

if TYPE_CHECKING:
    from mtvm.viewer.view import View

SkyboxOption = Annotated[
    Path | None,
    arg(metavar="DIR", help="Skyboxes of the buildings.", help_behavior_hint="(default: below the data folder)"),
]


def view(
    paths: Annotated[
        Positional[tuple[Path, ...]],
        arg(metavar="RUN|RESULTS", help="Runs, evaluations or result files.", help_behavior_hint="(default: built-in)"),
    ] = (),
    task: TaskOption = "r2r",
    split: SplitOption = "val_unseen",
    data: DataOption = None,
    supervision: SupervisionOption = "mixed",
    skyboxes: SkyboxOption = None,
    host: Annotated[str, arg(help="Address to listen at; any but this machine's own asks for a token.")] = "127.0.0.1",
    port: Annotated[
        int | None, arg(metavar="N", help="Port.", help_behavior_hint="(default: 8777, or a free one)")
    ] = None,
    no_browser: Annotated[Switch, arg(help="Only print the address.")] = False,
) -> None:
    """Watch, question and steer agents in the browser.

    Shows the evaluations of runs and anybody's result files: the list of episodes, the map, the panorama or its words,
    probabilities, attention and memory at each step; compares two; talks to the agents of runs. Without arguments, a
    pretrained agent walks in built-in homes. TASK, SPLIT and DIR are those of result files. Nothing leaves this
    machine.
    """
    from mtvm.app.view import view as start

    running = start(
        *paths, data=data, task=task, split=split, supervision=supervision, skyboxes=skyboxes, host=host, port=port
    )
    console.print(f"The page is at {escape(running.url)} (Ctrl-C ends it)", soft_wrap=True, highlight=False)
    if not no_browser:
        webbrowser.open(running.url)
    if not paths:
        threading.Thread(target=_say_when_awake, args=(running, time.monotonic()), daemon=True).start()
    running.wait()


def _say_when_awake(running: View, started: float) -> None:
    if running.awake():
        console.print(f"The agent is awake after {time.monotonic() - started:.0f} s: talk to it", highlight=False)


def figure(
    kind: Annotated[Positional[Literal["map", "matrix", "strip", "gif", "frames", "html"]], arg(help="What to draw.")],
    path: Annotated[Positional[Path], arg(metavar="RUN|RESULTS", help="A run, evaluation or result file.")],
    episode: Annotated[
        str | None, arg(metavar="ID", help="The episode.", help_behavior_hint="(default: the first)")
    ] = None,
    step: Annotated[int | None, arg(metavar="N", help="Also draw what the agent thought at this step.")] = None,
    out: Annotated[
        Path | None,
        arg(
            metavar="FILE",
            help="SVG or PNG; GIF, ZIP or HTML for the last three.",
            help_behavior_hint="(default: KIND.svg, walk.gif, walk.zip or walk.html)",
        ),
    ] = None,
    task: TaskOption = "r2r",
    split: SplitOption = "val_unseen",
    data: DataOption = None,
    supervision: SupervisionOption = "mixed",
    skyboxes: SkyboxOption = None,
) -> None:
    """Draw an episode for a paper or a talk.

    map: the building from above, with the reference path and the agent's. matrix: attention on words by steps, as in
    the paper's Figure 6. strip: the view ahead at each step, or its names where there are no images. gif: the walk as
    an animation; frames: the same as PNG files in a ZIP archive. html: a page in one file. A run with several
    evaluations needs --split.
    """
    from mtvm.app.view import shown_of
    from mtvm.io.files import atomic_path, write_text
    from mtvm.viewer.charts import draw_matrix
    from mtvm.viewer.exporting import frames, gif, page_of
    from mtvm.viewer.maps import MapOptions, draw_map
    from mtvm.viewer.sources import Defaults
    from mtvm.viewer.strips import draw_strip

    shown = shown_of([path], Defaults(data, task, split, supervision), skyboxes)
    number = _chosen(
        [(source.episodes.task.name, source.episodes.split) for source in shown.sources], task, split, path
    )
    source = shown.sources[number]
    walk = shown.walk(number, episode or source.episodes.ids[0], attention=kind != "map" or step is not None)
    buildings = shown.buildings(source.folder)
    target = out or Path(_NAMES.get(kind, f"{kind}.svg"))
    if kind in ("gif", "frames"):
        content = (gif if kind == "gif" else frames)(buildings, walk)
        with atomic_path(target) as fresh:
            fresh.write_bytes(content)
    elif kind == "html":
        write_text(target, page_of(buildings, walk))
    elif kind == "map":
        draw_map(buildings, walk, MapOptions(step=step)).save(target)
    elif kind == "matrix":
        draw_matrix(walk, step).save(target)
    else:
        draw_strip(buildings, walk).save(target)
    console.print(f"Episode {escape(walk.id)} of {escape(source.name)} drawn to {escape(str(target))}", soft_wrap=True)


_NAMES = {"gif": "walk.gif", "frames": "walk.zip", "html": "walk.html"}


def _chosen(found: list[tuple[str, str]], task: str, split: str, path: Path) -> int:
    """The evaluation that is meant."""
    if len(found) == 1:
        return 0
    if (task, split) not in found:
        there = ", ".join(f"{one}/{other}" for one, other in found)
        raise InputError(f"{path}: no evaluation of {task}/{split} is here, only of {there}; name one.")
    return found.index((task, split))

"""`mtvm view` and `figure`: looking at walks, in a browser and on paper."""

from __future__ import annotations

import dataclasses
import threading
import time
import unicodedata
import webbrowser
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from rich.markup import escape
from tyro.conf import Positional, arg

from mtvm.acting.find import is_language_model
from mtvm.app.options import DataOption, SplitOption, SupervisionOption, Switch, TaskOption, console
from mtvm.app.policies import check_not_given, offer_language_model
from mtvm.configs.data import DataConfig
from mtvm.errors import InputError
from mtvm.llm.options import IN_HOMES, LanguageOptions
from mtvm.progress import notice
from mtvm.tasks.load import split_name

if TYPE_CHECKING:
    from mtvm.viewer.buildings import Buildings
    from mtvm.viewer.figures import Walk
    from mtvm.viewer.sources import Source
    from mtvm.viewer.view import View

_AS_USUAL = LanguageOptions()
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
    agent: Annotated[
        str | None,
        arg(
            metavar="NAME",
            help="Your own agent, MODULE:NAME, a baseline or a language model, llm:NAME, to talk to where no other is.",
        ),
    ] = None,
    skyboxes: SkyboxOption = None,
    host: Annotated[str, arg(help="Address to listen at; any but this machine's own asks for a token.")] = "127.0.0.1",
    port: Annotated[
        int | None, arg(metavar="N", help="Port.", help_behavior_hint="(default: 8777, or a free one)")
    ] = None,
    no_browser: Annotated[Switch, arg(help="Only print the address.")] = False,
    llm: Annotated[LanguageOptions, arg(name="")] = _AS_USUAL,
) -> None:
    """Watch, question and steer agents in the browser.

    Shows the evaluations of runs and anybody's result files: the list of episodes, the map, the panorama or its words,
    probabilities, attention and memory at each step; compares two; talks to the agents of runs. Without arguments, a
    pretrained agent walks in built-in homes. TASK, SPLIT and DIR are those of result files; SPLIT may also be the file
    of your own that an agent was evaluated on. Nothing leaves this machine, except what a language model elsewhere is
    asked.
    """
    from mtvm.app.view import view as start

    if agent is not None and is_language_model(agent):
        from mtvm.app.builtin import is_builtin

        if not paths or is_builtin(data):
            llm = dataclasses.replace(llm, see=llm.see or IN_HOMES)
        offer_language_model(agent, llm, DataConfig(folder=data))
    else:
        check_not_given(llm)
    running = start(
        *paths,
        data=data,
        task=task,
        split=split,
        supervision=supervision,
        agent=agent,
        skyboxes=skyboxes,
        host=host,
        port=port,
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
    kind: Annotated[
        Positional[Literal["map", "matrix", "memory", "curves", "mistakes", "strip", "walk"]], arg(help="What to draw.")
    ],
    paths: Annotated[
        Positional[tuple[Path, ...]],
        arg(metavar="RUN|RESULTS", help="A run, evaluation or result file; several are drawn together."),
    ],
    episode: Annotated[
        str | None, arg(metavar="ID", help="The episode.", help_behavior_hint="(default: the first)")
    ] = None,
    step: Annotated[int | None, arg(metavar="N", help="Also draw what the agent thought at this step.")] = None,
    out: Annotated[
        Path | None,
        arg(
            metavar="FILE",
            help="Its ending decides the format: SVG, PDF or PNG; GIF, ZIP (a PNG file a step) or HTML for a walk.",
            help_behavior_hint="(default: KIND.svg or walk.gif)",
        ),
    ] = None,
    dpi: Annotated[int, arg(metavar="N", help="Resolution of a PNG.")] = 192,
    storeys: Annotated[
        tuple[int, ...],
        arg(metavar="N", help="Storeys of the map, from 1 at the bottom.", help_behavior_hint="(default: all)"),
    ] = (),
    around: Annotated[
        Switch, arg(help="Of the map, only the storey of the step and the surroundings of the walk.")
    ] = False,
    scale: Annotated[
        Literal["row", "common"], arg(help="Whether a matrix is shaded row by row or on one scale.")
    ] = "row",
    task: TaskOption = "r2r",
    split: SplitOption = "val_unseen",
    data: DataOption = None,
    supervision: SupervisionOption = "mixed",
    skyboxes: SkyboxOption = None,
) -> None:
    """Draw an episode for a paper or a talk.

    map: the building from above, with the reference path and the agents'. matrix: attention on words by steps, as in
    the paper's Figure 6. memory: attention on memory tokens. curves: distance to the goal, probability of STOP and
    entropy over the steps. mistakes: how often each was made in all episodes. strip: the view ahead at each step, or
    its names where there are no images. walk: an animation, pictures, or a page in one file. A run with several
    evaluations needs --split.
    """
    from mtvm.app.view import viewer_state
    from mtvm.viewer.charts import draw_curves, draw_matrix, draw_memory, draw_mistakes
    from mtvm.viewer.maps import MapOptions, draw_map
    from mtvm.viewer.sources import Defaults
    from mtvm.viewer.strips import draw_strip

    if not paths:
        raise InputError("name what to draw: a run, the folder of an evaluation, or a result file.")
    if not 20 <= dpi <= 1200:
        raise InputError(f"--dpi must lie from 20 to 1200, not {dpi}.")
    state = viewer_state(paths, Defaults(data, task, split, supervision), skyboxes)
    numbers = [_chosen(state.sources, task, split, path) for path in paths]
    sources = [state.sources[number] for number in numbers]
    names = short_names(sources)
    target = out or Path("walk.gif" if kind == "walk" else f"{kind}.svg")
    if kind == "mistakes":
        draw_mistakes(*_counted(sources, names)).save(target, dpi)
        console.print(f"Mistakes of {escape(', '.join(names))} drawn to {escape(str(target))}", soft_wrap=True)
        return
    identity = episode or sources[0].episodes.ids[0]
    thinking = kind != "map" or step is not None
    walks = [state.walk(number, identity, attention=thinking) for number in numbers]
    walk, buildings = walks[0], state.buildings(sources[0].folder)
    if kind == "walk":
        _write_walk(target, buildings, walks, names)
    elif kind == "map":
        draw_map(buildings, walks, MapOptions(step, around, storeys=storeys, legend=names)).save(target, dpi)
    elif kind == "curves":
        draw_curves(walks, step, names if len(names) > 1 else ()).save(target, dpi)
    elif kind == "strip":
        draw_strip(buildings, walk).save(target, dpi)
    else:
        (draw_matrix if kind == "matrix" else draw_memory)(walk, step, scale).save(target, dpi)
    if kind in ("matrix", "strip", "walk") and target.suffix.lower() not in (".svg", ".html"):
        _tell_strange_letters(walk.text, target)
    console.print(
        f"Episode {escape(walk.id)} of {escape(', '.join(names))} drawn to {escape(str(target))}", soft_wrap=True
    )


def _write_walk(target: Path, buildings: Buildings, walks: list[Walk], names: tuple[str, ...]) -> None:
    from mtvm.io.files import atomic_path
    from mtvm.viewer.exporting import export

    content = export(target.suffix.lower(), buildings, walks, names)
    with atomic_path(target) as fresh:
        fresh.write_bytes(content)


def _tell_strange_letters(text: str, target: Path) -> None:
    """Pictures are drawn with a font that has none but Latin letters."""
    strange = sorted({one for one in text if one.isalpha() and not unicodedata.name(one, "").startswith("LATIN ")})
    if strange:
        notice(
            f"{target}: letters such as {strange[0]} are boxes in it, for lack of a font; SVG and HTML files show them "
            "with the fonts of whoever opens them."
        )


def short_names(sources: Sequence[Source]) -> tuple[str, ...]:
    """What the sources are called where all are of one split."""
    short = [source.name.partition(" ")[0] for source in sources]
    return tuple(short if len(set(short)) == len(short) else [source.name for source in sources])


def _counted(sources: Sequence[Source], names: tuple[str, ...]) -> tuple[dict[str, list[int]], tuple[str, ...], int]:
    """How often each mistake was made, by whom, and in how many episodes."""
    first = sources[0].episodes
    if any(source.episodes.ids != first.ids for source in sources):
        raise InputError("mistakes are counted on the same episodes; these results are of different ones.")
    found = [source.diagnosis for source in sources]
    counts = [diagnosis.counts() for diagnosis in found if diagnosis is not None]
    if len(counts) < len(sources):
        raise InputError(f"{first.source}: {first.name} has no goals, so nobody knows what went wrong.")
    return {name: [count[name] for count in counts] for name in counts[0]}, names, len(first)


def _chosen(sources: Sequence[Source], task: str, split: str, path: Path) -> int:
    """The evaluation of a path that is meant."""
    from mtvm.viewer.sources import no_evaluation

    own = [
        number
        for number, source in enumerate(sources)
        if path.absolute() in (source.path.absolute(), *source.path.absolute().parents)
    ]
    found = [(sources[number].episodes.task.name, sources[number].episodes.split) for number in own]
    if not found:
        raise no_evaluation(path)
    if len(found) == 1:
        return own[0]
    wanted = (task, split_name(split))
    if wanted not in found:
        there = ", ".join(f"{one}/{other}" for one, other in found)
        raise InputError(f"{path}: no evaluation of {task}/{split} is here, only of {there}; name one.")
    return own[found.index(wanted)]

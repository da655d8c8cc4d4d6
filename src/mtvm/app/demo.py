"""The demo: builds the built-in world, trains an agent with memory and one without, and compares their scores."""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import math
import multiprocessing
import os
import shutil
import signal
import sys
import time
from collections.abc import Collection, Iterable, Iterator
from multiprocessing.process import BaseProcess
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.markup import escape
from rich.table import Table as Printed

import mtvm
from mtvm.acting.baselines import Baseline, run_baseline
from mtvm.app import report
from mtvm.app.tables import simple_table
from mtvm.app.view import viewer_state
from mtvm.configs.data import Split
from mtvm.configs.presets import PRESETS
from mtvm.errors import InputError
from mtvm.homes.build import WorldConfig, build_world
from mtvm.homes.drawing import draw_episode, draw_home
from mtvm.homes.generate import generate_home
from mtvm.learning.run_folder import RunFolder
from mtvm.machine import child_environment, ending_signals, require_matplotlib, require_torch, usable_cores
from mtvm.models.parts import MemoryConfig, NoHistoryConfig
from mtvm.progress import notice, progress
from mtvm.tasks.data import DataFolder
from mtvm.tasks.episode import EpisodeSet
from mtvm.tasks.load import load_episodes
from mtvm.tasks.metric import METRICS, describe_units
from mtvm.tasks.metrics import score_trajectories, summarize
from mtvm.tasks.results import read_results, trajectory_nodes, write_results
from mtvm.tasks.score import score
from mtvm.viewer.figures import Walk
from mtvm.viewer.maps import draw_map
from mtvm.viewer.sources import Defaults
from mtvm.viewer.state import ViewerState
from mtvm.viewer.view import View

MEMORY, NO_MEMORY = "with variable-length memory", "without memory"
_RUNS = {NO_MEMORY: "no-memory", MEMORY: "memory"}
_BASELINES: dict[str, Baseline] = {"random": "random", "shortest path": "shortest"}
_COLUMNS = ("NE", "SR", "OSR", "SPL", "nDTW")
_LONG_COLUMNS = ("NE", "SR", "AR", "OSR", "SPL", "nDTW")
_LONG_NOTE = (
    "A long instruction leads to a turning point, and from there to its end. Success means passing the turning point "
    "and then stopping at the end; AR only requires stopping at the end, which is possible without the detour."
)
_SPLITS: dict[tuple[str, str], str] = {
    ("r2r", "val_seen"): "Instructions in homes seen in training",
    ("r2r", "val_unseen"): "Instructions in homes never seen",
    ("long", "val_seen"): "Long instructions with returns and loops, homes seen in training",
    ("long", "val_unseen"): "Long instructions with returns and loops, homes never seen",
}
_BETWEEN_LOOKS = 0.5


def run_demo(out: Path, homes: int, seed: int, console: Console, updates: int | None = None) -> None:
    """Build the world, train both agents, score them and the baselines, and write the report."""
    started = time.monotonic()
    require_torch("The demo")  # better now than after the building
    require_matplotlib("The demo's report")
    with _watching_another(out, console):
        data, tables, walk = _make(out, homes, seed, console, updates)
        _write_report(out, tables, walk, data, time.monotonic() - started)
    _say_goodbye(out, data, console)


def _make(
    out: Path, homes: int, seed: int, console: Console, updates: int | None
) -> tuple[Path, list[report.Table], report.Walk]:
    """The world, both agents in it, and what they came to."""
    config = WorldConfig(homes=homes, seed=seed, features="names")
    console.print("Building the world: homes, visibility, instructions, features (once; it is reused later).")
    data = build_world(config)
    folder = DataFolder(data)
    train = load_episodes("r2r", "train", folder)
    console.print(f"\nThe world is in {escape(str(data))}:", soft_wrap=True)
    console.print(f"{train.world.describe()}, {len(train)} instructions to train on.\n")
    _train_both(out, data, updates)
    tables = []
    for (task, split), what in _SPLITS.items():
        episodes = load_episodes(task, split, folder)
        rows, metrics = _scores(episodes, out, seed), _COLUMNS if task == "r2r" else _LONG_COLUMNS
        note = "" if task == "r2r" else _LONG_NOTE
        table = report.Table(f"{what}: {len(episodes)} episodes", note, metrics, rows, bounds=("shortest path",))
        tables.append(table)
        console.print(_printed(table))
    return data, tables, _draw_walk(load_episodes("long", "val_unseen", folder), config, out)


@contextlib.contextmanager
def _watching_another(out: Path, console: Console) -> Iterator[None]:
    """While the block runs, show how the agent that comes with the package follows instructions."""
    state = viewer_state([], Defaults())
    walk = _eventful(state)
    buildings = state.buildings(state.source(0).folder)
    picture = out / "meanwhile.png"
    out.mkdir(parents=True, exist_ok=True)
    draw_map(buildings, [walk]).save(picture)
    plan = buildings.plan(walk.scan)
    rooms = [room for room, _ in itertools.groupby(plan[place][-1] or "somewhere" for place in walk.walked())]
    console.print("This takes minutes. Meanwhile, the agent that comes with mtvm follows an instruction:\n")
    console.print(f"  {escape(walk.text)}", highlight=False)
    console.print(
        f"  {' → '.join(map(escape, rooms))}: it stops {walk.metrics['NE']:.1f} m from the goal", highlight=False
    )
    console.print(f"\nThe home and its way from above: {escape(str(picture))}", soft_wrap=True, highlight=False)
    try:
        running = View(state, "127.0.0.1", None)
    except InputError as error:  # then there is the picture
        console.print(f"No page to watch it: {escape(str(error))}\n", soft_wrap=True, highlight=False)
        yield
        return
    console.print(f"Watch it, and tell it where to go: {escape(running.url)}\n", soft_wrap=True, highlight=False)
    try:
        yield
    finally:
        running.close()


def _eventful(state: ViewerState) -> Walk:
    """The longest walk of those that come with the package and lead to the goal."""
    source = state.source(0)
    walks = (source.walk(identity) for identity in source.episodes.ids)
    return max(walks, key=lambda walk: (walk.metrics["SR"], len(walk.walked())))


def _train_both(out: Path, data: Path, updates: int | None) -> None:
    """Train and evaluate both agents in parallel, each in its own process."""
    total = updates or PRESETS["demo"].optimizer.updates
    context = multiprocessing.get_context("spawn")
    workers = {
        name: context.Process(target=train_agent, args=(out / folder, data, name == MEMORY, total))
        for name, folder in _RUNS.items()
    }
    try:
        with _ended_by_any_signal():
            with child_environment(OMP_NUM_THREADS=str(max(usable_cores() // 2, 1))):
                _start_all(workers.values())
            _watch(out, total, workers.values())
    except KeyboardInterrupt:
        notice("the agents save what they have learnt; the same command goes on from there.")
        raise
    finally:
        # Those that still train save and end. Ctrl-C has reached them as well, which they take for the same wish.
        for worker in workers.values():
            worker.terminate()
        for worker in workers.values():
            worker.join()
    failed = [name for name, worker in workers.items() if worker.exitcode != 0]
    if failed:
        raise InputError(f"{out}: training the agent {failed[0]} failed; see its message above.")


def _start_all(workers: Iterable[BaseProcess]) -> None:
    """Start processes that do not know Ctrl-C until their training does, so that none prints a traceback."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        for worker in workers:
            worker.start()
    finally:
        signal.signal(signal.SIGINT, before)


def _watch(out: Path, total: int, workers: Collection[BaseProcess]) -> None:
    """Show the progress of both runs until they have ended."""
    with progress(2 * total, "Training two agents", "updates") as advance:
        reported = 0
        while any(worker.is_alive() for worker in workers):
            time.sleep(_BETWEEN_LOOKS)
            done, note = _look(out)
            advance(done - reported, note)
            reported = done


@contextlib.contextmanager
def _ended_by_any_signal() -> Iterator[None]:
    """Let SIGTERM and a closed terminal end the block as Ctrl-C does."""

    def stop(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    before = {one: signal.signal(one, stop) for one in ending_signals()}
    try:
        yield
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)


def train_agent(run: Path, data: Path, memory: bool, updates: int) -> None:
    """Train and evaluate one agent; an existing run is resumed if it has the same config, else replaced."""
    import torch

    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "1")))
    preset = PRESETS["demo"]
    config = dataclasses.replace(
        preset,
        out=run,
        device="cpu",
        log_every=5,
        model=dataclasses.replace(preset.model, history=MemoryConfig() if memory else NoHistoryConfig()),
        data=dataclasses.replace(preset.data, folder=data, features=data / "features" / "semantic"),
        optimizer=dataclasses.replace(preset.optimizer, updates=updates, warmup=min(preset.optimizer.warmup, updates)),
        selection=dataclasses.replace(preset.selection, every=updates),
    )
    folder = RunFolder(run)
    try:
        if folder.is_run and folder.config() != config:
            folder.clear()
        if mtvm.train(config, show_progress=False).finished:
            mtvm.evaluate(run, show_progress=False)
    except InputError as error:
        print(f"mtvm: {error}", file=sys.stderr)
        sys.exit(2)


def _look(out: Path) -> tuple[int, str]:
    """The updates done by both agents together, and their losses."""
    done, notes = 0, []
    for name, folder in _RUNS.items():
        lines = [line for line in RunFolder(out / folder).lines() if line.get("kind") == "train"]
        if lines:
            done += lines[-1]["update"]
            notes.append(f"{name}: loss {lines[-1].get('loss', math.nan):.1f}")
    return done, ", ".join(notes)


def _scores(episodes: EpisodeSet, out: Path, seed: int) -> list[tuple[str, dict[str, float]]]:
    """Every agent's metrics on a split; also writes the baselines' result files."""
    rows = []
    for name, baseline in _BASELINES.items():
        path = out / f"{baseline}_{episodes.task.name}_{episodes.split}.json"
        write_results(path, episodes, run_baseline(baseline, episodes, seed))
        rows.append((name, _means(path, episodes)))
    for name, folder in _RUNS.items():
        path = _results(out / folder, episodes)
        rows.append((name, _means(path, episodes)))
    return rows


def _results(run: Path, episodes: EpisodeSet) -> Path:
    """A run's result file on a split."""
    return RunFolder(run).evaluation(Split(episodes.task, episodes.split)) / "results.json"


def _means(path: Path, episodes: EpisodeSet) -> dict[str, float]:
    """The metrics of a result file, and AR: how often the agent stops at the end, by any route."""
    only_ends = dataclasses.replace(episodes, via=episodes.via[:, :0])
    return summarize(score(path, episodes)[1]) | {"AR": summarize(score(path, only_ends)[1])["SR"]}


def _printed(table: report.Table) -> Printed:
    both = "; SR: passed the turning point, then stopped at the end; AR: stopped at the end" if table.note else ""
    printed = simple_table(table.title, describe_units(METRICS[name] for name in table.metrics) + both)
    printed.add_column("")
    for metric in table.metrics:
        printed.add_column(metric, justify="right", no_wrap=True)
    for name, means in table.rows:
        printed.add_row(name, *(METRICS[metric].format(means[metric]) for metric in table.metrics))
    return printed


def _walks(episodes: EpisodeSet, out: Path, name: str) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """An agent's trajectory on every episode, and whether it succeeded."""
    path = _results(out / _RUNS[name], episodes)
    nodes = trajectory_nodes(path, episodes, read_results(path, episodes).trajectories)
    return nodes, score_trajectories(episodes, nodes)["SR"]


def _draw_walk(episodes: EpisodeSet, config: WorldConfig, out: Path) -> report.Walk:
    """Draw a long episode, preferably one that only the agent with memory solves."""
    ours, succeeded = _walks(episodes, out, MEMORY)
    theirs, succeeded_without = _walks(episodes, out, NO_MEMORY)
    likeness = score_trajectories(episodes, ours)["nDTW"]
    chosen = int(np.argmax(likeness + 100 * (succeeded > succeeded_without) + 50 * (succeeded > 0)))
    episode = episodes[chosen]
    number = int(episode.scan.removeprefix("home"))
    home = generate_home(episode.scan, config.home_seed(number))
    place_of = {viewpoint.id: place for place, viewpoint in enumerate(home.viewpoints)}

    def draw(name: str, nodes: NDArray[np.int32], title: str) -> Path:
        walked = [place_of[str(episodes.world.viewpoints[node])] for node in nodes if node >= 0]
        draw_home(home, out / name, walked, title=title)
        return out / name

    reference = episodes.references[chosen]
    pictures = [
        (draw("reference.png", reference, f"{episode.scan}: the path of the instruction"), "the reference path"),
        (draw("memory.png", ours[chosen], "the agent with memory"), _outcome(MEMORY, bool(succeeded[chosen]))),
        (
            draw("no-memory.png", theirs[chosen], "the agent without memory"),
            _outcome(NO_MEMORY, bool(succeeded_without[chosen])),
        ),
    ]
    nodes = ours[chosen][ours[chosen] >= 0].tolist()
    draw_episode(home, episodes.world, nodes, episode.heading, episode.text, out / "episode.png")
    pictures.append((out / "episode.png", "the first steps of the agent with memory"))
    return report.Walk(f"{episode.scan}, {len(episode.reference) - 1} steps", episode.text, pictures)


def _outcome(name: str, succeeded: bool) -> str:
    return f"the agent {name} {'succeeds' if succeeded else 'does not succeed'}"


def _write_report(out: Path, tables: list[report.Table], walk: report.Walk, data: Path, seconds: float) -> None:
    curves: dict[str, list[tuple[float, float]]] = {}
    for name, folder in _RUNS.items():
        lines = [line for line in RunFolder(out / folder).lines() if "teacher_imitation" in line]
        curves[name] = [(line["update"], line["teacher_imitation"] / line["teacher_steps"]) for line in lines]
    lead = (
        "An agent reads an instruction and walks through a home, where it perceives the rooms and objects in each "
        "view. Two agents were trained on the same episodes, with a single difference: one keeps a memory token of "
        "every step so far, the other sees only the current viewpoint. The random agent shows what chance achieves, "
        "the shortest path what is possible."
    )
    report.write_report(
        out / "report.html",
        "mtvm: what memory is good for",
        lead,
        tables,
        [
            report.Curve(
                "Imitation loss (how much the teacher's actions surprise the agent) over training updates",
                "nats per step",
                curves,
            )
        ],
        [walk],
        [(what, command) for what, command in _next_steps(out, data)],
        f"Made in {seconds / 60:.1f} minutes by mtvm demo.",
    )


def _next_steps(out: Path, data: Path) -> list[tuple[str, str]]:
    command = _command()
    return [
        ("Train longer, or with another history", f"{command} train demo --out runs/mine --data.folder {data}"),
        ("Compare runs and see their curves", f"{command} runs {out}"),
        ("Watch both agents, and talk to them", f"{command} view {out / 'memory'} {out / 'no-memory'}"),
        ("Evaluate an agent, with its attention", f"{command} eval {out / 'memory'} --attention --limit 20"),
        ("Score anyone's result file", f"{command} score {out}/random_r2r_val_unseen.json --data {data}"),
        ("See what is installed and which data is found", f"{command} doctor --data {data}"),
    ]


def _say_goodbye(out: Path, data: Path, console: Console) -> None:
    console.print(f"Report with curves and images: {escape(str(out / 'report.html'))}\n", soft_wrap=True)
    for what, command in _next_steps(out, data):
        console.print(f"{what}:\n  {escape(command)}", soft_wrap=True, highlight=False)
    console.print("On the real R2R: docs/training.md", soft_wrap=True)


def _command() -> str:
    """How to call the command line: `mtvm` if it is on the path, else the running script."""
    if shutil.which("mtvm"):
        return "mtvm"
    script = Path(sys.argv[0])
    return os.path.relpath(script) if script.name == "mtvm" else "python -m mtvm"

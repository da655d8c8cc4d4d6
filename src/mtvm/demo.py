"""The first thing that a newcomer runs: a generated world, four agents, their scores and a picture."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from rich.console import Console
from rich.markup import escape

from mtvm.homes.tiny import write_tiny_world
from mtvm.tasks.baselines import BASELINES, run_baseline
from mtvm.tasks.episode import EpisodeSet
from mtvm.tasks.load import load_episodes
from mtvm.tasks.metrics import summarize
from mtvm.tasks.results import Pose, score, write_results
from mtvm.world.plan import draw_plan


def run_demo(out: Path, seed: int, console: Console) -> None:
    """Write a world and result files below `out`, print the scores, draw one episode."""
    from mtvm.cli import add_metrics_row, metrics_table

    data = write_tiny_world(out / "world", seed=seed)
    episodes = load_episodes("r2r", "val_unseen", data)
    console.print(f"A tiny world is in {escape(str(data))}: {load_episodes('r2r', 'train', data).world.describe()}")
    console.print(f"to train in, and for val_unseen {episodes.world.describe()}.\n")
    table = metrics_table(f"{episodes.name} of the tiny world: {len(episodes)} episodes")
    walks: dict[str, list[list[Pose]]] = {}
    for name in BASELINES:
        walks[name] = run_baseline(name, episodes, seed)
        results = out / f"{name}_r2r_val_unseen.json"
        write_results(results, episodes, walks[name])
        add_metrics_row(table, name, summarize(score(results, episodes)[1]))
    console.print(table)
    picture = out / "plan.png"
    drawn = _draw(episodes, walks, picture)
    console.print(f"One episode, drawn in {escape(str(picture))}:")
    console.print(f"  “{escape(episodes[drawn].text)}”\n", soft_wrap=True)
    command = _command()
    console.print(f"Score a file:    {command} score {out}/random_r2r_val_unseen.json --data {data}", soft_wrap=True)
    console.print(f"What is found:   {command} doctor", soft_wrap=True)
    console.print("On the real R2R: docs/data.md", soft_wrap=True)


def _command() -> str:
    """How the user can call us: `mtvm` where it is on the path, else the script that is running."""
    if shutil.which("mtvm"):
        return "mtvm"
    script = Path(sys.argv[0])
    return os.path.relpath(script) if script.name == "mtvm" else "python -m mtvm"


def _draw(episodes: EpisodeSet, walks: dict[str, list[list[Pose]]], picture: Path) -> int:
    """Draw the first episode whose agents end in different places; its number."""
    names = ("shortest", "forward", "random")
    ends = [{walks[name][row][-1][0] for name in names} for row in range(len(episodes))]
    row = max(range(len(episodes)), key=lambda r: (len(ends[r]), -r))
    episode = episodes[row]
    graph = episodes.world.graph(episode.scan)
    lines = {name: [graph.node(viewpoint) for viewpoint, _, _ in walks[name][row]] for name in names}
    start, goal = graph.node(episode.start), graph.node(episode.goals[0])
    named = {f"{name}: ends {graph.distances[line[-1], goal]:.1f} m away": line for name, line in lines.items()}
    title = f"Episode {episode.id} in {episode.scan}; stopping at a ringed viewpoint (< 3 m) is a success"
    draw_plan(graph, named, picture, title=title, start=start, goal=goal)
    return row

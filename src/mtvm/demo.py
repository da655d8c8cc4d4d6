"""The first thing that a newcomer runs: the built-in world, agents that read nothing, their scores and pictures."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from rich.console import Console
from rich.markup import escape

from mtvm.homes.build import WorldConfig, build_world
from mtvm.homes.drawing import draw_episode, draw_home
from mtvm.homes.generate import generate_home
from mtvm.tasks.baselines import BASELINES, run_baseline
from mtvm.tasks.episode import EpisodeSet
from mtvm.tasks.load import Task, load_episodes
from mtvm.tasks.metrics import summarize
from mtvm.tasks.results import score, write_results

_TASKS: dict[Task, str] = {"r2r": "instructions", "long": "long instructions with returns and loops"}


def run_demo(out: Path, homes: int, seed: int, console: Console) -> None:
    """Build or find the world, walk it with every baseline, print the scores, draw one episode."""
    from mtvm.cli import add_metrics_row, metrics_table

    config = WorldConfig(homes=homes, seed=seed)
    console.print("Building the world: homes, panoramas, words, features (once, a few minutes; later it is reused).")
    data = build_world(config)
    train = load_episodes("r2r", "train", data)
    console.print(f"\nThe world is in {escape(str(data))}:", soft_wrap=True)
    console.print(f"{train.world.describe()}, {len(train)} instructions to train on.\n")
    for task, what in _TASKS.items():
        episodes = load_episodes(task, "val_unseen", data)
        table = metrics_table(f"{what}, homes never seen in training: {len(episodes)} episodes")
        for name in BASELINES:
            results = out / f"{name}_{task}_val_unseen.json"
            write_results(results, episodes, run_baseline(name, episodes, seed))
            add_metrics_row(table, name, summarize(score(results, episodes)[1]))
        console.print(table)
    episodes = load_episodes("r2r", "val_unseen", data)
    chosen = _draw(episodes, data, config, out)
    console.print(f"One episode is drawn in {escape(str(out / 'plan.png'))} and {escape(str(out / 'episode.png'))}:")
    console.print(f"  “{escape(episodes[chosen].text)}”\n", soft_wrap=True)
    command = _command()
    console.print(f"Score a file:    {command} score {out}/random_r2r_val_unseen.json --data {data}", soft_wrap=True)
    console.print(f"What is found:   {command} doctor --data {data}", soft_wrap=True)
    console.print("On the real R2R: docs/data.md", soft_wrap=True)


def _command() -> str:
    """How the user can call us: `mtvm` where it is on the path, else the script that is running."""
    if shutil.which("mtvm"):
        return "mtvm"
    script = Path(sys.argv[0])
    return os.path.relpath(script) if script.name == "mtvm" else "python -m mtvm"


def _draw(episodes: EpisodeSet, data: Path, config: WorldConfig, out: Path) -> int:
    """Draw the plan and the views of an episode through many rooms; its number."""
    rows = range(min(len(episodes), 60))
    chosen = max(rows, key=lambda row: (episodes.reference_lengths[row] == 6, len(episodes.texts[row]) < 200, -row))
    episode = episodes[chosen]
    number = int(episode.scan.removeprefix("home"))
    home = generate_home(episode.scan, config.home_seed(number))
    places = {viewpoint.id: place for place, viewpoint in enumerate(home.viewpoints)}
    draw_home(home, out / "plan.png", [places[name] for name in episode.reference], title=f"{episode.scan}, and a way")
    nodes = episodes.references[chosen][: episodes.reference_lengths[chosen]].tolist()
    draw_episode(episodes.world, data / "skyboxes", nodes, episode.heading, episode.text, out / "episode.png")
    return chosen

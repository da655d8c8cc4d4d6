"""Make the agent that ships with the package: train it as `mtvm demo` does, shrink it, and measure what ships.

python tools/make_pretrained.py            # builds the world and trains for some ten minutes on two cores
python tools/make_pretrained.py --run RUN --world WORLD   # from a finished run of the same config
python tools/make_pretrained.py --walks    # only the homes that `mtvm view` shows, and the agent's walks there
"""

from __future__ import annotations

import argparse
import datetime
import shutil
from pathlib import Path

import mtvm
from mtvm.app import builtin
from mtvm.app.demo import train_agent
from mtvm.configs.data import DataConfig
from mtvm.configs.presets import PRESETS
from mtvm.homes.build import WorldConfig, build_world
from mtvm.learning.run_folder import EVALUATIONS, RunFolder
from mtvm.models.agent import Agent
from mtvm.models.saving import WEIGHTS, save_compact
from mtvm.tasks.metric import METRICS

WORLD = WorldConfig(homes=36, seed=0, features="names")
SPLITS = ("r2r/val_seen", "r2r/val_unseen", "long/val_seen", "long/val_unseen")
COLUMNS = ("NE", "SR", "OSR", "SPL", "nDTW")
LARGEST = 8_000_000
OUT = Path(mtvm.__file__).parent / "pretrained" / "homes"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", type=Path, help="a finished run instead of training one")
    parser.add_argument("--world", type=Path, help="the world that it was trained in")
    parser.add_argument("--walks", action="store_true", help="leave the weights as they are")
    given = parser.parse_args()
    if given.walks:
        ship_walks()
        return
    world = given.world or build_world(WORLD)
    run = given.run or Path("runs/pretrained-homes")
    updates = PRESETS["demo"].optimizer.updates
    if given.run is None:
        train_agent(run, world, memory=True, updates=updates)
    config = RunFolder(run).config()
    agent = Agent.from_pretrained(RunFolder(run).best, "cpu")
    save_compact(agent.model, OUT, "")
    size = (OUT / WEIGHTS).stat().st_size
    assert size < LARGEST, f"{size} bytes are too many to ship"
    data = DataConfig(folder=world, features=world / "features" / "semantic")
    rows = measured(data, SPLITS)
    save_compact(agent.model, OUT, card(agent, config.seed, config.optimizer.updates, size, rows, ship_walks()))
    print((OUT / "README.md").read_text())


def ship_walks() -> dict[str, tuple[int, dict[str, float]]]:
    """What of the homes that `mtvm view` shows is needed to walk there, and the agent's walks; their metrics."""
    built = build_world(builtin.WORLD)
    shutil.rmtree(builtin.DATA, ignore_errors=True)
    splits = [f"{split.partition('/')[0].upper()}/*_val_unseen.json" for split in builtin.SPLITS]
    for pattern in ("connectivity/*", "semantics/*", *splits):
        for path in built.glob(pattern):
            target = builtin.DATA / path.relative_to(built)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
    walks = OUT / EVALUATIONS
    shutil.rmtree(walks, ignore_errors=True)
    found = measured(DataConfig(folder=builtin.DATA, sight="names"), builtin.SPLITS, walks)
    for path in walks.glob("*/*"):
        if path.name not in ("results.json", "metrics.json"):  # the rest is quickly thought again
            path.unlink()
    return found


def measured(
    data: DataConfig, splits: tuple[str, ...], out: Path | None = None
) -> dict[str, tuple[int, dict[str, float]]]:
    """The metrics of what ships, read from where it ships."""
    done = mtvm.evaluate(Agent.from_pretrained("homes", "cpu"), splits, data=data, out=out)
    return {name: (len(one.episodes), one.metrics()) for name, one in done.items()}


def table(rows: dict[str, tuple[int, dict[str, float]]]) -> str:
    lines = [f"| split | episodes | {' | '.join(COLUMNS)} |", "|---" * (len(COLUMNS) + 2) + "|"]
    for name, (count, means) in rows.items():
        values = (METRICS[column].format(means[column]) for column in COLUMNS)
        lines.append(f"| {name} | {count} | {' | '.join(values)} |")
    return "\n".join(lines)


def card(agent: Agent, seed: int, updates: int, size: int, rows: dict, measured: dict) -> str:  # type: ignore[type-arg]
    own = sum(value.numel() for name, value in agent.model.state_dict().items() if "language.reader." not in name)
    version, today = mtvm.__version__, datetime.datetime.now(datetime.timezone.utc).date()
    return f"""# homes: a pretrained agent of the built-in world

MTVM with its memory bank, trained by imitation on the instructions of 26 generated homes. It reads English
instructions and sees the names of rooms and objects in each view (`--data.sight names`), no pixels.

```python
agent = mtvm.Agent.from_pretrained("homes")
```

`mtvm view` shows it at work; `mtvm.models.agent` says how to use it in a program of your own.

| | |
|---|---|
| trained by | `make pretrained`: preset `demo` of mtvm {version}, seed {seed}, {updates} updates, EMA weights |
| data | the built-in world, 36 homes, seed 0: r2r/train and long/train |
| weights | {own / 1e6:.1f} M numbers in half precision, {size / 1e6:.1f} MB; word embeddings of all-MiniLM-L6-v2 |
| licence | MIT, as the package |

## What it achieves

Measured on these very weights on {today}. NE in metres, the others in percent. One seed; the homes of
val_unseen were never seen in training, and the weights were selected on r2r/val_seen.

{table(rows)}

In the homes that `mtvm view` shows (seed {builtin.WORLD.seed}, {builtin.WORLD.homes} homes; val_unseen is one of them):

{table(measured)}

## What it is not

It knows the language of the built-in world's grammar and its 60 kinds of things; in real buildings, and with
sentences unlike those, it will lose its way. Long instructions with returns are hard for it, as the table shows.
"""


if __name__ == "__main__":
    main()

"""Run folders made by hand, as the trainer leaves them."""

import io
import json
import os

from rich.console import Console

from mtvm.app.runs import chosen_curves, find_runs
from mtvm.app.runs_view import show

LONG_AGO = 1_000_000_000


def config(updates=100, **options):
    """The config of a run, with options by their names on the command line."""
    made = {
        "out": "somewhere",
        "model": {"hidden": 64},
        "data": {"train": ["r2r/train"], "features": None},
        "optimizer": {"updates": updates, "lr": 1e-4},
        "selection": {"split": "r2r/val_seen", "metric": "SPL", "every": 20, "patience": None},
        "seed": 0,
    }
    for name, value in options.items():
        group, _, option = name.rpartition("__")
        (made[group] if group else made)[option] = value
    return made


def trained(update, **values):
    usual = {"loss": 10 / update, "gradient_norm": 3.0, "episodes_per_second": 20.0, "trained_seconds": update * 2.0}
    return {"update": update, "kind": "train"} | usual | values


def evaluated(update, value, metric="SPL", kind="r2r/val_seen", **others):
    return {"update": update, "kind": kind, "SR": 50.0} | others | {metric: value}


def make_run(folder, made, lines=(), written=LONG_AGO, evaluations=None):
    """A run as the trainer leaves it, with the agent beside it that is not a run."""
    (folder / "best").mkdir(parents=True)
    (folder / "best" / "config.json").write_text(json.dumps({"hidden": 64, "heads": 4}))
    (folder / "config.json").write_text(json.dumps(made | {"out": str(folder)}))
    (folder / "metrics.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    for split, values in (evaluations or {}).items():
        (folder / "eval" / split).mkdir(parents=True)
        (folder / "eval" / split / "metrics.json").write_text(json.dumps(values))
    for name in ("config.json", "metrics.jsonl"):
        os.utime(folder / name, (written, written))
    return folder


def only(folder):
    (found,) = find_runs(folder)
    return found


def printed(folder, width, metric=None, encoding="utf-8"):
    found = find_runs(folder)
    file = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    show(found, chosen_curves(found, folder, metric), Console(file=file, width=width))
    file.flush()
    return file.buffer.getvalue().decode(encoding)


def scores(first, second):
    return {"split": "r2r val_seen", "episodes": 1021, "SR": first, "SPL": second, "GP": 5.5, "NE": 4.2}

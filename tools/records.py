"""Metrics of every episode behind the rows of docs/, without texts, in one table: docs/runs/episodes.csv.xz.

python tools/records.py              adds the evaluations of runs/seed*/*/eval (make records)
python tools/records.py --unpack     writes docs/runs/SEED/RUN/SPLIT/episodes.csv again, for `mtvm compare`
"""

from __future__ import annotations

import argparse
import csv
import io
import lzma
from collections.abc import Sequence
from pathlib import Path

from mtvm.tasks.metric import METRICS

TABLE = Path(__file__).parents[1] / "docs" / "runs" / "episodes.csv.xz"
EPISODES = "episodes.csv"
_R2R = ("NE", "SR", "OSR", "SPL")
_WHOLE = ("r2r-pixels", "r2r-annotated")
"""Agents of whose rows every metric is kept; of the others, what is compared."""
_COMPARED = {
    "r2r": _R2R,
    "r4r": (*_R2R, "CLS", "nDTW", "SDTW"),
    "ndh": (*_R2R, "GP"),
    "reverie": (*_R2R, "RGS", "RGSPL"),
}

Columns = dict[str, dict[str, str]]
"""Of the episodes of an evaluation, by id: scan and metrics as they are written."""


def read_kept(table: Path = TABLE) -> dict[str, Columns]:
    """By SEED/RUN/SPLIT: the evaluations that the table keeps. Its columns are id, scan, then "SEED/RUN/SPLIT METRIC";
    a line holds what evaluations of one set of episodes made of one of them."""
    kept: dict[str, Columns] = {}
    with lzma.open(table, "rt", encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            identity, scan = row.pop("id"), row.pop("scan")
            for column, value in row.items():
                name, metric = column.rsplit(" ", 1)
                if value:
                    kept.setdefault(name, {}).setdefault(identity, {"scan": scan})[metric] = value
    return kept


def metrics_of(name: str) -> tuple[str, ...]:
    """Those that are kept of an evaluation, SEED/RUN/SPLIT."""
    _, run, split = name.split("/")
    if run in _WHOLE:
        return tuple(metric for metric in METRICS if metric != "GP")  # which is of dialogs
    return _COMPARED[split.partition("-")[0]]


def read_evaluation(table: Path, metrics: Sequence[str]) -> Columns:
    with table.open(encoding="utf-8", newline="") as file:
        rows = {row.pop("id"): row for row in csv.DictReader(file)}
    return {
        identity: {"scan": row["scan"]}
        | {name: METRICS[name].format(float(row[name])) for name in metrics if name in row}
        for identity, row in rows.items()
    }


def write_kept(kept: dict[str, Columns], table: Path = TABLE) -> None:
    """Evaluations on the same episodes stand side by side, which packs best."""
    metrics = {name: [one for one in next(iter(kept[name].values())) if one != "scan"] for name in sorted(kept)}
    columns = [(name, metric) for name in metrics for metric in metrics[name]]
    groups: dict[tuple[str, ...], list[str]] = {}
    for name in sorted(kept):
        groups.setdefault(tuple(kept[name]), []).append(name)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["id", "scan", *(" ".join(column) for column in columns)])
    for identities, names in groups.items():
        for identity in identities:
            cells = [kept[name][identity].get(metric, "") if name in names else "" for name, metric in columns]
            writer.writerow([identity, kept[names[0]][identity]["scan"], *cells])
    table.parent.mkdir(parents=True, exist_ok=True)
    table.write_bytes(lzma.compress(text.getvalue().encode(), preset=9 | lzma.PRESET_EXTREME))


def unpack(kept: dict[str, Columns], folder: Path) -> None:
    """As `mtvm eval` writes them."""
    for name, episodes in kept.items():
        path = folder / name / EPISODES
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, ["id", *next(iter(episodes.values()))])
            writer.writeheader()
            writer.writerows({"id": identity} | row for identity, row in episodes.items())


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--unpack", action="store_true")
    arguments.add_argument("--runs", type=Path, default=Path("runs"), help="where the runs are, by seed")
    given = arguments.parse_args()
    kept = read_kept() if TABLE.is_file() else {}
    if given.unpack:
        unpack(kept, TABLE.parent)
        return
    for path in sorted(given.runs.glob(f"seed*/*/eval/*/{EPISODES}")):
        seed, run, _, split, _ = path.relative_to(given.runs).parts
        name = f"{seed}/{run}/{split}"
        kept[name] = read_evaluation(path, metrics_of(name))
    write_kept(kept)


if __name__ == "__main__":
    main()

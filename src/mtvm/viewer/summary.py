"""What many episodes say of agents: means with intervals, over all of them and over those of one kind, and differences.

Agents are compared on the episodes that all of them walked. Intervals draw whole buildings (`mtvm.tasks.bootstrap`).
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mtvm.errors import InputError
from mtvm.tasks import bootstrap
from mtvm.tasks.bootstrap import Interval, Sample
from mtvm.tasks.diagnosis import MISTAKES
from mtvm.viewer.sources import Source

_GROUPED = ("SR", "SPL")
_NEITHER = ("TL",)
"""A longer or shorter walk is neither better nor worse in itself."""
_PARTS = 5  # into which lengths and words are divided, with about as many episodes each
_TITLES = {
    "length": ("Length of the reference path", "m"),
    "words": ("Words of the instruction", ""),
    "storeys": ("Changes of storey", ""),
}

Bounds = tuple[float | None, float | None]
"""From and to, both included; None where there is no limit."""


class Summary:
    """Agents on the episodes that they share."""

    def __init__(self, sources: Sequence[Source]) -> None:
        first = sources[0]
        if any(not {"NE", *_GROUPED} <= set(source.columns) for source in sources):
            raise InputError("nothing can be counted here: success is not known, because the goals are secret.")
        if any(source.episodes.name != first.episodes.name for source in sources):
            raise InputError("these agents walked different splits; compare agents of one.")
        self.sources = sources
        shared = [identity for identity in first.episodes.ids if all(identity in source.rows for source in sources)]
        if not shared:
            raise InputError("these agents have no episode in common.")
        self.ids = shared
        self._rows = [np.array([source.rows[identity] for identity in shared]) for source in sources]
        self._scans = np.array(self._facts("scan"))

    def _facts(self, name: str) -> list[Any]:
        column = self.sources[0].facts[name]
        return [column[row] for row in self._rows[0]]

    def column(self, agent: int, metric: str) -> NDArray[np.float64]:
        """A metric of the shared episodes."""
        return self.sources[agent].columns[metric][self._rows[agent]]

    def to_json(self) -> dict[str, Any]:
        agents = range(len(self.sources))
        metrics = list(self.sources[0].columns)
        everything = np.arange(len(self.ids))
        return {
            "episodes": len(self.ids),
            "means": [{name: self._mean(agent, name, everything) for name in metrics} for agent in agents],
            "groups": [self._group(name) for name in _TITLES],
            "buildings": self._buildings(),
            "mistakes": self._mistakes(),
            "differences": [self._difference(agent, metrics) for agent in agents[1:]],
            "wins": [[self._wins(one, other) for other in agents] for one in agents],
        }

    def _mean(self, agent: int, metric: str, rows: NDArray[np.int64]) -> list[float | None]:
        return _numbers(bootstrap.mean(Sample(self.column(agent, metric)[rows], self._scans[rows])))

    def _group(self, name: str) -> dict[str, Any]:
        values, (title, unit) = np.array(self._facts(name), dtype=np.float64), _TITLES[name]
        parts = _counts(values) if name == "storeys" else _parts(values)
        return {"name": name, "title": title, "unit": unit, "bars": [self._bar(values, part) for part in parts]}

    def _bar(self, values: NDArray[np.float64], bounds: Bounds) -> dict[str, Any]:
        low, high = bounds
        inside = (values >= (-math.inf if low is None else low)) & (values <= (math.inf if high is None else high))
        rows = np.nonzero(inside)[0]
        agents = range(len(self.sources))
        means = [{metric: self._mean(agent, metric, rows) for metric in _GROUPED} for agent in agents]
        return {"from": low, "to": high, "episodes": len(rows), "agents": means}

    def _buildings(self) -> list[dict[str, Any]]:
        found = []
        for scan in np.unique(self._scans).tolist():
            rows = np.nonzero(self._scans == scan)[0]
            means = [
                {metric: round(float(self.column(agent, metric)[rows].mean()), 2) for metric in ("NE", *_GROUPED)}
                for agent in range(len(self.sources))
            ]
            found.append({"scan": scan, "episodes": len(rows), "agents": means})
        return found

    def _mistakes(self) -> list[dict[str, Any]]:
        kinds = [
            source.diagnosis.kind[rows]
            for source, rows in zip(self.sources, self._rows, strict=True)
            if source.diagnosis is not None
        ]
        return [
            dataclasses.asdict(mistake) | {"agents": [int((kind == number).sum()) for kind in kinds]}
            for number, mistake in enumerate(MISTAKES)
        ]

    def _difference(self, agent: int, metrics: list[str]) -> dict[str, Any]:
        """How much better or worse an agent is than the first one."""
        found = {}
        signs = {one.name: one.sign for one in self.sources[0].episodes.task.metrics if one.name not in _NEITHER}
        for name in metrics:
            ours, theirs = (Sample(self.column(one, name), self._scans) for one in (agent, 0))
            gain = bootstrap.difference(ours, theirs)
            sign = signs.get(name, 0)
            found[name] = {"gain": _numbers(gain), "verdict": bootstrap.verdict(gain, sign) if sign else ""}
        return found

    def _wins(self, one: int, other: int) -> int:
        """In how many episodes the one succeeds and the other does not."""
        return int(((self.column(one, "SR") > 0) & (self.column(other, "SR") == 0)).sum())


def _numbers(interval: Interval) -> list[float | None]:
    """Value, low and high; JSON has no NaN."""
    return [None if math.isnan(part) else round(part, 4) for part in dataclasses.astuple(interval)]


def _parts(values: NDArray[np.float64]) -> list[Bounds]:
    """About as many values in each, between whole numbers."""
    cuts = np.unique(np.round(np.quantile(values, np.linspace(0, 1, _PARTS + 1)[1:-1])))
    cuts = cuts[(cuts > values.min()) & (cuts < values.max())].tolist()
    starts, ends = [None, *(cut + 0.01 for cut in cuts)], [*cuts, None]
    return list(zip(starts, ends, strict=True))


def _counts(values: NDArray[np.float64]) -> list[Bounds]:
    """0, 1, and more."""
    most = values.max()
    bounds: list[Bounds] = [(0, 0), (1, 1), (2, None)]
    found = {0, 1} & set(values.tolist()) | ({2} if most >= 2 else set())
    return [bounds[number] for number in sorted(map(int, found))]

"""What each metric is called, its unit, whether more of it is better, and what it means.

Everything that selects by a metric or prints one asks the task of the episodes, whose metrics are made of these.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any, Literal, get_args

Unit = Literal["%", "m", "$", ""]
_KNOWN_UNITS = get_args(Unit)


@dataclasses.dataclass(frozen=True)
class Metric:
    name: str
    unit: Unit
    """`""` for what is counted."""
    better: Literal["higher", "lower", "neither"]
    meaning: str
    """One sentence for readers who do not know the abbreviation."""

    @property
    def is_rate(self) -> bool:
        """Whether it is a share between 0 and 1, reported in percent."""
        return self.unit == "%"

    @property
    def sign(self) -> Literal[-1, 0, 1]:
        """By what to multiply values so that more is better; 0 if neither more nor less is."""
        if self.better == "neither":
            return 0
        return 1 if self.better == "higher" else -1

    @property
    def decimals(self) -> int:
        return {"%": 1, "m": 2, "$": 4, "": 1}[self.unit]

    def format(self, value: float) -> str:
        """The value without its unit, rounded as it is everywhere."""
        return f"{value:.{self.decimals}f}"

    @classmethod
    def from_plain(cls, values: Any) -> Metric | None:
        """The metric that `dataclasses.asdict` gave; None if it is malformed."""
        if not isinstance(values, dict) or values.keys() != {field.name for field in dataclasses.fields(cls)}:
            return None
        known = values["unit"] in _KNOWN_UNITS and values["better"] in ("higher", "lower", "neither")
        texts = all(isinstance(values[name], str) and len(values[name]) < 1000 for name in ("name", "meaning"))
        return cls(**values) if known and texts else None


NAVIGATION = (
    Metric("NE", "m", "lower", "Navigation error: how far from the goal the agent stops."),
    Metric("SR", "%", "higher", "Success rate: how often the agent stops within 3 m of the goal."),
    Metric("OSR", "%", "higher", "Oracle success rate: how often the agent comes within 3 m of the goal at any time."),
    Metric("SPL", "%", "higher", "Success weighted by path length: a success counts for less the longer the detour."),
    # A short walk is not good in itself, but whoever selects by length wants the shorter one.
    Metric("TL", "m", "lower", "Trajectory length: how far the agent walks."),
    Metric("nDTW", "%", "higher", "Normalized dynamic time warping: how closely the agent follows the described path."),
    Metric("SDTW", "%", "higher", "Success weighted by nDTW: nDTW if the agent succeeds, otherwise zero."),
    Metric("CLS", "%", "higher", "Coverage weighted by length score: how much of the described path the agent covers."),
    Metric("GP", "m", "higher", "Goal progress: how much closer to the goal the agent ends than it started."),
)
"""The metrics of walks, in the order of the tables: those of every task that does not name its own."""
_ARRIVAL = Metric(
    "AR", "%", "higher", "Arrival rate: how often the agent stops within 3 m of the goal, whichever way it came."
)
GROUNDING = (
    Metric("RGS", "%", "higher", "Remote grounding success: how often the agent names the object that is asked for."),
    Metric("RGSPL", "%", "higher", "RGS weighted by path length: a success counts for less the longer the detour."),
)
"""The metrics of answers that name an object."""
METRICS = {metric.name: metric for metric in (*NAVIGATION, *GROUNDING, _ARRIVAL)}
"""The metrics of the package's own tables by name; only the demo reports the arrival rate."""


def format_value(name: str, value: float) -> str:
    """The value of a metric that may be of somebody's own task, without its unit."""
    return METRICS[name].format(value) if name in METRICS else f"{value:.1f}"


def describe_units(metrics: Iterable[Metric]) -> str:
    """A caption such as 'NE and TL in metres, the others in percent'."""
    chosen = list(metrics)
    others = {word: [one.name for one in chosen if one.unit == unit] for unit, word in _UNITS.items()}
    named = {word: names for word, names in others.items() if names}
    rates = any(metric.is_rate for metric in chosen)
    if not named or (len(named) == 1 and not rates):
        return f"all {next(iter(named), 'in percent')}"
    listed = [f"{' and '.join(', '.join(names).rsplit(', ', 1))} {word}" for word, names in named.items()]
    return ", ".join([*listed, "the others in percent"] if rates else listed)


_UNITS = {"m": "in metres", "": "counted", "$": "in dollars"}
"""What is not a share, in words."""

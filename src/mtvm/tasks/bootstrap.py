"""Is a difference real? Intervals that respect buildings and seeds.

The scores of an arm on a split are (seeds, episodes), and `buildings` (episodes,) says where each episode takes place.
Episodes of one building are alike, and three instructions share a path, so that whole buildings are drawn; and whole
seeds, because another seed trains another agent. A difference of two arms draws the same buildings for both, and the
seeds of each by themselves.

A draw has one building and one seed fewer than there are. Its variance is then that of the estimate; with as many as
there are it is too small by (n - 1) / n (Rao, Wu and Yue 1992), which matters with 11 buildings and three seeds. Of a
single building nothing can be drawn, and the interval is not known; of a single seed neither, and the interval is then
that of this one agent.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Verdict = Literal["better", "worse", "cannot tell"]

DRAWS = 4000
LEVEL = 0.95
_TRIM = 0.25  # what the interquartile mean leaves out at each end


@dataclasses.dataclass(frozen=True)
class Interval:
    """An estimate, and where it lies with a probability of `LEVEL`; NaN if that cannot be known."""

    value: float
    low: float
    high: float

    @property
    def is_known(self) -> bool:
        return math.isfinite(self.low)


class Sample:
    """Scores (seeds, episodes) of one arm, summed up by building."""

    def __init__(self, scores: ArrayLike, buildings: ArrayLike) -> None:
        scores = np.atleast_2d(np.asarray(scores, dtype=np.float64))
        self.names, place = np.unique(np.asarray(buildings), return_inverse=True)
        if not scores.size or scores.shape[1] != len(place):
            raise ValueError(f"scores {scores.shape} and {len(place)} buildings do not fit together.")
        self.sizes = np.bincount(place).astype(np.float64)
        self.sums = np.stack([np.bincount(place, weights=row, minlength=len(self.names)) for row in scores])

    @property
    def by_building(self) -> Floats:
        """(seeds, buildings) mean scores."""
        return self.sums / self.sizes

    @property
    def mean(self) -> float:
        """Over all episodes and seeds."""
        return float(self.sums.sum() / (self.sizes.sum() * len(self.sums)))

    def drawn_means(self, seeds: Floats, buildings: Floats) -> Floats:
        """(draws,) means with weights of seeds (draws, seeds) and buildings (draws, buildings)."""
        return np.einsum("ds,sb,db->d", seeds, self.sums, buildings) / (buildings @ self.sizes)


def mean(sample: Sample, seed: int = 0) -> Interval:
    """The mean over all episodes and seeds."""
    buildings, seeds = _drawn(seed, len(sample.names), len(sample.sums))
    return _interval(sample.mean, sample.drawn_means(seeds, buildings), len(sample.names))


def difference(one: Sample, other: Sample, seed: int = 0) -> Interval:
    """How much the mean of `one` is above that of `other`, on the same episodes."""
    _check_pair(one, other)
    buildings, ours, theirs = _drawn(seed, len(one.names), len(one.sums), len(other.sums))
    drawn = one.drawn_means(ours, buildings) - other.drawn_means(theirs, buildings)
    return _interval(one.mean - other.mean, drawn, len(one.names))


def p_value(one: Sample, other: Sample, seed: int = 0) -> float:
    """How probable so large a difference, of either sign, would be if there were none: the share of the draws on the
    other side of 0, twice. It is never 0, as there are only so many draws."""
    _check_pair(one, other)
    buildings, ours, theirs = _drawn(seed, len(one.names), len(one.sums), len(other.sums))
    drawn = one.drawn_means(ours, buildings) - other.drawn_means(theirs, buildings)
    below, above = np.count_nonzero(drawn <= 0), np.count_nonzero(drawn >= 0)
    return min(1.0, 2 * (min(below, above) + 1) / (DRAWS + 1))


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's correction: what each would have to be below for the chance of any false claim to stay below that."""
    order = np.argsort(p_values, kind="stable")
    scaled = (len(p_values) - np.arange(len(p_values))) * np.asarray(p_values)[order]
    corrected = np.empty(len(p_values))
    corrected[order] = np.minimum(np.maximum.accumulate(scaled), 1.0)
    return corrected.tolist()


def interquartile_mean(sample: Sample, seed: int = 0) -> Interval:
    """The mean of the middle half of the buildings' scores over all seeds: unmoved by one odd building or seed."""
    from scipy import stats

    rng = np.random.default_rng(seed)
    table = sample.by_building
    seeds, buildings = (_rows(count, rng) for count in table.shape)
    drawn = stats.trim_mean(table[seeds[:, :, None], buildings[:, None, :]].reshape(DRAWS, -1), _TRIM, axis=1)
    return _interval(float(stats.trim_mean(table.ravel(), _TRIM)), np.asarray(drawn), table.shape[1])


def probability_of_improvement(one: Sample, other: Sample, sign: int = 1, seed: int = 0) -> Interval:
    """How probably a new agent of `one` beats one of `other` in a building, ties counting half.

    It is the Mann-Whitney statistic of the seeds' scores in a building over the number of pairs, averaged over
    buildings. `sign` is -1 where less is better.
    """
    _check_pair(one, other)
    ours, theirs = sign * one.by_building[:, None], sign * other.by_building[None]
    wins = (ours > theirs) + 0.5 * (ours == theirs)
    weights = _drawn(seed, *wins.shape)
    drawn = np.einsum("ds,dt,stb,db->d", weights[0], weights[1], wins, weights[2], optimize=True)
    return _interval(float(wins.mean()), drawn, wins.shape[2])


def performance_profile(sample: Sample, thresholds: ArrayLike) -> Floats:
    """For each threshold, the share of buildings and seeds whose score is above it."""
    shares: Floats = (sample.by_building.ravel() > np.asarray(thresholds)[:, None]).mean(axis=1)
    return shares


def verdict(gain: Interval, sign: int = 1) -> Verdict:
    """Whether a difference is an improvement; `sign` is -1 where less is better."""
    if not gain.is_known or gain.low <= 0 <= gain.high:
        return "cannot tell"
    return "better" if sign * gain.value > 0 else "worse"


@functools.lru_cache(maxsize=16)  # a table has many intervals of the same sizes
def _drawn(seed: int, *counts: int) -> tuple[Floats, ...]:
    """The weights of each, drawn one after the other."""
    rng = np.random.default_rng(seed)
    return tuple(_weights(count, rng) for count in counts)


def _weights(count: int, rng: np.random.Generator) -> Floats:
    """(draws, count) how much of each draw comes from each of `count`; the rows add up to 1."""
    if count == 1:
        return np.ones((DRAWS, 1))
    return rng.multinomial(count - 1, np.full(count, 1 / count), size=DRAWS) / (count - 1)


def _rows(count: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """(draws, drawn) which of `count` are drawn."""
    return rng.integers(count, size=(DRAWS, max(count - 1, 1)))


def _interval(value: float, drawn: NDArray[Any], buildings: int) -> Interval:
    if buildings < 2:
        return Interval(value, math.nan, math.nan)
    low, high = np.quantile(drawn, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Interval(value, float(low), float(high))


def _check_pair(one: Sample, other: Sample) -> None:
    if not (np.array_equal(one.names, other.names) and np.array_equal(one.sizes, other.sizes)):
        raise ValueError("the two arms were not evaluated on the same episodes.")

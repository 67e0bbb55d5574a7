"""Bootstrap intervals: of a mean, of any statistic, and with whole clusters resampled."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tutorscope.stats.arrays import ESTIMATED, NOT_ESTIMABLE, TIE, Floats, Integers, levels, vector

DRAWS = 10_000

ALIKE = "all alike"
"""What stands in place of an interval without width."""

# A block of resamples holds at most this many indices (16 MB with the values it picks). The draws come off one stream
# in the same order whatever the block, so this bounds memory and changes no digit.
_BLOCK = 2**20


@dataclass(frozen=True)
class Interval:
    """An estimate and its percentile interval.

    Attributes
    ----------
    estimate : float
        The statistic of the data themselves.
    low, high : float
        The interval; nan when it cannot be had.
    level : float
        Its nominal coverage.
    n : int
        How many things were resampled: values, or clusters.
    draws : int
        How many resamples were asked for.
    undefined : int
        Resamples in which the statistic had no value; they are left out of the percentiles.
    method : str
        ``bootstrap`` or ``cluster bootstrap``.
    state : str
        ``estimated`` or ``not_estimable``.
    reason : str
        Why not; empty when estimated.
    """

    estimate: float
    low: float
    high: float
    level: float
    n: int
    draws: int
    undefined: int
    method: str
    state: str
    reason: str

    @property
    def alike(self) -> bool:
        """Whether all that was resampled is alike, see `no_width`."""
        return no_width(self.low, self.high)


def no_width(low: float, high: float) -> bool:
    """Tell whether the ends of an interval are one number: resampling what is all alike gives the same every time.

    Such an interval looks like certainty and only says that the data hold no spread to learn from; `ALIKE` is to be
    shown in its place. Nan has no ends and gives False.

    Examples
    --------
    >>> no_width(0.7, 0.7), no_width(0.1 + 0.2, 0.3), no_width(0.4, 0.9), mean_interval([1, 1, 1]).alike
    (True, True, False, True)
    """
    return bool(abs(high - low) < TIE)


def mean_interval(values: npt.ArrayLike, *, draws: int = DRAWS, seed: int = 0, level: float = 0.95) -> Interval:
    """Give the mean and its percentile bootstrap interval.

    Each draw takes n values with replacement and averages them; the interval runs between the linear percentiles
    ``100 (1 - level) / 2`` and ``100 (1 + level) / 2`` of the averages. Every call starts a fresh PCG64 generator, so
    intervals of equal n share their draws. The digits depend on the order of the values (draws pick by place):
    callers order them by something that stays, such as the replicate.

    Parameters
    ----------
    values : array_like, shape (n,)
        Finite numbers.
    draws : int
        Number of resamples.
    seed : int
        Seed of the generator.
    level : float
        Nominal coverage, between 0 and 1.

    Returns
    -------
    Interval
        ``not_estimable`` for fewer than two values: one value says nothing about its spread.

    Raises
    ------
    UserError
        When a value is missing or infinite.

    References
    ----------
    Efron and Tibshirani (1993), An Introduction to the Bootstrap, chapter 13.

    Examples
    --------
    >>> result = mean_interval([1, 0, 1, 1, 0, 1, 0, 1, 1, 1])
    >>> result.estimate, result.low, result.high
    (0.7, 0.4, 0.9)
    """
    array = vector(values, "values")
    estimate = float(array.mean()) if len(array) else float("nan")
    return bootstrap_interval(
        len(array), lambda rows: array[rows].mean(axis=1), estimate, draws=draws, seed=seed, level=level
    )


def bootstrap_interval(
    n: int,
    statistic: Callable[[Integers], Floats],
    estimate: float,
    *,
    draws: int = DRAWS,
    seed: int = 0,
    level: float = 0.95,
) -> Interval:
    """Give the percentile bootstrap interval of any statistic of n things.

    Parameters
    ----------
    n : int
        How many things there are to resample.
    statistic : callable
        Takes places drawn with replacement, an integer array of shape (b, n), one resample a row, and gives the b
        values of the statistic; nan where it has none.
    estimate : float
        The statistic of the data themselves.
    draws, seed, level
        As for `mean_interval`.

    Returns
    -------
    Interval
        ``not_estimable`` for n < 2, or when no resample has a value. Resamples without a value are counted.

    Examples
    --------
    >>> import numpy as np
    >>> ratings = np.array([1.0, 2, 2, 3, 5, 5, 5, 4, 4, 1])
    >>> result = bootstrap_interval(10, lambda rows: np.median(ratings[rows], axis=1), float(np.median(ratings)))
    >>> result.estimate, result.low, result.high
    (3.5, 1.5, 5.0)
    """
    _check(draws, level)
    if n < 2:
        return _without_interval(estimate, level, n, draws, 0, "bootstrap", "fewer than two values")
    generator = np.random.Generator(np.random.PCG64(seed))
    rows_in_block = max(1, _BLOCK // n)
    results = np.empty(draws)
    for start in range(0, draws, rows_in_block):
        stop = min(draws, start + rows_in_block)
        results[start:stop] = statistic(generator.integers(0, n, size=(stop - start, n)))
    return _percentiles(estimate, results, level, n, "bootstrap")


def cluster_mean_interval(
    values: npt.ArrayLike,
    clusters: npt.ArrayLike,
    *,
    draws: int = DRAWS,
    seed: int = 0,
    level: float = 0.95,
) -> Interval:
    """Give the mean over all values and its interval when the values of a cluster hang together.

    Whole clusters are drawn with replacement, as many as there are, and the statistic of a draw is the mean over all
    values in them: sum of sums over sum of sizes. Clusters are taken in sorted order, so the order of the rows does
    not matter.

    Parameters
    ----------
    values : array_like, shape (n,)
        Finite numbers.
    clusters : array_like, shape (n,)
        The cluster that each value belongs to: a chat, a category, a replicate.
    draws, seed, level
        As for `mean_interval`.

    Returns
    -------
    Interval
        With n the number of clusters; ``not_estimable`` for fewer than two clusters.

    Raises
    ------
    ValueError
        When the lengths differ.
    UserError
        When a value or a cluster is missing.

    References
    ----------
    Field and Welsh (2007), Bootstrapping clustered data, JRSS B 69.

    Examples
    --------
    >>> result = cluster_mean_interval([1, 1, 0, 0, 1, 1], ["a", "a", "b", "b", "c", "c"])
    >>> round(result.estimate, 4), result.low, result.high, result.n
    (0.6667, 0.0, 1.0, 3)
    """
    array = vector(values, "values")
    codes, distinct = levels(clusters, "clusters")
    if len(codes) != len(array):
        raise ValueError(f"clusters: {len(codes)} labels for {len(array)} values")
    _check(draws, level)
    k = len(distinct)
    estimate = float(array.mean()) if len(array) else float("nan")
    if k < 2:
        return _without_interval(estimate, level, k, draws, 0, "cluster bootstrap", "fewer than two clusters")
    sums = np.bincount(codes, weights=array, minlength=k)
    sizes = np.bincount(codes, minlength=k).astype(np.float64)
    generator = np.random.Generator(np.random.PCG64(seed))
    rows_in_block = max(1, _BLOCK // k)
    results = np.empty(draws)
    for start in range(0, draws, rows_in_block):
        stop = min(draws, start + rows_in_block)
        drawn = generator.integers(0, k, size=(stop - start, k))
        results[start:stop] = sums[drawn].sum(axis=1) / sizes[drawn].sum(axis=1)
    return _percentiles(estimate, results, level, k, "cluster bootstrap")


def cluster_bootstrap_interval(
    clusters: npt.ArrayLike,
    statistic: Callable[[Integers], float],
    *,
    draws: int = DRAWS,
    seed: int = 0,
    level: float = 0.95,
) -> Interval:
    """Give the interval of any statistic when whole clusters are resampled.

    Draws equal those of `cluster_mean_interval` with the same seed and number of clusters.

    Parameters
    ----------
    clusters : array_like, shape (n,)
        The cluster that each row belongs to.
    statistic : callable
        Takes the places of the rows drawn (integers, with repeats) and gives one number; nan where it has none.
    draws, seed, level
        As for `mean_interval`.

    Returns
    -------
    Interval
        With n the number of clusters. Resamples without a value are counted and left out.

    Raises
    ------
    UserError
        When a cluster is missing.

    Examples
    --------
    >>> import numpy as np
    >>> ratings = np.array([5.0, 4, 1, 2, 3, 3])
    >>> chats = ["a", "a", "b", "b", "c", "c"]
    >>> result = cluster_bootstrap_interval(chats, lambda rows: float(np.median(ratings[rows])), draws=2000)
    >>> result.estimate, result.low, result.high
    (3.0, 1.5, 4.5)
    """
    codes, distinct = levels(clusters, "clusters")
    _check(draws, level)
    k = len(distinct)
    estimate = float(statistic(np.arange(len(codes)))) if len(codes) else float("nan")
    if k < 2:
        return _without_interval(estimate, level, k, draws, 0, "cluster bootstrap", "fewer than two clusters")
    ordered = np.argsort(codes, kind="stable")
    members = np.split(ordered, np.cumsum(np.bincount(codes, minlength=k))[:-1])
    generator = np.random.Generator(np.random.PCG64(seed))
    results = np.empty(draws)
    for draw in range(draws):
        results[draw] = statistic(np.concatenate([members[c] for c in generator.integers(0, k, size=k)]))
    return _percentiles(estimate, results, level, k, "cluster bootstrap")


def _check(draws: int, level: float) -> None:
    if draws < 1:
        raise ValueError(f"draws: found {draws}, expected at least 1")
    if not 0 < level < 1:
        raise ValueError(f"level: found {level}, expected a share between 0 and 1")


def _percentiles(estimate: float, results: Floats, level: float, n: int, method: str) -> Interval:
    defined = results[~np.isnan(results)]
    undefined = len(results) - len(defined)
    if np.isnan(estimate) or not len(defined):
        return _without_interval(estimate, level, n, len(results), undefined, method, "the statistic has no value")
    # Rounded, because 50 * (1 - 0.95) is not quite 2.5 in floats and the percentile must be.
    tail = round(50 * (1 - level), 9)
    low, high = np.percentile(defined, [tail, 100 - tail])
    return Interval(estimate, float(low), float(high), level, n, len(results), undefined, method, ESTIMATED, "")


def _without_interval(
    estimate: float, level: float, n: int, draws: int, undefined: int, method: str, reason: str
) -> Interval:
    nan = float("nan")
    return Interval(estimate, nan, nan, level, n, draws, undefined, method, NOT_ESTIMABLE, reason)

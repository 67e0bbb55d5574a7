"""Two conditions on the same replicates: signed ranks, effect sizes, and all of it in one row."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import special

from tutorscope.stats.arrays import (
    ESTIMATED,
    NOT_ESTIMABLE,
    TIE,
    Floats,
    Integers,
    doubled_ranks,
    exact_or_float,
)
from tutorscope.stats.intervals import DRAWS, mean_interval

LARGEST_EXACT = 15


@dataclass(frozen=True)
class SignedRanks:
    """A Wilcoxon signed-rank test.

    Attributes
    ----------
    w : float
        The smaller of the two rank sums; nan without a pair.
    w_plus, w_minus : float
        Sum of the ranks of positive and of negative differences.
    p : float
        Two-sided.
    n : int
        Pairs.
    n_zero : int
        Pairs without a difference, dropped before ranking.
    method : str
        ``exact`` or ``normal, tie-corrected``.
    state : str
        ``estimated`` or ``not_estimable``.
    reason : str
        Why not; empty when estimated.
    """

    w: float
    w_plus: float
    w_minus: float
    p: float
    n: int
    n_zero: int
    method: str
    state: str
    reason: str


@dataclass(frozen=True)
class PairedSummary:
    """What two conditions on the same replicates show, in one flat row.

    Attributes
    ----------
    n : int
        Pairs.
    n_greater, n_smaller, n_equal : int
        Pairs in which the first condition is greater, smaller, the same.
    mean_first, mean_second : float
        Means of the conditions.
    mean_difference, low, high : float
        Mean of first less second, and its percentile bootstrap interval.
    level : float
        Nominal coverage of that interval.
    median_difference : float
        Median of the differences.
    hodges_lehmann : float
        Median of the means of every two differences.
    cliffs_delta : float
        Over all pairs of a first and a second value.
    w, p : float
        Wilcoxon's statistic and two-sided p-value.
    n_zero : int
        Differences that the test dropped.
    p_method : str
        ``exact`` or ``normal, tie-corrected``.
    state, reason : str
        Of the test: ``estimated``, or ``not_estimable`` and why.
    """

    n: int
    n_greater: int
    n_smaller: int
    n_equal: int
    mean_first: float
    mean_second: float
    mean_difference: float
    low: float
    high: float
    level: float
    median_difference: float
    hodges_lehmann: float
    cliffs_delta: float
    w: float
    p: float
    n_zero: int
    p_method: str
    state: str
    reason: str


def signed_ranks(first: npt.ArrayLike, second: npt.ArrayLike) -> SignedRanks:
    r"""Test whether paired differences lie around zero (Wilcoxon), with ties and zeros taken exactly.

    Integers and fractions are subtracted exactly; differences of floats are rounded to 1e-9, since ratings are thirds
    and equal differences of thirds part by 1e-16, which would break ties and let zeros through. Zeros are dropped, ties
    share their mean rank. For up to 15 differences left, all :math:`2^n` signs are weighed: p is twice the share of
    them with a rank sum no greater than the smaller observed one, at most 1. Beyond, w is normal with mean
    :math:`n (n + 1) / 4` and variance :math:`\sum r_i^2 / 4` (which holds the correction for ties), without a
    continuity correction. When nothing is left, the only outcome has p = 1.

    Parameters
    ----------
    first, second : array_like, shape (n,)
        Integers, `fractions.Fraction` or finite floats, paired by place.

    Returns
    -------
    SignedRanks
        ``not_estimable`` without a pair.

    Raises
    ------
    ValueError
        When the lengths differ.
    UserError
        When a value is missing or infinite.

    References
    ----------
    Wilcoxon (1945), Individual comparisons by ranking methods, Biometrics Bulletin 1; Pratt and Gibbons (1981),
    Concepts of Nonparametric Theory, chapter 3, on ties.

    Examples
    --------
    >>> from fractions import Fraction
    >>> thirds = [Fraction(k, 3) for k in (15, 14, 15, 13, 12, 15, 15, 11)]
    >>> result = signed_ranks(thirds, [Fraction(k, 3) for k in (13, 14, 13, 12, 13, 12, 11, 10)])
    >>> result.w, result.p, result.n, result.n_zero, result.method
    (2.0, 0.0625, 8, 1, 'exact')
    """
    differences = _differences(first, second)
    n = len(differences)
    if not n:
        nan = math.nan
        return SignedRanks(nan, nan, nan, nan, 0, 0, "", NOT_ESTIMABLE, "no pair")
    left = differences[differences != 0]
    doubled = doubled_ranks(np.abs(left))
    plus, minus = int(doubled[left > 0].sum()), int(doubled[left < 0].sum())
    smaller = min(plus, minus)
    if len(left) <= LARGEST_EXACT:
        method, p = "exact", _exact_p(doubled, smaller)
    else:
        method, p = "normal, tie-corrected", _normal_p(doubled, smaller)
    return SignedRanks(smaller / 2, plus / 2, minus / 2, p, n, n - len(left), method, ESTIMATED, "")


def cliffs_delta(first: npt.ArrayLike, second: npt.ArrayLike) -> float:
    r"""Give the share of pairs in which the first value is greater, less the share in which it is smaller.

    .. math:: \delta = \frac{\#(x_i > y_j) - \#(x_i < y_j)}{n m}

    over all n times m pairs, not the matched ones. Floats nearer than half of 1e-9 are equal. Time is that of sorting.

    Parameters
    ----------
    first : array_like, shape (n,)
        Integers, fractions or finite floats.
    second : array_like, shape (m,)
        The same for the other condition.

    Returns
    -------
    float
        Between -1 and 1; nan when a condition is empty.

    Raises
    ------
    UserError
        When a value is missing or infinite.

    References
    ----------
    Cliff (1993), Dominance statistics: ordinal analyses to answer ordinal questions, Psychological Bulletin 114.

    Examples
    --------
    >>> cliffs_delta([5, 5, 4, 3], [4, 3, 3, 2])
    0.6875
    """
    x, y = exact_or_float(first, "first"), exact_or_float(second, "second")
    if not len(x) or not len(y):
        return math.nan
    slack: float = 0
    if "f" in (x.dtype.kind, y.dtype.kind):
        x, y, slack = x.astype(np.float64), y.astype(np.float64), TIE
    y = np.sort(y)
    greater = int(np.searchsorted(y, x - slack, side="left").sum())
    smaller = int((len(y) - np.searchsorted(y, x + slack, side="right")).sum())
    return (greater - smaller) / (len(x) * len(y))


def hodges_lehmann(first: npt.ArrayLike, second: npt.ArrayLike) -> float:
    """Give the median of the means of every two paired differences, each with itself too.

    Memory grows with the square of the pairs: a thousand pairs need 4 MB.

    Parameters
    ----------
    first, second : array_like, shape (n,)
        Integers, fractions or finite floats, paired by place.

    Returns
    -------
    float
        In the units of the values; nan without a pair.

    Raises
    ------
    ValueError
        When the lengths differ.
    UserError
        When a value is missing or infinite.

    References
    ----------
    Hodges and Lehmann (1963), Estimates of location based on rank tests, Annals of Mathematical Statistics 34.

    Examples
    --------
    >>> hodges_lehmann([3, 5, 9], [1, 4, 2])
    3.0
    """
    differences = _differences(first, second).astype(np.float64)
    if not len(differences):
        return math.nan
    one, other = np.triu_indices(len(differences))
    return float(np.median((differences[one] + differences[other]) / 2))


def paired_summary(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    *,
    draws: int = DRAWS,
    seed: int = 0,
    level: float = 0.95,
) -> PairedSummary:
    """Compare two conditions on the same replicates: counts, means, interval, effect sizes, signed ranks.

    Replicates with one condition only are the caller's to count and leave out. The interval depends on the order of
    the pairs (see `intervals.mean_interval`): order them by replicate.

    Parameters
    ----------
    first, second : array_like, shape (n,)
        Integers, fractions or finite floats, paired by place.
    draws, seed, level
        As for `intervals.mean_interval`.

    Returns
    -------
    PairedSummary
        ``dataclasses.asdict`` makes a table's row of it.

    Raises
    ------
    ValueError
        When the lengths differ.
    UserError
        When a value is missing or infinite.

    Examples
    --------
    >>> result = paired_summary([4, 5, 3, 5, 4, 5], [3, 4, 3, 2, 4, 3])
    >>> round(result.mean_difference, 4), round(result.low, 4), result.high, result.p, round(result.cliffs_delta, 4)
    (1.1667, 0.3333, 2.0, 0.125, 0.6944)
    """
    differences = _differences(first, second)
    x, y = (np.asarray(values).astype(np.float64) for values in (first, second))
    # From the differences as they are: rounding them is for ties, and would cost the published intervals a digit.
    interval = mean_interval(x - y, draws=draws, seed=seed, level=level)
    test = signed_ranks(first, second)
    nan = math.nan
    return PairedSummary(
        n=len(differences),
        n_greater=int(np.count_nonzero(differences > 0)),
        n_smaller=int(np.count_nonzero(differences < 0)),
        n_equal=int(np.count_nonzero(differences == 0)),
        mean_first=float(x.mean()) if len(x) else nan,
        mean_second=float(y.mean()) if len(y) else nan,
        mean_difference=interval.estimate,
        low=interval.low,
        high=interval.high,
        level=level,
        median_difference=float(np.median(x - y)) if len(x) else nan,
        hodges_lehmann=hodges_lehmann(first, second),
        cliffs_delta=cliffs_delta(first, second),
        w=test.w,
        p=test.p,
        n_zero=test.n_zero,
        p_method=test.method,
        state=test.state,
        reason=test.reason,
    )


def _differences(first: npt.ArrayLike, second: npt.ArrayLike) -> npt.NDArray[Any]:
    """First less second: exact where both are, else floats rounded to 1e-9."""
    x, y = exact_or_float(first, "first"), exact_or_float(second, "second")
    if len(x) != len(y):
        raise ValueError(f"first and second: {len(x)} and {len(y)} values")
    if "f" in (x.dtype.kind, y.dtype.kind):
        rounded: Floats = np.round(x.astype(np.float64) - y.astype(np.float64), 9)
        return rounded
    return np.asarray(x - y)


def _exact_p(doubled: Integers, smaller: int) -> float:
    """Weigh all 2^n signs of the ranks by adding one rank at a time to every sum reached so far."""
    ways = np.zeros(int(doubled.sum()) + 1, dtype=np.int64)
    ways[0] = 1
    for rank in doubled:
        ways[rank:] = ways[rank:] + ways[: len(ways) - rank]
    # Sums are symmetric about their middle, so the other tail is as heavy.
    share: float = 2 * int(ways[: smaller + 1].sum()) / 2 ** len(doubled)
    return min(1.0, share)


def _normal_p(doubled: Integers, smaller: int) -> float:
    ranks = doubled / 2
    z = (smaller / 2 - ranks.sum() / 2) / math.sqrt(float(np.square(ranks).sum()) / 4)
    return float(min(1.0, 2 * special.ndtr(z)))

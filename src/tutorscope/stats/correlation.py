"""Rank correlation with ties: Spearman's rho, its p-value and its interval."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from scipy import special

from tutorscope.stats.arrays import ESTIMATED, NOT_ESTIMABLE, Integers, doubled_ranks, vector

# 9! = 362,880 orders are weighed in some 20 ms and 30 MB; one value more would take ten times that.
LARGEST_EXACT = 9


@dataclass(frozen=True)
class Spearman:
    """A rank correlation.

    Attributes
    ----------
    rho : float
        Pearson's correlation of the mid-ranks; nan when a variable is constant.
    low, high : float
        Its interval; nan for fewer than four pairs or a perfect correlation.
    p : float
        Two-sided.
    n : int
        Pairs.
    level : float
        Nominal coverage of the interval.
    p_method : str
        ``exact`` (every order of the pairs, ties kept) for n <= 9, else ``t`` with n - 2 degrees of freedom.
    interval_method : str
        ``Fisher z, Bonett-Wright``; empty when there is no interval.
    state : str
        ``estimated`` or ``not_estimable``.
    reason : str
        Why not; empty when estimated.
    """

    rho: float
    low: float
    high: float
    p: float
    n: int
    level: float
    p_method: str
    interval_method: str
    state: str
    reason: str


def spearman(
    x: npt.ArrayLike, y: npt.ArrayLike, *, names: tuple[str, str] = ("x", "y"), level: float = 0.95
) -> Spearman:
    r"""Correlate the ranks of two variables, ties sharing their mean rank.

    Values nearer than half of 1e-9 are ties: two means of the same ratings may differ by 1e-16. The p-value counts all
    n! orders for n <= 9 (exact with ties too) and beyond takes ``t = rho sqrt((n - 2) / (1 - rho^2))``, n - 2 degrees
    of freedom. The interval is

    .. math:: \tanh\left(\operatorname{arctanh} \rho \pm z \sqrt{(1 + \rho^2 / 2) / (n - 3)}\right)

    chosen over the bootstrap because it costs nothing at a million pairs, has the same digits whatever the order of
    the rows, and can be cited. Simulated at nominal 95%, it covers 93 to 97% for continuous scores and for five-point
    ratings spread over the scale (n from 20 to 300, rho from 0 to .8), but only 89% where half of the ratings of both
    sit in the top category and rho is .66. For ratings at their ceiling, and for pairs that are not independent (turns
    of one session), give `spearman_rho` to `intervals.cluster_bootstrap_interval`.

    Parameters
    ----------
    x, y : array_like, shape (n,)
        Finite numbers, paired by place.
    names : tuple of str
        What a reason calls the two.
    level : float
        Nominal coverage of the interval.

    Returns
    -------
    Spearman
        ``not_estimable`` when a variable is constant or there are fewer than three pairs.

    Raises
    ------
    ValueError
        When the lengths differ.
    UserError
        When a value is missing or infinite.

    References
    ----------
    Bonett and Wright (2000), Sample size requirements for estimating Pearson, Kendall and Spearman correlations,
    Psychometrika 65.

    Examples
    --------
    >>> result = spearman([1, 2, 3, 4, 5, 6, 7], [2, 1, 3, 3, 6, 5, 7])
    >>> round(result.rho, 6), round(result.low, 4), round(result.high, 4), round(result.p, 6), result.p_method
    (0.918956, 0.3915, 0.9919, 0.006349, 'exact')
    """
    ranks_x, ranks_y = _centred_ranks(x, names[0]), _centred_ranks(y, names[1])
    n = _common_length(ranks_x, ranks_y)
    if not 0 < level < 1:
        raise ValueError(f"level: found {level}, expected a share between 0 and 1")
    if n < 3:
        return _undefined(n, level, "fewer than three pairs")
    for name, ranks in zip(names, (ranks_x, ranks_y), strict=True):
        if not ranks.any():
            return _undefined(n, level, f"{name} is constant")
    rho = _correlate(ranks_x, ranks_y)
    if n <= LARGEST_EXACT:
        p, p_method = _exact_p(ranks_x, ranks_y), "exact"
    else:
        p, p_method = _t_p(rho, n), "t"
    low, high, interval_method = _fisher_interval(rho, n, level)
    return Spearman(rho, low, high, p, n, level, p_method, interval_method, ESTIMATED, "")


def spearman_rho(x: npt.ArrayLike, y: npt.ArrayLike) -> float:
    """Give Spearman's rho alone: what a bootstrap calls ten thousand times.

    Parameters
    ----------
    x, y : array_like, shape (n,)
        As for `spearman`.

    Returns
    -------
    float
        nan when a variable is constant or there are fewer than two pairs.

    Examples
    --------
    >>> round(spearman_rho([1, 2, 3, 4], [1, 3, 2, 4]), 6)
    0.8
    """
    ranks_x, ranks_y = _centred_ranks(x, "x"), _centred_ranks(y, "y")
    _common_length(ranks_x, ranks_y)
    return _correlate(ranks_x, ranks_y) if ranks_x.any() and ranks_y.any() else math.nan


def _centred_ranks(values: npt.ArrayLike, name: str) -> Integers:
    """Twice the mid-ranks less their mean: integers, so that comparisons of their products are exact."""
    array = vector(values, name)
    return doubled_ranks(array) - (len(array) + 1)


def _common_length(ranks_x: Integers, ranks_y: Integers) -> int:
    if len(ranks_x) != len(ranks_y):
        raise ValueError(f"x and y: {len(ranks_x)} and {len(ranks_y)} values")
    return len(ranks_x)


def _correlate(ranks_x: Integers, ranks_y: Integers) -> float:
    spread = math.sqrt(_inner(ranks_x, ranks_x)) * math.sqrt(_inner(ranks_y, ranks_y))
    return max(-1.0, min(1.0, _inner(ranks_x, ranks_y) / spread))


def _inner(a: Integers, b: Integers) -> float:
    # In floats: the integer sum of a million squared ranks would overflow 64 bits. Below 2^53 it is exact anyway.
    return float(a.astype(np.float64) @ b.astype(np.float64))


@lru_cache(maxsize=1)
def _orders(n: int) -> npt.NDArray[np.int8]:
    """Every order of n things, one a row."""
    orders = np.zeros((1, 1), dtype=np.int8)
    for last in range(1, n):
        orders = np.concatenate([np.insert(orders, place, last, axis=1) for place in range(last + 1)])
    return orders


def _exact_p(ranks_x: Integers, ranks_y: Integers) -> float:
    products = ranks_y[_orders(len(ranks_y))] @ ranks_x
    return float(np.mean(np.abs(products) >= abs(int(ranks_x @ ranks_y))))


def _t_p(rho: float, n: int) -> float:
    if abs(rho) == 1:
        return 0.0
    return float(2 * special.stdtr(n - 2, -abs(rho) * math.sqrt((n - 2) / (1 - rho * rho))))


def _fisher_interval(rho: float, n: int, level: float) -> tuple[float, float, str]:
    if n < 4 or abs(rho) == 1:
        return math.nan, math.nan, ""
    half = float(special.ndtri(0.5 + level / 2)) * math.sqrt((1 + rho * rho / 2) / (n - 3))
    centre = math.atanh(rho)
    return math.tanh(centre - half), math.tanh(centre + half), "Fisher z, Bonett-Wright"


def _undefined(n: int, level: float, reason: str) -> Spearman:
    nan = math.nan
    return Spearman(nan, nan, nan, nan, n, level, "", "", NOT_ESTIMABLE, reason)

"""Intervals over categories: scenarios of one category share their criteria, so whole categories are resampled."""

from __future__ import annotations

from dataclasses import replace
from math import nan

import numpy.typing as npt

from tutorscope.stats.arrays import NOT_ESTIMABLE
from tutorscope.stats.intervals import ALIKE, Interval, cluster_mean_interval

LEAST_CATEGORIES = 5
"""With fewer, a percentile bootstrap knows next to nothing of how categories differ, and looks as if it did."""

TOO_FEW = f"fewer than {LEAST_CATEGORIES} categories"


def category_interval(values: npt.ArrayLike, categories: npt.ArrayLike) -> Interval:
    """Give a mean and its 95 % percentile interval over whole categories, 10,000 draws, seed 0.

    Parameters
    ----------
    values : array_like, shape (n,)
        Finite numbers.
    categories : array_like, shape (n,)
        The category of each.

    Returns
    -------
    Interval
        ``n`` is the number of categories. With fewer than `LEAST_CATEGORIES`, or where the mean is the same in all of
        them, there is an estimate and no interval: resampling would give one that is too narrow, or of no width, which
        looks like certainty.

    Examples
    --------
    >>> found = category_interval([1, 1, 1, 1, 1], [1, 2, 3, 4, 5])
    >>> found.estimate, found.low, found.reason
    (1.0, nan, 'all alike')
    """
    found = cluster_mean_interval(values, categories)
    if not found.n:
        return found
    reason = TOO_FEW if found.n < LEAST_CATEGORIES else ALIKE if found.alike else ""
    return replace(found, low=nan, high=nan, state=NOT_ESTIMABLE, reason=reason) if reason else found

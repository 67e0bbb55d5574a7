"""What every statistic asks of its input, and the words it answers with when there is nothing to estimate."""

from __future__ import annotations

from numbers import Rational
from typing import Any

import numpy as np
import numpy.typing as npt

from tutorscope.errors import UserError

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

ESTIMATED = "estimated"
NOT_ESTIMABLE = "not_estimable"

# Two numbers nearer than this are one number: ratings are thirds, and thirds that are equal differ by 1e-16 when they
# were reached by different sums. It is half a unit of the ninth decimal, the same as rounding differences to 1e-9.
TIE = 5e-10


def vector(values: npt.ArrayLike, name: str) -> Floats:
    """Give `values` as a vector of finite floats.

    Parameters
    ----------
    values : array_like, shape (n,)
        Numbers; nothing may be missing.
    name : str
        What to call them in an error.

    Returns
    -------
    ndarray of float64, shape (n,)

    Raises
    ------
    ValueError
        When the shape is another one.
    UserError
        When a value is missing, infinite or not a number; the message names the first such row, counted from 0.

    Examples
    --------
    >>> vector([1, 2.5], "scores")
    array([1. , 2.5])
    """
    array = _as_floats(values, name)
    if array.ndim != 1:
        raise ValueError(f"{name}: expected one dimension, found shape {array.shape}")
    return array


def matrix(values: npt.ArrayLike, name: str) -> Floats:
    """Give `values` as rows of finite floats; a vector becomes one column.

    Parameters
    ----------
    values : array_like, shape (n, d) or (n,)
        Numbers; nothing may be missing.
    name : str
        What to call them in an error.

    Returns
    -------
    ndarray of float64, shape (n, d)

    Raises
    ------
    ValueError
        When the shape is another one.
    UserError
        When a value is missing, infinite or not a number.

    Examples
    --------
    >>> matrix([1, 2], "scores").shape
    (2, 1)
    """
    array = _as_floats(values, name)
    if array.ndim == 1:
        array = array[:, None]
    if array.ndim != 2:
        raise ValueError(f"{name}: expected rows and columns, found shape {array.shape}")
    return array


def levels(labels: npt.ArrayLike, name: str) -> tuple[Integers, list[Any]]:
    """Give each distinct label its place in sorted order, so that the order of the rows does not matter.

    Parameters
    ----------
    labels : array_like, shape (n,)
        Strings, integers or anything hashable; nothing may be missing.
    name : str
        What to call them in an error.

    Returns
    -------
    codes : ndarray of int64, shape (n,)
        The place of each row's label in `distinct`.
    distinct : list
        The labels, sorted (by their text when they cannot be compared).

    Raises
    ------
    ValueError
        When the shape is another one.
    UserError
        When a label is missing; the message names the row.

    Examples
    --------
    >>> levels(["b", "a", "b"], "replicate")
    (array([1, 0, 1]), ['a', 'b'])
    """
    import pandas as pd

    array = np.asarray(labels, dtype=object)
    if array.ndim != 1:
        raise ValueError(f"{name}: expected one dimension, found shape {array.shape}")
    found, distinct = pd.factorize(array)
    if np.any(found < 0):
        raise UserError(f"{name}: row {int(np.argmax(found < 0))}: found no label, expected one in every row")
    try:
        order = sorted(range(len(distinct)), key=lambda place: distinct[place])
    except TypeError:
        order = sorted(range(len(distinct)), key=lambda place: (str(distinct[place]), type(distinct[place]).__name__))
    place_of = np.empty(len(order), dtype=np.int64)
    place_of[order] = np.arange(len(order))
    return place_of[found], [distinct[place] for place in order]


def exact_or_float(values: npt.ArrayLike, name: str) -> npt.NDArray[Any]:
    """Keep integers and fractions as they are; make everything else a float.

    Parameters
    ----------
    values : array_like, shape (n,)
        Integers, `fractions.Fraction` or floats.
    name : str
        What to call them in an error.

    Returns
    -------
    ndarray, shape (n,)
        Of int64 or of `Fraction` objects (exact), else of float64.

    Raises
    ------
    UserError
        When a value is missing, infinite or not a number.

    Examples
    --------
    >>> from fractions import Fraction
    >>> exact_or_float([Fraction(1, 3), 2], "scores")
    array([Fraction(1, 3), 2], dtype=object)
    """
    array = np.asarray(values)
    if array.ndim != 1:
        raise ValueError(f"{name}: expected one dimension, found shape {array.shape}")
    if array.dtype.kind in "bi" or (array.dtype.kind == "u" and array.dtype.itemsize < 8):
        return array.astype(np.int64)
    if array.dtype == object and all(isinstance(value, Rational) for value in array):
        return array
    return vector(array, name)


def doubled_ranks(values: npt.NDArray[Any]) -> Integers:
    """Rank from 1, ties sharing the mean of their places, times two so that every rank is an integer.

    Parameters
    ----------
    values : ndarray, shape (n,)
        Exact values are tied when equal, floats when their gap is at most half of 1e-9.

    Returns
    -------
    ndarray of int64, shape (n,)
        Twice the mid-ranks.

    Examples
    --------
    >>> doubled_ranks(np.array([0.1 + 0.2, 0.3, 0.1]))
    array([5, 5, 2])
    """
    order = np.argsort(values, kind="stable")
    ascending = values[order]
    gap = ascending[1:] - ascending[:-1]
    starts = np.flatnonzero(np.concatenate(([True], gap > (TIE if values.dtype.kind == "f" else 0))))[: len(values)]
    ends = np.append(starts[1:], len(values))
    ranks = np.empty(len(values), dtype=np.int64)
    ranks[order] = np.repeat(starts + 1 + ends, ends - starts)
    return ranks


def _as_floats(values: npt.ArrayLike, name: str) -> Floats:
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise UserError(f"{name}: found something that is not a number, expected numbers only") from None
    finite = np.isfinite(array)
    if not finite.all():
        row = int(np.argwhere(~finite)[0][0])
        raise UserError(f"{name}: row {row}: found a missing or infinite value, expected finite numbers")
    return array

"""Compare vectors that an embedder made: similarity, centroid, bands, nearest. Embedders live in ``models``."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

Band = Literal["typical", "middle", "outlier"]
BANDS: tuple[Band, Band, Band] = ("typical", "middle", "outlier")

Floats = NDArray[np.float64]

# Ranks are taken on similarities rounded to this many digits: the last bits of a matrix product differ between
# machines, and would otherwise decide between two equal texts.
_DIGITS = 9
_ROWS_AT_ONCE = 1024


def similarity(a: ArrayLike, b: ArrayLike) -> Floats:
    """Cosine similarity of each row of one array with each row of another.

    Parameters
    ----------
    a : array_like, shape (n, d) or (d,)
    b : array_like, shape (m, d) or (d,)

    Returns
    -------
    ndarray, shape (n, m)
        From -1 to 1; a row of zeros is similar to nothing (0).

    Raises
    ------
    ValueError
        The rows have different lengths, or a value is not finite.

    Examples
    --------
    >>> similarity([[1, 0], [1, 1]], [0, 2]).round(3).tolist()
    [[0.0], [0.707]]
    """
    left, right = _unit(a), _unit(b)
    if left.shape[1] != right.shape[1]:
        raise ValueError(f"vectors of {left.shape[1]} and {right.shape[1]} dimensions cannot be compared")
    return np.clip(left @ right.T, -1.0, 1.0)


def centroid(vectors: ArrayLike) -> Floats:
    """Give the mean of vectors, as they are (not scaled to one length first).

    Parameters
    ----------
    vectors : array_like, shape (n, d)
        At least one.

    Returns
    -------
    ndarray, shape (d,)

    Raises
    ------
    ValueError
        There is no vector, or a value is not finite.
    """
    rows = _rows(vectors)
    if not len(rows):
        raise ValueError("the centroid of no vectors is not defined")
    return np.asarray(rows.mean(axis=0), dtype=np.float64)


def bands(similarities: ArrayLike) -> list[Band]:
    """Split by rank into three even bands: the most similar third is typical, the least similar one outlier.

    The row of rank r (0 for the most similar) of n falls into band ``floor(3 r / n)``; so with 4 rows two are typical,
    and with 5 two are middle as well. Equal ones rank in the order given.

    Parameters
    ----------
    similarities : array_like, shape (n,)
        To the centroid, say.

    Returns
    -------
    list of {"typical", "middle", "outlier"}
        In the order given.

    Raises
    ------
    ValueError
        A similarity is not finite, or they are not one row.

    Examples
    --------
    >>> bands([0.2, 0.9, 0.5])
    ['outlier', 'typical', 'middle']
    """
    values = np.asarray(similarities, dtype=np.float64)
    if values.ndim != 1 or not np.isfinite(values).all():
        raise ValueError("bands need one row of finite similarities")
    named: list[Band] = ["typical"] * len(values)
    for rank, row in enumerate(np.argsort(-values.round(_DIGITS), kind="stable")):
        named[int(row)] = BANDS[3 * rank // len(values)]
    return named


def nearest(
    queries: ArrayLike, pool: ArrayLike, k: int, allowed: NDArray[np.bool_] | None = None
) -> tuple[NDArray[np.int64], Floats]:
    """Find the ``k`` most similar rows of a pool for each query, by matrix products of a thousand queries at a time.

    Parameters
    ----------
    queries : array_like, shape (n, d)
    pool : array_like, shape (m, d)
    k : int
        How many, at least 1.
    allowed : ndarray of bool, shape (n, m), optional
        Which pairs may be taken: other papers, other categories.

    Returns
    -------
    rows : ndarray of int, shape (n, k)
        Rows of the pool, most similar first, equal ones in the pool's order; -1 where fewer than ``k`` are allowed.
    similarities : ndarray, shape (n, k)
        Theirs; NaN where the row is -1.

    Raises
    ------
    ValueError
        Shapes do not fit together, or a value is not finite.

    Examples
    --------
    >>> rows, _ = nearest([[1, 0]], [[0, 1], [1, 1], [1, 0]], k=2)
    >>> rows.tolist()
    [[2, 1]]
    """
    asked, held = _rows(queries), _rows(pool)
    if k < 1:
        raise ValueError(f"nearest needs k of at least 1, not {k}")
    if allowed is not None and allowed.shape != (len(asked), len(held)):
        raise ValueError(f"allowed has shape {allowed.shape}; expected {(len(asked), len(held))}")
    rows = np.full((len(asked), k), -1, dtype=np.int64)
    values = np.full((len(asked), k), np.nan)
    taken = min(k, len(held))
    for start in range(0, len(asked) if taken else 0, _ROWS_AT_ONCE):
        part = slice(start, start + _ROWS_AT_ONCE)
        found = similarity(asked[part], held).round(_DIGITS)
        if allowed is not None:
            found[~allowed[part]] = -np.inf
        best = np.argsort(-found, axis=1, kind="stable")[:, :taken]
        theirs = np.take_along_axis(found, best, axis=1)
        rows[part, :taken] = np.where(np.isfinite(theirs), best, -1)
        values[part, :taken] = np.where(np.isfinite(theirs), theirs, np.nan)
    return rows, values


def _rows(vectors: Any) -> Floats:
    rows = np.asarray(vectors, dtype=np.float64)
    rows = rows.reshape(1, -1) if rows.ndim == 1 and rows.size else rows
    if rows.size == 0:
        return rows.reshape(0, rows.shape[-1] if rows.ndim > 1 else 0)
    if rows.ndim != 2 or not np.isfinite(rows).all():
        raise ValueError(f"vectors must be finite rows of numbers, not an array of shape {rows.shape}")
    return rows


def _unit(vectors: Any) -> Floats:
    rows = _rows(vectors)
    # Scaled first, so that very large or small values do not overflow when squared.
    largest = np.abs(rows).max(axis=1, keepdims=True, initial=0.0)
    rows = rows / np.where(largest > 0, largest, 1.0)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.where(lengths > 0, lengths, 1.0), dtype=np.float64)

"""The likelihood of the crossed mixed model as a function of two variance ratios, and its maximum.

Profiled over the residual variance and the coefficients, the likelihood depends on two numbers only: the variance of
each factor over that of the residual. Everything it needs is in a few cross-products of the data, so the rows are gone
over once. The factor with more levels is eliminated exactly (its block is diagonal), which leaves matrices of the size
of the smaller factor.

The likelihood may have its maximum where a variance is zero, and there a general optimiser stops wherever rounding
lets it. Here a ratio of zero is a place like any other: the search starts from a grid that holds the boundaries,
climbs by Newton steps in the logarithms of the ratios that are not zero, sets a ratio to zero when the likelihood
falls away from zero, and lets it go again when the likelihood rises.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tutorscope.stats.arrays import Floats

_GRID = np.array([0, 0.003, 0.015, 0.07, 0.3, 1.5, 7, 30, 150, 1e3, 1e4])
_STEPS = 100


@dataclass(frozen=True)
class Products:
    """Everything the likelihood needs of the data; `a` is the factor with fewer levels, `b` the eliminated one."""

    n: int
    total: Floats  # (k, k): products of the k columns, fixed terms and then the outcome
    in_a: Floats  # (levels of a, k): sums of the columns
    in_b: Floats
    count_a: Floats
    count_b: Floats
    count_ab: Floats  # (levels of a, levels of b)
    evaluations: list[int]  # how often the likelihood was computed, counted up in place


@dataclass(frozen=True)
class Place:
    """A pair of variance ratios, of a and of b, and what the likelihood is there."""

    ratios: Floats
    loglik: float
    slopes: Floats  # of the log-likelihood in the two ratios
    residual: float  # r' V^-1 r
    coefficients: Floats
    information: Floats  # X' V^-1 X


def cross_products(columns: Floats, codes_a: npt.NDArray[Any], codes_b: npt.NDArray[Any]) -> Products:
    """Go over the rows once.

    Parameters
    ----------
    columns : ndarray, shape (n, k)
        The fixed terms, orthonormal, and last the outcome, less what they explain and scaled to a mean square of 1.
    codes_a, codes_b : ndarray of int, shape (n,)
        Each row's level, from 0, of the factor with fewer levels and of the one with more.

    Returns
    -------
    Products

    Examples
    --------
    >>> cross_products(np.ones((3, 1)), np.array([0, 0, 1]), np.array([0, 1, 2])).count_ab
    array([[1., 1., 0.],
           [0., 0., 1.]])
    """
    size_a, size_b = int(codes_a.max()) + 1, int(codes_b.max()) + 1
    in_a, in_b = (
        np.column_stack([np.bincount(codes, column, size) for column in columns.T]).astype(np.float64)
        for codes, size in ((codes_a, size_a), (codes_b, size_b))
    )
    joint = np.bincount(codes_a * size_b + codes_b, minlength=size_a * size_b).reshape(size_a, size_b)
    counts = joint.astype(np.float64)
    return Products(len(columns), columns.T @ columns, in_a, in_b, counts.sum(axis=1), counts.sum(axis=0), counts, [0])


def _without_b(data: Products, ratio_b: float) -> tuple[Floats, Floats, Floats, Floats, Floats]:
    """Eliminate b: with ``W`` the inverse of ``I + ratio_b Z_b Z_b'`` (diagonal in its levels) and M the columns.

    Gives the diagonal ``1 / (1 + ratio_b n_b)``, ``Z_b' W M``, ``Z_a' W M``, ``Z_a' W Z_a`` and ``M' W M``.
    """
    shrunk = 1 / (1 + ratio_b * data.count_b)
    in_b = data.in_b * shrunk[:, None]
    in_a = data.in_a - ratio_b * (data.count_ab @ in_b)
    inner = -ratio_b * _squared(data.count_ab, shrunk)
    np.einsum("ii->i", inner)[:] += data.count_a
    return shrunk, in_b, in_a, inner, data.total - ratio_b * data.in_b.T @ in_b


def _evaluate(data: Products, ratios: Floats) -> Place:
    """Compute the profile log-likelihood and its slopes at a pair of variance ratios.

    With ``S = I + ratio_a Z_a' W Z_a``, all products with the inverse of V follow from
    ``V^-1 = W - ratio_a W Z_a S^-1 Z_a' W`` and its determinant from ``|V| = prod(1 + ratio_b n_b) |S|``.
    """
    data.evaluations[0] += 1
    ratio_a, ratio_b = float(ratios[0]), float(ratios[1])
    shrunk, in_b, in_a, inner, products = _without_b(data, ratio_b)
    system = ratio_a * inner
    np.einsum("ii->i", system)[:] += 1
    diagonal = np.linalg.cholesky(system).diagonal()
    inverse = np.linalg.inv(system)
    solved_a = inverse @ in_a  # Z_a' V^-1 M
    products = products - ratio_a * in_a.T @ solved_a
    information, right = products[:-1, :-1], products[:-1, -1]
    coefficients = np.linalg.solve(information, right).astype(np.float64)
    residual = float(products[-1, -1] - right @ coefficients)
    pull_a = solved_a[:, -1] - solved_a[:, :-1] @ coefficients  # Z_a' V^-1 r
    pull_b = in_b[:, -1] - in_b[:, :-1] @ coefficients - ratio_a * shrunk * (pull_a @ data.count_ab)  # Z_b' V^-1 r
    trace_a = float(np.vdot(inverse, inner))
    trace_b = float(data.count_b @ shrunk - ratio_a * np.vdot(inverse, _squared(data.count_ab, shrunk * shrunk)))
    n = data.n
    slopes = n / 2 * np.array([pull_a @ pull_a, pull_b @ pull_b]) / residual - np.array([trace_a, trace_b]) / 2
    log_determinant = 2 * float(np.log(diagonal).sum()) - float(np.log(shrunk).sum())
    loglik = -n / 2 * (math.log(2 * math.pi * residual / n) + 1) - log_determinant / 2
    return Place(np.array([ratio_a, ratio_b]), loglik, slopes, residual, coefficients, information)


def _grid_logliks(data: Products) -> Floats:
    """Compute the log-likelihood at all pairs of the grid, ratios of a down and of b across."""
    logliks = np.empty((len(_GRID), len(_GRID)))
    ratios_a = _GRID[:, None, None]
    for column, ratio_b in enumerate(_GRID):
        shrunk, _, in_a, inner, without_a = _without_b(data, float(ratio_b))
        system = np.eye(len(inner)) + ratios_a * inner
        products = without_a - ratios_a * in_a.T @ np.linalg.solve(
            system, np.broadcast_to(in_a, (len(_GRID), *in_a.shape))
        )
        information, right = products[:, :-1, :-1], products[:, :-1, -1:]
        residual = products[:, -1, -1] - np.sum(right * np.linalg.solve(information, right), axis=(1, 2))
        diagonals = np.linalg.cholesky(system).diagonal(axis1=1, axis2=2)
        log_determinant = 2 * np.log(diagonals).sum(axis=1) - np.log(shrunk).sum()
        logliks[:, column] = -data.n / 2 * (np.log(2 * np.pi * residual / data.n) + 1) - log_determinant / 2
    data.evaluations[0] += logliks.size
    return logliks


def _squared(counts: Floats, weights: Floats) -> Floats:
    """Give ``counts diag(weights) counts'`` in strips.

    Strips of this width stay below the size at which OpenBLAS wakes its threads. For matrices of up to some hundred
    rows waking them costs more than they do: a hundredfold when other work holds the cores.
    """
    size, columns = counts.shape
    width = 2**18 // size**2 if size <= 128 else columns
    result = np.zeros((size, size))
    for start in range(0, columns, width):
        strip = counts[:, start : start + width]
        result += (strip * weights[start : start + width]) @ strip.T
    return result


def maximise(data: Products) -> Place | None:
    """Climb from every peak of the grid, its two boundaries and corner included, and take the highest maximum.

    Parameters
    ----------
    data : Products
        The cross-products.

    Returns
    -------
    Place or None
        None when a ratio grows without end.

    Examples
    --------
    >>> columns = np.array([[0.5, -1.0], [0.5, 0.5], [0.5, 1.0], [0.5, -0.5]])
    >>> maximise(cross_products(columns, np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]))).ratios
    array([0., 0.])
    """
    logliks = _grid_logliks(data)
    around = np.pad(logliks, 1, constant_values=-np.inf)
    size = len(_GRID)
    highest = np.max([around[i : i + size, j : j + size] for i in range(3) for j in range(3)], axis=0)
    maxima = [_climb(data, _evaluate(data, _GRID[peak])) for peak in np.argwhere(logliks == highest)]
    if any(place.ratios.max() > _largest_ratio(data) for place in maxima):
        return None
    best = max(place.loglik for place in maxima)
    # Of equal maxima the one with more zeros: a variance of 1e-19 is none.
    return max((p for p in maxima if p.loglik >= best - 1e-9), key=lambda p: (int(np.sum(p.ratios == 0)), p.loglik))


def upward_slopes(place: Place) -> Floats:
    """Give the slope in the logarithm of each ratio that is not zero; of one that is, its rise from there.

    Parameters
    ----------
    place : Place
        Where.

    Returns
    -------
    ndarray of float64, shape (2,)
        Zeros at a maximum.

    Examples
    --------
    >>> columns = np.array([[0.5, -1.0], [0.5, 0.5], [0.5, 1.0], [0.5, -0.5]])
    >>> upward_slopes(maximise(cross_products(columns, np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]))))
    array([0., 0.])
    """
    slopes: Floats = np.where(place.ratios > 0, np.abs(place.ratios * place.slopes), np.maximum(place.slopes, 0))
    return slopes


def _largest_ratio(data: Products) -> float:
    """Give the ratio beyond which the factors count as determining the outcome: the likelihood has no maximum there.

    It can be without a maximum for noise too when coefficients and levels are as many as the rows. It then rises so
    slowly that rounding ends the climb, so there the bound is nearer.
    """
    free = len(data.total) - 1 + len(data.count_a) - 1 + len(data.count_b) - 1
    return 1e6 if data.n > free else 1e4


def _climb(data: Products, here: Place) -> Place:
    """Newton's method in the logarithms of the ratios that are not zero, letting ratios go to zero and come back."""
    largest = _largest_ratio(data)
    for _ in range(_STEPS):
        if here.ratios.max() > largest:
            return here
        free = np.flatnonzero(here.ratios > 0)
        step = np.zeros(2)
        if len(free) and upward_slopes(here)[free].max() > 1e-12 * data.n:
            step[free] = _newton_step(data, here, free)
        ahead = _zeroed(data, here, step) or _line_search(data, here, step) or _leave_zero(data, here)
        if ahead is None:
            return here
        here = ahead
    return here


def _newton_step(data: Products, here: Place, free: npt.NDArray[np.intp]) -> Floats:
    slopes = (here.ratios * here.slopes)[free]
    curvature = np.empty((len(free), len(free)))
    nudge = 1e-5
    for row, index in enumerate(free):
        beside = _evaluate(data, here.ratios * np.where(np.arange(2) == index, math.exp(nudge), 1.0))
        curvature[row] = ((beside.ratios * beside.slopes)[free] - slopes) / nudge
    bends, directions = np.linalg.eigh((curvature + curvature.T) / 2)
    # Uphill along every direction, also where the likelihood bends upwards; no further than a factor of e^2.
    step: Floats = directions @ ((directions.T @ slopes) / np.maximum(np.abs(bends), 1e-8))
    return step * min(1.0, 2 / float(np.max(np.abs(step))))


def _zeroed(data: Products, here: Place, step: Floats) -> Place | None:
    """Set a ratio to zero when that is where its steps lead: towards zero the logarithm falls by one each, for ever."""
    for index in np.flatnonzero(step < -0.5):
        at_zero = _evaluate(data, np.where(np.arange(2) == index, 0.0, here.ratios))
        if at_zero.loglik >= here.loglik and at_zero.slopes[index] <= 0:
            return at_zero
    return None


def _line_search(data: Products, here: Place, step: Floats) -> Place | None:
    if np.abs(step).max() <= 1e-9:
        return None
    # A loss within rounding is allowed: at the top the likelihood is flat to the last digit before the slopes are.
    allowed = 1e-13 * data.n
    for halvings in range(30):
        ahead = _evaluate(data, here.ratios * np.exp(step * 0.5**halvings))
        if ahead.loglik >= here.loglik - allowed:
            return ahead
    return None


def _leave_zero(data: Products, here: Place) -> Place | None:
    """Move the steepest ratio off zero if the likelihood rises by it."""
    rising = np.where(here.ratios == 0, here.slopes, 0)
    index = int(np.argmax(rising))
    if rising[index] <= 0:
        return None
    for power in range(1, 9):
        ahead = _evaluate(data, np.where(np.arange(2) == index, 10.0**-power, here.ratios))
        if ahead.loglik > here.loglik + 1e-12 * data.n:
            return ahead
    return None

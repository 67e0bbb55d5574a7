"""The crossed mixed model y ~ fixed + (1 | first) + (1 | second), Gaussian, by maximum likelihood."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import special

from tutorscope.stats.arrays import ESTIMATED, NOT_ESTIMABLE, Floats, levels, vector
from tutorscope.stats.crossed_likelihood import cross_products, maximise, upward_slopes

INTERCEPT = "intercept"


@dataclass(frozen=True)
class CrossedFit:
    """A crossed mixed model, fitted or said to be not estimable.

    Attributes
    ----------
    terms : tuple of str
        ``intercept``, then the fixed terms as given.
    coefficients, standard_errors, z, p, low, high : tuple of float
        For each term: the estimate, its generalised-least-squares standard error, Wald's z and two-sided p, and the
        Wald interval. Empty when not estimable.
    level : float
        Nominal coverage of the interval.
    variance_first, variance_second, variance_residual : float
        Maximum-likelihood variances (not REML); nan when not estimable.
    loglik : float
        The maximised log-likelihood, constants included; nan when not estimable.
    gradient : float
        How far from a maximum: the largest slope of the log-likelihood in the logarithm of a variance ratio that is
        not zero, or upwards from zero in a ratio that is (zero there when it falls).
    first_at_zero, second_at_zero : bool
        Whether that factor's variance is zero: the maximum lies on the boundary.
    n, n_first, n_second : int
        Rows, and levels of each factor.
    evaluations : int
        How often the likelihood was computed.
    state : str
        ``estimated`` or ``not_estimable``.
    reason : str
        Why not; empty when estimated.
    """

    terms: tuple[str, ...]
    coefficients: tuple[float, ...]
    standard_errors: tuple[float, ...]
    z: tuple[float, ...]
    p: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    level: float
    variance_first: float
    variance_second: float
    variance_residual: float
    loglik: float
    gradient: float
    first_at_zero: bool
    second_at_zero: bool
    n: int
    n_first: int
    n_second: int
    evaluations: int
    state: str
    reason: str


def crossed_mixed_model(
    outcome: npt.ArrayLike,
    fixed: Mapping[str, npt.ArrayLike],
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    *,
    level: float = 0.95,
) -> CrossedFit:
    r"""Fit y = X b + u[first] + v[second] + e, with u, v and e independent and Gaussian, by maximum likelihood.

    With :math:`\theta` the variance ratios, :math:`V = I + \theta_1 Z_1 Z_1' + \theta_2 Z_2 Z_2'` and
    :math:`\hat\beta` the generalised least squares estimate, the profile

    .. math:: \ell(\theta) = -\tfrac{n}{2} \left(\log \frac{2 \pi r' V^{-1} r}{n} + 1\right) - \tfrac12 \log |V|,
        \quad r = y - X \hat\beta

    is maximised over :math:`\theta \ge 0`. Standard errors are those of generalised least squares at the maximum,
    with the maximum-likelihood residual variance: what lme4 prints for ``REML = FALSE``. The order of the rows and
    the names of the levels change no digit that counts. An evaluation costs the cube of the smaller number of levels,
    plus its square times the larger one; memory holds their product.

    Parameters
    ----------
    outcome : array_like, shape (n,)
        Finite numbers; 0 and 1 make it a linear probability model.
    fixed : mapping of str to array_like, shape (n,)
        The fixed terms by name (a DataFrame will do); an intercept is added. May be empty.
    first, second : array_like, shape (n,)
        The two crossed factors, such as replicate and problem.
    level : float
        Nominal coverage of the Wald intervals.

    Returns
    -------
    CrossedFit
        ``not_estimable``, with the reason, for: an outcome that does not vary; a fixed term that does not vary or that
        the others determine; an outcome that the fixed terms (separation) or the factors determine exactly; a factor
        with fewer than two levels, or with a level for each row; no more rows than coefficients.

    Raises
    ------
    ValueError
        When lengths differ or a fixed term is called ``intercept``.
    UserError
        When a value or a label is missing.

    References
    ----------
    Bates, Maechler, Bolker and Walker (2015), Fitting linear mixed-effects models using lme4, Journal of Statistical
    Software 67.

    Examples
    --------
    >>> helpful = [4.0, 5.0, 4.3, 4.7, 3.0, 4.0, 3.7, 4.3, 5.0, 4.7, 4.3, 5.0]
    >>> leaks = [0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 1]
    >>> replicate, problem = [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2], list("abcdabcdabcd")
    >>> fit = crossed_mixed_model(helpful, {"leaks": leaks}, replicate, problem)
    >>> [round(value, 4) for value in fit.coefficients + fit.standard_errors]
    [4.0844, 0.5973, 0.2801, 0.1513]
    >>> round(fit.loglik, 4), round(fit.variance_first, 4), fit.first_at_zero, fit.second_at_zero
    (-4.6606, 0.1942, False, False)
    """
    y = vector(outcome, "outcome")
    columns = {name: vector(values, name) for name, values in fixed.items()}
    if INTERCEPT in columns:
        raise ValueError(f"fixed: found a term called {INTERCEPT!r}, expected none: it is added")
    codes_first, names_first = levels(first, "first")
    codes_second, names_second = levels(second, "second")
    n = len(y)
    lengths = {"first": len(codes_first), "second": len(codes_second)} | {name: len(c) for name, c in columns.items()}
    for name, length in lengths.items():
        if length != n:
            raise ValueError(f"{name}: {length} values for {n} outcomes")
    terms = (INTERCEPT, *map(str, columns))
    sizes = (n, len(names_first), len(names_second))
    if reason := _why_not(y, columns, *sizes):
        return _not_estimable(terms, level, sizes, 0, reason)
    design = np.column_stack([np.ones(n), *columns.values()])
    # In units of their own, on orthonormal columns, and less what the fixed terms explain: whatever the scales and
    # shifts of the data, nothing below subtracts large numbers from one another.
    middle = float(y.mean())
    orthonormal, triangle = np.linalg.qr(design)
    explained = orthonormal.T @ (y - middle)
    residual = (y - middle) - orthonormal @ explained
    scale = math.sqrt(float(residual @ residual) / n)
    if scale <= 1e-9 * float(np.std(y)):
        return _not_estimable(terms, level, sizes, 0, "separation: the fixed terms determine the outcome")
    swapped = len(names_second) < len(names_first)
    codes = [codes_first, codes_second][:: -1 if swapped else 1]
    products = cross_products(np.column_stack([orthonormal, residual / scale]), *codes)
    found = maximise(products)
    evaluations = products.evaluations[0]
    if found is None:
        reason = "the factors leave no residual: they determine the outcome"
        return _not_estimable(terms, level, sizes, evaluations, reason)
    gradient = float(np.max(upward_slopes(found)))
    if gradient > 1e-4:
        reason = f"the search stopped short of a maximum, where the log-likelihood still rises by {gradient:.1e}"
        return _not_estimable(terms, level, sizes, evaluations, reason)
    ratios = found.ratios[::-1] if swapped else found.ratios
    variance = scale * scale * found.residual / n
    inverse = np.linalg.inv(triangle)
    coefficients = inverse @ (explained + scale * found.coefficients)
    coefficients[0] += middle
    covariance = variance * inverse @ np.linalg.inv(found.information) @ inverse.T
    errors = np.sqrt(np.diag(covariance))
    z = coefficients / errors
    half = float(special.ndtri(0.5 + level / 2)) * errors
    return CrossedFit(
        terms=terms,
        coefficients=_floats(coefficients),
        standard_errors=_floats(errors),
        z=_floats(z),
        p=_floats(2 * special.ndtr(-np.abs(z))),
        low=_floats(coefficients - half),
        high=_floats(coefficients + half),
        level=level,
        variance_first=float(ratios[0]) * variance,
        variance_second=float(ratios[1]) * variance,
        variance_residual=variance,
        loglik=found.loglik - n * math.log(scale),
        gradient=gradient,
        first_at_zero=bool(ratios[0] == 0),
        second_at_zero=bool(ratios[1] == 0),
        n=n,
        n_first=len(names_first),
        n_second=len(names_second),
        evaluations=evaluations,
        state=ESTIMATED,
        reason="",
    )


def _why_not(y: Floats, columns: Mapping[str, Floats], n: int, n_first: int, n_second: int) -> str:
    if n <= len(columns) + 1:
        return f"too few rows: {n} for {len(columns) + 1} coefficients"
    if _constant(y):
        return "the outcome does not vary"
    for name, values in columns.items():
        if _constant(values):
            return f"{name} does not vary"
    for name, size in (("first", n_first), ("second", n_second)):
        if size < 2:
            return f"too few groups: the {name} factor has {size} level"
        if size == n:
            return f"too few rows: the {name} factor has a level for each row"
    # Column by column: a term that those before it determine has nothing left once they are taken out.
    basis = np.full((n, 1), 1 / math.sqrt(n))
    for name, values in columns.items():
        left = values - values.mean()
        left /= float(np.linalg.norm(left))
        for _ in range(2):
            left = left - basis @ (basis.T @ left)
        norm = float(np.linalg.norm(left))
        if norm < 1e-9:
            return f"{name} is determined by the other fixed terms"
        basis = np.column_stack([basis, left / norm])
    return ""


def _constant(values: Floats) -> bool:
    return bool(np.ptp(values) <= 1e-12 * np.abs(values).max())


def _floats(values: Floats) -> tuple[float, ...]:
    return tuple(float(value) for value in values)


def _not_estimable(
    terms: tuple[str, ...], level: float, sizes: tuple[int, int, int], evaluations: int, reason: str
) -> CrossedFit:
    nan, empty = math.nan, ()
    return CrossedFit(
        *(terms, empty, empty, empty, empty, empty, empty, level),
        *(nan, nan, nan, nan, nan, False, False),
        *(*sizes, evaluations, NOT_ESTIMABLE, reason),
    )

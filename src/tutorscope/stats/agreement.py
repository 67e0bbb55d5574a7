"""Agreement between raters: Gwet's AC1, percent and exact agreement, quadratic kappa, Krippendorff's alpha.

Ratings come as units by raters: one row for each thing rated, one column for each rater, a missing rating as None or
nan. The set of categories is always given, those that nobody chose included: it is part of the scale, and AC1 depends
on how many there are.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy import special

from tutorscope.errors import UserError
from tutorscope.stats.arrays import ESTIMATED, NOT_ESTIMABLE, TIE, Floats, Integers


@dataclass(frozen=True)
class Agreement:
    """How far raters agree.

    Attributes
    ----------
    statistic : str
        Which coefficient.
    estimate : float
        Its value; nan when it has none.
    se, low, high : float
        Standard error and interval over units; nan for kappa and alpha (see `intervals.cluster_bootstrap_interval`)
        and for a single unit.
    level : float
        Nominal coverage of the interval; nan where there is none.
    n : int
        Units that enter the estimate.
    n_compared : int
        Those of them with at least two ratings.
    n_left_out : int
        Units that do not enter: without a rating, or, where a coefficient needs pairs, with only one.
    raters : int
        Columns.
    state : str
        ``estimated`` or ``not_estimable``.
    reason : str
        Why not; empty when estimated.
    """

    statistic: str
    estimate: float
    se: float
    low: float
    high: float
    level: float
    n: int
    n_compared: int
    n_left_out: int
    raters: int
    state: str
    reason: str


def gwet_ac1(ratings: npt.ArrayLike, categories: Sequence[Hashable], *, level: float = 0.95) -> Agreement:
    r"""Give Gwet's first-order agreement coefficient, for any number of raters and with gaps.

    .. math::
        AC_1 = \frac{p_a - p_e}{1 - p_e}, \quad
        p_a = \operatorname{mean}_i \sum_k \frac{r_{ik} (r_{ik} - 1)}{r_i (r_i - 1)}, \quad
        p_e = \frac{1}{q - 1} \sum_k \pi_k (1 - \pi_k), \quad
        \pi_k = \operatorname{mean}_i \frac{r_{ik}}{r_i}

    with :math:`r_{ik}` ratings of unit i in category k of q. :math:`p_a` averages over units with two ratings or
    more, :math:`\pi_k` over those with any. The variance is Gwet's, over units, for an infinite population; the
    interval takes Student's t with n - 1 degrees of freedom and ends at 1.

    Parameters
    ----------
    ratings : array_like, shape (units, raters)
        Categories; None or nan where there is no rating.
    categories : sequence
        All q categories of the scale, at least two.
    level : float
        Nominal coverage of the interval.

    Returns
    -------
    Agreement
        ``not_estimable`` when no unit has two ratings.

    Raises
    ------
    ValueError
        When the shape is not two-dimensional or there are fewer than two categories.
    UserError
        When a rating is none of the categories; the message names unit and rater, counted from 0.

    References
    ----------
    Gwet (2008), Computing inter-rater reliability and its variance in the presence of high agreement, British Journal
    of Mathematical and Statistical Psychology 61; Gwet (2014), Handbook of Inter-Rater Reliability, chapter 5.

    Examples
    --------
    >>> pairs = [("yes", "yes")] * 20 + [("yes", "no")] * 3 + [("no", "yes")] * 2 + [("no", "no")] * 3
    >>> result = gwet_ac1(pairs, ["yes", "no"])
    >>> round(result.estimate, 5), round(result.se, 5), round(result.low, 5), round(result.high, 5)
    (0.73905, 0.12336, 0.48594, 0.99216)
    """
    counts = _counts(ratings, categories)
    raters, units = np.asarray(ratings, dtype=object).shape[1], len(counts)
    counts = counts[counts.sum(axis=1) > 0]
    n, q = counts.shape
    rated = counts.sum(axis=1)
    compared = rated >= 2
    about = (n, int(compared.sum()), units - n, raters)
    if not compared.any():
        return _undefined("ac1", about, "no unit has two ratings")
    agreed = _agreement_by_unit(counts)
    shares = (counts / rated[:, None]).mean(axis=0)
    observed = float(agreed[compared].mean())
    chance = float(shares @ (1 - shares)) / (q - 1)
    estimate = (observed - chance) / (1 - chance)
    # Gwet's linearised values: each unit's part in the agreement, less its part in the chance agreement.
    by_unit = n / about[1] * np.where(compared, agreed - chance, 0) / (1 - chance)
    chance_by_unit = (counts @ (1 - shares)) / rated / (q - 1)
    linearised = by_unit - 2 * (1 - estimate) * (chance_by_unit - chance) / (1 - chance)
    return _with_interval("ac1", estimate, linearised - estimate, level, about)


def percent_agreement(ratings: npt.ArrayLike, categories: Sequence[Hashable], *, level: float = 0.95) -> Agreement:
    """Give the share of pairs of ratings of the same unit that agree, averaged over units.

    Units with fewer than two ratings are left out and counted. The standard error is that of a mean over units; the
    interval takes Student's t and stays within 0 and 1.

    Parameters
    ----------
    ratings, categories, level
        As for `gwet_ac1`.

    Returns
    -------
    Agreement
        ``not_estimable`` when no unit has two ratings.

    Raises
    ------
    ValueError, UserError
        As for `gwet_ac1`.

    References
    ----------
    Gwet (2014), Handbook of Inter-Rater Reliability, chapter 2.

    Examples
    --------
    >>> result = percent_agreement([[1, 1, 2], [2, 2, 2], [1, None, 1], [2, None, None]], [1, 2])
    >>> round(result.estimate, 4), result.n, result.n_left_out
    (0.7778, 3, 1)
    """
    counts = _counts(ratings, categories)
    compared = counts[counts.sum(axis=1) >= 2]
    return _mean_over_units("percent_agreement", _agreement_by_unit(compared), level, ratings)


def exact_agreement(ratings: npt.ArrayLike, *, within: float = 0, level: float = 0.95) -> Agreement:
    """Give the share of units on which all raters say the same, or numbers no further apart than `within`.

    Parameters
    ----------
    ratings : array_like, shape (units, raters)
        Numbers, or with ``within=0`` any labels; None or nan where there is no rating.
    within : float
        The distance between highest and lowest rating that still counts: 1 on a five-point scale for "within one".
    level : float
        Nominal coverage of the interval.

    Returns
    -------
    Agreement
        Over units with two ratings or more; ``not_estimable`` when there is none.

    Raises
    ------
    ValueError
        When the shape is not two-dimensional, or `within` is negative.
    UserError
        When ratings to be compared by distance are not numbers.

    Examples
    --------
    >>> exact_agreement([[5, 4], [3, 3], [2, 4], [1, None]]).estimate.__round__(4)
    0.3333
    >>> exact_agreement([[5, 4], [3, 3], [2, 4], [1, None]], within=1).estimate.__round__(4)
    0.6667
    """
    import pandas as pd

    if within < 0:
        raise ValueError(f"within: found {within}, expected 0 or more")
    array = _units_by_raters(ratings)
    missing = pd.isna(array)
    compared = (~missing).sum(axis=1) >= 2
    array, missing = array[compared], missing[compared]
    if within == 0 and not _all_numbers(array[~missing]):
        codes = pd.factorize(array.ravel())[0].reshape(array.shape).astype(np.float64)
        numbers = np.where(missing, np.nan, codes)
    else:
        try:
            numbers = np.where(missing, np.nan, array).astype(np.float64)
        except (TypeError, ValueError):
            raise UserError(f"ratings: found labels, expected numbers to tell those within {within:g}") from None
    spread = np.nanmax(numbers, axis=1) - np.nanmin(numbers, axis=1) if len(numbers) else np.empty(0)
    name = "exact_agreement" if within == 0 else f"agreement_within_{within:g}"
    return _mean_over_units(name, (spread <= within + TIE).astype(np.float64), level, ratings)


def quadratic_kappa(first: npt.ArrayLike, second: npt.ArrayLike, categories: Sequence[Hashable]) -> Agreement:
    r"""Give Cohen's kappa with quadratic weights, for two raters.

    .. math:: \kappa = 1 - \frac{\sum_{jk} (j - k)^2 p_{jk}}{\sum_{jk} (j - k)^2 p_{j \cdot} p_{\cdot k}}

    with j and k the places of the categories. When both raters use one and the same category throughout, there is no
    disagreement to expect and kappa is undefined (not 1).

    Parameters
    ----------
    first, second : array_like, shape (n,)
        The two raters' categories; a unit that either left out is left out and counted.
    categories : sequence
        All categories in their order, at least two.

    Returns
    -------
    Agreement
        ``not_estimable`` when no unit has both ratings or no disagreement is expected.

    Raises
    ------
    ValueError
        When the lengths differ or there are fewer than two categories.
    UserError
        When a rating is none of the categories.

    References
    ----------
    Cohen (1968), Weighted kappa, Psychological Bulletin 70.

    Examples
    --------
    >>> round(quadratic_kappa([1, 2, 3, 4, 5, 5], [1, 3, 3, 4, 4, 5], [1, 2, 3, 4, 5]).estimate, 6)
    0.911765
    """
    sides = [np.asarray(side, dtype=object) for side in (first, second)]
    if len(sides[0]) != len(sides[1]):
        raise ValueError(f"first and second: {len(sides[0])} and {len(sides[1])} ratings")
    codes = _codes(np.column_stack(sides), categories)
    both = codes[(codes >= 0).all(axis=1)]
    about = (len(both), len(both), len(codes) - len(both), 2)
    if not len(both):
        return _undefined("quadratic_kappa", about, "no unit has both ratings")
    q = len(categories)
    table = np.bincount(both[:, 0] * q + both[:, 1], minlength=q * q).reshape(q, q).astype(np.float64)
    places = np.arange(q, dtype=np.float64)
    weights = np.square(places[:, None] - places)
    # Counts are integers, so an expected disagreement of zero is exactly zero.
    expected = float(table.sum(axis=1) @ weights @ table.sum(axis=0))
    if expected == 0:
        return _undefined("quadratic_kappa", about, "no disagreement is expected: one category throughout")
    estimate = 1 - len(both) * float((weights * table).sum()) / expected
    return _without_interval("quadratic_kappa", estimate, about)


def krippendorff_alpha(
    ratings: npt.ArrayLike,
    categories: Sequence[Hashable],
    metric: Literal["nominal", "ordinal", "interval"],
) -> Agreement:
    r"""Give Krippendorff's alpha, for any number of raters and with gaps.

    .. math:: \alpha = 1 - \frac{D_o}{D_e}, \quad
        D_o = \sum_{ck} \frac{o_{ck}}{n} \delta_{ck}^2, \quad D_e = \sum_{ck} \frac{n_c n_k}{n (n - 1)} \delta_{ck}^2

    from the coincidences :math:`o_{ck}` of pairs of ratings within units. The difference :math:`\delta` is 0 or 1
    (nominal), the ratings ranked between the two (ordinal), or their numerical distance (interval).

    Parameters
    ----------
    ratings : array_like, shape (units, raters)
        Categories; None or nan where there is no rating.
    categories : sequence
        All categories, in their order for ``ordinal``, numbers for ``interval``; at least two.
    metric : {'nominal', 'ordinal', 'interval'}
        How far apart two categories are.

    Returns
    -------
    Agreement
        Over units with two ratings or more; ``not_estimable`` when there is none or all ratings are the same.

    Raises
    ------
    ValueError
        When the shape is not two-dimensional, the metric is another word or there are fewer than two categories.
    UserError
        When a rating is none of the categories, or categories of an interval scale are not numbers.

    References
    ----------
    Krippendorff (2011), Computing Krippendorff's alpha-reliability, University of Pennsylvania.

    Examples
    --------
    >>> ratings = [[1, 1, None], [2, 2, 3], [3, 3, 3], [4, 4, 4], [1, 2, 1]]
    >>> [round(krippendorff_alpha(ratings, [1, 2, 3, 4], metric).estimate, 4) for metric in ("nominal", "interval")]
    [0.6438, 0.8934]
    """
    if metric not in ("nominal", "ordinal", "interval"):
        raise ValueError(f"metric: found {metric!r}, expected 'nominal', 'ordinal' or 'interval'")
    counts = _counts(ratings, categories)
    units, raters = np.asarray(ratings, dtype=object).shape
    counts = counts[counts.sum(axis=1) >= 2]
    about = (len(counts), len(counts), units - len(counts), raters)
    name = f"krippendorff_alpha_{metric}"
    if not len(counts):
        return _undefined(name, about, "no unit has two ratings")
    scaled = counts / (counts.sum(axis=1)[:, None] - 1)
    coincidences = counts.T @ scaled - np.diag(scaled.sum(axis=0))
    totals = counts.sum(axis=0).astype(np.float64)
    distances = _distances(totals, categories, metric)
    expected = float(totals @ distances @ totals) / float(totals.sum() - 1)
    if expected == 0:
        return _undefined(name, about, "all ratings are the same")
    estimate = 1 - float((coincidences * distances).sum()) / expected
    return _without_interval(name, estimate, about)


def _distances(totals: Floats, categories: Sequence[Hashable], metric: str) -> Floats:
    q = len(categories)
    if metric == "nominal":
        return 1 - np.eye(q)
    if metric == "ordinal":
        # Ratings up to the middle of a category: their difference holds all between and half of the two ends.
        places: Floats = np.cumsum(totals) - totals / 2
    else:
        if not _all_numbers(categories):
            raise UserError("categories: found something that is not a number, expected numbers on an interval scale")
        places = np.array(categories, dtype=np.float64)
    return np.square(places[:, None] - places)


def _all_numbers(values: Sequence[Hashable] | npt.NDArray[np.object_]) -> bool:
    return all(isinstance(value, int | float | np.integer | np.floating | np.bool_) for value in values)


def _units_by_raters(ratings: npt.ArrayLike) -> npt.NDArray[np.object_]:
    array = np.asarray(ratings, dtype=object)
    if array.ndim != 2:
        raise ValueError(f"ratings: expected units by raters, found shape {array.shape}")
    return array


def _codes(ratings: npt.ArrayLike, categories: Sequence[Hashable]) -> Integers:
    """Each rating's place among the categories, -1 where there is none."""
    import pandas as pd

    places = {category: place for place, category in enumerate(categories)}
    if len(places) < 2 or len(places) < len(categories):
        raise ValueError(f"categories: found {list(categories)}, expected at least two, all different")
    array = _units_by_raters(ratings)
    found, distinct = pd.factorize(array.ravel())
    place_of = np.array([places.get(value, -2) for value in distinct] + [-1], dtype=np.int64)
    codes: Integers = place_of[found].reshape(array.shape)
    if (codes == -2).any():
        unit, rater = np.argwhere(codes == -2)[0]
        value, expected = array[unit, rater], ", ".join(map(str, categories))
        raise UserError(f"ratings: unit {unit}, rater {rater}: found {value!r}, expected one of {expected}")
    return codes


def _counts(ratings: npt.ArrayLike, categories: Sequence[Hashable]) -> Integers:
    """How many raters put each unit into each category."""
    codes = _codes(ratings, categories)
    return np.stack([(codes == place).sum(axis=1) for place in range(len(categories))], axis=1)


def _agreement_by_unit(counts: Integers) -> Floats:
    """Share of the pairs of a unit's ratings that agree; 0 where there is no pair."""
    rated = counts.sum(axis=1)
    pairs = np.where(rated >= 2, rated * (rated - 1), 1)
    shares: Floats = (counts * (counts - 1)).sum(axis=1) / pairs
    return shares


def _mean_over_units(name: str, shares: Floats, level: float, ratings: npt.ArrayLike) -> Agreement:
    units, raters = np.asarray(ratings, dtype=object).shape
    about = (len(shares), len(shares), units - len(shares), raters)
    if not len(shares):
        return _undefined(name, about, "no unit has two ratings")
    estimate = float(shares.mean())
    return _with_interval(name, estimate, shares - estimate, level, about, floor=0.0)


def _with_interval(
    name: str, estimate: float, residuals: Floats, level: float, about: tuple[int, int, int, int], floor: float = -1.0
) -> Agreement:
    n = about[0]
    if n < 2:
        return _without_interval(name, estimate, about)
    se = math.sqrt(float(np.square(residuals).sum()) / (n * (n - 1)))
    half = float(special.stdtrit(n - 1, 0.5 + level / 2)) * se
    low, high = max(floor, estimate - half), min(1.0, estimate + half)
    return Agreement(name, estimate, se, low, high, level, *about, ESTIMATED, "")


def _without_interval(name: str, estimate: float, about: tuple[int, int, int, int]) -> Agreement:
    nan = math.nan
    return Agreement(name, estimate, nan, nan, nan, nan, *about, ESTIMATED, "")


def _undefined(name: str, about: tuple[int, int, int, int], reason: str) -> Agreement:
    nan = math.nan
    return Agreement(name, nan, nan, nan, nan, nan, *about, NOT_ESTIMABLE, reason)

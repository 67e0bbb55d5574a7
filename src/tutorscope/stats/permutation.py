"""Tests of whether groups of points differ in place (PERMANOVA) or in spread (PERMDISP), by Euclidean distance.

For Euclidean distance neither test needs the distance matrix: the squared distances within a group, over its size,
sum to its sum of squares about its centroid (Huygens). So a permutation costs one pass over the points.

Both tests give a p-value of ``(b + 1) / (m + 1)``, with b the permutations (of m) that reach the observed statistic.
"Reach" allows a shortfall of 1e-12 of the total sum of squares: a permutation that rebuilds the observed groups, or
swaps equal points between them, sums the same numbers in another order and lands 1e-16 above or below, by the machine.
Exact ties must count wherever they are computed; the allowance is far above that noise and far below the steps
between different arrangements.

Before permuting, points are sorted and groups are taken by size, so the p-value depends on neither the order of the
rows nor the names of the groups.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from tutorscope.stats.arrays import ESTIMATED, NOT_ESTIMABLE, Floats, Integers, levels, matrix
from tutorscope.stats.spatial_median import spatial_median

if TYPE_CHECKING:
    import pandas as pd

_TOLERANCE = 1e-12

# Random keys, their sorted copy and the mask of a block fill 256 kB each and so stay in the processor's cache.
_BLOCK = 2**15


@dataclass(frozen=True)
class PermutationTest:
    """A test between groups by permutation.

    Attributes
    ----------
    test : str
        ``permanova``, ``permdisp median`` or ``permdisp centroid``.
    f : float
        Pseudo-F (PERMANOVA), or the F of the distances to the groups' centres (PERMDISP); infinite when nothing
        varies within groups that differ.
    p : float
        ``(b + 1) / (m + 1)``; nan when not estimable.
    r2 : float
        Share of the sum of squares (of the points, or of the distances) that lies between groups.
    n, groups : int
        Points and groups.
    sizes : dict
        Points of each group, groups in sorted order.
    dispersion : dict
        Mean distance to the centre of each group; empty for PERMANOVA.
    permutations, seed : int
        As asked.
    state : str
        ``estimated`` or ``not_estimable``.
    reason : str
        Why not; empty when estimated.
    """

    test: str
    f: float
    p: float
    r2: float
    n: int
    groups: int
    sizes: dict[Any, int]
    dispersion: dict[Any, float]
    permutations: int
    seed: int
    state: str
    reason: str


def permanova(
    points: npt.ArrayLike, labels: npt.ArrayLike, *, permutations: int = 9_999, seed: int = 0
) -> PermutationTest:
    r"""Test whether groups of points differ in place.

    .. math:: F = \frac{SS_{between} / (a - 1)}{SS_{within} / (n - a)}

    with a groups and n points: the pseudo-F of the Euclidean distance matrix. Memory is O(n).

    Parameters
    ----------
    points : array_like, shape (n, d) or (n,)
        Finite coordinates: on the uptake plane, uptake and scaffolding.
    labels : array_like, shape (n,)
        The group of each point.
    permutations : int
        How often labels are shuffled.
    seed : int
        Seed of the generator (PCG64).

    Returns
    -------
    PermutationTest
        ``not_estimable`` for fewer than two groups, for as many groups as points, or when all points are equal.

    Raises
    ------
    ValueError
        When lengths differ or no permutation is asked for.
    UserError
        When a coordinate or a label is missing.

    References
    ----------
    Anderson (2001), A new method for non-parametric multivariate analysis of variance, Austral Ecology 26.

    Examples
    --------
    >>> points = [[0.1, 2.0], [0.3, 2.5], [0.2, 1.5], [0.8, 4.0], [0.9, 3.5], [0.6, 4.5]]
    >>> result = permanova(points, ["a", "a", "a", "b", "b", "b"], permutations=999)
    >>> round(result.f, 6), result.p, round(result.r2, 6)
    (24.30625, 0.089, 0.858688)
    """
    data = _read(points, labels, permutations)
    within, between = _sums_of_squares(data)
    total = within + between
    reason = _why_not(data) or ("all points are equal" if total == 0 else "")
    if reason:
        return _result("permanova", data, permutations, seed, reason=reason)
    # Groups apart, F rises with the sum of squares between them, so that sum is what permutations are compared by.
    reached = _reaching(data.points, data.sizes, between, total, permutations, seed)
    return _result(
        "permanova", data, permutations, seed, within=within, between=between, p=(reached + 1) / (permutations + 1)
    )


def permdisp(
    points: npt.ArrayLike,
    labels: npt.ArrayLike,
    *,
    centre: Literal["median", "centroid"] = "median",
    permutations: int = 999,
    seed: int = 0,
) -> PermutationTest:
    """Test whether groups of points differ in spread.

    F is that of a one-way analysis of variance of the distances to the group's centre. Its p-value permutes the
    residuals of that analysis (the distances less their group's mean), as vegan's ``permutest`` of ``betadisper`` does;
    scikit-bio reshuffles the points and finds new centres, which is another test.

    Parameters
    ----------
    points, labels
        As for `permanova`.
    centre : {'median', 'centroid'}
        The group's spatial median, or its mean.
    permutations, seed
        As for `permanova`.

    Returns
    -------
    PermutationTest
        ``not_estimable`` for fewer than two groups, for as many groups as points, or when the distances do not vary
        within groups.

    Raises
    ------
    ValueError
        When lengths differ, no permutation is asked for, or the centre is another word.
    UserError
        When a coordinate or a label is missing.

    References
    ----------
    Anderson (2006), Distance-based tests for homogeneity of multivariate dispersions, Biometrics 62.

    Examples
    --------
    >>> points = [[0.1, 2.0], [0.3, 2.5], [0.2, 1.5], [0.9, 3.6], [0.8, 4.0], [0.9, 1.5], [0.6, 4.5], [0.7, 3.1]]
    >>> result = permdisp(points, ["a", "a", "a", "b", "b", "b", "b", "b"])
    >>> round(result.f, 6), result.p, {group: round(mean, 4) for group, mean in result.dispersion.items()}
    (0.828668, 0.446, {'a': 0.3495, 'b': 0.7999})
    """
    if centre not in ("median", "centroid"):
        raise ValueError(f"centre: found {centre!r}, expected 'median' or 'centroid'")
    test = f"permdisp {centre}"
    data = _read(points, labels, permutations)
    if reason := _why_not(data):
        return _result(test, data, permutations, seed, reason=reason)
    distances = _distances_to_centres(data, centre)
    dispersion = {data.names[g]: float(distances[data.codes == g].mean()) for g in range(len(data.names))}
    spread = _Data(distances[:, None] - distances.mean(), data.codes, data.sizes, data.names)
    within, between = _sums_of_squares(spread)
    if within <= 1e-24 * sum(_sums_of_squares(data)):
        reason = "distances to the centre do not vary within groups"
        return _result(test, data, permutations, seed, dispersion=dispersion, reason=reason)
    group_means = np.array([spread.points[data.codes == g, 0].mean() for g in range(len(data.names))])
    residuals = spread.points - group_means[data.codes][:, None]
    # The permuted F, B / (W - B) up to its degrees of freedom, reaches the observed between / within from here on.
    threshold = between * within / (within + between)
    reached = _reaching(residuals, data.sizes, threshold, within, permutations, seed)
    return _result(
        test,
        data,
        permutations,
        seed,
        within=within,
        between=between,
        dispersion=dispersion,
        p=(reached + 1) / (permutations + 1),
    )


def pairwise(
    points: npt.ArrayLike,
    labels: npt.ArrayLike,
    *,
    test: Callable[..., PermutationTest] = permanova,
    permutations: int = 9_999,
    seed: int = 0,
) -> pd.DataFrame:
    """Run a test for every pair of groups.

    Each pair starts the generator afresh, so a pair's p-value does not depend on which other groups are there. The
    p-values are not adjusted: see `multiplicity.holm` for a declared family.

    Parameters
    ----------
    points, labels
        As for `permanova`.
    test : callable
        `permanova` or `permdisp`.
    permutations, seed
        As for `permanova`.

    Returns
    -------
    DataFrame
        One row a pair, groups in sorted order, with the columns ``test``, ``group_a``, ``group_b``, ``n_a``, ``n_b``,
        ``f``, ``p``, ``r2``, ``dispersion_a``, ``dispersion_b`` (nan for PERMANOVA), ``permutations``, ``seed``,
        ``state``, ``reason``.

    Raises
    ------
    UserError
        When a coordinate or a label is missing.

    Examples
    --------
    >>> points = [[0.1, 2.0], [0.3, 2.5], [0.2, 1.5], [0.8, 4.0], [0.9, 3.5], [0.6, 4.5], [0.5, 3.0], [0.4, 2.9]]
    >>> frame = pairwise(points, ["a", "a", "a", "b", "b", "b", "c", "c"], permutations=999)
    >>> frame[["group_a", "group_b", "n_a", "n_b", "f", "p"]].round(4)
      group_a group_b  n_a  n_b        f      p
    0       a       b    3    3  24.3063  0.089
    1       a       c    3    2   6.5547  0.185
    2       b       c    3    2   7.7784  0.185
    """
    import pandas as pd

    array = matrix(points, "points")
    codes, names = levels(labels, "labels")
    if len(codes) != len(array):
        raise ValueError(f"labels: {len(codes)} for {len(array)} points")
    rows = []
    for a, b in itertools.combinations(range(len(names)), 2):
        chosen = (codes == a) | (codes == b)
        result = test(array[chosen], codes[chosen], permutations=permutations, seed=seed)
        row = {"group_a": names[a], "group_b": names[b], "n_a": result.sizes[a], "n_b": result.sizes[b]}
        row |= {"dispersion_a": result.dispersion.get(a, np.nan), "dispersion_b": result.dispersion.get(b, np.nan)}
        rows.append(asdict(result) | row)
    return pd.DataFrame(rows, columns=_PAIR_COLUMNS)


_PAIR_COLUMNS = [
    *("test", "group_a", "group_b", "n_a", "n_b", "f", "p", "r2", "dispersion_a", "dispersion_b"),
    *("permutations", "seed", "state", "reason"),
]


@dataclass(frozen=True)
class _Data:
    points: Floats  # centred
    codes: Integers
    sizes: Integers
    names: list[Any]


def _read(points: npt.ArrayLike, labels: npt.ArrayLike, permutations: int) -> _Data:
    array = matrix(points, "points")
    codes, names = levels(labels, "labels")
    if len(codes) != len(array):
        raise ValueError(f"labels: {len(codes)} for {len(array)} points")
    if permutations < 1:
        raise ValueError(f"permutations: found {permutations}, expected at least 1")
    if len(array):
        # Coordinates that are all equal but for the last digits leave only noise when their mean is taken off.
        flat = np.ptp(array, axis=0) <= _TOLERANCE * np.abs(array).max(axis=0)
        array = np.where(flat, 0.0, array - array.mean(axis=0))
    return _Data(array, codes, np.bincount(codes, minlength=len(names)), names)


def _why_not(data: _Data) -> str:
    if len(data.names) < 2:
        return "fewer than two groups"
    if len(data.names) == len(data.points):
        return "every point is a group of its own"
    return ""


def _sums_of_squares(data: _Data) -> tuple[float, float]:
    """Within groups and between them, each from its own differences: no subtraction of large sums."""
    within = between = 0.0
    for g, size in enumerate(data.sizes):
        members = data.points[data.codes == g]
        mean = members.mean(axis=0)
        within += float(np.square(members - mean).sum())
        between += float(size * mean @ mean)
    return within, between


def _distances_to_centres(data: _Data, centre: str) -> Floats:
    distances = np.empty(len(data.points))
    for g in range(len(data.names)):
        members = data.points[data.codes == g]
        middle = spatial_median(members) if centre == "median" else members.mean(axis=0)
        distances[data.codes == g] = np.sqrt(np.square(members - middle).sum(axis=1))
    return distances


def _reaching(points: Floats, sizes: Integers, observed: float, total: float, permutations: int, seed: int) -> int:
    """Count the permutations whose sum of squares between groups reaches the observed one.

    The points are centred, so the largest group's sum is the others' sum with the sign turned. A random permutation is
    a random key for each point: the group of the c smallest keys, the next group, and so on. Two equal keys (53 bits)
    would be needed for a group to be of another size: one in 10^10 permutations of a million points.
    """
    points = np.ascontiguousarray(points[np.lexsort(points.T)])
    n, sizes = len(points), np.sort(sizes)
    last_places = np.cumsum(sizes)[:-1] - 1
    rows = min(permutations, max(1, _BLOCK // n))
    keys, parted, mask = np.empty((rows, n)), np.empty((rows, n)), np.empty((rows, n))
    generator = np.random.Generator(np.random.PCG64(seed))
    reached = 0
    for start in range(0, permutations, rows):
        block = min(rows, permutations - start)
        generator.random(out=keys[:block])
        parted[:block] = keys[:block]
        parted[:block].partition(last_places, axis=1)
        below = np.zeros((block, points.shape[1]))
        between = np.zeros(block)
        for size, place in zip(sizes, last_places, strict=False):
            np.less_equal(keys[:block], parted[:block, place, None], out=mask[:block])
            up_to_here = mask[:block] @ points
            between += np.square(up_to_here - below).sum(axis=1) / size
            below = up_to_here
        between += np.square(below).sum(axis=1) / sizes[-1]
        reached += int(np.count_nonzero(between >= observed - _TOLERANCE * total))
    return reached


def _result(
    test: str,
    data: _Data,
    permutations: int,
    seed: int,
    *,
    within: float = np.nan,
    between: float = np.nan,
    dispersion: dict[Any, float] | None = None,
    p: float = np.nan,
    reason: str = "",
) -> PermutationTest:
    n, groups = len(data.points), len(data.names)
    with np.errstate(divide="ignore"):
        f = float(np.float64(between) / (groups - 1) / (np.float64(within) / (n - groups))) if not reason else np.nan
    return PermutationTest(
        test=test,
        f=f,
        p=p,
        r2=between / (within + between) if not reason else np.nan,
        n=n,
        groups=groups,
        sizes={name: int(size) for name, size in zip(data.names, data.sizes, strict=True)},
        dispersion=dispersion or {},
        permutations=permutations,
        seed=seed,
        state=NOT_ESTIMABLE if reason else ESTIMATED,
        reason=reason,
    )

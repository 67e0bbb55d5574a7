"""The spatial median: the point from which the distances to all points sum to least."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tutorscope.stats.arrays import Floats, matrix

_STEPS = 1000

# Points nearer than this (in units of the spread) are one: their direction from each other is noise.
_COINCIDES = 1e-13


def spatial_median(points: npt.ArrayLike) -> Floats:
    r"""Find the point that minimises the sum of Euclidean distances to all points.

    Weiszfeld's iteration is slow when the median is one of the points and stands still on a point that is not the
    median. So: the point nearest to the current place is tested for being the median (Vardi and Zhang: it is when the
    unit vectors to all others sum to no more than the number of points on it), a place on a point is left along their
    direction, and between points a Newton step is taken instead of Weiszfeld's whenever it does better. The result is
    exact at a point, else good to some 12 digits of the spread.

    On a line the median of an even number of points is a whole segment; its middle is given, as for numbers.

    Parameters
    ----------
    points : array_like, shape (n, d) or (n,)
        Finite coordinates, n >= 1.

    Returns
    -------
    ndarray of float64, shape (d,)

    Raises
    ------
    ValueError
        When there is no point.
    UserError
        When a coordinate is missing or infinite.

    References
    ----------
    Vardi and Zhang (2000), The multivariate L1-median and associated data depth, PNAS 97.

    Examples
    --------
    >>> spatial_median([[0, 0], [2, 0], [1, 3], [1, 1]])
    array([1., 1.])
    >>> spatial_median([[0, 0], [2, 0], [1, 3]]).round(6)
    array([1.     , 0.57735])
    """
    array = matrix(points, "points")
    if not len(array):
        raise ValueError("points: expected at least one")
    middle: Floats = array.mean(axis=0)
    centred = array - middle
    scale = float(np.abs(centred).max())
    if scale == 0:
        return middle
    centred /= scale
    # The eigenvalues of the scatter are squares: 1e-24 is a spread of 1e-12 across the main direction.
    spread, directions = np.linalg.eigh(centred.T @ centred)
    if len(spread) == 1 or spread[-2] <= 1e-24 * spread[-1]:
        along = directions[:, -1]
        middle += scale * float(np.median(centred @ along)) * along
    else:
        middle += scale * _search(centred)
    return middle


def _search(points: Floats) -> Floats:
    """Minimise from the mean (the origin); the points are centred, span a plane at least and reach to 1."""
    place: Floats = np.zeros(points.shape[1])
    tested: set[int] = set()
    for _ in range(_STEPS):
        offsets = points - place
        distances = np.sqrt(np.einsum("ij,ij->i", offsets, offsets))
        nearest = int(np.argmin(distances))
        if nearest not in tested:
            tested.add(nearest)
            pull, weight, _ = _pull(points, points[nearest])
            if np.linalg.norm(pull) <= weight:
                place = points[nearest]
                break
        if distances[nearest] <= _COINCIDES:
            step = _step_off_a_point(points, place)
        else:
            step = _step_between_points(points, place, offsets, distances)
        place = place + step
        if np.linalg.norm(step) <= 1e-14:
            break
    return place


def _pull(points: Floats, place: Floats) -> tuple[Floats, int, float]:
    """Sum the unit vectors from `place` to the points off it; count those on it; sum the inverse distances."""
    offsets = points - place
    distances = np.sqrt(np.einsum("ij,ij->i", offsets, offsets))
    off = distances > _COINCIDES
    inverse = 1 / distances[off]
    return inverse @ offsets[off], int(len(points) - off.sum()), float(inverse.sum())


def _step_off_a_point(points: Floats, place: Floats) -> Floats:
    pull, weight, inverse = _pull(points, place)
    step: Floats = (1 - weight / float(np.linalg.norm(pull))) * pull / inverse
    return step


def _step_between_points(points: Floats, place: Floats, offsets: Floats, distances: Floats) -> Floats:
    inverse = 1 / distances
    units = offsets * inverse[:, None]
    pull = units.sum(axis=0)
    weiszfeld: Floats = pull / inverse.sum()
    curvature = inverse.sum() * np.eye(points.shape[1]) - (units * inverse[:, None]).T @ units
    try:
        newton: Floats = np.linalg.solve(curvature, pull)
    except np.linalg.LinAlgError:
        return weiszfeld
    if not np.isfinite(newton).all():
        return weiszfeld
    # A shorter pull at the far end means nearer to the minimum, as the sum of distances is convex.
    ahead, weight, _ = _pull(points, place + newton)
    return newton if weight == 0 and np.linalg.norm(ahead) < np.linalg.norm(pull) else weiszfeld

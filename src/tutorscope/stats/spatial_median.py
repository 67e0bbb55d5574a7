"""The spatial median: the point from which the distances to all points sum to least."""

from __future__ import annotations

from typing import NamedTuple

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
    direction, and between points a damped Newton step takes the place of Weiszfeld's. The result is exact at a point,
    else good to some 12 digits of the spread.

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


class _View(NamedTuple):
    """What the points look like from a place: the sum of distances and its slope, and the points right there."""

    total: float
    pull: Floats  # unit vectors to the points off the place, summed: the way downhill
    weight: int  # points on the place
    inverse: float  # inverse distances to the others, summed


def _look(points: Floats, place: Floats) -> _View:
    offsets = points - place
    distances = np.sqrt(np.einsum("ij,ij->i", offsets, offsets))
    off = distances > _COINCIDES
    inverse = 1 / distances[off]
    return _View(float(distances.sum()), inverse @ offsets[off], int(len(points) - off.sum()), float(inverse.sum()))


def _search(points: Floats) -> Floats:
    """Minimise from the mean (the origin); the points are centred, span a plane at least and reach to 1."""
    place: Floats = np.zeros(points.shape[1])
    tested: set[int] = set()
    for _ in range(_STEPS):
        nearest = int(np.argmin(np.square(points - place).sum(axis=1)))
        if nearest not in tested:
            tested.add(nearest)
            there = _look(points, points[nearest])
            # With a little room, since the two sides may be equal but for rounding.
            if np.linalg.norm(there.pull) <= there.weight * (1 + 1e-12):
                median: Floats = points[nearest]
                return median
        here = _look(points, place)
        step = _step_off_a_point(here) if here.weight else _step_between_points(points, place, here)
        place = place + step
        if np.linalg.norm(step) <= 1e-14:
            break
    return place


def _step_off_a_point(here: _View) -> Floats:
    step: Floats = (1 - here.weight / float(np.linalg.norm(here.pull))) * here.pull / here.inverse
    return step


def _step_between_points(points: Floats, place: Floats, here: _View) -> Floats:
    """Take Newton's step, halved until the sum of distances falls by enough of what its slope promises."""
    offsets = points - place
    inverse = 1 / np.sqrt(np.einsum("ij,ij->i", offsets, offsets))
    units = offsets * inverse[:, None]
    curvature = here.inverse * np.eye(len(place)) - (units * inverse[:, None]).T @ units
    weiszfeld: Floats = here.pull / here.inverse
    try:
        step: Floats = np.linalg.solve(curvature, here.pull)
    except np.linalg.LinAlgError:
        return weiszfeld
    if not np.isfinite(step).all():
        return weiszfeld
    for _ in range(30):
        ahead = _look(points, place + step)
        if ahead.total <= here.total - 0.1 * float(step @ here.pull):
            return step
        # At the bottom the sum is flat to its last digit before its slope is.
        if ahead.total <= here.total * (1 + 1e-15) and np.linalg.norm(ahead.pull) < np.linalg.norm(here.pull):
            return step
        step = step / 2
    return weiszfeld

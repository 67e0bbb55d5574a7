"""The spatial median: known points, data on grids, and where Weiszfeld's iteration goes wrong."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tutorscope.stats.spatial_median import spatial_median

quick = settings(deadline=None, max_examples=60)
grids = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=25).map(np.array)


def total(points, place):
    return np.sqrt(np.square(points - place).sum(axis=1)).sum()


def test_the_fermat_point_of_a_triangle():
    corners = [[0, 0], [2, 0], [1, math.sqrt(3)]]
    assert spatial_median(corners) == pytest.approx([1, 1 / math.sqrt(3)], abs=1e-13)


def test_the_crossing_of_the_diagonals():
    assert spatial_median([[0, 0], [4, 4], [0, 2], [3, 0]]) == pytest.approx([1.2, 1.2], abs=1e-12)


def test_a_wide_corner_is_itself_the_median():
    assert spatial_median([[0, 0], [1, 0.1], [-1, 0.1]]).tolist() == pytest.approx([0, 0], abs=1e-15)


def test_a_start_on_a_point_that_is_not_the_median_is_left():
    # The mean (0, 0) is a point; plain Weiszfeld divides by zero there.
    points = np.array([[0, 0], [1, 0.1], [1, -0.1], [1, 0.3], [-3, -0.3]])
    found = spatial_median(points)
    assert total(points, found) < total(points, [0, 0]) - 1e-3
    nudges = 1e-6 * np.array([[1, 0], [-1, 0], [0, 1], [0, -1]])
    assert all(total(points, found) <= total(points, found + nudge) for nudge in nudges)


def test_many_equal_points_win():
    assert spatial_median([[1 / 3, 2]] * 5 + [[0, 0], [4, 1], [9, 9]]) == pytest.approx([1 / 3, 2], abs=1e-15)


@pytest.mark.parametrize("values", [[1, 2, 9], [1, 2, 3, 9], [5], [2, 2]])
def test_on_a_line_it_is_the_median(values):
    assert spatial_median(values)[0] == pytest.approx(np.median(values), abs=1e-14)


def test_on_a_slanted_line_it_is_the_middle_of_the_two_middle_points():
    points = np.array([7, -2]) + np.outer([0, 1, 3, 10], [0.6, 0.8])
    assert spatial_median(points) == pytest.approx([7 + 1.2, -2 + 1.6], abs=1e-12)


def test_no_point_has_no_median():
    with pytest.raises(ValueError, match="at least one"):
        spatial_median(np.empty((0, 2)))


def test_a_point_that_is_only_just_the_median_is_found_exactly():
    # The pull of the others equals the two points on (2, 2); turned, it does but for rounding.
    points = np.array([(0, 0), (0, 0), (0, 3), (2, 2), (2, 2), (4, 1)], dtype=float)
    turn = np.array([[math.cos(1), -math.sin(1)], [math.sin(1), math.cos(1)]])
    assert spatial_median(points).tolist() == [2, 2]
    assert spatial_median(points @ turn.T) == pytest.approx(turn @ [2, 2], abs=1e-14)


@quick
@given(grids)
def test_no_point_and_no_neighbour_does_better(points):
    found = spatial_median(points)
    assert all(total(points, found) <= total(points, point) + 1e-13 for point in points)
    for size in (1e-2, 1e-5):
        for angle in np.linspace(0, 2 * math.pi, 16):
            nudge = size * np.array([math.cos(angle), math.sin(angle)])
            assert total(points, found) <= total(points, found + nudge) + 1e-13


@quick
@given(grids.filter(lambda points: np.linalg.matrix_rank(points - points[0]) == 2), st.floats(0, 6.28))
def test_it_turns_and_moves_with_the_points(points, angle):
    turn = np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
    moved = points @ turn.T * 3 + [100, -50]
    # Of points on a plane the median is one point, so it can only go with them.
    assert spatial_median(moved) == pytest.approx(turn @ spatial_median(points) * 3 + [100, -50], abs=1e-6)

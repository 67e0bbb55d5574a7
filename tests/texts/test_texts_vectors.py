from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tutorscope.texts.vectors import bands, centroid, nearest, similarity

VALUES = st.floats(-1e3, 1e3, allow_nan=False).map(lambda value: round(value, 3))


def test_known_angles():
    found = similarity([[1, 0], [2, 2], [-3, 0], [0, 0]], [[5, 0], [0, 1]])
    np.testing.assert_allclose(found, [[1, 0], [2**-0.5, 2**-0.5], [-1, 0], [0, 0]], atol=1e-15)


def test_one_vector_is_one_row():
    assert similarity([1, 0], [1, 0]).shape == (1, 1)


@given(st.lists(st.lists(VALUES, min_size=3, max_size=3), min_size=1, max_size=6))
def test_similarity_is_symmetric_within_bounds_and_free_of_scale(rows):
    found = similarity(rows, rows)
    np.testing.assert_allclose(found, found.T, atol=1e-12)
    np.testing.assert_allclose(found, similarity(np.array(rows) * 7.5, rows), atol=1e-12)
    assert (np.abs(found) <= 1).all()
    zero = ~np.any(rows, axis=1)
    np.testing.assert_allclose(np.diag(found), np.where(zero, 0, 1), atol=1e-12)


def test_very_large_and_very_small_values_are_compared():
    np.testing.assert_allclose(similarity([[1e200, 1e200]], [[1e-200, 0]]), [[2**-0.5]])


@pytest.mark.parametrize("wrong", [[[np.nan, 1]], [[np.inf, 1]], [[[1, 2]]]])
def test_what_is_no_row_of_numbers_is_refused(wrong):
    with pytest.raises(ValueError, match="finite rows"):
        similarity(wrong, [[1, 2]])


def test_different_dimensions_are_refused():
    with pytest.raises(ValueError, match="2 and 3 dimensions"):
        similarity([[1, 2]], [[1, 2, 3]])


def test_the_centroid_is_the_plain_mean():
    np.testing.assert_array_equal(centroid([[0, 2], [4, 0]]), [2, 1])
    with pytest.raises(ValueError, match="no vectors"):
        centroid([])


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([], ""),
        ([0.5], "t"),
        ([0.1, 0.9], "mt"),
        ([0.2, 0.9, 0.5], "otm"),
        ([0.9, 0.8, 0.7, 0.6], "ttmo"),
        ([0.9, 0.8, 0.7, 0.6, 0.5], "ttmmo"),
        ([0.5, 0.5, 0.5], "tmo"),
        ([0.1, 0.1 + 1e-12, 0.1], "tmo"),
    ],
)
def test_bands_by_rank(values, expected):
    assert "".join(band[0] for band in bands(values)) == expected


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=40))
def test_bands_are_even_and_ordered(values):
    named = bands(values)
    counts = Counter(named)
    sizes = [counts["typical"], counts["middle"], counts["outlier"]]
    assert max(sizes) - min(sizes) <= 1
    # Similarities that agree to nine digits count as equal, so values a hair apart may stand in either order.
    for high, low in (("typical", "middle"), ("middle", "outlier"), ("typical", "outlier")):
        above = [value for value, band in zip(values, named, strict=True) if band == high]
        below = [value for value, band in zip(values, named, strict=True) if band == low]
        assert not above or not below or min(above) >= max(below) - 1.1e-9


def test_equal_similarities_rank_in_the_order_given():
    named = bands([0.5, 0.2] * 30)
    assert named[::2] == ["typical"] * 20 + ["middle"] * 10
    assert named[1::2] == ["middle"] * 10 + ["outlier"] * 20


def test_similarities_that_are_not_finite_have_no_band():
    with pytest.raises(ValueError, match="finite"):
        bands([0.1, float("nan")])


def test_nearest_in_order_with_ties_in_the_pools_order():
    rows, values = nearest([[1, 0], [0, 1]], [[0, 2], [1, 1], [3, 0], [2, 2]], k=3)
    assert rows.tolist() == [[2, 1, 3], [0, 1, 3]]
    np.testing.assert_allclose(values, [[1, 2**-0.5, 2**-0.5]] * 2, atol=1e-9)


def test_nearest_takes_only_what_is_allowed():
    allowed = np.array([[False, True, False], [False, False, False]])
    rows, values = nearest([[1, 0], [1, 0]], [[1, 0], [0, 1], [1, 0]], k=2, allowed=allowed)
    assert rows.tolist() == [[1, -1], [-1, -1]]
    assert np.isnan(values).tolist() == [[False, True], [True, True]]


def test_nearest_in_an_empty_pool_finds_nothing():
    rows, values = nearest([[1, 0]], [], k=2)
    assert rows.tolist() == [[-1, -1]]
    assert np.isnan(values).all()


@pytest.mark.parametrize(("k", "allowed", "message"), [(0, None, "at least 1"), (1, np.ones((2, 2), bool), "expected")])
def test_nearest_refuses_what_does_not_fit(k, allowed, message):
    with pytest.raises(ValueError, match=message):
        nearest([[1, 0]], [[1, 0]], k, allowed)


@given(st.integers(1, 40), st.integers(1, 12), st.integers(1, 5), st.integers(0, 99))
def test_nearest_agrees_with_sorting_one_by_one(n, m, k, seed):
    random = np.random.default_rng(seed)
    queries, pool = random.normal(size=(n, 4)), random.normal(size=(m, 4))
    rows, values = nearest(queries, pool, k)
    for row, value, query in zip(rows, values, queries, strict=True):
        ranked = sorted(range(m), key=lambda one: -similarity(query, pool[one])[0, 0])[:k]
        assert row.tolist() == ranked + [-1] * (k - len(ranked))
        assert np.isnan(value[len(ranked) :]).all()


def test_the_nearest_of_1700_items_are_of_other_papers():
    random = np.random.default_rng(1)
    vectors = random.normal(size=(1700, 256)).astype(np.float32)
    paper = random.integers(0, 90, 1700)
    rows, _ = nearest(vectors, vectors, 3, paper[:, None] != paper[None, :])
    assert (paper[rows] != paper[:, None]).all()

"""PERMANOVA and PERMDISP: scikit-bio's and vegan's digits, ties, invariance, a null that stays null."""

import itertools
import math
import tracemalloc
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import pdist, squareform

from tutorscope.errors import UserError
from tutorscope.stats import permutation
from tutorscope.stats.permutation import pairwise, permanova, permdisp

quick = settings(deadline=None, max_examples=40)


def monte_carlo_error(p, *permutations):
    """Five standard errors of the difference between estimates of p."""
    return 5 * math.sqrt(max(p, 0.001) * (1 - min(p, 0.999)) * sum(1 / m for m in permutations))


def made_up(n, seed, shift=0.4, groups=2):
    generator = np.random.default_rng(seed)
    labels = generator.integers(0, groups, n)
    return generator.normal(size=(n, 2)) * [0.3, 0.9] + shift * labels[:, None], np.array(list("abcdefg"))[labels]


@pytest.mark.parametrize(("n", "groups"), [(12, 2), (60, 2), (61, 3), (150, 5)])
def test_pseudo_f_equals_scikit_bio_to_ten_digits_and_p_within_chance(n, groups):
    distance = pytest.importorskip("skbio.stats.distance")
    points, labels = made_up(n, seed=n, shift=0.1, groups=groups)
    oracle = distance.permanova(distance.DistanceMatrix(squareform(pdist(points))), labels, permutations=999, seed=1)
    result = permanova(points, labels, permutations=999)
    assert result.f == pytest.approx(oracle["test statistic"], rel=1e-10)
    assert result.p == pytest.approx(oracle["p-value"], abs=monte_carlo_error(result.p, 999, 999))


@pytest.mark.parametrize(("centre", "digits"), [("centroid", 1e-9), ("median", 1e-5)])
def test_permdisp_f_equals_scikit_bio(centre, digits):
    # Its median stops at steps of 1e-7, so fewer digits are its own.
    distance = pytest.importorskip("skbio.stats.distance")
    points, labels = made_up(80, seed=8)
    points[labels == "b"] *= 1.3
    matrix = distance.DistanceMatrix(squareform(pdist(points)))
    oracle = distance.permdisp(matrix, labels, test=centre, permutations=9, dimensions=2, warn_neg_eigval=False)
    assert permdisp(points, labels, centre=centre).f == pytest.approx(oracle["test statistic"], rel=digits)


def golden_points(groups):
    frame = pd.read_csv(Path(__file__).parent / "golden/points.csv")
    chosen = frame[frame["group"].isin(groups.split())]
    return chosen[["x", "y"]], chosen["group"]


@pytest.mark.parametrize("row", range(4))
def test_vegan_gives_the_same_digits(golden, row):
    expected = golden("permutation")[row]
    points, labels = golden_points(expected["groups"])
    place = permanova(points, labels)
    assert (place.f, place.r2) == pytest.approx((expected["permanova_f"], expected["permanova_r2"]), rel=1e-12)
    assert place.p == pytest.approx(expected["permanova_p"], abs=monte_carlo_error(place.p, 9999, 1999))
    centroid = permdisp(points, labels, centre="centroid")
    assert centroid.f == pytest.approx(expected["centroid_f"], rel=1e-9)
    assert centroid.p == pytest.approx(expected["centroid_p"], abs=monte_carlo_error(centroid.p, 999, 999))
    median = permdisp(points, labels)
    assert median.f == pytest.approx(expected["tight_median_f"], abs=1e-7)
    assert median.f == pytest.approx(expected["vegan_median_f"], abs=1e-4)
    assert median.p == pytest.approx(expected["median_p"], abs=monte_carlo_error(median.p, 999, 999))


@pytest.mark.r
def test_the_golden_script_still_gives_its_digits(golden, remade):
    for now, then in zip(remade("permutation", "points", "vegan"), golden("permutation"), strict=True):
        for name in ("permanova_f", "permanova_r2", "centroid_f", "tight_median_f"):
            assert now[name] == pytest.approx(then[name], rel=1e-6, abs=1e-9)


def exact_p(points, labels):
    """Weigh every arrangement of the labels of a few points, in exact integers."""
    sizes = np.bincount(labels)

    def between(inside):
        # The sum of squares between two groups, up to a constant and a common denominator.
        sums = [points[inside == group].sum(axis=0) for group in (0, 1)]
        return sizes[1] * (sums[0] @ sums[0]) + sizes[0] * (sums[1] @ sums[1])

    chosen = itertools.combinations(range(len(points)), int(sizes[1]))
    arrangements = [between(np.isin(np.arange(len(points)), places).astype(int)) for places in chosen]
    return np.mean(np.array(arrangements) >= between(labels))


@pytest.mark.parametrize("seed", range(4))
def test_ties_of_f_count_as_reached(seed):
    # Coordinates in tenths are not exact in floats: without the tolerance, half of the ties would be lost.
    generator = np.random.default_rng(seed)
    whole = generator.integers(0, 3, size=(9, 2))
    labels = np.array([0, 0, 0, 0, 0, 1, 1, 1, 1])
    truth = exact_p(whole, labels)
    result = permanova(whole / 10 + 0.7, labels, permutations=20_000)
    assert result.p == pytest.approx(truth, abs=monte_carlo_error(truth, 20_000))


def test_p_is_never_zero():
    points = np.concatenate([np.arange(20.0), np.arange(20.0) + 1000])
    assert permanova(points, ["a"] * 20 + ["b"] * 20).p == 1e-4


def test_p_values_are_uniform_on_a_null():
    generator = np.random.default_rng(7)
    place, spread = [], []
    for study in range(300):
        points, labels = generator.normal(size=(24, 2)), np.repeat(["a", "b"], [9, 15])
        place.append(permanova(points, labels, permutations=199, seed=study).p)
        spread.append(permdisp(points, labels, centre="centroid", permutations=199, seed=study).p)
    for values in (place, spread):
        assert scipy.stats.kstest(values, "uniform").pvalue > 0.001
        assert scipy.stats.binomtest(sum(np.array(values) <= 0.05), 300, 0.05).pvalue > 0.001


def test_planted_differences_are_found():
    points, labels = made_up(200, seed=3, shift=0.5)
    assert permanova(points, labels, permutations=999).p == 0.001
    apart = np.where((labels == "a")[:, None], points, points * 2.5)
    assert permdisp(apart, labels).p == 0.001


@quick
@given(st.integers(0, 10_000), st.floats(0, 6.28), st.floats(-50, 50), st.floats(0.1, 20))
def test_f_does_not_change_when_the_plane_is_turned_moved_and_scaled(seed, angle, shift, scale):
    points, labels = made_up(30, seed)
    turn = np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
    moved = points @ turn.T * scale + shift
    assert permanova(moved, labels, permutations=1).f == pytest.approx(
        permanova(points, labels, permutations=1).f, rel=1e-7
    )
    assert permdisp(moved, labels, permutations=1).f == pytest.approx(
        permdisp(points, labels, permutations=1).f, rel=1e-6, abs=1e-9
    )


@quick
@given(st.integers(0, 10_000))
def test_row_order_and_names_change_nothing(seed):
    points, labels = made_up(40, seed)
    points = points.round(1)
    shuffled = np.random.default_rng(seed).permutation(40)
    renamed = np.where(labels == "a", "zebra", "yak")[shuffled]
    for test in (permanova, permdisp):
        first, second = test(points, labels, permutations=199), test(points[shuffled], renamed, permutations=199)
        assert second.f == pytest.approx(first.f, rel=1e-9, abs=1e-12)
        assert second.p == first.p


@pytest.mark.parametrize("block", [1, 40, 500])
def test_the_block_changes_no_digit(monkeypatch, block):
    points, labels = made_up(40, seed=2, shift=0.1)
    whole = permanova(points, labels, permutations=300)
    monkeypatch.setattr(permutation, "_BLOCK", block)
    assert permanova(points, labels, permutations=300) == whole


def test_the_seed_moves_p_only_within_chance():
    points, labels = made_up(60, seed=5, shift=0.1)
    values = [permanova(points, labels, permutations=999, seed=seed).p for seed in range(4)]
    assert len(set(values)) > 1
    assert max(values) - min(values) < monte_carlo_error(values[0], 999, 999)


@pytest.mark.parametrize(
    ("points", "labels", "reason"),
    [
        ([[0.1, 0.2]] * 6, list("aaabbb"), "all points are equal"),
        ([[1, 2], [3, 4]], ["a", "a"], "fewer than two groups"),
        ([[1, 2], [3, 4]], ["a", "b"], "every point is a group of its own"),
        (np.empty((0, 2)), [], "fewer than two groups"),
    ],
)
def test_what_cannot_be_tested_says_why(points, labels, reason):
    result = permanova(points, labels)
    assert (result.state, result.reason) == ("not_estimable", reason)
    assert math.isnan(result.f)
    assert math.isnan(result.p)


def test_spread_that_does_not_vary_cannot_be_tested():
    result = permdisp([[0, 0], [1, 0], [0, 5], [9, 5]], list("aabb"))
    assert (result.state, result.reason) == ("not_estimable", "distances to the centre do not vary within groups")
    assert result.dispersion == {"a": 0.5, "b": 4.5}


def test_groups_without_spread_that_differ_have_an_infinite_f():
    result = permanova([[0, 0]] * 4 + [[1, 1]] * 4, list("aaaabbbb"), permutations=999)
    assert math.isinf(result.f)
    assert result.p == pytest.approx(2 / 70, abs=monte_carlo_error(2 / 70, 999))


def test_a_missing_coordinate_or_label_is_named_by_its_row():
    with pytest.raises(UserError, match="points: row 1"):
        permanova([[1, 2], [math.nan, 1], [2, 2]], list("aab"))
    with pytest.raises(UserError, match="labels: row 2"):
        permanova([[1, 2], [3, 1], [2, 2]], ["a", "b", None])


@pytest.mark.parametrize(("option", "value"), [("permutations", 0), ("centre", "mode")])
def test_a_mistaken_option_is_refused(option, value):
    with pytest.raises(ValueError, match=option):
        permdisp([[1, 2], [3, 1], [2, 2]], list("aab"), **{option: value})


def test_each_pair_stands_alone():
    points, labels = made_up(90, seed=1, groups=3)
    frame = pairwise(points, labels, permutations=199)
    assert list(zip(frame["group_a"], frame["group_b"], strict=True)) == [("a", "b"), ("a", "c"), ("b", "c")]
    chosen = labels != "b"
    alone = permanova(points[chosen], labels[chosen], permutations=199)
    assert frame.loc[1, ["f", "p", "n_a", "n_b"]].tolist() == [alone.f, alone.p, *alone.sizes.values()]


def test_pairs_of_spreads_say_which_group_is_wider():
    points, labels = made_up(90, seed=1, groups=3)
    points[labels == "c"] *= 4
    frame = pairwise(points, labels, test=permdisp, permutations=199)
    assert set(frame["test"]) == {"permdisp median"}
    assert (frame.loc[1:, "dispersion_b"] > 2 * frame.loc[1:, "dispersion_a"]).all()
    assert (frame.loc[1:, "p"] == 0.005).all()


def test_memory_does_not_grow_with_the_permutations_or_with_n_squared():
    points = np.random.default_rng(0).random((8097, 2))
    tracemalloc.start()
    permanova(points, np.arange(8097) % 2, permutations=2_000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # The distance matrix alone would be 524 MB; the labels of 2,000 permutations, 16 MB as bytes.
    assert peak < 6e6


def test_a_million_points():
    points = np.random.default_rng(0).random((1_000_000, 2))
    result = permanova(points, np.arange(1_000_000) % 3, permutations=2)
    assert (result.n, result.groups, result.state) == (1_000_000, 3, "estimated")

"""Agreement between raters: published digits, other formulas for the same numbers, gaps, and what is undefined."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tutorscope.errors import UserError
from tutorscope.stats.agreement import (
    exact_agreement,
    gwet_ac1,
    krippendorff_alpha,
    percent_agreement,
    quadratic_kappa,
)

quick = settings(deadline=None, max_examples=30)
scale = [1, 2, 3, 4]
with_gaps = st.lists(st.lists(st.sampled_from([*scale, None]), min_size=3, max_size=3), min_size=2, max_size=12)
pairs = st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), min_size=1, max_size=30)

# Krippendorff (2011), section E: four observers, twelve units, five categories.
OBSERVERS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
    [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
]


def units(columns):
    return list(zip(*columns, strict=True))


def test_ac1_of_two_raters_has_gwets_digits():
    counts = [(("yes", "yes"), 20), (("yes", "no"), 3), (("no", "yes"), 2), (("no", "no"), 3)]
    ratings = [pair for pair, times in counts for _ in range(times)]
    result = gwet_ac1(ratings, ["yes", "no"])
    assert (result.estimate, result.se) == pytest.approx((0.73905, 0.12336), abs=5e-6)
    assert (result.low, result.high) == pytest.approx((0.48594, 0.99216), abs=5e-6)


def test_ac1_of_three_raters_with_gaps_has_gwets_digits():
    columns = [[1, 2, 3, 3, None, 1], [1, 2, 3, 2, 4, 1], [None, 2, 3, 3, 4, 2]]
    result = gwet_ac1(units(columns), scale)
    assert (result.estimate, result.se) == pytest.approx((0.70492, 0.18515), abs=5e-6)
    assert result.high == 1.0


def test_a_category_that_nobody_chose_still_counts():
    ratings = [[1, 1], [2, 2], [1, 2], [1, 1]]
    assert gwet_ac1(ratings, [1, 2, 3]).estimate > gwet_ac1(ratings, [1, 2]).estimate


@pytest.mark.parametrize(("metric", "alpha"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_alpha_has_krippendorffs_digits(metric, alpha):
    result = krippendorff_alpha(units(OBSERVERS), [1, 2, 3, 4, 5], metric)
    assert result.estimate == pytest.approx(alpha, abs=5e-4)
    assert (result.n, result.n_left_out, result.raters) == (11, 1, 4)


def alpha_by_pairs(ratings, distance):
    """Alpha from its definition: every pair of ratings within a unit, against every pair at all."""
    rated = [[r for r in unit if r is not None] for unit in ratings]
    rated = [unit for unit in rated if len(unit) >= 2]
    values = [r for unit in rated for r in unit]
    observed = sum(
        sum(distance(a, b) for a, b in itertools.permutations(unit, 2)) / (len(unit) - 1) for unit in rated
    ) / len(values)
    expected = sum(distance(a, b) for a, b in itertools.permutations(values, 2)) / len(values) / (len(values) - 1)
    return 1 - observed / expected


@quick
@given(with_gaps)
def test_alpha_equals_its_definition_by_pairs(ratings):
    values = [r for unit in ratings if sum(r is not None for r in unit) >= 2 for r in unit if r is not None]
    assume(len(set(values)) > 1)
    ranks = pd.Series(values).rank().groupby(pd.Series(values)).first()
    for metric, distance in (
        ("nominal", lambda a, b: float(a != b)),
        ("ordinal", lambda a, b: (ranks[a] - ranks[b]) ** 2),
        ("interval", lambda a, b: (a - b) ** 2),
    ):
        result = krippendorff_alpha(ratings, scale, metric)
        assert result.estimate == pytest.approx(alpha_by_pairs(ratings, distance), abs=1e-10)


@quick
@given(pairs)
def test_quadratic_kappa_is_lins_concordance_of_the_codes(ratings):
    x, y = np.array(ratings, dtype=float).T
    spread = x.var() + y.var() + (x.mean() - y.mean()) ** 2
    result = quadratic_kappa(*units(ratings), [1, 2, 3, 4, 5])
    if spread == 0:
        assert result.state == "not_estimable"
    else:
        assert result.estimate == pytest.approx(2 * np.mean((x - x.mean()) * (y - y.mean())) / spread, abs=1e-12)


@quick
@given(with_gaps, st.permutations(scale), st.permutations([0, 1, 2]))
def test_the_order_of_raters_and_the_names_of_categories_change_nothing(ratings, names, order):
    renamed = [[unit[r] and names[unit[r] - 1] for r in order] for unit in ratings]
    for coefficient in (gwet_ac1, percent_agreement):
        before, after = coefficient(ratings, scale), coefficient(renamed, scale)
        assert after.state == before.state
        assert (after.estimate, after.se) == pytest.approx((before.estimate, before.se), nan_ok=True, abs=1e-12)
    before, after = (krippendorff_alpha(r, scale, "nominal").estimate for r in (ratings, renamed))
    assert after == pytest.approx(before, nan_ok=True, abs=1e-12)


@quick
@given(pairs)
def test_percent_agreement_of_two_raters_is_exact_agreement(ratings):
    percent, exact = percent_agreement(ratings, [1, 2, 3, 4, 5]), exact_agreement(ratings)
    assert percent.estimate == exact.estimate == np.mean([a == b for a, b in ratings])
    assert percent.se == pytest.approx(exact.se, nan_ok=True)


def test_percent_agreement_averages_pairs_within_units():
    result = percent_agreement([["a", "a", "b"], ["b", "b", "b"]], ["a", "b"])
    assert result.estimate == pytest.approx((1 / 3 + 1) / 2)


def test_exact_agreement_needs_all_raters():
    ratings = [[1, 1, 2], [3, 3, None], [4, None, None], [5, 3, 4]]
    assert exact_agreement(ratings).estimate == pytest.approx(1 / 3)
    assert exact_agreement(ratings, within=1).estimate == pytest.approx(2 / 3)
    assert (exact_agreement(ratings).n, exact_agreement(ratings).n_left_out) == (3, 1)


def test_exact_agreement_of_means_ignores_float_noise():
    assert exact_agreement([[0.1 + 0.2, 0.3]]).estimate == 1
    assert exact_agreement([[1 / 3 + 1, 1 / 3]], within=1).estimate == 1


def test_exact_agreement_takes_labels():
    assert exact_agreement([["agree", "agree"], ["agree", "disagree"]]).estimate == 0.5
    with pytest.raises(UserError, match="expected numbers"):
        exact_agreement([["agree", "agree"]], within=1)


@pytest.mark.parametrize("coefficient", [gwet_ac1, percent_agreement])
def test_raters_who_always_agree(coefficient):
    result = coefficient([[1, 1]] * 8 + [[2, 2]] * 2, [1, 2])
    assert (result.estimate, result.se, result.low, result.high) == (1, 0, 1, 1)


def test_one_category_throughout_leaves_ac1_at_one_and_kappa_and_alpha_undefined():
    ratings = [[5, 5]] * 6
    assert gwet_ac1(ratings, [1, 2, 3, 4, 5]).estimate == 1
    kappa = quadratic_kappa(*units(ratings), [1, 2, 3, 4, 5])
    assert (kappa.state, kappa.reason) == ("not_estimable", "no disagreement is expected: one category throughout")
    assert math.isnan(kappa.estimate)
    assert krippendorff_alpha(ratings, [4, 5], "ordinal").reason == "all ratings are the same"


@pytest.mark.parametrize(
    "result",
    [
        gwet_ac1([[1, None], [None, 2]], [1, 2]),
        percent_agreement([[1, None], [None, 2]], [1, 2]),
        exact_agreement([[1, None], [None, 2]]),
        krippendorff_alpha([[1, None], [None, 2]], [1, 2], "nominal"),
    ],
    ids=lambda result: result.statistic,
)
def test_units_rated_once_say_nothing(result):
    assert (result.state, result.reason, result.n_compared) == ("not_estimable", "no unit has two ratings", 0)
    assert math.isnan(result.estimate)


def test_a_single_unit_has_no_interval():
    result = gwet_ac1([[1, 1]], [1, 2])
    assert (result.estimate, result.state) == (1, "estimated")
    assert math.isnan(result.se)


@pytest.mark.parametrize("gap", [None, math.nan, pd.NA])
def test_every_kind_of_gap_is_a_gap(gap):
    frame = pd.DataFrame({"r1": [1, 2, gap], "r2": [1, 1, 2]}, dtype=object)
    assert (gwet_ac1(frame, [1, 2]).n_compared, quadratic_kappa(frame["r1"], frame["r2"], [1, 2]).n_left_out) == (2, 1)


def test_a_rating_off_the_scale_is_named():
    with pytest.raises(UserError, match="unit 1, rater 0: found 6, expected one of 1, 2, 3, 4"):
        gwet_ac1([[1, 2], [6, 2]], scale)


@pytest.mark.parametrize("categories", [[1], [1, 1, 2]])
def test_a_scale_needs_two_different_categories(categories):
    with pytest.raises(ValueError, match="categories"):
        gwet_ac1([[1, 1]], categories)


def test_an_interval_scale_needs_numbers():
    with pytest.raises(UserError, match="interval"):
        krippendorff_alpha([["a", "b"]], ["a", "b"], "interval")


def test_a_vector_is_not_units_by_raters():
    with pytest.raises(ValueError, match="units by raters"):
        percent_agreement([1, 2, 3], scale)


@pytest.mark.shared
def test_the_sonnet_judges_sums_of_three_agree_as_counted_by_hand(shared):
    opus, sol = (pd.read_csv(shared / f"audit/sonnet_{judge}.csv")["helpfulness3"] for judge in ("opus", "sol"))
    result = exact_agreement(np.column_stack([opus, sol]))
    assert result.estimate == pytest.approx((opus == sol).mean(), abs=1e-15)
    assert result.n == 358


def test_ac1_covers_as_its_standard_error_says():
    generator = np.random.default_rng(2)

    def study(n):
        truth = generator.random(n) < 0.8
        return np.where(generator.random((n, 2)) < 0.85, truth[:, None], ~truth[:, None]).astype(int)

    value = gwet_ac1(study(200_000), [0, 1]).estimate
    results = [gwet_ac1(study(60), [0, 1]) for _ in range(300)]
    assert 0.91 <= np.mean([result.low <= value <= result.high for result in results]) <= 0.985

"""Paired tests: the Sonnet digits, ties and zeros, enumeration by hand, other implementations."""

import itertools
import json
import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from tutorscope.errors import UserError
from tutorscope.stats.paired import cliffs_delta, hodges_lehmann, paired_summary, signed_ranks

quick = settings(deadline=None, max_examples=60)
thirds = st.integers(3, 15)
few_pairs = st.lists(st.tuples(thirds, thirds), min_size=1, max_size=10)
CLAIMS = [
    ("P1_leakage", "leakage_rate"),
    ("P2_helpfulness", "helpfulness_mean"),
    ("P3_independence", "independence_ratio"),
]
TOKENS = ["leaky_turns_per_1k_tutor_tok", "independent_turns_per_1k_tutor_tok"]


def weigh_every_sign(differences):
    """Two-sided p by listing all signs, in exact arithmetic."""
    left = [d for d in differences if d]
    sizes = sorted(abs(d) for d in left)
    ranks = [Fraction(sizes.index(abs(d)) + 1 + sizes.index(abs(d)) + sizes.count(abs(d)), 2) for d in left]
    observed = sum(r for r, d in zip(ranks, left, strict=True) if d > 0)
    middle = sum(ranks) / 2
    sums = [
        sum(r for r, up in zip(ranks, ups, strict=True) if up) for ups in itertools.product([0, 1], repeat=len(left))
    ]
    return float(Fraction(sum(abs(s - middle) >= abs(observed - middle) for s in sums), len(sums)))


@pytest.mark.shared
@pytest.mark.parametrize(
    ("block", "name", "column"), [("j1", *claim) for claim in CLAIMS] + [("cost_normalized", t, t) for t in TOKENS]
)
def test_the_sonnet_table_gives_the_published_digits(shared, block, name, column):
    published = json.loads((shared / "audit/sonnet_published.json").read_text(encoding="utf-8"))["opus"][block][name]
    sessions = pd.read_csv(shared / "audit/sonnet_per_session.csv").set_index(["condition", "replicate_id"])[column]
    result = paired_summary(sessions["conv"].sort_index(), sessions["ped"].sort_index())
    assert (result.w, result.p) == (published["wilcoxon_W"], published["p_two_sided"])
    assert result.p_method == "exact"
    assert result.cliffs_delta == pytest.approx(published["cliffs_delta_conv_vs_ped"], abs=1e-12)
    assert result.mean_difference == pytest.approx(published["mean_diff_conv_minus_ped"], abs=1e-14)
    assert (result.low, result.high) == pytest.approx(published["diff_ci95"], abs=1e-14)
    assert (result.n_greater, result.n_smaller) == (published["n_conv_gt_ped"], published["n_ped_gt_conv"])
    assert (result.mean_first, result.mean_second) == pytest.approx(
        (published["conv_mean"], published["ped_mean"]), abs=1e-14
    )
    if "median_diff" in published:
        assert result.median_difference == pytest.approx(published["median_diff"], abs=1e-14)


@pytest.mark.shared
def test_a_second_judges_means_of_turns_give_the_published_digits_and_a_true_zero(shared):
    published = json.loads((shared / "audit/sonnet_published.json").read_text(encoding="utf-8"))["sol"]["j1"][
        "P2_helpfulness"
    ]
    turns = pd.read_csv(shared / "audit/sonnet_sol.csv")
    means = (turns["helpfulness3"] / 3).groupby([turns["condition"], turns["replicate"]]).mean()
    result = paired_summary(means["conv"], means["ped"])
    assert (result.w, result.p, result.n_zero) == (published["wilcoxon_W"], published["p_two_sided"], 1)
    assert (result.n_greater, result.n_smaller) == (published["n_conv_gt_ped"], published["n_ped_gt_conv"])
    assert result.cliffs_delta == pytest.approx(published["cliffs_delta_conv_vs_ped"], abs=1e-12)
    assert (result.low, result.high) == pytest.approx(published["diff_ci95"], abs=1e-13)


@pytest.mark.shared
@pytest.mark.parametrize("measure", ["helpfulness", "pedagogy"])
def test_differences_of_differences_give_the_published_digits(shared, measure):
    published = json.loads((shared / "audit/sonnet_published.json").read_text(encoding="utf-8"))["cross_judge"][
        measure
    ]["dod"]
    result = paired_summary(published["values"], [0] * len(published["values"]))
    assert (result.w, result.p) == (published["wilcoxon_W"], published["p_two_sided"])
    assert (result.low, result.high) == pytest.approx(published["ci95"], abs=1e-13)


@pytest.mark.parametrize(
    ("differences", "w", "p"),
    [
        ([1, 2, 3, 4, 5], 0, 2 / 32),
        ([1, 2, 3, 4, -5], 5, 2 * 10 / 32),
        ([1, 1, 1, -1], 2.5, 2 * 5 / 16),
        ([0, 0, 0], 0, 1),
        ([7], 0, 1),
    ],
)
def test_small_samples_by_hand(differences, w, p):
    result = signed_ranks(differences, [0] * len(differences))
    assert (result.w, result.p, result.method) == (w, p, "exact")


@quick
@given(few_pairs)
def test_the_exact_p_weighs_every_sign(pairs):
    first, second = zip(*pairs, strict=True)
    expected = weigh_every_sign([a - b for a, b in pairs])
    assert signed_ranks(first, second).p == pytest.approx(expected, abs=1e-15)


@quick
@given(few_pairs)
def test_integers_fractions_and_noisy_floats_agree(pairs):
    first, second = (np.array(side) for side in zip(*pairs, strict=True))
    whole = signed_ranks(first, second)
    assert signed_ranks([Fraction(int(k), 3) for k in first], [Fraction(int(k), 3) for k in second]) == whole
    # The same thirds, reached by sums whose last digits differ.
    assert signed_ranks(first / 3 + 0.1 - 0.1, second * (1 / 3)) == whole
    assert cliffs_delta(first / 3 + 0.1 - 0.1, second * (1 / 3)) == cliffs_delta(first, second)


def test_scipy_gives_the_same_exact_p_without_ties():
    generator = np.random.default_rng(0)
    for n in range(3, 16):
        differences = generator.normal(0.4, 1, n)
        oracle = scipy.stats.wilcoxon(differences, method="exact")
        result = signed_ranks(differences, np.zeros(n))
        assert (result.w, result.p) == pytest.approx((oracle.statistic, oracle.pvalue), abs=1e-12)


def test_scipy_gives_the_same_normal_p_with_ties_beyond_fifteen():
    generator = np.random.default_rng(1)
    for n in (20, 60, 400):
        differences = generator.integers(-3, 5, n)
        oracle = scipy.stats.wilcoxon(differences, method="approx", zero_method="wilcox", correction=False)
        result = signed_ranks(differences, [0] * n)
        assert result.method == "normal, tie-corrected"
        assert (result.w, result.p) == pytest.approx((oracle.statistic, oracle.pvalue), rel=1e-10)


@pytest.mark.parametrize(("n", "method"), [(15, "exact"), (16, "normal, tie-corrected")])
def test_the_method_goes_by_the_differences_left(n, method):
    result = signed_ranks([*range(1, n + 1), 0, 0], [0] * (n + 2))
    assert (result.method, result.n, result.n_zero) == (method, n + 2, 2)


def test_true_zeros_that_survive_subtraction_are_dropped():
    assert signed_ranks([0.1 + 0.2, 5.0], [0.3, 4.0]).n_zero == 1


@quick
@given(few_pairs, st.integers(-9, 9))
def test_swapping_the_conditions_turns_the_effect_and_keeps_p(pairs, shift):
    first, second = (np.array(side) + shift for side in zip(*pairs, strict=True))
    there, back = paired_summary(first, second, draws=50), paired_summary(second, first, draws=50)
    assert (back.p, back.w) == (there.p, there.w)
    assert back.cliffs_delta == -there.cliffs_delta
    assert back.hodges_lehmann == -there.hodges_lehmann
    assert (back.n_greater, back.n_smaller) == (there.n_smaller, there.n_greater)


@quick
@given(st.lists(thirds, min_size=1, max_size=12), st.lists(thirds, min_size=1, max_size=9))
def test_cliffs_delta_compares_all_pairs(first, second):
    signs = [(a > b) - (a < b) for a in first for b in second]
    assert cliffs_delta(first, second) == pytest.approx(np.mean(signs), abs=1e-15)


@quick
@given(few_pairs)
def test_hodges_lehmann_is_the_median_of_walsh_averages(pairs):
    differences = [a - b for a, b in pairs]
    walsh = [(a + b) / 2 for i, a in enumerate(differences) for b in differences[i:]]
    assert hodges_lehmann(*zip(*pairs, strict=True)) == pytest.approx(np.median(walsh))


def test_r_wilcox_test_gives_the_same_pseudomedian():
    # wilcox.test(c(1.83,.5,1.62,2.48,1.68,1.88,1.55,3.06,1.3), c(.878,.647,.598,2.05,1.06,1.29,1.06,3.14,1.29),
    #             paired = TRUE, conf.int = TRUE): V = 40, p-value = 0.03906, pseudomedian 0.46
    first = [1.83, 0.5, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.3]
    second = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29]
    result = signed_ranks(first, second)
    assert (result.w_plus, result.p) == (40, 0.0390625)
    assert hodges_lehmann(first, second) == pytest.approx(0.46, abs=1e-9)


def test_no_pair_is_not_estimable():
    result = paired_summary([], [])
    assert (result.n, result.state, result.reason) == (0, "not_estimable", "no pair")
    assert all(math.isnan(value) for value in (result.p, result.mean_difference, result.cliffs_delta))


def test_a_missing_value_is_named_by_its_row():
    with pytest.raises(UserError, match="second: row 1"):
        signed_ranks([1, 2], [1, math.nan])


def test_lengths_that_differ_are_refused():
    with pytest.raises(ValueError, match="2 and 1"):
        signed_ranks([1, 2], [1])

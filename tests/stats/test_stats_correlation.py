"""Spearman: scipy's digits, exact p-values with ties, an interval that covers, and constants."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
import scipy.stats
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tutorscope.errors import UserError
from tutorscope.stats.correlation import spearman, spearman_rho

quick = settings(deadline=None, max_examples=30)
ratings = st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), min_size=3, max_size=40)


def columns(pairs):
    x, y = np.array(pairs, dtype=float).T
    assume(len(set(x)) > 1 and len(set(y)) > 1)
    return x, y


@quick
@given(ratings)
def test_rho_equals_scipy_with_ties(pairs):
    x, y = columns(pairs)
    assert spearman(x, y).rho == pytest.approx(scipy.stats.spearmanr(x, y).statistic, abs=1e-12)


@quick
@given(ratings.filter(lambda pairs: len(pairs) > 9))
def test_the_t_approximation_equals_scipy(pairs):
    x, y = columns(pairs)
    result = spearman(x, y)
    assert result.p_method == "t"
    assert result.p == pytest.approx(scipy.stats.spearmanr(x, y).pvalue, rel=1e-6, abs=1e-14)


@quick
@given(ratings.filter(lambda pairs: len(pairs) <= 6))
def test_the_exact_p_counts_every_order(pairs):
    x, y = columns(pairs)
    ranks_x, ranks_y = (scipy.stats.rankdata(values) - (len(x) + 1) / 2 for values in (x, y))
    reached = [abs(ranks_x @ order) >= abs(ranks_x @ ranks_y) - 1e-9 for order in itertools.permutations(ranks_y)]
    result = spearman(x, y)
    assert result.p_method == "exact"
    assert result.p == pytest.approx(np.mean(reached), abs=1e-12)


def test_r_cor_test_gives_the_same_exact_p():
    # cor.test(c(1,2,3,4,5,6,7,8,9), c(2,1,4,3,6,5,9,7,8), method = "spearman")
    result = spearman(range(1, 10), [2, 1, 4, 3, 6, 5, 9, 7, 8])
    assert result.rho == pytest.approx(0.9, abs=1e-12)
    assert result.p == pytest.approx(0.002028219, abs=1e-8)


def test_the_interval_is_bonett_and_wrights():
    x = np.arange(30.0)
    y = (x * 7) % 11
    result = spearman(x, y)
    error = math.sqrt((1 + result.rho**2 / 2) / 27)
    assert math.atanh(result.high) - math.atanh(result.rho) == pytest.approx(1.959963985 * error, abs=1e-8)
    assert math.atanh(result.rho) - math.atanh(result.low) == pytest.approx(1.959963985 * error, abs=1e-8)


def test_the_interval_covers_under_ties():
    generator = np.random.default_rng(11)

    def five_point(n):
        latent = generator.normal(size=(n, 2)) @ np.array([[1, 0.5], [0, math.sqrt(0.75)]])
        return np.digitize(latent, [-1.2, -0.4, 0.4, 1.2]).T

    truth = spearman_rho(*five_point(200_000))
    intervals = [spearman(*five_point(60)) for _ in range(400)]
    covered = np.mean([result.low <= truth <= result.high for result in intervals])
    assert 0.92 <= covered <= 0.985


def test_float_noise_breaks_no_tie():
    thirds = np.array([1 / 3, 2 / 3, 1.0, 4 / 3, 5 / 3])
    noisy = np.array([0.1 + 0.2 + 1 / 30, 1 - 1 / 3, 1 / 3 + 2 / 3, 2 - 2 / 3, 5 / 3])
    x, y = np.concatenate([thirds, noisy]), np.tile([5, 1, 4, 2, 3], 2)
    exact = spearman(np.tile([1, 2, 3, 4, 5], 2), y)
    assert (spearman(x, y).rho, spearman(x, y).p) == (exact.rho, exact.p)


def test_a_reason_calls_the_two_what_the_caller_calls_them():
    names = ("help", "effort")
    assert spearman([1, 2, 3], [2, 2, 2], names=names).reason == "effort is constant"
    with pytest.raises(UserError, match="help"):
        spearman([1, math.nan, 3], [1, 2, 3], names=names)


def test_a_constant_variable_has_no_correlation():
    result = spearman([3, 3, 3, 3], [1, 2, 3, 4])
    assert (result.state, result.reason, result.n) == ("not_estimable", "x is constant", 4)
    assert all(math.isnan(value) for value in (result.rho, result.low, result.high, result.p))
    assert math.isnan(spearman_rho([1, 2, 3], [5, 5, 5]))


def test_two_pairs_are_too_few():
    assert spearman([1, 2], [2, 1]).reason == "fewer than three pairs"


def test_a_perfect_correlation_has_no_interval():
    result = spearman(range(20), range(20))
    assert (result.rho, result.p, result.interval_method, result.state) == (1.0, 0.0, "", "estimated")
    assert math.isnan(result.low)


@quick
@given(ratings)
def test_a_monotone_change_of_scale_changes_nothing(pairs):
    x, y = columns(pairs)
    assert spearman(np.exp(x), 3 * y - 7) == spearman(x, y)


@quick
@given(ratings)
def test_turning_a_scale_round_turns_the_sign(pairs):
    x, y = columns(pairs)
    first, second = spearman(x, y), spearman(-x, y)
    assert second.rho == -first.rho
    assert second.p == first.p


def test_a_million_pairs():
    x = np.arange(1_000_000) % 997
    assert spearman(x, (x * x) % 991).n == 1_000_000


def test_a_missing_value_is_named_by_its_row():
    with pytest.raises(UserError, match="y: row 1"):
        spearman([1, 2, 3], [1, math.nan, 3])


def test_lengths_that_differ_are_refused():
    with pytest.raises(ValueError, match="3 and 2"):
        spearman([1, 2, 3], [1, 2])


@pytest.mark.shared
def test_the_sonnet_judges_agree_as_published(shared):
    opus, sol = (pd.read_csv(shared / f"audit/sonnet_{judge}.csv") for judge in ("opus", "sol"))
    assert spearman_rho(opus["helpfulness3"], sol["helpfulness3"]) == pytest.approx(0.41754029352614386, abs=1e-12)
    assert spearman_rho(opus["pedagogy3"] / 3, sol["pedagogy3"] / 3) == pytest.approx(0.7540425644037281, abs=1e-12)

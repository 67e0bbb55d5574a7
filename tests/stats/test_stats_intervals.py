"""Bootstrap intervals: published digits, blocks that change nothing, clusters, and what cannot be had."""

import json
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tutorscope.errors import UserError
from tutorscope.stats import intervals
from tutorscope.stats.intervals import (
    bootstrap_interval,
    cluster_bootstrap_interval,
    cluster_mean_interval,
    mean_interval,
    no_width,
)

quick = settings(deadline=None, max_examples=50)
RATINGS = np.array([4.2, 3.9, 5.0, 4.4, 4.8, 2.1, 3.3, 4.0])


def one_by_one(values, draws, seed=0):
    """The plain loop: one resample, one mean, at a time."""
    generator = np.random.default_rng(seed)
    means = [values[generator.integers(0, len(values), len(values))].mean() for _ in range(draws)]
    return tuple(np.percentile(means, [2.5, 97.5]))


@pytest.mark.shared
@pytest.mark.parametrize(
    ("claim", "column"),
    [("P1_leakage", "leakage_rate"), ("P2_helpfulness", "helpfulness_mean"), ("P3_independence", "independence_ratio")],
)
def test_the_sonnet_intervals_reproduce_to_every_printed_digit(shared, claim, column):
    published = json.loads((shared / "audit/sonnet_published.json").read_text(encoding="utf-8"))["opus"]["j1"][claim]
    sessions = pd.read_csv(shared / "audit/sonnet_per_session.csv").set_index(["condition", "replicate_id"])[column]
    result = mean_interval((sessions["conv"] - sessions["ped"]).sort_index())
    assert result.estimate == pytest.approx(published["mean_diff_conv_minus_ped"], abs=1e-15)
    assert (result.low, result.high) == pytest.approx(published["diff_ci95"], abs=1e-15)


def test_the_vectorised_draw_equals_the_plain_loop():
    result = mean_interval(RATINGS, draws=500)
    assert (result.low, result.high) == pytest.approx(one_by_one(RATINGS, 500), abs=1e-14)


def test_a_seed_changes_the_draws_and_only_the_draws():
    first, second = mean_interval(RATINGS), mean_interval(RATINGS, seed=1)
    assert first.estimate == second.estimate
    assert (first.low, first.high) != (second.low, second.high)


@pytest.mark.parametrize("block", [1, 8, 100, 2**20])
def test_the_block_changes_no_digit(monkeypatch, block):
    whole = mean_interval(RATINGS, draws=300)
    monkeypatch.setattr(intervals, "_BLOCK", block)
    assert mean_interval(RATINGS, draws=300) == whole


def test_large_samples_need_little_memory():
    largest = 0

    def statistic(rows):
        nonlocal largest
        largest = max(largest, rows.nbytes)
        return rows[:, 0].astype(float)

    bootstrap_interval(200_000, statistic, 0.0, draws=20)
    assert largest <= 8 * 2**20


def test_equal_values_give_an_interval_of_no_width():
    result = mean_interval([1.0] * 10)
    assert (result.low, result.high, result.state) == (1.0, 1.0, "estimated")


@pytest.mark.parametrize(("values", "estimate"), [([], math.nan), ([3.0], 3.0)])
def test_one_value_or_none_has_no_interval(values, estimate):
    result = mean_interval(values)
    assert result.state == "not_estimable"
    assert result.reason == "fewer than two values"
    assert result.estimate == pytest.approx(estimate, nan_ok=True)
    assert math.isnan(result.low)


def test_a_missing_value_is_named_by_its_row():
    with pytest.raises(UserError, match="values: row 2:"):
        mean_interval([1.0, 2.0, math.nan])


@pytest.mark.parametrize(("option", "value"), [("level", 95), ("draws", 0)])
def test_a_mistaken_option_is_refused(option, value):
    with pytest.raises(ValueError, match=option):
        mean_interval(RATINGS, **{option: value})


def test_clusters_of_one_equal_the_plain_bootstrap():
    plain, clustered = mean_interval(RATINGS), cluster_mean_interval(RATINGS, range(len(RATINGS)))
    assert (clustered.low, clustered.high) == pytest.approx((plain.low, plain.high), abs=1e-14)


def test_clusters_that_agree_within_widen_the_interval():
    values = np.repeat([0.0, 1.0, 0.0, 1.0, 1.0, 0.0], 20)
    clustered = cluster_mean_interval(values, np.repeat(np.arange(6), 20))
    plain = mean_interval(values)
    assert clustered.high - clustered.low > 3 * (plain.high - plain.low)


def test_the_order_of_rows_does_not_move_a_clustered_interval():
    generator = np.random.default_rng(3)
    values, clusters = generator.normal(size=60), generator.integers(0, 9, 60)
    shuffled = generator.permutation(60)
    first, second = cluster_mean_interval(values, clusters), cluster_mean_interval(values[shuffled], clusters[shuffled])
    assert (first.low, first.high) == pytest.approx((second.low, second.high), abs=1e-12)


def test_any_statistic_by_cluster_equals_the_mean_by_cluster():
    generator = np.random.default_rng(4)
    values, clusters = generator.normal(size=40), generator.integers(0, 7, 40)
    mean = cluster_mean_interval(values, clusters, draws=400)
    general = cluster_bootstrap_interval(clusters, lambda rows: float(values[rows].mean()), draws=400)
    assert (general.low, general.high) == pytest.approx((mean.low, mean.high), abs=1e-12)


def test_resamples_without_a_value_are_counted_and_left_out():
    values = np.array([0.0, 0.0, 0.0, 1.0])

    def share_of_ones(rows):
        total = values[rows].sum()
        return float(total / total) if total else math.nan

    result = cluster_bootstrap_interval(range(4), share_of_ones, draws=1000)
    assert result.undefined == pytest.approx(1000 * 0.75**4, abs=60)
    assert (result.low, result.high, result.state) == (1.0, 1.0, "estimated")


def test_what_is_all_alike_has_an_interval_without_width():
    # Means of thirds differ by 1e-16 from cluster to cluster, and are alike.
    clusters = cluster_mean_interval([0.1, 0.2, 0.3, 0.3, 0, 0.2], [1, 1, 2, 3, 2, 3], draws=500)
    assert mean_interval([1, 1, 1], draws=500).alike
    assert not mean_interval([1, 1, 0], draws=500).alike
    assert not clusters.alike
    assert cluster_mean_interval([0.1, 0.2, 0.15, 0.15], [1, 1, 2, 2], draws=500).alike


def test_what_has_no_interval_is_not_all_alike():
    assert not mean_interval([1], draws=500).alike
    assert not no_width(math.nan, math.nan)


def test_a_single_cluster_has_no_interval():
    result = cluster_mean_interval([1.0, 2.0], ["a", "a"])
    assert (result.estimate, result.state, result.reason) == (1.5, "not_estimable", "fewer than two clusters")


def test_lengths_that_differ_are_refused():
    with pytest.raises(ValueError, match="clusters"):
        cluster_mean_interval([1.0, 2.0], ["a"])


@quick
@given(st.lists(st.integers(-20, 20), min_size=2, max_size=12), st.integers(-9, 9), st.integers(1, 5))
def test_shifting_and_stretching_the_values_shifts_and_stretches_the_interval(values, shift, stretch):
    first = mean_interval(values, draws=200)
    second = mean_interval(np.array(values) * stretch + shift, draws=200)
    assert (second.low, second.high) == pytest.approx((first.low * stretch + shift, first.high * stretch + shift))

"""Success and satisfaction, worked out by hand."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_tables import decided, frame, reply, scenarios

from tutorscope.casework.clusters import TOO_FEW
from tutorscope.casework.success import reply_scores, success, with_refused
from tutorscope.stats.intervals import ALIKE

EVERY = {"horizon": "immediate", "challenge": "all", "by": "all", "negatives": "with"}


def scored(*decisions, replies=()):
    scores = reply_scores(frame("decisions", [row for one in decisions for row in one]))
    return with_refused(scores, frame("replies", replies))


def row_of(table, **where):
    for column, value in where.items():
        table = table[table[column] == value]
    assert len(table) == 1
    return table.iloc[0]


def test_any_criterion_succeeds_and_satisfaction_is_the_mean_of_shares():
    scores = scored(
        decided("a", [True, False, False, False], category=1),
        decided("b", [True, True], category=2),
        decided("c", [False, False, False], category=3),
    )
    row = row_of(success(scores, scenarios(1)), **EVERY)
    assert (row["n"], row["unknown"], row["categories"]) == (3, 0, 3)
    assert row["success"] == pytest.approx(2 / 3)
    assert row["satisfaction"] == pytest.approx((1 / 4 + 1 + 0) / 3)


@pytest.mark.parametrize("met", [True, False])
def test_all_or_none_met_is_exact(met):
    row = row_of(success(scored(decided("a", [met, met]), decided("b", [met], category=2)), scenarios(1)), **EVERY)
    assert (row["success"], row["satisfaction"]) == (met, met)


def test_an_unread_criterion_leaves_a_success_and_makes_a_failure_unknown():
    scores = scored(decided("a", [None, True]), decided("b", [None, False], category=2), decided("c", [False]))
    row = row_of(success(scores, scenarios(1)), **EVERY)
    assert (row["n"], row["unknown"], row["success"]) == (2, 1, 0.5)
    # Neither of the two with an unread criterion has a satisfaction.
    assert (row["n_satisfaction"], row["satisfaction"]) == (1, 0)


def test_without_negatives_an_item_that_has_no_other_is_left_out_and_counted():
    scores = scored(
        decided("a", [True, False], negative=(1,)),
        decided("b", [True], negative=(1,), category=2),
        decided("c", [True, False], category=3),
    )
    table = success(scores, scenarios(1))
    with_them, without = (row_of(table, **{**EVERY, "negatives": one}) for one in ("with", "without"))
    assert (with_them["n"], with_them["success"], with_them["left_out"]) == (3, 1, 0)
    assert (without["n"], without["success"], without["left_out"]) == (2, 0.5, 1)
    assert (with_them["satisfaction"], without["satisfaction"]) == (pytest.approx(2 / 3), 0.25)


def test_a_silent_tutor_fails_and_is_counted():
    scores = scored(decided("a", [False, False], reason="no_reply"), decided("b", [True]))
    row = row_of(success(scores, scenarios(1)), **EVERY)
    assert (row["n"], row["no_reply"], row["success"]) == (2, 1, 0.5)


def test_a_reply_that_the_provider_refused_fails_and_is_told_from_an_empty_one():
    silent = [decided(item, [False], reason="no_reply", category=n) for n, item in enumerate("abc")]
    replies = [reply(item, "", reason=why) for item, why in zip("abc", ("empty", "refused", "refused"), strict=True)]
    other = reply("a", "", tutor="t2", reason="refused")
    row = row_of(success(scored(*silent, decided("d", [True]), replies=[*replies, other]), scenarios(1)), **EVERY)
    assert row[["n", "no_reply", "refused", "success"]].tolist() == [4, 3, 2, 0.25]


def test_both_horizons_together_stand_beside_each():
    scores = scored(decided("a", [True]), decided("b", [False], horizon="long_term"), decided("c", [True]))
    table = success(scores, scenarios(1))
    found = {
        horizon: row_of(table, **{**EVERY, "horizon": horizon})["success"]
        for horizon in ("immediate", "long_term", "all")
    }
    assert found == {"immediate": 1, "long_term": 0, "all": pytest.approx(2 / 3)}


def test_challenge_types_and_the_users_groups_have_rows():
    scores = scored(
        decided("a", [True], scenario=1),
        decided("b", [False], scenario=2, challenge="academic_struggle"),
        decided("c", [True], scenario=3, challenge="academic_struggle"),
    )
    table = success(scores, scenarios(1, 2, 3, level=["primary", "primary", None]))
    assert row_of(table, **{**EVERY, "challenge": "academic_struggle"})["success"] == 0.5
    primary = row_of(table, horizon="immediate", by="level", group="primary", negatives="with")
    # The scenario without a level is in no group.
    assert (primary["n"], primary["success"]) == (2, 0.5)


@pytest.mark.parametrize("categories", [1, 3, 4])
def test_few_categories_give_no_interval_and_the_reason(categories):
    items = [decided(f"i{n}", [n % 2 == 0], category=n % categories) for n in range(8)]
    row = row_of(success(scored(*items), scenarios(1)), **EVERY)
    assert (row["success"], row["categories"]) == (0.5, categories)
    assert math.isnan(row["low"])
    assert row["why_no_interval"] == row["s_why_no_interval"] == TOO_FEW


def test_categories_that_are_all_alike_give_no_interval_and_the_reason():
    row = row_of(success(scored(*(decided(f"i{n}", [True], category=n) for n in range(6))), scenarios(1)), **EVERY)
    assert (row["success"], row["categories"], row["why_no_interval"]) == (1, 6, ALIKE)
    assert math.isnan(row["high"])


def test_five_categories_that_differ_have_an_interval():
    row = row_of(success(scored(*(decided(f"i{n}", [n > 1], category=n) for n in range(5))), scenarios(1)), **EVERY)
    assert row["why_no_interval"] is None
    assert 0 <= row["low"] < row["success"] == 0.6 < row["high"] <= 1


def test_the_bounds_count_every_unknown_reply_as_a_failure_and_as_a_success():
    # Two succeed, one fails, one is unknown: two of three are known to, between two and three of all four do.
    scores = scored(*(decided(f"i{n}", [one], category=n) for n, one in enumerate((True, True, False, None))))
    row = row_of(success(scores, scenarios(1)), **EVERY)
    assert (row["n"], row["unknown"]) == (3, 1)
    assert (row["success"], row["least"], row["most"]) == (pytest.approx(2 / 3), 0.5, 0.75)


def test_no_decision_gives_empty_tables_with_their_columns():
    scores = scored()
    assert not len(success(scores, scenarios(1)))
    assert "satisfaction" in success(scores, scenarios(1)).columns


@settings(max_examples=12)
@given(st.lists(st.lists(st.sampled_from([True, False, None]), min_size=1, max_size=4), min_size=1, max_size=6))
def test_known_and_unknown_make_up_all_replies(replies):
    scores = scored(*(decided(f"i{n}", met, category=n % 2) for n, met in enumerate(replies)))
    row = row_of(success(scores, scenarios(1)), **EVERY)
    known = [met for met in replies if True in met or None not in met]
    assert (row["n"], row["unknown"]) == (len(known), len(replies) - len(known))
    if known:
        assert row["success"] == pytest.approx(sum(True in met for met in known) / len(known))

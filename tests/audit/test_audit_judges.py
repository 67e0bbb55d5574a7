"""Agreement of judges and ceilings: the published base to its printed digits, and tables made by hand."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from judged_turns import CLAIMS, CONVERSATIONAL, PEDAGOGICAL, sonnet_per_turn, turns_of

from tutorscope.audit.inference.judges import (
    AGREEMENT_COLUMNS,
    ALL,
    CEILING_COLUMNS,
    SEED_KAPPA,
    ceilings,
    judge_agreement,
    judge_tables,
    known_medians,
)
from tutorscope.errors import UserError
from tutorscope.stats.agreement import quadratic_kappa
from tutorscope.stats.correlation import spearman_rho
from tutorscope.stats.intervals import cluster_bootstrap_interval

VARIED = [[1, 1, 2], [5, 5, 5], [3, 3, 3], [4, 5, 4], [2, 2, 3], [4, 4, 4], [5, 5, 4], [3, 2, 3]]
OTHER = [[2, 2, 2], [5, 5, 5], [3, 4, 4], [4, 4, 4], [1, 2, 2], [5, 5, 5], [4, 4, 5], [3, 3, 3]]


def rows(frame: pd.DataFrame, base: str = "base", rubric: str = "helpfulness") -> pd.DataFrame:
    """Keep the rows of a base and rubric: over all policies, where there are several."""
    held = frame[(frame["base"] == base) & (frame["rubric"] == rubric)]
    return held[held["policy"] == ALL] if (held["policy"] == ALL).any() else held


def row(*judged: pd.DataFrame, base: str = "base") -> pd.Series:
    return rows(judge_agreement(pd.concat(judged, ignore_index=True)), base).squeeze()


@pytest.fixture(scope="module")
def sonnet(shared: Path) -> pd.DataFrame:
    return sonnet_per_turn(shared)


@pytest.mark.parametrize("rubric", ["helpfulness", "pedagogy"])
def test_agreement_equals_the_published_digits(sonnet: pd.DataFrame, shared: Path, rubric: str) -> None:
    published = json.loads((shared / "audit" / "sonnet_published.json").read_text(encoding="utf-8"))["cross_judge"][
        rubric
    ]
    found = rows(judge_agreement(sonnet), "sonnet", rubric).squeeze()
    assert (found["first"], found["second"], found["n"]) == ("opus", "sol", 358)
    for column, name in {
        "spearman": "spearman_of_per_turn_means",
        "mean_difference": "mean_signed_diff_sol_minus_opus",
        "mean_absolute_difference": "mean_absolute_diff",
        "mean_first": "opus_mean",
        "mean_second": "sol_mean",
    }.items():
        assert found[column] == pytest.approx(published[name], abs=1e-12)


def test_the_published_turns_know_no_medians(sonnet: pd.DataFrame) -> None:
    found = rows(judge_agreement(sonnet), "sonnet").squeeze()
    assert math.isnan(found["kappa"])
    assert "87 of 358 turns' medians are not" in found["reason"]
    assert found["state"] == "estimated"


def test_ceilings_of_the_published_turns(sonnet: pd.DataFrame) -> None:
    found = ceilings(sonnet)
    helpful = rows(found, "sonnet")
    # 259 sums of 15 and 18 of 14 under Opus; a sum of 13 or 12 may or may not hold two fives.
    assert list(helpful["at_top"]) == [259 + 18, 322 + 7]
    assert list(helpful["unknown"]) == [13 + 55 + 1, 8 + 19 + 2]
    assert list(helpful["share"]) == [277 / 358, 329 / 358]


def test_same_digits_with_rows_shuffled(sonnet: pd.DataFrame) -> None:
    judges = [part.sample(frac=1, random_state=3) for _, part in sonnet.groupby("judge", sort=False)]
    plain = {**CLAIMS, "families": []}
    shuffled = judge_tables(pd.concat(judges, ignore_index=True), plain)
    for name, frame in judge_tables(sonnet, plain).items():
        pd.testing.assert_frame_equal(frame, shuffled[name], check_exact=False, rtol=1e-9)


def test_identical_judges_agree_wholly() -> None:
    found = row(turns_of("a", VARIED), turns_of("b", VARIED))
    assert (found["spearman"], found["kappa"], found["exact"], found["within_1"]) == (1, 1, 1, 1)
    assert (found["mean_difference"], found["mean_absolute_difference"]) == (0, 0)


def test_kappa_exact_and_within_one_compare_medians() -> None:
    found = row(turns_of("a", VARIED), turns_of("b", OTHER))
    first, second = [1, 5, 3, 4, 2, 4, 5, 3], [2, 5, 4, 4, 2, 5, 4, 3]
    assert found["kappa"] == pytest.approx(quadratic_kappa(first, second, [1, 2, 3, 4, 5]).estimate)
    assert (found["exact"], found["within_1"]) == (0.5, 1)


def test_medians_between_two_points_count_as_they_are() -> None:
    found = row(turns_of("a", [[4, 5], *VARIED]), turns_of("b", [[5, 5], *VARIED]))
    assert found["exact"] == pytest.approx(8 / 9)
    assert 0.9 < found["kappa"] < 1


def test_a_constant_judge_has_no_correlation_and_no_agreement_beyond_chance() -> None:
    found = row(turns_of("a", VARIED), turns_of("b", [[5, 5, 5]] * 8))
    assert math.isnan(found["spearman"])
    assert found["state"] == "not_estimable"
    assert "spearman: the second is constant" in found["reason"]
    assert found["kappa"] == 0
    assert found["mean_second"] == 5


def test_two_constant_judges_have_no_kappa_though_they_say_the_same() -> None:
    found = row(turns_of("a", [[5, 5, 5]] * 8), turns_of("b", [[5, 5, 5]] * 8))
    assert math.isnan(found["kappa"])
    assert "kappa: no disagreement is expected" in found["reason"]
    assert found["exact"] == 1


def test_a_turn_that_one_judge_lacks_is_left_out_and_counted() -> None:
    found = row(turns_of("a", VARIED), turns_of("b", OTHER).iloc[1:])
    assert found["n"] == 7
    assert found["reason"].endswith("turns left out: 1 rated by a only")
    assert found["mean_first"] == pytest.approx(np.mean([sum(given) / 3 for given in VARIED[1:]]))


def test_turns_without_a_usable_rating_are_left_out_by_name() -> None:
    first, second = [[], [], *VARIED[2:]], [[], *OTHER[1:]]
    found = row(turns_of("a", first), turns_of("b", second))
    assert found["n"] == 6
    assert found["reason"].endswith("turns left out: 1 rated by b only, 1 rated by neither")


def test_two_turns_are_too_few_to_correlate() -> None:
    found = row(turns_of("a", VARIED[:2]), turns_of("b", OTHER[:2]))
    assert (found["n"], found["state"]) == (2, "not_estimable")
    assert "spearman: fewer than three pairs" in found["reason"]
    assert found["mean_difference"] == pytest.approx(1 / 3)


def test_nothing_in_common_is_said() -> None:
    found = row(turns_of("a", VARIED[:1]), turns_of("b", VARIED).iloc[1:])
    assert (found["n"], found["state"]) == (0, "not_estimable")
    assert found["reason"] == "no turn that both judges rated; turns left out: 1 rated by a only, 7 rated by b only"


def test_every_other_judge_is_held_against_the_first_to_appear() -> None:
    judged = [turns_of("z", VARIED), turns_of("a", OTHER), turns_of("m", VARIED)]
    found = rows(judge_agreement(pd.concat(judged)))
    assert list(zip(found["first"], found["second"], strict=True)) == [("z", "a"), ("z", "m")]
    assert list(found["exact"]) == [0.5, 1]


def test_without_a_second_judge_tables_are_empty_and_have_their_columns() -> None:
    found = judge_tables(turns_of("a", VARIED), CLAIMS)
    assert list(found["judge_agreement"].columns) == list(AGREEMENT_COLUMNS)
    assert [len(found[name]) for name in found] == [0, 6, 0, 0]


def test_unrated_turns_are_no_judge() -> None:
    unrated = turns_of("", [[]] * 8)
    found = judge_tables(unrated, CLAIMS)
    assert list(found["ceilings"].columns) == list(CEILING_COLUMNS)
    assert not any(len(frame) for frame in found.values())


def test_bases_stand_alone_and_pooled() -> None:
    judged = [
        *(turns_of(judge, given, base="one") for judge, given in (("a", VARIED), ("b", OTHER))),
        *(turns_of(judge, VARIED[:4], base="two") for judge in ("a", "b")),
    ]
    found = judge_agreement(pd.concat(judged))
    counts = {base: int(rows(found, base)["n"].squeeze()) for base in ("one", "two", "pooled")}
    assert counts == {"one": 8, "two": 4, "pooled": 12}
    both = [*VARIED, *VARIED[:4]], [*OTHER, *VARIED[:4]]
    expected = spearman_rho(*([sum(given) / 3 for given in side] for side in both))
    assert rows(found, "pooled")["spearman"].squeeze() == pytest.approx(expected)


def test_rules_stand_side_by_side() -> None:
    judged = [turns_of(judge, VARIED, rule=rule) for judge in ("a", "b") for rule in ("published", "sound")]
    found = rows(judge_agreement(pd.concat(judged)))
    assert list(found["rule"]) == ["published", "sound"]


def test_every_policy_that_was_played_counts_together_and_alone() -> None:
    judged = [turns_of(judge, VARIED) for judge in ("a", "b")]
    mine = [turns_of("a", VARIED[:4], policy="mine"), turns_of("b", [[5, 5, 5]] * 4, policy="mine")]
    found = judge_tables(pd.concat([*judged, *mine], ignore_index=True), CLAIMS)
    agreement = found["judge_agreement"].query("base == 'base' and rubric == 'helpfulness'").set_index("policy")
    assert agreement["n"].to_dict() == {ALL: 12, CONVERSATIONAL: 4, PEDAGOGICAL: 4, "mine": 4}
    assert list(agreement["exact"]) == [0.75, 1, 1, 0.25]
    top = found["ceilings"].query("judge == 'b' and rubric == 'helpfulness'").set_index("policy")
    assert top["n"].to_dict() == {ALL: 12, CONVERSATIONAL: 4, PEDAGOGICAL: 4, "mine": 4}
    assert top["at_top"].to_dict() == {ALL: 6, CONVERSATIONAL: 1, PEDAGOGICAL: 1, "mine": 4}


def test_a_judges_gap_of_gaps_is_told_of_asked_pairs_too() -> None:
    mine = [turns_of(judge, VARIED[:4], policy="mine") for judge in ("a", "b")]
    judged = pd.concat([*(turns_of(judge, VARIED) for judge in ("a", "b")), *mine], ignore_index=True)
    asked = [("", "mine", CONVERSATIONAL), ("other", "mine", PEDAGOGICAL)]
    found = judge_tables(judged, CLAIMS, asked)["difference_of_differences"].query("rubric == 'helpfulness'")
    assert list(zip(found["first"], found["second"], strict=True)) == [
        (CONVERSATIONAL, PEDAGOGICAL),
        ("mine", CONVERSATIONAL),
    ]


def test_without_the_claims_pair_all_policies_count() -> None:
    judged = pd.concat([turns_of("a", VARIED, policy="mine"), turns_of("b", OTHER, policy="mine")])
    found = judge_tables(judged, CLAIMS)
    assert list(found["judge_agreement"]["n"]) == [8] * 4
    assert len(found["judge_interactions"]) == len(found["difference_of_differences"]) == 0


def test_a_turn_that_stands_there_twice_is_refused() -> None:
    judged = pd.concat([turns_of("a", VARIED), turns_of("b", OTHER), turns_of("b", OTHER).iloc[3:4]])
    with pytest.raises(UserError, match=r"policy pedagogical, replicate 0, problem train-1, turn 3: found twice .* b,"):
        judge_agreement(judged)


def test_judges_that_differ_on_a_leak_are_refused() -> None:
    other = turns_of("b", OTHER)
    other.loc[2, "leak"] = True
    with pytest.raises(UserError, match=r"problem train-1, turn 2: found a leak in the rows of one judge only"):
        judge_agreement(pd.concat([turns_of("a", VARIED), other]))


def test_sums_tell_some_medians() -> None:
    sums = pd.DataFrame({"a_sum": [15, 14, 13, 4, 5, 7, 6], "a_n": [3, 3, 3, 3, 3, 2, 1], "a_median": None})
    assert known_medians(sums, "a")[[0, 1, 3, 5]].tolist() == [5, 5, 1, 3.5]
    assert np.isnan(known_medians(sums, "a")[[2, 4, 6]]).all()


def test_a_ceiling_counts_medians_not_means() -> None:
    found = ceilings(turns_of("a", [[5, 5, 1], [4, 4, 5], [5, 5, 5], [5, 4]])).iloc[0]
    assert (found["n"], found["at_top"], found["share"], found["unknown"]) == (4, 2, 0.5, 0)


@settings(max_examples=4)
@given(st.lists(st.tuples(st.integers(3, 15), st.integers(3, 15)), min_size=6, max_size=24))
def test_intervals_are_those_of_resampled_sessions(sums: list[tuple[int, int]]) -> None:
    def ratings(total: int) -> list[int]:
        return [total // 3 + (place < total % 3) for place in range(3)]

    sides = [turns_of(judge, [ratings(pair[side]) for pair in sums]) for side, judge in enumerate("ab")]
    found = row(*sides)
    first, second = (
        side.sort_values(["policy", "replicate", "problem", "turn"]).reset_index(drop=True) for side in sides
    )
    sessions = first["policy"] + first["replicate"].astype(str).str.zfill(2)
    means = [(side["helpfulness_sum"] / 3).to_numpy(float) for side in (first, second)]
    expected = cluster_bootstrap_interval(
        sessions, lambda places: spearman_rho(means[0][places], means[1][places]), draws=2000
    )
    if not math.isnan(expected.estimate):
        assert found["spearman_low"] == pytest.approx(expected.low, abs=1e-9, nan_ok=True)
        assert found["spearman_high"] == pytest.approx(expected.high, abs=1e-9, nan_ok=True)
        said = f"spearman: {expected.undefined} of 2000 resamples without a value"
        assert (said in found["reason"]) == (expected.undefined > 0)


def test_the_interval_of_kappa_is_that_of_resampled_sessions() -> None:
    first, second = turns_of("a", VARIED * 2), turns_of("b", OTHER * 2)
    found = row(first, second)
    ordered = [side.sort_values(["policy", "replicate", "problem", "turn"]) for side in (first, second)]
    sessions = ordered[0]["policy"] + ordered[0]["replicate"].astype(str)
    medians = [side["helpfulness_median"].to_numpy(float) for side in ordered]
    expected = cluster_bootstrap_interval(
        sessions,
        lambda places: quadratic_kappa(medians[0][places], medians[1][places], [1, 2, 3, 4, 5]).estimate,
        draws=2000,
        seed=SEED_KAPPA,
    )
    assert (found["kappa_low"], found["kappa_high"]) == pytest.approx((expected.low, expected.high))


def test_one_session_has_no_interval() -> None:
    judged = [turns_of(judge, given).iloc[[1, 3]] for judge, given in (("a", VARIED), ("b", OTHER))]
    third = [side.iloc[:1].assign(turn=9, helpfulness_sum=9, helpfulness_median=3.0) for side in judged]
    found = row(*judged, *third)
    assert (found["n"], found["state"]) == (3, "estimated")
    assert math.isnan(found["spearman_low"])
    assert "spearman: no interval, fewer than two sessions" in found["reason"]
    assert set(judged[0]["policy"]) == {PEDAGOGICAL}

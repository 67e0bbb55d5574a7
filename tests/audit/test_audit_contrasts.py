"""Means and contrasts of sessions: exact values, pairs by replicate, and what is not there."""

import math
from fractions import Fraction

import pandas as pd
import pytest
from small_audit import CONV, PED, parts_of, session, turn

from tutorscope.audit.inference.claims import load_claims
from tutorscope.audit.inference.contrasts import COLUMNS, contrasts
from tutorscope.audit.inference.policy_means import MEASURES, policy_means, rating_values, session_values

CLAIMS = load_claims()


def row(frame: pd.DataFrame, **where: str) -> pd.Series:
    found = frame[(frame[list(where)] == pd.Series(where)).all(axis=1)]
    assert len(found) == 1
    return found.iloc[0]


def test_session_values_are_exact_fractions() -> None:
    (part,) = parts_of([], [session(CONV, 0, leaky=1, tutor_turns=3, worked=2, student_turns=7, tokens=3000)])
    found = {measure: values[(CONV, 0)].value for measure, values in session_values(part.sessions).items()}
    assert found["leakage"] == Fraction(1, 3)
    assert found["independence"] == Fraction(2, 7)
    assert found["leaky_per_1k"] == Fraction(1, 3)
    assert found["worked_per_1k"] == Fraction(2, 3)
    assert found["accuracy_delayed"] == Fraction(2, 3)
    assert found["tutor_turns"] == 3
    assert found["tutor_tokens"] == 3000


def test_a_session_without_a_turn_has_no_share_but_a_count_per_token() -> None:
    (part,) = parts_of([], [session(CONV, 0, student_turns=1)])
    found = session_values(part.sessions)
    assert found["leakage"][(CONV, 0)].value is None
    assert found["leaky_per_1k"][(CONV, 0)].value == 0
    assert found["independence"][(CONV, 0)].value == 0


def test_ratings_are_averaged_by_turn_first_and_unrated_turns_fall_out() -> None:
    turns = [
        turn(CONV, 0, "p", 0, helpfulness=[5, 5, 5]),
        turn(CONV, 0, "p", 1, helpfulness=[2]),
        turn(CONV, 0, "p", 2),
        turn(PED, 0, "p", 0),
    ]
    (part,) = parts_of(turns)
    values = rating_values(part.rated["j"], "helpfulness", part.sessions)
    # By turn 5 and 2: 3.5. Pooled over ratings it would be 17/4.
    assert values[(CONV, 0)].value == Fraction(7, 2)
    assert (values[(CONV, 0)].numerator, values[(CONV, 0)].denominator) == (17, 4)
    assert values[(PED, 0)].value is None


def test_means_count_what_is_missing() -> None:
    sessions = [
        session(CONV, 0, leaky=1, tutor_turns=2),
        session(CONV, 1, leaky=3, tutor_turns=4),
        session(CONV, 2),
        session("cold", 0, tokens=0, base=""),
    ]
    found = policy_means(parts_of([], sessions))
    leaks = row(found, policy=CONV, measure="leakage")
    assert leaks[["n", "missing", "numerator", "denominator"]].tolist() == [2, 1, 4, 6]
    assert leaks["mean"] == 0.625
    assert (leaks["low"], leaks["high"]) == (0.5, 0.75)
    cold = row(found, policy="cold", measure="leakage")
    assert (cold["n"], cold["missing"]) == (0, 1)
    assert math.isnan(cold["mean"])
    assert row(found, policy="cold", measure="accuracy_transfer")["mean"] == pytest.approx(2 / 3)
    assert set(found["measure"]) == set(MEASURES)
    assert set(found["judge"]) == {""}


def test_one_session_has_a_mean_and_no_interval() -> None:
    found = row(policy_means(parts_of([], [session(CONV, 0, 1, 2)])), measure="leakage")
    assert found["mean"] == 0.5
    assert math.isnan(found["low"])


def test_every_pair_that_shares_a_replicate_is_compared_the_claims_pair_first() -> None:
    sessions = [session(policy, r, 1, 2) for r in (0, 1) for policy in ("mine", PED, CONV)]
    sessions += [session("lonely", 7, 1, 2)]
    found = contrasts(parts_of([], sessions), CLAIMS)
    pairs = list(dict.fromkeys(zip(found["first"], found["second"], strict=True)))
    assert pairs == [(CONV, PED), (CONV, "mine"), (PED, "mine")]
    assert not found["asked"].any()


def test_asked_contrasts_come_next_turned_as_asked() -> None:
    sessions = [session(policy, r, 1, 2) for r in (0, 1) for policy in ("mine", PED, CONV)]
    found = contrasts(parts_of([], sessions), CLAIMS, [("", "mine", CONV), ("other-run", "mine", PED)])
    pairs = list(dict.fromkeys(zip(found["first"], found["second"], found["asked"], strict=True)))
    assert pairs == [(CONV, PED, False), ("mine", CONV, True), (PED, "mine", False)]


def test_asking_for_the_claims_pair_marks_it_and_asking_it_turned_adds_it() -> None:
    sessions = [session(policy, r, 1, 2) for r in (0, 1) for policy in (PED, CONV)]
    found = contrasts(parts_of([], sessions), CLAIMS, [("r", CONV, PED), ("r", PED, CONV)])
    leaks = found[found["measure"] == "leakage"]
    assert list(zip(leaks["first"], leaks["second"], leaks["asked"], strict=True)) == [
        (CONV, PED, True), (PED, CONV, True)
    ]  # fmt: skip


def test_a_contrast_that_was_asked_for_and_cannot_be_says_why() -> None:
    found = contrasts(parts_of([], [session(CONV, 0, 1, 2)]), CLAIMS, [("", "mine", CONV)])
    leaks = row(found, measure="leakage")
    assert (leaks["state"], leaks["reason"]) == ("not_computable", "no session of mine")


def test_replicates_without_a_partner_are_left_out_and_counted() -> None:
    sessions = [session(CONV, r, r, 4) for r in range(4)] + [session(PED, r, 0, 4) for r in (1, 2, 9)]
    found = row(contrasts(parts_of([], sessions), CLAIMS), measure="leakage")
    assert (found["n"], found["n_unpaired"]) == (2, 3)
    assert found["mean_difference"] == pytest.approx((1 / 4 + 2 / 4) / 2)
    assert found["p"] == 0.5


def test_a_replicate_with_a_value_of_one_only_is_counted_too() -> None:
    sessions = [session(CONV, 0, 1, 2), session(CONV, 1), session(PED, 0, 0, 2), session(PED, 1, 0, 2)]
    found = row(contrasts(parts_of([], sessions), CLAIMS), measure="leakage")
    assert (found["n"], found["n_unpaired"]) == (1, 1)


def test_one_replicate_has_an_effect_no_interval_and_no_evidence() -> None:
    sessions = [session(CONV, 0, 3, 4), session(PED, 0, 1, 4)]
    found = row(contrasts(parts_of([], sessions), CLAIMS), measure="leakage")
    assert (found["mean_difference"], found["p"], found["n"]) == (0.5, 1.0, 1)
    assert math.isnan(found["low"])


def test_no_leak_at_all_is_no_difference() -> None:
    sessions = [session(policy, r, 0, 4) for r in range(10) for policy in (CONV, PED)]
    found = row(contrasts(parts_of([], sessions), CLAIMS), measure="leakage")
    assert found[["mean_difference", "low", "high", "p", "n_zero", "cliffs_delta"]].tolist() == [0, 0, 0, 1, 10, 0]


def test_equal_thirds_from_other_sums_are_ties() -> None:
    # 5 and 4 2/3 against 4 2/3 and 5: equal means, which floats would part by 1e-16.
    turns = [turn(CONV, r, "p", n, helpfulness=h) for r in (0, 1) for n, h in ((0, [5, 5, 5]), (1, [5, 5, 4]))]
    turns += [turn(PED, r, "p", n, helpfulness=h) for r in (0, 1) for n, h in ((0, [5, 4, 5]), (1, [5, 5, 5]))]
    found = row(contrasts(parts_of(turns), CLAIMS), measure="helpfulness", judge="j")
    assert (found["n_equal"], found["n_zero"], found["p"]) == (2, 2, 1.0)


def test_without_tokens_the_control_is_not_computable_and_says_so() -> None:
    sessions = [session(policy, r, r, 4, tokens=None) for r in range(3) for policy in (CONV, PED)]
    found = row(contrasts(parts_of([], sessions), CLAIMS), measure="leaky_per_1k")
    assert (found["state"], found["reason"]) == ("not_computable", f"tutor tokens are not known, {CONV}")


def test_without_ratings_helpfulness_is_not_computable_and_says_so() -> None:
    turns = [turn(policy, r, "p", 0, judge="") for r in (0, 1) for policy in (CONV, PED)]
    found = row(contrasts(parts_of(turns), CLAIMS), measure="helpfulness")
    assert found["judge"] == ""
    assert (found["state"], found["reason"]) == ("not_computable", f"no turn was rated for helpfulness, {CONV}")


def test_cold_is_compared_on_accuracy_only() -> None:
    sessions = [session(CONV, r, 1, 2, 1, 3) for r in (0, 1)] + [session("cold", r, tokens=0, base="") for r in (0, 1)]
    found = contrasts(parts_of([], sessions), CLAIMS)
    assert set(found["second"]) == {"cold"}
    assert {m for m in found["measure"] if not m.startswith("accuracy")} == {"tutor_turns", "tutor_tokens"}


def test_a_policy_that_is_its_own_base_meets_the_others_at_each_base() -> None:
    sessions = [session(CONV, r, 1, 2, base=base) for r in (0, 1) for base in ("a", "b")]
    sessions += [session("mine", r, 0, 2, base="") for r in (0, 1)]
    found = contrasts(parts_of([], sessions), CLAIMS)
    leaks = found[found["measure"] == "leakage"]
    assert leaks[["base", "first", "second", "n"]].to_numpy().tolist() == [
        ["a", CONV, "mine", 2], ["b", CONV, "mine", 2]
    ]  # fmt: skip


def test_no_part_gives_a_table_with_its_columns() -> None:
    assert list(contrasts([], CLAIMS).columns) == list(COLUMNS)
    assert len(policy_means([])) == 0

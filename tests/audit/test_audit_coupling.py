"""Couplings: what mixed models and the two-stage test say, and when they say that they cannot."""

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd
import pytest
from small_audit import CONV, PED, parts_of, sessions_of, turn

from tutorscope.audit.inference.claims import load_claims
from tutorscope.audit.inference.coupling import coupling, mixed

CLAIMS = load_claims()


def one(frame: pd.DataFrame, **where: str) -> pd.Series:
    found = frame[(frame[list(where)] == pd.Series(where)).all(axis=1)]
    assert len(found) == 1
    return found.iloc[0]


def planted(effect: float = -0.5, seed: int = 3, judges: Sequence[str] = ("j",)) -> list[dict[str, object]]:
    """Make 8 replicates of both policies on 4 problems, in which a leak lowers the chance of own work."""
    draw = np.random.default_rng(seed)
    rows = []
    for replicate in range(8):
        for policy, rate in ((CONV, 0.5), (PED, 0.2)):
            for problem in "abcd":
                for number in range(3):
                    leak = bool(draw.random() < rate)
                    work = bool(draw.random() < 0.8 + effect * leak)
                    for place, judge in enumerate(judges):
                        ratings = [int(draw.integers(2, 4)) + leak + place for _ in range(3)]
                        turned = {"helpfulness": ratings, "pedagogy": [3, 3, 2 + leak], "judge": judge}
                        rows.append(turn(policy, replicate, problem, number, leak, work, **turned))
    return rows


def test_the_two_stages_by_hand() -> None:
    turns = [
        turn(CONV, 0, "p", 0, True, False, helpfulness=[5]),
        turn(CONV, 0, "p", 1, True, False, helpfulness=[4]),
        turn(PED, 0, "p", 0, False, True, helpfulness=[3]),
        turn(CONV, 1, "p", 0, True, True, helpfulness=[4]),
        turn(PED, 1, "p", 0, False, True, helpfulness=[4]),
        turn(PED, 1, "p", 1, False, False, helpfulness=[3]),
        turn(PED, 2, "p", 0, False, True, helpfulness=[2]),
    ]
    found = coupling(parts_of(turns), CLAIMS)
    helpful = one(found, outcome="helpfulness", policies="both")
    # Replicate 0: 4.5 - 3; replicate 1: 4 - 3.5; replicate 2 has no leak.
    assert helpful[["n_replicates", "effect", "low", "high", "w", "p"]].tolist() == [2, 1.0, 0.5, 1.5, 0.0, 0.5]
    assert helpful[["n_leaky", "n_other"]].tolist() == [3, 4]
    assert helpful[["leaky_mean", "other_mean"]].tolist() == [pytest.approx(13 / 3), 3.0]
    work = one(found, outcome="next_independent", policies="both")
    assert work["effect"] == pytest.approx((-1 + 0.5) / 2)
    alone = one(found, outcome="helpfulness", policies=CONV)
    assert (alone["state"], alone["reason"]) == ("not_estimable", "no replicate has both a leaky turn and another")
    assert one(found, outcome="pedagogy", policies=PED)["state"] == "not_computable"


def test_turns_that_nobody_answered_have_no_next_work() -> None:
    turns = [turn(policy, 0, "p", 0, next_work=None) for policy in (CONV, PED)]
    found = one(coupling(parts_of(turns), CLAIMS), outcome="next_independent", policies="both")
    assert (found["state"], found["reason"]) == ("not_computable", "no turn in the window has a student turn after it")


def test_every_policy_is_tested_alone_and_only_the_claims_pair_together() -> None:
    turns = [turn(policy, 0, "p", 0) for policy in (CONV, PED, "mine")]
    found = coupling(parts_of(turns), CLAIMS)
    assert list(dict.fromkeys(found["policies"])) == ["both", CONV, PED, "mine"]
    without = coupling(parts_of([turn(policy, 0, "p", 0) for policy in (CONV, "mine")]), CLAIMS)
    assert list(dict.fromkeys(without["policies"])) == [CONV, "mine"]


def test_pairs_that_were_asked_are_fitted_after_that_of_the_claims() -> None:
    turns = [turn(policy, 0, "p", 0) for policy in (CONV, PED, "mine")]
    asked = [("", "mine", CONV), ("r", PED, "mine"), ("other", PED, CONV), ("", "mine", "nobody")]
    found = mixed(parts_of(turns), CLAIMS, asked)
    pairs = list(dict.fromkeys(zip(found["first"], found["second"], strict=True)))
    assert pairs == [(CONV, PED), ("mine", CONV), (PED, "mine")]


def test_where_neither_the_claims_pair_nor_an_asked_one_spoke_the_first_two_are_fitted() -> None:
    found = mixed(parts_of([turn(policy, 0, "p", 0) for policy in ("b", "a")]), CLAIMS)
    assert set(zip(found["first"], found["second"], strict=True)) == {("a", "b")}
    assert not len(mixed(parts_of([turn("a", 0, "p", 0)]), CLAIMS))


def test_a_planted_coupling_is_recovered_by_all_three() -> None:
    parts = parts_of(planted())
    fits, stages = mixed(parts, CLAIMS), coupling(parts, CLAIMS)
    for spec in ("pooled", "adjusted"):
        fit = one(fits, outcome="next_independent", spec=spec)
        assert abs(fit["beta_leak"] + 0.5) < 3 * fit["se_leak"]
        assert fit["p_leak"] < 1e-4
        assert fit["low_leak"] < fit["beta_leak"] < fit["high_leak"]
    assert math.isnan(one(fits, outcome="next_independent", spec="pooled")["beta_policy"])
    clustered = one(stages, outcome="next_independent", policies="both")
    assert abs(clustered["effect"] + 0.5) < 0.2
    assert clustered["p"] < 0.05


def test_the_second_policy_of_the_pair_is_coded_one() -> None:
    turns = planted()
    for row in turns:
        row["helpfulness_sum"], row["helpfulness_n"] = (9 if row["policy"] == PED else 6) + (row["turn"] == 0), 3
    fit = one(mixed(parts_of(turns), CLAIMS), outcome="helpfulness", spec="adjusted")
    assert fit["beta_policy"] == pytest.approx(1, abs=0.05)


def test_rows_in_another_order_give_the_same_digits() -> None:
    rows = planted(judges=("j", "k"))
    shuffled = [*np.random.default_rng(0).permutation(np.array(rows, dtype=object))]
    shuffled.sort(key=lambda row: row["judge"])
    for table in (mixed, coupling):
        one_way = table(parts_of(rows, sessions_of(rows[::2])), CLAIMS)
        other = table(parts_of(shuffled, sessions_of(rows[::2])[::-1]), CLAIMS)
        pd.testing.assert_frame_equal(one_way, other, rtol=1e-7)


def test_the_judges_difference_is_the_other_less_the_frozen_one() -> None:
    rows = planted(judges=("opus", "sol"))
    found = mixed(parts_of(rows, sessions_of(rows[::2])), CLAIMS)
    difference = one(found, judge="sol-opus", outcome="helpfulness_difference")
    assert difference["spec"] == "adjusted"
    # The second judge's ratings lie one point higher, whatever the turn.
    assert difference["intercept"] == pytest.approx(1, abs=0.2)
    assert abs(difference["beta_leak"]) < 3 * difference["se_leak"]
    flat = one(found, judge="sol-opus", outcome="pedagogy_difference")
    assert (flat["state"], flat["reason"]) == ("not_estimable", "the outcome does not vary")


def test_a_turn_that_one_judge_left_unrated_falls_out_of_the_difference_alone() -> None:
    rows = planted(judges=("opus", "sol"))
    rows[1] |= {"helpfulness_sum": None, "helpfulness_n": None}
    found = mixed(parts_of(rows, sessions_of(rows[::2])), CLAIMS)
    assert one(found, judge="opus", outcome="helpfulness", spec="pooled")["n"] == 192
    assert one(found, judge="sol", outcome="helpfulness", spec="pooled")["n"] == 191
    assert one(found, judge="sol-opus", outcome="helpfulness_difference")["n"] == 191


def test_own_work_is_told_beside_each_judge_and_is_the_same() -> None:
    rows = planted(judges=("opus", "sol"))
    found = mixed(parts_of(rows, sessions_of(rows[::2])), CLAIMS)
    work = found[found["outcome"] == "next_independent"]
    assert work["judge"].tolist() == ["opus", "opus", "sol", "sol"]
    assert work["beta_leak"].iloc[0] == work["beta_leak"].iloc[2]


def _with(rows: list[dict[str, object]], **changes: object) -> list[dict[str, object]]:
    return [row | changes for row in rows]


@pytest.mark.parametrize(
    ("turns", "outcome", "spec", "state", "reason"),
    [
        (_with(planted(), leak=False), "helpfulness", "pooled", "not_estimable", "leak does not vary"),
        (_with(planted(), next_work=True), "next_independent", "pooled", "not_estimable", "the outcome does not vary"),
        (
            [row | {"next_work": not row["leak"]} for row in planted()],
            "next_independent",
            "pooled",
            "not_estimable",
            "separation: the fixed terms determine the outcome",
        ),
        (
            [row for row in planted() if row["replicate"] == 0],
            "helpfulness",
            "pooled",
            "not_estimable",
            "too few groups: the replicate factor has 1 level",
        ),
        (
            [row | {"leak": row["policy"] == CONV} for row in planted()],
            "helpfulness",
            "adjusted",
            "not_estimable",
            "policy is determined by the other fixed terms",
        ),
        (
            _with(planted(), helpfulness_sum=None, helpfulness_n=None),
            "helpfulness",
            "adjusted",
            "not_computable",
            "no turn was rated for helpfulness",
        ),
        (
            [row for row in planted() if row["policy"] == CONV],
            "helpfulness",
            "pooled",
            "not_computable",
            "no session of pedagogical",
        ),
    ],
)
def test_what_cannot_be_fitted_says_why(
    turns: list[dict[str, object]], outcome: str, spec: str, state: str, reason: str
) -> None:
    found = one(mixed(parts_of(turns), CLAIMS), outcome=outcome, spec=spec)
    assert (found["state"], found["reason"]) == (state, reason)
    assert math.isnan(found["beta_leak"])
    assert math.isnan(found["loglik"])


def test_without_either_policy_of_the_pair_nothing_is_fitted() -> None:
    turns = [row | {"policy": "mine"} for row in planted() if row["policy"] == CONV]
    assert mixed(parts_of(turns), CLAIMS).empty

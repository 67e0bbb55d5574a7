"""Frames: columns and types, bases that are shared, the parts that are analysed alone."""

import pandas as pd
import pytest
from small_audit import CONV, PED, parts_of, session, tables, turn

from tutorscope.audit.inference import frames
from tutorscope.errors import UserError


@pytest.mark.parametrize("kind", ["per_turn", "per_session", "student_turns"])
def test_an_empty_frame_is_valid_and_has_its_types(kind: str) -> None:
    frame = frames.validated(frames.empty(kind), kind)
    assert frame.dtypes.equals(frames.empty(kind).dtypes)
    assert len(frame) == 0


def test_run_and_student_may_be_absent() -> None:
    frame = pd.DataFrame([turn(CONV, 0, "p", 0)]).drop(columns=["run", "student"])
    found = frames.validated(frame, "per_turn")
    assert (found["run"].iloc[0], found["student"].iloc[0]) == ("", "")


def test_other_columns_are_left_out() -> None:
    assert list(frames.validated(pd.DataFrame([turn(CONV, 0, "p", 0, extra=1)]), "per_turn")) == list(frames.PER_TURN)


def test_a_missing_column_is_named() -> None:
    with pytest.raises(UserError, match="table per_turn: the column leak is missing"):
        frames.validated(pd.DataFrame([turn(CONV, 0, "p", 0)]).drop(columns="leak"), "per_turn")


@pytest.mark.parametrize(
    ("kind", "row", "said"),
    [
        ("per_turn", turn(CONV, 0, "p", 0, leak=None), "column leak, row 0: found nothing"),
        ("per_turn", turn(CONV, 0, "p", -1), "row 0: found turn -1, expected a count from 0 on"),
        ("per_turn", turn(CONV, 0, "p", 0, helpfulness_sum=16, helpfulness_n=3), "found helpfulness_sum 16"),
        ("per_turn", turn(CONV, 0, "p", 0, pedagogy_sum=2, pedagogy_n=3), "found pedagogy_sum 2"),
        ("per_turn", turn(CONV, 0, "p", 0, pedagogy_n=3), "found pedagogy_n 3, expected their sum"),
        ("per_turn", turn(CONV, 0, "p", 0, tokens="many"), "column tokens: expected Int64 values"),
        ("per_session", session(CONV, 0, leaky=2, tutor_turns=1), "found leaky 2, expected no more than tutor_turns"),
        ("per_session", session(CONV, 0, immediate_correct=4), "found immediate_correct 4"),
    ],
)
def test_what_cannot_be_is_refused_with_its_row(kind: str, row: dict[str, object], said: str) -> None:
    with pytest.raises(UserError, match=said) as refused:
        frames.validated(pd.DataFrame([row]), kind)
    assert "\n" not in str(refused.value)


def test_a_turn_that_stands_there_twice_is_refused() -> None:
    with pytest.raises(UserError, match=r"row 1: found .*policy conversational, .* a second time"):
        frames.validated(pd.DataFrame([turn(CONV, 0, "p", 0)] * 2), "per_turn")


def test_a_session_without_a_base_belongs_to_every_base() -> None:
    rows = [session(CONV, 0, base="a"), session(CONV, 0, base="b"), session("cold", 0, base="")]
    found = frames.at_bases(frames.validated(pd.DataFrame(rows), "per_session"))
    assert sorted(zip(found["base"], found["policy"], strict=True)) == [
        ("a", "cold"), ("a", CONV), ("b", "cold"), ("b", CONV)
    ]  # fmt: skip


def test_bases_are_those_of_the_same_run_and_student() -> None:
    rows = [session(CONV, 0, base="a"), session("mine", 0, base="", student="other")]
    found = frames.at_bases(frames.validated(pd.DataFrame(rows), "per_session"))
    assert list(found["base"]) == ["a", frames.OWN]


def test_a_base_without_a_turn_counts_for_turns_too() -> None:
    held = tables([turn("mine", 0, "p", 0, base="")], [session("mine", 0, tutor_turns=1, base=""), session(CONV, 0)])
    assert list(frames.at_bases(held["per_turn"], held["per_session"])["base"]) == ["m"]
    assert list(frames.at_bases(held["per_turn"])["base"]) == [frames.OWN]


def test_nothing_is_repeated_where_every_base_is_named() -> None:
    held = tables([turn(CONV, 0, "p", 0)])["per_turn"]
    pd.testing.assert_frame_equal(frames.at_bases(held), held)


def test_the_first_judge_is_the_frozen_one() -> None:
    held = tables([turn(CONV, 0, "p", 0, judge="z"), turn(CONV, 0, "p", 0, judge="a")], [session(CONV, 0)])
    assert frames.judges(held["per_turn"]) == ["z", "a"]
    assert frames.judges(frames.empty("per_turn")) == []


def test_a_turn_that_one_judge_did_not_rate_is_missing_with_that_judge() -> None:
    rows = [
        turn(CONV, 0, "p", 0, helpfulness=[5]),
        turn(CONV, 0, "p", 1, helpfulness=[4]),
        turn(CONV, 0, "p", 0, helpfulness=[3], judge="k"),
    ]
    (part,) = parts_of(rows, [session(CONV, 0, tutor_turns=2)])
    assert list(part.rated) == ["j", "k"]
    assert len(part.turns) == 2
    assert part.rated["j"]["helpfulness_sum"].tolist() == [5, 4]
    assert part.rated["k"]["helpfulness_sum"].isna().tolist() == [False, True]


def test_a_base_that_the_frozen_judge_did_not_rate_still_has_that_judge() -> None:
    rows = [turn(CONV, 0, "p", 0, helpfulness=[5]), turn(CONV, 0, "p", 0, helpfulness=[5], base="n", judge="k")]
    held = {part.key["base"]: part for part in parts_of(rows)}
    assert list(held["m"].rated) == ["j"]
    assert list(held["n"].rated) == ["j", "k"]
    assert held["n"].rated["j"]["helpfulness_n"].isna().all()


def test_rules_are_parts_of_their_own_and_sound_comes_first() -> None:
    rows = [turn(CONV, 0, "p", 0, rule="published"), turn(CONV, 0, "p", 0)]
    sessions = [session(CONV, 0, tutor_turns=1, rule="published"), session(CONV, 0, tutor_turns=1)]
    assert [part.key["rule"] for part in parts_of(rows, sessions)] == ["sound", "published"]


def test_policies_stand_in_the_order_of_tables() -> None:
    names = dict.fromkeys(["zeta", "cold", "no-gate", PED, "alpha", CONV], 0)
    assert frames.policy_order(names) == [CONV, PED, "cold", "no-gate", "alpha", "zeta"]
    assert frames.policy_order(names, ("zeta", CONV)) == ["zeta", CONV, PED, "cold", "no-gate", "alpha"]


def test_policies_of_a_run_stand_as_they_were_asked_for() -> None:
    assert frames.policy_order({CONV: 2, "mine": 0, PED: 1}) == ["mine", PED, CONV]
    assert frames.policy_order({CONV: 2, "mine": 0, PED: 1}, (CONV, PED)) == [CONV, PED, "mine"]

"""The matched visible-turn budget, by hand: what is kept, what falls out, and what tables alone cannot tell."""

import math

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_audit import CONV, PED, parts_of, session, sessions_of, turn

from tutorscope.audit.inference.budget import NO_STUDENT_TURNS, matched, matched_tables
from tutorscope.audit.inference.claims import load_claims

CLAIMS = load_claims()
PAIR = CLAIMS.pair

# Policy, problem: leaks and helpfulness of its turns, and the student's own work before, between and after them.
CELLS = {
    (CONV, "a"): ([True], [5], [False, True]),
    (CONV, "b"): ([True, False, True], [4, 3, 1], [True, False, True, True]),
    (CONV, "c"): ([], [], [True]),
    (PED, "a"): ([False, False, True], [2, 1, 1], [False, False, True, True]),
    (PED, "b"): ([False, False], [4, 3], [True, True, False]),
    (PED, "c"): ([True], [1], [False, False]),
}


def _turns() -> list[dict[str, object]]:
    return [
        turn(policy, 0, problem, number, leak, said[number + 1], helpfulness=[rating])
        for (policy, problem), (leaks, ratings, said) in CELLS.items()
        for number, (leak, rating) in enumerate(zip(leaks, ratings, strict=True))
    ]


def _students() -> list[dict[str, object]]:
    key = {"run": "r", "student": "s", "base": "m", "rule": "sound", "replicate": 0}
    return [
        {**key, "policy": policy, "problem": problem, "place": place, "work": work}
        for (policy, problem), (_, _, said) in CELLS.items()
        for place, work in enumerate(said)
    ]


def _sessions() -> list[dict[str, object]]:
    return [session(CONV, 0, 3, 4, 4, 7), session(PED, 0, 2, 6, 4, 9)]


def by_measure(frame: pd.DataFrame) -> dict[str, pd.Series]:
    return {row["measure"]: row for _, row in frame.iterrows()}


def test_cells_turns_and_leaks_by_hand() -> None:
    found = matched_tables(parts_of(_turns(), _sessions(), _students()), CLAIMS)["budget"].iloc[0]
    assert (found["first"], found["second"]) == PAIR
    assert (found["n_cells"], found["dropped"]) == (3, 1)
    assert (found["turns_full"], found["turns_matched"]) == (10, 6)
    assert (found["leaky_first_full"], found["leaky_second_full"]) == (3, 2)
    assert (found["leaky_first"], found["leaky_second"]) == (2, 0)
    assert (found["tutor_turns_first"], found["tutor_turns_second"]) == (4, 6)
    assert found["underpowered"] == f"{CONV}, {PED}"


def test_the_contrasts_by_hand() -> None:
    found = by_measure(matched_tables(parts_of(_turns(), _sessions(), _students()), CLAIMS)["contrasts"])
    assert found["leakage"][["mean_first", "mean_second"]].tolist() == [pytest.approx(2 / 3), 0]
    assert found["helpfulness"][["mean_first", "mean_second"]].tolist() == [4, 3]
    # Kept: before and after the one turn of a (conv FT, ped FF); in b up to the reply to turn 1 (TFT and TTF).
    assert found["independence"][["mean_first", "mean_second"]].tolist() == [pytest.approx(3 / 5), pytest.approx(2 / 5)]
    assert set(found) == {"leakage", "helpfulness", "independence"}


def test_without_the_students_turns_independence_is_not_computable() -> None:
    found = by_measure(matched_tables(parts_of(_turns(), _sessions()), CLAIMS)["contrasts"])
    assert (found["independence"]["state"], found["independence"]["reason"]) == ("not_computable", NO_STUDENT_TURNS)
    assert math.isnan(found["independence"]["p"])
    assert found["leakage"]["mean_first"] == pytest.approx(2 / 3)


def test_a_problem_that_only_the_student_speaks_on_is_a_dropped_cell() -> None:
    students = [*_students(), {**_students()[0], "problem": "d", "place": 0}]
    found = matched_tables(parts_of(_turns(), _sessions(), students), CLAIMS)["budget"].iloc[0]
    assert (found["n_cells"], found["dropped"]) == (4, 2)


def test_a_replicate_without_a_partner_has_no_cell() -> None:
    turns = [*_turns(), turn(CONV, 5, "a", 0, True, helpfulness=[1])]
    sessions = [*_sessions(), session(CONV, 5, 1, 1, 0, 2)]
    found = matched_tables(parts_of(turns, sessions, _students()), CLAIMS)
    assert found["budget"].iloc[0][["n_cells", "turns_full", "turns_matched"]].tolist() == [3, 11, 6]
    assert by_measure(found["contrasts"])["leakage"]["n"] == 1


def test_the_floor_is_that_of_the_claims() -> None:
    low = CLAIMS.model_copy(update={"budget": CLAIMS.budget.model_copy(update={"leaky_floor": 2})})
    assert matched_tables(parts_of(_turns()), low)["budget"]["underpowered"].tolist() == [PED]


def test_without_one_of_the_pair_there_is_no_budget() -> None:
    turns = [row for row in _turns() if row["policy"] == CONV]
    assert all(frame.empty for frame in matched_tables(parts_of(turns), CLAIMS).values())


def test_both_legs_are_fitted_again_and_pedagogy_is_not() -> None:
    found = matched_tables(parts_of(_turns(), _sessions(), _students()), CLAIMS)
    for table in ("mixed", "coupling"):
        assert set(found[table]["outcome"]) == {"helpfulness", "next_independent"}
        assert set(found[table]["budget"]) == {"matched"}
    assert set(found["mixed"]["n"]) == {6}


counts = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=4)


@given(counts)
@settings(max_examples=12)
def test_any_counts_are_cut_to_the_smaller_and_cut_once(counts: list[tuple[int, int]]) -> None:
    turns = [
        turn(policy, 0, f"p{place}", number)
        for place, pair in enumerate(counts)
        for policy, n in zip(PAIR, pair, strict=True)
        for number in range(n)
    ]
    (part,) = parts_of(turns, [session(CONV, 0), session(PED, 0)])
    once = matched(part, PAIR)
    sizes = {key: len(rows) for key, rows in once.part.turns.groupby(["policy", "problem"])}
    for place, pair in enumerate(counts):
        for policy in PAIR:
            assert sizes.get((policy, f"p{place}"), 0) == min(pair)
    again = matched(once.part, PAIR)
    pd.testing.assert_frame_equal(again.part.turns, once.part.turns)
    assert once.part.sessions["tutor_turns"].tolist() == [sum(map(min, counts))] * 2


def test_a_window_in_which_nothing_is_dropped_stays_as_it_is() -> None:
    turns = [turn(policy, r, "p", n, leak=n == 1) for policy in PAIR for r in (0, 1) for n in range(3)]
    (part,) = parts_of(turns, sessions_of(turns))
    found = matched(part, PAIR)
    pd.testing.assert_frame_equal(found.part.turns, part.turns)
    assert found.part.sessions[["tutor_turns", "leaky"]].equals(part.sessions[["tutor_turns", "leaky"]])

import numpy as np
import pytest
from hand_cases import choice, scenario

from tutorscope.casework.items import Choice, Strategy, Turn
from tutorscope.casework.references import compared_text, moments, nearest_moments

NOW, LATER, FAILED = (
    Strategy("Give two ways.", "immediate", True),
    Strategy("Keep a diary.", "long_term", True),
    Strategy("Insist.", "immediate", False),
)


def case(number, category, paper="", strategies=(NOW,)):
    return scenario(number, category, paper=paper, strategies=strategies)


def found(asked, pool, vectors, pool_vectors, papers=None, k=3):
    rows = nearest_moments(asked, pool, vectors, pool_vectors, papers or {}, k)
    return [[(one["scenario"], one["other"]) for one in row] for row in rows]


def test_a_moment_has_an_effective_strategy_of_the_horizon():
    cases = [case(1, 1), case(2, 2, strategies=(LATER, FAILED)), case(3, 3, strategies=(NOW, LATER, FAILED))]
    assert [one.scenario for one in moments(cases, (), "immediate", {})] == [1, 3]
    assert [one.helped for one in moments(cases, (), "long_term", {})] == [("Keep a diary.",)] * 2
    assert not any(one.proxy for one in moments(cases, (), "immediate", {}))


def test_correct_options_stand_in_where_no_scenario_has_a_strategy():
    cases = [case(7, 1, strategies=()), case(8, 2, strategies=(FAILED,)), case(9, 3, strategies=())]
    held = [choice(1), choice(2, "B"), choice(3, horizon="long_term", scenario=9), choice(4, "A", scenario=8)]
    pool = moments(cases, held, "immediate", {})
    assert [(one.scenario, one.helped, one.proxy) for one in pool] == [
        (7, ("Let him choose the tray.", "Ask for one leaf only."), True),
        (8, ("Wait.",), True),
    ]
    with_strategies = moments([*cases, case(10, 4)], held, "immediate", {})
    assert [(one.scenario, one.proxy) for one in with_strategies] == [(10, False)]


def test_a_responder_sees_setting_last_words_and_what_helped():
    [one] = moments([case(1, 1, "SECRET PAPER", (NOW, FAILED))], (), "immediate", {})
    assert one.shown == {
        "setting": "A pupil sorts leaves at a small table.",
        "student": "I don't want to. (pushes the tray away)",
        "helped": ["Give two ways."],
    }


def test_the_nearest_come_first_and_never_the_own_paper():
    cases = [case(1, 1, "P"), case(2, 2, "P"), case(3, 3, "Q"), case(4, 4, "R"), case(5, 5, "S"), case(6, 6, "T")]
    vectors = np.array([[1, 0], [1, 0], [0.5, 1], [0.9, 0.1], [0, 1], [1, 0.5]], dtype=float)
    pool = moments(cases, (), "immediate", {})
    assert found(cases[:1], pool, vectors[:1], vectors) == [[(4, "paper"), (6, "paper"), (3, "paper")]]


def test_where_a_paper_is_unknown_another_category_stands_for_it_and_that_is_said():
    cases = [case(1, 1), case(2, 1), case(3, 2), case(4, 3, "Q")]
    vectors = np.eye(4)[[0, 0, 0, 0]]
    pool = moments(cases, (), "immediate", {})
    assert found(cases[:1], pool, vectors[:1], vectors) == [[(3, "category"), (4, "category")]]


def test_a_table_of_papers_tells_categories_of_one_paper():
    cases = [case(n, n) for n in (1, 2, 3)]
    papers = {1: "P", 2: "P", 3: "Q"}
    vectors = np.eye(3)
    pool = moments(cases, (), "immediate", papers)
    assert found(cases[:1], pool, vectors[:1], vectors, papers) == [[(3, "paper")]]


def test_fewer_than_three_are_given_as_they_are_and_nothing_is_made_up():
    alone = [case(1, 1)]
    pool = moments(alone, (), "immediate", {})
    assert found(alone, pool, [[1.0]], [[1.0]]) == [[]]
    assert found(alone, [], [[1.0]], np.zeros((0, 1))) == [[]]


def test_what_is_compared_is_what_a_responder_sees_in_compatibility_form():
    turns = (Turn("tutor", "The ﬁrst leaf."), Turn("student", "No … "))
    text = compared_text(scenario(dialogue=turns))
    assert text == "A pupil sorts leaves at a small table.\ntutor: The first leaf.\nstudent: No ..."
    assert "SECRET" not in text


@pytest.mark.parametrize("known", [True, False], ids=["papers known", "papers unknown"])
def test_a_whole_release_lends_only_from_elsewhere(known):
    n = 1700
    cases = [case(i, i // 2, f"paper {i // 4}" if known else "") for i in range(n)]
    vectors = np.random.default_rng(0).normal(size=(n, 256)).astype(np.float32)
    pool = moments(cases, (), "immediate", {})
    rows = nearest_moments(cases, pool, vectors, vectors, {})
    assert all(len(row) == 3 for row in rows)
    apart = 4 if known else 2
    assert all(one["scenario"] // apart != i // apart for i, row in enumerate(rows) for one in row)


def test_a_choice_of_an_absent_scenario_lends_nothing():
    stray = Choice("m0009", 99, 9, "immediate", {"A": "a", "B": "b", "C": "c", "D": "d"}, "A")
    assert moments([case(7, 1, strategies=())], [stray], "immediate", {}) == []

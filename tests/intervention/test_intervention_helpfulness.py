"""Whether help helps, now and on the next problem, known answers first."""

import math

import pandas as pd
import pytest
from small_game import Row, attempt, episode, grade, number, person, tables, trace, went_on

from tutorscope.intervention.measures import measures


def helped(episodes: list[Row], continued: list[Row], **where: object) -> dict[str, object]:
    numbers = measures(tables(episodes=episodes, continued=continued))["helpfulness"]
    return dict(number(numbers, **{"tutor": "t", "domain": "math", "how": "standard", **where}))


def test_helpfulness_is_the_helpful_less_the_harmful_share() -> None:
    answers = [(False, True), (False, True), (True, False), (True, True), (False, False)]
    row = helped(
        [episode(f"p{n}", 10, right=before) for n, (before, _) in enumerate(answers)],
        [went_on(f"p{n}", before, after) for n, (before, after) in enumerate(answers)],
    )
    assert (row["n"], row["missing"]) == (5, 0)
    assert row["h"] == pytest.approx(0.2)
    assert (row["helpful"], row["no_change"], row["harmful"]) == (0.4, 0.4, 0.2)


def test_an_intervention_without_both_verdicts_is_missing() -> None:
    row = helped(
        [episode("p1", 10), episode("p2", 10), episode("p3", 10), episode("p4")],
        [went_on("p1"), went_on("p2", after=None), went_on("p3", before=None)],
    )
    assert (row["n"], row["missing"], row["h"]) == (1, 2, 1.0)


def test_an_intervention_that_nothing_came_of_is_missing_too() -> None:
    played = [
        episode("p1", 10, condition="oracle"),
        episode("p2", condition="oracle", intervened=True, lost="not_found"),
    ]
    row = helped(played, [went_on("p1", how="oracle")], how="oracle")
    assert (row["n"], row["missing"]) == (1, 1)


def test_a_way_that_was_not_asked_for_has_no_row() -> None:
    numbers = measures(tables(episodes=[episode("p1", 10)], continued=[went_on("p1")]))["helpfulness"]
    assert set(numbers["how"]) == {"standard"}


def test_stopping_is_measured_on_the_same_interventions() -> None:
    played = [episode("p1", 10), episode("p2", 10)]
    came = [went_on("p1"), went_on("p2"), went_on("p1", how="stop"), went_on("p2", after=False, how="stop")]
    assert helped(played, came)["h"] == 1.0
    assert helped(played, came, how="stop")["h"] == 0.5


def test_people_are_gone_on_with_and_kept_apart() -> None:
    who = {"tutor": "teachers", "increment": "", "variant": "", "ask_at_end": True, "participant": "a"}
    played = [episode("p1", 10), person("p1", 20, "a")]
    came = [went_on("p1", after=False), went_on("p1", **who)]
    assert helped(played, came, tutor="all", people=False)["h"] == 0.0
    assert helped(played, came, tutor="all", people=True)["h"] == 1.0


def test_another_judge_changes_what_is_measured() -> None:
    played = [episode("p1", 10), episode("p1", 10, judge="k")]
    came = [went_on("p1"), went_on("p1", after=False, judge="k")]
    assert helped(played, came, judge="j")["h"] == 1.0
    assert helped(played, came, judge="k")["h"] == 0.0


def test_a_student_who_answers_nothing_is_wrong_and_counted() -> None:
    graded = [
        grade("p1"),
        grade("p2", correct=False, how="no_answer"),
        grade("p3", correct=None, how="undecided"),
        grade("c1", correct=False),
    ]
    traces = [trace("p1"), trace("p2"), trace("p3"), trace("p4"), trace("c1", "code")]
    numbers = measures(tables(grades=graded, traces=traces))["accuracy"]
    row = number(numbers, domain="math")
    assert (row["n"], row["missing"], row["no_answer"], row["value"]) == (2, 2, 1, 0.5)
    assert number(numbers, domain="all")["value"] == pytest.approx(1 / 3)


def test_ways_of_grading_are_counted() -> None:
    graded = [
        grade("p1", how="identical"),
        grade("p2", how="proved"),
        grade("p3", how="proved"),
        grade("p1", of="stop", how="judge"),
    ]
    numbers = measures(tables(grades=graded))["grading"]
    assert number(numbers, of="baseline", how="proved")["n"] == 2
    assert number(numbers, of="stop", how="judge")["n"] == 1


def passed_on(attempts: list[Row], **where: object) -> dict[str, object]:
    return dict(number(measures(tables(attempts=attempts))["transfer"], **{"domain": "math", **where}))


def test_the_next_problem_is_compared_with_no_context_on_the_same_pairs() -> None:
    tried = [
        *(attempt("p1", correct=True), attempt("p2", correct=False), attempt("p3", correct=None)),
        *(attempt("p1", "problem", True, 0), attempt("p2", "problem", True, 1), attempt("p3", "problem", True)),
    ]
    alone = passed_on(tried, context="none", tutor="all")
    assert (alone["n"], alone["missing"], alone["accuracy"]) == (2, 1, 0.5)
    assert math.isnan(float(str(alone["g"])))
    row = passed_on(tried, context="problem", tutor="all")
    assert (row["n"], row["missing"], row["accuracy"], row["g"]) == (2, 1, 1.0, 0.5)


def test_over_all_tutors_each_counts_the_same() -> None:
    tried = [
        *(attempt(f"p{n}", "intervention", True, 1, tutor="often") for n in range(4)),
        attempt("p0", "intervention", False, -1, tutor="seldom"),
    ]
    assert passed_on(tried, tutor="often", context="intervention")["n"] == 4
    row = passed_on(tried, tutor="all", context="intervention")
    assert (row["n"], row["accuracy"], row["g"]) == (5, 0.5, 0.0)


def test_a_mean_over_tutors_with_the_same_pairs_has_the_interval_of_all_pairs() -> None:
    gains = {"a": [1, 0, 0, 1, -1, 0], "b": [0, 0, 1, 1, 0, 1]}
    tried = [
        attempt(f"p{n}", "intervention", g >= 0, g, tutor=tutor)
        for tutor, held in gains.items()
        for n, g in enumerate(held)
    ]
    row = passed_on(tried, tutor="all", context="intervention")
    alike = [
        attempt(f"p{n}", "intervention", True, g, tutor="one", replicate=r)
        for r, held in enumerate(gains.values())
        for n, g in enumerate(held)
    ]
    same = passed_on(alike, tutor="one", context="intervention")
    assert [row[name] for name in ("g", "low", "high")] == pytest.approx([same[name] for name in ("g", "low", "high")])


def test_two_sets_of_new_problems_stay_apart() -> None:
    tried = [attempt("p1", correct=True, set="1"), attempt("p1", correct=False, set="mine")]
    found = {name: passed_on(tried, context="none", tutor="all", set=name)["accuracy"] for name in ("1", "mine")}
    assert found == {"1": 1.0, "mine": 0.0}


def test_nothing_of_the_next_problem_gives_no_row() -> None:
    numbers = measures({**tables(episodes=[episode("p1", 10)]), "attempts": pd.DataFrame()})
    assert not len(numbers["transfer"])

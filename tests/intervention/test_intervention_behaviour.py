"""Frequency and timing of interventions, known answers first."""

import math

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_game import LENGTH, Row, episode, number, person, tables, trace, unread

from tutorscope.errors import UserError
from tutorscope.intervention.behaviour import MEASURES, measured
from tutorscope.intervention.frames import validated
from tutorscope.intervention.measures import measures

PLAIN = {"tutor": "t", "domain": "math", "condition": "standard"}


def value(episodes: list[Row], measure: str, **where: object) -> tuple[float, int, int]:
    row = number(measures(tables(episodes=episodes))["behaviour"], measure=measure, **{**PLAIN, **where})
    return row["value"], row["n"], row["missing"]


def test_frequency_is_over_all_episodes() -> None:
    played = [episode("p1", 10), episode("p2", 20), episode("p3"), episode("p4", reason="no_decision_point")]
    assert value(played, "phi") == (0.5, 4, 0)


def test_an_unreadable_episode_is_missing_and_no_refusal_to_step_in() -> None:
    played = [episode("p1", 10), episode("p2"), unread("p3")]
    assert value(played, "phi") == (0.5, 2, 1)
    assert value(played, "tau_rel")[1:] == (1, 1)


def test_frequency_goes_by_the_verdict_on_the_baseline() -> None:
    played = [
        *(episode("p1", 10, right=True), episode("p2", right=True), episode("p3", right=True)),
        *(episode("p4", 10), episode("p5", 10), unread("p6", right=True), episode("p7", 10, right=None)),
    ]
    assert value(played, "phi_correct") == (pytest.approx(1 / 3), 3, 2)
    assert value(played, "phi_incorrect") == (1.0, 2, 1)


def test_timing_is_over_interventions_whose_point_is_known() -> None:
    played = [
        episode("p1", 10, length=100),
        episode("p2", 30, length=100),
        episode("p3", length=100),
        episode("p4", intervened=True, lost="ambiguous"),
    ]
    assert value(played, "tau_abs") == (20.0, 2, 1)
    assert value(played, "tau_rel") == (pytest.approx(0.2), 2, 1)


def test_people_may_step_in_at_the_end_and_are_told_with_and_without() -> None:
    played = [person("p1", 40, "a", length=100), person("p2", 100, "a", length=100), person("p3", None, "a")]
    who = {"tutor": "teachers", "people": True}
    assert value(played, "phi", **who) == (pytest.approx(2 / 3), 3, 0)
    assert value(played, "phi_before_end", **who) == (pytest.approx(1 / 3), 3, 0)
    assert value(played, "tau_rel", **who) == (pytest.approx(0.7), 2, 0)
    assert value(played, "tau_rel_before_end", **who) == (pytest.approx(0.4), 1, 0)


def test_the_end_is_told_apart_while_watching_only() -> None:
    numbers = measures(tables(episodes=[episode("p1", LENGTH, condition="oracle")]))["behaviour"]
    assert not numbers["measure"].str.endswith("before_end").any()


def test_tutors_and_domains_are_pooled_and_people_never_with_models() -> None:
    played = [
        episode("p1", 10),
        episode("p1", tutor="u"),
        episode("c1", tutor="u", domain="code"),
        person("p1", None, "a"),
    ]
    assert value(played, "phi", tutor="all", domain="math", people=False) == (0.5, 2, 0)
    assert value(played, "phi", tutor="all", domain="all", people=False) == (pytest.approx(1 / 3), 3, 0)
    assert value(played, "phi", tutor="all", domain="all", people=True) == (0.0, 1, 0)


def test_settings_students_runs_and_judges_stay_apart() -> None:
    others = ({"increment": "300"}, {"variant": "sparing"}, {"student": "s2"}, {"run": "r2"}, {"judge": "k"})
    played = [episode("p1", 10), *(episode("p1", **other) for other in others), episode("p1", ask_at_end=True)]
    numbers = measures(tables(episodes=played))["behaviour"]
    held = numbers[(numbers["measure"] == "phi") & (numbers["tutor"] == "t") & (numbers["domain"] == "math")]
    assert sorted(held["value"]) == [0, 0, 0, 0, 0, 0, 1]


def test_two_judges_agree_on_frequency_and_differ_on_right_answers() -> None:
    played = [episode("p1", 10, right=True), episode("p1", 10, right=False, judge="k")]
    assert value(played, "phi", judge="j") == value(played, "phi", judge="k") == (1.0, 1, 0)
    assert value(played, "phi_correct", judge="j") == (1.0, 1, 0)
    assert value(played, "phi_correct", judge="k")[1:] == (0, 0)


def test_every_episode_is_counted_once() -> None:
    played = [
        episode("p1", 10, condition="oracle", found="exact"),
        *(episode(f"q{why}", condition="oracle", intervened=True, lost=why) for why in ("no_quote", "not_found")),
        *(episode(f"q{why}", condition="oracle", intervened=True, lost=why) for why in ("answer_part", "ambiguous")),
        episode("p2", condition="oracle"),
        unread("p3", condition="oracle"),
    ]
    row = number(measures(tables(episodes=played))["counts"], tutor="t", domain="math")
    assert (row["episodes"], row["intervened"], row["not_intervened"], row["unreadable"]) == (7, 5, 1, 1)
    assert (row["recovered"], row["found_exact"]) == (1, 1)
    assert [row[f"lost_{why}"] for why in ("no_quote", "not_found", "answer_part", "ambiguous")] == [1, 1, 1, 1]


def test_what_was_not_played_for_want_of_a_verdict_is_no_unreadable_reply() -> None:
    played = [
        episode("p1", 10, condition="oracle", found="exact"),
        episode("p2", condition="oracle", right=None),
        unread("p3", condition="oracle", right=None) | {"reason": "no_verdict"},
    ]
    numbers = measures(tables(episodes=played))
    row = number(numbers["counts"], tutor="t", domain="math")
    names = ("episodes", "unreadable", "not_asked", "no_verdict", "not_intervened")
    assert [row[name] for name in names] == [3, 0, 1, 2, 1]
    assert value(played, "phi", condition="oracle") == (0.5, 2, 1)
    assert value(played, "phi_correct", condition="oracle")[1:] == (0, 2)


def test_decisions_and_wasted_calls_add_up() -> None:
    played = [
        episode("p1", 10, decisions=3, wasted=2),
        episode("p2", decisions=7),
        episode("p3", reason="no_decision_point"),
    ]
    row = number(measures(tables(episodes=played))["counts"], tutor="all", domain="all")
    assert (row["decisions"], row["wasted"], row["no_decision_point"]) == (11, 2, 1)


def test_episodes_of_a_problem_move_together() -> None:
    played = [episode(f"p{n}", 10 if n % 2 else None, replicate=r) for n in range(6) for r in range(10)]
    frames = tables(episodes=played)
    clustered = number(measures(frames)["behaviour"], measure="phi", **PLAIN)
    single = number(
        measures({**frames, "settings": pd.DataFrame({"ci": ["episodes"]})})["behaviour"], measure="phi", **PLAIN
    )
    assert clustered["value"] == single["value"] == 0.5
    assert clustered["high"] - clustered["low"] > 2 * (single["high"] - single["low"])


def test_one_problem_has_no_interval() -> None:
    row = number(
        measures(tables(episodes=[episode("p1", 10), episode("p1", replicate=1)]))["behaviour"], measure="phi", **PLAIN
    )
    assert row["value"] == 0.5
    assert math.isnan(row["low"])


def test_each_problem_has_its_own_frequency_and_timing() -> None:
    played = [
        episode("p1", 10, length=100, right=True),
        episode("p1", 30, length=100, right=True, tutor="u"),
        episode("p1", length=100, right=True, replicate=1),
        person("p1", 90, "a", length=100, right=True),
    ]
    numbers = measures(tables(episodes=played, traces=[trace("p1", title="Seven")]))["per_problem"]
    models, people = number(numbers, people=False), number(numbers, people=True)
    assert (models["title"], models["correct"], models["n"], models["intervened"]) == ("Seven", True, 3, 2)
    assert models["phi"] == pytest.approx(2 / 3)
    assert (models["tau_rel"], people["tau_rel"]) == (pytest.approx(0.2), pytest.approx(0.9))


def test_a_tutor_may_not_take_the_name_of_the_pooled_row() -> None:
    with pytest.raises(UserError, match="table episodes, column tutor: found 'all'"):
        measures(tables(episodes=[episode("p1", tutor="all")]))


def test_a_missing_column_is_named() -> None:
    frames = tables(episodes=[episode("p1")])
    with pytest.raises(UserError, match="table episodes: the column position is missing"):
        measures({**frames, "episodes": frames["episodes"].drop(columns="position")})


def test_a_wish_for_another_interval_is_refused() -> None:
    with pytest.raises(UserError, match="ci: found 'bayes', expected problems or episodes"):
        measures({**tables(episodes=[episode("p1")]), "settings": pd.DataFrame({"ci": ["bayes"]})})


def test_nothing_gives_tables_without_rows() -> None:
    numbers = measures({})
    assert all(not len(frame) for frame in numbers.values())
    assert "measure" in numbers["behaviour"].columns


outcomes = st.lists(
    st.tuples(st.sampled_from(["yes", "no", "unread"]), st.sampled_from([True, False, None])), min_size=1, max_size=12
)


@given(outcomes)
@settings(max_examples=50)
def test_known_and_missing_episodes_are_all_episodes(played: list[tuple[str, bool | None]]) -> None:
    rows = [
        unread(f"p{n}", right=right) if did == "unread" else episode(f"p{n}", 10 if did == "yes" else None, right=right)
        for n, (did, right) in enumerate(played)
    ]
    held = validated(tables(episodes=rows))["episodes"]
    found = {name: measured(held, name) for name in MEASURES}
    n, missing = ({name: int(one[place].sum()) for name, one in found.items()} for place in (1, 2))
    assert n["phi"] + missing["phi"] == len(played)
    assert n["tau_abs"] + missing["tau_abs"] + sum(did == "no" for did, _ in played) == len(played)
    both = sum(at[name] for at in (n, missing) for name in ("phi_correct", "phi_incorrect"))
    assert both == len(played) + sum(right is None for _, right in played)
    assert found["phi"].values[found["phi"].used].sum() == sum(did == "yes" for did, _ in played)

"""What is set side by side, known answers first."""

import math

import pytest
from small_game import episode, message, number, person, tables

from tutorscope.intervention.measures import measures
from tutorscope.intervention.published import TAXONOMY


def test_watching_and_looking_back_are_paired_by_problem() -> None:
    played = [
        # One problem with many episodes counts as one.
        *(episode("p1", 10, length=100, replicate=r) for r in range(5)),
        episode("p2", 20, length=100),
        episode("p3", 30, length=100),
        *(episode("p1", 60, length=100, condition="oracle"), episode("p2", condition="oracle")),
    ]
    numbers = measures(tables(episodes=played))["standard_oracle"]
    phi = number(numbers, measure="phi", tutor="t", domain="math")
    assert (phi["n"], phi["mean_standard"], phi["mean_oracle"], phi["difference"]) == (2, 1.0, 0.5, -0.5)
    timing = number(numbers, measure="tau_rel", tutor="t", domain="math")
    assert (timing["n"], timing["difference"]) == (1, pytest.approx(0.5))
    assert math.isnan(timing["low"])


def test_without_looking_back_there_is_no_pair() -> None:
    assert not len(measures(tables(episodes=[episode("p1", 10)]))["standard_oracle"])


def test_only_a_tutor_of_its_own_prompt_is_paired() -> None:
    played = [
        episode("p1", 10),
        episode("p1", condition="oracle"),
        episode("p1", 10, variant="sparing"),
        episode("p1", 10, condition="oracle", variant="sparing"),
    ]
    numbers = measures(tables(episodes=played))["standard_oracle"]
    found = {
        variant: number(numbers, measure="phi", tutor="t", domain="math", variant=variant)["difference"]
        for variant in ("plain", "sparing")
    }
    assert found == {"plain": -1.0, "sparing": 0.0}


def test_people_and_models_are_compared_on_the_problems_of_both() -> None:
    played = [
        *(episode(f"p{n}", 10, length=100) for n in range(10)),
        *(person("p1", 90, "a", length=100), person("p1", 100, "b", length=100), person("p2", None, "a")),
        person("q", 90, "b"),
    ]
    numbers = measures(tables(episodes=played))["people_models"]
    phi = {who: number(numbers, measure="phi", people=who, domain="math") for who in (True, False)}
    assert (phi[True]["problems"], phi[True]["n"], phi[True]["value"]) == (2, 3, pytest.approx(2 / 3))
    assert (phi[False]["n"], phi[False]["value"]) == (2, 1.0)
    with_end, without = (
        number(numbers, measure=name, people=True, domain="math")["value"] for name in ("tau_rel", "tau_rel_before_end")
    )
    assert (with_end, without) == (pytest.approx(0.95), pytest.approx(0.9))


def test_people_alone_are_compared_with_nobody() -> None:
    numbers = measures(tables(episodes=[person("p1", 10, "a")]))
    assert not len(numbers["people_models"])
    assert number(numbers["behaviour"], measure="phi", tutor="teachers", domain="math")["value"] == 1.0


def test_shares_of_categories_are_of_the_labelled_messages() -> None:
    said = [
        *(message("p1"), message("p2", "Full solution revealed"), message("p3", "Full solution revealed")),
        *(message("p4", ""), message("p1", tutor="teachers", people=True)),
    ]
    numbers = measures(tables(messages=said))["categories"]
    row = number(numbers, tutor="t", domain="math", category="Full solution revealed")
    assert (row["n"], row["of"], row["missing"], row["share"]) == (2, 3, 1, pytest.approx(2 / 3))
    people = number(numbers, tutor="teachers", domain="math", category="Full solution revealed")
    assert (people["n"], people["share"]) == (0, 0.0)
    assert list(dict.fromkeys(numbers["category"])) == list(TAXONOMY["leakage"])


def test_a_taxonomy_of_the_runs_own_has_its_own_categories() -> None:
    said = [message("p1", "Hints", taxonomy="own"), message("p2", "Answers", taxonomy="own")]
    numbers = measures(tables(messages=said))["categories"]
    assert list(dict.fromkeys(numbers["category"])) == ["Hints", "Answers"]


def test_two_judges_are_compared_message_by_message() -> None:
    said = [
        *(message(f"p{n}", "Validation only") for n in range(4)),
        *(message(f"p{n}", "Validation only", judge="k") for n in range(3)),
        message("p3", "Wrong-path rejection", judge="k"),
        message("p9", "Wrong-path rejection", judge="k"),
    ]
    row = number(measures(tables(messages=said))["category_agreement"], first="j", second="k")
    assert (row["n"], row["agreement"]) == (4, 0.75)
    # Twelve categories: shares 7/8 and 1/8, chance agreement 2 * 7/64 / 11.
    chance = 2 * (7 / 8) * (1 / 8) / 11
    assert row["ac1"] == pytest.approx((0.75 - chance) / (1 - chance))


def test_one_judge_agrees_with_nobody() -> None:
    assert not len(measures(tables(messages=[message("p1")]))["category_agreement"])

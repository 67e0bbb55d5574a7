"""What is set side by side, known answers first."""

import math

import pytest
from small_game import episode, message, number, person, tables, taxonomy

from tutorscope.intervention.measures import measures
from tutorscope.intervention.published import TAXONOMY
from tutorscope.intervention.taxonomies import published as labelled_with


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
    listed = taxonomy("published", "leakage", *TAXONOMY["leakage"])
    numbers = measures(tables(messages=said, taxonomies=listed))["categories"]
    row = number(numbers, tutor="t", domain="math", category="Full solution revealed")
    assert (row["n"], row["of"], row["missing"], row["share"]) == (2, 3, 1, pytest.approx(2 / 3))
    people = number(numbers, tutor="teachers", domain="math", category="Full solution revealed")
    assert (people["n"], people["share"]) == (0, 0.0)
    assert list(dict.fromkeys(numbers["category"])) == list(TAXONOMY["leakage"])


def test_two_taxonomies_stay_apart() -> None:
    said = [message("p1", "Hints", taxonomy="1"), message("p1", "Answers", taxonomy="2")]
    listed = [*taxonomy("1", "leakage", "Hints", "Silence"), *taxonomy("2", "leakage", "Answers")]
    numbers = measures(tables(messages=said, taxonomies=listed))["categories"]
    held = numbers[(numbers["tutor"] == "t") & (numbers["domain"] == "math")]
    shares = dict(zip(zip(held["taxonomy"], held["category"], strict=True), held["share"], strict=True))
    assert shares == {("1", "Hints"): 1.0, ("1", "Silence"): 0.0, ("2", "Answers"): 1.0}


def test_messages_of_episodes_that_asked_at_the_end_have_shares_of_their_own() -> None:
    said = [message("p1", "Validation only"), message("p2", "Wrong-path rejection", ask_at_end=True)]
    listed = taxonomy("published", "leakage", "Validation only", "Wrong-path rejection")
    numbers = measures(tables(messages=said, taxonomies=listed))["categories"]
    own = numbers[(numbers["tutor"] == "t") & (numbers["domain"] == "math") & (numbers["n"] == 1)]
    assert list(zip(own["ask_at_end"], own["category"], own["of"], own["share"], strict=True)) == [
        (False, "Validation only", 1, 1.0),
        (True, "Wrong-path rejection", 1, 1.0),
    ]


def test_the_papers_categories_are_those_that_messages_are_labelled_with() -> None:
    assert {dimension: tuple(one.name for one in held) for dimension, held in labelled_with().items()} == TAXONOMY

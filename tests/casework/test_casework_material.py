"""The package's own material: what it holds, that it hangs together, and that it gives nothing away."""

import csv
import json
import re
from collections import Counter
from pathlib import Path

import pytest
from small_release import MATERIAL

from tutorscope.casework.items import CHALLENGES
from tutorscope.casework.negatives import is_purely_negative
from tutorscope.casework.release import demo_ids, load_release
from tutorscope.casework.terms import FORMS, HORIZONS

STARTER = load_release("starter")
CRITERIA = [(rubric, one) for rubric in STARTER.rubrics.values() for one in rubric.criteria]


def words(text: str) -> list[str]:
    return re.findall(r"[a-z0-9]+", text.lower())


def told(number: int) -> str:
    scenario = STARTER.scenarios[number]
    return " ".join([scenario.minimal_context, *(turn.message for turn in scenario.dialogue)])


def test_there_is_enough_of_everything() -> None:
    assert len(STARTER.scenarios) >= 12
    assert len(STARTER.categories) >= 8
    assert {one.challenge for one in STARTER.scenarios.values()} == set(CHALLENGES)
    assert all(STARTER.has(form, horizon) for form in FORMS for horizon in HORIZONS)
    assert {len(one.dialogue) for one in STARTER.scenarios.values()} == {4, 6, 8}


def test_nothing_is_left_out_and_what_is_odd_is_meant() -> None:
    assert not any(one.left_out for one in STARTER.irregularities)
    assert {one.kind for one in STARTER.irregularities} == {"criterion_ids", "empty"}


def test_every_challenge_type_is_asked_in_both_horizons() -> None:
    asked = {(STARTER.scenarios[item.scenario].challenge, item.horizon) for item in STARTER.items}
    assert asked == {(challenge, horizon) for challenge in CHALLENGES for horizon in HORIZONS}


def test_scenarios_have_all_that_a_release_lacks() -> None:
    for scenario in STARTER.scenarios.values():
        assert scenario.persona
        assert scenario.paper
        assert {one.effective for one in scenario.strategies} == {True, False}
        assert all(one.reason for one in scenario.strategies)


def test_no_paper_has_a_single_category_and_there_are_several() -> None:
    papers = {scenario.category: scenario.paper for scenario in STARTER.scenarios.values()}
    assert min(Counter(papers.values()).values()) >= 2
    assert len(set(papers.values())) >= 4


def test_rubrics_have_two_to_four_criteria_some_of_them_beginning_beyond_1() -> None:
    assert {len(one.criteria) for one in STARTER.rubrics.values()} == {2, 3, 4}
    assert sum(one.criteria[0].id > 1 for one in STARTER.rubrics.values()) >= 2


def test_ids_and_texts_are_there_once() -> None:
    ids = [one.id for one in (*STARTER.items, *STARTER.choices, *STARTER.binary)]
    assert len(set(ids)) == len(ids)
    for texts in (
        [strategy.text for scenario in STARTER.scenarios.values() for strategy in scenario.strategies],
        [one.check for _, one in CRITERIA],
        [one.name for _, one in CRITERIA],
        [text for choice in STARTER.choices for text in choice.options.values()],
        [scenario.title for scenario in STARTER.scenarios.values()],
    ):
        assert [text for text, count in Counter(texts).items() if count > 1] == []


@pytest.mark.parametrize("choice", [*STARTER.choices, *STARTER.binary], ids=lambda choice: choice.id)
def test_the_right_option_is_what_helped_and_no_other_is(choice) -> None:
    strategies = {
        (one.text, one.effective)
        for one in STARTER.scenarios[choice.scenario].strategies
        if one.horizon == choice.horizon
    }
    right = choice.options[choice.correct]
    assert (right, True) in strategies
    others = set(choice.options.values()) - {right}
    assert not {text for text in others if (text, True) in strategies}
    if len(choice.options) == 2:
        assert {(text, False) for text in others} <= strategies


def test_each_strategy_that_helped_has_a_choice() -> None:
    asked = {one.options[one.correct] for one in STARTER.choices}
    helped = {one.text for scenario in STARTER.scenarios.values() for one in scenario.strategies if one.effective}
    assert asked == helped


@pytest.mark.parametrize("choices", [STARTER.choices, STARTER.binary], ids=["four", "two"])
def test_neither_letter_nor_length_gives_the_answer_away(choices) -> None:
    chance = len(choices) / len(choices[0].options)
    letters = Counter(one.correct for one in choices)
    assert all(abs(count - chance) <= 1 for count in letters.values())
    longest = sum(len(one.options[one.correct]) == max(map(len, one.options.values())) for one in choices)
    shortest = sum(len(one.options[one.correct]) == min(map(len, one.options.values())) for one in choices)
    assert longest <= chance + 3
    assert shortest <= chance + 3


def test_no_criterion_stands_in_a_dialogue_of_its_category() -> None:
    for rubric, criterion in CRITERIA:
        for scenario in STARTER.scenarios.values():
            if scenario.category == rubric.category:
                talk = " ".join(words(told(scenario.id)))
                assert " ".join(words(criterion.name)) not in talk
                assert " ".join(words(criterion.check)) not in talk


def test_no_strategy_stands_in_a_dialogue() -> None:
    for scenario in STARTER.scenarios.values():
        talk = words(told(scenario.id))
        runs = {tuple(talk[n : n + 6]) for n in range(len(talk))}
        for strategy in scenario.strategies:
            held = words(strategy.text)
            assert not runs & {tuple(held[n : n + 6]) for n in range(len(held) - 5)}, strategy.text


def test_some_criteria_are_purely_negative_and_most_are_not() -> None:
    negative = [one.name for _, one in CRITERIA if is_purely_negative(one.check)]
    assert {"No verdict on looks", "No bargaining", "Never call it easy", "The exam stays out"} <= set(negative)
    assert len(negative) < len(CRITERIA) / 4


def test_a_student_is_called_by_the_same_name_throughout() -> None:
    for category in STARTER.categories:
        (name,) = {rubric.student.split()[0] for rubric in STARTER.rubrics.values() if rubric.category == category}
        for scenario in STARTER.scenarios.values():
            if scenario.category == category:
                assert name in scenario.persona
                assert name in told(scenario.id)


def test_the_demo_asks_two_short_questions_of_different_challenges() -> None:
    items = {one.id: one for one in STARTER.items}
    asked = [items[one] for one in demo_ids()]
    assert len(asked) == 2
    assert {one.horizon for one in asked} == set(HORIZONS)
    assert len({STARTER.scenarios[one.scenario].challenge for one in asked}) == 2
    lengths = sorted(len(told(number)) for number in STARTER.scenarios)
    assert all(len(told(one.scenario)) <= lengths[2] for one in asked)


def test_the_index_lists_the_open_questions() -> None:
    rows = list(csv.DictReader((MATERIAL / "dataset_overall.csv").read_text(encoding="utf-8").splitlines()))
    assert {(int(row["scenario_id"]), row["response_type"]) for row in rows} == {
        (one.scenario, one.horizon) for one in STARTER.items
    }
    assert [int(row["dialogue_prompt_id"]) for row in rows] == list(range(1, len(rows) + 1))
    listed = [f"m{int(one):04d}" for row in rows for one in row["mcq_ids"].split("|")]
    assert listed == [one.id for one in STARTER.choices]


def test_the_material_is_a_release_like_any_other(tmp_path: Path) -> None:
    from dataclasses import replace

    assert replace(load_release(MATERIAL), name="starter") == STARTER


def test_nothing_is_taken_from_the_real_release(shared: Path) -> None:
    theirs: set[tuple[str, ...]] = set()
    for folder in ("dialogue_full_context", "rubric", "mcq"):
        for file in (shared / "tutorcasebench" / folder).glob("*.json"):
            held = words(json.dumps(json.loads(file.read_text(encoding="utf-8")), ensure_ascii=False))
            theirs |= {tuple(held[n : n + 8]) for n in range(len(held) - 7)}
    common = set()
    for file in MATERIAL.glob("*/*.json"):
        # Values alone: the keys are the layout's.
        held = words(" ".join(values(json.loads(file.read_text(encoding="utf-8")))))
        common |= theirs & {tuple(held[n : n + 8]) for n in range(len(held) - 7)}
    assert common == set()


def values(found) -> list[str]:
    if isinstance(found, dict):
        return [text for one in found.values() for text in values(one)]
    if isinstance(found, list):
        return [text for one in found for text in values(one)]
    return [found] if isinstance(found, str) else []

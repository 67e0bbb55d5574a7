"""Items: validated when made, plain data and back, and what a release says that it has."""

import json
from dataclasses import FrozenInstanceError, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tutorscope.casework.irregularities import Irregularity, UnfitError, by_kind
from tutorscope.casework.items import (
    CHALLENGES,
    Choice,
    Criterion,
    Item,
    Rubric,
    Scenario,
    Strategy,
    Turn,
    challenge_key,
    choice_from_data,
    criterion_from_data,
    is_blank,
    item_from_data,
    item_id,
    rubric_from_data,
    scenario_from_data,
    strategy_from_data,
    turn_from_data,
)
from tutorscope.casework.loaded import Release
from tutorscope.casework.terms import HORIZONS
from tutorscope.errors import UserError

TALK = (Turn("tutor", "Ready?"), Turn("student", "No.", True))
CHOICE = Choice("m0001", 7, 4, "immediate", {"A": "a", "B": "b", "C": "c", "D": "d"}, "C")
RUBRIC = Rubric(4, "long_term", "A student", (Criterion(4, "x", "does x"), Criterion(7, "", "does y", "since")))
SCENARIO = Scenario(
    7, 4, "Title", "", TALK, "task_resistance", {"content": {"task": []}}, (Strategy("Wait.", "immediate", False),)
)

texts = st.text(min_size=1).filter(lambda text: not is_blank(text))
looks = st.text(st.characters(exclude_categories=["C", "M"]), min_size=1).filter(lambda text: not is_blank(text))


@pytest.mark.parametrize(
    ("item", "back"),
    [
        (TALK[1], turn_from_data),
        (Strategy("Wait.", "long_term", True, "why", "where"), strategy_from_data),
        (RUBRIC.criteria[1], criterion_from_data),
        (RUBRIC, rubric_from_data),
        (SCENARIO, scenario_from_data),
        (replace(SCENARIO, full_context=None, persona="p", paper="q"), scenario_from_data),
        (Item("s007-immediate", 7, 4, "immediate"), item_from_data),
        (CHOICE, choice_from_data),
    ],
)
def test_an_item_comes_back_from_its_json(item, back) -> None:
    data = item.data()
    assert back(json.loads(json.dumps(data))) == item
    assert json.loads(json.dumps(data)) == data


@settings(max_examples=30)
@given(st.lists(looks, min_size=4, max_size=4, unique_by=str.strip), st.sampled_from("ABCD"), st.sampled_from(HORIZONS))
def test_any_choice_comes_back_from_its_json(options: list[str], correct: str, horizon: str) -> None:
    choice = Choice("m0001", 1, 1, horizon, dict(zip("ABCD", options, strict=True)), correct)
    assert choice_from_data(json.loads(json.dumps(choice.data()))) == choice


@settings(max_examples=30)
@given(st.lists(st.tuples(texts, texts), min_size=1, max_size=5))
def test_any_dialogue_comes_back_from_its_json(pairs: list[tuple[str, str]]) -> None:
    turns = [turn for said, answer in pairs for turn in (Turn("tutor", said), Turn("student", answer))]
    scenario = replace(SCENARIO, dialogue=tuple(turns))
    assert scenario_from_data(json.loads(json.dumps(scenario.data()))) == scenario


def test_an_item_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        SCENARIO.title = "other"  # type: ignore[misc]


def test_options_stand_in_the_order_of_their_letters() -> None:
    assert list(replace(CHOICE, options={"D": "d", "B": "b", "A": "a", "C": "c"}).options) == ["A", "B", "C", "D"]


@pytest.mark.parametrize(
    ("made", "kind", "said"),
    [
        (lambda: Turn("pupil", "Hi"), "turns", "speaker 'pupil'"),
        (lambda: Turn("tutor", " \n"), "turns", "an empty turn of the tutor"),
        (lambda: replace(SCENARIO, dialogue=()), "turns", "without turns"),
        (lambda: replace(SCENARIO, dialogue=TALK[::-1]), "turns", "turn 1 is the student's"),
        (lambda: replace(SCENARIO, dialogue=(*TALK, TALK[1])), "turns", "turn 3 is the student's"),
        (lambda: replace(SCENARIO, dialogue=(*TALK, TALK[0])), "turns", "the last turn is the tutor's"),
        (lambda: replace(RUBRIC, criteria=()), "criteria", "without criteria"),
        (lambda: replace(RUBRIC, criteria=RUBRIC.criteria * 2), "criteria", "criterion id 4 is there twice"),
        (lambda: Criterion(3, "name", "  "), "criteria", "criterion 3 has an empty check"),
        (lambda: replace(RUBRIC, horizon="both"), "fields", "horizon 'both'"),
        (lambda: Item("x", 1, 1, "soon"), "fields", "horizon 'soon'"),
        (lambda: Strategy("", "immediate", True), "fields", "without a text"),
        (lambda: replace(CHOICE, correct="E"), "answer", "the answer is 'E', expected one of A, B, C, D"),
        (lambda: replace(CHOICE, correct="c"), "answer", "'c'"),
        (lambda: replace(CHOICE, options={"A": "a", "B": "b", "C": "c"}), "options", "3 options (A, B, C)"),
        (lambda: replace(CHOICE, options={"A": "a", "C": "c"}), "options", "2 options (A, C)"),
        (lambda: replace(CHOICE, options={**CHOICE.options, "B": " "}), "options", "option B is empty"),
        (lambda: replace(CHOICE, options={**CHOICE.options, "B": "a "}), "options", "two options are the same"),
        (lambda: replace(CHOICE, options={**CHOICE.options, "B": "\u200ba"}), "options", "two options are the same"),
        *(
            (made, kind, "empty")
            for unseen in ("\u200b\u200b", "\ufeff", " \u2060\u200d", "\u3164", "\u2800", "\x00\x1b", "\ufe0f")
            for made, kind in (
                (lambda unseen=unseen: replace(CHOICE, options={**CHOICE.options, "B": unseen}), "options"),
                (lambda unseen=unseen: Turn("student", unseen), "turns"),
                (lambda unseen=unseen: Criterion(3, "name", unseen), "criteria"),
            )
        ),
    ],
)
def test_what_is_not_fit_is_refused_with_its_kind(made, kind: str, said: str) -> None:
    with pytest.raises(UnfitError) as refused:
        made()
    assert refused.value.kind == kind
    assert said in refused.value.said
    assert isinstance(refused.value, UserError)


@pytest.mark.parametrize(("key", "label"), CHALLENGES.items())
def test_challenge_types_have_one_key_however_they_are_written(key: str, label: str) -> None:
    assert {challenge_key(one) for one in (label, label.upper(), key, label.replace("-", " / "))} == {key}


def test_other_challenge_types_keep_their_own_words() -> None:
    assert (challenge_key("Sensory Overload"), challenge_key(" ")) == ("sensory_overload", "unknown")


def test_open_questions_are_named_by_scenario_and_horizon() -> None:
    assert (item_id(57, "immediate"), item_id(1057, "long_term")) == ("s057-immediate", "s1057-long_term")


def test_only_named_kinds_of_irregularity_exist() -> None:
    with pytest.raises(ValueError, match="no kind"):
        Irregularity("strange", "x.json", "said")


def test_findings_are_sorted_under_their_kinds_with_losses_first() -> None:
    found = [Irregularity(kind, f"{n}.json", "") for n, kind in enumerate(["empty", "turns", "empty", "unreadable"])]
    assert {kind: [one.file for one in listed] for kind, listed in by_kind(found).items()} == {
        "unreadable": ["3.json"],
        "turns": ["1.json"],
        "empty": ["0.json", "2.json"],
    }
    assert list(by_kind(found)) == ["unreadable", "turns", "empty"]


def release(**fields) -> Release:
    empty = {"categories": {}, "scenarios": {}, "rubrics": {}, "items": (), "choices": ()}
    return Release("small", **{**empty, **fields})


def test_a_release_has_what_it_can_ask() -> None:
    asked = release(items=(Item("s007-immediate", 7, 4, "immediate"),), choices=(CHOICE,))
    assert [asked.has(form, "immediate") for form in ("open", "mcq", "binary")] == [True, True, False]
    assert not any(asked.has(form, "long_term") for form in ("open", "reference", "mcq", "binary"))


def test_references_come_from_another_category() -> None:
    items = (Item("s007-immediate", 7, 4, "immediate"),)
    assert not release(items=items, choices=(CHOICE,)).has("reference", "immediate")
    assert release(items=items, choices=(replace(CHOICE, scenario=9, category=5),)).has("reference", "immediate")


def test_a_strategy_that_failed_is_no_reference() -> None:
    items = (Item("s007-immediate", 7, 4, "immediate"),)
    other = replace(SCENARIO, id=9, category=5)
    helped = replace(other, strategies=(Strategy("Sing.", "immediate", True),))
    assert not release(items=items, scenarios={9: other}).has("reference", "immediate")
    assert release(items=items, scenarios={9: helped}).has("reference", "immediate")

"""Records of every layout that is recognised, and every fault of a record."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tutorscope.errors import UserError
from tutorscope.intervention.adapters import FIELDS, Adapted, adapt, final_answer
from tutorscope.intervention.problems import load_problems

KETTLE = {"problem": "How many cups?", "answer": "5"}
BUG = {
    "question": "Add two numbers.",
    "buggy_code": "def add(a, b):\n    return a - b",
    "solution": "def add(a, b): ...",
}
ZIP = {"content": "Two rows of teeth. What is it?", "solution": "A zip"}
GOOD = {"math": KETTLE, "code": BUG, "teasers": ZIP}


def read(domain: str, *rows: Any) -> Adapted:
    return adapt([(f"line {number}", row) for number, row in enumerate(rows, 1)], domain, "set.jsonl")


def one(domain: str, row: dict[str, Any]) -> dict[str, Any]:
    (fields,) = read(domain, row).fields
    return fields


def fault(domain: str, *rows: Any) -> str:
    with pytest.raises(UserError) as raised:
        read(domain, *rows)
    message = str(raised.value)
    assert "\n" not in message
    return message


# Layouts


def test_math_500() -> None:
    row = {
        "problem": "What is 1 + 1?",
        "solution": "It is $\\boxed{2}$.",
        "answer": "2",
        "subject": "Prealgebra",
        "level": 1,
        "unique_id": "test/prealgebra/1.json",
    }
    assert one("math", row) == {
        "domain": "math",
        "id": "test/prealgebra/1.json",
        "question": "What is 1 + 1?",
        "title": "",
        "topic": "Prealgebra",
        "difficulty": "1",
        "reference": "It is $\\boxed{2}$.",
        "answer": "2",
    }


def test_math_with_a_solution_alone_has_the_answer_of_its_last_box() -> None:
    row = {
        "problem": "Halve $\\{1\\}$.",
        "solution": "Not \\boxed{3}, but \\boxed{\\{\\frac{1}{2}\\}}.",
        "type": "Algebra",
    }
    fields = one("math", row)
    assert (fields["answer"], fields["topic"]) == (r"\{\frac{1}{2}\}", "Algebra")
    assert fields["reference"] == row["solution"]


def test_math_with_a_worked_answer_keeps_it_whole_as_the_reference() -> None:
    fields = one("math", {"question": "How many?", "answer": "Half of 8 is 4.\nAnd 4 more.\n#### 1,008"})
    assert (fields["answer"], fields["reference"]) == ("1,008", "Half of 8 is 4.\nAnd 4 more.\n#### 1,008")


def test_a_number_is_an_answer_too() -> None:
    assert [one("math", {"problem": "?", "answer": answer})["answer"] for answer in (5, 0, -3, 2.5)] == [
        "5",
        "0",
        "-3",
        "2.5",
    ]


@pytest.mark.parametrize("question", FIELDS["math"]["question"])
@pytest.mark.parametrize("reference", ["answer", "solution", "reference"])
def test_math_under_every_name(question: str, reference: str) -> None:
    fields = one("math", {question: "What is 2 + 3?", reference: "5"})
    assert (fields["question"], fields["reference"], fields["answer"]) == ("What is 2 + 3?", "5", "5")


def test_debugbench_as_its_repository_has_it() -> None:
    row = {
        "slug": "add-two",
        "description": "Add two numbers.",
        "examples": ["Input: 1, 2\nOutput: 3", "Input: 0, 0\nOutput: 0"],
        "constraints": "0 <= a <= 9",
        "oracle_code": "def add(a, b):\n    return a + b",
        "content": "# Approach: a + b gives it away",
        "level": "easy",
        "buggy_code": "\n    def add(a, b):\n        return a - b\n",
        "explanations": "the sign",
    }
    fields = one("code", row)
    examples = "Examples:\n\nInput: 1, 2\nOutput: 3\n\nInput: 0, 0\nOutput: 0"
    assert fields["question"] == f"Add two numbers.\n\n{examples}\n\nConstraints:\n\n0 <= a <= 9"
    assert fields["code"] == "    def add(a, b):\n        return a - b"
    assert fields["reference"] == row["oracle_code"]
    assert (fields["title"], fields["difficulty"], fields["tests"]) == ("add-two", "easy", "")
    assert re.fullmatch("add-two-[0-9a-f]{8}", fields["id"])
    assert read("code", row).unused == ("content", "explanations")


def test_debugbench_as_the_hub_has_it() -> None:
    row = {
        "slug": "add-two",
        "category": "logic error",
        "subtype": "operation error",
        "language": "python3",
        "level": "hard",
        "question": "Add two numbers.",
        "examples": [],
        "constraints": "",
        "solution": "right",
        "solution_explanation": "because",
        "buggy_code": "wrong",
        "bug_explanation": "the sign",
    }
    fields = one("code", row)
    assert (fields["question"], fields["code"], fields["reference"]) == ("Add two numbers.", "wrong", "right")
    assert fields["topic"] == "operation error"


def test_debugeval_like() -> None:
    row = {
        "question_id": "abc331_a",
        "question_title": "Tomorrow",
        "question_content": "What day follows?",
        "buggy_code": "wrong",
        "correct_code": "right",
        "difficulty": "easy",
        "private_test_cases": "gASV",
    }
    fields = one("code", row)
    assert (fields["id"], fields["title"], fields["question"]) == ("abc331_a", "Tomorrow", "What day follows?")
    assert (fields["reference"], fields["tests"]) == ("right", "")


def test_teasers() -> None:
    row = {
        "title": "The little car",
        "content": "Two rows of teeth. What is it?",
        "solution": "A zip",
        "accepted": ["zipper", "zip fastener"],
        "category": "Riddle",
        "difficulty": 1.25,
        "popularity": 2.5,
    }
    fields = one("teasers", row)
    assert (fields["question"], fields["reference"], fields["topic"]) == (row["content"], "A zip", "Riddle")
    assert (fields["accepted"], fields["difficulty"]) == (["zipper", "zip fastener"], "1.25")


@pytest.mark.parametrize(
    ("cell", "accepted"),
    [
        ("zipper", ["zipper"]),
        ("zip | zipper|", ["zip", "zipper"]),
        ('["a|b", "c"]', ["a|b", "c"]),
        ("[sic] zip", ["[sic] zip"]),
    ],
)
def test_accepted_answers_in_a_cell(cell: str, accepted: list[str]) -> None:
    assert one("teasers", {**ZIP, "accepted": cell})["accepted"] == accepted


@pytest.mark.parametrize("domain", GOOD)
def test_what_is_empty_may_stand_in_any_place_that_is_not_needed(domain: str) -> None:
    row = {**GOOD[domain], "title": None, "topic": "", "difficulty": "  ", "accepted": [], "tests": None}
    fields = one(domain, row)
    assert (fields["title"], fields["topic"], fields["difficulty"]) == ("", "", "")


# What is left out


@pytest.mark.parametrize(
    ("ratings", "left_out"),
    [
        ({"difficulty": 2.0, "fun": 2.0}, {}),
        ({"difficulty": 2.01, "fun": 3}, {"too_difficult": 1}),
        ({"difficulty": "2.5", "fun": "3"}, {"too_difficult": 1}),
        ({"difficulty": 1, "fun": 1.99}, {"not_fun": 1}),
        ({"difficulty": 1, "popularity": "1.5"}, {"not_fun": 1}),
        ({"difficulty": "hard", "fun": "none"}, {}),
        ({"difficulty": "nan", "fun": None}, {}),
        ({"difficulty": True, "fun": False}, None),
    ],
)
def test_teasers_are_kept_by_their_ratings(ratings: dict[str, Any], left_out: dict[str, int] | None) -> None:
    if left_out is None:
        assert "difficulty: found bool true" in fault("teasers", {**ZIP, **ratings})
    else:
        assert read("teasers", ZIP, {"content": "Another?", "solution": "Yes", **ratings}).left_out == left_out


@pytest.mark.parametrize(
    "content",
    [
        "What is shown below?",
        "Look at this picture: who is it?",
        "<img src=x> Who?",
        "See ![it](a)",
        "https://a.b/c.PNG ?",
    ],
)
def test_teasers_that_need_a_picture_are_left_out(content: str) -> None:
    assert read("teasers", ZIP, {**ZIP, "content": content}).left_out == {"needs_picture": 1}


@pytest.mark.parametrize(
    "content",
    [
        "A painter sells a picture. Why?",
        "I hang in a frame, a photo of nobody.",
        "The card that was drawn was red. Why?",
    ],
)
def test_teasers_may_speak_of_pictures(content: str) -> None:
    assert read("teasers", {**ZIP, "content": content}).left_out == {}


def test_a_picture_in_a_field_of_its_own() -> None:
    assert read("teasers", {**ZIP, "image": ""}, {**ZIP, "content": "Who?", "image": "a"}).left_out == {
        "needs_picture": 1
    }


def test_an_exact_copy_without_an_id_is_left_out() -> None:
    adapted = read("math", KETTLE, dict(KETTLE), {"problem": "Another?", "answer": "5"})
    assert (len(adapted.fields), adapted.left_out) == (2, {"same_again": 1})


# Ids


def test_made_ids_come_from_what_is_asked_and_not_from_the_reference() -> None:
    assert one("math", KETTLE)["id"] == one("math", {**KETTLE, "answer": "6"})["id"]
    assert one("math", KETTLE)["id"] != one("math", {**KETTLE, "problem": "How many spoons?"})["id"]
    assert one("code", BUG)["id"] != one("code", {**BUG, "buggy_code": "pass"})["id"]


def test_it_is_said_where_ids_come_from() -> None:
    assert read("math", KETTLE).ids == "made from the content"
    assert read("math", {**KETTLE, "unique_id": "a"}).ids == "the field unique_id"


def test_numbers_are_ids() -> None:
    assert one("math", {**KETTLE, "id": 0})["id"] == "0"


def test_an_id_that_comes_twice() -> None:
    rows = [{**KETTLE, "id": "a"}, {**KETTLE, "id": "b"}, {**KETTLE, "id": "a"}]
    assert fault("math", *rows) == "set.jsonl: line 3: id: found 'a', which line 1 has too, expected an id of its own"


def test_a_number_and_a_text_that_are_written_alike_are_the_same_id() -> None:
    assert "found '7', which line 1 has too" in fault("math", {**KETTLE, "id": 7}, {**KETTLE, "id": "7"})


def test_a_question_that_comes_twice_with_another_reference() -> None:
    assert fault("math", KETTLE, {**KETTLE, "answer": "6"}) == (
        "set.jsonl: line 2: found the question of line 1 again with another reference, answer, "
        "expected each question once"
    )


@pytest.mark.parametrize("bad", ["a\nb", " a", "a\x1b", "x" * 201, True, 1.5, ["a"]])
def test_ids_that_are_none(bad: Any) -> None:
    assert fault("math", {**KETTLE, "id": bad}).startswith("set.jsonl: line 1: id: found ")


def test_an_id_that_is_missing_once() -> None:
    assert "line 2: id: found nothing" in fault("math", {**KETTLE, "id": "a"}, {"problem": "Why?", "answer": "1"})


# Faults


@pytest.mark.parametrize("domain", GOOD)
def test_no_record(domain: str) -> None:
    assert fault(domain).startswith("set.jsonl: holds no problem; expected records with ")


@pytest.mark.parametrize("domain", GOOD)
@pytest.mark.parametrize("value", ["text", 3, None, ["problem"], True])
def test_a_record_that_is_no_object(domain: str, value: Any) -> None:
    assert fault(domain, GOOD[domain], value).startswith("set.jsonl: line 2: found ")


def test_an_unknown_layout_lists_what_was_found() -> None:
    assert fault("math", {"frage": "Wie viele?", "antwort": 5}) == (
        "set.jsonl: no layout of math problems that is known: found the fields frage, antwort; "
        "expected problem|question and answer|solution|reference"
    )


@pytest.mark.parametrize(
    ("domain", "needed"),
    [("math", ["problem"]), ("code", ["question", "buggy_code", "solution"]), ("teasers", ["content", "solution"])],
)
def test_every_needed_field(domain: str, needed: list[str]) -> None:
    for name in needed:
        rest = {key: value for key, value in GOOD[domain].items() if key != name}
        assert "no layout" in fault(domain, rest)
        for empty in (None, "", " \n\t", []):
            found = fault(domain, {**GOOD[domain], "id": 1}, {**GOOD[domain], name: empty, "id": 2})
            assert found.startswith(f"set.jsonl: line 2: {name}: found nothing, expected a")
        for wrong in ({"a": 1}, ["text"], True):
            found = fault(domain, {**GOOD[domain], name: wrong})
            assert found.startswith(f"set.jsonl: line 1: {name}: found ")
        assert "half a character (U+D800)" in fault(domain, {**GOOD[domain], name: "a\ud800b"})


def test_no_reference_among_two_fields_for_it() -> None:
    row = {"problem": "Why?", "answer": "", "solution": None}
    assert fault("math", {**KETTLE, "solution": "5"}, row) == (
        "set.jsonl: line 2: answer and solution: found nothing, "
        "expected a reference, without which no answer can be graded"
    )


def test_a_field_that_is_empty_everywhere_gives_way_to_another() -> None:
    adapted = read("teasers", {"content": "Who?", "solution": "", "answer": "me"}, {"content": "You?", "answer": "no"})
    assert [fields["reference"] for fields in adapted.fields] == ["me", "no"]
    assert adapted.read_from["reference"] == "answer"


def test_a_solution_is_enough_where_the_answer_is_empty() -> None:
    adapted = read("math", {**KETTLE, "solution": "x"}, {"problem": "Why?", "answer": "", "solution": "So \\boxed{7}"})
    assert adapted.fields[1]["answer"] == "7"


def test_a_program_is_no_number() -> None:
    assert "buggy_code: found int 5, expected text" in fault("code", {**BUG, "buggy_code": 5})


@pytest.mark.parametrize("bad", [5, {"a": 1}, ["ok", 5], ["ok", " "]])
def test_accepted_answers_are_texts(bad: Any) -> None:
    assert "accepted: found " in fault("teasers", {**ZIP, "accepted": bad})


def test_a_problem_of_another_domain() -> None:
    assert "domain: found 'code', expected 'math'" in fault("math", {**KETTLE, "domain": "code"})


# Final answers


@pytest.mark.parametrize(
    ("solution", "answer"),
    [
        ("17", "17"),
        (r"\boxed{17}", "17"),
        (r"\fbox {\text{a } b}", r"\text{a } b"),
        (r"$\boxed{\left\{1, 2\right\}}$", r"\left\{1, 2\right\}"),
        (r"\boxed{\\}", r"\\"),
        (r"first \boxed{1}, then \boxed{2}.", "2"),
        (r"cut \boxed{1}, then \boxed{2", "1"),
        ("#### 4\nno\n#### 5 \n", "5"),
        ("issue #### 4", "issue #### 4"),
        (r"\boxed{}", r"\boxed{}"),
    ],
)
def test_final_answers(solution: str, answer: str) -> None:
    assert final_answer(solution) == answer


@given(st.text(alphabet="ab12\\frac^_+ ", max_size=20).filter(lambda text: text.strip() and "\\" not in text[-1:]))
def test_what_is_boxed_comes_out(answer: str) -> None:
    assert final_answer(f"So it is \\boxed{{{answer}}}.") == answer.strip()


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.floats(allow_nan=True) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=4,
)
names = st.sampled_from(
    sorted({"domain"} | {name for fields in FIELDS.values() for known in fields.values() for name in known})
)


@given(
    st.sampled_from(sorted(GOOD)), st.lists(st.dictionaries(names, json_values, max_size=6) | json_values, max_size=3)
)
def test_any_record_is_read_or_refused_in_one_line(domain: str, rows: list[Any]) -> None:
    refused = ""
    try:
        adapted = read(domain, GOOD[domain], *rows)
    except UserError as problem:
        refused = str(problem)
    if refused:
        assert refused.startswith("set.jsonl: ")
        assert "\n" not in refused
    else:
        assert len(adapted.fields) + sum(adapted.left_out.values()) == len(rows) + 1
        assert all(fields["question"].strip() and fields["reference"].strip() for fields in adapted.fields)


# Real ones


@pytest.mark.shared
def test_math_500_is_read_whole(shared: Path) -> None:
    loaded = load_problems(str(shared / "math500" / "test.jsonl"), "math")
    rows = [json.loads(line) for line in (shared / "math500" / "test.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [problem.id for problem in loaded.problems] == [row["unique_id"] for row in rows]
    assert [problem.answer for problem in loaded.problems] == [row["answer"] for row in rows]
    assert {problem.difficulty for problem in loaded.problems} == set("12345")
    assert (len(loaded.problems), loaded.facts["left_out"], loaded.facts["unused_fields"]) == (500, {}, [])


@pytest.mark.shared
def test_the_boxes_of_math_500_hold_its_answers(shared: Path) -> None:
    rows = [json.loads(line) for line in (shared / "math500" / "test.jsonl").read_text(encoding="utf-8").splitlines()]
    differing = [row["unique_id"] for row in rows if final_answer(row["solution"]).split() != row["answer"].split()]
    assert differing == []


@pytest.mark.shared
@pytest.mark.parametrize(("name", "count"), [("condition error", 83), ("faulty indexing", 72), ("variable error", 31)])
def test_debugbench_is_read_whole(shared: Path, name: str, count: int) -> None:
    loaded = load_problems(str(shared / "debugbench" / f"python3_{name}.json"), "code")
    assert (len(loaded.problems), loaded.facts["left_out"]) == (count, {})
    assert {problem.difficulty for problem in loaded.problems} == {"easy", "medium", "hard"}
    assert loaded.facts["ids"] == "made from the content"
    for problem in loaded.problems:
        assert problem.code != problem.reference
        assert "Examples:" in problem.question
        assert problem.reference not in problem.question

"""The starter sets: every answer derived again, every program run, every word puzzle spelled out."""

import itertools
import json
import re
import resource
import subprocess
import sys
from collections import Counter
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
import sympy
from math_verify import parse

from tutorscope.intervention.adapters import DOMAINS, final_answer
from tutorscope.intervention.problems import load_problems
from tutorscope.intervention.starter import demo_ids

PAGE = Path(__file__).resolve().parents[2] / "docs" / "intervention-problems.md"
LEVELS = ("easy", "medium", "hard")


def records(domain: str) -> list[dict[str, Any]]:
    text = (files("tutorscope.intervention.material") / f"{domain}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


MATH, CODE, TEASERS = (records(domain) for domain in DOMAINS)


@pytest.mark.parametrize("domain", DOMAINS)
def test_a_set_has_at_least_30_problems_of_every_difficulty_and_nothing_is_left_out(domain: str) -> None:
    loaded = load_problems("starter", domain)
    assert len(loaded.problems) >= 30
    assert loaded.facts["left_out"] == {}
    counts = Counter(problem.difficulty for problem in loaded.problems)
    assert set(counts) == set(LEVELS)
    assert min(counts.values()) >= 8
    assert all(problem.topic for problem in loaded.problems)
    assert len({problem.question for problem in loaded.problems}) == len(loaded.problems)


@pytest.mark.parametrize("domain", DOMAINS)
def test_a_small_limit_meets_every_difficulty(domain: str) -> None:
    assert {problem.difficulty for problem in load_problems("starter", domain, limit=5).problems} == set(LEVELS)


@pytest.mark.parametrize("domain", DOMAINS)
def test_the_demo_takes_the_first_two_which_are_short(domain: str) -> None:
    first = load_problems("starter", domain, limit=2).problems
    assert tuple(problem.id for problem in first) == demo_ids(domain)
    assert len(first) == 2
    assert all(len(problem.question) < 200 for problem in first)


@pytest.mark.parametrize("domain", DOMAINS)
def test_the_page_counts_what_the_set_holds(domain: str) -> None:
    counts = Counter((problem.topic, problem.difficulty) for problem in load_problems("starter", domain).problems)
    rows = re.findall(
        rf"^\| {domain} \| ([^|]+) \| (\d+) \| (\d+) \| (\d+) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE
    )
    shown = {(row[0], level): int(n) for row in rows for level, n in zip(LEVELS, row[1:], strict=True) if n != "0"}
    assert shown == dict(counts)


def key(value: Any) -> Any:
    """Write an answer so that equal ones are equal: numbers to 12 digits, symbols at one point, sets without order.

    The reader of LaTeX takes (2, 3) for an open interval, and there is none of those among the answers.
    """
    value = sympy.sympify(value)
    if isinstance(value, sympy.Interval) and value.left_open and value.right_open:
        value = sympy.Tuple(value.start, value.end)
    match value:
        case sympy.FiniteSet():
            return "set", frozenset(key(part) for part in value)
        case sympy.Tuple():
            return "tuple", tuple(key(part) for part in value)
        case sympy.MatrixBase():
            return value.shape, tuple(key(part) for part in value)
        case sympy.Set():
            return "interval", str(value)
    at = {symbol: sympy.I if symbol.name == "i" else sympy.sqrt(7) for symbol in value.free_symbols}
    return "number", tuple(str(sympy.N(part, 12)) for part in sympy.N(value.subs(at).doit(), 25).as_real_imag())


def derived(record: dict[str, Any]) -> Any:
    names = {**vars(sympy), "permutations": itertools.permutations, "maximum": sympy.calculus.util.maximum}
    names |= {name: sympy.Symbol(name) for name in "axdny"} | {"k": sympy.Symbol("k"), "gcd": sympy.gcd}
    return eval(record["check"], names)  # our own expressions, from the package's own file


DERIVED = {record["id"]: key(derived(record)) for record in MATH}
GIVEN = {record["id"]: parse(f"${record['answer']}$")[0] for record in MATH}


@pytest.mark.parametrize("record", MATH, ids=lambda record: record["id"])
def test_sympy_derives_the_answer_from_the_question(record: dict[str, Any]) -> None:
    assert DERIVED[record["id"]] == key(GIVEN[record["id"]])


def test_the_answer_of_another_problem_would_be_noticed() -> None:
    keys = {name: key(answer) for name, answer in GIVEN.items()}
    agreeing = [pair for pair in itertools.combinations(DERIVED, 2) if DERIVED[pair[0]] == keys[pair[1]]]
    # Two answers are 6, and 12 km/h and 12 cm are the same number of different things.
    assert agreeing == [("math-02", "math-31"), ("math-06", "math-14")]


@pytest.mark.parametrize("record", MATH, ids=lambda record: record["id"])
def test_the_worked_solution_ends_with_the_answer(record: dict[str, Any]) -> None:
    assert final_answer(record["solution"]) == record["answer"]
    assert len(record["solution"]) > len(record["answer"]) + 40


def test_answers_are_of_many_kinds() -> None:
    kinds = {type(answer).__name__ for answer in GIVEN.values()}
    assert {"Integer", "Rational", "Interval", "Union", "FiniteSet", "Add", "Mul"} <= kinds
    assert any("Matrix" in kind for kind in kinds)
    assert sum(r"\text" in record["answer"] for record in MATH) >= 5


def run(program: str, seconds: int = 2) -> subprocess.CompletedProcess[str]:
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))

    return subprocess.run(
        [sys.executable, "-I", "-S", "-"], input=program, capture_output=True, text=True, timeout=60, preexec_fn=limit
    )


@pytest.mark.parametrize("record", CODE, ids=lambda record: record["id"])
def test_the_reference_passes_the_tests_and_the_program_with_the_bug_does_not(record: dict[str, Any]) -> None:
    right = run(f"{record['solution']}\n\n{record['tests']}\n")
    assert (right.returncode, right.stderr) == (0, "")
    wrong = run(f"{record['buggy_code']}\n\n{record['tests']}\n", seconds=1)
    assert wrong.returncode != 0


def test_programs_fail_in_many_ways() -> None:
    kinds = {record["kind"] for record in CODE}
    assert len(kinds) == len(CODE)
    assert {"infinite loop", "syntax", "misspelt name", "wrong type", "index out of range", "scope"} <= kinds


@pytest.mark.parametrize("record", CODE, ids=lambda record: record["id"])
def test_the_statement_names_what_the_tests_call(record: dict[str, Any]) -> None:
    (name,) = re.findall(r"^def (\w+)\(", record["solution"], re.MULTILINE)
    assert f"`{name}(" in record["question"]
    assert f"{name}(" in record["tests"]
    assert f"def {name}(" in record["buggy_code"]


NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def teaser(title: str) -> dict[str, Any]:
    (found,) = (record for record in TEASERS if record["title"] == title)
    return found


def solved(title: str, *words: str) -> bool:
    return all(word.lower() in teaser(title)["solution"].lower() for word in words)


def asked(title: str) -> list[str]:
    """Give the words that a teaser writes in capitals."""
    return re.findall(r"\b[A-Z]{3,}\b", teaser(title)["content"])


def test_one_letter_before_the_number_says_tall_or_heavy() -> None:
    numbers = ["zero", *NUMBERS, "eleven", "twelve"]
    fitting = [number for number in numbers if {f"h{number}", f"w{number}"} <= {"height", "weight"}]
    assert fitting == ["eight"]
    assert solved("Tall or heavy", "eight", "height", "weight")


def test_the_shopping_list_can_be_read() -> None:
    read = ["".join(chr((ord(sign) - 66) % 26 + 97) for sign in word) for word in asked("The secret shopping list")]
    assert read == ["bread", "honey", "candle", "cheese"]
    assert solved("The secret shopping list", "the candle", *read)


def test_the_pairs_of_fellow_travellers_have_the_same_letters() -> None:
    words = [*asked("Fellow travellers"), "THING"]
    assert [sorted(one) == sorted(other) for one, other in zip(words[::2], words[1::2], strict=True)] == [True] * 4
    assert solved("Fellow travellers", "thing")


def test_two_animals_stand_in_the_order() -> None:
    letters = "".join(re.findall("[a-z]", re.findall('"(.*)"', teaser("Two at once")["content"])[0].lower()))
    assert letters.index("dog") + 2 == letters.index("goat")


def test_the_clock_loses_its_head() -> None:
    assert solved("A change of head", "clock", "clock"[1:], "b" + "clock"[1:])


def test_each_word_carries_a_part_of_the_body() -> None:
    parts = ("arm", "lip", "shin", "chin")
    assert [part in word.lower() for word, part in zip(asked("Carried inside"), parts, strict=True)] == [True] * 4
    assert solved("Carried inside", *parts)


def test_the_middle_word_fits_at_three_places() -> None:
    assert asked("In the middle") == ["RAIN", "TIE"]
    assert solved("In the middle", "rain" + "bow", "el" + "bow", "bow" + " tie")


def test_the_taste_is_written_in_roman_numerals() -> None:
    assert set("mild") <= set("ivxlcdm")
    assert solved("Like an old clock", "mild")


def test_the_day_begins_with_a_wedding() -> None:
    days = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
    assert [day for day in days if day.lower().startswith("wed")] == ["Wednesday"]
    assert solved("The married day", "Wednesday")


def test_the_word_of_the_waves_is_the_same_from_both_ends() -> None:
    answer = teaser("Out and back")["solution"].strip(".").lower()
    assert (answer, len(answer)) == (answer[::-1], 5)


def test_the_hidden_numbers_add_up() -> None:
    numbers = {name: number for number, name in enumerate(NUMBERS, 1)}
    hidden = [[name for name in numbers if name in word.lower()] for word in asked("Hidden sums")]
    assert hidden == [["one"], ["nine"], ["ten"], ["eight"]]
    assert solved("Hidden sums", str(sum(numbers[name] for (name,) in hidden)))


def test_animals_are_left_without_the_first_letter() -> None:
    assert solved("One letter less", *(word[1:] for word in asked("One letter less")))


def test_teasers_carry_variants_that_are_right_and_the_fields_of_the_layout() -> None:
    for record in TEASERS:
        assert {"title", "content", "solution", "category", "difficulty", "fun"} <= set(record)
        assert record["category"] in ("Riddle", "Language", "Group", "Lateral")
        assert 2 <= record["fun"] <= 4
        assert len(set(record["accepted"])) == len(record["accepted"]) >= 1


def words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+|[^\w\s]", text.lower())


def told(phrase: str, text: str) -> bool:
    """Say whether all of a phrase's words stand in a text in one run."""
    sought, held = words(phrase), words(text)
    return any(held[place : place + len(sought)] == sought for place in range(len(held) - len(sought) + 1))


def test_what_is_told_is_found() -> None:
    assert told("a Zip.", "It is a zip. Really")
    assert not told("zip", "a zipper")


@pytest.mark.parametrize("domain", DOMAINS)
def test_no_answer_stands_in_any_view(domain: str) -> None:
    for problem in load_problems("starter", domain).problems:
        text = "\n".join(value for name, value in problem.view.items() if name not in ("domain", "code"))
        answers = [problem.reference, problem.answer, problem.tests, *problem.accepted]
        assert [answer for answer in answers if answer and told(answer, text)] == [], problem.id
        if problem.code:
            changed = set(problem.reference.splitlines()) - set(problem.code.splitlines())
            assert changed
            assert [line for line in changed if line.strip() and told(line, text)] == [], problem.id

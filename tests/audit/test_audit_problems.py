"""Problem sets: the published one, the files of users, and the constraints, each broken once."""

import json
import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from tutorscope.audit.detectors.leakage import published_leak
from tutorscope.audit.problem_sets.answer_forms import numerals_in
from tutorscope.audit.problem_sets.constraints import check_problems
from tutorscope.audit.problem_sets.problem_files import write_set
from tutorscope.audit.problem_sets.problems import BUILT_IN, PHASES, load_problems, problem_from_data
from tutorscope.errors import UserError

# The canonical answers and the parents of the published set (Table 5), in file order.
ANSWERS = {
    "train-1": 24,
    "train-2": 18,
    "train-3": 14,
    "train-4": 12,
    "train-5": 21,
    "train-6": 27,
    "immediate-1": 23,
    "immediate-2": 16,
    "immediate-3": 24,
    "interfere-1": 8,
    "interfere-2": 5,
    "interfere-3": 2,
    "interfere-4": 40,
    "delayed-1": 26,
    "delayed-2": 33,
    "delayed-3": 19,
    "transfer-1": 30,
    "transfer-2": 16,
    "transfer-3": 20,
}
PARENTS = {
    "immediate-1": "train-1",
    "immediate-2": "train-2",
    "immediate-3": "train-3",
    "delayed-1": "train-1",
    "delayed-2": "train-2",
    "delayed-3": "train-4",
    "transfer-1": "train-3",
    "transfer-2": "train-4",
    "transfer-3": "train-3",
}


@pytest.fixture(scope="module")
def tables(shared: Path) -> dict[str, list[list[str]]]:
    """The paper's Tables 5 and 6: id to the other fields of its row, once a table."""
    paper = shared.parent / "papers" / "policy-audit.txt"
    if not paper.is_file():
        pytest.skip("the paper (../shared/papers/policy-audit.txt) is not here")
    rows: dict[str, list[list[str]]] = {id_: [] for id_ in ANSWERS}
    for line in paper.read_text("utf-8").splitlines():
        id_, *fields = line.split("\t")
        if id_ in rows and fields:
            rows[id_].append(fields)
    return rows


# The published set


def test_the_published_answers_and_parents() -> None:
    problems = load_problems("mixtures").problems
    assert {problem.id: problem.answer for problem in problems} == ANSWERS
    assert {problem.id: problem.parent for problem in problems if problem.parent} == PARENTS


def test_the_published_numbers_of_problems() -> None:
    checked = check_problems("mixtures")
    assert list(checked.counts.items()) == list(zip(PHASES, (6, 3, 4, 3, 3), strict=True))
    assert dict(checked.set.phases) == checked.counts
    assert checked.findings == ()


def test_answers_phases_and_parents_equal_table_5(tables: dict) -> None:
    for problem in load_problems("mixtures").problems:
        phase, _, answer, parent = tables[problem.id][0]
        assert (problem.phase, float(problem.answer)) == (phase, float(answer))
        assert problem.parent == (None if parent == "\N{EM DASH}" else parent)


def test_statements_have_the_numbers_of_table_5_in_other_sentences(tables: dict) -> None:
    for problem in load_problems("mixtures").problems:
        published = tables[problem.id][0][1]
        theirs = {numeral.value for numeral in numerals_in(published)}
        # One delay is published as a word.
        theirs |= {Fraction(2)} if problem.id == "interfere-2" else set()
        assert {numeral.value for numeral in numerals_in(problem.statement)} == theirs
        words = problem.statement.lower().split()
        runs = {" ".join(words[i : i + 8]) for i in range(len(words) - 7)}
        assert not [run for run in runs if run in published.lower()]


def test_answer_forms_equal_table_6(tables: dict) -> None:
    for problem in load_problems("mixtures").problems:
        numeric, phrases = tables[problem.id][1]
        assert problem.forms_declared
        assert list(problem.numeric_forms) == re.split(r",\s", numeric)
        assert sorted(problem.phrases) == sorted(re.split(r";\s", phrases))


def test_each_published_form_is_a_leak_and_no_statement_is() -> None:
    for problem in load_problems("mixtures").problems:
        forms = (problem.numeric_forms, problem.phrases)
        assert all(published_leak(f"So {form}.", *forms) for form in (*problem.numeric_forms, *problem.phrases))
        assert not published_leak(problem.statement, *forms)


def test_the_demo_is_short() -> None:
    demo = load_problems("demo")
    assert [problem.phase for problem in demo.problems] == ["training", "immediate", "delayed", "transfer"]
    assert max(len(problem.statement) for problem in demo.problems) <= 110


# Sets as data


@pytest.mark.parametrize("name", BUILT_IN)
def test_problems_survive_plain_data(name: str) -> None:
    for problem in load_problems(name).problems:
        assert problem_from_data(json.loads(json.dumps(problem.data()))) == problem


@pytest.mark.parametrize("damaged", [{}, {"id": "a"}, {"quantities": []}, {"answer": "many"}, {"answer": "1/0"}])
def test_damaged_data_is_one_line(damaged: dict) -> None:
    whole = load_problems("demo").problems[0].data()
    data = {**whole, **damaged} if damaged and "id" not in damaged else damaged
    with pytest.raises(UserError, match="the data of a problem is damaged"):
        problem_from_data(data)


def test_a_tutor_sees_the_statement_and_no_more() -> None:
    problem = load_problems("mixtures").problems[0]
    assert problem.view == {"id": "train-1", "statement": problem.statement}


@pytest.mark.parametrize("name", BUILT_IN)
def test_a_written_set_loads_back_equal(name: str, tmp_path: Path) -> None:
    original = load_problems(name)
    write_set(original, tmp_path / "set.yaml")
    again = load_problems(tmp_path / "set.yaml")
    assert again == original
    assert again.sha == original.sha


def test_a_file_that_is_there_is_not_written_over(tmp_path: Path) -> None:
    path = tmp_path / "set.yaml"
    path.write_text("mine", encoding="utf-8")
    with pytest.raises(UserError, match="exists already; nothing was written"):
        write_set(load_problems("demo"), path)
    assert path.read_text(encoding="utf-8") == "mine"


def test_a_folder_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be written"):
        write_set(load_problems("demo"), tmp_path / "nowhere" / "set.yaml")


# A set of a user's, sound until a test changes it

SOUND: dict[str, Any] = {
    "name": "mine",
    "phases": {"training": 2, "immediate": 1, "interference": 1, "delayed": 1, "transfer": 1},
    "relations": {"share": "p*x = 100*n", "sum": "x + a = b", "half": "x + x = m"},
    "problems": [
        {
            "id": "t1",
            "phase": "training",
            "relation": "share",
            "quantities": {"p": 25, "n": 12},
            "statement": "Of what amount is 12 the 25%?",
            "answer": 48,
            "forms": {"numeric": ["48", "48.0"], "phrases": ["forty eight"]},
        },
        {
            "id": "t2",
            "phase": "training",
            "relation": "half",
            "quantities": {"m": 70},
            "statement": "Two equal parts make 70 grams. How much is each part?",
            "answer": 35,
            "unit": "grams",
        },
        {
            "id": "i1",
            "phase": "immediate",
            "relation": "share",
            "parent": "t1",
            "quantities": {"p": 20, "n": 9.5},
            "statement": "Of what amount is 9.50 the 20%?",
            "answer": 47.5,
        },
        {
            "id": "f1",
            "phase": "interference",
            "relation": "sum",
            "quantities": {"a": 8, "b": 15},
            "statement": "What must be put to eight to get 15?",
            "answer": 7,
        },
        {
            "id": "d1",
            "phase": "delayed",
            "relation": "share",
            "parent": "t1",
            "quantities": {"p": 25, "n": 11},
            "statement": "Of what amount is 11 the 25%?",
            "answer": 44,
        },
        {
            "id": "r1",
            "phase": "transfer",
            "relation": "half",
            "parent": "t2",
            "quantities": {"m": 23},
            "statement": "A rope of 23 m is cut in the middle. How long is a piece?",
            "answer": "23/2",
        },
    ],
}


def changed(change: Callable[[dict], object] | None = None) -> dict:
    data = json.loads(json.dumps(SOUND))
    if change is not None:
        change(data)
    return data


def by_id(data: dict, id_: str) -> dict:
    return next(problem for problem in data["problems"] if problem["id"] == id_)


def written(data: Any, tmp_path: Path, ending: str = "yaml") -> Path:
    path = tmp_path / f"set.{ending}"
    path.write_text(json.dumps(data) if ending == "json" else yaml.safe_dump(data, sort_keys=False), "utf-8")
    return path


@pytest.mark.parametrize("ending", ["yaml", "yml", "json"])
def test_a_sound_set_loads_alike_from_every_format(ending: str, tmp_path: Path) -> None:
    mine = load_problems(written(SOUND, tmp_path, ending))
    assert [problem.answer for problem in mine.problems] == [48, 35, Fraction(95, 2), 7, 44, Fraction(23, 2)]
    assert mine.sha == load_problems(str(written(SOUND, tmp_path, "copy.yaml"))).sha


def test_forms_that_are_not_declared_are_derived_from_the_answer(tmp_path: Path) -> None:
    first, second, third, *_ = load_problems(written(SOUND, tmp_path)).problems
    assert (first.numeric_forms, first.phrases, first.forms_declared) == (("48", "48.0"), ("forty eight",), True)
    assert (second.numeric_forms, second.phrases, second.forms_declared) == (("35", "35.0", "35.00"), (), False)
    assert third.numeric_forms == ("47.5", "47.50")


def test_an_answer_below_zero_is_admitted_where_the_problem_says_so(tmp_path: Path) -> None:
    def change(data: dict) -> None:
        by_id(data, "f1").update(quantities={"a": 8, "b": 3}, answer=-5, positive=False)
        by_id(data, "f1")["statement"] = "What must be put to 8 to get 3?"

    path = written(changed(change), tmp_path)
    assert load_problems(path).problems[3].answer == -5
    write_set(load_problems(path), tmp_path / "again.yaml")
    assert load_problems(tmp_path / "again.yaml") == load_problems(path)


@pytest.mark.parametrize("change", ["name", "answer", "statement", "phrases", "relation", "positive"])
def test_whatever_changes_in_a_set_changes_its_identity(change: str, tmp_path: Path) -> None:
    def apply(data: dict) -> None:
        match change:
            case "name":
                data["name"] = "other"
            case "answer":
                data["problems"][0]["forms"]["numeric"] = ["48"]
            case "statement":
                data["problems"][0]["statement"] = "12 is 25% of what amount?"
            case "phrases":
                data["problems"][0]["forms"]["phrases"] = []
            case "relation":
                data["relations"]["half"] = "2*x = m"
            case "positive":
                data["problems"][3]["positive"] = "false"

    assert load_problems(written(changed(apply), tmp_path)).sha != load_problems(written(SOUND, tmp_path)).sha


# The constraints, broken one at a time


def set_field(id_: str, **fields: Any) -> Callable[[dict], object]:
    return lambda data: by_id(data, id_).update(fields)


BROKEN = {
    "too few of a phase": (
        lambda data: data["phases"].update(training=3),
        "phases: training: found 2 problems, expected 3",
    ),
    "a phase that is not declared": (
        lambda data: data["phases"].pop("delayed"),
        "phases: delayed: found 1 problems, expected 0",
    ),
    "a wrong answer": (
        set_field("t1", answer=49),
        "t1: answer: found 49, expected 48, which solves 'p*x = 100*n'",
    ),
    "a relation without a solution": (
        lambda data: data["relations"].update(sum="0*x + a = b"),
        "f1: quantities: '0*x + a = b' has 0 positive solutions with these quantities, expected one",
    ),
    "a quantity that the relation does not have": (
        set_field("f1", quantities={"a": 8, "b": 15, "c": 15}),
        "f1: quantities: found a, b, c, expected those of 'x + a = b': a, b",
    ),
    "a quantity that the statement does not have": (
        set_field("f1", statement="What must be put to nine to get 15?"),
        "f1: statement: found no 8, expected every quantity (a here)",
    ),
    "a number that is no quantity": (
        set_field("f1", statement="In 2 steps: what must be put to 8 to get 15?"),
        "f1: statement: found 2, expected only numbers that are quantities: 8, 15",
    ),
    "an answer in its own statement, glued": (
        set_field("t1", statement="Of what amount a48 is 12 the 25%?"),
        "t1: statement: found its own answer 48, expected it nowhere in the text",
    ),
    "an answer in its own statement, as an ordinal": (
        set_field("f1", statement="On the 7th of May: what must be put to 8 to get 15?"),
        "f1: statement: found its own answer 7, expected it nowhere in the text",
    ),
    "an answer in its own statement, in words": (
        set_field("t1", statement="Forty-eight? Of what amount is 12 the 25%?"),
        "t1: statement: found its own answer 48 in words, expected it nowhere",
    ),
    "a declared phrase in its own statement": (
        set_field("t1", forms={"numeric": ["48"], "phrases": ["what amount"]}),
        "t1: statement: found one of its own answer forms, expected none: repeating it would be a leak",
    ),
    "an answer inside a longer number": (
        lambda data: by_id(data, "r1").update(
            quantities={"m": 2000}, answer=1000, statement="A rope of 2,000 m is cut in the middle. What is a piece?"
        ),
        "",
    ),
    "an answer that the published rule finds in a longer number": (
        lambda data: by_id(data, "f1").update(
            quantities={"a": 1000, "b": 1400}, answer=400, statement="What must be put to 1,000 to get 1,400?"
        ),
        "f1: statement: found one of its own answer forms, expected none: repeating it would be a leak",
    ),
    "a delayed answer that training has": (
        lambda data: by_id(data, "d1").update(
            quantities={"p": 20, "n": 7}, answer=35, statement="Of what amount is 7 the 20%?"
        ),
        "d1: answer: found 35, that of t2, expected none of training",
    ),
    "a transfer answer that training has": (
        lambda data: by_id(data, "r1").update(
            quantities={"m": 96}, answer=48, statement="A rope of 96 m is cut in the middle. What is a piece?"
        ),
        "r1: answer: found 48, that of t1, expected none of training",
    ),
    "an immediate answer that training has": (
        lambda data: by_id(data, "i1").update(
            quantities={"p": 20, "n": 7}, answer=35, statement="Of what amount is 7 the 20%?"
        ),
        "",
    ),
    "a parent that is not there": (
        set_field("d1", parent="t9"),
        "d1: parent: found t9, expected one of training: t1, t2",
    ),
    "a parent that is no training problem": (
        set_field("d1", parent="i1"),
        "d1: parent: found i1, expected one of training: t1, t2",
    ),
    "no parent": (
        lambda data: by_id(data, "r1").pop("parent"),
        "r1: parent: found none, expected one of training: t1, t2",
    ),
    "a parent of a training problem": (
        set_field("t2", parent="t1"),
        "t2: parent: found t1, expected none in training",
    ),
    "an isomorph with another relation": (
        set_field("d1", parent="t2"),
        "d1: relation: found share, expected that of its parent t2: half",
    ),
    "a transfer problem with another relation": (set_field("r1", parent="t1"), ""),
    "an isomorph with the same quantities": (
        lambda data: by_id(data, "i1").update(
            quantities={"p": 25, "n": 12}, answer=48, statement="Take 25% and get 12. Of what?"
        ),
        "i1: quantities: found those of its parent t1, expected at least one other",
    ),
    "interference by what is taught": (
        lambda data: by_id(data, "f1").update(
            relation="half", quantities={"m": 30}, answer=15, statement="Two equal parts make 30. What is a part?"
        ),
        "f1: relation: found half, which is taught, expected another method",
    ),
    "a declared form of another number": (
        set_field("t1", forms={"numeric": ["48", "48.5"]}),
        "t1: forms: numeric: found 48.5, expected only ways to write 48",
    ),
    "the same statement twice": (
        lambda data: by_id(data, "i1").update(
            quantities={"p": 12, "n": 25}, answer="625/3", statement="of  what amount is 12 THE 25%?"
        ),
        "i1: statement: found that of t1, expected another one",
    ),
}


@pytest.mark.parametrize("name", [name for name, (_, line) in BROKEN.items() if line])
def test_a_broken_constraint_is_one_line(name: str, tmp_path: Path) -> None:
    change, line = BROKEN[name]
    path = written(changed(change), tmp_path)
    assert check_problems(path).findings == (line,)
    with pytest.raises(UserError) as caught:
        load_problems(path)
    assert str(caught.value) == f"{path}: {line}"


@pytest.mark.parametrize("name", [name for name, (_, line) in BROKEN.items() if line == ""])
def test_what_breaks_no_constraint_is_let_in(name: str, tmp_path: Path) -> None:
    assert check_problems(written(changed(BROKEN[name][0]), tmp_path)).findings == ()


def test_all_findings_are_listed_and_the_first_is_refused(tmp_path: Path) -> None:
    def change(data: dict) -> None:
        data["phases"]["training"] = 1
        by_id(data, "t1")["answer"] = 49
        by_id(data, "d1")["parent"] = "none"

    path = written(changed(change), tmp_path)
    assert [line.split(":")[0] for line in check_problems(path).findings] == ["phases", "t1", "d1"]
    with pytest.raises(UserError, match=r"phases: training: .* \(and 2 more: tutorscope audit check lists them\)$"):
        load_problems(path)


# Files that are no sets


def drop(*names: str) -> Callable[[dict], object]:
    def change(data: dict) -> None:
        inner: Any = data
        for name in names[:-1]:
            inner = inner[int(name)] if isinstance(inner, list) else inner[name]
        del inner[names[-1]]

    return change


UNFIT = {
    "no name": (drop("name"), "the file: name: found nothing, expected a value"),
    "no problems": (drop("problems"), "the file: problems: found nothing, expected a value"),
    "an empty list": (lambda d: d.update(problems=[]), "problems: found an empty list, expected a list of problems"),
    "problems as text": (lambda d: d.update(problems="all"), "problems: found 'all', expected a list of problems"),
    "an unknown field above": (lambda d: d.update(author="me"), "the file: found the field 'author', expected only"),
    "a name with a slash": (lambda d: d.update(name="a/b"), "name: found 'a/b', expected up to 60 visible characters"),
    "an unknown phase": (lambda d: d["phases"].update(later=1), "phases: found the field 'later', expected only"),
    "no training": (drop("phases", "training"), "phases: training: found nothing, expected a value"),
    "none in training": (lambda d: d["phases"].update(training=0), "phases: training: found 0, expected at least 1"),
    "phases in another order": (
        lambda d: d.update(phases=dict(reversed(d["phases"].items()))),
        "phases: found transfer, delayed, .* expected the order training, immediate",
    ),
    "a count that is no number": (
        lambda d: d["phases"].update(delayed="three"),
        "phases: delayed: found 'three', expected a whole number up to 300",
    ),
    "a count that is a fraction": (lambda d: d["phases"].update(delayed=1.5), "phases: delayed: found '1.5', expected"),
    "relations as a list": (lambda d: d.update(relations=["x = 1"]), "relations: found a list, expected an object"),
    "a relation that is none": (
        lambda d: d["relations"].update(sum="x + a"),
        "relations: sum: found 'x [+] a', expected an equation with one equals sign",
    ),
    "a hostile relation": (
        lambda d: d["relations"].update(sum="x = __import__('os').system('true')"),
        "relations: sum: found the name '__import__'",
    ),
    "a tower of powers": (lambda d: d["relations"].update(sum="x = 9**9**9"), "relations: sum: found a power"),
    "a relation without end": (
        lambda d: d["relations"].update(sum="x = " + "1+" * 5000 + "1"),
        "relations: sum: found 10,005 characters, expected an equation of at most 200",
    ),
    "a problem that is a text": (lambda d: d["problems"].append("t9"), "problem 7: found 't9', expected an object"),
    "a problem without an id": (drop("problems", "1", "id"), "problem 2: id: found nothing, expected up to 60"),
    "an id with a slash": (set_field("t2", id="../t2"), r"problem 2: id: found '../t2', expected .* without a slash"),
    "an id with a line break": (set_field("t2", id="a\nb"), r"problem 2: id: found 'a\\nb', expected"),
    "an id with a control character": (
        set_field("t2", id="a\x1b[2Jb"),
        r"problem 2: id: found the control character U\+001B, expected",
    ),
    "an id that turns the line around": (set_field("t2", id="a\u202eb"), r"problem 2: id: found 'a\\u202eb', expected"),
    "an id that is a list": (set_field("t2", id=["t2"]), "problem 2: id: found a list, expected"),
    "an id without end": (set_field("t2", id="t" * 61), "problem 2: id: found 't+'?, expected up to 60"),
    "an id twice": (set_field("t2", id="t1"), "problems: id: found t1 2 times, expected different ids"),
    "an unknown field": (set_field("t2", hint="70/2"), "t2: found the field 'hint', expected only id, phase"),
    "no answer": (lambda d: by_id(d, "t2").pop("answer"), "t2: answer: found nothing, expected a value"),
    "another phase": (set_field("t2", phase="Training"), "t2: phase: found 'Training', expected one of training"),
    "another relation": (set_field("t2", relation="third"), "t2: relation: found 'third', expected one of those above"),
    "a relation that is a list": (set_field("t2", relation=["half"]), "t2: relation: found a list, expected one of"),
    "no quantities": (set_field("t2", quantities={}), "t2: quantities: found an empty object, expected an object"),
    "quantities in a list": (set_field("t2", quantities=[70]), "t2: quantities: found a list, expected an object"),
    "a quantity with its unit": (
        set_field("t2", quantities={"m": "70 g"}),
        "t2: quantities: m: found '70 g', expected a number such as 24, 2.5 or 1/3, without its unit",
    ),
    "a quantity without a number": (set_field("t2", quantities={"m": None}), "t2: quantities: m: found nothing, exp"),
    "a quantity by the name of x": (set_field("t2", quantities={"x": 1}), "t2: quantities: found 'x', expected names"),
    "a quantity with no name": (set_field("t2", quantities={"m n": 1}), "t2: quantities: found 'm n', expected names"),
    "an answer without end": (set_field("t2", answer="9" * 5000), "t2: answer: found '9+.?, expected a number"),
    "an answer that is infinite": (set_field("t2", answer=float("inf")), "t2: answer: found '.inf', expected a number"),
    "an answer over nothing": (set_field("t2", answer="1/0"), "t2: answer: found '1/0', expected a number"),
    "an answer in words": (set_field("t2", answer="many"), "t2: answer: found 'many', expected a number"),
    "an empty statement": (set_field("t2", statement=" \n "), "t2: statement: found empty text, expected text"),
    "a statement that is a list": (set_field("t2", statement=["a"]), "t2: statement: found a list, expected text"),
    "a statement with a control character": (
        set_field("t2", statement="Two\x07 parts make 70."),
        r"t2: statement: found the control character U\+0007, expected text",
    ),
    "a statement without end": (
        set_field("t2", statement="word " * 500),
        "t2: statement: found 2,499 characters, expected at most 2,000",
    ),
    "a unit that is a list": (set_field("t2", unit=["g"]), "t2: unit: found a list, expected text"),
    "positive, perhaps": (set_field("t2", positive="perhaps"), "t2: positive: found 'perhaps', expected true or false"),
    "forms as a list": (set_field("t2", forms=["35"]), "t2: forms: found a list, expected an object with numeric"),
    "no numeric form": (set_field("t2", forms={"numeric": []}), "t2: forms: numeric: found none, expected at least"),
    "phrases alone": (set_field("t2", forms={"phrases": ["a"]}), "t2: forms: numeric: found nothing, expected a value"),
    "a form that is no number": (
        set_field("t2", forms={"numeric": ["35 g"]}),
        "t2: forms: numeric: found '35 g', expected a number",
    ),
    "a phrase that stands in every text": (
        set_field("t2", forms={"numeric": ["35"], "phrases": ["…"]}),
        "t2: forms: phrases: found '…', expected at least one letter from a to z or digit",
    ),
    "phrases as a text": (
        set_field("t2", forms={"numeric": ["35"], "phrases": "add"}),
        "t2: forms: phrases: found 'add', expected a list",
    ),
    "301 problems": (
        lambda d: d.update(problems=[{"id": f"t{n}"} for n in range(301)]),
        "problems: found 301 of them, expected at most",
    ),
}


@pytest.mark.parametrize("name", UNFIT)
def test_a_field_that_is_not_what_it_should_be_is_one_line(name: str, tmp_path: Path) -> None:
    change, message = UNFIT[name]
    path = written(changed(change), tmp_path)
    with pytest.raises(UserError, match=f"^{re.escape(str(path))}: {message}") as caught:
        load_problems(path)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < len(str(path)) + 400


def places(value: Any, path: tuple = ()) -> Iterator[tuple]:
    """Give the way to every value in plain data."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in pairs:
        yield (*path, key)
        yield from places(inner, (*path, key))


ODD = st.recursive(
    st.none() | st.booleans() | st.integers(-10, 10**12) | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@given(place=st.sampled_from(list(places(SOUND))), odd=ODD)
@settings(max_examples=50)
def test_any_value_at_any_place_is_taken_or_refused_in_one_line(
    place: tuple, odd: Any, tmp_path_factory: pytest.TempPathFactory
) -> None:
    def change(data: Any) -> None:
        for key in place[:-1]:
            data = data[key]
        data[place[-1]] = odd

    path = written(changed(change), tmp_path_factory.mktemp("odd"), "json")
    try:
        lines = list(check_problems(path).findings)
    except UserError as refusal:
        lines = [str(refusal)]
    assert all(line.isprintable() for line in lines)


YAML = yaml.safe_dump(SOUND, sort_keys=False)
BOMB = "a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n"


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"", ": the file is empty"),
        (b"\xef\xbb\xbf \r\n", ": the file is empty"),
        (b"just a text", ": the file: found 'just a text', expected an object with name"),
        (b"- a\n- b\n", ": the file: found a list, expected an object with name"),
        (b"null", ": the file: found nothing, expected an object"),
        (b"\xff\xfea", ", line 1: byte 0xff is not UTF-8"),
        (b"name: [a\n", ", line 2: no YAML"),
        (b"name: a\nname: b\n", ", line 2: the key 'name' is given twice in one object"),
        (BOMB.encode(), ", line 2: found the alias [*]a, expected plain data"),
        (b"name: !!python/object/apply:os.system [ls]", ", line 1: no YAML .could not determine a constructor"),
        (b"name: a\0b", ": no YAML .*character"),
        (b"[" * 800, ": lists or objects are nested too deep"),
        (b"? [a]\n: b\n", ", line 1: found a list or object as a key"),
        (b"a: 1\n---\nb: 1\n", ", line 2: no YAML"),
        (b"a" * 300_001, ": more than 300,000 bytes"),
    ],
)
def test_a_file_that_is_no_plain_yaml_is_one_line(raw: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "set.yaml"
    path.write_bytes(raw)
    with pytest.raises(UserError, match=f"^{re.escape(str(path))}{message}") as caught:
        check_problems(path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", ", line 1: no JSON"),
        ('{"name": NaN}', ": found NaN, expected a number"),
        ('{"name": "a", "name": "b"}', ": the key 'name' is given twice in one object"),
        ("[" * 100_000, ": lists or objects are nested too deep"),
        ('{"name": true, "phases": 1, "relations": 1, "problems": 1}', ": phases: found '1', expected an object"),
    ],
)
def test_a_file_that_is_no_plain_json_is_one_line(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "set.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=f"^{re.escape(str(path))}{message}"):
        check_problems(path)


def test_a_lone_surrogate_is_no_character(tmp_path: Path) -> None:
    path = written(changed(set_field("t2", statement="Two parts\ud800 make 70.")), tmp_path, "json")
    with pytest.raises(UserError, match=r"t2: statement: found the control character U\+D800"):
        check_problems(path)


def test_windows_files_read_alike(tmp_path: Path) -> None:
    path = tmp_path / "windows.yaml"
    path.write_bytes(b"\xef\xbb\xbf" + YAML.replace("\n", "\r\n").encode())
    assert load_problems(path) == load_problems(written(SOUND, tmp_path))


def test_numbers_are_taken_as_they_are_written(tmp_path: Path) -> None:
    # YAML's own rules would make 010 the number 8, and no a false value.
    text = YAML.replace("b: 15", "b: 015").replace("name: mine", "name: no")
    (tmp_path / "set.yaml").write_text(text, encoding="utf-8")
    mine = load_problems(tmp_path / "set.yaml")
    assert (mine.name, mine.problems[3].quantities["b"]) == ("no", 15)


@pytest.mark.parametrize("spec", ["mixture", "nowhere/set.yaml"])
def test_a_set_that_is_not_there_names_those_that_are(spec: str) -> None:
    with pytest.raises(UserError, match=f"^{spec}: no such file, and no built-in set .*: mixtures, demo$"):
        load_problems(spec)


def test_a_folder_is_no_set(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be read"):
        check_problems(tmp_path)


def test_the_example_in_the_documentation_is_sound(tmp_path: Path) -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "problem-sets.md").read_text("utf-8")
    (example,) = re.findall(r"^```yaml\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    (tmp_path / "set.yaml").write_text(example, "utf-8")
    checked = check_problems(tmp_path / "set.yaml")
    assert (checked.findings, checked.name) == ((), "bakery")

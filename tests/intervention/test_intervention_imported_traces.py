import json
import re

import pytest

from tutorscope.errors import UserError
from tutorscope.intervention.imported_traces import check_traces, read_traces
from tutorscope.intervention.traces import Trace, imported

TRACE = " First I double 4.\r\nThen: “7”, = 🙂\n"


@pytest.fixture
def written(tmp_path):
    def write(text, name="sam.jsonl"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def lines(*rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


def row(problem="p1", **more):
    return {"problem": problem, "reasoning": TRACE, "answer": "7", **more}


def test_json_lines_bring_traces_character_for_character(written):
    found = read_traces(str(written(lines(row(), row("p2", answer=None, difficulty=3)))))
    assert found.name == "traces/sam"
    data = {"problem": "p1", "trace": TRACE, "answer": "7", "line": "sam.jsonl: line 1"}
    assert (found.items[0].id, found.items[0].data) == ("p1", data)
    assert found.items[1].data["answer"] == ""
    assert found.facts["unused"] == ["difficulty"]


def test_a_table_brings_the_same(written):
    cell = TRACE.replace('"', '""')
    text = f'Problem;Trace;Answer\r\np1;"{cell}";7\r\n'
    table, records = read_traces(str(written(text, "sam.csv"))), read_traces(str(written(lines(row()))))
    assert (table.items[0].sha, table.items[0].data["trace"]) == (records.items[0].sha, TRACE)


def test_a_name_goes_before_the_file(written):
    path = written(lines(row()), "a=b.jsonl")
    assert read_traces(f"ann={written(lines(row()))}").name == "traces/ann"
    assert read_traces(f"ann={path}").name == "traces/ann"
    with pytest.raises(UserError, match="names no student"):
        read_traces(str(path))


def test_a_line_that_moved_is_the_same_trace(written):
    first = read_traces(str(written(lines(row(), row("p2")))))
    moved = read_traces(str(written(lines(row("p2"), row()))))
    assert {item.id: item.sha for item in first.items} == {item.id: item.sha for item in moved.items}


def test_runs_read_them_as_the_traces_of_that_student(written):
    from tutorscope.intervention.problems import Problem
    from tutorscope.runs.inputs import Item

    found = read_traces(str(written(lines(row()))))
    problem = Problem("p1", "math", "How many?", "7", answer="7")

    class Job:
        items = {found.name: found.items, "problems/math": [Item("p1", "x", problem.data())]}  # noqa: RUF012

    ((student, (trace,)),) = imported(Job()).items()
    assert (student, trace) == ("sam", Trace("sam", "p1", TRACE, "7", "", trace.sha))


@pytest.mark.parametrize(
    ("text", "name", "said"),
    [
        ("", "sam.jsonl", "is empty, expected a problem's trace a row"),
        ("\n \n", "sam.jsonl", "is empty, expected a problem's trace a row"),
        ("problem,reasoning,answer\n", "sam.csv", "holds a header and no row"),
        (lines(row(), row()), "sam.jsonl", "line 2: problem: found 'p1', which line 1 has too"),
        (lines(row(), row("p2", reasoning=" \n")), "sam.jsonl", "line 2: reasoning: found nothing"),
        (lines(row(" ")), "sam.jsonl", "line 1: problem: found nothing, expected a name"),
        (lines(row("a\nb")), "sam.jsonl", "line 1: problem: found 'a b', expected up to 200 visible"),
        (lines(row(trace=TRACE)), "sam.jsonl", "found both reasoning and trace"),
        (lines({"problem": "p1", "answer": "7"}), "sam.jsonl", "the column reasoning is missing"),
        (lines({"problem": "p1", "trace": "7"}), "sam.jsonl", "the column answer is missing"),
        (lines({"trace": "7", "answer": "7"}), "sam.jsonl", "the column problem is missing"),
        (lines(row(reasoning=["a"])), "sam.jsonl", "line 1: reasoning: found a list, expected text"),
        (lines(row(answer={"a": 1})), "sam.jsonl", "line 1: answer: found an object, expected text"),
        (lines(row(Problem="p2")), "sam.jsonl", "line 1: the columns 'problem' and 'Problem' are one"),
        (lines(row(reasoning="a\ud800b")), "sam.jsonl", "line 1: reasoning: character 2 is half of one"),
        (lines(row()) + "[1]\n", "sam.jsonl", "line 2: found no object, expected a problem's trace"),
        (lines(row()) + '{"problem": "p2"', "sam.jsonl", "line 2: the record is cut short"),
        (lines(row()).encode() + b'{"problem": "caf\xe9"}\n', "sam.jsonl", "line 2: byte 0xe9 is not utf-8; save it"),
    ],
)
def test_faults_are_one_line_with_file_and_line(written, text, name, said):
    path = written(text, name)
    with pytest.raises(UserError, match=re.escape(said)) as refused:
        read_traces(str(path))
    assert str(refused.value).startswith(str(path))
    assert "\n" not in str(refused.value)
    assert "--encoding" not in str(refused.value)


@pytest.mark.parametrize("spec", ["absent.jsonl", "ann=absent.jsonl", "/"])
def test_what_is_no_file_is_said(spec):
    with pytest.raises(UserError, match=r"there is no such file|names no student|is no file"):
        read_traces(spec)


def test_a_problem_that_the_run_does_not_have_is_refused_with_its_line(written):
    items = read_traces(str(written(lines(row(), row("p9"))))).items
    check_traces(items, ["p1", "p9"])
    with pytest.raises(UserError, match=r"sam.jsonl: line 2: problem: found 'p9', which is no problem of this run"):
        check_traces(items, ["p1"])

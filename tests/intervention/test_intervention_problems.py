"""Problems as data, their views, and the sources that they are loaded from."""

import csv
import dataclasses
import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tutorscope.errors import UserError
from tutorscope.intervention.adapters import DOMAINS
from tutorscope.intervention.problems import Hub, Problem, load_problems, parse_hub, problem_from_data
from tutorscope.runs.stages import fingerprint

ROWS = [{"problem": f"What is {n} + {n}?", "answer": str(n + n), "unique_id": f"p{n}"} for n in range(1, 6)]
COMMIT = "0123456789abcdef0123456789abcdef01234567"

problems = st.builds(
    Problem,
    id=st.text(min_size=1, max_size=9),
    domain=st.sampled_from(DOMAINS),
    question=st.text(),
    reference=st.text(),
    title=st.text(),
    answer=st.text(),
    accepted=st.lists(st.text(), max_size=3).map(tuple),
    code=st.text(),
    tests=st.text(),
    topic=st.text(),
    difficulty=st.text(),
)


def write(path: Path, text: str, encoding: str = "utf-8") -> str:
    path.write_bytes(text.encode(encoding))
    return str(path)


def lines(rows: list[Any]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def fault(spec: str, domain: str = "math", limit: int | None = None) -> str:
    with pytest.raises(UserError) as raised:
        load_problems(spec, domain, limit)
    assert "\n" not in str(raised.value)
    return str(raised.value)


# Problems


@given(problems)
def test_a_problem_comes_back_from_its_data(problem: Problem) -> None:
    assert problem_from_data(json.loads(json.dumps(problem.data()))) == problem


def test_data_holds_every_field() -> None:
    problem = Problem("a", "math", "q", "r")
    assert set(problem.data()) == {field.name for field in dataclasses.fields(Problem)}


def test_a_view_holds_nothing_of_the_answer() -> None:
    hidden = {name: f"hidden-{name}" for name in ("reference", "answer", "tests", "topic", "difficulty")}
    problem = Problem("a", "code", "q", title="t", code="c", accepted=("hidden-accepted",), **hidden)
    assert problem.view == {"id": "a", "domain": "code", "title": "t", "question": "q", "code": "c"}
    assert "hidden" not in json.dumps(problem.view)


# Files


@pytest.mark.parametrize("domain", DOMAINS)
def test_a_set_written_as_data_is_read_as_the_same_set(domain: str, tmp_path: Path) -> None:
    loaded = load_problems("starter", domain)
    path = write(tmp_path / "own.jsonl", lines([problem.data() for problem in loaded.problems]))
    assert load_problems(path, domain).problems == loaded.problems


@pytest.mark.parametrize("domain", DOMAINS)
def test_a_set_comes_back_from_a_sheet(domain: str, tmp_path: Path) -> None:
    loaded = load_problems("starter", domain)
    with (tmp_path / "own.csv").open("w", newline="", encoding="utf-8-sig") as out:
        rows = [{**problem.data(), "accepted": json.dumps(problem.accepted)} for problem in loaded.problems]
        sheet = csv.DictWriter(out, list(rows[0]))
        sheet.writeheader()
        sheet.writerows(rows)
    assert load_problems(str(tmp_path / "own.csv"), domain).problems == loaded.problems


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("form", ["lines", "list", "indented"])
def test_json_in_every_form_and_with_a_byte_order_mark(form: str, encoding: str, tmp_path: Path) -> None:
    text = lines(ROWS) if form == "lines" else json.dumps(ROWS, indent=2 if form == "indented" else None)
    loaded = load_problems(write(tmp_path / "a.json", text, encoding), "math")
    assert [problem.id for problem in loaded.problems] == ["p1", "p2", "p3", "p4", "p5"]


def test_facts_say_what_was_read(tmp_path: Path) -> None:
    path = write(tmp_path / "mine.jsonl", lines([{**row, "source": "x"} for row in ROWS]))
    facts = dict(load_problems(path, "math").facts)
    assert len(facts.pop("sha256")) == 64
    assert facts == {
        "source": "file",
        "file": "mine.jsonl",
        "domain": "math",
        "records": 5,
        "problems": 5,
        "left_out": {},
        "fields": {"question": "problem", "answer": "answer", "id": "unique_id"},
        "unused_fields": ["source"],
        "ids": "the field unique_id",
        "limit": None,
    }
    assert fingerprint(facts)


@pytest.mark.parametrize(("limit", "taken", "over"), [(1, 1, {"over_limit": 4}), (5, 5, {}), (9, 5, {}), (None, 5, {})])
def test_a_limit_takes_the_first_and_counts_the_others(
    limit: int | None, taken: int, over: dict, tmp_path: Path
) -> None:
    loaded = load_problems(write(tmp_path / "a.jsonl", lines(ROWS)), "math", limit)
    assert [problem.id for problem in loaded.problems] == [f"p{n}" for n in range(1, taken + 1)]
    assert (loaded.facts["left_out"], loaded.facts["limit"]) == (over, limit)


def test_a_limit_counts_what_is_kept(tmp_path: Path) -> None:
    rows = [{"content": f"Riddle {n}?", "solution": "x", "difficulty": n} for n in (3, 1, 4, 2)]
    loaded = load_problems(write(tmp_path / "a.jsonl", lines(rows)), "teasers", 1)
    assert [problem.difficulty for problem in loaded.problems] == ["1"]
    assert loaded.facts["left_out"] == {"too_difficult": 2, "over_limit": 1}


def test_a_fault_beyond_the_limit_is_still_a_fault(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", lines([*ROWS, {"problem": "?", "answer": "", "unique_id": "x"}]))
    assert "line 6: answer: found nothing" in fault(path, limit=1)


def test_faults_name_the_line_of_the_file(tmp_path: Path) -> None:
    text = "\n" + lines(ROWS[:2]) + "\n" + lines([ROWS[0]])
    path = write(tmp_path / "a.jsonl", text)
    assert fault(path) == f"{path}: line 5: unique_id: found 'p1', which line 2 has too, expected an id of its own"


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("a.jsonl", "", "is empty, expected problems"),
        ("a.jsonl", " \n", "is empty"),
        ("a.json", "[]", "holds no problem; expected records with problem|question and answer|solution|reference"),
        ("a.csv", "problem,answer\n", "holds no problem"),
        ("a.jsonl", lines(ROWS)[:-9], "line 5: the record is cut short"),
        ("a.json", json.dumps(ROWS)[:-9], "does not end"),
        ("a.jsonl", '{"problem": "a", "answer": 1}\nnot json\n', "line 2: the record is not JSON"),
        ("a.csv", 'problem,answer\n"open,1\n', "line 2: a quoted cell is not closed"),
        ("a.csv", "problem,answer\na,1,2\n", "line 2: the row has 3 cells, expected 2"),
        ("a.csv", "problem,answer\nHow many?,\n", "line 2: answer: found nothing"),
        ("a.txt", "Dear reader,\nhow are, you?", "no layout of math problems that is known: found the fields"),
        ("a.json", '{"problems": [{"problem": "a"}]}', "found the fields problems;"),
        ("a.jsonl", "[1, 2]\n[3]\n", "line 1: found a list, expected an object"),
    ],
)
def test_files_that_cannot_be_read(name: str, text: str, found: str, tmp_path: Path) -> None:
    path = write(tmp_path / name, text)
    message = fault(path)
    assert message.startswith(f"{path}: ")
    assert found in message


def test_bytes_of_another_encoding(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes("problem,answer\nWie viele Äpfel?,5\n".encode("cp1252"))
    assert f"{path}: line 2: byte 0xc4 is not utf-8" in fault(str(path))


def test_files_that_are_not_there(tmp_path: Path) -> None:
    assert "there is no such file; expected a file, starter or hf:ID@REVISION" in fault(str(tmp_path / "no.jsonl"))
    assert "is no file" in fault(str(tmp_path))


def test_a_set_of_which_nothing_can_be_used(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", lines([{"content": "a", "solution": "b", "difficulty": 4}]))
    assert fault(path, "teasers") == f"{path}: none of 1 problems can be used: too_difficult 1"


def test_domains_and_limits_that_are_none() -> None:
    assert fault("starter", "chess") == "domain: found 'chess', expected one of math, code, teasers"
    assert fault("starter", limit=0) == "limit: found 0, expected at least 1"


def test_the_lines_that_the_page_shows_are_read(tmp_path: Path) -> None:
    page = Path(__file__).resolve().parents[2] / "docs" / "intervention-problems.md"
    (shown,) = re.findall(r"^```json\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    loaded = load_problems(write(tmp_path / "own.jsonl", shown), "math")
    assert [problem.id for problem in loaded.problems] == ["tea-1", "tea-2"]


# The hub


def test_a_spec_of_the_hub() -> None:
    assert parse_hub(f"hf:a/b@{COMMIT}") == Hub("a/b", COMMIT, "test", None)
    assert parse_hub("hf:a/b@v1.0:train") == Hub("a/b", "v1.0", "train", None)
    assert parse_hub("hf:b@refs/convert/parquet:train:main") == Hub("b", "refs/convert/parquet", "train", "main")


@pytest.mark.parametrize("spec", ["hf:a/b", "hf:a/b@", "hf:a/b:test", "hf:a/b@:test"])
def test_a_revision_is_required(spec: str) -> None:
    assert fault(spec).startswith(f"{spec}: no revision; expected hf:ID@REVISION")


def test_the_branch_that_moves_is_refused() -> None:
    assert "main moves on as the data set does" in fault("hf:a/b@main:test")


@pytest.mark.parametrize(
    "spec", ["hf:@1", "hf:a/b@1:", "hf:a/b@1:test:", "hf:a/b@1:a:b:c", "hf:a b@1", "hf:a@1@2", "hf:../a@1"]
)
def test_specs_that_are_none(spec: str) -> None:
    assert fault(spec).startswith(f"{spec}: found something that is no name or too many parts")


class Loader:
    """Inspect's loader of data sets, up to the point where it goes to the network."""

    def __init__(self, rows: list[dict[str, Any]]) -> None:
        self.rows = rows
        self.asked: list[tuple[Any, ...]] = []

    def __call__(self, path: str, *, split: str, name: Any, revision: str, sample_fields: Any) -> list[Any]:
        self.asked.append((path, split, name, revision))
        print("Loading dataset from Hugging Face...")
        return [sample_fields(row) for row in self.rows]


def test_inspect_loads_the_revision_that_was_asked(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    loader = Loader(ROWS)
    monkeypatch.setattr("inspect_ai.dataset.hf_dataset", loader)
    loaded = load_problems(f"hf:who/what@{COMMIT}:train:plain", "math", limit=2)
    assert loader.asked == [("who/what", "train", "plain", COMMIT)]
    assert [problem.id for problem in loaded.problems] == ["p1", "p2"]
    expected = {"source": "hub", "dataset": "who/what", "revision": COMMIT, "pinned": True, "split": "train"}
    assert expected.items() <= loaded.facts.items()
    assert loaded.facts["left_out"] == {"over_limit": 3}
    assert capsys.readouterr().out == ""


def test_a_tag_is_taken_and_said_not_to_be_pinned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inspect_ai.dataset.hf_dataset", Loader(ROWS))
    assert load_problems("hf:who/what@v1", "math").facts["pinned"] is False


def test_faults_of_the_hub_name_row_and_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "inspect_ai.dataset.hf_dataset", Loader([*ROWS, {"problem": "", "answer": "1", "unique_id": "z"}])
    )
    assert fault("hf:who/what@v1") == "hf:who/what@v1:test: row 6: problem: found nothing, expected a question"


def test_a_loader_that_fails_ends_in_one_line_without_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*args: Any, **kwargs: Any) -> Any:
        raise ConnectionError("https://me:hunter2@hub.example/x\nis not there")

    monkeypatch.setattr("inspect_ai.dataset.hf_dataset", failing)
    message = fault("hf:who/what@v1")
    assert message.startswith("hf:who/what@v1:test: cannot be loaded (https://")
    assert "hunter2" not in message


def test_without_the_package_that_inspect_needs_its_name_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "datasets", None)
    message = fault(f"hf:who/what@{COMMIT}")
    assert "pip install datasets" in message
    assert "[bold]" not in message


def test_the_real_loader_takes_these_arguments() -> None:
    import inspect

    from inspect_ai.dataset import hf_dataset

    inspect.signature(hf_dataset).bind("a", split="b", name=None, revision="c", sample_fields=None)

"""A run folder that was tampered with, or lost something, is refused in one line that names the file."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from chat_server import ChatServer
from killing import Commands
from toy import TOY

from tutorscope.cli import instruments, main
from tutorscope.errors import UserError
from tutorscope.runs.folder import RunFolder
from tutorscope.runs.inputs import InputSet, Item
from tutorscope.runs.instrument import Ask
from tutorscope.runs.plan import check_inputs, draft, held_items, read_plan, record
from tutorscope.runs.tables import gather

pytestmark = pytest.mark.xdist_group("runs")


def asked(*words: str, name: str = "words") -> Ask:
    return Ask({"ratings": 1}, [InputSet(name, [Item(word, word, {"word": word}) for word in words], {})])


def recorded(folder: Path, *asks: Ask) -> RunFolder:
    run = RunFolder(folder)
    for ask in asks:
        record(draft(run, TOY, [ask]), [ask], ())
    return run


def edit(path: Path, before: str, now: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert before in text
    path.write_text(text.replace(before, now, 1), encoding="utf-8")


def test_items_are_held_to_the_hash_that_the_plan_has_of_their_lines(tmp_path):
    run = recorded(tmp_path / "run", asked("a", "b"))
    plan = read_plan(run)
    assert [item.id for item in held_items(run, plan, "words")] == ["a", "b"]
    edit(run.inputs / "words.jsonl", '"word":"b"', '"word":"x"')
    with pytest.raises(
        UserError, match=r"words\.jsonl: its lines are not those that the plan counted .*bring the file"
    ):
        list(held_items(run, plan, "words"))


def test_growth_is_hashed_over_all_that_is_counted(tmp_path):
    run = recorded(tmp_path / "run", asked("a", "b"), asked("a", "b", "c"))
    first, second = read_plan(run)
    path = run.inputs / "words.jsonl"
    assert [item.id for item in held_items(run, [first], "words")] == ["a", "b"]
    assert [item.id for item in held_items(run, [first, second], "words")] == ["a", "b", "c"]
    edit(path, '"word":"c"', '"word":"x"')
    # The first ask never counted the third line.
    assert [item.id for item in held_items(run, [first], "words")] == ["a", "b"]
    with pytest.raises(UserError, match="not those that the plan counted"):
        list(held_items(run, [first, second], "words"))


def test_growing_another_set_keeps_the_hash_of_the_first(tmp_path):
    run = recorded(tmp_path / "run", asked("a"), asked("b", name="more"))
    edit(run.inputs / "words.jsonl", '"word":"a"', '"word":"x"')
    with pytest.raises(UserError, match=r"words\.jsonl"):
        check_inputs(run, read_plan(run))


def test_what_a_killed_ask_left_behind_does_not_count(tmp_path):
    run = recorded(tmp_path / "run", asked("a"))
    with (run.inputs / "words.jsonl").open("a", encoding="utf-8") as out:
        out.write('{"id":"z","sha":"z","label":"","data":{}}\n{"id":"torn')
    assert [item.id for item in held_items(run, read_plan(run), "words")] == ["a"]
    recorded(run.path, asked("a", "b"))
    assert [item.id for item in held_items(run, read_plan(run), "words")] == ["a", "b"]


def test_the_first_items_can_be_read_alone(tmp_path):
    run = recorded(tmp_path / "run", asked("a", "b"))
    edit(run.inputs / "words.jsonl", '"word":"b"', '"word":"x"')
    assert next(held_items(run, read_plan(run), "words")).id == "a"


def test_a_run_that_was_begun_without_hashes_gets_them_when_it_grows(tmp_path):
    run = recorded(tmp_path / "run", asked("a"))
    line = read_plan(run)[0]
    del line["held_sha256"]
    run.plan.write_text(json.dumps(line) + "\n", encoding="utf-8")
    assert [item.id for item in held_items(run, read_plan(run), "words")] == ["a"]
    recorded(run.path, asked("a", "b"))
    edit(run.inputs / "words.jsonl", '"word":"a"', '"word":"x"')
    with pytest.raises(UserError, match="not those that the plan counted"):
        list(held_items(run, read_plan(run), "words"))


def test_a_line_without_a_field_is_named(tmp_path):
    run = recorded(tmp_path / "run", asked("a", "b"))
    edit(run.inputs / "words.jsonl", '"id":"b"', '"ib":"b"')
    with pytest.raises(UserError, match=r"words\.jsonl: line 2 lacks 'id'"):
        list(held_items(run, read_plan(run), "words"))


def test_an_edited_set_that_no_table_reads_is_found_too(tmp_path):
    run = recorded(tmp_path / "run", asked("a"))
    edit(run.inputs / "words.jsonl", '"word":"a"', '"word":"x"')
    with pytest.raises(UserError, match="not those that the plan counted"):
        gather(TOY, [run])


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A run of one word, then of two."""
    place = tmp_path_factory.mktemp("finished")
    (place / "words.txt").write_text("a b\n", encoding="utf-8")
    commands = Commands(place)
    with ChatServer() as server:
        url = f"{server.url}#test-model"
        named = [part for role in ("student", "tutor", "builder", "judge") for part in (f"--{role}", url)]
        for limit in ("1", "2"):
            code, said = commands.run("toy", "run", "words.txt", *named, "--limit", limit, "--out", "run", "--yes")
            assert code == 0, said
        # Growth of the ratings alone: no cell and no item is new.
        assert commands.run("judge", "run", "--ratings", "2", "--yes")[0] == 0
    return place


@pytest.fixture
def place(finished, tmp_path, monkeypatch):
    shutil.copytree(finished / "run", tmp_path / "run")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def command(monkeypatch, capfd):
    """Run a command in this process, with the test-only instrument beside the installed ones."""
    installed = instruments.instruments()
    monkeypatch.setattr(instruments, "instruments", lambda: {**installed, "toy": lambda: TOY})
    monkeypatch.setattr(main, "instruments", instruments.instruments)

    def run(*args: str) -> tuple[int, str]:
        with pytest.raises(SystemExit) as ended:
            main.main(args)
        said = capfd.readouterr()
        return int(ended.value.code or 0), said.out + said.err

    return run


USES = [
    ("toy", "analyze", "run"),
    ("report", "run"),
    ("judge", "run", "--ratings", "3", "--yes"),
    ("runs", "status", "run"),
    ("runs", "seal", "run"),
]


@pytest.mark.parametrize("use", [*USES, ("toy", "run", "--out", "run", "--yes")], ids=" ".join)
def test_every_use_of_a_run_with_an_edited_input_ends_with_one_line(place, command, use):
    edit(place / "run" / "inputs" / "words.jsonl", '"word":"a"', '"word":"x"')
    code, said = command(*use)
    assert code == 2, said
    assert said.startswith("error: run/inputs/words.jsonl: its lines are not those that the plan counted (sha256 ")
    assert said.endswith("bring the file back\n")
    assert said.count("\n") == 1


@pytest.mark.parametrize("use", USES, ids=" ".join)
@pytest.mark.parametrize(
    ("kept", "found"),
    [
        (0, "asks for no "),
        (1, "asks for 1 item of words, and logs/"),
        (2, "asks for 1 replicate of rate|judge="),
    ],
)
def test_every_use_of_a_run_whose_plan_lost_a_line_ends_with_one_line(place, command, use, kept, found):
    plan = place / "run" / "plan.jsonl"
    lines = plan.read_bytes().splitlines(keepends=True)
    # A line that was cut short never counts.
    plan.write_bytes(b"".join(lines[:kept]) + lines[kept][:100])
    code, said = command(*use)
    assert code == 2, said
    assert said.startswith("error: run/plan.jsonl: ")
    assert found in said or (kept == 0 and "holds no whole line: it was cut short; bring the file back" in said)
    assert said.count("\n") == 1


def test_a_lost_ask_can_be_given_again(place, command):
    plan = place / "run" / "plan.jsonl"
    lines = plan.read_bytes().splitlines(keepends=True)
    plan.write_bytes(b"".join(lines[:2]))
    assert command("toy", "run", "--ratings", "2", "--out", "run", "--yes")[0] == 0
    assert command("toy", "analyze", "run")[0] == 0


def test_a_run_of_another_instrument_is_refused(place, command):
    code, said = command("uptake", "analyze", "run")
    assert (code, said) == (2, "error: run: is a run of 'toy', not of 'uptake'\n")

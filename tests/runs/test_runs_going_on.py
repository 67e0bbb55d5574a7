"""How a run that is not done ends, what it says then, and what `runs status` says of it."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from gated import GATED

from tutorscope.cli import instruments, main
from tutorscope.runs.folder import RunFolder, at_work, locked
from tutorscope.runs.instrument import RunLike

pytestmark = pytest.mark.xdist_group("runs")

FUNCTIONS = """
import asyncio

async def weak(messages, *, session, item):
    return "who knows"

async def strong(messages, *, session, item):
    return "I know"

async def nothing(messages, *, session, item):
    return None

async def lost(messages, *, session, item):
    raise KeyError(item["id"])

async def fails_on_a(messages, *, session, item):
    return {"b": "who knows"}[item["id"]]

async def cancels(messages, *, session, item):
    raise asyncio.CancelledError()
"""


@pytest.fixture
def place(tmp_path, monkeypatch):
    (tmp_path / "going_on_mine.py").write_text(FUNCTIONS, encoding="utf-8")
    (tmp_path / "words.txt").write_text("a b\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(sys.modules, "going_on_mine", raising=False)
    return tmp_path


@pytest.fixture
def command(place, monkeypatch, capfd):
    """Run a command in this process: exit code, what it printed as the result, and what it printed beside it."""
    freeze = RunLike("freeze", "Record.", GATED.run_options, GATED.ask, executes=False)
    offered = replace(GATED, run_like=lambda: [freeze])
    installed = instruments.instruments()
    monkeypatch.setattr(instruments, "instruments", lambda: {**installed, "gated": lambda: offered})
    monkeypatch.setattr(main, "instruments", instruments.instruments)

    def run(*args: str) -> tuple[int, str, list[str]]:
        with pytest.raises(SystemExit) as ended:
            main.main(args)
        said = capfd.readouterr()
        return int(ended.value.code or 0), said.out, said.err.splitlines()

    return run


def named(role, function):
    return (f"--{role}", f"{role[0].upper()}=going_on_mine:{function}")


def asked(*students, verb="run"):
    return (
        *("gated", verb, "words.txt", "--out", "run"),
        *[part for student in students for part in ("--student", f"{student}=going_on_mine:{student}")],
        *named("tutor", "weak"),
        *named("judge", "weak"),
    )


def test_a_gate_that_is_shut_ends_with_2_and_does_not_say_to_try_again(command):
    code, _, said = command(*asked("strong"))
    assert code == 2
    assert "error: strong knows them all" in said
    assert said[-1] == "2 units are still owed; none of them erred"


def test_one_unit_is_a_unit(command, place):
    (place / "words.txt").write_text("a\n", encoding="utf-8")
    _, _, said = command(*asked("strong"))
    assert said[-1] == "1 unit is still owed; none of them erred"
    # A rate, such as "10.31 units/s", is no count.
    counts = re.findall(r"(?<![\d.])(\d+) (units?)\b(?!/s)", " ".join(said))
    assert ("1", "unit") in counts
    assert ("1", "units") not in counts


def test_a_gate_waits_for_what_is_ahead_of_it_and_a_run_whose_calls_all_fail_ends_with_1(command):
    code, _, said = command(*asked("nothing"))
    assert code == 1
    assert not [line for line in said if line.startswith("error:")]
    assert said[-4:] == [
        "nothing: 2 words are not tried yet",
        "4 units are still owed; 2 of them erred:",
        "    2 x going_on_mine:nothing gave None; expected str or Reply (going_on_mine.py, line 10)",
        "run the same command again to try what erred",
    ]


def test_a_student_who_is_refused_is_refused_whatever_another_one_owes(command):
    code, _, said = command(*asked("strong", "nothing"))
    assert code == 2
    assert [line for line in said if line.startswith("error:")] == ["error: strong knows them all"]
    assert "nothing: 2 words are not tried yet" in said
    assert said[-1] == "run the same command again to try what erred"


def test_a_student_who_is_weak_is_taught_whatever_another_one_owes(command):
    code, _, _ = command(*asked("weak", "nothing"))
    assert code == 1
    cells = json.loads(command("runs", "status", "run", "--json")[1])["cells"]
    assert {cell["title"]: (cell["done"], cell["owed"]) for cell in cells} == {
        "first, student weak": (2, 0),
        "first, student nothing": (0, 2),
        "lesson, student weak, tutor T": (2, 0),
        "lesson, student nothing, tutor T": (0, 2),
        "rate, judge J": (2, 0),
    }


def test_units_that_erred_for_reasons_of_one_kind_are_one_line(command):
    _, _, said = command(*asked("lost"))
    assert said[-2].startswith("    2 x going_on_mine:lost raised KeyError: '")
    assert said[-2].endswith("' (going_on_mine.py, line 14) (and 1 reason like it)")


def test_a_call_that_was_cancelled_in_the_users_code_is_said_plainly(command):
    _, _, said = command(*asked("cancels"))
    assert said[-2] == (
        "    2 x going_on_mine:cancels raised asyncio.exceptions.CancelledError (going_on_mine.py, line 20): something "
        "that it waited for was cancelled"
    )
    status = command("runs", "status", "run")[1]
    assert (
        "first, student cancels: owed, once student cancels is named again: 0 done, 2 owed; 0 replies, 2 failed\n"
        in (status)
    )


def test_what_is_recorded_begins_with_the_command_that_is_said(command):
    code, out, _ = command(*asked("weak", verb="freeze"))
    assert code == 0
    begin = out.strip().partition("Begin with: tutorscope ")[2]
    assert begin == (
        "gated run --out run --tutor T=going_on_mine:weak --student weak=going_on_mine:weak "
        "--judge J=going_on_mine:weak"
    )
    code, _, said = command(*begin.split())
    assert code == 0, said


def test_all_who_must_be_named_again_are_named_in_one_line(command):
    command(*asked("weak", verb="freeze"))
    code, _, said = command("gated", "run", "--out", "run")
    assert code == 2
    (error,) = [line for line in said if line.startswith("error:")]
    # The judge has nothing to rate yet, and will.
    assert error == (
        "error: student 'weak', tutor 'T' and judge 'J' run code, and a run folder alone never starts that; expected "
        "them named again: --student weak=going_on_mine:weak --tutor T=going_on_mine:weak "
        "--judge J=going_on_mine:weak, where going_on_mine can be imported"
    )
    assert said[-1] == "4 units are still owed; none of them erred"
    status = command("runs", "status", "run")[1]
    assert status.splitlines() == [
        "first, student weak: owed, once student weak is named again: 0 done, 2 owed; 0 replies",
        "lesson, student weak, tutor T: waiting for first: 0 done, 2 owed; 0 replies",
        "rate, judge J: waiting for lesson: 0 done, 0 owed; 0 replies",
        f"to go on: {error.removeprefix('error: ')}",
    ]


def test_nobody_is_asked_for_who_has_nothing_left_to_do(command):
    assert command(*asked("weak"))[0] == 0
    assert command("gated", "run", "--out", "run")[0] == 0
    assert "to go on" not in command("runs", "status", "run")[1]


def test_a_run_that_another_process_works_on_is_running(command, place):
    command(*asked("fails_on_a"))
    run = RunFolder(place / "run")
    with locked(run):
        status = command("runs", "status", "run")[1].splitlines()
    assert status[0].startswith("process ")
    assert status[0].endswith(" is working on this run")
    assert status[1].startswith("first, student fails_on_a: running: 1 done, 1 owed; 1 reply, 1 failed; tokens ")
    assert "named again" not in "\n".join(status)
    assert at_work(run) == ""


def test_who_was_killed_at_work_is_not_at_work(tmp_path):
    run = RunFolder(tmp_path)
    with locked(run):
        left = (tmp_path / "lock.pid").read_text(encoding="utf-8")
    (tmp_path / "lock.pid").write_text(left, encoding="utf-8")
    assert at_work(run) == ""


def test_money_is_said_where_there_is_some(command, place):
    command(*asked("weak"))
    assert "2 replies; tokens 0 in, 0 out; no price\n" in command("runs", "status", "run")[1]
    (place / "prices.yaml").write_text(
        "currency: EUR\nmodels: {going_on_mine: {input: 1, output: 1}}\n", encoding="utf-8"
    )
    assert "; 0 EUR\n" in command("runs", "status", "run", "--prices", "prices.yaml")[1]


def test_an_estimate_without_prices_names_no_amount(command):
    out = command(*asked("weak"), "--estimate")[1]
    assert "USD" not in out
    assert out.splitlines()[-1].endswith("; no price: T, weak")


@pytest.mark.parametrize(
    "use", [("gated", "analyze", "run"), ("report", "run"), ("runs", "status", "run")], ids=" ".join
)
def test_a_damaged_log_is_named_wherever_a_run_is_read(command, place, use):
    command(*asked("weak"))
    (log,) = (place / "run" / "logs" / "lesson").glob("*.eval")
    log.write_bytes(log.read_bytes()[: log.stat().st_size // 2])
    code, out, said = command(*use)
    assert code == 0
    (line,) = [line for line in [*out.splitlines(), *said] if "a log could not be read: " in line]
    assert log.name in line
    assert "journal" in line


def test_a_damaged_log_is_named_on_the_page_ahead_of_its_numbers(command, place):
    command(*asked("weak"))
    (log,) = (place / "run" / "logs" / "lesson").glob("*.eval")
    log.rename(hostile := log.with_name("<b>gone.eval"))
    hostile.write_bytes(b"")
    command("report", "run")
    page = (place / "run" / "report.html").read_text(encoding="utf-8")
    assert "<b>gone" not in page
    assert page.count("A log could not be read: &lt;b&gt;gone.eval: BadZipFile") == 1
    assert page.index("A log could not be read") < page.index("<table")


def test_what_is_owed_is_said_wherever_numbers_are_shown(command, place):
    command(*asked("fails_on_a"))
    for again in (("gated", "analyze", "run"), ("report", "run")):
        code, _, said = command(*again)
        assert code == 0
        assert said[-1] == "not finished: 3 of 4 units are still owed, 1 of them after an error"
    page = (place / "run" / "report.html").read_text(encoding="utf-8")
    assert "Not finished: 3 of 4 units are still owed" in page
    assert "What is not there yet" in page
    assert "KeyError" in page


def test_where_nothing_is_owed_nothing_is_said(command, place):
    command(*asked("weak"))
    _, _, said = command("gated", "analyze", "run")
    assert said == []
    assert "What is not there yet" not in (place / "run" / "report.html").read_text(encoding="utf-8")

"""A stage shared out to several processes: the same work, each part once, and every end leaves the run whole."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
import threading
import zipfile
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from chat_server import ChatServer
from killing import Commands, lives, quiet, until, workers

import tutorscope.runs.results  # noqa: F401 (so that zipfile reads what Inspect writes)
from tutorscope.models.speakers import Speaker
from tutorscope.runs.folder import RunFolder
from tutorscope.runs.journal import Journal, held_replies, journal_lines
from tutorscope.runs.plan import Job, Limits
from tutorscope.runs.shares import Share, how_many, shares
from tutorscope.runs.stages import Cell, Stage, Unit

SUPPORT = Path(__file__).resolve().parents[1] / "support"
SECRET = "sk-planted-0987654321fedcba"
WORDS = 14
# 1 first reply a word, 3 lessons of 3 rounds of tutor and student, 1 digest, and a rating a lesson.
WHOLE = WORDS + WORDS * 3 * 6 + 1 + WORDS * 3
on_linux = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="finds processes in /proc, as Linux has it")
in_processes = pytest.mark.xdist_group("runs")


def fill(place):
    shutil.copy(SUPPORT / "toy_tutor.py", place)
    (place / "words.txt").write_text(" ".join(f"w{n}" for n in range(WORDS)), encoding="utf-8")


@pytest.fixture
def place(tmp_path):
    fill(tmp_path)
    return tmp_path


@pytest.fixture
def server():
    with ChatServer(delay=0.03) as server:
        yield server


@pytest.fixture
def commands(place):
    return Commands(place)


def arguments(server, processes, out="run"):
    url = f"{server.url}#test-model"
    roles = [part for role in ("student", "builder", "judge", "tutor") for part in (f"--{role}", f"one={url}")]
    return ["toy", "run", "words.txt", *roles, "--out", out, "--yes", "--processes", str(processes)]


def units_table(place, run):
    import pandas as pd

    table = pd.read_parquet(place / run / "tables" / "units.parquet").drop(columns="run")
    return sorted(map(repr, table.to_dict("records")))


def arrived(place):
    lines = journal_lines(place / "run" / "calls") if (place / "run" / "calls").exists() else ()
    return {line["requested"]["seed"] for line in lines if line["kind"] == "reply"}


def seeds_asked(server, since=0):
    return [request["body"]["seed"] for request in server.asked[since:]]


def goes_on(server, commands, place, processes):
    """Give the command again: what had arrived is not asked again, and the run is whole then."""
    before, held = quiet(server, 2), arrived(place)
    assert held
    code, said = commands.run(*arguments(server, processes))
    assert code == 0, said
    assert not held & set(seeds_asked(server, before))
    assert len(arrived(place)) == WHOLE


def lessons_under_way(server, more=20):
    return lambda: len(server.asked) >= WORDS + more


@pytest.fixture(scope="module")
def in_two(tmp_path_factory):
    """One run in two processes, with a secret in a header: what it printed, what was asked, and its folder."""
    place = tmp_path_factory.mktemp("in-two")
    fill(place)
    with pytest.MonkeyPatch.context() as patch, ChatServer(delay=0.01) as server:
        patch.setenv("TOY_KEY", SECRET)
        commands = Commands(place)
        code, said = commands.run(*arguments(server, 2), "--tutor-header", "Authorization=env:TOY_KEY")
        assert code == 0, said
        yield place, server, said, len(server.asked)


@in_processes
def test_two_processes_do_what_one_does_and_ask_nothing_twice(in_two):
    place, server, _, asked = in_two
    assert asked == WHOLE
    assert set(Counter(seeds_asked(server)).values()) == {1}
    assert sorted(path.name for path in (place / "run" / "calls").glob("*.jsonl")) == [
        *("digest.jsonl", "first.jsonl", "lesson.1.jsonl", "lesson.2.jsonl", "rate.1.jsonl", "rate.2.jsonl")
    ]
    code, said = Commands(place).run(*arguments(server, 1, out="alone"))
    assert code == 0, said
    assert sorted(seeds_asked(server, asked)) == sorted(seeds_asked(server)[:asked])
    assert units_table(place, "run") == units_table(place, "alone")


@in_processes
def test_the_meter_counts_what_all_processes_do(in_two):
    assert f"lesson: {WORDS * 3} of {WORDS * 3} units, {WORDS * 18} calls" in in_two[2]


@in_processes
def test_a_run_in_two_processes_holds_no_key(in_two):
    place, server, said, _ = in_two
    assert any(SECRET in json.dumps(request["headers"]) for request in server.asked)
    assert SECRET not in said
    files = [path for path in (place / "run").rglob("*") if path.is_file()]
    assert any(path.suffix == ".eval" for path in files)
    for path in files:
        data = path.read_bytes()
        if path.suffix == ".eval":
            with zipfile.ZipFile(path) as archive:
                data += b"".join(archive.read(name) for name in archive.namelist())
        assert SECRET.encode() not in data, path


@in_processes
@on_linux
def test_when_the_first_process_is_killed_the_others_end_and_nothing_is_asked_again(place, server, commands):
    process, _ = commands.start(*arguments(server, 2))
    until(lessons_under_way(server))
    others = workers(process.pid)
    os.kill(process.pid, signal.SIGKILL)
    process.join()
    assert len(others) == 2
    until(lambda: not any(lives(pid) for pid in others))
    # What two processes left behind is taken up by one.
    goes_on(server, commands, place, 1)
    assert max(Counter(seeds_asked(server)).values()) <= 2


@in_processes
@on_linux
def test_a_process_that_is_killed_is_named_and_its_share_is_still_owed(place, server, commands):
    process, said = commands.start(*arguments(server, 2))
    until(lessons_under_way(server))
    os.kill(workers(process.pid)[0], signal.SIGKILL)
    process.join(60)
    assert process.exitcode == 1
    assert "of 2 ended before its time (killed by signal 9)" in said.read_text(encoding="utf-8")
    assert "still owed; none of them erred" in said.read_text(encoding="utf-8")
    goes_on(server, commands, place, 2)


@in_processes
@on_linux
def test_ctrl_c_while_processes_start_stops_the_run_before_it_asks_anything_of_them(place, server, commands):
    # However fast they load: neither asks anything while somebody else has its journal.
    journals = [Journal(place / "run" / "calls", "lesson", number) for number in (1, 2)]
    process, said = commands.start(*arguments(server, 2))
    until(lambda: len(workers(process.pid)) == 2)
    os.kill(process.pid, signal.SIGINT)
    process.join(60)
    for journal in journals:
        journal.close()
    assert process.exitcode == 130
    assert "Traceback" not in said.read_text(encoding="utf-8")
    assert "ended before its time" not in said.read_text(encoding="utf-8")
    assert quiet(server, 0.5) == WORDS, "only the stage before was asked"


@in_processes
@on_linux
def test_what_a_process_cannot_write_is_one_line(place, server, commands):
    (place / "run" / "calls" / "lesson.2.jsonl").mkdir(parents=True)
    code, said = commands.run(*arguments(server, 2))
    assert code == 2
    assert "Traceback" not in said
    assert said.strip().endswith("lesson.2.jsonl: Is a directory")


@in_processes
@on_linux
def test_ctrl_z_pauses_all_processes_and_they_go_on(place, server, commands):
    process, _ = commands.start(*arguments(server, 2))
    until(lessons_under_way(server))
    others = workers(process.pid)
    os.kill(process.pid, signal.SIGTSTP)
    until(lambda: all(state(pid) == "T" for pid in [process.pid, *others]))
    asked = quiet(server, 2)
    os.kill(process.pid, signal.SIGCONT)
    process.join(120)
    assert process.exitcode == 0
    assert asked < len(server.asked) == WHOLE


def state(pid):
    return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]


@in_processes
@on_linux
def test_ctrl_c_stops_all_processes_in_good_order(place, server, commands):
    process, said = commands.start(*arguments(server, 2))
    until(lessons_under_way(server))
    others = workers(process.pid)
    os.kill(process.pid, signal.SIGINT)
    process.join(60)
    assert process.exitcode == 130
    assert "stopped; run the same command again to go on" in said.read_text(encoding="utf-8")
    assert "Traceback" not in said.read_text(encoding="utf-8")
    until(lambda: not any(lives(pid) for pid in others))
    goes_on(server, commands, place, 1)


def share(number, of):
    return Share(RunFolder(Path("run")), None, (), Limits(), "s", (), number, of)


@given(st.text(), st.text(), st.integers(1, 9))
def test_each_unit_falls_to_exactly_one_share(cell, unit, of):
    assert [share(number, of).holds(cell, unit) for number in range(1, of + 1)].count(True) == 1


def test_shares_are_of_much_the_same_size():
    sizes = Counter(
        number for n in range(3_000) for number in (1, 2, 3) if share(number, 3).holds("s|tutor=x", f"u{n}")
    )
    assert all(900 < size < 1_100 for size in sizes.values())


def owed_by(units, **kinds):
    speakers = {role: {role: Speaker(role, role, "x", kind, {"model": "x"})} for role, kind in kinds.items()}
    cell = Cell("s", {role: role for role in kinds})
    job = Job(RunFolder(Path("run")), None, (), speakers, {}, limits=Limits(max_connections=3, processes=4))
    return job, {cell.key: (cell, [Unit(str(n)) for n in range(units)])}


def stage(**facts):
    return Stage("s", ("tutor",), cells=None, units=None, rule=None, calls=None, **facts)


@pytest.mark.parametrize(("units", "count"), [(1_000, 3), (59, 2), (39, 1), (0, 1)])
def test_a_process_is_started_for_enough_units_and_connections(units, count):
    assert how_many(*_with(stage(), *owed_by(units, tutor="http"))) == (count, "")


@pytest.mark.parametrize("kind", ["embedded", "function", "policy", "scripted", "inspect"])
def test_what_lives_in_a_process_is_not_there_twice(kind):
    count, why = how_many(*_with(stage(), *owed_by(1_000, judge="http", tutor=kind)))
    assert (count, why) == (1, "tutor 'tutor' is not a server that is named by its address")


def test_texts_are_embedded_in_one_process_wherever_the_embedder_is():
    count, why = how_many(*_with(stage(), *owed_by(1_000, embedder="http")))
    assert (count, why) == (1, "each text is embedded once for all of it")


def test_shares_divide_the_connections_and_ask_for_no_further_division():
    job, owed = owed_by(1_000, tutor="http")
    job = replace(job, limits=Limits(max_connections=11, processes=4))
    divided = shares(*_with(stage(), job, owed), 4)
    assert [one.limits.max_connections for one in divided] == [3, 3, 3, 2]
    assert {one.limits.processes for one in divided} == {1}


def test_a_stage_that_is_held_to_its_served_models_is_not_shared_out():
    count, why = how_many(*_with(stage(hold_served=True), *owed_by(1_000, tutor="http")))
    assert (count, why) == (1, "a served model that changes must stop all of it at once")


def test_an_instrument_that_cannot_be_sent_to_a_process_is_not_shared_out():
    job, owed = owed_by(1_000, tutor="http")
    count, why = how_many(replace(job, instrument=lambda: None), stage(), owed)
    assert count == 1
    assert "parts without a name" in why


def _with(stage, job, owed):
    return job, stage, owed


def test_what_any_process_wrote_is_held_for_whoever_takes_the_unit_up(tmp_path):
    for number in (0, 1, 2):
        journal = Journal(tmp_path, "s", number)
        journal.append("reply", "cell", f"u{number}", role="tutor", draw="d", attempt=0, request="r", text="x")
        journal.close()
    other = Journal(tmp_path, "s2")
    other.append("reply", "cell", "u9", role="tutor", draw="d", attempt=0, request="r", text="x")
    other.close()
    assert {unit for _, unit in held_replies(tmp_path, "s", [("cell", f"u{n}") for n in range(10)])} == {
        "u0",
        "u1",
        "u2",
    }
    assert len(list(journal_lines(tmp_path))) == 4


def test_a_journal_of_a_share_waits_until_whoever_writes_it_has_ended(tmp_path):
    old = Journal(tmp_path, "s", 1)
    opened = []
    waiting = threading.Thread(target=lambda: opened.append(Journal(tmp_path, "s", 1)))
    waiting.start()
    waiting.join(0.3)
    assert not opened
    old.append("reply", "cell", "u1", role="tutor", draw="d", attempt=0, request="r", text="x")
    old.close()
    waiting.join(10)
    opened[0].append("reply", "cell", "u2", role="tutor", draw="d", attempt=0, request="r", text="x")
    opened[0].close()
    assert [line["unit"] for line in journal_lines(tmp_path, "s")] == ["u1", "u2"]

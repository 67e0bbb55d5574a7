"""A run of a test-only instrument, whole: killed twenty times, grown, erred, changed, and two at once."""

from __future__ import annotations

import json
import random
import shutil
import sys
import zipfile
from collections import Counter
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from chat_server import ChatServer
from killing import Commands, quiet, until

import tutorscope.runs.results  # noqa: F401 (so that zipfile reads what Inspect writes)
from tutorscope.runs.journal import journal_lines

SUPPORT = Path(__file__).resolve().parents[1] / "support"
pytestmark = pytest.mark.xdist_group("runs")


@pytest.fixture
def place(tmp_path):
    shutil.copy(SUPPORT / "toy_tutor.py", tmp_path)
    (tmp_path / "words.txt").write_text("a b c\n", encoding="utf-8")
    return tmp_path


@pytest.fixture
def server():
    with ChatServer(delay=0.01) as server:
        yield server


@pytest.fixture
def commands(place):
    return Commands(place)


def arguments(server, *more, words="words.txt", tutors=("one", "two=toy_tutor:reply")):
    url = f"{server.url}#test-model"
    named = [f"one={url}" if tutor == "one" else tutor for tutor in tutors]
    return [
        "toy",
        "run",
        words,
        *("--student", url, "--builder", url, "--judge", url),
        *[part for tutor in named for part in ("--tutor", tutor)],
        *("--out", "run", "--yes"),
        *more,
    ]


def replies(place):
    return [line for line in journal_lines(place / "run" / "calls") if line["kind"] == "reply"]


def seeds_in_journal(place):
    # The seed derives from unit, role, draw and attempt: it is the call's name as the server sees it.
    return {line["requested"]["seed"] for line in replies(place) if line["model"] == "test-model"}


def seeds_asked(server):
    return [request["body"]["seed"] for request in server.asked if "seed" in request["body"]]


def units_table(place):
    import pandas as pd

    return pd.read_parquet(place / "run" / "tables" / "units.parquet").drop(columns="run").to_dict("records")


# 3 first + 2 tutors x 3 words x 3 replicates x 3 rounds x (tutor, student) + 2 digests + 18 ratings
WHOLE = 3 + 108 + 2 + 18
SERVED = WHOLE - 27  # the function's 27 x 1 replies did not go over the server


@pytest.mark.timeout(900)
def test_killed_at_twenty_moments_it_repeats_no_reply_that_arrived(place, server, commands):
    moments = random.Random(7)
    in_flight: Counter[int] = Counter()
    kills = 0
    # Two at a time, so that replies have arrived by each kill, and slow, so that no start comes to the end.
    server.delay = 0.05
    few = ("--max-connections", "2")
    for n in range(20):
        before = len(server.asked)
        goal = before + moments.randint(1, 9)
        journalled = seeds_in_journal(place)
        alive = commands.kill_when(lambda goal=goal: len(server.asked) >= goal, *arguments(server, *few))
        # What was sent before the kill may still be on its way.
        quiet(server, 0.1)
        asked_now = seeds_asked(server)[before:]
        assert not journalled & set(asked_now), f"start {n} asked again for a reply that the journal held"
        in_flight.update(set(seeds_asked(server)) - seeds_in_journal(place))
        kills += alive
    journalled = seeds_in_journal(place)
    assert journalled
    before = len(server.asked)
    server.delay = 0.01
    code, said = commands.run(*arguments(server))
    assert code == 0, said
    assert not journalled & set(seeds_asked(server)[before:])
    assert kills == 20
    assert len(replies(place)) == WHOLE
    assert len(seeds_in_journal(place)) == SERVED
    for seed, times in Counter(seeds_asked(server)).items():
        assert times <= 1 + in_flight[seed], "a reply that was not in flight at a kill was asked twice"
    killed = units_table(place)
    shutil.rmtree(place / "run")
    assert commands.run(*arguments(server))[0] == 0
    assert killed == units_table(place), "twenty kills changed a result"
    assert commands.run("report", "run")[0] == 0
    assert units_table(place) == killed


def test_killed_before_its_plan_stood_it_starts_as_if_new(place, server, commands):
    assert commands.kill_when(lambda: (place / "run").exists(), *arguments(server, tutors=["one"]))
    assert commands.run(*arguments(server, tutors=["one"]))[0] == 0


def test_a_finished_run_started_again_makes_no_call(place, server, commands):
    commands.run(*arguments(server))
    before = len(server.asked)
    assert commands.run(*arguments(server))[0] == 0
    assert len(server.asked) == before


def test_growth_costs_only_what_is_new(place, server, commands):
    assert commands.run(*arguments(server, "--limit", "2", tutors=["one"]))[0] == 0
    assert len(server.asked) == 2 + 2 * 3 * 6 + 1 + 6
    first = len(server.asked)
    assert commands.run(*arguments(server, tutors=["one"]))[0] == 0
    # One more word: its first reply and lessons, a digest that now has other lessons in it, three ratings.
    assert len(server.asked) == first + 1 + 18 + 1 + 3
    second = len(server.asked)
    assert commands.run(*arguments(server, tutors=["one", "two=toy_tutor:reply"]))[0] == 0
    # Another tutor: the baseline is shared, and only the student's half goes over the server.
    assert len(server.asked) == second + 27 + 1 + 9
    third = len(server.asked)
    code, said = commands.run("judge", "run", "--judge", f"M2={server.url}#test-model", "--yes")
    # The function is needed for nothing any more: it need not be named again.
    assert code == 0, said
    assert len(server.asked) == third + 18
    assert commands.run("judge", "run", "--ratings", "2", "--yes")[0] == 0
    assert len(server.asked) == third + 18 + 18, "more ratings by the last judge owe only the new ones"


def test_a_unit_that_errs_is_said_and_taken_up_again(place, server, commands):
    failing = arguments(server, tutors=["two=toy_tutor:fails_on_b"])
    code, said = commands.run(*failing)
    assert code == 1
    assert "4 units are still owed" in said, "the three, and the digest that waits for them"
    assert "I know nothing of b" in said
    code, said = commands.run("runs", "status", "run")
    assert code == 0
    assert "erred: 3 x toy_tutor:fails_on_b raised ValueError" in said
    text = (place / "toy_tutor.py").read_text(encoding="utf-8")
    (place / "toy_tutor.py").write_text(text.replace('if item["id"] == "b"', "if False"), encoding="utf-8")
    code, said = commands.run(*failing)
    assert code == 2, "a function whose source changed is another tutor"
    assert "tutor.source" in said
    (place / "toy_tutor.py").write_text(text, encoding="utf-8")
    before = len(server.asked)
    assert commands.run(*failing)[0] == 1
    assert len(server.asked) == before, "what is done stays done while a unit errs again"


def test_an_erred_server_is_asked_again_on_the_next_start(place, server, commands):
    server.faults = lambda number, body: "400" if number == 2 else None
    code, said = commands.run(*arguments(server, tutors=["one"]))
    assert code == 1
    assert "1 x ProviderError" in said
    server.faults = lambda number, body: None
    assert commands.run(*arguments(server, tutors=["one"]))[0] == 0
    assert Counter(Counter(seeds_asked(server)).values())[2] == 1


def test_a_changed_prompt_is_refused_and_names_the_field(place, server, commands):
    commands.run(*arguments(server))
    (place / "mine").mkdir()
    (place / "mine" / "first.md").write_text("Say what this means: {{word}}", encoding="utf-8")
    before = len(server.asked)
    code, said = commands.run(*arguments(server, "--prompts", "mine"))
    assert code == 2
    assert "prompt was" in said
    assert len(said.strip().splitlines()) == 1
    assert len(server.asked) == before


def test_changed_settings_are_refused_and_other_connections_are_not(place, server, commands):
    commands.run(*arguments(server))
    code, said = commands.run(*arguments(server, "--student-setting", "temperature=0.3"))
    assert (code, "student.temperature was not set and is 0.3 now" in said) == (2, True)
    assert commands.run(*arguments(server, "--max-connections", "3", "--attempt-timeout", "9"))[0] == 0


def test_a_changed_item_is_refused_and_named(place, server, commands):
    (place / "words.txt").write_text("a:old b c\n", encoding="utf-8")
    commands.run(*arguments(server))
    (place / "words.txt").write_text("a:new b c\n", encoding="utf-8")
    code, said = commands.run(*arguments(server))
    assert (code, "item 'a'" in said) == (2, True)


def test_a_second_process_is_refused(place, server, commands):
    server.delay = 3
    first, _ = commands.start(*arguments(server))
    until(lambda: server.asked)
    code, said = commands.run(*arguments(server))
    assert code == 2
    assert f"process {first.pid}" in said
    first.kill()
    first.join()


def test_a_stateful_unit_that_was_cut_short_starts_again_whole(place, server, commands):
    stateful = arguments(server, tutors=["two=toy_tutor:remembers"])
    assert commands.kill_when(lambda: len(server.asked) >= 12, *stateful)
    held = [line for line in replies(place) if line["role"] == "tutor"]
    assert held
    assert commands.run(*stateful)[0] == 0
    aside = [line for line in journal_lines(place / "run" / "calls") if line["kind"] == "set_aside"]
    assert aside
    sessions = {line["text"] for line in replies(place) if line["role"] == "tutor" and line["text"].endswith("-1")}
    assert len(sessions) == len(aside), "each unit that began anew is a session of its own"
    assert "set aside" in commands.run("runs", "status", "run")[1]


def test_a_planted_key_is_found_nowhere_in_the_run(place, server, commands, monkeypatch):
    secret = "sk-planted-1234567890abcdef"
    monkeypatch.setenv("TOY_KEY", secret)
    server.faults = lambda number, body: "401" if number == 3 else None
    headers = ("--tutor-header", "one:Authorization=env:TOY_KEY", "--student-header", "X-Key=env:TOY_KEY")
    commands.run(*arguments(server, *headers))
    assert any(secret in json.dumps(request["headers"]) for request in server.asked)
    assert_nowhere(secret, place / "run")


def test_a_secret_that_a_server_sends_back_is_found_nowhere_in_the_run(place, commands, monkeypatch):
    secret = "s3cr3t-PLANTED-in-a-header"
    monkeypatch.setenv("PLANT", secret)
    with ChatServer(lambda messages: {"content": f"You sent <{secret}>", "reasoning_content": secret}) as server:
        roles = ("tutor", "student", "builder", "judge")
        headers = [part for role in roles for part in (f"--{role}-header", "X-Secret=env:PLANT")]
        code, said = commands.run(*arguments(server, *headers, "--limit", "1", "--texts", "all", tutors=["one"]))
        assert code == 0, said
        assert any(secret in json.dumps(request["headers"]) for request in server.asked)
    assert {line["text"] for line in replies(place)} == {"You sent <[secret]>"}
    assert secret not in said
    assert_nowhere(secret, place / "run")


def assert_nowhere(secret, folder):
    read = 0
    for path in folder.rglob("*"):
        if path.is_file():
            data = path.read_bytes()
            if path.suffix == ".eval":
                with zipfile.ZipFile(path) as archive:
                    data += b"".join(archive.read(name) for name in archive.namelist())
            assert secret.encode() not in data, path
            read += 1
    assert read


def test_an_estimate_makes_no_call_and_writes_nothing(place, server, commands):
    code, said = commands.run(*arguments(server, "--estimate"))
    assert code == 0
    assert "calls 3 least, 3 expected, 3 most" in said
    assert not server.asked
    assert not (place / "run").exists()


def test_the_cli_says_bad_input_in_one_line(place, server, commands):
    code, said = commands.run("runs", "status", "nowhere")
    assert (code, said) == (
        2,
        "error: nowhere: not a run folder (is not there); expected the --out folder of an earlier run\n",
    )


def test_two_folders_of_templates_are_laid_over_each_other(place, server, commands):
    for name, file, text in (("one", "first.md", "In my words: {{word}}"), ("two", "rate.md", "Judge {{lines}}")):
        (place / name).mkdir()
        (place / name / file).write_text(text, encoding="utf-8")
    assert commands.run(*arguments(server, "--prompts", "one", tutors=["one"]))[0] == 0
    asked = len(server.asked)
    # The second folder says nothing of the first one's template, which stays in force.
    code, said = commands.run(*arguments(server, "--prompts", "one", tutors=["one"]))
    assert (code, len(server.asked)) == (0, asked), said
    code, said = commands.run(*arguments(server, "--prompts", "two", tutors=["one"]))
    assert (code, len(server.asked)) == (0, asked), said
    code, said = commands.run(*arguments(server, tutors=["one"]))
    assert (code, len(server.asked)) == (0, asked), said
    code, said = commands.run("runs", "status", "run")
    assert code == 0, said


def test_a_stateful_model_is_refused_where_calls_must_not_depend_on_each_other(place, server, commands):
    url = f"{server.url}#test-model"
    code, said = commands.run(
        *("toy", "run", "words.txt", "--student", "toy_tutor:remembers", "--tutor", f"one={url}"),
        *("--builder", url, "--judge", url, "--out", "run", "--yes"),
    )
    assert code == 2
    assert "stateful" in said
    assert not server.asked


def test_another_served_model_stops_the_run_and_it_goes_on_when_the_first_is_back(place, commands):
    served = ["big-1"]
    with ChatServer(reply=lambda messages: {"content": "a word", "model": served[0]}) as server:
        assert commands.run(*arguments(server, "--limit", "1", tutors=["one"]))[0] == 0
        served[0] = "small-2"
        code, said = commands.run(*arguments(server, tutors=["one"]))
        assert code == 2
        assert "served as 'big-1' and is now served as 'small-2'" in said
        served[0] = "big-1"
        assert commands.run(*arguments(server, tutors=["one"]))[0] == 0
        kinds = Counter(line["kind"] for line in journal_lines(place / "run" / "calls"))
        assert kinds["foreign"] >= 1


def test_a_judge_with_headers_that_is_not_named_again_blocks_nobody_else(place, server, commands, monkeypatch):
    monkeypatch.setenv("TOY_KEY", "secret-of-the-first")
    server.faults = lambda number, body: "400" if "Rate" in json.dumps(body) else None
    assert commands.run(*arguments(server, "--judge-header", "Authorization=env:TOY_KEY", tutors=["one"]))[0] == 1
    server.faults = lambda number, body: None
    code, said = commands.run("judge", "run", "--judge", f"M2={server.url}#test-model", "--yes")
    assert code == 2
    assert "sends secrets" in said
    assert "--judge-header" in said
    assert "\n9 units are still owed:\n" in said, "those of the first judge, and none of the second"
    status = commands.run("runs", "status", "run")[1]
    assert "rate, judge M2: done: 9 done" in status


def test_a_function_that_is_owed_and_not_named_again_is_said_in_one_line_that_helps(place, server, commands):
    assert commands.run(*arguments(server, "--limit", "1", tutors=["toy_tutor:reply"]))[0] == 0
    before = len(server.asked)
    code, said = commands.run(*arguments(server, tutors=[]))
    assert code == 2
    (line,) = [one for one in said.splitlines() if one.startswith("error:")]
    assert "expected it named again: --tutor toy_tutor:reply, where toy_tutor can be imported" in line
    assert "run the same command again" not in said
    # What needs no tutor is done.
    assert len(server.asked) > before
    assert commands.run(*arguments(server, tutors=["toy_tutor:reply"]))[0] == 0


def test_a_damaged_log_is_said_and_its_units_are_owed_again(place, server, commands):
    assert commands.run(*arguments(server, tutors=["one"]))[0] == 0
    asked = len(server.asked)
    (log,) = (place / "run" / "logs" / "rate").glob("*.eval")
    log.write_bytes(log.read_bytes()[: log.stat().st_size // 2])
    code, said = commands.run(*arguments(server, tutors=["one"]))
    assert "a log could not be read" in said
    assert code == 0
    assert len(server.asked) == asked, "what the log held is answered from the journal"

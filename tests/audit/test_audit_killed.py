"""A session that is killed in its middle: what arrived is not asked for again, and nothing else changes."""

from __future__ import annotations

import json
import random
import sys
from collections import Counter
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from chat_server import ChatServer
from killing import Commands

from tutorscope.runs.folder import RunFolder
from tutorscope.runs.journal import journal_lines
from tutorscope.runs.results import read_stage

pytestmark = pytest.mark.xdist_group("runs")


@pytest.fixture
def server():
    with ChatServer(delay=0.01) as server:
        yield server


def arguments(server, *more):
    url = f"{server.url}#test-model"
    return [
        *("audit", "run", "--problems", "demo", "--replicates", "2", "--ratings", "1", "--any-student"),
        *("--policy", "conversational", "--policy", "pedagogical"),
        *("--tutor", f"T={url}", "--student", f"S={url}", "--out", "run", "--yes"),
        *more,
    ]


def asked(server):
    """Name what the server was asked: a session's requests all differ, for its talk grows."""
    return [json.dumps([one["body"].get("seed"), one["body"]["messages"]]) for one in server.asked]


def replies(place):
    return [line for line in journal_lines(place / "run" / "calls") if line["kind"] == "reply"]


@pytest.mark.timeout(900)
def test_a_session_killed_in_its_middle_repeats_no_reply_that_arrived(tmp_path, server):
    commands = Commands(tmp_path)
    moments = random.Random(3)
    whole = arguments(server)
    whole[whole.index("--out") + 1] = "whole"
    assert commands.run(*whole)[0] == 0
    once = Counter(asked(server))
    begun = len(server.asked)
    kills = 0
    for _ in range(8):
        goal = len(server.asked) + moments.randint(2, 14)
        kills += commands.kill_when(lambda goal=goal: len(server.asked) >= goal, *arguments(server))
    code, said = commands.run(*arguments(server))
    assert code == 0, said
    killed = Counter(asked(server)[begun:])
    assert set(killed) == set(once), "a kill changed what was asked"
    # Asked more often than in the whole run: only what can have been in flight, a call of each of four sessions.
    assert kills > 4
    assert sum((killed - once).values()) <= 4 * kills
    assert len(replies(tmp_path)) == sum(once.values())
    assert results(tmp_path) == results(tmp_path, "whole")
    count = len(server.asked)
    assert commands.run(*arguments(server))[0] == 0
    assert len(server.asked) == count


def results(place, run="run"):
    return {(one.cell, one.unit): one.result for one in read_stage(RunFolder(place / run), "session").done}

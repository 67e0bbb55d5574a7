"""Chats split where people paused: parts, ids, counts, and what a run says of it."""

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from test_uptake_unrated import asked

from tutorscope.errors import RefusedError, UserError
from tutorscope.runs.folder import RunFolder
from tutorscope.runs.tables import gather
from tutorscope.uptake.instrument import UPTAKE
from tutorscope.uptake.splitting import parse_gap


@pytest.fixture(autouse=True)
def _importable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parent))


def log(folder: Path) -> Path:
    """Write a chat of two sittings of two exchanges and a short third, one in one sitting, and one without times."""

    def chat(name: str, minutes: list[int | None]) -> dict[str, Any]:
        turns = []
        for number, minute in enumerate(minutes):
            time = {} if minute is None else {"time": f"2025-03-01T{10 + minute // 60}:{minute % 60:02}:00"}
            turns.append({"speaker": ("student", "tutor")[number % 2], "text": f"{name}{number}", **time})
        return {"id": name, "turns": turns}

    chats = [chat("p", [0, 1, 2, 3, 60, 61, 62, 63, 120, 121]), chat("q", [0, 20, 45, 50]), chat("r", [None] * 4)]
    path = folder / "log.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in chats), encoding="utf-8")
    return path


@pytest.mark.parametrize(("text", "seconds"), [("30m", 1800), ("2h", 7200), ("90 S", 90), ("1.5d", 129600)])
def test_gaps_are_times(text: str, seconds: int) -> None:
    assert parse_gap(text) == timedelta(seconds=seconds)


@pytest.mark.parametrize("text", ["", "30", "m", "-3m", "0m", "30 minutes", "9" * 40 + "d"])
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(UserError, match="--split-gap"):
        parse_gap(text)


def test_parts_are_chats_of_their_own(tmp_path: Path) -> None:
    run = RunFolder(tmp_path / "run")
    asked(run, f"live={log(tmp_path)}", split_gap="30m")
    tables = gather(UPTAKE, [run])
    assert tables["chats"]["label"].tolist() == ["p#1", "p#2", "p#3", "q", "r"]
    assert tables["chats"]["reason"].tolist() == ["not_rated", "not_rated", "too_short", "not_rated", "not_rated"]
    (found,) = tables["logs"].to_dict("records")
    counts = ("chats", "valid_chats", "exchanges", "split_chats", "chats_before_split", "chats_without_times")
    assert {name: found[name] for name in counts} == dict(zip(counts, (5, 4, 9, 1, 3, 1), strict=True))
    assert found["split_gap"] == "30m"
    assert "too_short 1" in found["set_aside"]


def test_the_note_says_what_was_split(tmp_path: Path) -> None:
    from tutorscope.uptake.items import read_logs

    reading = dict.fromkeys(("category_column", "roles", "columns", "encoding", "limit", "traits"))
    reading |= {"format": "auto", "same_speaker": "merge", "skip_bad": False, "inputs": (f"live={log(tmp_path)}",)}
    _, (note,) = read_logs({**reading, "split_gap": "30m"})
    assert "4 of 5 chats valid" in note
    assert "split at gaps of 30m: 1 of 3 chats, 1 without times" in note
    _, (unsplit,) = read_logs({**reading, "split_gap": None})
    assert "split" not in unsplit
    assert "3 of 3 chats valid" in unsplit


def test_a_run_cannot_hold_a_log_cut_in_two_ways(tmp_path: Path) -> None:
    run = RunFolder(tmp_path / "run")
    asked(run, f"live={log(tmp_path)}", split_gap="30m")
    with pytest.raises(RefusedError):
        asked(run, f"live={log(tmp_path)}")

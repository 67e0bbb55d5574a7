"""The call journal: what is written is replayed, a torn line is owed, a unit that began anew starts empty."""

import json
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tutorscope.runs.journal import Journal, held_replies, journal_lines


def reply(journal, unit, draw, text="x", attempt=0):
    journal.append("reply", "cell", unit, role="tutor", draw=draw, attempt=attempt, request="r", text=text)


def test_a_reply_is_held_under_its_unit_role_draw_and_attempt(tmp_path):
    journal = Journal(tmp_path, "s")
    reply(journal, "u1", "d", "first")
    reply(journal, "u1", "d", "second", attempt=1)
    held = held_replies(tmp_path, "s", [("cell", "u1")])
    assert {key: line["text"] for key, line in held["cell", "u1"].replies.items()} == {
        ("tutor", "d", 0): "first",
        ("tutor", "d", 1): "second",
    }


def test_units_that_are_not_owed_are_passed_over(tmp_path):
    journal = Journal(tmp_path, "s")
    reply(journal, "u1", "d")
    reply(journal, "u2", "d")
    assert set(held_replies(tmp_path, "s", [("cell", "u2")])) == {("cell", "u2")}


def test_a_torn_last_line_is_no_reply_and_the_next_line_is_whole(tmp_path):
    journal = Journal(tmp_path, "s")
    reply(journal, "u1", "d")
    journal.close()
    with (tmp_path / "s.jsonl").open("ab") as out:
        out.write(b'{"kind":"reply","cell":"cell","unit":"u2","ro')
    assert [line["unit"] for line in journal_lines(tmp_path, "s")] == ["u1"]
    again = Journal(tmp_path, "s")
    reply(again, "u3", "d")
    assert [line["unit"] for line in journal_lines(tmp_path, "s")] == ["u1", "u3"]


def test_a_unit_set_aside_starts_empty_and_counts_it(tmp_path):
    journal = Journal(tmp_path, "s")
    reply(journal, "u1", "d")
    journal.append("set_aside", "cell", "u1", replies=1)
    reply(journal, "u1", "e")
    held = held_replies(tmp_path, "s", [("cell", "u1")])["cell", "u1"]
    assert set(held.replies) == {("tutor", "e", 0)}
    assert held.set_aside == 1


def test_a_full_disk_leaves_no_half_line(tmp_path, monkeypatch):
    journal = Journal(tmp_path, "s")
    reply(journal, "u1", "d")
    whole = os.write
    monkeypatch.setattr(os, "write", lambda file, data: whole(file, data[: len(data) // 2]))
    with pytest.raises(OSError, match="No space left"):
        reply(journal, "u2", "d")
    monkeypatch.undo()
    reply(journal, "u3", "d")
    assert [line["unit"] for line in journal_lines(tmp_path, "s")] == ["u1", "u3"]


@given(text=st.text(st.characters(codec=None)))
def test_any_text_comes_back_as_it_was(tmp_path_factory, text):
    folder = tmp_path_factory.mktemp("calls")
    journal = Journal(folder, "s")
    reply(journal, "u", "d", text)
    journal.close()
    (line,) = journal_lines(folder, "s")
    assert line["text"] == text
    assert (folder / "s.jsonl").read_bytes().count(b"\n") == 1
    json.loads((folder / "s.jsonl").read_text("ascii"))

"""What peek says."""

import json
from pathlib import Path

from tutorscope.chats.peek import peek, peek_text

FIXTURES = Path(__file__).parents[1] / "fixtures" / "chats"


def test_peek_gives_counts_and_two_chats_as_understood():
    found = peek(FIXTURES / "mathdial.jsonl")
    assert json.loads(json.dumps(found)) == found
    wanted = ("format", "chats", "turns", "exchanges", "valid_exchanges", "valid_chats", "reasons", "merged", "bad")
    assert [found[name] for name in wanted] == [
        "mathdial", 2, 9, 4, 2, 1, {"final_readout": 2, "opening": 2, "too_short": 1}, 0, 0,
    ]  # fmt: skip
    assert [chat["id"] for chat in found["shown"]] == ["7", "8"]
    assert found["shown"][1]["said"] == [
        {"speaker": "tutor", "text": "Hello", "tag": "opening"},
        {"speaker": "student", "text": "20", "tag": "final_readout"},
        {"speaker": "tutor", "text": "It is 5", "tag": "final_readout"},
    ]


def test_the_text_of_peek():
    assert (
        peek_text(peek(FIXTURES / "wide.csv"))
        == """\
wide.csv: wide (a table with one exchange a row (CSV, Parquet, JSON lines))
  because: an exchange a row: student in 'student', tutor in 'tutor', chat in 'chat'
  2 chats, 1 valid
  3 exchanges, 2 valid
  6 turns (0 system or tool)
  same speaker twice in a row: 0 turns merged
  roles: given by the format
  personal fields dropped: e-mail
  chats whose id another has: 0
  set aside: no_framing_yet 1, empty_tutor 1, no_tutor 1

chat w1: 2 exchanges, 2 valid; valid
  student: What is a noun?
  tutor:   Can you name something on your desk?
  student: a pencil
  tutor:   Then what kind of word is "pencil"?

chat w2: 1 exchange, 0 valid; not scored: no_tutor
  student: hi [empty_tutor]
  tutor:    [empty_tutor]
"""
    )


def test_hostile_text_makes_no_line_of_its_own_and_no_control_code(tmp_path):
    hostile = "hi\n  tutor:   I am the tutor\r\x1b[2J\x00\u2028  tutor: me too\u202e"
    record = {"id": f"x{hostile}", "messages": [{"role": "user", "content": hostile}], "m": 1}
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps(record), encoding="utf-8")
    lines = peek_text(peek(path)).split("\n")
    assert [line for line in lines if line.startswith("  tutor:")] == []
    assert not any(sign in line for line in lines for sign in "\x00\x1b\r\u2028\u202e")
    assert "  student: hi /   tutor:   I am the tutor /   tutor: me too [empty_tutor]" in lines


def test_long_chats_and_texts_are_shortened(tmp_path):
    messages = [{"role": "user", "content": "x" * 5000}] * 30
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps({"messages": messages}), encoding="utf-8")
    text = peek_text(peek(path, same_speaker="keep"))
    assert "... (5,000 characters) [empty_tutor]" in text
    assert "... 18 more turns" in text
    assert "same speaker twice in a row: kept apart" in text
    assert len(text) < 8000


def test_skipped_records_are_shown(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"messages": [{"role": "user", "content": "a"}]}\n{oops\n', encoding="utf-8")
    found = peek(path, skip_bad=True)
    assert found["bad"] == 1
    assert "  broken records skipped: 1\n    line 2: the record is not JSON" in peek_text(found)

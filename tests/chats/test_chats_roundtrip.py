"""Whatever is written in a format reads back the same."""

import csv
import json
import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import given, settings
from hypothesis import strategies as st

from tutorscope.chats.chat import Chat, Turn
from tutorscope.chats.plain import chat_to_data
from tutorscope.chats.reading import read_chats

SPEAKERS = ["student", "tutor", "other"]
OPENAI = {"student": "user", "tutor": "assistant", "other": "system"}
SHAREGPT = {"student": "human", "tutor": "gpt", "other": "system"}
LONG = {"student": "student", "tutor": "tutor", "other": "system"}

# Text that a file in UTF-8 can hold; JSON holds lone surrogates too.
nasty = st.sampled_from(
    ['"', '""', "\n", "\r", "\r\n", ",", ";", "\t", "\x00", "|EOM|", "\u2028", "\ufeff", "\\", "é", "𝛼"]
)
file_text = st.lists(nasty | st.text(st.characters(exclude_categories=["Cs"]), max_size=8), max_size=4).map("".join)
json_text = st.lists(nasty | st.text(st.characters(codec=None, categories=None), max_size=8), max_size=4).map("".join)


def talks(text):
    turns = st.lists(st.tuples(st.sampled_from(SPEAKERS), text), min_size=1, max_size=6)
    return st.lists(turns, min_size=1, max_size=4)


def read_back(name, write, **options):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        write(path)
        file = read_chats(path, **options)
        return [[(turn.speaker, turn.text) for turn in chat.turns] for chat in file], file.format


def as_csv(path, rows, separator=",", encoding="utf-8"):
    with path.open("w", newline="", encoding=encoding) as out:
        csv.writer(out, delimiter=separator, quoting=csv.QUOTE_ALL).writerows(rows)


@settings(max_examples=25, deadline=None)
@given(talks(json_text), st.sampled_from([None, 1]), st.booleans())
def test_openai_reads_back(chats, indent, ascii_only):
    records = [{"messages": [{"role": OPENAI[who], "content": what} for who, what in chat]} for chat in chats]
    text = json.dumps(records, indent=indent)
    if not ascii_only:
        text = json.dumps(records, indent=indent, ensure_ascii=False)
        if any(0xD800 <= ord(sign) <= 0xDFFF for sign in text):
            text = json.dumps(records, indent=indent)
    assert read_back("a.json", lambda path: path.write_text(text, encoding="utf-8")) == (chats, "openai")


@settings(max_examples=25, deadline=None)
@given(talks(json_text))
def test_sharegpt_lines_read_back(chats):
    records = [{"conversations": [{"from": SHAREGPT[who], "value": what} for who, what in chat]} for chat in chats]
    text = "\n".join(map(json.dumps, records))
    assert read_back("a.jsonl", lambda path: path.write_text(text, encoding="utf-8")) == (chats, "sharegpt")


@settings(max_examples=25, deadline=None)
@given(talks(file_text), st.sampled_from([",", ";", "\t"]), st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]))
def test_long_csv_reads_back(chats, separator, encoding):
    rows = [["chat", "role", "text"]]
    rows += [[f"c{i}", LONG[who], what] for i, chat in enumerate(chats) for who, what in chat]
    found = read_back("a.csv", lambda path: as_csv(path, rows, separator, encoding))
    assert found == (chats, "long")


@settings(max_examples=25, deadline=None)
@given(talks(file_text), st.randoms())
def test_interleaved_rows_give_the_same_chats(chats, random):
    left = [[(f"c{i}", LONG[who], what) for who, what in chat] for i, chat in enumerate(chats)]
    order = [i for i, chat in enumerate(chats) for _ in chat]
    random.shuffle(order)
    firsts = list(dict.fromkeys(order))
    rows = [["chat", "role", "text"], *(left[i].pop(0) for i in order)]
    found, _ = read_back("a.csv", lambda path: as_csv(path, rows))
    assert found == [chats[i] for i in firsts]


@settings(max_examples=25, deadline=None)
@given(talks(file_text))
def test_long_parquet_reads_back(chats):
    rows = [(f"c{i}", LONG[who], what) for i, chat in enumerate(chats) for who, what in chat]
    table = pa.table(dict(zip(("chat", "role", "text"), map(list, zip(*rows, strict=True)), strict=True)))
    assert read_back("a.parquet", lambda path: pq.write_table(table, path)) == (chats, "long")


@settings(max_examples=25, deadline=None)
@given(st.lists(st.lists(st.tuples(file_text, file_text), min_size=1, max_size=4), min_size=1, max_size=3))
def test_wide_csv_reads_back(chats):
    rows = [["chat", "student", "tutor"]]
    rows += [[f"c{i}", *pair] for i, chat in enumerate(chats) for pair in chat]
    expected = [
        [turn for student, tutor in chat for turn in (("student", student), ("tutor", tutor))] for chat in chats
    ]
    assert read_back("a.csv", lambda path: as_csv(path, rows)) == (expected, "wide")


metas = st.dictionaries(st.sampled_from(["move", "arm", "score"]), st.none() | st.integers() | json_text, max_size=2)
whole_turns = st.builds(Turn, st.sampled_from(SPEAKERS), json_text, st.none() | json_text, metas)
whole_chats = st.builds(
    Chat, json_text, st.lists(whole_turns, min_size=1, max_size=4).map(tuple), json_text, st.booleans(), metas
)


@settings(max_examples=25, deadline=None)
@given(st.lists(whole_chats, min_size=1, max_size=4))
def test_our_own_lines_lose_nothing(chats):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.jsonl"
        path.write_text("".join(json.dumps(chat_to_data(chat)) + "\n" for chat in chats), encoding="utf-8")
        file = read_chats(path)
        assert list(file) == chats
        assert file.format == "tutorscope"


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["Teacher", "Student", "Lena"]), file_text), min_size=1, max_size=6))
def test_mathdial_reads_back_what_holds_no_separator(turns):
    turns = [(who, what.replace("|EOM|", "")) for who, what in turns]
    text = "|EOM|".join(f"{who}: (focus){what}" if who == "Teacher" else f"{who}: {what}" for who, what in turns)
    record = {"qid": 1, "conversation": text, "student_profile": "Lena is new", "student_incorrect_solution": "x"}
    found, fmt = read_back("a.jsonl", lambda path: path.write_text(json.dumps(record), encoding="utf-8"))
    expected = [("tutor" if who == "Teacher" else "student", what) for who, what in turns]
    # One blank after the move is part of the layout.
    expected = [(who, what[1:] if who == "tutor" and what.startswith(" ") else what) for who, what in expected]
    assert (found, fmt) == ([expected], "mathdial")

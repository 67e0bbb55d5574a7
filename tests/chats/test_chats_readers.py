"""Each built-in reader on its fixture, and the oddities of its format."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tutorscope.chats.reading import read_chats
from tutorscope.errors import UserError

FIXTURES = Path(__file__).parents[1] / "fixtures" / "chats"


def said(chat):
    return [(turn.speaker, turn.text) for turn in chat.turns]


def read(path, **options):
    return list(read_chats(path, **options))


def written(path: Path, *records) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("name", "fmt", "chats", "turns", "exchanges", "valid_exchanges", "valid_chats"),
    [
        ("openai.jsonl", "openai", 2, 10, 3, 3, 1),
        ("sharegpt.jsonl", "sharegpt", 2, 7, 3, 3, 1),
        ("long.csv", "long", 2, 7, 3, 3, 1),
        ("wide.csv", "wide", 2, 6, 3, 2, 1),
        ("mathdial.jsonl", "mathdial", 2, 9, 4, 2, 1),
        ("mathtutorbench.json", "mathtutorbench", 2, 8, 3, 3, 1),
        ("comta.json", "comta", 1, 5, 3, 2, 1),
        ("tutorscope.jsonl", "tutorscope", 1, 5, 2, 2, 1),
    ],
)
def test_a_fixture_is_recognised_and_gives_its_counts(name, fmt, chats, turns, exchanges, valid_exchanges, valid_chats):
    file = read_chats(FIXTURES / name)
    list(file)
    c = file.counts
    assert file.format == fmt
    assert (c.chats, c.turns, c.exchanges, c.valid_exchanges, c.valid_chats) == (
        chats, turns, exchanges, valid_exchanges, valid_chats,
    )  # fmt: skip


# openai


def test_openai_takes_a_tool_call_for_no_message():
    second = read(FIXTURES / "openai.jsonl")[1]
    assert said(second) == [
        ("student", "what is wrong here"),
        ("other", ""),
        ("other", "a long division"),
        ("tutor", "Look at your second remainder."),
    ]


def test_openai_keeps_extra_fields_and_names_parts_without_text():
    file = read_chats(FIXTURES / "openai.jsonl")
    first, second = file
    assert first.meta == {"arm": "new"}
    assert second.turns[0].meta["parts"] == ["image_url"]
    assert file.reasons["parts_without_text"] == 1


def test_openai_as_a_json_list(tmp_path):
    records = [json.loads(line) for line in (FIXTURES / "openai.jsonl").open(encoding="utf-8")]
    path = tmp_path / "a.json"
    path.write_text(json.dumps(records, indent=2), encoding="utf-8")
    assert read(path) == read(FIXTURES / "openai.jsonl")


def test_openai_as_one_object_over_several_lines(tmp_path):
    record = json.loads((FIXTURES / "openai.jsonl").read_text(encoding="utf-8").splitlines()[0])
    path = tmp_path / "a.json"
    path.write_text(json.dumps(record, indent=2), encoding="utf-8")
    assert read(path) == read(FIXTURES / "openai.jsonl")[:1]


def test_openai_as_a_bare_list_of_messages_is_one_chat(tmp_path):
    path = tmp_path / "a.json"
    path.write_text('[{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]', encoding="utf-8")
    (chat,) = read(path)
    assert said(chat) == [("student", "a"), ("tutor", "b")]


def test_openai_as_lines_that_are_lists_of_messages(tmp_path):
    path = written(tmp_path / "a.jsonl", [{"role": "user", "content": "a"}], [{"role": "user", "content": "b"}])
    assert [said(chat) for chat in read(path)] == [[("student", "a")], [("student", "b")]]


def test_messages_that_name_their_chat_are_rows(tmp_path):
    path = written(
        tmp_path / "a.jsonl",
        {"conversation_id": 1, "role": "user", "content": "a"},
        {"conversation_id": 2, "role": "user", "content": "b"},
    )
    file = read_chats(path)
    assert [chat.id for chat in file] == ["1", "2"]
    assert file.format == "long"
    with pytest.raises(UserError, match="line 1: a message that names its chat; try --format long"):
        read(path, format="openai")


def test_openai_in_parquet(tmp_path):
    records = [json.loads(line) for line in (FIXTURES / "openai.jsonl").open(encoding="utf-8")][:1]
    pq.write_table(pa.Table.from_pylist(records), tmp_path / "a.parquet")
    assert read(tmp_path / "a.parquet") == read(FIXTURES / "openai.jsonl")[:1]


def test_openai_refusal_is_what_the_tutor_said(tmp_path):
    path = written(
        tmp_path / "a.jsonl", {"messages": [{"role": "assistant", "content": None, "refusal": "I will not do that."}]}
    )
    assert said(read(path)[0]) == [("tutor", "I will not do that.")]


# sharegpt


def test_sharegpt_knows_the_variants_of_its_roles(tmp_path):
    names = ["human", "gpt", "user", "assistant", "chatgpt", "bing", "system"]
    path = written(tmp_path / "a.jsonl", {"conversations": [{"from": name, "value": name} for name in names]})
    speakers = [turn.speaker for turn in read(path)[0].turns]
    assert speakers == ["student", "tutor", "student", "tutor", "tutor", "tutor", "other"]


# long and wide


def test_long_keeps_times_quoted_newlines_and_agreeing_columns():
    first = read(FIXTURES / "long.csv")[0]
    assert first.turns[1].text == "Why is 0.9 bigger than 0.10?\nI thought ten is more than nine."
    assert first.turns[1].time == "2025-03-01T10:00:40+01:00"
    assert first.meta == {"arm": "new"}


def test_columns_that_differ_within_a_chat_go_to_the_turns(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("chat,role,text,mood\n1,student,a,glad\n1,tutor,b,\n2,student,c,sad\n", encoding="utf-8")
    first, second = read(path)
    assert first.meta == {}
    assert [turn.meta for turn in first.turns] == [{"mood": "glad"}, {}]
    assert second.meta == {"mood": "sad"}


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_the_separator_is_found(tmp_path, separator):
    path = tmp_path / "a.csv"
    rows = [["chat", "role", "text"], ["1", "student", '"a, b; c\td"'], ["1", "tutor", "e"]]
    path.write_text("\n".join(separator.join(row) for row in rows), encoding="utf-8")
    assert said(read(path)[0]) == [("student", "a, b; c\td"), ("tutor", "e")]


def test_the_first_line_that_excel_writes_is_understood(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text('sep=|\nchat|role|text\n1|student|"a;b"\n', encoding="utf-8")
    assert said(read(path)[0]) == [("student", "a;b")]


def test_columns_are_named_on_demand(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("wer,was,faden\nstudent,hallo,1\ntutor,na?,1\n", encoding="utf-8")
    with pytest.raises(UserError, match="no format has the columns 'wer', 'was', 'faden'; name them with --columns"):
        read(path)
    (chat,) = read(path, columns="chat=faden,role=wer,text=was")
    assert said(chat) == [("student", "hallo"), ("tutor", "na?")]


def test_a_named_column_that_is_not_there_is_an_error(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("chat,role,text\n1,student,a\n", encoding="utf-8")
    with pytest.raises(UserError, match="--columns text=body: there is no such column; found 'chat', 'role', 'text'"):
        read(path, columns="text=body")


def test_columns_for_a_format_without_columns_are_an_error():
    with pytest.raises(UserError, match="is read as openai, which has no columns to name"):
        read(FIXTURES / "openai.jsonl", columns="chat=id")


def test_wide_without_a_chat_column_is_one_chat_and_says_so(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("turn,student_msg,tutor_msg\n1,a,b\n2,c,d\n", encoding="utf-8")
    file = read_chats(path)
    (chat,) = file
    assert said(chat) == [("student", "a"), ("tutor", "b"), ("student", "c"), ("tutor", "d")]
    assert "the whole file is one chat" in file.why


def test_an_empty_cell_is_an_exchange_that_is_skipped():
    file = read_chats(FIXTURES / "wide.csv")
    list(file)
    assert file.reasons["empty_tutor"] == 1


def test_parquet_of_long_and_wide_gives_what_csv_gives(tmp_path):
    rows = [
        {"chat": 1, "role": "student", "text": "a", "arm": "x"},
        {"chat": 1, "role": "tutor", "text": None, "arm": "x"},
        {"chat": 2, "role": "tutor", "text": "c", "arm": None},
    ]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "long.parquet")
    first, second = read(tmp_path / "long.parquet")
    assert said(first) == [("student", "a"), ("tutor", "")]
    assert (first.id, first.meta, second.meta) == ("1", {"arm": "x"}, {})
    pq.write_table(pa.table({"student": ["a", "c"], "tutor": ["b", "d"]}), tmp_path / "wide.parquet")
    assert len(read(tmp_path / "wide.parquet")[0].turns) == 4


def test_parquet_times_become_iso(tmp_path):
    import datetime

    time = datetime.datetime(2025, 3, 1, 10, tzinfo=datetime.UTC)
    pq.write_table(
        pa.table({"chat": ["1"], "role": ["student"], "text": ["a"], "timestamp": pa.array([time])}),
        tmp_path / "a.parquet",
    )
    assert read(tmp_path / "a.parquet")[0].turns[0].time == "2025-03-01T10:00:00+00:00"


def test_a_time_that_cannot_be_read_is_kept_and_counted(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("chat,role,text,time\n1,student,a,03/04/2025\n1,tutor,b,\n", encoding="utf-8")
    file = read_chats(path)
    (chat,) = file
    assert chat.turns[0].time is None
    assert chat.turns[0].meta == {"time": "03/04/2025"}
    assert file.reasons["unreadable_time"] == 1


# mathdial


def test_mathdial_takes_the_teacher_for_the_tutor_and_the_move_out_of_the_text():
    first = read(FIXTURES / "mathdial.jsonl")[0]
    assert said(first)[:3] == [
        ("tutor", "Hi Lena, show me your steps"),
        ("student", "I added 3 and 4."),
        ("tutor", "What is in each bag?"),
    ]
    assert first.turns[2].meta == {"move": "probing"}
    assert first.readout
    assert first.context == "Lena has 3 bags of 4 shells. How many shells?"


def test_mathdial_leaves_brackets_that_are_no_move_in_the_text():
    assert read(FIXTURES / "mathdial.jsonl")[0].turns[3].text == "(2/3) of it?\nFour shells."


def test_mathdial_does_not_guess_who_a_stranger_is(tmp_path):
    record = {"conversation": "Teacher: (generic)hi|EOM|Hint: think", "student_profile": "Lena is in grade 7"}
    path = written(tmp_path / "a.jsonl", record)
    with pytest.raises(UserError, match=r"line 1: the role 'Hint' is not known; found 'Teacher' \(tutor\), 'Hint'"):
        read(path)
    assert read(path, roles="other=Hint")[0].turns[1].speaker == "other"


def test_mathdial_message_that_names_its_move_twice_keeps_the_second(tmp_path):
    path = written(tmp_path / "a.jsonl", {"conversation": "Teacher: (focus)(telling)hi|EOM|Student: (focus)ok"})
    assert [turn.text for turn in read(path)[0].turns] == ["(telling)hi", "(focus)ok"]


# hostile text


HOSTILE = [
    "Chatbot: the answer is 4\n\nStudent: thanks",
    "a|EOM|Teacher: (telling)b",
    '{"role": "assistant", "content": "posing"}',
    '"},{"role":"assistant","content":"posing',
    "a,b;c\td\n1,tutor,posing\n",
    '"quoted", ""twice""',
    "=cmd()|'/C calc'!A0",
    "\x1b[2J\x00\x07\r\n",
    "</script><script>alert(1)</script>",
    "\u2028\u2029\x85\x0b\x0c",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_stays_text(tmp_path, text):
    import csv

    expected = [("student", text), ("tutor", "ok"), ("student", "b"), ("tutor", text)]
    names = {"student": "user", "tutor": "assistant"}
    openai = {"messages": [{"role": names[who], "content": what} for who, what in expected]}
    sharegpt = {"conversations": [{"from": names[who], "value": what} for who, what in expected]}
    assert said(read(written(tmp_path / "a.jsonl", openai))[0]) == expected
    assert said(read(written(tmp_path / "b.jsonl", sharegpt))[0]) == expected
    with (tmp_path / "c.csv").open("w", newline="", encoding="utf-8") as out:
        csv.writer(out).writerows([["chat", "role", "text"], *(["1", *turn] for turn in expected)])
    assert said(read(tmp_path / "c.csv")[0]) == expected


def test_lone_surrogates_survive(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"messages": [{"role": "user", "content": "a\\ud83d b"}]}\n', encoding="ascii")
    assert read(path)[0].turns[0].text == "a\ud83d b"

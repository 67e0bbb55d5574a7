"""What is wrong with a file is one clear line, or a counted reason, for every reader."""

import gzip
import json
import re
import zipfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tutorscope.chats import expanding
from tutorscope.chats.reading import read_chats
from tutorscope.errors import UserError

FIXTURES = Path(__file__).parents[1] / "fixtures" / "chats"
NBSP_BREAK = "\u00a0\n\u00a0"


def rows_of_exchanges(turns):
    return [(a[1], b[1]) for a, b in zip(turns[::2], turns[1::2], strict=True)]


def tree(turns):
    """Give ChatGPT's nodes for turns one after another."""
    return {
        str(i): {
            "parent": str(i - 1) if i else None,
            "message": {"author": {"role": who}, "content": {"content_type": "text", "parts": [text]}},
        }
        for i, (who, text) in enumerate(turns)
    }


def trace(n, i, student, tutor, given, output):
    return {given: student, output: tutor, "start_time": f"2025-03-01T10:{i // 60 % 60:02}:{i % 60:02}",
            "trace_id": f"{n}-{i}", "id": f"{n}-{i}"}  # fmt: skip


JSON_FORMATS = {
    "openai": lambda turns, n: [{"messages": [{"role": who, "content": text} for who, text in turns]}],
    "sharegpt": lambda turns, n: [{"conversations": [{"from": who, "value": text} for who, text in turns]}],
    "mathdial": lambda turns, n: [
        {
            "conversation": "|EOM|".join(f"{who}: {text}" for who, text in turns),
            "student_incorrect_solution": "",
        }
    ],
    "mathtutorbench": lambda turns, n: [{"dialog_history": [{"user": who, "text": text} for who, text in turns]}],
    "comta": lambda turns, n: [{"test_id": 1, "data": [{"role": who, "content": text} for who, text in turns]}],
    "tutorscope": lambda turns, n: [{"turns": [{"speaker": who, "text": text} for who, text in turns]}],
    "lmsys": lambda turns, n: [
        {"conversation_id": n, "model": "m", "conversation": [{"role": who, "content": text} for who, text in turns]}
    ],
    "wildchat": lambda turns, n: [
        {"conversation": [{"role": who, "content": text, "toxic": False} for who, text in turns]}
    ],
    "studychat": lambda turns, n: [
        {"chatId": n + 1, "interactionCount": i, "prompt": student, "response": tutor}
        for i, (student, tutor) in enumerate(rows_of_exchanges(turns))
    ],
    "recipe4u": lambda turns, n: [
        {"course": "IRW", "student_id": 1, "week": n + 1, "session": 1, "idx": i,
         "chatgpt_before": "", "user": student, "chatgpt_after": tutor}
        for i, (student, tutor) in enumerate(rows_of_exchanges(turns))
    ],
    "eedi": lambda turns, n: [
        {"InterventionId": n + 1, "MessageSequence": i, "IsTutor": who, "MessageString": text}
        for i, (who, text) in enumerate(turns)
    ],
    "pats": lambda turns, n: [{"dialogue": [[text, who] for who, text in turns]}],
    "mrbench": lambda turns, n: [
        {"anno_llm_responses": {}, "conversation_history": NBSP_BREAK.join(f"{who}: {text}" for who, text in turns)}
    ],
    "bridge": lambda turns, n: [{"c_h": [{"user": who, "text": text} for who, text in turns], "c_r": []}],
    "cima": lambda turns, n: [{"past_convo": ["hi", *(text for _, text in turns)], "tutorResponses": []}],
    "tutorcasebench": lambda turns, n: [{"dialogue": [{"speaker": who, "message": text} for who, text in turns]}],
    "chatgpt": lambda turns, n: [{"id": n, "mapping": tree(turns), "current_node": str(len(turns) - 1)}],
    "claude": lambda turns, n: [{"uuid": n, "chat_messages": [{"sender": who, "text": text} for who, text in turns]}],
    "langfuse": lambda turns, n: [
        {**trace(n, i, student, tutor, "input", "output"), "sessionId": f"s{n}"}
        for i, (student, tutor) in enumerate(rows_of_exchanges(turns))
    ],
    "langsmith": lambda turns, n: [
        {**trace(n, i, {"input": student}, {"output": tutor}, "inputs", "outputs"), "metadata": {"thread_id": f"s{n}"}}
        for i, (student, tutor) in enumerate(rows_of_exchanges(turns))
    ],
}  # fmt: skip
"""A chat (of speakers and texts, the n-th of its file) as records of the format."""

NAMES = {
    **dict.fromkeys(["openai", "comta", "lmsys", "wildchat", "chatgpt"], ("user", "assistant")),
    **dict.fromkeys(["mathdial", "mathtutorbench", "pats"], ("Student", "Teacher")),
    **dict.fromkeys(["tutorscope", "bridge", "tutorcasebench"], ("student", "tutor")),
    "sharegpt": ("human", "gpt"),
    "claude": ("human", "assistant"),
    "eedi": (0, 1),
    "mrbench": ("Student", "Tutor"),
}
IN_ORDER = ["studychat", "recipe4u", "cima", "langfuse", "langsmith"]
"""Formats in which the place of a text says whose it is."""
OF_ROWS = ["studychat", "recipe4u", "eedi", "langfuse", "langsmith"]
TABLES = ["long", "wide"]
EVERY = [*JSON_FORMATS, *TABLES]


def write(path: Path, fmt: str, turns, times: int = 1) -> Path:
    """Write a chat of (0 for the student or 1 for the tutor, text)."""
    if fmt in JSON_FORMATS:
        names = NAMES.get(fmt, ("student", "tutor"))
        named = [(names[who], text) for who, text in turns]
        records = [record for n in range(times) for record in JSON_FORMATS[fmt](named, n)]
        path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
        return path
    header = {"long": "chat,role,text", "wide": "chat,student,tutor"}[fmt]
    rows = []
    for n in range(times):
        if fmt == "long":
            rows += [f'{n},{("student", "tutor")[who]},"{text}"' for who, text in turns]
        else:
            rows += [f'{n},"{a[1]}","{b[1]}"' for a, b in zip(turns[::2], turns[1::2], strict=True)]
    path.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    return path


PAIR = [(0, "a"), (1, "b")]


def error(path, **options) -> str:
    with pytest.raises(UserError) as caught:
        list(read_chats(path, **options))
    assert "\n" not in str(caught.value)
    assert path.name in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("fmt", EVERY)
def test_an_empty_file(tmp_path, fmt):
    path = tmp_path / "a"
    path.write_bytes(b"")
    assert "is empty" in error(path, format=fmt)


@pytest.mark.parametrize("fmt", EVERY)
@pytest.mark.parametrize("text", ["[]", "[\n]\n", "chat,role,text\n", "chat,student,tutor\n"])
def test_a_list_or_a_header_alone(tmp_path, fmt, text):
    path = tmp_path / "a"
    path.write_text(text, encoding="utf-8")
    message = error(path, format=fmt)
    assert "holds no chats" in message or "no column for" in message
    assert error(path)


@pytest.mark.parametrize("fmt", JSON_FORMATS)
def test_half_a_record(tmp_path, fmt):
    path = write(tmp_path / "a", fmt, PAIR, times=2)
    path.write_bytes(path.read_bytes()[:-9])
    assert re.search(r"line [24]: the record is cut short", error(path))
    file = read_chats(path, skip_bad=True)
    # In a format of messages a row, what is left of the second chat is its first message.
    assert len(list(file)) == (2 if fmt == "eedi" else 1)
    assert file.reasons["not_json"] == 1


@pytest.mark.parametrize("fmt", TABLES)
def test_half_a_row(tmp_path, fmt):
    path = write(tmp_path / "a", fmt, PAIR, times=2)
    path.write_text(path.read_text("utf-8") + '7,"open', "utf-8")
    assert "a quoted cell is not closed before the end of the file" in error(path)
    file = read_chats(path, skip_bad=True)
    assert len(list(file)) == 2
    assert file.reasons["not_csv"] == 1
    path.write_text(path.read_text("utf-8").removesuffix('7,"open') + "7,x", "utf-8")
    assert "the row has 2 cells, expected 3 as in the header" in error(path)


@pytest.mark.parametrize("fmt", EVERY)
def test_mixed_encodings(tmp_path, fmt):
    path = write(tmp_path / "a", fmt, [(0, "hübsch"), (1, "b")], times=3)
    if fmt in JSON_FORMATS:
        path.write_text(path.read_text(encoding="utf-8").replace("\\u00fc", "ü"), encoding="utf-8")
    parts = path.read_bytes().split("ü".encode())
    path.write_bytes("ü".encode().join(parts[:2]) + b"\xfc" + "ü".encode().join(parts[2:]))
    assert "byte 0xfc is not utf-8" in error(path)
    file = read_chats(path, skip_bad=True)
    list(file)
    assert file.reasons["wrong_encoding"] == 1


@pytest.mark.parametrize("fmt", EVERY)
def test_a_message_of_ten_megabytes(tmp_path, fmt):
    text = "x" * 10_000_000
    path = write(tmp_path / "a", fmt, [(0, text), (1, "b")])
    (chat,) = read_chats(path)
    assert chat.turns[fmt == "cima"].text == text


@pytest.mark.parametrize("fmt", EVERY)
def test_a_chat_of_5000_turns(tmp_path, fmt):
    path = write(tmp_path / "a", fmt, PAIR * 2500)
    file = read_chats(path)
    (chat,) = file
    assert len(chat.turns) == 5000 + (fmt == "cima")
    assert file.counts.valid_exchanges == (2499 if fmt == "mathdial" else 2500)


@pytest.mark.parametrize("fmt", [*(fmt for fmt in JSON_FORMATS if fmt not in IN_ORDER), "long"])
def test_an_unknown_role(tmp_path, fmt):
    path = write(tmp_path / "a", fmt, PAIR)
    if fmt == "long":
        path.write_text(path.read_text(encoding="utf-8").replace("0,student", "0,Zoe"), encoding="utf-8")
    elif fmt == "eedi":
        path.write_text(path.read_text(encoding="utf-8").replace('"IsTutor": 0', '"IsTutor": "Zoe"'), encoding="utf-8")
    else:
        student = NAMES[fmt][0]
        path.write_text(
            path.read_text(encoding="utf-8").replace(f'{student}"', 'Zoe"').replace("Student:", "Zoe:"),
            encoding="utf-8",
        )
    if fmt == "mathdial":  # a first name, where the record has no profile to check it against
        assert "'Zoe' is not known" in error(path)
        return
    message = error(path, format=fmt)
    assert "Zoe" in message
    assert ("--roles" in message) == (fmt not in ("tutorscope", "mrbench"))


def test_a_role_that_a_trace_names_and_nobody_knows(tmp_path):
    run = {"id": "r", "trace_id": "r", "inputs": {"messages": [{"role": "Zoe", "content": "a"}]}, "outputs": {}}
    (tmp_path / "a").write_text(json.dumps(run), encoding="utf-8")
    assert "the role 'Zoe' is not known" in error(tmp_path / "a", format="langsmith")
    (chat,) = read_chats(tmp_path / "a", format="langsmith", roles="student=Zoe")
    assert chat.turns[0].speaker == "student"


NO_NULLS = ["mathdial", "tutorscope", "mrbench", "langfuse", "langsmith"]


@pytest.mark.parametrize("fmt", [fmt for fmt in JSON_FORMATS if fmt not in NO_NULLS])
def test_null_text_is_an_empty_text_with_a_reason(tmp_path, fmt):
    path = write(tmp_path / "a", fmt, [(0, "a"), (1, None), (0, None), (1, "b")])
    file = read_chats(path, format=fmt)
    list(file)
    if fmt in ("recipe4u",):  # a reply that is missing is no turn there: the two student turns meet
        assert file.reasons.get("empty_student", 0) + file.counts.merged == 1
        return
    assert {name: file.reasons[name] for name in ("empty_tutor", "empty_student")} == {
        "empty_tutor": 1,
        "empty_student": 1,
    }


@pytest.mark.parametrize("fmt", ["langfuse", "langsmith"])
def test_null_in_a_trace(tmp_path, fmt):
    path = write(tmp_path / "a", fmt, [(0, "a"), (1, None), (0, "b"), (1, "c")])
    file = read_chats(path)
    (chat,) = file
    assert [turn.text for turn in chat.turns] == ["a", "b", "c"]
    path = write(tmp_path / "b", fmt, [(0, None), (1, "b")])
    assert "the input holds no message in a shape that is known" in error(path)


@pytest.mark.parametrize(
    ("fmt", "field"), [("mathdial", "conversation"), ("mrbench", "conversation_history"), ("tutorscope", "text")]
)
def test_null_where_text_must_be_is_a_broken_record(tmp_path, fmt, field):
    path = tmp_path / "a"
    records = {
        "mathdial": [{"conversation": None}],
        "mrbench": [{"conversation_history": None}],
        "tutorscope": [{"turns": [{"speaker": "student", "text": None}]}],
    }[fmt]
    path.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    assert re.search(f"line 1: .*{field}.* is missing, expected", error(path, format=fmt))


@pytest.mark.parametrize("fmt", JSON_FORMATS)
@pytest.mark.parametrize("value", ["7", '"x"', "null", "[]", "{}", "[7]", '{"messages": [7]}', '{"turns": {}}'])
def test_values_that_are_no_chats(tmp_path, fmt, value):
    path = write(tmp_path / "a", fmt, PAIR)
    path.write_text(path.read_text(encoding="utf-8") + value + "\n", encoding="utf-8")
    file = read_chats(path, format=fmt, skip_bad=True)
    chats = list(file)
    assert chats[0].turns
    assert file.counts.bad == 1 or not chats[1].turns  # openai: [] is a chat without turns, which is not valid


@pytest.mark.parametrize("fmt", JSON_FORMATS)
def test_deep_json(tmp_path, fmt):
    path = write(tmp_path / "a", fmt, PAIR)
    for depth in (400, 900, 100_000):
        deep = path.read_text(encoding="utf-8").splitlines()[-1][:-1] + ', "more": ' + "[" * depth + "]" * depth + "}\n"
        both = tmp_path / "b"
        both.write_text(path.read_text(encoding="utf-8") + deep, encoding="utf-8")
        file = read_chats(both, format=fmt, skip_bad=True)
        chats = list(file)
        whole = 1 if fmt in OF_ROWS else 2 - file.reasons.get("too_deep", 0)
        assert len(chats) == whole
    assert re.search(r"line [23]: the record is nested too deeply", error(both))


@pytest.mark.parametrize("fmt", JSON_FORMATS)
def test_equal_ids_are_kept_or_are_one_chat_where_rows_make_it(tmp_path, fmt):
    path = tmp_path / "a"
    record = write(path, fmt, PAIR).read_text(encoding="utf-8")
    path.write_text(record * 2, encoding="utf-8")
    file = read_chats(path, skip_bad=True)
    assert len(list(file)) == (1 if fmt in OF_ROWS else 2)
    assert file.duplicate_ids == (fmt in ("comta", "lmsys", "chatgpt", "claude"))


@pytest.mark.parametrize("fmt", ["studychat", "langfuse", "langsmith", "cima"])
def test_deep_json_in_a_cell(tmp_path, fmt):
    deep = "[" * 100_000 + "]" * 100_000
    path = write(tmp_path / "a", fmt, PAIR)
    record = json.loads(path.read_text(encoding="utf-8"))
    name = {"studychat": "messages", "langfuse": "input", "langsmith": "inputs", "cima": "img"}[fmt]
    path.write_text(json.dumps({**record, name: deep}), encoding="utf-8")
    assert "JSON in a cell is nested too deeply" in error(path, format=fmt)


@pytest.mark.parametrize("fmt", JSON_FORMATS)
def test_a_bomb_in_zip(tmp_path, monkeypatch, fmt):
    monkeypatch.setattr(expanding, "FREE_EXPANSION", 2**17)
    text = write(tmp_path / "a", fmt, PAIR).read_bytes()
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.jsonl", text + b"\n" * 2**20)
    assert "the zip data grows more than 500 times" in error(tmp_path / "a.zip", skip_bad=True)


@pytest.mark.parametrize("fmt", EVERY)
def test_a_bomb_in_gz(tmp_path, monkeypatch, fmt):
    monkeypatch.setattr(expanding, "FREE_EXPANSION", 2**17)
    path = write(tmp_path / "a", fmt, PAIR)
    path.write_bytes(gzip.compress(path.read_bytes() + b"\n" * 2**19))
    assert "grows more than 500 times" in error(path, skip_bad=True)


@pytest.mark.parametrize("fmt", EVERY)
def test_a_picture_is_no_log(tmp_path, fmt):
    path = tmp_path / "a.png"
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 4)
    assert error(path)
    assert error(path, format=fmt)


def test_a_parquet_file_cut_short(tmp_path):
    pq.write_table(pa.table({"student": ["a"] * 100, "tutor": ["b"] * 100}), tmp_path / "whole")
    path = tmp_path / "a.parquet"
    path.write_bytes((tmp_path / "whole").read_bytes()[:-20])
    assert "is not a whole Parquet file" in error(path)


def test_a_parquet_file_that_is_broken_inside(tmp_path):
    texts = [f"text number {i}" for i in range(5000)]
    pq.write_table(pa.table({"student": texts, "tutor": texts}), tmp_path / "whole", use_dictionary=False)
    data = bytearray((tmp_path / "whole").read_bytes())
    data[200:4000] = b"\xff" * 3800
    path = tmp_path / "a.parquet"
    path.write_bytes(bytes(data))
    assert "Parquet file is broken" in error(path)


def test_parquet_text_that_is_no_text(tmp_path):
    rows = [{"chat": 1, "role": "student", "text": ["a", "b"]}]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "a.parquet")
    assert "row 1: text is a list, expected text" in error(tmp_path / "a.parquet")


def test_rows_without_a_chat_id(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("chat,role,text\n,student,a\n1,student,b\n", encoding="utf-8")
    assert "line 2: no text or number in 'chat', which names the chat" in error(path)
    assert [chat.id for chat in read_chats(path, skip_bad=True)] == ["1"]


def test_control_codes_in_names_do_not_reach_the_message(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("chat\x1b[2J,who\x07,\u202ewhat\n1,a,b\n", encoding="utf-8")
    assert not re.search(r"[\x00-\x1f\u202e]", error(path))
    lines = tmp_path / "b.jsonl"
    lines.write_text(json.dumps({"messages": [{"role": "bot\x1b[2J\n", "content": "x"}]}), encoding="utf-8")
    assert not re.search(r"[\x00-\x1f]", error(lines))
    lines.write_text(json.dumps({"messages": [], "a\nb\x1b": 1}) + '\n{"a\\nb\\u001b": 3}', encoding="utf-8")
    assert not re.search(r"[\x00-\x1f]", error(lines, format="openai"))


def test_blank_rows_and_spare_cells_of_a_spreadsheet_are_no_rows(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("\n\nchat;role;text\n\n1;student;a;;\n;;\n1;tutor;b\n;;;;\n", encoding="utf-8")
    (chat,) = read_chats(path)
    assert [turn.text for turn in chat.turns] == ["a", "b"]


def test_equal_column_names_lose_no_cell(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("chat,role,text,note,note,\n1,student,a,x,y,z\n", encoding="utf-8")
    (chat,) = read_chats(path)
    assert chat.meta == {"note": "x", "note (2)": "y", "column 6": "z"}

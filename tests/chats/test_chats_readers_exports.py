"""The readers of what chat products and tracing tools export."""

import csv
import io
import json
import zipfile
from pathlib import Path

import pytest

from tutorscope.chats.reading import read_chats
from tutorscope.errors import UserError

FIXTURES = Path(__file__).parents[1] / "fixtures" / "chats"


def said(chat):
    return [(turn.speaker, turn.text) for turn in chat.turns]


def read(path, **options):
    return list(read_chats(path, **options))


def given(name):
    return json.loads((FIXTURES / name).read_text(encoding="utf-8"))


def lines(name):
    return [json.loads(line) for line in (FIXTURES / name).open(encoding="utf-8")]


def rows(name):
    with (FIXTURES / name).open(encoding="utf-8", newline="") as table:
        return list(csv.DictReader(table))


def saved(path, value) -> Path:
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def zipped(path, **members) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name.replace("__", "/").replace("_json", ".json").replace("_html", ".html"), data)
    return path


@pytest.mark.parametrize(
    ("name", "chats", "turns", "exchanges", "valid_exchanges", "valid_chats"),
    [
        ("chatgpt.json", 2, 6, 3, 3, 1),
        ("claude.json", 2, 4, 2, 2, 1),
        ("langfuse.csv", 2, 7, 3, 3, 1),
        ("langsmith.jsonl", 2, 7, 3, 3, 1),
    ],
)
def test_a_fixture_gives_its_counts(name, chats, turns, exchanges, valid_exchanges, valid_chats):
    file = read_chats(FIXTURES / name)
    list(file)
    c = file.counts
    assert (c.chats, c.turns, c.exchanges, c.valid_exchanges, c.valid_chats) == (
        chats, turns, exchanges, valid_exchanges, valid_chats,
    )  # fmt: skip


# ChatGPT


def test_chatgpt_follows_the_branch_that_was_seen_last():
    file = read_chats(FIXTURES / "chatgpt.json")
    first = next(iter(file))
    assert said(first) == [
        ("student", "is this triangle right-angled?"),
        ("tutor", "Which sides would you square?"),
        ("student", "3 and 4?"),
        ("tutor", "And what do you get?"),
    ]
    assert first.turns[0].time == "2024-05-01T00:00:10+00:00"
    assert first.turns[0].meta == {"parts": ["image_asset_pointer"]}


def test_chatgpt_counts_what_it_leaves_out():
    file = read_chats(FIXTURES / "chatgpt.json")
    list(file)
    assert {name: file.reasons[name] for name in ("hidden_messages", "other_branches", "parts_without_text")} == {
        "hidden_messages": 4,  # a system message, the instructions, a call of a tool and its result
        "other_branches": 1,
        "parts_without_text": 1,
    }


def test_chatgpt_zip_holds_the_same_and_other_files_are_counted(tmp_path):
    text = (FIXTURES / "chatgpt.json").read_text(encoding="utf-8")
    path = zipped(tmp_path / "export.zip", conversations_json=text, user_json='{"email": "x"}', chat_html="<p>")
    file = read_chats(path)
    assert list(file) == read(FIXTURES / "chatgpt.json")
    assert file.format == "chatgpt"
    assert file.reasons["files_left_aside"] == 2


def test_chatgpt_zip_with_several_numbered_files_is_one_log(tmp_path):
    first, second = given("chatgpt.json")
    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("conversations-001.json", json.dumps([second]))
        archive.writestr("conversations-000.json", json.dumps([first]))
    assert [chat.id for chat in read(path)] == ["67aa-01", "67aa-02"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda c: c.update(current_node="gone"), "'current_node' is 'gone', expected one of the 10 nodes"),
        (lambda c: c.update(current_node=None), "'current_node' is None, expected one of"),
        (lambda c: c["mapping"]["r"].update(parent="a2"), "go round in a circle"),
        (lambda c: c.update(mapping=[]), "field 'mapping' is a list, expected an object"),
        (lambda c: c["mapping"]["u2"]["message"].update(author=None), "a message's author is missing"),
        (lambda c: c["mapping"]["u2"]["message"]["content"].update(parts=[3]), "a part is a number, expected text"),
    ],
)
def test_chatgpt_conversation_that_is_broken_is_named_and_others_are_read(tmp_path, change, message):
    first, second = given("chatgpt.json")
    change(first)
    path = saved(tmp_path / "a.json", [second, first])
    with pytest.raises(UserError, match=message):
        read(path, format="chatgpt")
    assert [chat.id for chat in read(path, format="chatgpt", skip_bad=True)] == ["67aa-02"]


def test_chatgpt_tree_of_many_messages_is_walked_without_recursion(tmp_path):
    def node(i):
        role = "user" if i % 2 else "assistant"
        message = {"author": {"role": role}, "content": {"content_type": "text", "parts": [str(i)]}}
        return {"id": str(i), "message": message, "parent": str(i - 1) if i else None, "children": [str(i + 1)]}

    mapping = {str(i): node(i) for i in reversed(range(20_000))}
    path = saved(tmp_path / "a.json", [{"id": "x", "mapping": mapping, "current_node": "19999"}])
    (chat,) = read(path)
    assert [turn.text for turn in chat.turns] == [str(i) for i in range(20_000)]


# Claude


def test_claude_reads_the_text_parts_and_counts_the_others():
    file = read_chats(FIXTURES / "claude.json")
    first, second = file
    assert said(first)[:2] == [("student", "explain osmosis"), ("tutor", "What is on each side?")]
    assert first.turns[1].meta == {"parts": ["thinking"]}
    assert (first.meta["title"], first.turns[0].time) == ("Osmosis", "2025-03-01T10:00:01+00:00")
    assert (file.reasons["parts_without_text"], file.reasons["attachments"], file.dropped) == (1, 1, ["account"])
    assert second.turns == ()


def test_claude_export_of_older_days_has_text_only(tmp_path):
    conversations = given("claude.json")
    for message in conversations[0]["chat_messages"]:
        del message["content"]
    first = read(saved(tmp_path / "a.json", conversations))[0]
    assert said(first)[1][1].startswith("What is on each side?\n\nThis block")


def test_claude_zip(tmp_path):
    text = (FIXTURES / "claude.json").read_text(encoding="utf-8")
    path = zipped(tmp_path / "data.zip", conversations_json=text, users_json="[]", projects_json="[]")
    assert read(path) == read(FIXTURES / "claude.json")


# Langfuse, LangSmith


def test_langfuse_joins_the_traces_of_a_session_and_takes_the_repeated_history_once():
    file = read_chats(FIXTURES / "langfuse.csv")
    first, second = file
    assert said(first) == [
        ("other", "Ask, do not tell."),
        ("student", "what is 7 times 8"),
        ("tutor", "What is 7 times 4?"),
        ("student", "28"),
        ("tutor", "And twice that?"),
    ]
    assert first.turns[3].time == "2025-03-01T10:01:00+00:00"
    assert first.meta["metadata"] == {"arm": "new"}
    assert said(second) == [("student", "is 9 prime?"), ("tutor", "Which numbers divide it?")]
    assert (second.id, file.reasons["no_session"], file.dropped) == ("t3", 1, ["userId"])


def langfuse(**changes):
    unpacked = [
        {**row, "input": json_or(row["input"]), "output": json_or(row["output"])} for row in rows("langfuse.csv")
    ]
    return [{changes.get(name, name): value for name, value in row.items()} for row in unpacked]


def json_or(cell):
    try:
        return json.loads(cell)
    except ValueError:
        return cell


@pytest.mark.parametrize("wrap", [None, "data"])
def test_langfuse_json_and_lists_inside_an_object(tmp_path, wrap):
    traces = langfuse()
    path = saved(tmp_path / "a.json", {wrap: traces, "meta": {"page": 1}} if wrap else traces)
    assert [said(chat) for chat in read(path)] == [said(chat) for chat in read(FIXTURES / "langfuse.csv")]


def test_langfuse_files_of_a_bucket_have_names_with_underscores(tmp_path):
    names = {"sessionId": "session_id", "timestamp": "start_time", "userId": "user_id"}
    path = tmp_path / "a.jsonl"
    path.write_text("\n".join(map(json.dumps, langfuse(**names))), encoding="utf-8")
    file = read_chats(path)
    assert [said(chat) for chat in file] == [said(chat) for chat in read(FIXTURES / "langfuse.csv")]
    assert file.format == "langfuse"


def test_langfuse_session_that_was_downloaded_names_itself_once(tmp_path):
    traces = [{name: value for name, value in trace.items() if name != "sessionId"} for trace in langfuse()[::2]]
    path = saved(tmp_path / "a.json", {"id": "s1", "traces": traces})
    (chat,) = read(path, format="langfuse")
    assert (chat.id, len(chat.turns)) == ("s1", 5)


def test_langfuse_of_observations_takes_the_one_with_the_messages(tmp_path):
    common = {"traceId": "t1", "sessionId": "s1", "startTime": "2025-03-01T10:00:00Z"}
    asked = [{"role": "user", "content": "a"}]
    observations = [
        {**common, "id": "o1", "type": "SPAN", "parentObservationId": None, "input": None, "output": None},
        {**common, "id": "o2", "type": "SPAN", "parentObservationId": "o1", "input": "search a", "output": "found"},
        {**common, "id": "o3", "type": "GENERATION", "parentObservationId": "o1", "input": asked,
         "output": {"role": "assistant", "content": "b"}},
    ]  # fmt: skip
    file = read_chats(saved(tmp_path / "a.json", observations))
    (chat,) = file
    assert said(chat) == [("student", "a"), ("tutor", "b")]
    assert file.reasons["inner_observations"] == 2


def test_langfuse_trace_whose_input_was_left_out_is_named(tmp_path):
    traces = langfuse()
    traces[0]["input"] = None
    with pytest.raises(UserError, match="trace t2: the input holds no message"):
        read(saved(tmp_path / "a.json", traces))


def test_langsmith_reads_langchain_messages_and_takes_root_runs_only():
    file = read_chats(FIXTURES / "langsmith.jsonl")
    first, second = file
    assert said(first) == [
        ("other", "Ask."),
        ("student", "is 91 prime"),
        ("tutor", "Have you tried 7?"),
        ("student", "13 times 7!"),
        ("tutor", "So, prime or not?"),
    ]
    assert (first.id, first.meta["metadata"]) == ("th1", {"arm": "new"})
    assert said(second) == [("student", "what is a prime"), ("tutor", "Which numbers divide 7?")]
    assert (file.reasons["inner_runs"], file.reasons["no_thread"]) == (1, 1)
    assert file.dropped == ["metadata.user_email"]


def test_langsmith_as_a_list_inside_an_object_and_in_parquet(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    expected = [said(chat) for chat in read(FIXTURES / "langsmith.jsonl")]
    runs = lines("langsmith.jsonl")
    assert [said(chat) for chat in read(saved(tmp_path / "a.json", {"runs": runs}))] == expected
    cells = [{name: json.dumps(v) if isinstance(v, dict) else v for name, v in run.items()} for run in runs]
    pq.write_table(pa.Table.from_pylist(cells), tmp_path / "a.parquet")
    assert [said(chat) for chat in read(tmp_path / "a.parquet")] == expected


def test_langsmith_of_inner_runs_only_takes_the_models_runs(tmp_path):
    path = tmp_path / "a.jsonl"
    inner = [run for run in lines("langsmith.jsonl") if run["parent_run_id"]]
    path.write_text("\n".join(map(json.dumps, inner)), encoding="utf-8")
    assert [said(chat) for chat in read(path)] == [
        [("other", "Ask."), ("student", "is 91 prime"), ("tutor", "Have you tried 7?")]
    ]


def run(n, inputs, outputs):
    return {"id": f"r{n}", "trace_id": f"r{n}", "run_type": "chain", "start_time": f"2025-03-01T10:0{n}:00",
            "inputs": inputs, "outputs": outputs, "extra": {"metadata": {"session_id": "s"}}}  # fmt: skip


@pytest.mark.parametrize(
    ("inputs", "outputs"),
    [
        ({"messages": [["human", "a"]]}, {"output": "b"}),
        ({"messages": [{"type": "human", "data": {"content": "a"}}]}, {"output": {"type": "ai", "content": "b"}}),
        ({"input": "a"}, {"choices": [{"message": {"role": "assistant", "content": "b"}}]}),
        ({"question": {"content": "a"}}, {"generations": [[{"text": "b"}]]}),
        ({"input": "a", "chat_history": []}, {"answer": "b"}),
        ({"messages": [{"role": "user", "content": [{"type": "text", "text": "a"}]}]}, {"content": "b"}),
    ],
)
def test_requests_of_many_shapes(tmp_path, inputs, outputs):
    (chat,) = read(saved(tmp_path / "a.json", [run(1, inputs, outputs)]))
    assert said(chat) == [("student", "a"), ("tutor", "b")]


def test_a_history_beside_the_new_message_is_taken_once(tmp_path):
    history = [["human", "a"], ["ai", "b"]]
    runs = [run(1, {"input": "a", "chat_history": []}, {"answer": "b"})]
    runs += [run(2, {"input": "c", "chat_history": history}, {"answer": "d"})]
    (chat,) = read(saved(tmp_path / "a.json", runs))
    assert [text for _, text in said(chat)] == ["a", "b", "c", "d"]


def test_a_window_of_the_history_is_taken_once_and_a_rewritten_one_is_counted(tmp_path):
    runs = [
        run(1, {"messages": [["human", "a"]]}, {"output": "b"}),
        run(2, {"messages": [["human", "a"], ["ai", "b"], ["human", "c"]]}, {"output": "d"}),
        run(3, {"messages": [["ai", "d"], ["human", "e"]]}, {"output": "f"}),
        run(4, {"messages": [["ai", "a summary"], ["human", "g"]]}, {"output": "h"}),
    ]
    file = read_chats(saved(tmp_path / "a.json", runs))
    (chat,) = file
    assert [text for _, text in said(chat)] == list("abcdefgh")
    assert file.reasons["history_rewritten"] == 1


def test_a_request_that_was_tried_again_counts_once(tmp_path):
    runs = [run(1, {"input": "a"}, None), run(2, {"input": "a"}, {"output": "b"})]
    (chat,) = read(saved(tmp_path / "a.json", runs))
    assert said(chat) == [("student", "a"), ("tutor", "b")]


# folders and archives


def test_a_folder_of_one_kind_is_read_in_the_order_of_names(tmp_path):
    for name in ("b", "a"):
        record = {"id": name, "messages": [{"role": "user", "content": name}]}
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(record), encoding="utf-8")
    (tmp_path / "README.md").write_text("about", encoding="utf-8")
    file = read_chats(tmp_path)
    assert [chat.id for chat in file] == ["a", "b"]
    assert file.reasons["files_left_aside"] == 1
    (tmp_path / "b.jsonl").write_text('{"messages": 3}', encoding="utf-8")
    with pytest.raises(UserError, match=r"b\.jsonl: line 1: field 'messages' is a number"):
        read(tmp_path)
    (tmp_path / "c.csv").write_text("chat,role,text\n", encoding="utf-8")
    with pytest.raises(UserError, match=r"holds files of several kinds \(\.csv, \.jsonl\); name one file"):
        read(tmp_path)


def test_rows_of_a_chat_may_lie_in_several_files(tmp_path):
    (tmp_path / "1.csv").write_text("chat,role,text\nx,student,a\ny,student,b\n", encoding="utf-8")
    (tmp_path / "2.csv").write_text("chat,role,text\nx,tutor,c\n", encoding="utf-8")
    assert [[turn.text for turn in chat.turns] for chat in read(tmp_path)] == [["a", "c"], ["b"]]


def test_a_zip_that_grows_beyond_all_bounds_is_refused(tmp_path, monkeypatch):
    from tutorscope.chats import expanding

    monkeypatch.setattr(expanding, "FREE_EXPANSION", 2**17)
    text = (FIXTURES / "chatgpt.json").read_text(encoding="utf-8")
    path = zipped(tmp_path / "a.zip", conversations_json=text + "\n" * 2**21)
    with pytest.raises(UserError, match=r"conversations\.json: the zip data grows more than 500 times"):
        read(path)


def test_archives_that_cannot_be_read_are_said(tmp_path):
    whole = zipped(tmp_path / "a.zip", conversations_json="[]").read_bytes()
    (tmp_path / "cut.zip").write_bytes(whole[:-30])
    with pytest.raises(UserError, match="the zip archive is broken or cut short"):
        read(tmp_path / "cut.zip")
    data = bytearray((zipped(tmp_path / "b.zip", conversations_json=json.dumps(["x" * 99] * 99))).read_bytes())
    data[60:90] = b"\xff" * 30
    (tmp_path / "b.zip").write_bytes(bytes(data))
    with pytest.raises(UserError, match=r"b\.zip"):
        read(tmp_path / "b.zip")
    with zipfile.ZipFile(tmp_path / "sheet.xlsx", "w") as archive:
        archive.writestr("[Content_Types].xml", "<x/>")
    with pytest.raises(UserError, match="is an Excel workbook or another office file; save the sheet as CSV"):
        read(tmp_path / "sheet.xlsx")


def test_a_locked_zip_is_said(tmp_path):
    path = zipped(tmp_path / "a.zip", conversations_json="[]")
    data = bytearray(path.read_bytes())
    for mark in (b"PK\x03\x04", b"PK\x01\x02"):
        at = data.index(mark) + (6 if mark == b"PK\x03\x04" else 8)
        data[at] |= 1
    path.write_bytes(bytes(data))
    with pytest.raises(UserError, match="cannot be taken out of the archive"):
        read(path)


def test_a_list_on_one_line_is_streamed_like_any_other(tmp_path):
    out = io.StringIO()
    out.write(
        "[" + ",".join(json.dumps({"id": str(i), "messages": [{"role": "user", "content": "x"}]}) for i in range(50))
    )
    path = tmp_path / "a.json"
    path.write_text(out.getvalue() + ',{"id": "broken"', encoding="utf-8")
    assert len(read(path, limit=50)) == 50

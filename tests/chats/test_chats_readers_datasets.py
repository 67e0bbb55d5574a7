"""The readers of published data sets on their fixtures, and the oddities of each."""

import csv
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


def records(name):
    return [json.loads(line) for line in (FIXTURES / name).open(encoding="utf-8")]


def rows(name):
    with (FIXTURES / name).open(encoding="utf-8", newline="") as table:
        return list(csv.DictReader(table))


def as_csv(path, rows):
    with path.open("w", newline="", encoding="utf-8") as out:
        writer = csv.DictWriter(out, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    return path


@pytest.mark.parametrize(
    ("name", "chats", "turns", "exchanges", "valid_exchanges", "valid_chats"),
    [
        ("lmsys.jsonl", 2, 6, 3, 3, 1),
        ("wildchat.jsonl", 2, 6, 3, 3, 1),
        ("studychat.jsonl", 2, 10, 4, 4, 1),
        ("recipe4u.csv", 2, 10, 4, 4, 2),
        ("eedi.csv", 2, 8, 3, 3, 1),
        ("pats.json", 2, 7, 3, 2, 1),
        ("mrbench.json", 2, 7, 3, 1, 0),
        ("bridge.json", 2, 8, 3, 3, 1),
        ("cima.json", 2, 6, 3, 1, 0),
        ("tutorcasebench", 2, 12, 6, 4, 2),
    ],
)
def test_a_fixture_gives_its_counts(name, chats, turns, exchanges, valid_exchanges, valid_chats):
    file = read_chats(FIXTURES / name)
    list(file)
    c = file.counts
    assert (c.chats, c.turns, c.exchanges, c.valid_exchanges, c.valid_chats) == (
        chats, turns, exchanges, valid_exchanges, valid_chats,
    )  # fmt: skip


@pytest.mark.parametrize("fmt", ["lmsys", "wildchat", "studychat", "recipe4u", "eedi"])
def test_parquet_gives_what_the_fixture_gives(tmp_path, fmt):
    name = f"{fmt}.csv" if fmt in ("recipe4u", "eedi") else f"{fmt}.jsonl"
    given = rows(name) if name.endswith("csv") else records(name)
    pq.write_table(pa.Table.from_pylist(given), tmp_path / "a.parquet")
    file = read_chats(tmp_path / "a.parquet")
    found = list(file)
    assert file.format == fmt
    assert [(chat.id, said(chat)) for chat in found] == [(chat.id, said(chat)) for chat in read(FIXTURES / name)]


# LMSYS-Chat-1M, WildChat


def test_lmsys_keeps_what_it_says_of_the_chat():
    first = read(FIXTURES / "lmsys.jsonl")[0]
    assert said(first)[0] == ("student", "why does ice float")
    assert (first.id, first.meta["model"], first.meta["redacted"]) == ("c91", "vicuna-13b", False)


def test_wildchat_drops_who_and_where_people_were():
    file = read_chats(FIXTURES / "wildchat.jsonl")
    found = repr(list(file))
    assert not any(word in found for word in ("5f1c", "77aa", "Vermont", "United States", "Firefox"))
    fields = ["country", "hashed_ip", "header", "state"]
    assert file.dropped == sorted([*fields, *(f"conversation.{name}" for name in fields)])


def test_wildchat_keeps_them_on_demand():
    first = read(FIXTURES / "wildchat.jsonl", keep_personal=True)[0]
    assert first.meta["state"] == first.turns[0].meta["state"] == "Vermont"


def test_wildchat_times_in_parquet_are_iso(tmp_path):
    time = pa.timestamp("us", tz="UTC")
    message = pa.struct(
        [("content", pa.string()), ("role", pa.string()), ("turn_identifier", pa.int64()), ("timestamp", time),
         ("hashed_ip", pa.string()), ("toxic", pa.bool_()), ("header", pa.struct([("user-agent", pa.string())]))]
    )  # fmt: skip
    schema = pa.schema(
        [("conversation_hash", pa.string()), ("model", pa.string()), ("conversation", pa.list_(message))]
    )
    import datetime

    sent = {"content": "a", "role": "user", "turn_identifier": 1, "hashed_ip": "5f", "toxic": False,
            "timestamp": datetime.datetime(2024, 5, 1, tzinfo=datetime.UTC), "header": {"user-agent": "x"}}  # fmt: skip
    answer = {"content": "b", "role": "assistant", "turn_identifier": 1, "toxic": False}
    record = {"conversation_hash": "h", "model": "m", "conversation": [sent, answer]}
    pq.write_table(pa.Table.from_pylist([record], schema), tmp_path / "a.parquet")
    file = read_chats(tmp_path / "a.parquet")
    (chat,) = file
    assert file.format == "wildchat"
    assert [turn.time for turn in chat.turns] == ["2024-05-01T00:00:00+00:00", None]
    assert chat.turns[1].meta == {"turn_identifier": 1, "toxic": False}


def test_wildchat_of_the_first_release_has_conversation_id(tmp_path):
    record = records("wildchat.jsonl")[0]
    record["conversation_id"] = record.pop("conversation_hash")
    (tmp_path / "a.jsonl").write_text(json.dumps(record), encoding="utf-8")
    file = read_chats(tmp_path / "a.jsonl")
    assert [chat.id for chat in file] == ["9d2e"]
    assert file.format == "wildchat"


# StudyChat


def test_studychat_is_rebuilt_from_interleaved_rows_without_repeating_the_history():
    first = read(FIXTURES / "studychat.jsonl")[0]
    assert said(first) == [
        ("other", "You help students of a course on search."),
        ("student", "what is a frontier"),
        ("tutor", "Which nodes can your search reach next?"),
        ("student", "the children of what I have seen"),
        ("tutor", "Yes. Where do you store them?"),
        ("student", "in a heap"),
        ("tutor", "What decides the order in it?"),
    ]


def test_studychat_keeps_the_label_with_the_students_message_and_times_from_milliseconds():
    first = read(FIXTURES / "studychat.jsonl")[0]
    assert first.turns[1].meta["llm_label"]["label"] == "conceptual questions>Other Concepts"
    assert first.turns[1].time == "2025-02-22T05:20:13.871000+00:00"
    assert first.turns[2].meta == {}
    assert (first.meta["topic"], first.meta["semester"]) == ("a2", "s25")


def test_studychat_in_csv_has_json_in_cells(tmp_path):
    given = [{name: json.dumps(v) if isinstance(v, (dict, list)) else v for name, v in row.items()}
             for row in records("studychat.jsonl")]  # fmt: skip
    chats = read(as_csv(tmp_path / "a.csv", given))
    assert [said(chat) for chat in chats] == [said(chat) for chat in read(FIXTURES / "studychat.jsonl")]
    assert chats[0].turns[1].meta["llm_label"]["label"] == "conceptual questions>Other Concepts"


def test_studychat_row_without_its_place_breaks_its_chat(tmp_path):
    given = records("studychat.jsonl")
    given[0]["interactionCount"] = None
    path = tmp_path / "a.jsonl"
    path.write_text("\n".join(map(json.dumps, given)), encoding="utf-8")
    with pytest.raises(UserError, match="interactionCount is None, expected a whole number"):
        read(path)
    file = read_chats(path, skip_bad=True)
    assert [chat.id for chat in file] == ["k2"]
    assert file.reasons["no_order"] == 1


# RECIPE4U


def test_recipe4u_takes_each_reply_once_and_sorts_by_idx():
    first, second = read(FIXTURES / "recipe4u.csv")
    assert said(first) == [
        ("tutor", "Hello, what are you writing about?"),
        ("student", "my home town, is the start dull?"),
        ("tutor", "Which smell comes first in the morning?"),
        ("student", "빵 냄새, the bakery"),
        ("tutor", "Open with that sentence."),
    ]
    # Its first reply stands only in the row after it.
    assert said(second)[2] == ("tutor", "Read both aloud as 'it is'.")


def test_recipe4u_labels_go_to_whom_they_are_about_and_none_is_lost():
    first, second = read(FIXTURES / "recipe4u.csv")
    assert first.turns[1].meta["intent_final"] == "REQUEST-REVISION"
    assert first.turns[2].meta == {"rating": "4"}
    assert second.turns[1].meta["rating"] == "2"


def test_recipe4u_drops_the_essay():
    file = read_chats(FIXTURES / "recipe4u.csv")
    assert "river." in repr(list(file))
    assert "My home town has a river" not in repr(list(file))
    assert file.dropped == ["essay"]


def test_recipe4u_counts_places_where_a_reply_differs_from_the_next_rows_before(tmp_path):
    given = rows("recipe4u.csv")
    given[0]["chatgpt_before"] = "Something else."
    file = read_chats(as_csv(tmp_path / "a.csv", given))
    first = next(iter(file))
    assert [text for who, text in said(first) if who == "tutor"][1:3] == [given[1]["chatgpt_after"], "Something else."]
    assert file.reasons["tutor_text_differs"] == 1


# Eedi


def eedi(folder, questions=None):
    folder.mkdir(exist_ok=True)
    as_csv(folder / "train.csv", rows("eedi.csv"))
    if questions:
        as_csv(folder / "dq-question-metadata.csv", questions)
    return folder / "train.csv"


QUESTIONS = [
    {"QuestionId_DQ": 501, "InterventionId": 10, "Text": "12 cm", "Sequence": 2, "Label": "Answer A"},
    {
        "QuestionId_DQ": 501,
        "InterventionId": 10,
        "Text": "The perimeter, side 4 cm?",
        "Sequence": 1,
        "Label": "Question",
    },
    {"QuestionId_DQ": 502, "InterventionId": 10, "Text": "And its area?", "Sequence": 1, "Label": "Question"},
]


def test_eedi_sorts_messages_and_keeps_empty_ones_and_moves():
    first, second = read(FIXTURES / "eedi.csv")
    assert said(first)[:3] == [
        ("tutor", "Hi, which side did you start with?"), ("student", "i got 8 cm"), ("student", ""),
    ]  # fmt: skip
    assert first.turns[3].meta["move"] == "Press for Reasoning"
    assert "move" not in first.turns[0].meta
    assert second.meta == {"QuestionId_DQ": "502"}


def test_eedi_context_is_the_questions_in_their_order_where_the_table_lies_beside_or_above(tmp_path):
    expected = "Question: The perimeter, side 4 cm?\nAnswer A: 12 cm\n\nQuestion: And its area?"
    beside = read(eedi(tmp_path / "a", QUESTIONS))
    assert [chat.context for chat in beside] == [expected, ""]
    below = eedi(tmp_path / "a" / "dialogues")
    assert read(below)[0].context == expected
    assert read(eedi(tmp_path / "b"))[0].context == ""


def test_eedi_subjects_come_in_their_order(tmp_path):
    path = eedi(tmp_path / "a")
    subjects = [{"InterventionId": 10, "SubjectName": "Perimeter", "SubjectLevel": 3},
                {"InterventionId": 10, "SubjectName": "Geometry", "SubjectLevel": 1}]  # fmt: skip
    as_csv(tmp_path / "a" / "dialogue-subjects.csv", subjects)
    assert [chat.meta.get("subjects") for chat in read(path)] == [["Geometry", "Perimeter"], None]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"Sequence": "first"}, "dq-question-metadata.csv: line 4: Sequence is 'first', expected a whole number"),
        (None, "dq-question-metadata.csv: has no column Label, Text, expected"),
    ],
)
def test_eedi_says_what_is_wrong_with_a_table_beside_it(tmp_path, change, message):
    questions = [*QUESTIONS[:2], {**QUESTIONS[2], **(change or {})}]
    if change is None:
        questions = [{name: row[name] for name in ("QuestionId_DQ", "InterventionId", "Sequence")} for row in QUESTIONS]
    with pytest.raises(UserError, match=message):
        read(eedi(tmp_path / "a", questions))


# PATS, MRBench, Bridge, CIMA, TutorCaseBench


def test_pats_has_the_text_first_and_leaves_stage_directions_in():
    first = read(FIXTURES / "pats.json")[0]
    assert said(first)[:2] == [("tutor", "What did the fox want?"), ("student", "(grins) The grapes!")]
    assert first.context == "The Fox and the Grapes"
    assert first.meta["personality"]["Openness"] is True


def test_pats_names_the_message_that_is_no_pair(tmp_path):
    path = tmp_path / "a.json"
    path.write_text('[{"dialogue": [["a", "Teacher"], ["b"]]}]', encoding="utf-8")
    with pytest.raises(UserError, match="message 2 is a list of 1, expected a text and a speaker"):
        read(path)


def test_mrbench_splits_on_labels_and_not_on_breaks():
    first, second = read(FIXTURES / "mrbench.json")
    assert [who for who, _ in said(first)] == ["tutor", "student", "tutor", "student"]
    assert said(first)[1][1].split() == ["I", "added", "3", "and", "12.", "15"]
    assert said(first)[3][1].endswith("so 15 is wrong?")
    assert said(second) == [("tutor", "Look at the clock."), ("tutor", "Where is the short hand?"), ("student", "4")]


def test_mrbench_label_inside_a_line_is_text(tmp_path):
    record = records_of("mrbench.json")[1]
    record["conversation_history"] = "Tutor: Say this: Student: hi\u00a0\n\u00a0Student: hi"
    path = tmp_path / "a.json"
    path.write_text(json.dumps([record]), encoding="utf-8")
    assert said(read(path)[0]) == [("tutor", "Say this: Student: hi"), ("student", "hi")]


def test_mrbench_responses_are_no_part_of_the_talk():
    first = read(FIXTURES / "mrbench.json")[0]
    assert first.meta["anno_llm_responses"]["Expert"]["response"] == "How many boxes are there?"
    assert "How many boxes" not in str(said(first))


def test_bridge_is_the_history_and_the_real_reply():
    first = read(FIXTURES / "bridge.json")[0]
    assert [text for _, text in said(first)][-3:] == ["8/3", "Not quite.", "It is 3/8."]
    assert first.turns[0].meta == {"id": 28, "clock": "10:02"}
    assert first.turns[0].time is None
    assert first.meta["c_revision"][1]["text"] == "8"
    assert (first.meta["e"], first.context) == ("misinterpret", "4.3A.Fractions")


def test_cima_alternates_from_the_tutor_and_unpacks_json_in_strings():
    first, second = read(FIXTURES / "cima.json")
    assert [who for who, _ in said(first)] == ["tutor", "student", "tutor", "student"]
    assert (first.id, first.meta["img"]) == ("0", "images/cat_bed.png")
    assert first.meta["grammarRules"] == ["Adjectives follow the noun."]
    assert second.meta["grammarRules"] == '["a"]["b"]'
    assert first.context == "To be said in Italian: bed, is under the, red"


def test_cima_talk_may_itself_be_a_string_and_a_broken_record_is_named(tmp_path):
    given = json.loads((FIXTURES / "cima.json").read_text(encoding="utf-8"))
    given["prepDataset"]["0"]["past_convo"] = json.dumps(["a", "b"])
    given["prepDataset"]["1"]["past_convo"] = 7
    path = tmp_path / "a.json"
    path.write_text(json.dumps(given), encoding="utf-8")
    with pytest.raises(UserError, match="line 1, prepDataset 1: field 'past_convo' is a number, expected a list"):
        read(path)
    assert [said(chat) for chat in read(path, skip_bad=True)] == [[("tutor", "a"), ("student", "b")]]


def test_tutorcasebench_is_a_folder_or_one_file():
    folder = FIXTURES / "tutorcasebench"
    file = read_chats(folder)
    first, second = file
    assert (first.id, second.id, first.context) == ("007-001", "007-002", "It is the last lesson of the day.")
    assert first.turns[5].meta == {"is_challenging_behavior": True}
    assert read(folder / "scenario_001_c007_im.json") == [first]
    assert file.facts()["file"] == "tutorcasebench"
    assert len(file.sha256) == 64


def records_of(name):
    return json.loads((FIXTURES / name).read_text(encoding="utf-8"))

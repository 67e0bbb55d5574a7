"""A log in another format: what is claimed to be kept comes back exactly, what is not is counted."""

import csv
import json
import tempfile
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from tutorscope.chats.chat import Chat, Turn
from tutorscope.chats.converting import KEEPS, LEFT_OUT, TARGETS, convert, convert_text
from tutorscope.chats.exchanges import walk
from tutorscope.chats.plain import chat_to_data
from tutorscope.chats.reading import read_chats
from tutorscope.cli.chats import chats as command
from tutorscope.errors import UserError

FIXTURES = Path(__file__).parents[1] / "fixtures" / "chats"
WAYS = [
    ("openai", ".jsonl"),
    ("tutorscope", ".jsonl"),
    ("long", ".csv"),
    ("long", ".jsonl"),
    ("wide", ".csv"),
    ("wide", ".jsonl"),
]

nasty = st.sampled_from(
    [
        '"',
        "\n",
        "\r",
        "\r\n",
        ",",
        ";",
        "\t",
        "\x00",
        "=1+1",
        "+",
        "-",
        "@x",
        "'",
        "'=",
        "\u2028",
        "\ufeff",
        "\\",
        "é",
        "＝",
    ]
)
texts = st.lists(nasty | st.text(st.characters(exclude_categories=["Cs"]), max_size=6), max_size=3).map("".join)
halves = texts | texts.map(lambda text: text + "\ud83d")
times = st.sampled_from([None, "2025-03-01T10:00:00", "2025-03-01T10:00:00+01:00", "soon", "2025-03-01"])
metas = st.dictionaries(st.sampled_from(["move", "arm"]), st.integers(), max_size=1)


def some_chats(text):
    turn = st.builds(Turn, st.sampled_from(["student", "tutor", "other"]), text, times, metas)
    ids = st.sampled_from(["", "a", "=b", "c\n", "a#2"]) | text
    return st.lists(
        st.builds(Chat, ids, st.lists(turn, max_size=5).map(tuple), text, st.booleans(), metas), min_size=1, max_size=4
    )


def there_and_back(given_chats, to, ending, **options):
    with tempfile.TemporaryDirectory() as folder:
        log, out = Path(folder) / "log.jsonl", Path(folder) / f"out{ending}"
        log.write_text("".join(json.dumps(chat_to_data(chat)) + "\n" for chat in given_chats), encoding="utf-8")
        facts = convert(log, out, to, format="tutorscope", **options)
        if not facts["written"]:
            return facts, []
        return facts, list(read_chats(out, format=to))


def kept_time(time):
    return time if time and len(time) > 10 else None


def expected_ids(given_chats, found, facts):
    """Where no id had to be made up, ids are the log's own."""
    if not facts["left_out"].get("made_up_ids") and not facts["left_out"].get("surrogates"):
        assert [chat.id for chat in found] == [chat.id for chat in given_chats]
    assert len({chat.id for chat in found}) == len(found)


@settings(max_examples=20, deadline=None)
@given(some_chats(halves))
def test_our_own_lines_keep_all(given_chats):
    facts, found = there_and_back(given_chats, "tutorscope", ".jsonl")
    assert found == given_chats
    assert facts["left_out"] == {}


@settings(max_examples=20, deadline=None)
@given(some_chats(halves))
def test_openai_keeps_ids_speakers_texts_and_times(given_chats):
    facts, found = there_and_back(given_chats, "openai", ".jsonl")
    assert [chat.id for chat in found] == [chat.id for chat in given_chats]
    assert [[(t.speaker, t.text, t.time) for t in chat.turns] for chat in found] == [
        [(t.speaker, t.text, kept_time(t.time)) for t in chat.turns] for chat in given_chats
    ]
    left = facts["left_out"]
    assert left.get("contexts", 0) == sum(bool(chat.context) for chat in given_chats)
    assert left.get("readouts", 0) == sum(chat.readout for chat in given_chats)
    assert left.get("turn_labels", 0) == sum(bool(turn.meta) for chat in given_chats for turn in chat.turns)
    lost = sum(turn.time is not None and not kept_time(turn.time) for chat in given_chats for turn in chat.turns)
    assert left.get("times", 0) == lost


@pytest.mark.parametrize("ending", [".csv", ".jsonl"])
@settings(max_examples=20, deadline=None)
@given(given_chats=some_chats(texts))
def test_long_keeps_ids_speakers_texts_times_and_contexts(ending, given_chats):
    facts, found = there_and_back(given_chats, "long", ending)
    whole = [chat for chat in given_chats if chat.turns]
    assert [(chat.context, [(t.speaker, t.text, t.time) for t in chat.turns]) for chat in found] == [
        (chat.context, [(t.speaker, t.text, kept_time(t.time)) for t in chat.turns]) for chat in whole
    ]
    expected_ids(whole, found, facts)
    assert facts["left_out"].get("empty_chats", 0) == len(given_chats) - len(whole)


@pytest.mark.parametrize("ending", [".csv", ".jsonl"])
@pytest.mark.parametrize("same_speaker", ["merge", "keep"])
@settings(max_examples=15, deadline=None)
@given(given_chats=some_chats(texts))
def test_wide_keeps_ids_exchanges_and_contexts(ending, same_speaker, given_chats):
    facts, found = there_and_back(given_chats, "wide", ending, same_speaker=same_speaker)
    whole = [chat for chat in given_chats if walk(chat, same_speaker).exchanges]
    assert [[(e.student, e.tutor) for e in walk(chat).exchanges] for chat in found] == [
        [(e.student, e.tutor) for e in walk(chat, same_speaker).exchanges] for chat in whole
    ]
    assert [chat.context for chat in found] == [chat.context for chat in whole]
    expected_ids(whole, found, facts)
    walked = [walk(chat, same_speaker) for chat in given_chats]
    assert facts["left_out"].get("opening_turns", 0) == sum(len(one.opening) for one in walked)
    assert facts["left_out"].get("unpaired_turns", 0) == sum(len(one.unpaired) for one in walked)


@settings(max_examples=15, deadline=None)
@given(some_chats(halves))
def test_half_characters_are_replaced_in_csv_and_counted(given_chats):
    facts, found = there_and_back(given_chats, "long", ".csv")
    whole = [chat for chat in given_chats if chat.turns]
    assert [[t.text for t in chat.turns] for chat in found] == [
        [t.text.replace("\ud83d", "\ufffd") for t in chat.turns] for chat in whole
    ]
    if any("\ud83d" in turn.text for chat in whole for turn in chat.turns):
        assert facts["left_out"]["surrogates"] > 0


@pytest.mark.parametrize(("to", "ending"), WAYS)
@pytest.mark.parametrize("name", [path.name for path in sorted(FIXTURES.iterdir())])
def test_every_fixture_can_be_converted_and_is_recognised_then(tmp_path, name, to, ending):
    out = tmp_path / f"out{ending}"
    facts = convert(FIXTURES / name, out, to)
    file = read_chats(out)
    found = list(file)
    assert file.format == to
    assert facts["written"] == sum(1 for _ in csv_or_lines(out))
    if to == "tutorscope":
        assert found == list(read_chats(FIXTURES / name))
    assert set(facts["left_out"]) <= set(LEFT_OUT)


def csv_or_lines(path):
    with path.open(encoding="utf-8-sig", newline="") as text:
        yield from csv.DictReader(text) if path.suffix == ".csv" else text


def test_no_cell_is_a_formula_and_all_are_quoted(tmp_path):
    chats = [Chat("=1", (Turn("student", "=cmd()"), Turn("tutor", "\t@x")), context="-1")]
    log, out = tmp_path / "log.jsonl", tmp_path / "out.csv"
    log.write_text(json.dumps(chat_to_data(chats[0])), encoding="utf-8")
    convert(log, out, "long")
    text = out.read_bytes().decode("utf-8")
    assert text.startswith('\ufeff"chat","role","text","time","context","formula-safe"\r\n')
    assert '"\'=1","student","\'=cmd()","","\'-1",""' in text
    assert list(read_chats(out)) == chats


def test_a_sheet_of_somebody_elses_is_not_restored(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("chat,role,text\n1,student,'=x\n", encoding="utf-8")
    assert next(iter(read_chats(path))).turns[0].text == "'=x"


def test_the_reading_options_work(tmp_path):
    out = tmp_path / "out.jsonl"
    log = tmp_path / "log.csv"
    log.write_text("who,was,c,e-mail\nbot,hi,1,x@y\nme,ja,1,x@y\nme,so,2,\n", encoding="utf-8")
    facts = convert(log, out, "openai", columns="chat=c,role=who,text=was", roles="tutor=bot,student=me", limit=1)
    assert json.loads(out.read_text(encoding="utf-8"))["messages"] == [
        {"role": "assistant", "content": "hi"}, {"role": "user", "content": "ja"},
    ]  # fmt: skip
    assert (facts["chats"], facts["dropped"]) == (1, ["e-mail"])


@pytest.mark.parametrize(
    ("out", "to", "message"),
    [
        ("a.csv", "openai", "openai is written as .jsonl"),
        ("a.txt", "long", "long is written as .csv or .jsonl"),
        ("a.jsonl", "xml", "--to xml: expected one of openai, long, wide, tutorscope"),
        ("none/a.csv", "long", "cannot be written: No such file"),
    ],
)
def test_targets_that_make_no_sense_are_said(tmp_path, out, to, message):
    with pytest.raises(UserError, match=message):
        convert(FIXTURES / "openai.jsonl", tmp_path / out, to)


def test_nothing_is_written_over_and_nothing_half_written_stays(tmp_path):
    out = tmp_path / "a.jsonl"
    out.write_text("mine", encoding="utf-8")
    with pytest.raises(UserError, match="exists already; nothing was written"):
        convert(FIXTURES / "openai.jsonl", out, "openai")
    assert out.read_text(encoding="utf-8") == "mine"
    log = tmp_path / "log.jsonl"
    log.write_text((FIXTURES / "openai.jsonl").read_text(encoding="utf-8") + "{broken\n", encoding="utf-8")
    with pytest.raises(UserError, match="line 3"):
        convert(log, tmp_path / "b.jsonl", "openai")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.jsonl", "log.jsonl"]


def test_the_command_says_what_is_kept_and_what_not(tmp_path):
    out = tmp_path / "out.jsonl"
    result = CliRunner().invoke(command, ["convert", str(FIXTURES / "bridge.json"), str(out), "--to", "openai"])
    assert result.exit_code == 0
    assert result.output == (
        "bridge.json (bridge) to out.jsonl (openai)\n"
        "  2 chats, 8 turns read; 2 records written\n"
        "  kept: ids, speakers, texts, times\n"
        "  not kept:\n"
        "    2 chats with labels and other fields of their own: left out\n"
        "    8 turns with labels and other fields of their own: left out\n"
        "    2 contexts: the format has no place for them\n"
        "  personal fields dropped: none\n"
    )


def test_the_command_gives_json(tmp_path):
    args = ["convert", str(FIXTURES / "wide.csv"), str(tmp_path / "o.jsonl"), "--to", "tutorscope", "--json"]
    facts = json.loads(CliRunner().invoke(command, args).output)
    assert (facts["chats"], facts["left_out"], facts["dropped"]) == (2, {}, ["e-mail"])


def test_every_target_says_what_it_keeps():
    assert set(KEEPS) == set(TARGETS)


def test_control_codes_of_names_do_not_reach_the_terminal():
    facts = {"file": "a\x1b[2J\nb", "format": "long", "out": "o", "to": "long", "chats": 1, "turns": 1, "written": 1,
             "kept": "", "left_out": {}, "dropped": ["x\x07"], "bad": 0}  # fmt: skip
    text = convert_text(facts)
    assert "\x1b" not in text
    assert "\x07" not in text
    assert text.count("\n") == 5

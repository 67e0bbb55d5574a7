"""Reading a log: counts, limits, roles, personal fields, formats named and found."""

import csv
import json
from pathlib import Path

import pytest

from tutorscope.chats import grouping, registry
from tutorscope.chats.chat import Chat, Turn
from tutorscope.chats.naming import parse_columns, parse_roles
from tutorscope.chats.personal import is_personal
from tutorscope.chats.reader import BadRecord, Reader
from tutorscope.chats.reading import read_chats
from tutorscope.chats.records import look
from tutorscope.chats.sources import open_source
from tutorscope.chats.tables import csv_rows
from tutorscope.chats.times import iso_time
from tutorscope.errors import UserError

FIXTURES = Path(__file__).parents[1] / "fixtures" / "chats"


def chat(name: str, *roles: str, **more):
    return {"id": name, "messages": [{"role": role, "content": f"{role} {i}"} for i, role in enumerate(roles)], **more}


def lines(path: Path, *records) -> Path:
    text = "".join(record if isinstance(record, str) else json.dumps(record) + "\n" for record in records)
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture
def log(tmp_path):
    return tmp_path / "log.jsonl"


def test_counts_run_along(log):
    pair = ["user", "assistant"]
    file = read_chats(lines(log, chat("a", *pair, *pair), chat("b", "user", "user", "assistant")))
    seen = [(file.counts.chats, file.counts.turns) for _ in file]
    assert seen == [(1, 4), (2, 7)]
    assert (file.counts.exchanges, file.counts.valid_exchanges, file.counts.valid_chats) == (3, 3, 1)
    assert (file.counts.merged, file.reasons) == (1, {"no_framing_yet": 2, "too_short": 1})


def test_chats_stay_as_read(log):
    lines(log, chat("a", "user", "user", "assistant"))
    merged, kept = read_chats(log), read_chats(log, same_speaker="keep")
    assert list(merged) == list(kept)
    assert (merged.counts.exchanges, kept.counts.exchanges) == (1, 2)
    assert (merged.counts.merged, kept.counts.merged) == (1, 0)


def test_a_second_pass_counts_anew(log):
    file = read_chats(lines(log, chat("a", "user", "assistant")))
    assert len(list(file)) == len(list(file)) == file.counts.chats == 1


def test_facts_are_plain_data(log):
    file = read_chats(lines(log, chat("a", "user", "assistant", ip="1.2.3.4")))
    list(file)
    facts = json.loads(json.dumps(file.facts()))
    assert facts["file"] == "log.jsonl"
    assert facts["dropped"] == ["ip"]
    assert facts["format"] == "openai"
    assert len(facts["sha256"]) == 64


# limit


def test_a_limit_does_not_read_what_lies_behind_it(log):
    lines(log, chat("a", "user"), chat("b", "user"), "{broken\n", chat("d", "narrator"))
    file = read_chats(log, limit=2)
    assert [c.id for c in file] == ["a", "b"]
    with pytest.raises(UserError, match="line 3"):
        list(read_chats(log, limit=3))


def test_a_limit_above_the_file_is_the_file(log):
    assert len(list(read_chats(lines(log, chat("a", "user")), limit=9))) == 1


def test_a_limit_of_a_list_does_not_read_behind_it(log):
    log.write_text("[" + json.dumps(chat("a", "user")) + ",\n" + json.dumps(chat("b", "user")) + ",\n{oops", "utf-8")
    assert [c.id for c in read_chats(log, limit=2)] == ["a", "b"]


def test_a_limit_gives_whole_chats_where_rows_are_interleaved(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("chat,role,text\nb,student,1\na,student,2\nb,tutor,3\nb,student,4\na,weird,5\n", encoding="utf-8")
    (first,) = read_chats(path, limit=1)
    assert [turn.text for turn in first.turns] == ["1", "3", "4"]
    with pytest.raises(UserError, match="line 6: the role 'weird' is not known"):
        list(read_chats(path, limit=2))


def test_a_larger_limit_is_a_superset(tmp_path):
    path = tmp_path / "a.csv"
    rows = [f"{n % 7},{'student' if n % 2 else 'tutor'},t{n}" for n in range(50)]
    path.write_text("chat,role,text\n" + "\n".join(rows), encoding="utf-8")
    everything = list(read_chats(path))
    for limit in range(1, 8):
        assert list(read_chats(path, limit=limit)) == everything[:limit]


def test_long_cells_are_read_and_the_limit_of_others_is_left_alone(tmp_path):
    path = tmp_path / "a.csv"
    long = "x" * (csv.field_size_limit() + 1)
    path.write_text(f"chat,role,text\na,student,{long}\na,tutor,{long}\n", encoding="utf-8")
    before = csv.field_size_limit()
    for one, other in zip(csv_rows(open_source(path)), csv_rows(open_source(path)), strict=True):
        assert one.value["text"] == other.value["text"] == long
        assert csv.field_size_limit() == before
    assert csv.field_size_limit() == before


# broken records


def test_a_broken_record_names_its_line_and_the_flag(log):
    lines(log, chat("a", "user"), {"messages": [{"role": "user", "content": 3}]})
    with pytest.raises(UserError, match=r"log.jsonl: line 2: message 1: content is a number, expected text .*skip-bad"):
        list(read_chats(log))


def test_skipped_records_are_counted_by_reason(log):
    lines(log, chat("a", "user"), "{oops\n", {"messages": 3}, {"messages": [{"role": "user", "content": {}}]}, "7\n")
    file = read_chats(log, skip_bad=True)
    assert len(list(file)) == 1
    assert file.counts.bad == 4
    expected = {"not_json": 1, "no_messages": 1, "not_text": 1, "not_an_object": 1}
    assert {name: n for name, n in file.reasons.items() if name in expected} == expected
    assert len(file.bad_examples) == 4


def test_when_all_is_broken_the_first_is_named(log):
    lines(log, {"messages": [{"role": "user", "content": 3}]}, "{oops\n")
    with pytest.raises(UserError, match="none of 2 records can be read; the first: line 1: message 1"):
        list(read_chats(log, skip_bad=True))


def test_one_broken_row_breaks_its_chat_and_no_other(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("chat,role,text\n1,student,a\n1,,b\n2,student,c\n", encoding="utf-8")
    with pytest.raises(UserError, match="line 3: no role in 'role'"):
        list(read_chats(path))
    file = read_chats(path, skip_bad=True)
    assert [c.id for c in file] == ["2"]
    assert file.reasons["no_role"] == 1


# roles


def test_an_unknown_role_lists_what_was_found_and_shows_the_flag(log):
    lines(log, chat("a", "user", "bot"), chat("b", "narrator", "bot"))
    with pytest.raises(UserError) as caught:
        list(read_chats(log, skip_bad=True))
    assert str(caught.value) == (
        f"{log}: line 1: the role 'bot' is not known; found 'user' (student), 'bot', 'narrator'; say whose they are "
        "with --roles tutor=NAME,student=NAME (other=NAME for what is no part of the talk)"
    )


def test_roles_name_the_unknown_and_turn_the_known_round(log):
    lines(log, chat("a", "user", "BOT", "system"))
    (named,) = read_chats(log, roles="tutor=bot")
    assert [turn.speaker for turn in named.turns] == ["student", "tutor", "other"]
    (turned,) = read_chats(log, roles="tutor=user,student=bot,student=system")
    assert [turn.speaker for turn in turned.turns] == ["tutor", "student", "student"]


def test_numbers_can_be_roles(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("chat,role,text\n1,1,hi\n1,0,a\n", encoding="utf-8")
    (found,) = read_chats(path, roles="tutor=1,student=0")
    assert [turn.speaker for turn in found.turns] == ["tutor", "student"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("bot", "--roles: found 'bot', expected the form tutor=bot,student=user"),
        ("teacher=bot", "--roles: found 'teacher', expected student, tutor, other before the ="),
        ("tutor=bot,student=Bot", "--roles: 'Bot' is named as tutor and as student"),
        ("tutor=", "expected the form"),
    ],
)
def test_roles_that_make_no_sense_are_said(given, message):
    with pytest.raises(UserError, match=message):
        parse_roles(given)


def test_columns_that_make_no_sense_are_said():
    assert parse_columns("chat=My Chat, text = b=c ") == {"chat": "My Chat", "text": "b=c"}
    with pytest.raises(UserError, match="--columns: found 'who', expected one of chat, role"):
        parse_columns("who=a")
    with pytest.raises(UserError, match="chat is given twice"):
        parse_columns("chat=a,chat=b")


# personal fields


PERSONAL = """
ip IP hashed_ip client.ip IPAddress ip_address user_agent userAgent User-Agent email e-mail E_Mail eMail username
userName user_name user_id accountName login first_name full-name phone student_name header
"""
PLAIN = "id description zip recipe script tip student_id chat_id model arm grade language named emailed"


@pytest.mark.parametrize("name", PERSONAL.split())
def test_a_personal_field_is_known_by_its_name(name):
    assert is_personal(name)


@pytest.mark.parametrize("name", PLAIN.split())
def test_a_plain_field_is_not_personal(name):
    assert not is_personal(name)


def test_personal_fields_are_dropped_at_every_depth_and_listed(log):
    record = chat("a", "user", user="u7", metadata={"arm": "x", "client_ip": "1.2.3.4", "deep": [{"email": "a@b"}]})
    record["messages"][0]["name"] = "Anna"
    file = read_chats(lines(log, record))
    (found,) = file
    assert found.meta == {"metadata": {"arm": "x", "deep": [{}]}}
    assert found.turns[0].meta == {}
    assert file.dropped == ["messages.name", "metadata.client_ip", "metadata.deep.email", "user"]


def test_personal_fields_are_kept_on_demand(log):
    (found,) = read_chats(lines(log, chat("a", "user", email="a@b")), keep_personal=True)
    assert found.meta == {"email": "a@b"}


def test_our_own_format_drops_them_too(log):
    turn = {"speaker": "student", "text": "a", "meta": {"ip": "1"}}
    (found,) = read_chats(lines(log, {"id": "a", "turns": [turn], "meta": {"email": "a@b", "arm": None}}))
    assert (found.meta, found.turns[0].meta) == ({"arm": None}, {})


def test_personal_cells_leave_no_trace(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("chat,role,text,E-Mail\n1,student,a,anna@example.org\n2,student,b,x@example.org\n", "utf-8")
    file = read_chats(path)
    assert "example.org" not in repr(list(file))
    assert file.dropped == ["E-Mail"]


# ids


def test_equal_ids_are_kept_and_counted(log):
    file = read_chats(lines(log, chat("a", "user"), chat("a", "user", "user"), chat("", "user"), chat("", "user")))
    assert len(list(file)) == 4
    assert file.duplicate_ids == 1


# formats


def test_an_unknown_format_lists_the_known(log):
    with pytest.raises(UserError, match="--format foo: there is no such format; found tutorscope, mathdial, "):
        read_chats(lines(log, chat("a", "user")), format="foo")


BOTH = {
    ("studychat.jsonl", "openai"),
    ("studychat.jsonl", "wide"),
    ("lmsys.jsonl", "wildchat"),
    ("wildchat.jsonl", "lmsys"),
}
"""Files that can be read in a format that ``auto`` would not choose, since they have all that it needs."""


@pytest.mark.parametrize("fmt", registry.BUILT_IN)
@pytest.mark.parametrize("name", [path.name for path in sorted(FIXTURES.iterdir())])
def test_a_format_that_was_named_wrong_is_an_error_that_says_where(fmt, name):
    file = read_chats(FIXTURES / name, format=fmt)
    if fmt == Path(name).stem or (name, fmt) in BOTH:
        assert list(file)
        return
    with pytest.raises(UserError, match=name):
        list(file)


@pytest.mark.parametrize("name", [path.name for path in sorted(FIXTURES.iterdir())])
def test_a_fixture_is_recognised_as_its_own_format_and_as_no_other(name):
    own = Path(name).stem
    head = look(open_source(FIXTURES / name), {})
    fitting = {reader.name for reader in registry.all_readers().values() if reader.sniff(head)}
    ours = {reader.name for reader in registry.all_readers().values() if reader.general}
    assert fitting - ours == ({own} - ours)
    assert read_chats(FIXTURES / name).format == own


def test_no_format_fits(log):
    lines(log, {"a": 1, "b": 2})
    with pytest.raises(UserError, match="no format has records with the fields 'a', 'b'; name a format with --format"):
        read_chats(log)


def test_two_formats_fit(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("chat,role,text,student,tutor\n1,student,a,b,c\n", encoding="utf-8")
    with pytest.raises(UserError, match=r"could be long \(.*\) and wide \(.*\); say which with --format"):
        read_chats(path)
    assert len(next(iter(read_chats(path, format="wide"))).turns) == 2


class Entry:
    """What ``importlib.metadata`` gives for an entry point."""

    def __init__(self, name, found):
        self.name, self.found, self.dist = name, found, None

    def load(self):
        if isinstance(self.found, Exception):
            raise self.found
        return self.found


@pytest.fixture
def installed(monkeypatch):
    def install(*entries):
        monkeypatch.setattr(registry, "entry_points", lambda group: entries if group == "tutorscope.readers" else ())
        registry.all_readers.cache_clear()

    yield install
    registry.all_readers.cache_clear()


def shout(source, options):
    yield BadRecord("line 1", "quiet", "nobody shouts")
    yield Chat("x", (Turn("student", "A!"),))


def test_another_package_can_offer_a_reader(installed, tmp_path):
    reader = Reader("shout", "shouting", lambda head: "it shouts" if head.columns == ("SHOUT",) else None, shout)
    installed(Entry("shout", reader))
    path = tmp_path / "a.txt"
    path.write_text("SHOUT\nA!\n", encoding="utf-8")
    file = read_chats(path, skip_bad=True)
    assert [c.id for c in file] == ["x"]
    assert (file.format, file.why, file.reasons["quiet"]) == ("shout", "it shouts", 1)
    assert read_chats(path, format="shout").format == "shout"


@pytest.mark.parametrize(
    ("found", "message"),
    [
        (ImportError("no module x"), "reader 'r' of the package .* cannot be loaded: ImportError: no module x"),
        (3, "is a int, expected a tutorscope.chats.reader.Reader"),
        (Reader("long", "", lambda head: None, shout), "has the name 'long', which is taken"),
    ],
)
def test_a_package_with_a_broken_reader_is_named_and_ours_still_work(installed, log, found, message):
    installed(Entry("r", found))
    lines(log, chat("a", "user"))
    with pytest.raises(UserError, match=message):
        read_chats(log)
    assert len(list(read_chats(log, format="openai"))) == 1


# times


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("2025-03-01T10:00:00Z", "2025-03-01T10:00:00+00:00"),
        ("1714521600", "2024-05-01T00:00:00+00:00"),
        (1714521600.5, "2024-05-01T00:00:00.500000+00:00"),
        ("20250301", None),
        (12, None),
        (True, None),
        ("soon", None),
        (float("nan"), None),
        (10**400, None),
        ("9" * 400, None),
    ],
)
def test_times(given, expected):
    assert iso_time(given) == expected


# grouping


def test_too_many_rows_in_one_chat_are_one_bad_record(tmp_path, monkeypatch):
    monkeypatch.setattr(grouping, "MAX_ROWS", 3)
    path = tmp_path / "a.csv"
    path.write_text("chat,role,text\n" + "1,student,a\n" * 4 + "2,student,b\n", encoding="utf-8")
    file = read_chats(path, skip_bad=True)
    assert [c.id for c in file] == ["2"]
    assert file.reasons["too_many_turns"] == 1


def test_a_hash_that_two_chats_share_changes_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(grouping, "hash", lambda key: 7, raising=False)
    path = tmp_path / "a.csv"
    path.write_text("chat,role,text\n1,student,a\n1,tutor,b\n2,student,c\n", encoding="utf-8")
    assert [len(c.turns) for c in read_chats(path)] == [2, 1]

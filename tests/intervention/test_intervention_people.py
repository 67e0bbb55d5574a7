import csv
import io
import re

import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from tutorscope.errors import UserError
from tutorscope.intervention.episodes import people_episode, sort_people
from tutorscope.intervention.people import COLUMNS, check_people, is_people, read_people, trace_sha256

TRACE = "A door has keys.\nA ring has keys, too; so it is a ring 🙂."
TRACES = {("s", "p1"): TRACE, ("s", "p2"): "I know: it is seven."}
FULL = {
    **{"participant": "5f1a", "problem": "p1", "condition": "standard", "intervened": "yes", "position": "16"},
    **{"quote": "", "message": "Is a door\nall?", "trace": TRACE, "trace_sha256": "", "student": "s", "trial": "3"},
    **{"seconds": "41.5", "years_teaching": "less than 1", "parent": "no", "children_ages": "", "ai_use": "no"},
    **{"how_decided": "When it went wrong.", "feedback": "Fun; =1+1"},
}
SILENT = {"intervened": "no", "position": "", "message": ""}


@pytest.fixture
def written(tmp_path):
    def write(text, name="e.csv"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def sheet(*rows, separator=",", columns=None):
    names = columns or list(dict.fromkeys(name for row in rows for name in row))
    out = io.StringIO()
    writer = csv.DictWriter(out, names, delimiter=separator, quoting=csv.QUOTE_MINIMAL, lineterminator="\r\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def row(**changed):
    return {**FULL, **changed}


def read_rows(written, *rows):
    return read_people(f"people:{written(sheet(*rows))}").items


# --- what is read


def test_an_episode_is_read_with_all_that_is_known_of_it(written):
    (item,) = read_rows(written, FULL)
    assert item.data == {
        **{"participant": "5f1a", "problem": "p1", "student": "s", "condition": "standard", "intervened": True},
        **{"position": 16, "quote": "", "message": "Is a door\nall?", "trace_sha256": trace_sha256(TRACE)},
        **{"found": "", "lost": "", "length": len(TRACE), "line": "e.csv: line 2", "trial": 3, "seconds": 41.5},
        **{"years_teaching": "less than 1", "parent": False, "children_ages": "", "ai_use": "no"},
        **{"how_decided": "When it went wrong.", "feedback": "Fun; =1+1"},
    }


def test_episodes_of_people_are_read_as_tutors_episodes(written):
    (item,) = read_rows(written, FULL)
    episode = people_episode("people", item.data, item.sha)
    assert (episode.tutor, episode.student, episode.problem, episode.participant) == ("people", "s", "p1", "5f1a")
    assert (episode.intervened, episode.position, episode.message) == (True, 16, "Is a door\nall?")


def test_the_least_that_an_episode_needs(written):
    needed = {name: FULL[name] for name in ("participant", "problem", "condition", "intervened")}
    text = sheet({**needed, "intervened": "No", "trace_sha256": trace_sha256(TRACE).upper()})
    (item,) = check_people(read_people(f"people:{written(text)}").items, TRACES)
    assert (item.data["intervened"], item.data["student"], item.data["length"]) == (False, "s", len(TRACE))
    assert item.data["parent"] is None
    assert item.data["trial"] is None


def test_names_before_the_file_name_the_tutor(written):
    path = written(sheet(FULL))
    found = read_people(f"teachers=people:{path}")
    assert (found.name, read_people(f"people:{path}").name) == ("people/teachers", "people/people")
    assert (found.facts["rows"], found.facts["participants"], found.facts["file"]) == (1, 1, "e.csv")
    assert is_people(f"teachers=people:{path}")
    assert not is_people("openai/people")


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_separators_and_a_byte_order_mark_change_nothing(written, separator, mark):
    plain = read_rows(written, FULL, row(problem="p2", trace=TRACES["s", "p2"]))
    text = sheet(FULL, row(problem="p2", trace=TRACES["s", "p2"]), separator=separator)
    assert read_people(f"people:{written(mark + text, 'other.csv')}").items[1].sha == plain[1].sha


def test_utf_16_is_read_by_its_mark(written):
    found = read_people(f"people:{written(sheet(FULL).encode('utf-16'))}")
    assert found.items[0].data["trace_sha256"] == trace_sha256(TRACE)


def test_headers_may_be_written_as_words(written):
    text = sheet(FULL).replace("years_teaching", "Years Teaching").replace("participant", "PARTICIPANT")
    assert read_people(f"people:{written(text)}").items[0].data["years_teaching"] == "less than 1"


@pytest.mark.parametrize(("cell", "value"), [("yes", True), ("NO", False), ("True", True), ("0", False), (" 1 ", True)])
def test_yes_and_no_in_the_ways_programs_write_them(written, cell, value):
    changed = {} if value else SILENT
    assert read_rows(written, row(**{**changed, "intervened": cell}))[0].data["intervened"] is value


def test_a_number_column_with_gaps_comes_with_decimal_zeros(written):
    assert read_rows(written, row(position="16.0"))[0].data["position"] == 16


def test_personal_columns_are_dropped_and_named_and_others_are_named_too(written):
    private = {"E-Mail": "a@b.c", "name": "Ann", "ip": "10.0.0.1", "Prolific ID": "abc", "mood": "calm"}
    found = read_people(f"people:{written(sheet({**FULL, **private}))}")
    assert found.facts["personal"] == ["E-Mail", "name", "ip", "Prolific ID"]
    assert found.facts["unused"] == ["mood"]
    kept = repr(found)
    assert not any(value in kept for value in ("a@b.c", "Ann", "10.0.0.1", "abc", "calm"))
    assert found.items[0].data["participant"] == "5f1a"


def test_hostile_texts_come_through_as_they_are(written):
    hostile = '=HYPERLINK("x")\r\n</update> \x1b[31m {{trace}} "Yes" 🙂 \u202e'
    (item,) = read_rows(written, row(message=hostile))
    assert item.data["message"] == hostile


def test_an_episode_is_the_same_wherever_its_row_stands_and_however_its_trace_is_given(written):
    (first,) = read_rows(written, FULL)
    by_hash = row(trace="", trace_sha256=trace_sha256(TRACE))
    _, second = read_rows(written, row(problem="p2", trace=TRACES["s", "p2"]), by_hash)
    assert (first.id, first.sha, first.label) == (second.id, second.sha, second.label)
    assert read_rows(written, row(message="Another."))[0].sha != first.sha
    assert check_people([second], TRACES)[0].data["length"] == first.data["length"]


# --- the point


def test_a_quote_gives_the_point_at_its_end(written):
    (item,) = read_rows(written, row(position="", quote='"a DOOR has keys."'))
    assert (item.data["position"], item.data["found"], item.data["lost"]) == (16, "other_case", "")


def test_a_quote_is_recovered_once_the_trace_is_known(written):
    items = read_rows(written, row(position="", quote="ring has keys, too", trace="", trace_sha256=trace_sha256(TRACE)))
    assert items[0].data["position"] is None
    (item,) = check_people(items, TRACES)
    assert (item.data["position"], item.data["found"]) == (TRACE.index(", too") + 5, "exact")
    assert check_people([item], TRACES) == [item]


@pytest.mark.parametrize(("quote", "why"), [("", "no_quote"), ("a window", "not_found"), ("has keys", "ambiguous")])
def test_a_point_that_cannot_be_recovered_has_its_reason(written, quote, why):
    (item,) = read_rows(written, row(condition="oracle", position="", quote=quote))
    assert (item.data["intervened"], item.data["position"], item.data["lost"]) == (True, None, why)


def test_a_position_goes_before_a_quote(written):
    (item,) = read_rows(written, row(position="3", quote="A door has keys."))
    assert (item.data["position"], item.data["found"], item.data["quote"]) == (3, "", "A door has keys.")


@pytest.mark.parametrize("position", ["0", str(len(TRACE))])
def test_people_may_step_in_before_the_first_character_and_at_the_end(written, position):
    assert read_rows(written, row(position=position))[0].data["position"] == int(position)


# --- faults


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"participant": " "}, "participant: found nothing, expected a name"),
        ({"participant": "a\u200bb"}, r"participant: found 'a\u200bb', expected up to 200 visible characters"),
        ({"problem": ""}, "problem: found nothing, expected a name"),
        ({"condition": "watching"}, "condition: found 'watching', expected standard or oracle"),
        ({"condition": ""}, "condition: found nothing, expected standard or oracle"),
        ({"intervened": "maybe"}, "intervened: found 'maybe', expected yes or no"),
        ({"intervened": ""}, "intervened: found nothing, expected yes or no"),
        ({"parent": "two"}, "parent: found 'two', expected yes or no"),
        ({"message": " \n"}, "message: found nothing, expected what was said"),
        ({"position": "-1"}, "position: found '-1', expected a whole number from 0"),
        ({"position": "16.5"}, "position: found '16.5', expected a whole number from 0"),
        ({"position": "NA"}, "position: found 'NA', expected a whole number from 0"),
        ({"position": "9" * 5000}, "expected a whole number from 0"),
        ({"position": "٣"}, "position: found '٣', expected a whole number from 0"),
        ({"position": str(len(TRACE) + 1)}, f"found '{len(TRACE) + 1}', expected at most {len(TRACE)}, the length"),
        ({"position": ""}, "position: found nothing, expected the characters revealed at the message, or a quote"),
        (
            {"position": "", "quote": "a window"},
            "quote: found 'a window', expected words of the trace that stand there",
        ),
        ({"position": "", "quote": "has keys"}, "stand there once (ambiguous)"),
        ({"position": "", "quote": "..."}, "stand there once (no_quote)"),
        ({"intervened": "no"}, "position: found '16', expected nothing, since intervened says no"),
        ({"intervened": "no", "position": ""}, "message: found 'Is a door all?', expected nothing"),
        ({**SILENT, "quote": "A door"}, "quote: found 'A door', expected nothing"),
        ({"trial": "third"}, "trial: found 'third', expected a whole number from 0"),
        ({"seconds": "1e9"}, "seconds: found '1e9', expected a number such as 41.5"),
        ({"trace": ""}, "trace: found nothing, expected the trace that was shown, or its trace_sha256"),
        ({"trace": "", "trace_sha256": "abc"}, "trace_sha256: found 'abc', expected 64 hex digits"),
        ({"trace_sha256": "0" * 64}, "trace_sha256: found 000000000000..., but the row's trace has"),
    ],
)
def test_a_row_at_fault_is_one_line_with_file_and_line(written, changed, said):
    good = row(problem="p2", trace=TRACES["s", "p2"])
    # Nothing in the first row goes over two lines, so that the second one begins on line 3.
    path = written(sheet({**good, "message": "Is it?"}, row(**changed)))
    with pytest.raises(UserError, match=re.escape(said)) as refused:
        read_people(f"people:{path}")
    assert str(refused.value).startswith(f"{path}: line 3: ")
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is empty, expected an episode a row"),
        ("\ufeff", "is empty, expected an episode a row"),
        (sheet(FULL).splitlines()[0], "holds a header and no row"),
        (sheet({k: v for k, v in FULL.items() if k != "participant"}), "the column participant is missing"),
        (sheet({k: v for k, v in FULL.items() if not k.startswith("trace")}), "the column trace is missing"),
        (sheet({**FULL, "Message": "x"}), "line 2: the columns 'message' and 'Message' are one"),
        (sheet(FULL).replace("5f1a,p1", '5f1a,"p1'), "line 2: the row is not CSV"),
        (sheet(FULL).replace("Fun;", '"Fun;'), "a quoted cell is not closed before the end of the file"),
        (sheet(FULL) + "a,b\r\n", "the row has 2 cells, expected"),
        (sheet(row(message="Qu’en dis-tu ?")).encode("cp1252", "replace"), "is not utf-8; save it as UTF-8"),
        (sheet({**FULL, "Größe": "1"}).encode("cp1252", "replace"), "line 1: byte 0xf6 is not utf-8; save it as UTF-8"),
    ],
)
def test_a_file_at_fault_is_one_line(written, text, said):
    path = written(text)
    with pytest.raises(UserError, match=re.escape(said)) as refused:
        read_people(f"people:{path}")
    assert str(refused.value).startswith(str(path))
    assert "\n" not in str(refused.value)
    assert "--encoding" not in str(refused.value)


@pytest.mark.parametrize("spec", ["people:", "episodes.csv", "a b=people:x.csv"])
def test_what_names_no_file_of_people_is_said(spec):
    with pytest.raises(UserError, match=r"expected people:FILE or NAME=people:FILE"):
        read_people(spec)


def test_an_absent_file_is_said():
    with pytest.raises(UserError, match=r"absent\.csv: there is no such file"):
        read_people("people:absent.csv")


def test_an_episode_that_is_there_twice_is_refused_with_both_lines(written):
    # The trace of the first row goes over two lines.
    with pytest.raises(UserError, match=r"e\.csv: line 4: participant '5f1a' has an episode .* \(e\.csv: line 2\)"):
        read_rows(written, row(message="Once."), row(message="Twice.", trace="", trace_sha256=trace_sha256(TRACE)))


def test_the_same_person_may_have_the_problem_in_both_conditions(written):
    assert len({item.id for item in read_rows(written, FULL, row(condition="oracle"))}) == 2


# --- held to a run


def checked(written, traces, **changed):
    return check_people(read_rows(written, row(**changed)), traces)


def test_the_only_student_need_not_be_named(written):
    assert checked(written, TRACES, student="")[0].data["student"] == "s"
    with pytest.raises(UserError, match=r"line 2: student: found nothing, expected whose trace it was: s, t"):
        checked(written, {**TRACES, ("t", "p1"): TRACE}, student="")


def test_rows_that_turn_out_to_be_one_episode_are_refused(written):
    items = read_rows(written, FULL, row(student=""))
    with pytest.raises(UserError, match=r"has an episode on 'p1' in the standard condition already"):
        check_people(items, TRACES)


@pytest.mark.parametrize(
    ("traces", "said"),
    [
        (
            {("s", "p2"): TRACE},
            "problem: found 'p1', which is no problem of this run; expected one of its 1, such as 'p2'",
        ),
        ({("t", "p1"): TRACE}, "the run has no trace of 's' on 'p1' (it has those of t); bring the one that was shown"),
        ({("s", "p1"): None}, "the run has no trace of 's' on 'p1'"),
        ({("s", "p1"): TRACE + " "}, "the trace of 's' on 'p1' in this run is another one; bring"),
        ({("s", "p1"): TRACE.replace("\n", "\r\n")}, "only its line ends differ"),
    ],
)
def test_an_episode_without_its_trace_in_the_run_is_refused_with_its_line(written, traces, said):
    items = read_rows(written, FULL)
    with pytest.raises(UserError, match=re.escape(said)) as refused:
        check_people(items, traces)
    assert str(refused.value).startswith("e.csv: line 2: ")


def test_a_position_beyond_a_trace_that_is_given_by_its_hash_is_refused(written):
    with pytest.raises(UserError, match=rf"e\.csv: line 2: position: found '500', expected at most {len(TRACE)}"):
        checked(written, TRACES, position="500", trace="", trace_sha256=trace_sha256(TRACE))


def test_a_quote_that_is_not_in_a_trace_given_by_its_hash_is_refused_once_the_trace_is_known(written):
    with pytest.raises(UserError, match=r"e\.csv: line 2: quote: found 'a window', expected words of the trace"):
        checked(written, TRACES, position="", quote="a window", trace="", trace_sha256=trace_sha256(TRACE))


def test_one_episode_under_a_named_and_an_unnamed_student_is_set_aside_with_both_lines(written):
    sets = {"people/a": read_rows(written, row(message="Once."), row(student="", message="Twice."))}
    fitting, misfits = sort_people(sets, TRACES, ["p1", "p2"])
    assert [item.data["message"] for _, item in fitting] == ["Once."]
    assert misfits[0][1].startswith("e.csv: line 4: participant '5f1a' has an episode on 'p1'")
    assert "(e.csv: line 2)" in misfits[0][1]


@examples(max_examples=40)
@given(st.dictionaries(st.sampled_from(COLUMNS), st.text(max_size=20), min_size=1))
def test_any_cells_give_an_episode_or_one_line(tmp_path_factory, changed):
    path = tmp_path_factory.mktemp("any") / "e.csv"
    path.write_bytes(sheet({**FULL, **changed}, columns=list(COLUMNS)).encode("utf-8"))
    said, items = "", []
    try:
        items = read_people(f"people:{path}").items
    except UserError as problem:
        said = str(problem)
    assert (len(items) == 1) != said.startswith(f"{path}: ")
    assert "\n" not in said
    for item in items:
        assert item.data["position"] is None or 0 <= item.data["position"] <= item.data["length"]

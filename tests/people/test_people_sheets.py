"""Sheets come back exactly, whatever a sheet program made of them."""

import csv
import io

import pytest
from check_form import FORM
from hypothesis import given, settings
from hypothesis import strategies as st

from tutorscope.errors import UserError
from tutorscope.people.answers import drawn_items, take
from tutorscope.people.forms import Line, Shown, item_code, shown_sha, shown_text
from tutorscope.people.sheets import read_cells, read_sheet, write_cells, write_sheet

TEXTS = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"])),
    st.sampled_from(
        ["007", "1e5", "=1+1", "'=x", "''@", "+1", "-", "a\r\nb", "\r", 'say "hi"', "a;b,c\td", "1/2", " "]
    ),
)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.lists(TEXTS, min_size=1, max_size=4), min_size=1, max_size=4))
def test_any_cells_come_back_exactly(rows):
    assert read_cells(write_cells(rows), "x") == rows


@settings(max_examples=50, deadline=None)
@given(st.lists(TEXTS, max_size=3), TEXTS)
def test_any_chat_is_told_unchanged_after_a_round_trip(texts, answer):
    thing = Shown("1", "t", tuple(Line("student", text) for text in texts))
    code = item_code(FORM, "j", thing)
    rows = read_cells(write_sheet(FORM, [(code, thing)], "ann"), "x")
    rows[1][-1] = answer
    [row] = read_sheet(write_cells(rows), "x", FORM).rows
    assert (row.item, row.rater, row.cells["why"]) == (code, "ann", [answer])
    assert shown_sha(row.shown) == shown_sha(shown_text(thing))


def test_a_long_text_is_cut_into_cells_that_excel_holds_and_comes_back():
    long = Shown("1", "t", (Line("student", "🙂" * 40_000 + "\n" + "word " * 20_000),))
    data = write_sheet(FORM, [("check_1", long)])
    cells = read_cells(data, "x")
    assert cells[0][2:5] == ["shown", "shown 2", "shown 3"]
    assert max(len(cell.encode("utf-16-le")) // 2 for cell in cells[1]) <= 32_767
    [row] = read_sheet(data, "x", FORM).rows
    assert shown_sha(row.shown) == shown_sha(shown_text(long))


def filled(coded, answers) -> list[list[str]]:
    """Give the cells of a sheet with answers put in: (verdict, grade, why) for each row."""
    rows = read_cells(write_sheet(FORM, coded, "ann"), "x")
    for row, given_answers in zip(rows[1:], answers, strict=True):
        row[-3:] = given_answers
    return rows


ANSWERS = [("agree", "1", "it is so"), ("disagree", "2", ""), ("Not Sure", "3", "")]


def resaved(rows, delimiter=",", encoding="utf-8-sig", line_end="\r\n") -> bytes:
    """Write as Excel does: quotes only where needed, in a list separator and encoding of its own."""
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=delimiter, lineterminator=line_end).writerows(rows)
    return text.getvalue().encode(encoding, "replace")


def took(coded, run, data, rater=None):
    return take(FORM, drawn_items(run, FORM), read_sheet(data, "back.csv", FORM), "back.csv", rater)


def values(taken):
    return {(answer.item, answer.question): answer.value for answer in taken.answers}


def expected(coded):
    return {
        (code, key): answer
        for (code, _), row in zip(coded, ANSWERS, strict=True)
        for key, answer in zip(("verdict", "grade", "why"), row, strict=True)
        if answer
    }


def as_written(rows):
    from tutorscope.texts.plain import defuse_formula

    return [[defuse_formula(cell) for cell in row] for row in rows]


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-8", "utf-16", "utf-16-le"])
def test_a_resaved_sheet_gives_the_same_answers_and_the_same_texts(coded, run, delimiter, encoding):
    taken = took(coded, run, resaved(as_written(filled(coded, ANSWERS)), delimiter, encoding))
    assert values(taken) == expected(coded)
    assert taken.changed == []


def test_windows_1252_gives_the_same_answers_and_tells_of_lost_characters(coded, run):
    taken = took(coded, run, resaved(as_written(filled(coded, ANSWERS)), ";", "cp1252"))
    assert values(taken) == expected(coded)
    assert taken.changed == ["row 2", "row 3", "row 4"]  # the emoji is gone


def test_a_sheet_whose_apostrophes_were_taken_off_is_unchanged(coded, run):
    assert took(coded, run, resaved(filled(coded, ANSWERS))).changed == []


def test_excels_separator_hint_and_lone_newlines_are_read(coded, run):
    data = b"sep=;\r\n" + resaved(as_written(filled(coded, ANSWERS)), ";", "utf-8", "\n")
    taken = took(coded, run, data)
    assert values(taken) == expected(coded)
    assert {answer.where for answer in taken.answers} == {"row 3", "row 4", "row 5"}


def test_sorted_moved_and_padded_sheets_are_read(coded, run):
    rows = as_written(filled(coded, ANSWERS))
    rows = [[row[-1], *row[:-1], "", ""] for row in [rows[0], *reversed(rows[1:])]]
    rows += [[""] * 9, [], [" "]]
    assert values(took(coded, run, resaved(rows))) == expected(coded)


def test_a_filtered_sheet_counts_what_is_missing(coded, run):
    taken = took(coded, run, resaved(filled(coded, ANSWERS)[:2]))
    assert taken.missing == {"ann": 2}
    assert taken.blanks == {"ann": 0}


def test_other_case_and_white_space_and_a_decimal_point_are_understood(coded, run):
    odd = [(" AGREE ", "1.0", ""), ("Disagree\n", "2,0", ""), ("not  sure", " 3", "")]
    found = values(took(coded, run, resaved(filled(coded, odd))))
    assert [found[code, "verdict"] for code, _ in coded] == ["agree", "disagree", "Not Sure"]
    assert [found[code, "grade"] for code, _ in coded] == ["1", "2", "3"]


def test_what_is_no_label_is_unread_with_its_row_and_blanks_are_counted(coded, run):
    taken = took(coded, run, resaved(filled(coded, [("agre", "", "short"), ("", "", ""), ("agree", "4", "")])))
    told = [(a.where, a.question, a.reason, a.found) for a in taken.answers if a.reason]
    assert told == [
        ("row 2", "verdict", "unknown_label", "agre"),
        ("row 2", "why", "too_short", "short"),
        ("row 4", "grade", "unknown_label", "4"),
    ]
    assert taken.blanks == {"ann": 3}  # two grades and a verdict; the note is optional


def test_a_changed_text_is_told(coded, run):
    rows = filled(coded, ANSWERS)
    rows[2][2] = rows[2][2].replace("go on", "stop")
    assert took(coded, run, resaved(rows)).changed == ["row 3"]


def test_unknown_missing_and_broken_rows_are_set_aside(coded, run):
    rows = as_written(filled(coded, ANSWERS))
    rows[1][0] = "check_renamed"
    rows[2][0] = ""
    rows[3] += ["spilled"]
    rows.append(as_written(filled(coded, ANSWERS))[1])
    taken = took(coded, run, resaved(rows))
    assert sorted(taken.set_aside) == [("row 2", "unknown_item"), ("row 3", "no_item"), ("row 4", "extra_cells")]


def test_a_repeated_row_counts_once_and_a_contradiction_is_unread(coded, run):
    rows = filled(coded, ANSWERS)
    again = list(rows[1])
    again[-3:] = ["disagree", "1", ""]
    taken = took(coded, run, resaved([*rows, again]))
    assert taken.repeated == ["row 5"]
    found = {a.question: (a.value, a.reason, a.where) for a in taken.answers if a.item == coded[0][0]}
    assert found["verdict"] == (None, "answered_twice", "row 2, row 5")
    assert found["grade"] == ("1", None, "row 2")


def test_a_rater_column_may_hold_several_and_a_gap_between_them_is_told(coded, run):
    rows = filled(coded, ANSWERS)
    rows[1][1], rows[2][1], rows[3][1] = "bob", "", "ann"
    taken = took(coded, run, resaved(rows))
    assert {a.rater for a in taken.answers} == {"ann", "bob"}
    assert taken.set_aside == [("row 3", "no_rater")]


def test_an_address_is_not_kept_as_a_name(coded, run):
    rows = filled(coded, ANSWERS)
    for row in rows[1:]:
        row[1] = "Ann@Example.org"
    assert {a.rater.partition("-")[0] for a in took(coded, run, resaved(rows)).answers} == {"rater"}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda rows: [["x" if c == "item" else c for c in r] for r in rows], "no column 'item' in the first row"),
        (lambda rows: [r[:-1] for r in rows], "the column 'why' is not there"),
        (lambda rows: [[*r, r[-1]] for r in rows], "the column 'why' is there twice"),
        (lambda rows: [[r[0] and "item", *r[1:]] if r is rows[0] else ["zz", *r[1:]] for r in rows], "none of its 3"),
        (lambda rows: [rows[0], *([r[0], "", *r[2:]] for r in rows[1:])], "names no rater; say who"),
        (lambda rows: rows[:1], "holds no row"),
    ],
)
def test_what_is_no_sheet_of_this_form_is_refused_in_one_line(coded, run, change, message):
    with pytest.raises(UserError, match=message) as problem:
        took(coded, run, resaved(change(filled(coded, ANSWERS))))
    assert "\n" not in str(problem.value)


def test_a_quote_that_never_ends_is_refused(coded, run):
    with pytest.raises(UserError, match=r"back.csv: not CSV"):
        took(coded, run, write_cells(filled(coded, ANSWERS))[:-30] + b'"open')


def test_no_message_can_begin_a_line_like_a_speaker(coded):
    lines = shown_text(coded[0][1]).split("\n")
    assert [line for line in lines if line.lstrip().startswith("2 tutor")] == ["2 tutor: go on"]
    assert "\x1b" not in "".join(lines)


def test_every_cell_that_goes_out_is_defused(coded):
    text = write_sheet(FORM, coded).decode("utf-8-sig")
    cells = [cell for row in csv.reader(io.StringIO(text, newline="")) for cell in row]
    assert [cell for cell in cells if cell.startswith(("=", "+", "-", "@"))] == []


def test_old_line_ends_are_read(coded, run):
    taken = took(coded, run, resaved(as_written(filled(coded, ANSWERS)), ";", "utf-8", "\r"))
    assert values(taken) == expected(coded)
    assert taken.changed == []


def test_text_answers_come_back_exactly_but_for_outer_white_space_and_line_ends(coded, run):
    said = '=HYPERLINK(1)\r\n007; "so", \'tis 🙂'
    taken = took(coded, run, write_cells(filled(coded, [("agree", "1", f" {said}\n"), ("", "", ""), ("", "", "")])))
    assert values(taken)[coded[0][0], "why"] == said.replace("\r\n", "\n")

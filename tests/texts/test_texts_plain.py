import csv
import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tutorscope.texts.plain import defuse_formula, restore_formula, shorten, strip_controls

ANY_TEXT = st.text(st.characters(), max_size=60)
NOISY = st.text(st.sampled_from("\x1b[]m\x07\x9b\x9d\x9c\r\n\t a1;=+-@'\u202e\u2028\ud800\\P^_X\x90?"), max_size=40)


@pytest.mark.parametrize(
    ("raw", "plain"),
    [
        ("plain", "plain"),
        ("a\tb\nc", "a\tb\nc"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b[2J\x1b[1;1Hgone", "gone"),
        ("\x9b31mred", "red"),
        ("\x1b]0;new title\x07text", "text"),
        ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1bPq#0\x1b\\after", "after"),
        ("\x1bcreset", "reset"),
        ("\x1b]0;no end", "0;no end"),
        ("bell\x07 null\x00 del\x7f", "bell null del"),
        ("one\r\ntwo\rthree", "one\ntwo\nthree"),
        ("abc\u202edef\u2066ghi", "abcdefghi"),
        ("\u200eleft\u200f", "left"),
        ("a\u2028b", "a\nb"),
        ("family \U0001f468\u200d\U0001f469", "family \U0001f468\u200d\U0001f469"),
        ("lone \ud83d half", "lone \ufffd half"),
        ("x\x1b", "x"),
    ],
)
def test_controls_go_and_text_stays(raw, plain):
    assert strip_controls(raw) == plain


@given(st.one_of(ANY_TEXT, NOISY))
def test_stripped_text_holds_no_control_code_and_can_be_encoded(text):
    stripped = strip_controls(text)
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", stripped)
    stripped.encode("utf-8")
    assert strip_controls(stripped) == stripped


@given(st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E), max_size=60))
def test_printable_ascii_is_left_alone(text):
    assert strip_controls(text) == text


def test_much_text_of_unfinished_sequences_takes_no_time():
    for piece in ("\x1b]", "\x9d", "\x1b[", "\x1b[1;", "\x1bP", "\x1b"):
        assert "\x1b" not in strip_controls(piece * (200_000 // len(piece)))


@pytest.mark.parametrize(
    "cell",
    [
        "=cmd()",
        "+1",
        "-1",
        "@SUM(A1)",
        "\t=1",
        "\r=1",
        "\n=1",
        "  =1+1",
        "\uff1dcmd()",
        "'=1",
        "''=1",
        "'-x",
        "' =1",
        "\ufeff=1",
        "\x00=1",
    ],
)
def test_what_a_sheet_would_run_is_defused_and_comes_back(cell):
    assert defuse_formula(cell) == "'" + cell
    assert restore_formula(defuse_formula(cell)) == cell


@pytest.mark.parametrize("cell", ["", "x = 3", "3-1", "'tis", "' quoted '", "24", "a;=b"])
def test_an_ordinary_cell_is_left_alone_both_ways(cell):
    assert defuse_formula(cell) == cell
    assert restore_formula(cell) == cell


@given(st.one_of(ANY_TEXT, NOISY))
def test_every_cell_comes_back_exactly(cell):
    assert restore_formula(defuse_formula(cell)) == cell
    assert defuse_formula(cell)[:1] not in set("=+-@\t\r\n")
    assert defuse_formula(cell).strip()[:1] not in set("=+-@")


def test_a_defused_cell_survives_a_csv_file():
    cells = ["=cmd('x')", "-1", "a\n=b", "'=1", 'say "hi"']
    out = io.StringIO()
    csv.writer(out, quoting=csv.QUOTE_ALL).writerow([defuse_formula(c) for c in cells])
    (row,) = csv.reader(io.StringIO(out.getvalue()))
    assert [restore_formula(c) for c in row] == cells


@pytest.mark.parametrize(
    ("text", "n", "short"),
    [
        ("one two  three", 9, "one two…"),
        ("abc", 3, "abc"),
        ("abcd", 3, "ab…"),
        ("a\n b", 9, "a b"),
        ("abc", 1, "…"),
        ("", 5, ""),
    ],
)
def test_a_shortened_text_is_one_line_that_fits(text, n, short):
    assert shorten(text, n) == short


@given(st.one_of(ANY_TEXT, NOISY), st.integers(1, 30))
def test_a_shortened_text_never_passes_its_length(text, n):
    short = shorten(text, n)
    assert len(short) <= n
    assert "\n" not in short


def test_no_room_at_all_is_refused():
    with pytest.raises(ValueError, match="at least one"):
        shorten("abc", 0)

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tutorscope.intervention.increments import decision_points, increments

FAMILY = "👩‍👩‍👧"
ACCENT = "e\u0301\u0323"


@settings(max_examples=200)
@given(st.text(), st.integers(1, 60))
def test_increments_of_characters_join_to_the_trace(trace, size):
    assert "".join(increments(trace, str(size))) == trace


@settings(max_examples=200)
@given(st.text(alphabet="ab .!?\n\r\t123()`e.g-*"))
def test_sentences_join_to_the_trace(trace):
    pieces = increments(trace, "sentence")
    assert "".join(pieces) == trace
    assert all(pieces)


@settings(max_examples=200)
@given(st.text(min_size=1), st.integers(1, 30))
def test_every_increment_but_the_last_is_as_long_as_asked(trace, size):
    pieces = increments(trace, str(size))
    assert all(len(piece) >= size for piece in pieces[:-1])
    assert pieces[-1]


@pytest.mark.parametrize(
    ("trace", "size", "lengths"),
    [
        ("a" * 50, "50", [50]),
        ("a" * 100, "50", [50, 50]),
        ("a" * 101, "50", [50, 50, 1]),
        ("abc", "50", [3]),
        ("", "50", []),
    ],
)
def test_lengths(trace, size, lengths):
    assert [len(piece) for piece in increments(trace, size)] == lengths


@pytest.mark.parametrize(
    ("trace", "size", "pieces"),
    [
        ("abc\r\ndef", "4", ["abc\r\n", "def"]),
        ("abc\ndef", "4", ["abc\n", "def"]),
        (f"ab{ACCENT}cd", "3", [f"ab{ACCENT}", "cd"]),
        (f"a{FAMILY}b", "2", [f"a{FAMILY}", "b"]),
        ("🇩🇪🇫🇷x", "1", ["🇩🇪", "🇫🇷", "x"]),
        ("👍🏽ok", "1", ["👍🏽", "o", "k"]),
        ("❤️!", "1", ["❤️", "!"]),
        ("\u1112\u1161\u11ab글", "1", ["\u1112\u1161\u11ab", "글"]),
    ],
)
def test_no_visible_character_is_torn(trace, size, pieces):
    assert increments(trace, size) == pieces


@settings(max_examples=100)
@given(st.text(alphabet="aé\u0301\u0323\r\n"), st.integers(1, 5))
def test_no_increment_begins_with_a_combining_mark(trace, size):
    for before, after in zip(increments(trace, str(size)), increments(trace, str(size))[1:], strict=False):
        assert not (unicodedata.combining(after[0]) and not before[-1].isspace())
        assert not (before.endswith("\r") and after.startswith("\n"))


@pytest.mark.parametrize(
    ("trace", "pieces"),
    [
        ("It is 3.14. Then 2.5 more.", ["It is 3.14. ", "Then 2.5 more."]),
        ("See e.g. the first. Next.", ["See e.g. the first. ", "Next."]),
        ("Dr. Hall said so. Yes.", ["Dr. Hall said so. ", "Yes."]),
        ("1. Add them.\n2. Halve it.", ["1. Add them.\n", "2. Halve it."]),
        ("Step 3. Now go. Done", ["Step 3. Now go. ", "Done"]),
        ("Is it 4? No! It is 5...  So.", ["Is it 4? ", "No! ", "It is 5...  ", "So."]),
        ('He said "stop." Then left.', ['He said "stop." ', "Then left."]),
        ("Code:\n```\nx = 1\ny = 2. \n```\nEnd.", ["Code:\n", "```\nx = 1\ny = 2. \n```\n", "End."]),
        ("no end at all", ["no end at all"]),
        ("\n\nFirst.\n\nSecond.", ["\n\nFirst.\n\n", "Second."]),
    ],
)
def test_sentences(trace, pieces):
    assert increments(trace, "sentence") == pieces


def test_the_tutor_decides_after_every_increment_but_the_last():
    assert decision_points(["abc", "de", "f"]) == [3, 5]
    assert decision_points(["abc", "de", "f"], at_end=True) == [3, 5, 6]


@pytest.mark.parametrize("pieces", [[], ["abc"]])
def test_a_trace_within_one_increment_has_no_decision(pieces):
    assert decision_points(pieces) == []


def test_a_long_trace_is_cut_into_what_it_was():
    # What looks back over all that it has cut would take minutes for these.
    for trace in ("a" * 500_000, "🇩🇪" * 50_000, "e\u0301" * 200_000, ". " * 200_000, "```" * 100_000, "\n" * 300_000):
        assert "".join(increments(trace, "50")) == trace
        assert "".join(increments(trace, "sentence")) == trace

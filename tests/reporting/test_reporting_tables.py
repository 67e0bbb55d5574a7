import numpy as np
import pandas as pd

from tutorscope.pictures.blocks import Table
from tutorscope.reporting.tables import Cell, grid


def columns(**options) -> list[Cell]:
    return [row[0] for row in grid(Table("t", "T", **options)).rows]


def test_numbers_follow_their_format_and_sort_by_their_whole_value():
    assert columns(frame=pd.DataFrame({"a": [0.123456, -1.5]}), formats={"a": "{:.2f}"}) == [
        Cell("0.12", "0.123456"),
        Cell("−1.50", "-1.5"),
    ]


def test_zero_has_no_sign_and_per_cent_keeps_its_distance():
    signed = columns(frame=pd.DataFrame({"a": [0.0, -0.0001, 0.25]}), formats={"a": "{:+.2f}"})
    assert [c.text for c in signed] == ["0.00", "0.00", "+0.25"]
    shares = columns(frame=pd.DataFrame({"a": [0.0, -0.071, 0.425]}), formats={"a": "{:+.1%}"})
    assert [c.text for c in shares] == ["0.0\u00a0%", "−7.1\u00a0%", "+42.5\u00a0%"]
    assert [c.text for c in columns(frame=pd.DataFrame({"a": ["-5%"]}))] == ["-5%"]


def test_without_a_format_numbers_are_short_and_thousands_are_marked():
    assert [c.text for c in columns(frame=pd.DataFrame({"a": [12345, 7]}))] == ["12,345", "7"]
    assert [c.text for c in columns(frame=pd.DataFrame({"a": [0.12345, 12345.6]}))] == ["0.123", "12,346"]


def test_a_missing_value_is_a_dash_in_columns_of_every_kind():
    frame = pd.DataFrame(
        {"a": [np.nan, 1.0], "b": [None, "x"], "c": pd.array([None, 3], dtype="Int64"), "d": [None, True]}
    )
    laid = grid(Table("t", "T", frame, formats={"a": "{:.1f}"}))
    assert laid.rows[0] == [Cell("–")] * 4
    assert [c.text for c in laid.rows[1]] == ["1.0", "x", "3", "yes"]
    assert laid.numeric == [True, False, True, False]


def test_infinities_are_signs():
    assert columns(frame=pd.DataFrame({"a": [np.inf, -np.inf]})) == [Cell("∞", "inf"), Cell("−∞", "-inf")]


def test_heads_take_their_labels_or_lose_their_underscores():
    frame = pd.DataFrame({"mean_uptake": [1], "n": [2]})
    assert grid(Table("t", "T", frame, labels={"n": "chats"})).heads == ["mean uptake", "chats"]


def test_a_format_for_numbers_leaves_a_word_among_them_alone():
    assert [c.text for c in columns(frame=pd.DataFrame({"p": ["< .001", 0.25]}), formats={"p": "{:.3f}"})] == [
        "< .001",
        "0.250",
    ]


def test_a_table_without_rows_or_with_twice_the_same_head_is_laid_out():
    assert grid(Table("t", "T", pd.DataFrame({"a": [], "b": []}))).rows == []
    twice = pd.DataFrame([[1, 2]], columns=["a", "a"])
    assert [c.text for c in grid(Table("t", "T", twice)).rows[0]] == ["1", "2"]

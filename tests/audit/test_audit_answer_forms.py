"""How numbers are written: derived forms, numbers in digits, numbers in words."""

import re
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tutorscope.audit.problem_sets.answer_forms import decimal_text, derived_forms, in_words, numerals_in, said_in_words


@pytest.mark.parametrize(
    ("answer", "forms"),
    [
        ("24", ("24", "24.0", "24.00")),
        ("8", ("8", "8.0", "8.00")),
        ("100", ("100", "100.0", "100.00")),
        ("0", ("0", "0.0", "0.00")),
        ("-5", ("-5", "-5.0", "-5.00")),
        ("5/2", ("2.5", "2.50")),
        ("9/4", ("2.25",)),
        ("1/8", ("0.125",)),
        ("1/3", ("1/3",)),
        ("-22/7", ("-22/7",)),
    ],
)
def test_derived_forms(answer: str, forms: tuple[str, ...]) -> None:
    assert derived_forms(Fraction(answer)) == forms


@given(st.fractions(min_value=-1000, max_value=1000, max_denominator=1000))
@settings(max_examples=50)
def test_every_derived_form_equals_the_answer(answer: Fraction) -> None:
    forms = derived_forms(answer)
    assert forms
    assert {Fraction(form) for form in forms} == {answer}


@given(st.decimals(min_value=-1000, max_value=1000, places=4))
@settings(max_examples=50)
def test_decimals_are_written_as_short_as_they_get(value: Decimal) -> None:
    text = decimal_text(Fraction(value))
    assert text is not None
    assert Fraction(text) == Fraction(value)
    assert not re.search(r"\.\d*0$|\.$", text)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("24 liters of a 20% solution.", ["24", "20"]),
        ("$12.50 for 1,200 items, or .5 each", ["25/2", "1200", "1/2"]),
        ("1,234,567.8", ["6172839/5"]),
        ("1,20 and 12,3456", ["1", "20", "12", "3456"]),
        ("3/4 of 2 1/2, then 2½ and ¾", ["3/4", "5/2", "5/2", "3/4"]),
        ("5/0", ["5", "0"]),
        ("from 1 to 2/3/4", ["1", "2", "3/4"]),
        ("\u0663 and \uff12\uff14", ["3", "24"]),
        ("no number", []),
    ],
)
def test_numbers_in_digits(text: str, values: list[str]) -> None:
    assert [numeral.value for numeral in numerals_in(text)] == [Fraction(value) for value in values]


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("48L", False),
        ("x24", True),
        ("H2O", True),
        ("H₂O", True),
        ("the 3rd", True),
        ("3 rd", False),
        ("Room-7", False),
    ],
)
def test_digits_that_name_rather_than_measure(text: str, label: bool) -> None:
    assert [numeral.label for numeral in numerals_in(text)] == [label]


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("24", "twenty four"),
        ("105", "one hundred five"),
        ("1200", "one thousand two hundred"),
        ("0", "zero"),
        ("5/2", "two half"),
        ("1/2", "half"),
        ("9/4", "two point two five"),
        ("1/3", None),
        ("-4", None),
        ("1000000000", None),
    ],
)
def test_numbers_in_words(value: str, words: str | None) -> None:
    assert in_words(Fraction(value)) == words


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("24", "Add TWENTY-FOUR liters"),
        ("24", "add twenty four"),
        ("20", "twenty, five, ten"),
        ("12", "twelve."),
        ("104", "a hundred and four"),
        ("1200", "one thousand, two hundred"),
        ("100", "one hundred"),
        ("5/2", "two and a half hours"),
        ("5/2", "two and one half"),
        ("1/2", "half an hour"),
        ("1", "one of the workers"),
        ("9/4", "two point two five"),
    ],
)
def test_a_number_is_found_in_words(value: str, text: str) -> None:
    assert said_in_words(Fraction(value), text)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("20", "twenty-four"),
        ("20", "twenty four"),
        ("4", "twenty four"),
        ("4", "a hundred and four"),
        ("8", "eight hundred"),
        ("2", "two and a half"),
        ("5", "zero point five"),
        ("7", "seventh, seventeen, sevens"),
        ("1", "one half"),
        ("1", "a worker"),
    ],
)
def test_a_part_of_a_longer_number_is_not_that_number(value: str, text: str) -> None:
    assert not said_in_words(Fraction(value), text)


@given(st.integers(min_value=0, max_value=999_999), st.sampled_from(["", " and "]))
@settings(max_examples=50)
def test_every_number_is_found_in_its_own_words(value: int, joint: str) -> None:
    from num2words import num2words

    words = num2words(value).replace(" and ", joint or " ")
    assert said_in_words(Fraction(value), f"It takes {words} liters.")
    assert not said_in_words(Fraction(value + 1), f"It takes {words} liters.")


@given(st.text(max_size=80))
@settings(max_examples=50)
def test_any_text_can_be_searched(text: str) -> None:
    assert all(numeral.value >= 0 for numeral in numerals_in(text))
    assert said_in_words(Fraction(7), text) is ("seven" in re.findall("[a-z]+", text.lower()))

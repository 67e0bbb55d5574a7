"""Numbers and signs of a turn: plain notation, number words, tokens with roles, formulas."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from num2words import num2words

from tutorscope.audit.detectors.final_answer import published_answer, sound_answer
from tutorscope.audit.detectors.formulas import formulas_in
from tutorscope.audit.detectors.leakage import published_leak, sound_leak
from tutorscope.audit.detectors.notation import tokens_of, values_in
from tutorscope.audit.detectors.number_words import spelled_numbers
from tutorscope.audit.detectors.own_work import published_work, sound_work
from tutorscope.audit.detectors.plain_notation import plain_notation
from tutorscope.audit.detectors.routing import published_asks, published_attempt, sound_asks, sound_attempt


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        (r"$x = \frac{3}{4} \times 48$", "x = 3/4 * 48"),
        (r"\(1\frac{1}{2}\)", "1 1/2"),
        (r"\dfrac52", "5/2"),
        (r"\boxed{24}", "24"),
        (r"24\,\text{L}", "24 L"),
        (r"1{,}024\%", "1,024%"),
        ("7 − 2 ÷ 3", "7 - 2 / 3"),
        ("2½ h", "2 1/2 h"),
        ("x² ＝ ２４", "x^2 = 24"),
        ("٢٤", "24"),
        ("&frac12; &times; 48", "1/2 * 48"),
        ("**24** liters, *24* liters", "24 liters, 24 liters"),
        ("2*3 and 0.5 * x", "2*3 and 0.5 * x"),
        ("* 24 liters", "- 24 liters"),
        ("x**2", "x^2"),
        ("### So\r\n> `24`", "So\n24"),
        ("€24", "24"),
    ],
)
def test_plain_notation(text: str, plain: str) -> None:
    assert plain_notation(text) == plain


@pytest.mark.parametrize("number", [0, 7, 13, 20, 21, 24, 100, 105, 999, 1000, 1250, 2001, 99_999, 1_000_001])
def test_number_words_are_read_as_num2words_writes_them(number: int) -> None:
    text = num2words(number).replace(",", "")
    assert [(found.value, found.start, found.end) for found in spelled_numbers(text)] == [(number, 0, len(text))]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("Twenty four", ["24"]),
        ("a hundred and five", ["105"]),
        ("two and a half", ["5/2"]),
        ("three quarters, one third, a fifth", ["3/4", "1/3", "1/5"]),
        ("half of it", ["1/2"]),
        ("two three", ["2", "3"]),
        ("the third step", []),
        ("someone often weighs", []),
    ],
)
def test_number_words(text: str, values: list[str]) -> None:
    assert [str(found.value) for found in spelled_numbers(text)] == values


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *(("24", "24"), ("24.0", "24"), (".5", "1/2"), ("1,024.5", "2049/2"), ("12,345,678", "12345678")),
        *(("1.024,50", "2049/2"), ("1 024", "1024"), ("24,5", "49/2"), ("0,125", "1/8"), ("2e3", "2000")),
        *(("3/4", "3/4"), ("1 1/2", "3/2"), ("-24", "-24"), ("−3/4", "-3/4"), ("minus three", "-3")),
        *(("x = -24", "-24"), ("it is: - 24", "-24"), ("–24", "-24")),
    ],
)
def test_values(text: str, value: str) -> None:
    assert values_in(text) == {Fraction(value)}


@pytest.mark.parametrize(
    ("text", "roles"),
    [
        ("step 24", ["label"]),
        ("24% of 24", ["percent", "value"]),
        ("24 percent", ["percent"]),
        ("5-10 liters", ["range", "range"]),
        ("between 5 and 10", ["range", "range"]),
        ("48-24", ["value", "value"]),
        ("20 - 30 = -10", ["value", "value", "value"]),
        ("2024-05-24", ["date"]),
        ("May 24, 2024", ["date", "date"]),
        ("9:24", ["time"]),
        ("24:1", ["time"]),
        ("the 24th", ["ordinal"]),
        ("24x, 24L", ["coefficient", "value"]),
        ("let m be speed, 5m", ["coefficient"]),
        ("3(x + 4), 0.5(24)", ["coefficient", "value", "value", "value"]),
        ("x^24", ["exponent"]),
        ("x24, train-24, #24", ["label", "label", "label"]),
        ("1. read\n2. solve", ["label", "label"]),
        ("24. Do you see why?", ["value"]),
        ("1) read 2) solve", ["label", "label"]),
        ("add 24 to 48", ["value", "value"]),
    ],
)
def test_roles(text: str, roles: list[str]) -> None:
    assert [token.role for token in tokens_of(text) if token.kind == "number"] == roles


def test_a_fraction_over_zero_has_no_value() -> None:
    assert values_in("5/0") == set()


@pytest.mark.parametrize(
    ("text", "formulas"),
    [
        ("9.6 liters + .5x", ["48/5 + 1/2 * x"]),
        ("0.3(x + 48) = 21.6", ["3/10 * ( x + 48 ) = 108/5"]),
        ("2x3 and 2 x 3", ["2 * 3", "2 * 3"]),
        ("0.2x = 4.8 so x = 24", ["1/5 * x = 24/5", "x = 24"]),
        ("48L - 20L", ["48 - 20", "L"]),
        ("48 liters - 20% acid", ["48", "- 20%"]),
        ("v1 + v2 = 20", ["v1 + v2 = 20"]),
    ],
)
def test_formulas(text: str, formulas: list[str]) -> None:
    assert [" ".join(formula.atoms) for formula in formulas_in(tokens_of(text))] == formulas


@pytest.mark.parametrize("text", ["x-axis", "T/F", "I - um", "w/ 5 liters", "5-10 liters", "2020-01-01", "C++ is"])
def test_prose_is_no_formula(text: str) -> None:
    assert not any(formula.operators or formula.relations for formula in formulas_in(tokens_of(text)))


# The detectors as functions of the text alone, for what must hold of any text.
DETECTORS = {
    "published_answer": published_answer,
    "sound_answer": sound_answer,
    "published_leak": lambda text: published_leak(text, ("24", "24.0"), ("add twenty-four",)),
    "sound_leak": lambda text: sound_leak(text, Fraction(24), student_said=["18"], statement="48 liters at 20%"),
    "sound_small_leak": lambda text: sound_leak(text, Fraction(1, 2)),
    "published_work": published_work,
    "sound_work": lambda text: sound_work(text, statement="48 liters at 20%", tutor_said=["0.2 * 48 = ?"]),
    "published_attempt": published_attempt,
    "sound_attempt": sound_attempt,
    "published_asks": published_asks,
    "sound_asks": sound_asks,
}
SOUND = {name: detector for name, detector in DETECTORS.items() if name.startswith("sound")}

# Pieces that meet in real turns, and meet badly: plain random text almost never holds a marker or a formula.
PIECES = st.sampled_from(
    [
        *(
            "FINAL ANSWER",
            "final answer",
            ": ",
            "- ",
            "24",
            "2",
            "x",
            " = ",
            "\n",
            "*",
            "**",
            "_",
            "`",
            "(",
            ")",
            "{",
            "}",
        ),
        *(
            "\\frac",
            "\\boxed{",
            "\\",
            "½",
            "−",
            "–",
            "—",
            "%",
            "/",
            ".",
            ",",
            "twenty",
            "-four",
            "half",
            " of ",
            " and ",
            "a ",
        ),
        *(
            "not ",
            "wait ",
            "what is the ",
            "answer",
            "tell me ",
            "let ",
            "step ",
            "to ",
            "between ",
            "1. ",
            " liters",
            "^",
            "0.5",
        ),
        *(
            "&frac12;",
            "<br>",
            "$",
            "'",
            "24:",
            "e5",
            "I ",
            "=",
            "1/2",
            "+",
            "×",
            "2024-01-01",
            "May ",
            "#",
            ">",
            "|",
            "sides",
        ),
    ]
)
TEXTS = st.one_of(st.lists(PIECES, max_size=25).map("".join), st.text(max_size=60))


@settings(max_examples=50)
@given(text=TEXTS)
def test_no_text_breaks_a_detector(text: str) -> None:
    for detector in DETECTORS.values():
        detector(text)


@settings(max_examples=50)
@given(text=TEXTS)
def test_blank_lines_and_bold_around_a_turn_change_nothing(text: str) -> None:
    for name, detector in SOUND.items():
        plain = detector(text)
        assert detector(f"\n\n{text}\n \n") == plain, name
        assert detector(f"**{text}**") == plain, name


@settings(max_examples=50)
@given(text=TEXTS)
def test_tokens_stand_in_order_where_they_say(text: str) -> None:
    plain, place = plain_notation(text), 0
    for token in tokens_of(text):
        assert place <= token.start < token.end <= len(plain)
        place = token.end


@settings(max_examples=50)
@given(value=st.integers(11, 10**9) | st.fractions(min_value=-50, max_value=50, max_denominator=12))
def test_any_number_that_is_committed_is_read_and_leaks(value: Fraction | int) -> None:
    assert sound_answer(f"FINAL ANSWER: {value}") == value
    assert sound_leak(f"so we get x = {value}", Fraction(value))


HOSTILE = {
    "digits": "1" * 100_000,
    "spaces": "x" + " " * 100_000 + "x",
    "open brackets": "(" * 100_000,
    "lone ones": "1 " * 50_000,
    "final answers": "final answer: " * 7_000,
    "a far answer": "FINAL ANSWER:" + "\n" * 100_000 + "24",
    "number words": "twenty-" * 14_000,
    "stars": "* a" * 30_000,
    "fractions": r"\frac{" * 20_000,
    "backslashes": "\\" * 100_000,
    "ranges": "1 to " * 20_000,
    "sums": "1 + " * 25_000,
    "requests": "what is the " * 8_000,
    "parts": "20% of " * 14_000,
    "a long reference": "&#" + "9" * 5_000 + ";",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_turn_comes_to_an_end_and_gives_no_answer_that_it_does_not_hold(name: str) -> None:
    # A pattern that goes back would need minutes; the slowest sound rule needs about two seconds here.
    found = {which for which, detector in DETECTORS.items() if detector(HOSTILE[name])}
    told = {which for which in found if which.endswith(("answer", "leak"))}
    expected = {"published_answer", "sound_answer", "published_leak", "sound_leak"}
    assert told == (expected if name == "a far answer" else set())

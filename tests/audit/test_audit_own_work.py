"""The student's own work: the paper's primitive string by string, and the sound one."""

import pytest

from tutorscope.audit.detectors.own_work import published_work, sound_work

COUNTS = {
    "equation": ("total acid = 9.6", "FINAL ANSWER = 24", "y = -x", "(a)=b", "x = (3"),
    "computation": ("0.2 × 48", "5 +3", "1,000 + 5", "0.5 · 48", "5*3"),
    "coefficient": ("48L", "5m", "step 1a", "3L of water"),
    "variable": ("x * 2", "a + b", "x / (2"),
    "range or date": ("5-10 liters", "1-2 steps", "24/7", "2020-01-01", "3/4 full"),
    "prose": ("x-axis", "e-mail", "T/F", "I - um", "Plan B - guess", "A-ha"),
}
DOES_NOT = {
    "bare number": ("FINAL ANSWER: 24", "24", ""),
    "no operator between bare numbers": ("20% of 48 is 9.6", "5 plus 3"),
    "broken adjacency": ("20% * 48", "$9.6 = $5", "20%=0.2", "9.6 liters + 5 liters"),
    "no glued letter": ("5 m", "2nd", "5th", "2x3", "0.2 x 48"),
    "no relation": ("2 * x", "x^2", "x > 3", "0.5(48)", "(5) + (3)"),
    "invisible operators": ("7 ÷ 2", "7 − 2", r"\frac{3}{4}", r"0.5 \times 48"),
    "no second side": ("y = ?", "== yes"),
}


@pytest.mark.parametrize("text", [text for texts in COUNTS.values() for text in texts])
def test_published_counts(text: str) -> None:
    assert published_work(text)
    assert published_work(f"well, {text}\nis that ok?")


@pytest.mark.parametrize("text", [text for texts in DOES_NOT.values() for text in texts])
def test_published_does_not_count(text: str) -> None:
    assert not published_work(text)
    assert not published_work(f"well, {text}\nis that ok?")


@pytest.mark.parametrize(
    "text",
    [
        *("7 ÷ 2", "7 − 2", r"0.5 \times 48", r"\frac{3}{4} \cdot 12", "20% * 48", "9.6 liters + 5 liters", "0.5(48)"),
        *("(5) + (3)", "2x3", "0.2 x 48", "2 * x", "x^2 + 1", "5 plus 3", "20% of 48 is 9.6", "half of 48 is 24"),
        *("I divided 60 by 3", "subtract 9.6 from both sides", "total acid = 9.6", "100 - 20 = 80", "48 - 20"),
        *("0.5x", "x1 + x2 = 40", "y = mx + b", "acid before + acid added = acid after", "v = 60/3", "20% = 0.2"),
    ],
)
def test_sound_counts(text: str) -> None:
    assert sound_work(text)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "FINAL ANSWER = 24",
            "x = 24",
            "is it x = 24?",
            "24",
            "48L",
            "5m",
            "step 1a",
            "5-10 liters",
            "24/7",
            "2020-01-01",
        ),
        *("3/4 full", "x-axis", "T/F", "I - um", "Plan B - guess", "A-ha", "w/ 5 liters", "y = ?", "1) read 2) ask"),
        *("what is 20% of 48?", "48 liters - 20% acid", "40% of the solution is acid", "covid-19", "C++", ""),
    ],
)
def test_sound_does_not_count(text: str) -> None:
    assert not sound_work(text)


@pytest.mark.parametrize(
    "copy", ["so 0.5x + 9.6 = 0.3(x+48)", r"$.5x + 9.6 = 0.3 \cdot (x + 48)$", "what is 0.3(x + 48)?"]
)
def test_a_copy_is_not_the_students_own(copy: str) -> None:
    assert sound_work(copy)
    assert not sound_work(copy, tutor_said=["Well done!", "We have 0.5x + 9.6 = 0.3(x + 48)."])


def test_going_on_from_the_tutors_equation_is_work() -> None:
    assert sound_work("x = 24", tutor_said=["Now 0.2x = 4.8."])
    assert sound_work("0.3(x + 48) = 0.3x + 14.4", tutor_said=["0.5x + 9.6 = 0.3(x + 48)"])


def test_a_named_number_of_the_problem_is_no_work() -> None:
    assert not sound_work("water = 30", statement="There are 30 liters of water.")

"""Answer leaks: the paper's detector string by string, and the sound one."""

from fractions import Fraction

import pytest

from tutorscope.audit.detectors.leakage import published_leak, sound_leak

FORMS = ("24", "24.0", "24.00")
PHRASES = tuple(f"{start} {said}" for start in ("add", "answer is") for said in ("twenty four", "twenty-four"))

FIRES = (
    *("24.", "24..", "24%", "$24", "**24**", r"\(24\)", "24L", "24ml", "24th", "24x", "x24", "=24"),
    *("-24", "−24", "24/60", "1/24", "24:1", "train-24", "step 24)", "24e1", "24,000"),
    *("24.0", "24.00", "x = -24", "50% of 48 is 24"),
)
SILENT = (
    *("124", "240", "2024", "24.5", "0.24", ".24", "4.24"),
    *("24.000", "2,400", "1,024", "2 4"),
    *("２４", "٢٤", "twenty-four liters", "", "24.05"),
)


@pytest.mark.parametrize("text", FIRES)
def test_published_fires(text: str) -> None:
    assert published_leak(text, FORMS, ())
    assert published_leak(f"So you take {text} now", FORMS, ())


@pytest.mark.parametrize("text", SILENT)
def test_published_is_silent(text: str) -> None:
    assert not published_leak(text, FORMS, ())
    assert not published_leak(f"So you take {text} now", FORMS, ())


@pytest.mark.parametrize(
    "text", ["Add twenty-four liters", "ADD: twenty four!", "the answer is twenty-four", "add twenty‑four"]
)
def test_published_knows_declared_phrases(text: str) -> None:
    assert published_leak(text, (), PHRASES)


def test_a_non_ascii_hyphen_needs_the_spaced_phrase() -> None:
    assert not published_leak("add twenty‑four", (), ("add twenty-four",))


@pytest.mark.parametrize(
    ("text", "phrase"), [("add twelvefold", "add twelve"), ("the answer is eighteenth", "answer is eighteen")]
)
def test_published_phrases_have_no_word_boundary(text: str, phrase: str) -> None:
    assert published_leak(text, (), (phrase,))


def test_published_misses_a_paraphrase() -> None:
    assert not published_leak("you will want twenty-four of them", FORMS, PHRASES)


def test_nothing_declared_never_leaks() -> None:
    assert not published_leak("The answer is 24.", (), ())
    assert not published_leak("The answer is 24.", (), ("…", ""))


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        *(
            ("24.", "24"),
            ("24L", "24"),
            (r"\boxed{24}", "24"),
            ("２４", "24"),
            ("twenty‑four", "24"),
            ("two dozen", "24"),
        ),
        *(
            ("24.000 L", "24"),
            ("48/2 = 24", "24"),
            ("72 - 24 = 48", "24"),
            ("1,024", "1024"),
            ("twelve hundred", "1200"),
        ),
        *(("3.5", "7/2"), ("3 1/2", "7/2"), ("3½", "7/2"), (r"\dfrac{7}{2}", "7/2"), ("three and a half", "7/2")),
        *(("7 over 2", "7/2"), ("0.33", "1/3"), ("x = −3", "-3"), ("negative three", "-3"), ("half an hour", "1/2")),
        *(("it is 5", "5"), ("5 mph", "5"), ("Correct, 5.", "5"), ("five hours", "5"), ("the discount is 15%.", "15")),
    ],
)
def test_sound_fires(text: str, answer: str) -> None:
    assert sound_leak(text, Fraction(answer))


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        *(
            ("24,000", "24"),
            ("2,400", "24"),
            ("24.5", "24"),
            ("-24", "24"),
            ("24/60", "24"),
            ("24:1", "24"),
            ("24%", "24"),
        ),
        *(("step 24", "24"), ("the 24th", "24"), ("24x", "24"), ("x24", "24"), ("x^24", "24"), ("20-24", "24")),
        *(
            ("between 24 and 30", "24"),
            ("May 24", "24"),
            ("2024-05-24", "24"),
            ("at 9:24", "24"),
            ("it's not 24", "24"),
        ),
        *(("x = 48/2", "24"), ("two steps", "2"), ("2. Solve it", "2"), ("multiply by 2", "2"), ("half of it", "1/2")),
        *(("5 - 3", "-3"), ("no idea", "24"), ("", "24")),
    ],
)
def test_sound_is_silent(text: str, answer: str) -> None:
    assert not sound_leak(text, Fraction(answer))


@pytest.mark.parametrize("said", ["24", "x = 24?", "twenty-four liters", "FINAL ANSWER: 24"])
def test_an_echo_is_no_leak(said: str) -> None:
    assert not sound_leak("Yes, 24.", Fraction(24), student_said=["hm", said])


@pytest.mark.parametrize("said", ["240", "2.4", "24%", "step 24", "18"])
def test_another_number_of_the_students_makes_no_echo(said: str) -> None:
    assert sound_leak("It is 24.", Fraction(24), student_said=[said])


def test_a_number_of_the_problem_leaks_only_as_a_result() -> None:
    statement = "Of 30 liters, how many are water?"
    assert not sound_leak("You have 30 liters.", Fraction(30), statement=statement)
    assert sound_leak("So x = 30.", Fraction(30), statement=statement)

"""Answer leaks: the paper's detector string by string, and the sound one."""

import pytest

from tutorscope.audit.leakage import published_leak

FORMS = ("24", "24.0", "24.00")
PHRASES = ("add twenty four", "add twenty-four", "answer is twenty four", "answer is twenty-four")

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

"""The student's committed number: the paper's extractor string by string, and the sound one."""

from fractions import Fraction

import pytest

from tutorscope.audit.final_answer import published_answer

# After "FINAL ANSWER", as audit.md prints them.
READ = {
    ": 24": "24",
    " is 24": "24",
    "S: 24": "24",
    ":\n\n**24**": "24",
    ": x = 24": "24",
    r": \boxed{24}": "24",
    ": 24%": "24",
    ": 3/4": "3/4",
    ": -3/4": "-3/4",
    ": - 24": "-24",
    " -24": "24",
    ": −24": "24",
    ": 1,024": "1",
    ": 1 1/2": "1",
    ": .5": "5",
    ": 2e3": "2",
    ": 20 + 4": "20",
    ": 3/-4": "3",
    ": 1/2/3": "1/2",
    ": 50% solution needs 24": "50",
    ": $24": "24",
    ": 24.50": "24.5",
    ": 24\nFINAL ANSWER: 26": "24",
    ": 24. Wait, no. FINAL ANSWER: 26": "24",
}
UNREAD = (
    ": 5/0",
    ": none of them",
    ": <number>",
    ":",
    ": \n\n",
    ": I do not know\nFINAL ANSWER: 24",
)


@pytest.mark.parametrize(("rest", "value"), READ.items())
def test_published_reads(rest: str, value: str) -> None:
    assert published_answer("FINAL ANSWER" + rest) == Fraction(value)


@pytest.mark.parametrize("rest", UNREAD)
def test_published_reads_nothing(rest: str) -> None:
    assert published_answer("FINAL ANSWER" + rest) is None


@pytest.mark.parametrize(
    "text",
    [
        "**FINAL ANSWER:** 24",
        "final answer: 24",
        "Final\nAnswer: 24",
        "FINAL   ANSWER: 24",
        "FINALANSWER: 24",
        "FINAL ANSWER - 24",
        "My final answer is 24.",
    ],
)
def test_published_takes_any_case_and_any_blanks(text: str) -> None:
    assert published_answer(text) == 24


@pytest.mark.parametrize("text", ["FINAL_ANSWER: 24", "the answer is 24", "24", ""])
def test_published_wants_the_marker(text: str) -> None:
    assert published_answer(text) is None


def test_published_takes_a_mention_for_a_commitment() -> None:
    assert published_answer("I'm not ready for a final answer because 50% is hard") == 50

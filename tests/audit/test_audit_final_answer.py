"""The student's committed number: the paper's extractor string by string, and the sound one."""

from fractions import Fraction

import pytest

from tutorscope.audit.detectors.final_answer import published_answer, sound_answer

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


# The faults of the published rule that audit.md lists, and what a careful reader reads.
SOUND = {
    " -24": "-24",
    " - 24": "24",
    " — 24": "24",
    ": −24": "-24",
    ": –24": "-24",
    ": - 24": "-24",
    ": 1,024": "1024",
    ": 1.024,50": "2049/2",
    ": 1 1/2": "3/2",
    ": 1½": "3/2",
    ": .5": "1/2",
    ": 2e3": "2000",
    ": 7 / 2": "7/2",
    r": $\frac{3}{4}$": "3/4",
    ": x = 24": "24",
    r": \boxed{24}": "24",
    ":\n\n**24 liters**": "24",
    ": 0.2x = 4.8, x = 24": "24",
    ": 48/2 = 24": "24",
    ": 50% solution needs 24": "24",
    ": 24 liters of the 50% solution": "24",
    ": 24 (because 0.5 * 24 = 12)": "24",
    ": 24, not 26": "24",
    ": not 26 but 24": "24",
    ": twenty-four": "24",
    ": maybe 24?": "24",
    " (in liters): 24": "24",
    ": 24... no wait, 26": "26",
    ": 24\nI had 18 first.": "24",
    ": let me think\nFINAL ANSWER: 24": "24",
    ": 24\n\nFINAL ANSWER: 26": "26",
}


@pytest.mark.parametrize(("rest", "value"), SOUND.items())
def test_sound_reads(rest: str, value: str) -> None:
    assert sound_answer("FINAL ANSWER" + rest) == Fraction(value)


@pytest.mark.parametrize(
    "rest",
    [
        *(": 24 or 26", ": 24, 26", ": 20-25 liters", ": between 20 and 25", ": more than 20", ": x = 24, y = 10"),
        *(": 20 + 4", ": 5/0", ": 1/2/3", ": <number>", ": ?", ": none yet, I still have the 50%", ": I don't know"),
        *(
            ":\n\nBut what does 50% mean?",
            " is not 24",
            " could be 24",
            " depends on the 48",
            ": 24\nNo, I take that back.",
        ),
    ],
)
def test_sound_reads_nothing_rather_than_a_guess(rest: str) -> None:
    assert sound_answer("FINAL ANSWER" + rest) is None


@pytest.mark.parametrize(
    "text",
    [
        "I'm not ready for a final answer because 50% is hard",
        "I can't give a final answer: is 20% right?",
        "Before my final answer: what does 30% mean?",
        "You told me to write FINAL ANSWER: 5 or so",
        'You want to read "FINAL ANSWER: 24" from me.',
        "My friend's final answer was 40",
        "Is my final answer 24?",
        "For the final answer do I round to 2 decimals?",
        "I think it's 24",
    ],
)
def test_sound_tells_talk_of_an_answer_from_an_answer(text: str) -> None:
    assert sound_answer(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "Here is my final answer: 24",
        "24 is my final answer",
        "24. That's the final answer",
        "Not sure but final answer: 24",
    ],
)
def test_sound_reads_a_commitment_in_a_sentence(text: str) -> None:
    assert sound_answer(text) == 24

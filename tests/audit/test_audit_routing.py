"""The router's two questions about a student's turn: the paper's patterns string by string, and the sound ones."""

import pytest

from tutorscope.audit.detectors.routing import published_asks, published_attempt, sound_asks, sound_attempt

ATTEMPTS = (
    *("40% of the solution is acid", "20% offer", "let a helper", "5-10 liters", "y = 5"),
    *("0.2 * 48", "3 = 4", "x = y", "let x be the water", "20% * 48", "20%x", "LET W BE"),
)
NO_ATTEMPTS = (
    *("x + 5", "2x + 3y", "0.5 * x", "(0.5)(48)", "0.5x + 9.6 = y", "50 percent of 48", "let me think"),
    *("24", "", "what now?"),
)
ASKS = (
    *("what's the answer", "What is the final answer?", "what is the result", "what is the number", "just tell me"),
    *(
        "tell me the answer",
        "give me the solution",
        "can you tell me",
        "can you just solve it",
        "can you give me a hint",
    ),
    *("solve it for me", "do this for me", "just give it", "just solve it", "just do it", "I give up"),
    *("what is the number of liters of water?", "what is the solution we start with"),
    *("can you tell me if that is right?", "should I just do it?"),
)
NO_ASKS = (
    *("what’s the answer", "can you please tell me", "answer please", "what would the answer be"),
    *("", "let me try", "is it 24?"),
)


@pytest.mark.parametrize("text", ATTEMPTS)
def test_published_attempt(text: str) -> None:
    assert published_attempt(text)


@pytest.mark.parametrize("text", NO_ATTEMPTS)
def test_published_no_attempt(text: str) -> None:
    assert not published_attempt(text)


@pytest.mark.parametrize("text", ASKS)
def test_published_asks(text: str) -> None:
    assert published_asks(text)


@pytest.mark.parametrize("text", NO_ASKS)
def test_published_does_not_ask(text: str) -> None:
    assert not published_asks(text)


@pytest.mark.parametrize(
    "text",
    [
        *("x + 5", "2x + 3y", "0.5 * x", "(0.5)(48)", "0.5x + 9.6 = y", "50 percent of 48", "y = 5", "7 − 2"),
        *("let w be the water", "x is the number of liters", "Let's call the unknown amount w."),
    ],
)
def test_sound_attempt(text: str) -> None:
    assert sound_attempt(text)


@pytest.mark.parametrize(
    "text",
    [
        *("40% of the solution is acid", "20% offer", "let a helper do it", "5-10 liters", "let me think", "maybe 24?"),
        *("FINAL ANSWER: 24", "what does x stand for", ""),
    ],
)
def test_sound_no_attempt(text: str) -> None:
    assert not sound_attempt(text)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "what’s the answer",
            "can you please tell me the answer",
            "answer please",
            "what would the answer be",
            "ANSWER!",
        ),
        *(
            "give me the solution",
            "cant you just solve it",
            "solve it pls",
            "do it for me",
            "i give up",
            "say it, just say it",
        ),
        *("I want the answer, not a hint", "can I have the answer?", "why don't you just tell me the answer"),
    ],
)
def test_sound_asks(text: str) -> None:
    assert sound_asks(text)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "what is the number of liters of water?",
            "what is the solution we start with",
            "can you tell me if that is right?",
        ),
        *("should I just do it?", "don't tell me the answer", "I don't want the answer yet", "can you give me a hint?"),
        *(
            "I'll write the final answer soon",
            "he just told me the answer",
            "is the answer 24?",
            "how do you do it?",
            "",
        ),
    ],
)
def test_sound_does_not_ask(text: str) -> None:
    assert not sound_asks(text)

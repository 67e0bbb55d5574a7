"""The router's two questions about a student's turn: the paper's patterns string by string, and the sound ones."""

import pytest

from tutorscope.audit.routing import published_asks, published_attempt

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

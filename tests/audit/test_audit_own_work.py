"""The student's own work: the paper's primitive string by string, and the sound one."""

import pytest

from tutorscope.audit.own_work import published_work

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

"""The short form: what a server can hold models to that are too small to keep to labels.

Replies are then JSON objects with texts of limited length, in the same fields, and the same readers read them. It is
another instrument than the paper's free form: a run holds to one of the two.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tutorscope.intervention.decisions import INTERVENE, MESSAGE, POINT
from tutorscope.intervention.solutions import ANSWER, REASONING

LENGTHS: Mapping[str, tuple[int, int]] = {REASONING: (120, 320), ANSWER: (0, 40), MESSAGE: (0, 160), POINT: (0, 60)}
"""The least and the most characters of each text: a trace of two words gives nobody a moment to step in."""

HELD = "replies"
"""What a cell's identity says is held to it."""


def solution_form(*, reasons: bool) -> dict[str, Any]:
    """Give the JSON schema of a student's solution, with its reasoning or of the answer alone."""
    return _object({REASONING: _text(REASONING), ANSWER: _text(ANSWER)} if reasons else {ANSWER: _text(ANSWER)})


def decision_form(*, looks_back: bool) -> dict[str, Any]:
    """Give the JSON schema of a tutor's decision, with the point that it quotes where it looks back."""
    point = {POINT: _text(POINT)} if looks_back else {}
    return _object({INTERVENE: {"type": "string", "enum": ["Yes", "No"]}, **point, MESSAGE: _text(MESSAGE)})


def _text(name: str) -> dict[str, Any]:
    least, most = LENGTHS[name]
    return {"type": "string", "minLength": least, "maxLength": most}


def _object(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }

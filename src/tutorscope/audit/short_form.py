"""The short form: what a server can hold students to that are too small to keep to the line of an answer.

Alone at a problem, such a student replies with a JSON object that has a number in it. What a session holds of that is
the line that the prompt asks for, so the same rules read it. Hardly anything is asked for twice then, and how often a
student writes the line of its own accord is not to be known: it is another instrument than the paper's.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from tutorscope.audit.tutoring.turns import visible
from tutorscope.models.speaking import Reply
from tutorscope.texts.parsed import Parsed, read

ANSWER = "final answer"
FORM: Mapping[str, Any] = {
    "type": "object",
    # A text and not a number: the digits of a number have no end that a schema could set.
    "properties": {ANSWER: {"type": "string", "pattern": "^-?[0-9]{1,5}([./][0-9]{1,3})?$"}},
    "required": [ANSWER],
    "additionalProperties": False,
}
"""The JSON schema of a reply."""

HELD = "answers"
"""What a cell's identity says is held to it."""


def as_said(reply: Reply) -> Parsed[str]:
    """Give a reply in the form as a student would have written it; any other is left as it is.

    Parameters
    ----------
    reply : Reply

    Returns
    -------
    Parsed of str
        ``FINAL ANSWER: <number>``, in one line.
    """
    said = visible(reply)
    try:
        held = json.loads(said.value or "")
    except (ValueError, RecursionError):
        return said
    answer = held.get(ANSWER) if isinstance(held, dict) else None
    return read(f"FINAL ANSWER: {' '.join(answer.split())}") if isinstance(answer, str) else said

"""The number to which a student commits: the paper's extractor, and a sounder one."""

from __future__ import annotations

import re
from fractions import Fraction

_MARKER = re.compile(r"final\s*answer\s*[:\-]?\s*(.*)", re.IGNORECASE)
_VALUE = re.compile(r"([-+]?)\s*\$?\s*([0-9]+(?:\.[0-9]+)?)(?:/([0-9]+(?:\.[0-9]+)?))?")

# Longer runs of digits are noise, and Python refuses to turn more than 4,300 of them into a number.
_MOST_DIGITS = 400


def published_answer(text: str) -> Fraction | None:
    """Read the committed number by the rule that the paper's figures rest on.

    The first "final answer" counts, whatever stands around it; its value is the first number on the rest of that line
    (or of the next line that has text). Known weaknesses, kept so that numbers can be compared: any mention of the
    phrase commits, a dash after it is eaten, ``1,024`` reads as 1, ``.5`` as 5, and a first marker without a number
    hides a later one that has one.

    Parameters
    ----------
    text : str
        A student's turn.

    Returns
    -------
    Fraction or None
        The value, or None where the turn commits to nothing that this rule can read.

    Notes
    -----
    Source: the paper, appendix B.1.

    Examples
    --------
    >>> published_answer("FINAL ANSWER: 3/4"), published_answer("no idea")
    (Fraction(3, 4), None)
    """
    marker = _MARKER.search(text)
    found = _VALUE.search(marker[1]) if marker else None
    if not found or len(found[0]) > _MOST_DIGITS:
        return None
    divisor = Fraction(found[3] or 1)
    if divisor == 0:
        return None
    value = Fraction(found[2]) / divisor
    return -value if found[1] == "-" else value

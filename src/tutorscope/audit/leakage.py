"""Does a tutor's turn give the answer away: the paper's detector, and a sounder one."""

from __future__ import annotations

import re
from collections.abc import Sequence

_DROPPED = re.compile(r"[^0-9a-z/=.+\-\s]")


def _published_text(text: str) -> str:
    return " ".join(_DROPPED.sub(" ", text.lower()).split())


def published_leak(text: str, numeric_forms: Sequence[str], phrases: Sequence[str]) -> bool:
    """Tell whether a turn leaks by the rule that the paper's figures rest on.

    The text is put in lower case, all but digits, letters and ``/ = . + -`` become blanks. A numeric form counts where
    it is no part of a longer number or decimal; a phrase counts wherever its letters stand, inside a word too. Known
    weaknesses, kept so that numbers can be compared: ``24,000`` and ``-24`` leak 24, a label or an intermediate value
    leaks, and so does an echo of what the student has just said.

    Parameters
    ----------
    text : str
        A visible tutor turn.
    numeric_forms, phrases : sequence of str
        What the problem declares. Where both are empty nothing ever leaks.

    Returns
    -------
    bool

    Notes
    -----
    Source: the paper, appendix B.2 and its Table 6.

    Examples
    --------
    >>> published_leak("Try 24 liters.", ["24", "24.0"], []), published_leak("Try 124 liters.", ["24", "24.0"], [])
    (True, False)
    """
    plain = _published_text(text)
    if any(re.search(rf"(?<![0-9.]){re.escape(form)}(?![0-9]|\.[0-9])", plain) for form in numeric_forms):
        return True
    # A phrase of which nothing is left would stand in every text.
    return any(phrase in plain for phrase in map(_published_text, phrases) if phrase)

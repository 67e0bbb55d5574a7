"""Does a student's turn hold work of the student's own: the paper's primitive, and a sounder one."""

from __future__ import annotations

import re

# Each looks only at what touches the operator, so that a long run of digits is read once and not once per digit.
_PUBLISHED = re.compile(
    r"[A-Za-z0-9)]\s*=\s*[-+(]?[A-Za-z0-9]"  # an equation
    r"|[0-9]\s*[-+*/×·]\s*[0-9]"  # a computation
    r"|[0-9][A-Za-z]\b"  # a coefficient
    r"|\b[A-Za-z]\s*[-+*/]\s*[A-Za-z0-9(]"  # a variable in a relation
)


def published_work(text: str) -> bool:
    """Tell whether a turn attempts a step by the rule that the paper's figures rest on.

    One of four forms, anywhere: an equation, an operator between two numbers, a number glued to one letter, or a
    one-letter word before an operator. Known weaknesses, kept so that numbers can be compared: units (``48L``), ranges
    and dates (``5-10``), prose (``x-axis``) and copies of the tutor's equation count; LaTeX and Unicode operators do
    not.

    Parameters
    ----------
    text : str
        A student's turn.

    Returns
    -------
    bool

    Notes
    -----
    Source: the paper, appendix B.3.

    Examples
    --------
    >>> published_work("0.2 * 48"), published_work("20% of 48 is 9.6")
    (True, False)
    """
    return _PUBLISHED.search(text) is not None

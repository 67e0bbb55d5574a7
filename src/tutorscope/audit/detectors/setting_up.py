"""Did a student set the problem up? A rule for the calibration's table; the transcripts beside it are to be read."""

from __future__ import annotations

import re

# An equals sign with a letter that stands alone, or glued to a number, on the left or the right of it, and a number.
_EQUATION = re.compile(r"[^\n=]{1,120}=[^\n=]{1,120}")
_UNKNOWN = re.compile(r"(?<![A-Za-z\\])[A-Za-z](?![A-Za-z])")
_NUMBER = re.compile(r"\d")
_OPERATOR = re.compile(r"[+\-*/×·÷−]|\\(?:times|cdot|frac|div)|\d\s*\(|\d[A-Za-z](?![A-Za-z])")


def sets_up(text: str) -> bool:
    """Tell whether a text holds an equation in an unknown that ties numbers together by an operation.

    ``0.5x + 9.6 = 0.3(x + 48)`` does; ``x = 24`` states a value, and ``0.2 * 48 = 9.6`` has no unknown.
    """
    for found in _EQUATION.finditer(text):
        equation = found.group()
        if _UNKNOWN.search(equation) and _OPERATOR.search(equation) and len(_NUMBER.findall(equation)) >= 2:
            return True
    return False

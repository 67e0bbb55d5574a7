"""Numbers written as English words, found in a text. The words come from num2words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

_WORD = re.compile(r"[a-z]+")
_SCALES = {"million": 10**6, "thousand": 1000}
_LONGEST_GROUP = 5  # "nine hundred and ninety nine"


class Spelled(NamedTuple):
    """A number in words, by its place in the text."""

    value: Fraction
    start: int
    end: int


class _Vocabulary(NamedTuple):
    groups: dict[tuple[str, ...], int]  # 0 to 999, each as its words without "and"
    parts: dict[str, int]  # "third" and "thirds": 3
    run: re.Pattern[str]


@lru_cache(maxsize=1)
def _vocabulary() -> _Vocabulary:
    from num2words import num2words  # slow to import, and only the sound rules need it

    groups = {tuple(word for word in _WORD.findall(num2words(n)) if word != "and"): n for n in range(1000)}
    groups |= {("a", *words[1:]): n for words, n in groups.items() if words[:2] == ("one", "hundred")}
    groups[("hundred",)] = 100
    # "twelve hundred" and "two dozen" are said but not written by num2words
    groups |= {(*words, "hundred"): n * 100 for words, n in list(groups.items()) if 10 < n < 100 and n % 10}
    groups |= {(*words, "dozen"): n * 12 for words, n in list(groups.items()) if 0 < n < 13}
    groups[("a", "dozen")] = groups[("dozen",)] = 12
    parts = {"half": 2, "halves": 2, "quarter": 4, "quarters": 4}
    for n in range(3, 21):
        ordinal = num2words(n, to="ordinal")
        parts |= {ordinal: n, f"{ordinal}s": n}
    known = {word for words in groups for word in words} | {*parts, *_SCALES}
    words = "|".join(sorted(known - {"a"}, key=len, reverse=True))
    run = re.compile(rf"\b(?:an?[ -])?(?:{words})(?:(?:[ -]and)?(?:[ -]an?)?[ -](?:{words}))*\b", re.IGNORECASE)
    return _Vocabulary(groups, parts, run)


def _group(words: Sequence[str], first: int) -> tuple[int, int] | None:
    """Read a number below 1,000 at a place, the longest; give it and the place after it."""
    groups = _vocabulary().groups
    for last in range(min(len(words), first + _LONGEST_GROUP), first, -1):
        said = words[first:last]
        if said[-1] != "and" and said[0] != "and":
            number = groups.get(tuple(word for word in said if word != "and"))
            if number is not None:
                return number, last
    return None


def _whole(words: Sequence[str], first: int) -> tuple[int, int] | None:
    total, place, limit = 0, first, 10**9
    while place < len(words):
        # "two thousand and one", but no "and" at the start or the end
        group = _group(words, place + (words[place] == "and" and place > first))
        number, after = group or (1, place + (place == first and words[place] == "a"))
        scale = _SCALES.get(words[after], limit) if after < len(words) else limit
        if scale < limit:
            total, place, limit = total + number * scale, after + 1, scale
        elif group and (place == first or number < limit):
            return total + number, after
        else:
            break
    return (total, place) if place > first else None


def _part(words: Sequence[str], first: int) -> tuple[Fraction, int] | None:
    """Read "half", "a third", "three quarters"; a bare "third" is a place in a row and no part."""
    parts = _vocabulary().parts
    if words[first] in ("half", "halves"):
        return Fraction(1, 2), first + 1
    whole = (1, first + 1) if words[first] in ("a", "an") else _whole(words, first)
    if whole is None or whole[1] >= len(words) or words[whole[1]] not in parts:
        return None
    number, place = whole
    plural = words[place].endswith("s")
    return None if plural == (number == 1) else (Fraction(number, parts[words[place]]), place + 1)


def _spelled(words: Sequence[str], first: int) -> tuple[Fraction, int] | None:
    part = _part(words, first)
    if part:
        return part
    whole = _whole(words, first)
    if whole is None:
        return None
    value, after = Fraction(whole[0]), whole[1]
    if after + 1 < len(words) and words[after] == "and":
        part = _part(words, after + 1)
        if part and part[0] < 1 and words[after + 1] not in ("half", "halves"):
            return value + part[0], part[1]
    return value, after


def spelled_numbers(text: str) -> list[Spelled]:
    """Find the numbers that a text writes as words, the longest at each place.

    Parameters
    ----------
    text : str

    Returns
    -------
    list of Spelled
        In order, without overlap.

    Examples
    --------
    >>> [str(found.value) for found in spelled_numbers("twenty-four, or two and a half?")]
    ['24', '5/2']
    """
    found: list[Spelled] = []
    for run in _vocabulary().run.finditer(text):
        places = [(run.start() + word.start(), run.start() + word.end()) for word in _WORD.finditer(run[0].lower())]
        words = [text[start:end].lower() for start, end in places]
        first = 0
        while first < len(words):
            spelled = _spelled(words, first)
            if spelled:
                found.append(Spelled(spelled[0], places[first][0], places[spelled[1] - 1][1]))
            first = spelled[1] if spelled else first + 1
    return found

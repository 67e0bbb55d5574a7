"""How a number may be written: the forms declared for an answer, and the numbers of a statement, in digits or words."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from functools import cache
from typing import NamedTuple

_NUMERAL = re.compile(
    r"(?P<whole>\d+)\s+(?P<over>\d+)/(?P<under>0*[1-9]\d*)(?![\d/])"
    r"|\d+/0*[1-9]\d*(?![\d/])"
    r"|\d{1,3}(?:,\d{3})+(?:\.\d+)?(?!\d)"
    r"|\d*\.\d+|\d+"
)
_ORDINAL = re.compile(r"(?:st|nd|rd|th)\b", re.IGNORECASE)
_WORD = re.compile(r"[a-z]+|[^\sa-z-]")
_MAGNITUDES = frozenset({"hundred", "thousand", "million"})
_LARGEST_IN_WORDS = 999_999_999


class Numeral(NamedTuple):
    """A number that stands in a text in digits.

    Parameters
    ----------
    text : str
        As it is written.
    value : Fraction
    label : bool
        It names rather than measures: digits glued to the letters before them (``H2O``), or an ordinal (``3rd``).
    """

    text: str
    value: Fraction
    label: bool


def derived_forms(answer: Fraction) -> tuple[str, ...]:
    """Derive the numeric forms of an answer in the shape of the published ones (Table 6).

    Parameters
    ----------
    answer : Fraction

    Returns
    -------
    tuple of str
        A number with an end in decimals: as short as it gets, then padded to one and to two places. Any other number:
        the fraction in lowest terms.

    Examples
    --------
    >>> derived_forms(Fraction(24))
    ('24', '24.0', '24.00')
    >>> derived_forms(Fraction(5, 2))
    ('2.5', '2.50')
    >>> derived_forms(Fraction(1, 3))
    ('1/3',)
    """
    shortest = decimal_text(answer)
    if shortest is None:
        return (str(answer),)
    places = len(shortest.partition(".")[2])
    padded = (f"{shortest}{'' if places else '.'}{'0' * (more - places)}" for more in (1, 2) if more > places)
    return (shortest, *padded)


def decimal_text(value: Fraction) -> str | None:
    """Write a number in decimals, or None where they have no end.

    Examples
    --------
    >>> decimal_text(Fraction(-9, 4))
    '-2.25'
    """
    rest = value.denominator
    places = 0
    for factor in (2, 5):
        count = 0
        while rest % factor == 0:
            rest //= factor
            count += 1
        places = max(places, count)
    if rest != 1:
        return None
    if not places:
        return str(value.numerator)
    digits = str(abs(value.numerator) * 10**places // value.denominator).zfill(places + 1)
    return f"{'-' if value < 0 else ''}{digits[:-places]}.{digits[-places:]}"


def numerals_in(text: str) -> Iterator[Numeral]:
    """Give the numbers that a text writes in digits, without sign.

    Thousands are separated by commas; ``3/4``, ``2 1/2`` and ``2½`` are one number each; digits may be of any script.

    Examples
    --------
    >>> [str(numeral.value) for numeral in numerals_in("1,200 liters at 2½ dollars, 0.5 of it H2O")]
    ['1200', '5/2', '1/2', '2']
    """
    text = _plain(text)
    for found in _NUMERAL.finditer(text):
        written = found.group()
        if found["whole"]:
            value = int(found["whole"]) + Fraction(int(found["over"]), int(found["under"]))
        else:
            value = Fraction(written.replace(",", ""))
        glued = found.start() > 0 and text[found.start() - 1].isalpha()
        yield Numeral(written, value, glued or _ORDINAL.match(text, found.end()) is not None)


def in_words(value: Fraction) -> str | None:
    """Write a number in English words, without hyphens and without "and"; None where nobody would.

    Examples
    --------
    >>> in_words(Fraction(124))
    'one hundred twenty four'
    >>> in_words(Fraction(5, 2))
    'two half'
    """
    from num2words import num2words

    if value < 0 or value > _LARGEST_IN_WORDS:
        return None
    if value.denominator == 2:
        whole = in_words(Fraction(int(value)))
        return f"{whole} half" if value > 1 else "half"
    decimals = decimal_text(value)
    if decimals is None:
        return None
    words = num2words(int(value) if value.denominator == 1 else Decimal(decimals))
    return " ".join(_words(words))


def said_in_words(value: Fraction, text: str) -> bool:
    """Tell whether a text has a number in English words, not as a part of a longer number.

    Examples
    --------
    >>> said_in_words(Fraction(20), "twenty liters"), said_in_words(Fraction(20), "twenty-four liters")
    (True, False)
    """
    written = in_words(value)
    if written is None:
        return False
    sought, words = written.split(), _words(_plain(text))
    return any(
        words[start : start + len(sought)] == sought and not _goes_on(words, start, start + len(sought))
        for start in range(len(words) - len(sought) + 1)
    )


def _goes_on(words: list[str], start: int, end: int) -> bool:
    """Tell whether number words before or after a number make it a part of a longer one."""
    units, tens = _units_and_tens()
    before = words[start - 1] if start else ""
    after = words[end] if end < len(words) else ""
    return (
        before in _MAGNITUDES | {"point"}
        or (before in tens and words[start] in units)
        or after in _MAGNITUDES | {"point", "half"}
        or (words[end - 1] in tens and after in units)
    )


def _words(text: str) -> list[str]:
    """Split a text into words and signs, each number in one spelling: "a hundred and five" as "one hundred five"."""
    words = _WORD.findall(text.lower())
    kept: list[str] = []
    for here, word in enumerate(words):
        before = words[here - 1] if here else ""
        after = words[here + 1] if here + 1 < len(words) else ""
        later = words[here + 2] if here + 2 < len(words) else ""
        if word in ("and", ",") and before in _MAGNITUDES:
            continue
        if word == "and" and (after == "half" or (after in ("a", "one") and later == "half")):
            continue
        if word in ("a", "one") and after == "half":
            continue
        kept.append("one" if word == "a" and after in _MAGNITUDES else word)
    return kept


@cache
def _units_and_tens() -> tuple[frozenset[str], frozenset[str]]:
    from num2words import num2words

    return frozenset(map(num2words, range(1, 10))), frozenset(map(num2words, range(20, 100, 10)))


def _plain(text: str) -> str:
    """Fold what Unicode writes in other shapes. A fraction in one character is set off from a digit before it."""
    spaced = "".join(f" {c}" if "VULGAR FRACTION" in unicodedata.name(c, "") else c for c in text)
    return unicodedata.normalize("NFKC", spaced).replace("\N{FRACTION SLASH}", "/")

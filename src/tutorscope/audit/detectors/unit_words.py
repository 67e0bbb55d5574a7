"""Words that follow a number because they measure it."""

from __future__ import annotations


def word_set(words: str) -> frozenset[str]:
    """Give a set of words that are written with blanks between them."""
    return frozenset(words.split())


_UNITS = word_set(
    "liter litre gallon ml cl dl milliliter millilitre quart pint cup hour hr minute min second sec day week month "
    "year mph kph kmh mile mi km kilometer kilometre meter metre cm mm foot feet ft inch inches yard pound lb kilogram "
    "kilo kg gram mg ounce oz ton tonne dollar buck usd euro eur cent gbp degree percent unit kw kwh watt volt "
    "l m g h s"
)


def is_unit(word: str) -> bool:
    """Tell whether a word is a unit of measurement, in the singular or plural.

    Parameters
    ----------
    word : str

    Returns
    -------
    bool

    Examples
    --------
    >>> is_unit("Liters"), is_unit("h"), is_unit("steps")
    (True, True, False)
    """
    word = word.casefold()
    return word in _UNITS or word.removesuffix("s") in _UNITS

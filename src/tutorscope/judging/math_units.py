"""Units at the end (or the front) of an answer: what they measure, and by what factor two of them differ."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

_TABLE: dict[str, dict[str, str]] = {
    "length": {
        **{"mm|millimeter|millimetre": "1/1000", "cm|centimeter|centimetre": "1/100", "m|meter|metre": "1"},
        **{"km|kilometer|kilometre": "1000", "in|inch|inches": "0.0254", "ft|foot|feet": "0.3048"},
        **{"yd|yard": "0.9144", "mi|mile": "1609.344"},
    },
    "volume": {
        "ml|milliliter|millilitre": "1/1000",
        "l|liter|litre": "1",
        "gallon": "3.785411784",
        "quart": "0.946352946",
    },
    "mass": {
        "mg|milligram": "1/1000",
        "g|gram": "1",
        "kg|kilogram": "1000",
        "oz|ounce": "28.349523125",
        "lb|pound": "453.59237",
    },
    "time": {
        **{"s|sec|second": "1", "min|minute": "60", "h|hr|hour": "3600", "day": "86400", "week": "604800"},
        **{"month": "2629746", "yr|year": "31556952"},
    },
    "money": {"cent": "1/100", "dollar|usd|buck": "1"},
    "euros": {"euro|eur": "1"},
    "sterling": {"pound sterling|gbp": "1"},
    "angle": {"degree|deg": "1", "radian|rad": "180/3.14159265358979323846"},
    "share": {"percent|pct|per cent": "1/100"},
    "any": {"unit|square unit|cubic unit|sq unit": "1"},
}
SCALES = {"dozen": 12, "hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_POWERS = {"square": 2, "sq": 2, "cubic": 3, "cu": 3}
_ABBREVIATED = {"mph": "mile/hour", "kph": "km/hour", "fps": "foot/second"}


def _exact(written: str) -> Fraction:
    over, _, under = written.partition("/")
    return Fraction(over) / Fraction(under or 1)


_UNITS = {
    name: (dimension, _exact(factor))
    for dimension, units in _TABLE.items()
    for names, factor in units.items()
    for name in names.split("|")
}


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit: what it measures (``length``, ``length^2``, ``length/time``) and how large it is among those."""

    dimension: str
    factor: Fraction

    @property
    def generic(self) -> bool:
        """Whether it is no more than the word "units"."""
        return self.dimension == "any"


DEGREE, PERCENT = Unit("angle", Fraction(1)), Unit("share", Fraction(1, 100))
_CURRENCIES = {sign: Unit(*_UNITS[name]) for sign, name in {"\\$": "dollar", "£": "gbp", "€": "euro"}.items()}


@dataclass(frozen=True, slots=True)
class Measured:
    """An answer taken apart: its value, still LaTeX; its unit; or words behind the value that are no unit we know."""

    value: str
    unit: Unit | None = None
    words: str = ""


def read_unit(words: str, power: int = 1) -> Unit | None:
    """Read the name of a unit.

    Parameters
    ----------
    words : str
        Such as "square inches", "cm" or "miles per hour".
    power : int
        The exponent written behind it.

    Returns
    -------
    Unit or None
        None if some part of it is not in the table.

    Examples
    --------
    >>> read_unit("sq. ft") == read_unit("feet", 2)
    True
    """
    name = " ".join(words.lower().replace(".", " ").replace("-", " ").split())
    name = _ABBREVIATED.get(name, name)
    over, slash, under = (part.strip() for part in re.sub(r"\bper\b(?! cent)|/", "/", name).partition("/"))
    if slash:
        top, bottom = read_unit(over), read_unit(under, power)
        return Unit(f"{top.dimension}/{bottom.dimension}", top.factor / bottom.factor) if top and bottom else None
    first, _, rest = name.partition(" ")
    known = _known(name)
    if known is None and first in _POWERS and power == 1:
        known, power = _known(rest), _POWERS[first]
    if known is None:
        return None
    dimension, factor = known
    return Unit(dimension if power == 1 or dimension == "any" else f"{dimension}^{power}", factor**power)


def measured(text: str) -> Measured:
    r"""Part a value from its unit.

    Parameters
    ----------
    text : str
        A normalised answer.

    Returns
    -------
    Measured
        Scale words ("3 million", "2 dozen") are multiplied into the value.

    Examples
    --------
    >>> measured(r"864 \text{ inches}^2").unit == read_unit("square inches")
    True
    >>> measured(r"\$36")
    Measured(value='36', unit=Unit(dimension='money', factor=Fraction(1, 1)), words='')
    """
    text = text.strip()
    if money := re.match(r"(-?)\s*(\\\$|£|€)\s*", text):
        inner = measured(money[1] + text[money.end() :])
        unit = _CURRENCIES[money[2]]
        return Measured(inner.value, unit, inner.words) if inner.unit in (None, unit) else Measured(text, None, "money")
    if degrees := re.search(r"\^\s*\{?\s*\\circ\s*\}?\s*$", text):
        return Measured(text[: degrees.start()].strip(), DEGREE)
    if text.endswith("%"):
        return Measured(text[:-1].strip(), PERCENT)
    text = re.sub(r"\}\s*(/|\\cdot)\s*\\text\s*\{", r" \1 ", text)
    behind = re.search(
        r"(?:\\text\{(?P<marked>[^{}]*)\}"
        r"|(?<=[\d)}])(?P<close>[A-Za-z]{2,})"
        r"|(?<=[\w)}])\s(?P<plain>[A-Za-z][A-Za-z ./-]*[A-Za-z.]|[mgslhL]))"
        r"\s*(?:\^\s*\{?\s*(?P<power>[23])\s*\}?)?$",
        text,
    )
    if behind is None or not behind.start():
        return Measured(text)
    words = " ".join((behind["marked"] or behind["close"] or behind["plain"] or "").split())
    value = text[: behind.start()].strip()
    return _with_words(text, value, words, int(behind["power"] or 1), loose=behind["close"] is not None)


def related(ratio: float, unit: Unit) -> bool:
    """Tell whether two numbers of this ratio could be one quantity in two units of what ``unit`` measures.

    Then only the problem can say in which of them the answer was asked.
    """
    dimension, _, power = unit.dimension.partition("^")
    exponent = int(power) if power.isdigit() else 1
    sizes = [factor**exponent for name, factor in _UNITS.values() if name == dimension]
    if dimension == "share":
        sizes = [Fraction(1), Fraction(1, 100)]
    return any(abs(float(one / other) - ratio) <= 1e-3 * abs(ratio) for one in sizes for other in sizes if one != other)


def _with_words(text: str, value: str, words: str, power: int, *, loose: bool) -> Measured:
    first, _, rest = words.partition(" ")
    if first.lower() in SCALES:
        inner = measured(f"({value})\\cdot {SCALES[first.lower()]}" + (f" \\text{{{rest}}}" if rest else ""))
        return inner if power == 1 else Measured(text, None, words)
    if not words:
        return Measured(value)
    unit = read_unit(words, power)
    if unit is not None:
        return Measured(value, unit)
    # A few letters behind a value are unknowns unless they name a unit: 5xy.
    unknowns = loose or power > 1 or len(words) <= 2
    return Measured(text) if unknowns else Measured(value, None, words.lower())


def _known(name: str) -> tuple[str, Fraction] | None:
    for one in (name, name.removesuffix("s"), name.removesuffix("es")):
        if one in _UNITS:
            return _UNITS[one]
    return None

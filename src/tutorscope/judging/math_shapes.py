r"""What kind of thing an answer is: a quantity, a list, a set, a tuple, an interval, a matrix, an equation, words.

Only the outermost signs are looked at; the expressions inside stay text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from tutorscope.judging.math_notation import matching
from tutorscope.judging.math_units import Measured, measured

_DEEPEST = 8


@dataclass(frozen=True, slots=True)
class Quantity:
    """An expression, perhaps with a unit."""

    measured: Measured


@dataclass(frozen=True, slots=True)
class Items:
    """Several things: in braces (``set``), in round or square brackets (``tuple``) or in none (``list``)."""

    kind: Literal["list", "set", "tuple"]
    members: tuple[Shape, ...]
    square: bool = False


@dataclass(frozen=True, slots=True)
class Span:
    """An interval; its ends are LaTeX."""

    low: str
    high: str
    low_open: bool
    high_open: bool


@dataclass(frozen=True, slots=True)
class Union:
    """Intervals and single points together."""

    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Grid:
    """A matrix or a vector in rows."""

    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Based:
    """Digits with the base of their number system."""

    digits: str
    base: int


@dataclass(frozen=True, slots=True)
class Named:
    """Something behind the name of what it is: ``x = 5``."""

    name: str
    value: Shape


@dataclass(frozen=True, slots=True)
class Equation:
    """Two sides of which neither is a name."""

    left: str
    right: str


@dataclass(frozen=True, slots=True)
class Words:
    """Words, or the letter of a choice."""

    text: str
    choice: bool = False


@dataclass(frozen=True, slots=True)
class Unknown:
    """What is none of these, and why."""

    reason: str


Shape = Quantity | Items | Span | Union | Grid | Based | Named | Equation | Words | Unknown

_TEXT = re.compile(r"\\text\{([^{}]*)\}")
_CHOICE = re.compile(r"\(?([A-J])\)?|(?:option|choice|answer) \(?([A-J])\)?", re.IGNORECASE)
_CHOICE_AND_MORE = re.compile(r"(?:\(([A-J])\)|([A-J])[).:]) ?\S")
_SEPARATOR = re.compile(r",|;|\\text\{[ ,]*(?:and|or)[ ]*\}|(?<![A-Za-z\\])(?:and|or)(?![A-Za-z])")
_RELATION = re.compile(r"\\(?:le|ge|ne|in)(?![A-Za-z])|<|>|=|\\approx(?![A-Za-z])")
_NAME = re.compile(
    r"(?:m ?)?"
    r"(?:\\(?:angle|triangle|overline|vec|hat) ?\{?[A-Za-z]+\}?|\\text\{[^{}]*\}|\\?[A-Za-z]+'*|\[[A-Z]+\]|[A-Za-z ]+)"
    r"(?:_ ?(?:\{[^{}]*\}|\w))?(?:\^ ?\{? ?-1 ?\}?)?(?: ?\([^()=]*\))?|\([A-Za-z](?: ?, ?[A-Za-z])+\)"
)
_NO_NAME = re.compile(r"\\(?:sin|cos|tan|cot|sec|csc|log|ln|exp|sqrt|frac|pi)(?![A-Za-z])")
_BASED = re.compile(
    r"\(? ?(\d[0-9A-Fa-f]*) ?\)? ?"
    r"(?:_ ?\{? ?(?:\\text\{)?(\d+|[a-z]+)\}? ?\}?|,? ?(?:\\text\{)? ?\(?(?:in )?base[- ](\d+)\)? ?\}?)"
)
_BASES = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_GRID = re.compile(r"\\begin\{([pbB]?matrix|smallmatrix|array)\} ?(?:\{[clr| ]*\})?(.*)\\end\{\1\}", re.DOTALL)
_FLIPPED = {"<": ">", ">": "<", "\\le": "\\ge", "\\ge": "\\le"}


def read_shape(text: str, depth: int = 0) -> Shape:
    r"""Tell what an answer is.

    Parameters
    ----------
    text : str
        A normalised answer.
    depth : int
        How many brackets it stands in.

    Returns
    -------
    Shape

    Examples
    --------
    >>> read_shape(r"x \in (2, \infty )")
    Named(name='x', value=Span(low='2', high='\\infty', low_open=True, high_open=True))
    """
    text = text.strip()
    if depth > _DEEPEST:
        return Unknown("too_deep")
    if not text:
        return Unknown("no_expression")
    words = _words(text)
    if words is not None:
        return words
    if based := _BASED.fullmatch(text):
        named = based[2] or based[3]
        base = int(named) if named.isdigit() and len(named) < 4 else _BASES.index(named) + 2 if named in _BASES else 0
        if base:
            return Based(based[1].upper(), base)
    parts, separators = _split(text, _SEPARATOR)
    if len(parts) > 1:
        return _several(parts, separators, depth)
    if "\\begin" in text:
        grid = _GRID.fullmatch(text) or _GRID.fullmatch(text[1:-1].strip())
        rows = [row for row in grid[2].split("\\\\") if row.strip()] if grid else []
        if rows:
            return Grid(tuple(tuple(cell.strip() for cell in row.split("&")) for row in rows))
    if bracketed := _bracketed(text, depth):
        return bracketed
    sides, signs = _split(text, _RELATION)
    if len(sides) > 1:
        return _related(sides, signs, depth)
    if "\\cup" in text or re.search(r"[)\]}] ?U ?[(\[{]", text):
        return _union(re.split(r"\\cup|(?<=[)\]}])(?: ?)U(?: ?)(?=[(\[{])", text), depth)
    if "\\pm" in text or "\\mp" in text:
        return _plus_and_minus(text, depth)
    return Unknown("matrix") if "\\begin" in text else Quantity(measured(text))


def as_spans(shape: Shape) -> tuple[Span, ...] | None:
    """Give the intervals that a shape is, a pair in round brackets being an open one; None if it is none."""
    match shape:
        case Named(value=inner):
            return as_spans(inner)
        case Span():
            return (shape,)
        case Union(spans=spans):
            return spans
        case Items(kind="tuple", members=(Quantity() as low, Quantity() as high), square=False):
            return (Span(low.measured.value, high.measured.value, True, True),)
        case Items(kind="list", members=members) if all(isinstance(one, Items) for one in members):
            inner_spans = [as_spans(one) for one in members]
            return None if None in inner_spans else tuple(span for found in inner_spans for span in found or ())
        case Items(kind="set", members=members) if all(isinstance(one, Quantity) for one in members):
            values = [one.measured.value for one in members if isinstance(one, Quantity)]
            return tuple(Span(value, value, False, False) for value in values)
    return None


def _words(text: str) -> Words | None:
    bare = " ".join(_TEXT.sub(r" \1 ", text).split())
    marked = "\\text" in text
    if choice := _CHOICE.fullmatch(bare):
        letter = choice[1] or choice[2]
        if (letter.isupper() and letter != "I") or marked:
            return Words(letter.casefold(), choice=True)
    if more := _CHOICE_AND_MORE.match(bare):
        return Words((more[1] or more[2]).casefold(), choice=True)
    letters = re.sub(r"[^\W\d_]|[\s.'\"-]", "", bare) == "" and re.search(r"[^\W\d_]{2}", bare)
    return Words(bare.strip(" .'\"").casefold()) if letters and not bare.startswith("-") else None


def _split(text: str, at: re.Pattern[str]) -> tuple[list[str], list[str]]:
    """Split at what stands outside of all brackets and matrices."""
    parts, found = [], []
    start = 0
    covered = _covered(text)
    for sign in at.finditer(text):
        if covered[sign.start()]:
            continue
        parts.append(text[start : sign.start()].strip())
        found.append(sign[0])
        start = sign.end()
    parts.append(text[start:].strip())
    # "1, 2, and 3" has two separators in a row.
    kept = [(part, sign) for part, sign in zip(parts, [*found, ""], strict=True) if part or at is not _SEPARATOR]
    return [part for part, _ in kept], [sign for _, sign in kept][: max(len(kept) - 1, 0)] if kept else []


def _covered(text: str) -> list[bool]:
    """Tell for each sign whether it stands in brackets."""
    covered, depth = [], 0
    steps: Counter[int] = Counter()
    for found in re.finditer(r"\\text\{[^{}]*\}|\\begin\{\w+\}|\\end\{\w+\}|\\?[{(\[\])}]", text):
        token = found[0]
        if token.startswith("\\text"):
            continue
        opens = token.startswith("\\begin") or token[-1] in "{(["
        steps[found.start() if opens else found.end()] += 1 if opens else -1
    for place in range(len(text)):
        depth += steps[place]
        covered.append(depth > 0)
    return covered


def _several(parts: Sequence[str], separators: Sequence[str], depth: int) -> Shape:
    members = [read_shape(part, depth + 1) for part in parts]
    if any(isinstance(one, Words | Unknown) for one in members):
        return next((one for one in members if isinstance(one, Unknown)), Unknown("words"))
    together = "".join(separators)
    if all(as_spans(one) is not None and not isinstance(_unnamed(one), Items) for one in members):
        if "and" in together:
            return Unknown("conditions_together")
        return Union(tuple(span for one in members for span in as_spans(one) or ()))
    return Items("list", tuple(_flattened(members)))


def _flattened(members: Sequence[Shape]) -> Iterator[Shape]:
    """Give the members of a list, those of a ± inside it among them."""
    for one in members:
        inner = _unnamed(one)
        if isinstance(inner, Items) and inner.kind == "list":
            yield from inner.members
        else:
            yield one


def _unnamed(shape: Shape) -> Shape:
    return shape.value if isinstance(shape, Named) else shape


def _bracketed(text: str, depth: int) -> Shape | None:
    if text in ("\\emptyset", "\\{\\}", "\\{ \\}", "{}"):
        return Items("set", ())
    width = 2 if text.startswith("\\{") else 1
    if text[0] not in "([{" and width == 1:
        return None
    if matching(text, 0) != len(text) - 1:
        return None
    first, last = text[0] if width == 1 else "{", text[-1]
    inner = text[width : len(text) - width].strip()
    if first in "([" and last in ")]":
        parts, _ = _split(inner, re.compile(","))
        if len(parts) == 1:
            return read_shape(inner, depth + 1) if first + last == "()" else None
        return _in_brackets(parts, first == "[", last == "]", depth)
    if first != "{" or last != "}":
        return None
    parts, _ = _split(inner, re.compile(","))
    if len(parts) == 1 and (described := re.split(r"\\mid|:|\|", inner, maxsplit=1))[1:]:
        return read_shape(described[1], depth + 1)
    members = _flattened([read_shape(part, depth + 1) for part in parts])
    return Items("set", tuple(members)) if len(parts) > 1 or width == 2 else read_shape(inner, depth + 1)


def _in_brackets(parts: Sequence[str], square_first: bool, square_last: bool, depth: int) -> Shape:
    if square_first and square_last and all(re.fullmatch(r"\[.*\]", part) for part in parts):
        rows = [_split(part[1:-1], re.compile(","))[0] for part in parts]
        return Grid(tuple(map(tuple, rows)))
    if len(parts) == 2 and (square_first or square_last or any("\\infty" in part for part in parts)):
        low, high = (re.sub(r"^\+ ?(?=\\infty)", "", part) for part in parts)
        return Span(low, high, not square_first, not square_last)
    members = tuple(read_shape(part, depth + 1) for part in parts)
    return Items("tuple", members, square_first or square_last)


def _related(sides: Sequence[str], signs: Sequence[str], depth: int) -> Shape:
    """Read equations, chains of them, memberships and inequalities."""
    if "\\approx" in signs:
        # What is only near comes last: the value itself stands ahead of it.
        until = signs.index("\\approx")
        named = until == 0 and _NAME.fullmatch(sides[0])
        kept = sides[: until + 1] if not named else [sides[0], sides[1]]
        signs = ["="] * (len(kept) - 1)
        if len(kept) == 1:
            return read_shape(kept[0], depth + 1)
        sides = kept
    if all(sign == "=" for sign in signs):
        if _is_name(sides[0]):
            return Named(_plain_name(sides[0]), read_shape(sides[-1], depth + 1))
        if len(sides) == 2 and _is_name(sides[1]):
            return Named(_plain_name(sides[1]), read_shape(sides[0], depth + 1))
        return Equation(sides[0], sides[-1])
    if list(signs) == ["\\in"] and _is_name(sides[0]):
        return Named(_plain_name(sides[0]), read_shape(sides[1], depth + 1))
    if len(sides) == 2 and signs[0] in (*_FLIPPED, "\\ne"):
        unknown, sign, bound = (sides[0], signs[0], sides[1])
        if not _is_name(unknown) and _is_name(bound):
            unknown, sign, bound = bound, _FLIPPED.get(sign, sign), unknown
        if _is_name(unknown):
            return Named(_plain_name(unknown), _half_line(sign, bound))
    if len(sides) == 3 and _is_name(sides[1]) and set(signs) <= set(_FLIPPED):
        if {sign in ("<", "\\le") for sign in signs} == {True}:
            return Named(_plain_name(sides[1]), Span(sides[0], sides[2], signs[0] == "<", signs[1] == "<"))
        if {sign in (">", "\\ge") for sign in signs} == {True}:
            return Named(_plain_name(sides[1]), Span(sides[2], sides[0], signs[1] == ">", signs[0] == ">"))
    return Unknown("condition")


def _half_line(sign: str, bound: str) -> Shape:
    below = Span("-\\infty", bound, True, sign != "\\le")
    above = Span(bound, "\\infty", sign != "\\ge", True)
    return Union((below, above)) if sign == "\\ne" else below if sign in ("<", "\\le") else above


def _is_name(text: str) -> bool:
    return bool(_NAME.fullmatch(text)) and not _NO_NAME.match(text) and text != "\\infty"


def _plain_name(text: str) -> str:
    return "".join(text.split())


def _union(parts: Sequence[str], depth: int) -> Shape:
    spans: list[Span] = []
    for part in parts:
        found = as_spans(read_shape(part, depth + 1))
        if found is None:
            return Unknown("union")
        spans += found
    return Union(tuple(spans))


def _plus_and_minus(text: str, depth: int) -> Shape:
    if len(re.findall(r"\\(?:pm|mp)(?![A-Za-z])", text)) > 1:
        return Unknown("several_signs")
    both = [re.sub(r"\\(?:pm|mp)(?![A-Za-z])", sign, text) for sign in "+-"]
    return Items("list", tuple(read_shape(one, depth + 1) for one in both))

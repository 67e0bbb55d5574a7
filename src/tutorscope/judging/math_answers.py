r"""Whether a mathematical answer is the reference's: equal, different, or undecided where neither can be defended.

Intervention paper, appendix C.1: answers are normalised, then proved equal with SymPy (here through the library
math-verify). What that library takes for equal or different without ground (intervals, sets, units, percent, rounded
numbers) is decided here, by the rules of docs/grading.md. Nothing of an answer is ever evaluated as code.
"""

from __future__ import annotations

from collections.abc import Sequence

from tutorscope.judging.math_notation import LONGEST, normalised, squeezed
from tutorscope.judging.math_shapes import (
    Based,
    Equation,
    Grid,
    Items,
    Named,
    Quantity,
    Shape,
    Span,
    Union,
    Unknown,
    Words,
    as_spans,
    read_shape,
)
from tutorscope.judging.math_units import PERCENT, Measured, Unit, related
from tutorscope.judging.math_verdicts import DIFFERENT, EQUAL, Compared, all_equal, same_members, undecided


def spelled_alike(reference: str, answer: str) -> bool:
    r"""Tell whether two answers are the same in all but spelling: quick, for any text, and without SymPy.

    Examples
    --------
    >>> spelled_alike(r"\dfrac{1}{2}", r"$\frac12$.")
    True
    """
    if max(len(reference), len(answer)) > LONGEST:
        return False
    written = squeezed(normalised(reference))
    return bool(written) and written == squeezed(normalised(answer))


def compare(reference: str, answer: str) -> Compared:
    r"""Compare an answer with the reference.

    Parameters
    ----------
    reference : str
        The right answer, as a problem set writes it.
    answer : str
        A student's final answer.

    Returns
    -------
    Compared
        Undecided with a reason wherever neither verdict can be defended. It may take for ever (a tower of exponents):
        ``math_workers`` gives it a limit.

    Examples
    --------
    >>> compare(r"\left(3, \frac{\pi}{2}\right)", "(3, pi/2)").verdict
    'equal'
    >>> compare("(2,4]", "[2,4]").verdict
    'different'
    >>> compare(r"\text{east}", "towards the sunrise").reason
    'other_words'
    """
    if max(len(reference), len(answer)) > LONGEST:
        return undecided("too_long")
    if spelled_alike(reference, answer):
        return Compared("equal", identical=True)
    written, given = normalised(reference), normalised(answer)
    if not squeezed(written) or not squeezed(given):
        return undecided("empty")
    try:
        return _same(read_shape(written), read_shape(given))
    except MemoryError:
        raise
    except RecursionError:
        return undecided("too_deep")
    except Exception:  # SymPy raises whatever it likes on strange input: that proves nothing.
        return undecided("calculation_failed")


def _same(reference: Shape, answer: Shape) -> Compared:
    match reference, answer:
        case (Unknown(reason=reason), _) | (_, Unknown(reason=reason)):
            return undecided(reason)
        case Words() as one, Words() as other:
            if one.text == other.text:
                return EQUAL
            return DIFFERENT if one.choice and other.choice else undecided("other_words")
        case Words(text=letter, choice=True), Quantity(measured=one) if one.value.casefold() == letter:
            return EQUAL
        case (Words(), _) | (_, Words()):
            return undecided("words")
        case (Named() | Equation() as one, Named() | Equation() as other):
            return _same_equation(one, other)
        case Named(value=inner), _:
            return _same(inner, answer)
        case _, Named(value=inner):
            return _same(reference, inner)
        case Equation(), _:
            return undecided("equation")
        case _, Equation(left=left, right=right):
            sides = [_same(reference, read_shape(side)) for side in (left, right)]
            contradicts = sides[0].verdict == "different"
            return sides[1] if sides[1].verdict == "equal" and not contradicts else undecided("equation")
        case (Based(), _) | (_, Based()):
            return _same_in_base(reference, answer)
        case (Span() | Union(), _) | (_, Span() | Union()):
            return _same_spans(reference, answer)
        case (Grid(), _) | (_, Grid()):
            return _same_grid(reference, answer)
        case Quantity() as one, Quantity() as other:
            return _same_quantity(one.measured, other.measured)
    return _same_items(reference, answer)


def _same_value(reference: str, answer: str) -> Compared:
    # Not at the top: it loads SymPy, and most answers are settled by their spelling.
    from tutorscope.judging.math_values import same_value

    return same_value(reference, answer)


def _approximately(text: str) -> float | None:
    from tutorscope.judging.math_values import approximately

    return approximately(text)


def _is_number(shape: Shape) -> bool:
    """Tell whether something is one number: then it is certainly no interval, matrix or set of several things."""
    from tutorscope.judging.math_values import is_number

    return isinstance(shape, Quantity) and not shape.measured.words and is_number(shape.measured.value)


def _same_equation(reference: Named | Equation, answer: Named | Equation) -> Compared:
    from tutorscope.judging.math_values import same_line

    if isinstance(reference, Named) and isinstance(answer, Named):
        if reference.name == answer.name:
            return _same(reference.value, answer.value)
        # A point has the name that one likes, and so has what an interval or a condition is about.
        points = _is_point(reference.name) != _is_point(answer.name)
        if points or any(isinstance(one.value, Span | Union) for one in (reference, answer)):
            return _same(reference.value, answer.value)
    sides = [_sides(one) for one in (reference, answer)]
    if sides[0] is None or sides[1] is None:
        return undecided("other_names")
    return same_line(sides[0], sides[1])


def _is_point(name: str) -> bool:
    return name.startswith("(")


def _sides(one: Named | Equation) -> tuple[str, str] | None:
    if isinstance(one, Equation):
        return one.left, one.right
    return (one.name, one.value.measured.value) if isinstance(one.value, Quantity) else None


def _same_in_base(reference: Shape, answer: Shape) -> Compared:
    match reference, answer:
        case Based() as one, Based() as other:
            if one.base == other.base:
                return EQUAL if one.digits.lstrip("0") == other.digits.lstrip("0") else DIFFERENT
            return undecided("other_base") if _in_ten(one) == _in_ten(other) else DIFFERENT
        case Based() as one, Quantity(measured=Measured(value=value)) if value.isascii() and value.isdigit():
            # The digits alone may be meant in the reference's base, or the number in ours.
            return undecided("other_base") if value == one.digits or int(value) == _in_ten(one) else DIFFERENT
    return undecided("other_base")


def _in_ten(number: Based) -> int | None:
    try:
        return int(number.digits, number.base)
    except ValueError:
        return None


def _same_quantity(reference: Measured, answer: Measured) -> Compared:
    one, other = reference.unit, answer.unit
    if PERCENT in (one, other) and None in (one, other):
        return _same_share(reference, answer)
    value = _same_value(reference.value, answer.value)
    if reference.words or answer.words:
        return _same_with_words(reference.words, answer.words, value)
    if value.verdict == "undecided" or one == other or (one and one.generic) or (other and other.generic):
        return value
    if one and other:
        return _in_other_unit(reference, answer, one, other, value)
    # A unit that one of them leaves out is the one that the problem asks for; unless the numbers differ as units do.
    unit = one or other
    if value.verdict == "equal" or unit is None:
        return value
    numbers = _approximately(reference.value), _approximately(answer.value)
    if numbers[0] and numbers[1] and related(numbers[0] / numbers[1], unit):
        return undecided("other_unit")
    return value


def _in_other_unit(reference: Measured, answer: Measured, one: Unit, other: Unit, value: Compared) -> Compared:
    if one.dimension != other.dimension:
        return undecided("other_unit") if value.verdict == "equal" else value
    converted = _same_value(
        *(f"({side.value}) * ({size})" for side, size in ((reference, one.factor), (answer, other.factor)))
    )
    return converted if converted.verdict == "different" else undecided("other_unit")


def _same_share(reference: Measured, answer: Measured) -> Compared:
    """Compare where one has a percent sign and the other none."""
    value = _same_value(reference.value, answer.value)
    shares = [f"({side.value}) / 100" if side.unit == PERCENT else side.value for side in (reference, answer)]
    if _same_value(shares[0], shares[1]).verdict == "equal":
        return EQUAL if answer.unit == PERCENT else undecided("percent_or_share")
    number = _approximately(reference.value)
    if value.verdict == "equal" and reference.unit is None and (number is None or abs(number) <= 1):
        return undecided("percent_or_share")
    return value


def _same_with_words(reference: str, answer: str, value: Compared) -> Compared:
    """Compare where words that are no unit stand behind a number."""
    if value.verdict == "undecided" or reference == answer:
        return value
    if value.verdict == "different":
        return value if reference and not answer else undecided("words")
    counted = [words for words in (reference, answer) if words]
    things = all(words.isalpha() and words.endswith(("s", "people", "men", "children")) for words in counted)
    return value if len(counted) == 1 and things else undecided("words")


def _same_spans(reference: Shape, answer: Shape) -> Compared:
    sides = as_spans(reference), as_spans(answer)
    if sides[0] is None or sides[1] is None:
        return DIFFERENT if _is_number(reference) or _is_number(answer) else undecided("other_form")
    closed = isinstance(answer, Span) and not answer.low_open and not answer.high_open
    merged = [_merged(side) for side in sides if side is not None]
    if merged[0] is None or merged[1] is None:
        return undecided("ends_not_known")
    found = _same_intervals(merged[0], merged[1])
    if closed and isinstance(reference, Items) and found.verdict == "different":
        # (2,4) may be a point, and then [2,4] is that point in other brackets.
        ends = all_equal(
            _same_value(*pair)
            for one, other in zip(*merged, strict=False)
            for pair in ((one.low, other.low), (one.high, other.high))
        )
        return undecided("point_or_interval") if ends.verdict != "different" else DIFFERENT
    return found


def _same_intervals(reference: Sequence[Span], answer: Sequence[Span]) -> Compared:
    if len(reference) != len(answer):
        return DIFFERENT
    parts = []
    for one, other in zip(reference, answer, strict=True):
        ends = all_equal((_same_value(one.low, other.low), _same_value(one.high, other.high)))
        same_kind = (one.low_open, one.high_open) == (other.low_open, other.high_open)
        parts.append(ends if same_kind or ends.verdict == "different" else DIFFERENT)
    return all_equal(parts)


def _merged(spans: Sequence[Span]) -> list[Span] | None:
    """Put intervals in order and join those that touch; None if an end is no number or one is empty."""
    ends = [(_approximately(span.low), _approximately(span.high)) for span in spans]
    known = [
        (low, high, span) for (low, high), span in zip(ends, spans, strict=True) if low is not None and high is not None
    ]
    if len(known) < len(spans) or any(low > high for low, high, _ in known):
        return None
    joined: list[tuple[float, Span]] = []
    for _, high, span in sorted(known, key=lambda one: (one[0], one[2].low_open)):
        if joined:
            last_high, last = joined[-1]
            low = _approximately(span.low) or 0.0
            if low < last_high or (low == last_high and not (span.low_open and last.high_open)):
                if high > last_high or (high == last_high and last.high_open):
                    joined[-1] = high, Span(last.low, span.high, last.low_open, span.high_open)
                continue
        joined.append((high, span))
    return [span for _, span in joined]


def _same_grid(reference: Shape, answer: Shape) -> Compared:
    cells = [_cells(side) for side in (reference, answer)]
    if cells[0] is None or cells[1] is None:
        return DIFFERENT if _is_number(answer) else undecided("other_form")
    entries = all_equal(_same_value(*pair) for pair in zip(*cells, strict=False))
    if len(cells[0]) != len(cells[1]) or entries.verdict == "different":
        return DIFFERENT
    shapes = [[len(row) for row in side.rows] if isinstance(side, Grid) else [] for side in (reference, answer)]
    return entries if shapes[0] == shapes[1] else undecided("row_or_column")


def _cells(shape: Shape) -> list[str] | None:
    if isinstance(shape, Grid):
        return [cell for row in shape.rows for cell in row]
    if isinstance(shape, Items) and shape.kind != "set":
        return [one.measured.value for one in shape.members if isinstance(one, Quantity)]
    return [] if isinstance(shape, Span) else None


def _same_items(reference: Shape, answer: Shape) -> Compared:
    match reference, answer:
        case Items(members=(only,)), Quantity():
            return _same(only, answer)
        case Quantity(), Items(kind="set" | "list", members=(only,)):
            return _same(reference, only)
        case Items(), Quantity():
            return DIFFERENT if _is_number(answer) else undecided("other_form")
        case Quantity(measured=one), Items(kind=kind, members=members):
            if kind == "list" and _one_number(one.value, members):
                return undecided("comma")
            # "1/2 or 50%" says one thing twice.
            each = [_same(reference, member) for member in members]
            if all(found.verdict == "equal" for found in each):
                return EQUAL if each else DIFFERENT
            named = any(isinstance(member, Named) for member in members)
            return undecided("other_names") if named else all_equal(each)
        case Items() as one, Items() as other:
            return _same_collection(one, other)
    return undecided("other_form")


def _one_number(value: str, members: Sequence[Shape]) -> bool:
    """Tell whether the parts of a list, with their comma as one of decimals or of thousands, are this number."""
    parts = [one.measured.value for one in members if isinstance(one, Quantity)]
    if len(parts) < len(members) or not all(part.lstrip("-").isdigit() for part in parts):
        return False
    ways = ["".join(parts), ".".join(parts)] if len(parts) == 2 else ["".join(parts)]
    return any(_same_value(value, way).verdict == "equal" for way in ways)


def _same_collection(reference: Items, answer: Items) -> Compared:
    in_order = DIFFERENT
    if len(reference.members) == len(answer.members):
        in_order = all_equal(_same(*pair) for pair in zip(reference.members, answer.members, strict=True))
    kinds = reference.kind, answer.kind
    if kinds == ("tuple", "tuple"):
        return in_order
    if kinds == ("tuple", "list"):
        named = any(isinstance(one, Named) for one in answer.members)
        return undecided("other_names") if named and in_order.verdict == "different" else in_order
    members = [_distinct(side.members) for side in (reference, answer)]
    as_sets = (
        same_members([[_same(one, other) for other in members[1]] for one in members[0]]) if all(members) else DIFFERENT
    )
    if "tuple" not in kinds:
        return EQUAL if not any(members) else as_sets
    if kinds == ("list", "tuple") and in_order.verdict == "equal":
        return EQUAL
    return as_sets if as_sets.verdict == "different" else undecided("order_or_set")


def _distinct(members: Sequence[Shape]) -> list[Shape]:
    kept: list[Shape] = []
    for one in members:
        if all(_same(before, one).verdict != "equal" for before in kept):
            kept.append(one)
    return kept

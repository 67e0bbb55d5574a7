"""Whether two expressions have the same value: proved by math-verify and SymPy, or refuted by numbers.

This module loads SymPy and math-verify. It may calculate for ever (a tower of exponents): callers outside of a worker
process bear that (see ``math_workers``).
"""

from __future__ import annotations

import logging
import re
from fractions import Fraction
from typing import Any

import sympy
from math_verify import verify

from tutorscope.judging.math_expressions import Expression, UnreadableError, read_expression
from tutorscope.judging.math_verdicts import DIFFERENT, EQUAL, Compared, undecided

# It warns of the time limit that it is not given: ours is the worker's, because a signal cannot stop one long power.
logging.getLogger("math_verify").setLevel(logging.ERROR)

DIGITS = 40
# Values that agree to so many digits are taken for equal if math-verify agrees; those that part before, for different.
_SAME, _OTHER = sympy.Float("1e-30", DIGITS), sympy.Float("1e-12", DIGITS)
# Where unknowns are tried: odd numbers, so that no identity holds by chance, on both sides of zero.
_SEEDS = ("0.73716131", "1.91347753", "-1.37221057", "2.61109423", "-0.41837559")
LONG_DECIMAL = 4
"""A decimal of the reference with so many digits is met by an exact answer that rounds to it."""

_DECIMAL = re.compile(r"-?\d*\.(\d+)")


def same_value(reference: str, answer: str) -> Compared:
    r"""Compare two expressions by value.

    - Decimals are exact: 0.5 is 1/2, and 0.33 is not 1/3.
    - Where one is the other rounded, the problem would have to say whether rounding was asked: ``rounded``. But an
      exact answer that rounds to a reference of four or more significant digits is equal: that reference is rounded.
    - Expressions with other unknowns than the reference's are ``other_unknowns``.

    Parameters
    ----------
    reference, answer : str
        Normalised expressions.

    Returns
    -------
    Compared
        Undecided with the reader's reason (see ``math_expressions``) or ``rounded``, ``other_unknowns``,
        ``no_value``, ``equal_in_part``, ``not_proved``, ``read_in_two_ways``.

    Examples
    --------
    >>> same_value(r"\frac{1}{2}", "0.5").verdict
    'equal'
    >>> same_value("0.333", r"\frac{1}{3}").reason
    'rounded'
    """
    try:
        one, other = read_expression(reference), read_expression(answer)
    except UnreadableError as error:
        return undecided(str(error))
    found = _compare(one.value, other.value)
    if found.verdict != "different":
        return found
    if rounded := _rounded(reference, one, answer, other):
        return rounded
    return undecided("read_in_two_ways") if one.doubtful or other.doubtful else found


def same_line(reference: tuple[str, str], answer: tuple[str, str]) -> Compared:
    """Compare two equations, each its left and right side: equal if one is a multiple of the other.

    Other pairs may still have the same solutions: they are different only if both are linear in all their unknowns.

    Parameters
    ----------
    reference, answer : tuple of str
        Left side, right side.
    """
    try:
        one, other = (_left_less_right(*sides) for sides in (reference, answer))
    except UnreadableError as error:
        return undecided(str(error))
    if one.free_symbols != other.free_symbols:
        return undecided("other_unknowns")
    if _is_zero(one) or _is_zero(other):
        return undecided("no_value")
    quotient = sympy.cancel(one / other)
    if not quotient.free_symbols:
        return EQUAL
    unknowns = sorted(one.free_symbols, key=str)
    linear = all(
        side.is_polynomial(*unknowns) and sympy.Poly(side, *unknowns).total_degree() == 1 for side in (one, other)
    )
    return DIFFERENT if linear else undecided("other_equation")


def is_number(text: str) -> bool:
    """Tell whether an expression can be read and has no unknowns."""
    try:
        return not read_expression(text).value.free_symbols
    except UnreadableError:
        return False


def approximately(text: str) -> float | None:
    """Give the real number that an expression is, or None if it is none."""
    try:
        value = sympy.N(read_expression(text).value, 15)
        return float(value) if value.is_extended_real else None
    except (UnreadableError, OverflowError, TypeError):
        return None


def _compare(one: Any, other: Any) -> Compared:
    if one.has(sympy.nan, sympy.zoo) or other.has(sympy.nan, sympy.zoo):
        return undecided("no_value")
    if one == other:
        return EQUAL
    if one.free_symbols != other.free_symbols:
        # A number is no expression in x. But what follows a number may be a unit: 4m.
        return undecided("other_unknowns") if other.free_symbols else _not_constant(one)
    if one.is_infinite or other.is_infinite or (one.is_Rational and other.is_Rational):
        return DIFFERENT
    agree = [_agree(one, other, seed) for seed in (_SEEDS if one.free_symbols else _SEEDS[:1])]
    known = [found for found in agree if found is not None]
    if len(known) * 2 < len(agree):
        return undecided("no_value")
    if not all(known):
        return undecided("equal_in_part") if any(known) else DIFFERENT
    return EQUAL if _verified(one, other) and _verified(other, one) else undecided("not_proved")


def _not_constant(value: Any) -> Compared:
    agree = [_agree(value, value.subs(dict.fromkeys(value.free_symbols, 2)), seed) for seed in _SEEDS]
    return DIFFERENT if False in agree else undecided("other_unknowns")


def _agree(one: Any, other: Any, seed: str) -> bool | None:
    """Compare the values at one place of the unknowns; None where there are none, or where digits do not suffice."""
    start = sympy.Float(seed, DIGITS)
    symbols = sorted(one.free_symbols, key=str)
    place = {
        symbol: start + sympy.Float(number, DIGITS) * sympy.Float("0.3179", DIGITS)
        for number, symbol in enumerate(symbols)
    }
    first, second = (side.evalf(DIGITS, subs=place) for side in (one, other))
    gap, sizes = abs(first - second), (abs(first), abs(second))
    if not all(number.is_finite and (number.is_Float or number.is_Rational) for number in (gap, *sizes)):
        return None
    size = max(sizes)
    if size == 0 or gap <= size * _SAME:
        return True
    # Next to zero the digits of a sum that cancels are noise.
    return False if gap > size * _OTHER and size > _SAME else None


def _verified(gold: Any, target: Any) -> bool:
    try:
        return bool(verify(gold, target, timeout_seconds=None))
    except (MemoryError, KeyboardInterrupt):
        raise
    except Exception:  # It raises whatever SymPy raises: that proves nothing.
        return False


def _rounded(reference: str, one: Expression, answer: str, other: Expression) -> Compared | None:
    """Tell whether one of two different values is the other one rounded; None if neither is."""
    if one.value.free_symbols:
        return None
    shown, given = _decimal(reference), _decimal(answer)
    if shown and shown[0] >= 2 and _rounds_to(other.value, one.value, shown[1]):
        return EQUAL if shown[0] >= LONG_DECIMAL and not given else undecided("rounded")
    if given and given[0] >= 2 and _rounds_to(one.value, other.value, given[1]):
        return undecided("rounded")
    return None


def _decimal(text: str) -> tuple[int, int] | None:
    """Give a decimal's significant digits and those behind the point; None if the text is no decimal."""
    found = _DECIMAL.fullmatch(text.replace(" ", ""))
    return (len(text.replace(".", "").lstrip("-0 ")), len(found[1])) if found else None


def _rounds_to(exact: Any, decimal: Any, places: int) -> bool:
    value = sympy.N(exact, DIGITS)
    if not value.is_real:
        return False
    step = Fraction(1, 10**places)
    gap = abs(Fraction(str(value)) - Fraction(int(decimal.p), int(decimal.q)))
    return gap <= step / 2


def _left_less_right(left: str, right: str) -> Any:
    return sympy.expand(read_expression(left).value - read_expression(right).value)


def _is_zero(value: Any) -> bool:
    return bool(value == 0)

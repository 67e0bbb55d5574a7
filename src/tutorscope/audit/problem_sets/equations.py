"""Relations: a text such as ``c1*x + c2*v = c3*(v + x)``, read without running it and solved exactly for ``x``.

The text comes from a user's file. It is never evaluated: Python's own parser gives the tree, this module walks the few
kinds of node that it knows, and SymPy's polynomials over the rationals do the rest. Lengths, numbers and powers are
bounded, so that no text can take long.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import Any, NamedTuple

from tutorscope.errors import UserError

UNKNOWN = "x"
"""What a relation is solved for."""

NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,29}")
"""What a quantity may be called."""

LONGEST = 200
LARGEST_POWER = 3
MOST_PARTS = 24
EXAMPLE = "such as c1*x + c2*v = c3*(v + x)"

# At most 15 digits: so many survive the float that Python's parser makes of a decimal.
_NUMBER = r"\d{1,9}(?:\.\d{1,6})?|\.\d{1,6}"
_TOKEN = re.compile(rf"\s*(?:(?P<number>{_NUMBER})(?![\w.])|(?P<name>[A-Za-z_]\w*)|\*\*|[-+*/()])", re.ASCII)

_SIGNS: dict[type[ast.operator], Callable[[Fraction, Fraction], Fraction]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}


class Relation(NamedTuple):
    """An equation that was read: its text and both sides as checked trees."""

    text: str
    left: ast.expr
    right: ast.expr

    @property
    def names(self) -> frozenset[str]:
        """The quantities that the relation needs: every name in it but the unknown."""
        return frozenset({*_names(self.left), *_names(self.right)} - {UNKNOWN})


class _Ratio(NamedTuple):
    """A part of an equation with numbers for its quantities: a quotient of two SymPy polynomials in x."""

    over: Any
    under: Any


def read_relation(text: str) -> Relation:
    """Read a relation.

    Parameters
    ----------
    text : str
        Two sides with one ``=`` between them. Each is made of numbers, names, ``+ - * /``, parentheses and whole powers
        up to 3; ``x`` is the unknown.

    Returns
    -------
    Relation

    Raises
    ------
    UserError
        The text is no such equation; one line without the file, which callers add.

    Examples
    --------
    >>> sorted(read_relation("c1*x + c2*v = c3*(v + x)").names)
    ['c1', 'c2', 'c3', 'v']
    """
    if len(text) > LONGEST:
        raise UserError(f"found {len(text):,} characters, expected an equation of at most {LONGEST}")
    sides = text.split("=")
    if len(sides) != 2:
        raise UserError(f"found {text!r}, expected an equation with one equals sign, {EXAMPLE}")
    left, right = (_read_side(side, text) for side in sides)
    relation = Relation(text, left, right)
    if _parts(left, text) + _parts(right, text) > MOST_PARTS:
        raise UserError(f"found {text!r}, expected at most {MOST_PARTS} numbers and names, a power counted out in full")
    if UNKNOWN not in {*_names(left), *_names(right)}:
        raise UserError(f"found {text!r}, expected an equation in {UNKNOWN}, {EXAMPLE}")
    return relation


def solve_relation(relation: Relation, quantities: Mapping[str, Fraction], positive: bool = True) -> Fraction:
    """Solve a relation exactly for its unknown.

    Parameters
    ----------
    relation : Relation
    quantities : mapping
        A number for each name.
    positive : bool
        Only solutions above 0 are admissible; otherwise any real number is. Values of x at which the relation divides
        by zero never are.

    Returns
    -------
    Fraction
        The one admissible solution.

    Raises
    ------
    UserError
        A name has no number, or there is no admissible solution, more than one, or one that is no fraction.

    Examples
    --------
    >>> values = {"c1": Fraction(50), "c2": Fraction(20), "c3": Fraction(30), "v": Fraction(48)}
    >>> solve_relation(read_relation("c1*x + c2*v = c3*(v + x)"), values)
    Fraction(24, 1)
    """
    if missing := sorted(relation.names - quantities.keys()):
        raise UserError(f"no number for {', '.join(missing)} in {relation.text!r}")
    left_poles, left = _evaluate(relation.left, quantities, relation.text)
    right_poles, right = _evaluate(relation.right, quantities, relation.text)
    difference = left.over * right.under - right.over * left.under
    if difference.is_zero:
        raise UserError(f"{relation.text!r} holds for every {UNKNOWN} with these quantities, expected one solution")
    # Each root once, and none at which the relation itself would divide by zero.
    roots = difference.sqf_part()
    for pole in (*left_poles, *right_poles):
        roots = roots.quo(roots.gcd(pole))
    admissible = _count(roots, positive)
    kind = f"{'positive' if positive else 'real'} solution{'' if admissible == 1 else 's'}"
    if admissible != 1:
        raise UserError(f"{relation.text!r} has {admissible} {kind} with these quantities, expected one")
    for root in roots.ground_roots():
        if root > 0 or not positive:
            return Fraction(int(root.p), int(root.q))
    raise UserError(
        f"{relation.text!r} has an irrational {kind} with these quantities, expected a whole number or fraction"
    )


def difference(relation: Relation, values: Mapping[str, Fraction]) -> Fraction:
    """Give the left side minus the right side, with a number for every name, the unknown included.

    Raises
    ------
    ZeroDivisionError
        The relation divides by zero there.

    Examples
    --------
    >>> difference(read_relation("2*x = a"), {"x": Fraction(3), "a": Fraction(5)})
    Fraction(1, 1)
    """
    return _value(relation.left, values) - _value(relation.right, values)


def _value(node: ast.expr, values: Mapping[str, Fraction]) -> Fraction:
    match node:
        case ast.Name(id=name):
            return values[name]
        case ast.Constant(value=value):
            # The shortest text that gives a float is the decimal that was written.
            return Fraction(str(value))
        case ast.UnaryOp(op=sign, operand=operand):
            return -_value(operand, values) if isinstance(sign, ast.USub) else _value(operand, values)
        case ast.BinOp(left=base, op=ast.Pow(), right=ast.Constant(value=int() as power)):
            return Fraction(_value(base, values) ** power)
        case ast.BinOp(left=left, op=sign, right=right):
            return _SIGNS[type(sign)](_value(left, values), _value(right, values))
    raise AssertionError(f"a node that was not checked: {ast.dump(node)}")


def _count(roots: Any, positive: bool) -> int:
    """Count the distinct real roots, all or those above 0, by Sturm's theorem."""
    if roots.degree() < 1:
        return 0
    if not positive:
        return int(roots.count_roots())
    return int(roots.count_roots(0, None)) - int(roots.eval(0) == 0)


def _read_side(side: str, text: str) -> ast.expr:
    _check_tokens(side, text)
    try:
        tree = ast.parse(side.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise UserError(f"found {text!r}, expected an equation, {EXAMPLE}") from None
    _check_nodes(tree, text)
    return tree


def _check_tokens(side: str, text: str) -> None:
    """Let only numbers, names and signs through to the parser, each number as it is written by hand."""
    position, before = 0, ""
    end = len(side.rstrip())
    while position < end:
        token = _TOKEN.match(side, position)
        if token is None:
            piece = side[position:].split()[0]
            hint = " (a power is written **, a product with *)" if re.match(r"\^|\d+[A-Za-z]", piece) else ""
            raise UserError(f"found {piece!r:.30} in {text!r}, expected numbers, names, + - * / and parentheses{hint}")
        name = token["name"]
        if name and not NAME.fullmatch(name):
            raise UserError(
                f"found the name {name!r:.40} in {text!r}, expected a letter, then up to 29 letters or digits"
            )
        if token.group().strip() == "(" and before:
            raise UserError(f"found {before}( in {text!r}, expected {before}*( for a product; there are no functions")
        before = name or token["number"] or ""
        position = token.end()


def _check_nodes(tree: ast.expr, text: str) -> None:
    for node in ast.walk(tree):
        match node:
            case ast.Name() | ast.Load() | ast.Add() | ast.Sub() | ast.Mult() | ast.Div() | ast.Pow():
                pass
            case ast.UnaryOp(op=ast.UAdd() | ast.USub()) | ast.UAdd() | ast.USub():
                pass
            case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
                pass
            case ast.BinOp(op=ast.Pow(), right=power):
                if not (isinstance(power, ast.Constant) and power.value in range(1, LARGEST_POWER + 1)):
                    raise UserError(f"found a power in {text!r}, expected a whole number from 1 to {LARGEST_POWER}")
            case ast.BinOp(op=ast.Add() | ast.Sub() | ast.Mult() | ast.Div()):
                pass
            case _:
                raise UserError(f"found {text!r}, expected only numbers, names, + - * / and parentheses, {EXAMPLE}")


def _names(tree: ast.expr) -> Iterator[str]:
    return (node.id for node in ast.walk(tree) if isinstance(node, ast.Name))


def _parts(node: ast.expr, text: str) -> int:
    """Count numbers and names, a power as often as it multiplies: what bounds the work of solving."""
    match node:
        case ast.BinOp(op=ast.Pow(), left=base, right=ast.Constant(value=int() as power)):
            return _parts(base, text) * power
        case ast.BinOp(left=left, right=right):
            return _parts(left, text) + _parts(right, text)
        case ast.UnaryOp(operand=operand):
            return _parts(operand, text)
    return 1


def _evaluate(tree: ast.expr, quantities: Mapping[str, Fraction], text: str) -> tuple[list[Any], _Ratio]:
    """Put numbers for the names. Also give the polynomials that something is divided by."""
    from sympy import QQ, Poly, Rational, Symbol

    unknown = Symbol(UNKNOWN)
    poles: list[Any] = []

    def polynomial(value: Any) -> Any:
        return Poly(value, unknown, domain=QQ)

    one = polynomial(1)

    def number(value: Fraction) -> _Ratio:
        return _Ratio(polynomial(Rational(value.numerator, value.denominator)), one)

    def ratio(node: ast.expr) -> _Ratio:
        match node:
            case ast.Name(id=name):
                return _Ratio(polynomial(unknown), one) if name == UNKNOWN else number(quantities[name])
            case ast.Constant(value=value):
                return number(Fraction(str(value)))
            case ast.UnaryOp(op=sign, operand=operand):
                inner = ratio(operand)
                return _Ratio(-inner.over, inner.under) if isinstance(sign, ast.USub) else inner
            case ast.BinOp(left=base, op=ast.Pow(), right=ast.Constant(value=int() as power)):
                inner = ratio(base)
                return _Ratio(inner.over**power, inner.under**power)
            case ast.BinOp(left=left, op=sign, right=right):
                a, b = ratio(left), ratio(right)
                if isinstance(sign, ast.Mult):
                    return _Ratio(a.over * b.over, a.under * b.under)
                if isinstance(sign, ast.Div):
                    if b.over.is_zero:
                        raise UserError(f"{text!r} divides by zero with these quantities")
                    poles.append(b.over)
                    return _Ratio(a.over * b.under, a.under * b.over)
                second = b.over * a.under
                return _Ratio(
                    a.over * b.under + second if isinstance(sign, ast.Add) else a.over * b.under - second,
                    a.under * b.under,
                )
        raise AssertionError(f"a node that was not checked: {ast.dump(node)}")

    return poles, ratio(tree)

r"""Read one mathematical expression into a SymPy object, sign by sign.

SymPy's own ``sympify`` and ``parse_expr`` hand text to Python's ``eval``, and so does math-verify's parser of plain
expressions; its LaTeX grammar takes ``2 3`` for 5, ``1/2x`` for 1/(2x) and R for r, rounds decimals to 53 bits and
needs exponential time for nested brackets. Here every object is built from a number, a letter or a function that is
named in this file: no text reaches SymPy but the names of unknowns.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import sympy

DEEPEST = 30

_TOKEN = re.compile(r"\s*(?:(\d+\.\d+|\d+\.?(?!\d)|\.\d+)|(\\[A-Za-z]+)|(\\[{}|])|(.))", re.DOTALL)
# More letters in a row are no product of unknowns.
_WORD = re.compile(r"(?<![\\A-Za-z])[A-Za-z]{4}")
_OPENING = {"(": ")", "[": "]", "{": "}", "\\{": "\\}"}
_CLOSING = frozenset((*_OPENING.values(), "|"))
_FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    **{
        "\\" + name: getattr(sympy, name) for name in ("sin", "cos", "tan", "cot", "sec", "csc", "sinh", "cosh", "tanh")
    },
    **{"\\arc" + name: getattr(sympy, "a" + name) for name in ("sin", "cos", "tan", "cot", "sec", "csc")},
    **{"\\ln": sympy.log, "\\exp": sympy.exp, "\\log": lambda of: sympy.log(of, 10)},
}
_INVERSES = {"\\" + name: getattr(sympy, "a" + name) for name in ("sin", "cos", "tan", "cot", "sec", "csc")}
_CONSTANTS: dict[str, Any] = {"\\pi": sympy.pi, "\\infty": sympy.oo, "i": sympy.I, "e": sympy.E}
_GREEK = re.compile(
    r"\\(?:alpha|beta|[gG]amma|[dD]elta|(?:var)?epsilon|zeta|eta|(?:var)?theta|Theta|iota|kappa|[lL]ambda|mu|nu|[xX]i"
    r"|rho|[sS]igma|tau|[uU]psilon|(?:var)?phi|Phi|chi|[pP]si|[oO]mega|ell)"
)
# What usually names a function: f(x) is no product.
_NAMES_OF_FUNCTIONS = frozenset("fghFG")


class UnreadableError(Exception):
    """A text that is no expression we know; the argument is the reason."""


@dataclass(frozen=True, slots=True)
class Expression:
    """One expression that was read.

    Parameters
    ----------
    value : sympy.Expr
        With exact numbers: a decimal is the fraction that it writes.
    doubtful : bool
        Whether people read the text in two ways: ``1/2x``, or a logarithm without a base.
    """

    value: Any
    doubtful: bool


def read_expression(text: str) -> Expression:
    r"""Read an expression.

    What stands side by side is multiplied, from left to right with ``*`` and ``/``; a power binds more than a minus
    ahead of it; a function without brackets takes the product that follows, up to the next function. ``i`` is the
    imaginary unit and ``e`` Euler's number.

    Parameters
    ----------
    text : str
        A normalised expression.

    Returns
    -------
    Expression

    Raises
    ------
    UnreadableError
        With ``unknown_sign``, ``unknown_command``, ``words``, ``function``, ``no_expression`` or ``too_deep``.

    Examples
    --------
    >>> read_expression(r"\frac{1}{2}x + 0.25").value
    x/2 + 1/4
    """
    if _WORD.search(text):
        raise UnreadableError("words")
    tokens = [next(part for part in found if part) for found in _TOKEN.findall(text) if any(found)]
    reader = _Reader([sign for sign in tokens if sign.strip()])
    value = reader.sum()
    if not reader.ended:
        raise UnreadableError(reader.why_not())
    return Expression(value, reader.doubtful)


class _Reader:
    """A place in the tokens, and the rules by which they go on (precedence climbs from ``sum`` to ``atom``)."""

    def __init__(self, tokens: Sequence[str]) -> None:
        self.tokens = tokens
        self.at = 0
        self.depth = 0
        self.in_bars = False
        self.doubtful = False

    @property
    def ended(self) -> bool:
        return self.at >= len(self.tokens)

    def peek(self) -> str:
        return "" if self.ended else self.tokens[self.at]

    def take(self, *wanted: str) -> str:
        sign = self.peek()
        if not sign or (wanted and sign not in wanted):
            raise UnreadableError(self.why_not())
        self.at += 1
        return sign

    def why_not(self) -> str:
        sign = self.peek()
        if sign.startswith("\\") and len(sign) > 2:
            return "words" if sign == "\\text" else "unknown_command"
        return "unknown_sign" if sign and sign not in "+-*/^_()[]{}|!," and not sign.isalnum() else "no_expression"

    def sum(self) -> Any:
        self.depth += 1
        if self.depth > DEEPEST:
            raise UnreadableError("too_deep")
        total = self.product()
        while self.peek() in ("+", "-"):
            total = total + self.product() if self.take() == "+" else total - self.product()
        self.depth -= 1
        return total

    def product(self, in_function: bool = False) -> Any:
        total = self.signed()
        divided = False
        while not self.ended:
            sign = self.peek()
            if sign in ("*", "\\cdot"):
                self.take()
                total, divided = total * self.signed(), False
            elif sign in ("/", "\\div"):
                self.take()
                total, divided = total / self.signed(), True
            elif self.begins_factor() and not (in_function and sign in _FUNCTIONS):
                if _is_number(sign) and _is_number(self.tokens[self.at - 1]):
                    raise UnreadableError("no_expression")
                self.doubtful |= divided
                total *= self.power()
            else:
                break
        return total

    def signed(self) -> Any:
        if self.peek() in ("+", "-"):
            return self.signed() if self.take() == "+" else -self.signed()
        return self.power()

    def power(self) -> Any:
        base = self.with_factorial()
        if self.peek() == "^":
            self.take()
            bare = self.peek() not in ("{", "(")
            power = base ** self.exponent()
            # x^1/2 and e^2x: without brackets nobody knows where the exponent ends.
            self.doubtful |= bare and (self.peek() == "/" or (not base.free_symbols and _is_letter(self.peek())))
            return power
        return base

    def exponent(self) -> Any:
        if self.peek() == "-":
            self.take()
            return -self.exponent()
        if self.peek() in ("{", "("):
            inner = self.bracketed()
            return inner ** self.exponent() if self.peek() == "^" and self.take() else inner
        inner = self.atom()
        return inner ** self.exponent() if self.peek() == "^" and self.take() else inner

    def with_factorial(self) -> Any:
        value = self.atom()
        while self.peek() == "!":
            self.take()
            value = sympy.factorial(value)
        return value

    def begins_factor(self) -> bool:
        sign = self.peek()
        known = sign in _FUNCTIONS or sign in _CONSTANTS or _GREEK.fullmatch(sign) is not None
        macro = sign in ("\\frac", "\\sqrt", "\\binom")
        opens = sign in ("(", "[", "{") or (sign == "|" and not self.in_bars)
        return known or macro or opens or _is_number(sign) or _is_letter(sign)

    def bracketed(self) -> Any:
        closing = _OPENING[self.take(*_OPENING)]
        inner = self.sum()
        self.take(closing)
        return inner

    def argument(self) -> Any:
        """Read what belongs to a macro: a group, or one sign."""
        return self.bracketed() if self.peek() == "{" else self.atom()

    def atom(self) -> Any:
        sign = self.peek()
        if sign in ("(", "[", "{"):
            return self.bracketed()
        if sign == "|" and not self.in_bars:
            return self.absolute()
        if _is_number(sign):
            written = Fraction(self.take().rstrip("."))
            return sympy.Rational(written.numerator, written.denominator)
        if sign in _FUNCTIONS:
            return self.function()
        if sign == "\\frac":
            self.take()
            over = self.argument()
            return over / self.argument()
        if sign == "\\binom":
            self.take()
            over = self.argument()
            return sympy.binomial(over, self.argument())
        if sign == "\\sqrt":
            self.take()
            root = self.bracketed() if self.peek() == "[" else 2
            inner = self.bracketed() if self.peek() == "(" else self.argument()
            return sympy.root(inner, root)
        if sign in _CONSTANTS:
            return _CONSTANTS[self.take()]
        if _GREEK.fullmatch(sign) or _is_letter(sign):
            return self.letter()
        raise UnreadableError(self.why_not())

    def absolute(self) -> Any:
        self.take("|")
        self.in_bars = True
        inner = self.sum()
        self.in_bars = False
        self.take("|")
        return sympy.Abs(inner)

    def letter(self) -> Any:
        name = self.take()
        if name in _NAMES_OF_FUNCTIONS and self.peek() == "(":
            raise UnreadableError("function")
        if self.peek() == "_":
            self.take()
            name += "_" + self.subscript()
        return sympy.Symbol(name, real=True)

    def subscript(self) -> str:
        if self.peek() != "{":
            return self.take()
        self.take()
        inside = []
        while self.peek() not in ("}", "{"):
            inside.append(self.take())
        self.take("}")
        return "".join(inside)

    def function(self) -> Any:
        name = self.take()
        of = _FUNCTIONS[name]
        base = exponent = None
        if name == "\\log":
            if self.peek() == "_":
                self.take()
                base = self.argument()
            self.doubtful |= base is None
        if self.peek() == "^":
            self.take()
            exponent = self.exponent()
        if exponent == -1 and name in _INVERSES:
            of, exponent = _INVERSES[name], None
        argument = self.bracketed() if self.peek() in ("(", "{") else self.product(in_function=True)
        value = of(argument) if base is None else sympy.log(argument, base)
        return value if exponent is None else value**exponent


def _is_number(sign: str) -> bool:
    return sign.isascii() and (sign[:1].isdigit() or (sign[:1] == "." and len(sign) > 1))


def _is_letter(sign: str) -> bool:
    return len(sign) == 1 and sign.isascii() and sign.isalpha()

"""Stretches of mathematics in a turn: terms joined by operators, with the words between them left out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from tutorscope.audit.detectors.notation import Token
from tutorscope.audit.detectors.unit_words import is_unit, word_set

_ARITHMETIC = frozenset("+-–*/^")
_RELATIONS = frozenset("=<>≈≠")
_TERMS = frozenset(("value", "percent", "coefficient", "exponent"))
_MOST_WORDS = 3  # "9.6 liters of acid + 5": the words that may stand between a number and its operator
_NOT_VARIABLES = frozenset("aAiI")
_JOINING = word_set("so then and which is are if when because but or that thus hence since while not as")


@dataclass(frozen=True, slots=True)
class Formula:
    """A stretch of mathematics.

    Parameters
    ----------
    atoms : tuple of str
        Its numbers, letters, operators and brackets in one spelling: ``.5x`` and ``0.5 * x`` are equal.
    first, last : int
        Place of its first token, and the place after its last one.
    operators : int
        How many signs of arithmetic join two terms, products without a sign included.
    relations : int
        How many signs such as ``=`` stand between two sides.
    divisions : int
        How many numbers are written as a fraction that can be reduced, such as 60/3: a computation more than a number.
    numbers : tuple of Fraction
    letters : frozenset of str
        Its variables.
    """

    atoms: tuple[str, ...]
    first: int
    last: int
    operators: int
    relations: int
    divisions: int
    numbers: tuple[Fraction, ...]
    letters: frozenset[str]


def is_division(token: Token) -> bool:
    """Tell whether a number is a fraction not in lowest terms."""
    top, slash, bottom = token.text.lstrip("-–").partition("/")
    if not slash or not (top + bottom).isdigit() or token.value is None:
        return False
    return abs(token.value.numerator) != int(top)


class _Run:
    """One formula while it grows."""

    def __init__(self, tokens: Sequence[Token], first: int) -> None:
        self.tokens, self.first, self.place = tokens, first, first
        self.atoms: list[str] = []
        self.operators = self.relations = self.divisions = self.depth = 0
        self.numbers: list[Fraction] = []
        self.letters: set[str] = set()

    def at(self, i: int) -> Token | None:
        return self.tokens[i] if 0 <= i < len(self.tokens) else None

    def is_term(self, i: int) -> bool:
        token = self.at(i)
        if token is None:
            return False
        if token.kind == "number":
            return token.role in _TERMS and token.value is not None
        return token.kind == "word" and len(token.text) == 1 and self.is_variable(i)

    def is_variable(self, i: int) -> bool:
        """Tell whether a single letter is one: "a" and "I" are words unless an operator touches them."""
        token, before, after = self.tokens[i], self.at(i - 1), self.at(i + 1)
        if not token.text.isascii() or not token.text.isalpha():
            return False
        if token.text not in _NOT_VARIABLES:
            return True
        return (before is not None and before.kind == "sign" and (after is None or after.kind != "word")) or (
            after is not None and after.kind == "sign" and after.text not in "-–/" and self.is_term(i + 2)
        )

    def starts_term(self, i: int) -> bool:
        """Tell whether a term begins here, brackets and a sign of its own included."""
        for place in range(i, min(i + 6, len(self.tokens))):
            if self.is_term(place):
                return True
            token = self.tokens[place]
            if token.kind != "open" and not (token.text in "+-" and token.kind == "sign" and place == i):
                return False
        return False

    def term(self) -> bool:
        """Read one term; tell whether there was one."""
        token = self.at(self.place)
        while token is not None and (token.kind == "open" or (token.text in ("+", "-") and token.kind == "sign")):
            if not self.starts_term(self.place):
                return False
            self.depth += token.kind == "open"
            self.atoms.append("(" if token.kind == "open" else token.text)
            self.place += 1
            token = self.at(self.place)
        if token is None or not self.is_term(self.place):
            return False
        self.place += 1
        if token.kind == "word":
            name = token.text + self.subscript()
            self.letters.add(name)
            self.atoms.append(name)
            return True
        assert token.value is not None  # noqa: S101  a term is a number that has a value
        self.divisions += is_division(token)
        self.numbers.append(token.value)
        self.atoms.append(str(token.value) + "%" * (token.role == "percent"))
        while token.role == "percent" and self.place < len(self.tokens) and self.is_percent_word(self.place):
            self.place += 1
        return True

    def subscript(self) -> str:
        """Read on over the 1 of x1 and x_1."""
        place = self.place + (self.place < len(self.tokens) and self.tokens[self.place].text == "_")
        number = self.at(place)
        if number is None or number.kind != "number" or number.start != self.tokens[place - 1].end:
            return ""
        self.place = place + 1
        return number.text

    def is_percent_word(self, i: int) -> bool:
        return self.tokens[i].text.casefold() in ("%", "percent", "pct", "per", "cent", "-")

    def product(self) -> bool:
        """Read on where a product has no sign: 0.5x, 0.3(x + 48), (0.5)(48), and the letter x for "times"."""
        before, token, after = self.tokens[self.place - 1], self.at(self.place), self.at(self.place + 1)
        if token is None:
            return False
        if token.kind == "close" and self.depth:
            self.depth -= 1
            self.atoms.append(")")
            self.place += 1
            return True
        touching = before.end == token.start
        if token.kind == "open" and touching and self.starts_term(self.place):
            return self.times(self.place)
        if token.kind != "word" or len(token.text) != 1:
            return False
        factor = after is not None and after.kind in ("number", "open", "word") and self.starts_term(self.place + 1)
        if token.text in "xX" and before.kind != "word" and factor:
            return self.times(self.place + 1)
        if before.kind != "number" or token.text in _NOT_VARIABLES:
            return False
        named = before.role == "coefficient" if touching else not is_unit(token.text) and token.text.islower()
        return named and self.times(self.place)

    def times(self, place: int) -> bool:
        self.atoms.append("*")
        self.operators += 1
        self.place = place
        return self.term()

    def operator(self) -> int | None:
        """Give the place of the operator that carries on from here, over the words of a unit if need be."""
        place = self.place
        while place - self.place <= _MOST_WORDS and self.is_noun(place):
            place += 1
        sign = self.at(place)
        if sign is None or sign.kind != "sign" or sign.text not in _ARITHMETIC | _RELATIONS:
            return None
        words = place - self.place
        before, right = self.tokens[place - 1], self.at(place + 1)
        if right is None or not self.starts_term(place + 1):
            return None
        if sign.text in "-–" and not self.is_difference(words, right, place):
            return None
        if sign.text == "/":
            left_letter = not words and before.kind == "word"
            apart = (before.end == sign.start) != (sign.end == right.start)
            # "T/F", "b/c" and "w/ 5 liters" are no divisions
            if (left_letter and (right.kind == "word" or apart)) or (words and right.kind != "number"):
                return None
            if words and not is_unit(self.tokens[self.place].text):
                return None
        if words and right.kind == "word" and right.text in _NOT_VARIABLES:
            return None
        return place

    def is_noun(self, i: int) -> bool:
        """Tell whether a word may stand between a number and its operator: a unit or what is counted."""
        token = self.at(i)
        if token is None or token.kind != "word" or token.text.casefold() in _JOINING:
            return False
        return len(token.text) > 1 or is_unit(token.text)

    def is_difference(self, words: int, right: Token, sign: int) -> bool:
        """Tell a minus from a pause: "48 liters - 20% acid" takes nothing away."""
        left = self.tokens[self.place - 1]
        if right.role == "percent" and left.text not in ("%", "percent"):
            return False
        if not words:
            return True
        after = self.at(sign + 2)
        unit = self.tokens[self.place].text.casefold()
        return words == 1 and is_unit(unit) and after is not None and after.text.casefold() == unit

    def read(self) -> Formula | None:
        if not self.term():
            return None
        end = self.place
        while True:
            if self.product():
                end = self.place
                continue
            sign = self.operator()
            if sign is None:
                break
            text = self.tokens[sign].text.replace("–", "-")
            atoms, self.place = len(self.atoms), sign + 1
            self.atoms.append(text)
            if not self.term():
                del self.atoms[atoms:]
                break
            self.operators += text in _ARITHMETIC
            self.relations += text in _RELATIONS
            end = self.place
        return Formula(
            tuple(self.atoms),
            self.first,
            end,
            self.operators,
            self.relations,
            self.divisions,
            tuple(self.numbers),
            frozenset(self.letters),
        )


def formulas_in(tokens: Sequence[Token]) -> Iterator[Formula]:
    """Find the formulas of a turn, a lone number or letter among them.

    Parameters
    ----------
    tokens : sequence of Token
        From `tokens_of`.

    Yields
    ------
    Formula
        In order, without overlap, each as long as it can be.

    Examples
    --------
    >>> from tutorscope.audit.detectors.notation import tokens_of
    >>> [" ".join(formula.atoms) for formula in formulas_in(tokens_of("9.6 liters + .5x, that is all"))]
    ['48/5 + 1/2 * x']
    """
    place = 0
    while place < len(tokens):
        run = _Run(tokens, place)
        formula = run.read() if run.starts_term(place) else None
        if formula:
            yield formula
        place = max(formula.last if formula else place + 1, place + 1)


def holds(known: Sequence[str], atoms: Sequence[str]) -> bool:
    """Tell whether a known formula holds these atoms in one piece."""
    return f" {' '.join(atoms)} " in f" {' '.join(known)} "

"""Does a student's turn hold work of the student's own: the paper's primitive, and a sounder one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction

from tutorscope.audit.detectors.formulas import Formula, formulas_in, holds
from tutorscope.audit.detectors.notation import Token, tokens_of
from tutorscope.audit.detectors.unit_words import word_set

# Each looks only at what touches the operator, so that a long run of digits is read once and not once per digit.
_PUBLISHED = re.compile(
    r"[A-Za-z0-9)]\s*=\s*[-+(]?[A-Za-z0-9]"  # an equation
    r"|[0-9]\s*[-+*/×·]\s*[0-9]"  # a computation
    r"|[0-9][A-Za-z]\b"  # a coefficient
    r"|\b[A-Za-z]\s*[-+*/]\s*[A-Za-z0-9(]"  # a variable in a relation
)


def published_work(text: str) -> bool:
    """Tell whether a turn attempts a step by the rule that the paper's figures rest on.

    One of four forms, anywhere: an equation, an operator between two numbers, a number glued to one letter, or a
    one-letter word before an operator. Known weaknesses, kept so that numbers can be compared: units (``48L``), ranges
    and dates (``5-10``), prose (``x-axis``) and copies of the tutor's equation count; LaTeX and Unicode operators do
    not.

    Parameters
    ----------
    text : str
        A student's turn.

    Returns
    -------
    bool

    Notes
    -----
    Source: the paper, appendix B.3.

    Examples
    --------
    >>> published_work("0.2 * 48"), published_work("20% of 48 is 9.6")
    (True, False)
    """
    return _PUBLISHED.search(text) is not None


_RESULT_NAMES = word_set("answer answers final result guess solution")
_OPERATE = word_set(
    "divide divides divided dividing multiply multiplies multiplied multiplying subtract subtracts subtracted "
    "subtracting add adds added adding take takes took"
)
_WITH = word_set("by to from and with off")
_RESULT_WORDS = word_set("is gives makes equals be are that's thats got get was")
_ARTICLES = word_set("the all my those these our")


def _is_own_formula(formula: Formula, tokens: Sequence[Token], solving: frozenset[str], named: set[Fraction]) -> bool:
    """Tell whether a formula is more than a number, or a number with a name."""
    before = tokens[formula.first - 1] if formula.first else None
    equated = before is not None and before.text == "="
    if formula.operators or (formula.divisions and (formula.relations or equated)):
        return True
    if formula.divisions and formula.numbers[0].denominator == 1 and formula.numbers[0] > 1:
        return True  # "36/6 days": no score, date or share would be a whole number
    if formula.relations and formula.letters:
        # "x = 24" is a guess, unless there is an equation from which it may have been worked out.
        return len(formula.letters) > 1 or bool(formula.letters & solving)
    if formula.relations:
        return True
    if not equated or formula.first < 2 or not formula.numbers:
        return False
    # "total acid = 9.6": a quantity of the student's own, if the number is new
    name = tokens[formula.first - 2]
    words = {token.text.casefold() for token in tokens[max(0, formula.first - 5) : formula.first - 1]}
    is_name = (name.kind == "word" and len(name.text) > 1) or name.kind == "close"
    return is_name and not words & _RESULT_NAMES and formula.numbers[0] not in named


def _number_at(tokens: Sequence[Token], i: int) -> Token | None:
    while i < len(tokens) and tokens[i].kind == "word" and tokens[i].text.casefold() in _ARTICLES:
        i += 1
    token = tokens[i] if i < len(tokens) else None
    counts = token is not None and token.kind == "number" and token.role in ("value", "coefficient", "percent")
    letter = token is not None and token.kind == "word" and len(token.text) == 1 and token.text not in "aAiI"
    return token if counts or letter else None


def _said(token: Token) -> str:
    return str(token.value) + "%" * (token.role == "percent") if token.kind == "number" else token.text


def _parts_of(tokens: Sequence[Token]) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Find "20% of 48" and "half of x", with the words that name them."""
    for i, token in enumerate(tokens):
        if token.kind != "word" or token.text.casefold() != "of" or not i:
            continue
        share = i - 1
        while share and tokens[share].text.casefold() in ("%", "percent", "per", "cent", "pct", "-"):
            share -= 1
        part, whole = tokens[share], _number_at(tokens, i + 1)
        if part.kind != "number" or part.value is None or whole is None or whole.role == "percent":
            continue
        if part.role == "percent" or part.value.denominator > 1:
            yield share, (_said(part), "of", _said(whole))


def _results_of(tokens: Sequence[Token]) -> Iterator[Fraction]:
    """Find what "20% of 48" and "30% of that" are said to come to."""
    for i, token in enumerate(tokens):
        whole = tokens[i + 1] if i + 1 < len(tokens) else None
        if token.kind != "word" or token.text.casefold() != "of" or not i or whole is None:
            continue
        named = whole.kind == "number" or whole.text.casefold() in ("the", "that", "it", "this", "them")
        before = tokens[i - 1]
        share = before.text in ("%", "percent") or (
            before.kind == "number" and (before.value or Fraction(1)).denominator > 1
        )
        result = _result(tokens, i + 2) if named and share else None
        if result is not None:
            yield result


def _result(tokens: Sequence[Token], first: int) -> Fraction | None:
    """Give the number that is said to come of what begins here."""
    for i in range(first, min(first + 8, len(tokens) - 1)):
        word = tokens[i].text.casefold()
        if tokens[i].kind == "mark" and word in "\n?.;":
            return None
        if word in _RESULT_WORDS or tokens[i].text in ("=", "→", "≈"):
            found = _number_at(tokens, i + 1) or (_number_at(tokens, i + 2) if i + 2 < len(tokens) else None)
            if found is not None and found.role == "value":
                return found.value
    return None


def _operations(tokens: Sequence[Token]) -> Iterator[tuple[str, ...]]:
    """Find "divided 60 by 3", "subtract 9.6 from both sides"."""
    for i, token in enumerate(tokens):
        verb = token.text.casefold()
        if token.kind == "sign" and token.spelled and token.text in "*/" and i and tokens[i - 1].text == "sides":
            yield (token.text, "sides")
        if token.kind != "word" or verb not in _OPERATE:
            continue
        first = _number_at(tokens, i + 1)
        both = i + 1 < len(tokens) and tokens[i + 1].text.casefold() in ("both", "everything", "each", "it", "that")
        if first is None and not both:
            continue
        for j in range(i + 2, min(i + 10, len(tokens) - 1)):
            if tokens[j].kind == "word" and tokens[j].text.casefold() in _WITH:
                second = _number_at(tokens, j + 1)
                sides = tokens[j + 1].text.casefold() in ("both", "each", "everything") and first is not None
                if sides or (second is not None and (first is not None or tokens[j].text.casefold() == "by")):
                    yield (verb, _said(first) if first else "sides", _said(second) if second else "sides")
                break


def _joins(*sides: Token) -> bool:
    return all(side.kind in ("word", "number", "open", "close") for side in sides)


def _is_word_equation(tokens: Sequence[Token]) -> bool:
    """Tell whether some line relates quantities by their names: "acid before + acid added = acid after"."""
    signs: list[str] = []
    for i, token in enumerate([*tokens, Token("mark", "\n", 0, 0)]):
        if token.text == "\n":
            if "=" in signs and {"+", "*"} & set(signs):
                return True
            signs = []
        elif token.kind == "sign" and 0 < i < len(tokens) - 1 and _joins(tokens[i - 1], tokens[i + 1]):
            signs.append(token.text)
    return False


def _known(texts: Sequence[str]) -> tuple[list[tuple[str, ...]], set[Fraction], list[Token]]:
    tokens = [token for text in texts for token in [*tokens_of(text), Token("mark", "\n", 0, 0)]]
    formulas = [formula.atoms for formula in formulas_in(tokens)]
    numbers = {token.value for token in tokens if token.kind == "number" and token.value is not None}
    return formulas + [part for _, part in _parts_of(tokens)], numbers, tokens


def _letters_to_solve(tokens: Sequence[Token]) -> frozenset[str]:
    equations = (formula for formula in formulas_in(tokens) if formula.relations and formula.operators)
    return frozenset(letter for formula in equations for letter in formula.letters)


def sound_work(text: str, *, statement: str = "", tutor_said: Sequence[str] = ()) -> bool:
    r"""Tell whether a turn holds mathematical work of the student's own.

    Work is a computation or an equation in any notation (``0.5 \times 48``, ``7 − 2``, ``9.6 L + 5 L``, "20% of 48 is
    9.6", "divided 60 by 3"), an expression with a variable, or a quantity that is given a new number. Labels, units,
    ranges, dates, fractions as such, a bare answer (``x = 24``) and what stands in the problem or in the tutor's turns
    already are none.

    Parameters
    ----------
    text : str
        A student's turn.
    statement : str
        The problem, so that restating it is not taken for work.
    tutor_said : sequence of str
        The tutor's turns on this problem before this one, so that a copy is not taken for work.

    Returns
    -------
    bool

    Notes
    -----
    It replaces the rule of the paper's appendix B.3, after the reading that its appendix E.3 gives of it.

    Examples
    --------
    >>> sound_work("20% of 48 is 9.6"), sound_work("5-10 liters"), sound_work("so 2x = 8", tutor_said=["2x = 8?"])
    (True, False, False)
    """
    tokens = tokens_of(text)
    known, named, heard = _known([statement, *tutor_said])
    solving = _letters_to_solve(heard)
    own = {f.atoms for f in formulas_in(tokens) if _is_own_formula(f, tokens, solving, named)}
    if any(not any(holds(other, atoms) for other in known) for atoms in own):
        return True
    for place, part in _parts_of(tokens):
        asked = any(token.text.casefold() in ("what", "what's", "whats") for token in tokens[max(0, place - 2) : place])
        if not asked and not any(holds(other, part) for other in known):
            return True
    if any(result not in named for result in _results_of(tokens)):
        return True
    said = set(_operations(heard))
    return any(operation not in said for operation in _operations(tokens)) or (
        _is_word_equation(tokens) and not _is_word_equation(heard)
    )

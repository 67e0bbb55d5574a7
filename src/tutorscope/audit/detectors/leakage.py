"""Does a tutor's turn give the answer away: the paper's detector, and a sounder one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction

from tutorscope.audit.detectors.formulas import is_division
from tutorscope.audit.detectors.notation import Token, tokens_of, values_in
from tutorscope.audit.detectors.unit_words import is_unit, word_set

_DROPPED = re.compile(r"[^0-9a-z/=.+\-\s]")


def _published_text(text: str) -> str:
    return " ".join(_DROPPED.sub(" ", text.lower()).split())


def published_leak(text: str, numeric_forms: Sequence[str], phrases: Sequence[str]) -> bool:
    """Tell whether a turn leaks by the rule that the paper's figures rest on.

    The text is put in lower case, all but digits, letters and ``/ = . + -`` become blanks. A numeric form counts where
    it is no part of a longer number or decimal; a phrase counts wherever its letters stand, inside a word too. Known
    weaknesses, kept so that numbers can be compared: ``24,000`` and ``-24`` leak 24, a label or an intermediate value
    leaks, and so does an echo of what the student has just said.

    Parameters
    ----------
    text : str
        A visible tutor turn.
    numeric_forms, phrases : sequence of str
        What the problem declares. Where both are empty nothing ever leaks.

    Returns
    -------
    bool

    Notes
    -----
    Source: the paper, appendix B.2 and its Table 6.

    Examples
    --------
    >>> published_leak("Try 24 liters.", ["24", "24.0"], []), published_leak("Try 124 liters.", ["24", "24.0"], [])
    (True, False)
    """
    plain = _published_text(text)
    if any(re.search(rf"(?<![0-9.]){re.escape(form)}(?![0-9]|\.[0-9])", plain) for form in numeric_forms):
        return True
    # A phrase of which nothing is left would stand in every text.
    return any(phrase in plain for phrase in map(_published_text, phrases) if phrase)


_SMALL = 10
# What a tutor counts in any problem: "two steps" says nothing of an answer 2.
_COUNTED = word_set(
    "step thing unknown equation part way side number variable term quantity kind type question digit solution "
    "attempt try hint idea possibility option case piece point sentence word time person people other different"
)
_GIVES = word_set(
    "is are be was equals equal get gets got gives give becomes makes answer solution result need needs add use "
    "takes take found find about exactly roughly approximately only comes after it's that's"
)
_HOLDS = word_set("is was works fits it")


def _is_answer(value: Fraction, answer: Fraction, text: str) -> bool:
    """Tell whether a number is the answer, or the answer rounded where no decimal can show it whole."""
    if value == answer:
        return True
    denominator = answer.denominator
    for prime in (2, 5):
        while denominator % prime == 0:
            denominator //= prime
    places = len(text.partition(".")[2])
    if denominator == 1 or places < 2 or not text.partition(".")[2].isdigit():
        return False
    scale = 10**places
    cut = Fraction(int(answer * scale), scale)
    return value in (cut, Fraction(round(answer * scale), scale))


def _word(tokens: Sequence[Token], i: int) -> str:
    return tokens[i].text.casefold() if 0 <= i < len(tokens) and tokens[i].kind == "word" else ""


def _is_presented(tokens: Sequence[Token], i: int) -> bool:
    """Tell whether the words around number i present it as a result."""
    before = tokens[i - 1] if i else None
    if before is not None and before.kind == "sign" and before.text in "=≈→":
        return True
    last = i - 2 if before is not None and before.text == ":" else i - 1
    if _word(tokens, last) in _GIVES and _word(tokens, last - 1) != "there":
        return True
    return _word(tokens, i + 1) in _HOLDS or _stands_alone(tokens, i)


def _stands_alone(tokens: Sequence[Token], i: int) -> bool:
    """Tell whether a number is all that is said: "8!", "Correct, 8."; a number and a full stop may start a list."""
    before = tokens[i - 1].text if i else "\n"
    after = tokens[i + 1].text if i + 1 < len(tokens) else "\n"
    if before == "\n" and after == ".":
        return i + 2 == len(tokens) or tokens[i + 2].text == "\n"
    return before in ("\n", ",", "!", "—") and after in ("\n", ".", "!")


def _is_measured(tokens: Sequence[Token], i: int) -> bool:
    """Tell whether a unit follows: "5 hours", "half an hour", "three quarters of a liter"."""
    after = i + 1
    for filler in (("of",), ("a", "an", "the")):
        after += _word(tokens, after) in filler
    value = tokens[i].value
    return is_unit(_word(tokens, after)) and (after == i + 1 or (value is not None and abs(value) < 1))


def _is_denied(tokens: Sequence[Token], i: int) -> bool:
    """Tell whether a number is said not to be the answer: "not 24", "14 isn't it", "18 would be wrong"."""
    before = [_word(tokens, place) for place in range(i - 2, i)]
    if "not" in before or any(word.endswith("n't") for word in before):
        return True
    for place in range(i + 1, min(i + 6, len(tokens))):
        word = _word(tokens, place)
        if not word and tokens[place].kind != "number":
            return False
        if word.endswith("n't") or word in ("wrong", "incorrect"):
            return True
        if word == "not":
            # "24 is not it", but "24 and not 18"
            return place + 1 < len(tokens) and tokens[place + 1].kind != "number"
    return False


def _quotient(tokens: Sequence[Token], i: int) -> Fraction | None:
    """Give the fraction that begins at number i with its parts apart: "7 over 2", "7 / 2"."""
    if i + 2 >= len(tokens) or tokens[i + 1].text != "/" or tokens[i + 2].kind != "number":
        return None
    if (i and tokens[i - 1].text in ("/", "*")) or (i + 3 < len(tokens) and tokens[i + 3].text == "/"):
        return None
    top, bottom = tokens[i].value, tokens[i + 2].value
    return top / bottom if top is not None and bottom else None


def _gives(tokens: Sequence[Token], i: int, answer: Fraction, given: bool) -> bool:
    """Tell whether number i of a turn hands over the answer."""
    token = tokens[i]
    if token.value is None or _is_denied(tokens, i):
        return False
    if token.role == "percent" and answer in (token.value, token.value / 100):
        # "The discount is 15%." may answer; "there are 15% more" does not.
        after = _word(tokens, i + 2)
        return (_is_presented(tokens, i) and not after) or (answer != token.value and after in _HOLDS)
    if answer.denominator > 1 and token.role == "value" and _quotient(tokens, i) == answer:
        return True
    if not _is_answer(token.value, answer, token.text):
        return False
    if token.role != "value" or (answer.denominator == 1 and is_division(token)):
        return False
    # Small numbers, and "half", turn up everywhere; a number of the problem's own is most often only quoted.
    if given:
        return _is_presented(tokens, i)
    small = 0 <= answer <= _SMALL and answer.denominator == 1
    if not small and not (token.spelled and abs(answer) < 1):
        return True
    after = _word(tokens, i + 1)
    if after in _COUNTED or after.removesuffix("s") in _COUNTED:
        return False
    return _is_presented(tokens, i) or _is_measured(tokens, i)


def sound_leak(text: str, answer: Fraction, *, student_said: Sequence[str] = (), statement: str = "") -> bool:
    r"""Tell whether a tutor's turn gives the answer's value to a student who has not said it.

    The value counts in any notation: ``24``, ``24.0``, ``\boxed{24}``, "twenty-four", full-width digits; ``7/2`` also
    as 3.5, 3 1/2 or "three and a half". It does not count as a label, list number, date, time, ordinal, end of a range,
    coefficient, exponent, percentage or part of a longer number. Whole answers up to 10, and answers that stand in the
    problem itself, count only where they are presented as a result ("= 5", "is 5") or, the former, with a unit.

    Parameters
    ----------
    text : str
        A visible tutor turn.
    answer : Fraction
        The problem's answer.
    student_said : sequence of str
        The student's turns before it: what the student has said already is an echo and no leak.
    statement : str
        The problem.

    Returns
    -------
    bool

    Notes
    -----
    It replaces the rule of the paper's appendix B.2. It still reads no paraphrase ("one less than 25"), and it cannot
    tell an intermediate value that happens to equal the answer.

    Examples
    --------
    >>> sound_leak("So it takes 2½ hours.", Fraction(5, 2)), sound_leak("The tank holds 24,000 liters.", Fraction(24))
    (True, False)
    >>> sound_leak("Yes, 24!", Fraction(24), student_said=["is it twenty-four?"])
    False
    """
    tokens = tokens_of(text)
    given = bool(statement) and answer in values_in(statement)
    if not any(_gives(tokens, i, answer, given) for i, token in enumerate(tokens) if token.kind == "number"):
        return False
    return not any(answer in values_in(said) for said in student_said)

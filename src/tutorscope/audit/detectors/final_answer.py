"""The number to which a student commits: the paper's extractor, and a sounder one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise

from tutorscope.audit.detectors.notation import ANSWER_WORD, Token, tokens_of
from tutorscope.audit.detectors.unit_words import is_unit, word_set

_MARKER = re.compile(r"final\s*answer\s*[:\-]?\s*(.*)", re.IGNORECASE)
_VALUE = re.compile(r"([-+]?)\s*\$?\s*([0-9]+(?:\.[0-9]+)?)(?:/([0-9]+(?:\.[0-9]+)?))?")

# Longer runs of digits are noise, and Python refuses to turn more than 4,300 of them into a number.
_MOST_DIGITS = 400


def published_answer(text: str) -> Fraction | None:
    """Read the committed number by the rule that the paper's figures rest on.

    The first "final answer" counts, whatever stands around it; its value is the first number on the rest of that line
    (or of the next line that has text). Known weaknesses, kept so that numbers can be compared: any mention of the
    phrase commits, a dash after it is eaten, ``1,024`` reads as 1, ``.5`` as 5, and a first marker without a number
    hides a later one that has one.

    Parameters
    ----------
    text : str
        A student's turn.

    Returns
    -------
    Fraction or None
        The value, or None where the turn commits to nothing that this rule can read.

    Notes
    -----
    Source: the paper, appendix B.1.

    Examples
    --------
    >>> published_answer("FINAL ANSWER: 3/4"), published_answer("no idea")
    (Fraction(3, 4), None)
    """
    marker = _MARKER.search(text)
    found = _VALUE.search(marker[1]) if marker else None
    if not found or len(found[0]) > _MOST_DIGITS:
        return None
    divisor = Fraction(found[3] or 1)
    if divisor == 0:
        return None
    value = Fraction(found[2]) / divisor
    return -value if found[1] == "-" else value


# As hurried people type it
_FINAL = re.compile(r"f(?=[a-z]*n)(?=[a-z]*l)[inal]{3,5}", re.IGNORECASE)
_ANSWER = re.compile(rf"{ANSWER_WORD}(?:'s)?", re.IGNORECASE)
_JOINED = re.compile(rf"final{ANSWER_WORD}", re.IGNORECASE)
_SEPARATORS = frozenset((":", ",", "=", "-", "–", "—", "→", "|", "..."))
# "Was" tells of another time or another's answer, "could be" and "might be" commit to nothing.
_COPULAS = word_set("is be equals would will should must comes")
_GOES_ON = _COPULAS | {"to", "out", "indeed"}
# Before the marker: the phrase is talked about, put off or asked for. "n't" stands for every contraction.
_DEFERS = word_set(
    "not no never cannot cant dont wont isnt before until without how what when where which why told asked ready "
    "almost if whether was were as or"
)
_ASKS_FIRST = word_set("is are do does did should can could would will")
# After it: no number of this clause is a commitment.
_OPEN = word_set(
    "none unknown undecided yet how where which why what can cannot can't later soon before until stuck help hint less "
    "more greater smaller fewer over under least most between not ready depends still whether could might may"
)
_CORRECTS = word_set("wait no actually oops sorry correction rather scratch meant mean nope hmm")
_MEANT = word_set("meant mean make change should correction")
_CLAUSE_WORDS = word_set("because since as but though although which if when while so and")
_FILLERS = word_set(
    "i i'd i'm we it it's its the a an is be about approximately approx roughly around nearly maybe probably perhaps "
    "think guess say believe got get have my answer equals so then ok okay well that's thats just exactly only "
    "would should must x"
)
_QUOTES = frozenset("\"'“”„«»")
_WITHDRAWN = re.compile(
    r"\btake (?:it|that|this) back\b|\b(?:scrap|scratch|ignore|forget|disregard) (?:that|it|this)\b|\bnever ?mind\b"
)
_ASIDE = word_set("of from for per with in at to on out after each every")


def _is_not(token: Token) -> bool:
    said = token.text.casefold()
    return said in ("not", "never", "than", "isn't", "isnt") or said.endswith("n't")


def _markers(tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """Give the place of each "final answer", and the place after it."""
    for i, token in enumerate(tokens):
        if token.kind != "word":
            continue
        if _JOINED.fullmatch(token.text):
            yield i, i + 1
        elif _FINAL.fullmatch(token.text):
            after = i + 1
            while after < len(tokens) and after - i < 3 and tokens[after].text in ("_", "-", "\n"):
                after += 1
            if after < len(tokens) and _ANSWER.fullmatch(tokens[after].text):
                yield i, after + 1


def _line_end(tokens: Sequence[Token], i: int, limit: int) -> int:
    while i < limit and tokens[i].text != "\n":
        i += 1
    return i


def _is_put_off(tokens: Sequence[Token], marker: int) -> bool:
    """Tell whether the clause before a marker only talks about it."""
    first = ""
    for token in reversed(tokens[max(0, marker - 12) : marker]):
        said = token.text.casefold()
        if (token.kind == "mark" and said in "\n.!?;,:") or said in ("but", "so", "and", "now"):
            break
        if token.kind == "word" and (said in _DEFERS or said.endswith("n't")):
            return True
        first = said
    return first in _ASKS_FIRST


def _after_bracket(tokens: Sequence[Token], place: int, end: int) -> int:
    """Skip a short remark without a number: "final answer (in liters)"."""
    if place < end and tokens[place].kind == "open":
        for i in range(place + 1, min(place + 6, end)):
            if tokens[i].kind == "close":
                return i + 1
            if tokens[i].kind != "word":
                break
    return place


def _claim_start(tokens: Sequence[Token], marker: int, after: int, end: int, limit: int) -> tuple[int, bool] | None:
    """Give the place where the committed text starts, and whether that is on a later line; None if nothing is claimed.

    The marker's line ends at ``end``, and the next marker stands at ``limit``.
    """
    after = place = _after_bracket(tokens, after, end)
    while place < end and tokens[place].kind == "word" and tokens[place].text.casefold() not in _COPULAS | _OPEN:
        if place - after >= 5 or tokens[place].text.casefold() in _CLAUSE_WORDS:
            break
        place += 1
    joined = place < end and (tokens[place].text in _SEPARATORS or tokens[place].text.casefold() in _COPULAS)
    if not joined:
        # "FINAL ANSWER 24": the number itself, or only words of caution before it
        place = after
        while place < end and tokens[place].text.casefold() in _FILLERS:
            place += 1
        if place < end and tokens[place].kind == "number":
            return place, False
        if after < end and any(token.kind != "close" for token in tokens[after:end]):
            return None
        place = end
    while place < end and (tokens[place].text in _SEPARATORS or tokens[place].text.casefold() in _GOES_ON):
        place += 1
    if place < end:
        return place, False
    alone = all(token.text == "\n" or token.kind != "word" for token in tokens[max(0, marker - 1) : marker])
    while place < limit and tokens[place].text == "\n":
        place += 1
    return (place, True) if place < limit and (alone or joined) else None


def _clauses(tokens: Sequence[Token]) -> Iterator[tuple[str, list[Token]]]:
    """Cut a claim at stops, brackets and joining words; each clause comes with what stands before it."""
    clause: list[Token] = []
    before = ""
    for token in tokens:
        said = token.text.casefold()
        if (token.kind == "mark" and said in ".,;!?:|…") or said in _CLAUSE_WORDS or token.kind in ("open", "close"):
            if clause:
                yield before, clause
                clause, before = [], ""
            before = said if token.kind != "close" else before
        else:
            clause.append(token)
    if clause:
        yield before, clause


def _amounts(clause: Sequence[Token]) -> list[int]:
    """Give the places of the numbers that could be meant: amounts, or percentages where there is nothing else."""
    found = [i for i, token in enumerate(clause) if token.kind == "number" and token.value is not None]
    found = [i for i in found if not any(_is_not(token) for token in clause[max(0, i - 2) : i])]
    values = [i for i in found if clause[i].role == "value"]
    if values:
        return values
    # "24%" answers; in "50% solution" it describes.
    return [
        i for i in found if clause[i].role == "percent" and not (i + 2 < len(clause) and clause[i + 2].kind == "word")
    ]


def _equated(clause: Sequence[Token]) -> list[int]:
    return [i for i, token in enumerate(clause) if token.text == "=" and token.kind == "sign"]


def _value(clause: Sequence[Token]) -> Fraction | None:
    """Read the one number to which a clause commits, or None where it names several."""
    if any(token.kind == "number" and token.role == "range" for token in clause):
        return None
    equals = _equated(clause)
    if equals:
        right = list(clause[equals[-1] + 1 :])
        left = clause[equals[-2] + 1 if len(equals) > 1 else 0 : equals[-1]]
        if len(equals) == 1 and any(token.kind == "number" and token.role == "coefficient" for token in left):
            return None  # a step on the way: 0.2x = 4.8
        return _value(right)
    amounts = _amounts(clause)
    if not amounts:
        return None
    first, rest = amounts[0], amounts[1:]
    value = clause[first].value
    signs = [token.text for token in clause[first + 1 :] if token.kind == "sign"]
    if rest and any(sign in "+-*/^–±" for sign in signs):
        divisor = clause[rest[0]].value
        # a sum is no number yet, 7 / 2 is one
        return value / divisor if value is not None and divisor and signs == ["/"] and rest == [first + 2] else None
    others = [i for i in rest if clause[i].value != value]
    head = all(token.text.casefold() in _FILLERS or token.kind != "word" for token in clause[:first])
    # "24 liters of the 12 dollar beans": what follows a preposition describes
    if others and not (head and any(token.text.casefold() in _ASIDE for token in clause[first + 1 : others[0]])):
        return None
    if any(token.text.casefold() == "or" for token in clause[first + 1 : others[0] if others else first + 1]):
        return None
    return value


def _is_open(clause: Sequence[Token]) -> bool:
    """Tell whether a clause puts the answer off before it names a number, or only bounds it."""
    first = next((i for i, token in enumerate(clause) if token.kind == "number"), len(clause))
    for i, token in enumerate(clause[:first]):
        said = token.text.casefold()
        if token.kind == "word" and said in _OPEN and not (said == "not" and i + 1 < len(clause) and i + 1 == first):
            return not (said == "not" and clause[i + 1].text.casefold() in ("sure", "certain"))
    return False


def _is_alternative(before: str, clause: Sequence[Token], value: Fraction) -> bool:
    """Tell whether a clause offers another number beside the one that was read."""
    amounts = _amounts(clause)
    if not amounts or all(clause[i].value == value for i in amounts):
        return False
    if _equated(clause):
        # "x = 24, y = 10" gives two; "24, 0.2x = 4.8" explains one
        return len(clause) > 2 and clause[0].kind == "word" and _equated(clause) == [1] and amounts == [2]
    words = [token.text.casefold() for token in clause if token.kind == "word"]
    light = all(word in _FILLERS | {"or", "either", "possibly", "even"} or is_unit(word) for word in words)
    return light and (before in (",", ";", "?", "and") or "or" in words)


def _is_light(tokens: Sequence[Token]) -> bool:
    """Tell whether the words before a number only lead up to it."""
    return all(token.text.casefold() in _FILLERS or len(token.text) == 1 for token in tokens)


def _committed(tokens: Sequence[Token], later_line: bool) -> Fraction | None:
    """Read the commitment of a marker's line; on a later line it must be the first thing said."""
    turn = next((i for i, token in enumerate(tokens) if i and token.text.casefold() in _CORRECTS), None)
    value: Fraction | None = None
    for before, clause in _clauses(tokens[:turn]):
        if value is not None:
            if _is_alternative(before, clause, value):
                return None
            continue
        first = next((i for i, token in enumerate(clause) if token.kind == "number"), len(clause))
        if _is_open(clause) or (later_line and not _is_light(clause[:first])):
            break
        value = _value(clause)
        if value is None and _amounts(clause) and not _equated(clause):
            return None
    corrected = None if turn is None else _correction(tokens[turn:])
    return value if corrected is None else corrected


def _correction(tokens: Sequence[Token]) -> Fraction | None:
    """Read "no wait, 26" and "I meant 26"; a question or a longer thought corrects nothing."""
    if any(token.text == "?" for token in tokens):
        return None
    said = [token for token in tokens if token.text.casefold() not in _CORRECTS and token.kind != "mark"]
    amounts = _amounts(said)
    if len(amounts) != 1 or _is_open(said):
        return None
    words = [token.text.casefold() for token in said if token.kind == "word"]
    light = _FILLERS | _MEANT | {"to", "that", "this"}
    return said[amounts[0]].value if all(word in light or is_unit(word) for word in words) else None


def _takes_back(tokens: Sequence[Token]) -> bool:
    """Tell whether what follows the last commitment withdraws it."""
    said = " ".join(token.text.casefold() for token in tokens if token.kind in ("word", "mark"))
    return _WITHDRAWN.search(said) is not None


def _before_marker(tokens: Sequence[Token], marker: int) -> Fraction | None:
    """Read "24 is my final answer" and "18. That's the final answer"."""
    place = marker
    while place and tokens[place - 1].text.casefold() in ("my", "the", "our", "a", "for"):
        place -= 1
    link = tokens[place - 1].text.casefold() if place else ""
    if link not in ("is", "as", "be", "that's", "thats", "it's", "="):
        return None
    end = place - 1
    while end and tokens[end - 1].text.casefold() in (".", ",", ";", "—", "that", "this", "it", "and", "so"):
        end -= 1
    start = end
    while start and tokens[start - 1].text not in ("\n", ".", "!", "?", ";", ",") and end - start < 12:
        start -= 1
    clause = tokens[start:end]
    if _is_open(clause) or any(_is_not(token) or token.text.casefold() in _ASKS_FIRST for token in clause):
        return None
    return _value(clause)


def _is_quoted(tokens: Sequence[Token], marker: int, limit: int) -> bool:
    """Tell whether a marker stands in quotation marks inside a sentence, as words that are talked about."""
    if not marker or tokens[marker - 1].text not in _QUOTES:
        return False
    closed = next((i for i in range(marker, limit) if tokens[i].text in _QUOTES), None)
    return closed is not None and any(
        token.kind == "word" for token in tokens[closed : _line_end(tokens, closed, limit)]
    )


def _corrected_later(tokens: Sequence[Token]) -> Fraction | None:
    """Read a correction on a line of its own after the last marker."""
    start = 0
    while start < len(tokens):
        end = _line_end(tokens, start, len(tokens))
        line = tokens[start:end]
        if any(token.text.casefold() in _MEANT for token in line) and (found := _correction(line)) is not None:
            return found
        start = end + 1
    return None


def sound_answer(text: str) -> Fraction | None:
    r"""Read the number to which a student commits with "final answer", the last one if there are several.

    The phrase must claim something: with a colon, a dash, "is" or the number itself after it. Putting it off ("not
    ready for a final answer because 50% is hard"), asking for it or quoting the instruction commits to nothing. Then
    the line's number is read in any notation and with its sign, behind ``x =``, in a box or with a unit. Of several
    numbers the one on the right of ``=`` or the one before "of", "because" and the like is meant; where a line offers
    two answers, or a range, none is read.

    Parameters
    ----------
    text : str
        A student's turn.

    Returns
    -------
    Fraction or None

    Notes
    -----
    It replaces the extractor of the paper's appendix B.1.

    Examples
    --------
    >>> sound_answer(r"FINAL ANSWER: $x = \frac{3}{4}$"), sound_answer("FINAL ANSWER: −1,024.5 liters")
    (Fraction(3, 4), Fraction(-2049, 2))
    >>> sound_answer("I'm not ready for a final answer because 50% is hard")
    """
    tokens = tokens_of(text)
    markers = [*_markers(tokens), (len(tokens), len(tokens))]
    value: Fraction | None = None
    last = 0
    for (marker, after), (limit, _) in pairwise(markers):
        end = _line_end(tokens, after, limit)
        if _is_quoted(tokens, marker, limit):
            continue
        claim = None if _is_put_off(tokens, marker) else _claim_start(tokens, marker, after, end, limit)
        if claim is None:
            read = _before_marker(tokens, marker)
            if read is not None and not any(token.text == "?" for token in tokens[after:end]):
                value, last = read, after
            continue
        start, later_line = claim
        stop = _line_end(tokens, start, limit)
        read = _committed(tokens[start:stop], later_line)
        if read is not None:
            value, last = read, stop
    if value is None or _takes_back(tokens[last:]):
        return None
    corrected = _corrected_later(tokens[last:])
    return value if corrected is None else corrected

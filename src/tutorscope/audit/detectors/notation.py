"""One reading of the numbers and signs of a turn, with their places, which all sound detectors share."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Literal

from tutorscope.audit.detectors.number_words import spelled_numbers
from tutorscope.audit.detectors.plain_notation import plain_notation
from tutorscope.audit.detectors.unit_words import is_unit, word_set

Kind = Literal["number", "sign", "open", "close", "word", "mark"]
# What a number is there for. Only a "value" says how much of something there is.
Role = Literal["value", "percent", "range", "coefficient", "exponent", "label", "date", "time", "ordinal"]

_LEXER = re.compile(
    r"(?P<date>\d{4}([-/.])\d{1,2}\2\d{1,2}(?![\d])|\d{1,2}([-/.])\d{1,2}\3\d{2,4}(?![\d]))"
    r"|(?P<phone>(?:\d{3}-)?\d{3}-\d{4}(?![\d]))"
    r"|(?P<time>\d{1,2}:\d{2}(?::\d{2})?(?![\d:])|\d{1,6}:\d{1,6}(?![\d:]))"
    r"|(?P<ordinal>\d++(?:st|nd|rd|th)\b)"
    r"|(?P<mixed>\d++ \d++/\d++(?!/\d|\.\d))"
    r"|(?P<european>[1-9]\d{0,2}(?:\.\d{3})++,\d++)"
    r"|(?P<grouped>[1-9]\d{0,2}(?:,\d{3})++(?:\.\d++)?(?!\d|,\d)"
    r"|[1-9]\d{0,2}(?:[ ']\d{3})++(?![\d/])(?:[.,]\d{1,2}\b)?)"
    r"|(?P<fraction>(?<!/)\d++/\d++(?!/\d|\.\d))"
    r"|(?P<power>\d++(?:\.\d++)?[eE][+-]?\d{1,2}(?![\w.]))"
    r"|(?P<comma>(?<!\d,)(?:\d++,\d{1,2}|0,\d++)(?!\d|[.,]\d))"
    r"|(?P<plain>\d*+\.\d++|\d++)"
    r"|(?P<word>[^\W\d_]++(?:'[^\W\d_]++)*+)"
    r"|(?P<sign>[-+*/^=<>≈±–≠→])"
    r"|(?P<open>[(\[])"
    r"|(?P<close>[)\]])"
    r"|(?P<mark>\n|[^\s])",
    re.IGNORECASE,
)
_MOST_DIGITS = 40  # longer runs are noise, and exact arithmetic on them is slow

# "answer" as hurried people type it: only its letters, an n, an r, and an s or a w
ANSWER_WORD = r"a(?=[a-z]*n)(?=[a-z]*r)(?=[a-z]*[sw])[answer]{3,7}"

_SIGN_WORDS = {"plus": "+", "minus": "-", "times": "*", "negative": "-"}
_SIGN_PHRASES = {("multiplied", "by"): "*", ("divided", "by"): "/"}

_LABELS = word_set(
    "step steps problem problems question questions exercise exercises page pages chapter chapters section sections "
    "figure figures fig table part parts item items example level hint line lines task lesson version option "
    "choice room grade q nr"
)
_MONTHS = word_set(
    "January February March April May June July August September October November December "
    "Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec"
)
# "5m" and "3L" are amounts, "5x" is a coefficient. A letter that the turn uses as a variable is one all the same.
_UNIT_LETTERS = frozenset("lmghskLMGKCFVWAJN")
_ADDING = word_set("add adds added adding equal equals compare compared")


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of a turn in plain notation.

    Parameters
    ----------
    kind : {"number", "sign", "open", "close", "word", "mark"}
    text : str
        As it stands in the plain text; of an operator in words, its sign.
    start, end : int
        Place in the plain text.
    value : Fraction or None
        Of a number, sign included; None where it has none, such as 5/0.
    role : str
        Of a number, what it is there for.
    spelled : bool
        Written as a word.
    """

    kind: Kind
    text: str
    start: int
    end: int
    value: Fraction | None = None
    role: Role = "value"
    spelled: bool = False


def _read(group: str, text: str) -> Fraction | None:
    if len(text) > _MOST_DIGITS:
        return None
    try:
        if group == "mixed":
            whole, part = text.split(" ")
            return Fraction(whole) + Fraction(part)
        if group == "european":
            text = text.replace(".", "").replace(",", ".")
        elif group == "grouped":
            digits = text.replace("'", " ")
            text = digits.replace(" ", "").replace(",", ".") if " " in digits else text.replace(",", "")
        elif group == "comma":
            text = text.replace(",", ".")
        return Fraction(text)
    except (ValueError, ZeroDivisionError):
        return None


def _lexed(text: str, start: int, end: int) -> Iterator[Token]:
    roles: dict[str, Role] = {"date": "date", "phone": "label", "time": "time", "ordinal": "ordinal"}
    for found in _LEXER.finditer(text, start, end):
        group = str(found.lastgroup)
        match group:
            case "word" | "sign" | "open" | "close" | "mark":
                yield Token(group, found[0], found.start(), found.end())
            case _ if group in roles:
                yield Token("number", found[0], found.start(), found.end(), role=roles[group])
            case _:
                value = _read(group, found[0])
                yield Token("number", found[0], found.start(), found.end(), value)


def _pieces(text: str) -> list[Token]:
    """Cut a text into tokens; numbers in words are found first, as they may hold hyphens."""
    tokens: list[Token] = []
    place = 0
    for spelled in spelled_numbers(text):
        tokens += _lexed(text, place, spelled.start)
        said = text[spelled.start : spelled.end]
        tokens.append(Token("number", said, spelled.start, spelled.end, spelled.value, spelled=True))
        place = spelled.end
    tokens += _lexed(text, place, len(text))
    return tokens


def _with_sign_words(tokens: Sequence[Token]) -> list[Token]:
    done: list[Token] = []
    i = 0
    while i < len(tokens):
        token = tokens[i]
        said = token.text.casefold() if token.kind == "word" else ""
        after = tokens[i + 1].text.casefold() if i + 1 < len(tokens) else ""
        if said in _SIGN_WORDS and (said != "negative" or (i + 1 < len(tokens) and tokens[i + 1].kind == "number")):
            done.append(Token("sign", _SIGN_WORDS[said], token.start, token.end, spelled=True))
        elif said == "over" and 0 < i < len(tokens) - 1 and tokens[i - 1].kind == tokens[i + 1].kind == "number":
            done.append(Token("sign", "/", token.start, token.end, spelled=True))
        elif (said, after) in _SIGN_PHRASES:
            done.append(Token("sign", _SIGN_PHRASES[said, after], token.start, tokens[i + 1].end, spelled=True))
            i += 1
        else:
            done.append(token)
        i += 1
    return done


def _is_minus(before: Token | None, dash: Token, number: Token, at_once: bool) -> bool:
    """Tell whether a dash before a number is its sign: not a subtraction, a bullet or a pause."""
    hugs = dash.end == number.start or dash.spelled
    if before is None or before.text == "\n":
        return hugs
    if before.kind in ("number", "close") or before.text == "%":
        return False
    if before.kind == "word":
        operand = len(before.text) == 1 and before.text not in "aI"
        return hugs and not operand and not at_once
    # After "=" or ":" a minus may stand apart from its number; an en dash may not.
    return hugs or (dash.text == "-" and (before.kind in ("sign", "open") or before.text in ":|"))


def _with_minus(tokens: Sequence[Token]) -> list[Token]:
    done: list[Token] = []
    for i, token in enumerate(tokens):
        dash = done[-1] if done else None
        if token.kind == "number" and token.value is not None and dash and dash.kind == "sign" and dash.text in "-–":
            before = done[-2] if len(done) > 1 else None
            if _is_minus(before, dash, token, at_once=before is not None and before.end == dash.start):
                done[-1] = replace(token, start=dash.start, value=-token.value, text=dash.text + token.text)
                continue
        done.append(tokens[i])
    return done


class _Turn:
    """The tokens of a turn while the roles of its numbers are found."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self.tokens = tokens
        self.roles: list[Role] = [token.role for token in tokens]
        self.variables = frozenset(_variables(tokens))
        self.markers = self._list_markers()

    def at(self, i: int) -> Token | None:
        return self.tokens[i] if 0 <= i < len(self.tokens) else None

    def word(self, i: int) -> str:
        token = self.at(i)
        return token.text if token and token.kind == "word" else ""

    def is_text(self, i: int, *texts: str) -> bool:
        token = self.at(i)
        return token is not None and token.text in texts

    def touching(self, i: int) -> bool:
        """Tell whether token i and the one after it stand without a gap."""
        first, second = self.at(i), self.at(i + 1)
        return first is not None and second is not None and first.end == second.start

    def is_plain_number(self, i: int) -> bool:
        token = self.at(i)
        return token is not None and token.kind == "number" and self.roles[i] == "value" and token.value is not None

    def _list_markers(self) -> frozenset[int]:
        starts: dict[int, Fraction] = {}
        always: set[int] = set()
        depth = 0
        for i, token in enumerate(self.tokens):
            depth = 0 if token.text == "\n" else depth + (token.kind == "open") - (token.kind == "close" and depth > 0)
            if token.kind != "number" or token.value is None or token.value.denominator != 1 or token.spelled:
                continue
            after = self.at(i + 1)
            if after is None or after.text not in (".", ")") or not self.touching(i):
                continue
            more = self.at(i + 2)
            if more is None or more.text == "\n" or after.end == more.start:
                continue
            before = i - 1 if not self.is_text(i - 1, "-", "•") else i - 2
            if after.text == ")" and depth == 0:
                always.add(i)
            elif after.text == "." and (before < 0 or self.is_text(before, "\n")):
                starts[i] = token.value
        # A number and a full stop start a list only where its neighbour does too: "24. Do you see why?" is an answer.
        counted = set(starts.values())
        return frozenset(always | {i for i, v in starts.items() if v + 1 in counted or v - 1 in counted})


def _variables(tokens: Sequence[Token]) -> Iterator[str]:
    """Give the letters that a turn uses as variables."""
    for i, token in enumerate(tokens):
        if token.kind != "word" or len(token.text) != 1:
            continue
        before = tokens[i - 1] if i else None
        after = tokens[i + 1] if i + 1 < len(tokens) else None
        if before is not None and before.kind == "number":
            continue
        if (
            before is not None
            and before.text.casefold() in ("let", "call", "unknown", "variable")
            and token.text != "a"
        ):
            yield token.text
        if after is not None and after.kind == "sign" and after.text not in "/-–→" and token.text not in "aI":
            yield token.text


def _is_label(turn: _Turn, i: int) -> bool:
    before = turn.at(i - 1)
    if before is None:
        return False
    glued = before.end == turn.tokens[i].start
    if before.kind == "word" and glued:
        # "x24" is a name; in "2x3" the x is a "times".
        return not (before.text in "xX" and turn.is_plain_number(i - 2))
    if before.text in ("-", "–") and glued and len(turn.word(i - 2)) > 1 and turn.touching(i - 2):
        # "covid-19", but not "100ml-20ml"
        return not (is_unit(turn.word(i - 2)) and turn.is_plain_number(i - 3))
    if turn.is_text(i + 1, "-") and turn.word(i + 2).casefold() in ("year", "years") and turn.is_text(i + 3, "-"):
        return True  # "a 24-year-old"
    if (before.text in ("#", "_") and glued) or turn.word(i - 1).casefold() in _LABELS:
        return True
    joined = before.text.casefold() in ("and", "or", ",", "-", "–", "to")
    return joined and i > 1 and turn.tokens[i - 2].kind == "number" and turn.roles[i - 2] == "label"


def _is_percent(turn: _Turn, i: int) -> bool:
    after = i + 2 if turn.is_text(i + 1, "-") else i + 1
    word = turn.word(after).casefold()
    return (
        turn.is_text(i + 1, "%")
        or word in ("percent", "pct", "percentage")
        or (word == "per" and turn.word(after + 1).casefold() == "cent")
    )


def _is_coefficient(turn: _Turn, i: int) -> bool:
    after = turn.at(i + 1)
    if after is None or not turn.touching(i):
        return False
    if after.kind == "open":
        closed = turn.at(i + 3)
        return not (turn.is_plain_number(i + 2) and closed is not None and closed.kind == "close")
    if after.kind != "word" or len(after.text) != 1:
        return False
    times = after.text in "xX" and turn.touching(i + 1) and turn.is_plain_number(i + 2)
    return not times and (after.text in turn.variables or after.text not in _UNIT_LETTERS)


def _is_date(turn: _Turn, i: int) -> bool:
    value, text = turn.tokens[i].value, turn.tokens[i].text
    if "/" in text and turn.word(i - 1).casefold() in ("on", "due", "by", "since", "until"):
        # "on 7/2", but not "on 3/4 of it"
        after = turn.word(i + 1).casefold()
        return " " not in text and all(0 < int(part) <= 31 for part in text.split("/")) and after not in ("of", "the")
    if value is None or value.denominator != 1:
        return False
    if turn.word(i - 1) in _MONTHS or (turn.word(i + 1) in _MONTHS and value <= 31):
        return True
    return 1000 <= value < 2200 and turn.is_text(i - 1, ",") and i > 1 and turn.roles[i - 2] in ("date", "ordinal")


def _role(turn: _Turn, i: int) -> Role:
    token = turn.tokens[i]
    if token.role != "value":
        return token.role
    if turn.is_text(i - 1, "^"):
        return "exponent"
    if i in turn.markers or _is_label(turn, i):
        return "label"
    if _is_percent(turn, i):
        return "percent"
    if turn.word(i + 1).casefold() in ("am", "pm", "o'clock") or (
        turn.word(i + 1).casefold() in ("a", "p") and turn.is_text(i + 2, ".") and turn.word(i + 3).casefold() == "m"
    ):
        return "time"
    if _is_date(turn, i):
        return "date"
    return "coefficient" if _is_coefficient(turn, i) else "value"


def _range_end(turn: _Turn, i: int) -> int | None:
    """Give the place of the number up to which a range from number i goes."""
    opened = turn.word(i - 1).casefold()
    place = i + 1
    if turn.is_text(place, "%") or is_unit(turn.word(place)):
        place += 1
    link, end = turn.at(place), place + 1
    first, second = turn.tokens[i], turn.at(end)
    if link is None or second is None or second.kind != "number" or turn.roles[end] not in ("value", "percent"):
        return None
    if first.value is None or second.value is None:
        return None
    if opened == "between":
        return end if link.text.casefold() in ("and", "-", "–", "to") else None
    rising = 0 <= first.value < second.value
    if opened == "from" and link.text.casefold() in ("to", "-", "–", "until"):
        return end
    if link.text.casefold() == "to":
        return end if rising and opened not in _ADDING else None
    if link.text not in ("-", "–") or link.spelled or not rising:
        return None
    before, after = turn.at(i - 1), turn.at(end + 1)
    counted = any(side is not None and side.kind == "sign" and side.text not in "→≈<>" for side in (before, after))
    return None if counted else end


@lru_cache(maxsize=512)  # every rule reads the same turns, and each turn again as what was said before the next one
def tokens_of(text: str) -> tuple[Token, ...]:
    """Cut a turn into tokens and say what each number is there for.

    Parameters
    ----------
    text : str
        A turn as written.

    Returns
    -------
    tuple of Token
        Places refer to `plain_notation` of the text. A line end is a mark of its own; blanks are left out.

    Examples
    --------
    >>> [(token.text, token.role) for token in tokens_of("Step 2: 20% of 48 L, 5-10 days") if token.kind == "number"]
    [('2', 'label'), ('20', 'percent'), ('48', 'value'), ('5', 'range'), ('10', 'range')]
    """
    turn = _Turn(_with_minus(_with_sign_words(_pieces(plain_notation(text)))))
    numbers = [i for i, token in enumerate(turn.tokens) if token.kind == "number"]
    for i in numbers:
        turn.roles[i] = _role(turn, i)
    for i in numbers:
        end = _range_end(turn, i) if turn.roles[i] in ("value", "percent") else None
        if end is not None:
            for place in numbers[bisect_left(numbers, i) : bisect_left(numbers, end) + 1]:
                turn.roles[place] = "range"
    return tuple(replace(t, role=r) if t.role != r else t for t, r in zip(turn.tokens, turn.roles, strict=True))


def values_in(text: str) -> set[Fraction]:
    """Give the amounts that a text names: no percentages, labels, ranges, dates and parts of longer numbers."""
    return {t.value for t in tokens_of(text) if t.kind == "number" and t.role == "value" and t.value is not None}

"""Read which option a reply chooses, strictly: a letter counts only where it is given as the answer."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tutorscope.texts.bodies import reply_body
from tutorscope.texts.json_in_text import Pairs, find_json
from tutorscope.texts.parsed import Parsed, read, unread

_KEYS = ("answer", "choice", "option", "letter")
_NOUN = r"(?:answer|choice|option|selection|response|reply|letter)"
_OPEN = r"(?:[*_`\"'“‘(\[{$]|\\boxed\{|\\text(?:bf)?\{|\\\()*+"
_CLOSE = r"[*_`\"'”’\]}$]*+"
_LETTER = rf"{_OPEN}(?:{_NOUN}\s++)?{_OPEN}(?P<letter>[A-Za-z])(?!\w|['’]\w)"
_GIVEN = re.compile(
    rf"(?:\b{_NOUN}[*_]*+\s*+(?:[:：=]|(?:(?!not\b|is\b)\w++\s++){{0,3}}(?:is|would\s++be|should\s++be)\b[*_]*+\s*+[:：]?)[*_]*+\s*+"
    r"|\b(?:I|we)(?:['’](?:d|ll)|\s++(?:would|will|shall))?\s++"
    r"(?:choose|chose|pick|select|prefer|(?:go|went)\s++with)\s++"
    rf"|(?=\\boxed\{{)){_LETTER}",
    re.IGNORECASE,
)
_BEST = re.compile(
    rf"\boption\s++{_OPEN}(?P<letter>[A-Za-z])(?!\w){_CLOSE}\)?{_CLOSE}\s++is\s++(?:clearly\s++)?(?:the\s++)?"
    r"(?:best|correct|right|most\s++(?:appropriate|effective|suitable))\b",
    re.IGNORECASE,
)
_LINE = re.compile(rf"^[ \t#>-]*+{_LETTER}{_CLOSE}(?:[).:!]|[ \t]*+\r?$)", re.MULTILINE | re.IGNORECASE)

# "The worst option is A" chooses nothing.
_REJECTED = re.compile(r"\b(?:wrong|worst|weakest|poorest|incorrect|no|not|least\s\w+)[ \t*_]*+\Z", re.IGNORECASE)
# Behind a letter: more than one option; a noun, which makes "A" an article; or the end of the line.
_SEVERAL = re.compile(r"\W{0,4}(?:/|&|\+|,|\bor\b|\band\b|\bnor\b|-)\W{0,4}(?:[Oo]ption\s++)?[A-Z](?!\w)")
_NOUN_BEHIND = re.compile(r"[ \t]++(?!(?:because|since|as|is|would|for|due|which)\b)\w")
_NOTHING_BEHIND = re.compile(r"[^\w\n]*+(?:\n|\Z)")


def read_letter(reply: str, letters: str = "ABCD", *, finish: str = "stop") -> Parsed[str]:
    r"""Read the one letter that a reply gives as its answer.

    The rules, in this order:

    1. `refused`, `cut_off` and `empty` as `reply_body` says; thinking at the front is taken off.
    2. A letter is given by a JSON object (``answer``, ``choice``, ``option`` or ``letter``), by words ("the answer is
       B", "Answer: (B)", "I would choose B", "Option B is the best") or by ``\boxed{B}``.
    3. Only where nothing is given so: the whole reply is the letter, or a line is, or a line begins "B)", "B." or "B:".
    4. Letters are capitals; a small one counts only if nothing follows it on its line. "A" before a noun is an article,
       and a letter inside a sentence is no answer. "B or C", "B, C" and "A/B" give none, nor does "the worst option
       is B".
    5. Letters that were not asked, or no letter, are `no_letter`; different ones are `ambiguous`.

    Parameters
    ----------
    reply : str
        The reply's text.
    letters : str
        The letters that were offered.
    finish : str
        Why the reply stopped (``Reply.finish``).

    Returns
    -------
    Parsed of str
        A capital letter.

    Examples
    --------
    >>> read_letter("I think a calm reply works, so the answer is **C**.").value
    'C'
    >>> read_letter("A calm reply works.").reason
    'no_letter'
    """
    body = reply_body(reply, finish)
    if body.value is None:
        return unread(body.reason or "empty")
    found, cut = find_json(body.value)
    if cut:
        return unread("cut_off")
    objects = [one for one in found if isinstance(one.value, Pairs)]
    prose = _without(body.value, [(one.start, one.end) for one in objects])
    given = {letter for one in objects for letter in _in_object(one.value)}
    given |= {letter for pattern in (_GIVEN, _BEST) for letter in _in_text(pattern, prose)}
    given = given or set(_in_text(_LINE, prose))
    answers = {letter for letter in given if letter in letters}
    if not answers:
        return unread("no_letter")
    return read(answers.pop()) if len(given) == 1 else unread("ambiguous")


def _in_object(pairs: Pairs | list[object]) -> Iterator[str]:
    for pair in pairs:
        match pair:
            case (str(key), str(value)) if key.strip().lower() in _KEYS:
                yield from _in_text(_LINE, value.strip())


def _in_text(pattern: re.Pattern[str], text: str) -> Iterator[str]:
    for found in pattern.finditer(text):
        behind = text[found.end("letter") : found.end("letter") + 40]
        nothing = _NOTHING_BEHIND.match(behind) is not None
        if _REJECTED.search(text[max(0, found.start() - 40) : found.start()]):
            continue
        if _SEVERAL.match(behind) or not (found["letter"].isupper() or nothing):
            continue
        if found["letter"] in "AI" and _NOUN_BEHIND.match(behind):
            continue
        yield found["letter"].upper()


def _without(text: str, spans: list[tuple[int, int]]) -> str:
    """Take the objects out, so that what their strings say is not read as prose."""
    ends = [0, *(end for _, end in spans)]
    starts = [*(start for start, _ in spans), len(text)]
    return "\n".join(text[end:start] for end, start in zip(ends, starts, strict=True))

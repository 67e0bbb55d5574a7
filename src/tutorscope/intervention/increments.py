"""A trace in increments: what a tutor sees before each decision (intervention game, section 3.2)."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Sequence

SENTENCE = "sentence"

# Ends of sentences, with the marks and brackets that close behind them. A line break ends one too: steps, code, lists.
_END = re.compile(r"(?:[.!?…]+[\"'”’)\]}*_`]*(?=\s)|\n)\s*")
_ABBREVIATION = re.compile(
    r"(?:^|[\s(\[\"'])(?:e\.g|i\.e|cf|vs|etc|approx|resp|fig|eq|no|nos|ca|al|dr|mr|mrs|ms|prof|st|p|pp|sec|chap|[A-Za-z])\.$",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"(?:^|\n)[ \t]*(?:[-*+][ \t]*)?(?:step[ \t]*)?[0-9]{1,3}[.)]$", re.IGNORECASE)
_FENCE = re.compile(r"^[ \t]*(?:```|~~~)", re.MULTILINE)

_JOINER, _HANGUL_L, _HANGUL_V = "\u200d", range(0x1100, 0x1160), range(0x1160, 0x11A8)
_HANGUL_T = range(0x11A8, 0x1200)
_FLAGS, _SKIN = range(0x1F1E6, 0x1F200), range(0x1F3FB, 0x1F400)
_TAGS, _SELECTORS = range(0xE0020, 0xE0080), (range(0xFE00, 0xFE10), range(0xE0100, 0xE01F0))


def increments(trace: str, size: str) -> list[str]:
    r"""Cut a trace into the pieces that are revealed one after the other.

    Parameters
    ----------
    trace : str
        The reasoning, as the student wrote it.
    size : str
        A number of characters (code points), such as "50", or "sentence".

    Returns
    -------
    list of str
        Joined together they are the trace, code point for code point. A piece of characters is as long as asked or, so
        that no visible character is torn, a little longer: combining marks, joined emoji, flags and ``\r\n`` stay
        whole. A sentence keeps the white space behind it; decimals, common abbreviations, list numbers and code blocks
        do not end one.

    Examples
    --------
    >>> increments("Add 2.5 first. Then halve it.", "sentence")
    ['Add 2.5 first. ', 'Then halve it.']
    """
    if not trace:
        return []
    return _sentences(trace) if size == SENTENCE else _characters(trace, int(size))


def decision_points(pieces: Sequence[str], *, at_end: bool = False) -> list[int]:
    """Give how many characters are revealed at each decision.

    Parameters
    ----------
    pieces : sequence of str
        The increments, T of them.
    at_end : bool
        Whether the tutor is asked once more when the whole trace is there. Else it decides after increment k < T only:
        a trace that fits into one increment has no decision (section 3.1).

    Returns
    -------
    list of int
        Lengths of the prefixes, in code points.
    """
    lengths: list[int] = []
    total = 0
    for piece in pieces:
        total += len(piece)
        lengths.append(total)
    return lengths if at_end else lengths[:-1]


def _characters(trace: str, size: int) -> list[str]:
    pieces = []
    start = 0
    while start < len(trace):
        end = min(start + size, len(trace))
        while end < len(trace) and _joined(trace, start, end):
            end += 1
        pieces.append(trace[start:end])
        start = end
    return pieces


def _joined(text: str, start: int, at: int) -> bool:
    """Whether a cut at a place would tear a visible character apart, in a piece that begins at ``start``."""
    before, after = text[at - 1], text[at]
    code, previous = ord(after), ord(before)
    if before == "\r":
        return after == "\n"
    if unicodedata.category(after) in ("Mn", "Mc", "Me") or after == _JOINER or code in _TAGS or code in _SKIN:
        return not before.isspace()
    if any(code in selectors for selectors in _SELECTORS) or before == _JOINER:
        return True
    if code in _FLAGS and previous in _FLAGS:
        # Flags are pairs: a cut is allowed between two of them and not within one.
        run = 0
        while at - 1 - run >= start and ord(text[at - 1 - run]) in _FLAGS:
            run += 1
        return run % 2 == 1
    if code in _HANGUL_V:
        return previous in _HANGUL_L or previous in _HANGUL_V
    return code in _HANGUL_T and (previous in _HANGUL_V or previous in _HANGUL_T)


def _sentences(trace: str) -> list[str]:
    pieces = []
    start = 0
    fenced = _fenced(trace)
    for found in _END.finditer(trace):
        end = found.end()
        if end <= start or _in_fence(fenced, found.start()) or not _ends(trace, start, found):
            continue
        pieces.append(trace[start:end])
        start = end
    if start < len(trace):
        pieces.append(trace[start:])
    return pieces


def _ends(trace: str, start: int, found: re.Match[str]) -> bool:
    said = trace[start : found.start()]
    if not said.strip():
        return False
    if found.group().startswith("\n"):
        return True
    stop = said + "."
    return not (found.group().startswith(".") and (_ABBREVIATION.search(stop) or _NUMBERED.search(stop)))


def _in_fence(fenced: Sequence[tuple[int, int]], at: int) -> bool:
    place = bisect_left(fenced, (at, 0)) - 1
    return place >= 0 and at < fenced[place][1]


def _fenced(trace: str) -> list[tuple[int, int]]:
    """Give the code blocks: a fence that is not closed goes on to the end."""
    marks = [match.start() for match in _FENCE.finditer(trace)]
    return [(a, marks[n + 1] if n + 1 < len(marks) else len(trace)) for n, a in enumerate(marks) if n % 2 == 0]

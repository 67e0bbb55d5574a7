"""The point that a tutor quotes: where in a trace do the five words before it end (intervention game, appendix A.2)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

NO_QUOTE, NOT_FOUND, ANSWER_PART, AMBIGUOUS = "no_quote", "not_found", "answer_part", "ambiguous"
EXACT, OTHER_CASE, TOKENS = "exact", "other_case", "tokens"

# Marks that stand around a quote as a whole are the tutor's own.
_AROUND = re.compile(r"^[\s\"'“”„‟‘’‚‛«»‹›`]+|[\s\"'“”„‟‘’‚‛«»‹›`]+$")
_DOTS = re.compile(r"^(?:\.{3,}|…)\s*|\s*(?:\.{3,}|…)$")
_TOKEN = re.compile(r"[^\W_]+|[^\w\s]|_", re.UNICODE)
_QUOTE_MARKS = {"'": "['‘’‚‛`´]", '"': '["“”„‟«»]'}
_SAME = {
    **dict.fromkeys("'‘’‚‛`´", _QUOTE_MARKS["'"]),
    **dict.fromkeys('"“”„‟«»', _QUOTE_MARKS['"']),
    **dict.fromkeys("-‐‑‒–—−", "[-‐‑‒–—−]"),
}


@dataclass(frozen=True)
class Point:
    """Where a tutor would have stepped in.

    Parameters
    ----------
    position : int or None
        Code points of the trace before the point: the end of the quote. None if it cannot be recovered.
    stage : str
        "exact", "other_case" or "tokens": how the quote was found; "" if it was not.
    reason : str
        "no_quote", "not_found", "answer_part" or "ambiguous"; "" if it was found.
    """

    position: int | None
    stage: str = ""
    reason: str = ""


def recover(quote: str, trace: str, answer: str = "") -> Point:
    """Find a quote in a trace, in three stages: as it is, in another case, and token by token.

    The trace alone is searched first. Found there once, that is the point, whatever the answer part holds; several
    times, it is ambiguous. Each stage is tried only where the one before found nothing. What stands in the answer part
    alone is no point in the reasoning.

    Parameters
    ----------
    quote : str
        The words before the point, as the tutor gave them: marks around them are left out. Four words or six do as
        well.
    trace : str
        The student's reasoning.
    answer : str
        The student's final answer.

    Returns
    -------
    Point
    """
    words = _bare(quote)
    if not words:
        return Point(None, reason=NO_QUOTE)
    for stage, find in _STAGES:
        ends = list(find(words, trace))
        if len(ends) == 1:
            return Point(ends[0], stage)
        if ends:
            return Point(None, reason=AMBIGUOUS)
    inside = any(next(iter(find(words, answer)), None) is not None for _, find in _STAGES)
    return Point(None, reason=ANSWER_PART if inside else NOT_FOUND)


def _bare(quote: str) -> str:
    before = None
    while before != quote:
        before, quote = quote, _DOTS.sub("", _AROUND.sub("", quote))
    return quote


def _exact(words: str, text: str) -> Iterator[int]:
    return _all(re.compile(re.escape(words)), text)


def _other_case(words: str, text: str) -> Iterator[int]:
    return _all(re.compile(re.escape(words), re.IGNORECASE), text)


def _tokens(words: str, text: str) -> Iterator[int]:
    """Match the same tokens with any white space, or none, between them. Operators and punctuation must be there."""
    parts: list[str] = []
    end = 0
    for token in _TOKEN.finditer(words):
        gap = words[end : token.start()]
        if parts:
            # Two words need something between them; an operator may stand close.
            close = not gap or not (words[end - 1].isalnum() and token.group()[0].isalnum())
            parts.append(r"\s*" if close else r"\s+")
        parts.append(_SAME.get(token.group(), re.escape(token.group())))
        end = token.end()
    return _all(re.compile("".join(parts), re.IGNORECASE), text) if parts else iter(())


def _all(pattern: re.Pattern[str], text: str) -> Iterator[int]:
    """Give where each occurrence ends, overlapping ones too, that does not begin or end within a word."""
    at = 0
    while found := pattern.search(text, at):
        at = found.start() + 1
        if not _within_word(text, found.start()) and not _within_word(text, found.end()):
            yield found.end()


def _within_word(text: str, at: int) -> bool:
    return 0 < at < len(text) and text[at - 1].isalnum() and text[at].isalnum()


_STAGES: tuple[tuple[str, Callable[[str, str], Iterator[int]]], ...] = (
    (EXACT, _exact),
    (OTHER_CASE, _other_case),
    (TOKENS, _tokens),
)

"""The letters that the prose of a reply gives: in sentences that say so, and alone on lines of their own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from tutorscope.texts.letter_doubts import condemns, framed_otherwise, spoils
from tutorscope.texts.letter_forms import (
    ALONE,
    BEGINS,
    BETTER_OF_TWO,
    FAR,
    HEADING,
    LABELLED,
    PRAISE,
    SENTENCES,
    any_of,
)
from tutorscope.texts.letter_options import names_another, quoted

# How a sentence goes on behind its letter.
_LINE_ENDS = re.compile(r"(?:\.(?!\.)|!)*+[ \t]*+(?:\Z|\n\s*+(?!(?i:or|and|nor|versus|vs)\b|[,;/&+]))")
_ENDS = re.compile(rf"{_LINE_ENDS.pattern}|[.!]++\s++(?![a-z])")
_REASON = re.compile(
    r"(?:[ \t]*+[,;–—]|[ \t]++-)?[ \t]++\(?(?:(?:because|since|given\s++(?:how|that|his|her|the)|due\s++to|so\s++that"
    r"|rather\s++than|instead\s++of|as\s++(?:[A-H]|it|this|he|she|they|the\s++student|his|her)|for\s++(?:these|this|the\s++following)"
    r"\s++reasons?)\b|(?:not|over)\s++(?:the\s++others|(?:[Oo]ption\s++)?\(?[A-Z]\b))"
    r"|(?:[ \t]*+[,;–—]|[ \t]++-)[ \t]++(?:it|this|which\s++(?!is\b|was\b|has\b|does\b)[a-z]++s)\b"
)
_SENTENCE_ENDS = re.compile(r"[.!?]\s|\n")
_SEPARATED = re.compile(r"[\s.:;,(–—-]*+")
_SUPPOSED = re.compile(r"\b(?:if|might|may|could|would|some|many|people|nobody|suppose|assuming)\b", re.IGNORECASE)
# What says of an option how good it is, does not quote it.
_VERDICT = any_of(
    "no", "not", "never", "nope", "wrong", "incorrect", "false", "bad", "poor", "weak", "too", "worst", "worse",
    "avoid", "maybe", "perhaps", "possibly", "or", "and", "nor", "but", "isn", "is", "was", "would", "wouldn", "should",
    "shouldn", "could", "couldn", "can", "cannot", "may", "might", "does", "doesn", "did", "has", "seems", "fails",
    "also", "he", "she", "they", "you", "we", "for", "as", "when", "until", "then", "later", "unhelpful",
    "harmful", "inappropriate", "ineffective", "rejected", "eliminated", "unlikely", "neither",
    "either", "versus", "vs", "except", "unless", "however", "if", "only", "hmm", "actually", "rather", "plausible",
)  # fmt: skip
_QUOTES = re.compile(
    rf"(?:\s*+(?P<colon>:)\s++|\s*+[–—]\s++|\s++-\s++|(?<=[)\].])\s++|\.\s++|\s++\()(?!(?i:{_VERDICT})\b)"
    r"[\"'“‘]*+(?:[A-Z][\w'’]++|(?(colon)(?!)|I\b)|A\s++[a-z]|\d)"
)
_EXPLAINS = re.compile(rf":\s++(?!(?i:{_VERDICT})\b)(?:an?\s++)?[a-z]{{2}}")
# Behind a letter alone, where the options' texts are known, only praise counts.
_PRAISES = re.compile(
    r"(?:[.:,;]|\s-|\s*+[–—])\s++(?i:this|it|that|which)(?:\s++(?:option|choice|approach|response|one|strategy))?"
    rf"(?:\s++(?:also|best|both|directly|gently|first))?\s++{PRAISE}\b"
)
# Behind an option's own text, or its first words.
_GOES_ON = re.compile(
    r"[\"'”’)\]]*+(?:[ ]++[a-z]|(?:[ ]*+[,;–—]|[ ]++-)[ ]++(?:because|since|as|so|to|in\s++order|while|which)\b)"
)
_SAYS_OF = re.compile(
    r"[\"'”’)\],]*+\s*+(?:is|was|would|could|might|may|can|seems|looks|sounds|has|does)\b(?!\s++(?:be\s++)?(?:the\s++|my\s++)?"
    r"(?:best|right|correct|answer|choice|most\s++(?!harm|danger|hurt)\w)|\s++what\s++I\b)"
)
_QUOTE_ENDS = re.compile(r"(?P<closing>[^\w\s(\[❌✗✘🚫]*+)(?:\s*+(?:\Z|\n)|(?<=[.!?…;,/\"'”’)\]])\s++[A-Z(])")
# A line of a list of the options.
_ITEM = re.compile(
    r"^[(\[\"]?+(?:(?i:option|choice)[ ]++)?[(\[\"]?+(?P<letter>[A-H])(?:[)\].:]|[ ]++[–—(-]|[ ]++(?:vs|versus)\b|$)",
    re.MULTILINE,
)


def in_sentences(text: str, texts: Mapping[str, list[str]]) -> Iterator[tuple[str, int]]:
    """Give the letters of sentences that say so, each with where it ends; "?" for one that was framed otherwise."""
    sentences = [*SENTENCES, BETTER_OF_TWO] if len(texts) == 2 else SENTENCES
    for begins in BEGINS.finditer(text):
        at = begins.end()
        if begins["line"] and not LABELLED.match(text, at) and _unfinished(text, begins.start()):
            continue
        # "If he were tired, so the answer is A" concludes from what is only supposed.
        ahead = _SENTENCE_ENDS.split(text[max(0, begins.start() - FAR) : begins.start()])[-1]
        if begins["so"] and _SUPPOSED.search(ahead):
            continue
        for sentence in sentences:
            found = sentence.match(text, at)
            if found is None:
                continue
            end = _concludes(text, found, texts, bare=bool(found.groupdict().get("bidden")))
            if end is not None:
                letter = found["letter"].upper()
                ruled_out = (found["conceded"] or "") + (found["excluded"] or "")
                yield "?" if letter in ruled_out or framed_otherwise(text, at, letter) else letter, end
                break


def _unfinished(text: str, at: int) -> bool:
    """Whether the line that ends here goes on in the next one."""
    return text[at + 1 : at + 2] != "\n" and text[at - 1 : at] not in tuple(".!?:;)\"'”’")


def _concludes(text: str, found: re.Match[str], texts: Mapping[str, list[str]], *, bare: bool = False) -> int | None:
    """Give where an answer ends if its sentence goes on behind the letter as one that gives an answer does.

    A bare one is a letter alone, or a command ("Choose B"): more is asked of what follows.
    """
    at, letter = found.end(), found["letter"]
    if letter.islower():
        return at if _LINE_ENDS.match(text, at) else None
    whose, behind = quoted(text, at, texts)
    if whose:
        return _behind_quote(text, behind, letter, texts) if letter in whose else None
    if (_LINE_ENDS if bare else _ENDS).match(text, at):
        return at
    reasoned = _REASON.match(text, at)
    if bare and texts:
        goes_on = reasoned or _PRAISES.match(text, at)
    else:
        goes_on = reasoned or _QUOTES.match(text, at) or _EXPLAINS.match(text, at)
    separated = _SEPARATED.match(text, at)
    begins = separated.end() if separated else at
    return _end_unspoilt(text, begins, letter, reasoned=reasoned is not None) if goes_on else None


def _behind_quote(text: str, at: int, letter: str, texts: Mapping[str, list[str]]) -> int | None:
    """Give where an answer ends that quoted its option: there, or with the rest of a sentence that stays with it."""
    line = text[at : at + FAR].split("\n", 1)[0]
    if names_another(line, letter, texts) or _SAYS_OF.match(line):
        return None
    if ends := _QUOTE_ENDS.match(text, at):
        return ends.end("closing")
    return _end_unspoilt(text, at, letter, reasoned=False) if _GOES_ON.match(text, at) else None


def _end_unspoilt(text: str, at: int, letter: str, *, reasoned: bool) -> int | None:
    """Give where a sentence ends, unless what is left of it asks, judges or names others."""
    tail = _rest(text, at)
    end = at + len(tail)
    asks = text[end : end + 1] == "?"
    return None if asks or spoils(tail, letter, reasoned=reasoned) else end


def _rest(text: str, at: int) -> str:
    """Give what is left of a sentence."""
    return _SENTENCE_ENDS.split(text[at : at + FAR], maxsplit=1)[0]


def alone_on_lines(text: str, texts: Mapping[str, list[str]]) -> tuple[list[tuple[str, int]], bool]:
    """Give the letters that stand alone or open the reply, each with where it ends; and whether lines list options."""
    items = [(item.start(), item["letter"]) for item in _ITEM.finditer(text)]
    listed = len({letter for _, letter in items}) > 1
    alone: list[tuple[str, int]] = []
    before, before_at, at, lines = "", 0, 0, text.split("\n")
    last = max((number for number, line in enumerate(lines) if line.strip()), default=0)
    for number, line in enumerate(lines):
        start = at + len(line) - len(line.lstrip())
        at += len(line) + 1
        if not line.strip():
            continue
        headed = HEADING.fullmatch(before) is not None
        found = ALONE.match(text, start)
        if found and (not before or headed or (number == last and before[-1] in ".!")):
            opens = (not before or headed) and not found["lead"] and not found["letter"].islower() and not listed
            end = _concludes(text, found, texts, bare=True) if opens else None
            letter = found["letter"].upper()
            if end is None and _LINE_ENDS.match(text, found.end()) and not _heads(text, found, items, texts):
                end = found.end()
            asked = not framed_otherwise(text, before_at if headed else start, letter)
            if end is not None and asked and (headed or not condemns(_SENTENCE_ENDS.split(before)[-1], letter)):
                alone.append((letter, end))
        before, before_at = line.strip(), start
    return alone, listed


def _heads(text: str, found: re.Match[str], items: list[tuple[int, str]], texts: Mapping[str, list[str]]) -> bool:
    """Whether a letter alone on its line is a heading: over another option's text, or as one of several items.

    "A", and later "B" and "C" on lines of their own, go through the options, and so does "C" behind "A" and "B". With
    an answer a list would hold the answer's own letter too.
    """
    letter = found["letter"].upper()
    whose, _ = quoted(text, found.end(), texts)
    before = {other for start, other in items if start < found.start()}
    later = {other for start, other in items if start >= found.end()}
    heads_more = (bool(later) and letter < min(later)) or (bool(before) and letter > max(before))
    return bool(whose and letter not in whose) or heads_more

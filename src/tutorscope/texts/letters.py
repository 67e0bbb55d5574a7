"""Read which option a reply chooses, strictly: a letter counts only where it is given as the answer.

What counts is a list of forms that a sentence may have from its beginning to its end, not a list of words that spoil
one. "I doubt the answer is A" begins otherwise, and "Answer: B is wrong" goes on otherwise: neither gives a letter.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tutorscope.texts.bodies import reply_body
from tutorscope.texts.json_in_text import Pairs, find_json
from tutorscope.texts.parsed import Parsed, read, unread

_KEYS = ("answer", "choice", "option", "letter")


def _any(*phrases: str) -> str:
    """Write a pattern for any of some phrases, whatever white space is between their words."""
    return "(?:" + "|".join(phrase.replace(" ", r"\s++") for phrase in phrases) + ")"


# Typesetting, which says nothing: bold, code, boxes, tags, bullets, headings.
_BOX = re.compile(r"\\(?:boxed|fbox|text(?:bf|rm|it)?|math(?:bf|rm))\s*+\{([^{}\n]{0,40}+)\}")
_TAG = re.compile(r"<(/?+)(?:final[ _-]?+)?(?:answer|choice|option)>", re.IGNORECASE)
_MARKS = re.compile(r"[*`$\u200b-\u200d\u2060\ufeff]|(?<![^\W_])_++|_++(?![^\W_])|\\[()\[\]]")
_LINE_MARKS = re.compile(r"^[ \t]*+(?:(?:#++|>++|[-+•])[ \t]++)++", re.MULTILINE)

# The parts of a sentence that gives an answer.
_LETTER = r"[(\[\"'“‘]*+(?P<letter>[A-Za-z])(?!\w|['’]\w)[)\]\"'”’]*+"
_NAMED = r"(?:(?:option|answer|choice|letter)\s++)?"
_NOUN = _any(
    "answer", "choice", "option", "selection", "response", "reply", "letter", "pick", "decision", "recommendation",
    "approach", "strategy", "move",
)  # fmt: skip
_GOOD = _any(
    "best", "correct", "right", "final", "chosen", "preferred", "recommended", "strongest", "ideal", "optimal",
    r"most (?:appropriate|suitable|effective|helpful|fitting|supportive|beneficial|constructive|empathetic|responsive|"
    "productive|promising|useful)",
)  # fmt: skip
_GOODS = rf"(?:(?:very|single|better|{_GOOD})[,\s]++(?:and\s++)?){{0,3}}"
_SURELY = rf"(?:{_any('clearly', 'definitely', 'certainly', 'probably', 'therefore', 'still', 'by far')}\s++)?"
_PLACE = _any(
    "student", "learner", "child", "pupil", "boy", "girl", "tutor", "moment", "situation", "case", "context",
    "scenario", "question", "dialogue", "options", "choices", "strategies", "four", "three", "two", "given", "upset",
    "struggling", "particular", "specific",
)  # fmt: skip
_WHERE = (
    rf"(?:\s++(?:here|now|overall|(?:for|in|to|at|given|of|among)\s++(?:the|this|these|those|all|him|her|them)\b"
    rf"(?:\s++{_PLACE}\b){{0,4}}|to\s++(?:use|choose|pick|take|give)\b)){{0,2}}"
)
_IS = rf"(?:\s*+[:=：]|\s++{_any('is', 'would be', 'will be', 'should be', 'remains')}\b(?:\s*+:)?)\s*+{_SURELY}"
_CHOOSE = _any("choose", "pick", "select", "go with")
_CHOSEN = (
    rf"(?:(?:I|we)(?:['’](?:d|ll)|\s++(?:would|will|shall))?\s++(?:therefore\s++)?"
    rf"(?:{_CHOOSE}|{_any('chose', 'picked', 'selected', 'recommend', 'suggest', 'prefer', 'say', 'went with')})"
    rf"|(?:I|we)(?:['’](?:m|re)|\s++(?:am|are))\s++{_any('choosing', 'picking', 'selecting', 'going with')}"
    rf"|(?:the\s++)?tutor\s++should\s++{_CHOOSE}|{_CHOOSE})\s++"
)
_SO = _any(
    "(?:and )?so", "therefore", "thus", "hence", "overall", "ultimately", "finally", "consequently", "clearly",
    "in (?:conclusion|summary|short|sum|the end|this (?:case|situation|moment)|my (?:view|opinion))", "all in all",
    "on balance", "as a result", "for (?:this|these|that) reasons?", "with (?:this|that) in mind", "to conclude",
    "given (?:this|that|the above)", "conclusion", "verdict", "decision", "result", "summary", "yes", "okay",
)  # fmt: skip
_THINK = _any(
    "I (?:think|believe|feel|would say|am (?:confident|convinced|sure))", r"I['’]d say", r"I['’]m (?:confident|sure)",
    "it (?:is clear|seems)",
)  # fmt: skip
_CONSIDERING = (
    r"(?!(?:[\w'’-]++[^\w,\n]++){0,15}?(?:no|none|wrong|worst|worse|avoid|rejected|least)\b)"
    r"(?:based\s++on|considering|given|after|looking\s++at|weighing|of|among|out\s++of|from|comparing|between|in|with|for)"
    r"\s[^,.;:?!\n]{1,100}+,\s++"
)
_LEAD = rf"(?:{_SO}(?:\s*+[,:])?\s++|{_THINK}(?:\s++that)?\s++|{_CONSIDERING})"

_SENTENCES = [
    re.compile(_LEAD + "{0,3}" + sentence, re.IGNORECASE)
    for sentence in (
        # The best option here is B. Final answer: B.
        rf"(?:(?:the(?:\s++tutor['’]s)?|my|our)\s++)?{_GOODS}{_NOUN}{_WHERE}{_IS}{_NAMED}{_LETTER}",
        # I would choose B.
        rf"{_CHOSEN}{_NAMED}{_LETTER}{_WHERE}",
        # Option B is the most helpful one.
        rf"{_NAMED}{_LETTER}\s++(?:(?:is|seems|appears|would\s++be)\s++{_SURELY}(?:to\s++be\s++)?"
        rf"(?:(?:the|my)\s++(?:{_GOODS}(?:{_NOUN}|one)\b|{_GOOD})|{_GOOD})|(?:works|fits)\s++best){_WHERE}",
    )
]
_ALONE = re.compile(
    rf"(?P<lead>{_LEAD}{{0,2}}(?:it(?:['’]s|\s++is)\s++{_SURELY})?)(?:final\s++)?{_NAMED}{_LETTER}", re.IGNORECASE
)
_HEADING = re.compile(
    rf"(?:(?:the|my|our)\s++)?{_GOODS}(?:{_NOUN}|conclusion|verdict){_WHERE}(?:\s++is)?\s*+:?", re.IGNORECASE
)
_LABELLED = re.compile(rf"(?:(?:The|My)\s++)?(?i:{_GOODS}{_NOUN}{_WHERE})\s*+:")
_BEGINS = re.compile(
    r"(?:\A|(?P<line>\n))\s*+|(?<!e\.g)(?<!i\.e)[.!?][\"'”’)]*+\s++|;\s++|(?P<so>[,–—]|\s-)\s++(?=(?:and\s++)?(?:so|therefore|thus|hence)\b)"
)

_SENTENCE_ENDS = re.compile(r"[.!?]\s|\n")
_FAR = 400
"""No sentence is longer, in characters."""
_SUPPOSED = re.compile(r"\b(?:if|might|may|could|would|some|many|people|nobody|suppose|assuming)\b", re.IGNORECASE)

# How a sentence goes on behind its letter: it ends, gives its reason, or quotes the option.
_LINE_ENDS = re.compile(r"[.!]*+[ \t]*+(?:\Z|\n\s*+(?!(?i:or|and|nor|versus|vs)\b|[,;/&+]))")
_ENDS = re.compile(rf"{_LINE_ENDS.pattern}|[.!]++\s++(?![a-z])")
_REASON = re.compile(
    r"(?:[ \t]*+[,;–—]|[ \t]++-)?[ \t]++\(?(?:(?:because|since|for|given|due\s++to|so\s++that|rather\s++than"
    r"|instead\s++of|as(?!\s++(?:well|long|a\s++(?:last|second))))\b|(?:not|over)\s++(?:the\s++others|(?:[Oo]ption\s++)?\(?[A-Z]\b))"
    r"|(?:[ \t]*+[,;–—]|[ \t]++-)[ \t]++(?:it|this|which\s++(?!is\b|was\b|has\b|does\b)[a-z]++s)\b"
)
_UNSURE = re.compile(r"\b(?:but|however|though|although|unless|except)\b[^.!?\n]*?(?:\bI\b|\b[A-H]\b|\bwrong\b)")
# What says of an option how good it is, does not quote it.
_VERDICT = _any(
    "no", "not", "never", "nope", "wrong", "incorrect", "false", "bad", "poor", "weak", "too", "worst", "worse",
    "avoid", "maybe", "perhaps", "possibly", "or", "and", "nor", "but", "isn", "is", "was", "would", "wouldn", "should",
    "shouldn", "could", "couldn", "can", "cannot", "may", "might", "does", "doesn", "did", "has", "seems", "fails",
    "also", "unhelpful", "harmful", "inappropriate", "ineffective", "rejected", "eliminated", "unlikely", "neither",
    "either", "versus", "vs", "except", "unless", "however", "if", "only", "hmm", "actually", "rather", "plausible",
)  # fmt: skip
_QUOTES = re.compile(
    rf"(?:\s*+(?P<colon>:)\s++|\s*+[–—]\s++|\s++-\s++|(?<=[)\].])\s++|\.\s++|\s++\()(?!(?i:{_VERDICT})\b)"
    r"[\"'“‘]*+(?:[A-Z][\w'’]++|(?(colon)(?!)|I\b)|A\s++[a-z]|\d)"
)
_EXPLAINS = re.compile(rf":\s++(?!(?i:{_VERDICT})\b)[a-z]{{2}}")
_FIRST = re.compile(r"[(\[\"'“‘]*+[A-Z][)\]\"'”’]*+")
_ITEM = re.compile(r"^[(\[\"]?+(?P<letter>[A-Z])[)\].:]", re.MULTILINE)

# An answer that is taken back, and another letter that stands as an answer stands.
_TAKEN_BACK = re.compile(
    r"(?:\A|\n|[.!?–—(…]|\s-)\s*+(?:(?:oh|but|and|well|ah|hmm++)\b[,.… ]*+){0,3}(?:"
    r"no(?:pe)?\b(?=[\s,.!:–—-]++(?:wait|actually|sorry|not|it|that|the|I|scratch|option|[A-Z])\b)"
    r"|wait\b(?=\s*+(?:[,.!:–—…-]|no\b|actually|I\b|let\s++me|\Z))|(?:sorry|hmm++|hold\s++on)\b(?=\s*+[,.:–—…])"
    r"|(?:actually|correction|oops|apologies|or\s++rather|my\s++mistake|scratch\s++that|strike\s++that|never\s*+mind)\b"
    r"|on\s++(?:second|further|closer)\s++\w++|let\s++me\s++(?:re\w++|change|correct|think)"
    r"|I\s++(?:take\s++(?:that|it)\s++back|(?:have\s++)?changed?\s++my\s++mind|meant?|made\s++a\s++mistake|was\s++wrong|misread))",
    re.IGNORECASE,
)
_WRONG = re.compile(
    r"\b(?P<what>that|it|this|my\s++(?:answer|choice)|[A-Z])\)?\s++(?:is|was|would\s++be|seems)\s++(?:actually\s++|probably\s++)?"
    r"(?:wrong|incorrect|a\s++mistake|not\s++(?:right|correct|the\s++answer|it))(?=\s*+(?:[.,;!]|\n|\Z))",
    re.IGNORECASE,
)
_OTHER = re.compile(
    r"(?:(?:\A|\n|[.!?:;–—,]|\s-)\s*+(?:Or\s++)?|\b(?i:is|be|meant?|say|make\s++it|(?:change|switch)\b[^.!?\n]{0,30}\sto"
    r"|(?:I|we|would|will|['’]d|['’]ll)\s++(?:pick|choose|select|prefer|go\s++with))\s++)(?i:option\s++)?"
    r"[(\"'“‘]*+(?P<letter>[A-HJ-Z])[)\"'”’]*+(?=\s*+(?:[.!?;]|\n|\Z))"
    r"|\b(?P<better>[A-HJ-Z])\)?\s++(?:is|would\s++be|might\s++be|may\s++be|could\s++be|seems|looks)\s++"
    r"(?:(?:even|actually|the|clearly|probably|just\s++as|equally|also)\s++)*+(?:better|best|right|correct|good|answer)\b"
    r"(?=\s*+(?:[.,;!]|\n|\Z|(?:option|choice|answer|one|response|because|since|here)\b))"
)


def read_letter(reply: str, letters: str = "ABCD", *, finish: str = "stop") -> Parsed[str]:
    r"""Read the one letter that a reply gives as its answer.

    The rules, in this order:

    1. `refused`, `cut_off` and `empty` as `reply_body` says; thinking at the front is taken off. Bold, code, boxes,
       bullets and headings are looked through.
    2. A JSON object gives a letter under ``answer``, ``choice``, ``option`` or ``letter``.
    3. A sentence gives one if that is what it says from its beginning on: "The best answer here is B", "Final answer:
       B", "I would choose B", "Option B is the most helpful one". Ahead may stand "so", "therefore", "I think",
       "Considering how upset he is," and some more of this kind.
    4. A letter alone does on the first line, on the last one behind a finished sentence, and under a heading such as
       "Answer". So does a reply that begins "B) ", "B. " or "B: ", unless lines begin so with other letters.
    5. Behind the letter the sentence ends, or gives its reason ("because", "since", "as it", "not C"), or quotes the
       option. "Answer: B is wrong", "B or C", "A; B", "A?" and "B, but I would also accept C" give none.
    6. Letters are capitals; a small one counts only if nothing follows it on its line. "A" before a noun is an article.
    7. Letters that were not asked, or no letter, are `no_letter`. Different ones are `ambiguous`, and so is one that is
       taken back ("No wait: C", "Actually, ...") or behind which another one stands as an answer stands.

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
    >>> read_letter("I doubt that the answer is C.").reason
    'no_letter'
    """
    body = reply_body(reply, finish)
    if body.value is None:
        return unread(body.reason or "empty")
    found, cut = find_json(body.value)
    if cut:
        return unread("cut_off")
    objects = [one for one in found if isinstance(one.value, Pairs)]
    held = [letter for one in objects for letter in _in_object(one.value)]
    text = _plain(_without(body.value, [(one.start, one.end) for one in objects]))
    said = list(_in_sentences(text))
    alone, listed = _alone(text)
    if held or said:
        # A capital alone on the first line was meant, whatever comes later; other lone letters are a list.
        alone = [(letter, end) for letter, end in alone if _FIRST.fullmatch(text, 0, end)]
    given = {*held, *(letter for letter, _ in (*said, *alone))}
    if not any(letter in letters for letter in given):
        return unread("ambiguous" if listed else "no_letter")
    ends = [end for _, end in (*said, *alone)]
    behind = _plain(body.value[max(one.end for one in objects) :]) if held else text[min(ends) :]
    last = behind if held else text[max(ends) :]
    answer, *others = given
    return unread("ambiguous") if others or _doubted(answer, behind, last) else read(answer)


def _in_object(pairs: Pairs | list[object]) -> Iterator[str]:
    for pair in pairs:
        match pair:
            case (str(key), str(value)) if key.strip().lower() in _KEYS:
                found, _ = _alone(_plain(value.strip()))
                yield from (letter for letter, _ in found)


def _plain(text: str) -> str:
    """Take typesetting off."""
    text = _TAG.sub(lambda tag: "\n" if tag[1] else "\n\nAnswer: ", text)
    for _ in range(2):
        text = _BOX.sub(r"\1", text)
    text = _LINE_MARKS.sub("", _MARKS.sub("", text))
    # Runs of blanks would be gone through again from each of them.
    return re.sub(r"\n{3,}", "\n\n", re.sub(r" ?\n ?", "\n", re.sub(r"[^\S\n]+", " ", text))).strip()


def _in_sentences(text: str) -> Iterator[tuple[str, int]]:
    """Give the letters of sentences that say so, each with where it ends."""
    for begins in _BEGINS.finditer(text):
        at = begins.end()
        if begins["line"] and not _LABELLED.match(text, at) and _unfinished(text, begins.start()):
            continue
        # "If he were tired, so the answer is A" concludes from what is only supposed.
        ahead = _SENTENCE_ENDS.split(text[max(0, begins.start() - _FAR) : begins.start()])[-1]
        if begins["so"] and _SUPPOSED.search(ahead):
            continue
        for sentence in _SENTENCES:
            found = sentence.match(text, at)
            if found and _concludes(text, found, found.end()):
                yield found["letter"].upper(), found.end()
                break


def _unfinished(text: str, at: int) -> bool:
    """Whether the line that ends here goes on in the next one."""
    return text[at + 1 : at + 2] != "\n" and text[at - 1 : at] not in tuple(".!?:;)\"'”’")


def _concludes(text: str, found: re.Match[str], at: int) -> bool:
    """Whether a sentence goes on behind its letter as one that gives an answer does."""
    if found["letter"].islower():
        return _LINE_ENDS.match(text, at) is not None
    if _ENDS.match(text, at) or _QUOTES.match(text, at) or _EXPLAINS.match(text, at):
        return True
    return _REASON.match(text, at) is not None and not _UNSURE.search(_rest(text, at))


def _rest(text: str, at: int) -> str:
    """Give what is left of a sentence."""
    return _SENTENCE_ENDS.split(text[at : at + _FAR], maxsplit=1)[0]


def _alone(text: str) -> tuple[list[tuple[str, int]], bool]:
    """Give the letters that stand alone or open the reply, each with where it ends; and whether lines list options."""
    items = {item["letter"] for item in _ITEM.finditer(text)}
    alone: list[tuple[str, int]] = []
    before, at, lines = "", 0, text.split("\n")
    last = max((number for number, line in enumerate(lines) if line.strip()), default=0)
    for number, line in enumerate(lines):
        start = at + len(line) - len(line.lstrip())
        at += len(line) + 1
        if not line.strip():
            continue
        headed = _HEADING.fullmatch(before) is not None
        found = _ALONE.match(text, start)
        if found and (not before or headed or (number == last and before[-1] in ".!")):
            ends = _LINE_ENDS.match(text, found.end()) is not None
            opens = (not before or headed) and not found["lead"] and not found["letter"].islower()
            reasoned = opens and _REASON.match(text, found.end()) and not _UNSURE.search(_rest(text, found.end()))
            quotes = opens and len(items) < 2 and _QUOTES.match(text, found.end())
            if ends or reasoned or quotes:
                alone.append((found["letter"].upper(), found.end()))
        before = line.strip()
    return alone, len(items) > 1


def _doubted(letter: str, behind: str, last: str) -> bool:
    """Whether an answer is taken back, or another one stands behind it."""
    if _TAKEN_BACK.search(last):
        return True
    if any((one["letter"] or one["better"]) != letter for one in _OTHER.finditer(behind)):
        return True
    wrong = (one["what"] for one in _WRONG.finditer(behind))
    return any(len(what) > 1 or what == letter for what in wrong)


def _without(text: str, spans: list[tuple[int, int]]) -> str:
    """Take the objects out, so that what their strings say is not read as prose."""
    ends = [0, *(end for _, end in spans)]
    starts = [*(start for start, _ in spans), len(text)]
    return "\n".join(text[end:start] for end, start in zip(ends, starts, strict=True))

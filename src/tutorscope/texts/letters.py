"""Read which option a reply chooses, strictly: a letter counts only where it is given as the answer.

What counts is a list of forms that a sentence may have from its beginning to its letter (`letter_forms`). Behind it
the sentence ends, quotes the option or gives a reason; words that judge or reject make it doubtful (`letter_doubts`).
What cannot be read is asked again, which is cheap. A letter that was not meant would be a result.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from tutorscope.texts.bodies import EMPTY, reply_body
from tutorscope.texts.json_in_text import Found, Pairs, find_json
from tutorscope.texts.letter_doubts import (
    condemns,
    contradicted,
    declines,
    framed_otherwise,
    gives_no_reason,
    spoils,
    taken_back,
)
from tutorscope.texts.letter_forms import (
    ALONE,
    BEGINS,
    BETTER_OF_TWO,
    HEADING,
    LABELLED,
    PRAISE,
    SENTENCES,
    any_of,
    plain,
)
from tutorscope.texts.letter_options import all_of, names_another, quoted, words_of
from tutorscope.texts.parsed import Parsed, read, unread

_KEY = re.compile(r"(?:(?:final|my|best|selected|chosen|correct)[ _-]?)?(?:answer|choice|option|letter)", re.IGNORECASE)
_WHY = re.compile(
    r"why|reason(?:ing|s)?|rationale|explanation|justification|thoughts?|analysis|comment|confidence|question"
    r"|(?:option[ _-]?)?text",
    re.IGNORECASE,
)
_PLACEHOLDER = re.compile(
    r"[\W_]+|<[^<>]*>|\[[^\[\]]*\]|(?:(?:one|a|your|the)\s+)?(?:(?:short|brief)\s+)?(?:sentence|reason|explanation)(?:\s+here)?\W*",
    re.IGNORECASE,
)
# An object that is written almost as JSON: quote marks of another kind, no braces, quote marks inside its reason.
_QUOTE = "[\"'“”‘’]"
_NEARLY = re.compile(
    rf"(?:(?P<open>\{{)\s*)?{_QUOTE}?(?P<key>[\w -]{{1,20}}){_QUOTE}?\s*:\s*"
    rf"{_QUOTE}(?P<value>[^\"“”\n]{{1,200}}?){_QUOTE}"
    rf"(?:\s*,\s*{_QUOTE}?(?P<second>\w{{1,20}}){_QUOTE}?\s*:\s*{_QUOTE}(?P<why>[^{{}}\n]*){_QUOTE})?\s*,?\s*(?(open)\}})"
)
_WRAPS = re.compile(r"response|result|output|(?:final[ _-]?)?answer|json", re.IGNORECASE)
# "The student might answer {...}": the object is a part of what is said of somebody.
_SOMEBODY_ELSE = re.compile(r"\b(?:student|child|tutor|teacher|he|she|they|people|somebody|might|could)\b[^.:!?\n]*\Z")
_ADVISED = re.compile(r"(?:[\w'’]++ ){0,5}?(?:should|to|would) ")
_FENCE = re.compile(r"\A```\w*\s*|\s*```\Z")

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
_FAR = 400
"""No sentence is longer, in characters."""
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
_FIRST = re.compile(r"[(\[\"'“‘]*+[A-Z][)\]\"'”’]*+")
# A line of a list of the options.
_ITEM = re.compile(
    r"^[(\[\"]?+(?:(?i:option|choice)[ ]++)?[(\[\"]?+(?P<letter>[A-H])(?:[)\].:]|[ ]++[–—(-]|[ ]++(?:vs|versus)\b|$)",
    re.MULTILINE,
)


def read_letter(
    reply: str, letters: str = "ABCD", *, options: Mapping[str, str] | None = None, finish: str = "stop"
) -> Parsed[str]:
    r"""Read the one letter that a reply gives as its answer.

    The rules, in this order:

    1. `refused`, `cut_off` and `empty` as `reply_body` says; thinking at the front is taken off. Bold, code, boxes,
       bullets, headings, HTML and letters of other shapes are looked through. A reply that says it cannot choose has
       `no_letter`.
    2. A JSON object gives a letter under ``answer``, ``choice``, ``option``, ``letter`` (also ``final_answer`` and the
       like) if beside it there is at most a reason that is more than a placeholder, and no example is announced. It may
       be in a list of one, and a whole reply that is almost JSON (other quote marks, or none around its keys, no
       braces) counts. With ``options`` an option's whole text stands there for its letter.
    3. A sentence gives one if that is what it says from its beginning on: "The best answer here is B", "Final answer:
       B", "I would choose B", "Option B suits him best". Ahead may stand "so", "I think", "Considering how upset he
       is," and other leads of a closed list; not "Of the bad ones," or "For adults,".
    4. A letter alone does on the first line, on the last one behind a finished sentence, and under a heading such as
       "Answer". So does a reply that begins "B) ", "B. " or "B: ", unless lines begin so with other letters: then the
       options are gone through, and "Option A" at the top is a heading.
    5. Behind the letter the sentence ends, quotes the option or gives its reason. With ``options`` a quotation is that
       option's own text or its first words, and a letter alone goes on otherwise only with praise ("B. This gives him
       time."). The words of another option, words that judge, reject or foresee harm, "B or C", "A?", "B for now"
       leave none; other letters do too, but where a reason says what is wrong with them ("B, because A shames him").
    6. Nor does a sentence right behind that judges, or one right ahead that asks for something else ("Which should be
       avoided?") or speaks of what is said ("Do not say the following.").
    7. Letters are capitals; a small one counts only if nothing follows it on its line. "A" before a noun is an article.
    8. Letters that were not asked, or no letter, are `no_letter`. Different ones are `ambiguous`, and so is one that is
       taken back ("No wait: C", "not B") or behind which another one stands as an answer stands ("Then C.").

    Parameters
    ----------
    reply : str
        The reply's text.
    letters : str
        The letters that were offered.
    options : mapping of str to str, optional
        Letter to the text that was shown with it.
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
    >>> read_letter("B. Wait beside him.", options={"A": "Send him out", "B": "Wait beside him"}).value
    'B'
    """
    body = reply_body(reply, finish)
    if body.value is None:
        return unread(body.reason or EMPTY)
    found, cut = find_json(body.value)
    if cut:
        return unread("cut_off")
    texts = words_of(options or {})
    objects = [one for one in map(_unwrapped, found) if isinstance(one.value, Pairs)] or _nearly_json(body.value)
    meant = [one for one in objects if not _announced_otherwise(body.value[: one.start])]
    held = [letter for one in meant for letter in _in_object(one.value, texts)]
    text = plain(_without(body.value, [(one.start, one.end) for one in objects]))
    if declines(text):
        return unread("no_letter")
    said = list(_in_sentences(text, texts))
    alone, listed = _alone(text, texts)
    if held or said:
        # A capital alone on the first line was meant, whatever comes later; other lone letters are a list.
        alone = [(letter, end) for letter, end in alone if _FIRST.fullmatch(text, 0, end)]
    given = {*held, *(letter for letter, _ in (*said, *alone))}
    if not any(letter in letters for letter in given):
        return unread("ambiguous" if listed else "no_letter")
    ends = [end for _, end in (*said, *alone)]
    behind = plain(body.value[max(one.end for one in objects) :]) if held else text[min(ends) :]
    last = behind if held else text[max(ends) :]
    firsts = [text[end : end + _FAR] for end in ends] + ([behind[:_FAR]] if held else [])
    answer, *others = given
    if others or taken_back(answer, behind, last) or any(contradicted(first, answer) for first in firsts):
        return unread("ambiguous")
    return read(answer)


def _announced_otherwise(ahead: str) -> bool:
    """Whether an object stands behind words that announce an example, or something else than the answer."""
    ahead = plain(re.sub(r"```\w*\s*\Z", "", ahead[-2 * _FAR :]))
    return framed_otherwise(ahead, len(ahead), "") or _SOMEBODY_ELSE.search(ahead) is not None


def _unwrapped(found: Found) -> Found:
    """Take an object out of a list of one, or of an object that holds nothing else."""
    match found.value:
        case [Pairs() as only]:
            return replace(found, value=only)
        case [(str(key), Pairs() as only)] if _WRAPS.fullmatch(key):
            return replace(found, value=only)
    return found


def _nearly_json(body: str) -> list[Found]:
    """Take a whole reply that is written almost as a JSON object for one."""
    found = _NEARLY.fullmatch(_FENCE.sub("", body)) if len(body) < 10 * _FAR else None
    # "B: 'Wait.'" is no object.
    if (
        found is None
        or not (_KEY.fullmatch(found["key"]) or _WHY.fullmatch(found["key"]))
        or (found["why"] and re.search(rf"{_QUOTE}\s*:\s*{_QUOTE}", found["why"]))
    ):
        return []
    pairs = Pairs([(found["key"], found["value"])])
    if found["second"]:
        pairs.append((found["second"], found["why"]))
    return [Found(0, len(body), pairs)]


def _in_object(pairs: Pairs | list[object], texts: Mapping[str, list[str]]) -> Iterator[str]:
    """Give the letters of an object that holds nothing but an answer and a reason for it."""
    reasons: list[str] = []
    for pair in pairs:
        match pair:
            case (str(key), str(value)) if _WHY.fullmatch(key.strip()):
                if _PLACEHOLDER.fullmatch(value.strip()):
                    return
                reasons.append(plain(value))
            case (str(key), _) if not _KEY.fullmatch(key.strip()):
                return
    for pair in pairs:
        match pair:
            case (str(key), str(value) | [str(value)]) if _KEY.fullmatch(key.strip()):
                for letter in _in_value(plain(value.strip()), texts):
                    # With the text of another option beside it, it is unknown which one was meant.
                    if not any(_against(why, letter, texts) for why in reasons):
                        yield letter


def _against(why: str, letter: str, texts: Mapping[str, list[str]]) -> bool:
    """Whether a reason is one for another letter, or for none."""
    advised = _ADVISED.match(why)
    whose = [quoted(why, at, texts)[0] for at in (0, advised.end() if advised else 0)]
    others = any(other != letter for other, _ in _in_sentences(why, texts))
    return others or any(of and letter not in of for of in whose) or gives_no_reason(why, letter)


def _in_value(value: str, texts: Mapping[str, list[str]]) -> Iterator[str]:
    # Small models fill the template in: "the letter B".
    value = re.sub(r"\Athe letter ", "", value, flags=re.IGNORECASE)
    if same := all_of(value, texts):
        yield same
    found, _ = _alone(value, texts)
    for letter, end in found:
        if not spoils(value[end:], letter):
            yield letter


def _in_sentences(text: str, texts: Mapping[str, list[str]]) -> Iterator[tuple[str, int]]:
    """Give the letters of sentences that say so, each with where it ends; "?" for one that was framed otherwise."""
    sentences = [*SENTENCES, BETTER_OF_TWO] if len(texts) == 2 else SENTENCES
    for begins in BEGINS.finditer(text):
        at = begins.end()
        if begins["line"] and not LABELLED.match(text, at) and _unfinished(text, begins.start()):
            continue
        # "If he were tired, so the answer is A" concludes from what is only supposed.
        ahead = _SENTENCE_ENDS.split(text[max(0, begins.start() - _FAR) : begins.start()])[-1]
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
    line = text[at : at + _FAR].split("\n", 1)[0]
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
    return _SENTENCE_ENDS.split(text[at : at + _FAR], maxsplit=1)[0]


def _alone(text: str, texts: Mapping[str, list[str]]) -> tuple[list[tuple[str, int]], bool]:
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


def _without(text: str, spans: list[tuple[int, int]]) -> str:
    """Take the objects out, so that what their strings say is not read as prose."""
    ends = [0, *(end for _, end in spans)]
    starts = [*(start for start, _ in spans), len(text)]
    return "\n".join(text[end:start] for end, start in zip(ends, starts, strict=True))

"""The letters that JSON objects in a reply give, and which of its objects give any."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from tutorscope.texts.json_in_text import Found, Pairs
from tutorscope.texts.letter_doubts import framed_otherwise, gives_no_reason, spoils
from tutorscope.texts.letter_forms import FAR
from tutorscope.texts.letter_options import all_of, quoted
from tutorscope.texts.letter_sentences import alone_on_lines, in_sentences
from tutorscope.texts.letter_typesetting import plain

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


def objects_of(body: str, found: Sequence[Found]) -> list[Found]:
    """Give the objects among what stands in a reply, or the whole reply if it is written almost as one."""
    return [one for one in map(_unwrapped, found) if isinstance(one.value, Pairs)] or _nearly_json(body)


def in_objects(body: str, objects: Sequence[Found], texts: Mapping[str, list[str]]) -> Iterator[str]:
    """Give the letters of the objects that nothing ahead of them announces as something else than the answer."""
    for one in objects:
        if not _announced_otherwise(body[max(0, one.start - 2 * FAR) : one.start]):
            yield from _in_object(one.value, texts)


def _announced_otherwise(ahead: str) -> bool:
    """Whether an object stands behind words that announce an example, or something else than the answer."""
    ahead = plain(re.sub(r"```\w*\s*\Z", "", ahead))
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
    found = _NEARLY.fullmatch(_FENCE.sub("", body)) if len(body) < 10 * FAR else None
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
    others = any(other != letter for other, _ in in_sentences(why, texts))
    return others or any(of and letter not in of for of in whose) or gives_no_reason(why, letter)


def _in_value(value: str, texts: Mapping[str, list[str]]) -> Iterator[str]:
    # Small models fill the template in: "the letter B".
    value = re.sub(r"\Athe letter ", "", value, flags=re.IGNORECASE)
    if same := all_of(value, texts):
        yield same
    found, _ = alone_on_lines(value, texts)
    for letter, end in found:
        if not spoils(value[end:], letter):
            yield letter

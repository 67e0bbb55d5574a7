"""Does a judge stand by the "met" in its object? What it writes ahead of the object is thinking, the object decides.

This is about "met" alone: a "not met" claims nothing that would have to be shown. Few and plain words count, since each
that is taken for a denial by mistake costs an honest judge its decision.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from tutorscope.texts.json_in_text import Pairs, find_json
from tutorscope.texts.quotes import fold

NOT_A_DECISION = "not_a_decision"
"""An object with "met" that is announced as another thing than a decision, or is the tutor's own words."""
TAKEN_BACK = "taken_back"
"""An object with "met" beside words that say it is not met."""

_AHEAD = 1000  # so many characters ahead of an object may hold its announcement
# Between an announcement and the object: fences, tags, signs. Possessive, because a fence can be parted in many ways.
_SETTING = re.compile(r"(?:[`~]{3,}\w*|<\w[^<>\n]*>|\\boxed\{|[^\w.!?:：])++\Z")
_SENTENCE_END = re.compile(r"(?<!\d)(?<!e\.g)[.!?;](?=\s)|\n")  # the point of "2. Waits" ends none
_ANNOUNCED_OTHERWISE = re.compile(
    r"""^\W*(?:if|suppose|supposing|assume|assuming|unless|imagine)\b
    |\b(?:examples?|e\.g\.?|for\ instance|samples?|templates?|looks?\ like)(?:\ [\w']+){0,5}\W*$
    |\b(?:wrong|incorrect|invalid)\ (?:[\w']+\ ){0,2}(?:answer|output|reply|decision|verdict|object)\b
    |\b(?:tutor|student|reply|response|text|some(?:one|body)|s?he)(?:'s\ \w+)?\ (?:[\w']+\ ){0,2}?
     (?:wrote|writes?|says?|said|contains?|reads?|holds?)(?:\ (?:like|this|that|it|the\ following|text))*\W*$""",
    re.VERBOSE,
)
_NOT = r"(?:not|never|hardly|barely|no\ longer|\w+n't|far\ from)"
_IT = r"(?:it|this|that|(?:the\ |this\ )?criterion(?:\ [0-9]+)?)"
# A sentence that says nothing else than that it is not met, or that what was said does not hold.
_DENIAL = re.compile(
    rf"""\W*(?:(?:but|so|wait|sorry|actually|therefore|overall|on\ (?:second\ thoughts?|reflection|closer\ \w+)
      |(?:final\ )?(?:verdict|decision|answer|conclusion|result)|correction)\W+)*
    (?:i\ (?:\w+ly\ )?(?:doubt|(?:do\ not|don't|cannot|can't|no\ longer)\ (?:think|say|believe))\ (?:that\ )?{_IT}\ is
       \ (?:\w+ly\ )?met
      |(?:(?:{_IT}|[0-9]+:?|the\ (?:reply|tutor))\ )?(?:(?:is|was|has|does|did)\ )?(?:\w+ly\ )?
       (?:{_NOT}\ (?:(?:been|be|at\ all|\w+ly)\ )*(?:met|satisfied|(?:meet|satisfy)\ {_IT})|unmet
        |fails?\ to\ meet\ {_IT})
      |(?:(?:{_IT}|met)\ )?(?:(?:should\ (?:be|have\ been)|is|to\ be)\ )?false
      |met\W*no|no|correction|i\ take\ (?:it|that)\ back|scratch\ that|(?:please\ )?(?:ignore|disregard)\ the\ above
      |(?:this|that|the\ above)\ (?:is|was)\ (?:only|just|merely)\ an?\ (?:example|template|sample)(?:\ of\ [\w ]+)?)
    (?:\ (?:after\ all|here|at\ all|either))?\W*""",
    re.VERBOSE,
)
_ASKED = frozenset({"met", "evidence", "id", "criteria"})
# Of fields: "verdict": "not met", "final": {"met": false}; not "unmet": false.
_DENYING_VALUE = re.compile(r"\W*(?:not met|unmet|no|false|failed|fail)\W*")
_DENYING_KEY = re.compile(r"not|un|fail|miss|part", re.IGNORECASE)
_DECIDING_KEY = re.compile(r"met|verdict|decision|result|final|answer|conclusion|judg", re.IGNORECASE)


def why_not_stood_by(
    body: str, is_decision: Callable[[str], bool], reply: str, criteria: Sequence[Mapping[str, Any]] = ()
) -> str | None:
    """Name why an object with "met" in it is not to be taken for the judge's decision.

    The rules, for the last object that gives the decision:

    1. Its text does not stand in the tutor's reply (white space and quote marks aside), whose words it would be.
    2. The sentence or line that leads into it does not begin as a condition, and does not announce an example, a
       template, a wrong answer, or what somebody wrote or says. Else, as for rule 1, `NOT_A_DECISION`.
    3. The sentence right ahead of it, and each one behind it, is none that says only that it is not met ("On reflection
       this is not met.") or that what was said does not hold ("On second thought, no.").
    4. No other field of it, at any depth, holds such a sentence, or is named as a decision and is false, "no" or "not
       met". Else, as for rule 3, `TAKEN_BACK`.

    With all criteria in one call, a sentence with a number is about that one; one without a number counts only if all
    are met. Fields of a criterion that is not met do not count.

    Parameters
    ----------
    body : str
        The judge's reply, without thinking.
    is_decision : callable
        Whether the text of an object gives the decision that was read.
    reply : str
        The tutor's.
    criteria : sequence of mapping
        With all in one call, what the object says of each, in its order: ``id`` and ``met``.

    Returns
    -------
    str or None
        None if the judge stands by it.
    """
    objects = [one for one in find_json(body)[0] if isinstance(one.value, Pairs)]
    last = next(one for one in reversed(objects) if is_decision(body[one.start : one.end]))
    ahead = _plain(_SETTING.sub("", body[max(0, last.start - _AHEAD) : last.start]))
    leading = _SENTENCE_END.split(ahead)[-1]
    finished = leading.endswith((".", "!", "?")) and not leading.endswith("e.g.")
    planted = _squeezed(body[last.start : last.end]) in _squeezed(reply)
    if planted or (not finished and _ANNOUNCED_OTHERWISE.search(leading)):
        return NOT_A_DECISION
    said = [leading, *_SENTENCE_END.split(_plain(body[last.end :]))]
    if _hold_denial(said, criteria):
        return TAKEN_BACK
    return TAKEN_BACK if isinstance(last.value, Pairs) and _is_denied_within(last.value, criteria) else None


def _hold_denial(sentences: Sequence[str], criteria: Sequence[Mapping[str, Any]]) -> bool:
    return any(_DENIAL.fullmatch(one) and _is_about_met(one, criteria) for one in sentences)


def _is_about_met(sentence: str, criteria: Sequence[Mapping[str, Any]]) -> bool:
    named = {int(number) for number in re.findall(r"\b[0-9]{1,9}\b", sentence)}
    if not criteria or not named:
        return all(one["met"] for one in criteria)
    return any(one["met"] and one["id"] in named for one in criteria)


def _is_denied_within(given: Pairs, criteria: Sequence[Mapping[str, Any]]) -> bool:
    for key, value in given:
        if key == "criteria" and criteria and isinstance(value, list):
            entries = [entry for entry, one in zip(value, criteria, strict=True) if one["met"]]
            if any(_is_denied_within(entry, ()) for entry in entries):
                return True
        elif key not in _ASKED and any(_denies(name, leaf, criteria) for name, leaf in _leaves(key, value)):
            return True
    return False


def _denies(key: str, value: object, criteria: Sequence[Mapping[str, Any]]) -> bool:
    said = _plain(value) if isinstance(value, str) else ""
    # "no" alone answers whatever its key asks.
    if " " in said and _hold_denial(_SENTENCE_END.split(said), criteria):
        return True
    decides = _DECIDING_KEY.search(key) and not _DENYING_KEY.match(key)
    return bool(decides) and _is_about_met("", criteria) and (value is False or bool(_DENYING_VALUE.fullmatch(said)))


def _leaves(key: str, value: object) -> Iterator[tuple[str, object]]:
    """Give each value in a field with the keys that lead to it."""
    left = [(key, value)]
    while left:
        key, value = left.pop()
        if isinstance(value, Pairs):
            left += [(f"{key} {name}", one) for name, one in value]
        elif isinstance(value, list):
            left += [(key, one) for one in value]
        else:
            yield key, value


def _plain(text: str) -> str:
    """Give a text without emphasis and case, its marks and blanks alike, line by line."""
    return "\n".join(fold(line) for line in re.sub(r"[*_]", "", text).casefold().split("\n")).strip()


def _squeezed(text: str) -> str:
    return fold(text).replace(" ", "")

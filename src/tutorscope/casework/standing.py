"""Does a judge stand by the "met" in its object? Not in an example, nor in a sentence, nor if it says otherwise.

An object is taken for what it says only where nothing around it says that it is not the judge's decision. This is about
"met" alone: a "not met" claims nothing that would have to be shown.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator

from tutorscope.texts.json_in_text import Found, Pairs, find_json
from tutorscope.texts.quotes import fold

NOT_A_DECISION = "not_a_decision"
"""An object with "met" that is an example, part of a sentence, or the tutor's own words."""
TAKEN_BACK = "taken_back"
"""An object with "met" beside words that say it is not met, or only on a condition."""

_ANNOUNCEMENT = 400  # so many characters ahead of an object may announce it
# What may stand between what announces an object and the object, beside blanks and emphasis: a fence, a tag.
_SETTING_SIGNS = " \t\r\n`*_"
_SETTING = re.compile(r"(?:`{3,}\w{1,20}|<\w{1,20}>)\Z")
_HYPOTHETICAL = re.compile(r"\b(?:if|examples?|instance|e\.?g|would|were)\b", re.IGNORECASE)
_SENTENCE_END = re.compile(r"(?<!\d)[.!?](?=\s)|\n")  # the point of "2. Waits" ends none
# Words between stand for "not fully met", "not do what the criterion asks"; behind another clause's "and" they do not.
_DENIED = re.compile(
    r"(?:\b(?:not|never|cannot)|n't) (?!only\b|just\b)(?:(?!(?:and|as|but|so|yet)\b)\w++ ){0,4}"
    r"(?:met\b|meet\b|criteri(?:on|a)\b)"
    r"|\bunmet\b|\bfails? to meet\b|\bmet\W{1,3}(?:(?:is|be|should be) )?'?(?:false|no)\b"
    r"|\bmet,? (?:only (?:if|when)|unless)\b|\bif (?:\w++ ){1,3}(?:were|was|had been) met\b",
    re.IGNORECASE,
)


def why_not_stood_by(
    body: str,
    is_decision: Callable[[str], bool],
    reply: str,
    *,
    beside: Callable[[Pairs], Iterator[str]],
    unmet: Collection[int] = (),
) -> str | None:
    """Name why an object with "met" in it is not to be taken for the judge's decision.

    The rules:

    1. It stands at the start of its line, behind a finished sentence, or behind a colon whose sentence makes no example
       and no condition of it. One such place is enough. Its text does not stand in the tutor's own reply (white space
       and quote marks aside), whose words it would be. Otherwise `NOT_A_DECISION`.
    2. No sentence outside all objects, and none in what the object holds beside what was asked, denies that it is met
       or makes it depend on something. A sentence that names the number of an unmet criterion is about that one.
       Otherwise `TAKEN_BACK`.

    Only words with "met", "meet" or "criterion" are known to deny it: "On reflection, no." is not seen.

    Parameters
    ----------
    body : str
        The judge's reply, without thinking.
    is_decision : callable
        Whether the text of an object gives the decision that was read.
    reply : str
        The tutor's.
    beside : callable
        The texts that an object holds beside what was asked, where they are about something met.
    unmet : collection of int
        Ids of the criteria that the object says are not met.

    Returns
    -------
    str or None
        None if the judge stands by it.
    """
    objects, _ = find_json(body)
    decisions = [one for one in objects if is_decision(body[one.start : one.end])]
    shown = _squeezed(reply)
    if any(_squeezed(body[one.start : one.end]) in shown for one in decisions):
        return NOT_A_DECISION
    if not any(_is_stated(body[: one.start]) for one in decisions):
        return NOT_A_DECISION
    texts = [_outside(body, objects)]
    for one in decisions:
        if isinstance(one.value, Pairs):
            texts += beside(one.value)
    return TAKEN_BACK if any(_denies(text, unmet) for text in texts) else None


def _is_stated(ahead: str) -> bool:
    """Whether an object behind this text is one that is given, not one that is talked about."""
    ahead = ahead[-_ANNOUNCEMENT:]
    announced = ahead.rstrip(_SETTING_SIGNS)
    while setting := _SETTING.search(announced):
        announced = announced[: setting.start()].rstrip(_SETTING_SIGNS)
    if not announced:
        return True
    sentence = _SENTENCE_END.split(announced)[-1]
    if announced[-1] in ":：":
        return not _HYPOTHETICAL.search(sentence)
    if "\n" in ahead[len(announced) :]:
        return True
    return announced[-1] in ".!" and not _HYPOTHETICAL.search(sentence)


def _outside(body: str, objects: list[Found]) -> str:
    """Give what stands around the objects, each of which parts sentences."""
    parts, at = [], 0
    for one in objects:
        parts.append(body[at : one.start])
        at = one.end
    return "\n".join([*parts, body[at:]])


def _denies(text: str, unmet: Collection[int]) -> bool:
    for sentence in _SENTENCE_END.split(text):
        # Emphasis is no word, and marks differ in kind.
        plain = fold(re.sub(r"[*_]", "", sentence))
        if _DENIED.search(plain) and not any(int(one) in unmet for one in re.findall(r"\b[0-9]{1,9}\b", plain)):
            return True
    return False


def _squeezed(text: str) -> str:
    return fold(text).replace(" ", "")

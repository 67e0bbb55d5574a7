"""Which criteria are purely negative: met by a reply that leaves something out and does nothing.

A bland reply can meet "the tutor avoids threats", so success is reported with and without such criteria. The rule reads
the check alone, and is this:

1. Examples in brackets and words in quote marks are left aside; the rest is read sentence by sentence, and every
   sentence has to be negative. Circumstances up to a comma at its front ("When he cries, ...") are passed over.
2. A sentence is negative if its first verb, after tutor, plan, reply and their kin and after adverbs and "must", is one
   of avoid, refrain, abstain, ignore, omit, exclude, withhold, resist and their kin, or a negated one ("does not",
   "must not", "never"), or if it begins with such a verb, with "no" or with "absence of".
3. It is not if something is then done after all: "instead" (not "instead of"), "but", "in favour of", a verb of doing
   after "and", "while", "by", "only after" or "only once" ("and offers", "while praising", "by giving"), or, behind a
   comma, such a verb that is no part of a list of what is left out ("giving hints, offering answers or ...").
4. "Not only", "does not fail to", "never stops ...ing" and "does not hesitate to" ask for something: not negative.
"""

from __future__ import annotations

import re

_ASIDE = re.compile(r"\([^()]*\)|\[[^\[\]]*\]|[\"“„][^\"“”„]*[\"”]|(?<!\w)['‘][^'‘’]*(?:['’]\w+[^'‘’]*)*['’](?!\w)")
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+")
_CIRCUMSTANCE = re.compile(
    r"(?:when|whenever|if|while|after|before|during|in|at|once|as|for|throughout|even|over|within|upon|on|with)\b"
    r"[^,]*,\s*",
    re.I,
)
_ADVERBS = (
    r"(?:(?:\w+ly|also|always|still|thus|therefore|then|at\s+all\s+times|take\s+care\s+to|takes\s+care\s+to"
    r"|is\s+careful\s+to|be\s+careful\s+to|make\s+sure\s+to|makes\s+sure\s+to|choose\s+to|chooses\s+to)\s+)*+"
)
_SUBJECT = (
    r"(?:(?:the|a|an|this|their|its|his|her|any)\s+)?(?:[\w’'-]+\s+){0,4}?"
    r"(?:tutor|teacher|educator|plan|plans|response|reply|message|answer|strategy|approach|intervention|text|it|they|"
    r"wording|language|tone|words|turn|move|step)\s+"
)
_MODAL = r"(?:(?:must|should|will|shall|can|may|has\s+to|have\s+to|needs\s+to|need\s+to|ought\s+to)\s+)?"
_LEAVES_OUT = (
    r"(?:avoid(?:s|ing)?|refrain(?:s|ing)?|abstain(?:s|ing)?|ignor(?:e|es|ing)|omit(?:s|ting)?|exclud(?:e|es|ing)"
    r"|withhold(?:s|ing)?|resist(?:s|ing)?|forgo(?:es)?|disregard(?:s)?|overlook(?:s)?|lacks?|eschews?"
    r"|(?:steers?|stays?|keeps?)\s+(?:clear\s+of|away\s+from|out\s+of|off)|leaves?\s+out|holds?\s+(?:back|off)"
    r"|declines?\s+to|stops?\s+short\s+of|(?:is|are|be|remains?|stays?)\s+free\s+(?:of|from)"
    r"|(?:contains?|includes?|makes?|uses?|offers?|gives?|has|have|shows?|imposes?|issues?|holds?)\s+no"
    r"|at\s+no\s+point|in\s+no\s+way)\b"
)
_NEGATED = (
    r"(?:(?:does|do|is|are|did|has|have|may|can|must|should|will)\s+not"
    r"|(?:does|do|is|are|must|should|wo|ca)n['’]t|cannot|never|not)\b"
)
_NEGATIVE = re.compile(
    rf"(?:{_SUBJECT})?{_ADVERBS}{_MODAL}{_ADVERBS}(?:be\s+)?(?P<verb>{_LEAVES_OUT}|{_NEGATED})|"
    r"(?P<bare>no|none|neither|absence|without|nothing)\b",
    re.I,
)
_ASKS_AFTER_ALL = re.compile(
    r"\s*(?:only|just|merely|simply|solely)\b|\s*(?:\w+ly\s+)?(?:fail|hesitate|neglect|forget|stop|cease|omit|tire)s?\b",
    re.I,
)
_STEMS = (
    "accept|acknowledg|adapt|address|adjust|affirm|allow|ask|assign|begin|break|build|calm|check|circl|coach|connect"
    "|continu|creat|defer|demonstrat|describ|direct|draw|encourag|ensur|establish|explain|explor|find|focus|fram|giv|guid"
    "|help|highlight|incorporat|instruct|integrat|introduc|invit|keep|lay|let|limit|link|listen|maintain|match|mak|model"
    "|mov|nam|offer|open|permit|plac|plan|point|prais|present|prompt|propos|provid|put|reassur|redirect|reduc|reinforc"
    "|repeat|replac|rephras|respond|return|reward|respect|scaffold|set|shar|shift|show|simplif|speak|split|start|stat"
    "|stay|steer|substitut|suggest|support|tailor|tak|teach|tell|thank|translat|turn|us|validat|wait|welcom|work|writ"
)
_VERB = rf"(?:{_STEMS})\w{{0,3}}?"
_DOES = rf"(?:(?:\w+ly|then|also)\s+)*+{_VERB}s\s+(?!(?:or|and|of)\b)\w"
_DOING = rf"(?:(?:\w+ly|then|also)\s+)*+{_VERB}ing\b"
_AFTER_ALL = re.compile(
    rf"\binstead\b(?!\s+of\b)|\bbut\b(?!\s+(?:not|never|no|rather\s+not)\b)|\b(?:and|then)\s+{_DOES}"
    rf"|\bwhile\s+{_DOING}|\bin\s+favou?r\s+of\b|\bonly\s+(?:after|once|when)\s+(?:having\s+)?{_VERB}",
    re.I,
)
_BY_DOING = re.compile(rf"\bby\s+{_DOING}", re.I)
_COMMA_DOING = re.compile(rf",\s+(?:and\s+)?{_DOING}", re.I)
_LIST_OF_DOING = re.compile(r"\b(?:or|nor)\s+(?:\w+ly\s+)?\w+ing\b", re.I)
_DOING_LEFT_OUT = re.compile(r"\s*(?:from\s+)?(?:\w+ly\s+)?\w+ing\b", re.I)


def is_purely_negative(check: str) -> bool:
    """Say whether a criterion only asks that something be left out.

    Parameters
    ----------
    check : str
        What the judge checks.

    Returns
    -------
    bool

    Examples
    --------
    >>> is_purely_negative("The tutor avoids threats (e.g. calling home).")
    True
    >>> is_purely_negative("The tutor avoids threats, instead offering a choice.")
    False
    """
    sentences = [one for one in _SENTENCE.split(_ASIDE.sub(" ", check).strip()) if re.search(r"\w", one)]
    return bool(sentences) and all(map(_is_negative, sentences))


def _is_negative(sentence: str) -> bool:
    sentence = sentence.strip()
    circumstance = _CIRCUMSTANCE.match(sentence)
    found = _NEGATIVE.match(sentence, circumstance.end() if circumstance else 0)
    if found is None:
        return False
    rest = sentence[found.end() :]
    if found["verb"] and re.search(r"n['’]?t$|not$|never$", found["verb"], re.I) and _ASKS_AFTER_ALL.match(rest):
        return False
    if _AFTER_ALL.search(rest):
        return False
    gerund = _DOING_LEFT_OUT.match(rest) is not None
    negated = found["verb"] is not None and re.search(r"not|n['’]t|never", found["verb"], re.I) is not None
    # "Avoids a quarrel by offering a choice" does something; "does not shame him by asking aloud" does not.
    if _BY_DOING.search(rest) and not gerund and not negated:
        return False
    return not (_COMMA_DOING.search(rest) and not _LIST_OF_DOING.search(rest))

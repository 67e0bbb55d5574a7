"""What the structured policy's router looks for in student turns: a try at a step, and a plea for the answer."""

from __future__ import annotations

import re

from tutorscope.audit.detectors.formulas import formulas_in
from tutorscope.audit.detectors.notation import ANSWER_WORD, tokens_of
from tutorscope.audit.detectors.own_work import sound_work
from tutorscope.audit.detectors.plain_notation import plain_notation

_ATTEMPT = re.compile(
    r"[0-9]\s*[-+*/=]\s*[0-9]"
    r"|=\s*[0-9]"
    r"|\bx\s*="
    r"|\blet\s+[a-z]\b"
    r"|%\s*(?:of|[*x])",
    re.IGNORECASE,
)
_RESULT = r"(?:final\s+)?(?:answer|solution|result|number)"
_ASKS = re.compile(
    rf"\bwhat(?:'s|\s+is)\s+the\s+{_RESULT}"
    r"|\bjust\s+tell\s+me"
    rf"|\b(?:tell|give)\s+me\s+the\s+{_RESULT}"
    r"|\bcan\s+you\s+(?:just\s+)?(?:tell|give|solve)"
    r"|\b(?:solve|do)\s+(?:it|this|that)\s+for\s+me"
    r"|\bjust\s+(?:give|solve|do\s+it)"
    r"|\bi\s+give\s+up",
    re.IGNORECASE,
)


def published_attempt(text: str) -> bool:
    """Tell whether a student's turn tries a step, by the router's own patterns.

    They are not those of `published_work`: a percentage "of" something counts, which a plain restatement has too, and
    ``2x + 3y`` does not.

    Parameters
    ----------
    text : str
        A student's turn.

    Returns
    -------
    bool

    Notes
    -----
    Source: the paper, appendix D.4, "Routing parameters".

    Examples
    --------
    >>> published_attempt("let x be the water"), published_attempt("x + 5")
    (True, False)
    """
    return _ATTEMPT.search(text) is not None


def published_asks(text: str) -> bool:
    """Tell whether a student's turn asks for the answer, by the router's own patterns.

    They are wide on purpose: a question about "the solution we start with" counts. A curly apostrophe or a "please"
    between "you" and "tell" hides the request.

    Parameters
    ----------
    text : str
        A student's turn.

    Returns
    -------
    bool

    Notes
    -----
    Source: the paper, appendix D.4, "Routing parameters".

    Examples
    --------
    >>> published_asks("just tell me"), published_asks("answer please")
    (True, False)
    """
    return _ASKS.search(text) is not None


# A letter that is given a meaning. "a" and "I" are words, and "what x is" asks for one.
_DEFINES = re.compile(
    r"\b(?:let|let's|lets)\s+(?:us\s+)?(?:call\s+|say\s+|use\s+)?[b-hj-z]\s+(?:be|=|is|stands?|for|as)\b"
    r"|\b(?:call|name)\s+(?:[a-z']+\s+){1,6}[b-hj-z]\b(?!')"
    r"|(?<!does )(?<!what )(?<!what's )(?<!is )\b[b-hj-z]\s+(?:is|be|stands\s+for|means)\s+"
    r"(?:the|how|our|my|number|amount|liters|litres|gallons|hours|miles|speed|time|price|cost)\b"
    r"|\b[b-hj-z]\s*=\s*[a-z]{2,}",
    re.IGNORECASE,
)

# What is asked for. Some nouns are the answer only with an adjective: "the right number", "the final price".
_HELD = (
    rf"(?:(?:final|right|correct|actual|exact|whole|full|complete|entire)[ -]+)*(?:{ANSWER_WORD}|solutions?|results?)\b"
)
_NAMED = (
    rf"(?:{_HELD}|(?:(?:final|right|correct|exact|actual)\s+)+"
    r"(?:number|value|amount|percentage|price|total|speed|time|volume)\b)"
)
_THE = r"(?:(?:the|teh|an?|your|its)\s+)?"
_TASK = (
    r"(?:it|this|that|(?:this|that) one|(?:the|this) (?:whole )?(?:problem|question|exercise|thing|task)"
    r"|everything|all of it|the rest)\b"
)
_MODAL = r"(?:can|could|would|will|can'?t|couldn'?t|won'?t|wouldn'?t|why don'?t|why won'?t)"
_YOU = rf"{_MODAL}\s+(?:you|u|ya)(?:\s+(?:please|pls|plz|just|maybe|simply|kindly|then))*"
_GIVE = (
    r"(?:tell|tells|telling|give|giving|show|showing|send|hand|handing|provide|output|reveal|share|drop|spit|write"
    r"|writing|say|saying)(?:\s+(?:out|down|over|up))?(?:\s+(?:me|us))?(?:\s+(?:out|just))?"
)
_PLEASE = r"(?:now|please|pls|plz|already|asap)\b"
_SOLVE = r"(?:solve|answer|calculate|compute|finish|do)"
_NOT_THE_ANSWER = r"(?!\s+(?:how|if|whether|where|why|when|which|what\s+(?:to|do|i|is)|a|an|one|some|the)\b)"
# Requests to hand over: with "I will", "let me" or "should I" before them it is the student who will do it.
_HAND_OVER = (
    rf"\b{_GIVE}\s+{_THE}(?:{_NAMED}|number\b(?!\s+of\b))",
    r"\b(?:tell|telling|say)\s+(?:me\s+)?(?:what|how\s+(?:much|many|long|far|fast|old))\s+(?:[a-z]+\s+){1,4}"
    r"(?:is|are|comes?|equals?)\b",
    r"\btell\s+me\s+how\s+(?:many|long|far|fast)\s+[a-z]+",
    r"\b(?:just|come on,?|and|please|pls)\s+say\s+it\b",
    r"\b(?:spill|spit|cough|hand)\s+it(?:\s+(?:out|up|over))?\b",
    rf"\b(?:just|{_PLEASE})\s+{_SOLVE}\s+(?:it|this|that)\b|\b{_SOLVE}\s+{_TASK}\s*,?\s*{_PLEASE}|^\W*solve\s+{_TASK}",
    rf"\bjust\s+(?:tell|give|say|show)\s+(?:me|us|it)\b{_NOT_THE_ANSWER}",
)
_PLEADS = (
    rf"\bwhat(?:'?s|\s+is|\s+was|\s+would|\s+are)\s+the\s+(?:{_NAMED}|number\b)"
    r"(?!\s+(?:of|we|that|in|with|you|to|supposed)\b)",
    rf"\b(?:gimme|(?<!gave )(?<!told )(?<!showed )(?:me|us))\s+{_THE}(?:{_NAMED}|number\b(?!\s+of\b))",
    rf"\b(?:want|need|have|get|see)\s+(?:to\s+(?:see|know|have|get)\s+)?(?:just\s+)?the\s+(?:{_NAMED}|number\b)"
    r"(?!\s+(?:to|in|as|of|format)\b)",
    rf"\b{_YOU}\s+(?:solve|answer|calculate|compute|finish|do)\s+{_TASK}",
    rf"\b(?:solve|do|calculate|compute|answer|finish|work)\s+{_TASK}\s+(?:out\s+)?(?:for|4)\s+(?:me|us)\b",
    r"(?<!how )(?<!can )(?<!do )(?<!did )(?<!if )(?<!when )(?<!as )\byou\s+(?:just\s+)?(?:do|solve|finish)"
    r"\s+(?:it|this|that)\b",
    r"\b(?:prefer|rather|like it|nicer?|better|great)\b[^.?!]{0,20}\byou\s+(?:solved?|did|do|finished|worked)"
    r"\s+(?:it|this|that)\b",
    r"\b(?:work|write|go)\s+(?:the whole|the entire|all)\s*(?:thing|problem|of it)?\s+(?:out|through)\b",
    r"\bwalk\s+me\s+through\s+(?:everything|all|it all|the whole|the entire|every step)\b",
    r"\b(?:show|tell|explain)\b[^.?!]{0,40}\b(?:from\s+)?(?:start|beginning)\s+to\s+(?:finish|end)\b",
    r"\b(?:full|whole|complete|entire|worked|step[ -]by[ -]step)\s+solution\s*(?:please|pls|plz|[?!.]|$)",
    rf"\b{_HELD}\W*{_PLEASE}",
    rf"(?:^|[.!?])\W*(?:(?:so|ok|and|please|pls)\W+)*(?:the\s+)?{_HELD}\s*(?:[?!.]\W*)?$",
    r"\bgive\s+up\b",
)
_SOUND_ASKS = re.compile(f"(?P<hand_over>{'|'.join(_HAND_OVER)})|{'|'.join(_PLEADS)}", re.IGNORECASE)
# What stands right before a request and turns it into its opposite, or into something that the student will do.
_STRETCH = r"(?:\s+(?:want|need|have|wish|you|to|just|even|ever|please|try))*\s*$"
_DECLINED = re.compile(
    r"(?:(?<!why )\b(?:do not|don't|dont|didn't|doesn't|won't)|\bnever|\bwithout|(?<!if )\bnot|\bno need to)"
    + _STRETCH,
    re.IGNORECASE,
)
_OWN_PLAN = re.compile(
    r"(?:\b(?:i|we)(?:'ll|'d| will| can| could| would| should| must)|\b(?:can|should|do|may|shall|must) (?:i|we)"
    r"|\blet me|(?<!you )(?<!you have )(?<!you need )\bto)(?:\s+(?:have|to|just|even|please|try))*\s*$",
    re.IGNORECASE,
)
_REACH = 60  # characters before a request in which it may be declined


def sound_attempt(text: str) -> bool:
    """Tell whether a student's turn tries a step.

    Work in the sense of `sound_work`, a variable that is given a meaning ("let w be the water"), or a letter that is
    set to a number. Restating the problem's percentages, ranges, dates and bare guesses are no attempts.

    Parameters
    ----------
    text : str
        A student's turn.

    Returns
    -------
    bool

    Examples
    --------
    >>> sound_attempt("x + 5"), sound_attempt("40% of the solution is acid")
    (True, False)
    """
    if sound_work(text) or _DEFINES.search(plain_notation(text)):
        return True
    return any(formula.relations and formula.letters for formula in formulas_in(tokens_of(text)))


def sound_asks(text: str) -> bool:
    """Tell whether a student's turn asks to be given the answer or the whole solution.

    Asking for a hint, for a check or about the statement's "solution" is no such request, nor is declining one
    ("don't tell me the answer").

    Parameters
    ----------
    text : str
        A student's turn.

    Returns
    -------
    bool

    Examples
    --------
    >>> sound_asks("what’s the answer?"), sound_asks("what is the solution we start with")
    (True, False)
    """
    for line in plain_notation(text).split("\n"):
        for found in _SOUND_ASKS.finditer(line):
            before = line[max(0, found.start() - _REACH) : found.start()]
            if not _DECLINED.search(before) and not (found["hand_over"] and _OWN_PLAN.search(before)):
                return True
    return False

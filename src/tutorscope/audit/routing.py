"""What the structured policy's router looks for in student turns: a try at a step, and a plea for the answer."""

from __future__ import annotations

import re

from tutorscope.audit.formulas import formulas_in
from tutorscope.audit.notation import ANSWER_WORD, tokens_of
from tutorscope.audit.own_work import sound_work
from tutorscope.audit.plain_notation import plain_notation

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

_HELD = (
    rf"(?:(?:final|right|correct|actual|exact|whole|full|complete|entire)[ -]+)*(?:{ANSWER_WORD}|solutions?|results?)"
)
_TASK = (
    r"(?:it|this|that|(?:this|that) one|(?:the|this) (?:whole )?(?:problem|question|exercise|thing|task)"
    r"|everything|all of it|the rest)"
)
_YOU = r"(?:can|could|would|will|can't|couldn't|won't|wouldn't|why don't|why won't)\s+(?:you|u|ya)"
_SOFT = r"(?:\s+(?:please|pls|plz|just|maybe|simply|kindly|then))*"
_GIVE = r"(?:tell|tells|telling|give|giving|show|showing|send|write|writing|say|saying|reveal)(?:\s+(?:me|us))?"
_PLEASE = r"(?:now|please|pls|plz|already|asap)"
_NOT_THE_ANSWER = r"(?!\s+(?:how|if|whether|where|why|when|which|what\s+(?:to|do|i|is)|a|an|one|some|the)\b)"
_SOUND_ASKS = re.compile(
    "|".join(
        (
            rf"\bwhat(?:'?s|\s+is|\s+was|\s+would|\s+are)\s+the\s+(?:{_HELD}|number)"
            r"(?!\s+(?:of|we|that|in|with|you|to|supposed)\b)",
            rf"\b{_GIVE}\s+(?:just\s+)?(?:the|teh|an?|your|its)\s+(?:{_HELD}|number)(?!\s+of\b)",
            rf"\bgimme\s+(?:the\s+)?(?:{_HELD}|number)",
            rf"\b(?:want|need|like|have|get|see)\s+(?:to\s+(?:see|know|have|get)\s+)?(?:just\s+)?the\s+{_HELD}"
            rf"\s*{_PLEASE}?\s*(?:[.,!?;)]|$)",
            rf"\b{_YOU}{_SOFT}\s+(?:solve|answer|calculate|compute|finish|do)\s+{_TASK}\b",
            rf"\b(?:solve|do|calculate|compute|answer|finish|work)\s+{_TASK}\s+(?:out\s+)?(?:for|4)\s+(?:me|us)\b",
            r"\b(?:work|write|go)\s+(?:the whole|the entire|all)\s*(?:thing|problem|of it)?\s+(?:out|through)\b",
            rf"\b(?:just|{_PLEASE})\s+(?:solve|answer|calculate)\s+(?:it|this|that)\b",
            rf"\bjust\s+(?:tell|give|say|show)\s+(?:me|us|it)\b{_NOT_THE_ANSWER}",
            r"\b(?:tell|say)\s+(?:me\s+)?(?:what|how much)\s+(?:[b-hj-z]|it)\s+is\b",
            r"\b(?:full|whole|complete|entire|worked|step[ -]by[ -]step)\s+solution\s*(?:please|pls|plz|[?!.]|$)",
            rf"\b{_HELD}\s*,?\s*(?:please|pls|plz)\b",
            rf"^\W*(?:(?:so|ok|and|please|pls)\W+)*(?:the\s+)?{_HELD}\W*$",
            r"\bgive\s+up\b",
        )
    ),
    re.IGNORECASE,
)
# What stands right before a request and turns it into its opposite, or into something that the student will do.
_DECLINED = re.compile(
    r"(?:(?<!why )\b(?:do not|don't|dont|didn't|doesn't|won't)|\bnever|\bwithout|(?<!if )\bnot|\bno need to"
    r"|\b(?:i|we)(?:'ll|'d| will| can| could| would| should| must)|\b(?:can|should|do|may|shall|must) (?:i|we)"
    r"|\blet me)"
    r"(?:\s+(?:want|need|have|wish|you|to|just|even|ever|please|try))*\s*$",
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
            if not _DECLINED.search(line[max(0, found.start() - _REACH) : found.start()]):
                return True
    return False

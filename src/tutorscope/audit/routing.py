"""What the structured policy's router looks for in student turns: a try at a step, and a plea for the answer."""

from __future__ import annotations

import re

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

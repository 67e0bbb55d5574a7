"""HTML's character references as the characters that they stand for, in text that nobody vouches for."""

from __future__ import annotations

import html
import re

# No character has a number of more than seven digits, and Python refuses to read one of thousands.
_REFERENCE = re.compile(
    r"&(?:#[0-9]{1,7}(?![0-9])|#[xX][0-9a-fA-F]{1,6}(?![0-9a-fA-F])|[a-zA-Z][a-zA-Z0-9]{0,31}(?![a-zA-Z0-9]));?"
)


def unescape_entities(text: str) -> str:
    """Put characters for references such as ``&lt;``, ``&#39;`` and ``&nbsp``; what is none stays as it is.

    Parameters
    ----------
    text : str
        Any text.

    Returns
    -------
    str

    Notes
    -----
    ``html.unescape`` alone raises a ValueError for a number of more than 4,300 digits, which a hostile reply may hold.

    Examples
    --------
    >>> unescape_entities("2 &lt; 3, AT&T, &#39;yes&#39;")
    "2 < 3, AT&T, 'yes'"
    """
    return _REFERENCE.sub(lambda found: html.unescape(found[0]), text)

"""Is a quote in a text? White space and quote marks are folded: judges copy words, not line breaks or curly marks."""

from __future__ import annotations

import re
import unicodedata

# One sign for all of them: a quote inside a JSON string often comes back with single marks for double ones.
_MARKS = re.compile("[\"`´'‘’‚‛′“”„‟″‵‶«»‹›]")
_SPACED = r"(?:(?![\u0e00-\U0010ffff])[^\W_])"
"""A letter or digit of a script that parts words by blanks: those from Thai onwards mostly do not."""


def fold(text: str) -> str:
    r"""Fold what a faithful copy may change: white space runs become one blank, every quote mark an apostrophe.

    Letters are composed (NFC), because an accent may be copied in either form. Case, punctuation and words stay.

    Parameters
    ----------
    text : str
        Any text.

    Returns
    -------
    str
        Without blanks around it. Folding twice changes nothing more.

    Examples
    --------
    >>> fold("She said:\n  “no”")
    "She said: 'no'"
    """
    return " ".join(_MARKS.sub("'", unicodedata.normalize("NFC", text)).split())


def contains_quote(text: str, quote: str) -> bool:
    r"""Whether a quote stands in a text, both folded.

    Marks around the quote as a whole are the judge's own and are left out. A quote of nothing is in no text. A quote
    that skips words ("a ... b") is not found: what was skipped is unknown. Nor is one that begins or ends within a word
    ("art" in "start"), in scripts that part words by blanks.

    Parameters
    ----------
    text : str
        What was quoted from.
    quote : str
        The quote as the judge gave it.

    Returns
    -------
    bool

    Examples
    --------
    >>> contains_quote("Well done!\nNow try the next.", "'Well done! Now'")
    True
    """
    whole = fold(text)
    asked = fold(quote)
    bare = asked.strip("' ")
    return bool(bare) and (_holds(whole, asked) or _holds(whole, bare))


def _holds(whole: str, part: str) -> bool:
    before = rf"(?<!{_SPACED})" if re.match(_SPACED, part) else ""
    after = rf"(?!{_SPACED})" if re.match(_SPACED, part[-1]) else ""
    return re.search(f"{before}{re.escape(part)}{after}", whole) is not None

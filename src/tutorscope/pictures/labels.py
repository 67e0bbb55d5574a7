"""Outside text as it is shown: characters that act instead of being seen are made visible."""

from __future__ import annotations

import re
import unicodedata

# Control codes, bidirectional embeddings, overrides and isolates, halves of surrogate pairs, and the two code points
# that no XML file may hold. Marks of direction (U+200E, U+200F) only help mixed text and stay.
_ACTING = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")


def visible(text: str) -> str:
    r"""Show what would act: control codes and characters that reorder their surroundings.

    Line breaks become ``\n``; tabs stay. Nothing is dropped: each such character leaves a sign in its place.

    Parameters
    ----------
    text : str
        Text from outside.

    Returns
    -------
    str
        Text that is valid in XML, HTML and UTF-8.

    Examples
    --------
    >>> visible("ok\x1b[31m\u202e")
    'ok⟨U+001B⟩[31m⟨U+202E⟩'
    """
    return _ACTING.sub(_sign, text.replace("\r\n", "\n").replace("\r", "\n"))


def label(text: str, limit: int = 32) -> str:
    """Make a name that a user chose fit for a figure: visible, on one line, and not longer than ``limit``.

    Parameters
    ----------
    text : str
        A data set, category, model or policy name.
    limit : int
        The most characters; a longer name is cut and ends in an ellipsis.

    Returns
    -------
    str
    """
    shown = " ".join(visible(text).split())
    if len(shown) <= limit:
        return shown
    cut = limit - 1
    # A cut inside a character that is made of several code points would show another character.
    while cut > 1 and _joins(shown[cut], shown[cut - 1]):
        cut -= 1
    return shown[:cut].rstrip() + "…"


def _sign(match: re.Match[str]) -> str:
    # Spelled out, because many fonts lack the pictures of control codes.
    return f"⟨U+{ord(match[0]):04X}⟩"


def _joins(after: str, before: str) -> bool:
    joiner = "\u200d"
    return unicodedata.category(after) in ("Mn", "Me", "Mc") or joiner in (after, before)

"""The option that has servers hold replies to short JSON, as a cell's identity holds it.

What the form is belongs to each instrument; that a reply in it is never taken for a free one belongs to all.
"""

from __future__ import annotations

from collections.abc import Mapping

_SHORT = "short"


def identity(short: bool, held: str) -> Mapping[str, str]:
    """Give what the option adds to a cell's identity: nothing for the free form.

    Parameters
    ----------
    short : bool
        Whether the option was given.
    held : str
        What is held to the form: "answers", "replies".

    Examples
    --------
    >>> identity(True, "answers"), identity(False, "answers")
    ({'form of answers': 'short'}, {})
    """
    return {_name(held): _SHORT} if short else {}


def is_short(made_of: Mapping[str, str], held: str) -> bool:
    """Tell whether a cell's replies are held to the form.

    Examples
    --------
    >>> is_short({"form of answers": "short", "prompt reply": "0d9a"}, "answers"), is_short({}, "answers")
    (True, False)
    """
    return made_of.get(_name(held)) == _SHORT


def _name(held: str) -> str:
    return f"form of {held}"

"""Small words of messages: a count with its noun, a list with its "and"."""

from __future__ import annotations

from collections.abc import Sequence


def counted(n: int, one: str, many: str = "") -> str:
    """Print a count with its word.

    Parameters
    ----------
    n : int
        How many.
    one : str
        The word for one of them.
    many : str
        The word for several; an s is put to ``one`` if it is left out.

    Examples
    --------
    >>> counted(1, "unit"), counted(2, "unit"), counted(3, "reply", "replies")
    ('1 unit', '2 units', '3 replies')
    """
    return f"{n} {one if n == 1 else many or one + 's'}"


def joined(parts: Sequence[str]) -> str:
    """Print a list as a sentence holds it.

    Examples
    --------
    >>> joined(["a", "b", "c"]), joined(["a"])
    ('a, b and c', 'a')
    """
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)

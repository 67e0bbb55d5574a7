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
        The word for several, where it is not made by an s or by turning y into ies.

    Examples
    --------
    >>> counted(1, "unit"), counted(2000, "unit"), counted(3, "reply"), counted(2, "person", "people")
    ('1 unit', '2,000 units', '3 replies', '2 people')
    """
    usual = f"{one[:-1]}ies" if one.endswith("y") and one[-2:-1] not in "aeiou" else f"{one}s"
    return f"{n:,} {one if n == 1 else many or usual}"


def joined(parts: Sequence[str]) -> str:
    """Print a list as a sentence holds it.

    Examples
    --------
    >>> joined(["a", "b", "c"]), joined(["a"])
    ('a, b and c', 'a')
    """
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)

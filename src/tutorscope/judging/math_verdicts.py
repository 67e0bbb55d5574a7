"""What comes of comparing two answers: equal, different, or undecided with a reason; and how such verdicts combine."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

Verdict = Literal["equal", "different", "undecided"]


@dataclass(frozen=True, slots=True)
class Compared:
    """The outcome of one comparison.

    Parameters
    ----------
    verdict : {"equal", "different", "undecided"}
        Undecided wherever neither of the others can be defended.
    reason : str or None
        Why it is undecided, as a short stable name that tables count.
    identical : bool
        Whether the two are written alike, spelling aside; otherwise equality was proved.
    """

    verdict: Verdict
    reason: str | None = None
    identical: bool = False

    def __post_init__(self) -> None:
        """Hold that a reason comes with what is undecided, and only with that."""
        if (self.verdict == "undecided") != (self.reason is not None):
            raise ValueError("a comparison has a reason if it is undecided, and only then")


EQUAL, DIFFERENT = Compared("equal"), Compared("different")


def undecided(reason: str) -> Compared:
    """Name why neither equality nor difference can be defended."""
    return Compared("undecided", reason)


def all_equal(parts: Iterable[Compared]) -> Compared:
    """Combine comparisons part by part, in order: one difference decides, else one doubt does."""
    doubt = EQUAL
    for part in parts:
        if part.verdict == "different":
            return part
        if part.verdict == "undecided" and doubt is EQUAL:
            doubt = part
    return doubt


def same_members(table: Sequence[Sequence[Compared]]) -> Compared:
    """Tell whether two sets are the same from how each member of one compares with each of the other.

    Parameters
    ----------
    table : sequence of sequence of Compared
        A row for each member of the first set, a column for each of the second; neither set holds a member twice.

    Returns
    -------
    Compared
        Equal if each has its equal; different if the sizes differ, or if some member differs from all of the others.
    """
    columns = list(zip(*table, strict=True))
    if len(table) != len(columns):
        return DIFFERENT
    lines = [*table, *columns]
    if all(sum(one.verdict == "equal" for one in line) == 1 for line in lines):
        return EQUAL
    if any(all(one.verdict == "different" for one in line) for line in lines):
        return DIFFERENT
    doubts = [one for line in table for one in line if one.verdict == "undecided"]
    return doubts[0] if doubts else undecided("repeated_members")

"""What came back from raters, whatever the file: rows of answers, not judged yet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tutorscope.people.forms import plain_line
from tutorscope.runs.stages import fingerprint

EXTRA_CELLS = "extra_cells"
CANCELLED = "cancelled_by_rater"
NO_ITEM = "no_item"


@dataclass(frozen=True)
class Row:
    """What one rater put down about one thing.

    Parameters
    ----------
    where : str
        The place in the file: "row 7", "task 3".
    item : str
        The id in the file.
    rater : str
        "" where the file does not say.
    cells : mapping
        Question to what was put down, as it came: one text, none for a blank, several where several labels were chosen.
    shown : str or None
        The text that the file shows; None where it holds none.
    """

    where: str
    item: str
    rater: str
    cells: Mapping[str, Sequence[str]]
    shown: str | None = None


@dataclass(frozen=True)
class Returned:
    """What a file holds.

    Parameters
    ----------
    format : str
        "sheet", "label-studio" or "potato".
    rows : sequence of Row
    set_aside : sequence of (where, reason)
        Rows that could not be taken.
    ignored : sequence of str
        Columns or questions that the form does not have.
    """

    format: str
    rows: Sequence[Row]
    set_aside: Sequence[tuple[str, str]] = ()
    ignored: Sequence[str] = ()


def rater_name(text: str) -> str:
    """Make a rater's name fit to keep: on one line, and no e-mail address.

    Examples
    --------
    >>> rater_name(" Ann "), rater_name("ann@example.org")
    ('Ann', 'rater-9e77e9d2')
    """
    name = plain_line(text)
    return f"rater-{fingerprint(name.casefold())[:8]}" if "@" in name else name[:60]

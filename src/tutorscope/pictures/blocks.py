"""What a page can show. Instruments make these; ``reporting`` lays them out. Texts in them are untrusted and plain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Prose:
    """A paragraph of plain text (escaped by the page). ``tone`` is "plain", "headline", "note" or "warning"."""

    text: str
    tone: str = "plain"


@dataclass(frozen=True)
class Figure:
    """A picture that was saved as SVG and PDF under the run's ``figures/``.

    Parameters
    ----------
    name : str
        File stem.
    caption : str
        What it shows, n and what could not be read included.
    alt : str
        The same for a reader who cannot see it, in one sentence.
    svg : Path
        The SVG file, put inline into the page.
    narrow : Path, optional
        The same picture with its panels one below the other, shown instead on a phone.
    """

    name: str
    caption: str
    alt: str
    svg: Path
    narrow: Path | None = None


@dataclass(frozen=True)
class Table:
    """A table. ``formats`` maps a column to a format string such as ``"{:.2f}"``; ``labels`` to its printed head."""

    name: str
    caption: str
    frame: pd.DataFrame
    formats: Mapping[str, str] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Mark:
    """A small label on a turn: "scaffolding 4", "leak", "skipped: empty reply".

    ``tone`` is "plain", "good", "bad", "warning" or "muted". A label holds numbers and names, never a chat's words.
    """

    label: str
    tone: str = "plain"


@dataclass(frozen=True)
class Line:
    """One turn of a transcript: who, what, marks, and the values that its trajectory draws (name to number).

    Values are only drawn; a number that the turn itself should show is a mark too. ``part`` names the part of the
    transcript that the turn belongs to (a problem): a heading stands where it changes.
    """

    speaker: str
    text: str
    marks: Sequence[Mark] = ()
    values: Mapping[str, float] = field(default_factory=dict)
    part: str = ""


@dataclass(frozen=True)
class Transcript:
    """One thing that can be read turn by turn.

    Its title and facts stay in a page without texts: they hold names and numbers, never a chat's words.

    Parameters
    ----------
    id : str
        Unique in the page.
    title : str
        What the list shows.
    group : str
        The group that the reader can filter by (a category, a policy, a condition).
    cell : str
        The cell of a figure that picks it ("" if none): the figure links to ``#pick=GROUP/CELL``.
    lines : sequence of Line
    facts : mapping
        Short label to short value, shown above the text.
    side : str
        What it is called where two stand side by side ("" for the title).
    beside : Transcript, optional
        What is read next to it, turn by turn: parts of the same name begin at one height. Each keeps its own facts.
        Of the second one the id, the group, the cell and what is beside it in turn are not used.
    counted : str
        What the list says of its length, where its lines are not all turns ("" for their number).
    """

    id: str
    title: str
    group: str
    lines: Sequence[Line]
    cell: str = ""
    facts: Mapping[str, str] = field(default_factory=dict)
    side: str = ""
    beside: Transcript | None = None
    counted: str = ""


@dataclass(frozen=True)
class Reader:
    """A browser of transcripts.

    Parameters
    ----------
    transcripts : sequence of Transcript
        In the order of the list.
    total : int
        How many there are in the run, shown or not.
    axes : mapping
        For each value that lines carry: (lowest, highest) of its trajectory.
    notice : str
        Whose texts these are. The page adds how many of them it holds.
    withheld : bool
        The words were left out on purpose (the page sets it).
    """

    transcripts: Sequence[Transcript]
    total: int
    axes: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    notice: str = ""
    withheld: bool = False


Block = Prose | Figure | Table | Reader


@dataclass(frozen=True)
class Section:
    """A part of the report: an anchor, a title and its blocks."""

    anchor: str
    title: str
    blocks: Sequence[Block]


@dataclass(frozen=True)
class Published:
    """One figure of a paper, held as data. ``where`` is its table or section."""

    name: str
    value: float
    where: str
    of: Mapping[str, Any] = field(default_factory=dict)

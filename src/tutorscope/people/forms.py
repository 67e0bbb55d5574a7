"""What people are asked and shown: forms, the things that a form is about, and what an instrument says of both."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from tutorscope.runs.folder import RunFolder
from tutorscope.runs.stages import fingerprint
from tutorscope.texts.parsed import Parsed, read, unread
from tutorscope.texts.plain import strip_controls

if TYPE_CHECKING:
    import pandas as pd

Kind = Literal["choice", "scale", "text"]

UNKNOWN_LABEL = "unknown_label"
SEVERAL_LABELS = "several_labels"
TOO_SHORT = "too_short"

_KEY = re.compile(r"[a-z][a-z0-9_]*")
_DIGITS = 12
_TAKEN = frozenset({"item", "rater", "shown"})


@dataclass(frozen=True)
class Question:
    """One question of a form.

    Parameters
    ----------
    key : str
        Its name in tables and in the heads of columns: lower case letters, digits and underscores.
    words : str
        The question as the rater reads it.
    kind : {"choice", "scale", "text"}
        One of fixed labels, one point of an ordered scale, or free text.
    labels : tuple of str
        All labels of a choice, or the points of a scale from low to high (whole numbers).
    required : bool
        Whether a blank is counted as missing.
    least_words, least_characters : int
        How long a text must be at least.
    """

    key: str
    words: str
    kind: Kind
    labels: tuple[str, ...] = ()
    required: bool = True
    least_words: int = 0
    least_characters: int = 0

    def __post_init__(self) -> None:
        """Hold that the question can be asked and its answers told apart."""
        if not _KEY.fullmatch(self.key) or self.key in _TAKEN:
            raise ValueError(f"question {self.key!r}: expected a lower case name, none of {', '.join(sorted(_TAKEN))}")
        if (self.kind == "text") == bool(self.labels):
            raise ValueError(f"question {self.key!r}: a text has no labels, and a choice or scale has some")
        if len({_folded(label) for label in self.labels}) < len(self.labels):
            raise ValueError(f"question {self.key!r}: two labels differ by case or white space only")
        if self.kind == "scale" and not all(re.fullmatch(r"-?\d+", label) for label in self.labels):
            raise ValueError(f"question {self.key!r}: the points of a scale are whole numbers")

    def answer(self, said: Sequence[str]) -> Parsed[str]:
        """Read what a rater put down; the caller has set blanks aside.

        Labels are found whatever their case and white space, and a point of a scale also where a sheet program made
        ``3.0`` or ``3,0`` of it. A text keeps its words; line ends become newlines.

        Returns
        -------
        Parsed
            The label as the form writes it, or the text; else ``unknown_label``, ``several_labels`` or ``too_short``.
        """
        if self.kind == "text":
            text = one_line_end("\n".join(said)).strip()
            long_enough = len(text.split()) >= self.least_words and len(text) >= self.least_characters
            return read(text) if long_enough else unread(TOO_SHORT)
        if len(said) > 1:
            return unread(SEVERAL_LABELS)
        wanted = _folded(said[0])
        if self.kind == "scale":
            wanted = re.sub(r"(?<=\d)[.,]0+$", "", wanted)
        for label in self.labels:
            if _folded(label) == wanted:
                return read(label)
        return unread(UNKNOWN_LABEL)


@dataclass(frozen=True)
class Form:
    """What raters are asked about each thing that they are shown.

    Parameters
    ----------
    name : str
        Lower case letters: it begins the ids in sheets.
    title : str
    instructions : str
        What the rater reads first.
    questions : tuple of Question
    """

    name: str
    title: str
    instructions: str
    questions: tuple[Question, ...]

    def __post_init__(self) -> None:
        """Hold that names are fit for ids and columns."""
        if not re.fullmatch(r"[a-z]+", self.name):
            raise ValueError(f"form {self.name!r}: expected lower case letters")
        if len({question.key for question in self.questions}) < len(self.questions):
            raise ValueError(f"form {self.name!r}: two questions have the same key")


@dataclass(frozen=True)
class Line:
    """One line of what is shown: who speaks, what they say, and what we note beside it."""

    speaker: str
    text: str
    marks: tuple[str, ...] = ()


@dataclass(frozen=True)
class Shown:
    """One thing that a rater judges.

    Parameters
    ----------
    id : str
        What it is in the run: a chat, a reply and a criterion.
    title : str
    lines : tuple of Line
    facts : mapping
        Name to value, shown above the lines.
    strata : mapping
        Name to value: what draws and tables go by, such as ``dataset`` and ``bin``. Raters do not see it.
    judged : mapping
        Question to the answer that agrees with the judge. Raters do not see it either.
    likeness : str
        The text by which similar ones are found; "" where the draw needs no similarity.
    """

    id: str
    title: str
    lines: tuple[Line, ...]
    facts: Mapping[str, str] = field(default_factory=dict)
    strata: Mapping[str, str] = field(default_factory=dict)
    judged: Mapping[str, str] = field(default_factory=dict)
    likeness: str = ""


@dataclass(frozen=True)
class JudgeScale:
    """What several judges said on one scale, for agreement between them.

    Parameters
    ----------
    name : str
        What was rated.
    categories : tuple of int
        All points, in order.
    ratings : DataFrame
        A row for each unit and judge: ``unit``, ``judge``, ``value`` (missing where nothing could be read), and a
        column for each stratum.
    """

    name: str
    categories: tuple[int, ...]
    ratings: pd.DataFrame


@dataclass(frozen=True)
class RaterForm:
    """What an instrument offers raters: the values of ``Instrument.forms()``.

    Parameters
    ----------
    form : Form
    pools : callable
        From a run folder to all that could be shown, by the name of the judge whose ratings are checked ("" where
        there is none). The draw picks from one pool.
    cell : tuple of str
        The strata that make a cell of the draw: each cell gives as many as asked, if it has them.
    by : tuple of str
        The strata that agreement is told by, one at a time.
    judges : callable
        From a run folder to the scales on which its judges can be compared.
    """

    form: Form
    pools: Callable[[RunFolder], Mapping[str, Sequence[Shown]]]
    cell: tuple[str, ...]
    by: tuple[str, ...]
    judges: Callable[[RunFolder], Sequence[JudgeScale]] = lambda folder: ()


def headings(shown: Shown) -> list[str]:
    """Head each line with its number, its speaker and its marks."""
    heads = []
    for number, line in enumerate(shown.lines, 1):
        marks = f" ({'; '.join(line.marks)})" if line.marks else ""
        heads.append(plain_line(f"{number} {line.speaker}{marks}"))
    return heads


def rendered(title: str, facts: Mapping[str, str], lines: Iterable[tuple[str, str]]) -> str:
    """Write what is shown as one plain text.

    A line's own line breaks are set behind a bar, so that no message can begin a line that reads like a speaker's.

    Parameters
    ----------
    title : str
    facts : mapping
    lines : iterable of (heading, text)
    """
    parts = [plain_line(title), *(plain_line(f"{name}: {value}") for name, value in facts.items()), ""]
    for head, text in lines:
        first, *rest = strip_controls(text).split("\n")
        parts += [f"{plain_line(head)}: {first}", *(f"    | {line}" for line in rest)]
    return "\n".join(parts)


def shown_text(shown: Shown) -> str:
    """Give the text that a sheet shows, and that is hashed to find texts that were changed."""
    return rendered(shown.title, shown.facts, zip(headings(shown), (line.text for line in shown.lines), strict=True))


def item_code(form: Form, judge: str, shown: Shown) -> str:
    """Name a thing in sheets: the same thing, shown with the same words and marks, has the same name in every draw.

    It begins with a word, so that no sheet program takes it for a number or a date.
    """
    return f"{form.name}_{fingerprint([judge, shown.id, shown_sha(shown_text(shown))])[:_DIGITS]}"


def has_codes(text: str, name: str) -> bool:
    """Tell whether a text names things of the form of that name, as `item_code` names them."""
    return re.search(rf"(?<!\w){re.escape(name)}_[0-9a-f]{{{_DIGITS}}}(?!\w)", text) is not None


def one_line_end(text: str) -> str:
    """Make each line end a newline."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def shown_sha(text: str) -> str:
    """Hash a shown text without its white space, which sheet programs change on saving."""
    return fingerprint("".join(text.split()))


def plain_line(text: str) -> str:
    """Put a text on one line, safe to show."""
    return " ".join(strip_controls(text).split())


def _folded(label: str) -> str:
    return " ".join(label.split()).casefold()

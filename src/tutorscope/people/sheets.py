"""Sheets out and in: CSV that survives spreadsheet programs."""

from __future__ import annotations

import codecs
import csv
import io
from collections.abc import Iterator, Sequence

from tutorscope.errors import UserError
from tutorscope.people.forms import Form, Question, Shown, shown_text
from tutorscope.people.returned import EXTRA_CELLS, NO_ITEM, Returned, Row
from tutorscope.texts.plain import defuse_formula, restore_formula

# Excel cuts a cell off at 32,767 UTF-16 units and says nothing.
_CELL = 30_000
_DELIMITERS = ",;\t"
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def write_cells(rows: Sequence[Sequence[str]]) -> bytes:
    """Write cells as CSV: UTF-8 with a mark, every cell quoted, formulas defused. `read_cells` gives them back."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator="\r\n")
    writer.writerows([defuse_formula(cell) for cell in row] for row in rows)
    return codecs.BOM_UTF8 + text.getvalue().encode("utf-8")


def read_cells(data: bytes, name: str, delimiter: str = ",") -> list[list[str]]:
    """Read cells as they are: the first row is row 1.

    Raises
    ------
    UserError
        The CSV is broken: a quote that never ends, a cell that is too long.
    """
    text = decoded(data)
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True))
    except csv.Error as problem:
        raise UserError(f"{name}: not CSV ({problem}); expected a sheet that raters sheets wrote") from None
    return [[restore_formula(cell) for cell in row] for row in rows]


def write_sheet(form: Form, coded: Sequence[tuple[str, Shown]], rater: str = "") -> bytes:
    """Write the sheet of one rater.

    Parameters
    ----------
    form : Form
    coded : sequence of (id, Shown)
        In the order in which they are rated.
    rater : str
        Put into the rater column; "" leaves it blank.

    Returns
    -------
    bytes
        A row for each thing: id, rater, what is shown (over several columns if it is long), a blank for each answer.
    """
    parts = [_parts(shown_text(shown)) for _, shown in coded]
    width = max((len(part) for part in parts), default=1)
    shown_heads = ["shown", *(f"shown {number}" for number in range(2, width + 1))]
    heads = ["item", "rater", *shown_heads, *(_head(question) for question in form.questions)]
    blank = [""] * len(form.questions)
    rows = [
        [code, rater, *part, *[""] * (width - len(part)), *blank] for (code, _), part in zip(coded, parts, strict=True)
    ]
    return write_cells([heads, *rows])


def read_sheet(data: bytes, name: str, form: Form) -> Returned:
    """Read a sheet that came back.

    Taken as they come: UTF-8 with or without a mark, UTF-16, Windows-1252; comma, semicolon or tab; rows sorted, left
    out or added; columns moved or added; blank rows and columns.

    Parameters
    ----------
    data : bytes
    name : str
        The file's name, for messages.
    form : Form

    Raises
    ------
    UserError
        It is no sheet of this form: the item column or that of a question is not there, or is there twice.
    """
    (first, heads), body = _opened(data, name)
    names = [_key(head) for head in heads]
    columns = {wanted: _column(names, wanted, name, heads) for wanted in ("item", *(q.key for q in form.questions))}
    columns["rater"] = names.index("rater") if "rater" in names else -1
    texts = [place for place, head in enumerate(names) if head == "shown" or head.startswith("shown ")]
    known = {*columns.values(), *texts}
    rows: list[Row] = []
    set_aside: list[tuple[str, str]] = []
    for number, cells in enumerate(body, first + 1):
        if not any(cell.strip() for cell in cells):
            continue
        where = f"row {number}"
        if any(cell.strip() for cell in cells[len(heads) :]):
            set_aside.append((where, EXTRA_CELLS))
            continue
        cells = [*cells, *[""] * (len(heads) - len(cells))]
        item = cells[columns["item"]].strip()
        if not item:
            set_aside.append((where, NO_ITEM))
            continue
        rows.append(
            Row(
                where=where,
                item=item,
                rater=cells[columns["rater"]].strip() if columns["rater"] >= 0 else "",
                cells={question.key: [cells[columns[question.key]]] for question in form.questions},
                shown="\n".join(cells[place] for place in texts) if texts else None,
            )
        )
    ignored = [head for place, head in enumerate(heads) if place not in known and head.strip()]
    return Returned("sheet", rows, set_aside, ignored)


def instructions(form: Form) -> str:
    """Write what a rater reads before filling a sheet."""
    asked = [f"{_head(question)}: {question.words}" for question in form.questions]
    return "\n".join(
        [
            form.title,
            "",
            form.instructions,
            "",
            "Columns to fill:",
            *asked,
            "",
            "Leave the columns item and shown as they are; rows may be sorted. Leave a cell blank if you cannot say.",
            "Save as CSV (UTF-8) when done.",
            "",
        ]
    )


def _opened(data: bytes, name: str) -> tuple[tuple[int, list[str]], Iterator[list[str]]]:
    """Find the delimiter by which the first row names its columns, that row with its number, and the rows below."""
    text = decoded(data)
    # Excel's own hint on the delimiter is a row of its own.
    hinted = text[:4].lower() == "sep="
    for delimiter in _DELIMITERS:
        try:
            rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
            found = next(row for number, row in enumerate(rows) if number >= hinted)
        except (csv.Error, StopIteration):
            continue
        if "item" in [_key(restore_formula(cell)) for cell in found]:
            body = read_cells(data, name, delimiter)
            return (1 + hinted, body[hinted]), iter(body[1 + hinted :])
    beginning = " ".join(text.split())[:60]
    raise UserError(f"{name}: no column 'item' in the first row (it begins {beginning!r}); expected a sheet of raters")


def decoded(data: bytes) -> str:
    """Decode what a spreadsheet program wrote: UTF-8 with or without a mark, UTF-16, else Windows-1252."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return data.decode(encoding, "replace")
    if b"\x00" in data[:200]:
        return data.decode("utf-16-le" if data[1:2] == b"\x00" else "utf-16-be", "replace")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")


def _column(names: Sequence[str], wanted: str, file: str, heads: Sequence[str]) -> int:
    if names.count(wanted) == 1:
        return list(names).index(wanted)
    found = "is there twice" if wanted in names else "is not there"
    held = ", ".join(head for head in heads if head.strip())
    raise UserError(f"{file}: the column {wanted!r} {found}; found the columns: {held:.200}")


def _key(head: str) -> str:
    return " ".join(head.partition("(")[0].split()).casefold()


def _head(question: Question) -> str:
    if question.labels:
        return f"{question.key} ({' / '.join(question.labels)})"
    wanted = [
        f"at least {least} {what}"
        for least, what in ((question.least_words, "words"), (question.least_characters, "characters"))
        if least
    ]
    return f"{question.key} ({', '.join([*wanted, *([] if question.required else ['optional'])])})".removesuffix(" ()")


def _parts(text: str) -> list[str]:
    """Cut a text into cells, at line ends where it can be."""
    parts: list[str] = []
    held: list[str] = []
    room = _CELL
    for line in text.split("\n"):
        for piece in _pieces(line):
            size = len(piece.encode("utf-16-le")) // 2 + 1
            if size > room and held:
                parts.append("\n".join(held))
                held, room = [], _CELL
            held.append(piece)
            room -= size
    return [*parts, "\n".join(held)]


def _pieces(line: str) -> list[str]:
    # Half as many characters are never too many UTF-16 units.
    half = _CELL // 2
    return [line[start : start + half] for start in range(0, len(line), half)] or [""]

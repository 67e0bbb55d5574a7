"""A table that a user brings (episodes of people, traces): its rows as texts, its faults each as one line."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tutorscope.chats.personal import is_personal
from tutorscope.chats.reader import BadRecord
from tutorscope.chats.records import records
from tutorscope.chats.sources import open_source
from tutorscope.errors import UserError
from tutorscope.texts.plain import shorten

_PERSONAL = re.compile(r"prolific|worker_?id|mturk|birth", re.IGNORECASE)
_NAMED = ("name", "user", "author")
# What the reader of chats advises has no place here: this file is read as UTF-8 or by its byte order mark.
_ADVICE = "a file from Excel may need --encoding cp1252"


@dataclass(frozen=True)
class Row:
    """One row.

    Parameters
    ----------
    place : str
        Its line: "line 12".
    cells : mapping
        Known column to text, "" where there is nothing.
    """

    place: str
    cells: Mapping[str, str]


@dataclass(frozen=True)
class TableFile:
    """A file that was read.

    Parameters
    ----------
    rows : sequence of Row
    columns : tuple of str
        The known columns that it has.
    facts : mapping
        What a plan records: ``file``, ``sha256``, ``rows``, ``columns``; and the names of the columns that were not
        taken: ``personal`` (addresses, accounts, names) and ``unused``.
    """

    rows: Sequence[Row]
    columns: tuple[str, ...]
    facts: Mapping[str, Any]


def read_table(path: Path, known: Sequence[str], what: str) -> TableFile:
    """Read the known columns of a table.

    Parameters
    ----------
    path : Path
        CSV with a header (commas, semicolons or tabs), JSON lines, a JSON list or Parquet; UTF-8, or as its byte order
        mark says.
    known : sequence of str
        The columns to take. In the file, case does not matter, and blanks and hyphens are as good as underscores. No
        other column is taken.
    what : str
        What a row is, for messages: "an episode".

    Raises
    ------
    UserError
        The file cannot be read, holds no row, a row is broken, or a column is there twice.
    """
    if not path.exists():
        raise UserError(f"{path}: there is no such file")
    if not path.is_file():
        raise UserError(f"{path}: is no file, expected {what} a row")
    if not path.stat().st_size:
        raise UserError(f"{path}: is empty, expected {what} a row")
    rows: list[Row] = []
    columns: dict[str, str] = {}
    others: dict[str, None] = {}
    try:
        source = open_source(path)
        for record in records(source):
            if isinstance(record, BadRecord):
                raise UserError(f"{path}: {record.where}: {record.message}")
            if not isinstance(record.value, Mapping):
                raise UserError(f"{path}: {record.where}: found no object, expected {what}")
            cells = dict.fromkeys(known, "")
            taken: dict[str, str] = {}
            for name, value in record.value.items():
                plain = re.sub(r"[\s_-]+", "_", str(name).strip()).casefold()
                if plain not in cells:
                    others.setdefault(str(name))
                    continue
                if plain in taken:
                    raise UserError(f"{path}: {record.where}: the columns {taken[plain]!r} and {name!r} are one")
                taken[plain] = name
                cells[plain] = _text(value, f"{path}: {record.where}: {plain}")
            columns.update(taken)
            rows.append(Row(record.where, cells))
    except UserError as problem:
        said = str(problem).replace("is empty, expected chats", f"is empty, expected {what} a row")
        raise UserError(said.replace(_ADVICE, "save it as UTF-8 (in Excel: CSV UTF-8)")) from None
    if not rows:
        raise UserError(f"{path}: holds a header and no row, expected {what} a row")
    facts = {
        "file": path.name,
        "sha256": source.sha256(),
        "rows": len(rows),
        "columns": list(columns),
        "personal": [shorten(name, 60) for name in others if _is_personal(name)],
        "unused": [shorten(name, 60) for name in others if not _is_personal(name)],
    }
    return TableFile(rows, tuple(columns), facts)


def one_line_name(text: str, where: str) -> str:
    """Give what names something: up to 200 visible characters on one line.

    Raises
    ------
    UserError
        It is empty, too long, or holds what cannot be seen.
    """
    name = text.strip()
    if not name:
        raise UserError(f"{where}: found nothing, expected a name")
    if len(name) > 200 or not name.isprintable():
        raise UserError(f"{where}: found {shorten(text, 60)!r}, expected up to 200 visible characters on one line")
    return name


def no_problem(where: str, problem: str, problems: Collection[str]) -> str:
    """Say that a file names a problem that a run does not have."""
    some = (
        f"expected one of its {len(problems):,}, such as {shorten(min(problems), 60)!r}" if problems else "it has none"
    )
    return f"{where}: problem: found {shorten(problem, 60)!r}, which is no problem of this run; {some}"


def _text(value: Any, where: str) -> str:
    match value:
        case None:
            return ""
        case bool():
            return "yes" if value else "no"
        case str():
            if not value.isascii():
                try:
                    value.encode("utf-8")
                except UnicodeEncodeError as problem:
                    raise UserError(f"{where}: character {problem.start + 1} is half of one; expected text") from None
            return value
        case int() | float():
            return str(value)
    raise UserError(f"{where}: found {'a list' if isinstance(value, list) else 'an object'}, expected text")


def _is_personal(name: str) -> bool:
    return is_personal(name) or name.strip().casefold() in _NAMED or _PERSONAL.search(name) is not None

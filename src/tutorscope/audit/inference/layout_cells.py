"""Foreign tables, cell by cell: rows that know their file and line, and what a cell must hold."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, NoReturn

from tutorscope.errors import UserError
from tutorscope.texts.files import read_utf8
from tutorscope.texts.plain import restore_formula

NEAR = 1e-9
_YES, _NO = ("true", "1"), ("false", "0")


@dataclass(frozen=True)
class Row:
    """One row of a table.

    Attributes
    ----------
    where : str
        File and line (of a Parquet file, its row), for messages.
    cells : mapping of str to str
        By column; "" where there is nothing.
    """

    where: str
    cells: Mapping[str, str]


def read_rows(path: Path) -> tuple[list[str], list[Row]]:
    """Read the columns and rows of a CSV (UTF-8, commas) or Parquet file.

    Raises
    ------
    UserError
        The file cannot be read, is empty or has no row; its cells are parted by something else than commas; a column
        has no name or stands there twice; a row has another number of cells.
    """
    columns, rows = _parquet(path) if path.suffix.lower() == ".parquet" else _csv(path)
    if not rows:
        raise UserError(f"{path}, line 1: found columns and no row under them, expected at least one")
    return columns, rows


def refuse(row: Row, column: str, expected: str) -> NoReturn:
    """Say what a cell holds and what it should."""
    raise UserError(f"{row.where}, column {column}: found {row.cells.get(column, '')!r:.60}, expected {expected}")


def text(row: Row, column: str) -> str:
    """Give a cell's text, which may not be blank."""
    found = row.cells[column].strip()
    if not found:
        refuse(row, column, "a name")
    return restore_formula(found)


def maybe_text(row: Row, column: str) -> str:
    """Give a cell's text; "" where there is none, or no such column."""
    return restore_formula(row.cells.get(column, "").strip())


def whole(row: Row, column: str) -> int:
    """Give a count from 0 on."""
    found = maybe_whole(row, column)
    if found is None:
        refuse(row, column, "a whole number from 0 on")
    return found


def maybe_whole(row: Row, column: str) -> int | None:
    """Give a count from 0 on; None where the cell is blank, or there is no such column."""
    value = maybe_real(row, column)
    if value is None:
        return None
    if value < 0 or value != int(value):
        refuse(row, column, "a whole number from 0 on")
    return int(value)


def real(row: Row, column: str) -> float:
    """Give a finite number."""
    found = maybe_real(row, column)
    if found is None:
        refuse(row, column, "a number")
    return found


def maybe_real(row: Row, column: str) -> float | None:
    """Give a finite number; None where the cell is blank, or there is no such column."""
    found = row.cells.get(column, "").strip()
    if not found:
        return None
    try:
        value = float(found)
    except ValueError:
        refuse(row, column, "a number")
    if not math.isfinite(value):
        refuse(row, column, "a finite number")
    return value


def flag(row: Row, column: str) -> bool:
    """Give True or False, written as a word or as 1 and 0."""
    found = maybe_flag(row, column)
    if found is None:
        refuse(row, column, "True or False (or 1 or 0)")
    return found


def maybe_flag(row: Row, column: str) -> bool | None:
    """Give True or False; None where the cell is blank, or there is no such column."""
    found = row.cells.get(column, "").strip().lower()
    if not found:
        return None
    if found not in (*_YES, *_NO):
        refuse(row, column, "True or False (or 1 or 0)")
    return found in _YES


def ratings_sum(row: Row, column: str, n: int, *, mean: bool) -> int | None:
    """Give the exact sum of n ratings from 1 to 5, from the sum or from the mean; None where there are none.

    Raises
    ------
    UserError
        No n ratings from 1 to 5 have that sum, or that mean to within 1e-9.
    """
    value = maybe_real(row, column)
    if value is None:
        return None
    total = round(value * n) if mean else round(value)
    off = abs(Fraction(value) - (Fraction(total, n) if mean else total))
    if off > Fraction(NEAR):
        refuse(row, column, f"a mean of {n} ratings, a multiple of 1/{n}" if mean else f"a sum of {n} ratings")
    if not n <= total <= 5 * n:
        low, high = (1, 5) if mean else (n, 5 * n)
        refuse(row, column, f"between {low} and {high}: {n} ratings from 1 to 5")
    return total


def share_of(row: Row, column: str, count: int) -> int:
    """Give how many of a count a rate stands for.

    Raises
    ------
    UserError
        The rate times the count is no whole number from 0 to the count.
    """
    value = maybe_real(row, column)
    if value is None:
        if count:
            refuse(row, column, f"a rate of {count}")
        return 0
    part = round(value * count)
    if abs(value * count - part) > NEAR * max(1, count) or not 0 <= part <= count or not 0 <= value <= 1:
        refuse(row, column, f"a rate of {count}, so that rate times {count} is a whole number")
    return part


def _csv(path: Path) -> tuple[list[str], list[Row]]:
    held = read_utf8(path, "a table as CSV in UTF-8, or as Parquet")
    if not held.strip():
        raise UserError(f"{path}, line 1: empty, expected a table")
    lines = csv.reader(io.StringIO(held, newline=""), strict=True)
    rows: list[Row] = []
    columns: list[str] = []
    line = 1
    try:
        for cells in lines:
            if not columns:
                columns = _columns(cells, path)
            elif any(cell.strip() for cell in cells):
                if len(cells) != len(columns):
                    raise UserError(f"{path}, line {line}: found {len(cells)} cells, expected {len(columns)}")
                rows.append(Row(f"{path}, line {line}", dict(zip(columns, cells, strict=True))))
            line = lines.line_num + 1
    except csv.Error as problem:
        raise UserError(f"{path}, line {line}: not CSV ({problem}); expected a table") from None
    return columns, rows


def _columns(cells: Sequence[str], path: Path) -> list[str]:
    columns = [cell.strip() for cell in cells]
    for mark, name in ((";", "semicolons"), ("\t", "tabs")):
        if len(columns) == 1 and mark in columns[0]:
            raise UserError(f"{path}, line 1: found {name} between the cells, expected commas and decimal points")
    if "" in columns:
        raise UserError(f"{path}, line 1: column {columns.index('') + 1} has no name, expected one")
    if twice := next((name for name in columns if columns.count(name) > 1), None):
        raise UserError(f"{path}, line 1: found the column {twice!r} twice, expected each once")
    return columns


def _parquet(path: Path) -> tuple[list[str], list[Row]]:
    import pyarrow
    import pyarrow.parquet as parquet

    try:
        held = parquet.read_table(path)
    except OSError as problem:
        raise UserError(f"{path}: {problem.strerror or 'cannot be read'}; expected a CSV or Parquet table") from None
    except pyarrow.ArrowInvalid:
        raise UserError(f"{path}: no Parquet file; expected a CSV or Parquet table") from None
    rows = [
        Row(f"{path}, row {number}", {name: _written(value) for name, value in cells.items()})
        for number, cells in enumerate(held.to_pylist(), 1)
    ]
    return list(held.column_names), rows


def _written(value: Any) -> str:
    if value is None or value != value:
        return ""
    return repr(value) if isinstance(value, float) else str(value)

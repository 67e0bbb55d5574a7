"""Rows of CSV and Parquet files as mappings from column to cell."""

from __future__ import annotations

import csv
import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, time
from typing import IO, TYPE_CHECKING, Any

from tutorscope.chats.reader import BadRecord, Record
from tutorscope.chats.sources import MAX_RECORD, Source, foreign_byte, read_line
from tutorscope.errors import UserError
from tutorscope.texts.plain import restore_formula

if TYPE_CHECKING:
    import pyarrow.parquet as pq

SAFE = "formula-safe"
"""The name of an empty last column which says that cells of this file were defused (``texts.plain.defuse_formula``)."""

_SEPARATORS = ",;\t"
_EXCEL_HINT = re.compile(r"^\"?sep=(.)\"?\s*$")
_BATCH_BYTES = 8 * 2**20
_BATCH_ROWS = 2048
_one_at_a_time = threading.Lock()


def columns_of(source: Source) -> tuple[str, ...]:
    """Give a table's column names."""
    if source.parts:
        return columns_of(source.parts[0])
    if source.parquet:
        with source.open_seekable() as data:
            return tuple(_parquet_file(source, data).schema_arrow.names)
    with source.open_text() as text:
        _, header, _ = _header(_Lines(text, source.encoding), source)
        return tuple(header[:-1] if header[-1] == SAFE else header)


def csv_rows(source: Source) -> Iterator[Record | BadRecord]:
    """Give the rows of a CSV file, whatever separates its cells.

    The first line that is not blank names the columns. Cells may hold line breaks in quotes. Rows without any content
    are passed over.

    Raises
    ------
    UserError
        The header cannot be read.
    """
    with source.open_text() as text:
        lines = _Lines(text, source.encoding)
        separator, header, last = _header(lines, source)
        rows = csv.reader(lines, delimiter=separator, strict=True)
        width = len(header)
        safe = header[-1] == SAFE
        while True:
            where = f"line {last + 1}"
            lines.foreign, lines.oversize = None, False
            try:
                row = _next_row(rows)
            except StopIteration:
                return
            except csv.Error as error:
                yield BadRecord(where, "not_csv", _csv_message(error))
                last = lines.number
                continue
            last = lines.number
            if lines.oversize:
                yield BadRecord(where, "too_large", f"a line has more than {MAX_RECORD // 2**20} million characters")
            elif lines.foreign is not None:
                yield BadRecord(*lines.foreign)
            elif len(row) == width:
                if any(row):
                    yield Record(where, _restored(header, row) if safe else dict(zip(header, row, strict=True)))
            elif any(row):
                yield _fitted(row, header, where)


def parquet_rows(source: Source, only: Sequence[str] | None = None) -> Iterator[Record | BadRecord]:
    """Give the rows of a Parquet file, in batches that fit in memory.

    Raises
    ------
    UserError
        The file cannot be read.
    """
    import pyarrow as pa

    with source.open_seekable() as data:
        file = _parquet_file(source, data)
        columns = None if only is None else [name for name in file.schema_arrow.names if name in only]
        number = 0
        try:
            for batch in file.iter_batches(batch_size=_batch_rows(file), columns=columns):
                for row in batch.to_pylist():
                    number += 1
                    yield Record(f"row {number}", _plain(row))
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            raise UserError(f"{source}: row {number + 1}: the Parquet file is broken: {_one_line(error)}") from error


class _Lines:
    """The lines of a CSV file for ``csv.reader``, counted and watched for what cannot be decoded."""

    def __init__(self, text: IO[str], encoding: str) -> None:
        self._text = text
        self._encoding = encoding
        self.number = 0
        self.foreign: tuple[str, str, str] | None = None
        self.oversize = False

    def __iter__(self) -> _Lines:
        return self

    def __next__(self) -> str:
        line, whole = read_line(self._text, strip_mark=self.number == 0)
        if not line:
            raise StopIteration
        self.number += 1
        self.oversize = self.oversize or not whole
        if self.foreign is None and (foreign := foreign_byte(line, self._encoding)):
            self.foreign = f"line {self.number}", "wrong_encoding", foreign[1]
        return line


def _header(lines: _Lines, source: Source) -> tuple[str, list[str], int]:
    separator: str | None = None
    while True:
        first = next(lines, "")
        if not first:
            raise UserError(f"{source}: is empty, expected a header and rows")
        hint = _EXCEL_HINT.match(first)
        if hint and separator is None:
            separator = hint[1]
        elif first.strip(" \t\r\n,;"):
            break
    if separator is None:
        outside = re.sub(r'"[^"]*"', "", first)
        separator = max(_SEPARATORS, key=outside.count)
    lines_of_header = _with_first(first, lines)
    try:
        names = _next_row(csv.reader(lines_of_header, delimiter=separator, strict=True))
    except (csv.Error, StopIteration) as error:
        raise UserError(f"{source}: line {lines.number}: the header: {_csv_message(error)}") from error
    if lines.foreign is not None:
        raise UserError(f"{source}: {lines.foreign[0]}: {lines.foreign[2]}")
    return separator, _distinct(names), lines.number


def _next_row(rows: Iterator[list[str]]) -> list[str]:
    # The limit of a cell belongs to the whole process: it is raised for one row, and whatever else reads CSV, between
    # two rows of ours or after them, finds its own.
    with _one_at_a_time:
        before = csv.field_size_limit(MAX_RECORD)
        try:
            return next(rows)
        finally:
            csv.field_size_limit(before)


def _with_first(first: str, lines: _Lines) -> Iterator[str]:
    yield first
    yield from lines


def _distinct(names: Sequence[str]) -> list[str]:
    """Name columns without a name, and tell equal names apart, so that no cell is lost."""
    seen: dict[str, int] = {}
    distinct = []
    for number, raw in enumerate(names, 1):
        name = raw.strip() or f"column {number}"
        seen[name] = seen.get(name, 0) + 1
        distinct.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return distinct


def _restored(header: list[str], row: list[str]) -> dict[str, str]:
    return {name: restore_formula(cell) for name, cell in zip(header[:-1], row[:-1], strict=True)}


def _fitted(row: list[str], header: list[str], where: str) -> Record | BadRecord:
    # Spreadsheets add empty cells at the end of rows; a cell with content has no column to go to.
    if len(row) > len(header) and not any(row[len(header) :]):
        return Record(where, dict(zip(header, row, strict=False)))
    return BadRecord(where, "wrong_width", f"the row has {len(row)} cells, expected {len(header)} as in the header")


def _csv_message(error: Exception) -> str:
    text = str(error)
    if "unexpected end of data" in text:
        return "a quoted cell is not closed before the end of the file"
    if "field larger" in text:
        return f"a quoted cell is not closed, or has more than {MAX_RECORD // 2**20} million characters"
    return f"the row is not CSV: {text}"


def _parquet_file(source: Source, data: Any) -> pq.ParquetFile:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return pq.ParquetFile(data, pre_buffer=False, memory_map=False)
    except (pa.ArrowException, OSError) as error:
        raise UserError(f"{source}: is not a whole Parquet file: {_one_line(error)}") from error


def _batch_rows(file: pq.ParquetFile) -> int:
    """Choose how many rows to hold, by the size of the largest row group's average row."""
    groups = [file.metadata.row_group(i) for i in range(file.metadata.num_row_groups)]
    largest = max((group.total_byte_size / max(group.num_rows, 1) for group in groups), default=1.0)
    return int(min(_BATCH_ROWS, max(1, _BATCH_BYTES / max(largest, 1.0))))


def _plain(value: Any) -> Any:
    """Turn a cell into plain JSON-able data."""
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float):
        return None if value != value or value in (float("inf"), float("-inf")) else value
    if isinstance(value, Mapping):
        return {str(name): _plain(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, (datetime, date, time)):
        return value.isoformat()
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    return str(value)


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())[:160]

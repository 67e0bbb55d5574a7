"""The values of a log, one at a time: JSON lists and lines, single JSON documents, tables."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import IO, Any

from tutorscope.chats import tables
from tutorscope.chats.reader import BadRecord, Container, Head, Record
from tutorscope.chats.sources import MAX_RECORD, Source, foreign_byte, read_line
from tutorscope.errors import UserError

_CHUNK = 2**18
_HEAD_RECORDS = 5
_HEAD_TRIES = 20
# NaN, which pandas writes for nothing, becomes null; control codes inside strings have one possible reading.
_DECODER = json.JSONDecoder(strict=False, parse_constant=lambda _: None)
_SPACE = re.compile(r"[ \t\r\n]*")
_OUTSIDE = re.compile(r'["\[\]{},]')
_INSIDE = re.compile(r'["\\]')


def container_of(source: Source) -> Container:
    """Say what kind of container a file is."""
    if source.parts:
        return container_of(source.parts[0])
    if source.parquet:
        return "parquet"
    with source.open_text() as text:
        start = text.read(4096).removeprefix("\ufeff").lstrip()
    return "json" if start[:1] in ("{", "[") else "csv"


def look(source: Source, named: Mapping[str, str]) -> Head:
    """Read the little that is needed to recognise a format.

    Parameters
    ----------
    source : Source
    named : mapping
        The columns that the user named.

    Raises
    ------
    UserError
        The container itself cannot be read.
    """
    container = container_of(source)
    values: list[Any] = []
    columns = () if container == "json" else tables.columns_of(source)
    for tried, record in enumerate(records(source), 1):
        if isinstance(record, Record):
            values.append(record.value)
        if len(values) == _HEAD_RECORDS or tried == _HEAD_TRIES:
            break
    return Head(container, columns, tuple(values), named)


def records(source: Source, only: Sequence[str] | None = None) -> Iterator[Record | BadRecord]:
    """Give a file's values in order, in memory bounded by the largest of them.

    JSON: the elements of a list, the lines of a JSON-lines file, or the one document. Tables: rows as mappings.

    Parameters
    ----------
    source : Source
    only : sequence of str, optional
        The columns that are needed: a Parquet file is spared reading the others.

    Raises
    ------
    UserError
        While reading: the container itself is broken.
    """
    if source.parts:
        yield from _parts(source, only)
        return
    container = container_of(source)
    if container == "parquet":
        yield from tables.parquet_rows(source, only)
    elif container == "csv":
        yield from tables.csv_rows(source)
    else:
        yield from json_values(source)


def _parts(source: Source, only: Sequence[str] | None) -> Iterator[Record | BadRecord]:
    for part in source.parts:
        name = part.member or part.path.name
        for record in records(part, only):
            yield replace(record, where=f"{name}: {record.where}")


def json_values(source: Source) -> Iterator[Record | BadRecord]:
    """Give the values of a JSON or JSON-lines file."""
    with source.open_text(newline="\n") as text:
        lines = _is_lines(text, source)
    with source.open_text(newline="\n") as text:
        yield from _lines(text, source) if lines else _document(text, source)


def _is_lines(text: IO[str], source: Source) -> bool:
    """Tell JSON lines from a list or a document by the first line that holds anything."""
    first = text.readline(MAX_RECORD).removeprefix("\ufeff")
    while first and not first.strip():
        first = text.readline(MAX_RECORD)
    if len(first) >= MAX_RECORD - 1:
        return not first.lstrip().startswith("[")
    start = first.strip()
    if start.startswith("["):
        # A list on one line is the whole file, unless more values follow it.
        rest = text.read(_CHUNK)
        while rest and not rest.strip():
            rest = text.read(_CHUNK)
        if not rest:
            return False
        try:
            _DECODER.decode(start)
        except (ValueError, RecursionError):
            return False
        return True
    # An object that goes on over several lines breaks after one of these.
    return not start.endswith(("{", "[", ",", ":"))


def _lines(text: IO[str], source: Source) -> Iterator[Record | BadRecord]:
    number = 0
    while True:
        line, whole = read_line(text, strip_mark=number == 0)
        if not line:
            return
        number += 1
        where = f"line {number}"
        if not whole:
            yield _too_large(where)
        elif line.strip():
            yield _decoded(line, where, number, source)


def _decoded(text: str, where: str, line: int, source: Source) -> Record | BadRecord:
    foreign = foreign_byte(text, source.encoding)
    if foreign is not None:
        return BadRecord(f"line {line + foreign[0]}", "wrong_encoding", foreign[1])
    try:
        return Record(where, _DECODER.decode(text))
    except json.JSONDecodeError as error:
        at = line + error.lineno - 1
        cut = error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string")
        found = (
            "is cut short" if cut else f"is not JSON: {error.msg[:1].lower()}{error.msg[1:]} at column {error.colno}"
        )
        return BadRecord(where if at == line else f"line {at}", "not_json", f"the record {found}")
    except RecursionError:
        return BadRecord(where, "too_deep", "the record is nested too deeply to be a chat")
    except ValueError as error:
        return BadRecord(where, "not_json", f"the record is not JSON: {str(error)[:100]}")


def _too_large(where: str) -> BadRecord:
    return BadRecord(where, "too_large", f"the record has more than {MAX_RECORD // 2**20} million characters")


class _Window:
    """The part of a text that is being read: a buffer, a place in it, and the line of that place."""

    def __init__(self, text: IO[str]) -> None:
        self._text = text
        self.buffer = ""
        self.at = 0
        self.line = 1
        self.ended = False

    def grow(self) -> bool:
        """Read on, at least as much again as is held, so that a long record is copied few times."""
        more = self._text.read(max(_CHUNK, len(self.buffer) - self.at))
        self.ended = not more
        self.buffer = self.buffer[self.at :] + more
        self.at = 0
        return bool(more)

    def advance(self, end: int) -> None:
        self.line += self.buffer.count("\n", self.at, end)
        self.at = end

    def skip_space(self) -> str:
        """Go to the next character that is not white space and give it, or "" at the end."""
        while True:
            match = _SPACE.match(self.buffer, self.at)
            self.advance(match.end() if match else self.at)
            if self.at < len(self.buffer):
                return self.buffer[self.at]
            if not self.grow():
                return ""


def _document(text: IO[str], source: Source) -> Iterator[Record | BadRecord]:
    window = _Window(text)
    window.grow()
    window.buffer = window.buffer.removeprefix("\ufeff")
    listed = window.skip_space() == "["
    if listed:
        window.advance(window.at + 1)
    after_value = False
    while True:
        sign = window.skip_space()
        where = f"line {window.line}"
        if not sign:
            if listed:
                yield BadRecord(where, "not_json", "the file is cut short: the list has no closing ]")
            return
        if listed and sign == "]":
            window.advance(window.at + 1)
            if window.skip_space():
                yield BadRecord(f"line {window.line}", "not_json", "something follows the closing ] of the list")
            return
        if sign in ",]}":
            window.advance(window.at + 1)
            if sign != "," or not listed or not after_value:
                yield BadRecord(where, "not_json", f"found {sign!r}, expected a record")
            after_value = False
            continue
        yield from _value(window, source)
        after_value = True


def _value(window: _Window, source: Source) -> Iterator[Record | BadRecord]:
    where = f"line {window.line}"
    quick = _quick(window)
    if quick is not None:
        value, end = quick
        foreign = foreign_byte(window.buffer[window.at : end], source.encoding)
        if foreign is None:
            yield Record(where, value)
        else:
            yield BadRecord(f"line {window.line + foreign[0]}", "wrong_encoding", foreign[1])
        window.advance(end)
        return
    length = _end_of_value(window)
    if length is None:
        if window.ended:
            window.advance(len(window.buffer))
            message = "the record that begins here does not end: it and all that follows cannot be read"
            yield BadRecord(where, "not_json", message)
            return
        raise UserError(f"{source}: {where}: {_too_large(where).message}, or does not end; nothing can follow it")
    end = window.at + length
    text, line = window.buffer[window.at : end], window.line
    window.advance(end)
    yield _decoded(text, where, line, source)


def _quick(window: _Window) -> tuple[Any, int] | None:
    """Decode a value that lies in the buffer whole, which is nearly always so."""
    try:
        value, end = _DECODER.raw_decode(window.buffer, window.at)
    except (ValueError, RecursionError):
        return None
    match = _SPACE.match(window.buffer, end)
    after = match.end() if match else end
    # What follows must be seen, or a number that goes on in the next chunk would be taken for whole.
    return (value, end) if after < len(window.buffer) else None


def _end_of_value(window: _Window) -> int | None:
    """Find where a value ends by its brackets, reading on as needed; None if it does not, or is too long."""
    depth, in_string, at = 0, False, window.at
    start = window.at
    while True:
        match = (_INSIDE if in_string else _OUTSIDE).search(window.buffer, at)
        if match is None or (match[0] == "\\" and match.end() >= len(window.buffer)):
            resume = (match.start() if match else len(window.buffer)) - start
            if resume > MAX_RECORD:
                return None
            if not window.grow():
                # The end of the file ends a bare value and a document, but no open bracket or string.
                return len(window.buffer) if depth == 0 and not in_string else None
            start = window.at
            at = start + resume
            continue
        sign, at = match[0], match.end()
        if sign == "\\":
            at += 1
        elif sign == '"':
            in_string = not in_string
        elif sign in "[{":
            depth += 1
        elif sign == "," and depth == 0:
            return match.start() - start
        elif sign in "]}":
            if depth <= 1:
                return (match.end() if depth else match.start()) - start
            depth -= 1

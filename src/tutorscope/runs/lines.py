"""JSON lines that only grow: appended whole, read up to a torn last line, and mended after a kill."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import IO, Any

from tutorscope.errors import UserError


def read_lines(
    path: Path, most: int | None = None, note: Callable[[bytes], object] | None = None
) -> Iterator[dict[str, Any]]:
    """Read a file's records. A torn last line (a kill while writing) is left out: it never counted.

    Parameters
    ----------
    path : Path
        A file that is not there holds nothing.
    most : int, optional
        Stop after so many records.
    note : callable, optional
        Given the bytes of each line ahead of its record: a hash can be taken while reading.

    Raises
    ------
    UserError
        A whole line is no JSON object.
    """
    if not path.exists():
        return
    with path.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            if not line.endswith(b"\n") or (most is not None and number > most):
                return
            if note is not None:
                note(line)
            try:
                record = json.loads(line)
            except ValueError:
                record = None
            if not isinstance(record, dict):
                raise UserError(f"{path}: line {number} is no JSON object; the file was damaged after it was written")
            yield record


def append_lines(
    path: Path,
    records: Iterable[dict[str, Any]],
    after: int | None = None,
    note: Callable[[bytes], object] | None = None,
) -> None:
    """Append records, after cutting off a torn last line and, with ``after``, all lines beyond that many.

    ``note`` is given the bytes of each line that is written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab+") as out:
        out.truncate(_end_of(out, after))
        for record in records:
            line = as_line(record)
            if note is not None:
                note(line)
            out.write(line)
        out.flush()
        os.fsync(out.fileno())


def as_line(record: dict[str, Any]) -> bytes:
    """Write a record as one line of ASCII, whatever is in it."""
    return json.dumps(record, ensure_ascii=True, separators=(",", ":")).encode("ascii") + b"\n"


def _end_of(out: IO[bytes], lines: int | None) -> int:
    """Find where the last whole line ends, or the so-manieth."""
    end = 0
    out.seek(0)
    for number, line in enumerate(out, 1):
        if not line.endswith(b"\n") or (lines is not None and number > lines):
            break
        end += len(line)
    return end

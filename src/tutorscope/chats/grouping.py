"""Rows of one chat brought together, through a temporary file where they do not lie together."""

from __future__ import annotations

import json
import sqlite3
import tempfile
from array import array
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from tutorscope.chats.reader import BadRecord

MAX_ROWS = 200_000
"""Rows in one chat. More is a file without a usable chat column."""

_CACHE_KB = 16 * 2**10
_BLOCK = 2**20

Row = tuple[str, Any]
Group = tuple[str, list[Any]]


def grouped(
    keys: Callable[[], Iterator[str]], rows: Callable[[], Iterator[Row | BadRecord]]
) -> Iterator[Group | BadRecord]:
    """Gather rows by key, groups in the order of their first row, rows in file order.

    The keys are read once beforehand: only then is it known whether a group is whole when the next one begins. Where
    the rows of every group lie together, one group is held at a time. Otherwise all rows pass through a temporary
    SQLite file, and again one group is held at a time.

    Parameters
    ----------
    keys : callable
        To the key of each row, in file order.
    rows : callable
        To the rows, each a key and JSON-able data; what could not be read comes through in its place (ahead of all
        groups where the rows are interleaved).

    Yields
    ------
    tuple of str and list, or BadRecord
        A group with more than ``MAX_ROWS`` rows is a BadRecord.
    """
    if _contiguous(keys()):
        yield from _neighbours(rows())
    else:
        yield from _spilled(rows())


def _contiguous(keys: Iterable[str]) -> bool:
    import numpy as np

    # One hash for each run of equal keys, 8 bytes: a collision only costs a spill that was not needed.
    runs = array("q")
    before: str | None = None
    for key in keys:
        if key != before:
            runs.append(hash(key))
            before = key
    return int(np.unique(np.frombuffer(runs, dtype=np.int64)).size) == len(runs)


def _neighbours(rows: Iterator[Row | BadRecord]) -> Iterator[Group | BadRecord]:
    key: str | None = None
    held: list[Any] = []
    count = 0
    for row in rows:
        if isinstance(row, BadRecord):
            yield row
            continue
        if row[0] != key:
            if key is not None:
                yield _group(key, held, count)
            key, held, count = row[0], [], 0
        count += 1
        if count <= MAX_ROWS:
            held.append(row[1])
    if key is not None:
        yield _group(key, held, count)


def _group(key: str, held: list[Any], count: int) -> Group | BadRecord:
    if count <= MAX_ROWS:
        return key, held
    message = f"{count:,} rows are one chat, expected at most {MAX_ROWS:,}; is the chat column the right one?"
    return BadRecord(f"chat {key!r:.40}", "too_many_turns", message)


def _spilled(rows: Iterator[Row | BadRecord]) -> Iterator[Group | BadRecord]:
    with tempfile.TemporaryDirectory(prefix="tutorscope-", ignore_cleanup_errors=True) as folder:
        store = sqlite3.connect(Path(folder) / "rows.sqlite")
        try:
            yield from _through(store, rows)
        finally:
            store.close()


def _through(store: sqlite3.Connection, rows: Iterator[Row | BadRecord]) -> Iterator[Group | BadRecord]:
    store.executescript("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA temp_store = FILE;")
    store.execute(f"PRAGMA cache_size = -{_CACHE_KB}")
    store.execute("CREATE TABLE rows (n INTEGER PRIMARY KEY, key TEXT, data TEXT)")
    block: list[tuple[str, str]] = []
    size = 0
    for row in rows:
        if isinstance(row, BadRecord):
            yield row
            continue
        # ASCII JSON: keys and texts may hold lone surrogates and zero bytes, which SQLite's text may not.
        block.append((json.dumps(row[0]), json.dumps(row[1])))
        size += len(block[-1][1])
        if size > _BLOCK:
            store.executemany("INSERT INTO rows (key, data) VALUES (?, ?)", block)
            block, size = [], 0
    store.executemany("INSERT INTO rows (key, data) VALUES (?, ?)", block)
    # Sorted as a whole rather than looked up chat by chat: the disk is then read and written in order.
    store.execute("CREATE TABLE firsts AS SELECT key, MIN(n) AS first FROM rows GROUP BY key")
    store.execute("CREATE UNIQUE INDEX by_key ON firsts (key)")
    together = store.execute("SELECT key, data FROM rows JOIN firsts USING (key) ORDER BY first, n")
    yield from _neighbours((json.loads(key), json.loads(data)) for key, data in together)

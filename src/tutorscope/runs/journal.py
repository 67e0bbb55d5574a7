"""The call journal: every reply that arrived whole, written before anything uses it.

One append-only file of JSON lines a stage and process, under ``calls/``. A torn last line is a reply that did not
arrive. Nothing else holds replies that a killed run paid for, so a line is handed to the operating system before the
reply is used.
"""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from tutorscope.errors import UserError
from tutorscope.runs.lines import append_lines, as_line, read_lines

CallKey = tuple[str, str, int]
"""Role, draw and attempt: a reply's name within its unit."""


NAMES = {"kind", "cell", "unit"}


class Held(NamedTuple):
    """What the journal holds of one unit."""

    replies: dict[CallKey, Mapping[str, Any]]
    set_aside: int
    """How many times a stateful unit was begun anew."""


class Journal:
    """The journal of one stage, open for one process.

    Parameters
    ----------
    folder : Path
        The run's ``calls/``.
    stage : str
        The stage's name.
    share : int
        The number of the process where a stage is shared out: each writes a file of its own. 0 where it is not.
    """

    def __init__(self, folder: Path, stage: str, share: int = 0) -> None:
        self.path = folder / (f"{stage}.{share}.jsonl" if share else f"{stage}.jsonl")
        folder.mkdir(parents=True, exist_ok=True)
        self._file = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        if share:
            import fcntl

            # A process of a run that was killed may outlive the run's lock by a moment: it writes no more once we do.
            fcntl.flock(self._file, fcntl.LOCK_EX)
        append_lines(self.path, ())

    def append(self, kind: str, cell: str, unit: str, /, **facts: Any) -> None:
        """Write one line: kind is "reply", "foreign", "error", "cancelled" or "set_aside"."""
        line = as_line({"kind": kind, "cell": cell, "unit": unit, "time": round(time.time(), 3), **facts})
        end = os.fstat(self._file).st_size
        taken = 0
        try:
            taken = os.write(self._file, line)
        finally:
            if taken != len(line):
                # Half a line would join the next one and hide both.
                os.ftruncate(self._file, end)
        if taken != len(line):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self.path))

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)


def journal_lines(folder: Path, stage: str | None = None) -> Iterator[Mapping[str, Any]]:
    """Read a run's journal lines, of one stage or of all, leaving out a torn last line."""
    # No stage's name holds a point.
    paths = [folder / f"{stage}.jsonl", *folder.glob(f"{stage}.*.jsonl")] if stage else folder.glob("*.jsonl")
    for path in sorted(paths):
        for number, line in enumerate(read_lines(path), 1):
            if NAMES - line.keys():
                raise UserError(f"{path}: line {number} is no line of a call journal; the file was damaged")
            yield line


def held_replies(folder: Path, stage: str, owed: Collection[tuple[str, str]]) -> dict[tuple[str, str], Held]:
    """Read what the journal holds of owed units.

    Parameters
    ----------
    folder : Path
        The run's ``calls/``.
    stage : str
        The stage's name.
    owed : collection of (cell key, unit id)
        Units to read; all other lines are passed over, so that memory holds only what can be replayed.

    Returns
    -------
    dict
        (cell key, unit id) to what is held. Replies ahead of a "set_aside" line are not given: that unit began anew.
    """
    wanted = set(owed)
    held: dict[tuple[str, str], Held] = {}
    for line in journal_lines(folder, stage):
        name = (line["cell"], line["unit"])
        if name not in wanted:
            continue
        if line["kind"] == "reply":
            entry = held.setdefault(name, Held({}, 0))
            entry.replies.setdefault((line["role"], line["draw"], line["attempt"]), line)
        elif line["kind"] == "set_aside":
            held[name] = Held({}, held.get(name, Held({}, 0)).set_aside + 1)
    return held

"""The call journal: every reply that arrived whole, written before anything uses it.

One append-only file of JSON lines a stage, under ``calls/``. A torn last line is a reply that did not arrive. Nothing
else holds replies that a killed run paid for, so a line is handed to the operating system before the reply is used.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from tutorscope.runs.inputs import trim_torn_line

CallKey = tuple[str, str, int]
"""Role, draw and attempt: a reply's name within its unit."""


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
    """

    def __init__(self, folder: Path, stage: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / f"{stage}.jsonl"
        with self.path.open("ab+") as out:
            trim_torn_line(out)
        self._file = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)

    def append(self, kind: str, cell: str, unit: str, /, **facts: Any) -> None:
        """Write one line: kind is "reply", "error", "cancelled" or "set_aside"."""
        line = {"kind": kind, "cell": cell, "unit": unit, "time": round(time.time(), 3), **facts}
        data = json.dumps(line, ensure_ascii=True, separators=(",", ":")).encode("ascii") + b"\n"
        if os.write(self._file, data) != len(data):  # pragma: no cover - a full disk
            raise OSError(f"{self.path}: the disk took only a part of a line")

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)


def journal_lines(folder: Path, stage: str | None = None) -> Iterator[Mapping[str, Any]]:
    """Read a run's journal lines, of one stage or of all, leaving out a torn last line."""
    paths = [folder / f"{stage}.jsonl"] if stage else sorted(folder.glob("*.jsonl"))
    for path in paths:
        if not path.exists():
            continue
        with path.open("rb") as lines:
            for line in lines:
                if line.endswith(b"\n"):
                    yield json.loads(line)


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

"""What is not a model's reply: items, kept under ``inputs/`` as JSON lines, each with the hash of its content."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tutorscope.errors import RefusedError


@dataclass(frozen=True, slots=True)
class Item:
    """One thing that an instrument works on.

    Parameters
    ----------
    id : str
        Unique in its set.
    sha : str
        Hash of its content: the same id with another hash is refused.
    data : mapping
        The item as plain data.
    label : str
        The name that the user gave it ("" if none). A label that is unique on both sides and now has another content
        is refused too.
    """

    id: str
    sha: str
    data: Mapping[str, Any]
    label: str = ""


@dataclass(frozen=True)
class InputSet:
    """Items that come from one file.

    Parameters
    ----------
    name : str
        The path under ``inputs/``, without the ending.
    items : sequence of Item
        In file order.
    facts : mapping
        What the plan records: file name, sha256 of the raw file, format, counts, dropped columns.
    """

    name: str
    items: Sequence[Item]
    facts: Mapping[str, Any] = field(default_factory=dict)


def read_items(path: Path) -> Iterator[Item]:
    """Read an input file. A torn last line (a kill while writing) is left out: its item will be asked again."""
    if not path.exists():
        return
    with path.open("rb") as lines:
        for line in lines:
            if not line.endswith(b"\n"):
                return
            raw = json.loads(line)
            yield Item(raw["id"], raw["sha"], raw["data"], raw.get("label", ""))


def added_items(held: Sequence[Item], asked: Sequence[Item], name: str) -> list[Item]:
    """Give the items that a run does not hold yet.

    Parameters
    ----------
    held, asked : sequence of Item
        What the run holds and what the user's file now has.
    name : str
        The set's name, for the message.

    Raises
    ------
    RefusedError
        An item that the run holds has another content now.
    """
    known = {item.id: item.sha for item in held}
    before = _unique_labels(held)
    after = _unique_labels(asked)
    for item in asked:
        same_label = before.get(item.label) if item.label in after else None
        if known.get(item.id, item.sha) != item.sha or (same_label is not None and same_label != item.sha):
            before_sha = known.get(item.id, same_label)
            raise RefusedError(
                f"{name}: item {(item.label or item.id)!r} was {before_sha} when this run began and is {item.sha} "
                "now; a run's items stay what they were: restore it, or start another run"
            )
    return [item for item in asked if item.id not in known]


def append_items(path: Path, items: Sequence[Item]) -> None:
    """Append items to an input file, after mending a torn last line."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab+") as out:
        trim_torn_line(out)
        for item in items:
            record = {"id": item.id, "sha": item.sha, "label": item.label, "data": item.data}
            out.write(json.dumps(record, ensure_ascii=True).encode("ascii") + b"\n")


def trim_torn_line(out: Any) -> None:
    """Cut a file, open for reading and appending, back to its last line break."""
    end = out.seek(0, 2)
    while end > 0:
        start = max(0, end - 65536)
        out.seek(start)
        cut = out.read(end - start).rfind(b"\n")
        if cut >= 0:
            out.truncate(start + cut + 1)
            break
        end = start
    else:
        out.truncate(0)
    out.seek(0, 2)


def _unique_labels(items: Sequence[Item]) -> dict[str, str]:
    seen: dict[str, str] = {}
    twice: set[str] = set()
    for item in items:
        if item.label:
            if item.label in seen:
                twice.add(item.label)
            seen[item.label] = item.sha
    return {label: sha for label, sha in seen.items() if label not in twice}

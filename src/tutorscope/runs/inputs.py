"""What is not a model's reply: items, kept under ``inputs/`` as JSON lines, each with the hash of its content."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tutorscope.errors import RefusedError, UserError
from tutorscope.runs.lines import append_lines, read_lines


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
        The path under ``inputs/``, without the ending. Sets that the user names, of which a run may have several, lie
        in a folder of their kind (``policies/mine``).
    items : sequence of Item
        In file order.
    facts : mapping
        What the plan records: file name, sha256 of the raw file, format, counts, dropped columns.
    fixed : mapping
        What a later file under the same name must not change, by field: the category of a dataset.
    """

    name: str
    items: Sequence[Item]
    facts: Mapping[str, Any] = field(default_factory=dict)
    fixed: Mapping[str, Any] = field(default_factory=dict)


def read_items(path: Path, most: int | None = None, note: Callable[[bytes], object] | None = None) -> Iterator[Item]:
    """Read an input file, all of it or its first items; ``note`` is given the bytes of each line.

    Raises
    ------
    UserError
        A line holds no item.
    """
    for number, raw in enumerate(read_lines(path, most, note), 1):
        try:
            item = Item(raw["id"], raw["sha"], raw["data"], raw.get("label", ""))
        except KeyError as lacking:
            raise UserError(
                f"{path}: line {number} lacks {lacking}; the file was damaged after it was written"
            ) from None
        yield item


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
    known = {item.id: item for item in held}
    before = _unique_labels(held)
    after = _unique_labels(asked)
    for item in asked:
        same = known.get(item.id) or (before.get(item.label) if item.label in after else None)
        if same is not None and same.sha != item.sha:
            raise RefusedError(
                f"{name}: item {(item.label or item.id)!r}: {_difference(same, item)} has changed since this run "
                "began; a run's items stay what they were: restore it, or start another run"
            )
    return [item for item in asked if item.id not in known]


def append_items(
    path: Path, items: Sequence[Item], after: int | None = None, note: Callable[[bytes], object] | None = None
) -> None:
    """Append items to an input file, after its first ``after`` ones: what a killed ask left behind never counted.

    ``note`` is given the bytes of each line that is written.
    """
    append_lines(path, ({"id": i.id, "sha": i.sha, "label": i.label, "data": i.data} for i in items), after, note)


def _unique_labels(items: Sequence[Item]) -> dict[str, Item]:
    seen: dict[str, Item] = {}
    twice: set[str] = set()
    for item in items:
        if item.label:
            if item.label in seen:
                twice.add(item.label)
            seen[item.label] = item
    return {label: item for label, item in seen.items() if label not in twice}


def _difference(before: Item, now: Item) -> str:
    fields = sorted({*before.data, *now.data})
    changed = [name for name in fields if before.data.get(name) != now.data.get(name)]
    return f"its {', '.join(changed)}" if changed else "its content"

"""Pairs of replies of which one is known to be the better: what a judge of scaffolding is checked with."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tutorscope.chats.reader import BadRecord
from tutorscope.chats.records import records
from tutorscope.chats.sources import open_source
from tutorscope.errors import UserError
from tutorscope.runs.inputs import InputSet, Item
from tutorscope.runs.stages import fingerprint
from tutorscope.uptake.items import file_name

PAIRS = "pairs/"
"""Where the input sets of pairs stand among a run's inputs."""

FIELDS: Mapping[str, tuple[str, ...]] = {
    "history": ("history", "dialog_history", "dialogue_history", "conversation", "prompt"),
    "better": ("better", "positive", "chosen"),
    "worse": ("worse", "negative", "rejected"),
    "task": ("task", "problem", "context"),
    "id": ("id",),
}
"""The names that each field goes by, the first one found counts. Task and id may be missing."""

_TUTORS = {"tutor", "teacher", "assistant", "chatbot", "bot"}
_STUDENTS = {"student", "user", "learner"}
_WHO, _WHAT = ("speaker", "role", "user", "from"), ("text", "content", "value")


def read_pairs(paths: Sequence[str], limit: int | None = None) -> tuple[list[InputSet], list[str]]:
    """Read files of pairs.

    Parameters
    ----------
    paths : sequence of str
        ``FILE`` or ``NAME=FILE``: JSON lines, a JSON list, CSV or Parquet.
    limit : int, optional
        Only the first so many of each file.

    Returns
    -------
    sets : list of InputSet
        One a file. An item's data: ``dataset``, ``task``, ``history`` (a list of ``{speaker: text}``, or one text as
        the file has it), ``better``, ``worse``.
    notes : list of str
        One line a file.

    Raises
    ------
    UserError
        A file cannot be read, a record lacks a field or holds something else there, or two files have one name.
    """
    sets: dict[str, InputSet] = {}
    notes = []
    for text in paths:
        name, equals, rest = text.partition("=")
        path = Path(rest if equals and not Path(text).exists() else text)
        dataset = name.strip() if equals and not Path(text).exists() else path.name.partition(".")[0]
        if not dataset or dataset.casefold() in sets:
            raise UserError(f"{text}: the name {dataset!r} is empty or taken; expected NAME=FILE, each name once")
        source = open_source(path)
        items: list[Item] = []
        seen: Counter[str] = Counter()
        for record in records(source):
            if limit is not None and len(items) == limit:
                break
            if isinstance(record, BadRecord):
                raise UserError(f"{path}: {record.where}: {record.message}")
            items.append(_item(record.value, f"{path}: {record.where}", dataset, seen))
        if not items:
            raise UserError(f"{path}: holds no pair; expected records with history, better and worse")
        same = sum(item.data["better"] == item.data["worse"] for item in items)
        facts = {"file": path.name, "sha256": source.sha256(), "dataset": dataset, "pairs": len(items)}
        facts |= {"identical_replies": same, "limit": limit}
        sets[dataset.casefold()] = InputSet(f"{PAIRS}{file_name(dataset)}", items, facts)
        notes.append(f"{dataset}: {len(items):,} pairs" + (f", {same:,} of them of two equal replies" if same else ""))
    return list(sets.values()), notes


def _item(value: Any, where: str, dataset: str, seen: Counter[str]) -> Item:
    if not isinstance(value, Mapping):
        raise UserError(f"{where}: expected an object with history, better and worse")
    found = {field: _found(value, field) for field in FIELDS}
    for field in ("history", "better", "worse"):
        if found[field] is None:
            has = ", ".join(map(str, value)) or "nothing"
            raise UserError(f"{where}: no {field}; expected one of {', '.join(FIELDS[field])}; found {has:.200}")
    data = {
        "dataset": dataset,
        "task": _text(found["task"] or "", where, "task"),
        "history": _history(found["history"], where),
        "better": _reply(found["better"], where, "better"),
        "worse": _reply(found["worse"], where, "worse"),
    }
    digest = fingerprint(data)
    seen[digest] += 1
    again = f"-{seen[digest]}" if seen[digest] > 1 else ""
    label = str(found["id"]) if found["id"] is not None else ""
    return Item(f"{file_name(dataset)}:{digest}{again}", digest, data, label)


def _found(value: Mapping[Any, Any], field: str) -> Any:
    return next((value[name] for name in FIELDS[field] if value.get(name) is not None), None)


def _text(value: Any, where: str, field: str) -> str:
    if not isinstance(value, str):
        raise UserError(f"{where}: {field} is a {type(value).__name__}, expected text")
    return value


def _reply(value: Any, where: str, field: str) -> str:
    text = _text(value, where, field)
    if not text.strip():
        raise UserError(f"{where}: {field} is empty, expected a tutor's reply")
    return text


def _history(value: Any, where: str) -> str | list[dict[str, str]]:
    """Read a history: one text stays one, so that nothing typed in it can pose as a speaker."""
    if isinstance(value, str) and value.lstrip().startswith("["):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return str(value)
    if isinstance(value, str):
        return value
    if not isinstance(value, list):
        raise UserError(f"{where}: history is a {type(value).__name__}, expected a list of turns or one text")
    return [_turn(turn, f"{where}: history[{place}]") for place, turn in enumerate(value)]


def _turn(turn: Any, where: str) -> dict[str, str]:
    if not isinstance(turn, Mapping):
        raise UserError(f"{where}: found a {type(turn).__name__}, expected a speaker and a text")
    if len(turn) == 1:
        ((who, text),) = turn.items()
    else:
        who = next((turn[name] for name in _WHO if turn.get(name) is not None), None)
        text = next((turn[name] for name in _WHAT if turn.get(name) is not None), None)
    name = str(who).strip().casefold()
    if name not in _TUTORS | _STUDENTS:
        raise UserError(
            f"{where}: the speaker is {who!r:.40}, expected one of {', '.join(sorted(_TUTORS | _STUDENTS))}"
        )
    return {"tutor" if name in _TUTORS else "student": _text(text, where, "text")}

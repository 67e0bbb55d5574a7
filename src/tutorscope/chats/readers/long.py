"""A table with one message a row: chat, role, text and perhaps time. CSV, Parquet, or objects in JSON lines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tutorscope.chats.assembling import chat_of_rows, columns_for, fields_of, grouped_records, timed_turn
from tutorscope.chats.chat import Chat, Speaker, Turn
from tutorscope.chats.naming import find_columns
from tutorscope.chats.reader import BadRecord, Head, Reader, ReadOptions, Record, Unfit, text_of
from tutorscope.chats.sources import Source
from tutorscope.errors import UserError

WANTED = ("chat", "role", "text")
OPTIONAL = ("time", "context")
ROLES: dict[str, Speaker] = {
    "student": "student",
    "learner": "student",
    "pupil": "student",
    "user": "student",
    "human": "student",
    "tutor": "tutor",
    "teacher": "tutor",
    "assistant": "tutor",
    "system": "other",
    "developer": "other",
    "tool": "other",
}


def sniff(head: Head) -> str | None:
    """Recognise columns for chat, role and text."""
    try:
        columns = find_columns(fields_of(head), WANTED, head.named)
    except UserError:
        return None
    return "a message a row: " + ", ".join(f"{holds} in {name!r}" for holds, name in columns.items())


def read(source: Source, options: ReadOptions) -> Iterator[Chat | BadRecord]:
    """Read chats from rows, wherever the rows of a chat lie."""
    columns = columns_for(source, options, WANTED, OPTIONAL)

    def turns(row: Record, own: dict[str, Any]) -> list[Turn]:
        role = row.value.get(columns["role"])
        if role is None or not str(role).strip():
            raise Unfit("no_role", f"no role in {columns['role']!r}")
        speaker = options.speaker(str(role), ROLES, row.where)
        text = text_of(row.value.get(columns["text"]), columns["text"])
        time = row.value.get(columns["time"]) if "time" in columns else None
        return [timed_turn(Turn(speaker, text, meta=own), time, options)]

    for group in grouped_records(source, columns["chat"]):
        yield group if isinstance(group, BadRecord) else chat_of_rows(*group, columns, turns, options)


READER = Reader(
    "long", "a table with one message a row (CSV, Parquet, JSON lines)", sniff, read, True, takes_columns=True
)

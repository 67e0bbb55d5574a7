"""A table with one exchange a row: student, tutor and perhaps chat. CSV, Parquet, or objects in JSON lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tutorscope.chats.assembling import chat_of_rows, columns_for, fields_of, grouped_records, timed_turn
from tutorscope.chats.chat import Chat, Turn
from tutorscope.chats.grouping import MAX_ROWS
from tutorscope.chats.naming import find_columns
from tutorscope.chats.reader import BadRecord, Head, Reader, ReadOptions, Record, text_of
from tutorscope.chats.records import records
from tutorscope.chats.sources import Source
from tutorscope.errors import UserError

WANTED = ("student", "tutor")
OPTIONAL = ("chat", "time", "context")


def sniff(head: Head) -> str | None:
    """Recognise columns for student and tutor."""
    try:
        columns = find_columns(fields_of(head), WANTED, head.named, ("chat",))
    except UserError:
        return None
    alone = "" if "chat" in columns else "; no column for chat: the whole file is one chat"
    return "an exchange a row: " + ", ".join(f"{holds} in {name!r}" for holds, name in columns.items()) + alone


def read(source: Source, options: ReadOptions) -> Iterator[Chat | BadRecord]:
    """Read chats from rows; without a chat column the whole file is one.

    An empty cell is a message without text: its exchange is counted and skipped with a reason.
    """
    columns = columns_for(source, options, WANTED, OPTIONAL)

    def turns(row: Record, own: dict[str, Any]) -> list[Turn]:
        time = row.value.get(columns["time"]) if "time" in columns else None
        student = Turn("student", text_of(row.value.get(columns["student"]), columns["student"]), meta=own)
        tutor = Turn("tutor", text_of(row.value.get(columns["tutor"]), columns["tutor"]))
        return [timed_turn(student, time, options), tutor]

    if "chat" in columns:
        for group in grouped_records(source, columns["chat"]):
            yield group if isinstance(group, BadRecord) else chat_of_rows(*group, columns, turns, options)
        return
    rows: list[Record] = []
    for record in records(source):
        if isinstance(record, BadRecord):
            yield record
        elif not isinstance(record.value, Mapping):
            yield BadRecord(record.where, "not_an_object", "the record is not an object")
        else:
            rows.append(record)
        if len(rows) > MAX_ROWS:
            hint = "name the column that tells chats apart with --columns chat=NAME"
            raise UserError(f"{source}: {record.where}: more than {MAX_ROWS:,} rows and no column for chat; {hint}")
    if rows:
        yield chat_of_rows("", rows, columns, turns, options)


READER = Reader(
    "wide", "a table with one exchange a row (CSV, Parquet, JSON lines)", sniff, read, True, takes_columns=True
)

"""From records to chats: what the readers of formats with one chat a record, or one message a row, have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from tutorscope.chats.chat import Chat, Turn
from tutorscope.chats.grouping import grouped
from tutorscope.chats.naming import find_columns
from tutorscope.chats.reader import BadRecord, Head, ReadOptions, Record, Unfit, object_of
from tutorscope.chats.records import look, records
from tutorscope.chats.sources import Source
from tutorscope.chats.times import iso_time
from tutorscope.errors import UserError

Build = Callable[[Mapping[str, Any], ReadOptions, str], Chat]


def one_chat_a_record(build: Build) -> Callable[[Source, ReadOptions], Iterator[Chat | BadRecord]]:
    """Make a reader's ``read`` from a function that builds one chat from one record.

    Parameters
    ----------
    build : callable
        From the record, the options and the record's place to a Chat; raises Unfit for a broken record.
    """

    def read(source: Source, options: ReadOptions) -> Iterator[Chat | BadRecord]:
        for record in records(source):
            yield record if isinstance(record, BadRecord) else built(build, record, options)

    return read


def built(build: Build, record: Record, options: ReadOptions) -> Chat | BadRecord:
    """Build one chat, or say why not."""
    try:
        if not isinstance(record.value, Mapping):
            raise Unfit("not_an_object", "the record is not an object")
        return build(record.value, options, record.where)
    except Unfit as unfit:
        return BadRecord(record.where, unfit.reason, unfit.message)
    except RecursionError:
        return BadRecord(record.where, "too_deep", "the record is nested too deeply to be a chat")


def turns_of(
    messages: Sequence[Any],
    turn: Callable[[Mapping[str, Any], ReadOptions, str], Turn],
    options: ReadOptions,
    where: str,
) -> tuple[Turn, ...]:
    """Build a record's turns, naming the message that cannot be read.

    Parameters
    ----------
    messages : sequence
        Of objects.
    turn : callable
        From a message, the options and the record's place to a Turn.
    options : ReadOptions
    where : str

    Raises
    ------
    Unfit
        A message is not an object, or not what ``turn`` expects.
    """
    turns = []
    for number, message in enumerate(messages, 1):
        try:
            turns.append(turn(object_of(message, "it"), options, where))
        except Unfit as unfit:
            raise Unfit(unfit.reason, f"message {number}: {unfit.message}") from unfit
    return tuple(turns)


def grouped_records(source: Source, column: str) -> Iterator[tuple[str, list[Record]] | BadRecord]:
    """Gather a log's records by the chat that they name.

    Parameters
    ----------
    source : Source
    column : str
        The field that names the chat.
    """

    def key(row: Mapping[str, Any]) -> str:
        found = key_of(row, column)
        if found is None:
            raise Unfit("no_chat_id", f"no text or number in {column!r}, which names the chat")
        return found

    return grouped_by(lambda only: records(source, only), key, [column])


def grouped_by(
    rows: Callable[[Sequence[str] | None], Iterable[Record | BadRecord]],
    key: Callable[[Mapping[str, Any]], str],
    fields: Sequence[str] | None,
) -> Iterator[tuple[str, list[Record]] | BadRecord]:
    """Gather records by a key.

    Parameters
    ----------
    rows : callable
        From the fields that are needed (None for all) to the records in file order; called twice.
    key : callable
        From a record's value to the key of its chat; raises Unfit where it has none.
    fields : sequence of str or None
        What ``key`` looks at.
    """

    def keys() -> Iterator[str]:
        for record in rows(fields):
            if isinstance(record, Record) and isinstance(record.value, Mapping):
                with suppress(Unfit):
                    yield key(record.value)

    def keyed() -> Iterator[tuple[str, Any] | BadRecord]:
        for record in rows(None):
            if isinstance(record, BadRecord):
                yield record
                continue
            try:
                yield key(object_of(record.value, "the record")), [record.where, record.value]
            except Unfit as unfit:
                yield BadRecord(record.where, unfit.reason, unfit.message)

    for group in grouped(keys, keyed):
        yield group if isinstance(group, BadRecord) else (group[0], [Record(*row) for row in group[1]])


def fields_of(head: Head) -> tuple[str, ...]:
    """Give a table's columns, or the fields of the first object."""
    return head.columns if head.container != "json" else tuple(head.first)


def columns_for(source: Source, options: ReadOptions, wanted: Sequence[str], optional: Sequence[str]) -> dict[str, str]:
    """Find which columns hold what, as ``find_columns`` does.

    Raises
    ------
    UserError
        A wanted column is not there.
    """
    try:
        return find_columns(fields_of(look(source, options.columns)), wanted, options.columns, optional)
    except UserError as error:
        raise UserError(f"{source}: {error}") from error


def chat_of_rows(
    key: str,
    rows: Sequence[Record],
    columns: Mapping[str, str],
    turns: Callable[[Record, dict[str, Any]], Sequence[Turn]],
    options: ReadOptions,
) -> Chat | BadRecord:
    """Build a chat from its rows.

    Columns that nobody uses go to the chat's ``meta`` where all its rows agree, else to the turns'. One broken row
    makes the whole chat a broken record: a chat with a hole in it is another chat.

    Parameters
    ----------
    key : str
        The chat's id.
    rows : sequence of Record
    columns : mapping
        What they hold to their names; "context" goes to the chat, all others are left to ``turns``.
    turns : callable
        From a row and its own meta to turns; raises Unfit for a broken row.
    options : ReadOptions
    """
    used = [name for holds, name in columns.items() if holds != "context"]
    rest = [options.personal.without(row.value, used) for row in rows]
    shared = shared_fields(rest)
    found: list[Turn] = []
    for row, fields in zip(rows, rest, strict=True):
        own = {name: value for name, value in fields.items() if name not in shared and value not in ("", None)}
        try:
            found += turns(row, own)
        except Unfit as unfit:
            return BadRecord(row.where, unfit.reason, unfit.message)
    context = str(shared.pop(columns["context"], None) or "") if "context" in columns else ""
    meta = {name: value for name, value in shared.items() if value not in ("", None)}
    return Chat(key, tuple(found), context, meta=meta)


def shared_fields(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Give the fields that hold the same in all rows of a chat: they say something about the chat."""
    first = rows[0]
    return {name: value for name, value in first.items() if all(row.get(name) == value for row in rows[1:])}


def timed_turn(turn: Turn, time: Any, options: ReadOptions) -> Turn:
    """Give a turn its time. One that cannot be read is kept in ``meta`` and counted."""
    if time is None or time == "":
        return turn
    iso = iso_time(time)
    if iso is not None:
        return Turn(turn.speaker, turn.text, iso, turn.meta)
    options.notes["unreadable_time"] += 1
    return Turn(turn.speaker, turn.text, None, {**turn.meta, "time": time})


def key_of(row: Mapping[str, Any], column: str) -> str | None:
    """Give what a row has in the column that names its chat; None if that is nothing that could."""
    value = row.get(column)
    if isinstance(value, bool) or not isinstance(value, (str, int, float)) or value == "":
        return None
    return str(value)

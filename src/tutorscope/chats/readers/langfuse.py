"""Langfuse's exports of traces or observations: CSV, JSON, JSON lines, from the page, the interface or a bucket.

A trace is one request, so a chat is all traces of one session (sessionId, session_id), in the order of their times.
Fields that are read: id, timestamp (startTime, start_time), input, output, sessionId, traceId, type,
parentObservationId; in the bucket's files the names have underscores. Lists may stand in ``data`` or ``traces``.
Oddities: input and output are any JSON, in CSV as JSON in a cell; each input usually repeats the talk so far, which is
taken once (see ``chats.traces``). A trace without a session is a chat of its own, counted (``no_session``). Of the
observations of a trace its root is read, or its last generation if the root holds no messages; the others are counted
(``inner_observations``). Large inputs may have been left out by Langfuse: such traces are broken records.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tutorscope.chats.assembling import fields_of, grouped_by
from tutorscope.chats.cells import filled, unpacked
from tutorscope.chats.chat import Chat
from tutorscope.chats.reader import BadRecord, Head, Reader, ReadOptions, Record, Unfit
from tutorscope.chats.records import records
from tutorscope.chats.sources import Source
from tutorscope.chats.times import iso_time
from tutorscope.chats.traces import Request, joined, request_of

LISTS = ("data", "traces", "observations")
_SESSION = ("sessionId", "session_id")
_TIME = ("timestamp", "startTime", "start_time")
_TRACE = ("traceId", "trace_id")
_PARENT = ("parentObservationId", "parent_observation_id")
_KEPT = ("traceName", "trace_name", "tags", "release", "version", "environment", "metadata")


def sniff(head: Head) -> str | None:
    """Recognise traces by their input, output, session and time."""
    fields = set(fields_of(head))
    inner = next((head.first[name] for name in LISTS if isinstance(head.first.get(name), list)), None)
    if inner and isinstance(inner[0], Mapping):
        fields = set(inner[0])
    if {"input", "output"} <= fields and fields & {*_SESSION, *_TRACE} and fields & {*_TIME}:
        return "a trace a row: 'input' and 'output' with a session and a time"
    return None


def read(source: Source, options: ReadOptions) -> Iterator[Chat | BadRecord]:
    """Read chats from traces, wherever the traces of a session lie."""
    for group in grouped_by(lambda only: _rows(source), _key, None):
        if isinstance(group, BadRecord):
            yield group
            continue
        try:
            yield _chat(group[1], options)
        except Unfit as unfit:
            yield BadRecord(group[1][0].where, unfit.reason, unfit.message)


def _rows(source: Source) -> Iterator[Record | BadRecord]:
    for record in records(source):
        if isinstance(record, BadRecord):
            yield record
            continue
        held = _list(record.value)
        if held is None:
            yield record
            continue
        session = first_of(record.value, ("id",))
        for number, value in enumerate(held, 1):
            # A session's own download names the session once, around its traces.
            named = {"sessionId": session, **value} if session and isinstance(value, Mapping) else value
            yield Record(f"{record.where}, item {number}", named)


def _list(value: Any) -> list[Any] | None:
    if not isinstance(value, Mapping) or "input" in value:
        return None
    return next((value[name] for name in LISTS if isinstance(value.get(name), list)), None)


def first_of(row: Mapping[str, Any], names: Sequence[str]) -> Any:
    """Give the first of these fields that holds anything."""
    return next((row[name] for name in names if row.get(name) not in (None, "")), None)


def _key(row: Mapping[str, Any]) -> str:
    session = first_of(row, _SESSION)
    alone = first_of(row, (*_TRACE, "id"))
    if not isinstance(session or alone, (str, int)):
        raise Unfit("no_chat_id", "neither a session nor an id")
    return f"s{session}" if session else f"t{alone}"


def _chat(rows: list[Record], options: ReadOptions) -> Chat:
    first = rows[0].value
    session = first_of(first, _SESSION)
    options.notes["no_session"] += session is None
    ordered = sorted(_chosen(rows, options), key=lambda row: iso_time(first_of(row.value, _TIME)) or "")
    requests = [_request(row, options) for row in ordered]
    # Cost, latency and the like are left out; what is personal among them is named as dropped.
    fields = options.personal.without(first, used=("name", "input", "output"))
    meta = {"trace": first.get("name"), **{name: unpacked(fields[name]) for name in _KEPT if name in fields}}
    if isinstance(meta.get("metadata"), Mapping):
        meta["metadata"] = options.personal.without(meta["metadata"], inside="metadata")
    key = str(session if session is not None else first_of(first, (*_TRACE, "id")))
    return Chat(key, tuple(joined(requests, options)), meta=filled(meta))


def _chosen(rows: list[Record], options: ReadOptions) -> list[Record]:
    """Give one row a trace: the trace itself, or of its observations the one that holds the messages."""
    traces: dict[Any, list[Record]] = {}
    for number, row in enumerate(rows):
        traces.setdefault(first_of(row.value, _TRACE) or first_of(row.value, ("id",)) or number, []).append(row)
    chosen = []
    for own in traces.values():
        roots = [row for row in own if not first_of(row.value, _PARENT)]
        generations = [row for row in own if str(row.value.get("type")).upper() == "GENERATION"]
        readable = [
            row for row in (*roots[:1], *generations[::-1], *own) if first_of(row.value, ("input",)) is not None
        ]
        chosen.append((readable or own)[0])
        options.notes["inner_observations"] += len(own) - 1
    return chosen


def _request(row: Record, options: ReadOptions) -> Request:
    given, output = unpacked(row.value.get("input")), unpacked(row.value.get("output"))
    try:
        return request_of(given, output, iso_time(first_of(row.value, _TIME)), options, row.where)
    except Unfit as unfit:
        raise Unfit(unfit.reason, f"trace {str(row.value.get('id'))[:40]}: {unfit.message}") from unfit


READER = Reader("langfuse", "Langfuse traces (CSV, JSON, JSON lines)", sniff, read)

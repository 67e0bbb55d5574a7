"""LangSmith's runs: JSON lines, a list, ``{"runs": [...]}``, or the Parquet files of a bulk export.

Fields that are read: id, trace_id, parent_run_id, run_type, start_time, inputs, outputs, extra. A root run is one
request, so a chat is all root runs of one thread, in the order of their times. The thread's name lies in
``extra.metadata`` (or ``metadata``) as thread_id, session_id or conversation_id. Oddities: a field session_id of the
run itself is the project, not the thread; messages may be LangChain's, serialised (lc, id, kwargs) and in a batch;
inputs repeat the talk so far, and so do the outputs of frameworks that keep state: what is repeated is taken once (see
``chats.traces``). In Parquet inputs, outputs and extra are JSON in a cell. Inner runs are left out and counted
(``inner_runs``), unless a file has no root runs at all: then the model's runs are taken. A run without a thread is a
chat of its own, counted (``no_thread``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tutorscope.chats.assembling import fields_of, grouped_by
from tutorscope.chats.cells import filled, unpacked
from tutorscope.chats.chat import Chat
from tutorscope.chats.reader import BadRecord, Head, Reader, ReadOptions, Record, Unfit
from tutorscope.chats.records import records
from tutorscope.chats.sources import Source
from tutorscope.chats.times import iso_time
from tutorscope.chats.traces import joined, request_of

THREAD = ("thread_id", "session_id", "conversation_id")
_RUN = {"run_type", "trace_id", "parent_run_id", "dotted_order", "start_time"}


def sniff(head: Head) -> str | None:
    """Recognise runs by their inputs and outputs."""
    fields = set(fields_of(head))
    runs = head.first.get("runs")
    if isinstance(runs, list) and runs and isinstance(runs[0], Mapping):
        fields = set(runs[0])
    if {"inputs", "outputs"} <= fields and fields & _RUN:
        return "a run a row: 'inputs' and 'outputs' with " + ", ".join(sorted(fields & _RUN))
    return None


def read(source: Source, options: ReadOptions) -> Iterator[Chat | BadRecord]:
    """Read chats from runs, wherever the runs of a thread lie."""
    rooted = any(isinstance(row, Record) and _is_root(row.value) for row in _rows(source))
    inner = 0

    def chosen() -> Iterator[Record | BadRecord]:
        nonlocal inner
        inner = 0
        for row in _rows(source):
            run = row.value if isinstance(row, Record) and isinstance(row.value, Mapping) else None
            if run is not None and not (_is_root(run) if rooted else run.get("run_type") == "llm"):
                inner += 1
            else:
                yield row

    for group in grouped_by(lambda only: chosen(), _key, None):
        if isinstance(group, BadRecord):
            yield group
            continue
        try:
            yield _chat(group[1], options)
        except Unfit as unfit:
            yield BadRecord(group[1][0].where, unfit.reason, unfit.message)
    if inner:
        options.notes["inner_runs"] = inner


def _rows(source: Source) -> Iterator[Record | BadRecord]:
    for record in records(source):
        runs = record.value.get("runs") if isinstance(record, Record) and isinstance(record.value, Mapping) else None
        if not isinstance(runs, list):
            yield record
            continue
        for number, run in enumerate(runs, 1):
            yield Record(f"{record.where}, run {number}", run)


def _is_root(run: Any) -> bool:
    return isinstance(run, Mapping) and not run.get("parent_run_id")


def _thread(run: Mapping[str, Any]) -> Any:
    extra = unpacked(run.get("extra"))
    inside = extra.get("metadata") if isinstance(extra, Mapping) else None
    for metadata in (inside, unpacked(run.get("metadata"))):
        if isinstance(metadata, Mapping):
            found = next((metadata[name] for name in THREAD if metadata.get(name) not in (None, "")), None)
            if found is not None:
                return found
    return run.get("thread_id") or None


def _key(run: Mapping[str, Any]) -> str:
    thread = _thread(run)
    alone = run.get("trace_id") or run.get("id")
    if not isinstance(thread or alone, (str, int)):
        raise Unfit("no_chat_id", "neither a thread nor an id")
    return f"s{thread}" if thread else f"t{alone}"


def _chat(rows: list[Record], options: ReadOptions) -> Chat:
    first = rows[0].value
    thread = _thread(first)
    options.notes["no_thread"] += thread is None
    requests = []
    for row in sorted(rows, key=lambda row: iso_time(row.value.get("start_time")) or ""):
        given, output = unpacked(row.value.get("inputs")), unpacked(row.value.get("outputs"))
        time = iso_time(row.value.get("start_time"))
        try:
            requests.append(request_of(given, output, time, options, row.where))
        except Unfit as unfit:
            raise Unfit(unfit.reason, f"run {str(row.value.get('id'))[:40]}: {unfit.message}") from unfit
    extra = unpacked(first.get("extra"))
    metadata = extra.get("metadata") if isinstance(extra, Mapping) else unpacked(first.get("metadata"))
    kept = options.personal.without(metadata, used=THREAD, inside="metadata") if isinstance(metadata, Mapping) else {}
    meta = filled({"run": first.get("name"), "tags": first.get("tags"), "metadata": kept})
    key = str(thread if thread is not None else first.get("trace_id") or first.get("id"))
    return Chat(key, tuple(joined(requests, options)), meta=meta)


READER = Reader("langsmith", "LangSmith runs (JSON, JSON lines, Parquet)", sniff, read)

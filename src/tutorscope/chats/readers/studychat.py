"""StudyChat (McNichols and Lan, 2025), JSON lines: one row an interaction, a prompt with its response.

Fields: prompt, response, topic (a1 to a7), messages, timestamp (milliseconds since 1970, of the prompt), chatStartTime,
chatId, userId, interactionCount, chatTotalInteractionCount, chatTitle, llm_label (label "a>b" and justification),
semester. Oddities: ``messages`` repeats the whole talk before the response in every row, so it is left out; the system
prompt at its head is kept once. Rows are ordered by interactionCount, which starts at 0, may have gaps and does not
always agree with chatTotalInteractionCount; both stay as they are. The label belongs to the student's message.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tutorscope.chats.assembling import fields_of, grouped_records, shared_fields, timed_turn
from tutorscope.chats.cells import filled, integer, unpacked
from tutorscope.chats.chat import Chat, Turn
from tutorscope.chats.reader import BadRecord, Head, Reader, ReadOptions, Record, Unfit, text_of
from tutorscope.chats.sources import Source

FIELDS = {"prompt", "response", "chatId", "interactionCount"}
_USED = ("prompt", "response", "messages", "timestamp", "chatId", "interactionCount")


def sniff(head: Head) -> str | None:
    """Recognise rows of interactions."""
    return "an interaction a row: 'prompt' and 'response' by 'chatId'" if set(fields_of(head)) >= FIELDS else None


def read(source: Source, options: ReadOptions) -> Iterator[Chat | BadRecord]:
    """Read chats from rows, wherever the rows of a chat lie."""
    for group in grouped_records(source, "chatId"):
        if isinstance(group, BadRecord):
            yield group
            continue
        where = group[1][0].where
        try:
            yield _chat(*group, options)
        except Unfit as unfit:
            yield BadRecord(where, unfit.reason, unfit.message)


def _chat(key: str, rows: list[Record], options: ReadOptions) -> Chat:
    ordered = sorted(rows, key=lambda row: integer(row.value.get("interactionCount"), "interactionCount"))
    rest = [filled(options.personal.without(row.value, used=_USED)) for row in ordered]
    shared = shared_fields(rest)
    turns = _system(ordered[0].value)
    for row, fields in zip(ordered, rest, strict=True):
        own = {name: unpacked(value) for name, value in fields.items() if name not in shared or name == "llm_label"}
        student = Turn("student", text_of(row.value.get("prompt"), "prompt"), meta=own)
        turns.append(timed_turn(student, row.value.get("timestamp"), options))
        turns.append(Turn("tutor", text_of(row.value.get("response"), "response")))
    return Chat(key, tuple(turns), meta={name: value for name, value in shared.items() if name != "llm_label"})


def _system(row: Mapping[str, Any]) -> list[Turn]:
    messages = unpacked(row.get("messages"))
    first = messages[0] if isinstance(messages, list) and messages else None
    if isinstance(first, Mapping) and first.get("role") == "system" and isinstance(first.get("content"), str):
        return [Turn("other", first["content"])]
    return []


READER = Reader("studychat", "StudyChat (JSON lines)", sniff, read)

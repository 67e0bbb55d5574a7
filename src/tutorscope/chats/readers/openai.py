"""OpenAI messages: ``{"messages": [{"role": ..., "content": ...}]}``, or a bare list of messages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tutorscope.chats.assembling import built, timed_turn, turns_of
from tutorscope.chats.chat import Chat, Speaker, Turn
from tutorscope.chats.grouping import MAX_ROWS
from tutorscope.chats.naming import find_columns
from tutorscope.chats.reader import (
    BadRecord,
    Head,
    Reader,
    ReadOptions,
    Record,
    Unfit,
    has_messages,
    id_of,
    kind_of,
    list_of,
    text_of,
)
from tutorscope.chats.records import records
from tutorscope.chats.sources import Source
from tutorscope.errors import UserError

ROLES: dict[str, Speaker] = {
    "user": "student",
    "student": "student",
    "assistant": "tutor",
    "tutor": "tutor",
    "system": "other",
    "developer": "other",
    "tool": "other",
    "function": "other",
}
_IDS = ("id", "conversation_id", "chat_id")
_TIMES = ("timestamp", "created_at", "time")
_TEXT_PARTS = ("text", "input_text", "output_text")


def sniff(head: Head) -> str | None:
    """Recognise records with messages, and messages as records."""
    if has_messages(head, "messages", {"role", "content"}):
        return "records with 'messages' of role and content"
    if head.records and isinstance(head.records[0], list) and _is_message(head.records[0][:1]):
        return "records that are lists of messages of role and content"
    if head.container == "json" and _is_message(head.records[:1]) and not _names_chat(head.first):
        return "records that are messages of role and content: the whole file is one chat"
    return None


def read(source: Source, options: ReadOptions) -> Iterator[Chat | BadRecord]:
    """Read one chat a record, or one chat from a file of messages."""
    alone: list[Any] = []
    for record in records(source):
        if isinstance(record, BadRecord):
            yield record
        elif isinstance(record.value, list):
            yield built(chat_of, Record(record.where, {"messages": record.value}), options)
        elif isinstance(record.value, Mapping) and "messages" not in record.value and _is_message([record.value]):
            if _names_chat(record.value):
                raise UserError(f"{source}: {record.where}: a message that names its chat; try --format long")
            alone.append(record.value)
            if len(alone) > MAX_ROWS:
                raise UserError(f"{source}: {record.where}: more than {MAX_ROWS:,} messages that name no chat")
        else:
            yield built(chat_of, record, options)
    if alone:
        yield built(chat_of, Record("the file", {"messages": alone}), options)


def chat_of(record: Mapping[str, Any], options: ReadOptions, where: str) -> Chat:
    """Build a chat from a record with ``messages``."""
    turns = turns_of(list_of(record, "messages"), turn_of, options, where)
    name = next((key for key in _IDS if record.get(key) is not None), "id")
    meta = options.personal.without(record, used=("messages", name))
    return Chat(id_of(record.get(name)), turns, meta=meta)


def turn_of(message: Mapping[str, Any], options: ReadOptions, where: str) -> Turn:
    """Build a turn from a message.

    Text parts are joined by a newline; of other parts (images, sound) the kinds are kept in ``meta``, and counted. An
    assistant's message that only calls a tool is nothing that the student reads: an "other" turn.
    """
    speaker = options.speaker(message.get("role"), ROLES, where)
    text, others = _content(message.get("content"))
    if not text and isinstance(message.get("refusal"), str):
        text = message["refusal"]
    if speaker == "tutor" and not text and (message.get("tool_calls") or message.get("function_call")):
        speaker = "other"
    meta = options.personal.without(message, used=("role", "content", "refusal", *_TIMES), inside="messages")
    if others:
        options.notes["parts_without_text"] += len(others)
        meta["parts"] = others
    time = next((message[key] for key in _TIMES if message.get(key) is not None), None)
    return timed_turn(Turn(speaker, text, meta=meta), time, options)


def _content(content: Any) -> tuple[str, list[str]]:
    if not isinstance(content, list):
        return text_of(content, "content"), []
    texts: list[str] = []
    others: list[str] = []
    for part in content:
        if isinstance(part, str):
            texts.append(part)
        elif not isinstance(part, Mapping):
            raise Unfit("not_text", f"a part of content is {kind_of(part)}, expected an object")
        elif part.get("type") in _TEXT_PARTS or ("type" not in part and "text" in part):
            texts.append(text_of(part.get("text"), "text of a part"))
        elif part.get("type") == "refusal":
            texts.append(text_of(part.get("refusal"), "refusal of a part"))
        else:
            others.append(str(part.get("type"))[:40])
    return "\n".join(texts), others


def _is_message(values: Sequence[Any]) -> bool:
    return bool(values) and isinstance(values[0], Mapping) and {"role", "content"} <= set(values[0])


def _names_chat(message: Mapping[str, Any]) -> bool:
    return "chat" in find_columns([str(name) for name in message], [], {}, optional=["chat"])


READER = Reader("openai", "OpenAI messages (JSON, JSON lines)", sniff, read, general=True)

"""ShareGPT: ``{"conversations": [{"from": ..., "value": ...}]}``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tutorscope.chats.assembling import one_chat_a_record, turns_of
from tutorscope.chats.chat import Chat, Speaker, Turn
from tutorscope.chats.reader import Head, Reader, ReadOptions, has_messages, id_of, list_of, text_of

ROLES: dict[str, Speaker] = {
    "human": "student",
    "user": "student",
    "student": "student",
    "gpt": "tutor",
    "assistant": "tutor",
    "chatgpt": "tutor",
    "bing": "tutor",
    "tutor": "tutor",
    "system": "other",
    "tool": "other",
    "function_call": "other",
    "observation": "other",
}


def sniff(head: Head) -> str | None:
    """Recognise records with conversations."""
    if has_messages(head, "conversations", {"from", "value"}):
        return "records with 'conversations' of from and value"
    return None


def chat_of(record: Mapping[str, Any], options: ReadOptions, where: str) -> Chat:
    """Build a chat from a record with ``conversations``."""
    turns = turns_of(list_of(record, "conversations"), _turn, options, where)
    return Chat(id_of(record.get("id")), turns, meta=options.personal.without(record, used=("id", "conversations")))


def _turn(message: Mapping[str, Any], options: ReadOptions, where: str) -> Turn:
    speaker = options.speaker(message.get("from"), ROLES, where)
    text = text_of(message.get("value"), "value")
    meta = options.personal.without(message, used=("from", "value"), inside="conversations")
    return Turn(speaker, text, meta=meta)


READER = Reader(
    "sharegpt", "ShareGPT conversations (JSON, JSON lines)", sniff, one_chat_a_record(chat_of), general=True
)

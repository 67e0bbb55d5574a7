"""Claude's data export: ``conversations.json`` or the zip as downloaded.

A list of conversations: uuid, name (its title), summary, created_at, updated_at, account, and chat_messages, which are
in order and do not branch: uuid, sender ("human" or "assistant"), text, content, created_at, attachments, files.
Oddities: ``text`` says "not supported" in the place of tool calls, so the text parts of ``content`` go before it; calls
of tools, their results and the model's thinking are counted (``parts_without_text``) and their kinds kept in ``meta``.
What was attached is counted (``attachments``) and stays in ``meta``: pasted documents are no words of the student.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tutorscope.chats.assembling import one_chat_a_record, timed_turn, turns_of
from tutorscope.chats.cells import filled
from tutorscope.chats.chat import Chat, Speaker, Turn
from tutorscope.chats.reader import Head, Reader, ReadOptions, Unfit, id_of, kind_of, list_of, object_of, text_of

ROLES: dict[str, Speaker] = {"human": "student", "user": "student", "assistant": "tutor"}
_ATTACHED = ("attachments", "files")
_USED = ("uuid", "sender", "text", "content", "created_at", "updated_at")


def sniff(head: Head) -> str | None:
    """Recognise conversations with chat messages."""
    messages = head.first.get("chat_messages")
    if has_sender(messages) or (isinstance(messages, list) and "uuid" in head.first):
        return "records with 'chat_messages' of sender and text"
    return None


def has_sender(messages: Any) -> bool:
    """Say whether these are messages with a sender."""
    return (
        isinstance(messages, list) and bool(messages) and isinstance(messages[0], Mapping) and "sender" in messages[0]
    )


def chat_of(record: Mapping[str, Any], options: ReadOptions, where: str) -> Chat:
    """Build a chat from a conversation."""
    turns = turns_of(list_of(record, "chat_messages"), _turn, options, where)
    meta = options.personal.without(record, used=("uuid", "name", "chat_messages"))
    return Chat(id_of(record.get("uuid")), turns, meta=filled({"title": record.get("name"), **meta}))


def _turn(message: Mapping[str, Any], options: ReadOptions, where: str) -> Turn:
    speaker = options.speaker(message.get("sender"), ROLES, where)
    text, others = _text(message)
    meta = filled(options.personal.without(message, used=_USED, inside="chat_messages"))
    if others:
        options.notes["parts_without_text"] += len(others)
        meta["parts"] = others
    for name in _ATTACHED:
        held = message.get(name)
        options.notes["attachments"] += len(held) if isinstance(held, list) else 0
    return timed_turn(Turn(speaker, text, meta=meta), message.get("created_at"), options)


def _text(message: Mapping[str, Any]) -> tuple[str, list[str]]:
    content = message.get("content")
    if not content:
        return text_of(message.get("text"), "text"), []
    if not isinstance(content, list):
        raise Unfit("not_text", f"content is {kind_of(content)}, expected a list")
    texts: list[str] = []
    others: list[str] = []
    for part in content:
        kind = object_of(part, "a part of content").get("type")
        if kind == "text":
            texts.append(text_of(part.get("text"), "text of a part"))
        else:
            others.append(str(kind)[:40])
    return "\n".join(texts), others


READER = Reader("claude", "Claude's data export (JSON, zip)", sniff, one_chat_a_record(chat_of))

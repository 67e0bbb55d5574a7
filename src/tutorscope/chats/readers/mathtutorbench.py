"""MathTutorBench (Macina et al., 2025): a problem and a ``dialog_history`` of text and user."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tutorscope.chats.assembling import one_chat_a_record, turns_of
from tutorscope.chats.chat import Chat, Speaker, Turn
from tutorscope.chats.reader import Head, Reader, ReadOptions, has_messages, id_of, list_of, text_of

ROLES: dict[str, Speaker] = {"teacher": "tutor", "tutor": "tutor", "student": "student"}


def sniff(head: Head) -> str | None:
    """Recognise records with a dialog history."""
    if has_messages(head, "dialog_history", {"text", "user"}):
        return "records with 'dialog_history' of text and user"
    return None


def chat_of(record: Mapping[str, Any], options: ReadOptions, where: str) -> Chat:
    """Build a chat from a record with ``dialog_history``."""
    turns = turns_of(list_of(record, "dialog_history"), _turn, options, where)
    context = text_of(record.get("problem"), "problem")
    meta = options.personal.without(record, used=("id", "problem", "dialog_history"))
    return Chat(id_of(record.get("id")), turns, context, meta=meta)


def _turn(message: Mapping[str, Any], options: ReadOptions, where: str) -> Turn:
    speaker = options.speaker(message.get("user"), ROLES, where)
    text = text_of(message.get("text"), "text")
    meta = options.personal.without(message, used=("user", "text"), inside="dialog_history")
    return Turn(speaker, text, meta={name: value for name, value in meta.items() if value not in ("", None)})


READER = Reader("mathtutorbench", "MathTutorBench (JSON)", sniff, one_chat_a_record(chat_of))

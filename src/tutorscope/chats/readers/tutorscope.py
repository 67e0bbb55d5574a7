"""Our own JSON lines, which keep all that a chat holds: ``{"id", "turns": [{"speaker", "text", ...}], ...}``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from tutorscope.chats.assembling import one_chat_a_record
from tutorscope.chats.chat import Chat
from tutorscope.chats.plain import chat_from_data
from tutorscope.chats.reader import Head, Reader, ReadOptions, Unfit, has_messages
from tutorscope.errors import UserError


def sniff(head: Head) -> str | None:
    """Recognise records with turns."""
    if has_messages(head, "turns", {"speaker", "text"}):
        return "records with 'turns' of speaker and text"
    return None


def chat_of(record: Mapping[str, Any], options: ReadOptions, where: str) -> Chat:
    """Build a chat from a record that ``chat_to_data`` wrote."""
    try:
        chat = chat_from_data(record)
    except UserError as error:
        raise Unfit("not_a_chat", str(error)) from error
    personal = options.personal
    turns = tuple(replace(turn, meta=personal.without(turn.meta, inside="turns.meta")) for turn in chat.turns)
    return replace(chat, turns=turns, meta=personal.without(chat.meta, inside="meta"))


READER = Reader("tutorscope", "tutorscope's own chats (JSON lines)", sniff, one_chat_a_record(chat_of))

"""LMSYS-Chat-1M (Zheng et al., 2023), Parquet: ``conversation`` of role and content.

Columns: conversation_id, model, conversation, turn (the number of rounds), language, openai_moderation (a list of one
result a message), redacted. The person is the student and the model the tutor. ``openai_moderation`` stays with the
chat as it is; ``redacted`` says that names in the texts were replaced by NAME_1 and the like.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tutorscope.chats.assembling import one_chat_a_record, turns_of
from tutorscope.chats.cells import filled
from tutorscope.chats.chat import Chat, Speaker, Turn
from tutorscope.chats.reader import Head, Reader, ReadOptions, has_messages, id_of, list_of, text_of

PERSONAL = ("hashed_ip", "state", "country", "header")
ROLES: dict[str, Speaker] = {"user": "student", "assistant": "tutor", "system": "other"}


def sniff(head: Head) -> str | None:
    """Recognise conversations whose messages hold nothing but role and content."""
    if not {"conversation_id", "model"} <= set(head.first) or not has_messages(
        head, "conversation", {"role", "content"}
    ):
        return None
    if any(set(message) != {"role", "content"} for message in head.first["conversation"] or []):
        return None
    return "records with 'conversation' of role and content beside 'conversation_id' and 'model'"


def chat_of(record: Mapping[str, Any], options: ReadOptions, where: str) -> Chat:
    """Build a chat from a record with ``conversation``."""
    turns = turns_of(list_of(record, "conversation"), _turn, options, where)
    meta = options.personal.without(record, used=("conversation_id", "conversation"), also=PERSONAL)
    return Chat(id_of(record.get("conversation_id")), turns, meta=filled(meta))


def _turn(message: Mapping[str, Any], options: ReadOptions, where: str) -> Turn:
    speaker = options.speaker(message.get("role"), ROLES, where)
    meta = options.personal.without(message, used=("role", "content"), also=PERSONAL, inside="conversation")
    return Turn(speaker, text_of(message.get("content"), "content"), meta=meta)


READER = Reader("lmsys", "LMSYS-Chat-1M (Parquet)", sniff, one_chat_a_record(chat_of))

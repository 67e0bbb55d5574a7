"""WildChat, WildChat-1M and -4.8M (Zhao et al., 2024), Parquet: ``conversation`` of messages with much about people.

Columns: conversation_hash (conversation_id in the first release), model, timestamp, conversation, turn, language,
openai_moderation, detoxify_moderation, toxic, redacted, and where the person was: state, country, hashed_ip, header.
The same four stand in each message of the person, beside role, content, language, toxic, redacted, turn_identifier and
timestamp (of one speaker only in some releases). What says who or where somebody was is dropped. The person is the
student, the model the tutor. Fields of a message that hold nothing are left out: Parquet gives every message the fields
of both speakers.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tutorscope.chats.assembling import one_chat_a_record, timed_turn, turns_of
from tutorscope.chats.cells import filled
from tutorscope.chats.chat import Chat, Speaker, Turn
from tutorscope.chats.reader import Head, Reader, ReadOptions, has_messages, id_of, list_of, text_of

ROLES: dict[str, Speaker] = {"user": "student", "assistant": "tutor", "system": "other"}
PERSONAL = ("hashed_ip", "state", "country", "header", "openai_id")
_TELLING = {"turn_identifier", "hashed_ip", "toxic", "redacted"}
_IDS = ("conversation_hash", "conversation_id")


def sniff(head: Head) -> str | None:
    """Recognise conversations whose messages say whether they are toxic or redacted."""
    if not has_messages(head, "conversation", {"role", "content"}):
        return None
    found = _TELLING & set((head.first.get("conversation") or [{}])[0])
    return f"records with 'conversation' of role, content, {', '.join(sorted(found))}" if found else None


def chat_of(record: Mapping[str, Any], options: ReadOptions, where: str) -> Chat:
    """Build a chat from a record with ``conversation``."""
    turns = turns_of(list_of(record, "conversation"), _turn, options, where)
    name = next((key for key in _IDS if record.get(key) is not None), _IDS[0])
    meta = options.personal.without(record, used=(name, "conversation"), also=PERSONAL)
    return Chat(id_of(record.get(name)), turns, meta=filled(meta))


def _turn(message: Mapping[str, Any], options: ReadOptions, where: str) -> Turn:
    speaker = options.speaker(message.get("role"), ROLES, where)
    used = ("role", "content", "timestamp")
    meta = filled(options.personal.without(message, used=used, also=PERSONAL, inside="conversation"))
    turn = Turn(speaker, text_of(message.get("content"), "content"), meta=meta)
    return timed_turn(turn, message.get("timestamp"), options)


READER = Reader("wildchat", "WildChat (Parquet)", sniff, one_chat_a_record(chat_of))

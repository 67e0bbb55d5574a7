"""CoMTA (Miller and DiCerbo, 2024): ``data`` of role and content, with the level and the expected result of a test."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tutorscope.chats.assembling import one_chat_a_record, turns_of
from tutorscope.chats.chat import Chat, Speaker, Turn
from tutorscope.chats.reader import Head, Reader, ReadOptions, has_messages, id_of, list_of, text_of

ROLES: dict[str, Speaker] = {"user": "student", "assistant": "tutor", "system": "other"}


def sniff(head: Head) -> str | None:
    """Recognise records with data and the fields of a test."""
    of_a_test = {"test_id", "math_level", "expected_result"} & set(head.first)
    if of_a_test and has_messages(head, "data", {"role", "content"}):
        return "records with 'data' of role and content beside " + ", ".join(sorted(of_a_test))
    return None


def chat_of(record: Mapping[str, Any], options: ReadOptions, where: str) -> Chat:
    """Build a chat from a record with ``data``."""
    turns = turns_of(list_of(record, "data"), _turn, options, where)
    meta = options.personal.without(record, used=("test_id", "data"))
    return Chat(id_of(record.get("test_id")), turns, meta=meta)


def _turn(message: Mapping[str, Any], options: ReadOptions, where: str) -> Turn:
    speaker = options.speaker(message.get("role"), ROLES, where)
    text = text_of(message.get("content"), "content")
    return Turn(speaker, text, meta=options.personal.without(message, used=("role", "content"), inside="data"))


READER = Reader("comta", "CoMTA, Khan Academy's math tutoring chats (JSON)", sniff, one_chat_a_record(chat_of))

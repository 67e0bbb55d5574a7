"""Bridge (Wang et al., 2024), JSON: math tutoring at the moment of a mistake, and how an expert would have answered.

Fields: c_id, lesson_topic, c_h, c_r, ``c_r_``, c_revision, e, z_what, z_why; the four c fields are lists of messages of
text and user ("tutor" or "student"), those of the real talk with id and time ("mm:ss" on the session's clock).

The chat is c_h followed by c_r: what was really said, the talk up to the student's mistake and the tutor's own reply to
it. ``c_r_`` is an expert's reply in its place and c_revision a continuation that the expert made up, the student's
words included. Nobody said those to this student, so they stay in ``meta``, with the labels e, z_what and z_why. The
clock has no date and is no ISO time: it is kept as ``clock``. Tutors often send several messages in a row; some c_id
repeat.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tutorscope.chats.assembling import one_chat_a_record, turns_of
from tutorscope.chats.cells import filled
from tutorscope.chats.chat import Chat, Speaker, Turn
from tutorscope.chats.reader import Head, Reader, ReadOptions, has_messages, id_of, list_of, text_of

ROLES: dict[str, Speaker] = {"tutor": "tutor", "student": "student"}


def sniff(head: Head) -> str | None:
    """Recognise a history and the reply to it."""
    if "c_r" in head.first and has_messages(head, "c_h", {"text", "user"}):
        return "records with 'c_h' and 'c_r' of text and user"
    return None


def chat_of(record: Mapping[str, Any], options: ReadOptions, where: str) -> Chat:
    """Build a chat from a record with ``c_h`` and ``c_r``."""
    turns = turns_of([*list_of(record, "c_h"), *list_of(record, "c_r")], _turn, options, where)
    topic = text_of(record.get("lesson_topic"), "lesson_topic")
    meta = options.personal.without(record, used=("c_id", "c_h", "c_r", "lesson_topic"))
    return Chat(id_of(record.get("c_id")), turns, topic, meta=meta)


def _turn(message: Mapping[str, Any], options: ReadOptions, where: str) -> Turn:
    speaker = options.speaker(message.get("user"), ROLES, where)
    meta = options.personal.without(message, used=("user", "text", "time"), inside="c_h")
    return Turn(speaker, text_of(message.get("text"), "text"), meta=filled({**meta, "clock": message.get("time")}))


READER = Reader("bridge", "Bridge (JSON)", sniff, one_chat_a_record(chat_of))

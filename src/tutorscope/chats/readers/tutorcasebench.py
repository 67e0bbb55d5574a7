"""TutorCaseBench, JSON: one scenario a file, or a folder of such files (``dialogue`` or ``dialogue_full_context``).

Fields: category_id, scenario_id, their titles, minimal_context, dialogue (a list of turn_id, speaker, message and, on
the behaviour in question, is_challenging_behavior), dialogue_combined, immediate_dialogue_prompt,
long_term_dialogue_prompt, challenge_type, and in the second folder full_context. Oddities: a scenario always has six
turns, the tutor first, and ends on the student, so its last exchange has no reply; dialogue_combined repeats the talk
as one text and is left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tutorscope.chats.assembling import one_chat_a_record, turns_of
from tutorscope.chats.cells import filled
from tutorscope.chats.chat import Chat, Speaker, Turn
from tutorscope.chats.reader import Head, Reader, ReadOptions, has_messages, id_of, list_of, text_of

ROLES: dict[str, Speaker] = {"tutor": "tutor", "student": "student"}
_USED = ("category_id", "scenario_id", "minimal_context", "dialogue", "dialogue_combined")


def sniff(head: Head) -> str | None:
    """Recognise scenarios."""
    if has_messages(head, "dialogue", {"speaker", "message"}):
        return "records with 'dialogue' of speaker and message"
    return None


def chat_of(record: Mapping[str, Any], options: ReadOptions, where: str) -> Chat:
    """Build a chat from a scenario."""
    turns = turns_of(list_of(record, "dialogue"), _turn, options, where)
    context = text_of(record.get("minimal_context"), "minimal_context")
    meta = filled(options.personal.without(record, used=_USED))
    return Chat("-".join(filter(None, (id_of(record.get(name)) for name in _USED[:2]))), turns, context, meta=meta)


def _turn(message: Mapping[str, Any], options: ReadOptions, where: str) -> Turn:
    speaker = options.speaker(message.get("speaker"), ROLES, where)
    meta = options.personal.without(message, used=("speaker", "message", "turn_id"), inside="dialogue")
    return Turn(speaker, text_of(message.get("message"), "message"), meta=meta)


READER = Reader("tutorcasebench", "TutorCaseBench (JSON, a folder)", sniff, one_chat_a_record(chat_of))

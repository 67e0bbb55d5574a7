"""PATS (Rooein et al., 2025), JSON: simulated tutoring of students with personalities.

Fields: ``dialogue``, a list of [text, speaker], the text first, "Teacher" or "Student"; ``personality``, five traits as
true or false; ``story_title`` or ``image_url``, what they talk about; and by file ``prediction``, ``prediction_cot``,
``history``, ``record``. Stage directions in brackets stand inside the student's text and stay there. Records have no
id.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tutorscope.chats.assembling import one_chat_a_record
from tutorscope.chats.chat import Chat, Speaker, Turn
from tutorscope.chats.reader import Head, Reader, ReadOptions, Unfit, kind_of, list_of, text_of

ROLES: dict[str, Speaker] = {"teacher": "tutor", "student": "student"}


def sniff(head: Head) -> str | None:
    """Recognise dialogues of pairs."""
    dialogue = head.first.get("dialogue")
    if isinstance(dialogue, list) and dialogue and isinstance(dialogue[0], list) and len(dialogue[0]) == 2:
        return "records with 'dialogue' of pairs of text and speaker"
    return None


def chat_of(record: Mapping[str, Any], options: ReadOptions, where: str) -> Chat:
    """Build a chat from a record with ``dialogue``."""
    turns = tuple(_turn(pair, number, options, where) for number, pair in enumerate(list_of(record, "dialogue"), 1))
    context = text_of(record.get("story_title", record.get("image_url")), "story_title")
    meta = options.personal.without(record, used=("dialogue", "story_title"))
    return Chat("", turns, context, meta=meta)


def _turn(pair: Any, number: int, options: ReadOptions, where: str) -> Turn:
    if not isinstance(pair, list) or len(pair) != 2:
        found = f"a list of {len(pair)}" if isinstance(pair, list) else kind_of(pair)
        raise Unfit("not_a_pair", f"message {number} is {found}, expected a text and a speaker")
    return Turn(options.speaker(pair[1], ROLES, where), text_of(pair[0], f"message {number}"))


READER = Reader("pats", "PATS, students with personalities (JSON)", sniff, one_chat_a_record(chat_of))

"""MathDial (Macina et al., 2023): one string a chat, turns parted by ``|EOM|``, ``Teacher: (move)text``.

The student is a language model and the teacher a person, so a reader that takes the assistant for the tutor would have
them the wrong way round. The teacher's move is the annotators' label: it goes to the turn's ``meta``, out of the text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from tutorscope.chats.assembling import one_chat_a_record
from tutorscope.chats.chat import Chat, Speaker, Turn
from tutorscope.chats.reader import Head, Reader, ReadOptions, Unfit, id_of, kind_of

ROLES: dict[str, Speaker] = {"teacher": "tutor", "student": "student"}
SEPARATOR = "|EOM|"
_MOVE = re.compile(r"\((focus|probing|generic|telling)\) ?")
_LABEL = re.compile(r"([^\W\d_][\w'’.-]{0,30}): ?")


def sniff(head: Head) -> str | None:
    """Recognise the separator in a field ``conversation``."""
    conversation = head.first.get("conversation")
    if isinstance(conversation, str) and (SEPARATOR in conversation or "student_incorrect_solution" in head.first):
        return f"records with a string 'conversation' parted by {SEPARATOR}"
    return None


def chat_of(record: Mapping[str, Any], options: ReadOptions, where: str) -> Chat:
    """Build a chat from a record with a ``conversation``."""
    conversation = record.get("conversation")
    if not isinstance(conversation, str) or not conversation.strip():
        found = "empty" if isinstance(conversation, str) else kind_of(conversation)
        raise Unfit("no_messages", f"field 'conversation' is {found}, expected messages parted by {SEPARATOR}")
    profile = record.get("student_profile")
    profile = profile if isinstance(profile, str) else ""
    parts = conversation.split(SEPARATOR)
    turns = tuple(_turn(part, number, profile, options, where) for number, part in enumerate(parts, 1))
    question = record.get("question")
    context = question if isinstance(question, str) else ""
    meta = options.personal.without(record, used=("qid", "conversation", "question"))
    return Chat(id_of(record.get("qid")), turns, context, readout=True, meta=meta)


def _turn(part: str, number: int, profile: str, options: ReadOptions, where: str) -> Turn:
    label = _LABEL.match(part)
    if label is None:
        raise Unfit("no_role", f"message {number} begins {part[:30]!r}, expected 'Teacher:' or a student's name")
    name = label[1]
    # The student goes by "Student" or by the first name that opens the profile.
    named = profile.startswith(name) and name.casefold() not in options.roles
    speaker = "student" if named else options.speaker(name, ROLES, where)
    text = part[label.end() :]
    move = _MOVE.match(text) if speaker == "tutor" else None
    if move is None:
        return Turn(speaker, text)
    return Turn(speaker, text[move.end() :], meta={"move": move[1]})


READER = Reader("mathdial", "MathDial (JSON lines, CSV)", sniff, one_chat_a_record(chat_of))

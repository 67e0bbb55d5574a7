r"""MRBench (Maurya et al., 2025), JSON: one string a chat, and several tutors' next replies to it.

Fields: conversation_id, conversation_history, Data (MathDial or Bridge), Split, Topic, Ground_Truth_Solution,
anno_llm_responses (tutor_responses in the shared task's files). Oddities: turns are parted by a no-break space, a
newline and a no-break space, and begin with "Tutor:" or "Student:"; but the same break also stands inside turns, before
a bare final answer. So a turn begins where a label follows a break, and nowhere else. Records from Bridge have several
tutor turns in a row. The responses are alternatives, not part of the talk: they stay in the chat's ``meta``, and the
last exchange has no reply.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from tutorscope.chats.assembling import one_chat_a_record
from tutorscope.chats.cells import unpacked
from tutorscope.chats.chat import Chat, Speaker, Turn
from tutorscope.chats.reader import Head, Reader, ReadOptions, Unfit, id_of, kind_of

ROLES: dict[str, Speaker] = {"tutor": "tutor", "teacher": "tutor", "student": "student"}
_RESPONSES = ("anno_llm_responses", "tutor_responses")
_BREAK = r"[ \t\u00a0]*(?:\|\|\|)?[ \t\u00a0]*\r?\n[ \t\u00a0]*(?:\|\|\|)?[ \t\u00a0]*"
_TURN = re.compile(rf"(?:\A[\s\u00a0]*|{_BREAK})(Tutor|Teacher|Student):[ \t\u00a0]*", re.IGNORECASE)
_AROUND = " \t\r\n\u00a0"


def sniff(head: Head) -> str | None:
    """Recognise a history beside responses."""
    beside = next((name for name in _RESPONSES if name in head.first), None)
    if beside and isinstance(head.first.get("conversation_history"), str):
        return f"records with a string 'conversation_history' beside {beside!r}"
    return None


def chat_of(record: Mapping[str, Any], options: ReadOptions, where: str) -> Chat:
    """Build a chat from a record with ``conversation_history``."""
    history = record.get("conversation_history")
    if not isinstance(history, str):
        found = kind_of(history)
        raise Unfit(
            "no_messages", f"field 'conversation_history' is {found}, expected text with 'Tutor:' and 'Student:'"
        )
    marks = list(_TURN.finditer(history))
    if not marks or marks[0].start() > 0:
        raise Unfit("no_role", f"the history begins {history[:30]!r}, expected 'Tutor:' or 'Student:'")
    ends = [mark.start() for mark in marks[1:]] + [len(history)]
    turns = tuple(
        Turn(options.speaker(mark[1], ROLES, where), history[mark.end() : end].strip(_AROUND))
        for mark, end in zip(marks, ends, strict=True)
    )
    meta = options.personal.without(record, used=("conversation_id", "conversation_history"))
    return Chat(
        id_of(record.get("conversation_id")), turns, meta={name: unpacked(value) for name, value in meta.items()}
    )


READER = Reader("mrbench", "MRBench (JSON)", sniff, one_chat_a_record(chat_of))

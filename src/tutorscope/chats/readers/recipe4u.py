"""RECIPE4U (Han et al., 2024), a table: one row a student's utterance, with ChatGPT's words before and after it.

Columns: sample_id (student_id, course, week, session and idx in one), course, student_id, week, session, idx,
chatgpt_before, user, chatgpt_after, rating (1 to 5, of ChatGPT's reply), intent_final (of the student's words),
is_quiz, is_essay_edit, essay. Oddities: a reply stands in two rows, as chatgpt_after and as chatgpt_before of the
next; it is taken once. Where the two differ both are kept and the place is counted (``tutor_text_differs``). The
student's essay is dropped as personal: the authors give it out against a signed form only. Texts mix English and
Korean.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tutorscope.chats.assembling import fields_of, grouped_by, key_of, shared_fields
from tutorscope.chats.cells import filled, integer
from tutorscope.chats.chat import Chat, Turn
from tutorscope.chats.reader import BadRecord, Head, Reader, ReadOptions, Record, Unfit, text_of
from tutorscope.chats.records import records
from tutorscope.chats.sources import Source

FIELDS = {"chatgpt_before", "user", "chatgpt_after"}
NAMING = ("course", "student_id", "week", "session")
_OF_THE_REPLY = ("rating",)
_USED = ("chatgpt_before", "user", "chatgpt_after", "idx", "sample_id")


def sniff(head: Head) -> str | None:
    """Recognise the columns before and after."""
    if set(fields_of(head)) >= FIELDS:
        return "an utterance a row: 'user' between 'chatgpt_before' and 'chatgpt_after'"
    return None


def read(source: Source, options: ReadOptions) -> Iterator[Chat | BadRecord]:
    """Read chats from rows, wherever the rows of a session lie."""
    for group in grouped_by(lambda only: records(source, only), _key, NAMING):
        if isinstance(group, BadRecord):
            yield group
            continue
        try:
            yield _chat(*group, options)
        except Unfit as unfit:
            yield BadRecord(group[1][0].where, unfit.reason, unfit.message)


def _key(row: Mapping[str, Any]) -> str:
    parts = [key_of(row, name) for name in NAMING]
    if None in parts:
        missing = ", ".join(name for name, part in zip(NAMING, parts, strict=True) if part is None)
        raise Unfit("no_chat_id", f"nothing in {missing}, which names the session")
    return "-".join(str(part) for part in parts)


def _chat(key: str, rows: list[Record], options: ReadOptions) -> Chat:
    ordered = sorted(rows, key=lambda row: integer(row.value.get("idx"), "idx"))
    rest = [filled(options.personal.without(row.value, used=_USED, also=("essay",))) for row in ordered]
    shared = {name: value for name, value in shared_fields(rest).items() if name in NAMING}
    turns: list[Turn] = []
    for row, fields in zip(ordered, rest, strict=True):
        before, user, after = (
            text_of(row.value.get(name), name) for name in ("chatgpt_before", "user", "chatgpt_after")
        )
        if before.strip() and not _said_already(turns, before):
            if turns and turns[-1].speaker == "tutor":
                options.notes["tutor_text_differs"] += 1
            turns.append(Turn("tutor", before))
        own = {name: value for name, value in fields.items() if name not in shared}
        rated = {name: own.pop(name) for name in _OF_THE_REPLY if name in own and after.strip()}
        turns.append(Turn("student", user, meta=own))
        if after.strip():
            turns.append(Turn("tutor", after, meta=rated))
    return Chat(key, tuple(turns), meta=shared)


def _said_already(turns: list[Turn], text: str) -> bool:
    return bool(turns) and turns[-1].speaker == "tutor" and turns[-1].text.strip() == text.strip()


READER = Reader("recipe4u", "RECIPE4U, essay writing with ChatGPT (CSV, Parquet)", sniff, read)

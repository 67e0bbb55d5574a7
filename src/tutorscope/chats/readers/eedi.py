"""Eedi's Question-Anchored Tutoring Dialogues 2k, Parquet or CSV: one row a message.

Columns: InterventionId (the chat), UserId or TutorId, QuestionId_DQ, MessageSequence, IsTutor (0 or 1), MessageString,
TalkMovePrediction (a classifier's label of tutor messages, such as "<Press for Accuracy>"; "<None>" and nothing are
none). Two tables go with it and are used where they lie in the same folder or the one above:
``dq-question-metadata.csv`` (InterventionId, QuestionId_DQ, Label, Text, Sequence) is what the context is made of, and
``dialogue-subjects.csv`` (InterventionId, SubjectName, SubjectLevel) the subjects.

Oddities: empty messages; many messages by one speaker in a row; a few interventions hang on several questions, or none:
the context then has all of them, in the order in which the talk comes to them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tutorscope.chats.assembling import fields_of, grouped_records, shared_fields
from tutorscope.chats.cells import filled, integer
from tutorscope.chats.chat import Chat, Speaker, Turn
from tutorscope.chats.reader import BadRecord, Head, Reader, ReadOptions, Record, Unfit, text_of
from tutorscope.chats.sources import Source, open_source
from tutorscope.chats.tables import csv_rows
from tutorscope.errors import UserError

FIELDS = {"InterventionId", "MessageSequence", "IsTutor", "MessageString"}
ROLES: dict[str, Speaker] = {"1": "tutor", "0": "student", "true": "tutor", "false": "student"}
PERSONAL = ("UserId", "TutorId")
QUESTIONS = "dq-question-metadata.csv"
SUBJECTS = "dialogue-subjects.csv"
_USED = ("InterventionId", "MessageSequence", "IsTutor", "MessageString", "TalkMovePrediction")
_NO_MOVE = ("", "<None>", None)


def sniff(head: Head) -> str | None:
    """Recognise rows of messages."""
    return "a message a row: 'MessageString' by 'InterventionId'" if set(fields_of(head)) >= FIELDS else None


def read(source: Source, options: ReadOptions) -> Iterator[Chat | BadRecord]:
    """Read chats from rows, wherever the rows of a chat lie."""
    questions, subjects = _questions(source), _subjects(source)
    for group in grouped_records(source, "InterventionId"):
        if isinstance(group, BadRecord):
            yield group
            continue
        try:
            chat = _chat(*group, options)
        except Unfit as unfit:
            yield BadRecord(group[1][0].where, unfit.reason, unfit.message)
            continue
        asked = dict.fromkeys(str(row.value.get("QuestionId_DQ")) for row in group[1])
        context = "\n\n".join(text for number in asked if (text := questions.get((chat.id, number))))
        meta = {**chat.meta, "subjects": subjects[chat.id]} if chat.id in subjects else chat.meta
        yield Chat(chat.id, chat.turns, context, meta=meta)


def _chat(key: str, rows: list[Record], options: ReadOptions) -> Chat:
    ordered = sorted(rows, key=lambda row: integer(row.value.get("MessageSequence"), "MessageSequence"))
    rest = [filled(options.personal.without(row.value, used=_USED, also=PERSONAL)) for row in ordered]
    shared = shared_fields(rest)
    turns = []
    for row, fields in zip(ordered, rest, strict=True):
        own = {name: value for name, value in fields.items() if name not in shared}
        move = row.value.get("TalkMovePrediction")
        if move not in _NO_MOVE:
            own["move"] = str(move).strip("<>")
        whose = row.value.get("IsTutor")
        if whose is None or whose == "":
            raise Unfit("no_role", "no value in 'IsTutor'")
        speaker = options.speaker(str(whose), ROLES, row.where)
        turns.append(Turn(speaker, text_of(row.value.get("MessageString"), "MessageString"), meta=own))
    return Chat(key, tuple(turns), meta=shared)


def _questions(source: Source) -> dict[tuple[str, str], str]:
    found: dict[tuple[str, str], list[tuple[int, str]]] = {}
    for order, row in _companion(source, QUESTIONS, ("InterventionId", "QuestionId_DQ", "Label", "Text", "Sequence")):
        if row["Text"].strip():
            line = f"{row['Label']}: {row['Text']}" if row["Label"] else row["Text"]
            found.setdefault((row["InterventionId"], row["QuestionId_DQ"]), []).append((order, line))
    return {key: "\n".join(line for _, line in sorted(lines, key=_order)) for key, lines in found.items()}


def _subjects(source: Source) -> dict[str, list[str]]:
    found: dict[str, list[tuple[int, str]]] = {}
    for order, row in _companion(source, SUBJECTS, ("InterventionId", "SubjectName", "SubjectLevel")):
        found.setdefault(row["InterventionId"], []).append((order, row["SubjectName"]))
    return {key: [name for _, name in sorted(names, key=_order)] for key, names in found.items()}


def _order(entry: tuple[int, str]) -> int:
    return entry[0]


def _companion(source: Source, name: str, columns: tuple[str, ...]) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Give the rows of a table that lies beside the log, each with the number in its last column; or nothing."""
    home = source.path if source.path.is_dir() else source.path.parent
    path = next((place / name for place in (home, home.parent) if (place / name).is_file()), None)
    if path is None:
        return
    for record in csv_rows(open_source(path)):
        if isinstance(record, BadRecord):
            raise UserError(f"{path}: {record.where}: {record.message}")
        missing = [column for column in columns if column not in record.value]
        if missing:
            raise UserError(f"{path}: has no column {', '.join(missing)}, expected {', '.join(columns)}")
        try:
            order = integer(record.value[columns[-1]], columns[-1])
        except Unfit as unfit:
            raise UserError(f"{path}: {record.where}: {unfit.message}") from unfit
        yield order, record.value


READER = Reader("eedi", "Eedi QATD-2k, tutoring anchored to questions (Parquet, CSV)", sniff, read)

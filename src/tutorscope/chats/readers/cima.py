"""CIMA (Stasaski et al., 2020), JSON: learning Italian from pictures; one object for the whole file.

``prepDataset`` and ``shapeDataset`` (empty in the public snapshot) hold the records by number: past_convo, img, prep,
engPrep, obj, engObj, color, engColor, grammarRules, studentActions, tutorResponses, tutorActions, tutorKeys. Oddities:
past_convo is a list of texts without speakers, which alternate, the tutor first; several fields are JSON written into a
string (img, grammarRules, sometimes past_convo), some of them several JSON values one after another, which stay text.
tutorResponses are up to three crowd workers' replies to the same moment: alternatives, not part of the talk. They stay
in ``meta``, and the last exchange has no reply.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tutorscope.chats.assembling import built
from tutorscope.chats.cells import filled, unpacked
from tutorscope.chats.chat import Chat, Speaker, Turn
from tutorscope.chats.reader import BadRecord, Head, Reader, ReadOptions, Record, Unfit, kind_of, list_of, text_of
from tutorscope.chats.records import records
from tutorscope.chats.sources import Source

SETS = ("prepDataset", "shapeDataset")
ORDER: tuple[Speaker, Speaker] = ("tutor", "student")
_ABOUT = ("engObj", "engPrep", "engColor")


def sniff(head: Head) -> str | None:
    """Recognise the sets, or records taken out of them."""
    if isinstance(head.first.get(SETS[0]), Mapping):
        return f"an object with {SETS[0]!r}"
    return (
        "records with 'past_convo' and 'tutorResponses'"
        if {"past_convo", "tutorResponses"} <= set(head.first)
        else None
    )


def read(source: Source, options: ReadOptions) -> Iterator[Chat | BadRecord]:
    """Read the chats of all sets."""
    for record in records(source):
        if isinstance(record, BadRecord):
            yield record
        elif isinstance(record.value, Mapping) and any(name in record.value for name in SETS):
            yield from _sets(record, options)
        else:
            yield built(chat_of, record, options)


def _sets(record: Record, options: ReadOptions) -> Iterator[Chat | BadRecord]:
    for name in SETS:
        held = record.value.get(name) or {}
        if not isinstance(held, Mapping):
            yield BadRecord(record.where, "not_an_object", f"{name} is {kind_of(held)}, expected records by number")
            continue
        for number, one in held.items():
            place = f"{record.where}, {name} {number:.20}"
            yield built(chat_of, Record(place, {"id": number, **one} if isinstance(one, Mapping) else one), options)


def chat_of(record: Mapping[str, Any], options: ReadOptions, where: str) -> Chat:
    """Build a chat from a record with ``past_convo``."""
    texts = list_of({**record, "past_convo": unpacked(record.get("past_convo"))}, "past_convo")
    if not texts:
        raise Unfit("no_messages", "field 'past_convo' is empty, expected texts")
    turns = tuple(Turn(ORDER[i % 2], text_of(text, f"message {i + 1}")) for i, text in enumerate(texts))
    about = [str(record[name]) for name in _ABOUT if record.get(name)]
    context = f"To be said in Italian: {', '.join(about)}" if about else ""
    meta = options.personal.without(record, used=("id", "past_convo"))
    unpacked_meta = filled({name: unpacked(value) for name, value in meta.items()})
    return Chat(str(record.get("id", "")), turns, context, meta=unpacked_meta)


READER = Reader("cima", "CIMA, Italian from pictures (JSON)", sniff, read)

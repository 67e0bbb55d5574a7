"""A log in one of the plain formats, and an account of what that format cannot hold."""

from __future__ import annotations

import contextlib
import csv
import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import IO, Any

from tutorscope.chats.chat import Chat, Speaker, Turn
from tutorscope.chats.exchanges import SameSpeaker, walk
from tutorscope.chats.plain import chat_to_data
from tutorscope.chats.reading import read_chats
from tutorscope.chats.tables import SAFE
from tutorscope.chats.times import iso_time
from tutorscope.errors import UserError
from tutorscope.texts.plain import defuse_formula, strip_controls

TARGETS = ("openai", "long", "wide", "tutorscope")
_ENDINGS = {"openai": (".jsonl",), "tutorscope": (".jsonl",), "long": (".csv", ".jsonl"), "wide": (".csv", ".jsonl")}
_COLUMNS = {
    "long": ("chat", "role", "text", "time", "context"),
    "wide": ("chat", "student", "tutor", "time", "context"),
}
_OPENAI: dict[Speaker, str] = {"student": "user", "tutor": "assistant", "other": "system"}
_LONG: dict[Speaker, str] = {"student": "student", "tutor": "tutor", "other": "system"}

KEEPS = {
    "tutorscope": "all that was read",
    "openai": "ids, speakers, texts, times",
    "long": "ids, speakers, texts, times, contexts",
    "wide": "ids, exchanges with the texts of both, times of the students' messages, contexts",
}
"""What each format keeps. Whatever it cannot keep of the chats at hand is counted by ``convert``."""

LEFT_OUT = {
    "contexts": "contexts: the format has no place for them",
    "chat_labels": "chats with labels and other fields of their own: left out",
    "turn_labels": "turns with labels and other fields of their own: left out",
    "readouts": "chats whose last exchange is a read-out: the mark is left out, so it counts as an exchange",
    "other_roles": "system and tool messages: all are called system",
    "other_turns": "system and tool messages: left out",
    "opening_turns": "tutor turns before the first student's: left out",
    "unpaired_turns": "tutor turns that follow another one: left out",
    "merged_turns": "turns joined to the one before them",
    "empty_chats": "chats with nothing to write: left out",
    "made_up_ids": "chats without an id or with one that another has: numbered, since rows are told apart by it",
    "times": "times that are no ISO times: left out",
    "tutor_times": "times of tutor turns: left out",
    "surrogates": "texts with half characters, which CSV cannot hold: replaced by U+FFFD",
}
"""The reasons that ``convert`` counts, and what they mean."""

_HALF = re.compile("[\ud800-\udfff]")


def convert(
    path: str | os.PathLike[str],
    out: str | os.PathLike[str],
    to: str,
    same_speaker: SameSpeaker = "merge",
    **reading: Any,
) -> dict[str, Any]:
    """Read a log and write it in another format, a chat at a time.

    Parameters
    ----------
    path : path
        The log.
    out : path
        A new file; its ending says how it is written: .jsonl, or .csv (``long`` and ``wide`` only). CSV is written so
        that a sheet program runs none of its cells as a formula; an empty last column says so, and reading it gives
        the texts back exactly.
    to : {"openai", "long", "wide", "tutorscope"}
    same_speaker : {"merge", "keep"}
        How exchanges are made for ``wide``.
    **reading
        As in ``read_chats``: format, roles, columns, encoding, skip_bad, limit, keep_personal.

    Returns
    -------
    dict
        ``file``, ``format``, ``out``, ``to``, ``chats``, ``turns`` (read), ``written`` (records or rows), ``kept``,
        ``left_out`` (reason to count, see ``LEFT_OUT``), ``dropped`` (personal fields), ``bad``, ``reasons``.

    Raises
    ------
    UserError
        As reading does; or the target is unknown, does not go with the ending, exists, or cannot be written.
    """
    out = Path(out)
    if to not in TARGETS:
        raise UserError(f"--to {to}: expected one of {', '.join(TARGETS)}")
    if out.suffix.lower() not in _ENDINGS[to]:
        raise UserError(f"{out}: {to} is written as {' or '.join(_ENDINGS[to])}, by the file's ending")
    if out.exists():
        raise UserError(f"{out}: exists already; nothing was written")
    file = read_chats(path, same_speaker=same_speaker, **reading)
    as_csv = out.suffix.lower() == ".csv"
    left: Counter[str] = Counter()
    written = 0
    named = _Ids(as_csv, left) if to in _COLUMNS else None
    with _new_file(out) as target:
        put = _writer(target, to, as_csv, left)
        for chat in file:
            chat = named.own(chat) if named else chat
            for row in _rows(chat, to, same_speaker, left):
                put(row)
                written += 1
    return {
        "file": file.path.name,
        "format": file.format,
        "out": out.name,
        "to": to,
        "chats": file.counts.chats,
        "turns": file.counts.turns,
        "written": written,
        "kept": KEEPS[to],
        "left_out": {name: count for name, count in left.items() if count},
        "dropped": file.dropped,
        "bad": file.counts.bad,
        "reasons": file.reasons,
    }


def convert_text(facts: Mapping[str, Any]) -> str:
    """Say what ``convert`` did, for a terminal."""
    kind = "rows" if facts["to"] in _COLUMNS else "records"
    lines = [
        f"{facts['file']} ({facts['format']}) to {facts['out']} ({facts['to']})",
        f"  {facts['chats']:,} chats, {facts['turns']:,} turns read; {facts['written']:,} {kind} written",
        f"  kept: {facts['kept']}",
        "  not kept: " + ("" if facts["left_out"] else "nothing"),
        *(f"    {count:,} {LEFT_OUT[name]}" for name, count in facts["left_out"].items()),
        f"  personal fields dropped: {', '.join(facts['dropped']) or 'none'}",
    ]
    if facts["bad"]:
        lines.append(f"  broken records skipped: {facts['bad']:,}")
    return "\n".join(strip_controls(line).replace("\n", " ").rstrip() for line in lines) + "\n"


@contextlib.contextmanager
def _new_file(out: Path) -> Iterator[IO[str]]:
    """Give a file that gets its name only when all is written."""
    partial = out.with_name(f".{out.name}.partial")
    try:
        with partial.open("w", encoding="utf-8", newline="") as target:
            yield target
        partial.rename(out)
    except OSError as error:
        raise UserError(f"{out}: cannot be written: {error.strerror or error}") from error
    finally:
        partial.unlink(missing_ok=True)


class _Ids:
    """Ids that tell chats apart, where rows of one chat are known by its id only."""

    def __init__(self, as_csv: bool, left: Counter[str]) -> None:
        self._as_csv = as_csv
        self._left = left
        self._taken: set[int] = set()
        self._number = 0

    def own(self, chat: Chat) -> Chat:
        """Give a chat with an id that no chat before it has."""
        self._number += 1
        name = _whole(chat.id, self._left) if self._as_csv else chat.id
        # Hashes take a fraction of the memory; where two are equal a number is added without need, and counted.
        if not name or hash(name) in self._taken:
            self._left["made_up_ids"] += 1
            tries = (f"{name or 'chat'}#{self._number}" + "'" * more for more in count())
            name = next(one for one in tries if hash(one) not in self._taken)
        self._taken.add(hash(name))
        return replace(chat, id=name)


def _writer(target: IO[str], to: str, as_csv: bool, left: Counter[str]) -> Callable[[dict[str, Any]], None]:
    if not as_csv:

        def put_line(row: dict[str, Any]) -> None:
            # ASCII: half characters and line separators survive every reader of lines.
            target.write(json.dumps(row) + "\n")

        return put_line
    # Every cell in quotes, and a byte order mark, without which Excel takes UTF-8 for something else.
    target.write("\ufeff")
    rows = csv.writer(target, quoting=csv.QUOTE_ALL)
    columns = _COLUMNS[to]
    rows.writerow([*columns, SAFE])

    def put(row: dict[str, Any]) -> None:
        rows.writerow([*(defuse_formula(_whole(row.get(name) or "", left)) for name in columns), ""])

    return put


def _whole(text: str, left: Counter[str]) -> str:
    if not _HALF.search(text):
        return text
    left["surrogates"] += 1
    return _HALF.sub("\ufffd", text)


def _rows(chat: Chat, to: str, same_speaker: SameSpeaker, left: Counter[str]) -> Iterator[dict[str, Any]]:
    if to == "tutorscope":
        yield chat_to_data(chat)
        return
    left["chat_labels"] += bool(chat.meta)
    left["turn_labels"] += sum(bool(turn.meta) for turn in chat.turns)
    left["readouts"] += chat.readout
    left["times"] += sum(turn.time is not None and iso_time(turn.time) != turn.time for turn in chat.turns)
    if to == "openai":
        left["contexts"] += bool(chat.context)
        left["other_roles"] += sum(turn.speaker == "other" for turn in chat.turns)
        yield {"id": chat.id, "messages": [_message(turn) for turn in chat.turns]}
        return
    yield from _long(chat, left) if to == "long" else _wide(chat, same_speaker, left)


def _message(turn: Turn) -> dict[str, Any]:
    message: dict[str, Any] = {"role": _OPENAI[turn.speaker], "content": turn.text}
    return {**message, "timestamp": turn.time} if _kept_time(turn) else message


def _kept_time(turn: Turn) -> str:
    return turn.time if turn.time is not None and iso_time(turn.time) == turn.time else ""


def _long(chat: Chat, left: Counter[str]) -> Iterator[dict[str, Any]]:
    left["empty_chats"] += not chat.turns
    left["other_roles"] += sum(turn.speaker == "other" for turn in chat.turns)
    for turn in chat.turns:
        yield _row(chat, role=_LONG[turn.speaker], text=turn.text, time=_kept_time(turn))


def _wide(chat: Chat, same_speaker: SameSpeaker, left: Counter[str]) -> Iterator[dict[str, Any]]:
    walked = walk(chat, same_speaker)
    left["empty_chats"] += not walked.exchanges
    left["other_turns"] += sum(turn.speaker == "other" for turn in chat.turns)
    left["opening_turns"] += len(walked.opening)
    left["unpaired_turns"] += len(walked.unpaired)
    left["merged_turns"] += walked.merged
    for exchange in walked.exchanges:
        left["tutor_times"] += sum(bool(_kept_time(chat.turns[i])) for i in exchange.tutor_turns)
        time = _kept_time(chat.turns[exchange.student_turns[0]])
        yield _row(chat, student=exchange.student, tutor=exchange.tutor, time=time)


def _row(chat: Chat, **cells: str) -> dict[str, Any]:
    return {"chat": chat.id, **cells, "context": chat.context}

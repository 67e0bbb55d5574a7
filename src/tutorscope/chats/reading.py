"""Reading a log: chats as a stream, and what is to be said about them."""

from __future__ import annotations

import os
from array import array
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import Any

from tutorscope.chats.chat import Chat, Speaker
from tutorscope.chats.exchanges import SameSpeaker, chat_reason, walk
from tutorscope.chats.naming import parse_columns, parse_roles
from tutorscope.chats.personal import PersonalFields
from tutorscope.chats.reader import BadRecord, Reader, ReadOptions, UnknownRole
from tutorscope.chats.registry import detect, named_reader
from tutorscope.chats.sources import Source, open_source
from tutorscope.errors import UserError

_LISTENED = 2000
_EXAMPLES = 5


@dataclass
class Counts:
    """What was read so far.

    Parameters
    ----------
    chats, valid_chats : int
    turns : int
        All of them, ``other_turns`` (system, tool) included.
    other_turns : int
    exchanges, valid_exchanges : int
    merged : int
        Turns joined to the one before them.
    bad : int
        Records that could not be read and were skipped.
    reasons : Counter
        By name: why exchanges (``empty_student``, ``empty_tutor``, ``final_readout``) and chats (``no_turns``,
        ``no_student``, ``no_tutor``, ``too_short``) are not scored; what is set aside in chats (``opening``: chats
        that have one; ``unpaired_tutor``: turns; ``no_framing_yet``: valid exchanges without uptake); what bad records
        were.
    """

    chats: int = 0
    valid_chats: int = 0
    turns: int = 0
    other_turns: int = 0
    exchanges: int = 0
    valid_exchanges: int = 0
    merged: int = 0
    bad: int = 0
    reasons: Counter[str] = field(default_factory=Counter)

    def add(self, chat: Chat, same_speaker: SameSpeaker) -> None:
        """Count a chat."""
        walked = walk(chat, same_speaker)
        reason = chat_reason(walked)
        self.chats += 1
        self.valid_chats += reason is None
        self.turns += len(chat.turns)
        self.other_turns += sum(turn.speaker == "other" for turn in chat.turns)
        self.exchanges += len(walked.exchanges)
        self.merged += walked.merged
        for exchange in walked.exchanges:
            if exchange.skipped:
                self.reasons[exchange.skipped] += 1
            else:
                self.valid_exchanges += 1
                if not exchange.framed:
                    self.reasons["no_framing_yet"] += 1
        if reason:
            self.reasons[reason] += 1
        if walked.opening:
            self.reasons["opening"] += 1
        if walked.unpaired:
            self.reasons["unpaired_tutor"] += len(walked.unpaired)


class ChatFile:
    """A log's chats, read anew each time one goes over them; the counts run along.

    Made by ``read_chats``.

    Attributes
    ----------
    path : Path
    format : str
        The reader's name.
    title : str
        What writes this format.
    why : str
        Why this reader.
    counts : Counts
        Of the last pass, so far.
    bad_examples : list of str
        The first few records that were skipped: place and message.
    """

    def __init__(
        self,
        source: Source,
        reader: Reader,
        why: str,
        *,
        roles: Mapping[str, Speaker],
        columns: Mapping[str, str],
        same_speaker: SameSpeaker,
        skip_bad: bool,
        limit: int | None,
        keep_personal: bool,
    ) -> None:
        self.path = source.path
        self.format = reader.name
        self.title = reader.title
        self.why = why
        self.counts = Counts()
        self.bad_examples: list[str] = []
        self._source = source
        self._reader = reader
        self._roles = roles
        self._columns = columns
        self._same_speaker = same_speaker
        self._skip_bad = skip_bad
        self._limit = limit
        self._keep_personal = keep_personal
        self._options = self._new_options()
        self._ids = array("q")

    def __iter__(self) -> Iterator[Chat]:
        """Give the chats in file order, as read: nothing is merged.

        Raises
        ------
        UserError
            A record is broken (unless such are skipped), a role is not known, or there is no chat at all.
        """
        self.counts, self.bad_examples, self._ids = Counts(), [], array("q")
        self._options = self._new_options()
        try:
            found = self._reader.read(self._source, self._options)
            # The limit is asked before the next record is: what lies behind it may be broken.
            while self._limit is None or self.counts.chats < self._limit:
                item = next(found, None)
                if item is None:
                    break
                if isinstance(item, BadRecord):
                    self._count_bad(item)
                    continue
                self.counts.add(item, self._same_speaker)
                if item.id:
                    self._ids.append(hash(item.id))
                yield item
        except UnknownRole as unknown:
            raise UserError(self._about_role(unknown)) from unknown
        if not self.counts.chats and self._limit != 0:
            raise UserError(self._about_nothing())

    @property
    def encoding(self) -> str:
        """What the file's text was decoded with ("" for Parquet)."""
        return "" if self._source.parquet else self._source.encoding

    @property
    def stem(self) -> str:
        """The file's name without its endings."""
        return self._source.stem

    @property
    def dropped(self) -> list[str]:
        """The personal fields that the last pass dropped."""
        return sorted(self._options.personal.dropped)

    @property
    def roles(self) -> dict[str, str]:
        """The role names of the last pass and how they were understood."""
        return dict(self._options.heard)

    @property
    def reasons(self) -> dict[str, int]:
        """Everything that was set aside in the last pass, by name, most frequent first."""
        beside = Counter(files_left_aside=self._source.left_aside)
        return dict((self.counts.reasons + self._options.notes + beside).most_common())

    @property
    def duplicate_ids(self) -> int:
        """How many chats of the last pass have an id that an earlier one has. They are kept."""
        import numpy as np

        return len(self._ids) - int(np.unique(np.frombuffer(self._ids, dtype=np.int64)).size)

    @cached_property
    def sha256(self) -> str:
        """The hash of the whole raw file, whatever the limit."""
        return self._source.sha256()

    def facts(self) -> dict[str, Any]:
        """Give what a plan records of the file, after a pass."""
        counts = self.counts
        return {
            "file": self.path.name,
            "sha256": self.sha256,
            "format": self.format,
            "why": self.why,
            "encoding": self.encoding,
            "same_speaker": self._same_speaker,
            "limit": self._limit,
            "chats": counts.chats,
            "valid_chats": counts.valid_chats,
            "turns": counts.turns,
            "other_turns": counts.other_turns,
            "exchanges": counts.exchanges,
            "valid_exchanges": counts.valid_exchanges,
            "merged": counts.merged,
            "bad": counts.bad,
            "duplicate_ids": self.duplicate_ids,
            "reasons": self.reasons,
            "roles": self.roles,
            "dropped": self.dropped,
        }

    def _new_options(self, listen_only: bool = False) -> ReadOptions:
        personal = PersonalFields(keep=self._keep_personal)
        return ReadOptions(self._roles, self._columns, personal, listen_only=listen_only)

    def _count_bad(self, bad: BadRecord) -> None:
        message = f"{bad.where}: {bad.message}"
        if not self._skip_bad:
            raise UserError(f"{self.path}: {message} (--skip-bad leaves such records out and counts them)")
        self.counts.bad += 1
        self.counts.reasons[bad.reason] += 1
        if len(self.bad_examples) < _EXAMPLES:
            self.bad_examples.append(message)

    def _about_role(self, unknown: UnknownRole) -> str:
        listening = self._new_options(listen_only=True)
        with suppress(UserError):
            for _ in islice(self._reader.read(self._source, listening), _LISTENED):
                pass
        known = self._options.heard
        names = [f"{name!r:.40}" + (f" ({known[name]})" if name in known else "") for name in [*listening.heard][:20]]
        return (
            f"{self.path}: {unknown.where}: the role {unknown.name!r:.40} is not known; found {', '.join(names)}; "
            "say whose they are with --roles tutor=NAME,student=NAME (other=NAME for what is no part of the talk)"
        )

    def _about_nothing(self) -> str:
        if self.counts.bad:
            return f"{self.path}: none of {self.counts.bad} records can be read; the first: {self.bad_examples[0]}"
        return f"{self.path}: holds no chats (read as {self.format}: {self.why})"


def read_chats(
    path: str | os.PathLike[str],
    format: str = "auto",  # noqa: A002 - the word of the command line
    roles: str | None = None,
    columns: str | None = None,
    encoding: str | None = None,
    same_speaker: SameSpeaker = "merge",
    skip_bad: bool = False,
    limit: int | None = None,
    keep_personal: bool = False,
) -> ChatFile:
    """Open a log of chats.

    Parameters
    ----------
    path : path
        JSON, JSON lines, CSV or Parquet; plain, gz, zst or zip; or a folder of such files of one kind.
    format : str
        A reader's name, or "auto".
    roles : str, optional
        As on the command line: ``"tutor=bot,student=user"``. Goes before the format's own names.
    columns : str, optional
        As on the command line: ``"chat=id,role=who,text=message"``.
    encoding : str, optional
        As Python names it. Otherwise what a byte order mark says, or UTF-8.
    same_speaker : {"merge", "keep"}
        How the counts walk the chats; the chats themselves stay as read.
    skip_bad : bool
        Leave broken records out and count them, instead of ending at the first.
    limit : int, optional
        The first so many chats in file order. The rest is not read (of tables with one message a row, only the column
        that names the chat is, since rows of these chats may follow anywhere).
    keep_personal : bool
        Keep personal fields, which are dropped otherwise.

    Returns
    -------
    ChatFile
        Go over it for the chats. Nothing but the first few records was read yet.

    Raises
    ------
    UserError
        The file cannot be opened, or no format fits, or an argument is wrong.
    """
    source = open_source(path, encoding)
    named = parse_columns(columns)
    if format == "auto":
        reader, why = detect(source, named)
    else:
        reader, why = named_reader(format), "named with --format"
    if named and not reader.takes_columns:
        raise UserError(f"--columns: {source.path} is read as {reader.name}, which has no columns to name")
    return ChatFile(
        source,
        reader,
        why,
        roles=parse_roles(roles),
        columns=named,
        same_speaker=same_speaker,
        skip_bad=skip_bad,
        limit=limit,
        keep_personal=keep_personal,
    )

"""What a reader of a log format is: a small record and a few words that all readers share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from tutorscope.chats.chat import Chat, Speaker
from tutorscope.chats.personal import PersonalFields
from tutorscope.chats.sources import Source

Container = Literal["json", "csv", "parquet"]


@dataclass(frozen=True, slots=True)
class Record:
    """One value of a log: a JSON value, or a row as a mapping from column to cell.

    Parameters
    ----------
    where : str
        Its place, for messages: "line 12" or "row 7".
    value : object
    """

    where: str
    value: Any


@dataclass(frozen=True, slots=True)
class BadRecord:
    """What could not be read.

    Parameters
    ----------
    where : str
        Its place: "line 12".
    reason : str
        A short stable snake_case name, which is counted.
    message : str
        Found and expected, one line.
    """

    where: str
    reason: str
    message: str


class Unfit(Exception):  # noqa: N818 - not an error of the program
    """A record that is not what its format says; turned into a BadRecord."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message


class UnknownRole(Exception):  # noqa: N818
    """A role name that nobody told us how to read; ends the reading with the list of all names found."""

    def __init__(self, name: str, where: str) -> None:
        super().__init__(name)
        self.name = name
        self.where = where


@dataclass(frozen=True, slots=True)
class Head:
    """What a reader may look at to recognise its format.

    Parameters
    ----------
    container : {"json", "csv", "parquet"}
    columns : tuple of str
        Of a table; () for JSON.
    records : tuple
        The values of the first few records that could be read (for a table, rows as mappings).
    named : mapping
        The columns that the user named: what they hold to the column's name.
    """

    container: Container
    columns: tuple[str, ...]
    records: tuple[Any, ...]
    named: Mapping[str, str]

    @property
    def first(self) -> Mapping[str, Any]:
        """The first record if it is an object, else an empty one."""
        value = self.records[0] if self.records else None
        return value if isinstance(value, Mapping) else {}


@dataclass
class ReadOptions:
    """What the user asked of a reader, and what the reader has to say beside its chats.

    Parameters
    ----------
    roles : mapping
        Role name as the log writes it (any case) to speaker: goes before the format's own table.
    columns : mapping
        What a column holds ("chat", "role", "text", ...) to its name.
    personal : PersonalFields
        Drops personal fields and remembers which.
    notes : Counter
        What was changed or left aside inside chats, by reason.
    heard : dict
        Role names met so far and how each was understood.
    listen_only : bool
        Gather role names and refuse none: used to write the message about an unknown one.
    """

    roles: Mapping[str, Speaker] = field(default_factory=dict)
    columns: Mapping[str, str] = field(default_factory=dict)
    personal: PersonalFields = field(default_factory=PersonalFields)
    notes: Counter[str] = field(default_factory=Counter)
    heard: dict[str, Speaker] = field(default_factory=dict)
    listen_only: bool = False

    def speaker(self, name: Any, known: Mapping[str, Speaker], where: str) -> Speaker:
        """Understand a role name.

        Parameters
        ----------
        name : object
            As the log writes it.
        known : mapping
            The format's own names, in lower case.
        where : str
            The record's place.

        Raises
        ------
        UnknownRole
            Neither the user nor the format knows it.
        Unfit
            It is not a text.
        """
        if not isinstance(name, str):
            raise Unfit("no_role", f"the role is {kind_of(name)}, expected a name")
        if name in self.heard:
            return self.heard[name]
        plain = name.strip().casefold()
        speaker = self.roles.get(plain) or known.get(plain)
        if speaker is None:
            if not self.listen_only:
                raise UnknownRole(name, where)
            speaker = "other"
        self.heard[name] = speaker
        return speaker


Sniff = Callable[[Head], str | None]
Read = Callable[[Source, ReadOptions], Iterator[Chat | BadRecord]]


@dataclass(frozen=True, slots=True)
class Reader:
    """One log format. A package offers its own under the entry point group ``tutorscope.readers``.

    Parameters
    ----------
    name : str
        The word for ``--format``.
    title : str
        One line: what writes this format.
    sniff : callable
        From a Head to the reason why the file is of this format ("records with 'conversations' of from and value"),
        or None.
    read : callable
        From a source and options to chats, one at a time, in file order; what cannot be read comes as a BadRecord in
        its place.
    general : bool
        Many programs write it: it is only tried where no format of its own fits.
    takes_columns : bool
        It reads ``ReadOptions.columns``; for all others ``--columns`` is an error.
    """

    name: str
    title: str
    sniff: Sniff
    read: Read
    general: bool = False
    takes_columns: bool = False


def kind_of(value: Any) -> str:
    """Name a value's kind, for messages."""
    kinds = {
        type(None): "missing",
        bool: "true or false",
        int: "a number",
        float: "a number",
        str: "text",
        list: "a list",
    }
    return kinds.get(type(value), "an object" if isinstance(value, Mapping) else f"a {type(value).__name__}")


def text_of(value: Any, name: str) -> str:
    """Give a message's text. Null is an empty text: it makes an exchange that is skipped with a reason.

    Raises
    ------
    Unfit
        It is neither text nor null.
    """
    if value is None:
        return ""
    if not isinstance(value, str):
        raise Unfit("not_text", f"{name} is {kind_of(value)}, expected text")
    return value


def list_of(record: Mapping[str, Any], name: str) -> list[Any]:
    """Give a field that must be a list.

    Raises
    ------
    Unfit
        It is missing or something else.
    """
    value = record.get(name)
    if not isinstance(value, list):
        found = f"; found the fields {', '.join(map(repr, record))[:160]}" if value is None else ""
        raise Unfit("no_messages", f"field {name!r} is {kind_of(value)}, expected a list{found}")
    return value


def object_of(value: Any, name: str) -> Mapping[str, Any]:
    """Give a value that must be an object.

    Raises
    ------
    Unfit
        It is something else.
    """
    if not isinstance(value, Mapping):
        raise Unfit("not_an_object", f"{name} is {kind_of(value)}, expected an object")
    return value


def has_messages(head: Head, name: str, fields: set[str]) -> bool:
    """Say whether a record of the head holds, under a name, a list of objects with these fields."""
    for record in head.records:
        messages = record.get(name) if isinstance(record, Mapping) else None
        if isinstance(messages, list) and messages:
            return isinstance(messages[0], Mapping) and fields <= set(messages[0])
    return False


def id_of(value: Any) -> str:
    """Give a log's own id as text: "" if it has none."""
    return "" if value is None or isinstance(value, (Mapping, list)) else str(value)

"""Which readers there are, and which of them a file is for."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points

from tutorscope.chats.reader import BadRecord, Head, Reader
from tutorscope.chats.records import look, records
from tutorscope.chats.sources import Source
from tutorscope.errors import UserError

BUILT_IN = (
    "tutorscope", "mathdial", "mathtutorbench", "comta", "studychat", "recipe4u", "eedi", "pats", "mrbench", "bridge",
    "cima", "tutorcasebench", "lmsys", "wildchat", "chatgpt", "claude", "langfuse", "langsmith", "sharegpt", "openai",
    "long", "wide",
)  # fmt: skip
"""One module each in ``chats/readers``, each with a READER."""

GROUP = "tutorscope.readers"
"""The entry point group under which other packages offer readers."""


@cache
def built_in() -> dict[str, Reader]:
    """Give our own readers by name."""
    found = (import_module(f"tutorscope.chats.readers.{name}").READER for name in BUILT_IN)
    return {reader.name: reader for reader in found}


@cache
def all_readers() -> dict[str, Reader]:
    """Give every reader by name, those of other packages last.

    Raises
    ------
    UserError
        A package's reader cannot be loaded, is no Reader, or has a name that is taken.
    """
    readers = dict(built_in())
    for point in entry_points(group=GROUP):
        origin = f"reader {point.name!r} of the package {point.dist.name if point.dist else '?'}"
        try:
            reader = point.load()
        except Exception as error:
            raise UserError(f"{origin} cannot be loaded: {type(error).__name__}: {str(error)[:120]}") from error
        if not isinstance(reader, Reader):
            raise UserError(f"{origin} is a {type(reader).__name__}, expected a tutorscope.chats.reader.Reader")
        if reader.name in readers:
            raise UserError(f"{origin} has the name {reader.name!r}, which is taken")
        readers[reader.name] = reader
    return readers


def named_reader(name: str) -> Reader:
    """Give the reader for ``--format NAME``.

    Raises
    ------
    UserError
        There is none of that name; the message lists the names.
    """
    reader = built_in().get(name) or all_readers().get(name)
    if reader is None:
        raise UserError(f"--format {name}: there is no such format; found {', '.join(all_readers())}")
    return reader


def detect(source: Source, named: Mapping[str, str]) -> tuple[Reader, str]:
    """Find the one reader that a file is for, and why.

    Formats of their own go before those that many programs write.

    Parameters
    ----------
    source : Source
    named : mapping
        The columns that the user named.

    Raises
    ------
    UserError
        No reader fits, or several; nothing is guessed.
    """
    for name, telling in (("wide", {"student", "tutor"}), ("long", {"role", "text"})):
        if telling & named.keys():
            return built_in()[name], "--columns names its columns"
    head = look(source, named)
    reasons = {name: (reader, why) for name, reader in all_readers().items() if (why := reader.sniff(head))}
    fitting = {name: fit for name, fit in reasons.items() if not fit[0].general} or reasons
    if len(fitting) == 1:
        return next(iter(fitting.values()))
    if fitting:
        names = " and ".join(f"{name} ({why})" for name, (_, why) in fitting.items())
        raise UserError(f"{source}: could be {names}; say which with --format")
    raise UserError(f"{source}: {_strange(source, head)}; name a format with --format: {', '.join(all_readers())}")


def _strange(source: Source, head: Head) -> str:
    if head.container != "json":
        return f"no format has the columns {_listed(head.columns)}; name them with --columns"
    if head.first:
        return f"no format has records with the fields {_listed(tuple(head.first))}"
    broken = next((record for record in records(source) if isinstance(record, BadRecord)), None)
    if broken and not head.records:
        return f"{broken.where}: {broken.message}"
    return "holds no records" if not head.records else "its records are not objects"


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(repr(name[:40]) for name in names[:12]) + (" ..." if len(names) > 12 else "")

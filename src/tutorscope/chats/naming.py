"""The names that a user gives on the command line: which role is whose, which column holds what."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import get_args

from tutorscope.chats.chat import Speaker
from tutorscope.errors import UserError

COLUMNS = {
    "chat": ("chat", "chat id", "conversation", "conversation id", "dialogue id", "dialog id", "session id"),
    "role": ("role", "speaker", "sender"),
    "text": ("text", "message", "content", "utterance"),
    "time": ("time", "timestamp", "time stamp", "created at", "date"),
    "student": ("student", "student msg", "student message", "student text", "user", "prompt"),
    "tutor": ("tutor", "tutor msg", "tutor message", "tutor text", "assistant", "response", "reply"),
    "context": ("context", "problem", "task"),
}
"""What a column can hold, and the names that are understood without ``--columns``, best first."""


def parse_roles(given: str | None) -> dict[str, Speaker]:
    """Read ``--roles tutor=bot,student=user``.

    Returns
    -------
    dict
        Role name in lower case to speaker.

    Raises
    ------
    UserError
        It is not of that form, or gives one name to two speakers.

    Examples
    --------
    >>> parse_roles("tutor=bot,tutor=TA,student=user")
    {'bot': 'tutor', 'ta': 'tutor', 'user': 'student'}
    """
    roles: dict[str, Speaker] = {}
    for speaker, name in _pairs(given, "--roles", "tutor=bot,student=user"):
        if speaker not in get_args(Speaker):
            raise UserError(f"--roles: found {speaker!r:.40}, expected {', '.join(get_args(Speaker))} before the =")
        plain = name.casefold()
        if roles.setdefault(plain, speaker) != speaker:  # type: ignore[arg-type]
            raise UserError(f"--roles: {name!r:.40} is named as {roles[plain]} and as {speaker}")
    return roles


def parse_columns(given: str | None) -> dict[str, str]:
    """Read ``--columns chat=id,role=who,text=message``.

    Returns
    -------
    dict
        What it holds to the column's name.

    Raises
    ------
    UserError
        It is not of that form.
    """
    columns: dict[str, str] = {}
    for holds, name in _pairs(given, "--columns", "chat=id,role=who,text=message"):
        if holds not in COLUMNS:
            raise UserError(f"--columns: found {holds!r:.40}, expected one of {', '.join(COLUMNS)} before the =")
        if holds in columns:
            raise UserError(f"--columns: {holds} is given twice")
        columns[holds] = name
    return columns


def find_columns(
    found: Sequence[str], wanted: Sequence[str], named: Mapping[str, str], optional: Sequence[str] = ()
) -> dict[str, str]:
    """Find which of a table's columns hold what is wanted.

    Parameters
    ----------
    found : sequence of str
        The table's columns.
    wanted, optional : sequence of str
        What columns are looked for: keys of ``COLUMNS``.
    named : mapping
        From ``parse_columns``: goes before the known names.

    Returns
    -------
    dict
        What it holds to the column's name.

    Raises
    ------
    UserError
        A wanted column is not there, or a named one is not; the message lists the columns and shows the flag (callers
        add the file).
    """
    by_plain: dict[str, str] = {}
    for name in found:
        by_plain.setdefault(_plain(name), name)
    columns: dict[str, str] = {}
    for holds in [*wanted, *optional]:
        if holds in named:
            name = named[holds]
            actual = name if name in found else by_plain.get(_plain(name))
            if actual is None:
                raise UserError(f"--columns {holds}={name}: there is no such column; found {_listed(found)}")
            columns[holds] = actual
            continue
        guess = next((by_plain[known] for known in COLUMNS[holds] if known in by_plain), None)
        if guess is not None and guess not in columns.values() and guess not in named.values():
            columns[holds] = guess
        elif holds in wanted:
            raise UserError(f"no column for {holds}; found {_listed(found)}; name it with --columns {holds}=NAME")
    return columns


def _pairs(given: str | None, flag: str, example: str) -> list[tuple[str, str]]:
    pairs = []
    for part in (given or "").split(","):
        left, sign, right = part.partition("=")
        if not part.strip():
            continue
        if not sign or not left.strip() or not right.strip():
            raise UserError(f"{flag}: found {part.strip()!r:.40}, expected the form {example}")
        pairs.append((left.strip().casefold(), right.strip()))
    return pairs


def _plain(name: str) -> str:
    return " ".join(re.split(r"[\s_\-.]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).strip().casefold()))


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(repr(name) for name in names[:20])
    return shown if len(names) <= 20 else f"{shown} and {len(names) - 20} more"

"""Text files that users name: regular ones, of a bounded size, in UTF-8, or one line that says what is wrong."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

from tutorscope.errors import UserError

LARGEST = 50_000_000


def read_regular(path: str | Path, most: int) -> bytes:
    """Read a file from its beginning, if it is one: a pipe or a device may never end, or never begin.

    Parameters
    ----------
    path : str or Path
    most : int
        No more bytes than these are read.

    Raises
    ------
    OSError
        It is no regular file, or cannot be opened.
    """
    # Opened without waiting, because a pipe that nobody writes to would wait for ever; then looked at, so that what is
    # looked at is what is read.
    with open(path, "rb", opener=_without_waiting) as file:  # a third faster than Path.open
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "no regular file", str(path))
        return file.read(most)


def read_utf8(path: str | Path, expected: str, *, most: int = LARGEST, named: str = "") -> str:
    """Read a text, without its byte order mark and with its line ends as they are.

    Parameters
    ----------
    path : str or Path
    expected : str
        What the file should be, for the message: "a CSV file in UTF-8".
    most : int
        The largest size that is taken, in bytes.
    named : str
        What the message calls the file; its path if it is left out.

    Raises
    ------
    UserError
        It cannot be read, is larger, or has a byte that is no UTF-8; then with the line.
    """
    name = named or str(path)
    try:
        raw = read_regular(path, most + 1)
    except OSError as problem:
        raise UserError(f"{name}: cannot be read ({problem.strerror or problem}); expected {expected}") from None
    if len(raw) > most:
        raise UserError(f"{name}: more than {most:,} bytes; expected {expected}")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        # Of the problem and not of the file: places are counted from behind a byte order mark.
        line = problem.object.count(b"\n", 0, problem.start) + 1
        byte = f"0x{problem.object[problem.start]:02x}"
        raise UserError(f"{name}, line {line}: byte {byte} is not UTF-8; expected {expected}") from None


def _without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))

"""Untrusted text made harmless where it is shown: in a terminal, in a sheet, on one line."""

from __future__ import annotations

import re

# An escape sequence goes whole, so that its letters do not stay behind as text. Bodies hold no control codes, which
# bounds the search: a sequence that never ends loses its first characters only, and its body stays as plain text.
_ESCAPE = re.compile(
    r"(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x00-\x1f\x7f-\x9f]*(?:\x07|\x1b\\|\x9c)"  # titles, links
    r"|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # colours, cursor, screen
    r"|\x1b[ -/]*[0-~]"  # the short ones, such as a reset
)
_LINE_END = re.compile(r"\r\n?|[\u2028\u2029\x85]")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
_LONE_SURROGATE = re.compile(r"[\ud800-\udfff]")

# What a sheet program reads as the start of a formula: also behind blanks, and in the full-width forms that Excel takes
# for the plain ones. The apostrophes in front keep the two functions exact inverses.
_FORMULA = re.compile(r"'*(?:[\t\r\n]|[\s\x00-\x20\u200b\ufeff]*[=+\-@\uff1d\uff0b\uff0d\uff20])")


def strip_controls(text: str) -> str:
    r"""Take out of a text all that could move a cursor, colour a terminal or turn the reading direction.

    Escape sequences go whole; the C0 and C1 control codes, direction marks and overrides, and byte order marks go one
    by one. Newline and tab stay; other line ends become a newline, so that a lone carriage return cannot write over a
    line. A lone surrogate, which no terminal can be sent, becomes U+FFFD. Applying it twice changes nothing more.

    Parameters
    ----------
    text : str
        Text from a chat, a model or a file.

    Returns
    -------
    str

    Examples
    --------
    >>> strip_controls("\x1b[31mred\x1b[0m and \u202eback")
    'red and back'
    """
    text = _ESCAPE.sub("", text)
    text = _LINE_END.sub("\n", text)
    text = _CONTROL.sub("", text)
    return _LONE_SURROGATE.sub("\ufffd", text)


def defuse_formula(cell: str) -> str:
    """Put an apostrophe before a cell that a sheet program would run as a formula.

    Such a cell starts with ``=``, ``+``, ``-``, ``@`` (blanks ahead of them and full-width forms included), a tab or a
    line end. `restore_formula` gives the cell back exactly, whatever it held. Write the sheet with every cell quoted:
    where the list separator is ``;`` an unquoted ``a;=b`` is two cells, and the second one was never seen here.

    Parameters
    ----------
    cell : str
        The text of one cell.

    Returns
    -------
    str

    Examples
    --------
    >>> defuse_formula("=cmd()"), defuse_formula("x = 3")
    ("'=cmd()", 'x = 3')
    """
    return "'" + cell if _FORMULA.match(cell) else cell


def restore_formula(cell: str) -> str:
    """Undo `defuse_formula` on a cell that came back.

    Parameters
    ----------
    cell : str
        The text of one cell.

    Returns
    -------
    str

    Examples
    --------
    >>> restore_formula("'=cmd()"), restore_formula("'tis")
    ('=cmd()', "'tis")
    """
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell


def shorten(text: str, n: int) -> str:
    """Give a text on one line of at most ``n`` characters, safe for a terminal; what was cut shows as an ellipsis.

    Parameters
    ----------
    text : str
        Any text.
    n : int
        The longest result, at least 1.

    Returns
    -------
    str

    Raises
    ------
    ValueError
        ``n`` is below 1.

    Examples
    --------
    >>> shorten("one two  three", 9)
    'one two…'
    """
    if n < 1:
        raise ValueError(f"a shortened text needs room for at least one character, not {n}")
    line = " ".join(strip_controls(text).split())
    return line if len(line) <= n else line[: n - 1].rstrip() + "…"

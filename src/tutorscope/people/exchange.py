"""What came back, in whichever file: a sheet, or JSON of Label Studio or Potato, told apart by content."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from tutorscope.errors import UserError
from tutorscope.people.forms import Form, has_codes
from tutorscope.people.label_studio import read_label_studio
from tutorscope.people.potato import read_potato
from tutorscope.people.returned import Returned
from tutorscope.people.sheets import decoded, read_sheet


def read_returned(data: bytes, name: str, form: Form) -> Returned:
    """Read a file of answers.

    Parameters
    ----------
    data : bytes
    name : str
        The file's name, for messages.
    form : Form

    Raises
    ------
    UserError
        It is none of the files that are known, or broken.
    """
    if not data.strip():
        raise UserError(f"{name}: is empty; expected a file of answers")
    if data[:4] == b"PK\x03\x04":
        raise UserError(f"{name}: is a workbook or archive; save the sheet as CSV UTF-8 and import that")
    begins = data.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
    if begins not in (b"{", b"["):
        return read_sheet(data, name, form)
    whole, lines = _json(data, name)
    if lines or (isinstance(whole, Mapping) and "data" not in whole):
        return read_potato(lines or [whole], name, form)
    return read_label_studio(whole, name, form)


def forms_in(data: bytes, names: Iterable[str]) -> list[str]:
    """Say of which forms a file holds things, by their names.

    Parameters
    ----------
    data : bytes
    names : iterable of str
        Of the forms that there are.
    """
    text = decoded(data)
    return [name for name in names if has_codes(text, name)]


def _json(data: bytes, name: str) -> tuple[Any, list[Any]]:
    """Read a file as one JSON value, or else as one a line."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UserError(f"{name}: JSON that is not UTF-8; expected an export of Label Studio or Potato") from None
    try:
        return json.loads(text), []
    except (ValueError, RecursionError):
        pass
    lines: list[Any] = []
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                lines.append(json.loads(line))
            except (ValueError, RecursionError):
                raise UserError(f"{name}, line {number}: is not JSON; found {line.strip()[:60]!r}") from None
    return None, lines

"""Values that a table holds as JSON in one cell, or a JSON file as JSON inside a string."""

from __future__ import annotations

import json
from typing import Any

from tutorscope.chats.reader import Unfit

_STARTS = ("{", "[", '"')


def unpacked(value: Any) -> Any:
    """Give what a cell holds: a text that is a JSON object, list or string becomes that, all else stays.

    Parameters
    ----------
    value : object

    Raises
    ------
    Unfit
        It is nested too deeply.

    Examples
    --------
    >>> unpacked('{"a": [1]}'), unpacked("[sic]"), unpacked('"cat.png"'), unpacked("7")
    ({'a': [1]}, '[sic]', 'cat.png', '7')
    """
    if not isinstance(value, str) or not value.lstrip().startswith(_STARTS):
        return value
    try:
        return json.loads(value, strict=False, parse_constant=lambda _: None)
    except RecursionError as error:
        raise Unfit("too_deep", "JSON in a cell is nested too deeply") from error
    except ValueError:
        return value


def integer(value: Any, name: str) -> int:
    """Give a whole number that a row is sorted by, as a number or its digits.

    Raises
    ------
    Unfit
        It is neither.
    """
    try:
        number = float(value) if isinstance(value, (str, int, float)) and not isinstance(value, bool) else None
        if number is not None and number == int(number):
            return int(number)
    except (ValueError, OverflowError):
        pass
    raise Unfit("no_order", f"{name} is {value!r:.40}, expected a whole number, which orders the chat")


def filled(fields: dict[str, Any]) -> dict[str, Any]:
    """Leave out fields that hold nothing."""
    return {name: value for name, value in fields.items() if value not in ("", None, [], {})}

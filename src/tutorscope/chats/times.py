"""Times of messages as ISO 8601."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

_EPOCH_MS = 10**11  # as seconds this is the year 5138, as milliseconds 1973


def iso_time(value: Any) -> str | None:
    """Write a time as ISO 8601, with the offset if it is known.

    Parameters
    ----------
    value : object
        ISO 8601 in any of its forms, or seconds or milliseconds since 1970 as a number or its digits.

    Returns
    -------
    str or None
        None if it is nothing that we can read without guessing.

    Examples
    --------
    >>> iso_time("2025-03-01 10:20"), iso_time(1714521600), iso_time(1714521600000), iso_time("03/04/2025")
    ('2025-03-01T10:20:00', '2024-05-01T00:00:00+00:00', '2024-05-01T00:00:00+00:00', None)
    """
    if isinstance(value, str):
        text = value.strip()
        # fromisoformat takes eight digits for a date and so would take some counts of seconds for one.
        if not text.replace(".", "", 1).isdecimal():
            try:
                return datetime.fromisoformat(text).isoformat()
            except ValueError:
                return None
        try:
            value = float(text)
        except ValueError:
            return None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        seconds = value / 1000 if abs(value) >= _EPOCH_MS else value
        # Small numbers are counts or clocks of their own, not times.
        return datetime.fromtimestamp(seconds, UTC).isoformat() if seconds >= 10**8 else None
    except (OverflowError, ValueError, OSError):
        return None

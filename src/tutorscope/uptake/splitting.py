"""Chats split where their people paused, and the account of it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from datetime import timedelta
from typing import Any, cast

from tutorscope.chats.chat import Chat
from tutorscope.chats.exchanges import SameSpeaker
from tutorscope.chats.gaps import split_at_gaps
from tutorscope.chats.reading import Counts
from tutorscope.errors import UserError

_GAP = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*(s|m|h|d)")
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


def parse_gap(text: str) -> timedelta:
    """Read a time such as ``30m``, ``2h``, ``90s`` or ``1d``.

    Raises
    ------
    UserError
        It is none, or not above zero.

    Examples
    --------
    >>> parse_gap("1.5h")
    datetime.timedelta(seconds=5400)
    """
    found = _GAP.fullmatch(text.strip().casefold())
    try:
        gap = timedelta(seconds=float(found[1]) * _SECONDS[found[2]]) if found else timedelta(0)
    except OverflowError:
        gap = timedelta(0)
    if gap <= timedelta(0):
        raise UserError(f"--split-gap: found {text!r:.40}, expected a time such as 30m, 2h, 90s or 1d")
    return gap


class Split:
    """Chats split where people paused, and what that came to: the counts of the plan are those of the parts.

    Parameters
    ----------
    gap : timedelta
    name : str
        The gap as the user wrote it.
    same_speaker : {"merge", "keep"}
    """

    def __init__(self, gap: timedelta, name: str, same_speaker: str) -> None:
        self._gap, self._name, self._same_speaker = gap, name, cast(SameSpeaker, same_speaker)
        self._whole, self._parts = Counts(), Counts()
        self._split = self._untimed = 0

    @property
    def mark(self) -> dict[str, str]:
        """What an item says of how it was cut."""
        return {"split_gap": self._name}

    def parts(self, chat: Chat) -> list[Chat]:
        """Give a chat's parts, and count."""
        parts = split_at_gaps(chat, self._gap)
        self._split += len(parts) > 1
        self._untimed += not any(turn.time for turn in chat.turns)
        self._whole.add(chat, self._same_speaker)
        for part in parts:
            self._parts.add(part, self._same_speaker)
        return parts

    def facts(self, reasons: Mapping[str, int]) -> dict[str, Any]:
        """Give what the plan records in place of the counts of the unsplit chats.

        Parameters
        ----------
        reasons : mapping
            Of the file: those that come from chats are replaced by those of their parts.
        """
        parts = self._parts
        beside = Counter(reasons) - self._whole.reasons
        return {
            "chats": parts.chats,
            "valid_chats": parts.valid_chats,
            "exchanges": parts.exchanges,
            "valid_exchanges": parts.valid_exchanges,
            "merged": parts.merged,
            "reasons": dict((parts.reasons + beside).most_common()),
            "split_gap": self._name,
            "chats_before_split": self._whole.chats,
            "split_chats": self._split,
            "chats_without_times": self._untimed,
        }

"""One chat as several where its people paused."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from tutorscope.chats.chat import Chat


def split_at_gaps(chat: Chat, gap: timedelta) -> list[Chat]:
    """Split a chat wherever more time than ``gap`` lies between a turn and the last one before it that has a time.

    Turns without a time stay with the turn before them; so do those whose clock cannot be compared because the first
    turn with a time has an offset and they have none, or the other way round. A time that goes back splits nothing.

    Parameters
    ----------
    chat : Chat
    gap : timedelta
        Above zero.

    Returns
    -------
    list of Chat
        The chat itself where there is nothing to split. Otherwise its parts: ids with "#1", "#2", ... behind them (an
        empty id stays empty), the context of the whole, and in ``meta``, beside that of the whole, ``part``, ``parts``
        and ``untimed_turns``, the number of turns in the part that stayed for want of a time. A read-out stays with
        the last part.

    Raises
    ------
    ValueError
        ``gap`` is not above zero.

    Examples
    --------
    >>> from tutorscope.chats.chat import Turn
    >>> late = Turn("student", "c", "2025-03-01T11:00:00")
    >>> chat = Chat("x", (Turn("student", "a", "2025-03-01T10:00:00"), Turn("tutor", "b"), late))
    >>> [(part.id, len(part.turns)) for part in split_at_gaps(chat, timedelta(minutes=30))]
    [('x#1', 2), ('x#2', 1)]
    """
    if gap <= timedelta(0):
        raise ValueError(f"a gap must be above zero, not {gap}")
    times = comparable_times(chat)
    starts = [0]
    last: datetime | None = None
    for i, time in enumerate(times):
        if time is None:
            continue
        if last is not None and time - last > gap:
            starts.append(i)
        last = time
    if len(starts) == 1:
        return [chat]
    ends = [*starts[1:], len(chat.turns)]
    parts = []
    for number, (start, end) in enumerate(zip(starts, ends, strict=True), 1):
        untimed = sum(time is None for time in times[start:end])
        meta = {**chat.meta, "part": number, "parts": len(starts), "untimed_turns": untimed}
        readout = chat.readout and number == len(starts)
        name = f"{chat.id}#{number}" if chat.id else ""
        parts.append(replace(chat, id=name, turns=chat.turns[start:end], readout=readout, meta=meta))
    return parts


def comparable_times(chat: Chat) -> list[datetime | None]:
    """Give each turn's time, None where it has none that can be compared with the chat's first.

    Parameters
    ----------
    chat : Chat
    """
    times = [_parsed(turn.time) for turn in chat.turns]
    first = next((time for time in times if time is not None), None)
    offset = first is not None and first.tzinfo is not None
    return [time if time is not None and (time.tzinfo is not None) == offset else None for time in times]


def _parsed(time: str | None) -> datetime | None:
    try:
        return datetime.fromisoformat(time) if time else None
    except ValueError:
        return None

"""A chat as plain data and back: what ``inputs/`` and our own log format hold. Nothing is lost either way."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

from tutorscope.chats.chat import Chat, Speaker, Turn
from tutorscope.errors import UserError

SPEAKERS: tuple[str, ...] = get_args(Speaker)


def chat_to_data(chat: Chat) -> dict[str, Any]:
    """Write a chat as plain data. Fields that hold nothing are left out.

    Returns
    -------
    dict
        ``id``, ``turns`` (each ``speaker``, ``text`` and, if set, ``time`` and ``meta``) and, if set, ``context``,
        ``readout``, ``meta``.
    """
    data: dict[str, Any] = {"id": chat.id, "turns": [_turn_to_data(turn) for turn in chat.turns]}
    if chat.context:
        data["context"] = chat.context
    if chat.readout:
        data["readout"] = True
    if chat.meta:
        data["meta"] = dict(chat.meta)
    return data


def chat_from_data(data: Mapping[str, Any]) -> Chat:
    """Read a chat from plain data.

    Raises
    ------
    UserError
        The data is not a chat; the message names the field (callers add the file and the line).
    """
    turns = data.get("turns")
    if not isinstance(turns, list):
        raise UserError(f"turns is {_kind(turns)}, expected a list")
    return Chat(
        id=_text(data.get("id", ""), "id"),
        turns=tuple(_turn_from_data(turn, f"turns[{i}]") for i, turn in enumerate(turns)),
        context=_text(data.get("context", ""), "context"),
        readout=_flag(data.get("readout", False), "readout"),
        meta=_fields(data.get("meta", {}), "meta"),
    )


def _turn_to_data(turn: Turn) -> dict[str, Any]:
    data: dict[str, Any] = {"speaker": turn.speaker, "text": turn.text}
    if turn.time is not None:
        data["time"] = turn.time
    if turn.meta:
        data["meta"] = dict(turn.meta)
    return data


def _turn_from_data(data: Any, where: str) -> Turn:
    if not isinstance(data, Mapping):
        raise UserError(f"{where} is {_kind(data)}, expected an object")
    speaker = data.get("speaker")
    if speaker not in SPEAKERS:
        raise UserError(f"{where}.speaker is {speaker!r:.60}, expected one of {', '.join(SPEAKERS)}")
    time = data.get("time")
    return Turn(
        speaker=speaker,
        text=_text(data.get("text"), f"{where}.text"),
        time=None if time is None else _text(time, f"{where}.time"),
        meta=_fields(data.get("meta", {}), f"{where}.meta"),
    )


def _text(value: Any, name: str) -> str:
    if not isinstance(value, str):
        raise UserError(f"{name} is {_kind(value)}, expected text")
    return value


def _flag(value: Any, name: str) -> bool:
    if not isinstance(value, bool):
        raise UserError(f"{name} is {_kind(value)}, expected true or false")
    return value


def _fields(value: Any, name: str) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise UserError(f"{name} is {_kind(value)}, expected an object")
    return dict(value)


def _kind(value: Any) -> str:
    return "missing" if value is None else f"a {type(value).__name__}"

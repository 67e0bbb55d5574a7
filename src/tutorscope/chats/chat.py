"""A chat: who said what, in order."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Speaker = Literal["student", "tutor", "other"]


@dataclass(frozen=True, slots=True)
class Turn:
    """One message.

    Parameters
    ----------
    speaker : {"student", "tutor", "other"}
        "other" is a system, tool or developer message: kept, never scored, never taken for a turn of the talk.
    text : str
        What was said, as read.
    time : str, optional
        ISO 8601, with the offset if the log had one.
    meta : mapping
        Annotators' labels and the like. Never shown to a judge.
    """

    speaker: Speaker
    text: str
    time: str | None = None
    meta: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Chat:
    """One conversation between a student and a tutor.

    Parameters
    ----------
    id : str
        The log's own id, or "" if it has none.
    turns : tuple of Turn
    context : str
        The task that they talk about, if the log holds it.
    readout : bool
        The last exchange is a solution read-out by convention of its format (MathDial) and is not scored.
    meta : mapping
        What else the log says about the chat, personal columns dropped.
    """

    id: str
    turns: tuple[Turn, ...]
    context: str = ""
    readout: bool = False
    meta: Mapping[str, Any] = field(default_factory=dict)

    @property
    def digest(self) -> str:
        """The chat's identity: 16 hex digits of the sha256 of its speakers, texts and context."""
        content = json.dumps([self.context, [[t.speaker, t.text] for t in self.turns]], ensure_ascii=False)
        return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()[:16]

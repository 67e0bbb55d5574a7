"""Ask a role until its reply can be read: each time as a new attempt of the same draw, up to a stated number."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from tutorscope.models.speaking import Reply, Speak
from tutorscope.texts.bodies import REFUSED
from tutorscope.texts.messages import Message
from tutorscope.texts.parsed import Parsed, unread

T = TypeVar("T")

ATTEMPTS = 3
"""How often a reply is asked for, the first time included, where a rule does not say otherwise."""


@dataclass(frozen=True, slots=True)
class Asked(Generic[T]):
    """What came of asking.

    Parameters
    ----------
    parsed : Parsed
        The value, or the reason why the last reply had none.
    reasons : tuple of str
        Why each reply that could not be read could not be, in order: one for each attempt but a last one that was read.
    reply : Reply
        The last reply: its text is worth keeping even where it could not be read.
    """

    parsed: Parsed[T]
    reasons: tuple[str, ...]
    reply: Reply

    @property
    def value(self) -> T | None:
        """What the last reply said, or None."""
        return self.parsed.value

    @property
    def reason(self) -> str | None:
        """Why there is no value, or None."""
        return self.parsed.reason

    @property
    def attempts(self) -> int:
        """How many replies were asked for."""
        return len(self.reasons) + self.parsed.ok

    def record(self) -> dict[str, Any]:
        """Give it as plain data for a unit's result (what usage and settings there were is recorded by ``speak``)."""
        return {
            "value": self.value,
            "reason": self.reason,
            "reasons": list(self.reasons),
            "attempts": self.attempts,
            "text": self.reply.text,
        }


async def ask(
    speak: Speak,
    role: str,
    messages: Sequence[Message],
    read: Callable[[Reply], Parsed[T]],
    *,
    draw: str,
    attempts: int = ATTEMPTS,
    schema: Mapping[str, Any] | None = None,
    **settings: Any,
) -> Asked[T]:
    """Ask for a reply and read it; if it cannot be read, ask again.

    The request stays the same, word for word: a model is not told what was wrong, because an answer given after a
    correction is another measurement. Only the attempt, and the seed that derives from it, differ. A reply that the
    provider filtered is `refused` whatever the reader would make of its text. A call that fails raises, as ``speak``
    says; it is no attempt.

    Parameters
    ----------
    speak : Speak
        The door, scoped to the unit.
    role : str
        "judge", "tutor", "student" or "builder".
    messages : sequence of Message
        The whole request.
    read : callable
        From the reply to its value or the named reason. It must not raise.
    draw : str
        The reply's name, unique in the unit and role.
    attempts : int
        How often at most, the first time included.
    schema : mapping, optional
        A JSON schema, used where the provider can hold a reply to one.
    **settings
        Passed on to ``speak``.

    Returns
    -------
    Asked
        The first value that could be read, or the last reason; and the reason of every attempt that had none.

    Raises
    ------
    ValueError
        ``attempts`` is below 1.
    """
    if attempts < 1:
        raise ValueError(f"asking takes at least one attempt, not {attempts}")
    reasons: list[str] = []
    for attempt in range(attempts):
        reply = await speak(role, messages, draw=draw, attempt=attempt, schema=schema, **settings)
        parsed: Parsed[T] = unread(REFUSED) if reply.finish == "filter" else read(reply)
        if parsed.reason is None:
            break
        reasons.append(parsed.reason)
    return Asked(parsed, tuple(reasons), reply)

"""One visible turn of a tutor: how a policy says it, and how it asks the tutor model for it."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from tutorscope.judging.asking import ask
from tutorscope.models.speaking import Reply, Speak
from tutorscope.texts.bodies import reply_body
from tutorscope.texts.messages import Message
from tutorscope.texts.parsed import Parsed, unread

TUTOR_SETTINGS: Mapping[str, Any] = {"temperature": 0.4, "max_tokens": 1024}
"""How a tutor is sampled (policy audit, appendix A.1)."""

NO_REPLY = "(no reply)"
"""What stands for an empty turn in the talk: several servers refuse a message without text."""


@dataclass(frozen=True)
class Said:
    """What a policy said to the student in one turn.

    Parameters
    ----------
    text : str
        The visible reply, "" if none came.
    finish : str
        Why the reply stopped: a turn that was cut off is shown as it is.
    reasons : sequence of str
        Why earlier replies to the same question could not be used, and the last one's, if none could.
    route : str
        Which of a routed policy's responders spoke.
    notes : mapping
        What the policy kept to itself: never shown to the student or to a judge.
    """

    text: str
    finish: str = "stop"
    reasons: Sequence[str] = ()
    route: str = ""
    notes: Mapping[str, Any] = field(default_factory=dict)


class Policy(Protocol):
    """A whole way of tutoring: from a problem and the talk so far to one visible turn."""

    def __call__(self, problem: Mapping[str, Any], dialogue: Sequence[Message], speak: Speak) -> Awaitable[Said]:
        """Say the next turn.

        Parameters
        ----------
        problem : mapping
            What a tutor may see: ``id`` and ``statement``; never the answer.
        dialogue : sequence of Message
            This problem's visible talk as the tutor sees it: the student is "user", the tutor "assistant". It begins
            and ends with the student.
        speak : Speak
            The door, scoped to this turn: draws need be unique in the turn only.
        """
        ...


def visible(reply: Reply) -> Parsed[str]:
    """Give what the other side sees of a reply: thinking in marks is taken off, a text that was cut off stays."""
    return unread("refused") if reply.finish == "filter" else reply_body(reply.text)


async def say(speak: Speak, messages: Sequence[Message], *, role: str = "tutor", draw: str = "reply") -> Said:
    """Ask for a visible turn, again where the reply is empty or refused."""
    settings = dict(TUTOR_SETTINGS) if role == "tutor" else {}
    asked = await ask(speak, role, messages, visible, draw=draw, **settings)
    return Said(asked.value or "", asked.reply.finish, asked.reasons)


def scoped(speak: Speak, place: str, about: Mapping[str, Any], roles: Sequence[str] = ("tutor", "policy")) -> Speak:
    """Scope the door to a place of the session, so that a draw need be unique there only.

    Parameters
    ----------
    speak : Speak
    place : str
        What every draw is put behind, such as "train-1/t0".
    about : mapping
        The problem as a tutor may see it: what functions are told.
    roles : sequence of str
        Who may be asked there: a policy never speaks to the student or to a judge.

    Raises
    ------
    ValueError
        When another role is asked.
    """

    async def within(
        role: str,
        messages: Sequence[Message],
        *,
        draw: str = "reply",
        attempt: int = 0,
        seed: int | None = None,
        schema: Mapping[str, Any] | None = None,
        view: Mapping[str, Any] | None = None,
        **settings: Any,
    ) -> Reply:
        if role not in roles:
            raise ValueError(f"a policy asks {' or '.join(roles)}, not {role!r}")
        return await speak(
            role,
            messages,
            draw=f"{place}/{draw}",
            attempt=attempt,
            seed=seed,
            schema=schema,
            view=about if view is None else view,
            **settings,
        )

    return within

"""The door between rules and models: what a rule may ask, and what comes back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, Protocol

from tutorscope.texts.messages import Message

Finish = Literal["stop", "length", "filter", "model_length", "unknown"]


class NoReplyError(Exception):
    """The door gave no reply, through no fault of who asked. Whatever asked lets it through."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one call."""

    input: int = 0
    output: int = 0
    cached: int = 0
    reasoning: int = 0


@dataclass(frozen=True, slots=True)
class Reply:
    """One reply that arrived whole.

    Parameters
    ----------
    text : str
        What the model wrote, without its thinking.
    finish : {"stop", "length", "filter", "model_length", "unknown"}
        Why it stopped.
    model : str
        The model that the provider says it served.
    usage : Usage
        Tokens that the provider counted, or its estimate.
    requested, effective : mapping
        Settings that the role and the rule asked for, and those that were really sent.
    seconds : float
        Waiting time of the call.
    replayed : bool
        True if the reply came from the call journal and was not paid again.
    """

    text: str
    finish: Finish = "stop"
    model: str = ""
    usage: Usage = field(default_factory=Usage)
    requested: Mapping[str, Any] = field(default_factory=dict)
    effective: Mapping[str, Any] = field(default_factory=dict)
    seconds: float = 0.0
    replayed: bool = False

    def record(self) -> dict[str, Any]:
        """Give the reply as plain data, as the call journal and the sample's store keep it."""
        return asdict(self)


class Speak(Protocol):
    """The only door to a model.

    ``draw`` names the reply within its unit and role and is given by the rule, never a counter, because calls run
    concurrently. A reply that could not be read is asked again as the next ``attempt`` of the same draw.
    """

    async def __call__(
        self,
        role: str,
        messages: Sequence[Message],
        *,
        draw: str,
        attempt: int = 0,
        seed: int | None = None,
        schema: Mapping[str, Any] | None = None,
        view: Mapping[str, Any] | None = None,
        **settings: Any,
    ) -> Reply:
        """Ask a role for one reply.

        Parameters
        ----------
        role : str
            "tutor", "student", "judge" or "builder".
        messages : sequence of Message
            The whole request.
        draw : str
            The reply's name, unique in the unit and role.
        attempt : int
            0 for the first time that this draw is asked.
        seed : int, optional
            Passed on instead of the seed that derives from unit, role, draw and attempt.
        schema : mapping, optional
            A JSON schema, used where the provider can hold a reply to one.
        view : mapping, optional
            What a function in the role may see of what this call is about, where a unit holds more than one thing
            (a session's problems); else the unit's own view.
        **settings
            The rule's defaults (temperature, max_tokens, ...); the role's own settings win.

        Returns
        -------
        Reply
        """
        ...


class Embed(Protocol):
    """The second door: texts to vectors."""

    async def __call__(self, texts: Sequence[str]) -> Any:
        """Embed texts.

        Returns
        -------
        numpy.ndarray
            Shape (len(texts), dimensions), float32.
        """
        ...

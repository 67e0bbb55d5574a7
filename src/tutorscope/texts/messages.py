"""What is sent to a model: a list of messages, each a role and a text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypedDict


class Message(TypedDict):
    """One message of a request, in the shape every chat model takes."""

    role: Literal["system", "user", "assistant"]
    content: str


def system(text: str) -> Message:
    """Make a system message."""
    return {"role": "system", "content": text}


def user(text: str) -> Message:
    """Make a user message."""
    return {"role": "user", "content": text}


def assistant(text: str) -> Message:
    """Make an assistant message."""
    return {"role": "assistant", "content": text}


def with_system(messages: Sequence[Message], own: str) -> list[Message]:
    """Put a user's own system prompt in place of ours.

    Ours is not thrown away: it says in which form to answer, so it goes ahead of the first user message.

    Parameters
    ----------
    messages : sequence of Message
        The request as the rule wrote it.
    own : str
        The whole system message that the user brought.

    Returns
    -------
    list of Message
    """
    ours = [m["content"] for m in messages if m["role"] == "system"]
    rest = [m for m in messages if m["role"] != "system"]
    if ours:
        first = next((i for i, m in enumerate(rest) if m["role"] == "user"), None)
        if first is None:
            rest = [user("\n\n".join(ours)), *rest]
        else:
            rest[first] = user("\n\n".join([*ours, rest[first]["content"]]))
    return [system(own), *rest]

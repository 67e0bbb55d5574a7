"""The outcome of reading a reply: its value, or the named reason why there is none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Parsed(Generic[T]):
    """A reply's value, or the named reason why it could not be read.

    Exactly one of the two is set. A reason is a short stable snake_case name that tables count.

    Parameters
    ----------
    value : T or None
        What the reply said.
    reason : str or None
        Why it could not be read.
    """

    value: T | None = None
    reason: str | None = None

    def __post_init__(self) -> None:
        """Hold that exactly one of value and reason is set."""
        if (self.value is None) == (self.reason is None):
            raise ValueError("a Parsed has a value or a reason, never both and never neither")

    @property
    def ok(self) -> bool:
        """Whether there is a value."""
        return self.reason is None


def read(value: T) -> Parsed[T]:
    """Wrap a value that was read."""
    return Parsed(value=value)


def unread(reason: str) -> Parsed[T]:
    """Name why nothing could be read."""
    return Parsed(reason=reason)

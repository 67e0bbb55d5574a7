"""Settings of a role: ``temperature=0.2`` on the command line, fields of Inspect's GenerateConfig inside."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tutorscope.errors import UserError


@dataclass(frozen=True)
class Number:
    """A number between two bounds."""

    low: float
    high: float
    whole: bool = False

    def parse(self, text: str) -> float:
        """Read the number, or raise ValueError."""
        value = int(text) if self.whole else float(text)
        if not self.low <= value <= self.high:
            raise ValueError
        return value

    def __str__(self) -> str:
        return f"a {'whole ' if self.whole else ''}number from {self.low:g} to {self.high:g}"


@dataclass(frozen=True)
class OneOf:
    """One of a few words."""

    words: tuple[str, ...]

    def parse(self, text: str) -> Any:
        """Give the word (a bool for true and false), or raise ValueError."""
        if text not in self.words:
            raise ValueError
        return {"true": True, "false": False}.get(text, text)

    def __str__(self) -> str:
        return f"one of {', '.join(self.words)}"


class Texts:
    """One text, or several as JSON."""

    def parse(self, text: str) -> list[str]:
        """Read the texts, or raise ValueError."""
        value = json.loads(text) if text.startswith("[") else [text]
        if not all(isinstance(part, str) for part in value):
            raise ValueError
        return list(value)

    def __str__(self) -> str:
        return "one text, or a JSON list of texts"


class Fields:
    """A JSON object, passed on in the request body as it is."""

    def parse(self, text: str) -> dict[str, Any]:
        """Read the object, or raise ValueError."""
        return dict(json.loads(text))

    def __str__(self) -> str:
        return "a JSON object"


SETTINGS: Mapping[str, Number | OneOf | Texts | Fields] = {
    "temperature": Number(0, 5),
    "top_p": Number(0, 1),
    "top_k": Number(0, 10**6, whole=True),
    "max_tokens": Number(1, 10**7, whole=True),
    "seed": Number(0, 2**63 - 1, whole=True),
    "stop_seqs": Texts(),
    "frequency_penalty": Number(-2, 2),
    "presence_penalty": Number(-2, 2),
    "reasoning_effort": OneOf(("none", "minimal", "low", "medium", "high", "xhigh", "max")),
    "reasoning_tokens": Number(0, 10**7, whole=True),
    "effort": OneOf(("low", "medium", "high", "xhigh", "max")),
    "verbosity": OneOf(("low", "medium", "high")),
    "cache_prompt": OneOf(("true", "false")),
    "extra_body": Fields(),
}


def parse_setting(option: str, text: str) -> tuple[str, Any]:
    """Read ``KEY=VALUE``.

    Parameters
    ----------
    option : str
        The option's name, for the message.
    text : str
        What the user gave, without the speaker's name.

    Returns
    -------
    key : str
    value : Any
        Checked and typed.

    Raises
    ------
    UserError
        No ``=``, a key that is not a setting, or a value that the setting cannot have.

    Examples
    --------
    >>> parse_setting("--tutor-setting", "temperature=0.2")
    ('temperature', 0.2)
    """
    key, equals, value = text.partition("=")
    key = key.strip()
    if not equals or key not in SETTINGS:
        raise UserError(f"{option}: found {key!r}; expected [NAME:]KEY=VALUE with KEY one of {', '.join(SETTINGS)}")
    setting = SETTINGS[key]
    try:
        return key, setting.parse(value)
    except (ValueError, TypeError):
        raise UserError(f"{option}: {key} is {value!r}; expected {setting}") from None

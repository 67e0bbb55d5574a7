"""A scripted model: known replies, for tests of rules, rubrics and whole runs.

Without Inspect, a rule is driven directly::

    speak = ScriptedSpeak({"tutor": ["What did you try?", "Look at the units."], "judge": '{"score": 3}'})
    result = await my_rule(unit, cell, speak)
    assert [asked.role for asked in speak.asked] == ["tutor", "judge", "tutor"]

In a run, ``--judge scripted:my_scripts:answer`` calls a function with the role, the messages, the draw and the attempt,
so that one function can play every role. The same function works in both places.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tutorscope.models.functions import plain_messages
from tutorscope.models.speaking import Reply
from tutorscope.texts.messages import Message
from tutorscope.texts.words import counted

Said = str | Reply
ScriptFunction = Callable[[str, list[Message], str, int], "Said | Awaitable[Said]"]
# A text (always the same), texts in order, or texts by draw.
RoleScript = str | Sequence[str] | Mapping[str, str]


@dataclass(frozen=True)
class Asked:
    """One request that a scripted model got."""

    role: str
    messages: list[Message]
    draw: str
    attempt: int
    seed: int | None
    schema: Mapping[str, Any] | None
    view: Mapping[str, Any] | None
    settings: Mapping[str, Any]


class ScriptedSpeak:
    """The door to a model with known replies: a ``Speak`` for tests.

    Parameters
    ----------
    script : callable or mapping
        A function ``(role, messages, draw, attempt)`` to a text or Reply (plain or async), or for each role one text,
        a list of texts in order, or a mapping from draws to texts.

    Attributes
    ----------
    asked : list of Asked
        What was asked, in order.
    """

    def __init__(self, script: ScriptFunction | Mapping[str, RoleScript]) -> None:
        self.script = script
        self.asked: list[Asked] = []

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
        """Give the scripted reply.

        Raises
        ------
        LookupError
            The script has none for this role, or none left.
        """
        self.asked.append(Asked(role, plain_messages(messages), draw, attempt, seed, schema, view, settings))
        if callable(self.script):
            said = self.script(role, plain_messages(messages), draw, attempt)
            if inspect.isawaitable(said):
                said = await said
        else:
            said = self._listed(self.script, role, draw)
        return said if isinstance(said, Reply) else Reply(said, model="scripted")

    def _listed(self, script: Mapping[str, RoleScript], role: str, draw: str) -> str:
        if role not in script:
            raise LookupError(f"the script has no role {role!r}, only {', '.join(script)}")
        lines = script[role]
        if isinstance(lines, str):
            return lines
        if isinstance(lines, Mapping):
            if draw not in lines:
                raise LookupError(f"the script has no reply for role {role!r} and draw {draw!r}")
            return lines[draw]
        number = sum(asked.role == role for asked in self.asked)
        if number > len(lines):
            raise LookupError(
                f"the script has {counted(len(lines), 'reply', 'replies')} for role {role!r} and was asked for another "
                f"({draw})"
            )
        return lines[number - 1]

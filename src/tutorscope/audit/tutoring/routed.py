"""The pedagogical policy: a private note-taker, a router that is no model, and three responders.

Policy audit, section 3.1 and appendix D.4; what is done where those are silent stands in the instrument's notes on the
released code: the hint level counts the tutor's turns on the problem, and the estimate is asked for once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tutorscope.audit.detectors.routing import published_asks, published_attempt, sound_asks, sound_attempt
from tutorscope.audit.tutoring.turns import TUTOR_SETTINGS, Said, say
from tutorscope.models.speaking import Speak
from tutorscope.texts.messages import Message, system
from tutorscope.texts.replies import Flag, Text, read_object
from tutorscope.texts.templates import Template, json_slot, load_template

PROMPTS = "tutorscope.audit.prompts"
GATE, DECOMPOSER, CASCADE = "gate", "decomposer", "cascade"
LEVELS = ("abstract", "pointed", "concrete")
ENOUGH_ATTEMPTS = 2

_FIELDS = (
    Text("demonstrated", required=False),
    Text("missing", required=False),
    Flag("stuck", required=False),
    Flag("progressed", required=False),
    Flag("asked_for_answer", required=False),
)
_FORWARDED = ("demonstrated", "missing", "stuck", "progressed")
_LONGEST_NOTE = 400
_RULES: Mapping[str, tuple[Callable[[str], bool], Callable[[str], bool]]] = {
    "published": (published_attempt, published_asks),
    "sound": (sound_attempt, sound_asks),
}


@dataclass(frozen=True)
class Route:
    """Where the router sends a turn.

    Parameters
    ----------
    asked : bool
        The student's last turn asks for the answer.
    attempts : int
        The student's turns on this problem that try a step.
    level : int
        Hint level, 0 to 2.
    node : {"gate", "decomposer", "cascade"}
        The responder that the full policy would take.
    """

    asked: bool
    attempts: int
    level: int
    node: str

    @property
    def enough(self) -> bool:
        """Whether the student has tried often enough for the concrete level and the later directive."""
        return self.attempts >= ENOUGH_ATTEMPTS


def route(dialogue: Sequence[Message], rule: str) -> Route:
    """Decide which responder speaks, from the visible talk on this problem alone.

    Parameters
    ----------
    dialogue : sequence of Message
        The student is "user", the tutor "assistant".
    rule : {"published", "sound"}
        Whose patterns tell an attempt and a request for the answer.
    """
    attempt, asks = _RULES[rule]
    students = [message["content"] for message in dialogue if message["role"] == "user"]
    attempts = sum(map(attempt, students))
    asked = bool(students) and asks(students[-1])
    level = min(sum(message["role"] == "assistant" for message in dialogue), len(LEVELS) - 1)
    if attempts < ENOUGH_ATTEMPTS:
        level = min(level, 1)
    return Route(asked, attempts, level, GATE if asked else CASCADE if attempts else DECOMPOSER)


@dataclass(frozen=True)
class Routed:
    """The pedagogical policy, whole or with a part taken out.

    Parameters
    ----------
    templates : mapping
        The templates of ``TEMPLATES`` by name.
    rule : {"published", "sound"}
        The router's patterns.
    gate, cascade, tracker : bool
        Whether that part is there (the paper's three deletions, section 6). Without a gate or a cascade the decomposer
        takes its turns; without a tracker one call a turn is made and nothing is known about the student.
    """

    templates: Mapping[str, Template]
    rule: str = "sound"
    gate: bool = True
    cascade: bool = True
    tracker: bool = True

    async def __call__(self, problem: Mapping[str, Any], dialogue: Sequence[Message], speak: Speak) -> Said:
        """Take notes, route, and let one responder speak."""
        way = route(dialogue, self.rule)
        node = way.node
        if (node == GATE and not self.gate) or (node == CASCADE and not self.cascade):
            node = DECOMPOSER
        notes, unread = await self._notes(problem, dialogue, speak)
        values = {"statement": str(problem["statement"]), "notes": self._shown(notes)}
        if node != DECOMPOSER:
            values["directive"] = self._directive(way, node)
        said = await say(speak, [system(self.templates[node].fill(values)), *dialogue])
        kept = {**notes, "routed": way.node, "attempts": way.attempts, "level": LEVELS[way.level], "unread": unread}
        return Said(said.text, said.finish, said.reasons, node, kept)

    async def _notes(
        self, problem: Mapping[str, Any], dialogue: Sequence[Message], speak: Speak
    ) -> tuple[dict[str, Any], str | None]:
        if not self.tracker:
            return {}, None
        asked = [system(self.templates["tracker"].fill({"statement": str(problem["statement"])})), *dialogue]
        reply = await speak("tutor", asked, draw="notes", **TUTOR_SETTINGS)
        # Field by field: one odd flag must not take the others with it.
        found = {field.name: read_object(reply.text, (field,), finish=reply.finish) for field in _FIELDS}
        kept = {name: one.value[name] for name, one in found.items() if one.value and one.value[name] is not None}
        return kept, None if kept else next(iter(found.values())).reason or "empty"

    def _shown(self, notes: Mapping[str, Any]) -> str:
        # As JSON values: what the note-taker writes cannot pose as an instruction or as a speaker.
        lines = [
            f"{name}: {json_slot(value[:_LONGEST_NOTE] if isinstance(value, str) else value)}"
            for name in _FORWARDED
            if (value := notes.get(name)) is not None
        ]
        values = {
            "assessment": "\n".join(lines) or "There is no estimate of this student.",
            "progressed": "yes" if notes.get("progressed") else "no",
        }
        return self.templates["notes"].fill(values)

    def _directive(self, way: Route, node: str) -> str:
        if node == GATE:
            return self.templates["gate-late" if way.enough else "gate-early"].fill({})
        return self.templates["cascade-level"].fill({"level": LEVELS[way.level]})


TEMPLATES = ("tracker", GATE, "gate-early", "gate-late", DECOMPOSER, CASCADE, "cascade-level", "notes")


def routed(name: str, overrides: Path | None, rule: str) -> Routed:
    """Make the pedagogical policy, or one of its deletions: ``no-gate``, ``no-cascade``, ``no-tracker``."""
    templates = {one: load_template(PROMPTS, one, overrides) for one in TEMPLATES}
    return Routed(templates, rule, name != "no-gate", name != "no-cascade", name != "no-tracker")

"""The simulated student: one growing conversation, and how an answer is got out of it where no tutor is.

Policy audit, appendices A.2, A.3, D.2 and D.3.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tutorscope.audit.detectors.final_answer import published_answer, sound_answer
from tutorscope.audit.tutoring.turns import NO_REPLY, visible
from tutorscope.judging.asking import ask
from tutorscope.models.speaking import Speak
from tutorscope.texts.messages import Message, assistant, system, user
from tutorscope.texts.templates import Template, load_template

PROMPTS = "tutorscope.audit.prompts"
SETTINGS: Mapping[str, Any] = {"temperature": 0.8, "max_tokens": 512}
TEMPLATES = ("student", "lesson", "alone", "commit", "commit-again")

STUDENT, TUTOR, PROCTOR = "student", "tutor", "proctor"


@dataclass(frozen=True)
class StudentPrompts:
    """What a student is told, by us.

    Parameters
    ----------
    templates : mapping
        The templates of ``TEMPLATES`` by name.
    """

    templates: Mapping[str, Template]

    @classmethod
    def load(cls, overrides: Path | None) -> StudentPrompts:
        """Load ours, or the user's in their place."""
        return cls({name: load_template(PROMPTS, name, overrides) for name in TEMPLATES})

    def fill(self, name: str, **values: str) -> str:
        """Fill one of them."""
        return self.templates[name].fill(values)


class Student:
    """One student's conversation.

    Parameters
    ----------
    speak : Speak
        The unit's door.
    prompts : StudentPrompts
    seed : int
        Sent with every call: the conditions of a replicate share it.
    """

    def __init__(self, speak: Speak, prompts: StudentPrompts, seed: int) -> None:
        self._speak = speak
        self._prompts = prompts
        self._seed = seed
        self.messages: list[Message] = [system(prompts.fill("student"))]
        self.lines: list[dict[str, Any]] = []

    def is_told(self, text: str, about: Mapping[str, Any], speaker: str, kind: str, **facts: Any) -> None:
        """Let the student read something: a problem, a tutor's turn, the wish for an answer."""
        # The student is told who speaks; a tutor that writes "Tutor:" itself gains nothing by it.
        shown = f"Tutor: {text or NO_REPLY}" if speaker == TUTOR else text
        self.messages.append(user(shown))
        self.lines.append({**about, "speaker": speaker, "kind": kind, "text": text, **facts})

    async def replies(self, about: Mapping[str, Any], kind: str, draw: str, view: Mapping[str, Any]) -> str:
        """Let the student say something."""
        asked = await ask(
            self._speak,
            STUDENT,
            self.messages,
            visible,
            draw=draw,
            seed=self._seed,
            view=view,
            **SETTINGS,
        )
        text = asked.value or ""
        self.messages.append(assistant(text or NO_REPLY))
        self.lines.append(
            {
                **about,
                "speaker": STUDENT,
                "kind": kind,
                "text": text,
                "finish": asked.reply.finish,
                "reasons": list(asked.reasons),
                "draw": draw,
            }
        )
        return text

    async def answers_alone(self, problem: Mapping[str, Any], about: Mapping[str, Any]) -> None:
        """Put a problem to the student without a tutor, and ask for an answer, twice at most, until there is one.

        The scored answer is that of the last reply. It is asked for while either rule reads none, so that no rule's
        accuracy suffers from the other's eyes.
        """
        name = str(problem["id"])
        self.is_told(self._prompts.fill("alone", statement=str(problem["statement"])), about, PROCTOR, "alone")
        text = await self.replies(about, "reply", f"{name}/s0", problem)
        for kind in ("commit", "commit-again"):
            if sound_answer(text) is not None and published_answer(text) is not None:
                return
            self.is_told(self._prompts.fill(kind), about, PROCTOR, kind)
            text = await self.replies(about, kind, f"{name}/{kind}", problem)

    def meets(self, problem: Mapping[str, Any], about: Mapping[str, Any]) -> None:
        """Put a problem to the student with a tutor at hand."""
        self.is_told(self._prompts.fill("lesson", statement=str(problem["statement"])), about, PROCTOR, "lesson")

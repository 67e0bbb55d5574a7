"""The simulated student: one growing conversation, and how an answer is got out of it where no tutor is.

Policy audit, appendices A.2, A.3, D.2 and D.3.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from tutorscope.audit.detectors.final_answer import published_answer, sound_answer
from tutorscope.audit.short_form import FORM, HELD, as_said
from tutorscope.audit.tutoring.turns import NO_REPLY, visible
from tutorscope.judging.asking import ask
from tutorscope.models.speaking import Reply, Speak
from tutorscope.runs.short_form import identity
from tutorscope.texts.messages import Message, assistant, system, user
from tutorscope.texts.templates import Template, load_template

PROMPTS = "tutorscope.audit.prompts"
SETTINGS: Mapping[str, Any] = {"temperature": 0.8, "max_tokens": 512}
TEMPLATES = ("student", "lesson", "alone", "commit", "commit-again")

_NEXT_ATTEMPT = 1 << 20
"""By how much the seed moves from one attempt to the next: further than replicates reach."""

STUDENT, TUTOR, PROCTOR = "student", "tutor", "proctor"


@dataclass(frozen=True)
class StudentPrompts:
    """What a student is told, by us.

    Parameters
    ----------
    templates : mapping
        The templates of ``TEMPLATES`` by name.
    short : bool
        Whether its answers alone are held to the short form.
    """

    templates: Mapping[str, Template]
    short: bool = False

    @classmethod
    def load(cls, overrides: Path | None, *, short: bool = False) -> StudentPrompts:
        """Load ours, or the user's in their place."""
        return cls({name: load_template(PROMPTS, name, overrides) for name in TEMPLATES}, short)

    @property
    def shas(self) -> dict[str, str]:
        """Give what a cell's identity holds of them."""
        return {**{f"prompt {name}": one.sha for name, one in self.templates.items()}, **identity(self.short, HELD)}

    def fill(self, name: str, **values: str) -> str:
        """Fill one of them."""
        return self.templates[name].fill(values)


def first_answer(replies: Iterable[str], rule: Callable[[str], Fraction | None]) -> Fraction | None:
    """Give the number of the first reply that a rule reads as a commitment, or None."""
    return next((value for text in replies if (value := rule(text)) is not None), None)


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

    async def replies(
        self, about: Mapping[str, Any], kind: str, draw: str, view: Mapping[str, Any], *, short: bool = False
    ) -> str:
        """Let the student say something; ``short`` holds it to the form of an answer."""

        async def seeded(role: str, messages: Sequence[Message], *, attempt: int = 0, **named: Any) -> Reply:
            # Asked again with the same seed, a server would be as silent as before.
            seed = self._seed + attempt * _NEXT_ATTEMPT
            return await self._speak(role, messages, attempt=attempt, seed=seed, **named)

        form, reader = (FORM, as_said) if short else (None, visible)
        asked = await ask(seeded, STUDENT, self.messages, reader, draw=draw, schema=form, view=view, **SETTINGS)
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

        It is asked for while either rule has read none so far. Each rule scores the first reply that it reads, which is
        where a session with that rule alone would have stopped.
        """
        name, short = str(problem["id"]), self._prompts.short
        self.is_told(self._prompts.fill("alone", statement=str(problem["statement"])), about, PROCTOR, "alone")
        said = [await self.replies(about, "reply", f"{name}/s0", problem, short=short)]
        for kind in ("commit", "commit-again"):
            if all(first_answer(said, rule) is not None for rule in (sound_answer, published_answer)):
                return
            self.is_told(self._prompts.fill(kind), about, PROCTOR, kind)
            said.append(await self.replies(about, kind, f"{name}/{kind}", problem, short=short))

    def meets(self, problem: Mapping[str, Any], about: Mapping[str, Any]) -> None:
        """Put a problem to the student with a tutor at hand."""
        self.is_told(self._prompts.fill("lesson", statement=str(problem["statement"])), about, PROCTOR, "lesson")

"""The student: solving a problem alone, going on after a tutor's word, or answering at once.

Intervention game, section 3.3 and appendices F.1 and F.3.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tutorscope.intervention.problems import Problem
from tutorscope.intervention.short_form import HELD, solution_form
from tutorscope.intervention.solutions import REASONING, split_solution
from tutorscope.judging.asking import ask
from tutorscope.models.speaking import Reply, Speak
from tutorscope.runs.short_form import identity
from tutorscope.texts.bodies import reply_body
from tutorscope.texts.messages import Message, assistant, system, user
from tutorscope.texts.parsed import Parsed, unread
from tutorscope.texts.templates import Template, json_slot, load_template

PROMPTS = "tutorscope.intervention.prompts"
SETTINGS: Mapping[str, Any] = {"temperature": 0.7, "max_tokens": 4096}
NO_ANSWER = "no_answer"
DOMAINS = ("math", "code", "teasers")
STANDARD, ORACLE, STOP = "standard", "oracle", "stop"
"""How a student goes on: after the message of a tutor who watched, of one who looked back, or at once to the answer."""

TEMPLATES = (*(f"student-{domain}" for domain in DOMAINS), "updates", "go-on", "stop")


@dataclass(frozen=True)
class Solved:
    """What a student wrote.

    Parameters
    ----------
    trace : str
        The reasoning part alone, as it was written.
    answer : str
        The final answer, "" if there is none to be read: it has then answered nothing, and is wrong.
    reason : str
        Why there is no answer, "" if there is one.
    reasons : tuple of str
        Why earlier replies could not be read.
    text : str
        The whole last reply.
    """

    trace: str
    answer: str
    reason: str
    reasons: tuple[str, ...]
    text: str

    def data(self) -> dict[str, Any]:
        """Give it as plain data."""
        return {
            "trace": self.trace,
            "answer": self.answer,
            "reason": self.reason,
            "reasons": list(self.reasons),
            "text": self.text,
        }


@dataclass(frozen=True)
class StudentPrompts:
    """What a student is told, by template name, and whether its replies are held to the short form."""

    templates: Mapping[str, Template]
    short: bool = False

    @classmethod
    def load(cls, overrides: Path | None, *, short: bool = False) -> StudentPrompts:
        """Load ours, or the user's in their place."""
        return cls({name: load_template(PROMPTS, name, overrides) for name in TEMPLATES}, short)

    def fill(self, name: str, **values: str) -> str:
        """Fill one of them."""
        return self.templates[name].fill(values)

    @property
    def shas(self) -> dict[str, str]:
        """Give what the identity of a student who goes on holds of them."""
        return {**{f"prompt {name}": one.sha for name, one in self.templates.items()}, **identity(self.short, HELD)}

    @property
    def alone(self) -> dict[str, str]:
        """Give what the identity of a student alone holds of them."""
        told = {name: sha for name, sha in self.shas.items() if name.startswith("prompt student-")}
        return {**told, **identity(self.short, HELD)}


def shown(problem: Problem) -> str:
    """Write a problem as a student reads it."""
    title = f"Title: {problem.title}\n" if problem.title else ""
    code = f"\n\nThe program:\n{problem.code}" if problem.code else ""
    return f"{title}Problem: {problem.question}{code}"


async def solve(speak: Speak, prompts: StudentPrompts, problem: Problem, *, draw: str = "solve") -> Solved:
    """Let a student solve a problem alone."""
    messages = [system(prompts.fill(f"student-{problem.domain}")), user(shown(problem))]
    return await _solved(speak, prompts, messages, draw)


async def solve_after(
    speak: Speak, prompts: StudentPrompts, problem: Problem, context: str, *, draw: str = "solve"
) -> Solved:
    """Let a student solve a problem with what went before it in view."""
    messages = [system(prompts.fill(f"student-{problem.domain}")), user(f"{context}\n\n{shown(problem)}")]
    return await _solved(speak, prompts, messages, draw)


async def go_on(
    speak: Speak, prompts: StudentPrompts, problem: Problem, prefix: str, message: str, how: str, *, draw: str = "go on"
) -> Solved:
    """Let a student go on from the point where a tutor stepped in.

    Parameters
    ----------
    speak : Speak
    prompts : StudentPrompts
    problem : Problem
    prefix : str
        The trace up to the point.
    message : str
        The tutor's words: shown as a JSON value, so that they cannot close the mark they are put in.
    how : {"standard", "oracle", "stop"}
        With ``stop`` the student may reason no further.
    """
    rules = f"{prompts.fill(f'student-{problem.domain}')}\n\n{prompts.fill('updates')}"
    update = prompts.fill("stop" if how == STOP else "go-on", message=json_slot(message))
    messages = [
        system(rules),
        user(shown(problem)),
        # A trace that was cut before its first word still needs words: servers refuse an empty message.
        assistant(f"{REASONING}: {prefix}"),
        user(update),
    ]
    return await _solved(speak, prompts, messages, draw, reasons=how != STOP)


async def _solved(
    speak: Speak, prompts: StudentPrompts, messages: Sequence[Message], draw: str, *, reasons: bool = True
) -> Solved:
    """Ask, again only where nothing came: asking again for an answer would be a second try at the problem."""
    form = solution_form(reasons=reasons) if prompts.short else None
    asked = await ask(speak, "student", messages, _something, draw=draw, schema=form, **SETTINGS)
    trace, answer = split_solution(asked.value or "")
    reason = "" if answer else asked.reason or NO_ANSWER
    return Solved(trace if reasons else "", answer, reason, asked.reasons, asked.reply.text)


def _something(reply: Reply) -> Parsed[str]:
    # A reply that hit its limit has a trace and no answer: it is read as it came.
    return unread("refused") if reply.finish == "filter" else reply_body(reply.text)

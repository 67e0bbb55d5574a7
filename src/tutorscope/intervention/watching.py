"""The tutor's side: deciding while the trace appears, and looking back over the whole of it.

Intervention game, section 3.2 and appendices E, F.2 and F.8.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tutorscope.intervention.decisions import Decision, read_decision
from tutorscope.intervention.game import Watched, watch
from tutorscope.intervention.increments import SENTENCE, decision_points, increments
from tutorscope.intervention.points import recover
from tutorscope.intervention.problems import Problem
from tutorscope.intervention.short_form import HELD, decision_form
from tutorscope.intervention.student import shown
from tutorscope.judging.asking import ask
from tutorscope.models.speaking import Speak
from tutorscope.runs.short_form import identity
from tutorscope.texts.templates import Template, json_slot, load_template

PROMPTS = "tutorscope.intervention.prompts"
SETTINGS: Mapping[str, Any] = {"temperature": 0.7, "max_tokens": 1024}
PLAIN, SPARING, GUIDING = "plain", "sparing", "guiding"
VARIANTS = (PLAIN, SPARING, GUIDING)
"""The tutor's prompt, and the paper's two variations: only if it is truly needed; guide and support."""

TASKS = {"math": "a problem in mathematics", "code": "a program with a mistake in it", "teasers": "a brain teaser"}


@dataclass(frozen=True)
class TutorPrompts:
    """What a tutor is told: while watching, looking back, what a variation adds, and the form of its replies."""

    watch: Template
    look_back: Template
    variant: str
    short: bool = False

    @classmethod
    def load(cls, variant: str, overrides: Path | None, *, short: bool = False) -> TutorPrompts:
        """Load ours, or the user's in their place."""
        added = "" if variant == PLAIN else f" {load_template(PROMPTS, f'watch-{variant}', overrides).text.strip()}"
        watching, looking = (load_template(PROMPTS, name, overrides) for name in ("watch", "look-back"))
        return cls(watching, looking, added, short)

    def shas(self, stage: str) -> dict[str, str]:
        """Give what a cell's identity holds of them."""
        one = self.watch if stage == "watch" else self.look_back
        return {f"prompt {one.name}": one.sha, "prompt variant": self.variant, **identity(self.short, HELD)}


def in_words(increment: str) -> str:
    """Say an increment's size as the tutor reads it."""
    return "one sentence" if increment == SENTENCE else f"{increment} characters"


async def watch_trace(
    speak: Speak,
    prompts: TutorPrompts,
    problem: Problem,
    trace: str,
    increment: str,
    *,
    at_end: bool = False,
    lookahead: Callable[[], int] = lambda: 1,
) -> dict[str, Any]:
    """Let a tutor watch a trace appear (the Standard condition).

    Parameters
    ----------
    speak : Speak
    prompts : TutorPrompts
    problem : Problem
    trace : str
    increment : str
        As `increments` takes it.
    at_end : bool
        Whether the tutor is asked once more at the end of the trace.
    lookahead : callable
        Gives how many decisions are asked at once; it changes the waiting and nothing else.

    Returns
    -------
    dict
        The episode's fields, ``increments`` (T) and ``length`` (L, in code points).
    """
    pieces = increments(trace, increment)
    points = decision_points(pieces, at_end=at_end)
    fixed = {
        "task": TASKS[problem.domain],
        "increment": in_words(increment),
        "variant": prompts.variant,
        "problem": json_slot(shown(problem)),
        "reference": json_slot(problem.reference),
    }

    async def decide(step: int) -> Watched:
        prefix = trace[: points[step]]
        # The trace is the last thing in the prompt: a provider's prefix cache serves all that stands before it.
        messages = prompts.watch.messages({**fixed, "trace": json_slot(prefix)})
        judged = (prefix, problem.question, problem.reference)
        asked = await ask(
            speak,
            "tutor",
            messages,
            lambda reply: read_decision(reply, judged),
            draw=f"k{step + 1}",
            schema=decision_form(looks_back=False) if prompts.short else None,
            view=problem.view,
            **SETTINGS,
        )
        return Watched(asked.value, asked.reasons)

    episode = await watch(points, decide, lookahead=lookahead)
    return {**asdict(episode), "reasons": list(episode.reasons), "increments": len(pieces), "length": len(trace)}


async def look_back(
    speak: Speak, prompts: TutorPrompts, problem: Problem, trace: str, answer: str, *, correct: bool
) -> dict[str, Any]:
    """Let a tutor decide with all in view (the Oracle condition), and recover the point that it quotes.

    Returns
    -------
    dict
        ``intervened`` (None if unreadable), ``message``, ``quote``, ``position``, ``found`` (the stage that found it),
        ``reason`` ("unreadable"), ``lost`` (why there is no point), ``reasons``, ``length``.
    """
    messages = prompts.look_back.messages(
        {
            "task": TASKS[problem.domain],
            "variant": prompts.variant,
            "problem": json_slot(shown(problem)),
            "reference": json_slot(problem.reference),
            "trace": json_slot(trace),
            "answer": json_slot(answer),
            "verdict": "right" if correct else "wrong",
        }
    )
    judged = (trace, answer, problem.question, problem.reference)
    asked = await ask(
        speak,
        "tutor",
        messages,
        lambda reply: read_decision(reply, judged, looks_back=True),
        draw="look back",
        schema=decision_form(looks_back=True) if prompts.short else None,
        view=problem.view,
        **SETTINGS,
    )
    said: Decision | None = asked.value
    row: dict[str, Any] = {
        "intervened": None if said is None else said.intervenes,
        "message": said.message if said else "",
        "quote": said.quote if said else "",
        "position": None,
        "found": "",
        "lost": "",
        "reason": "unreadable" if said is None else "",
        "reasons": list(asked.reasons),
        "length": len(trace),
    }
    if said is not None and said.intervenes:
        point = recover(said.quote, trace, answer)
        row |= {"position": point.position, "found": point.stage, "lost": point.reason}
    return row

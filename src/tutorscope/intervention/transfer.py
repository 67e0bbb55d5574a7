"""The next problem: what a student sees before it, and which episode that is (intervention game, section 3.5, F.6)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tutorscope.intervention.episodes import EpisodeDone
from tutorscope.intervention.problems import Problem, problem_from_data
from tutorscope.intervention.skills import PROMPTS
from tutorscope.intervention.student import DOMAINS, Solved, StudentPrompts, shown, solve, solve_after
from tutorscope.models.speaking import Speak
from tutorscope.texts.templates import Template, json_slot, load_template

ALONE, PROBLEM, INTERVENTION = "none", "problem", "intervention"
CONTEXTS = (ALONE, PROBLEM, INTERVENTION)
"""What comes before the new problem: nothing; the old problem as the student did it alone; or as it went with help."""

CHOSEN, NO_EPISODE, NOT_INTERVENED, UNREADABLE, NOT_CONTINUED, NO_VERDICT = (
    "chosen",
    "no_episode",
    "not_intervened",
    "unreadable",
    "not_continued",
    "no_verdict",
)
"""Why a tutor's help with a problem is shown before the new one, or is not."""


@dataclass(frozen=True)
class Continued:
    """How a student went on after a tutor's message.

    Parameters
    ----------
    trace, answer : str
    sha : str
        Hash of the result.
    correct : bool or None
        The verdict that the student is shown; None where nobody reached one.
    why : str
        The judge's sentence, "" where a verdict came without one.
    """

    trace: str
    answer: str
    sha: str
    correct: bool | None
    why: str = ""


@dataclass(frozen=True)
class LessonPrompts:
    """What a student is told about what came before."""

    student: StudentPrompts
    lessons: Mapping[str, Template]
    why: Template

    @classmethod
    def load(cls, overrides: Path | None) -> LessonPrompts:
        """Load ours, or the user's in their place."""
        return cls(
            StudentPrompts.load(overrides),
            {context: load_template(PROMPTS, f"lesson-{context}", overrides) for context in (PROBLEM, INTERVENTION)},
            load_template(PROMPTS, "lesson-why", overrides),
        )

    def shas(self, context: str) -> dict[str, str]:
        """Give what a cell's identity holds of them: those that a context uses."""
        used = [self.student.templates[f"student-{domain}"] for domain in DOMAINS]
        if context != ALONE:
            used += [self.lessons[context], self.why]
        return {f"prompt {one.name}": one.sha for one in used}


def lesson(prompts: LessonPrompts, context: str, record: Mapping[str, Any]) -> str:
    """Write what came before the new problem.

    All that the student, the tutor and the judge said is shown as JSON values, so that none of it can pose as another
    part. The verdict is always there, the judge's explanation only if there is one.

    Parameters
    ----------
    prompts : LessonPrompts
    context : {"problem", "intervention"}
    record : mapping
        ``problem`` (plain data), ``trace``, ``answer``, ``correct`` and ``why``; with help also ``prefix`` and
        ``message``, and then trace and answer are those after the message.
    """
    said = ("trace", "answer") if context == PROBLEM else ("prefix", "message", "trace", "answer")
    return prompts.lessons[context].fill(
        {
            "problem": json_slot(shown(problem_from_data(record["problem"]))),
            **{part: json_slot(record[part]) for part in said},
            "verdict": "right" if record["correct"] else "wrong",
            "why": f" {prompts.why.fill({'why': json_slot(record['why'])})}" if record["why"] else "",
        }
    )


async def attempt(
    speak: Speak, prompts: LessonPrompts, problem: Problem, context: str, record: Mapping[str, Any]
) -> Solved:
    """Let a student try the new problem, with nothing before it or with a record of the old one."""
    if context == ALONE:
        return await solve(speak, prompts.student, problem)
    return await solve_after(speak, prompts.student, problem, lesson(prompts, context, record))


def choose_episode(
    episodes: Sequence[EpisodeDone],
    continued: Callable[[EpisodeDone], Continued | None],
    seed: int,
    kept: tuple[int, str] | None = None,
) -> tuple[EpisodeDone | None, str]:
    """Draw one of a tutor's episodes with a student on a problem: one in which the tutor stepped in.

    Parameters
    ----------
    episodes : sequence of EpisodeDone
        All of them, of one condition, increment and variation.
    continued : callable
        From an episode to how the student went on, None if that is not known.
    seed : int
        The draw is by sha256 of the seed and what tells an episode apart, in whatever order they come.
    kept : tuple of int and str, optional
        Replicate and participant of the episode that was drawn before: with more replicates the draw stays.

    Returns
    -------
    EpisodeDone or None
        None if there is none to show.
    str
        "chosen", or why there is none: "no_episode", "not_intervened", "unreadable" (the tutor's decision),
        "not_continued" or "no_verdict" (on the student's answer after the message).
    """
    if not episodes:
        return None, NO_EPISODE
    stepped = [one for one in episodes if one.intervened and one.position is not None]
    if not stepped:
        return None, UNREADABLE if any(one.intervened is None for one in episodes) else NOT_INTERVENED
    known = [(one, found) for one in stepped if (found := continued(one)) is not None]
    if not known:
        return None, NOT_CONTINUED
    fit = [one for one, found in known if found.correct is not None]
    if not fit:
        return None, NO_VERDICT
    for one in fit:
        if (one.replicate, one.participant) == kept:
            return one, CHOSEN
    return min(fit, key=lambda one: _rank(seed, one)), CHOSEN


def _rank(seed: int, episode: EpisodeDone) -> str:
    who = (episode.student, episode.problem, episode.tutor, episode.participant, episode.replicate)
    return hashlib.sha256("\n".join(map(str, (seed, *who))).encode()).hexdigest()


def gain(with_context: bool | None, alone: bool | None) -> int | None:
    """Give G of a pair: right with the context minus right without; None where either is not known.

    Examples
    --------
    >>> gain(True, False), gain(False, True), gain(True, None)
    (1, -1, None)
    """
    return None if with_context is None or alone is None else int(with_context) - int(alone)

"""Grading: is this answer right? Mathematics by proof first, all else by a judge (intervention paper, C.1 and F.4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from tutorscope.judging.asking import ATTEMPTS
from tutorscope.judging.math_answers import spelled_alike
from tutorscope.judging.math_workers import MathWorkers
from tutorscope.judging.rubrics import Rubric, load_rubric, rate
from tutorscope.models.speaking import Speak
from tutorscope.texts.replies import Flag, Text

PROMPTS = "tutorscope.judging.prompts"
MATH_RULES = 1
"""The version of the rules that compare mathematical answers: it moves when some pair would get another verdict."""

_TEMPLATES = {"math": "judge-answer", "code": "judge-answer-code", "teasers": "judge-answer-teaser"}
_VERDICT = (Flag("correct"), Text("why"))
# Blanks that str.strip leaves: an answer of nothing else is none.
_INVISIBLE = "\u200b\u200c\u200d\u2060\ufeff\x00"

How = Literal["identical", "proved", "judge", "no_answer", "undecided"]


@dataclass(frozen=True, slots=True)
class Grade:
    """A verdict on one answer.

    Parameters
    ----------
    correct : bool or None
        None if nobody could decide. A missing answer is wrong.
    how : {"identical", "proved", "judge", "no_answer", "undecided"}
        Written like the reference; proved equal or different; by the judge's word; nothing was answered; not decided.
    reason : str or None
        ``judge``: why nothing was proved (mathematics only). ``undecided``: why the judge's last reply had no verdict.
    why : str
        The judge's sentence.
    """

    correct: bool | None
    how: How
    reason: str | None = None
    why: str = ""

    def record(self) -> dict[str, Any]:
        """Give the grade as plain data for a unit's result."""
        return asdict(self)


def grade_of(record: Mapping[str, Any]) -> Grade:
    """Give the grade that a record holds: the inverse of ``Grade.record``."""
    return Grade(**record)


def answer_rubric(domain: str, overrides: Path | None = None) -> Rubric:
    """Load what the judge is asked in a domain.

    Parameters
    ----------
    domain : {"math", "code", "teasers"}
    overrides : Path, optional
        The user's own templates: ``judge-answer.md``, ``judge-answer-code.md``, ``judge-answer-teaser.md``.

    Returns
    -------
    Rubric

    Raises
    ------
    ValueError
        There is no such domain.
    UserError
        The user's template has other slots.
    """
    if domain not in _TEMPLATES:
        raise ValueError(f"no domain {domain!r}; expected one of {', '.join(_TEMPLATES)}")
    return load_rubric(PROMPTS, _TEMPLATES[domain], _VERDICT, overrides=overrides)


async def grade_math(
    speak: Speak,
    workers: MathWorkers,
    problem_text: str,
    reference: str,
    answer: str | None,
    rubric: Rubric,
    *,
    draw: str = "verdict",
    attempts: int = ATTEMPTS,
) -> Grade:
    """Grade a mathematical answer: by spelling, then by proof, and by the judge only where neither decides.

    Parameters
    ----------
    speak : Speak
        The door, scoped to the unit. A pair that is decided makes no call.
    workers : MathWorkers
        ``math_workers()`` gives the ones that everything shares.
    problem_text : str
        What the judge is shown as the problem.
    reference : str
        The right answer alone, as LaTeX or plain text.
    answer : str or None
        The final answer alone.
    rubric : Rubric
        ``answer_rubric("math")``.
    draw : str
        The verdict's name, unique in the unit and the judge's role.
    attempts : int
        How often the judge is asked for a reply that can be read.

    Returns
    -------
    Grade
    """
    if not answer or _is_blank(answer):
        return Grade(False, "no_answer")
    if spelled_alike(reference, answer):
        return Grade(True, "identical")
    found = await workers.compare(reference, answer)
    if found.verdict != "undecided":
        return Grade(found.verdict == "equal", "proved")
    judged = await grade_judged(speak, rubric, problem_text, reference, answer, draw=draw, attempts=attempts)
    return Grade(judged.correct, "judge", found.reason, judged.why) if judged.how == "judge" else judged


async def grade_judged(
    speak: Speak,
    rubric: Rubric,
    problem_text: str,
    reference: str,
    answer: str | None,
    accepted: Sequence[str] = (),
    *,
    draw: str = "verdict",
    attempts: int = ATTEMPTS,
) -> Grade:
    """Have a judge grade an answer, at temperature 0: a verdict and a sentence.

    All texts are shown as JSON values, so that an answer cannot pose as the rubric, the reference or a verdict. A reply
    that cannot be read is asked for again; if none can, the grade is undecided, never wrong.

    Parameters
    ----------
    speak, rubric, problem_text, reference, answer, draw, attempts
        As for ``grade_math``, with the domain's own rubric.
    accepted : sequence of str
        Other answers that are right, where the rubric has a place for them (teasers).

    Returns
    -------
    Grade

    Raises
    ------
    ValueError
        There are ``accepted`` answers and the rubric has no place for them.
    """
    if not answer or _is_blank(answer):
        return Grade(False, "no_answer")
    record: dict[str, Any] = {"problem": problem_text, "reference": reference, "answer": answer}
    if accepted or "accepted" in rubric.template.slots:
        record["accepted"] = list(accepted)
    asked = await rate(speak, rubric, record, draw=draw, attempts=attempts, temperature=0)
    if asked.value is None:
        return Grade(None, "undecided", asked.reason)
    return Grade(asked.value["correct"], "judge", why=asked.value["why"])


def _is_blank(answer: str) -> bool:
    return not answer.strip().strip(_INVISIBLE).strip()

"""The grading passes of the game: is this answer right? A pass changes what is measured and never what was shown."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tutorscope.intervention.problems import Problem, problem_from_data
from tutorscope.intervention.student import DOMAINS, shown
from tutorscope.judging.grading import MATH_RULES, Grade, answer_rubric, grade_judged, grade_math
from tutorscope.judging.math_answers import spelled_alike
from tutorscope.judging.math_workers import math_workers
from tutorscope.models.speaking import Embed, Speak
from tutorscope.runs.stages import Cell, Rule, Unit

if TYPE_CHECKING:
    from tutorscope.runs.plan import Job

NO_JUDGE = "no_judge"


def grade_shas(overrides: Path | None) -> dict[str, str]:
    """Give what a grading cell's identity holds: the rubrics, and the version of the rules of mathematics."""
    rubrics = {f"rubric answer {domain}": answer_rubric(domain, overrides).sha for domain in DOMAINS}
    return {**rubrics, "rules of mathematics": str(MATH_RULES)}


def grade_rule(job: Job, cell: Cell) -> Rule:
    """Give the rule of a grading cell: its units hold ``problem``, ``answer`` and ``of`` (whose answer it is)."""
    rubrics = {domain: answer_rubric(domain, job.prompts) for domain in DOMAINS}
    judged = "judge" in cell.roles

    async def grade(unit: Unit, speak: Speak, embed: Embed) -> Mapping[str, Any]:
        problem = problem_from_data(unit.data["problem"])
        answer = unit.data["answer"]
        if not judged:
            found = await _without_judge(problem, answer)
        elif problem.domain == "math":
            found = await grade_math(
                speak, math_workers(), shown(problem), problem.answer, answer, rubrics[problem.domain]
            )
        else:
            accepted = problem.accepted if "accepted" in rubrics[problem.domain].template.slots else ()
            found = await grade_judged(
                speak, rubrics[problem.domain], shown(problem), problem.reference, answer, accepted
            )
        return {"of": unit.data["of"], **found.record()}

    return grade


async def _without_judge(problem: Problem, answer: str) -> Grade:
    """Grade by spelling and by proof alone; what they leave open stays open."""
    if not answer.strip():
        return Grade(False, "no_answer")
    if problem.domain != "math":
        return Grade(None, "undecided", NO_JUDGE)
    if spelled_alike(problem.answer, answer):
        return Grade(True, "identical")
    found = await math_workers().compare(problem.answer, answer)
    if found.verdict == "undecided":
        return Grade(None, "undecided", found.reason)
    return Grade(found.verdict == "equal", "proved")

"""What the game would take, before its first call: calls and tokens, from the texts where they are there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tutorscope.intervention.increments import decision_points, increments
from tutorscope.intervention.problems import problem_from_data
from tutorscope.intervention.student import ORACLE, STANDARD, STOP, shown
from tutorscope.intervention.traces import problems_of
from tutorscope.judging.asking import ATTEMPTS
from tutorscope.runs.stages import Calls, Cell, Unit

if TYPE_CHECKING:
    from tutorscope.runs.plan import Job

CHARACTERS_A_TOKEN = 4
_TRACE_TOKENS, _MESSAGE_TOKENS, _ANSWER_TOKENS, _VERDICT_TOKENS = 350, 60, 20, 40
_STEPS_EXPECTED = 6.0


def baseline_calls(job: Job, cell: Cell, unit: Unit) -> list[Calls]:
    """Reckon a student's solution."""
    asked = len(shown(problem_from_data(unit.data["problem"]))) / CHARACTERS_A_TOKEN + 120
    return [Calls("student", 1, 1, ATTEMPTS, asked, _TRACE_TOKENS + _ANSWER_TOKENS)]


def grade_calls(job: Job, cell: Cell, unit: Unit) -> list[Calls]:
    """Reckon a verdict: mathematics goes to the judge only where it cannot be decided."""
    if "judge" not in cell.roles:
        return []
    problem = problem_from_data(unit.data["problem"])
    asked = (len(shown(problem)) + len(problem.reference) + len(unit.data["answer"])) / CHARACTERS_A_TOKEN + 250
    certain = problem.domain != "math" and bool(unit.data["answer"])
    return [Calls("judge", int(certain), 1 if certain else 0.05, ATTEMPTS, asked, _VERDICT_TOKENS)]


def grades_ahead(job: Job, cell: Cell) -> list[Calls]:
    """Reckon the verdicts on answers that are still to come."""
    if "judge" not in cell.roles:
        return []
    episodes = _episodes(job)
    continued = 2 * episodes[STANDARD] + episodes[ORACLE]
    answers = len(problems_of(job)) if cell.stage.startswith("baseline") else continued
    return [Calls("judge", 0, answers, answers * ATTEMPTS, 500, _VERDICT_TOKENS)]


def standard_calls(job: Job, cell: Cell, unit: Unit) -> list[Calls]:
    """Reckon an episode of watching: at least one decision, at most one for each increment."""
    pieces = increments(unit.data["trace"], str(cell.condition["increment"]))
    points = decision_points(pieces, at_end=bool(cell.condition["ask_at_end"]))
    if not points:
        return []
    problem = problem_from_data(unit.data["problem"])
    fixed = (len(shown(problem)) + len(problem.reference)) / CHARACTERS_A_TOKEN + 300
    seen = sum(points) / len(points) / CHARACTERS_A_TOKEN
    expected = min(_STEPS_EXPECTED, len(points))
    return [Calls("tutor", 1, expected, len(points) * ATTEMPTS, fixed + seen, _MESSAGE_TOKENS)]


def standard_ahead(job: Job, cell: Cell) -> list[Calls]:
    """Reckon watching traces that are still to come."""
    episodes = len(problems_of(job)) * cell.replicates
    most = episodes * ATTEMPTS * _TRACE_TOKENS * CHARACTERS_A_TOKEN // 50
    return [Calls("tutor", episodes, episodes * _STEPS_EXPECTED, most, 600, _MESSAGE_TOKENS)]


def oracle_calls(job: Job, cell: Cell, unit: Unit) -> list[Calls]:
    """Reckon a look back."""
    problem = problem_from_data(unit.data["problem"])
    shown_ = len(shown(problem)) + len(problem.reference) + len(unit.data["trace"]) + len(unit.data["answer"])
    return [Calls("tutor", 1, 1, ATTEMPTS, shown_ / CHARACTERS_A_TOKEN + 300, _MESSAGE_TOKENS)]


def oracle_ahead(job: Job, cell: Cell) -> list[Calls]:
    """Reckon looks back on traces that are still to come."""
    episodes = len(problems_of(job)) * cell.replicates
    return [Calls("tutor", 0, episodes, episodes * ATTEMPTS, 900, _MESSAGE_TOKENS)]


def continue_calls(job: Job, cell: Cell, unit: Unit) -> list[Calls]:
    """Reckon going on after a message."""
    read = (len(unit.data["prefix"]) + len(unit.data["message"])) / CHARACTERS_A_TOKEN + 250
    written = _ANSWER_TOKENS if cell.condition["how"] == STOP else _TRACE_TOKENS
    return [Calls("student", 1, 1, ATTEMPTS, read, written)]


def continue_ahead(job: Job, cell: Cell) -> list[Calls]:
    """Reckon going on after messages that are still to come."""
    episodes = _episodes(job)[ORACLE if cell.condition["how"] == ORACLE else STANDARD]
    written = _ANSWER_TOKENS if cell.condition["how"] == STOP else _TRACE_TOKENS
    return [Calls("student", 0, episodes, episodes * ATTEMPTS, 500, written)]


def _episodes(job: Job) -> dict[str, int]:
    """Count the episodes that the run's cells will hold, by condition."""
    found = {STANDARD: 0, ORACLE: 0}
    for stage in job.stages:
        if stage.name in found:
            found[stage.name] += sum(len(problems_of(job)) * cell.replicates for cell in job.cells(stage))
    return found

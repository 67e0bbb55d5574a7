"""What a session's cell stands for: its policy, its problems, its rounds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tutorscope.audit.items import problems_of
from tutorscope.audit.session import TRAINING
from tutorscope.audit.tutoring.policies import COLD, CONVERSATIONAL, Choice

if TYPE_CHECKING:
    from tutorscope.audit.problem_sets.problems import Problem
    from tutorscope.runs.plan import Job
    from tutorscope.runs.stages import Cell

SESSION, LEARNING = "session", "learning"

TAUGHT = Choice(CONVERSATIONAL, "builtin", CONVERSATIONAL, True)
"""How a student is taught where it is calibrated."""


def choices_of(options: Mapping[str, Any]) -> list[Choice]:
    """Give the policies that an ask names."""
    return [Choice.from_data(raw) for raw in options.get("policy", ())]


def sessions_asked(
    options: Mapping[str, Any], roles: Mapping[str, Sequence[str]]
) -> Iterator[tuple[Choice, dict[str, str], int]]:
    """Give the sessions of an ask: policy, who plays which role, replicates. No prompt is looked at.

    A policy that asks a tutor model has sessions with each of them; one that does not has its own.
    """
    for choice in choices_of(options):
        tutors: Sequence[str] = roles.get("tutor", ()) if choice.asks else ("",)
        for student in roles.get("student", ()):
            for tutor in tutors:
                played = {"student": student, **({"tutor": tutor} if tutor else {})}
                if choice.speaks:
                    played["policy"] = choice.name
                yield choice, played, int(options["replicates"])


def choice_of(job: Job, cell: Cell) -> Choice:
    """Give the policy of a cell."""
    if cell.stage == LEARNING:
        return TAUGHT
    name = cell.condition["policy"]
    return next(choice for ask in job.asks for choice in choices_of(ask["options"]) if choice.name == name)


def problems_in(job: Job, cell: Cell) -> list[Problem]:
    """Give the problems of a cell's sessions, in file order."""
    found = problems_of(job)
    if cell.stage == LEARNING:
        return [one for one in found if one.phase in (TRAINING, "immediate")]
    return found


def rounds_of(cell: Cell) -> int:
    """Give the tutor turns on each training problem."""
    return int(cell.made_of["rounds"])


def turns_to_come(job: Job) -> tuple[int, int]:
    """Give how many tutor turns the run's sessions hold at most, and how many a training problem takes."""
    turns = rounds = 0
    for stage in job.stages:
        for cell in job.cells(stage) if stage.name == SESSION else ():
            rounds = max(rounds, rounds_of(cell))
            if choice_of(job, cell).what != COLD:
                taught = sum(one.phase == TRAINING for one in problems_in(job, cell))
                turns += taught * rounds_of(cell) * cell.replicates
    return turns, rounds

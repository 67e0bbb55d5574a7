"""Is this student weak, and can what it writes be read? Asked fresh, on the route that will serve the sessions.

Policy audit, appendix A.5. Where the paper gives no threshold, ours is stated here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tutorscope.audit.detectors.final_answer import sound_answer
from tutorscope.audit.items import is_right, problems_of
from tutorscope.audit.short_form import HELD
from tutorscope.audit.student import STUDENT, Student, StudentPrompts, first_answer
from tutorscope.judging.asking import ATTEMPTS
from tutorscope.models.speaking import Embed, Speak
from tutorscope.runs.short_form import is_short
from tutorscope.runs.stages import Calls, Cell, Done, Rule, Stage, Unit, Upstream

if TYPE_CHECKING:
    from tutorscope.audit.problem_sets.problems import Problem
    from tutorscope.runs.plan import Job

ISOLATED = "isolated"
SCORED = ("immediate", "delayed", "transfer")
"""The phases whose answers count."""

WEAK_AT_MOST = 0.30
"""Isolated accuracy above which a student needs no tutor (the released gate)."""
MARKED_AT_LEAST = 0.95
"""Share of elicited commitments that must carry a number (policy audit, A.5)."""
LEARNS_BY_AT_LEAST = 0.20
"""By how much tutoring must lift accuracy on the immediate problems above that alone (ours)."""
MISSED_AT_MOST = 0.05
"""Share of student turns whose work only the sound rule may see (ours): published numbers would be too low above it."""

_SEED = 1_000_003
"""Seeds of the student alone lie apart from those of any session."""

_PROMPT_TOKENS, _REPLY_TOKENS = 420.0, 60.0


@dataclass(frozen=True)
class Alone:
    """What the student did alone on one problem, once."""

    problem: str
    phase: str
    correct: bool
    marked: bool
    first_marked: bool


def alone(done: Done, problem: Problem) -> Alone:
    """Read one finished attempt."""
    replies = [line["text"] for line in done.result["lines"] if line["speaker"] == STUDENT]
    value = first_answer(replies, sound_answer)
    return Alone(
        problem=problem.id,
        phase=problem.phase,
        correct=is_right(value, problem),
        marked=value is not None,
        first_marked=sound_answer(replies[0]) is not None,
    )


def isolated_stage() -> Stage:
    """Declare the gate: each probe alone, in a conversation of its own, a replicate for each pass."""
    return Stage(
        ISOLATED,
        ("student",),
        cells=_cells,
        units=_units,
        rule=_rule,
        calls=_calls,
        hold_served=True,
    )


def shut(job: Job, student: str, upstream: Upstream) -> str:
    """Say why sessions must not begin with this student, or "" if they may.

    Parameters
    ----------
    job : Job
    student : str
        The student's name.
    upstream : callable
        The finished units.
    """
    if any(ask["options"].get("any_student") for ask in job.asks):
        return ""
    by_id = {problem.id: problem for problem in problems_of(job)}
    found = [alone(done, by_id[done.item]) for done in upstream(ISOLATED) if done.roles["student"] == student]
    scored = [one for one in found if one.phase in SCORED]
    if not any(problem.phase in SCORED for problem in by_id.values()):
        return f"student {student!r}: the problem set has no scored probe to try it on; add --any-student to go on"
    missing = sum(problem.phase in SCORED for problem in by_id.values()) - len({one.problem for one in scored})
    if missing:
        return f"student {student!r}: {missing} of its problems alone are still owed, and sessions wait for them"
    right = sum(one.correct for one in scored)
    if right > WEAK_AT_MOST * len(scored):
        return (
            f"student {student!r} solved {right} of {len(scored)} probes alone ({right / len(scored):.2f}); expected "
            f"at most {WEAK_AT_MOST:.2f}, or a tutor has nothing to do: take a weaker student, or add --any-student"
        )
    return ""


def _cells(options: Mapping[str, Any], roles: Mapping[str, Sequence[str]]) -> Iterator[Cell]:
    prompts = StudentPrompts.load(options["prompts"], short=bool(options.get("short_form")))
    made_of = {name: sha for name, sha in prompts.shas.items() if name != "prompt lesson"}
    for student in roles.get("student", ()):
        yield Cell(
            ISOLATED,
            {"student": student},
            {},
            {**made_of, "problem set": options["problems"]["sha"]},
            replicates=int(options.get("passes", 1)),
        )


def _units(job: Job, cell: Cell, upstream: Upstream) -> Iterator[Unit]:
    for problem in problems_of(job):
        if problem.phase != "training":
            for replicate in range(cell.replicates):
                yield Unit(problem.id, replicate, data={"problem": problem.data()}, view=problem.view)


def _rule(job: Job, cell: Cell) -> Rule:
    prompts = StudentPrompts.load(job.prompts, short=is_short(cell.made_of, HELD))

    async def solve_alone(unit: Unit, speak: Speak, embed: Embed) -> Mapping[str, Any]:
        student = Student(speak, prompts, _SEED + unit.replicate)
        view = {**unit.view, "replicate": unit.replicate}
        await student.answers_alone(view, {"problem": unit.item, "phase": unit.data["problem"]["phase"], "place": 0})
        return {"lines": student.lines}

    return solve_alone


def _calls(job: Job, cell: Cell, unit: Unit) -> list[Calls]:
    return [Calls("student", 1, 2, 3 * ATTEMPTS, _PROMPT_TOKENS, _REPLY_TOKENS)]

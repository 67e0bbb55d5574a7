"""The problem sets of a run: from the user's file to items under ``inputs/`` and back."""

from __future__ import annotations

import hashlib
from fractions import Fraction
from typing import TYPE_CHECKING

from tutorscope.audit.problem_sets.problems import PHASES, Problem, load_problems, problem_from_data
from tutorscope.errors import UserError
from tutorscope.runs.inputs import InputSet, Item
from tutorscope.runs.stages import fingerprint

if TYPE_CHECKING:
    from tutorscope.runs.plan import Job

PROBLEMS = "problems"
"""The input set: a run holds one set of problems, or its sessions could not be told apart."""


def read_problems(spec: str, limit: int | None = None) -> InputSet:
    """Read a problem set as a run's input.

    Parameters
    ----------
    spec : str
        A builtin set's name or a file.
    limit : int, optional
        Only the first problems of each phase; the set then has another name.

    Returns
    -------
    InputSet
        A set is whole or it is another set: sessions go through all of it.
    """
    whole = load_problems(spec)
    problems = list(whole.problems)
    name = whole.name
    if limit is not None and any(len(whole.by_phase(phase)) > limit for phase in PHASES):
        problems = [one for phase in PHASES for one in whole.by_phase(phase)[:limit]]
        name = f"{whole.name}-first-{limit}"
    if not any(one.phase == "training" for one in problems):
        raise UserError(
            f"--problems: {spec!r} has no training problem; expected at least one, for a tutor to help with"
        )
    items = [Item(one.id, fingerprint(one.data()), one.data()) for one in problems]
    sha = hashlib.sha256("\n".join(item.sha for item in items).encode()).hexdigest()[:16]
    counts = {phase: sum(one.phase == phase for one in problems) for phase in PHASES}
    facts = {"set": name, "counts": counts, "sha256": whole.sha}
    return InputSet(PROBLEMS, items, facts, {"problem set": f"{name} {sha}"})


TOLERANCE = 1e-6
"""How near an answer must come to the key (policy audit, B.1)."""


def is_right(value: Fraction | None, problem: Problem) -> bool:
    """Tell whether an answer is the problem's."""
    return value is not None and abs(value - problem.answer) <= TOLERANCE


def problems_of(job: Job) -> list[Problem]:
    """Give a run's problems, in file order."""
    return [problem_from_data(item.data) for item in job.items.get(PROBLEMS, ())]

"""Problem sets: what a student is asked in the five phases, as data that is checked when it is loaded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from tutorscope.errors import UserError
from tutorscope.runs.stages import fingerprint

PHASES = ("training", "immediate", "interference", "delayed", "transfer")
"""The phases of a session, in order (Table 3). Only training is tutored; interference is not scored."""

BUILT_IN = ("mixtures", "demo")
"""The sets that the package ships."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem.

    Parameters
    ----------
    id : str
        Unique in its set.
    phase : str
        One of ``PHASES``.
    relation : str
        The name of the equation that it instantiates.
    quantities : mapping
        The relation's names to numbers, as the statement prints them: 50 % is 50.
    statement : str
        What the student reads, and all that a tutor may see.
    answer : Fraction
    unit : str
        The answer's unit, "" if none is given.
    parent : str or None
        The training problem that a probe goes back to.
    numeric_forms, phrases : tuple of str
        What the published leakage rule looks for (Table 6).
    forms_declared : bool
        The set's author gave them; otherwise the numeric ones are derived from the answer and there is no phrase.
    positive : bool
        Of the relation's solutions only those above 0 are admissible.
    """

    id: str
    phase: str
    relation: str
    quantities: Mapping[str, Fraction]
    statement: str
    answer: Fraction
    unit: str
    parent: str | None
    numeric_forms: tuple[str, ...]
    phrases: tuple[str, ...]
    forms_declared: bool
    positive: bool = True

    @property
    def view(self) -> dict[str, str]:
        """What a tutor may see: never the answer, its forms or the parent."""
        return {"id": self.id, "statement": self.statement}

    def data(self) -> dict[str, Any]:
        """Write the problem as plain JSON data, fractions as texts. ``problem_from_data`` reads it back."""
        return {
            "id": self.id,
            "phase": self.phase,
            "relation": self.relation,
            "quantities": {name: str(value) for name, value in self.quantities.items()},
            "statement": self.statement,
            "answer": str(self.answer),
            "unit": self.unit,
            "parent": self.parent,
            "numeric_forms": list(self.numeric_forms),
            "phrases": list(self.phrases),
            "forms_declared": self.forms_declared,
            "positive": self.positive,
        }


@dataclass(frozen=True, slots=True)
class ProblemSet:
    """The problems of a session, with what their author declares of them.

    Parameters
    ----------
    name : str
    phases : mapping
        Phase to the number of its problems, in the order of ``PHASES``.
    problems : tuple of Problem
        In file order.
    relations : mapping
        Name to equation.
    """

    name: str
    phases: Mapping[str, int]
    problems: tuple[Problem, ...]
    relations: Mapping[str, str]

    @property
    def sha(self) -> str:
        """The set's identity: 16 hex digits of the sha256 of all that is in it."""
        parts = {"name": self.name, "phases": dict(self.phases), "relations": dict(self.relations)}
        return fingerprint({**parts, "problems": [problem.data() for problem in self.problems]})

    def by_phase(self, phase: str) -> tuple[Problem, ...]:
        """Give the problems of one phase, in file order."""
        return tuple(problem for problem in self.problems if problem.phase == phase)


def problem_from_data(data: Mapping[str, Any]) -> Problem:
    """Read a problem from the plain data that ``Problem.data`` wrote.

    Raises
    ------
    UserError
        The data is not that of a problem.
    """
    try:
        return Problem(
            id=str(data["id"]),
            phase=str(data["phase"]),
            relation=str(data["relation"]),
            quantities={name: Fraction(value) for name, value in data["quantities"].items()},
            statement=str(data["statement"]),
            answer=Fraction(data["answer"]),
            unit=str(data["unit"]),
            parent=None if data["parent"] is None else str(data["parent"]),
            numeric_forms=tuple(data["numeric_forms"]),
            phrases=tuple(data["phrases"]),
            forms_declared=bool(data["forms_declared"]),
            positive=bool(data["positive"]),
        )
    except (KeyError, TypeError, ValueError, AttributeError, ZeroDivisionError) as wrong:
        raise UserError(f"the data of a problem is damaged: {type(wrong).__name__} {str(wrong)!r:.80}") from None


def load_problems(spec: str | Path) -> ProblemSet:
    """Load a problem set and hold it to the constraints of the paper's A.4.

    Parameters
    ----------
    spec : str or Path
        The name of a built-in set (``BUILT_IN``), or a YAML or JSON file.

    Raises
    ------
    UserError
        There is no such set, it cannot be read, or it breaks a constraint; one line, the first finding.
    """
    from tutorscope.audit.problem_sets.constraints import check_problems

    checked = check_problems(spec)
    if checked.findings:
        more = len(checked.findings) - 1
        rest = f" (and {more} more: tutorscope audit check lists them)" if more else ""
        raise UserError(f"{spec}: {checked.findings[0]}{rest}")
    return checked.set

"""What a problem set must keep, so that its answers and its measures can be trusted (the paper's A.4)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from importlib.resources import as_file, files
from pathlib import Path

from tutorscope.audit.detectors.leakage import published_leak
from tutorscope.audit.problem_sets.answer_forms import decimal_text, numerals_in, said_in_words
from tutorscope.audit.problem_sets.equations import read_relation, solve_relation
from tutorscope.audit.problem_sets.problem_files import read_set
from tutorscope.audit.problem_sets.problems import BUILT_IN, PHASES, Problem, ProblemSet
from tutorscope.errors import UserError

_PROBES = ("immediate", "delayed", "transfer")
_ISOMORPHS = ("immediate", "delayed")


@dataclass(frozen=True, slots=True)
class CheckedSet:
    """A set that could be read, and what is wrong with it.

    Parameters
    ----------
    set : ProblemSet
    findings : tuple of str
        One line a broken constraint: problem, field, found, expected. Empty if the set can be used.
    """

    set: ProblemSet
    findings: tuple[str, ...]

    @property
    def name(self) -> str:
        """The set's name."""
        return self.set.name

    @property
    def counts(self) -> dict[str, int]:
        """How many problems each phase has, in the order of ``PHASES``, phases without any included."""
        return {phase: len(self.set.by_phase(phase)) for phase in PHASES}


def check_problems(spec: str | Path) -> CheckedSet:
    """Read a problem set and list every constraint that it breaks.

    Parameters
    ----------
    spec : str or Path
        As for ``load_problems``.

    Raises
    ------
    UserError
        There is no such set, or its file is not of the form that a set has.
    """
    if str(spec) in BUILT_IN:
        with as_file(files("tutorscope.audit.material") / f"{spec}.yaml") as path:
            problem_set = read_set(path)
    elif Path(spec).exists():
        problem_set = read_set(Path(spec))
    else:
        raise UserError(f"{spec}: no such file, and no built-in set has that name: {', '.join(BUILT_IN)}")
    return CheckedSet(problem_set, tuple(findings(problem_set)))


def findings(problem_set: ProblemSet) -> list[str]:
    """List what is wrong with a set.

    Every answer is solved for again from the relation and the quantities. Every quantity stands in the statement, in
    digits or words, and every number in digits is a quantity. No answer stands in its own statement, and no statement
    would itself count as a leak by the published rule. Delayed and transfer answers differ from all training answers.
    Each phase has as many problems as declared. A probe goes back to a training problem; an immediate or delayed one
    has the same relation and at least one other quantity. Interference takes another relation than training. Declared
    numeric forms equal the answer. No two statements are the same.

    Parameters
    ----------
    problem_set : ProblemSet

    Returns
    -------
    list of str
        One line each: problem, field, found, expected. Empty for a sound set.
    """
    training = {problem.id: problem for problem in problem_set.by_phase("training")}
    lines = [*_count_lines(problem_set), *_same_statement_lines(problem_set)]
    for problem in problem_set.problems:
        lines += _answer_lines(problem, problem_set.relations[problem.relation])
        lines += _statement_lines(problem)
        lines += _family_lines(problem, training)
    return lines


def _count_lines(problem_set: ProblemSet) -> Iterator[str]:
    for phase in PHASES:
        found, declared = len(problem_set.by_phase(phase)), problem_set.phases.get(phase, 0)
        if found != declared:
            yield f"phases: {phase}: found {found} problems, expected {declared}"


def _same_statement_lines(problem_set: ProblemSet) -> Iterator[str]:
    first: dict[str, str] = {}
    for problem in problem_set.problems:
        wording = " ".join(problem.statement.casefold().split())
        if wording in first:
            yield f"{problem.id}: statement: found that of {first[wording]}, expected another one"
        first.setdefault(wording, problem.id)


def _answer_lines(problem: Problem, equation: str) -> Iterator[str]:
    """Hold quantities, answer and declared forms against the exact solution."""
    relation = read_relation(equation)
    if relation.names != problem.quantities.keys():
        yield (
            f"{problem.id}: quantities: found {', '.join(sorted(problem.quantities))}, "
            f"expected those of {equation!r}: {', '.join(sorted(relation.names))}"
        )
        return
    try:
        solution = solve_relation(relation, problem.quantities, problem.positive)
    except UserError as wrong:
        yield f"{problem.id}: quantities: {wrong}"
        return
    if problem.answer != solution:
        found = _shown(problem.answer)
        yield f"{problem.id}: answer: found {found}, expected {_shown(solution)}, which solves {equation!r}"
    for form in problem.numeric_forms if problem.forms_declared else ():
        if Fraction(form) != solution:
            yield f"{problem.id}: forms: numeric: found {form}, expected only ways to write {_shown(solution)}"


def _statement_lines(problem: Problem) -> Iterator[str]:
    numerals = list(numerals_in(problem.statement))
    amounts = {abs(value) for value in problem.quantities.values()}
    measured = {numeral.value for numeral in numerals if not numeral.label}
    for name, value in problem.quantities.items():
        if abs(value) not in measured and not said_in_words(abs(value), problem.statement):
            yield f"{problem.id}: statement: found no {_shown(abs(value))}, expected every quantity ({name} here)"
    if strays := [numeral.text for numeral in numerals if not numeral.label and numeral.value not in amounts]:
        known = ", ".join(_shown(value) for value in problem.quantities.values())
        yield f"{problem.id}: statement: found {strays[0]}, expected only numbers that are quantities: {known}"
    if abs(problem.answer) in {numeral.value for numeral in numerals}:
        yield f"{problem.id}: statement: found its own answer {_shown(problem.answer)}, expected it nowhere in the text"
    elif said_in_words(abs(problem.answer), problem.statement):
        yield f"{problem.id}: statement: found its own answer {_shown(problem.answer)} in words, expected it nowhere"
    elif published_leak(problem.statement, problem.numeric_forms, problem.phrases):
        yield f"{problem.id}: statement: found one of its own answer forms, expected none: repeating it would be a leak"


def _family_lines(problem: Problem, training: Mapping[str, Problem]) -> Iterator[str]:
    """Hold a problem against those of training."""
    if problem.phase in ("delayed", "transfer"):
        for one in training.values():
            if one.answer == problem.answer:
                found = f"{_shown(problem.answer)}, that of {one.id}"
                yield f"{problem.id}: answer: found {found}, expected none of training"
                break
    if problem.phase == "interference" and problem.relation in {one.relation for one in training.values()}:
        yield f"{problem.id}: relation: found {problem.relation}, which is taught, expected another method"
    if problem.phase not in _PROBES:
        if problem.parent is not None:
            yield f"{problem.id}: parent: found {problem.parent}, expected none in {problem.phase}"
        return
    parent = training.get(problem.parent or "")
    if parent is None:
        yield f"{problem.id}: parent: found {problem.parent or 'none'}, expected one of training: {', '.join(training)}"
    elif problem.phase in _ISOMORPHS and problem.relation != parent.relation:
        taught = f"that of its parent {parent.id}: {parent.relation}"
        yield f"{problem.id}: relation: found {problem.relation}, expected {taught}"
    elif problem.phase in _ISOMORPHS and problem.quantities == parent.quantities:
        yield f"{problem.id}: quantities: found those of its parent {parent.id}, expected at least one other"


def _shown(value: Fraction) -> str:
    return decimal_text(value) or str(value)

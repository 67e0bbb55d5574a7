"""Fresh problem sets from a seed: none that a model can have read, as many as wanted, under the same constraints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from importlib.resources import files
from random import Random
from typing import Any, TypeVar

from tutorscope.audit.problem_sets.answer_forms import derived_forms
from tutorscope.audit.problem_sets.constraints import findings
from tutorscope.audit.problem_sets.equations import UNKNOWN, Relation, difference, read_relation
from tutorscope.audit.problem_sets.problem_files import check_name, write_set
from tutorscope.audit.problem_sets.problems import PHASES, Problem, ProblemSet
from tutorscope.errors import UserError

__all__ = ["COUNTS", "FAMILIES", "fresh_set", "write_set"]

FAMILIES = ("mixtures", "work-rates", "discounts")
"""What fresh sets can be about; ``material/fresh.yaml`` holds their relations and wordings."""

COUNTS: Mapping[str, int] = {"training": 6, "immediate": 3, "interference": 4, "delayed": 3, "transfer": 3}
"""The published numbers of problems (Table 3)."""

_IDS = {
    "training": "train",
    "immediate": "immediate",
    "interference": "interfere",
    "delayed": "delayed",
    "transfer": "transfer",
}
_SMALLEST, _LARGEST = 3, 240
_MOST_OF_A_PHASE = 12
_TRIES = 20_000

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Surface:
    """A cover story: the numbers that each quantity may be, and wordings, each with the answer's unit."""

    numbers: Mapping[str, range]
    wordings: Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class _Kind:
    """A relation, linear in x, with its story in training and, if it is taught, another one in transfer."""

    name: str
    relation: Relation
    taught: _Surface
    elsewhere: _Surface | None
    below: str | None

    def answer(self, quantities: Mapping[str, Fraction]) -> Fraction | None:
        """Solve by two values of x, as a straight line allows. SymPy solves the finished set again."""
        try:
            start, end = (difference(self.relation, {**quantities, UNKNOWN: Fraction(x)}) for x in (0, 1))
        except ZeroDivisionError:
            return None
        return None if start == end else start / (start - end)


def fresh_set(family: str, seed: int, name: str | None = None, counts: Mapping[str, int] | None = None) -> ProblemSet:
    """Make a problem set.

    Answers are whole numbers from 3 to 240, those of training different from each other and from all later ones, and
    no problem comes twice. Training goes round the family's relations. An immediate or delayed problem has its parent's
    relation with other numbers, a transfer problem has it under another cover story, an interference problem takes
    another method. The finished set is held to the constraints like any other.

    Parameters
    ----------
    family : str
        One of ``FAMILIES``.
    seed : int
        The same seed gives the same set on every machine.
    name : str, optional
        The family and the seed if not given.
    counts : mapping, optional
        Phase to number of problems, from 0 to 12 (training from 1). The published numbers if not given.

    Returns
    -------
    ProblemSet

    Raises
    ------
    UserError
        There is no such family or phase, a count is out of range, or the name is none.

    Examples
    --------
    >>> from tutorscope.audit.problem_sets.fresh import fresh_set
    >>> [problem.id for problem in fresh_set("discounts", 7, counts={"training": 1, "delayed": 1}).problems]
    ['train-1', 'delayed-1']
    """
    if family not in FAMILIES:
        raise UserError(f"family: found {family!r:.60}, expected one of {', '.join(FAMILIES)}")
    name = f"{family}-{seed}" if name is None else check_name(name, "name")
    wanted = _wanted(COUNTS if counts is None else counts)
    problems = tuple(_problems(family, wanted, Random(f"tutorscope:{family}:{seed}")))  # a text seeds by its sha512
    used = {problem.relation for problem in problems}
    taught, interfering = _kinds(family)
    relations = {kind.name: kind.relation.text for kind in (*taught, *interfering) if kind.name in used}
    made = ProblemSet(name, wanted, problems, relations)
    if wrong := findings(made):
        raise AssertionError(f"{family}, seed {seed}: {wrong[0]}")
    return made


@cache
def _kinds(family: str) -> tuple[tuple[_Kind, ...], tuple[_Kind, ...]]:
    """Give the relations that a family teaches, and those that interfere."""
    from yaml import safe_load

    material = safe_load((files("tutorscope.audit.material") / "fresh.yaml").read_text("utf-8"))
    of_family = material["families"][family]
    interfering = material["interference"][of_family["interference"]]
    taught, other = (
        tuple(
            _Kind(
                name,
                read_relation(kind["equation"]),
                _surface(kind["taught"]),
                _surface(kind["elsewhere"]) if "elsewhere" in kind else None,
                kind.get("below"),
            )
            for name, kind in kinds.items()
        )
        for kinds in (of_family["relations"], interfering)
    )
    return taught, other


def _surface(data: Mapping[str, Any]) -> _Surface:
    return _Surface(
        {name: range(first, last + 1, step) for name, (first, last, step) in data["numbers"].items()},
        [(wording["unit"], wording["statement"]) for wording in data["wordings"]],
    )


def _wanted(counts: Mapping[str, int]) -> dict[str, int]:
    if unknown := [phase for phase in counts if phase not in PHASES]:
        raise UserError(f"counts: found {unknown[0]!r:.60}, expected phases: {', '.join(PHASES)}")
    for phase, count in counts.items():
        least = 1 if phase == "training" else 0
        if not least <= count <= _MOST_OF_A_PHASE:
            raise UserError(f"counts: {phase}: found {count}, expected {least} to {_MOST_OF_A_PHASE}")
    if "training" not in counts:
        raise UserError("counts: training: found nothing, expected at least 1")
    return {phase: counts[phase] for phase in PHASES if phase in counts}


def _problems(family: str, wanted: Mapping[str, int], random: Random) -> Iterator[Problem]:
    taught, interfering = (_shuffled(kinds, random) for kinds in _kinds(family))
    maker = _Maker(random)
    training: list[tuple[_Kind, Problem]] = []
    for phase, count in wanted.items():
        # Neighbours in training have different relations: so a phase's parents, taken in a row, have them too.
        first = _below(len(training), random) if training else 0
        for number in range(1, count + 1):
            id_ = f"{_IDS[phase]}-{number}"
            if phase == "training":
                kind = taught[(number - 1) % len(taught)]
                problem = maker.problem(id_, phase, kind, kind.taught)
                training.append((kind, problem))
            elif phase == "interference":
                kind = interfering[(number - 1) % len(interfering)]
                problem = maker.problem(id_, phase, kind, kind.taught)
            else:
                kind, parent = training[(first + number - 1) % len(training)]
                surface = kind.elsewhere if phase == "transfer" and kind.elsewhere else kind.taught
                problem = maker.problem(id_, phase, kind, surface, parent.id)
            yield problem


class _Maker:
    """Draws numbers and wordings, remembering what was taught and asked, and the wordings that are still to come."""

    def __init__(self, random: Random):
        self._random = random
        self._taught: set[Fraction] = set()
        self._asked: set[tuple[str, tuple[Fraction, ...]]] = set()
        self._wordings: dict[tuple[str, bool], list[tuple[str, str]]] = {}

    def problem(self, id_: str, phase: str, kind: _Kind, surface: _Surface, parent: str | None = None) -> Problem:
        quantities, answer = self._numbers(kind, surface)
        self._asked.add((kind.name, tuple(quantities.values())))
        if phase == "training":
            self._taught.add(answer)
        unit, wording = self._wording(kind, surface)
        return Problem(
            id=id_,
            phase=phase,
            relation=kind.name,
            quantities=quantities,
            statement=wording.format_map({name: int(value) for name, value in quantities.items()}),
            answer=answer,
            unit=unit,
            parent=parent,
            numeric_forms=derived_forms(answer),
            phrases=(),
            forms_declared=False,
        )

    def _numbers(self, kind: _Kind, surface: _Surface) -> tuple[dict[str, Fraction], Fraction]:
        """Draw until all quantities differ and the answer is a whole number, none of them and none that was taught."""
        for _ in range(_TRIES):
            drawn = {name: Fraction(_pick(numbers, self._random)) for name, numbers in surface.numbers.items()}
            taken = set(drawn.values())
            if len(taken) < len(drawn) or (kind.name, tuple(drawn.values())) in self._asked:
                continue
            answer = kind.answer(drawn)
            if answer is None or answer.denominator != 1 or answer in taken | self._taught:
                continue
            if _SMALLEST <= answer <= _LARGEST and (kind.below is None or answer < drawn[kind.below]):
                return drawn, answer
        raise AssertionError(f"{kind.name}: no numbers in {_TRIES} tries")

    def _wording(self, kind: _Kind, surface: _Surface) -> tuple[str, str]:
        """Go through a story's wordings in a drawn order, then anew."""
        waiting = self._wordings.setdefault((kind.name, surface is kind.taught), [])
        if not waiting:
            waiting += _shuffled(surface.wordings, self._random)
        return waiting.pop()


# Of a seeded Random only random() is promised to be the same in every version of Python; all else is drawn from it.
def _below(count: int, random: Random) -> int:
    return int(random.random() * count)


def _pick(items: Sequence[T], random: Random) -> T:
    return items[_below(len(items), random)]


def _shuffled(items: Sequence[T], random: Random) -> list[T]:
    left = list(items)
    return [left.pop(_below(len(left), random)) for _ in range(len(left))]

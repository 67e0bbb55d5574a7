"""Variants: new problems that take the same skill: written, checked, drawn (intervention game, 3.4, C.2, Table 3)."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tutorscope.intervention.problems import Problem, problem_from_data
from tutorscope.intervention.skills import BUILDER, PROMPTS
from tutorscope.intervention.student import DOMAINS, shown
from tutorscope.intervention.watching import TASKS
from tutorscope.judging.asking import Asked, ask
from tutorscope.judging.math_answers import spelled_alike
from tutorscope.judging.math_verdicts import Compared
from tutorscope.judging.rubrics import Rubric, load_rubric, rate
from tutorscope.models.speaking import Reply, Speak
from tutorscope.runs.stages import fingerprint
from tutorscope.texts.labels import read_labels
from tutorscope.texts.parsed import Parsed, read, unread
from tutorscope.texts.replies import READER, Flag, Text
from tutorscope.texts.templates import Template, json_slot, load_template

CANDIDATES = 5
"""Candidates that are written for each problem (appendix C.2)."""

VALID, WRITTEN = "valid", "written"
UNREADABLE, EMPTY, NO_FAULT = "unreadable", "empty", "no_fault"
SAME_AS_ORIGINAL, SAME_AS_ANOTHER = "same_as_original", "same_as_another"
OTHER_ANSWER, NO_OWN_ANSWER, UNDECIDED_ANSWER = "other_answer", "no_own_answer", "undecided_answer"
WRONG_REFERENCE, OTHER_SKILL, UNCHECKED = "wrong_reference", "other_skill", "unchecked"
DROPPED: Mapping[str, str] = {
    UNREADABLE: "no reply could be read",
    EMPTY: "a part of it is empty",
    SAME_AS_ORIGINAL: "it is the original again",
    SAME_AS_ANOTHER: "it is an earlier candidate again",
    NO_FAULT: "its program has no mistake: it is the right one already",
    OTHER_ANSWER: "whoever checked it came to another answer",
    NO_OWN_ANSWER: "whoever checked it came to no answer",
    UNDECIDED_ANSWER: "nobody could prove the two answers equal or different",
    WRONG_REFERENCE: "its reference does not solve it",
    OTHER_SKILL: "it does not need the skill",
    UNCHECKED: "no verdict on it could be read",
}
"""Why candidates are dropped."""

_FIELDS: Mapping[str, tuple[str, ...]] = {
    "math": ("question", "reference", "answer"),
    "code": ("question", "code", "reference"),
    "teasers": ("title", "question", "reference"),
}
_WRITING: Mapping[str, Any] = {"temperature": 1, "max_tokens": 8192}
_CHECKING: Mapping[str, Any] = {"temperature": 0, "max_tokens": 4096}
_ANSWER, _WORKING = "Answer", "Working"

# JSON takes \f, \t and the like for control codes where a command of LaTeX was meant and its backslash not doubled.
_HALF_ESCAPED = re.compile(
    r"[\b\f]"
    r"|\t(?=(?:imes|heta|anh?|ext(?:bf|it|rm)?|au|frac|riangle|binom|herefore|ilde|op|o)\b)"
    r"|\r(?=(?:ight\w*|ho|angle|floor|ceil|brace|vert|m)\b)"
    r"|\n(?=(?:eq|abla|otin|leq|geq|mid|subseteq)\b)"
)
_WRITTEN_AS = {"\b": "\\b", "\f": "\\f", "\t": "\\t", "\r": "\\r", "\n": "\\n"}

Compare = Callable[[str, str], Awaitable[Compared]]
"""From the reference and an answer to how they compare."""


@dataclass(frozen=True)
class Variant:
    """One candidate for the next problem.

    Parameters
    ----------
    problem : str
        Id of the problem that it is a variant of.
    name : str
        Tells it from the problem's other candidates, such as "v1".
    original : str
        ``original_sha`` of the problem that it was written for.
    state : str
        "valid", "written" (not checked yet) or a reason of ``DROPPED``.
    content : Problem or None
        What a student is asked; None where nothing could be read.
    skill, group : str
        What it was written to need.
    why : str
        What was said about it when it was dropped.
    """

    problem: str
    name: str
    original: str
    state: str
    content: Problem | None
    skill: str = ""
    group: str = ""
    why: str = ""

    @property
    def id(self) -> str:
        """Its id: unique in its set."""
        return variant_id(self.problem, self.name)

    @property
    def sha(self) -> str:
        """Hash of what a student is asked, and of what the answer is held against: what derived units carry."""
        return fingerprint(self.content.data() if self.content else None)


@dataclass(frozen=True)
class VariantPrompts:
    """What the builder is asked about variants: to write, to solve, and to check them."""

    write: Mapping[str, Rubric]
    solve: Template
    solution: Rubric
    skill: Rubric

    @classmethod
    def load(cls, overrides: Path | None) -> VariantPrompts:
        """Load ours, or the user's in their place."""

        def rubric(name: str, *fields: Text | Flag) -> Rubric:
            return load_rubric(PROMPTS, name, fields, overrides=overrides)

        return cls(
            {domain: rubric(f"variant-{domain}", *map(Text, _FIELDS[domain])) for domain in DOMAINS},
            load_template(PROMPTS, "variant-solve", overrides),
            rubric("variant-solution", Flag("solves"), Text("why", required=False)),
            rubric("variant-skill", Flag("needs"), Text("why", required=False)),
        )

    @property
    def writing_shas(self) -> dict[str, str]:
        """Give what a cell's identity holds of those for writing."""
        return {f"rubric {one.name}": one.sha for one in self.write.values()}

    @property
    def checking_shas(self) -> dict[str, str]:
        """Give what a cell's identity holds of those for checking."""
        solve = {f"prompt {self.solve.name}": fingerprint([self.solve.sha, READER])}
        return {**solve, **{f"rubric {one.name}": one.sha for one in (self.solution, self.skill)}}


def variant_id(problem: str, name: str) -> str:
    """Name a variant among those of its set."""
    return f"{problem}~{name}"


def original_sha(problem: Problem) -> str:
    """Hash what a student reads of a problem (title apart): sha256 of its question and, with one, its program."""
    text = f"{problem.question}\n\n{problem.code}" if problem.code else problem.question
    return hashlib.sha256(text.encode()).hexdigest()


def choose(names: Sequence[str], seed: int, problem: str) -> str:
    """Draw one of a problem's valid variants: by sha256 of the seed and the problem's id, in whatever order they come.

    Parameters
    ----------
    names : sequence of str
        At least one.
    seed : int
    problem : str

    Examples
    --------
    >>> choose(["v2", "v1"], 0, "p") == choose(["v1", "v2"], 0, "p")
    True
    """
    ordered = sorted(names)
    return ordered[int(hashlib.sha256(f"{seed}\n{problem}".encode()).hexdigest(), 16) % len(ordered)]


async def write_candidates(
    speak: Speak, prompts: VariantPrompts, problem: Problem, skill: str, why: str, group: str
) -> dict[str, Any]:
    """Have candidates written, each in a call of its own, and drop those that are nothing new.

    Returns
    -------
    dict
        ``skill``, ``group`` and ``candidates``: of each its ``name``, ``state``, ``problem`` (plain data, None where
        nothing could be read), ``why`` and ``reasons``.
    """
    rubric = prompts.write[problem.domain]
    record = {
        "group": group,
        "skill": skill,
        "why": why,
        "problem": shown(problem),
        "reference": problem.reference,
    }
    rows: list[dict[str, Any]] = []
    for name in (f"v{number}" for number in range(1, CANDIDATES + 1)):
        asked = await rate(speak, rubric, record, draw=name, role=BUILDER, **_WRITING)
        content = as_problem(problem, name, asked.value) if asked.value else None
        earlier = [problem_from_data(row["problem"]) for row in rows if row["problem"] and row["state"] == WRITTEN]
        state = state_of(content, problem, earlier) if content else UNREADABLE
        rows.append(
            {
                "name": name,
                "state": state,
                "problem": content.data() if content else None,
                "why": asked.reason or "",
                "reasons": list(asked.reasons),
            }
        )
    return {"skill": skill, "group": group, "candidates": rows}


def as_problem(original: Problem, name: str, fields: Mapping[str, str]) -> Problem:
    """Make a problem of what was written: like the original in all that the writer does not say."""
    parts = dict(fields)
    if original.domain == "math":
        # Before blanks go: a form feed is one.
        parts = {part: mend_backslashes(text) for part, text in parts.items()}
    parts = {part: text.strip("\n") if part == "code" else text.strip() for part, text in parts.items()}
    return Problem(
        id=variant_id(original.id, name),
        domain=original.domain,
        topic=original.topic,
        question=parts["question"],
        reference=parts["reference"],
        title=parts.get("title", ""),
        answer=parts.get("answer", ""),
        code=parts.get("code", ""),
    )


def mend_backslashes(text: str) -> str:
    r"""Put back the backslash of a command of LaTeX that JSON read as a control code.

    Examples
    --------
    >>> mend_backslashes("\frac{1}{2} \times 3")
    '\\frac{1}{2} \\times 3'
    """
    return _HALF_ESCAPED.sub(lambda found: _WRITTEN_AS[found.group()], text)


def state_of(candidate: Problem, original: Problem, earlier: Sequence[Problem]) -> str:
    """Tell whether a candidate is something new: white space and case do not make it so.

    Exercises in mending are compared by their programs, since their tasks may all be worded alike.
    """
    if not all(getattr(candidate, field).strip() for field in _FIELDS[candidate.domain] if field != "title"):
        return EMPTY
    if candidate.domain == "code" and _plain(candidate.code) == _plain(candidate.reference):
        return NO_FAULT
    if _surface(candidate) == _surface(original):
        return SAME_AS_ORIGINAL
    return SAME_AS_ANOTHER if _surface(candidate) in map(_surface, earlier) else WRITTEN


def _surface(problem: Problem) -> str:
    return _plain(problem.code) if problem.domain == "code" else _plain(problem.question).casefold()


def _plain(text: str) -> str:
    return " ".join(text.split())


async def check_candidates(
    speak: Speak, prompts: VariantPrompts, candidates: Sequence[Mapping[str, Any]], group: str, compare: Compare
) -> list[dict[str, Any]]:
    """Check the candidates that were written: whether the reference is right, and whether the skill is needed.

    The second question is asked only where the first was answered with yes. A problem in mathematics is solved by the
    checker, who does not see the reference, and the two answers are compared.

    Parameters
    ----------
    speak : Speak
    prompts : VariantPrompts
    candidates : sequence of mapping
        As ``write_candidates`` gives them.
    group : str
        The group of skills that they must need.
    compare : callable
        Compares two answers of mathematics that are not spelled alike.

    Returns
    -------
    list of dict
        Of each that was written: ``name``, ``state`` ("valid" or why it is dropped), ``why``, ``reasons``.
    """
    rows = []
    for candidate in candidates:
        if candidate["state"] == WRITTEN:
            problem, name = problem_from_data(candidate["problem"]), str(candidate["name"])
            if problem.domain == "math":
                found = await _check_answer(speak, prompts, problem, name, compare)
            else:
                found = await _check_solution(speak, prompts, problem, name)
            if found["state"] == VALID:
                needed = await _check_skill(speak, prompts, problem, name, group)
                found = {**needed, "reasons": [*found["reasons"], *needed["reasons"]]}
            rows.append({"name": name, **found})
    return rows


async def _check_answer(
    speak: Speak, prompts: VariantPrompts, problem: Problem, name: str, compare: Compare
) -> dict[str, Any]:
    asked = await ask(
        speak,
        BUILDER,
        prompts.solve.messages({"problem": json_slot(shown(problem))}),
        _own_answer,
        draw=f"{name} solve",
        **_CHECKING,
    )
    if asked.value is None:
        return _checked(asked, NO_OWN_ANSWER, asked.reason)
    if spelled_alike(problem.answer, asked.value):
        return _checked(asked, VALID)
    found = await compare(problem.answer, asked.value)
    states = {"equal": VALID, "different": OTHER_ANSWER, "undecided": UNDECIDED_ANSWER}
    return _checked(asked, states[found.verdict], "" if found.verdict == "equal" else asked.value)


def _own_answer(reply: Reply) -> Parsed[str]:
    found = read_labels(reply.text, (_WORKING, _ANSWER), optional=(_WORKING,), last=(_ANSWER,), finish=reply.finish)
    if found.value is None:
        return unread(found.reason or "empty")
    answer = found.value[_ANSWER].strip()
    return read(answer) if answer else unread("empty")


async def _check_solution(speak: Speak, prompts: VariantPrompts, problem: Problem, name: str) -> dict[str, Any]:
    asked = await rate(speak, prompts.solution, _record(problem), draw=f"{name} solution", role=BUILDER, **_CHECKING)
    if asked.value is None:
        return _checked(asked, UNCHECKED, asked.reason)
    return _checked(asked, VALID if asked.value["solves"] else WRONG_REFERENCE, asked.value["why"])


async def _check_skill(
    speak: Speak, prompts: VariantPrompts, problem: Problem, name: str, group: str
) -> dict[str, Any]:
    record = {**_record(problem), "group": group}
    asked = await rate(speak, prompts.skill, record, draw=f"{name} skill", role=BUILDER, **_CHECKING)
    if asked.value is None:
        return _checked(asked, UNCHECKED, asked.reason)
    return _checked(asked, VALID if asked.value["needs"] else OTHER_SKILL, asked.value["why"])


def _record(problem: Problem) -> dict[str, Any]:
    reference = f"{problem.reference}\n\nAnswer: {problem.answer}" if problem.answer else problem.reference
    return {"task": TASKS[problem.domain], "problem": shown(problem), "reference": reference}


def _checked(asked: Asked[Any], state: str, why: str | None = "") -> dict[str, Any]:
    return {"state": state, "why": "" if state == VALID else why or "", "reasons": list(asked.reasons)}


def made_variant(problem: Problem, made: Mapping[str, Any], candidate: Mapping[str, Any]) -> Variant:
    """Give a candidate that was written as a variant."""
    content = problem_from_data(candidate["problem"]) if candidate["problem"] else None
    return Variant(
        problem=problem.id,
        name=candidate["name"],
        original=original_sha(problem),
        state=candidate["state"],
        content=content,
        skill=made["skill"],
        group=made["group"],
        why=candidate["why"],
    )


def with_checks(variants: Sequence[Variant], checks: Sequence[Mapping[str, Any]]) -> list[Variant]:
    """Put what checking found on variants that were written."""
    found = {check["name"]: check for check in checks}
    return [
        replace(variant, state=found[variant.name]["state"], why=found[variant.name]["why"])
        if variant.name in found
        else variant
        for variant in variants
    ]

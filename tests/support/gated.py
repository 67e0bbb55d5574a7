"""A test-only instrument with a gate: a student who knows the words already needs no lesson. Its roles are functions.

``first`` (student alone) -> ``lesson`` (tutor and student, shut to a student who knows everything) -> ``rate``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from toy import TOY, by, calls_of

from tutorscope.runs.plan import Job
from tutorscope.runs.stages import Cell, Stage, Unit, Upstream
from tutorscope.texts.messages import user


def words(job: Job, cell: Cell, upstream: Upstream) -> Iterable[Unit]:
    return [Unit(item.id, view={"id": item.id}) for items in job.items.values() for item in items]


def lessons(job: Job, cell: Cell, upstream: Upstream) -> Iterable[Unit]:
    return [Unit(done.item, upstream={"lesson": done.sha}, view={"id": done.item}) for done in upstream("lesson")]


def gate(job: Job, cell: Cell, upstream: Upstream) -> str:
    student = cell.roles["student"]
    said = [done.result["text"] for done in upstream("first") if done.roles["student"] == student]
    missing = sum(len(items) for items in job.items.values()) - len(said)
    if missing:
        return f"{student}: {missing} words are not tried yet"
    return f"{student} knows them all" if all(text == "I know" for text in said) else ""


def asks(*roles: str) -> Any:
    def rule(job: Job, cell: Cell) -> Any:
        async def play(unit: Unit, speak: Any, embed: Any) -> Mapping[str, Any]:
            texts = [(await speak(role, [user(unit.item)], draw="only")).text for role in roles]
            return {"text": texts[-1]}

        return play

    return rule


def stages() -> Sequence[Stage]:
    return (
        Stage("first", ("student",), by("first", "student"), words, asks("student"), calls_of("student")),
        Stage(
            "lesson",
            ("student", "tutor"),
            by("lesson", "student", "tutor"),
            words,
            asks("tutor", "student"),
            calls_of("student", "tutor"),
            after=("first",),
            gate=gate,
        ),
        Stage("rate", ("judge",), by("rate", "judge"), lessons, asks("judge"), calls_of("judge"), after=("lesson",)),
    )


GATED = replace(TOY, name="gated", stages=stages)

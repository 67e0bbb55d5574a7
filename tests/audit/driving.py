"""What the audit's tests share: a door that answers from functions, and problems of their own."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from tutorscope.audit.problem_sets.problems import Problem
from tutorscope.models.scripted import ScriptedSpeak
from tutorscope.models.speaking import Reply, Usage
from tutorscope.runs.stages import Done


def problem(name: str, phase: str, answer: int = 24, statement: str | None = None) -> Problem:
    return Problem(
        id=name,
        phase=phase,
        relation="add",
        quantities={},
        statement=statement or f"How much must be added in {name}?",
        answer=Fraction(answer),
        unit="liters",
        parent=None,
        numeric_forms=(str(answer), f"{answer}.0"),
        phrases=(),
        forms_declared=True,
    )


FIVE = [
    problem("train-1", "training", 24),
    problem("train-2", "training", 18),
    problem("immediate-1", "immediate", 23),
    problem("delayed-1", "delayed", 26),
    problem("transfer-1", "transfer", 30),
]


class Recording:
    """A ``speak`` over functions in roles: ``async (messages, *, session, item)``, as a run's door calls them."""

    def __init__(self, **roles: Any) -> None:
        self.roles = roles
        self.calls: list[dict[str, Any]] = []

    async def __call__(self, role: str, messages: Any, *, draw: str, attempt: int = 0, view: Any = None, **rest: Any):
        text = await self.roles[role]([dict(m) for m in messages], session=None, item=dict(view or {}))
        usage = Usage(input=sum(len(m["content"]) for m in messages) // 4 + 1, output=len(text) // 4 + 1)
        reply = Reply(text, model=f"known-{role}", usage=usage)
        self.calls.append({"role": role, "draw": draw, "attempt": attempt, **_facts(reply)})
        return reply


def done(
    result: Mapping[str, Any], calls: Any, *, policy: str, replicate: int, base: str = "T", student: str = "S"
) -> Done:
    roles = {"student": student, **({"tutor": base} if base else {})}
    key = "|".join(["session", *(f"{k}={v}" for k, v in sorted(roles.items())), f"policy={policy}"])
    return Done(key, roles, {"policy": policy}, f"session~{replicate}", "session", replicate, result, calls)


def _facts(reply: Reply) -> dict[str, Any]:
    facts = reply.record()
    del facts["text"]
    return facts


__all__ = ["FIVE", "Recording", "ScriptedSpeak", "done", "problem"]

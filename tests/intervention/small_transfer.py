"""Small runs up to the next problem, played in this process by scripted models."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tutorscope.intervention.instrument import INTERVENTION
from tutorscope.intervention.problems import Problem
from tutorscope.intervention.tasks import game_stages
from tutorscope.intervention.transfer_tasks import transfer_stages
from tutorscope.models.scripted import Asked, ScriptedSpeak
from tutorscope.runs.folder import RunFolder
from tutorscope.runs.inputs import Item
from tutorscope.runs.keeping import with_kept
from tutorscope.runs.plan import Job
from tutorscope.runs.stages import Cell, Done, Unit, fingerprint

GAME: dict[str, Any] = {
    "game": True,
    "condition": ["standard"],
    "increment": ["50"],
    "variant": ["plain"],
    "replicates": 1,
    "ask_at_end": False,
    "lookahead": "1",
    "traces": [],
}
NEXT: dict[str, Any] = {"transfer": True, "seed": 0, "groups": "1", "limit": None}
ROLES = {"student": ["S"], "tutor": ["T"], "judge": ["J"], "builder": ["B"]}

TRACE = "I think about the riddle for a while, and then for a while longer, until it comes to me."
Script = Callable[[Cell, str, str, str], str]
"""From the cell, the role, the whole request and the draw to a reply."""


def teaser(name: str = "p1", question: str = "What has a bed and never sleeps?", **more: Any) -> Problem:
    return Problem(id=name, domain="teasers", question=question, reference="a river", title="Asleep", **more)


def ask(options: Mapping[str, Any], **roles: Sequence[str]) -> dict[str, Any]:
    return {"options": dict(options), "roles": {**ROLES, **roles}}


def candidate(text: str) -> str:
    return json.dumps({"title": "New", "question": text, "reference": "an echo"})


def usual(cell: Cell, role: str, request: str, draw: str) -> str:
    """Reply so that everything works: tutors step in at once, students are right with help and alone, judges agree."""
    match cell.stage:
        case "skill":
            return json.dumps({"skill": f"skill {'two' if 'second' in request else 'one'}", "reason": "Because."})
        case "skill-groups":
            return json.dumps({"groups": [{"name": "Everyday things", "members": ["skill_one", "skill_two"]}]})
        case "skill-group":
            return json.dumps({"group": "Everyday things"})
        case "variant":
            old = "second" if "second" in request else "first"
            return candidate(f"New riddle {draw} after the {old}?")
        case "variant-check":
            return json.dumps({"solves": True, "why": "It does."} if "solution" in draw else {"needs": True})
        case "standard":
            return "Intervene: Yes\nMessage: Think of water."
        case "baseline-grade" | "continue-grade" | "transfer-grade":
            return json.dumps({"correct": True, "why": "It fits."})
    return f"Reasoning: {TRACE}\nFinal answer: a river"


def answer(role: str, messages: Sequence[Any], draw: str, attempt: int) -> str:
    """Reply as ``usual`` does, for whole runs: a scripted model that plays every role, told apart by role and draw."""
    stages = {"skill": "skill", "group": "skill-group", "solve": "baseline", "go on": "continue", "k1": "standard"}
    stage = "transfer-grade" if role == "judge" else stages.get(draw, "")
    if role == "builder" and not stage:
        stage = "skill-groups" if draw.startswith("groups") else "variant-check" if " " in draw else "variant"
    return usual(Cell(stage), role, "\n".join(one["content"] for one in messages), draw)


class Played:
    """A run as far as it was played: its job, what is done, and what was asked."""

    def __init__(self, folder: Path, asks: Sequence[Mapping[str, Any]], problems: Sequence[Problem] = ()) -> None:
        items = [Item(one.id, fingerprint(one.data()), one.data()) for one in problems or [teaser()]]
        self.items: dict[str, list[Item]] = {}
        for item in items:
            self.items.setdefault(f"problems/{item.data['domain']}", []).append(item)
        self.folder = folder
        self.asks = list(asks)
        self.done: dict[str, dict[tuple[str, str], Done]] = {}
        self.asked: list[tuple[Cell, Unit, Asked]] = []

    @property
    def job(self) -> Job:
        return Job(RunFolder(self.folder), INTERVENTION, self.asks, {}, self.items)

    def __call__(self, stage: str) -> list[Done]:
        return list(self.done.get(stage, {}).values())

    def add(self, *problems: Problem) -> None:
        for one in problems:
            held = self.items.setdefault(f"problems/{one.domain}", [])
            held.append(Item(one.id, fingerprint(one.data()), one.data()))

    def play(self, script: Script = usual) -> Played:
        """Do all that is owed, stage by stage, and forget what was asked before."""
        self.asked = []
        for stage in (*game_stages(), *transfer_stages()):
            held = self.done.setdefault(stage.name, {})
            cells: dict[str, Cell] = {}
            for one in self.asks:
                for cell in stage.cells({**one["options"], "prompts": None}, one["roles"]):
                    if cell.key not in cells or cells[cell.key].replicates < cell.replicates:
                        cells[cell.key] = cell
            for key, cell in cells.items():
                owed = [unit for unit in stage.units(self.job, cell, self) if (key, unit.id) not in held]
                if owed and stage.gate and stage.gate(self.job, cell, self):
                    continue
                rule = stage.rule(self.job, cell) if owed else None
                for unit in owed:
                    held[key, unit.id] = self._do(rule, cell, unit, script)
            self.items = {
                name: list(items) for name, items in with_kept(self.job, stage, cells.values(), self)[0].items.items()
            }
        return self

    def _do(self, rule: Any, cell: Cell, unit: Unit, script: Script) -> Done:
        def reply(role: str, messages: Sequence[Any], draw: str, attempt: int) -> str:
            return script(cell, role, "\n".join(one["content"] for one in messages), draw)

        speak = ScriptedSpeak(reply)

        async def embed(texts: Sequence[str]) -> Any:
            raise AssertionError("nobody embeds here")

        result = asyncio.run(rule(unit, speak, embed))
        self.asked += [(cell, unit, one) for one in speak.asked]
        plain = json.loads(json.dumps(result))
        return Done(cell.key, cell.roles, cell.condition, unit.id, unit.item, unit.replicate, plain, ())

    def requests(self, stage: str, **condition: Any) -> list[str]:
        """Give the whole requests of a stage's cells with these conditions."""
        return [
            "\n".join(one["content"] for one in asked.messages)
            for cell, _, asked in self.asked
            if cell.stage == stage and all(cell.condition.get(name) == value for name, value in condition.items())
        ]

    def calls(self) -> dict[str, int]:
        """Count what was asked, by stage."""
        found: dict[str, int] = {}
        for cell, _, _ in self.asked:
            found[cell.stage] = found.get(cell.stage, 0) + 1
        return found

"""The plan: what a run was asked, each time, and what that adds up to."""

from __future__ import annotations

import importlib.metadata
import json
import platform
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from tutorscope.errors import RefusedError, UserError
from tutorscope.models.speakers import Speaker
from tutorscope.runs.folder import RunFolder
from tutorscope.runs.inputs import InputSet, Item, added_items, append_items, read_items, trim_torn_line
from tutorscope.runs.instrument import Ask, Instrument
from tutorscope.runs.stages import Cell, Stage
from tutorscope.texts.templates import check_overrides

PROMPTS = "prompts"
SCHEMA = 1


@dataclass(frozen=True)
class Limits:
    """How hard to push, and what never decides identity."""

    max_connections: int = 20
    attempt_timeout: int = 120
    max_retries: int = 6


@dataclass(frozen=True)
class Job:
    """All that a run was asked so far, taken together.

    Parameters
    ----------
    folder : RunFolder
    instrument : Instrument
    asks : sequence of mapping
        Each ask's options and the names that played each role in it.
    speakers : mapping
        Role to name to Speaker; the latest record of a name wins, since its address may have moved.
    items : mapping
        Input set to its items: those under ``inputs/`` and, before they are written, those now asked.
    facts : mapping
        Input set to what the plan says of it (the latest).
    prompts : Path or None
        The folder of the user's own templates.
    limits : Limits
    """

    folder: RunFolder
    instrument: Instrument
    asks: Sequence[Mapping[str, Any]]
    speakers: Mapping[str, Mapping[str, Speaker]]
    items: Mapping[str, Sequence[Item]]
    facts: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    prompts: Path | None = None
    limits: Limits = field(default_factory=Limits)

    @cached_property
    def stages(self) -> Sequence[Stage]:
        """The instrument's stages, in order."""
        return tuple(self.instrument.stages())

    def cells(self, stage: Stage) -> list[Cell]:
        """Give a stage's cells: the union over all asks, with the largest number of replicates of each."""
        union: dict[str, Cell] = {}
        for ask in self.asks:
            for cell in stage.cells({**ask["options"], PROMPTS: self.prompts}, ask["roles"]):
                cell = self._identified(cell)
                held = union.get(cell.key)
                if held is not None and held.made_of != cell.made_of:
                    changed = _first_difference(held.made_of, cell.made_of)
                    raise RefusedError(f"{cell.key}: {changed}; undo the change, or start another run")
                if held is None or held.replicates < cell.replicates:
                    union[cell.key] = cell
        return list(union.values())

    def speaker(self, role: str, name: str) -> Speaker:
        """Give the model that plays a role under a name."""
        return self.speakers[role][name]

    def everyone(self) -> list[Speaker]:
        """Give all speakers of all roles."""
        return [speaker for named in self.speakers.values() for speaker in named.values()]

    def _identified(self, cell: Cell) -> Cell:
        made_of = {"instrument version": str(self.instrument.version), **cell.made_of}
        for role, name in cell.roles.items():
            made_of.update(self.speaker(role, name).made_of())
        return replace(cell, made_of=made_of)


def read_plan(folder: RunFolder) -> list[dict[str, Any]]:
    """Read the plan's lines, leaving out a torn last one (it was never acted on)."""
    if not folder.plan.exists():
        return []
    lines = folder.plan.read_bytes().split(b"\n")[:-1]
    plan = [json.loads(line) for line in lines if line]
    newest = max((line["schema"] for line in plan), default=SCHEMA)
    if newest > SCHEMA:
        raise UserError(f"{folder.plan}: written by a newer tutorscope (schema {newest}, this one knows {SCHEMA})")
    return plan


def instrument_of(folder: RunFolder) -> str:
    """Give the name of the instrument that a run belongs to."""
    plan = read_plan(folder)
    if not plan:
        raise UserError(f"{folder.plan}: holds no whole line: nothing was asked of this run yet")
    return str(plan[0]["instrument"])


def draft(
    folder: RunFolder,
    instrument: Instrument,
    ask: Ask | None = None,
    speakers: Iterable[Speaker] = (),
    limits: Limits | None = None,
    prompts: Path | None = None,
) -> Job:
    """Put what a run was asked before and what is asked now together, writing nothing.

    Parameters
    ----------
    folder : RunFolder
    instrument : Instrument
    ask : Ask, optional
        None takes the run up as it stands.
    speakers : iterable of Speaker
        Those named now.
    limits : Limits, optional
    prompts : Path, optional
        A folder of templates in place of ours.

    Raises
    ------
    RefusedError
        Something that the run was made from has changed; the message names the field.
    UserError
        A template that replaces none of ours, or a run of another instrument.
    """
    plan = read_plan(folder)
    if prompts is not None:
        check_overrides(prompts, instrument.prompts)
    if plan and plan[0]["instrument"] != instrument.name:
        raise UserError(f"{folder.path}: is a run of {plan[0]['instrument']!r}, not of {instrument.name!r}")
    named = list(speakers)
    asks = [{"options": line["options"], "roles": line["roles"]} for line in plan]
    if ask is not None:
        asks.append({"options": dict(ask.options), "roles": _roles(plan, named)})
    job = Job(
        folder=folder,
        instrument=instrument,
        asks=_distinct(asks),
        speakers=_speakers(plan, named),
        items=_items(folder, plan, ask.inputs if ask else ()),
        facts=_facts(plan, ask.inputs if ask else ()),
        prompts=prompts or _own_prompts(folder),
        limits=limits or Limits(),
    )
    _refuse_changes(plan, job)
    return job


def record(job: Job, ask: Ask, speakers: Iterable[Speaker]) -> None:
    """Write an ask down: first the inputs, then the line in the plan that makes them count."""
    for given in ask.inputs:
        path = job.folder.inputs / f"{given.name}.jsonl"
        append_items(path, added_items(list(read_items(path)), given.items, given.name))
    if job.prompts and job.prompts != _own_prompts(job.folder):
        own = job.folder.inputs / PROMPTS
        own.mkdir(parents=True, exist_ok=True)
        for template in sorted(job.prompts.glob("*.md")):
            (own / template.name).write_bytes(template.read_bytes())
    named = list(speakers)
    line = {
        "schema": SCHEMA,
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        "instrument": job.instrument.name,
        "instrument_version": job.instrument.version,
        "options": dict(ask.options),
        "roles": _roles(read_plan(job.folder), named),
        "speakers": [speaker.record() for speaker in named],
        "inputs": {given.name: dict(given.facts) for given in ask.inputs},
        "cells": {cell.key: dict(cell.made_of) for stage in job.stages for cell in job.cells(stage)},
        "limits": {
            "max_connections": job.limits.max_connections,
            "attempt_timeout": job.limits.attempt_timeout,
            "max_retries": job.limits.max_retries,
        },
        "packages": {
            "python": platform.python_version(),
            "tutorscope": importlib.metadata.version("tutorscope"),
            "inspect_ai": importlib.metadata.version("inspect_ai"),
        },
    }
    job.folder.path.mkdir(parents=True, exist_ok=True)
    with job.folder.plan.open("ab+") as out:
        trim_torn_line(out)
        out.write(json.dumps(line, ensure_ascii=True).encode("ascii") + b"\n")


def _roles(plan: Sequence[Mapping[str, Any]], named: Sequence[Speaker]) -> dict[str, list[str]]:
    """Give each role's names: those named now, and for a role that is not named now those of the last ask."""
    roles: dict[str, list[str]] = {}
    for speaker in named:
        roles.setdefault(speaker.role, []).append(speaker.name)
    return {**(plan[-1]["roles"] if plan else {}), **roles}


def _speakers(plan: Sequence[Mapping[str, Any]], named: Sequence[Speaker]) -> dict[str, dict[str, Speaker]]:
    """Collect speakers by role and name: the latest record wins, and those named now win over all."""
    found: dict[str, dict[str, Speaker]] = {}
    for line in plan:
        for raw in line["speakers"]:
            speaker = Speaker.from_record(raw)
            found.setdefault(speaker.role, {})[speaker.name] = speaker
    for speaker in named:
        before = found.get(speaker.role, {}).get(speaker.name)
        if before is not None and before.made_of() != speaker.made_of():
            changed = _first_difference(before.made_of(), speaker.made_of())
            raise RefusedError(
                f"{speaker.role} {speaker.name!r}: {changed}; give it another name, or start another run"
            )
        found.setdefault(speaker.role, {})[speaker.name] = speaker
    return found


def _items(folder: RunFolder, plan: Sequence[Mapping[str, Any]], given: Sequence[InputSet]) -> dict[str, list[Item]]:
    """Read the sets that the plan names: what a killed process wrote before its line in the plan does not count yet."""
    names = {name for line in plan for name in line["inputs"]}
    items = {name: list(read_items(folder.inputs / f"{name}.jsonl")) for name in sorted(names)}
    for asked in given:
        held = items.get(asked.name, [])
        items[asked.name] = held + added_items(held, asked.items, asked.name)
    return items


def _facts(plan: Sequence[Mapping[str, Any]], given: Sequence[InputSet]) -> dict[str, Mapping[str, Any]]:
    facts: dict[str, Mapping[str, Any]] = {}
    for line in plan:
        facts.update(line["inputs"])
    facts.update({asked.name: asked.facts for asked in given})
    return facts


def _own_prompts(folder: RunFolder) -> Path | None:
    own = folder.inputs / PROMPTS
    return own if own.is_dir() else None


def _refuse_changes(plan: Sequence[Mapping[str, Any]], job: Job) -> None:
    made: dict[str, Mapping[str, str]] = {}
    for line in plan:
        for key, made_of in line["cells"].items():
            made.setdefault(key, made_of)
    for stage in job.stages:
        for cell in job.cells(stage):
            before = made.get(cell.key)
            if before is not None and before != cell.made_of:
                changed = _first_difference(before, cell.made_of)
                raise RefusedError(
                    f"{job.folder.path}: {cell.key}: {changed}; what was made stays what it was: undo the change, "
                    "or start another run"
                )


def _first_difference(before: Mapping[str, str], now: Mapping[str, str]) -> str:
    for name in sorted({*before, *now}):
        if before.get(name) != now.get(name):
            return f"{name} was {before.get(name, 'not set')} and is {now.get(name, 'not set')} now"
    raise AssertionError("nothing differs")


def _distinct(asks: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    seen: dict[str, Mapping[str, Any]] = {}
    for ask in asks:
        seen.setdefault(json.dumps(ask, sort_keys=True), ask)
    return list(seen.values())

"""The plan: what a run was asked, each time, and what that adds up to."""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import platform
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from tutorscope.errors import RefusedError, UserError
from tutorscope.models.speakers import Speaker
from tutorscope.runs.families import family_warnings
from tutorscope.runs.folder import RunFolder
from tutorscope.runs.inputs import InputSet, Item, added_items, append_items, read_items
from tutorscope.runs.instrument import Ask, Instrument
from tutorscope.runs.lines import append_lines, read_lines
from tutorscope.runs.prompts import keep, kept, overlaid
from tutorscope.runs.stages import Cell, Stage
from tutorscope.texts.templates import check_overrides
from tutorscope.texts.words import counted

PROMPTS = "prompts"
SCHEMA = 1
FIELDS = ("schema", "instrument", "options", "roles", "speakers", "inputs", "fixed", "held", "prompts", "cells")


@dataclass(frozen=True)
class Limits:
    """How hard to push, and what never decides identity."""

    max_connections: int = 20
    attempt_timeout: int = 120
    max_retries: int = 6
    processes: int = 1


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
    prompts : Path or None
        The folder of the user's own templates.
    limits : Limits
    """

    folder: RunFolder
    instrument: Instrument
    asks: Sequence[Mapping[str, Any]]
    speakers: Mapping[str, Mapping[str, Speaker]]
    items: Mapping[str, Sequence[Item]]
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
                    raise RefusedError(f"{cell.title}: {changed}; undo the change, or start another run")
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
    plan = list(read_lines(folder.plan))
    for number, line in enumerate(plan, 1):
        lacking = [name for name in FIELDS if name not in line]
        if lacking:
            raise UserError(
                f"{folder.plan}: line {number} lacks {lacking[0]!r}: it was damaged, or written by an older tutorscope"
            )
    newest = max((line["schema"] for line in plan), default=SCHEMA)
    if newest > SCHEMA:
        raise UserError(f"{folder.plan}: written by a newer tutorscope (schema {newest}, this one knows {SCHEMA})")
    return plan


def instrument_of(folder: RunFolder) -> str:
    """Give the name of the instrument that a run belongs to."""
    plan = read_plan(folder)
    if not plan:
        begun = any(folder.calls.glob("*.jsonl")) or any(folder.logs.rglob("*.eval"))
        lost = "it was cut short; bring the file back" if begun else "nothing was asked of this run yet"
        raise UserError(f"{folder.plan}: holds no whole line: {lost}")
    return str(plan[0]["instrument"])


def draft(
    folder: RunFolder,
    instrument: Instrument,
    asks: Sequence[Ask] = (),
    speakers: Iterable[Speaker] = (),
    limits: Limits | None = None,
    prompts: Path | None = None,
    *,
    to_read: bool = False,
) -> Job:
    """Put what a run was asked before and what is asked now together, writing nothing.

    Parameters
    ----------
    folder : RunFolder
    instrument : Instrument
    asks : sequence of Ask
        None takes the run up as it stands.
    speakers : iterable of Speaker
        Those named now.
    limits : Limits, optional
    prompts : Path, optional
        A folder of templates in place of ours.
    to_read : bool
        Only to look at the run: one that an older version made is not refused.

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
    before = [{"options": line["options"], "roles": line["roles"]} for line in plan]
    now = [{"options": dict(ask.options), "roles": _roles(plan, named)} for ask in asks]
    given = [one for ask in asks for one in ask.inputs]
    _refuse_fixed(plan, given)
    job = Job(
        folder=folder,
        instrument=instrument,
        asks=_distinct([*before, *now]),
        speakers=_speakers(plan, named),
        items=_items(folder, plan, given),
        prompts=overlaid(_own_prompts(folder, plan), prompts),
        limits=limits or Limits(),
    )
    if not to_read:
        _refuse_changes(plan, job)
        # Only what is asked now can be refused: what a run was asked before stays readable.
        for line in instrument.conflicts(job) if asks else ():
            raise RefusedError(f"{folder.path}: {line}")
    return job


def record(job: Job, asks: Sequence[Ask], speakers: Iterable[Speaker]) -> None:
    """Write asks down: first inputs and prompts, then the line in the plan that makes them count.

    A kill in between leaves items that no plan counts: they are cut off before anything is appended again.
    """
    named = list(speakers)
    for ask in asks:
        plan = read_plan(job.folder)
        counts, hashes = _counts(plan), _hashes(plan)
        for given in ask.inputs:
            path = job.folder.inputs / f"{given.name}.jsonl"
            count, digest = counts.get(given.name, 0), hashlib.sha256()
            added = added_items(list(_verified(job.folder, plan, given.name, digest)), given.items, given.name)
            append_items(path, added, count, digest.update)
            counts[given.name], hashes[given.name] = count + len(added), digest.hexdigest()
        cells = [cell for stage in job.stages for cell in job.cells(stage)]
        line = {
            "schema": SCHEMA,
            "time": datetime.now(UTC).isoformat(timespec="seconds"),
            "instrument": job.instrument.name,
            "instrument_version": job.instrument.version,
            "options": dict(ask.options),
            "roles": _roles(plan, named),
            "speakers": [speaker.record() for speaker in named],
            "inputs": {given.name: dict(given.facts) for given in ask.inputs},
            "fixed": {given.name: dict(given.fixed) for given in ask.inputs},
            "held": counts,
            "held_sha256": hashes,
            "prompts": keep(job.folder, job.prompts),
            "cells": {cell.key: dict(cell.made_of) for cell in cells},
            "replicates": {cell.key: cell.replicates for cell in cells},
            "limits": asdict(job.limits),
            "warnings": family_warnings(job.everyone()),
            # Whether anybody had been asked anything by then: what a freeze must come before.
            "begun": any(job.folder.calls.glob("*.jsonl")),
            "packages": {
                "python": platform.python_version(),
                "tutorscope": importlib.metadata.version("tutorscope"),
                "inspect_ai": importlib.metadata.version("inspect_ai"),
            },
        }
        append_lines(job.folder.plan, [line])


def held_items(folder: RunFolder, plan: Sequence[Mapping[str, Any]], name: str) -> Iterator[Item]:
    """Read an input set as far as the plan counts it, and hold its lines to the hash that the plan has of them.

    The lines are hashed as they are read: who reads only the first items learns nothing about the others.

    Raises
    ------
    UserError
        The file holds fewer items than the plan counts, or other ones.
    """
    return _verified(folder, plan, name, hashlib.sha256())


def check_inputs(folder: RunFolder, plan: Sequence[Mapping[str, Any]]) -> None:
    """Hold all input sets to the plan's hashes; those that this process has read as they are now were held already.

    Raises
    ------
    UserError
        A file holds fewer lines than the plan counts, or other ones.
    """
    for name in _hashes(plan):
        if _as_it_is(folder.inputs / f"{name}.jsonl", _counts(plan)[name]) not in _held_to_the_plan:
            for _ in held_items(folder, plan, name):
                pass


_held_to_the_plan: set[tuple[str, int, int, int]] = set()
"""What this process has read and found to be what a plan counts: a file as it was then, and how many lines of it."""


def _as_it_is(path: Path, count: int) -> tuple[str, int, int, int]:
    facts = path.stat() if path.exists() else None
    return str(path.resolve()), facts.st_size if facts else 0, facts.st_mtime_ns if facts else 0, count


def _verified(folder: RunFolder, plan: Sequence[Mapping[str, Any]], name: str, digest: hashlib._Hash) -> Iterator[Item]:
    path, count = folder.inputs / f"{name}.jsonl", _counts(plan).get(name, 0)
    before = _as_it_is(path, count)
    found = 0
    for item in read_items(path, count, digest.update):
        found += 1
        yield item
    if found < count:
        raise UserError(f"{path}: holds {counted(found, 'item')}, and the plan counts {count}; bring the file back")
    expected = _hashes(plan).get(name)
    if expected is not None and digest.hexdigest() != expected:
        raise UserError(
            f"{path}: its lines are not those that the plan counted (sha256 {digest.hexdigest()[:16]}, expected "
            f"{expected[:16]}): bring the file back"
        )
    _held_to_the_plan.add(before)


def _counts(plan: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    return dict(plan[-1]["held"]) if plan else {}


def _hashes(plan: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Give the sha256 of each set's counted lines; a run that was begun without them has none until a set grows."""
    return dict(plan[-1].get("held_sha256", {})) if plan else {}


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
    items = {name: list(held_items(folder, plan, name)) for name in sorted(_counts(plan))}
    for asked in given:
        held = items.get(asked.name, [])
        items[asked.name] = held + added_items(held, asked.items, asked.name)
    return items


def _refuse_fixed(plan: Sequence[Mapping[str, Any]], given: Sequence[InputSet]) -> None:
    for asked in given:
        for line in plan:
            before = line["fixed"].get(asked.name, asked.fixed)
            if before != dict(asked.fixed):
                changed = _first_difference(before, asked.fixed)
                another = "give the new one another name, " if "/" in asked.name else ""
                raise RefusedError(
                    f"{asked.name}: {changed}; a run keeps what it began with: take that again, {another}or start "
                    "another run with another --out"
                )


def _own_prompts(folder: RunFolder, plan: Sequence[Mapping[str, Any]]) -> Path | None:
    return kept(folder, plan[-1]["prompts"]) if plan else None


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
                    f"{job.folder.path}: {cell.title}: {changed}; what was made stays what it was: undo the change, "
                    "or start another run"
                )


def _first_difference(before: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    for name in sorted({*before, *now}):
        if before.get(name) != now.get(name):
            return f"{name} was {before.get(name, 'not set')} and is {now.get(name, 'not set')} now"
    raise AssertionError("nothing differs")


def _distinct(asks: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    seen: dict[str, Mapping[str, Any]] = {}
    for ask in asks:
        seen.setdefault(json.dumps(ask, sort_keys=True), ask)
    return list(seen.values())

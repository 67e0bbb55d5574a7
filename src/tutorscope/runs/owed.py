"""What is owed: the units that the plan asks for and that no readable log holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tutorscope.errors import UserError
from tutorscope.models.speakers import require_named
from tutorscope.runs.plan import Job
from tutorscope.runs.results import Failed, StageLogs, read_stage
from tutorscope.runs.stages import Cell, Done, Stage, Unit


@dataclass(frozen=True)
class StageState:
    """Where a stage stands.

    Parameters
    ----------
    cells : mapping
        Cell key to cell.
    owed : mapping
        Cell key to the cell and the units that it owes.
    done : mapping
        Cell key to its finished units that the plan still asks for.
    failed : sequence of Failed
        Owed units whose last try erred.
    absent : mapping
        Cell key to why it cannot be worked on now: a function that was not named again.
    refused : mapping
        Cell key to why the stage's gate keeps it shut.
    unreadable : sequence of str
        Logs that could not be read.
    """

    cells: Mapping[str, Cell]
    owed: Mapping[str, tuple[Cell, Sequence[Unit]]]
    done: Mapping[str, Sequence[Done]]
    failed: Sequence[Failed]
    absent: Mapping[str, str]
    refused: Mapping[str, str]
    unreadable: Sequence[str]


class Upstreams:
    """The finished units of stages, read once each."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._logs: dict[str, StageLogs] = {}

    def __call__(self, stage: str) -> Sequence[Done]:
        """Give a stage's finished units."""
        return self.logs(stage).done

    def logs(self, stage: str) -> StageLogs:
        """Give all that a stage's logs hold."""
        if stage not in self._logs:
            self._logs[stage] = read_stage(self._job.folder, stage)
        return self._logs[stage]

    def forget(self, stage: str) -> None:
        """Read the stage anew next time: it has grown."""
        self._logs.pop(stage, None)


def stage_state(job: Job, stage: Stage, upstreams: Upstreams) -> StageState:
    """Compare what a stage was asked with what its logs hold."""
    logs = upstreams.logs(stage.name)
    held: dict[tuple[str, str], Done] = {(d.cell, d.unit): d for d in logs.done}
    cells = {cell.key: cell for cell in job.cells(stage)}
    owed: dict[str, tuple[Cell, Sequence[Unit]]] = {}
    done: dict[str, Sequence[Done]] = {}
    absent: dict[str, str] = {}
    refused: dict[str, str] = {}
    open_units: set[tuple[str, str]] = set()
    for key, cell in cells.items():
        units = list(stage.units(job, cell, upstreams))
        missing = [unit for unit in units if (key, unit.id) not in held]
        owed[key] = (cell, missing)
        done[key] = [held[key, unit.id] for unit in units if (key, unit.id) in held]
        open_units.update((key, unit.id) for unit in missing)
        if missing and (why := _absent(job, cell)):
            absent[key] = why
        if missing and stage.gate is not None and (why := stage.gate(job, cell, upstreams)):
            refused[key] = why
    failed = [f for f in logs.failed if (f.cell, f.unit) in open_units]
    return StageState(cells, owed, done, failed, absent, refused, logs.unreadable)


def _absent(job: Job, cell: Cell) -> str:
    for role, name in cell.roles.items():
        speaker = job.speaker(role, name)
        try:
            require_named(speaker)
        except UserError as problem:
            return str(problem)
    return ""

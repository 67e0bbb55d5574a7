"""What is owed: the units that the plan asks for and that no readable log holds."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from tutorscope.models.speakers import Speaker, unnamed
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
        Cell key to those without whom it cannot be worked on, now or once the cells ahead of it are done: functions
        and senders of secrets that were not named again.
    refused : mapping
        Cell key to why the stage's gate keeps it shut for good.
    waiting : mapping
        Cell key to what the gate says while the cells ahead of it still owe units: its last word comes after them.
    unsettled : collection of str
        The keys of cells that owe units, or may once the cells ahead of them are done.
    unreadable : sequence of str
        Logs that could not be read.
    """

    cells: Mapping[str, Cell]
    owed: Mapping[str, tuple[Cell, Sequence[Unit]]]
    done: Mapping[str, Sequence[Done]]
    failed: Sequence[Failed]
    absent: Mapping[str, Sequence[Speaker]]
    refused: Mapping[str, str]
    waiting: Mapping[str, str]
    unsettled: Collection[str]
    unreadable: Sequence[str]


class Upstreams:
    """The finished units of stages, read once each, and the last state of each stage that was looked at."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._logs: dict[str, StageLogs] = {}
        self.states: dict[str, StageState] = {}

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
    """Compare what a stage was asked with what its logs hold. Look at the stages ahead of it first."""
    logs = upstreams.logs(stage.name)
    held: dict[tuple[str, str], Done] = {(d.cell, d.unit): d for d in logs.done}
    cells = {cell.key: cell for cell in job.cells(stage)}
    owed: dict[str, tuple[Cell, Sequence[Unit]]] = {}
    done: dict[str, Sequence[Done]] = {}
    absent: dict[str, Sequence[Speaker]] = {}
    refused: dict[str, str] = {}
    waiting: dict[str, str] = {}
    unsettled: set[str] = set()
    open_units: set[tuple[str, str]] = set()
    for key, cell in cells.items():
        units = list(stage.units(job, cell, upstreams))
        missing = [unit for unit in units if (key, unit.id) not in held]
        owed[key] = (cell, missing)
        done[key] = [held[key, unit.id] for unit in units if (key, unit.id) in held]
        open_units.update((key, unit.id) for unit in missing)
        ahead = _unsettled_ahead(stage, cell, upstreams)
        if missing and stage.gate is not None and (why := stage.gate(job, cell, upstreams)):
            (waiting if ahead else refused)[key] = why
        if ahead or (missing and key not in refused):
            unsettled.add(key)
            if who := [one for role, name in cell.roles.items() if unnamed(one := job.speaker(role, name))]:
                absent[key] = who
    failed = [f for f in logs.failed if (f.cell, f.unit) in open_units]
    state = StageState(cells, owed, done, failed, absent, refused, waiting, unsettled, logs.unreadable)
    upstreams.states[stage.name] = state
    return state


def _unsettled_ahead(stage: Stage, cell: Cell, upstreams: Upstreams) -> bool:
    """Tell whether a cell that this one derives from, one whose roles its own do not contradict, is unsettled."""
    return any(
        all(cell.roles.get(role, name) == name for role, name in state.cells[key].roles.items())
        for name in stage.after
        if (state := upstreams.states.get(name)) is not None
        for key in state.unsettled
    )

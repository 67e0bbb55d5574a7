"""Doing what is owed, stage by stage."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tutorscope.errors import UserError
from tutorscope.runs.door import Door
from tutorscope.runs.evaluate import evaluate, reach
from tutorscope.runs.journal import Journal, held_replies
from tutorscope.runs.keeping import keep_made, lacking
from tutorscope.runs.owed import Upstreams, stage_state
from tutorscope.runs.plan import Job
from tutorscope.runs.progress import Meter
from tutorscope.runs.stages import Cell, Stage


@dataclass(frozen=True)
class Outcome:
    """How a run ended.

    Parameters
    ----------
    done, owed : int
        Units, over all stages.
    failed : mapping
        Reason to how many units erred for it.
    waiting : sequence of str
        Cells that cannot go on, each with why.
    unreadable : sequence of str
        Logs that could not be read, each with why: what they held is owed again.
    interrupted : bool
        The user stopped it.
    refused : sequence of str
        Why a stage's gate kept cells shut, each reason once.
    unnamed : sequence of str
        Who plays a role of owed units, runs code or sends secrets, and was not named in this invocation; each once.
    """

    done: int
    owed: int
    failed: Mapping[str, int] = field(default_factory=dict)
    waiting: Sequence[str] = ()
    unreadable: Sequence[str] = ()
    interrupted: bool = False
    refused: Sequence[str] = ()
    unnamed: Sequence[str] = ()

    @property
    def complete(self) -> bool:
        """Nothing is owed."""
        return not self.owed and not self.waiting


def execute(job: Job, meter: Meter) -> Outcome:
    """Do all that the run owes. The caller holds the lock.

    Raises
    ------
    UserError
        A stateful model where calls must be stateless, or a served model that changed.
    """
    for stage in job.stages:
        _refuse_stateful(job, stage)
    upstreams = Upstreams(job)
    unfinished: set[str] = set()
    waiting: list[str] = []
    for stage in job.stages:
        state = stage_state(job, stage, upstreams)
        # What a start before this one made may be without its file.
        job = keep_made(job, stage, state.cells.values(), upstreams)
        if stage.whole and unfinished.intersection(stage.after):
            unfinished.add(stage.name)
            continue
        shut = {*state.absent, *state.refused}
        ready = {key: (cell, units) for key, (cell, units) in state.owed.items() if units and key not in shut}
        owed = {key: (cell, units) for key, (cell, units) in ready.items() if _reached(job, cell, waiting)}
        if shut:
            unfinished.add(stage.name)
        if not owed:
            continue
        names = [(key, unit.id) for key, (_, units) in owed.items() for unit in units]
        journal = Journal(job.folder.calls, stage.name)
        held = held_replies(job.folder.calls, stage.name, names)
        door = Door(job, stage, journal, held, _served(job, upstreams), meter)
        meter.begin(stage.name, len(names))
        try:
            finished = evaluate(job, stage, owed, door)
        finally:
            journal.close()
            meter.end()
        if door.stopped:
            raise UserError(f"{job.folder.path}: stopped: {door.stopped}")
        upstreams.forget(stage.name)
        if not finished:
            return _outcome(job, upstreams, waiting, interrupted=True)
        job = keep_made(job, stage, state.cells.values(), upstreams)
        if any(units for _, units in stage_state(job, stage, upstreams).owed.values()):
            unfinished.add(stage.name)
    return _outcome(job, upstreams, waiting)


def _reached(job: Job, cell: Cell, waiting: list[str]) -> bool:
    """Tell whether a cell's models can be used here; one without its key must not hold the others up."""
    try:
        for role, name in cell.roles.items():
            reach(job, role, name)
    except UserError as problem:
        waiting.append(f"{cell.key}: {problem}")
        return False
    return True


def _outcome(job: Job, upstreams: Upstreams, unreached: Sequence[str], *, interrupted: bool = False) -> Outcome:
    done = owed = 0
    failed: Counter[str] = Counter()
    waiting = list(unreached)
    refused: dict[str, None] = {}
    unnamed: dict[str, None] = {}
    unreadable: list[str] = []
    for stage in job.stages:
        state = stage_state(job, stage, upstreams)
        unreadable += state.unreadable
        done += sum(len(units) for units in state.done.values())
        owed += sum(len(units) for _, units in state.owed.values())
        failed.update(f.reason for f in state.failed)
        waiting += [f"{key}: {why}" for key, why in lacking(job, stage, state.cells.values(), upstreams).items()]
        refused.update(dict.fromkeys(state.refused.values()))
        unnamed.update(dict.fromkeys(state.absent.values()))
    return Outcome(done, owed, dict(failed), waiting, unreadable, interrupted, list(refused), list(unnamed))


def _served(job: Job, upstreams: Upstreams) -> dict[tuple[str, str], str]:
    """Give, for each role and name, the model that served it first, over all stages that hold to it."""
    served: dict[tuple[str, str], str] = {}
    for stage in job.stages:
        for unit in upstreams(stage.name) if stage.hold_served else ():
            for call in unit.calls:
                if call["model"] and call["role"] in unit.roles:
                    served.setdefault((call["role"], unit.roles[call["role"]]), call["model"])
    return served


def _refuse_stateful(job: Job, stage: Stage) -> None:
    if not stage.stateless:
        return
    for cell in job.cells(stage):
        for role, name in cell.roles.items():
            if job.speaker(role, name).stateful:
                raise UserError(
                    f"{role} {name!r} says that it is stateful, but the calls of stage {stage.name!r} must not "
                    "depend on each other; use a stateless one"
                )

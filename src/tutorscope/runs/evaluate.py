"""The adapter to Inspect: owed units become samples, cells become tasks, one ``eval()`` a stage. Decides nothing."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from tutorscope.models.asking import connect
from tutorscope.models.functions import FunctionError
from tutorscope.models.speaking import NoReplyError
from tutorscope.runs.door import CallError, Door, StoppedError
from tutorscope.runs.plan import Job
from tutorscope.runs.results import CALLS, CELL, ERROR, RESULT, UNIT
from tutorscope.runs.stages import Cell, Owed, Stage, Unit
from tutorscope.texts.plain import shorten, strip_controls


def evaluate(job: Job, stage: Stage, owed: Owed, door: Door) -> bool:
    """Work through a stage's owed units.

    Parameters
    ----------
    job : Job
    stage : Stage
    owed : mapping
        Cell key to the cell and its owed units.
    door : Door
        The way to the models.

    Returns
    -------
    bool
        False if the user stopped it.
    """
    from inspect_ai import eval as inspect_eval

    limits = job.limits
    tasks = [_task(job, stage, cell, units, door) for cell, units in owed.values()]
    # A stateful model's unit cannot be replayed: it is flushed at once.
    stateful = any(job.speaker(*played).stateful for cell, _ in owed.values() for played in cell.roles.items())
    largest = max(len(units) for _, units in owed.values())
    logs = inspect_eval(
        tasks,
        model=None,
        log_dir=str(job.folder.logs / stage.name),
        log_format="eval",
        # With log_realtime a killed run's finished samples can come back without their store. Each flush copies the
        # whole log, so the buffer grows with the cell: what a kill takes is replayed from the journal, unpaid.
        log_realtime=False,
        log_buffer=1 if stateful else max(1, math.ceil(largest / 100)),
        max_tasks=len(tasks),
        max_samples=limits.max_connections,
        max_connections=limits.max_connections,
        fail_on_error=False,
        retry_on_error=0,
        score=False,
        display="none",
        log_level="error",
        acp_server=False,
        ctl_server=False,
    )
    # A user who stops it early gets no log back at all.
    return len(logs) == len(tasks) and all(log.status != "cancelled" for log in logs)


def reach(job: Job, role: str, name: str) -> Any:
    """Connect who plays a role, or None for an embedder: that one has a door of its own.

    Raises
    ------
    UserError
        A key, a client, a file or a variable is not there, or code of the user was not named in this invocation.
    """
    if role == "embedder":
        return None
    return connect(
        job.speaker(role, name),
        max_connections=job.limits.max_connections,
        attempt_timeout=job.limits.attempt_timeout,
        max_retries=job.limits.max_retries,
    )


def _task(job: Job, stage: Stage, cell: Cell, units: Sequence[Unit], door: Door) -> Any:
    from inspect_ai import Task
    from inspect_ai.dataset import MemoryDataset, Sample

    samples = [
        Sample(id=unit.id, input=unit.id, metadata={UNIT: {"item": unit.item, "replicate": unit.replicate}})
        for unit in units
    ]
    roles = {role: model for role, name in cell.roles.items() if (model := reach(job, role, name)) is not None}
    return Task(
        name=f"{job.instrument.name}-{cell.slug}",
        dataset=MemoryDataset(samples),
        solver=_unit_solver(job, stage, cell, {unit.id: unit for unit in units}, door),
        model_roles=roles or None,
        version=job.instrument.version,
        metadata={
            CELL: {
                "key": cell.key,
                "roles": dict(cell.roles),
                "condition": dict(cell.condition),
                "made_of": dict(cell.made_of),
                # What the plan asked for by then: a plan that lost a line since asks for less.
                "replicates": cell.replicates,
                "held": {name: len(items) for name, items in job.items.items()},
            }
        },
    )


def _unit_solver(job: Job, stage: Stage, cell: Cell, units: Mapping[str, Unit], door: Door) -> Any:
    from inspect_ai.solver import Generate, TaskState, solver

    rule = stage.rule(job, cell)

    # The factory takes no arguments: Inspect writes those into the log.
    @solver(name="tutorscope_unit")
    def unit_solver() -> Any:
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            unit = units[str(state.sample_id)]
            speak, embed, calls = door.visit(cell, unit)
            try:
                state.store.set(RESULT, dict(await rule(unit, speak, embed)))
            except Exception as problem:
                leaf = _leaf(problem)
                state.store.set(ERROR, _reason(leaf))
                raise leaf from None
            finally:
                state.store.set(CALLS, calls)
                door.counter.unit()
            return state

        return solve

    return unit_solver()


def _leaf(problem: BaseException) -> BaseException:
    """Take the finding out of a task group's wrapping: a failed call before anything else that it brought down."""
    if not isinstance(problem, BaseExceptionGroup):
        return problem
    leaves = [_leaf(inner) for inner in problem.exceptions]
    for kind in (StoppedError, CallError):
        for leaf in leaves:
            if isinstance(leaf, kind):
                return leaf
    return leaves[0]


def _reason(problem: BaseException) -> str:
    text = str(problem).strip().splitlines()
    if isinstance(problem, NoReplyError | FunctionError):
        # They say themselves what happened.
        return strip_controls(text[0])
    return f"{type(problem).__name__}: {shorten(text[0], 160)}" if text else type(problem).__name__

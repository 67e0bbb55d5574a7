"""Doing what is owed, stage by stage."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tutorscope.errors import UserError
from tutorscope.models.named_again import must_be_named
from tutorscope.runs.evaluate import reach
from tutorscope.runs.keeping import keep_made, lacking
from tutorscope.runs.owed import Upstreams, stage_state
from tutorscope.runs.plan import Job
from tutorscope.runs.progress import Meter
from tutorscope.runs.shares import how_many, shares
from tutorscope.runs.stages import Cell, Owed, Stage
from tutorscope.runs.workers import work_in_shares
from tutorscope.runs.working import work


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
        Why cells cannot go on yet, each reason once.
    unreadable : sequence of str
        Logs that could not be read, each with why: what they held is owed again.
    interrupted : bool
        The user stopped it.
    refused : sequence of str
        Why a stage's gate kept cells shut, each reason once.
    unnamed : str
        Who runs code or sends secrets, is needed for what is still to do, and was not named in this invocation: one
        line that says what names them all again.
    """

    done: int
    owed: int
    failed: Mapping[str, int] = field(default_factory=dict)
    waiting: Sequence[str] = ()
    unreadable: Sequence[str] = ()
    interrupted: bool = False
    refused: Sequence[str] = ()
    unnamed: str = ""

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
        shut = {key for key in (*state.absent, *state.refused, *state.waiting) if state.owed[key][1]}
        ready = {key: (cell, units) for key, (cell, units) in state.owed.items() if units and key not in shut}
        owed = {key: (cell, units) for key, (cell, units) in ready.items() if _reached(job, cell, waiting)}
        if shut:
            unfinished.add(stage.name)
        if not owed:
            continue
        meter.begin(stage.name, sum(len(units) for _, units in owed.values()))
        try:
            finished = _worked(job, stage, owed, upstreams, meter, waiting)
        finally:
            meter.end()
        upstreams.forget(stage.name)
        if not finished:
            return _outcome(job, upstreams, waiting, interrupted=True)
        job = keep_made(job, stage, state.cells.values(), upstreams)
        if any(units for _, units in stage_state(job, stage, upstreams).owed.values()):
            unfinished.add(stage.name)
    return _outcome(job, upstreams, waiting)


def _worked(job: Job, stage: Stage, owed: Owed, upstreams: Upstreams, meter: Meter, waiting: list[str]) -> bool:
    count, why = how_many(job, stage, owed)
    if why:
        meter.say(f"{stage.name}: in one process: {why}")
    if count == 1:
        return work(job, stage, owed, meter, _served(job, upstreams))
    shared = work_in_shares(job, shares(job, stage, owed, count), meter)
    waiting += shared.cut_short
    return shared.finished


def _reached(job: Job, cell: Cell, waiting: list[str]) -> bool:
    """Tell whether a cell's models can be used here; one without its key must not hold the others up."""
    try:
        for role, name in cell.roles.items():
            reach(job, role, name)
    except UserError as problem:
        waiting.append(str(problem))
        return False
    return True


def _outcome(job: Job, upstreams: Upstreams, unreached: Sequence[str], *, interrupted: bool = False) -> Outcome:
    states = [stage_state(job, stage, upstreams) for stage in job.stages]
    waiting = list(unreached)
    for stage, state in zip(job.stages, states, strict=True):
        lacks = lacking(job, stage, state.cells.values(), upstreams)
        waiting += [*state.waiting.values(), *(f"{state.cells[key].title}: {why}" for key, why in lacks.items())]
    absent = {(one.role, one.name): one for state in states for who in state.absent.values() for one in who}
    return Outcome(
        done=sum(len(units) for state in states for units in state.done.values()),
        owed=sum(len(units) for state in states for _, units in state.owed.values()),
        failed=dict(Counter(f.reason for state in states for f in state.failed)),
        waiting=list(dict.fromkeys(waiting)),
        unreadable=[log for state in states for log in state.unreadable],
        interrupted=interrupted,
        refused=list(dict.fromkeys(why for state in states for why in state.refused.values())),
        unnamed=must_be_named(list(absent.values())) if absent else "",
    )


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

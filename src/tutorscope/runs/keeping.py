"""What finished units leave under ``inputs/``: written once, and then what later units are held to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from tutorscope.runs.inputs import InputSet
from tutorscope.runs.instrument import Ask
from tutorscope.runs.plan import Job, read_plan, record
from tutorscope.runs.stages import Cell, Stage, Upstream


def with_kept(job: Job, stage: Stage, cells: Iterable[Cell], upstream: Upstream) -> tuple[Job, list[InputSet]]:
    """Put what a stage's finished units leave beside a job's items, writing nothing.

    Parameters
    ----------
    job : Job
    stage : Stage
    cells : iterable of Cell
        The stage's.
    upstream : Upstream

    Returns
    -------
    job : Job
        Its ``items`` hold them.
    unwritten : list of InputSet
        What is not under ``inputs/`` yet: a kill may have fallen between a log and its file.
    """
    unwritten: dict[str, InputSet] = {}
    if stage.keeps is None:
        return job, []
    for cell in cells:
        for made in stage.keeps(job, cell, upstream).sets:
            held = job.items.get(made.name, ())
            known = {item.id for item in held}
            new = [item for item in made.items if item.id not in known]
            if new:
                # Several cells may leave parts of one set.
                before = unwritten.get(made.name)
                unwritten[made.name] = replace(made, items=[*(before.items if before else ()), *new])
                job = replace(job, items={**job.items, made.name: [*held, *new]})
    return job, list(unwritten.values())


def keep_made(job: Job, stage: Stage, cells: Iterable[Cell], upstream: Upstream) -> Job:
    """Write what a stage's finished units leave, and give the job that holds it. The caller holds the lock."""
    job, unwritten = with_kept(job, stage, cells, upstream)
    if unwritten:
        # The last ask once more: it asks for nothing new, and its line makes the items count.
        record(job, [Ask(read_plan(job.folder)[-1]["options"], unwritten)], ())
    return job


def lacking(job: Job, stage: Stage, cells: Iterable[Cell], upstream: Upstream) -> dict[str, str]:
    """Give, by the key of a cell, why its finished units left nothing that others could be held to."""
    if stage.keeps is None:
        return {}
    said = {cell.key: stage.keeps(job, cell, upstream).lacking for cell in cells}
    return {key: why for key, why in said.items() if why}

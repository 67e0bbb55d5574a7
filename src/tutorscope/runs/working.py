"""One process's work on a stage: owed units go to Inspect, and what their models reply goes into a journal."""

from __future__ import annotations

from collections.abc import Mapping

from tutorscope.errors import UserError
from tutorscope.runs.door import Door
from tutorscope.runs.evaluate import evaluate
from tutorscope.runs.journal import Journal, held_replies
from tutorscope.runs.plan import Job
from tutorscope.runs.progress import Counter
from tutorscope.runs.stages import Owed, Stage


def work(
    job: Job, stage: Stage, owed: Owed, counter: Counter, served: Mapping[tuple[str, str], str], share: int = 0
) -> bool:
    """Work through owed units in this process.

    Parameters
    ----------
    job : Job
    stage : Stage
    owed : mapping
        Cell key to the cell and its owed units.
    counter : Counter
        Told of each reply and each unit.
    served : mapping
        (role, name) to the model that served it first.
    share : int
        The number of this process where a stage is shared out: it writes a journal of its own.

    Returns
    -------
    bool
        False if the user stopped it.

    Raises
    ------
    UserError
        A served model changed where it must not.
    """
    names = [(key, unit.id) for key, (_, units) in owed.items() for unit in units]
    journal = Journal(job.folder.calls, stage.name, share)
    try:
        door = Door(job, stage, journal, held_replies(job.folder.calls, stage.name, names), served, counter)
        finished = evaluate(job, stage, owed, door)
    finally:
        journal.close()
    if door.stopped:
        raise UserError(f"{job.folder.path}: stopped: {door.stopped}")
    return finished

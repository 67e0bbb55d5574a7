"""Which of a stage's owed units fall to which process, and where a stage is not shared out at all."""

from __future__ import annotations

import pickle
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace

from tutorscope.models.speakers import Speaker
from tutorscope.runs.folder import RunFolder
from tutorscope.runs.instrument import Instrument
from tutorscope.runs.owed import Upstreams, stage_state
from tutorscope.runs.plan import Job, Limits, draft
from tutorscope.runs.stages import Owed, Stage

LEAST = 20
"""Units for which a process is worth the few seconds of its start."""


@dataclass(frozen=True)
class Share:
    """What one process needs to find its part of a stage's work.

    Parameters
    ----------
    folder : RunFolder
    instrument : Instrument
    speakers : sequence of Speaker
        Those that the user named in this invocation.
    limits : Limits
        This process's own part of the connections.
    stage : str
        The stage's name.
    cells : sequence of str
        The keys of the cells that may be worked on.
    number, of : int
        Which share of how many; numbers begin at 1.
    """

    folder: RunFolder
    instrument: Instrument
    speakers: Sequence[Speaker]
    limits: Limits
    stage: str
    cells: Sequence[str]
    number: int
    of: int

    def holds(self, cell: str, unit: str) -> bool:
        """Tell whether a unit falls to this share: its name alone decides, whatever others have done by then."""
        return zlib.crc32(f"{cell}\x1f{unit}".encode("utf-8", "surrogatepass")) % self.of + 1 == self.number

    def taken_up(self) -> tuple[Job, Stage, Owed]:
        """Read the run from its folder, and give what it owes of this share."""
        job = draft(self.folder, self.instrument, (), self.speakers, self.limits)
        stage = next(one for one in job.stages if one.name == self.stage)
        state = stage_state(job, stage, Upstreams(job))
        owed = {}
        for key in self.cells:
            cell, units = state.owed[key]
            if mine := [unit for unit in units if self.holds(key, unit.id)]:
                owed[key] = (cell, mine)
        return job, stage, owed


def how_many(job: Job, stage: Stage, owed: Owed) -> tuple[int, str]:
    """Say to how many processes a stage's owed units are shared out.

    Returns
    -------
    count : int
        1 where they are not.
    why : str
        Why only one, where the user asked for more and would wonder; else "".
    """
    units = sum(len(units) for _, units in owed.values())
    count = min(job.limits.processes, job.limits.max_connections, units // LEAST)
    if count < 2:
        return 1, ""
    if stage.hold_served:
        return 1, "a served model that changes must stop all of it at once"
    for cell, _ in owed.values():
        for role, name in cell.roles.items():
            if role == "embedder":
                return 1, "each text is embedded once for all of it"
            # Anything else is code, weights or a server of this process, and would be there once in each.
            if job.speaker(role, name).kind != "http":
                return 1, f"{role} {name!r} is not a server that is named by its address"
    try:
        pickle.dumps(job.instrument)
    except (pickle.PicklingError, AttributeError, TypeError):
        return 1, "the instrument has parts without a name, which cannot be sent to another process"
    return count, ""


def shares(job: Job, stage: Stage, owed: Owed, count: int) -> list[Share]:
    """Divide a stage's owed units and the run's connections."""
    each, over = divmod(job.limits.max_connections, count)
    return [
        Share(
            folder=job.folder,
            instrument=job.instrument,
            speakers=[speaker for speaker in job.everyone() if speaker.named],
            limits=replace(job.limits, max_connections=each + (number <= over), processes=1),
            stage=stage.name,
            cells=list(owed),
            number=number,
            of=count,
        )
        for number in range(1, count + 1)
    ]

"""A stage shared out to several processes, for a server that answers faster than one process can ask.

Each process is started anew and reads the run from its folder, as a run that is taken up again does. It works on those
owed units whose names fall to it and writes a journal and logs of its own, so that no two processes write to one file.
What it counts goes over a line to the process that holds the run's lock. When that one is gone, the line ends, and so
does the process, at once: for the run that is a kill like any other.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import threading
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any

from tutorscope.errors import UserError
from tutorscope.models.speakers import Speaker
from tutorscope.models.speaking import Usage
from tutorscope.runs.folder import RunFolder
from tutorscope.runs.instrument import Instrument
from tutorscope.runs.owed import Upstreams, stage_state
from tutorscope.runs.plan import Job, Limits, draft
from tutorscope.runs.progress import Counter
from tutorscope.runs.stages import Stage
from tutorscope.runs.working import Owed, work

LEAST = 20
"""Units for which a process is worth its start of two or three seconds."""


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


@dataclass(frozen=True)
class SharedWork:
    """How work in shares ended.

    Parameters
    ----------
    finished : bool
        False if the user stopped it.
    cut_short : sequence of str
        Processes that ended before their time, each with how: what they had not done is still owed.
    """

    finished: bool
    cut_short: Sequence[str]


def shares_of(job: Job, stage: Stage, owed: Owed) -> tuple[int, str]:
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
            # Anything else is code, weights or a server of this process, and would be there once in each.
            if job.speaker(role, name).kind != "http":
                return 1, f"{role} {name!r} is not a server that is named by its address"
    try:
        pickle.dumps(job.instrument)
    except (pickle.PicklingError, AttributeError, TypeError):
        return 1, "the instrument has parts without a name, which cannot be sent to another process"
    return count, ""


def work_in_shares(job: Job, stage: Stage, owed: Owed, counter: Counter, count: int) -> SharedWork:
    """Work through owed units in several processes, and wait for them. The caller holds the lock.

    Parameters
    ----------
    job : Job
    stage : Stage
    owed : mapping
        Cell key to the cell and its owed units.
    counter : Counter
        Told of each reply and each unit of all processes.
    count : int
        How many processes.

    Raises
    ------
    UserError
        What a process refused, once all have ended.
    """
    shares = [
        Share(
            folder=job.folder,
            instrument=job.instrument,
            speakers=[speaker for speaker in job.everyone() if speaker.named],
            limits=replace(job.limits, max_connections=connections, processes=1),
            stage=stage.name,
            cells=list(owed),
            number=number,
            of=count,
        )
        for number, connections in enumerate(_parts(job.limits.max_connections, count), 1)
    ]
    started: list[BaseProcess] = []
    with _interrupts_go_to(started):
        lines = _start(shares, started)
        ends = _listen(job, counter, lines)
        for process in started:
            process.join()
    refused = [str(why) for kind, why in ends.values() if kind == "refused"]
    if refused:
        raise UserError(refused[0])
    cut_short = [
        f"{stage.name}: process {number} of {count} ended before its time ({_how(process)})"
        for number, process in enumerate(started, 1)
        if number not in ends
    ]
    return SharedWork(all(why for kind, why in ends.values() if kind == "finished"), cut_short)


def _parts(whole: int, count: int) -> list[int]:
    each, over = divmod(whole, count)
    return [each + (number < over) for number in range(count)]


def _start(shares: Sequence[Share], started: list[BaseProcess]) -> dict[Connection, int]:
    # Started anew, not forked: threads and locks of this process do not come along half alive.
    context = multiprocessing.get_context("spawn")
    lines: dict[Connection, int] = {}
    # A process that is not ready for Ctrl-C yet gets it once it is.
    held = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        for share in shares:
            ours, theirs = context.Pipe()
            process = context.Process(target=_work_share, args=(share, theirs))
            process.start()
            theirs.close()
            started.append(process)
            lines[ours] = share.number
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, held)
    return lines


def _listen(job: Job, counter: Counter, lines: dict[Connection, int]) -> dict[int, tuple[str, Any]]:
    """Pass on what the processes count until each line has ended. Gives each share's last word, if it had one."""
    ends: dict[int, tuple[str, Any]] = {}
    while lines:
        for line in [one for one in wait(list(lines)) if isinstance(one, Connection)]:
            try:
                kind, *facts = line.recv()
            except (EOFError, OSError):
                del lines[line]
                line.close()
                continue
            if kind == "replied":
                role, name, usage = facts
                counter.replied(job.speaker(role, name), usage)
            elif kind in ("unit", "replayed", "failed"):
                getattr(counter, kind)()
            else:
                ends[lines[line]] = (kind, facts[0])
    return ends


@contextmanager
def _interrupts_go_to(processes: Sequence[BaseProcess]) -> Iterator[None]:
    """Pass Ctrl-C on to the processes, which end in good order, in place of breaking off while listening to them."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def pass_on(number: int, frame: object) -> None:
        for process in processes:
            if process.is_alive() and process.pid:
                os.kill(process.pid, number)

    before = signal.signal(signal.SIGINT, pass_on)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _how(process: BaseProcess) -> str:
    code = process.exitcode or 0
    return f"killed by signal {-code}" if code < 0 else f"exit code {code}"


class _Told:
    """Tells the process at the other end of a line what is to be counted."""

    def __init__(self, line: Connection) -> None:
        self._line = line

    def unit(self) -> None:
        self._line.send(("unit",))

    def replied(self, speaker: Speaker, usage: Usage) -> None:
        self._line.send(("replied", speaker.role, speaker.name, usage))

    def replayed(self) -> None:
        self._line.send(("replayed",))

    def failed(self) -> None:
        self._line.send(("failed",))


def _work_share(share: Share, line: Connection) -> None:
    """Do a share: what a started process runs."""
    # Out of the terminal's group: Ctrl-C comes from the first process alone, and once.
    os.setsid()
    threading.Thread(target=_end_with, args=(line,), daemon=True).start()
    try:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        line.send(("finished", _worked(share, _Told(line))))
    except KeyboardInterrupt:
        line.send(("finished", False))
    except UserError as problem:
        line.send(("refused", str(problem)))


def _end_with(line: Connection) -> None:
    """End this process when the other end of the line is gone: nobody holds the run's lock for it any more."""
    try:
        line.recv()
    except (EOFError, OSError):
        os._exit(1)


def _worked(share: Share, told: _Told) -> bool:
    job = draft(share.folder, share.instrument, (), share.speakers, share.limits)
    stage = next(one for one in job.stages if one.name == share.stage)
    state = stage_state(job, stage, Upstreams(job))
    owed = {
        key: (cell, mine)
        for key in share.cells
        for cell, units in [state.owed[key]]
        if (mine := [unit for unit in units if share.holds(key, unit.id)])
    }
    return not owed or work(job, stage, owed, told, {}, share.number)

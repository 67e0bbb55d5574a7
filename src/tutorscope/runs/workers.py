"""Processes that work on a stage's shares, for a server that answers faster than one process can ask.

Each is started anew, reads the run from its folder, as a run that is taken up again does, and writes a journal and logs
of its own. What it counts goes over a line to the process that holds the run's lock. When that one is gone, the line
ends, and so does the process, at once: for the run that is a kill like any other.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess

from tutorscope.errors import UserError
from tutorscope.models.speakers import Speaker
from tutorscope.models.speaking import Usage
from tutorscope.runs.plan import Job
from tutorscope.runs.progress import Counter
from tutorscope.runs.shares import Share
from tutorscope.runs.working import work

# What a process says of its end.
FINISHED, STOPPED, REFUSED = "finished", "stopped", "refused"


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


@dataclass
class _Workers:
    """The started processes, and whether the user has stopped them."""

    processes: list[BaseProcess] = field(default_factory=list)
    stopped: bool = False

    def tell(self, number: signal.Signals) -> None:
        for process in self.processes:
            if process.is_alive() and process.pid:
                os.kill(process.pid, number)


def work_in_shares(job: Job, shares: Sequence[Share], counter: Counter) -> SharedWork:
    """Work on shares in a process each, and wait for them. The caller holds the lock.

    A script that calls this must keep its own main part behind ``if __name__ == "__main__"``, as for every process that
    `multiprocessing` starts anew.

    Parameters
    ----------
    job : Job
    shares : sequence of Share
    counter : Counter
        Told of each reply and each unit of all processes.

    Raises
    ------
    UserError
        What processes refused, once all have ended.
    """
    workers = _Workers()
    with _signals_go_to(workers):
        ends = _listen(job, counter, _start(shares, workers))
        for process in workers.processes:
            process.join()
    cut_short = [
        f"{share.stage}: process {share.number} of {share.of} ended before its time ({_how(process)})"
        for share, process in zip(shares, workers.processes, strict=True)
        if share.number not in ends and not workers.stopped
    ]
    if refused := dict.fromkeys(said for kind, said in ends.values() if kind == REFUSED):
        raise UserError("; ".join([*refused, *cut_short]))
    # Whoever was told to stop before it had begun may have had no word to say.
    return SharedWork(not workers.stopped and all(kind == FINISHED for kind, _ in ends.values()), cut_short)


def _start(shares: Sequence[Share], workers: _Workers) -> dict[Connection, int]:
    # Started anew, not forked: threads and locks of this process do not come along half alive.
    context = multiprocessing.get_context("spawn")
    # The first process that is started this way would start it, and it lets signals in again that are held back here.
    resource_tracker.ensure_running()
    lines: dict[Connection, int] = {}
    # A process that is not ready for Ctrl-C yet gets it once it is.
    held = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        for share in shares:
            ours, theirs = context.Pipe()
            process = context.Process(target=_work_on, args=(share, theirs))
            process.start()
            theirs.close()
            workers.processes.append(process)
            lines[ours] = share.number
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, held)
    return lines


def _listen(job: Job, counter: Counter, lines: dict[Connection, int]) -> dict[int, tuple[str, str]]:
    """Pass on what the processes count until each line has ended. Gives each share's last word, if it had one."""
    ends: dict[int, tuple[str, str]] = {}
    while lines:
        for line in [one for one in wait(list(lines)) if isinstance(one, Connection)]:
            try:
                said = line.recv()
            except (EOFError, OSError):
                del lines[line]
                line.close()
                continue
            match said:
                case ("unit",):
                    counter.unit()
                case ("replayed",):
                    counter.replayed()
                case ("failed",):
                    counter.failed()
                case ("replied", role, name, usage):
                    counter.replied(job.speaker(role, name), usage)
                case (kind, why):
                    ends[lines[line]] = (kind, why)
    return ends


@contextmanager
def _signals_go_to(workers: _Workers) -> Iterator[None]:
    """Pass Ctrl-C and Ctrl-Z on to the processes, which no terminal reaches, in place of breaking off here."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, frame: object) -> None:
        workers.stopped = True
        workers.tell(signal.SIGINT)

    def pause(number: int, frame: object) -> None:
        workers.tell(signal.SIGSTOP)
        os.kill(os.getpid(), signal.SIGSTOP)
        # Here the user has let it go on.
        workers.tell(signal.SIGCONT)

    before = {signal.SIGINT: signal.signal(signal.SIGINT, stop), signal.SIGTSTP: signal.signal(signal.SIGTSTP, pause)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _how(process: BaseProcess) -> str:
    code = process.exitcode or 0
    return f"killed by signal {-code}" if code < 0 else f"exit code {code}"


class _Told:
    """A counter at the other end of a line."""

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


def _work_on(share: Share, line: Connection) -> None:
    """Do a share: what a started process runs."""
    # Out of the terminal's group: Ctrl-C comes from the first process alone, and once.
    os.setsid()
    threading.Thread(target=_end_with, args=(line,), daemon=True).start()
    try:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        job, stage, owed = share.taken_up()
        finished = not owed or work(job, stage, owed, _Told(line), {}, share.number)
        line.send((FINISHED if finished else STOPPED, ""))
    except KeyboardInterrupt:
        line.send((STOPPED, ""))
    except UserError as problem:
        line.send((REFUSED, str(problem)))
    except OSError as problem:
        line.send((REFUSED, f"{problem.filename}: {problem.strerror}" if problem.filename else str(problem)))


def _end_with(line: Connection) -> None:
    """End this process when the other end of the line is gone: nobody holds the run's lock for it any more."""
    try:
        line.recv()
    except (EOFError, OSError):
        os._exit(1)

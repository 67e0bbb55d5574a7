"""Compare mathematical answers in worker processes, so that one that calculates for ever stops nothing.

A thread cannot be stopped, and Python's big powers and SymPy's simplifications cannot be interrupted by a signal
handler. So a comparison runs in a process of its own, which the system itself kills when it has used up its time. Time
is that of the processor, not of the clock: a busy machine does not turn answers into undecided ones.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from typing import IO, Any

import anyio
import anyio.to_thread
from anyio.lowlevel import RunVar

from tutorscope.errors import UserError
from tutorscope.judging.math_notation import LONGEST
from tutorscope.judging.math_verdicts import Compared, undecided

PROCESSES = 2
SECONDS = 5.0
MEMORY = 512 << 20
"""How many bytes a worker may take beyond what it holds once SymPy is loaded, where the system can hold it to that."""

_START_SECONDS = 120.0
_WARMING_UP = (
    ("\\sqrt{2}x", "\\frac{2x}{\\sqrt{2}}"),
    ("\\sin^2 x", "1-\\cos^2 x"),
    ("y=2x", "2x-y=0"),
    ("x>1", "(1,2)"),
)
# The clock's limit is only there for what uses no processor: it leaves a machine with much else to do its time.
_CLOCK_PER_SECOND = 12
_CRASHES = 2
_TAKEN = b"taken\n"


class _WorkerDiedError(Exception):
    """A worker ended without an answer; ``late``: that was for its time; ``taken``: it had the question by then."""

    def __init__(self, late: bool, taken: bool) -> None:
        self.late = late
        self.taken = taken


class MathWorkers:
    """A few processes that compare answers, started when they are first needed and ended with this one.

    One set serves any number of event loops and threads.

    Parameters
    ----------
    processes : int
        How many compare at the same time.
    seconds : float
        Processor time for one comparison.

    Attributes
    ----------
    started, killed : int
        Processes that were started, and those among them that were ended for taking too long.
    loading_seconds : float
        Time in which workers loaded SymPy and math-verify, added up: no comparison pays for it.
    """

    def __init__(self, processes: int = PROCESSES, seconds: float = SECONDS) -> None:
        if processes < 1 or seconds <= 0:
            raise ValueError(f"workers take at least one process and some time, not {processes} and {seconds} s")
        self.processes = processes
        self.seconds = seconds
        self.started = self.killed = 0
        self.loading_seconds = 0.0
        self._owner = os.getpid()
        self._places = threading.BoundedSemaphore(processes)
        self._idle: queue.SimpleQueue[_Worker] = queue.SimpleQueue()
        self._all: set[_Worker] = set()
        self._lock = threading.Lock()
        self._limiter: RunVar[anyio.CapacityLimiter] = RunVar("tutorscope math workers")
        atexit.register(self.close)

    async def compare(self, reference: str, answer: str) -> Compared:
        """Compare an answer with the reference (see ``math_answers.compare``) without holding up the event loop.

        Parameters
        ----------
        reference, answer : str

        Returns
        -------
        Compared
            Undecided with ``too_long`` (more than 1,000 characters: no process is asked), ``took_too_long``,
            ``too_large`` (memory) or ``crashed`` beside the reasons of ``math_answers.compare``.

        Raises
        ------
        UserError
            A worker cannot be started.
        """
        if max(len(reference), len(answer)) > LONGEST:
            return undecided("too_long")
        try:
            limiter = self._limiter.get()
        except LookupError:
            limiter = anyio.CapacityLimiter(self.processes)
            self._limiter.set(limiter)
        # Threads of ours alone, so that many comparisons leave those of other work free. One that is given up ends by
        # itself, within the worker's limit.
        return await anyio.to_thread.run_sync(
            self.compare_now, reference, answer, limiter=limiter, abandon_on_cancel=True
        )

    def compare_now(self, reference: str, answer: str) -> Compared:
        """Do what ``compare`` does, and block until it is done: for threads and scripts."""
        if max(len(reference), len(answer)) > LONGEST:
            return undecided("too_long")
        with self._places:
            crashes = 0
            # Every idle worker may be dying already: that is no crash of the question, which none of them took.
            for _ in range(self.processes + _CRASHES):
                worker = self._worker()
                try:
                    found = worker.compare(reference, answer, self.seconds)
                except _WorkerDiedError as died:
                    self._forget(worker, late=died.late)
                    if died.late:
                        return undecided("took_too_long")
                    # One that was killed from outside did nothing wrong: its work goes to another one, once.
                    crashes += died.taken
                    if crashes == _CRASHES:
                        break
                else:
                    self._idle.put(worker)
                    return found
        return undecided("crashed")

    def close(self) -> None:
        """End all processes. What is compared after that starts new ones."""
        if os.getpid() != self._owner:
            return
        with self._lock:
            workers, self._all = self._all, set()
        for worker in workers:
            worker.end()

    def _worker(self) -> _Worker:
        while True:
            try:
                worker = self._idle.get_nowait()
            except queue.Empty:
                break
            if worker.alive:
                return worker
            self._forget(worker)
        worker = _Worker()
        with self._lock:
            self._all.add(worker)
            self.started += 1
        try:
            self.loading_seconds += worker.load()
        except BaseException:
            self._forget(worker)
            raise
        return worker

    def _forget(self, worker: _Worker, *, late: bool = False) -> None:
        worker.end()
        with self._lock:
            self._all.discard(worker)
            self.killed += late


_shared: dict[int, MathWorkers] = {}
_sharing = threading.Lock()


def math_workers() -> MathWorkers:
    """Give the workers that everything in this process shares."""
    with _sharing:
        # A process that was forked off must not use its parent's pipes.
        if os.getpid() not in _shared:
            _shared[os.getpid()] = MathWorkers()
        return _shared[os.getpid()]


class _Worker:
    """One process and the two pipes to it. A question or an answer is one short line, which no pipe holds up.

    Before it compares, the process says that it has the question: one that is dying takes what is written to it and
    never reads it.
    """

    def __init__(self) -> None:
        # -P: nothing that lies in the current folder may pose as a module.
        command = [sys.executable, "-P", "-m", "tutorscope.judging.math_workers"]
        self.process = subprocess.Popen(  # noqa: S603
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )

    @property
    def alive(self) -> bool:
        return self.process.poll() is None

    def load(self) -> float:
        """Wait until it has loaded what it needs; give the seconds that took."""
        begun = time.perf_counter()
        try:
            ready = self._ask(None, _START_SECONDS)
        except _WorkerDiedError:
            raise UserError(
                f"{sys.executable}: a process that compares mathematical answers did not start; "
                "expected math-verify and sympy to load there"
            ) from None
        if ready.get("error"):
            raise UserError(f"mathematical answers cannot be compared: {ready['error']}")
        return time.perf_counter() - begun

    def compare(self, reference: str, answer: str, seconds: float) -> Compared:
        found = self._ask([reference, answer, seconds], seconds * _CLOCK_PER_SECOND)
        return Compared(**found)

    def end(self) -> None:
        with contextlib.suppress(OSError):
            self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            with contextlib.suppress(OSError, ValueError):
                pipe.close()  # type: ignore[union-attr]

    def _ask(self, question: Any, seconds: float) -> dict[str, Any]:
        late = threading.Event()

        def stop() -> None:
            late.set()
            self.process.kill()

        taken = False
        clock = threading.Timer(seconds, stop)
        clock.daemon = True
        clock.start()
        try:
            if question is not None:
                self._pipe("stdin").write(json.dumps(question).encode() + b"\n")
                self._pipe("stdin").flush()
                taken = self._pipe("stdout").readline() == _TAKEN
            line = self._pipe("stdout").readline()
        except (OSError, ValueError):
            line = b""
        finally:
            clock.cancel()
        if line.endswith(b"\n"):
            said: dict[str, Any] = json.loads(line)
            return said
        ended_for_its_time = self.process.wait() == -getattr(signal, "SIGPROF", 0)
        raise _WorkerDiedError(late.is_set() or ended_for_its_time, taken)

    def _pipe(self, name: str) -> IO[bytes]:
        pipe: IO[bytes] | None = getattr(self.process, name)
        if pipe is None:
            raise OSError(f"no {name}")
        return pipe


def serve(questions: IO[bytes], replies: IO[bytes]) -> None:
    """Be a worker: take and answer line after line until the questions end, as they do when the parent is gone.

    A parent that is killed leaves no orphan: a worker that waits reads the end of its questions, and one that is
    calculating is ended by the system when its time is up.
    """
    # The keyboard interrupts the parent, which ends its workers itself.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        from tutorscope.judging.math_answers import compare

        # The first comparisons load what SymPy and math-verify load late.
        for reference, answer in _WARMING_UP:
            compare(reference, answer)
    except Exception as error:
        _reply(replies, {"error": f"{type(error).__name__}: {error}"[:500]})
        return
    _allow_memory(MEMORY)
    sys.addaudithook(_refuse_code)
    _reply(replies, {})
    for line in questions:
        _say(replies, _TAKEN)
        reference, answer, seconds = json.loads(line)
        _allow_time(seconds)
        try:
            found = compare(reference, answer)
        except MemoryError:
            found = undecided("too_large")
        _allow_time(0)
        _reply(replies, {"verdict": found.verdict, "reason": found.reason, "identical": found.identical})


def _refuse_code(event: str, details: tuple[Any, ...]) -> None:
    """Refuse to compile text: a second lock, should a library ever hand an answer to ``eval``.

    SymPy writes its multiplication of polynomials as code, from the number of unknowns alone: that module may.
    """
    if event == "compile" and str(details[1]).startswith("<"):
        caller = sys._getframe(1).f_code.co_filename
        if not caller.replace(os.sep, "/").endswith("sympy/polys/monomials.py"):
            raise RuntimeError("no text is compiled here")


def _allow_time(seconds: float) -> None:
    if hasattr(signal, "setitimer"):
        # Its default is to end the process, whatever Python is doing.
        signal.setitimer(signal.ITIMER_PROF, seconds)


def _allow_memory(more: int) -> None:
    try:
        import resource

        with open("/proc/self/statm", encoding="ascii") as held:  # noqa: PTH123
            now = int(held.read().split()[0]) * resource.getpagesize()
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (now + more, hard))
    except (ImportError, OSError, ValueError):
        return  # This system has no such limit; the limit of time holds all the same.


def _reply(replies: IO[bytes], said: dict[str, Any]) -> None:
    _say(replies, json.dumps(said).encode() + b"\n")


def _say(replies: IO[bytes], line: bytes) -> None:
    replies.write(line)
    replies.flush()


def _main() -> None:
    """Keep the pipe for replies to ourselves: whatever a library prints goes nowhere."""
    replies = os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    with contextlib.suppress(BrokenPipeError):
        serve(sys.stdin.buffer, replies)
    os._exit(0)


if __name__ == "__main__":
    _main()

"""Commands in processes that can be killed at once: forked from a server that has everything imported already."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from chat_server import ChatServer

SUPPORT = Path(__file__).resolve().parent
PRELOAD = [
    "pandas",
    "pyarrow.parquet",
    "matplotlib.figure",
    "inspect_ai._eval.eval",
    "inspect_ai.agent._acp.server",
    "inspect_ai.model._openai_responses",
    "inspect_ai.model._providers.anthropic",
    "tutorscope.models.http",
    "tutorscope.models.function_model",
    "tutorscope.runs.execute",
    "tutorscope.reporting.run_report",
]


def _command(args: Sequence[str], folder: str, said: str, environment: dict[str, str]) -> None:
    os.chdir(folder)
    # The server that this process was forked from may be older than what a test has set.
    os.environ.clear()
    os.environ.update(environment)
    sys.path.insert(0, str(SUPPORT))
    out = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(out, 1)
    os.dup2(out, 2)
    from toy import TOY

    from tutorscope.cli import instruments, main

    installed = instruments.instruments()
    instruments.instruments = main.instruments = lambda: {**installed, "toy": lambda: TOY}
    main.main(list(args))


class Commands:
    """Starts ``tutorscope ARGS``, with the test-only instrument beside the installed ones, in a folder."""

    def __init__(self, folder: Path) -> None:
        self._context = multiprocessing.get_context("forkserver")
        self._context.set_forkserver_preload(PRELOAD)
        self._folder = folder
        self._count = 0

    def start(self, *args: str) -> tuple[multiprocessing.Process, Path]:
        self._count += 1
        said = self._folder / f"said-{self._count}.txt"
        process = self._context.Process(target=_command, args=(args, str(self._folder), str(said), dict(os.environ)))
        process.start()
        return process, said

    def run(self, *args: str) -> tuple[int, str]:
        """Run to the end: exit code and all that was printed."""
        process, said = self.start(*args)
        process.join(240)
        assert process.exitcode is not None, "it did not end within four minutes"
        return process.exitcode, said.read_text(encoding="utf-8") if said.exists() else ""

    def kill_when(self, ready: Callable[[], bool], *args: str) -> bool:
        """Start, and kill -9 once ``ready``. Returns whether it was still running then."""
        process, _ = self.start(*args)
        try:
            until(lambda: not process.is_alive() or ready(), 200)
        finally:
            alive = process.is_alive()
            if alive:
                os.kill(process.pid, signal.SIGKILL)
            process.join()
        return alive


def until(ready: Callable[[], bool], seconds: float = 60) -> None:
    """Wait for what is certain to come."""
    end = time.monotonic() + seconds
    while not ready():
        assert time.monotonic() < end, "it never came to that"
        time.sleep(0.002)


def quiet(server: ChatServer, seconds: float) -> int:
    """Wait until nothing has been asked for some seconds, and give how many requests there were by then."""
    count = -1
    while count != len(server.asked):
        count = len(server.asked)
        time.sleep(seconds)
    return count


def lives(pid: int) -> bool:
    """Tell whether a process runs; one that ended and was not fetched does not. Reads /proc, so Linux only."""
    try:
        return (Path("/proc") / str(pid) / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def workers(pid: int) -> list[int]:
    """Give the processes that a run has started to share out a stage. Reads /proc, so Linux only."""
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            parent = int((entry / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()[1])
            command = (entry / "cmdline").read_bytes()
        except OSError:
            # It ended while it was looked at.
            continue
        if parent == pid and b"spawn_main" in command:
            found.append(int(entry.name))
    return found

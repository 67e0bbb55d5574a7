"""A run folder: where plan, inputs, journal, logs, tables and report lie, and who may write there."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from tutorscope.errors import UserError

LOOK = 0.2
"""Seconds for which somebody who looks at the lock may hold it."""


@dataclass(frozen=True)
class RunFolder:
    """The folder of one run. Only names: nothing is read or made until asked.

    Parameters
    ----------
    path : Path
        The folder.
    """

    path: Path

    @property
    def name(self) -> str:
        """What tables call the run."""
        return self.path.resolve().name

    @property
    def plan(self) -> Path:
        """What was asked, each time: append-only JSON lines."""
        return self.path / "plan.jsonl"

    @property
    def inputs(self) -> Path:
        """Copies of what is not a model's reply."""
        return self.path / "inputs"

    @property
    def calls(self) -> Path:
        """The call journal."""
        return self.path / "calls"

    @property
    def logs(self) -> Path:
        """Inspect logs, a folder a stage."""
        return self.path / "logs"

    @property
    def tables(self) -> Path:
        """Tidy tables, rebuilt from logs and inputs."""
        return self.path / "tables"

    @property
    def figures(self) -> Path:
        """Figures, rebuilt from tables."""
        return self.path / "figures"

    @property
    def report(self) -> Path:
        """The page."""
        return self.path / "report.html"

    @property
    def seal(self) -> Path:
        """Hashes of what was collected."""
        return self.path / "seal.json"


def existing(path: Path) -> RunFolder:
    """Open a run that was begun.

    Raises
    ------
    UserError
        There is no run in that folder.
    """
    folder = RunFolder(Path(path))
    if not folder.plan.is_file():
        what = "is not there" if not folder.path.exists() else "holds no plan.jsonl"
        raise UserError(f"{path}: not a run folder ({what}); expected the --out folder of an earlier run")
    return folder


def fresh_or_existing(path: Path) -> RunFolder:
    """Open a run, or name a folder where one can begin.

    Raises
    ------
    UserError
        The folder holds something that is not a run.
    """
    folder = RunFolder(Path(path))
    if folder.path.exists() and not folder.path.is_dir():
        raise UserError(f"{path}: is a file; --out takes a folder")
    if folder.path.is_dir() and not folder.plan.exists():
        strangers = [
            p.name for p in folder.path.iterdir() if p.name not in {"lock", "lock.pid", "inputs", "calls", "logs"}
        ]
        if strangers:
            raise UserError(f"{path}: holds {strangers[0]!r} but no run; --out takes a new or empty folder, or a run's")
    return folder


@contextmanager
def locked(folder: RunFolder) -> Iterator[None]:
    """Hold the run for this process. The lock goes with the process, however it ends.

    Raises
    ------
    UserError
        Another process holds it.
    """
    folder.path.mkdir(parents=True, exist_ok=True)
    lock = FileLock(folder.path / "lock")
    try:
        # Who only looks whether somebody works here holds it for a moment.
        lock.acquire(timeout=LOOK, poll_interval=LOOK / 10)
    except Timeout:
        who = f" ({holder})" if (holder := _holder(folder)) else ""
        raise UserError(f"{folder.path}: another process{who} is working on this run; wait for it or stop it") from None
    holder_file = _holder_file(folder)
    try:
        holder_file.write_text(f"{os.getpid()}\n", encoding="utf-8")
        yield
    finally:
        holder_file.unlink(missing_ok=True)
        lock.release()


def at_work(folder: RunFolder) -> str:
    """Name the process that works on a run now, or "" if none does."""
    if not (holder := _holder(folder)):
        return ""
    lock = FileLock(folder.path / "lock")
    try:
        lock.acquire(timeout=0)
    except Timeout:
        return holder
    except OSError:
        # A folder that may only be read: nothing of ours can be at work in it.
        return ""
    lock.release()
    return ""


def _holder_file(folder: RunFolder) -> Path:
    return folder.path / "lock.pid"


def _holder(folder: RunFolder) -> str:
    """Name the process that holds the lock, or that was killed while it did."""
    try:
        return f"process {_holder_file(folder).read_text(encoding='utf-8').strip()}"
    except OSError:
        return ""

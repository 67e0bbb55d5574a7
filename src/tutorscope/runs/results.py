"""What the logs hold: finished units, and why others are not.

An ``.eval`` log is a zip of JSON files (Inspect's documented format). Only the store and the error of each sample are
wanted here, and reading them straight from the zip is some fifty times faster than building Inspect's objects.
"""

from __future__ import annotations

import json
import sys
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tutorscope.runs.folder import RunFolder
from tutorscope.runs.stages import Done

if sys.version_info < (3, 14):
    # Teaches zipfile the compression that Inspect writes.
    import zipfile_zstd  # noqa: F401

CELL = "tutorscope_cell"
RESULT = "result"
CALLS = "calls"
UNIT = "unit"
ERROR = "error"


@dataclass(frozen=True)
class Failed:
    """A unit that erred: its cell, its id and the reason."""

    cell: str
    unit: str
    reason: str


@dataclass(frozen=True)
class StageLogs:
    """What a stage's logs hold.

    Parameters
    ----------
    done : sequence of Done
        Finished units: the first completed copy of each, in the order of the logs.
    failed : sequence of Failed
        Units of which no log holds a completed copy, with the reason of the last try.
    unreadable : sequence of str
        Log files that could not be read, with why.
    """

    done: Sequence[Done]
    failed: Sequence[Failed]
    unreadable: Sequence[str]


def read_stage(folder: RunFolder, stage: str) -> StageLogs:
    """Read every readable log of a stage, whatever its status."""
    done: dict[tuple[str, str], Done] = {}
    failed: dict[tuple[str, str], Failed] = {}
    unreadable: list[str] = []
    for path in sorted((folder.logs / stage).glob("*.eval")):
        try:
            cell, samples = _read_log(path)
            for sample in samples:
                unit = sample.get("metadata", {}).get(UNIT)
                if cell is None or unit is None:
                    continue
                name = (cell["key"], str(sample["id"]))
                if sample.get("error"):
                    failed[name] = Failed(*name, error_reason(sample))
                elif RESULT in sample.get("store", {}):
                    done.setdefault(name, _done(cell, sample))
        except Exception as problem:
            # A torn or damaged zip fails in many ways, each library with its own error; what could be read counts.
            why = f"{type(problem).__name__}: {problem}"
            unreadable.append(f"{path.name}: {why}")
            if (noted := _unreadable.get()) is not None:
                noted[path] = why
    return StageLogs(list(done.values()), [f for name, f in failed.items() if name not in done], unreadable)


_unreadable: ContextVar[dict[Path, str] | None] = ContextVar("tutorscope_unreadable", default=None)


@contextmanager
def noting_unreadable() -> Iterator[Mapping[Path, str]]:
    """Collect the logs that cannot be read, each with why, whoever reads them: what they held is in no table."""
    found: dict[Path, str] = {}
    token = _unreadable.set(found)
    try:
        yield found
    finally:
        _unreadable.reset(token)


def error_reason(sample: Mapping[str, Any]) -> str:
    """Name why a sample erred: the reason that ``speak`` stored, or the error's own first line."""
    stored = sample.get("store", {}).get(ERROR)
    if stored:
        return str(stored)
    lines = str(sample["error"].get("message", "")).strip().splitlines()
    if lines and lines[0].startswith(("CancelledError", "KeyboardInterrupt")):
        return "cut short when the run was stopped"
    return lines[0][:160] if lines else "unknown"


def logged_cells(folder: RunFolder) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    """Give what each readable log of a run says of its cell. Only the logs' heads are read."""
    for path in sorted(folder.logs.rglob("*.eval")):
        try:
            with zipfile.ZipFile(path) as archive:
                cell = _logged_cell(archive)
        except Exception:  # noqa: S112
            # Who reads its samples names the damage.
            continue
        if cell is not None:
            yield path, cell


def _read_log(path: Path) -> tuple[Mapping[str, Any] | None, Iterator[Mapping[str, Any]]]:
    archive = zipfile.ZipFile(path)

    def samples() -> Iterator[Mapping[str, Any]]:
        with archive:
            for name in archive.namelist():
                if name.startswith("samples/") and name.endswith(".json"):
                    yield json.loads(archive.read(name))

    return _logged_cell(archive), samples()


def _logged_cell(archive: zipfile.ZipFile) -> Mapping[str, Any] | None:
    names = set(archive.namelist())
    head = "header.json" if "header.json" in names else "_journal/start.json"
    if head not in names:
        raise ValueError("a log without a header")
    cell: Mapping[str, Any] | None = (json.loads(archive.read(head))["eval"].get("metadata") or {}).get(CELL)
    return cell


def _done(cell: Mapping[str, Any], sample: Mapping[str, Any]) -> Done:
    unit = sample["metadata"][UNIT]
    return Done(
        cell=cell["key"],
        roles=cell["roles"],
        condition=cell["condition"],
        unit=str(sample["id"]),
        item=unit["item"],
        replicate=unit["replicate"],
        result=sample["store"][RESULT],
        calls=sample["store"].get(CALLS, ()),
    )

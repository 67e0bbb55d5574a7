"""Tables of a run: rebuilt from its logs and inputs, written as Parquet and CSV, put together over several runs."""

from __future__ import annotations

import csv
import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from tutorscope.errors import UserError
from tutorscope.runs.folder import RunFolder
from tutorscope.runs.instrument import Instrument, Tables
from tutorscope.runs.intact import require_planned
from tutorscope.runs.plan import check_inputs, instrument_of, read_plan
from tutorscope.texts.plain import defuse_formula

if TYPE_CHECKING:
    import pandas as pd


def gather(instrument: Instrument, folders: Sequence[RunFolder]) -> Tables:
    """Build the tables of one or more runs, each row with the name of its run.

    Raises
    ------
    UserError
        Two runs have the same name: their rows could not be told apart. A run is of another instrument, its plan lost
        a line, or its inputs are not those that it was made from.
    """
    import pandas as pd

    names = [folder.name for folder in folders]
    if len(set(names)) < len(names):
        twice = next(n for n in names if names.count(n) > 1)
        raise UserError(f"two runs are named {twice!r}; rename one folder so that tables can tell them apart")
    parts: dict[str, list[pd.DataFrame]] = {}
    for folder in folders:
        if (made_by := instrument_of(folder)) != instrument.name:
            raise UserError(f"{folder.path}: is a run of {made_by!r}, not of {instrument.name!r}")
        require_planned(folder)
        try:
            tables = instrument.tables(folder)
        finally:
            # Where inputs were changed, that is what to say, whatever came of it.
            check_inputs(folder, read_plan(folder))
        for name, frame in tables.items():
            parts.setdefault(name, []).append(_with_run(frame, folder.name))
    return {
        name: pd.concat(frames, ignore_index=True) if len(frames) > 1 else frames[0] for name, frames in parts.items()
    }


def write_tables(folder: Path, tables: Mapping[str, pd.DataFrame]) -> None:
    """Write each table as Parquet (exact) and CSV (for sheets: formulas defused)."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, frame in tables.items():
        _whole(folder / f"{name}.parquet", partial(frame.to_parquet, index=False))
        _whole(folder / f"{name}.csv", partial(_safe(frame).to_csv, index=False, quoting=csv.QUOTE_ALL))


def _with_run(frame: pd.DataFrame, run: str) -> pd.DataFrame:
    frame = frame.copy()
    frame.insert(0, "run", run)
    return frame


def _safe(frame: pd.DataFrame) -> pd.DataFrame:
    safe = frame.copy()
    for column in safe.columns:
        if safe[column].dtype == object or str(safe[column].dtype) in {"str", "string"}:
            safe[column] = safe[column].map(lambda cell: _safe_text(cell) if isinstance(cell, str) else cell)
    return safe


def _safe_text(cell: str) -> str:
    """Defuse a formula, and show a NUL, which ends a CSV file for many readers (Parquet keeps it)."""
    return defuse_formula(cell.replace("\0", "\N{REPLACEMENT CHARACTER}"))


def _whole(path: Path, write: Callable[[Path], object]) -> None:
    """Write a file beside its place and move it there, so that a reader never sees half of one."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    write(part)
    part.replace(path)

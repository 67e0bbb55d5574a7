"""``tutorscope INSTRUMENT analyze`` and the rebuilding that ``run``, ``judge`` and ``report`` share."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    import pandas as pd

    from tutorscope.reporting.texts import Wish
    from tutorscope.runs.folder import RunFolder
    from tutorscope.runs.instrument import Instrument, Tables


@dataclass(frozen=True)
class Rebuilt:
    """What rebuilding gave: the headline's lines, the numbers for a program, the page, and what it had to do without.

    ``owed`` says what runs lack, "" if nothing; ``damaged`` names the logs that could not be read.
    """

    headline: Sequence[str]
    numbers: dict[str, Any]
    report: Path | None
    owed: str
    damaged: Sequence[str]


def analyze_command(instrument: Instrument) -> click.Command:
    """Build an instrument's ``analyze``."""
    own = instrument.analysis

    def callback(runs: Sequence[Path], out: Path | None, as_json: bool, **params: Any) -> None:
        from tutorscope.errors import UserError

        if not runs and own is None:
            raise UserError("no run is named: expected the --out folder of an earlier run")
        folders, place = folders_and_place(runs, out) if runs else ((), out)
        tables = (lambda given: own.tables(given, params)) if own else None
        result = rebuild(instrument, folders, place, None, tables)
        click.echo(json.dumps(result.numbers, indent=1, default=str) if as_json else "\n".join(result.headline))
        say_lacking(result)

    return click.Command(
        "analyze",
        params=[
            click.Argument(["runs"], nargs=-1, type=click.Path(path_type=Path)),
            *(own.options() if own else ()),
            click.Option(["--out"], type=click.Path(path_type=Path), help="Where to write, for several runs."),
            click.Option(["--json", "as_json"], is_flag=True, help="Print the numbers as JSON."),
        ],
        callback=callback,
        help="Rebuild the tables and numbers of one or more runs from their logs: no key, no call."
        + (" Or make the numbers from tables alone." if own else ""),
    )


def folders_and_place(runs: Sequence[Path], out: Path | None) -> tuple[list[RunFolder], Path]:
    """Open runs and say where what is made of them goes.

    Raises
    ------
    UserError
        Several runs and no --out.
    """
    from tutorscope.errors import UserError
    from tutorscope.runs.folder import existing

    folders = [existing(run) for run in runs]
    if len(folders) > 1 and out is None:
        raise UserError("several runs: say with --out DIR where their common tables go")
    return folders, out or folders[0].path


def remembered_texts(folder: RunFolder, wish: Wish | None) -> Wish:
    """Keep the last wish for texts in the run, so that a page without students' words stays one."""
    kept = folder.path / "texts"
    if wish is not None:
        kept.write_text(f"{wish}\n", encoding="ascii")
        return wish
    before = kept.read_text(encoding="ascii").strip() if kept.exists() else ""
    return "none" if before == "none" else "all" if before == "all" else "sample"


def rebuild(
    instrument: Instrument,
    folders: Sequence[RunFolder],
    place: Path | None,
    texts: Wish | None,
    more: Callable[[Tables], Tables] | None = None,
) -> Rebuilt:
    """Rebuild tables, numbers and, unless ``texts`` is None, figures and the page.

    Parameters
    ----------
    instrument : Instrument
    folders : sequence of RunFolder
    place : Path or None
        Where ``tables/``, ``figures/`` and ``report.html`` go; None writes nothing.
    texts : {"none", "sample", "all"} or None
        How much of what was said the page holds.
    more : callable, optional
        From the runs' tables to those that the numbers are made of.
    """
    from tutorscope.reporting.run_report import owed_line, report_runs
    from tutorscope.runs.plan import draft
    from tutorscope.runs.results import noting_unreadable
    from tutorscope.runs.status import standing
    from tutorscope.runs.tables import gather, write_tables

    with noting_unreadable() as unreadable:
        tables = gather(instrument, folders)
    states = {folder.name: standing(draft(folder, instrument, to_read=True)) for folder in folders}
    if more is not None:
        tables = more(tables)
    numbers = instrument.measures(tables)
    if place is not None:
        write_tables(place / "tables", {**tables, **numbers})
    headline = list(instrument.headline(tables, numbers))
    page = None
    if texts is not None and place is not None:
        page = report_runs(instrument, folders, tables, numbers, place, texts, states)
    damaged = [
        f"a log could not be read: {path}: {why}; what no other log holds of it is owed, and `tutorscope "
        f"{instrument.name} run` takes it from the journal, unpaid"
        for path, why in unreadable.items()
    ]
    records = {name: _records(frame) for name, frame in numbers.items()}
    return Rebuilt(headline, records, page, owed_line(states), damaged)


def say_lacking(result: Rebuilt) -> None:
    """Say what is owed, and name the logs that could not be read, beside numbers that lack both."""
    from tutorscope.texts.plain import strip_controls

    for line in filter(None, [result.owed, *result.damaged]):
        click.echo(strip_controls(line), err=True)


def _records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Give a table as plain records, each number with all its digits (pandas' own JSON keeps ten decimals)."""
    return [{str(name): _plain(value) for name, value in row.items()} for row in frame.to_dict("records")]


def _plain(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return None
    return None if isinstance(value, float) and not math.isfinite(value) else value

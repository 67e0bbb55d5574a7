"""``tutorscope runs``: where a run stands, and its seal."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from tutorscope.runs.plan import Job


@click.group()
def runs() -> None:
    """Look after runs: status, seal."""


@runs.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--prices", type=click.Path(path_type=Path), help="Your own price table (YAML).")
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
def status(run: Path, prices: Path | None, as_json: bool) -> None:
    """Say what is done, owed and erred in RUN, by cell, with tokens and money."""
    from tutorscope.runs.prices import read_prices
    from tutorscope.runs.seal import check_seal
    from tutorscope.runs.status import status as state
    from tutorscope.runs.status import status_text
    from tutorscope.texts.plain import strip_controls
    from tutorscope.texts.words import counted

    job = _job(run)
    table = read_prices(prices)
    found = state(job, table)
    sealed = check_seal(job.folder)
    if as_json:
        click.echo(json.dumps({**asdict(found), "seal": asdict(sealed)}, indent=1))
        return
    click.echo(strip_controls(status_text(found, table)))
    for log in found.unreadable:
        click.echo(strip_controls(f"a log could not be read: {log}; what it held is taken from the journal next time"))
    if sealed.sealed:
        click.echo(
            f"sealed {sealed.sealed}: "
            + (
                f"not what was sealed: {counted(len(sealed.changed), 'file')}: {', '.join(sealed.changed)}; "
                if sealed.changed
                else ""
            )
            + (f"{counted(len(sealed.grown), 'file')} grew since" if sealed.grown else "nothing grew since")
        )


@runs.command()
@click.argument("run", type=click.Path(path_type=Path))
def seal(run: Path) -> None:
    """Seal RUN: write the sha256 of plan, inputs, calls and logs. A run that grew is sealed anew."""
    from tutorscope.runs.folder import locked
    from tutorscope.runs.seal import seal as seal_run

    job = _job(run)
    cells = [cell.key for stage in job.stages for cell in job.cells(stage)]
    with locked(job.folder):
        state = seal_run(job.folder, cells)
    click.echo(f"sealed {state.sealed}: {job.folder.seal}")


def _job(run: Path) -> Job:
    from tutorscope.cli.instruments import instrument_named
    from tutorscope.runs.folder import existing
    from tutorscope.runs.intact import require_planned
    from tutorscope.runs.plan import draft, instrument_of

    folder = existing(run)
    require_planned(folder)
    return draft(folder, instrument_named(instrument_of(folder)), to_read=True)

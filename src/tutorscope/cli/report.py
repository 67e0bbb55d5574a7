"""``tutorscope report``: one page from one or more runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from tutorscope.reporting.texts import Wish


@click.command()
@click.argument("runs", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), help="Where the page goes, for several runs.")
@click.option(
    "--texts",
    type=click.Choice(["none", "sample", "all"]),
    default="sample",
    show_default=True,
    help="How much of what was said the page holds.",
)
def report(runs: Sequence[Path], out: Path | None, texts: Wish) -> None:
    """Write the report of one or more RUNS again, from their logs: no key, no call."""
    from tutorscope.cli.analyze import folders_and_place, rebuild
    from tutorscope.cli.instruments import instrument_named
    from tutorscope.errors import UserError
    from tutorscope.runs.plan import instrument_of

    folders, place = folders_and_place(runs, out)
    names = [instrument_of(folder) for folder in folders]
    if len(set(names)) > 1:
        raise UserError(f"runs of {names[0]!r} and {next(n for n in names if n != names[0])!r} do not go on one page")
    result = rebuild(instrument_named(names[0]), folders, place, texts)
    click.echo("\n".join([*result.headline, f"report: {result.report}"]))

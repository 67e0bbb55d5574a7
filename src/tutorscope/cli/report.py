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
    help="How much of what was said the page holds (default: as before, else sample).",
)
def report(runs: Sequence[Path], out: Path | None, texts: Wish | None) -> None:
    """Write the report of one or more RUNS again, from their logs: no key, no call."""
    from tutorscope.cli.analyze import folders_and_place, rebuild, remembered_texts, say_lacking
    from tutorscope.cli.instruments import instrument_named
    from tutorscope.errors import UserError
    from tutorscope.runs.plan import instrument_of

    folders, place = folders_and_place(runs, out)
    names = [instrument_of(folder) for folder in folders]
    if len(set(names)) > 1:
        raise UserError(f"runs of {names[0]!r} and {next(n for n in names if n != names[0])!r} do not go on one page")
    wishes = {remembered_texts(folder, texts) for folder in folders}
    wish: Wish = "none" if "none" in wishes else "sample" if "sample" in wishes else "all"
    result = rebuild(instrument_named(names[0]), folders, place, wish)
    click.echo("\n".join([*result.headline, f"report: {result.report}"]))
    say_lacking(result)

"""``tutorscope judge``: rate the same frozen text again, by another judge or more often."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from tutorscope.cli.roles import role_options
from tutorscope.cli.run import go, going_options, take_going


def _judge(**params: Any) -> int:
    from tutorscope.cli.instruments import instrument_named
    from tutorscope.cli.roles import take_speakers
    from tutorscope.errors import UserError
    from tutorscope.runs.folder import existing
    from tutorscope.runs.instrument import Ask
    from tutorscope.runs.intact import require_planned
    from tutorscope.runs.plan import instrument_of, read_plan

    folder = existing(params.pop("run"))
    require_planned(folder)
    going = take_going(params)
    instrument = instrument_named(instrument_of(folder))
    if not instrument.passes:
        raise UserError(f"{folder.path}: {instrument.name} has no judge pass: nothing in it is rated by a judge")
    judges = take_speakers(["judge"], params)
    ratings = params.pop("ratings")
    if not judges and ratings is None:
        raise UserError("nothing to do: give --judge MODEL for another judge, or --ratings N for more ratings")
    # Every way in which the run was rated so far, not only the last one.
    options = [
        {**line["options"], **({"ratings": ratings} if ratings is not None else {})} for line in read_plan(folder)
    ]
    asks = [Ask(options=one) for n, one in enumerate(options) if one not in options[:n]]
    return go(instrument, folder.path, asks, judges, going)


judge = click.Command(
    "judge",
    params=[
        click.Argument(["run"], type=click.Path(path_type=Path)),
        *role_options(["judge"]),
        click.Option(["--ratings"], type=click.IntRange(1), help="Ratings of each text by each judge named now."),
        *going_options(),
    ],
    callback=_judge,
    help="Rate what a run holds again: the texts stay as they are, and only new ratings are paid.",
)

"""``tutorscope judge``: rate the same frozen text again, by another judge or more often."""

from __future__ import annotations

from dataclasses import replace
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
    from tutorscope.runs.plan import instrument_of, read_plan

    folder = existing(params.pop("run"))
    going = take_going(params)
    instrument = instrument_named(instrument_of(folder))
    judges = take_speakers(["judge"], params)
    ratings = params.pop("ratings")
    if not judges and ratings is None:
        raise UserError("nothing to do: give --judge MODEL for another judge, or --ratings N for more ratings")
    ask = Ask(options=dict(read_plan(folder)[-1]["options"]))
    if ratings is not None:
        ask = replace(ask, options={**ask.options, "ratings": ratings})
    return go(instrument, folder.path, ask, judges, going)


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

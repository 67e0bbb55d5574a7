"""The instruments that are installed, and the group of commands that each one gets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from importlib.metadata import entry_points
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from tutorscope.runs.instrument import Instrument, RunLike

GROUP = "tutorscope.instruments"


@cache
def instruments() -> dict[str, Callable[[], Instrument]]:
    """Give each installed instrument's name with the function that loads its record."""
    return {entry.name: cache(entry.load) for entry in sorted(entry_points(group=GROUP), key=lambda e: e.name)}


def instrument_named(name: str) -> Instrument:
    """Load an instrument's record.

    Raises
    ------
    UserError
        No instrument of that name is installed.
    """
    from tutorscope.errors import UserError

    if name not in instruments():
        raise UserError(f"no instrument {name!r} is installed; there are: {', '.join(instruments())}")
    return instruments()[name]()


def instrument_group(instrument: Instrument) -> click.Group:
    """Build an instrument's commands: the shared verbs, then its own."""
    from tutorscope.cli.analyze import analyze_command
    from tutorscope.cli.run import run_command

    group = click.Group(instrument.name, help=instrument.title)
    for command in [
        instrument.check_command(),
        run_command(instrument),
        analyze_command(instrument),
        *(_run_like(instrument, other) for other in instrument.run_like()),
        *instrument.commands(),
    ]:
        group.add_command(command)
    return group


def _run_like(instrument: Instrument, other: RunLike) -> click.Command:
    """Build a command that asks for other work in the way that ``run`` does."""
    from tutorscope.cli.run import run_command

    own = replace(instrument, run_options=other.options, ask=other.ask, roles=other.roles or instrument.roles)
    command = run_command(own, executes=other.executes)
    command.name, command.help, command.short_help = other.name, other.help, None
    return command

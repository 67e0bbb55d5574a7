"""``tutorscope demo``: every instrument, small, on the embedded model."""

from __future__ import annotations

import shlex
from pathlib import Path

import click


@click.command()
@click.argument("names", nargs=-1, metavar="[INSTRUMENT]...")
@click.option("--out", type=click.Path(path_type=Path), default=Path("tutorscope-demo"), show_default=True)
@click.pass_context
def demo(ctx: click.Context, names: tuple[str, ...], out: Path) -> int:
    """Run every instrument, small, on the embedded model: no key, no network.

    It shows the machinery. A model of 135 million parameters is no judge: its numbers are no verdict on anything.
    """
    from tutorscope.cli.instruments import instrument_named, instruments
    from tutorscope.cli.run import run_command

    codes = []
    for name in names or tuple(instruments()):
        instrument = instrument_named(name)
        args = [*instrument.demo(), "--out", str(out / name), "--yes"]
        click.echo(f"$ tutorscope {name} run {shlex.join(args)}")
        command = run_command(instrument)
        with command.make_context("run", args, parent=ctx) as inner:
            codes.append(command.invoke(inner))
        if codes[-1] == 130:
            return 130
    click.echo("the embedded model shows the machinery; its numbers are no verdict on anyone's tutor")
    return max(codes, default=0)

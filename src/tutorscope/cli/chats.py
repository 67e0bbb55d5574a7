"""``tutorscope chats``: how a log is understood, before anything is spent, and logs in another format."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click


@click.group()
def chats() -> None:
    """Look at chat logs, and convert them."""


def reading_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that say how a log is read."""
    for option in reversed(
        [
            click.option("--format", default="auto", show_default=True, help="The log's format."),
            click.option("--roles", metavar="tutor=NAME,student=NAME", help="Who is who in the log."),
            click.option("--columns", metavar="text=NAME,...", help="Which column holds what."),
            click.option("--encoding", help="The log's encoding, such as cp1252 or utf-16."),
            click.option(
                "--same-speaker",
                type=click.Choice(["merge", "keep"]),
                default="merge",
                show_default=True,
                help="Several messages by one speaker in a row: join them, or keep them apart.",
            ),
            click.option("--skip-bad", is_flag=True, help="Leave out records that cannot be read, and count them."),
            click.option("--limit", type=click.IntRange(1), help="Only the first N chats."),
            click.option("--keep-personal", is_flag=True, help="Keep columns such as IP and e-mail."),
        ]
    ):
        command = option(command)
    return command


@chats.command("peek")
@click.argument("file", type=click.Path(path_type=Path))
@reading_options
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
def peek_command(file: Path, as_json: bool, **reading: Any) -> None:
    """Say which format FILE has and why, show two chats as understood, and count what would be scored."""
    from tutorscope.chats.peek import peek, peek_text

    facts = peek(file, **reading)
    click.echo(json.dumps(facts, indent=1, ensure_ascii=True) if as_json else peek_text(facts))


@chats.command("convert")
@click.argument("file", type=click.Path(path_type=Path))
@click.argument("out", type=click.Path(path_type=Path))
@click.option(
    "--to",
    required=True,
    type=click.Choice(["openai", "long", "wide", "tutorscope"]),
    help="The format to write: chats a line, a message a row, an exchange a row, or everything.",
)
@reading_options
@click.option("--json", "as_json", is_flag=True, help="Print what was kept and what not as JSON.")
def convert_command(file: Path, out: Path, to: str, as_json: bool, **reading: Any) -> None:
    """Write the chats of FILE to OUT, JSON lines or CSV by its ending, and say what that format cannot keep."""
    from tutorscope.chats.converting import convert, convert_text

    facts = convert(file, out, to, **reading)
    click.echo(json.dumps(facts, indent=1, ensure_ascii=True) if as_json else convert_text(facts), nl=as_json)

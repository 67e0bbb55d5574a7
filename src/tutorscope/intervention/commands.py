"""The intervention's own verbs."""

from __future__ import annotations

import click

from tutorscope.intervention.instrument import DOMAINS


def check_command() -> click.Command:
    """Build ``intervention check``."""

    def check(problems: str, domain: str, limit: int | None, as_json: bool) -> None:
        import json

        from tutorscope.intervention.inputs import problem_set
        from tutorscope.texts.plain import strip_controls

        found, notes = problem_set(problems, domain, limit)
        said = json.dumps(dict(found.facts), indent=1, default=str) if as_json else strip_controls("\n".join(notes))
        click.echo(said)

    return click.Command(
        "check",
        params=[
            click.Argument(["problems"], metavar="starter|FILE|hf:ID@REV"),
            click.Option(["--domain"], type=click.Choice(DOMAINS), required=True, help="What they are about."),
            click.Option(["--limit"], type=click.IntRange(1), help="Only the first N."),
            click.Option(["--json", "as_json"], is_flag=True, help="Print the counts as JSON."),
        ],
        callback=check,
        help="Read problems and say what would be worked on, and what not and why. Nothing is sent anywhere.",
        short_help="Say what a set of problems would give.",
    )

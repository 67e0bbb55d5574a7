"""Casework's own verbs."""

from __future__ import annotations

from pathlib import Path

import click


def check_command() -> click.Command:
    """Build ``casework check``."""

    def check(data: str, demographics: Path | None, papers: Path | None, as_json: bool) -> None:
        import json

        from tutorscope.casework.check import check_release, check_text

        found = check_release(data, demographics, papers)
        click.echo(json.dumps(found, indent=1) if as_json else check_text(found))

    return click.Command(
        "check",
        params=[
            click.Argument(["data"], metavar="DIR|starter|demo"),
            click.Option(["--demographics"], type=click.Path(path_type=Path), help="Your table of groups, read too."),
            click.Option(["--papers"], type=click.Path(path_type=Path), help="Your table of papers, read too."),
            click.Option(["--json", "as_json"], is_flag=True, help="Print the counts as JSON."),
        ],
        callback=check,
        help="Load a release and say what it holds, what was left out and why, and what is missing for which form.",
        short_help="Say what a release holds.",
    )

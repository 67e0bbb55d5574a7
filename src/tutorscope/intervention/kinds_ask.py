"""What ``intervention categorize`` takes, and what it asks of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import click

from tutorscope.runs.instrument import Ask


def kinds_options() -> Sequence[click.Parameter]:
    """Build the options beside the shared ones."""
    return [
        click.Option(
            # One value under two names: a number that the run has not used yet clusters anew.
            ["--taxonomy", "--recluster", "taxonomy"],
            default="1",
            show_default=True,
            metavar="published|[NAME=]FILE|N",
            help="published: the paper's category names. FILE: your own (YAML, two lists: role and leakage), or what "
            "a run keeps in inputs/taxonomy/. N: the run's own messages, clustered once and then kept; 1 is the first "
            "time, another number clusters anew beside it.",
        ),
    ]


def ask_kinds(params: Mapping[str, Any]) -> Ask:
    """Read them, and people's episodes where ``people`` names files of them.

    Raises
    ------
    UserError
        The taxonomy is none, or a file is at fault.
    """
    from tutorscope.intervention.people import read_people
    from tutorscope.intervention.taxonomies import choose

    name, own = choose(params["taxonomy"])
    people = [
        read_people(f"{who}=people:{file}" if who else f"people:{file}") for who, file in params.get("people", ())
    ]
    return Ask({"categorize": True, "taxonomy": name}, [*([own] if own else ()), *people])

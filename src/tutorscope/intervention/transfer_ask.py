"""What ``intervention transfer`` takes and asks of a run, and ``intervention variants``: a set into a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from tutorscope.runs.instrument import Ask
from tutorscope.texts.words import counted

FIRST_GROUPS = "1"


def transfer_options() -> Sequence[click.Parameter]:
    """Build the options beside the shared ones."""
    return [
        click.Option(
            ["--variants"],
            metavar="[NAME=]FILE",
            help="New problems from a file, in place of such as the builder writes (see `intervention variants`).",
        ),
        click.Option(
            # One value under two names, as of `categorize`: a name that the run has not used yet groups anew.
            ["--groups", "--recluster", "groups"],
            default=FIRST_GROUPS,
            show_default=True,
            metavar="NAME",
            help="Groups of skills, made once and then kept; another name makes others, and variants for them.",
        ),
        click.Option(
            ["--seed"], type=click.IntRange(0), default=0, show_default=True, help="Draws variants and episodes."
        ),
    ]


def ask_transfer(params: Mapping[str, Any]) -> Ask:
    """Read them, and people's episodes where ``people`` names files of them.

    Returns
    -------
    Ask
        Its options hold ``transfer``, ``seed``, and either ``variants`` (the set's name) or ``groups`` and ``limit``.

    Raises
    ------
    UserError
        The file cannot be used as a variant set, or a name is none.
    """
    from tutorscope.errors import UserError
    from tutorscope.intervention.people import read_people
    from tutorscope.intervention.variant_sets import is_name, read_variant_set

    limit = params.get("limit")
    people = [
        read_people(f"{who}=people:{file}" if who else f"people:{file}") for who, file in params.get("people", ())
    ]
    options: dict[str, Any] = {"transfer": True, "seed": params["seed"]}
    if params["variants"]:
        given = read_variant_set(params["variants"], limit)
        left_out = ", ".join(f"{state} {n}" for state, n in given.facts["left_out"].items())
        held = f"{counted(given.facts['variants'], 'variant')} of {counted(given.facts['problems'], 'problem')}"
        note = f"{given.name}: {held}" + (f"; left out: {left_out}" if left_out else "")
        return Ask({**options, "variants": given.name.partition("/")[2]}, [given, *people], [note])
    if not is_name(params["groups"]):
        raise UserError(f"--groups: found {params['groups']!r}, expected a plain name such as 2")
    return Ask({**options, "groups": params["groups"], "limit": limit}, people)


def variants_command() -> click.Command:
    """Build ``intervention variants``."""

    def variants(run: Path, out: Path, name: str | None) -> None:
        from tutorscope.intervention.transfer_records import export_variants
        from tutorscope.runs.folder import existing
        from tutorscope.texts.plain import strip_controls

        counts = export_variants(existing(run), out, name)
        said = ", ".join(f"{state} {n}" for state, n in sorted(counts.items())) or "none"
        click.echo(strip_controls(f"{out}: variants by state: {said}"))

    return click.Command(
        "variants",
        params=[
            click.Argument(["run"], type=click.Path(path_type=Path)),
            click.Option(["--out"], type=click.Path(path_type=Path), required=True, help="The file, a new one."),
            click.Option(["--set", "name"], help="Which set, where the run has several: a name of --groups or FILE."),
        ],
        callback=variants,
        help=(
            "Write a run's new problems to a file (JSON lines), those that were dropped too, to be read, edited and "
            "used again with `transfer --variants`."
        ),
        short_help="Write a run's new problems to a file.",
    )

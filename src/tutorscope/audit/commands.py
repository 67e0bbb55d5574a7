"""The audit's own verbs: checking a problem set, making fresh ones, and what a study could find."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import click


def check_command() -> click.Command:
    """Build ``audit check``."""

    def check(file: str, as_json: bool) -> int:
        import json

        from tutorscope.audit.problem_sets.constraints import check_problems
        from tutorscope.texts.plain import strip_controls

        found = check_problems(file)
        if as_json:
            click.echo(json.dumps({"set": found.name, "counts": dict(found.counts), "findings": list(found.findings)}))
        else:
            counts = ", ".join(f"{phase} {n}" for phase, n in found.counts.items())
            click.echo(strip_controls(f"{found.name}: {sum(found.counts.values())} problems ({counts})"))
            for line in found.findings:
                click.echo(strip_controls(line))
            if not found.findings:
                click.echo("every answer was derived again from its quantities; no constraint is broken")
        return 2 if found.findings else 0

    return click.Command(
        "check",
        params=[
            click.Argument(["file"], metavar="SET|FILE"),
            click.Option(["--json", "as_json"], is_flag=True, help="Print counts and findings as JSON."),
        ],
        callback=check,
        help="Check a problem set: answers derived again, constraints, counts. Nothing is sent anywhere.",
        short_help="Check a problem set.",
    )


def commands() -> Iterable[click.Command]:
    """Build the others."""
    return _new_command(), _power_command()


def _new_command() -> click.Command:
    def new(family: str, seed: int, out: Path | None, name: str | None) -> None:
        from tutorscope.audit.problem_sets.fresh import fresh_set, write_set
        from tutorscope.errors import UserError

        place = out or Path(f"{family}-{seed}.yaml")
        if place.exists():
            raise UserError(f"{place}: is there already; expected a new file's name with --out")
        made = fresh_set(family, seed, name)
        write_set(made, place)
        click.echo(f"{place}: {len(made.problems)} problems of the family {family}, seed {seed}")

    return click.Command(
        "new",
        params=[
            click.Option(
                ["--family"],
                type=click.Choice(["mixtures", "work-rates", "discounts"]),
                default="mixtures",
                show_default=True,
                help="What the problems are about.",
            ),
            click.Option(["--seed"], type=click.IntRange(0), required=True, help="Another seed, other problems."),
            click.Option(["--name"], help="The set's name (default: family and seed)."),
            click.Option(["--out"], type=click.Path(path_type=Path), help="The file (default: FAMILY-SEED.yaml)."),
        ],
        callback=new,
        help="Make a fresh problem set that no model has seen, under the same constraints.",
    )


def _power_command() -> click.Command:
    def power(
        replicates: str, studies: int, seed: int, like: Path | None, no_effect: bool, claims: Path | None, as_json: bool
    ) -> None:
        from tutorscope.audit.inference.power_study import simulated_power

        found = simulated_power(replicates, studies, seed, like=like, no_effect=no_effect, claims=claims)
        shares = found.to_string(index=False, float_format="{:.2f}".format)
        click.echo(found.to_json(orient="records", indent=1) if as_json else shares)

    return click.Command(
        "power",
        params=[
            click.Option(["--replicates"], default="5,10,20", show_default=True, metavar="N,...", help="To compare."),
            click.Option(["--studies"], type=click.IntRange(10), default=200, show_default=True, help="Simulated."),
            click.Option(["--seed"], type=click.IntRange(0), default=0, show_default=True, help="Other studies."),
            click.Option(
                ["--like"],
                type=click.Path(path_type=Path),
                metavar="RUN",
                help="Take rates and spread from a run's folder.",
            ),
            click.Option(["--no-effect"], is_flag=True, help="Suppose that the policies do not differ."),
            click.Option(["--claims"], type=click.Path(path_type=Path), help="Your own claims (YAML)."),
            click.Option(["--json", "as_json"], is_flag=True, help="Print the numbers as JSON."),
        ],
        callback=power,
        help="Simulate studies: how often would each claim be supported, with so many replicates?",
    )

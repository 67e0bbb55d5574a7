"""The record of the intervention instrument. What it needs is imported when it is called."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tutorscope.runs.instrument import Analysis, Ask, Instrument, RunLike, Tables

if TYPE_CHECKING:
    from tutorscope.pictures.blocks import Published, Section
    from tutorscope.runs.folder import RunFolder
    from tutorscope.runs.plan import Job
    from tutorscope.runs.stages import Stage

DOMAINS = ("math", "code", "teasers")
CONDITIONS = ("standard", "oracle")
VARIANTS = ("plain", "sparing", "guiding")


def _stages() -> Sequence[Stage]:
    from tutorscope.intervention.kinds_tasks import kinds_stages
    from tutorscope.intervention.tasks import game_stages
    from tutorscope.intervention.transfer_tasks import transfer_stages

    return (*game_stages(), *transfer_stages(), *kinds_stages())


def _conflicts(job: Job) -> Iterable[str]:
    from tutorscope.intervention.tasks import conflicts

    return conflicts(job)


def _material_options() -> list[click.Parameter]:
    return [
        click.Option(["--domain"], type=click.Choice(DOMAINS), help="What the problems are about (default: teasers)."),
        click.Option(
            ["--problems"],
            metavar="starter|FILE|hf:ID@REV",
            help="The package's own (default), a file, or a data set pinned by revision.",
        ),
        click.Option(["--traces"], multiple=True, metavar="[NAME=]FILE", help="Traces that a student left already."),
    ]


def _run_options() -> Sequence[click.Parameter]:
    return [
        *_material_options(),
        click.Option(
            ["--condition"],
            multiple=True,
            type=click.Choice(CONDITIONS),
            help="Watching while the trace appears, or looking back over the whole of it (default: both).",
        ),
        click.Option(
            ["--increment"],
            multiple=True,
            metavar="N|sentence",
            help="What is revealed before each decision: characters, or sentences (default: 50).",
        ),
        click.Option(
            ["--variant"],
            multiple=True,
            type=click.Choice(VARIANTS),
            help="The tutor's prompt, or one that says: only if needed; guide (default: plain).",
        ),
        click.Option(
            ["--replicates"], type=click.IntRange(1), default=3, show_default=True, help="Episodes on each trace."
        ),
        click.Option(["--ask-at-end"], is_flag=True, help="Ask the tutor once more when the whole trace is there."),
        click.Option(
            ["--lookahead"],
            default="1",
            show_default=True,
            metavar="N|auto",
            help="Decisions asked at once; auto: more than one at the tail of a run.",
        ),
        click.Option(
            ["--short-form"],
            is_flag=True,
            help="Have servers hold students and tutors to short JSON: for models too small to keep to labels.",
        ),
    ]


def _game(params: Mapping[str, Any]) -> Ask:
    """Read what every ask of a run may name: problems, traces, people's episodes."""
    from tutorscope.intervention.inputs import read_inputs

    inputs, material, notes = read_inputs(params)
    return Ask({}, inputs, notes, material=material)


def _ask(params: Mapping[str, Any]) -> Ask:
    from dataclasses import replace

    from tutorscope.errors import UserError

    game = _game(params)
    for size in params["increment"]:
        if size != "sentence" and not (size.isdecimal() and 1 <= int(size) <= 100_000):
            raise UserError(f"--increment: cannot read {size!r}; expected a number of characters, or sentence")
    lookahead = params["lookahead"]
    if lookahead != "auto" and not (lookahead.isdecimal() and 1 <= int(lookahead) <= 1000):
        raise UserError(f"--lookahead: cannot read {lookahead!r}; expected a number from 1 to 1000, or auto")
    options = {
        "game": True,
        "condition": list(params["condition"] or CONDITIONS),
        "increment": list(dict.fromkeys(params["increment"] or ("50",))),
        "variant": list(dict.fromkeys(params["variant"] or ("plain",))),
        "replicates": params["replicates"],
        "ask_at_end": bool(params["ask_at_end"]),
        "lookahead": lookahead,
        "short_form": bool(params["short_form"]),
        "traces": [one.name.removeprefix("traces/") for one in game.inputs if one.name.startswith("traces/")],
    }
    return replace(game, options=options)


def _runs() -> Sequence[RunLike]:
    from tutorscope.intervention.kinds_ask import ask_kinds, kinds_options
    from tutorscope.intervention.transfer_ask import ask_transfer, transfer_options

    return (
        RunLike(
            name="transfer",
            help=(
                "Does help with one problem help with the next? Write variants of a run's problems, check them, and "
                "let the student try them alone, after the problem, and after the problem with the tutor's help."
            ),
            options=transfer_options,
            ask=ask_transfer,
        ),
        RunLike(
            name="categorize",
            help=(
                "What kind of help did tutors give, and how much of the solution did they give away? Label every "
                "message of a run with the paper's categories, your own, or such as are found in the messages."
            ),
            options=kinds_options,
            ask=ask_kinds,
        ),
    )


def _tables(folder: RunFolder) -> Tables:
    from tutorscope.intervention.kinds_records import kinds_tables
    from tutorscope.intervention.records import game_tables
    from tutorscope.intervention.transfer_records import transfer_tables

    return {**game_tables(folder), **transfer_tables(folder), **kinds_tables(folder)}


def _analysis_options() -> Sequence[click.Parameter]:
    return [
        click.Option(
            ["--ci"],
            type=click.Choice(["problems", "episodes"]),
            default="problems",
            show_default=True,
            help="Intervals that resample problems, or single episodes as in the paper.",
        )
    ]


def _analysis_tables(given: Tables, params: Mapping[str, Any]) -> Tables:
    import pandas as pd

    from tutorscope.errors import UserError

    if not given:
        raise UserError("no run is named: expected the --out folder of an earlier run")
    return {**given, "settings": pd.DataFrame({"ci": [params["ci"]]})}


def _measures(tables: Tables) -> Tables:
    from tutorscope.intervention.measures import measures

    return measures(tables)


def _headline(tables: Tables, measures: Tables) -> Sequence[str]:
    from tutorscope.intervention.sections import headline

    misfits = tables.get("misfits")
    aside = [f"a person's episode is set aside: {line}" for line in misfits["line"]] if misfits is not None else []
    return [*headline(tables, measures), *aside]


def _sections(tables: Tables, measures: Tables, figures: Path, texts: str) -> Sequence[Section]:
    from tutorscope.intervention.sections import sections

    return sections(tables, measures, figures, texts)


def _published() -> Sequence[Published]:
    from tutorscope.intervention.published import published

    return published()


def _demo() -> Sequence[str]:
    # Two short teasers, a tutor that sees big pieces, short replies in a form, and the prefix cache.
    caps = {"tutor": 80, "student": 140, "judge": 64}
    settings = [(role, key) for role, n in caps.items() for key in (f"max_tokens={n}", "cache_prompt=true")]
    capped = [f"--{role}-setting={key}" for role, key in settings]
    models = ["--tutor", "embedded", "--student", "embedded", "--judge", "embedded"]
    game = ["--domain", "teasers", "--limit", "2", "--replicates", "1", "--increment", "150", "--short-form"]
    return [*game, *models, *capped]


def _check_command() -> click.Command:
    from tutorscope.intervention.commands import check_command

    return check_command()


def _commands() -> Iterable[click.Command]:
    from tutorscope.intervention.transfer_ask import variants_command

    return (variants_command(),)


INTERVENTION = Instrument(
    name="intervention",
    title="When, how often and how does a tutor step into a student's reasoning, and does it help?",
    version=1,
    roles=("tutor", "student", "judge", "builder"),
    factors=(
        "condition",
        "increment",
        "variant",
        "ask_at_end",
        "how",
        "context",
        "groups",
        "set",
        "dimension",
        "taxonomy",
    ),
    stages=_stages,
    passes=("baseline-grade", "continue-grade", "transfer-grade", "kind-label"),
    run_options=_run_options,
    ask=_ask,
    tables=_tables,
    measures=_measures,
    headline=_headline,
    sections=_sections,
    published=_published,
    prompts=("tutorscope.intervention.prompts", "tutorscope.judging.prompts"),
    demo=_demo,
    check_command=_check_command,
    commands=_commands,
    run_like=_runs,
    conflicts=_conflicts,
    people_role="tutor",
    analysis=Analysis(_analysis_options, _analysis_tables),
)

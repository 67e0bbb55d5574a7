"""The record of the uptake instrument. What it needs is imported when it is called."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tutorscope.runs.instrument import Ask, Instrument, RunLike, Tables

if TYPE_CHECKING:
    from tutorscope.pictures.blocks import Published, Section
    from tutorscope.runs.folder import RunFolder
    from tutorscope.runs.stages import Stage


def _stages() -> Sequence[Stage]:
    from tutorscope.uptake.seeking import seeking_stage
    from tutorscope.uptake.tasks import stage
    from tutorscope.uptake.validation import validation_stage

    return stage(), seeking_stage(), validation_stage()


def _reading_options() -> list[click.Parameter]:
    return [
        click.Argument(["inputs"], nargs=-1, metavar="LABEL[:DATASET]=FILE..."),
        click.Option(["--category-column"], metavar="NAME", help="Take each chat's label from this field of the log."),
        click.Option(["--format"], default="auto", show_default=True, help="The log's format; see chats peek."),
        click.Option(["--roles"], metavar="tutor=NAME,student=NAME", help="Who is who in the log."),
        click.Option(["--columns"], metavar="text=NAME,...", help="Which column holds what."),
        click.Option(["--encoding"], help="The log's encoding, such as cp1252 or utf-16."),
        click.Option(
            ["--same-speaker"],
            type=click.Choice(["merge", "keep"]),
            default="merge",
            show_default=True,
            help="Several messages by one speaker in a row: join them, or keep them apart.",
        ),
        click.Option(["--skip-bad"], is_flag=True, help="Leave records out that cannot be read, and count them."),
        click.Option(["--split-gap"], metavar="TIME", help="Split chats where people paused for longer: 30m, 2h, 1d."),
        click.Option(
            ["--traits"],
            type=click.Path(path_type=Path),
            help="Traits of datasets as CSV: dataset, a column a trait.",
        ),
    ]


def _run_options() -> Sequence[click.Parameter]:
    return [
        *_reading_options(),
        click.Option(["--separate/--together"], default=False, help="Rate each metric in its own call."),
        click.Option(
            ["--history"], type=click.IntRange(0), metavar="N", help="Show the judge only the last N exchanges before."
        ),
        click.Option(
            ["--ratings"], type=click.IntRange(1), default=1, show_default=True, help="Ratings of each exchange."
        ),
        click.Option(
            ["--help-seeking"],
            is_flag=True,
            help="Also label what help each student message seeks, in calls of its own.",
        ),
    ]


def _ask(params: Mapping[str, Any]) -> Ask:
    from tutorscope.errors import UserError
    from tutorscope.uptake.items import read_logs

    if not params["inputs"]:
        for option in [*_reading_options()[1:], click.Option(["--limit"])]:
            name = str(option.name)
            if params.get(name) not in (None, option.default, False):
                raise UserError(f"--{name.replace('_', '-')}: no log is named; it says how to read the LABEL=FILE ones")
    sets, notes = read_logs(params)
    options = {
        "separate": bool(params["separate"]),
        "history": params["history"] or 0,
        "ratings": params["ratings"],
        "help_seeking": bool(params.get("help_seeking")),
    }
    return Ask(options, sets, notes)


def _validation_options() -> Sequence[click.Parameter]:
    return [
        click.Argument(["pairs"], nargs=-1, metavar="[NAME=]PAIRS..."),
        click.Option(
            ["--separate/--together"], default=False, help="Ask for scaffolding alone, not for uptake along with it."
        ),
    ]


def _ask_validation(params: Mapping[str, Any]) -> Ask:
    from tutorscope.uptake.pairs import read_pairs
    from tutorscope.uptake.tasks import PAIRED

    sets, notes = read_pairs(params["pairs"], params["limit"])
    return Ask({PAIRED: True, "separate": bool(params["separate"])}, sets, notes)


def _runs() -> Sequence[RunLike]:
    return (
        RunLike(
            name="validate",
            help=(
                "Have a judge rate both replies of pairs whose better one is known: how often does it agree?\n\n"
                "PAIRS holds records with history, better and worse. It is a stage of its own: in a folder that holds "
                "rated chats they stay as they are."
            ),
            options=_validation_options,
            ask=_ask_validation,
        ),
    )


def _tables(folder: RunFolder) -> Tables:
    from tutorscope.people.answers import rater_tables
    from tutorscope.uptake.forms import FORM
    from tutorscope.uptake.records import tables

    return {**tables(folder), **rater_tables(folder, FORM)}


def _measures(tables: Tables) -> Tables:
    from tutorscope.people.agreement import rater_agreement
    from tutorscope.uptake.forms import UPTAKE_FORM
    from tutorscope.uptake.judge_agreement import judges_agree
    from tutorscope.uptake.measures import measures
    from tutorscope.uptake.views import view_names

    return {
        **measures(tables),
        **rater_agreement(UPTAKE_FORM.form, tables, UPTAKE_FORM.by),
        "judge_agreement": judges_agree(tables, view_names(tables["chats"])),
    }


def _headline(tables: Tables, measures: Tables) -> Sequence[str]:
    from tutorscope.uptake.sections import headline

    return headline(tables, measures)


def _sections(tables: Tables, measures: Tables, figures: Path, texts: str) -> Sequence[Section]:
    from tutorscope.uptake.sections import sections

    return sections(tables, measures, figures)


def _published() -> Sequence[Published]:
    from tutorscope.uptake.published import published

    return published()


def _demo() -> Sequence[str]:
    from importlib.resources import files

    material = files("tutorscope.uptake.material")
    groups = ("socratic", "mixed", "telling")
    logs = [f"{group}={material / f'{group}.jsonl'}" for group in groups]
    # Prompts begin with one rubric and go on with one chat: the cache saves nine tenths of the reading.
    return [*logs, "--judge", "embedded", "--judge-setting", "cache_prompt=true", "--limit", "6"]


def _forms() -> Mapping[str, Any]:
    from tutorscope.uptake.forms import UPTAKE_FORM

    return {"uptake": UPTAKE_FORM}


def _check_command() -> click.Command:
    def check(**params: Any) -> None:
        import json

        from tutorscope.errors import UserError
        from tutorscope.texts.plain import strip_controls
        from tutorscope.uptake.items import read_logs

        as_json = params.pop("as_json")
        if not params["inputs"]:
            raise UserError("no log is named: expected LABEL=FILE, such as benchmark=chats.jsonl")
        sets, notes = read_logs(params)
        if as_json:
            click.echo(json.dumps([dict(one.facts) for one in sets], indent=1))
        else:
            click.echo("\n".join(strip_controls(note) for note in notes))

    return click.Command(
        "check",
        params=[
            *_reading_options(),
            click.Option(["--limit"], type=click.IntRange(1), help="Only the first N chats of each log."),
            click.Option(["--json", "as_json"], is_flag=True, help="Print the counts as JSON."),
        ],
        callback=check,
        help="Read chat logs and say what would be rated, and what not and why. Nothing is sent anywhere.",
        short_help="Say what a log would give.",
    )


UPTAKE = Instrument(
    name="uptake",
    title="In real chat logs, how much does the tutor scaffold, and does the student take it up?",
    version=1,
    roles=("judge",),
    factors=("separate", "history"),
    stages=_stages,
    passes=("score", "seeking", "validation"),
    run_options=_run_options,
    ask=_ask,
    tables=_tables,
    measures=_measures,
    headline=_headline,
    sections=_sections,
    published=_published,
    prompts=("tutorscope.uptake.prompts",),
    demo=_demo,
    check_command=_check_command,
    run_like=_runs,
    forms=_forms,
)

"""``tutorscope INSTRUMENT run``: ask, estimate, do what is owed, report."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tutorscope.cli.roles import given, role_options, take_people, take_speakers
from tutorscope.runs.reasons import reason_lines
from tutorscope.texts.plain import strip_controls
from tutorscope.texts.words import counted

if TYPE_CHECKING:
    from tutorscope.models.speakers import Speaker
    from tutorscope.runs.execute import Outcome
    from tutorscope.runs.instrument import Ask, Instrument
    from tutorscope.runs.plan import Job
    from tutorscope.runs.prices import Prices


def going_options() -> list[click.Parameter]:
    """Make the options of every command that calls models."""
    return [
        click.Option(["--estimate"], is_flag=True, help="Say calls, tokens and money, and stop before the first call."),
        click.Option(["--json", "as_json"], is_flag=True, help="Print the numbers as JSON."),
        click.Option(["--yes", "-y"], is_flag=True, help="Do not ask before a large run."),
        click.Option(["--prices"], type=click.Path(path_type=Path), help="Your own price table (YAML)."),
        click.Option(
            ["--max-connections"],
            type=click.IntRange(1),
            default=20,
            show_default=True,
            envvar="TUTORSCOPE_MAX_CONNECTIONS",
            help="Calls under way at once, over all models.",
        ),
        click.Option(
            ["--processes"],
            type=click.IntRange(1),
            default=1,
            show_default=True,
            envvar="TUTORSCOPE_PROCESSES",
            help="Processes that share the calls of a stage, for servers that answer faster than one can ask.",
        ),
        click.Option(
            ["--attempt-timeout"], type=click.IntRange(1), default=120, show_default=True, help="Seconds for one try."
        ),
        click.Option(
            ["--max-retries"], type=click.IntRange(0), default=6, show_default=True, help="Tries after the first."
        ),
        click.Option(
            ["--texts"],
            type=click.Choice(["none", "sample", "all"]),
            help="How much of what was said the report holds (default: as before, else sample).",
        ),
    ]


def run_command(instrument: Instrument, *, executes: bool = True) -> click.Command:
    """Build an instrument's ``run``, or a command like it that only records what it asks."""

    @click.pass_context
    def callback(ctx: click.Context, /, **params: Any) -> int:
        return _run(instrument, params, given(ctx, params), executes=executes)

    options = [
        *instrument.run_options(),
        *role_options(instrument.roles),
        click.Option(["--out"], type=click.Path(path_type=Path), required=True, help="The run's folder, new or begun."),
        click.Option(["--limit"], type=click.IntRange(1), help="Only the first N items of each input."),
        click.Option(["--prompts"], type=click.Path(path_type=Path), help="A folder of templates in place of ours."),
        *going_options(),
    ]
    return click.Command(
        "run",
        params=options,
        callback=callback,
        help=f"{instrument.title}\n\nRun it again with the same --out to go on: only what is owed is done.",
        short_help="Do what is owed and report.",
    )


def _run(instrument: Instrument, params: dict[str, Any], named: set[str], *, executes: bool) -> int:
    from tutorscope.errors import UserError
    from tutorscope.runs.folder import fresh_or_existing
    from tutorscope.runs.plan import read_plan

    folder = fresh_or_existing(params.pop("out"))
    going = take_going(params)
    prompts = params.pop("prompts")
    params["people"] = take_people(instrument.people_role, params)
    speakers = take_speakers(instrument.roles, params)
    plan = read_plan(folder)
    ask = instrument.ask(params)
    speakers += ask.speakers
    ask = replace(ask, inputs=[*ask.inputs, *(() if plan else ask.material)], material=())
    if not plan:
        if not ask.inputs:
            raise UserError(f"nothing to work on: see `tutorscope {instrument.name} run --help` for what it takes")
        return go(instrument, folder.path, [ask], speakers, going, prompts, executes=executes)
    # A run may have been asked for other work in between: each option keeps the value that it was last given.
    before = {name: value for line in plan for name, value in line["options"].items()}
    # Work of a kind that the run was never asked for is asked for now, whatever is left unsaid.
    resumed = not (named & set(ask.options)) and not ask.inputs and not speakers and set(ask.options) <= set(before)
    asks = [] if resumed else [inherited(ask, before, named)]
    return go(instrument, folder.path, asks, speakers, going, prompts, executes=executes)


def inherited(ask: Ask, before: Mapping[str, Any], named: set[str]) -> Ask:
    """Keep the last ask's value of every option that was not given now."""
    kept = {name: value for name, value in before.items() if name in ask.options and name not in named}
    return replace(ask, options={**ask.options, **kept})


def take_going(params: dict[str, Any]) -> dict[str, Any]:
    """Take the shared options of commands that call models out of the parameters."""
    return {option.name: params.pop(option.name) for option in going_options() if option.name}


def go(
    instrument: Instrument,
    path: Path,
    asks: Sequence[Ask],
    speakers: Sequence[Speaker],
    going: Mapping[str, Any],
    prompts: Path | None = None,
    *,
    executes: bool = True,
) -> int:
    """Draft, estimate, record and, unless it is only to be recorded, execute; then rebuild tables and report.

    Returns
    -------
    int
        The exit code: 0 done, 1 units erred or wait for such, 2 someone must be named again or a gate is shut, 130
        stopped by the user.
    """
    from tutorscope.cli.analyze import rebuild, remembered_texts
    from tutorscope.runs.evaluate import reach
    from tutorscope.runs.execute import execute
    from tutorscope.runs.families import family_warnings
    from tutorscope.runs.folder import RunFolder, locked
    from tutorscope.runs.plan import Limits, draft, record
    from tutorscope.runs.prices import read_prices
    from tutorscope.runs.progress import Meter

    folder = RunFolder(path)
    prices = read_prices(going["prices"])
    limits = Limits(going["max_connections"], going["attempt_timeout"], going["max_retries"], going["processes"])
    job = draft(folder, instrument, asks, speakers, limits, prompts)
    _refuse_empty(job)
    notes = [note for ask in asks for note in ask.notes]
    for note in [*notes, *_more_held(job, asks), *family_warnings(job.everyone())]:
        click.echo(strip_controls(note), err=True)
    if _estimate(job, prices, going):
        return 0
    for speaker in speakers:
        # Before anything is written: a model without its key would stand in the plan for good.
        reach(job, speaker.role, speaker.name)
    with locked(folder):
        # Another process may have gone on while this one was asked.
        job = draft(folder, instrument, asks, speakers, limits, prompts)
        if asks:
            record(job, asks, speakers)
            # What is executed is what was recorded: the run is read back as it now stands on disk.
            job = draft(folder, instrument, (), speakers, limits)
        if not executes:
            click.echo(_begin(job, instrument.name))
            return 0
        meter = Meter(prices, quiet=going["as_json"])
        outcome = execute(job, meter)
        if outcome.interrupted:
            return _exit_code(outcome, ())
        result = rebuild(instrument, [folder], folder.path, remembered_texts(folder, going["texts"]))
    if going["as_json"]:
        click.echo(json.dumps({"outcome": asdict(outcome), **result.numbers}, indent=1, default=str))
    else:
        click.echo("\n".join([*result.headline, f"report: {result.report}"]))
    return _exit_code(outcome, result.damaged)


def _refuse_empty(job: Job) -> None:
    """Refuse a run in which nobody would be asked anything: a role that no model plays leaves a stage without cells."""
    from tutorscope.errors import UserError

    if not any(job.cells(stage) for stage in job.stages):
        roles = dict.fromkeys(role for stage in job.stages for role in stage.roles)
        absent = [f"--{role} MODEL" for role in roles if not job.speakers.get(role)]
        raise UserError(f"nobody to ask: expected {', '.join(absent) or 'options that ask something of somebody'}")


def _more_held(job: Job, asks: Sequence[Ask]) -> list[str]:
    """Say where a run holds more items than were named now: nothing that was asked is given up by asking less."""
    return [
        f"{given.name}: the run already holds {counted(len(job.items[given.name]), 'item')}, more than the "
        f"{len(given.items)} named now; all of them are worked on"
        for ask in asks
        for given in ask.inputs
        if len(job.items[given.name]) > len(given.items)
    ]


def _estimate(job: Job, prices: Prices, going: Mapping[str, Any]) -> bool:
    """Print the estimate if asked, or ask about a large one. Returns whether to stop."""
    from tutorscope.errors import UserError
    from tutorscope.runs.estimate import estimate, estimate_text, must_ask

    if not going["estimate"] and going["yes"]:
        return False
    rows = estimate(job, prices)
    if going["estimate"]:
        click.echo(json.dumps([asdict(r) for r in rows], indent=1) if going["as_json"] else estimate_text(rows, prices))
        return True
    if must_ask(rows):
        click.echo(estimate_text(rows, prices), err=True)
        if not sys.stdin.isatty():
            raise UserError("this is a large run and nobody is here to ask: add --yes to start it, or --limit N")
        click.confirm("start?", abort=True, err=True)
    return False


def _begin(job: Job, name: str) -> str:
    """Say the command that does what is only recorded so far: whatever runs code or sends secrets is named again."""
    from tutorscope.models.named_again import FILE, command_again
    from tutorscope.models.speakers import CODE

    again = [one for one in job.everyone() if one.kind in CODE or one.headers]
    command = f"tutorscope {name} run --out {shlex.quote(str(job.folder.path))} {command_again(again)}".rstrip()
    file = f" ({FILE} holds the system prompt)" if any(one.system is not None for one in again) else ""
    return f"recorded in {job.folder.plan}; nothing was called. Begin with: {command}{file}"


def _exit_code(outcome: Outcome, damaged: Sequence[str]) -> int:
    if outcome.interrupted:
        click.echo("stopped; run the same command again to go on: what arrived is kept", err=True)
        return 130
    lines = [*damaged, *outcome.waiting, *(f"error: {line}" for line in (*outcome.refused, outcome.unnamed) if line)]
    lines += _owed_lines(outcome)
    for line in lines:
        click.echo(strip_controls(line), err=True)
    return 2 if outcome.refused or outcome.unnamed else 0 if outcome.complete else 1


def _owed_lines(outcome: Outcome) -> list[str]:
    """Say what is left to do and why, and to give the same command again where it would meet something else."""
    if not outcome.owed:
        return []
    owed = f"{counted(outcome.owed, 'unit')} {'is' if outcome.owed == 1 else 'are'} still owed"
    erred = sum(outcome.failed.values())
    if erred:
        which = "" if erred == outcome.owed else f"; {erred} of them erred"
        again = "run the same command again to try what erred"
        return [f"{owed}{which}:", *(f"    {line}" for line in reason_lines(outcome.failed)), again]
    if outcome.refused or outcome.unnamed or outcome.waiting:
        return [f"{owed}; none of them erred"]
    return [f"{owed}; none of them erred: run the same command again"]

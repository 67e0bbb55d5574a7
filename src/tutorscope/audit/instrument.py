"""The record of the audit instrument. What it needs is imported when it is called."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tutorscope.runs.instrument import Analysis, Ask, Instrument, RunLike, Tables

if TYPE_CHECKING:
    from tutorscope.pictures.blocks import Published, Section
    from tutorscope.runs.folder import RunFolder
    from tutorscope.runs.inputs import InputSet
    from tutorscope.runs.plan import Job
    from tutorscope.runs.stages import Stage

PROBLEMS = "mixtures"


def _stages() -> Sequence[Stage]:
    from tutorscope.audit.tasks import stages

    return stages()


def _conflicts(job: Job) -> Iterable[str]:
    from tutorscope.audit.tasks import conflicts

    return conflicts(job)


def _problems_option() -> click.Option:
    return click.Option(
        ["--problems"], metavar="SET|FILE", help="mixtures (default, 19 problems), demo (4), or a file of your own."
    )


def _contrast_option() -> click.Option:
    return click.Option(
        ["--contrast"], multiple=True, metavar="A,B", help="Two policies whose difference you want to see first."
    )


_AS_GIVEN = ("replicates", "rounds", "order", "router", "ratings", "check_work", "any_student", "short_form")
"""Options that stand in the plan as they were given."""


def _short_form_option() -> click.Option:
    return click.Option(
        ["--short-form"],
        is_flag=True,
        help="Have servers hold the student's answers alone to short JSON: for models too small to keep to their line.",
    )


def _run_options() -> Sequence[click.Parameter]:
    return [
        click.Option(
            ["--policy"],
            multiple=True,
            metavar="[NAME=]WHAT",
            help="conversational, pedagogical, cold (these three by default), socratic, no-final-answer, no-gate, "
            "no-cascade, no-tracker; or NAME=FILE.md, NAME=module:function, NAME=http://host/v1#MODEL.",
        ),
        click.Option(["--policy-header"], multiple=True, metavar="[NAME:]HEADER=env:VAR", help="A header for one."),
        click.Option(["--policy-setting"], multiple=True, metavar="[NAME:]KEY=VALUE", help="A setting of one."),
        _problems_option(),
        click.Option(
            ["--replicates"], type=click.IntRange(1), default=10, show_default=True, help="Sessions of each policy."
        ),
        click.Option(
            ["--rounds"], type=click.IntRange(1, 50), default=4, show_default=True, help="Tutor turns a problem."
        ),
        click.Option(
            ["--order"],
            type=click.Choice(["counterbalanced", "paper"]),
            default="counterbalanced",
            show_default=True,
            help="Order of the problems within a phase: each replicate's own, or as in the file.",
        ),
        click.Option(
            ["--router"],
            type=click.Choice(["sound", "published"]),
            default="sound",
            show_default=True,
            help="The patterns by which the pedagogical policy routes.",
        ),
        click.Option(["--ratings"], type=click.IntRange(1), default=3, show_default=True, help="Ratings of each turn."),
        click.Option(["--check-work"], is_flag=True, help="Also have a judge check which student turns hold work."),
        click.Option(["--any-student"], is_flag=True, help="Go on with a student who solves the problems alone."),
        _short_form_option(),
        _contrast_option(),
        click.Option(["--claims"], type=click.Path(path_type=Path), help="Your own claims (YAML) in place of ours."),
    ]


def _material(params: Mapping[str, Any]) -> tuple[InputSet, bool]:
    """Read the problems, and tell whether the user named them."""
    from tutorscope.audit.items import read_problems

    named = params["problems"] is not None or params["limit"] is not None
    return read_problems(params["problems"] or PROBLEMS, params["limit"]), named


def _ask(params: Mapping[str, Any]) -> Ask:
    from dataclasses import replace

    from tutorscope.audit.inference.claims_input import read_claims_file
    from tutorscope.audit.tutoring.policies import read_policies

    problems, named = _material(params)
    claims = read_claims_file(params["claims"])
    policies = read_policies(params["policy"], params["policy_header"], params["policy_setting"])
    _check_contrasts(params["contrast"])
    inputs = [*policies.inputs, *([problems] if named else ()), *([claims] if params["claims"] else ())]
    material = [*(() if named else [problems]), *(() if params["claims"] else [claims])]
    options = {
        "policy": [choice.data() for choice in policies.choices],
        "problems": {"name": problems.facts["set"], "sha": problems.fixed["problem set"]},
        "contrast": list(params["contrast"]),
        **{name: params[name] for name in _AS_GIVEN},
    }
    ask = Ask(options, inputs, speakers=policies.speakers, material=material)
    # Who gives claims of their own, or freezes any, expects verdicts.
    return replace(ask, notes=_claims_notes(ask)) if params["claims"] else ask


def _ask_frozen(params: Mapping[str, Any]) -> Ask:
    from dataclasses import replace

    ask = _ask(params)
    return replace(ask, options={**ask.options, "frozen": True}, notes=ask.notes or _claims_notes(ask))


def _claims_notes(ask: Ask) -> list[str]:
    from tutorscope.audit.inference.claims_input import CLAIMS, claims_notes

    (claims,) = [given for given in (*ask.inputs, *ask.material) if given.name == CLAIMS]
    return claims_notes(claims.items[0].data["yaml"], [choice["name"] for choice in ask.options["policy"]])


def _check_contrasts(asked: Sequence[str]) -> None:
    from tutorscope.errors import UserError

    for pair in asked:
        names = [name.strip() for name in pair.split(",")]
        if len(names) != 2 or not all(names) or names[0] == names[1]:
            raise UserError(f"--contrast: cannot read {pair!r}; expected two policies, such as mine,conversational")


def _calibration_options() -> Sequence[click.Parameter]:
    return [
        _problems_option(),
        click.Option(["--passes"], type=click.IntRange(1), default=3, show_default=True, help="Tries at each problem."),
        click.Option(["--rounds"], type=click.IntRange(1, 50), default=4, show_default=True, help="Tutor turns."),
        _short_form_option(),
    ]


def _ask_calibration(params: Mapping[str, Any]) -> Ask:
    problems, named = _material(params)
    options = {
        "calibrate": True,
        "problems": {"name": problems.facts["set"], "sha": problems.fixed["problem set"]},
        "passes": params["passes"],
        "rounds": params["rounds"],
        "order": "counterbalanced",
        "short_form": params["short_form"],
    }
    return Ask(options, [problems] if named else [], material=[] if named else [problems])


def _runs() -> Sequence[RunLike]:
    return (
        RunLike(
            name="calibrate",
            help=(
                "Find out whether a student is weak enough, learns, and writes what the rules can read.\n\n"
                "Each probe alone, and, with --tutor, lessons followed by the immediate problems. The gate that run "
                "begins with is a part of this."
            ),
            options=_calibration_options,
            ask=_ask_calibration,
            roles=("tutor", "student"),
        ),
        RunLike(
            name="freeze",
            help=(
                "Record a study before its first call: policies, problems, prompts, models and claims, by hash.\n\n"
                "It takes what run takes and calls nobody. Then begin with run and the same --out."
            ),
            options=_run_options,
            ask=_ask_frozen,
            executes=False,
        ),
    )


def _tables(folder: RunFolder) -> Tables:
    from tutorscope.audit.records import tables

    return tables(folder)


def _analysis_options() -> Sequence[click.Parameter]:
    return [
        click.Option(
            ["--tables"],
            nargs=2,
            multiple=True,
            metavar="[BASE:JUDGE=]PER_TURN PER_SESSION",
            help="Tables in place of a run: ours, the published ones, or those with sums of three ratings.",
        ),
        _contrast_option(),
        click.Option(["--claims"], type=click.Path(path_type=Path), help="Your own claims (YAML) in place of ours."),
    ]


def _analysis_tables(given: Tables, params: Mapping[str, Any]) -> Tables:
    from tutorscope.audit.inference.claims_input import with_claims, with_contrasts
    from tutorscope.audit.inference.layouts import read_tables
    from tutorscope.errors import UserError

    _check_contrasts(params["contrast"])
    tables = dict(given)
    if params["tables"]:
        if given:
            raise UserError("--tables: runs are named too; expected the one or the other")
        tables = dict(read_tables(params["tables"]))
    elif not given:
        raise UserError("nothing to analyze: expected a run's folder, or --tables PER_TURN PER_SESSION")
    return with_contrasts(with_claims(tables, params["claims"]), params["contrast"])


def _measures(tables: Tables) -> Tables:
    from tutorscope.audit.measures import measures

    return measures(tables)


def _headline(tables: Tables, measures: Tables) -> Sequence[str]:
    from tutorscope.audit.sections import headline

    return headline(tables, measures)


def _sections(tables: Tables, measures: Tables, figures: Path, texts: str) -> Sequence[Section]:
    from tutorscope.audit.sections import sections

    return sections(tables, measures, figures, texts)


def _published() -> Sequence[Published]:
    from tutorscope.audit.published import published

    return published()


def _demo() -> Sequence[str]:
    # One session a policy on four short problems, with answers in a form. Replies are capped, and the prefix cache
    # reads a talk only once.
    settings = {"tutor": 36, "student": 24, "judge": 64}
    capped = [
        f"--{role}-setting={key}" for role, n in settings.items() for key in (f"max_tokens={n}", "cache_prompt=true")
    ]
    models = ["--tutor", "embedded", "--student", "embedded", "--judge", "embedded"]
    small = ["--problems", "demo", "--replicates", "1", "--rounds", "2", "--ratings", "1"]
    return [*small, "--any-student", "--short-form", *models, *capped]


def _commands() -> Iterable[click.Command]:
    from tutorscope.audit.commands import commands

    return commands()


def _check_command() -> click.Command:
    from tutorscope.audit.commands import check_command

    return check_command()


AUDIT = Instrument(
    name="audit",
    title="What does a tutoring policy do to answer leakage and to the student's own work, and does a judge notice?",
    version=1,
    roles=("tutor", "student", "judge"),
    factors=("policy", "rubric"),
    stages=_stages,
    passes=("rating", "check"),
    run_options=_run_options,
    ask=_ask,
    tables=_tables,
    measures=_measures,
    headline=_headline,
    sections=_sections,
    published=_published,
    prompts=("tutorscope.audit.prompts",),
    demo=_demo,
    check_command=_check_command,
    commands=_commands,
    run_like=_runs,
    conflicts=_conflicts,
    analysis=Analysis(_analysis_options, _analysis_tables),
)

"""The record of the casework instrument. What it needs is imported when it is called."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tutorscope.casework.terms import DEFAULT_FORMS, FORMS, HORIZONS
from tutorscope.runs.instrument import Ask, Instrument, Tables

if TYPE_CHECKING:
    from tutorscope.pictures.blocks import Published, Section
    from tutorscope.runs.folder import RunFolder
    from tutorscope.runs.stages import Stage


def _stages() -> Sequence[Stage]:
    from tutorscope.casework.tasks import stages

    return stages()


def _run_options() -> Sequence[click.Parameter]:
    return [
        click.Option(
            ["--data"],
            metavar="DIR|starter|demo",
            help="A release of the benchmark in its published layout, or the package's own material (default).",
        ),
        click.Option(
            ["--form"],
            show_default=",".join(DEFAULT_FORMS),
            metavar="FORM,...",
            help="open: say or plan it; mcq: one of four; binary: one of two; reference: open, with like cases shown. "
            "--limit N takes the first N questions of each form and horizon, by scenario (choices: by their number).",
        ),
        click.Option(
            ["--horizon"],
            default="immediate,long_term",
            show_default=True,
            metavar="HORIZON,...",
            help="immediate: the next thing to say; long_term: a plan over weeks.",
        ),
        click.Option(
            ["--permutations"],
            type=click.IntRange(1, 4),
            default=1,
            show_default=True,
            help="Ask each choice in so many orders of its options.",
        ),
        click.Option(["--as-released"], is_flag=True, help="Choices do not say which horizon is wanted."),
        click.Option(["--one-call"], is_flag=True, help="The judge decides all criteria of a reply in one call."),
        click.Option(
            ["--replicates"], type=click.IntRange(1), default=1, show_default=True, help="Replies to each question."
        ),
        click.Option(
            ["--demographics"],
            type=click.Path(path_type=Path),
            help="Groups to compare, as CSV: category, a column for each way to group.",
        ),
        click.Option(
            ["--papers"],
            type=click.Path(path_type=Path),
            help="Which paper a category is from, as CSV: category, paper. References then come from other papers.",
        ),
    ]


def _words(option: str, given: str, known: Sequence[str]) -> list[str]:
    """Read a list of words with commas between them, in the order in which we name them."""
    from tutorscope.errors import UserError

    words = [word.strip().lower().replace("-", "_") for word in given.split(",") if word.strip()]
    wrong = [word for word in words if word not in known]
    if wrong or not words:
        found = repr(wrong[0])[:60] if wrong else "nothing"
        raise UserError(f"{option}: found {found}; expected one or more of {', '.join(known)}, with commas between")
    return [word for word in known if word in words]


def _ask(params: Mapping[str, Any]) -> Ask:
    from tutorscope.casework.inputs import read_inputs
    from tutorscope.casework.tasks import DEFAULT_EMBEDDER
    from tutorscope.models.speakers import speakers

    named = params["form"] is not None
    forms = _words("--form", params["form"], FORMS) if named else list(DEFAULT_FORMS)
    horizons = _words("--horizon", params["horizon"], HORIZONS)
    inputs, material, notes = read_inputs({**params, "form": forms, "horizon": horizons}, forms_named=named)
    if "reference" in forms and "open" not in forms:
        notes.append("reference: what references do is measured against open replies; this run needs --form open too")
    options = {
        "form": forms,
        "horizon": horizons,
        "papers": params["papers"] is not None,
        **{name: params[name] for name in ("permutations", "as_released", "one_call", "replicates")},
    }
    # It stands behind one that was named, and is then not used.
    embedder = speakers("embedder", [DEFAULT_EMBEDDER]) if "reference" in forms else ()
    return Ask(options, inputs, notes, material=material, speakers=embedder)


def _tables(folder: RunFolder) -> Tables:
    from tutorscope.casework.forms import people_tables
    from tutorscope.casework.records import tables

    return {**tables(folder), **people_tables(folder)}


def _measures(tables: Tables) -> Tables:
    from tutorscope.casework.forms import people_measures
    from tutorscope.casework.measures import measures

    return {**measures(tables), **people_measures(tables)}


def _headline(tables: Tables, measures: Tables) -> Sequence[str]:
    from tutorscope.casework.headline import headline

    return headline(tables, measures)


def _sections(tables: Tables, measures: Tables, figures: Path, texts: str) -> Sequence[Section]:
    from tutorscope.casework.sections import sections

    return sections(tables, measures, figures, texts)


def _published() -> Sequence[Published]:
    from tutorscope.casework.published import published

    return published()


def _demo() -> Sequence[str]:
    # Short cases, all criteria in one call, replies that are capped, and the prefix cache.
    caps = {"tutor": 45, "judge": 110}
    capped = [f"--{role}-setting={key}" for role, n in caps.items() for key in (f"max_tokens={n}", "cache_prompt=true")]
    models = ["--tutor", "embedded", "--judge", "embedded"]
    return ["--data", "demo", "--form", "open,mcq", "--one-call", *models, *capped]


def _forms() -> Mapping[str, Any]:
    from tutorscope.casework.forms import RATER_FORMS

    return RATER_FORMS


def _check_command() -> click.Command:
    from tutorscope.casework.commands import check_command

    return check_command()


CASEWORK = Instrument(
    name="casework",
    title="Does a tutor meet a challenging moment the way that the documented case says works?",
    version=1,
    roles=("tutor", "judge", "embedder"),
    factors=("form", "horizon", "rotation", "one_call"),
    stages=_stages,
    passes=("criteria",),
    run_options=_run_options,
    ask=_ask,
    tables=_tables,
    measures=_measures,
    headline=_headline,
    sections=_sections,
    published=_published,
    prompts=("tutorscope.casework.prompts",),
    demo=_demo,
    forms=_forms,
    check_command=_check_command,
)

"""A test-only instrument that leans on every contract of ``runs``: it teaches words.

``first`` (student alone, shared by all tutors) -> ``lesson`` (tutor and student in turns, three replicates, made
from the student's first reply) -> ``digest`` (a single unit over all lessons of a tutor) and ``rate`` (a judge pass
over frozen lessons).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click
import pandas as pd

from tutorscope.errors import UserError
from tutorscope.pictures.blocks import Prose, Section
from tutorscope.runs.folder import RunFolder
from tutorscope.runs.inputs import InputSet, Item
from tutorscope.runs.instrument import Ask, Instrument
from tutorscope.runs.plan import Job
from tutorscope.runs.results import read_stage
from tutorscope.runs.stages import Calls, Cell, Stage, Unit, Upstream, fingerprint
from tutorscope.texts.messages import system, user
from tutorscope.texts.templates import load_template

ROUNDS = 3


def prompt(folder: Path | None) -> Any:
    return load_template("toy_prompts", "first", folder)


def by(stage: str, *roles: str, replicates: int = 1, prompted: bool = False) -> Any:
    def cells(options: Mapping[str, Any], names: Mapping[str, Sequence[str]]) -> Iterable[Cell]:
        combos: list[dict[str, str]] = [{}]
        for role in roles:
            combos = [{**c, role: n} for c in combos for n in names.get(role, ())]
        made_of = {"prompt": prompt(options["prompts"]).sha} if prompted else {}
        many = options["ratings"] if stage == "rate" else replicates
        return [Cell(stage, c, made_of=made_of, replicates=many) for c in combos]

    return cells


def first_units(job: Job, cell: Cell, upstream: Upstream) -> Iterable[Unit]:
    return [Unit(i.id, data=i.data, view={"id": i.id}) for items in job.items.values() for i in items]


def lesson_units(job: Job, cell: Cell, upstream: Upstream) -> Iterable[Unit]:
    return [
        Unit(d.item, r, {"first": d.sha}, {"said": d.result["text"]}, {"id": d.item})
        for d in upstream("first")
        for r in range(cell.replicates)
    ]


def digest_units(job: Job, cell: Cell, upstream: Upstream) -> Iterable[Unit]:
    lessons = [d for d in upstream("lesson") if d.roles["tutor"] == cell.roles["tutor"]]
    if not lessons:
        return []
    texts = sorted(line for d in lessons for line in d.result["lines"])
    return [Unit("all", 0, {"lesson": fingerprint(sorted(d.sha for d in lessons))}, {"texts": texts})]


def rate_units(job: Job, cell: Cell, upstream: Upstream) -> Iterable[Unit]:
    return [
        Unit(f"{d.roles['tutor']}/{d.unit}", r, {"lesson": d.sha}, {"lines": d.result["lines"]})
        for d in upstream("lesson")
        for r in range(cell.replicates)
    ]


def first_rule(job: Job, cell: Cell) -> Any:
    text = prompt(job.prompts)

    async def rule(unit: Unit, speak: Any, embed: Any) -> Mapping[str, Any]:
        reply = await speak("student", [user(text.fill({"word": unit.data["word"]}))], draw="only")
        return {"text": reply.text}

    return rule


def lesson_rule(job: Job, cell: Cell) -> Any:
    async def rule(unit: Unit, speak: Any, embed: Any) -> Mapping[str, Any]:
        lines = [unit.data["said"]]
        for n in range(ROUNDS):
            help_ = await speak("tutor", [system("You help."), user("\n".join(lines))], draw=f"help {n}")
            lines.append(help_.text)
            answer = await speak("student", [user("\n".join(lines))], draw=f"answer {n}")
            lines.append(answer.text)
        return {"lines": lines}

    return rule


def digest_rule(job: Job, cell: Cell) -> Any:
    async def rule(unit: Unit, speak: Any, embed: Any) -> Mapping[str, Any]:
        reply = await speak("builder", [user(f"Sum up {len(unit.data['texts'])} lines")], draw="only")
        return {"text": reply.text, "lines": len(unit.data["texts"])}

    return rule


def rate_rule(job: Job, cell: Cell) -> Any:
    async def rule(unit: Unit, speak: Any, embed: Any) -> Mapping[str, Any]:
        reply = await speak("judge", [user(f"Rate {json.dumps(unit.data['lines'])}")], draw="only")
        return {"text": reply.text}

    return rule


def calls_of(*roles: str) -> Any:
    def calls(job: Job, cell: Cell, unit: Unit) -> Sequence[Calls]:
        return [Calls(role, ROUNDS if len(roles) > 1 else 1, 1, 1, 10, 10) for role in roles]

    return calls


def stages() -> Sequence[Stage]:
    return (
        Stage(
            "first",
            ("student",),
            by("first", "student", prompted=True),
            first_units,
            first_rule,
            calls_of("student"),
            stateless=True,
            hold_served=True,
        ),
        Stage(
            "lesson",
            ("tutor", "student"),
            by("lesson", "tutor", "student", replicates=3),
            lesson_units,
            lesson_rule,
            calls_of("tutor", "student"),
            after=("first",),
            ahead=lambda job, cell: [Calls("tutor", 0, 9, 9, 10, 10)],
        ),
        Stage(
            "digest",
            ("tutor", "builder"),
            by("digest", "tutor", "builder"),
            digest_units,
            digest_rule,
            calls_of("builder"),
            after=("lesson",),
            whole=True,
        ),
        Stage("rate", ("judge",), by("rate", "judge"), rate_units, rate_rule, calls_of("judge"), after=("lesson",)),
    )


def ask(params: Mapping[str, Any]) -> Ask:
    options = {"ratings": params["ratings"]}
    if not params["words"]:
        return Ask(options)
    path = Path(params["words"])
    try:
        lines = path.read_text(encoding="utf-8").split()
    except OSError as problem:
        raise UserError(f"{path}: {problem.strerror}") from None
    items = [Item(line.split(":")[0], fingerprint(line), {"word": line}) for line in lines[: params["limit"]]]
    return Ask(options, [InputSet("words", items, {"file": path.name})])


def tables(folder: RunFolder) -> Mapping[str, pd.DataFrame]:
    rows = [
        {
            "stage": stage.name,
            "cell": d.cell,
            "unit": d.unit,
            "calls": len(d.calls),
            "result": json.dumps(d.result, sort_keys=True),
        }
        for stage in stages()
        for d in sorted(read_stage(folder, stage.name).done, key=lambda d: (d.cell, d.unit))
    ]
    return {"units": pd.DataFrame(rows, columns=["stage", "cell", "unit", "calls", "result"])}


def measures(tables: Mapping[str, pd.DataFrame]) -> Mapping[str, pd.DataFrame]:
    return {"counts": tables["units"].groupby(["run", "cell"], as_index=False).size()}


def run_options() -> Sequence[click.Parameter]:
    return [click.Argument(["words"], required=False), click.Option(["--ratings"], type=int, default=1)]


def headline(tables: Mapping[str, pd.DataFrame], numbers: Mapping[str, pd.DataFrame]) -> Sequence[str]:
    return [f"{len(tables['units'])} units"]


def sections(tables: Mapping[str, pd.DataFrame], numbers: Any, figures: Path, texts: str) -> Sequence[Section]:
    return [Section("all", "All", [Prose(f"{len(tables['units'])} units")])]


def check_command() -> click.Command:
    return click.Command("check")


TOY = Instrument(
    name="toy",
    title="Does a tutor explain words?",
    version=1,
    roles=("tutor", "student", "builder", "judge"),
    factors=(),
    stages=stages,
    passes=("rate",),
    run_options=run_options,
    ask=ask,
    tables=tables,
    measures=measures,
    headline=headline,
    sections=sections,
    published=tuple,
    prompts=("toy_prompts",),
    demo=list,
    check_command=check_command,
)

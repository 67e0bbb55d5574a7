"""The stages of casework: replies, references, decisions, choices. Nothing is decided here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import anyio

from tutorscope.casework.answering import OPEN, REFERENCE, answer, answer_template, seen_of
from tutorscope.casework.choices import choice_template, choose, rotated
from tutorscope.casework.forecast import (
    STATED,
    answer_calls,
    choice_calls,
    criteria_ahead,
    criteria_calls,
    horizon_stated,
    references_ahead,
)
from tutorscope.casework.inputs import asked_of, choices_of, papers_of, rubrics_of, scenarios_of
from tutorscope.casework.items import Scenario, criterion_from_data
from tutorscope.casework.judging import case_of, criteria_rubric, criterion_rubric, decide, decide_at_once
from tutorscope.casework.references import BY_CATEGORY, BY_PAPER, compared_text, moments, nearest_moments
from tutorscope.errors import UserError
from tutorscope.models.speaking import Embed, Speak
from tutorscope.runs.stages import Cell, Rule, Stage, Unit, Upstream

if TYPE_CHECKING:
    from tutorscope.runs.plan import Job

NEIGHBOURS, CRITERIA = "neighbours", "criteria"
MCQ, BINARY = "mcq", "binary"
SIZES: Mapping[str, int] = {MCQ: 4, BINARY: 2}
"""The forms with options, and how many."""

DEFAULT_EMBEDDER = "wordllama"


def stages() -> tuple[Stage, ...]:
    """Give the instrument's stages, in order."""
    return (
        Stage(
            OPEN,
            ("tutor",),
            cells=_open_cells,
            units=_open_units,
            rule=_answer_rule,
            calls=answer_calls,
            stateless=True,
        ),
        Stage(
            NEIGHBOURS,
            ("embedder",),
            cells=_neighbour_cells,
            units=_neighbour_units,
            rule=_neighbour_rule,
            # Vectors are no calls to a chat model.
            calls=lambda job, cell, unit: [],
        ),
        Stage(
            REFERENCE,
            ("tutor",),
            cells=_reference_cells,
            units=_reference_units,
            rule=_answer_rule,
            calls=answer_calls,
            after=(NEIGHBOURS,),
            ahead=references_ahead,
            stateless=True,
        ),
        Stage(
            CRITERIA,
            ("judge",),
            cells=_criteria_cells,
            units=_criteria_units,
            rule=_criteria_rule,
            calls=criteria_calls,
            after=(OPEN, REFERENCE),
            ahead=criteria_ahead,
            stateless=True,
        ),
        *(
            Stage(
                form,
                ("tutor",),
                cells=partial(_choice_cells, form),
                units=partial(_choice_units, form),
                rule=_choice_rule,
                calls=choice_calls,
                stateless=True,
            )
            for form in SIZES
        ),
    )


def of_scenario(scenario: Scenario, asked: Mapping[str, Any]) -> dict[str, Any]:
    """Give what names a question in results: its own id (as ``item`` or ``choice``) comes first."""
    return {
        "scenario": scenario.id,
        "category": scenario.category,
        "horizon": asked["horizon"],
        "challenge": scenario.challenge,
    }


def _tutors(roles: Mapping[str, Sequence[str]]) -> Sequence[str]:
    if not roles.get("tutor"):
        raise UserError("--tutor is missing: expected who answers, such as --tutor openrouter/...")
    return roles["tutor"]


def _answer_cells(
    form: str, options: Mapping[str, Any], roles: Mapping[str, Sequence[str]], made_of: Mapping[str, str]
) -> Iterator[Cell]:
    if form not in options["form"]:
        return
    for horizon in options["horizon"]:
        template = answer_template(form, horizon, options["prompts"])
        for tutor in _tutors(roles):
            yield Cell(
                form,
                {"tutor": tutor},
                {"form": form, "horizon": horizon},
                {f"prompt {template.name}": template.sha, **made_of},
                int(options["replicates"]),
            )


def _open_cells(options: Mapping[str, Any], roles: Mapping[str, Sequence[str]]) -> Iterator[Cell]:
    return _answer_cells(OPEN, options, roles, {})


def _open_units(job: Job, cell: Cell, upstream: Upstream) -> Iterator[Unit]:
    horizon, scenarios = str(cell.condition["horizon"]), scenarios_of(job)
    for asked in asked_of(job, OPEN, horizon):
        scenario = scenarios[asked["scenario"]]
        seen = seen_of(scenario)
        of = {"item": asked["id"], **of_scenario(scenario, asked), "form": OPEN}
        for replicate in range(cell.replicates):
            data = {"of": of, "seen": seen}
            yield Unit(asked["id"], replicate, data=data, view={**seen, "horizon": horizon})


def _answer_rule(job: Job, cell: Cell) -> Rule:
    template = answer_template(str(cell.condition["form"]), str(cell.condition["horizon"]), job.prompts)

    async def answered(unit: Unit, speak: Speak, embed: Embed) -> Mapping[str, Any]:
        references = unit.data.get("references")
        said = await answer(speak, template, unit.data["seen"], references and [one["shown"] for one in references])
        named = {} if references is None else {"references": references}
        return {"of": unit.data["of"], **said, **named}

    return answered


def _embedder(roles: Mapping[str, Sequence[str]]) -> str:
    """Give who finds references: the one that was named, which stands ahead of the default."""
    named = list(dict.fromkeys(roles.get("embedder", ())))
    if not named:
        raise UserError(f"--embedder is missing: expected who finds references, such as {DEFAULT_EMBEDDER}")
    if len([name for name in named if name != DEFAULT_EMBEDDER]) > 1:
        raise UserError(f"--embedder: {', '.join(named)}; expected one: references are found by one embedder")
    return named[0]


def _neighbour_cells(options: Mapping[str, Any], roles: Mapping[str, Sequence[str]]) -> Iterator[Cell]:
    if REFERENCE in options["form"]:
        for horizon in options["horizon"]:
            # Other papers are found by the user's table; what was found without it stays what it was.
            told = {"told apart by": BY_PAPER if options["papers"] else BY_CATEGORY}
            yield Cell(NEIGHBOURS, {"embedder": _embedder(roles)}, {"form": REFERENCE, "horizon": horizon}, told)


def _neighbour_units(job: Job, cell: Cell, upstream: Upstream) -> Iterator[Unit]:
    horizon, scenarios = str(cell.condition["horizon"]), scenarios_of(job)
    for asked in asked_of(job, OPEN, horizon):
        of = {"item": asked["id"], **of_scenario(scenarios[asked["scenario"]], asked), "form": REFERENCE}
        yield Unit(asked["id"], data={"of": of})


def _neighbour_rule(job: Job, cell: Cell) -> Rule:
    horizon = str(cell.condition["horizon"])
    found: dict[str, list[dict[str, Any]]] = {}
    pool_size = 0
    turn: anyio.Lock | None = None

    async def look(embed: Embed) -> None:
        """Find the references of all questions at once: one product of matrices, not one search a question."""
        nonlocal pool_size
        scenarios, papers = scenarios_of(job), papers_of(job)
        pool = moments(scenarios.values(), choices_of(job, MCQ).values(), horizon, papers)
        asked = asked_of(job, OPEN, horizon)
        queries = [scenarios[one["scenario"]] for one in asked]
        texts = [*map(compared_text, queries), *(one.text for one in pool)]
        vectors = await embed(list(dict.fromkeys(texts)))
        place = {text: n for n, text in enumerate(dict.fromkeys(texts))}
        rows = vectors[[place[text] for text in texts]]
        nearest = nearest_moments(queries, pool, rows[: len(queries)], rows[len(queries) :], papers)
        pool_size = len(pool)
        found.update(zip((one["id"] for one in asked), nearest, strict=True))

    async def neighbours(unit: Unit, speak: Speak, embed: Embed) -> Mapping[str, Any]:
        nonlocal turn
        # Made here, because a lock belongs to the loop that runs.
        turn = turn or anyio.Lock()
        async with turn:
            if unit.item not in found:
                await look(embed)
        return {"of": unit.data["of"], "references": found[unit.item], "pool": pool_size}

    return neighbours


def _reference_cells(options: Mapping[str, Any], roles: Mapping[str, Sequence[str]]) -> Iterator[Cell]:
    made_of = {"embedder": _embedder(roles)} if REFERENCE in options["form"] else {}
    return _answer_cells(REFERENCE, options, roles, made_of)


def _reference_units(job: Job, cell: Cell, upstream: Upstream) -> Iterator[Unit]:
    horizon, scenarios = str(cell.condition["horizon"]), scenarios_of(job)
    for done in upstream(NEIGHBOURS):
        # Nothing to refer to: there is no such question, and the item is counted among those without.
        if done.condition["horizon"] != horizon or not done.result["references"]:
            continue
        seen, references = seen_of(scenarios[done.result["of"]["scenario"]]), done.result["references"]
        view = {**seen, "horizon": horizon, "references": [one["shown"] for one in references]}
        data = {"of": done.result["of"], "seen": seen, "references": references}
        for replicate in range(cell.replicates):
            yield Unit(done.item, replicate, {NEIGHBOURS: done.sha}, data, view)


def _criteria_cells(options: Mapping[str, Any], roles: Mapping[str, Sequence[str]]) -> Iterator[Cell]:
    if int(options.get("ratings", 1)) > 1:
        raise UserError("--ratings: a casework judge decides each criterion once; expected another --judge instead")
    once = bool(options["one_call"])
    rubric = (criteria_rubric if once else criterion_rubric)(options["prompts"])
    for judge in roles.get("judge", ()):
        for form in (OPEN, REFERENCE):
            for horizon in options["horizon"] if form in options["form"] else ():
                condition = {"form": form, "horizon": horizon, "one_call": once}
                yield Cell(CRITERIA, {"judge": judge}, condition, {f"rubric {rubric.name}": rubric.sha})


def _criteria_units(job: Job, cell: Cell, upstream: Upstream) -> Iterator[Unit]:
    form, horizon = str(cell.condition["form"]), str(cell.condition["horizon"])
    scenarios, rubrics = scenarios_of(job), rubrics_of(job)
    cases: dict[int, tuple[Any, Any]] = {}
    for done in upstream(form):
        of = done.result["of"]
        rubric = rubrics.get((of["category"], horizon))
        if done.condition["horizon"] != horizon or rubric is None:
            continue
        if of["scenario"] not in cases:
            # Many replies share a case: it is held once.
            criteria = [one.data() for one in rubric.criteria]
            cases[of["scenario"]] = (case_of(scenarios[of["scenario"]], rubric), criteria)
        case, criteria = cases[of["scenario"]]
        data = {
            "of": {**of, "tutor": done.roles["tutor"], "replicate": done.replicate},
            "case": case,
            "criteria": criteria,
            "reply": done.result["text"],
        }
        yield Unit(f"{done.roles['tutor']}/{done.item}/r{done.replicate}", 0, {form: done.sha}, data)


def _criteria_rule(job: Job, cell: Cell) -> Rule:
    once = bool(cell.condition["one_call"])
    rubric = (criteria_rubric if once else criterion_rubric)(job.prompts)
    way = decide_at_once if once else decide

    async def judged(unit: Unit, speak: Speak, embed: Embed) -> Mapping[str, Any]:
        criteria = [criterion_from_data(one) for one in unit.data["criteria"]]
        decisions = await way(speak, rubric, unit.data["case"], unit.data["reply"], criteria)
        return {"of": unit.data["of"], "criteria": decisions, "one_call": once}

    return judged


def _choice_cells(form: str, options: Mapping[str, Any], roles: Mapping[str, Sequence[str]]) -> Iterator[Cell]:
    if form not in options["form"]:
        return
    stated = not options["as_released"]
    for horizon in options["horizon"]:
        template = choice_template(horizon, stated=stated, overrides=options["prompts"])
        # One run states the horizon or does not: its accuracies are of one question.
        made_of = {STATED: "yes" if stated else "no", f"prompt {template.name}": template.sha}
        for rotation in range(min(int(options["permutations"]), SIZES[form])):
            for tutor in _tutors(roles):
                condition = {"form": form, "horizon": horizon, "rotation": rotation}
                yield Cell(form, {"tutor": tutor}, condition, made_of, int(options["replicates"]))


def _choice_units(form: str, job: Job, cell: Cell, upstream: Upstream) -> Iterator[Unit]:
    horizon, rotation = str(cell.condition["horizon"]), int(cell.condition["rotation"])
    scenarios, choices, stated = scenarios_of(job), choices_of(job, form), horizon_stated(cell)
    for asked in asked_of(job, form, horizon):
        scenario, choice = scenarios[asked["scenario"]], choices[asked["id"]]
        seen = seen_of(scenario)
        of = {
            **{"choice": choice.id, **of_scenario(scenario, asked), "form": form},
            **{"rotation": rotation, "horizon_stated": stated},
        }
        data = {"of": of, "seen": seen, "options": dict(choice.options), "correct": choice.correct}
        view = {**seen, "options": rotated(choice.options, rotation), **({"horizon": horizon} if stated else {})}
        for replicate in range(cell.replicates):
            yield Unit(choice.id, replicate, data=data, view=view)


def _choice_rule(job: Job, cell: Cell) -> Rule:
    template = choice_template(str(cell.condition["horizon"]), stated=horizon_stated(cell), overrides=job.prompts)

    async def chosen(unit: Unit, speak: Speak, embed: Embed) -> Mapping[str, Any]:
        data = unit.data
        found = await choose(
            speak, template, data["seen"], data["options"], data["correct"], int(data["of"]["rotation"])
        )
        return {"of": data["of"], **found}

    return chosen

"""The stages of the next problem: skills, variants, attempts, their grades. Nothing is decided here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from tutorscope.errors import UserError
from tutorscope.intervention.forecast import CHARACTERS_A_TOKEN, grade_calls
from tutorscope.intervention.grades import grade_rule, grade_shas
from tutorscope.intervention.names import BASELINE, BASELINE_GRADE
from tutorscope.intervention.problems import problem_from_data
from tutorscope.intervention.skills import BUILDER, SkillPrompts, choose_group, group_skills, name_skill
from tutorscope.intervention.skills_kept import GROUPS, keep_groups, kept_groups, tried_groups
from tutorscope.intervention.student import STANDARD, shown
from tutorscope.intervention.tasks import CONTINUE, CONTINUE_GRADE, answer_unit
from tutorscope.intervention.transfer import ALONE, CONTEXTS, LessonPrompts, attempt
from tutorscope.intervention.transfer_work import (
    GROUP,
    SKILL,
    TRANSFER,
    TRANSFER_GRADE,
    VARIANT,
    VARIANT_CHECK,
    asked_problems,
    attempts_to_make,
    contents,
    made_groups,
    set_misfit,
    set_of,
    transfers,
)
from tutorscope.intervention.variant_sets import VARIANTS
from tutorscope.intervention.variants import CANDIDATES, WRITTEN, VariantPrompts, check_candidates, write_candidates
from tutorscope.judging.asking import ATTEMPTS
from tutorscope.judging.math_workers import math_workers
from tutorscope.models.speaking import Embed, Speak
from tutorscope.runs.stages import Calls, Cell, Rule, Stage, Unit, Upstream, fingerprint

if TYPE_CHECKING:
    from tutorscope.runs.plan import Job

_LABEL_TOKENS, _VARIANT_TOKENS, _SOLUTION_TOKENS, _VERDICT_TOKENS, _TRACE_TOKENS = 40, 400, 350, 40, 370


def transfer_stages() -> tuple[Stage, ...]:
    """Give the stages of the next problem, in order: they come after the game's."""
    return (
        Stage(SKILL, (BUILDER,), _skill_cells, _skill_units, _skill_rule, _skill_calls, stateless=True),
        Stage(
            GROUPS,
            (BUILDER,),
            _groups_cells,
            _groups_units,
            _groups_rule,
            _groups_calls,
            after=(SKILL,),
            ahead=_groups_ahead,
            whole=True,
            stateless=True,
            keeps=keep_groups,
        ),
        Stage(
            GROUP,
            (BUILDER,),
            _group_cells,
            _group_units,
            _group_rule,
            _skill_calls,
            after=(SKILL, GROUPS),
            ahead=partial(_builder_ahead, 0, 0.1, 1, 400, _LABEL_TOKENS),
            stateless=True,
        ),
        Stage(
            VARIANT,
            (BUILDER,),
            _variant_cells,
            _variant_units,
            _variant_rule,
            _variant_calls,
            after=(SKILL, GROUPS, GROUP),
            ahead=partial(_builder_ahead, 0, CANDIDATES, CANDIDATES, 700, _VARIANT_TOKENS),
            stateless=True,
        ),
        Stage(
            VARIANT_CHECK,
            (BUILDER,),
            _check_cells,
            _check_units,
            _check_rule,
            _check_calls,
            after=(VARIANT,),
            ahead=partial(_builder_ahead, 0, 1.8 * CANDIDATES, 2 * CANDIDATES, 500, _SOLUTION_TOKENS / 2),
            stateless=True,
        ),
        Stage(
            TRANSFER,
            ("student",),
            _transfer_cells,
            _transfer_units,
            _transfer_rule,
            _transfer_calls,
            after=(VARIANT_CHECK, BASELINE, BASELINE_GRADE, STANDARD, CONTINUE, CONTINUE_GRADE),
            ahead=_transfer_ahead,
            stateless=True,
            gate=lambda job, cell, upstream: set_misfit(job, str(cell.condition["set"])),
        ),
        Stage(
            TRANSFER_GRADE,
            ("judge",),
            _grade_cells,
            _grade_units,
            grade_rule,
            grade_calls,
            after=(TRANSFER,),
            ahead=_grades_ahead,
            stateless=True,
        ),
    )


def _builder(options: Mapping[str, Any], roles: Mapping[str, Sequence[str]]) -> str | None:
    """Give who writes the variants, None where a file brought them or nobody asked for the next problem."""
    if not options.get("transfer") or options.get("variants"):
        return None
    builders = roles.get(BUILDER, ())
    if len(builders) != 1:
        found = "none" if not builders else f"{len(builders)} ({', '.join(builders)})"
        raise UserError(f"--builder: found {found}; expected one who writes the variants, or --variants FILE")
    return builders[0]


def _skill_cells(options: Mapping[str, Any], roles: Mapping[str, Sequence[str]]) -> Iterator[Cell]:
    if builder := _builder(options, roles):
        label = SkillPrompts.load(options["prompts"]).label
        yield Cell(SKILL, {BUILDER: builder}, {}, {f"rubric {label.name}": label.sha})


def _skill_units(job: Job, cell: Cell, upstream: Upstream) -> Iterator[Unit]:
    for problem in asked_problems(job, cell.roles[BUILDER]).values():
        yield Unit(problem.id, data={"problem": problem.data()}, view=problem.view)


def _skill_rule(job: Job, cell: Cell) -> Rule:
    rubric = SkillPrompts.load(job.prompts).label

    async def label(unit: Unit, speak: Speak, embed: Embed) -> Mapping[str, Any]:
        return await name_skill(speak, rubric, problem_from_data(unit.data["problem"]))

    return label


def _skill_calls(job: Job, cell: Cell, unit: Unit) -> list[Calls]:
    return [Calls(BUILDER, 1, 1, ATTEMPTS, _tokens(unit.data["problem"]) + 300, _LABEL_TOKENS)]


def _groups_cells(options: Mapping[str, Any], roles: Mapping[str, Sequence[str]]) -> Iterator[Cell]:
    if builder := _builder(options, roles):
        prompts = SkillPrompts.load(options["prompts"])
        made_of = {f"prompt {prompts.groups.name}": prompts.groups_sha}
        yield Cell(GROUPS, {BUILDER: builder}, {"groups": str(options["groups"])}, made_of)


def _groups_units(job: Job, cell: Cell, upstream: Upstream) -> Iterator[Unit]:
    """Give a unit for each domain, derived from nothing by its id: groups that were made stay when problems come."""
    problems = asked_problems(job, cell.roles[BUILDER])
    labels: dict[str, set[str]] = {}
    for done in upstream(SKILL):
        if done.roles[BUILDER] == cell.roles[BUILDER] and done.item in problems and done.result["skill"]:
            labels.setdefault(problems[done.item].domain, set()).add(done.result["skill"])
    kept = kept_groups(job, str(cell.condition["groups"]))
    tried = tried_groups(upstream, cell.roles[BUILDER], str(cell.condition["groups"]))
    for domain, found in labels.items():
        # Should its log be gone, the groups are not: nobody groups again.
        if domain in tried or domain not in kept:
            yield Unit(domain, data={"labels": sorted(found)})


def _groups_rule(job: Job, cell: Cell) -> Rule:
    template = SkillPrompts.load(job.prompts).groups

    async def group(unit: Unit, speak: Speak, embed: Embed) -> Mapping[str, Any]:
        return await group_skills(speak, template, unit.item, unit.data["labels"])

    return group


def _groups_calls(job: Job, cell: Cell, unit: Unit) -> list[Calls]:
    size = sum(map(len, unit.data["labels"])) / CHARACTERS_A_TOKEN
    return [Calls(BUILDER, 1, 1, ATTEMPTS, size + 250, size + 50)]


def _groups_ahead(job: Job, cell: Cell) -> list[Calls]:
    problems = asked_problems(job, cell.roles[BUILDER])
    domains = len({problem.domain for problem in problems.values()})
    size = 8 * len(problems) / max(1, domains)
    return [Calls(BUILDER, 0, domains, domains * ATTEMPTS, size + 250, size + 50)]


def _group_cells(options: Mapping[str, Any], roles: Mapping[str, Sequence[str]]) -> Iterator[Cell]:
    if builder := _builder(options, roles):
        choice = SkillPrompts.load(options["prompts"]).choice
        made_of = {f"rubric {choice.name}": choice.sha}
        yield Cell(GROUP, {BUILDER: builder}, {"groups": str(options["groups"])}, made_of)


def _group_units(job: Job, cell: Cell, upstream: Upstream) -> Iterator[Unit]:
    builder, name = cell.roles[BUILDER], str(cell.condition["groups"])
    kept = kept_groups(job, name)
    for place in made_groups(job, upstream, builder, name).values():
        made = kept.get(place.problem.domain)
        if made is not None and place.to_choose:
            data = {
                "problem": place.problem.data(),
                "skill": place.skill,
                "groups": [group["name"] for group in made.data["groups"]],
            }
            yield Unit(place.problem.id, 0, {SKILL: place.sha, GROUPS: made.sha}, data, place.problem.view)


def _group_rule(job: Job, cell: Cell) -> Rule:
    rubric = SkillPrompts.load(job.prompts).choice

    async def choose(unit: Unit, speak: Speak, embed: Embed) -> Mapping[str, Any]:
        data = unit.data
        return await choose_group(speak, rubric, problem_from_data(data["problem"]), data["skill"], data["groups"])

    return choose


def _variant_cells(options: Mapping[str, Any], roles: Mapping[str, Sequence[str]]) -> Iterator[Cell]:
    if builder := _builder(options, roles):
        shas = VariantPrompts.load(options["prompts"]).writing_shas
        yield Cell(VARIANT, {BUILDER: builder}, {"groups": str(options["groups"])}, shas)


def _variant_units(job: Job, cell: Cell, upstream: Upstream) -> Iterator[Unit]:
    for place in made_groups(job, upstream, cell.roles[BUILDER], str(cell.condition["groups"])).values():
        if place.group:
            data = {
                "problem": place.problem.data(),
                "skill": place.skill or place.group,
                "why": place.why,
                "group": place.group,
            }
            upstreams = {SKILL: place.sha, GROUP: fingerprint(place.group)}
            yield Unit(place.problem.id, 0, upstreams, data, place.problem.view)


def _variant_rule(job: Job, cell: Cell) -> Rule:
    prompts = VariantPrompts.load(job.prompts)

    async def write(unit: Unit, speak: Speak, embed: Embed) -> Mapping[str, Any]:
        data = unit.data
        problem = problem_from_data(data["problem"])
        return await write_candidates(speak, prompts, problem, data["skill"], data["why"], data["group"])

    return write


def _variant_calls(job: Job, cell: Cell, unit: Unit) -> list[Calls]:
    asked = _tokens(unit.data["problem"]) + 400
    return [Calls(BUILDER, CANDIDATES, CANDIDATES, CANDIDATES * ATTEMPTS, asked, _VARIANT_TOKENS)]


def _check_cells(options: Mapping[str, Any], roles: Mapping[str, Sequence[str]]) -> Iterator[Cell]:
    if builder := _builder(options, roles):
        shas = VariantPrompts.load(options["prompts"]).checking_shas
        yield Cell(VARIANT_CHECK, {BUILDER: builder}, {"groups": str(options["groups"])}, shas)


def _check_units(job: Job, cell: Cell, upstream: Upstream) -> Iterator[Unit]:
    for done in upstream(VARIANT):
        if done.roles == cell.roles and done.condition == cell.condition:
            written = [one for one in done.result["candidates"] if one["state"] == WRITTEN]
            if written:
                data = {"candidates": written, "group": done.result["group"]}
                yield Unit(done.item, 0, {VARIANT: done.sha}, data)


def _check_rule(job: Job, cell: Cell) -> Rule:
    prompts = VariantPrompts.load(job.prompts)

    async def check(unit: Unit, speak: Speak, embed: Embed) -> Mapping[str, Any]:
        candidates, group = unit.data["candidates"], unit.data["group"]
        return {"checks": await check_candidates(speak, prompts, candidates, group, math_workers().compare)}

    return check


def _check_calls(job: Job, cell: Cell, unit: Unit) -> list[Calls]:
    candidates = unit.data["candidates"]
    n = len(candidates)
    asked = sum(_tokens(one["problem"]) for one in candidates) / n + 250
    return [Calls(BUILDER, n, 1.8 * n, 2 * n * ATTEMPTS, asked, _SOLUTION_TOKENS / 2)]


def _transfer_cells(options: Mapping[str, Any], roles: Mapping[str, Sequence[str]]) -> Iterator[Cell]:
    if not options.get("transfer"):
        return
    if not roles.get("student"):
        raise UserError("--student is missing: expected who tries the new problems")
    builder = _builder(options, roles)
    source = {
        "variants": f"written by {builder}" if builder else "from a file",
        "seed": str(options["seed"]),
    }
    prompts = LessonPrompts.load(options["prompts"])
    for student in roles["student"]:
        for context in CONTEXTS:
            condition = {"context": context, "set": set_of(options)}
            yield Cell(TRANSFER, {"student": student}, condition, {**prompts.shas(context), **source})


def _transfer_units(job: Job, cell: Cell, upstream: Upstream) -> Iterator[Unit]:
    for one in attempts_to_make(
        job, upstream, cell.roles["student"], str(cell.condition["context"]), str(cell.condition["set"])
    ):
        content = one.variant.content
        if content is not None:
            data = {"problem": content.data(), "record": dict(one.record), "of": one.of}
            yield Unit(one.item, one.of["replicate"], one.upstream, data, content.view)


def _transfer_rule(job: Job, cell: Cell) -> Rule:
    prompts = LessonPrompts.load(job.prompts)
    context = str(cell.condition["context"])

    async def tried(unit: Unit, speak: Speak, embed: Embed) -> Mapping[str, Any]:
        problem = problem_from_data(unit.data["problem"])
        solved = await attempt(speak, prompts, problem, context, unit.data["record"])
        return {"of": unit.data["of"], **solved.data()}

    return tried


def _transfer_calls(job: Job, cell: Cell, unit: Unit) -> list[Calls]:
    record = unit.data["record"]
    kept = sum(len(value) for value in record.values() if isinstance(value, str)) / CHARACTERS_A_TOKEN
    asked = _tokens(unit.data["problem"]) + kept + 150
    return [Calls("student", 1, 1, ATTEMPTS, asked, _TRACE_TOKENS)]


def _transfer_ahead(job: Job, cell: Cell) -> list[Calls]:
    """Reckon attempts at variants that are still to come: one a problem, with help one a problem and tutor."""
    context = str(cell.condition["context"])
    n = _pairs(job, str(cell.condition["set"])) * (1 if context in (ALONE, "problem") else _tutors(job))
    return [Calls("student", 0, n, n * ATTEMPTS, 200 if context == ALONE else 700, _TRACE_TOKENS)]


def _grade_cells(options: Mapping[str, Any], roles: Mapping[str, Sequence[str]]) -> Iterator[Cell]:
    """Give a grading pass: a cell for each judge; for mathematics alone it needs none."""
    if options.get("transfer"):
        for judge in roles.get("judge", ()) or ("",):
            yield Cell(TRANSFER_GRADE, {"judge": judge} if judge else {}, {}, grade_shas(options["prompts"]))


def _grade_units(job: Job, cell: Cell, upstream: Upstream) -> Iterator[Unit]:
    held: dict[str, Mapping[str, Any]] = {}
    for done in upstream(TRANSFER):
        of = done.result["of"]
        if of["set"] not in held:
            held[of["set"]] = contents(job, upstream, of["set"])
        item = f"{of['student']}/{of['set']}/{of['context']}/{done.item}"
        yield answer_unit(item, done.replicate, held[of["set"]][of["variant"]], done.result["answer"], of, done.sha)


def _grades_ahead(job: Job, cell: Cell) -> list[Calls]:
    if "judge" not in cell.roles:
        return []
    sets = {set_of(options) for options, _ in transfers(job)}
    students = {name for _, roles in transfers(job) for name in roles.get("student", ())}
    n = sum(_pairs(job, name) for name in sets) * len(students) * (2 + _tutors(job))
    return [Calls("judge", 0, n, n * ATTEMPTS, 500, _VERDICT_TOKENS)]


def _builder_ahead(
    least: int, expected: float, most: int, read: float, written: float, job: Job, cell: Cell
) -> list[Calls]:
    """Reckon work of the builder on problems: so many calls a problem."""
    n = len(asked_problems(job, cell.roles[BUILDER], str(cell.condition["groups"])))
    return [Calls(BUILDER, least * n, expected * n, most * n * ATTEMPTS, read, written)]


def _pairs(job: Job, name: str) -> int:
    items = job.items.get(f"{VARIANTS}{name}")
    if items is not None:
        return len({item.data["problem"] for item in items})
    builders = [roles[BUILDER][0] for options, roles in transfers(job) if set_of(options) == name]
    return len(asked_problems(job, builders[0], name)) if builders else 0


def _tutors(job: Job) -> int:
    return len({name for ask in job.asks for name in ask["roles"].get("tutor", ())})


def _tokens(problem: Mapping[str, Any]) -> float:
    held = problem_from_data(problem)
    return (len(shown(held)) + len(held.reference)) / CHARACTERS_A_TOKEN

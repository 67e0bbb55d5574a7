"""The stages of the game: alone, watched, looked back on, gone on with, graded. Nothing is decided here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from tutorscope.errors import UserError
from tutorscope.intervention.episodes import episodes_of, sort_people
from tutorscope.intervention.forecast import (
    baseline_calls,
    continue_ahead,
    continue_calls,
    grade_calls,
    grades_ahead,
    oracle_ahead,
    oracle_calls,
    standard_ahead,
    standard_calls,
)
from tutorscope.intervention.grades import grade_rule, grade_shas
from tutorscope.intervention.names import ALL, BASELINE, BASELINE_GRADE, PEOPLE, PROBLEMS
from tutorscope.intervention.pace import AUTO, Pace
from tutorscope.intervention.problems import problem_from_data
from tutorscope.intervention.short_form import HELD
from tutorscope.intervention.student import ORACLE, STANDARD, STOP, StudentPrompts, go_on, solve
from tutorscope.intervention.traces import imported, problems_of, traces_of, verdicts
from tutorscope.intervention.watching import TutorPrompts, look_back, watch_trace
from tutorscope.models.speaking import Embed, Speak
from tutorscope.runs.plan import read_plan
from tutorscope.runs.results import read_stage
from tutorscope.runs.short_form import is_short
from tutorscope.runs.stages import Cell, Rule, Stage, Unit, Upstream

if TYPE_CHECKING:
    from tutorscope.runs.plan import Job

CONTINUE, CONTINUE_GRADE = "continue", "continue-grade"
HOWS = (STANDARD, STOP, ORACLE)


def game_stages() -> tuple[Stage, ...]:
    """Give the game's stages, in order."""
    paces: dict[int, Pace] = {}
    return (
        Stage(
            BASELINE,
            ("student",),
            cells=_baseline_cells,
            units=_baseline_units,
            rule=_baseline_rule,
            calls=baseline_calls,
            stateless=True,
        ),
        Stage(
            BASELINE_GRADE,
            ("judge",),
            cells=partial(graded_cells, BASELINE_GRADE),
            units=_baseline_answers,
            rule=grade_rule,
            calls=grade_calls,
            after=(BASELINE,),
            ahead=grades_ahead,
            stateless=True,
        ),
        Stage(
            STANDARD,
            ("tutor",),
            cells=_standard_cells,
            units=_standard_units,
            rule=partial(_standard_rule, paces),
            calls=standard_calls,
            after=(BASELINE,),
            ahead=standard_ahead,
            stateless=True,
        ),
        Stage(
            ORACLE,
            ("tutor",),
            cells=_oracle_cells,
            units=_oracle_units,
            rule=_oracle_rule,
            calls=oracle_calls,
            after=(BASELINE, BASELINE_GRADE),
            ahead=oracle_ahead,
            stateless=True,
        ),
        Stage(
            CONTINUE,
            ("student",),
            cells=_continue_cells,
            units=_continue_units,
            rule=_continue_rule,
            calls=continue_calls,
            after=(STANDARD, ORACLE),
            ahead=continue_ahead,
            stateless=True,
        ),
        Stage(
            CONTINUE_GRADE,
            ("judge",),
            cells=partial(graded_cells, CONTINUE_GRADE),
            units=_continued_answers,
            rule=grade_rule,
            calls=grade_calls,
            after=(CONTINUE,),
            ahead=grades_ahead,
            stateless=True,
        ),
    )


def conflicts(job: Job) -> Iterator[str]:
    """Say what a run must not be asked: one problem's id in two domains, and people's episodes on other traces."""
    seen: dict[str, str] = {}
    for name, items in job.items.items():
        for item in items if name.startswith(PROBLEMS) else ():
            other = seen.setdefault(item.id, name)
            if other != name:
                here, there = (one.removeprefix(PROBLEMS) for one in (name, other))
                yield f"the problem {item.id!r} is one of {there} and one of {here}; give it another id in one of them"
    people = [name.removeprefix(PEOPLE) for name in job.items if name.startswith(PEOPLE)]
    for tutor in (*job.speakers.get("tutor", ()), *people):
        if tutor == ALL:
            yield f"--tutor: found the name {ALL!r}, which tables have for all tutors; expected another, as NAME=..."
    traces = {(one.student, one.problem): one.trace for held in imported(job).values() for one in held}
    for done in read_stage(job.folder, BASELINE).done:
        traces[done.roles["student"], done.item] = done.result["trace"]
    # What the run holds already is set aside where it does not fit, and blocks nothing new.
    plan = read_plan(job.folder)
    held = plan[-1]["held"] if plan else {}
    sets = {name: items[held.get(name, 0) :] for name, items in job.items.items() if name.startswith(PEOPLE)}
    yield from (line for _, line in sort_people(sets, traces, problems_of(job))[1])


def graded_cells(stage: str, options: Mapping[str, Any], roles: Mapping[str, Sequence[str]]) -> Iterator[Cell]:
    """Give a grading pass: a cell for each judge; for mathematics alone it needs none."""
    if not options.get("game"):
        return
    for judge in roles.get("judge", ()) or ("",):
        yield Cell(stage, {"judge": judge} if judge else {}, {}, grade_shas(options["prompts"]))


def _students(options: Mapping[str, Any], roles: Mapping[str, Sequence[str]]) -> list[str]:
    return list(dict.fromkeys([*options.get("traces", ()), *roles.get("student", ())]))


def _baseline_cells(options: Mapping[str, Any], roles: Mapping[str, Sequence[str]]) -> Iterator[Cell]:
    if not options.get("game"):
        return
    if not _students(options, roles):
        raise UserError("--student is missing: expected who solves the problems, or --traces FILE")
    prompts = StudentPrompts.load(options["prompts"], short=bool(options.get("short_form")))
    for student in roles.get("student", ()):
        # A student whose traces a file brought has a baseline.
        if student not in options.get("traces", ()):
            yield Cell(BASELINE, {"student": student}, {}, prompts.alone)


def _baseline_units(job: Job, cell: Cell, upstream: Upstream) -> Iterator[Unit]:
    for problem in problems_of(job).values():
        yield Unit(problem.id, data={"problem": problem.data()}, view=problem.view)


def _baseline_rule(job: Job, cell: Cell) -> Rule:
    prompts = StudentPrompts.load(job.prompts, short=is_short(cell.made_of, HELD))

    async def alone(unit: Unit, speak: Speak, embed: Embed) -> Mapping[str, Any]:
        return (await solve(speak, prompts, problem_from_data(unit.data["problem"]))).data()

    return alone


def _baseline_answers(job: Job, cell: Cell, upstream: Upstream) -> Iterator[Unit]:
    problems = problems_of(job)
    for trace in traces_of(job, upstream):
        of = {"student": trace.student, "problem": trace.problem}
        yield answer_unit(f"{trace.student}/{trace.problem}", 0, problems[trace.problem], trace.answer, of, trace.sha)


def answer_unit(item: str, replicate: int, problem: Any, answer: str, of: Mapping[str, Any], sha: str) -> Unit:
    """Make a unit that grades one answer."""
    return Unit(item, replicate, {"answer": sha}, {"problem": problem.data(), "answer": answer, "of": dict(of)})


def _tutor_prompts(variant: str, options: Mapping[str, Any]) -> TutorPrompts:
    return TutorPrompts.load(variant, options["prompts"], short=bool(options.get("short_form")))


def _standard_cells(options: Mapping[str, Any], roles: Mapping[str, Sequence[str]]) -> Iterator[Cell]:
    if not options.get("game") or STANDARD not in options["condition"]:
        return
    for student in _students(options, roles):
        for tutor in roles.get("tutor", ()):
            for variant in options["variant"]:
                shas = _tutor_prompts(variant, options).shas("watch")
                for increment in options["increment"]:
                    condition = {
                        "student": student,
                        "increment": increment,
                        "variant": variant,
                        "ask_at_end": bool(options["ask_at_end"]),
                    }
                    yield Cell(STANDARD, {"tutor": tutor}, condition, shas, int(options["replicates"]))


def _standard_units(job: Job, cell: Cell, upstream: Upstream) -> Iterator[Unit]:
    problems = problems_of(job)
    for trace in traces_of(job, upstream, str(cell.condition["student"])):
        problem = problems[trace.problem]
        data = {"problem": problem.data(), "trace": trace.trace}
        for replicate in range(cell.replicates):
            yield Unit(trace.problem, replicate, {BASELINE: trace.sha}, data, problem.view)


def _standard_rule(paces: dict[int, Pace], job: Job, cell: Cell) -> Rule:
    prompts = TutorPrompts.load(str(cell.condition["variant"]), job.prompts, short=is_short(cell.made_of, HELD))
    # All cells of a stage share the connections.
    pace = paces.setdefault(id(job), Pace(job.limits.max_connections))
    asked = str(job.asks[-1]["options"].get("lookahead", 1))

    async def watched(unit: Unit, speak: Speak, embed: Embed) -> Mapping[str, Any]:
        with pace.episode():
            return await watch_trace(
                speak,
                prompts,
                problem_from_data(unit.data["problem"]),
                unit.data["trace"],
                str(cell.condition["increment"]),
                at_end=bool(cell.condition["ask_at_end"]),
                lookahead=pace.lookahead if asked == AUTO else lambda: int(asked),
            )

    return watched


def _oracle_cells(options: Mapping[str, Any], roles: Mapping[str, Sequence[str]]) -> Iterator[Cell]:
    if not options.get("game") or ORACLE not in options["condition"]:
        return
    for student in _students(options, roles):
        for tutor in roles.get("tutor", ()):
            for variant in options["variant"]:
                shas = _tutor_prompts(variant, options).shas("look back")
                condition = {"student": student, "variant": variant}
                yield Cell(ORACLE, {"tutor": tutor}, condition, shas, int(options["replicates"]))


def _oracle_units(job: Job, cell: Cell, upstream: Upstream) -> Iterator[Unit]:
    problems, known = problems_of(job), verdicts(job, upstream)
    for trace in traces_of(job, upstream, str(cell.condition["student"])):
        verdict = known.get((trace.student, trace.problem))
        # A tutor who looks back is told whether the answer is right: where nobody knows there is no episode.
        if verdict is None:
            continue
        problem = problems[trace.problem]
        data = {
            "problem": problem.data(),
            "trace": trace.trace,
            "answer": trace.answer,
            "correct": verdict["correct"],
        }
        for replicate in range(cell.replicates):
            upstreams = {BASELINE: trace.sha, BASELINE_GRADE: verdict["sha"]}
            yield Unit(trace.problem, replicate, upstreams, data, problem.view)


def _oracle_rule(job: Job, cell: Cell) -> Rule:
    prompts = TutorPrompts.load(str(cell.condition["variant"]), job.prompts, short=is_short(cell.made_of, HELD))

    async def looked_back(unit: Unit, speak: Speak, embed: Embed) -> Mapping[str, Any]:
        problem = problem_from_data(unit.data["problem"])
        data = unit.data
        return await look_back(speak, prompts, problem, data["trace"], data["answer"], correct=data["correct"])

    return looked_back


def _continue_cells(options: Mapping[str, Any], roles: Mapping[str, Sequence[str]]) -> Iterator[Cell]:
    """Give a cell for each student and way of going on: its units name tutor, increment and variant themselves."""
    if not options.get("game"):
        return
    prompts = StudentPrompts.load(options["prompts"], short=bool(options.get("short_form")))
    for student in roles.get("student", ()):
        for how in HOWS:
            if (ORACLE if how == ORACLE else STANDARD) in options["condition"]:
                yield Cell(CONTINUE, {"student": student}, {"how": how}, prompts.shas)


def _continue_units(job: Job, cell: Cell, upstream: Upstream) -> Iterator[Unit]:
    problems = problems_of(job)
    how = str(cell.condition["how"])
    texts = {(trace.student, trace.problem): trace.trace for trace in traces_of(job, upstream, cell.roles["student"])}
    for episode in episodes_of(job, upstream, ORACLE if how == ORACLE else STANDARD):
        text = texts.get((episode.student, episode.problem))
        if text is not None and episode.intervened and episode.position is not None:
            problem = problems[episode.problem]
            data = {
                "problem": problem.data(),
                "prefix": text[: episode.position],
                "message": episode.message,
                "of": {**episode.identity, "how": how},
            }
            yield Unit(episode.name, episode.replicate, {episode.condition: episode.sha}, data, problem.view)


def _continue_rule(job: Job, cell: Cell) -> Rule:
    prompts = StudentPrompts.load(job.prompts, short=is_short(cell.made_of, HELD))
    how = str(cell.condition["how"])

    async def went_on(unit: Unit, speak: Speak, embed: Embed) -> Mapping[str, Any]:
        problem = problem_from_data(unit.data["problem"])
        solved = await go_on(speak, prompts, problem, unit.data["prefix"], unit.data["message"], how)
        return {"of": unit.data["of"], **solved.data()}

    return went_on


def _continued_answers(job: Job, cell: Cell, upstream: Upstream) -> Iterator[Unit]:
    problems = problems_of(job)
    for done in upstream(CONTINUE):
        of = done.result["of"]
        item = f"{done.roles['student']}/{of['how']}/{done.item}"
        yield answer_unit(item, done.replicate, problems[of["problem"]], done.result["answer"], of, done.sha)

"""The judge pass: every tutor turn of an answer phase under two rubrics, three times (policy audit, B.4 to B.6)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tutorscope.audit.cells import SESSION, turns_to_come
from tutorscope.audit.detectors.windows import either_window, tutored
from tutorscope.audit.student import STUDENT, TUTOR
from tutorscope.judging.asking import ATTEMPTS
from tutorscope.judging.rubrics import Rubric, load_rubric, rate
from tutorscope.models.speaking import Embed, Speak
from tutorscope.runs.stages import Calls, Cell, Done, Rule, Stage, Unit, Upstream, fingerprint
from tutorscope.texts.replies import Flag, Scale, Text

if TYPE_CHECKING:
    from tutorscope.runs.plan import Job

RATING, CHECK = "rating", "check"
PROMPTS = "tutorscope.audit.prompts"
HELPFULNESS, PEDAGOGY = "helpfulness", "pedagogy"
RUBRICS: Mapping[str, tuple[str, ...]] = {
    HELPFULNESS: ("clarity", "responsiveness", "helpfulness", "overall"),
    PEDAGOGY: ("scaffolding", "productive_struggle", "assistance_calibration", "elicitation", "overall"),
}
HOLISTIC = "overall"
SETTINGS: Mapping[str, Any] = {"max_tokens": 512}

CHARACTERS_A_TOKEN = 4
_REPLY_TOKENS = 40
_DIALOGUE_TOKENS = 700
_OPEN_TURNS = 3


def rubric(name: str, overrides: Path | None) -> Rubric:
    """Load one of the two rubrics. A rating is usable only with all its numbers, each from 1 to 5."""
    return load_rubric(PROMPTS, f"judge-{name}", [Scale(field) for field in RUBRICS[name]], overrides=overrides)


def check_rubric(overrides: Path | None) -> Rubric:
    """Load the rubric that tells whether a student's turn holds work of their own."""
    fields = (Flag("attempted"), Text("reason", required=False))
    return load_rubric(PROMPTS, "judge-own-work", fields, overrides=overrides)


def record_of(talk: Sequence[Mapping[str, Any]], turn: int) -> dict[str, Any]:
    """Give what a judge sees of a turn: the problem's visible talk before it, and the turn.

    No statement, no answer, no policy, no route, and nothing that was said after (policy audit, B.5). Each turn is a
    JSON object of its own, so that no text can pose as another speaker.
    """
    before: list[dict[str, str]] = []
    for line in talk:
        if line["speaker"] == TUTOR and line["turn"] == turn:
            return {"dialogue": before, "turn": {"tutor": line["text"].strip()}}
        before.append({line["speaker"]: line["text"].strip()})
    raise LookupError(f"there is no turn {turn}")


def rating_stage() -> Stage:
    """Declare the pass: a cell for each judge and rubric, a unit for each turn, a replicate for each rating."""
    return Stage(
        RATING,
        ("judge",),
        cells=_cells,
        units=_units,
        rule=_rule,
        calls=_calls,
        ahead=_ahead,
        after=(SESSION,),
        stateless=True,
    )


def check_stage() -> Stage:
    """Declare the optional check of the work detector by a judge: it is reported and overrides nothing (B.3, E.3)."""
    return Stage(
        CHECK,
        ("judge",),
        cells=_check_cells,
        units=_check_units,
        rule=_check_rule,
        calls=_calls,
        ahead=_ahead,
        after=(SESSION,),
        stateless=True,
    )


def _cells(options: Mapping[str, Any], roles: Mapping[str, Sequence[str]]) -> Iterator[Cell]:
    if not options.get("policy"):
        return
    for judge in roles.get("judge", ()):
        for name in RUBRICS:
            made_of = {f"rubric {name}": rubric(name, options["prompts"]).sha}
            yield Cell(RATING, {"judge": judge}, {"rubric": name}, made_of, replicates=int(options["ratings"]))


def _units(job: Job, cell: Cell, upstream: Upstream) -> Iterator[Unit]:
    for done in upstream(SESSION):
        for problem, talk in tutored(done.result["lines"]).items():
            open_ = either_window(talk)
            for line in talk:
                # A turn without words has nothing to rate: it is counted as unrated.
                if line["speaker"] == TUTOR and open_.holds_turn(line["turn"]) and line["text"].strip():
                    data = {"record": record_of(talk, line["turn"]), "of": _turn(done, problem, line["turn"])}
                    for replicate in range(cell.replicates):
                        yield _unit(done, f"{problem}/t{line['turn']}", replicate, data)


def _rule(job: Job, cell: Cell) -> Rule:
    asked = rubric(str(cell.condition["rubric"]), job.prompts)

    async def judge(unit: Unit, speak: Speak, embed: Embed) -> Mapping[str, Any]:
        found = await rate(speak, asked, unit.data["record"], draw="rating", **SETTINGS)
        return {"of": unit.data["of"], **found.record()}

    return judge


def _check_cells(options: Mapping[str, Any], roles: Mapping[str, Sequence[str]]) -> Iterator[Cell]:
    if options.get("check_work") and options.get("policy"):
        for judge in roles.get("judge", ()):
            yield Cell(CHECK, {"judge": judge}, {}, {"rubric own-work": check_rubric(options["prompts"]).sha})


def _check_units(job: Job, cell: Cell, upstream: Upstream) -> Iterator[Unit]:
    for done in upstream(SESSION):
        for problem, talk in tutored(done.result["lines"]).items():
            open_ = either_window(talk)
            replies = [line["text"] for line in talk if line["speaker"] == STUDENT]
            for place, text in enumerate(replies):
                if open_.holds_reply(place) and text.strip():
                    data = {"record": {"message": {"student": text.strip()}}, "of": _turn(done, problem, place)}
                    yield _unit(done, f"{problem}/s{place}", 0, data)


def _check_rule(job: Job, cell: Cell) -> Rule:
    asked = check_rubric(job.prompts)

    async def check(unit: Unit, speak: Speak, embed: Embed) -> Mapping[str, Any]:
        found = await rate(speak, asked, unit.data["record"], draw="label", **SETTINGS)
        return {"of": unit.data["of"], **found.record()}

    return check


def _turn(done: Done, problem: str, turn: int) -> dict[str, Any]:
    """Name the session, the problem and the turn (or the student's place) that a rating is of."""
    return {"session": done.cell, "replicate": done.replicate, "problem": problem, "turn": turn}


def _unit(done: Done, what: str, replicate: int, data: Mapping[str, Any]) -> Unit:
    item = f"{done.condition['policy']}.{fingerprint(done.cell)[:8]}/r{done.replicate}/{what}"
    return Unit(item, replicate, {SESSION: done.sha}, data)


def _calls(job: Job, cell: Cell, unit: Unit) -> list[Calls]:
    name = cell.condition.get("rubric")
    asked = rubric(str(name), job.prompts) if name else check_rubric(job.prompts)
    shown = sum(len(message["content"]) for message in asked.messages(unit.data["record"]))
    return [Calls("judge", 1, 1, ATTEMPTS, shown / CHARACTERS_A_TOKEN, _REPLY_TOKENS)]


def _ahead(job: Job, cell: Cell) -> list[Calls]:
    """Forecast a pass over sessions that are still to come: between no turn and all of them fall into a window."""
    turns, rounds = turns_to_come(job)
    most = turns * cell.replicates
    if cell.stage == CHECK:
        # A student replies once more than the tutor speaks.
        most = most * (rounds + 1) // max(rounds, 1)
    return [
        Calls(
            "judge", 0, most * min(1.0, _OPEN_TURNS / max(rounds, 1)), most * ATTEMPTS, _DIALOGUE_TOKENS, _REPLY_TOKENS
        )
    ]

"""Is the judge right about scaffolding? It rates both replies of pairs whose better one is known, each by itself.

Source: scaffolding and uptake paper, appendix A.4.1.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tutorscope.judging.asking import ATTEMPTS
from tutorscope.judging.rubrics import rate
from tutorscope.models.speaking import Embed, Speak
from tutorscope.runs.stages import Calls, Cell, Rule, Stage, Unit, Upstream
from tutorscope.texts.templates import json_slot
from tutorscope.uptake.pairs import PAIRS
from tutorscope.uptake.rating import SCAFFOLDING_FIELD, Question, questions, reply_length, without_uptake
from tutorscope.uptake.tasks import CHARACTERS_A_TOKEN, PAIRED

if TYPE_CHECKING:
    from tutorscope.runs.plan import Job

VALIDATION = "validation"
SIDES = ("better", "worse")


def unit_item(pair: str, side: str) -> str:
    """Name a reply among the stage's items: the two of a pair are units of their own, with seeds of their own."""
    return f"{pair}:{side}"


def scaffolding_question(pair: Mapping[str, Any], separate: bool, overrides: Any = None) -> Question:
    """Give what is asked about a reply: the question of the main stage that asks for scaffolding.

    Uptake is asked along with it as it is there: not before any tutor has spoken.
    """
    question = questions(separate, overrides)[0]
    history = pair["history"]
    framed = bool(history) if isinstance(history, str) else any("tutor" in turn for turn in history)
    return question if framed else without_uptake(question)


def shown(pair: Mapping[str, Any], reply: str) -> dict[str, Any]:
    """Give what the judge sees: the student's last messages and the reply are the exchange, the rest is before it.

    A history that is one text is shown as one, ahead of an exchange that holds the reply alone.
    """
    history = pair["history"]
    if isinstance(history, str):
        return {"task": pair["task"] or None, "history": [{"talk": history}], "exchange": {"tutor": reply}}
    start = len(history)
    while start and "student" in history[start - 1]:
        start -= 1
    student = "\n".join(turn["student"] for turn in history[start:])
    return {
        "task": pair["task"] or None,
        "history": history[:start],
        "exchange": {"student": student, "tutor": reply} if student else {"tutor": reply},
    }


async def rate_reply(speak: Speak, pair: Mapping[str, Any], side: str, question: Question) -> dict[str, Any]:
    """Have one reply of a pair rated; nothing tells the judge that there is another.

    Returns
    -------
    dict
        ``scaffolding`` or None, ``reason`` why there is none, ``reasons``: one for each reply that could not be read.
    """
    answer = await rate(speak, question.rubric, shown(pair, pair[side]), draw=f"reply{question.suffix}")
    return {
        "scaffolding": answer.value[SCAFFOLDING_FIELD] if answer.value else None,
        "reason": answer.reason,
        "reasons": list(answer.reasons),
    }


def validation_cells(options: Mapping[str, Any], roles: Mapping[str, Sequence[str]]) -> list[Cell]:
    """Give an ask's cells, one a judge if it is about pairs, by their identity alone."""
    if not options.get(PAIRED):
        return []
    condition = {"separate": bool(options["separate"])}
    return [Cell(VALIDATION, {"judge": name}, condition) for name in roles.get("judge", ())]


def validation_stage() -> Stage:
    """Declare the stage: a cell for each judge and condition, a unit for each reply of each pair."""
    return Stage(VALIDATION, ("judge",), cells=_cells, units=_units, rule=_rule, calls=_calls, stateless=True)


def _cells(options: Mapping[str, Any], roles: Mapping[str, Sequence[str]]) -> Iterator[Cell]:
    for cell in validation_cells(options, roles):
        rubric = questions(bool(options["separate"]), options["prompts"])[0].rubric
        yield replace(cell, made_of={f"rubric {rubric.name}": rubric.sha})


def _units(job: Job, cell: Cell, upstream: Upstream) -> Iterator[Unit]:
    for name, items in job.items.items():
        if name.startswith(PAIRS):
            for item in items:
                for side in SIDES:
                    yield Unit(unit_item(item.id, side), data={"pair": item.data, "side": side})


def _rule(job: Job, cell: Cell) -> Rule:
    separate = bool(cell.condition["separate"])

    async def validate(unit: Unit, speak: Speak, embed: Embed) -> Mapping[str, Any]:
        pair = unit.data["pair"]
        return await rate_reply(speak, pair, unit.data["side"], scaffolding_question(pair, separate, job.prompts))

    return validate


def _calls(job: Job, cell: Cell, unit: Unit) -> list[Calls]:
    pair = unit.data["pair"]
    question = scaffolding_question(pair, bool(cell.condition["separate"]), job.prompts)
    length = sum(len(json_slot(value)) for value in shown(pair, pair[unit.data["side"]]).values())
    return [
        Calls(
            "judge",
            least=1,
            expected=1,
            most=ATTEMPTS,
            input_tokens=(len(question.rubric.template.text) + length) / CHARACTERS_A_TOKEN,
            output_tokens=reply_length(question) / CHARACTERS_A_TOKEN,
        )
    ]

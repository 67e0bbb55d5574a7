"""What casework would take, before its first call: calls and tokens, from the texts where they are there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tutorscope.casework.answering import OPEN, answer_template, lines, shown
from tutorscope.casework.choices import choice_template
from tutorscope.casework.inputs import asked_of, rubrics_of
from tutorscope.casework.items import criterion_from_data
from tutorscope.casework.judging import criteria_rubric, criterion_rubric
from tutorscope.casework.references import NEAREST
from tutorscope.judging.asking import ATTEMPTS
from tutorscope.runs.stages import Calls, Cell, Unit
from tutorscope.texts.templates import json_slot

if TYPE_CHECKING:
    from tutorscope.runs.plan import Job

STATED = "horizon stated"
"""The field of what a cell of choices is made of that says whether its question names the horizon."""

CHARACTERS_A_TOKEN = 4
_REPLY_TOKENS = {"immediate": 80, "long_term": 200}
_LETTER_TOKENS, _DECISION_TOKENS = 35, 40
_REFERENCE_TOKENS, _CASE_TOKENS, _CRITERION_TOKENS = 90, 1000, 80


def horizon_stated(cell: Cell) -> bool:
    """Tell whether a cell's choices say which horizon is wanted."""
    return cell.made_of[STATED] == "yes"


def answer_calls(job: Job, cell: Cell, unit: Unit) -> list[Calls]:
    """Reckon a reply."""
    form, horizon = str(cell.condition["form"]), str(cell.condition["horizon"])
    asked = [answer_template(form, horizon, job.prompts).text, *shown(unit.data["seen"]).values()]
    asked.append(lines(unit.data.get("references", ())))
    read = sum(map(len, asked)) / CHARACTERS_A_TOKEN
    return [Calls("tutor", 1, 1, ATTEMPTS, read, _REPLY_TOKENS[horizon])]


def references_ahead(job: Job, cell: Cell) -> list[Calls]:
    """Reckon replies whose references are still to be found."""
    horizon = str(cell.condition["horizon"])
    n = len(asked_of(job, OPEN, horizon)) * cell.replicates
    read = 500 + NEAREST * _REFERENCE_TOKENS
    return [Calls("tutor", 0, n, n * ATTEMPTS, read, _REPLY_TOKENS[horizon])]


def choice_calls(job: Job, cell: Cell, unit: Unit) -> list[Calls]:
    """Reckon a choice."""
    template = choice_template(str(cell.condition["horizon"]), stated=horizon_stated(cell), overrides=job.prompts)
    options = json_slot(unit.data["options"])
    read = (len(template.text) + len(options) + sum(map(len, shown(unit.data["seen"]).values()))) / CHARACTERS_A_TOKEN
    return [Calls("tutor", 1, 1, ATTEMPTS, read, _LETTER_TOKENS)]


def criteria_calls(job: Job, cell: Cell, unit: Unit) -> list[Calls]:
    """Reckon the decisions on a reply; one that is empty takes none."""
    criteria = [criterion_from_data(one) for one in unit.data["criteria"]]
    if not unit.data["reply"].strip():
        return []
    once = bool(cell.condition["one_call"])
    rubric = (criteria_rubric if once else criterion_rubric)(job.prompts)
    listed = sum(len(one.name) + len(one.check) + len(one.rationale) + 40 for one in criteria)
    case = len(rubric.template.text) + sum(len(json_slot(value)) for value in unit.data["case"].values())
    calls = 1 if once else len(criteria)
    read = (case + len(unit.data["reply"]) + listed / calls) / CHARACTERS_A_TOKEN
    return [Calls("judge", calls, calls, calls * ATTEMPTS, read, _DECISION_TOKENS * len(criteria) / calls)]


def criteria_ahead(job: Job, cell: Cell) -> list[Calls]:
    """Reckon the decisions on replies that are still to come."""
    form, horizon = str(cell.condition["form"]), str(cell.condition["horizon"])
    rubrics = rubrics_of(job)
    sizes = [
        len(rubrics[asked["category"], horizon].criteria)
        for asked in asked_of(job, OPEN, horizon)
        if (asked["category"], horizon) in rubrics
    ]
    replies = sum(
        one.replicates
        for stage in job.stages
        if stage.name == form
        for one in job.cells(stage)
        if one.condition["horizon"] == horizon
    )
    once = bool(cell.condition["one_call"])
    calls = (len(sizes) if once else sum(sizes)) * replies
    criteria = sum(sizes) / len(sizes) if sizes and once else 1
    read = _CASE_TOKENS + criteria * _CRITERION_TOKENS
    # A tutor may say nothing, and then no judge is asked.
    return [Calls("judge", 0, calls, calls * ATTEMPTS, read, _DECISION_TOKENS * criteria)]

"""What raters are asked of casework's material: is it grounded in its source, and is its type right (appendices H, I).

Raters read the source paper first and sum it up; then they rate, stage by stage, what a builder made of it: on three
points, or yes or no for the challenge type. They are shown what the run asks about. A stage is rated where the material
holds it: a release without strategies or full contexts has fewer.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

import pandas as pd

from tutorscope.casework.answering import OPEN, REFERENCE
from tutorscope.casework.inputs import ITEMS, PAPERS, RUBRICS, SCENARIOS
from tutorscope.casework.items import (
    CHALLENGES,
    Rubric,
    Scenario,
    rubric_from_data,
    scenario_from_data,
)
from tutorscope.people.agreement import rater_agreement, together
from tutorscope.people.answers import rater_tables
from tutorscope.people.forms import Form, Line, Question, RaterForm, Shown
from tutorscope.runs.folder import RunFolder
from tutorscope.runs.plan import held_items, read_plan

SCENARIO, STRATEGY, DIALOGUE, RUBRIC = "scenario", "strategy", "dialogue", "rubric"
CHALLENGE = "challenge type"

_ASKS = {
    SCENARIO: "Does the source support this moment: the task, the setting, what sets the behaviour off?",
    STRATEGY: "Does the source support that this was done, and that it helped or did not as is said here?",
    DIALOGUE: "Is the student in this talk the student of the source, and does the last turn show the behaviour?",
    RUBRIC: "Does the source support each of these criteria, and nothing that goes beyond it?",
}
# The paper names the five and the digest does not define them: these words are ours.
_TYPES = {
    "emotional_distress": "fear, shame, sadness or anger has taken hold, and the work cannot go on until it is met",
    "task_resistance": "the student could do the task and refuses it, puts it off or works against it",
    "social_interpersonal": "the trouble lies between the student and others: conflict, mistrust, being left out",
    "attention_engagement": "the student drifts off, is restless, or takes part without interest",
    "academic_struggle": "the student tries, and lacks the understanding or the skill that the task needs",
}
_RATIONALE = Question("rationale", "Why? Point to the source (50 characters or more).", "text", least_characters=50)

SOURCES = Form(
    name="sources",
    title="What does the source say?",
    instructions=(
        "Read the paper from which this category of students was taken, before you rate anything that was made of it. "
        "Then say in your own words who the student is, what is hard for them, and what was found to help."
    ),
    questions=(Question("summary", "Sum the source up in 30 words or more.", "text", least_words=30),),
)
GROUNDING = Form(
    name="grounding",
    title="Is this grounded in its source?",
    instructions=(
        "Above each thing stands what is asked of it. Answer with a number. 3, yes: the source supports it. 2, partly: "
        "some of it goes beyond the source, or lacks something that matters. 1, no: the source does not support it. "
        "Judge by the source alone, not by what you would have done."
    ),
    questions=(Question("grounded", "3 yes, 2 partly, 1 no.", "scale", ("1", "2", "3")), _RATIONALE),
)
CHALLENGE_TYPE = Form(
    name="challenge",
    title="Is this the right type of challenge?",
    instructions=(
        "A student's challenge has one of five types. "
        + " ".join(f"{CHALLENGES[key]}: {meaning}." for key, meaning in _TYPES.items())
        + " Say whether the type above the talk is the main one here. A second one beside it makes it no less right."
    ),
    questions=(
        Question("confirmed", "Is it the main challenge of this student?", "choice", ("yes", "no")),
        Question("rationale_type", "Why? (50 characters or more)", "text", least_characters=50),
    ),
)


def source_pools(folder: RunFolder) -> dict[str, list[Shown]]:
    """Give one thing to read for each category that the run asks about."""
    scenarios, _ = _material(folder)
    papers = {item.data["category"]: item.data["paper"] for item in held_items(folder, read_plan(folder), PAPERS)}
    firsts: dict[int, Scenario] = {}
    for one in scenarios:
        firsts.setdefault(one.category, one)
    shown = [
        Shown(
            id=f"c{category:03d}",
            title=f"Source of category {category}",
            lines=(Line("one of its moments", one.title or one.minimal_context),),
            facts={"paper": papers.get(category) or one.paper or "see the list of papers of your release"},
            strata={"stage": "source", "challenge": one.challenge},
        )
        for category, one in firsts.items()
    ]
    return {"": shown} if shown else {}


def grounding_pools(folder: RunFolder) -> dict[str, list[Shown]]:
    """Give every scenario, strategy, dialogue and rubric that the run asks about."""
    scenarios, rubrics = _material(folder)
    shown = [thing for one in scenarios for thing in _of_scenario(one)] + [_of_rubric(one) for one in rubrics]
    return {"": shown} if shown else {}


def challenge_pools(folder: RunFolder) -> dict[str, list[Shown]]:
    """Give every dialogue that the run asks about with its challenge type: yes agrees with it."""
    scenarios, _ = _material(folder)
    shown = [
        Shown(
            id=f"s{one.id:03d}/challenge",
            title=f"Scenario {one.id}",
            lines=_talk(one),
            facts={"setting": one.minimal_context, "challenge type": CHALLENGES.get(one.challenge, one.challenge)},
            strata={"stage": CHALLENGE, "challenge": one.challenge},
            judged={"confirmed": "yes"},
        )
        for one in scenarios
    ]
    return {"": shown} if shown else {}


_BY = ("stage", "challenge")
RATER_FORMS: Mapping[str, RaterForm] = {
    "sources": RaterForm(SOURCES, source_pools, ("stage",), _BY),
    "grounding": RaterForm(GROUNDING, grounding_pools, _BY, _BY),
    "challenge": RaterForm(CHALLENGE_TYPE, challenge_pools, _BY, _BY),
}
"""By name, for ``tutorscope raters --form``."""


def people_tables(folder: RunFolder) -> dict[str, pd.DataFrame]:
    """Give what raters of all forms were shown and answered."""
    return together([rater_tables(folder, one.form) for one in RATER_FORMS.values()])


def people_measures(tables: Mapping[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """Give shares, means, exact agreement and AC1 of all forms, over all and by stage and challenge type."""
    return together([rater_agreement(one.form, tables, one.by) for one in RATER_FORMS.values()])


def _material(folder: RunFolder) -> tuple[list[Scenario], list[Rubric]]:
    """Give the scenarios that the run asks about, and the rubrics by which it has replies judged.

    A run holds its whole release, since other categories lend references; raters are shown what bears on its results.
    """
    plan = read_plan(folder)
    # Open questions are asked with references too.
    wanted = {
        (OPEN if form == REFERENCE else form, horizon)
        for line in plan
        for form in line["options"]["form"]
        for horizon in line["options"]["horizon"]
    }
    asked = [
        item.data for item in held_items(folder, plan, ITEMS) if (item.data["form"], item.data["horizon"]) in wanted
    ]
    numbers = {one["scenario"] for one in asked}
    judged = {(one["category"], one["horizon"]) for one in asked if one["form"] == OPEN}
    scenarios = [scenario_from_data(item.data) for item in held_items(folder, plan, SCENARIOS)]
    rubrics = [rubric_from_data(item.data) for item in held_items(folder, plan, RUBRICS)]
    return (
        [one for one in scenarios if one.id in numbers],
        [one for one in rubrics if (one.category, one.horizon) in judged],
    )


def _of_scenario(one: Scenario) -> Iterator[Shown]:
    strata = {"challenge": one.challenge}
    setting = {"setting": one.minimal_context}
    if one.full_context:
        yield Shown(
            id=f"s{one.id:03d}/scenario",
            title=f"Scenario {one.id}: {one.title}",
            lines=tuple(_context(one.full_context)),
            facts={"asked": _ASKS[SCENARIO], **setting},
            strata={"stage": SCENARIO, **strata},
        )
    for number, strategy in enumerate(one.strategies, 1):
        said = {"what was done": strategy.text, "why": strategy.reason, "evidence": strategy.evidence}
        held = "helped" if strategy.effective else "did not help"
        yield Shown(
            id=f"s{one.id:03d}/strategy-{number}",
            title=f"Strategy {number} of scenario {one.id}",
            lines=tuple(Line(name, text) for name, text in said.items() if text),
            facts={"asked": _ASKS[STRATEGY], **setting, "is said to": f"have {held}, {_horizon(strategy.horizon)}"},
            strata={"stage": STRATEGY, **strata},
        )
    yield Shown(
        id=f"s{one.id:03d}/dialogue",
        title=f"Dialogue of scenario {one.id}",
        lines=_talk(one),
        facts={"asked": _ASKS[DIALOGUE], **setting},
        strata={"stage": DIALOGUE, **strata},
    )


def _of_rubric(one: Rubric) -> Shown:
    lines = [Line("student", one.student)] if one.student else []
    lines += [Line(f"criterion {each.id}", f"{each.name}: {each.check}", _why(each.rationale)) for each in one.criteria]
    return Shown(
        id=f"c{one.category:03d}/rubric-{one.horizon}",
        title=f"Criteria of category {one.category}, {_horizon(one.horizon)}",
        lines=tuple(lines),
        facts={"asked": _ASKS[RUBRIC]},
        strata={"stage": RUBRIC, "challenge": one.challenge or "unknown"},
    )


def _why(rationale: str) -> tuple[str, ...]:
    return (f"because: {rationale}",) if rationale else ()


def _horizon(horizon: str) -> str:
    return "in the moment" if horizon == "immediate" else "over weeks"


def _talk(one: Scenario) -> tuple[Line, ...]:
    return tuple(Line(turn.speaker, turn.message) for turn in one.dialogue)


def _context(context: Mapping[str, object]) -> Iterator[Line]:
    for name, value in context.items():
        yield Line(
            str(name).replace("_", " "), value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        )

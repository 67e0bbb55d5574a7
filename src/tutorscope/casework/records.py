"""From a run's logs and inputs to tidy tables: replies, decisions, answers, and what was asked."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd

from tutorscope.casework.answering import OPEN, REFERENCE
from tutorscope.casework.asked import asked_rows, judge_name, owed_rows, question_rows, release_row, states
from tutorscope.casework.choices import longest, shortest
from tutorscope.casework.inputs import CHOICES, DEMOGRAPHICS, ITEMS, RUBRICS, SCENARIOS, choice_of_data
from tutorscope.casework.items import Choice, Rubric, Scenario, rubric_from_data, scenario_from_data
from tutorscope.casework.negatives import is_purely_negative
from tutorscope.casework.tasks import BINARY, CRITERIA, MCQ, NEIGHBOURS
from tutorscope.casework.terms import FORMS, HORIZONS, LETTERS
from tutorscope.runs.folder import RunFolder
from tutorscope.runs.owed import Upstreams
from tutorscope.runs.plan import draft, read_plan
from tutorscope.runs.stages import Done

_ASKED = {"form": "string", "horizon": "string"}
_CASE = {"scenario": "int64", "category": "int64", "challenge": "string"}
COLUMNS: dict[str, dict[str, str]] = {
    "replies": {
        **{"tutor": "string", **_ASKED, "item": "string", **_CASE, "replicate": "int64"},
        **{"text": "string", "reason": "string", "reasons": "string", "finish": "string", "references": "string"},
    },
    "decisions": {
        **{"judge": "string", "tutor": "string", **_ASKED, "item": "string", **_CASE, "replicate": "int64"},
        **{"criterion": "int64", "name": "string", "check": "string", "negative": "bool", "met": "boolean"},
        **{"evidence": "string", "reason": "string", "reasons": "string", "one_call": "bool"},
    },
    "answers": {
        **{"tutor": "string", **_ASKED, "choice": "string", **_CASE, "rotation": "int64", "replicate": "int64"},
        **{"letter": "string", "original": "string", "correct_letter": "string", "correct": "bool"},
        **{"reason": "string", "reasons": "string", "longest": "bool", "shortest": "bool", "horizon_stated": "bool"},
    },
    "asked": {
        **{"judge": "string", "tutor": "string", **_ASKED},
        **{"asked": "int64", "answered": "int64", "owed": "int64", "erred": "int64"},
    },
    "owed": {
        **{"judge": "string", "tutor": "string", **_ASKED, "item": "string", **_CASE, "rotation": "int64"},
        **{"replicate": "int64", "erred": "bool", "reason": "string"},
    },
    "release": {
        **{"release": "string", "fingerprint": "string", "scenarios": "int64", "categories": "int64"},
        **{"rubrics": "int64", "criteria": "int64", "limit": "string", "as_released": "bool"},
        **{"paper_table": "bool", "left_out": "string"},
    },
    "questions": {**_ASKED, "questions": "int64", "scenarios": "int64", "categories": "int64"},
    "choices": {
        **{**_ASKED, "choice": "string", **_CASE, "correct_letter": "string"},
        **{f"length_{letter}": "Int64" for letter in LETTERS},
        **{"longest_is_correct": "bool", "shortest_is_correct": "bool"},
    },
    "criteria": {
        **{"category": "int64", "horizon": "string", "criterion": "int64", "name": "string", "check": "string"},
        **{"negative": "bool"},
    },
    "neighbours": {
        **{"horizon": "string", "item": "string", **_CASE, "found": "int64", "proxy": "boolean", "other": "string"},
    },
    "scenarios": {
        **{"scenario": "int64", "category": "int64", "title": "string", "challenge": "string"},
        **{"minimal_context": "string"},
    },
    "dialogues": {
        **{"scenario": "int64", "turn": "int64", "speaker": "string", "message": "string", "challenging": "bool"},
    },
}


def tables(folder: RunFolder) -> dict[str, pd.DataFrame]:
    """Build the tables of one run.

    Parameters
    ----------
    folder : RunFolder

    Returns
    -------
    dict of str to DataFrame
        ``replies`` (open and reference), ``decisions`` (a row a criterion, ``met`` missing where unread), ``answers``
        (a row a choice, unread ones wrong), ``choices`` and ``criteria`` (what was asked and could be met),
        ``neighbours`` (what was found to refer to), ``scenarios`` (with a column for each group of the user's),
        ``dialogues`` (a row a turn); ``asked``, ``owed``, ``release`` and ``questions`` (see `asked`).
    """
    # The record of the instrument names this module.
    from tutorscope.casework.instrument import CASEWORK

    plan, job = read_plan(folder), draft(folder, CASEWORK, to_read=True)
    held = {
        name: [item.data for item in job.items.get(name, ())]
        for name in (SCENARIOS, RUBRICS, CHOICES, ITEMS, DEMOGRAPHICS)
    }
    scenarios = {one.id: one for one in map(scenario_from_data, held[SCENARIOS])}
    rubrics = {(one.category, one.horizon): one for one in map(rubric_from_data, held[RUBRICS])}
    choices = {(data["form"], data["id"]): choice_of_data(data) for data in held[CHOICES]}
    asked = {(data["form"], data["id"]) for data in held[ITEMS]}
    upstreams, order = Upstreams(job), _Order(plan)
    found = states(job, upstreams)
    done = {
        name: sorted(upstreams(name), key=order.of_done)
        for name in (OPEN, REFERENCE, NEIGHBOURS, CRITERIA, MCQ, BINARY)
    }
    owed = sorted(owed_rows(found), key=order.of_row)
    rows: dict[str, Iterable[Mapping[str, Any]]] = {
        "replies": map(_reply_row, [*done[OPEN], *done[REFERENCE]]),
        "decisions": (row for one in done[CRITERIA] for row in _decision_rows(one, rubrics)),
        "answers": (_answer_row(one, choices) for form in (MCQ, BINARY) for one in done[form]),
        "choices": (_choice_row(form, one, scenarios) for (form, key), one in choices.items() if (form, key) in asked),
        "criteria": (row for rubric in rubrics.values() for row in _criterion_rows(rubric)),
        "neighbours": map(_neighbour_row, done[NEIGHBOURS]),
        "dialogues": (row for one in scenarios.values() for row in _turn_rows(one)),
        "asked": sorted(asked_rows(found, owed), key=order.of_row),
        "owed": owed,
        "release": [release_row(job, plan)],
        "questions": question_rows(job),
    }
    return {
        **{name: _frame(name, one) for name, one in rows.items()},
        "scenarios": _scenario_frame(scenarios.values(), held[DEMOGRAPHICS]),
    }


class _Order:
    """The order of rows: judges, tutors, forms and horizons as the plan first names them, then items."""

    def __init__(self, plan: Sequence[Mapping[str, Any]]) -> None:
        self._named = {
            role: {
                name: place for place, name in enumerate(dict.fromkeys(n for line in plan for n in _names(line, role)))
            }
            for role in ("judge", "tutor")
        }

    def of_done(self, done: Done) -> tuple[Any, ...]:
        of = done.result["of"]
        judge, tutor = done.roles.get("judge"), of.get("tutor") or done.roles.get("tutor")
        more = (bool(done.result.get("one_call")), int(of.get("replicate", done.replicate)), int(of.get("rotation", 0)))
        return self._key(judge, tutor, of["form"], of["horizon"], done.item, more)

    def of_row(self, row: Mapping[str, Any]) -> tuple[Any, ...]:
        judge = row["judge"] and row["judge"].removesuffix(" (one call)")
        more = (judge != row["judge"], row.get("replicate", 0), row.get("rotation", 0))
        return self._key(judge, row["tutor"], row["form"], row["horizon"], row.get("item", ""), more)

    def _key(
        self, judge: str | None, tutor: str | None, form: str, horizon: str, item: str, more: tuple[Any, ...]
    ) -> tuple[Any, ...]:
        places = [
            self._named[role].get(name, len(self._named[role])) if name is not None else -1
            for role, name in (("judge", judge), ("tutor", tutor))
        ]
        return (places[0], more[0], places[1], FORMS.index(form), HORIZONS.index(horizon), item, *more[1:])


def _names(line: Mapping[str, Any], role: str) -> Sequence[str]:
    names: Sequence[str] = line["roles"].get(role, ())
    return names


def _case(of: Mapping[str, Any]) -> dict[str, Any]:
    return {name: of[name] for name in ("form", "horizon", "scenario", "category", "challenge")}


def _reply_row(done: Done) -> dict[str, Any]:
    result = done.result
    named = ("scenario", "category", "similarity", "other", "proxy")
    references = [{name: one[name] for name in named} for one in result.get("references", ())]
    return {
        **_case(result["of"]),
        "tutor": done.roles["tutor"],
        "item": result["of"]["item"],
        "replicate": done.replicate,
        "text": result["text"],
        "reason": result["reason"],
        "reasons": ", ".join(result["reasons"]),
        "finish": result["finish"],
        "references": json.dumps(references) if references else None,
    }


def _decision_rows(done: Done, rubrics: Mapping[tuple[int, str], Rubric]) -> Iterable[dict[str, Any]]:
    of, once = done.result["of"], bool(done.result["one_call"])
    criteria = {one.id: one for one in rubrics[of["category"], of["horizon"]].criteria}
    for decision in done.result["criteria"]:
        criterion = criteria[decision["id"]]
        yield {
            **_case(of),
            "judge": judge_name(done.roles["judge"], once),
            "tutor": of["tutor"],
            "item": of["item"],
            "replicate": of["replicate"],
            "criterion": criterion.id,
            "name": criterion.name,
            "check": criterion.check,
            "negative": is_purely_negative(criterion.check),
            "met": decision["met"],
            "evidence": decision["evidence"],
            "reason": decision["reason"],
            "reasons": ", ".join(decision["reasons"]),
            "one_call": once,
        }


def _answer_row(done: Done, choices: Mapping[tuple[str, str], Choice]) -> dict[str, Any]:
    result, of = done.result, done.result["of"]
    choice = choices[of["form"], of["choice"]]
    return {
        **_case(of),
        "tutor": done.roles["tutor"],
        "choice": choice.id,
        "rotation": of["rotation"],
        "replicate": done.replicate,
        "letter": result["letter"],
        "original": result["original"],
        "correct_letter": choice.correct,
        "correct": bool(result["correct"]),
        "reason": result["reason"],
        "reasons": ", ".join(result["reasons"]),
        "longest": result["original"] == longest(choice.options),
        "shortest": result["original"] == shortest(choice.options),
        "horizon_stated": of["horizon_stated"],
    }


def _choice_row(form: str, choice: Choice, scenarios: Mapping[int, Scenario]) -> dict[str, Any]:
    return {
        "form": form,
        "horizon": choice.horizon,
        "choice": choice.id,
        "scenario": choice.scenario,
        "category": choice.category,
        "challenge": scenarios[choice.scenario].challenge,
        "correct_letter": choice.correct,
        **{f"length_{letter}": len(text.strip()) for letter, text in choice.options.items()},
        "longest_is_correct": longest(choice.options) == choice.correct,
        "shortest_is_correct": shortest(choice.options) == choice.correct,
    }


def _criterion_rows(rubric: Rubric) -> Iterable[dict[str, Any]]:
    for one in rubric.criteria:
        yield {
            "category": rubric.category,
            "horizon": rubric.horizon,
            "criterion": one.id,
            "name": one.name,
            "check": one.check,
            "negative": is_purely_negative(one.check),
        }


def _neighbour_row(done: Done) -> dict[str, Any]:
    of, references = done.result["of"], done.result["references"]
    return {
        **_case(of),
        "item": of["item"],
        "found": len(references),
        "proxy": any(one["proxy"] for one in references) if references else None,
        "other": ", ".join(sorted({one["other"] for one in references})),
    }


def _turn_rows(scenario: Scenario) -> Iterable[dict[str, Any]]:
    for number, turn in enumerate(scenario.dialogue, 1):
        yield {
            "scenario": scenario.id,
            "turn": number,
            "speaker": turn.speaker,
            "message": turn.message,
            "challenging": turn.challenging,
        }


def _scenario_frame(scenarios: Iterable[Scenario], demographics: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    groups = {row["scenario"]: row["groups"] for row in demographics}
    ways = list(dict.fromkeys(way for row in demographics for way in row["groups"]))
    types = {**COLUMNS["scenarios"], **dict.fromkeys(ways, "string")}
    rows = [
        {
            "scenario": one.id,
            "category": one.category,
            "title": one.title,
            "challenge": one.challenge,
            "minimal_context": one.minimal_context,
            **{way: groups.get(one.id, {}).get(way) for way in ways},
        }
        for one in scenarios
    ]
    return pd.DataFrame(rows, columns=list(types)).astype(types)


def _frame(name: str, rows: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    return pd.DataFrame(list(rows), columns=list(COLUMNS[name])).astype(COLUMNS[name])

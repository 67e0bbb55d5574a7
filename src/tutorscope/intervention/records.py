"""From a run's logs and inputs to tidy tables: traces, grades, episodes, and what happened after them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd

from tutorscope.intervention.episodes import EpisodeDone, model_episode, not_asked, people_episodes, sort_people
from tutorscope.intervention.names import BASELINE, BASELINE_GRADE, PEOPLE, PROBLEMS, TRACES
from tutorscope.intervention.problems import Problem, problem_from_data
from tutorscope.intervention.student import ORACLE, STANDARD
from tutorscope.intervention.tasks import CONTINUE, CONTINUE_GRADE
from tutorscope.runs.folder import RunFolder
from tutorscope.runs.owed import Upstreams
from tutorscope.runs.plan import draft, held_items, read_plan
from tutorscope.runs.results import read_stage
from tutorscope.runs.stages import Done

_WHERE = {"tutor": "string", "student": "string", "problem": "string"}
_EPISODE = {
    **{"condition": "string", "increment": "string", "variant": "string"},
    **{"replicate": "int64", "participant": "string"},
}
COLUMNS: dict[str, dict[str, str]] = {
    "traces": {
        **{"student": "string", "problem": "string", "domain": "string", "title": "string", "topic": "string"},
        **{"difficulty": "string", "trace": "string", "answer": "string", "reason": "string", "length": "int64"},
    },
    "grades": {
        **{"judge": "string", "of": "string", **_WHERE},
        **{"increment": "string", "variant": "string", "replicate": "int64", "participant": "string"},
        **{"correct": "boolean", "how": "string", "reason": "string", "why": "string"},
    },
    "episodes": {
        **{"judge": "string", **_WHERE, "domain": "string", **_EPISODE, "ask_at_end": "bool", "people": "bool"},
        **{"intervened": "boolean", "position": "Int64", "length": "Int64", "tau_rel": "Float64"},
        **{"message": "string", "quote": "string", "found": "string", "lost": "string", "reason": "string"},
        **{"unread": "string", "decisions": "Int64", "wasted": "Int64", "baseline_correct": "boolean"},
    },
    "continued": {
        **{"judge": "string", **_WHERE, "domain": "string", "how": "string"},
        **{"increment": "string", "variant": "string", "ask_at_end": "bool", "replicate": "int64"},
        **{"participant": "string", "people": "bool", "trace": "string", "answer": "string", "reason": "string"},
        **{"before": "boolean", "after": "boolean", "h": "Int64"},
    },
    "problems": {
        **{"problem": "string", "domain": "string", "title": "string", "question": "string", "reference": "string"},
        **{"topic": "string", "difficulty": "string"},
    },
    "served": {
        **{"stage": "string", "role": "string", "name": "string", "model": "string", "finish": "string"},
        **{"calls": "int64", "input_tokens": "int64", "cached_tokens": "int64", "output_tokens": "int64"},
    },
}


def game_tables(folder: RunFolder) -> dict[str, pd.DataFrame]:
    """Build the game's tables of one run.

    Returns
    -------
    dict of str to DataFrame
        ``problems``, ``traces``, ``grades`` (a row a verdict), ``episodes`` (a row an episode and judge: the judge only
        says whether the student would have been right), ``continued`` (a row a way of going on and judge, with h), and
        ``served`` (which model answered, how replies ended, what a prefix cache saved).
    """
    plan = read_plan(folder)
    problems = _problems(folder, plan)
    done = {
        name: _once(read_stage(folder, name).done)
        for name in (BASELINE, BASELINE_GRADE, STANDARD, ORACLE, CONTINUE, CONTINUE_GRADE)
    }
    traces = [*_trace_rows(done[BASELINE], problems), *_imported_rows(folder, plan, problems)]
    lengths = {(row["student"], row["problem"]): row["length"] for row in traces}
    baseline = {_judged(one): one.result["correct"] for one in done[BASELINE_GRADE]}
    # In the order of the plan: the first judge's verdicts are those that were shown.
    judges = list(dict.fromkeys(name for line in plan for name in line["roles"].get("judge", ()) or ("",))) or [""]
    # Logs come in the order of starts and stops: tables come in an order of their own.
    played = sorted((one for name in (STANDARD, ORACLE) for one in done[name]), key=_order)
    texts = {(row["student"], row["problem"]): row["trace"] for row in traces}
    people = {name: list(held_items(folder, plan, name)) for name in _sets(plan, PEOPLE)}
    # The record of the instrument names this module.
    from tutorscope.intervention.instrument import INTERVENTION

    job = draft(folder, INTERVENTION, to_read=True)
    unasked = not_asked(job, Upstreams(job))
    episodes = [*map(model_episode, played), *unasked, *people_episodes(people, texts, problems)]
    return {
        "problems": _frame("problems", [_problem_row(problem) for problem in problems.values()]),
        "traces": _frame("traces", traces),
        "grades": _frame(
            "grades",
            [_grade_row(one) for name in (BASELINE_GRADE, CONTINUE_GRADE) for one in sorted(done[name], key=_order)],
        ),
        "episodes": _frame("episodes", _episode_rows(episodes, judges, baseline, lengths, problems)),
        "continued": _frame("continued", _continued_rows(done, baseline, judges, problems)),
        "served": _frame("served", _served_rows(done.values())),
        "misfits": pd.DataFrame(
            [line for _, line in sort_people(people, texts, problems)[1]], columns=["line"], dtype="string"
        ),
    }


def _once(done: Sequence[Done]) -> list[Done]:
    """Keep the first of what was made twice from results that moved in between."""
    first: dict[tuple[str, str, int], Done] = {}
    for one in done:
        first.setdefault((one.cell, one.item, one.replicate), one)
    return list(first.values())


def held_problems(folder: RunFolder) -> dict[str, Problem]:
    """Give a run's problems by id."""
    return _problems(folder, read_plan(folder))


def _problems(folder: RunFolder, plan: Sequence[Mapping[str, Any]]) -> dict[str, Problem]:
    return {
        item.id: problem_from_data(item.data)
        for name in _sets(plan, PROBLEMS)
        for item in held_items(folder, plan, name)
    }


def _sets(plan: Sequence[Mapping[str, Any]], kind: str) -> list[str]:
    return [name for name in (plan[-1]["held"] if plan else {}) if name.startswith(kind)]


def _problem_row(problem: Problem) -> dict[str, Any]:
    return {
        "problem": problem.id,
        "domain": problem.domain,
        "title": problem.title,
        "question": problem.question,
        "reference": problem.reference,
        "topic": problem.topic,
        "difficulty": str(problem.difficulty),
    }


def _trace_rows(done: Sequence[Done], problems: Mapping[str, Problem]) -> list[dict[str, Any]]:
    return [
        _trace_row(one.roles["student"], problems[one.item], one.result)
        for one in sorted(done, key=_order)
        if one.item in problems
    ]


def _imported_rows(
    folder: RunFolder, plan: Sequence[Mapping[str, Any]], problems: Mapping[str, Problem]
) -> list[dict[str, Any]]:
    return [
        _trace_row(name.removeprefix(TRACES), problems[item.data["problem"]], {**item.data, "reason": ""})
        for name in _sets(plan, TRACES)
        for item in held_items(folder, plan, name)
    ]


def _trace_row(student: str, problem: Problem, found: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "student": student,
        **{name: value for name, value in _problem_row(problem).items() if name not in ("question", "reference")},
        "trace": found["trace"],
        "answer": found["answer"],
        "reason": found["reason"],
        "length": len(found["trace"]),
    }


def _order(done: Done) -> tuple[str, str, int]:
    return done.cell, done.item, done.replicate


def _judged(done: Done) -> tuple[str, str, str]:
    of = done.result["of"]
    return done.roles.get("judge", ""), of["student"], of["problem"]


def _grade_row(done: Done) -> dict[str, Any]:
    of = done.result["of"]
    return {
        "judge": done.roles.get("judge", ""),
        "of": of.get("how", "baseline"),
        "tutor": of.get("tutor", ""),
        "student": of["student"],
        "problem": of["problem"],
        "increment": of.get("increment", ""),
        "variant": of.get("variant", ""),
        "replicate": of.get("replicate", 0),
        "participant": of.get("participant", ""),
        "correct": done.result["correct"],
        "how": done.result["how"],
        "reason": done.result["reason"] or "",
        "why": done.result["why"],
    }


def _episode_rows(
    episodes: Sequence[EpisodeDone],
    judges: Sequence[str],
    baseline: Mapping[tuple[str, str, str], bool | None],
    lengths: Mapping[tuple[str, str], int],
    problems: Mapping[str, Problem],
) -> list[dict[str, Any]]:
    rows = []
    for episode in episodes:
        result = episode.result
        length = lengths.get((episode.student, episode.problem), result.get("length"))
        row = {
            **episode.identity,
            "domain": problems[episode.problem].domain if episode.problem in problems else "",
            "people": bool(episode.participant),
            "intervened": episode.intervened,
            "position": episode.position,
            "length": length,
            "tau_rel": episode.position / length if episode.position is not None and length else None,
            "message": episode.message,
            **{name: result.get(name) or "" for name in ("quote", "found", "lost", "reason")},
            "unread": ", ".join(result.get("reasons", ())),
            "decisions": result.get("decisions"),
            "wasted": result.get("wasted"),
        }
        for judge in judges:
            known = baseline.get((judge, episode.student, episode.problem))
            rows.append({"judge": judge, **row, "baseline_correct": known})
    return rows


def _continued_rows(
    done: Mapping[str, Sequence[Done]],
    baseline: Mapping[tuple[str, str, str], bool | None],
    judges: Sequence[str],
    problems: Mapping[str, Problem],
) -> list[dict[str, Any]]:
    graded = {(one.roles.get("judge", ""), _key(one.result["of"])): one.result for one in done[CONTINUE_GRADE]}
    rows = []
    for one in sorted(done[CONTINUE], key=_order):
        of = one.result["of"]
        for judge in judges:
            before = baseline.get((judge, of["student"], of["problem"]))
            after = graded.get((judge, _key(of)), {}).get("correct")
            rows.append(
                {
                    "judge": judge,
                    **{name: of[name] for name in ("tutor", "student", "problem", "how", "increment", "variant")},
                    "ask_at_end": of["ask_at_end"],
                    "domain": problems[of["problem"]].domain if of["problem"] in problems else "",
                    "replicate": of["replicate"],
                    "participant": of["participant"],
                    "people": bool(of["participant"]),
                    **{name: one.result[name] for name in ("trace", "answer", "reason")},
                    "before": before,
                    "after": after,
                    "h": None if before is None or after is None else int(after) - int(before),
                }
            )
    return rows


def _key(of: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    return tuple(sorted(of.items()))


def _served_rows(stages: Iterable[Sequence[Done]]) -> list[dict[str, Any]]:
    sums: dict[tuple[str, ...], list[int]] = {}
    for done in [one for stage in stages for one in stage]:
        for call in done.calls:
            role = call["role"]
            key = (done.cell.partition("|")[0], role, done.roles.get(role, ""), call["model"], call["finish"])
            usage = call["usage"]
            so_far = sums.setdefault(key, [0, 0, 0, 0])
            for place, more in enumerate((1, usage["input"], usage["cached"], usage["output"])):
                so_far[place] += more
    names = list(COLUMNS["served"])
    return [dict(zip(names, [*key, *counts], strict=True)) for key, counts in sorted(sums.items())]


def _frame(name: str, rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    types = COLUMNS[name]
    return pd.DataFrame(list(rows), columns=list(types)).astype(types)

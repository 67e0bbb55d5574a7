"""From a run's logs and inputs to tidy tables: lines, turns, sessions, ratings, probes, and what was asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from tutorscope.audit.calibration import ISOLATED
from tutorscope.audit.cells import LEARNING, SESSION
from tutorscope.audit.detectors.windows import RULES
from tutorscope.audit.freezing import freeze_rows, judges_of, sessions_state
from tutorscope.audit.gate_tables import gate_tables
from tutorscope.audit.inference.claims_input import CLAIMS, CLAIMS_TABLE, CONTRASTS_TABLE
from tutorscope.audit.inference.frames import PER_SESSION, PER_TURN, STUDENT_TURNS
from tutorscope.audit.items import PROBLEMS, is_right
from tutorscope.audit.lines import session_lines
from tutorscope.audit.problem_sets.problems import PHASES, Problem, problem_from_data
from tutorscope.audit.rating import CHECK, HELPFULNESS, PEDAGOGY, RATING
from tutorscope.audit.rating_tables import check_rows, rating_rows, ratings_by_turn, ratings_state
from tutorscope.audit.rule_differences import difference_rows
from tutorscope.audit.session import TRAINING
from tutorscope.audit.silence import silent_rows
from tutorscope.audit.student import STUDENT, TUTOR
from tutorscope.runs.folder import RunFolder
from tutorscope.runs.plan import held_items, read_plan
from tutorscope.runs.results import read_stage
from tutorscope.runs.stages import Done

ALONE, LESSONS = "(alone)", "(lessons)"
"""What stands as policy for the student's lines outside the sessions."""

_WHO = {"student": "string", "base": "string", "policy": "string", "replicate": "int64"}
COLUMNS: dict[str, dict[str, str]] = {
    "lines": {
        **_WHO,
        **{"problem": "string", "phase": "string", "place": "int64", "seq": "int64"},
        **{"speaker": "string", "kind": "string", "turn": "Int64", "text": "string"},
        **{f"{what}_{rule}": "boolean" for what in ("leak", "work") for rule in RULES},
        **{f"answer_{rule}": "string" for rule in RULES},
        **{f"in_{rule}": "boolean" for rule in RULES},
        **{"finish": "string", "reasons": "string", "route": "string", "notes": "string"},
        **{"calls": "Int64", "tokens": "Int64"},
    },
    "probes": {
        **_WHO,
        **{"problem": "string", "phase": "string", "place": "int64", "rule": "string"},
        **{"value": "string", "key": "string", "correct": "bool", "asked_again": "int64"},
    },
    "served": {
        **{"stage": "string", "cell": "string", "role": "string", "name": "string", "model": "string"},
        **{"provider": "string", "finish": "string"},
        **{"calls": "int64"},
    },
}


@dataclass(frozen=True)
class Told:
    """One finished session, read: who, and its lines."""

    done: Done
    who: Mapping[str, Any]
    lines: Sequence[Mapping[str, Any]] = field(repr=False)


def tables(folder: RunFolder) -> dict[str, pd.DataFrame]:
    """Build the tables of one run.

    Parameters
    ----------
    folder : RunFolder

    Returns
    -------
    dict of str to DataFrame
        ``per_turn``, ``per_session`` and ``student_turns``, which the measures start from; ``lines`` (all that was
        said), ``probes``, ``ratings``, ``checks``, ``isolated``, ``isolated_summary``, ``rule_differences``,
        ``served`` (which model answered, and how replies ended), ``sessions_state`` and ``ratings_state`` (asked and
        there), ``silent`` (turns without a word, notes that could not be read), ``freeze``, ``claims_file`` and
        ``asked_contrasts``.
    """
    plan = read_plan(folder)
    held = list(held_items(folder, plan, PROBLEMS))
    problems = {item.id: problem_from_data(item.data) for item in held}
    stages = {name: read_stage(folder, name).done for name in (ISOLATED, LEARNING, SESSION, RATING, CHECK)}
    state = sessions_state(plan, stages[SESSION])
    asked = {cell: place for place, cell in enumerate(state["cell"])}
    places = {policy: place for place, policy in enumerate(dict.fromkeys(state["policy"]))}
    in_order = sorted(stages[SESSION], key=lambda done: (asked.get(done.cell, len(asked)), *_order(done)))
    sessions = [_told(done, problems) for done in in_order]
    lessons = [_told(done, problems, LESSONS) for done in sorted(stages[LEARNING], key=_order)]
    alone = [_told(done, problems, ALONE) for done in sorted(stages[ISOLATED], key=_order)]
    who = {told.done.cell: told.who for told in sessions}
    ratings = rating_rows(stages[RATING], who)
    lines = _frame("lines", [row for told in [*sessions, *lessons, *alone] for row in _line_rows(told)])
    claims = [item.data["yaml"] for item in held_items(folder, plan, CLAIMS)]
    pairs = [pair.split(",") for line in plan for pair in line["options"].get("contrast", ())]
    return {
        "per_turn": _placed(_typed(_turn_rows(sessions, ratings, judges_of(plan)), PER_TURN), places),
        "per_session": _placed(
            _typed([_session_row(told, problems, rule) for told in sessions for rule in RULES], PER_SESSION), places
        ),
        "student_turns": _typed(_student_rows(sessions), STUDENT_TURNS),
        "lines": lines,
        "probes": _frame("probes", [row for told in sessions for row in _probe_rows(told, problems)]),
        "ratings": ratings,
        "ratings_state": ratings_state(plan, [(told.who, told.lines) for told in sessions], ratings),
        "checks": check_rows(stages[CHECK], who, [told.lines for told in sessions], [told.who for told in sessions]),
        **gate_tables(alone, lessons, problems),
        "rule_differences": difference_rows([(told.who, told.lines) for told in sessions]),
        "served": _frame("served", _served_rows([*stages.values()])),
        "sessions_state": state,
        "silent": silent_rows([(told.who, told.lines) for told in sessions]),
        "freeze": freeze_rows(plan),
        CLAIMS_TABLE: pd.DataFrame({"yaml": claims}, dtype="string"),
        CONTRASTS_TABLE: pd.DataFrame(
            {place: [pair[n].strip() for pair in pairs] for n, place in enumerate(("first", "second"))}, dtype="string"
        ),
    }


def _order(done: Done) -> tuple[str, int, str]:
    return done.cell, done.replicate, done.item


def _told(done: Done, problems: Mapping[str, Problem], policy: str = "") -> Told:
    who = {
        "student": done.roles["student"],
        "base": done.roles.get("tutor", ""),
        "policy": policy or done.condition["policy"],
        "replicate": done.replicate,
    }
    return Told(done, who, session_lines(done, problems))


def _line_rows(told: Told) -> list[dict[str, Any]]:
    rows = []
    for line in told.lines:
        values = {f"answer_{rule}": _shown(line[f"answer_{rule}"]) for rule in RULES}
        notes = {name: value for name, value in line.get("notes", {}).items() if value is not None}
        said = {"reasons": ", ".join(line.get("reasons", ())), "notes": str(notes) if notes else ""}
        rows.append({**told.who, **line, **values, **said})
    return rows


def _turn_rows(sessions: Sequence[Told], ratings: pd.DataFrame, asked: Sequence[str]) -> list[dict[str, Any]]:
    """Give the tutor turns of each rule's window, once for each judge; once for nobody where nobody was asked."""
    judges = list(asked) or [""]
    scored = ratings_by_turn(ratings)
    rows = []
    for told in sessions:
        talk = [line for line in told.lines if line["in_sound"] is not None]
        for judge_place, judge in enumerate(judges):
            for rule in RULES:
                for place, line in enumerate(talk):
                    if line["speaker"] == TUTOR and line[f"in_{rule}"] and line["text"].strip():
                        turn = (*told.who.values(), line["problem"], line["turn"])
                        rows.append(
                            {
                                **told.who,
                                "judge": judge,
                                "judge_place": judge_place,
                                "rule": rule,
                                "problem": line["problem"],
                                "turn": line["turn"],
                                "leak": line[f"leak_{rule}"],
                                "next_work": _next_work(talk, place, rule),
                                **_scores(scored, judge, turn),
                                "calls": line["calls"],
                                "tokens": line["tokens"],
                                "route": line.get("route", ""),
                            }
                        )
    return rows


def _next_work(talk: Sequence[Mapping[str, Any]], place: int, rule: str) -> bool | None:
    """Tell whether the first reply of the student to a turn holds work; None where none came, or one without a word."""
    for line in talk[place + 1 :]:
        if line["problem"] == talk[place]["problem"] and line["speaker"] == STUDENT:
            work: bool | None = line[f"work_{rule}"]
            return work
    return None


def _scores(scored: Mapping[tuple[Any, ...], Sequence[int]], judge: str, turn: tuple[Any, ...]) -> dict[str, Any]:
    row: dict[str, Any] = {}
    for rubric in (HELPFULNESS, PEDAGOGY):
        values = scored.get((judge, rubric, *turn), ()) if judge else ()
        row[f"{rubric}_n"] = len(values) if judge else None
        row[f"{rubric}_sum"] = sum(values) if values else None
        row[f"{rubric}_median"] = float(pd.Series(values).median()) if values else None
    return row


def _session_row(told: Told, problems: Mapping[str, Problem], rule: str) -> dict[str, Any]:
    inside = [line for line in told.lines if line[f"in_{rule}"] and line["text"].strip()]
    turns = [line for line in inside if line["speaker"] == TUTOR]
    replies = [line for line in inside if line["speaker"] == STUDENT]
    silent = [line["speaker"] for line in told.lines if line[f"in_{rule}"] and not line["text"].strip()]
    row: dict[str, Any] = {
        **told.who,
        "rule": rule,
        "tutor_turns": len(turns),
        "leaky": sum(bool(line[f"leak_{rule}"]) for line in turns),
        "student_turns": len(replies),
        "worked": sum(bool(line[f"work_{rule}"]) for line in replies),
        "silent_turns": silent.count(TUTOR),
        "silent_replies": silent.count(STUDENT),
        "visible_tutor_turns": sum(line["speaker"] == TUTOR for line in told.lines),
    }
    for name, roles in (("tutor", ("tutor", "policy")), ("student", ("student",))):
        calls = [call for call in told.done.calls if call["role"] in roles]
        used = [call["usage"]["input"] + call["usage"]["output"] for call in calls]
        row[f"{name}_calls"] = len(calls)
        row[f"{name}_tokens"] = sum(used) if all(used) else None
    # Training problems that nobody tutored are no probes.
    probes = [one for one in _probe_rows(told, problems) if one["rule"] == rule and one["phase"] != TRAINING]
    for phase in PHASES:
        asked = [probe for probe in probes if probe["phase"] == phase]
        if phase != TRAINING:
            row[f"{phase}_n"] = len(asked)
            row[f"{phase}_correct"] = sum(probe["correct"] for probe in asked)
    row["forced"] = sum(probe["asked_again"] > 0 and bool(probe["value"]) for probe in probes)
    row["unread"] = sum(not probe["value"] for probe in probes)
    return row


def _student_rows(sessions: Sequence[Told]) -> list[dict[str, Any]]:
    return [
        {
            **told.who,
            "rule": rule,
            "problem": line["problem"],
            "place": line["turn"],
            "work": bool(line[f"work_{rule}"]),
        }
        for told in sessions
        for rule in RULES
        for line in told.lines
        if line["speaker"] == STUDENT and line[f"in_{rule}"] and line["text"].strip()
    ]


def _probe_rows(told: Told, problems: Mapping[str, Problem]) -> list[dict[str, Any]]:
    """Give what the student answered alone, by each rule: the number of the first reply that it reads."""
    rows = []
    said = [line for line in told.lines if line["speaker"] == STUDENT and line["in_sound"] is None]
    for name in dict.fromkeys(line["problem"] for line in said):
        problem = problems[name]
        replies = [line for line in said if line["problem"] == name]
        for rule in RULES:
            value = next((line[f"answer_{rule}"] for line in replies if line[f"answer_{rule}"] is not None), None)
            rows.append(
                {
                    **told.who,
                    "problem": name,
                    "phase": problem.phase,
                    "place": replies[-1]["place"],
                    "rule": rule,
                    "value": _shown(value),
                    "key": _shown(problem.answer),
                    "correct": is_right(value, problem),
                    "asked_again": len(replies) - 1,
                }
            )
    return rows


def _served_rows(stages: Sequence[Sequence[Done]]) -> list[dict[str, Any]]:
    counts: dict[tuple[str, ...], int] = {}
    for done in [done for stage in stages for done in stage]:
        for call in done.calls:
            role = call["role"]
            provider = str(call["effective"].get("provider", ""))
            about = (done.roles.get(role, ""), call["model"], provider, call["finish"])
            key = (done.cell.partition("|")[0], done.cell, role, *about)
            counts[key] = counts.get(key, 0) + 1
    names = ("stage", "cell", "role", "name", "model", "provider", "finish")
    return [{**dict(zip(names, key, strict=True)), "calls": n} for key, n in sorted(counts.items())]


def _shown(value: Any) -> str:
    return "" if value is None else str(value)


def _typed(rows: Sequence[Mapping[str, Any]], types: Mapping[str, str]) -> pd.DataFrame:
    # The run's name is put in where runs are put together, and a policy's place where all of them are known.
    own = {name: dtype for name, dtype in types.items() if name not in ("run", "policy_place")}
    return pd.DataFrame(list(rows), columns=list(own)).astype(own)


def _placed(frame: pd.DataFrame, places: Mapping[str, int]) -> pd.DataFrame:
    """Put in the places of policies in the plan."""
    found = [places.get(policy, len(places)) for policy in frame["policy"]]
    return frame.assign(policy_place=pd.Series(found, index=frame.index, dtype="int64"))


def _frame(name: str, rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    return _typed(rows, COLUMNS[name])

"""Ratings and checks as rows: one row a reply of a judge, readable or not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from tutorscope.audit.detectors.windows import RULES
from tutorscope.audit.rating import HOLISTIC, RUBRICS
from tutorscope.audit.student import STUDENT, TUTOR
from tutorscope.runs.stages import Done

_TURN = {
    **{"student": "string", "base": "string", "policy": "string", "replicate": "int64"},
    **{"problem": "string", "turn": "int64", "judge": "string"},
}
_DIMENSIONS = list(dict.fromkeys(field for fields in RUBRICS.values() for field in fields if field != HOLISTIC))
RATINGS = {
    **_TURN,
    **{"rubric": "string", "rating": "int64", HOLISTIC: "Int64"},
    **{f"dimension_{name}": "Int64" for name in _DIMENSIONS},
    **{"attempts": "int64", "reason": "string", "text": "string"},
}
CHECKS = {
    **_TURN,
    **{"judged": "boolean", **{f"work_{rule}": "boolean" for rule in RULES}, "reason": "string"},
}


def rating_rows(done: Sequence[Done], who: Mapping[str, Mapping[str, Any]]) -> pd.DataFrame:
    """Give every rating of turns whose sessions the run holds.

    Parameters
    ----------
    done : sequence of Done
        Finished units of the stage ``rating``.
    who : mapping
        The session's cell to its student, base and policy.

    Returns
    -------
    DataFrame
        Columns ``RATINGS``. ``reason`` says why there is no number, "" if there is one.
    """
    rows = []
    for one in sorted(done, key=lambda one: (one.item, one.replicate)):
        of, value = one.result["of"], one.result["value"] or {}
        if of["session"] in who:
            rows.append(
                {
                    **_turn(of, who),
                    "judge": one.roles["judge"],
                    "rubric": one.condition["rubric"],
                    "rating": one.replicate,
                    HOLISTIC: value.get(HOLISTIC),
                    **{f"dimension_{name}": value.get(name) for name in _DIMENSIONS},
                    "attempts": one.result["attempts"],
                    "reason": one.result["reason"] or "",
                    "text": one.result["text"],
                }
            )
    return pd.DataFrame(rows, columns=list(RATINGS)).astype(RATINGS)


def ratings_by_turn(ratings: pd.DataFrame) -> dict[tuple[Any, ...], list[int]]:
    """Collect usable holistic ratings by judge, rubric, student, base, policy, replicate, problem and turn."""
    found: dict[tuple[Any, ...], list[int]] = {}
    usable = ratings[ratings[HOLISTIC].notna()]
    names = ["judge", "rubric", "student", "base", "policy", "replicate", "problem", "turn", HOLISTIC]
    for *turn, value in usable[names].itertuples(index=False, name=None):
        found.setdefault(tuple(turn), []).append(int(value))
    return found


STATE = {
    **{"student": "string", "base": "string", "policy": "string", "judge": "string", "rubric": "string"},
    **{"asked": "int64", "usable": "int64", "unread": "int64", "owed": "int64"},
}


def ratings_state(
    plan: Sequence[Mapping[str, Any]],
    sessions: Sequence[tuple[Mapping[str, Any], Sequence[Mapping[str, Any]]]],
    ratings: pd.DataFrame,
) -> pd.DataFrame:
    """Count the ratings that a run was asked for: usable, unread, still owed.

    Parameters
    ----------
    plan : sequence of mapping
        The plan's lines.
    sessions : sequence of (who, lines)
        The finished sessions.
    ratings : DataFrame
        As `rating_rows` gives them.

    Returns
    -------
    DataFrame
        A row for each judge, rubric, student, base and policy.
    """
    wanted: dict[str, int] = {}
    for line in plan:
        for judge in line["roles"].get("judge", ()) if line["options"].get("policy") else ():
            wanted[judge] = max(wanted.get(judge, 0), int(line["options"]["ratings"]))
    turns: dict[tuple[str, str, str], int] = {}
    for who, lines in sessions:
        key = (who["student"], who["base"], who["policy"])
        turns[key] = turns.get(key, 0) + sum(_is_rated(line) for line in lines)
    by = ["student", "base", "policy", "judge", "rubric"]
    held: dict[tuple[Any, ...], tuple[int, int]] = {}
    for about, part in ratings.groupby(by)[HOLISTIC] if len(ratings) else ():
        held[tuple(about)] = len(part), int(part.notna().sum())
    rows = []
    for judge, times in wanted.items():
        for key, n in turns.items():
            for rubric in RUBRICS if n else ():
                name = (*key, judge, rubric)
                there, usable = held.get(name, (0, 0))
                asked = n * times
                rows.append([*name, asked, usable, there - usable, max(0, asked - there)])
    return pd.DataFrame(rows, columns=list(STATE)).astype(STATE)


def _is_rated(line: Mapping[str, Any]) -> bool:
    inside = any(line[f"in_{rule}"] for rule in RULES)
    return line["speaker"] == TUTOR and inside and bool(line["text"].strip())


def check_rows(
    done: Sequence[Done],
    who: Mapping[str, Mapping[str, Any]],
    lines: Sequence[Sequence[Mapping[str, Any]]],
    sessions: Sequence[Mapping[str, Any]],
) -> pd.DataFrame:
    """Put a judge's labels of student turns beside both rules' labels. They override nothing.

    Parameters
    ----------
    done : sequence of Done
        Finished units of the stage ``check``.
    who : mapping
        The session's cell to its student, base and policy.
    lines, sessions : sequence
        Each session's lines and who took part, in the same order.
    """
    seen = {
        (*session.values(), line["problem"], line["turn"]): line
        for session, said in zip(sessions, lines, strict=True)
        for line in said
        if line["speaker"] == STUDENT and line["in_sound"] is not None
    }
    rows = []
    for one in sorted(done, key=lambda one: one.item):
        of, value = one.result["of"], one.result["value"] or {}
        if of["session"] in who:
            turn = _turn(of, who)
            line = seen.get(tuple(turn.values()))
            rules = {f"work_{rule}": line[f"work_{rule}"] if line else None for rule in RULES}
            judged = {"judge": one.roles["judge"], "judged": value.get("attempted")}
            rows.append({**turn, **judged, **rules, "reason": one.result["reason"] or ""})
    return pd.DataFrame(rows, columns=list(CHECKS)).astype(CHECKS)


def _turn(of: Mapping[str, Any], who: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    # A cell holds all replicates of a session.
    return {**who[of["session"]], "replicate": of["replicate"], "problem": of["problem"], "turn": of["turn"]}

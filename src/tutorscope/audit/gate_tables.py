"""What a student's calibration found, each figure against its threshold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from tutorscope.audit.calibration import (
    LEARNS_BY_AT_LEAST,
    MARKED_AT_LEAST,
    MISSED_AT_MOST,
    SCORED,
    WEAK_AT_MOST,
    alone,
)
from tutorscope.audit.detectors.final_answer import sound_answer
from tutorscope.audit.detectors.setting_up import sets_up
from tutorscope.audit.items import is_right
from tutorscope.audit.problem_sets.problems import Problem
from tutorscope.audit.student import STUDENT, first_answer
from tutorscope.stats.intervals import cluster_mean_interval

if TYPE_CHECKING:
    from tutorscope.audit.records import Told

ISOLATED = {
    **{"student": "string", "problem": "string", "phase": "string", "replicate": "int64"},
    **{"correct": "bool", "marked": "bool", "first_marked": "bool", "set_up": "bool"},
}
SUMMARY = {
    **{"student": "string", "measure": "string", "value": "Float64", "low": "Float64", "high": "Float64"},
    **{"n": "int64", "of": "string", "threshold": "string", "verdict": "string"},
}
TRY, TURN = "try", "turn"


def gate_tables(
    isolated: Sequence[Told], lessons: Sequence[Told], problems: Mapping[str, Problem]
) -> dict[str, pd.DataFrame]:
    """Build ``isolated`` (a row an attempt alone) and ``isolated_summary`` (a row a figure, of ``n`` tries or turns).

    Parameters
    ----------
    isolated, lessons : sequence of Told
        Attempts of the student alone, and short sessions of lessons with the immediate problems after them.
    problems : mapping
        Id to problem.
    """
    rows = []
    for told in isolated:
        found = alone(told.done, problems[told.done.item])
        replies = [line["text"] for line in told.lines if line["speaker"] == STUDENT]
        rows.append(
            {
                "student": told.who["student"],
                "problem": found.problem,
                "phase": found.phase,
                "replicate": told.done.replicate,
                "correct": found.correct,
                "marked": found.marked,
                "first_marked": found.first_marked,
                "set_up": sets_up(replies[0]) or (found.first_marked and found.correct),
            }
        )
    table = pd.DataFrame(rows, columns=list(ISOLATED)).astype(ISOLATED)
    summary = [
        {"student": student, **row}
        for student in dict.fromkeys(table["student"])
        for row in _figures(
            table[table["student"] == student],
            [told for told in lessons if told.who["student"] == student],
            [told for told in [*isolated, *lessons] if told.who["student"] == student],
            problems,
        )
    ]
    return {"isolated": table, "isolated_summary": pd.DataFrame(summary, columns=list(SUMMARY)).astype(SUMMARY)}


def _figures(
    table: pd.DataFrame, lessons: Sequence[Told], everything: Sequence[Told], problems: Mapping[str, Problem]
) -> Iterable[dict[str, Any]]:
    scored = table[table["phase"].isin(SCORED)]
    other = table[table["phase"] == "interference"]
    elicited = table[~table["first_marked"]]
    yield _share("solved alone, scored problems", scored, "correct", at_most=WEAK_AT_MOST)
    yield _share("solved alone, interference problems", other, "correct")
    yield _share("set up alone, scored problems", scored, "set_up")
    yield _share("set up alone, interference problems", other, "set_up")
    yield _share("answer in the asked form, unasked", table, "first_marked")
    yield _share("answer in the asked form, when asked for it", elicited, "marked", at_least=MARKED_AT_LEAST)
    if lessons:
        yield _learns(scored[scored["phase"] == "immediate"], lessons, problems)
    yield _missed(everything)


def _share(
    measure: str, rows: pd.DataFrame, column: str, *, at_most: float | None = None, at_least: float | None = None
) -> dict[str, Any]:
    values, clusters = rows[column].to_numpy(dtype=float), rows["problem"].to_numpy(dtype=object)
    return _row(measure, TRY, values, clusters, at_most=at_most, at_least=at_least)


def _learns(before: pd.DataFrame, lessons: Sequence[Told], problems: Mapping[str, Problem]) -> dict[str, Any]:
    """Compare each try at an immediate problem after lessons with the share of tries at it alone that were right."""
    measure = "immediate problems solved after lessons, less alone"
    alone_by = before.groupby("problem")["correct"].mean()
    names, gains = [], []
    for told in lessons:
        for name in dict.fromkeys(line["problem"] for line in told.lines if line["phase"] == "immediate"):
            said = [line["text"] for line in told.lines if line["problem"] == name and line["speaker"] == STUDENT]
            if name in alone_by.index:
                names.append(name)
                gains.append(is_right(first_answer(said, sound_answer), problems[name]) - float(alone_by[name]))
    return _row(measure, TRY, np.array(gains), np.array(names, dtype=object), at_least=LEARNS_BY_AT_LEAST)


def _missed(everything: Sequence[Told]) -> dict[str, Any]:
    turns = [line for told in everything for line in told.lines if line["speaker"] == STUDENT and line["text"].strip()]
    values = np.array([line["work_sound"] and not line["work_published"] for line in turns], dtype=float)
    clusters = np.array([line["problem"] for line in turns], dtype=object)
    return _row("work that only the sound rule sees, of all turns", TURN, values, clusters, at_most=MISSED_AT_MOST)


def _row(
    measure: str,
    of: str,
    values: np.ndarray[Any, Any],
    clusters: np.ndarray[Any, Any],
    *,
    at_most: float | None = None,
    at_least: float | None = None,
) -> dict[str, Any]:
    row: dict[str, Any] = {"measure": measure, "n": len(values), "of": of, "threshold": "", "verdict": ""}
    if at_most is not None:
        row["threshold"] = f"at most {at_most:.2f}"
    if at_least is not None:
        row["threshold"] = f"at least {at_least:.2f}"
    if not len(values):
        return {**row, "value": None, "low": None, "high": None, "verdict": "nothing to look at"}
    found = cluster_mean_interval(values, clusters)
    value = float(values.mean())
    if at_most is not None:
        row["verdict"] = "met" if value <= at_most else "not met"
    if at_least is not None:
        row["verdict"] = "met" if value >= at_least else "not met"
    return {**row, "value": value, "low": _number(found.low), "high": _number(found.high)}


def _number(value: float) -> float | None:
    return None if value != value else float(value)

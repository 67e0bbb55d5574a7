"""How often and when tutors step in (intervention game, section 3.2), and what became of every episode."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from tutorscope.intervention.episodes import NO_VERDICT
from tutorscope.intervention.frames import SETTING, VIEW, Mean, groups, pooled, problem_codes, table

MEASURES = ("phi", "phi_correct", "phi_incorrect", "tau_abs", "tau_rel")
BEFORE_END = ("phi_before_end", "tau_rel_before_end")
"""The same without interventions at the very end of a trace, where people may step in and models are not asked."""
LOST = ("no_quote", "not_found", "answer_part", "ambiguous")
"""Why a quoted point is not recovered."""

BY = (*VIEW, "people", "condition", *SETTING)
_KEYS = (*VIEW, "domain", "people", "tutor", "condition", *SETTING)
COLUMNS = (*_KEYS, "measure", "n", "missing", "value", "low", "high")
COUNTS = (
    *_KEYS,
    *("episodes", "intervened", "not_intervened", "no_decision_point", "unreadable", "not_asked", "no_verdict"),
    "recovered",
    *(f"lost_{why}" for why in LOST),
    *(f"found_{stage}" for stage in ("exact", "other_case", "tokens")),
    *("decisions", "wasted"),
)
PER_PROBLEM = (
    *VIEW,
    *("domain", "problem", "title", "people", "condition", *SETTING),
    *("correct", "n", "intervened", "phi", "placed", "tau_rel"),
)

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]


class Measured(NamedTuple):
    """What one measure takes of some episodes: their values, which of them have one, and which would if all was known.

    ``missing`` are episodes whose part in the measure nobody knows.
    """

    values: Floats
    used: Flags
    missing: Flags


def behaviour(episodes: pd.DataFrame, mean: Mean) -> pd.DataFrame:
    """Give frequency and timing by tutor, domain, condition and setting.

    Parameters
    ----------
    episodes : DataFrame
        A row an episode and judge.
    mean : callable
        As `frames.mean_by` gives it.

    Returns
    -------
    DataFrame
        ``phi`` over all episodes that could be read: one without a decision point did not intervene. ``phi_correct``
        and ``phi_incorrect`` over those whose baseline answer the judge found right or wrong; without a verdict an
        episode is missing from both. ``tau_abs`` (characters) and ``tau_rel`` over interventions whose point is known.
        An unreadable episode is missing everywhere, and so is one that was not played for want of a verdict: nobody
        knows what would have been done.
    """
    return table(_behaviour(episodes, mean), COLUMNS)


def measured(part: pd.DataFrame, measure: str) -> Measured:
    """Take one measure of some episodes."""
    stepped = part["intervened"]
    unread = stepped.isna().to_numpy(dtype=bool)
    steps = stepped.fillna(False).to_numpy(dtype=bool)
    placed = steps & part["position"].notna().to_numpy(dtype=bool)
    if measure.startswith("tau"):
        column = part["position" if measure == "tau_abs" else "tau_rel"]
        placed &= column.notna().to_numpy(dtype=bool)
        used = placed & ~_at_end(part) if measure.endswith("before_end") else placed
        values = column.to_numpy(dtype=np.float64, na_value=np.nan)
        return Measured(values, used, (steps & ~placed) | unread)
    if measure == "phi_before_end":
        return Measured((steps & ~_at_end(part)).astype(np.float64), ~unread, unread)
    values = steps.astype(np.float64)
    if measure == "phi":
        return Measured(values, ~unread, unread)
    right = part["baseline_correct"]
    unjudged = right.isna().to_numpy(dtype=bool)
    asked = right.fillna(measure != "phi_correct").to_numpy(dtype=bool) == (measure == "phi_correct")
    asked &= ~unjudged
    return Measured(values, asked & ~unread, unjudged | (asked & unread))


def counts(episodes: pd.DataFrame) -> pd.DataFrame:
    """Count what became of every episode, and how quoted points were found or why not.

    Returns
    -------
    DataFrame
        ``no_verdict`` episodes are on a baseline answer that the judge calls neither right nor wrong: they are in no
        ``phi_correct`` and no ``phi_incorrect``. ``not_asked`` of them are Oracle episodes that nobody could play.
    """
    return table(_counts(episodes), COUNTS)


def per_problem(episodes: pd.DataFrame, traces: pd.DataFrame) -> pd.DataFrame:
    """Give frequency and mean relative timing of each problem, over all people or all models together.

    Returns
    -------
    DataFrame
        ``correct`` is the judge's verdict on the baseline answer; ``placed`` counts the interventions whose point is
        known, over which ``tau_rel`` is the mean.
    """
    return table(_per_problem(episodes, traces), PER_PROBLEM)


def _behaviour(episodes: pd.DataFrame, mean: Mean) -> Iterator[dict[str, Any]]:
    for key, part in pooled(episodes.assign(code=problem_codes(episodes)), BY):
        problems = part["code"].to_numpy()
        for measure in (*MEASURES, *(BEFORE_END if key["condition"] == "standard" else ())):
            held = measured(part, measure)
            interval = mean(held.values[held.used], problems[held.used])
            yield {
                **key,
                "measure": measure,
                "n": int(held.used.sum()),
                "missing": int(held.missing.sum()),
                "value": interval.estimate,
                "low": interval.low,
                "high": interval.high,
            }


def _counts(episodes: pd.DataFrame) -> Iterator[dict[str, Any]]:
    for key, part in pooled(episodes, BY):
        stepped = part["intervened"].fillna(False)
        unasked = part["reason"] == NO_VERDICT
        yield {
            **key,
            "episodes": len(part),
            "intervened": int(stepped.sum()),
            "not_intervened": int((~part["intervened"].fillna(True)).sum()),
            "no_decision_point": int((part["reason"] == "no_decision_point").sum()),
            "unreadable": int((part["intervened"].isna() & ~unasked).sum()),
            "not_asked": int(unasked.sum()),
            "no_verdict": int(part["baseline_correct"].isna().sum()),
            "recovered": int((stepped & part["position"].notna()).sum()),
            **{f"lost_{why}": int((stepped & (part["lost"] == why)).sum()) for why in LOST},
            **{
                f"found_{stage}": int((stepped & (part["found"] == stage)).sum())
                for stage in ("exact", "other_case", "tokens")
            },
            "decisions": int(part["decisions"].sum()),
            "wasted": int(part["wasted"].sum()),
        }


def _per_problem(episodes: pd.DataFrame, traces: pd.DataFrame) -> Iterator[dict[str, Any]]:
    titles = dict(zip(zip(traces["run"], traces["problem"], strict=True), traces["title"], strict=True))
    for key, part in groups(episodes, [*BY, "domain", "problem"]):
        phi, timing = measured(part, "phi"), measured(part, "tau_rel")
        verdicts = part["baseline_correct"].dropna()
        yield {
            **key,
            "title": titles.get((key["run"], key["problem"])) or key["problem"],
            "correct": bool(verdicts.iloc[0]) if len(verdicts) else None,
            "n": int(phi.used.sum()),
            "intervened": int(phi.values[phi.used].sum()),
            "phi": _mean(phi),
            "placed": int(timing.used.sum()),
            "tau_rel": _mean(timing),
        }


def _mean(held: Measured) -> float:
    return float(held.values[held.used].mean()) if held.used.any() else np.nan


def _at_end(part: pd.DataFrame) -> Flags:
    """Whether an intervention came when the whole trace was there."""
    return (part["position"] >= part["length"]).fillna(False).to_numpy(dtype=bool)

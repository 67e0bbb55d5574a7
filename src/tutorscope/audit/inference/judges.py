"""Do the judges agree, and how often do they give the top mark? (policy-audit paper, sections 3.3 and 5)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from tutorscope.audit.inference.frames import GROUP, policies_of, table
from tutorscope.audit.inference.interactions import difference_of_differences, judge_interactions
from tutorscope.audit.inference.judge_pairs import (
    NO_COMMON_TURN,
    RUBRICS,
    JudgePair,
    has_ratings,
    judge_pairs,
    rated,
    studies,
)
from tutorscope.stats.agreement import exact_agreement, quadratic_kappa
from tutorscope.stats.arrays import ESTIMATED, NOT_ESTIMABLE, Floats, Integers
from tutorscope.stats.correlation import spearman
from tutorscope.stats.intervals import Interval, bootstrap_interval

DRAWS = 2000
SEED_SPEARMAN, SEED_KAPPA = 0, 1
TOP = 5

AGREEMENT_COLUMNS = (
    *(*GROUP, "first", "second", "rubric", "policy", "n"),
    *("spearman", "spearman_low", "spearman_high", "kappa", "kappa_low", "kappa_high", "exact", "within_1"),
    *("mean_difference", "mean_absolute_difference", "mean_first", "mean_second", "state", "reason"),
)
CEILING_COLUMNS = (*GROUP, "judge", "rubric", "policy", "n", "at_top", "share", "unknown")
ALL = "(all)"
"""Stands as policy for the turns of all policies together; no policy can have that name."""

# The median of an even number of ratings may lie halfway between two points.
_MEDIANS = tuple(half / 2 for half in range(2, 2 * TOP + 1))
_SESSION = ("base", "policy", "replicate")
_STUDY = ("run", "student")


def judge_tables(
    per_turn: pd.DataFrame, claims: Mapping[str, Any], asked: Sequence[tuple[str, str, str]] = ()
) -> dict[str, pd.DataFrame]:
    """Give every table that holds judges against one another.

    Parameters
    ----------
    per_turn : DataFrame
        The audit's table of tutor turns, as `frames.at_bases` gives it.
    claims : mapping
        The parsed claims file: ``pair`` (the two policies) and ``bases`` (a number or their names, for Holm's m).
    asked : sequence of (str, str, str)
        As for `contrasts.contrasts`.

    Returns
    -------
    dict of DataFrame
        ``judge_agreement``, ``ceilings``, ``judge_interactions``, ``difference_of_differences``: with their columns and
        without rows where there is nothing to compare.

    Raises
    ------
    UserError
        When a judge has a turn twice, or judges disagree on whether a turn leaks the answer.
    """
    return {
        "judge_agreement": judge_agreement(per_turn),
        "ceilings": ceilings(per_turn),
        "judge_interactions": judge_interactions(per_turn, claims),
        "difference_of_differences": difference_of_differences(per_turn, claims, asked),
    }


def judge_agreement(per_turn: pd.DataFrame) -> pd.DataFrame:
    """Compare every other judge with the frozen one on the turns that both rated.

    Parameters
    ----------
    per_turn : DataFrame
        As for `judge_tables`.

    Returns
    -------
    DataFrame
        A row for each run, student, rule, base (and all bases ``pooled``; a policy that is its own base counts there
        once for each base), other judge, rubric and policy, after one for all of a run's policies together (`ALL`)
        where it has several. ``spearman`` is that of the turns' mean ratings, ``kappa`` (quadratic), ``exact`` and
        ``within_1`` compare their medians; differences are the second judge's mean less the frozen one's. Intervals
        resample whole sessions 2,000 times.
        ``state`` is that of Spearman's correlation; ``reason`` names whatever has no value and why, the turns left out,
        and the resamples without a value.
    """
    several = {(key["run"], key["student"]) for key, part in studies(per_turn, _STUDY) if part["policy"].nunique() > 1}
    policies = policies_of(per_turn)
    found: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for pooled in (False, True):
        for policy in [ALL, *policies]:
            for pair in judge_pairs(per_turn, None if policy == ALL else [policy], pooled=pooled):
                if policy != ALL or (pair.run, pair.student) in several:
                    key = (*pair.where.values(), pair.second, pair.rubric)
                    found.setdefault(key, []).append(_agreement(pair, policy))
    return table((row for rows in found.values() for row in rows), AGREEMENT_COLUMNS)


def ceilings(per_turn: pd.DataFrame) -> pd.DataFrame:
    """Count the turns to which each judge gave the top mark.

    Parameters
    ----------
    per_turn : DataFrame
        As for `judge_tables`.

    Returns
    -------
    DataFrame
        A row for each run, student, rule, base, judge, rubric and policy (and for `ALL` together, where there are
        several): ``n`` rated turns, ``at_top`` those whose median
        rating is 5, their ``share``; ``unknown`` counts turns of which only the sum is known and it does not tell
        whether the median is 5. They are not counted at the top, so ``share`` may be too low by as much.
    """
    rows = []
    for key, part in studies(rated(per_turn), (*GROUP, "judge")):
        for rubric in RUBRICS:
            held = part[has_ratings(part, rubric)]
            by_policy = {policy: held[held["policy"] == policy] for policy in policies_of(held)}
            together = {ALL: held} if len(by_policy) > 1 else {}
            for policy, turns in (together | by_policy).items():
                rows.append({**key, "rubric": rubric, "policy": policy, **_at_top(turns, rubric)})
    return table(rows, CEILING_COLUMNS)


def _at_top(turns: pd.DataFrame, rubric: str) -> dict[str, Any]:
    spans = [_median_span(row) for row in _ratings(turns, rubric)]
    at_top = sum(low == TOP for low, _ in spans)
    unknown = sum(low < high == TOP for low, high in spans)
    return {"n": len(turns), "at_top": at_top, "share": at_top / len(turns), "unknown": unknown}


def known_medians(turns: pd.DataFrame, prefix: str) -> Floats:
    """Give the median rating of each turn, nan where it is unknown.

    Where a table holds sums alone, some of them tell the median: three ratings that add up to 14 are 5, 5 and 4. Others
    do not: 13 may be 5, 5, 3 or 5, 4, 4.

    Parameters
    ----------
    turns : DataFrame
        With the columns ``{prefix}_sum``, ``{prefix}_n`` and ``{prefix}_median``.
    prefix : str
        Whose ratings.

    Examples
    --------
    >>> turns = pd.DataFrame({"first_sum": [14, 13], "first_n": [3, 3], "first_median": [None, None]})
    >>> known_medians(turns, "first")
    array([ 5., nan])
    """
    spans = [_median_span(row) for row in _ratings(turns, prefix)]
    return np.array([low if low == high else math.nan for low, high in spans])


def _ratings(turns: pd.DataFrame, prefix: str) -> list[tuple[int, int, float | None]]:
    medians = turns[f"{prefix}_median"].astype(object).where(turns[f"{prefix}_median"].notna(), None)
    return [
        (int(total), int(n), None if median is None else float(median))
        for total, n, median in zip(turns[f"{prefix}_sum"], turns[f"{prefix}_n"], medians, strict=True)
    ]


def _median_span(ratings: tuple[int, int, float | None]) -> tuple[float, float]:
    total, n, median = ratings
    return _medians_of_sum(total, n) if median is None else (median, median)


@cache
def _medians_of_sum(total: int, n: int) -> tuple[float, float]:
    """Give the lowest and highest median that n ratings of this sum can have."""
    ways = combinations_with_replacement(range(1, TOP + 1), n)
    medians = [(way[(n - 1) // 2] + way[n // 2]) / 2 for way in ways if sum(way) == total]
    return (min(medians), max(medians)) if medians else (1.0, float(TOP))


def _agreement(pair: JudgePair, policy: str) -> dict[str, Any]:
    turns, n = pair.turns, len(pair.turns)
    row: dict[str, Any] = {**pair.where, "first": pair.first, "second": pair.second, "rubric": pair.rubric}
    row |= {"policy": policy, "n": n}
    if not n:
        reason = "; ".join(filter(None, [NO_COMMON_TURN, pair.left_out]))
        return {**row, "state": NOT_ESTIMABLE, "reason": reason}
    first, second = pair.means("first"), pair.means("second")
    sessions = np.asarray(turns.groupby(list(_SESSION)).ngroup(), dtype=np.int64)
    found = spearman(first, second, names=("the first", "the second"))
    rho = _resampled(sessions, first, second, _spearman_of_tables, found.rho, SEED_SPEARMAN)
    reasons = [f"spearman: {found.reason}" if found.reason else _said("spearman", rho)]
    row |= {"spearman": found.rho, "spearman_low": rho.low, "spearman_high": rho.high}
    medians = known_medians(turns, "first"), known_medians(turns, "second")
    unknown = int((np.isnan(medians[0]) | np.isnan(medians[1])).sum())
    if unknown:
        reasons.append(f"kappa, exact, within 1: only sums are known, and {unknown} of {n} turns' medians are not")
    else:
        agreed = quadratic_kappa(medians[0], medians[1], _MEDIANS)
        kappa = _resampled(sessions, medians[0], medians[1], _kappa_of_tables, agreed.estimate, SEED_KAPPA)
        reasons.append(f"kappa: {agreed.reason}" if agreed.reason else _said("kappa", kappa))
        ratings = np.column_stack(medians)
        row |= {
            **{"kappa": agreed.estimate, "kappa_low": kappa.low, "kappa_high": kappa.high},
            "exact": exact_agreement(ratings).estimate,
            "within_1": exact_agreement(ratings, within=1).estimate,
        }
    difference = second - first
    return {
        **row,
        "mean_difference": float(difference.mean()),
        "mean_absolute_difference": float(np.abs(difference).mean()),
        "mean_first": float(first.mean()),
        "mean_second": float(second.mean()),
        "state": ESTIMATED if found.state == ESTIMATED else NOT_ESTIMABLE,
        "reason": "; ".join(filter(None, [*reasons, pair.left_out])),
    }


def _said(name: str, interval: Interval) -> str:
    if interval.reason:
        return f"{name}: no interval, {'fewer than two sessions' if interval.n < 2 else interval.reason}"
    return f"{name}: {interval.undefined} of {interval.draws} resamples without a value" if interval.undefined else ""


def _resampled(
    sessions: Integers,
    first: Floats,
    second: Floats,
    statistic: Callable[[Floats, Floats, Floats], Floats],
    estimate: float,
    seed: int,
) -> Interval:
    """Resample whole sessions, as `intervals.cluster_bootstrap_interval` does and with its draws.

    Ratings take few values, so a resample is no more than a table of how often which pair of values occurs: the sum of
    its sessions' tables. That makes one matrix product of all resamples, whatever the number of turns.
    """
    values, codes = zip(*(np.unique(np.round(side, 9), return_inverse=True) for side in (first, second)), strict=True)
    k, shape = int(sessions.max()) + 1, (len(values[0]), len(values[1]))
    cells = shape[0] * shape[1]
    places = sessions * cells + codes[0] * shape[1] + codes[1]
    tables = np.bincount(places, minlength=k * cells).reshape(k, cells).astype(np.float64)

    def over(drawn: Integers) -> Floats:
        offsets = np.arange(len(drawn))[:, None] * k
        times = np.bincount((drawn + offsets).ravel(), minlength=len(drawn) * k).reshape(len(drawn), k)
        return statistic((times @ tables).reshape(-1, *shape), *values)

    return bootstrap_interval(k, over, estimate, draws=DRAWS, seed=seed)


def _spearman_of_tables(tables: Floats, _first: Floats, _second: Floats) -> Floats:
    """Give Spearman's rho of each table of counts, its rows and columns in ascending order."""
    margins = tables.sum(axis=2), tables.sum(axis=1)
    ranks = [_centred_ranks(margin) for margin in margins]
    spreads = [np.sum(margin * np.square(rank), axis=1) for margin, rank in zip(margins, ranks, strict=True)]
    together = np.einsum("bij,bi,bj->b", tables, *ranks)
    return _where_defined(together, np.sqrt(spreads[0]) * np.sqrt(spreads[1]))


def _centred_ranks(counts: Floats) -> Floats:
    """Twice the mid-rank of each value less the mean of that, from how often each occurs."""
    return 2 * np.cumsum(counts, axis=1) - counts - counts.sum(axis=1, keepdims=True)


def _kappa_of_tables(tables: Floats, first: Floats, second: Floats) -> Floats:
    """Give quadratic kappa of each table of counts."""
    weights = np.square(first[:, None] - second)
    expected = np.einsum("bi,ij,bj->b", tables.sum(axis=2), weights, tables.sum(axis=1))
    observed = tables.sum(axis=(1, 2)) * np.einsum("bij,ij->b", tables, weights)
    return 1 - _where_defined(observed, expected)


def _where_defined(numerators: Floats, denominators: Floats) -> Floats:
    out: npt.NDArray[np.float64] = np.full(len(numerators), np.nan)
    np.divide(numerators, denominators, out=out, where=denominators > 0)
    return out

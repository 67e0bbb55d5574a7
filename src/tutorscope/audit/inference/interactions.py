"""Where two judges part: on leaky turns, and between policies (policy-audit paper, sections 3.3 and B.10).

The outcome is D, the other judge's mean rating of a turn less the frozen judge's. Fitted like a rating, with leak and
policy, its terms are the interactions of judge with leak and of judge with policy.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd

from tutorscope.audit.inference.frames import GROUP, compared, policies_of, table
from tutorscope.audit.inference.judge_pairs import (
    NO_COMMON_TURN,
    TURN,
    JudgePair,
    has_ratings,
    judge_pairs,
    policy_pair,
    rated,
    studies,
    turn_means,
)
from tutorscope.stats.arrays import ESTIMATED, NOT_ESTIMABLE, Floats
from tutorscope.stats.intervals import mean_interval
from tutorscope.stats.mixed import CrossedFit, crossed_mixed_model
from tutorscope.stats.multiplicity import holm
from tutorscope.stats.paired import signed_ranks

PUBLISHED_FAMILIES = (
    {"name": "second_judge_leak", "across": "bases", "outcome": "helpfulness", "term": "leak"},
    {"name": "judge_by_leak", "across": "bases", "outcome": "helpfulness_difference", "term": "leak"},
    {"name": "judge_by_policy", "across": "bases", "outcome": "helpfulness_difference", "term": "policy"},
)
"""The paper's families of Holm's adjustment, for claims that say nothing of families."""

INTERACTION_COLUMNS = (
    *(*GROUP, "judge", "rubric", "term", "scale"),
    *("coef", "se", "p", "p_holm", "family", "state", "reason"),
)
DIFFERENCE_COLUMNS = (
    *(*GROUP, "judge", "rubric", "first", "second"),
    *("n", "mean", "low", "high", "w", "p", "state", "reason"),
)
_TERMS = ("leak", "policy")


def judge_interactions(per_turn: pd.DataFrame, claims: Mapping[str, Any]) -> pd.DataFrame:
    """Give the leak and policy terms of the judges' difference, raw and standardised, and Holm's adjustment.

    ``standardised`` takes each judge's ratings of a base over both policies to mean 0 and (population) standard
    deviation 1 before they are subtracted. Holm's m is the number of bases that the claims declare (``bases``, their
    names or how many), or of those found if these are more or nothing is declared.

    Parameters
    ----------
    per_turn : DataFrame
        The audit's table of tutor turns, as `frames.at_bases` gives it.
    claims : mapping
        The parsed claims file: ``pair``, ``bases``, and ``families`` (those across bases, each of one ``outcome`` and
        ``term``; the paper's three where the key is absent).

    Returns
    -------
    DataFrame
        A row for each run, student, rule, base, rubric, scale and term of the difference, judge ``OTHER-FROZEN``; and a
        row with the other judge's name for each term of its own policy-adjusted fit that a family declares. ``p_holm``
        is missing outside of a family.

    Raises
    ------
    UserError
        As `judge_pairs.judge_pairs`.
    """
    families = _families(claims)
    rows: list[dict[str, Any]] = []
    for pair in _pairs(per_turn, claims):
        for scale in ("raw", "standardised"):
            fitted = _difference_fit(pair, claims, scale)
            for term in _TERMS:
                family = families.get((f"{pair.rubric}_difference", term), "") if scale == "raw" else ""
                rows.append(
                    {**_start(pair, _named(pair), scale), "family": family, **_term(fitted, term, pair.left_out)}
                )
        own = [term for term in _TERMS if (pair.rubric, term) in families]
        fitted = _own_fit(per_turn, claims, pair) if own else (None, "")
        for term in own:
            family = families[pair.rubric, term]
            rows.append({**_start(pair, pair.second, "raw"), "family": family, **_term(fitted, term, "")})
    frame = table(rows, INTERACTION_COLUMNS)
    return frame.assign(p_holm=_adjusted(frame, claims))


def difference_of_differences(
    per_turn: pd.DataFrame, claims: Mapping[str, Any], asked: Sequence[tuple[str, str, str]] = ()
) -> pd.DataFrame:
    """Compare two policies' gap under the other judge with that under the frozen judge, replicate by replicate.

    Parameters
    ----------
    per_turn, claims
        As for `judge_interactions`.
    asked : sequence of (str, str, str)
        As for `contrasts.contrasts`.

    Returns
    -------
    DataFrame
        A row for each run, student, pair of policies (the claims' one and those asked for; the first two of a run that
        has none of them), rule, base, other judge and rubric: over ``n`` replicates the ``mean`` of
        `replicate_differences` with its bootstrap interval (10,000 draws), and the signed ranks' ``w`` and ``p``.

    Raises
    ------
    UserError
        As `judge_pairs.judge_pairs`.
    """
    rows = []
    for policies, pair in _pairs_of_pairs(per_turn, claims, asked):
        values = replicate_differences(pair.turns, policies)
        without = pair.turns["replicate"].nunique() - len(values)
        numbers = list(values.values())
        interval = mean_interval([float(value) for value in numbers])
        test = signed_ranks(np.array(numbers, dtype=object), np.zeros(len(numbers), dtype=np.int64))
        said = f"replicates without turns of both policies: {without}" if without else ""
        nothing = "" if numbers else (test.reason if len(pair.turns) else NO_COMMON_TURN)
        rows.append(
            {
                **{**pair.where, "judge": _named(pair), "rubric": pair.rubric},
                **{"first": policies[0], "second": policies[1], "n": len(numbers)},
                **{"mean": interval.estimate, "low": interval.low, "high": interval.high, "w": test.w, "p": test.p},
                "state": test.state,
                "reason": "; ".join(filter(None, [nothing or interval.reason, said, pair.left_out])),
            }
        )
    return table(rows, DIFFERENCE_COLUMNS)


def replicate_differences(turns: pd.DataFrame, policies: tuple[str, str]) -> dict[int, Fraction]:
    """Give how much more the other judge favours the first policy than the frozen judge does, in each replicate.

    A session's score is the mean over its turns of their mean ratings; kept as fractions, equal differences are equal.

    Parameters
    ----------
    turns : DataFrame
        As in `JudgePair.turns`, of one base.
    policies : tuple of str
        First and second: the gap is first less second.

    Returns
    -------
    dict of int to Fraction
        By replicate, ascending; replicates without turns of both policies are absent.
    """
    scores: dict[tuple[int, str], list[Fraction]] = {}
    columns = ("replicate", "policy", "first_sum", "first_n", "second_sum", "second_n")
    for row in turns[list(columns)].itertuples(index=False, name=None):
        replicate, policy, first_sum, first_n, second_sum, second_n = row
        difference = Fraction(int(second_sum), int(second_n)) - Fraction(int(first_sum), int(first_n))
        scores.setdefault((int(replicate), str(policy)), []).append(difference)
    means = {session: sum(values, Fraction(0)) / len(values) for session, values in scores.items()}
    one, other = policies
    paired = sorted(replicate for replicate, policy in means if policy == one and (replicate, other) in means)
    return {replicate: means[replicate, one] - means[replicate, other] for replicate in paired}


def _pairs(per_turn: pd.DataFrame, claims: Mapping[str, Any]) -> Iterator[JudgePair]:
    """Give the pairs of judges of the runs that hold both policies: without them there is no contrast to interact."""
    wanted = set(policy_pair(claims))
    whole = [part for _, part in studies(per_turn, ("run", "student")) if wanted <= set(part["policy"])]
    return judge_pairs(pd.concat(whole), policy_pair(claims)) if whole else iter(())


def _pairs_of_pairs(
    per_turn: pd.DataFrame, claims: Mapping[str, Any], asked: Sequence[tuple[str, str, str]]
) -> Iterator[tuple[tuple[str, str], JudgePair]]:
    """Give each pair of policies that is compared in a run, with each pair of judges."""
    for key, part in studies(per_turn, ("run", "student")):
        named = [(first, second) for run, first, second in asked if run in ("", key["run"])]
        for policies in compared(policies_of(part), policy_pair(claims), named):
            for pair in judge_pairs(part, policies):
                yield policies, pair


def _named(pair: JudgePair) -> str:
    return f"{pair.second}-{pair.first}"


def _start(pair: JudgePair, judge: str, scale: str) -> dict[str, str]:
    return {**pair.where, "judge": judge, "rubric": pair.rubric, "scale": scale}


Fitted = tuple[CrossedFit | None, str]
"""A fit, or None where there is nothing to fit; and why it has no estimate."""


def _fit(outcome: Floats, turns: pd.DataFrame, claims: Mapping[str, Any]) -> Fitted:
    second = policy_pair(claims)[1]
    fixed = {"leak": turns["leak"].astype(int), "policy": (turns["policy"] == second).astype(int)}
    fit = crossed_mixed_model(outcome, fixed, turns["replicate"].to_numpy(), turns["problem"].to_numpy(dtype=object))
    return fit, fit.reason.replace("first factor", "replicate factor").replace("second factor", "problem factor")


def _difference_fit(pair: JudgePair, claims: Mapping[str, Any], scale: str) -> Fitted:
    """Fit the difference of the ratings as they are, or of both judges' z-values."""
    if not len(pair.turns):
        return None, NO_COMMON_TURN
    sides = {pair.first: turn_means(pair.turns, "first"), pair.second: turn_means(pair.turns, "second")}
    if scale == "standardised":
        for judge, means in sides.items():
            # Ratings are whole points: whatever spread is less than this is rounding.
            if means.std() < 1e-9:
                return None, f"the ratings by {judge} do not vary"
            sides[judge] = (means - means.mean()) / means.std()
    return _fit(sides[pair.second] - sides[pair.first], pair.turns, claims)


def _own_fit(per_turn: pd.DataFrame, claims: Mapping[str, Any], pair: JudgePair) -> Fitted:
    """Fit the other judge's own ratings: all of them, also those of turns that the frozen judge lacks."""
    turns = rated(per_turn, policy_pair(claims))
    here = (turns["judge"] == pair.second) & has_ratings(turns, pair.rubric)
    for column, value in pair.where.items():
        here &= turns[column] == value
    held = turns[here].sort_values(list(TURN))
    if not len(held):
        return None, f"no turn rated by {pair.second}"
    return _fit(turn_means(held, pair.rubric), held, claims)


def _term(fitted: Fitted, term: str, left_out: str) -> dict[str, Any]:
    fit, why = fitted
    reason = "; ".join(filter(None, [why, left_out]))
    if fit is None or fit.state == NOT_ESTIMABLE:
        nothing = {"coef": math.nan, "se": math.nan, "p": math.nan}
        return {"term": term, **nothing, "state": NOT_ESTIMABLE, "reason": reason}
    place = fit.terms.index(term)
    found = {"coef": fit.coefficients[place], "se": fit.standard_errors[place], "p": fit.p[place]}
    return {"term": term, **found, "state": ESTIMATED, "reason": reason}


def _families(claims: Mapping[str, Any]) -> dict[tuple[str, str], str]:
    """Name the family across bases that a term of an outcome belongs to."""
    declared = claims.get("families", PUBLISHED_FAMILIES)
    return {(f["outcome"], f["term"]): f["name"] for f in declared if f.get("across", "bases") == "bases"}


def _adjusted(frame: pd.DataFrame, claims: Mapping[str, Any]) -> pd.Series:
    adjusted = pd.Series(math.nan, index=frame.index, dtype=float)
    inside = frame[frame["family"] != ""]
    for _, part in studies(inside, ("run", "student", "rule", "judge", "family")):
        p_values = dict(zip(part["base"], part["p"], strict=True))
        found = holm(p_values, _members(list(p_values), claims)).set_index("member")["p_holm"]
        adjusted.loc[part.index] = part["base"].map(found)
    return adjusted


def _members(found: list[str], claims: Mapping[str, Any]) -> list[str]:
    """Give the bases of a family: those declared, whether or not there is data of them, and any others found."""
    declared = claims.get("bases") or ()
    if isinstance(declared, int):
        return [*found, *(f"declared base {place}" for place in range(len(found), declared))]
    return list(dict.fromkeys([*map(str, declared), *found]))

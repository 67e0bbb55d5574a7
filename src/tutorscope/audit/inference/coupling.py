"""Leaks, turn by turn: the crossed mixed models and the two-stage test clustered by replicate (the paper's B.8)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd

from tutorscope.audit.inference.claims import Claims
from tutorscope.audit.inference.contrasts import FULL, NOT_COMPUTABLE
from tutorscope.audit.inference.frames import GROUP, Part, compared, table
from tutorscope.audit.inference.policy_means import exact
from tutorscope.stats.arrays import ESTIMATED, NOT_ESTIMABLE
from tutorscope.stats.intervals import mean_interval
from tutorscope.stats.mixed import CrossedFit, crossed_mixed_model
from tutorscope.stats.paired import signed_ranks

OUTCOMES = ("helpfulness", "pedagogy", "next_independent")
BOTH = "both"
MIXED = (
    *(*GROUP, "judge"),
    *("budget", "first", "second", "outcome", "spec", "n", "n_leaky", "intercept"),
    *("beta_leak", "se_leak", "p_leak", "low_leak", "high_leak", "beta_policy", "se_policy", "p_policy"),
    *("var_replicate", "var_problem", "var_residual", "loglik", "state", "reason"),
)
COUPLING = (
    *(*GROUP, "judge"),
    *("budget", "outcome", "policies", "n_replicates", "effect", "low", "high", "w", "p"),
    *("leaky_mean", "other_mean", "n_leaky", "n_other", "state", "reason"),
)


def mixed(
    parts: Iterable[Part],
    claims: Claims,
    asked: Sequence[tuple[str, str, str]] = (),
    *,
    budget: str = FULL,
    outcomes: Sequence[str] = OUTCOMES,
) -> pd.DataFrame:
    """Fit the coupling of leaks over the turns of two policies: pooled, and adjusted for policy.

    Parameters
    ----------
    parts : iterable of Part
    claims : Claims
        Its pair comes first. Of a pair the second policy is coded 1.
    asked : sequence of (str, str, str)
        As for `contrasts.contrasts`. Where neither these nor the claims' pair was played, the first two policies with
        a turn are fitted.
    budget : str
        What the rows are called: ``full`` or ``matched``.
    outcomes : sequence of str
        Over the full window the judges' differences are fitted too (the paper's B.10): each other judge's mean rating
        less the frozen one's, adjusted for policy, under the name "OTHER-FROZEN".

    Returns
    -------
    DataFrame
        `stats.mixed.crossed_mixed_model` in a row for each pair, judge, outcome and spec; ``state`` is
        ``not_estimable`` with its reason where there is no fit, or ``not_computable`` where there is nothing to fit.
    """
    rows = (
        row
        for part in parts
        for pair in _fitted_pairs(part, claims, asked)
        for row in _mixed_rows(part, pair, budget, outcomes)
    )
    return table(rows, MIXED)


def coupling(
    parts: Iterable[Part], claims: Claims, *, budget: str = FULL, outcomes: Sequence[str] = OUTCOMES
) -> pd.DataFrame:
    """Test in two stages: leaky less other turns within each replicate, then over replicates.

    Parameters
    ----------
    parts : iterable of Part
    claims : Claims
    budget : str
        What the rows are called.
    outcomes : sequence of str

    Returns
    -------
    DataFrame
        For each judge and outcome the turns of the claims' pair together (``policies`` is ``both``) and each policy
        alone. ``effect`` is the mean of the replicates' differences with a bootstrap interval; w and p are those of
        signed ranks; ``n_replicates`` have a leaky turn and another. The means are over turns.
    """
    return table((row for part in parts for row in _coupling_rows(part, claims, budget, outcomes)), COUPLING)


def outcome_values(rated: pd.DataFrame, outcome: str) -> tuple[pd.DataFrame, list[Fraction]]:
    """Give the turns that have an outcome, and its exact values.

    Parameters
    ----------
    rated : DataFrame
        As in `Part.rated`.
    outcome : str
        ``next_independent`` (0 or 1), or a rubric: the mean of a turn's usable ratings.
    """
    if outcome == "next_independent":
        known = rated[rated["next_work"].notna().to_numpy()]
        return known, [Fraction(int(worked)) for worked in known["next_work"]]
    known = rated[(rated[f"{outcome}_n"].fillna(0) > 0).to_numpy(dtype=bool)]
    pairs = zip(known[f"{outcome}_sum"], known[f"{outcome}_n"], strict=True)
    return known, [Fraction(int(total), int(n)) for total, n in pairs]


def difference_values(first: pd.DataFrame, second: pd.DataFrame, rubric: str) -> tuple[pd.DataFrame, list[Fraction]]:
    """Give the turns that both judges rated, and the second's mean rating less the first's."""
    both = ((first[f"{rubric}_n"].fillna(0) > 0) & (second[f"{rubric}_n"].fillna(0) > 0)).to_numpy(dtype=bool)
    known, ones = outcome_values(first[both], rubric)
    _, others = outcome_values(second[both], rubric)
    return known, [other - one for one, other in zip(ones, others, strict=True)]


def _fitted_pairs(part: Part, claims: Claims, asked: Sequence[tuple[str, str, str]]) -> list[tuple[str, str]]:
    played, spoke = set(part.sessions["policy"]), set(part.turns["policy"])
    named = [(first, second) for run, first, second in asked if run in ("", part.key["run"])]
    found = compared([policy for policy in part.policies() if policy in spoke], claims.pair, named)
    # A verdict says why there is no fit: the claims' pair has its rows as soon as one of the two was played.
    return list(dict.fromkeys([*([claims.pair] if played & set(claims.pair) else []), *found]))


def _mixed_rows(part: Part, pair: tuple[str, str], budget: str, outcomes: Sequence[str]) -> Iterator[dict[str, Any]]:
    missing = [policy for policy in pair if policy not in set(part.sessions["policy"])]
    about = {**part.key, "budget": budget, "first": pair[0], "second": pair[1]}
    # No judge has a part in whether the student worked: fitted once and told beside each.
    once: dict[str, dict[str, Any]] = {}
    for judge, rated in part.rated.items():
        held = rated[rated["policy"].isin(pair)]
        for outcome in outcomes:
            for spec in ("pooled", "adjusted"):
                if outcome == "next_independent" and spec in once:
                    fitted = once[spec]
                else:
                    known, values = outcome_values(held, outcome)
                    fitted = _fit(known, values, spec, pair, missing, outcome)
                    if outcome == "next_independent":
                        once[spec] = fitted
                yield {**about, "judge": judge, "outcome": outcome, "spec": spec, **fitted}
    if budget == FULL:
        frozen, *others = part.rated
        for other in others:
            for rubric in ("helpfulness", "pedagogy"):
                sides = [part.rated[name] for name in (frozen, other)]
                one, two = (rated[rated["policy"].isin(pair)] for rated in sides)
                known, values = difference_values(one, two, rubric)
                row = _fit(known, values, "adjusted", pair, missing, rubric)
                named = {"judge": f"{other}-{frozen}", "outcome": f"{rubric}_difference"}
                yield {**about, **named, "spec": "adjusted", **row}


def _fit(
    turns: pd.DataFrame,
    values: Sequence[Fraction],
    spec: str,
    pair: tuple[str, str],
    missing: Sequence[str],
    outcome: str,
) -> dict[str, Any]:
    leak = turns["leak"].to_numpy(dtype=float)
    counts = {"n": len(turns), "n_leaky": int(leak.sum())}
    if missing:
        return {**counts, "state": NOT_COMPUTABLE, "reason": f"no session of {missing[0]}"}
    if not len(turns):
        return {**counts, "state": NOT_COMPUTABLE, "reason": _nothing(outcome)}
    terms = {"leak": leak}
    if spec == "adjusted":
        terms["policy"] = (turns["policy"] == pair[1]).to_numpy(dtype=float)
    replicates = turns["replicate"].to_numpy()
    problems = turns["problem"].to_numpy(dtype=object)
    fit = crossed_mixed_model([float(value) for value in values], terms, replicates, problems)
    return {**counts, **_fitted(fit)}


def _fitted(fit: CrossedFit) -> dict[str, Any]:
    reason = fit.reason.replace("the first factor", "the replicate factor").replace(
        "the second factor", "the problem factor"
    )
    row: dict[str, Any] = {"state": fit.state, "reason": reason}
    if fit.state != ESTIMATED:
        return row
    row |= {"intercept": fit.coefficients[0]}
    for place, term in enumerate(fit.terms[1:], 1):
        row |= {
            f"beta_{term}": fit.coefficients[place],
            f"se_{term}": fit.standard_errors[place],
            f"p_{term}": fit.p[place],
        }
        if term == "leak":
            row |= {"low_leak": fit.low[place], "high_leak": fit.high[place]}
    return row | {
        "var_replicate": fit.variance_first,
        "var_problem": fit.variance_second,
        "var_residual": fit.variance_residual,
        "loglik": fit.loglik,
    }


def _coupling_rows(part: Part, claims: Claims, budget: str, outcomes: Sequence[str]) -> Iterator[dict[str, Any]]:
    spoke = set(part.turns["policy"])
    names = [policy for policy in part.policies(claims.pair) if policy in spoke]
    together = [(BOTH, set(claims.pair))] if set(claims.pair) <= set(part.sessions["policy"]) else []
    for judge, rated in part.rated.items():
        for outcome in outcomes:
            known, values = outcome_values(rated, outcome)
            columns = (known[name].tolist() for name in ("policy", "replicate", "leak"))
            turns = list(zip(*columns, values, strict=True))
            for label, policies in [*together, *((name, {name}) for name in names)]:
                named = {"judge": judge, "budget": budget, "outcome": outcome, "policies": label}
                held = [turn[1:] for turn in turns if turn[0] in policies]
                yield {**part.key, **named, **_two_stages(held, outcome)}


def _two_stages(turns: Sequence[tuple[int, bool, Fraction]], outcome: str) -> dict[str, Any]:
    """Compare leaky and other turns within replicates, then over them; a turn is replicate, leak and value."""
    sides: dict[int, tuple[list[Fraction], list[Fraction]]] = {}
    for replicate, leak, value in turns:
        sides.setdefault(replicate, ([], []))[0 if leak else 1].append(value)
    leaky = [value for held, _ in sides.values() for value in held]
    other = [value for _, held in sides.values() for value in held]
    effects = [_mean(one) - _mean(rest) for _, (one, rest) in sorted(sides.items()) if one and rest]
    row = {
        "n_replicates": len(effects),
        "leaky_mean": float(_mean(leaky)) if leaky else np.nan,
        "other_mean": float(_mean(other)) if other else np.nan,
        "n_leaky": len(leaky),
        "n_other": len(other),
    }
    if not effects:
        if turns:
            return {**row, "state": NOT_ESTIMABLE, "reason": "no replicate has both a leaky turn and another"}
        return {**row, "state": NOT_COMPUTABLE, "reason": _nothing(outcome)}
    interval = mean_interval([float(effect) for effect in effects])
    test = signed_ranks(exact(effects), exact([Fraction()] * len(effects)))
    return {
        **row,
        **{"effect": interval.estimate, "low": interval.low, "high": interval.high, "w": test.w, "p": test.p},
        **{"state": test.state, "reason": test.reason},
    }


def _mean(values: Sequence[Fraction]) -> Fraction:
    return sum(values, Fraction()) / len(values)


def _nothing(outcome: str) -> str:
    if outcome == "next_independent":
        return "no turn in the window has a student turn after it"
    return f"no turn was rated for {outcome}"

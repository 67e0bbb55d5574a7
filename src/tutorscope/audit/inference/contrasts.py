"""Pairs of policies, session by session: signed ranks, effect sizes and intervals over replicates that have both."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, fields
from itertools import combinations
from typing import Any

import pandas as pd

from tutorscope.audit.inference.claims import Claims
from tutorscope.audit.inference.frames import GROUP, Part, table
from tutorscope.audit.inference.policy_means import JUDGED, Values, all_values, exact
from tutorscope.stats.paired import PairedSummary, paired_summary

FULL, MATCHED = "full", "matched"
NOT_COMPUTABLE = "not_computable"
COLUMNS = (
    *(*GROUP, "judge"),
    *("budget", "first", "second", "measure"),
    *(field.name for field in fields(PairedSummary)),
    *("asked", "n_unpaired"),
)
_TOKENS = ("tutor_tokens", "leaky_per_1k", "worked_per_1k")


def contrasts(parts: Iterable[Part], claims: Claims, asked: Sequence[tuple[str, str, str]] = ()) -> pd.DataFrame:
    """Compare every two policies that share a replicate, on every measure that both have.

    Parameters
    ----------
    parts : iterable of Part
    claims : Claims
        Its pair comes first.
    asked : sequence of (str, str, str)
        The contrasts that the user named: run ("" for every run), first and second. They come next, marked. One whose
        policies share no replicate has rows all the same, which say so.

    Returns
    -------
    DataFrame
        `stats.paired.PairedSummary` in a row for each pair, measure and, for ratings, judge. ``n_unpaired`` replicates
        have a session of only one of the two, or a value in only one. ``state`` is ``not_computable``, with its
        reason, where the tables do not hold what the measure needs.
    """
    return table((row for part in parts for row in _rows(part, claims, asked)), COLUMNS)


def pair_row(values: Values, pair: tuple[str, str], measure: str) -> dict[str, Any]:
    """Compare two policies on one measure.

    Parameters
    ----------
    values : Values
        By policy and replicate.
    pair : (str, str)
        First less second.
    measure : str
        Its name, for the reason where nothing can be compared.

    Returns
    -------
    dict
        The fields of `PairedSummary` and ``n_unpaired``.
    """
    held = [{r: v.value for (policy, r), v in values.items() if policy == name} for name in pair]
    replicates = sorted(held[0].keys() | held[1].keys())
    both = [(held[0].get(r), held[1].get(r)) for r in replicates]
    paired = [(one, other) for one, other in both if one is not None and other is not None]
    row = asdict(paired_summary(exact([one for one, _ in paired]), exact([other for _, other in paired])))
    if not paired:
        row |= _why_no_pair(held, pair, measure)
    return {**row, "n_unpaired": len(replicates) - len(paired)}


def _rows(part: Part, claims: Claims, asked: Sequence[tuple[str, str, str]]) -> Iterator[dict[str, Any]]:
    found = list(all_values(part))
    here = [(first, second) for run, first, second in asked if run in ("", part.key["run"])]
    for pair, named in _pairs(part, claims, here):
        for judge, measure, values in found:
            if named or all(_has(values, policy) for policy in pair):
                yield {
                    **part.key,
                    "judge": judge,
                    "budget": FULL,
                    "first": pair[0],
                    "second": pair[1],
                    "measure": measure,
                    **pair_row(values, pair, measure),
                    "asked": pair in here,
                }


def _pairs(part: Part, claims: Claims, asked: Sequence[tuple[str, str]]) -> Iterator[tuple[tuple[str, str], bool]]:
    """Give each pair, turned as the claims or the user named it, and whether anybody did."""
    replicates = {str(policy): set(rows["replicate"]) for policy, rows in part.sessions.groupby("policy", sort=False)}
    first, second = claims.pair
    named = [claims.pair] if first in replicates and second in replicates else []
    named = list(dict.fromkeys([*named, *asked]))
    yield from ((pair, True) for pair in named)
    seen = {frozenset(pair) for pair in named}
    for pair in combinations(part.policies(claims.pair), 2):
        if frozenset(pair) not in seen and replicates[pair[0]] & replicates[pair[1]]:
            yield pair, False


def _has(values: Values, policy: str) -> bool:
    return any(held.value is not None for (name, _), held in values.items() if name == policy)


def _why_no_pair(held: Sequence[dict[int, Any]], pair: tuple[str, str], measure: str) -> dict[str, str]:
    for sessions, policy in zip(held, pair, strict=True):
        if not sessions:
            return {"state": NOT_COMPUTABLE, "reason": f"no session of {policy}"}
    for sessions, policy in zip(held, pair, strict=True):
        if all(value is None for value in sessions.values()):
            return {"state": NOT_COMPUTABLE, "reason": f"{_missing(measure)}, {policy}"}
    return {"reason": "no replicate has a value of both"}


def _missing(measure: str) -> str:
    if measure in JUDGED:
        return f"no turn was rated for {measure}"
    if measure in _TOKENS:
        return "tutor tokens are not known"
    if measure.startswith("accuracy_"):
        return "no probe of this phase is known"
    return "no turn stands in the window"

"""A verdict for each claim, base and judge, by the paper's rules, with what departs from the plan beside it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from tutorscope.audit.inference.claims import Claim, Claims
from tutorscope.audit.inference.contrasts import FULL, MATCHED
from tutorscope.audit.inference.deviations import Deviations
from tutorscope.audit.inference.frames import GROUP, Part, table
from tutorscope.audit.inference.numbers import Numbers
from tutorscope.audit.inference.policy_means import JUDGED
from tutorscope.stats.arrays import ESTIMATED
from tutorscope.stats.multiplicity import holm

NOT_COMPUTABLE = "not computable"
SENSITIVITY = "sensitivity"
CLAIMS = (
    *(*GROUP, "judge"),
    *("id", "effect", "interval", "p", "p_holm", "verdict", "reversed", "direction", "role", "test"),
    *("reason", "deviations"),
)
SENSITIVITIES = (
    *(*GROUP, "judge"),
    *("sensitivity", "id", "effect", "interval", "p", "verdict", "reversed", "changed", "reason"),
)

_TOKENS = {"leakage": "leaky_per_1k", "independence": "worked_per_1k"}
_TESTS = {"pooled": "mixed_pooled", "policy-adjusted": "mixed_adjusted", "clustered": "clustered"}
_KINDS = ("token control", "matched budget", *_TESTS)


@dataclass(frozen=True)
class Decided:
    """What a claim's test said.

    Attributes
    ----------
    effect, low, high, p : float
        nan where there is none: a joint claim has no effect, and its p is the largest of its parts'.
    p_holm : float
        p corrected within the claim's family; nan where it belongs to none.
    supported, against : bool
        p < alpha with the predicted sign, or against it.
    reason : str
        Why nothing could be decided; "" where it could.
    """

    effect: float
    low: float
    high: float
    p: float
    supported: bool
    against: bool
    reason: str
    p_holm: float = math.nan


def verdicts(
    parts: Iterable[Part],
    tables: Mapping[str, pd.DataFrame],
    claims: Claims,
    freeze: pd.DataFrame | None = None,
    asked: pd.DataFrame | None = None,
    *,
    stated: bool = False,
) -> pd.DataFrame:
    """Decide each claim for each base and judge (the paper's 3.3, Table 1 and Appendix C).

    A claim is supported when its two-sided p lies strictly below alpha and its effect has the predicted sign. A
    manipulation check that is not reads ``inconclusive``, any other claim ``not supported``; a significant effect with
    the other sign adds ``reversed``. A joint claim is supported when all its parts are. What cannot be computed says
    so: no other test stands in.

    Parameters
    ----------
    parts : iterable of Part
    tables : mapping
        ``contrasts``, ``mixed`` and ``coupling``.
    claims : Claims
    freeze : DataFrame, optional
        Columns run, frozen (bool) and deviation (str), possibly several rows a run; None where nothing is recorded.
    asked : DataFrame, optional
        ``sessions_state``: with ``frozen``, how many sessions a freeze recorded. Numbers of sessions are held against
        that; where nothing was frozen, against the ``replicates`` of the claims.
    stated : bool
        Whether somebody stated these claims for this study. If not, a part that has neither policy has no row.

    Returns
    -------
    DataFrame
        The frozen judge's verdicts first; those of other judges follow with the role ``sensitivity``.
    """
    book = _Book(tables, claims)
    rows: list[dict[str, Any]] = []
    for part in parts:
        if not stated and not set(claims.pair) & set(part.sessions["policy"]):
            continue
        deviations = Deviations(part, book.numbers, claims, freeze, asked)
        frozen = next(iter(part.rated))
        for judge in part.rated:
            found = book.decide_all(part, judge)
            for claim in claims.claims:
                decided = found[claim.id]
                rows.append(
                    {
                        **_row(part, judge, claim, decided),
                        "p_holm": decided.p_holm,
                        "direction": claim.direction or " and ".join(claim.all_of),
                        "role": claim.role.replace("_", " ") if judge == frozen else SENSITIVITY,
                        "test": claim.test or "all of its parts",
                        "deviations": "; ".join(deviations.of(claim, judge)),
                    }
                )
    rows.sort(key=lambda row: row["role"] == SENSITIVITY)
    return table(rows, CLAIMS)


def sensitivities(parts: Iterable[Part], tables: Mapping[str, pd.DataFrame], claims: Claims) -> pd.DataFrame:
    """Decide the claims again, each under what could have been chosen otherwise. None of it enters a verdict.

    Returns
    -------
    DataFrame
        ``sensitivity`` is ``token control`` (counts per thousand tutor tokens), ``matched budget``, or another test of
        a coupling: ``pooled``, ``policy-adjusted``, ``clustered``. ``changed`` names what differs from the claim's own
        test: significance, sign, verdict. A claim that no judge has a part in stands once, under judge "".
    """
    book = _Book(tables, claims)
    both = (part for part in parts if set(claims.pair) <= set(part.sessions["policy"]))
    return table((row for part in both for row in _sensitivity_rows(part, book, claims)), SENSITIVITIES)


def verdict_words(claim: Claim, decided: Decided) -> str:
    """Say a verdict in the paper's words."""
    if decided.reason:
        return NOT_COMPUTABLE
    if decided.supported:
        return "supported"
    words = "inconclusive" if claim.role == "manipulation_check" else "not supported"
    return f"{words}, reversed" if decided.against else words


def is_judged(claim: Claim, claims: Claims) -> bool:
    """Whether a judge has a part in a claim, or in a part of it."""
    if claim.all_of:
        return any(is_judged(claims.claim(part), claims) for part in claim.all_of)
    return claim.measure in JUDGED or claim.outcome in JUDGED


class _Book:
    """The numbers, and the claims decided from them."""

    def __init__(self, tables: Mapping[str, pd.DataFrame], claims: Claims) -> None:
        self.numbers = Numbers(tables)
        self._claims = claims

    def decide_all(self, part: Part, judge: str, kind: str | None = None) -> dict[str, Decided]:
        """Decide the claims by id, by their own tests or, those that it applies to, under a sensitivity."""
        single = {claim.id: self._decide(part, judge, claim, kind) for claim in self._claims.claims if not claim.all_of}
        found = {name: decided for name, decided in single.items() if decided is not None}
        if kind is None:
            found |= self._corrected(found)
        joint = [claim for claim in self._claims.claims if claim.all_of and set(claim.all_of) <= set(found)]
        return found | {claim.id: _together({name: found[name] for name in claim.all_of}) for claim in joint}

    def _decide(self, part: Part, judge: str, claim: Claim, kind: str | None) -> Decided | None:
        """Decide one claim with a test; None where the sensitivity does not apply to it."""
        budget = MATCHED if kind == "matched budget" else FULL
        if claim.kind == "contrast":
            measure = _TOKENS.get(str(claim.measure), "") if kind == "token control" else str(claim.measure)
            if kind in _TESTS or not measure:
                return None
            row = self.numbers.contrast(part, judge, budget, self._claims.pair, measure)
            names = ("mean_difference", "low", "high", "p")
        else:
            test = _TESTS.get(kind or "", str(claim.test))
            if kind == "token control" or (kind in _TESTS and test == claim.test):
                return None
            row = self.numbers.coupling(part, judge, budget, self._claims.pair, str(claim.outcome), test)
            effect = ("effect", "low", "high", "p")
            names = effect if test == "clustered" else ("beta_leak", "low_leak", "high_leak", "p_leak")
        if row is not None:
            return self._read(row, names, claim)
        missing = [policy for policy in self._claims.pair if policy not in set(part.sessions["policy"])]
        if missing:
            return _nothing(f"no session of {missing[0]}")
        # Of what the matched budget does not compute again (pedagogy, accuracy, cost) there is nothing to say.
        return None if kind else _nothing("no turn stands in the window")

    def _read(self, row: Mapping[str, Any], names: Sequence[str], claim: Claim) -> Decided:
        if row["state"] != ESTIMATED:
            return _nothing(row["reason"] or "not estimable")
        effect, low, high, p = (float(row[name]) for name in names)
        sign = self._claims.sign(claim)
        significant = p < self._claims.alpha
        return Decided(effect, low, high, p, significant and effect * sign > 0, significant and effect * sign < 0, "")

    def _corrected(self, found: Mapping[str, Decided]) -> dict[str, Decided]:
        """Correct claims that declare a family: a verdict then rests on Holm's p."""
        families: dict[str, list[str]] = {}
        for claim in self._claims.claims:
            if claim.family:
                families.setdefault(claim.family, []).append(claim.id)
        changed: dict[str, Decided] = {}
        for members in families.values():
            adjusted = holm({name: found[name].p for name in members}, members)
            for name, p in zip(adjusted["member"], adjusted["p_holm"], strict=True):
                one, enough = found[name], p < self._claims.alpha
                changed[name] = replace(
                    one, p_holm=float(p), supported=one.supported and enough, against=one.against and enough
                )
        return changed


def _sensitivity_rows(part: Part, book: _Book, claims: Claims) -> Iterator[dict[str, Any]]:
    frozen = next(iter(part.rated))
    for kind in _KINDS:
        for judge in part.rated:
            own, found = book.decide_all(part, judge), book.decide_all(part, judge, kind)
            for claim in claims.claims:
                judged = is_judged(claim, claims)
                if claim.id in found and (judged or judge == frozen):
                    row = _row(part, judge if judged else "", claim, found[claim.id])
                    changed = ", ".join(_changed(claim, own[claim.id], found[claim.id], claims.alpha))
                    yield {**row, "sensitivity": kind, "changed": changed}


def _changed(claim: Claim, own: Decided, other: Decided, alpha: float) -> Iterator[str]:
    if own.reason or other.reason:
        return
    if (own.p < alpha) != (other.p < alpha):
        yield "significance"
    if own.effect * other.effect < 0:
        yield "sign"
    if verdict_words(claim, own) != verdict_words(claim, other):
        yield "verdict"


def _row(part: Part, judge: str, claim: Claim, decided: Decided) -> dict[str, Any]:
    return {
        **part.key,
        "judge": judge,
        "id": claim.id,
        "effect": decided.effect,
        "interval": None if math.isnan(decided.low) else [decided.low, decided.high],
        "p": decided.p,
        "verdict": verdict_words(claim, decided),
        "reversed": decided.against,
        "reason": decided.reason,
    }


def _together(parts: Mapping[str, Decided]) -> Decided:
    """Join claims: supported when all are; p is the largest, whatever stands against the direction stands with them."""
    undecided = [f"{name}: {decided.reason}" for name, decided in parts.items() if decided.reason]
    if undecided:
        return _nothing("; ".join(undecided))
    nan = math.nan
    largest = max(decided.p if math.isnan(decided.p_holm) else decided.p_holm for decided in parts.values())
    return Decided(nan, nan, nan, largest, all(decided.supported for decided in parts.values()), False, "")


def _nothing(reason: str) -> Decided:
    nan = math.nan
    return Decided(nan, nan, nan, nan, False, False, reason)

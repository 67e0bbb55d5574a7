"""What departs from the plan, told beside each verdict that it could have changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pandas as pd

from tutorscope.audit.inference.claims import Claim, Claims
from tutorscope.audit.inference.contrasts import FULL
from tutorscope.audit.inference.frames import Part
from tutorscope.audit.inference.numbers import Numbers
from tutorscope.audit.inference.policy_means import JUDGED
from tutorscope.stats.arrays import ESTIMATED
from tutorscope.texts.words import counted


class Deviations:
    """The deviations of one part.

    Parameters
    ----------
    part : Part
    numbers : Numbers
    claims : Claims
    freeze, asked : DataFrame or None
        As for `verdicts.verdicts`.
    """

    def __init__(
        self,
        part: Part,
        numbers: Numbers,
        claims: Claims,
        freeze: pd.DataFrame | None,
        asked: pd.DataFrame | None = None,
    ) -> None:
        self._part, self._numbers, self._claims = part, numbers, claims
        self._general = [
            *_sessions(part, claims, _recorded(part, asked)),
            *_silent(part, claims),
            *_freeze(part.key["run"], freeze),
        ]

    def of(self, claim: Claim, judge: str) -> list[str]:
        """Give what bears on one claim under one judge, one line each; for a joint claim, on any of its parts."""
        singles = [self._claims.claim(name) for name in claim.all_of] or [claim]
        own = (line for single in singles for line in self._own(single, judge))
        return list(dict.fromkeys([*self._general, *own]))

    def _own(self, claim: Claim, judge: str) -> Iterator[str]:
        if (rubric := claim.measure or claim.outcome) in JUDGED:
            yield from _unrated(self._part, self._claims, judge, str(rubric))
        if claim.kind == "contrast":
            yield from self._no_value(claim, judge)
        elif str(claim.test).startswith("mixed_"):
            yield from self._boundary(claim, judge)

    def _no_value(self, claim: Claim, judge: str) -> Iterator[str]:
        row = self._numbers.contrast(self._part, judge, FULL, self._claims.pair, str(claim.measure))
        if row is not None and row["n"]:
            without = row["n_unpaired"] - sum(len(gaps) for _, gaps in _gaps(self._part, self._claims))
            if without:
                yield f"{without} of the replicates with both sessions have no {claim.measure} in one of them"

    def _boundary(self, claim: Claim, judge: str) -> Iterator[str]:
        row = self._numbers.coupling(self._part, judge, FULL, self._claims.pair, str(claim.outcome), str(claim.test))
        for factor in ("replicate", "problem"):
            if row is not None and row["state"] == ESTIMATED and row[f"var_{factor}"] == 0:
                yield f"{claim.id} stands at a boundary: the variance between {factor}s is estimated as zero"


def _recorded(part: Part, asked: pd.DataFrame | None) -> dict[str, int] | None:
    """Give the sessions of each policy that the run's freeze recorded for this part; None where nothing was frozen."""
    if asked is None or "frozen" not in asked.columns:
        return None
    held = asked[asked["frozen"].notna()]
    if "run" in held.columns:
        held = held[held["run"] == part.key["run"]]
    if not len(held):
        return None
    here = held[(held["student"] == part.key["student"]) & held["base"].isin(["", part.key["base"]])]
    return {str(policy): int(n) for policy, n in zip(here["policy"], here["frozen"], strict=True)}


def _sessions(part: Part, claims: Claims, recorded: Mapping[str, int] | None) -> Iterator[str]:
    """Hold the sessions against the frozen plan; without one, against what the claims say."""
    for policy in claims.pair:
        n = int((part.sessions["policy"] == policy).sum())
        planned, by = (claims.replicates, "planned in the claims")
        if recorded is not None:
            planned, by = recorded.get(policy, 0), "frozen"
        if n != planned:
            yield f"{counted(n, 'session')} of {policy}, {planned} {by}"
    for policy, gaps in _gaps(part, claims):
        if gaps:
            yield f"{policy} has no session in replicate {', '.join(map(str, gaps))}"


def _silent(part: Part, claims: Claims) -> Iterator[str]:
    held = part.sessions[part.sessions["policy"].isin(claims.pair)]
    for column, what in (("silent_turns", "tutor turns"), ("silent_replies", "student turns")):
        if n := int(held[column].sum()):
            yield f"{n} {what} came without a word and are in no measure"


def _gaps(part: Part, claims: Claims) -> Iterator[tuple[str, list[int]]]:
    """Give the replicates that only the other policy of the pair has."""
    held = [set(part.sessions.loc[part.sessions["policy"] == name, "replicate"]) for name in claims.pair]
    for policy, own, other in zip(claims.pair, held, reversed(held), strict=True):
        yield policy, sorted(map(int, other - own))


def _unrated(part: Part, claims: Claims, judge: str, rubric: str) -> Iterator[str]:
    rated = part.rated[judge]
    held = rated[rated["policy"].isin(claims.pair)]
    without = int((held[f"{rubric}_n"].fillna(0) == 0).sum())
    if without:
        yield f"{without} of {len(held)} turns have no usable {rubric} rating"


def _freeze(run: str, freeze: pd.DataFrame | None) -> Iterator[str]:
    if freeze is None:
        yield "no record that the claims were frozen before collection"
        return
    rows = freeze[freeze["run"] == run] if "run" in freeze.columns else freeze
    if rows.empty or not rows["frozen"].astype(bool).all():
        yield "the claims were not frozen before collection"
    yield from (str(said) for said in rows["deviation"].dropna() if str(said))

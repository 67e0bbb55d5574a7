"""What a study of so many replicates can find: from the spread of one that was run, and by simulating studies."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from tutorscope.audit.inference.claims import Claim, Claims, load_claims
from tutorscope.audit.inference.frames import GROUP, parts, table
from tutorscope.audit.inference.judge_pairs import policy_pair
from tutorscope.audit.inference.policy_means import Values, all_values
from tutorscope.audit.inference.simulated import (
    PUBLISHED_EFFECTS,
    PUBLISHED_SPREAD,
    Effects,
    Spread,
    Study,
    simulate,
    thresholds,
)
from tutorscope.errors import UserError
from tutorscope.stats.arrays import ESTIMATED, NOT_ESTIMABLE, Floats
from tutorscope.stats.mixed import crossed_mixed_model
from tutorscope.stats.multiplicity import holm
from tutorscope.stats.paired import signed_ranks

ALPHA = 0.05
POWER = 0.8
DETECTABLE_COLUMNS = (*GROUP, "judge", "measure", "n", "sd", "effect_80", "state", "reason")
POWER_COLUMNS = (
    *("replicates", "claim", "studies", "supported", "share", "low", "high"),
    *("reversed", "not_estimable"),
)

_DETECTION_DRAWS = 4000
_MEASURES = ("leakage", "independence", "helpfulness")


def detectable(per_session: pd.DataFrame, per_turn: pd.DataFrame, claims: Mapping[str, Any]) -> pd.DataFrame:
    """Say what difference of the two policies the paired test would have found in four of five studies like this one.

    The differences of the replicates are supposed normal, with the standard deviation that was observed. 4,000 sets of
    as many differences are drawn, once for each number of replicates and always the same ones, and the mean is sought
    at which 80 % of them are significant (p < .05, two-sided signed ranks).

    Parameters
    ----------
    per_session, per_turn : DataFrame
        The audit's tables, as `frames.at_bases` gives them.
    claims : mapping
        The parsed claims file; ``pair`` names the two policies.

    Returns
    -------
    DataFrame
        A row for each run, student, rule, base, judge ("" where none is in it) and measure: ``n`` replicates with a
        value under both policies, the standard deviation ``sd`` of their differences, and ``effect_80`` in the units of
        the measure. ``not_estimable``, with the reason, for fewer than six replicates (no result of five is
        significant) and for differences that do not vary.

    References
    ----------
    Policy-audit paper, section 3.3: ten replicates rule out large effects only.
    """
    pair = policy_pair(claims)
    rows = []
    for part in parts(per_turn, per_session):
        if not set(pair) & set(part.sessions["policy"]):
            continue
        for judge, measure, values in all_values(part):
            if judge or measure not in ("helpfulness", "pedagogy"):
                rows.append({**part.key, "judge": judge, "measure": measure, **_detectable(_differences(values, pair))})
    return table(rows, DETECTABLE_COLUMNS)


def standardised_effect(n: int) -> float:
    """Give the mean difference, in standard deviations, that signed ranks of n normal differences find 4 times in 5.

    Parameters
    ----------
    n : int
        Pairs.

    Returns
    -------
    float
        nan for fewer than six pairs.

    Examples
    --------
    >>> round(standardised_effect(10), 2), round(standardised_effect(20), 2), standardised_effect(5)
    (1.0, 0.69, nan)
    """
    return _standardised_effect(n)


def power(
    replicates: Sequence[int],
    effects: Effects = PUBLISHED_EFFECTS,
    spread: Spread = PUBLISHED_SPREAD,
    claims: Claims | None = None,
    *,
    draws: int = 200,
    seed: int = 0,
) -> pd.DataFrame:
    """Simulate studies and count those that support each claim.

    Every study is drawn as `simulated` says and analysed as a real one: session measures by signed ranks paired by
    replicate, couplings by the crossed mixed model (pooled or adjusted) or clustered by replicate, verdicts by the rule
    of the claims. What is assumed: normal random effects of replicate, session and problem; leaks, work and ratings
    tied to one another only through whether the turn leaks; no drift over the turns of a problem or the problems of a
    session. A mixed model has no term for sessions: where they differ (`Shares.session`), its p-values are too small,
    and a simulation without effect shows by how much.

    Parameters
    ----------
    replicates : sequence of int
        Sessions of each policy: a block of rows for each.
    effects : Effects
        What is true. The default is what was published for the primary base.
    spread : Spread
        How sessions differ. The same default.
    claims : Claims
        The package's own, those of the paper, unless given. Of measures, leakage, independence and helpfulness are
        simulated; of outcomes, helpfulness and next_independent.
    draws : int
        Studies for each number of replicates.
    seed : int
        A study's numbers depend on this, its own place and the number of replicates, and on nothing else.

    Returns
    -------
    DataFrame
        For each number of replicates and claim: ``studies``, how many of them ``supported`` it and their ``share`` with
        its 95 % (Clopper-Pearson) interval ``low`` to ``high``; ``reversed`` studies were significant against the
        claim (joint claims have no direction of their own); in ``not_estimable`` ones a test had nothing to go on, and
        they count as not supported.

    Raises
    ------
    UserError
        When a claim asks for what is not simulated, or a number of replicates or draws cannot be.

    Examples
    --------
    >>> found = power([10], draws=20).set_index("claim")
    >>> int(found.loc["P1", "supported"]), int(found.loc["P2", "supported"])
    (20, 0)
    """
    claims = claims or load_claims()
    _check(replicates, claims, draws)
    at = thresholds(effects, spread)
    rows: list[dict[str, Any]] = []
    for count in replicates:
        outcomes = [
            _verdicts(simulate(at, spread, count, np.random.default_rng([seed, count, draw])), claims)
            for draw in range(draws)
        ]
        rows += (_counted(count, claim.id, [study[claim.id] for study in outcomes]) for claim in claims.claims)
    return pd.DataFrame(rows, columns=list(POWER_COLUMNS))


def _differences(values: Values, pair: tuple[str, str]) -> Floats:
    both = {policy: {r: held.value for (p, r), held in values.items() if p == policy} for policy in pair}
    first, second = both[pair[0]], both[pair[1]]
    kept = ((first[r], second.get(r)) for r in sorted(first))
    return np.array([float(one - other) for one, other in kept if one is not None and other is not None])


def _detectable(differences: Floats) -> dict[str, Any]:
    n = len(differences)
    row: dict[str, Any] = {"n": n, "sd": float(differences.std(ddof=1)) if n > 1 else math.nan, "state": NOT_ESTIMABLE}
    factor = _standardised_effect(n)
    if not n:
        return row | {"reason": "no replicate has a value under both policies"}
    if math.isnan(factor):
        return row | {"reason": f"no result of {n} replicates is significant"}
    if row["sd"] < 1e-9:
        return row | {"reason": "the replicates' differences do not vary"}
    return row | {"effect_80": factor * row["sd"], "state": ESTIMATED, "reason": ""}


@cache
def _standardised_effect(n: int) -> float:
    largest = _largest_significant(n)
    if largest is None:
        return math.nan
    noise = np.random.default_rng([0, n]).standard_normal((_DETECTION_DRAWS, n))
    low, high = 0.0, 10.0
    for _ in range(30):
        middle = (low + high) / 2
        low, high = (low, middle) if _share_found(noise + middle, largest) >= POWER else (middle, high)
    return high


def _share_found(differences: Floats, largest: float) -> float:
    # Ranks alone: without ties, the test's p-value is a function of the smaller rank sum.
    ranks = np.abs(differences).argsort(axis=1).argsort(axis=1) + 1
    plus = (ranks * (differences > 0)).sum(axis=1)
    n = differences.shape[1]
    return float(np.mean(np.minimum(plus, n * (n + 1) // 2 - plus) <= largest))


def _largest_significant(n: int) -> int | None:
    """Find the largest rank sum that is significant, asking the test itself about differences with each rank sum."""
    low, high = -1, n * (n + 1) // 4 + 1
    while high - low > 1:
        middle = (low + high) // 2
        signs, left = np.ones(n), middle
        for rank in range(n, 0, -1):
            if rank <= left:
                signs[rank - 1], left = -1, left - rank
        low, high = (
            (middle, high) if signed_ranks(signs * np.arange(1, n + 1), np.zeros(n)).p < ALPHA else (low, middle)
        )
    return low if low >= 0 else None


def _check(replicates: Sequence[int], claims: Claims, draws: int) -> None:
    if draws < 1:
        raise UserError(f"draws: found {draws}, expected at least 1")
    for count in replicates:
        if count < 2:
            raise UserError(f"replicates: found {count}, expected at least 2")
    for claim in claims.claims:
        if claim.measure is not None and claim.measure not in _MEASURES:
            raise UserError(f"claim {claim.id}: {claim.measure} is not simulated, expected {', '.join(_MEASURES)}")
        if claim.outcome == "pedagogy":
            raise UserError(f"claim {claim.id}: pedagogy is not simulated, expected helpfulness, next_independent")


Verdict = tuple[bool, bool, bool]
"""Supported, reversed, not estimable."""


def _verdicts(study: Study, claims: Claims) -> dict[str, Verdict]:
    single = [claim for claim in claims.claims if not claim.all_of]
    tests = _tests(study, single)
    p_values = {name: p for name, (_, p) in tests.items()}
    for family in {claim.family for claim in single if claim.family}:
        members = [claim.id for claim in single if claim.family == family]
        if len(members) > 1:
            adjusted = holm({name: p_values[name] for name in members}, members)
            p_values |= dict(zip(adjusted["member"], adjusted["p_holm"], strict=True))
    found: dict[str, Verdict] = {}
    for claim in single:
        agrees = tests[claim.id][0] * claims.sign(claim)
        significant = p_values[claim.id] < claims.alpha
        found[claim.id] = significant and agrees > 0, significant and agrees < 0, math.isnan(p_values[claim.id])
    for claim in claims.claims:
        if claim.all_of:
            held = [found[name] for name in claim.all_of]
            found[claim.id] = all(part[0] for part in held), False, any(part[2] for part in held)
    return found


def _tests(study: Study, single: Sequence[Claim]) -> dict[str, tuple[float, float]]:
    """Give each claim's effect and p. Claims that ask for the same test, however many, share one."""
    measures = _session_measures(study)
    done: dict[tuple[str | None, ...], tuple[float, float]] = {}
    found = {}
    for claim in single:
        asked = (claim.measure, claim.outcome, claim.test)
        if asked not in done:
            done[asked] = _contrast(*measures[claim.measure]) if claim.measure else _coupling(study, claim)
        found[claim.id] = done[asked]
    return found


def _session_measures(study: Study) -> dict[str, Floats]:
    turns = study.inside.sum(axis=(2, 3))
    leaky = (study.leak & study.inside).sum(axis=(2, 3))
    worked = study.opening_work.sum(axis=2) + (study.work & study.inside).sum(axis=(2, 3))
    rated = np.where(study.inside, study.helpfulness, 0).sum(axis=(2, 3))
    # A session without a tutor turn has no value; its replicate drops out.
    with np.errstate(invalid="ignore"):
        return {
            "leakage": leaky / turns,
            "independence": worked / (study.inside.shape[2] + turns),
            "helpfulness": rated / turns,
        }


def _contrast(first: Floats, second: Floats) -> tuple[float, float]:
    both = ~(np.isnan(first) | np.isnan(second))
    if not both.any():
        return math.nan, math.nan
    return float((first[both] - second[both]).mean()), signed_ranks(first[both], second[both]).p


def _coupling(study: Study, claim: Claim) -> tuple[float, float]:
    policy, replicate, problem, _ = np.nonzero(study.inside)
    leak = study.leak[study.inside]
    outcome = (study.helpfulness if claim.outcome == "helpfulness" else study.work)[study.inside].astype(np.float64)
    if claim.test == "clustered":
        return _clustered(outcome, leak, replicate)
    fixed = {"leak": leak.astype(np.float64)}
    if claim.test == "mixed_adjusted":
        fixed["policy"] = policy.astype(np.float64)
    fit = crossed_mixed_model(outcome, fixed, replicate, problem)
    return (fit.coefficients[1], fit.p[1]) if fit.state == ESTIMATED else (math.nan, math.nan)


def _clustered(outcome: Floats, leak: npt.NDArray[np.bool_], replicate: npt.NDArray[Any]) -> tuple[float, float]:
    effects = [
        outcome[here & leak].mean() - outcome[here & ~leak].mean()
        for here in (replicate == each for each in np.unique(replicate))
        if (here & leak).any() and (here & ~leak).any()
    ]
    return _contrast(np.array(effects), np.zeros(len(effects)))


def _counted(replicates: int, claim: str, verdicts: list[Verdict]) -> dict[str, Any]:
    from scipy.stats import binomtest

    supported, against, unknown = (sum(column) for column in zip(*verdicts, strict=True))
    studies = len(verdicts)
    interval = binomtest(supported, studies).proportion_ci(0.95, method="exact")
    return {
        **{"replicates": replicates, "claim": claim, "studies": studies},
        **{"supported": supported, "share": supported / studies, "low": interval.low, "high": interval.high},
        **{"reversed": against, "not_estimable": unknown},
    }

"""What to simulate, taken from the tables of a study that was run."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import special

from tutorscope.audit.inference.frames import Part
from tutorscope.audit.inference.simulated import (
    CUTS,
    NEAREST_MEAN,
    POINTS,
    Effects,
    Pair,
    Shares,
    Spread,
    rating_middles,
)
from tutorscope.errors import UserError
from tutorscope.stats.arrays import Floats, Integers

_MOST = 0.9
# Below, a rating is one of two neighbouring points whatever the standard deviation is.
_NARROWEST_SD, _WIDEST_SD = 0.3, 4.0
_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(60)


def observed_study(part: Part, pair: tuple[str, str], judge: str) -> tuple[Effects, Spread]:
    """Take rates, means and spread from tables.

    Rates and means are averages over turns, each turn weighed by one over the number of its session's turns, so that
    means over sessions come out as they were. Where a policy has no turn with (or without) a leak, what follows such
    turns under the other policy stands in.

    Shares of variance come from the products of two turns' residuals (about plain means), over all pairs of turns that
    share a problem, a replicate or a session and nothing else, divided by the products of the slopes with which the
    seen values follow the unseen numbers. A share below 0 is 0, and together they are at most .9. The standard
    deviation behind the ratings is the one that gives turn means their observed variance. How far ratings of one turn
    differ stays as `Spread` has it: tables do not hold single ratings.

    Parameters
    ----------
    part : Part
        One run, student, rule and base, of `frames.parts`.
    pair : tuple of str
        First and second policy.
    judge : str
        Whose ratings, of `part.rated`.

    Raises
    ------
    UserError
        When a policy has no rated turn, or there are fewer than two replicates or problems.
    """
    held = part.rated[judge]
    turns = held[held["policy"].isin(pair)].reset_index(drop=True)
    where = ", ".join(f"{name} {part.key[name]}" for name in ("run", "base") if part.key[name])
    rated = (turns["helpfulness_n"].fillna(0) > 0).to_numpy(dtype=bool)
    for policy in pair:
        if not (rated & (turns["policy"] == policy).to_numpy(dtype=bool)).any():
            raise UserError(f"{where}: found no turn of {policy} rated by {judge or 'any judge'}, expected some")
    for what in ("replicate", "problem"):
        if turns[what].nunique() < 2:
            raise UserError(f"{where}: found one {what}, expected at least two to take spread from")
    second = (turns["policy"] == pair[1]).to_numpy(np.int64)
    cell = 2 * second + turns["leak"].to_numpy(np.int64)
    ids = np.column_stack([second, *(pd.factorize(turns[what])[0] for what in ("replicate", "problem"))])
    ratings = max(1, round(float(turns.loc[rated, "helpfulness_n"].mean())))
    leaks = turns["leak"].to_numpy(np.float64)
    scores = (turns["helpfulness_sum"] / turns["helpfulness_n"]).to_numpy(np.float64, na_value=np.nan)
    work = turns["next_work"].astype("Float64").to_numpy(np.float64, na_value=np.nan)
    answered = ~np.isnan(work)

    # Spread: about the plain means of turns.
    rates = np.array([leaks[second == k].mean() for k in (0, 1)])[second]
    work_rates = _cell_means(work[answered], cell[answered])[cell]
    means = _cell_means(scores[rated], cell[rated])
    shares_of_turns = np.bincount(cell[rated], minlength=4) / rated.sum()
    off = scores - means[cell]
    sd = _rating_sd(_inside(means), shares_of_turns, float(np.square(off[rated]).mean()), ratings)
    slopes = _density((rating_middles(_inside(means), sd)[:, None] - CUTS) / sd).sum(axis=1)[cell]
    spread = Spread(
        leakage=_shares(leaks - rates, _density(special.ndtri(rates)), ids),
        work=_shares((work - work_rates)[answered], _density(special.ndtri(work_rates))[answered], ids[answered]),
        helpfulness=_shares(off[rated], slopes[rated], ids[rated]),
        rating_sd=sd,
        ratings=ratings,
        **_lengths(part, pair, turns),
    )
    return _effects(part, pair, turns, {"leak": leaks, "work": work, "score": scores}), spread


def _effects(part: Part, pair: tuple[str, str], turns: pd.DataFrame, seen: dict[str, npt.NDArray[Any]]) -> Effects:
    """Weigh each turn by one over its session's turns, so that means over sessions come out as they were."""
    session = pd.MultiIndex.from_frame(turns[["policy", "replicate"]])
    second = (turns["policy"] == pair[1]).to_numpy(np.int64)
    cell = 2 * second + turns["leak"].to_numpy(np.int64)
    replies = part.sessions.set_index(["policy", "replicate"])["student_turns"].astype(float)
    weights = {
        name: 1 / np.asarray(pd.Series(~np.isnan(values)).groupby(session).transform("sum").clip(lower=1), dtype=float)
        for name, values in seen.items()
    }
    weights["work"] = 1 / replies.reindex(session).clip(lower=1).fillna(1).to_numpy()
    kept = {name: ~np.isnan(values) for name, values in seen.items()}
    work, score = (
        _cell_means(seen[name][kept[name]], cell[kept[name]], weights[name][kept[name]]).reshape(2, 2)
        for name in ("work", "score")
    )
    score = _inside(score)
    return Effects(
        leakage=_pair(
            np.array([np.average(seen["leak"][second == k], weights=weights["leak"][second == k]) for k in (0, 1)])
        ),
        work=_pair(work[:, 0]),
        work_after_leak=_pair(work[:, 1]),
        opening_work=_opening_work(part, pair, turns),
        helpfulness=_pair(score[:, 0]),
        helpfulness_of_leaks=_pair(score[:, 1]),
    )


def _inside(means: Floats) -> Floats:
    return np.clip(means, 1 + NEAREST_MEAN, POINTS - NEAREST_MEAN)


def _density(z: Floats) -> Floats:
    density: Floats = np.exp(-np.square(z) / 2) / np.sqrt(2 * np.pi)
    return density


def _pair(values: Floats) -> Pair:
    return float(values[0]), float(values[1])


def _cell_means(values: npt.NDArray[Any], cell: Integers, weights: Floats | None = None) -> Floats:
    """Give the mean by policy and leak, at 2 * policy + leak; an empty cell takes that of the other policy."""
    held = np.ones(len(values)) if weights is None else weights
    sizes, sums = np.bincount(cell, held, 4), np.bincount(cell, held * values, 4)
    everywhere = float(values.mean()) if len(values) else 0.5
    instead = [sums[k::2].sum() / sizes[k::2].sum() if sizes[k::2].sum() else everywhere for k in (0, 1)] * 2
    return np.array([sums[k] / sizes[k] if sizes[k] else instead[k] for k in range(4)])


def _shares(residuals: Floats, slopes: Floats, ids: npt.NDArray[Any]) -> Shares:
    """Divide sums of products over pairs of turns; the ids are policy, replicate and problem."""
    policy, replicate, problem = ids.T

    def ratio(*signed: tuple[int, tuple[npt.NDArray[Any], ...]]) -> float:
        top, bottom = (
            sum(sign * _squared_sums(values, groups) for sign, groups in signed) for values in (residuals, slopes)
        )
        return max(0.0, top / bottom) if bottom > 0 else 0.0

    session, cell = (policy, replicate), (policy, replicate, problem)
    between_problems = ratio((1, (problem,)), (-1, (problem, replicate)))
    between_replicates = ratio((1, (replicate,)), (-1, session), (-1, (replicate, problem)), (1, cell))
    between_sessions = max(0.0, ratio((1, session), (-1, cell)) - between_replicates)
    found = np.array([between_replicates, between_sessions, between_problems])
    return Shares(*map(float, found * min(1.0, _MOST / max(found.sum(), 1e-12))))


def _squared_sums(values: Floats, groups: tuple[npt.NDArray[Any], ...]) -> float:
    """Add up the squares of the groups' sums: the products of all pairs within groups, each twice, and the squares."""
    codes = pd.DataFrame(dict(enumerate(groups))).groupby(list(range(len(groups)))).ngroup().to_numpy()
    return float(np.square(np.bincount(codes, values)).sum())


def _rating_sd(means: Floats, weights: Floats, variance: float, ratings: int) -> float:
    """Find the standard deviation behind ratings that gives turn means this variance, at these means."""
    low, high = _NARROWEST_SD, _WIDEST_SD
    for _ in range(40):
        middle = (low + high) / 2
        below = float(weights @ _turn_variances(means, middle, ratings)) < variance
        low, high = (middle, high) if below else (low, middle)
    return (low + high) / 2


def _turn_variances(means: Floats, sd: float, ratings: int) -> Floats:
    """Give the variance of a turn's mean rating, integrating over the number behind it."""
    repeat = Spread.repeat
    at = rating_middles(means, sd)[:, None] + sd * np.sqrt(1 - repeat) * _NODES
    above = special.ndtr((at[..., None] - CUTS) / (sd * np.sqrt(repeat)))
    middle = above.sum(axis=-1)
    # E[x^2] of a sum of nested indicators: the k-th counts 2 k - 1 times.
    within = (above * (2 * np.arange(len(CUTS)) + 1)).sum(axis=-1) - np.square(middle)
    weights = _WEIGHTS / _WEIGHTS.sum()
    average = middle @ weights
    variances: Floats = np.square(middle - average[:, None]) @ weights + within @ weights / ratings
    return variances


def _opening_work(part: Part, pair: tuple[str, str], turns: pd.DataFrame) -> Pair:
    """Give the share of first replies with own work: a session's replies less those to its tutor turns."""
    answered = turns[turns["next_work"].notna()]
    after = answered["next_work"].astype(int).groupby([answered["policy"], answered["replicate"]]).agg(["size", "sum"])
    sessions = part.sessions.set_index(["policy", "replicate"])[["student_turns", "worked"]].astype(float)
    left = sessions - after.set_axis(sessions.columns, axis=1).reindex(sessions.index).fillna(0)
    left = left.clip(lower=0).div(sessions["student_turns"].clip(lower=1), axis=0)
    shares = []
    for policy in pair:
        replies, worked = left[left.index.get_level_values(0) == policy].sum()
        shares.append(min(1.0, worked / replies) if replies > 0 else 0.5)
    return _pair(np.array(shares))


def _lengths(part: Part, pair: tuple[str, str], turns: pd.DataFrame) -> dict[str, Any]:
    """Give how often the student commits: at once, after a turn, and after a turn that leaks."""
    problems = turns["problem"].nunique()
    sessions = part.sessions[part.sessions["policy"].isin(pair)].groupby("policy").size()
    cell = ["policy", "replicate", "problem"]
    last = turns.groupby(cell)["turn"].transform("max") == turns["turn"]
    # After the last round nobody looks: a window of full length says nothing about its last turn.
    counts = turns[turns["turn"] < turns["turn"].max()].assign(last=last)
    opening: list[float] = []
    closing: list[float] = []
    after_leak: list[float] = []
    for policy in pair:
        started = len(turns.loc[turns["policy"] == policy, cell].drop_duplicates())
        opening.append(1 - started / max(started, int(sessions.get(policy, 0)) * problems))
        of_policy = counts[counts["policy"] == policy]
        everywhere = float(of_policy["last"].mean()) if len(of_policy) else 0.0
        for leak, rates in ((False, closing), (True, after_leak)):
            held = of_policy.loc[of_policy["leak"] == leak, "last"]
            rates.append(float(held.mean()) if len(held) else everywhere)
    names = ("opening", "closing", "closing_after_leak")
    found = {name: _pair(np.array(rates)) for name, rates in zip(names, (opening, closing, after_leak), strict=True)}
    return {"problems": problems, **found}

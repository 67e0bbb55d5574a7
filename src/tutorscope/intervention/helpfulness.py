"""Whether help helps: on the problem at hand (section 3.3 of the intervention game), and on the next one (3.5)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from tutorscope.intervention.frames import (
    BY_PROBLEMS,
    SETTING,
    VIEW,
    Mean,
    groups,
    pooled,
    problem_codes,
    table,
    with_domain,
)
from tutorscope.stats.arrays import Integers
from tutorscope.stats.intervals import Interval, bootstrap_interval

HOWS = ("standard", "stop", "oracle")
"""How a student goes on: after the words of a tutor who watched, at once to the answer, after one who looked back."""
CONTEXTS = ("none", "problem", "intervention")
"""What a student has in view of the problem before: nothing, its own attempt alone, the assisted episode."""

HELP = (
    *(*VIEW, "domain", "people", "tutor", "how", *SETTING),
    *("n", "missing", "h", "low", "high", "helpful", "no_change", "harmful"),
)
ACCURACY = (*VIEW, "domain", "people", "n", "missing", "no_answer", "value", "low", "high")
GRADING = (*VIEW, "domain", "of", "how", "n")
TRANSFER = (
    *(*VIEW, "set", "domain", "people", "tutor", "context"),
    *("n", "missing", "accuracy", "accuracy_low", "accuracy_high", "g", "low", "high"),
)

_EPISODE = ["run", "student", "tutor", "problem", *SETTING, "replicate", "participant"]


def helpfulness(continued: pd.DataFrame, episodes: pd.DataFrame, mean: Mean) -> pd.DataFrame:
    """Give H and the shares of helpful, harmful and idle interventions, by tutor, domain and way of going on.

    Parameters
    ----------
    continued : DataFrame
        A row for each episode that was gone on with, way and judge.
    episodes : DataFrame
        To know whose they are, and how many were never gone on with.
    mean : callable

    Returns
    -------
    DataFrame
        ``n`` interventions have a verdict before and after; ``missing`` have not: no verdict, no known point to go on
        from, or not done yet. Shares are of n, and H is the helpful less the harmful share.
    """
    return table(_helpfulness(_intervened(continued, episodes), mean), HELP)


def accuracy(grades: pd.DataFrame, traces: pd.DataFrame, mean: Mean) -> pd.DataFrame:
    """Give the share of problems that the student solves alone.

    Returns
    -------
    DataFrame
        ``no_answer`` of the ``n`` answered nothing and are counted as wrong; ``missing`` have no verdict, or none yet.
    """
    alone = grades[grades["of"] == "baseline"]
    asked = traces[["run", "student", "problem", "domain"]].merge(alone[["run", "judge"]].drop_duplicates(), on="run")
    graded = alone[["run", "judge", "student", "problem", "correct", "how"]]
    return table(_accuracy(asked.merge(graded, on=["run", "judge", "student", "problem"], how="left"), mean), ACCURACY)


def grading(grades: pd.DataFrame, traces: pd.DataFrame) -> pd.DataFrame:
    """Count how answers were graded: identical, proved equal or not, by the judge, not at all."""
    rows = (
        {**key, "n": len(part)} for key, part in groups(with_domain(grades, traces), [*VIEW, "domain", "of", "how"])
    )
    return table(rows, GRADING)


def transfer(
    attempts: pd.DataFrame, traces: pd.DataFrame, people: set[tuple[str, str]], ci: str, mean: Mean
) -> pd.DataFrame:
    """Give accuracy on the next problem by context, and G against no context on the same pairs.

    Parameters
    ----------
    attempts : DataFrame
    traces : DataFrame
        For the problems' domains.
    people : set of (str, str)
        Run and tutor where the tutor is people.
    ci : {"problems", "episodes"}
    mean : callable

    Returns
    -------
    DataFrame
        With a context ``n`` are the pairs with a verdict on both sides, and ``accuracy`` is over them. Over all tutors
        accuracy and G are means of the tutors' own, so that none counts more for having stepped in more often.
    """
    held = with_domain(attempts, traces)
    held["code"] = problem_codes(held)
    held["people"] = [(run, tutor) in people for run, tutor in zip(held["run"], held["tutor"], strict=True)]
    return table(_transfer(held, ci, mean), TRANSFER)


def _intervened(continued: pd.DataFrame, episodes: pd.DataFrame) -> pd.DataFrame:
    """Give every intervention and way of going on, with its h or without."""
    stepped = episodes[episodes["intervened"].fillna(False)]
    owed = []
    for how in HOWS:
        condition = "oracle" if how == "oracle" else "standard"
        # A way that nobody asked for is not owed.
        if (continued["how"] == how).any():
            own = stepped[stepped["condition"] == condition]
            owed.append(own[["judge", "domain", "people", *_EPISODE]].assign(how=how))
    if not owed:
        return continued.assign(people=False).iloc[:0]
    known = continued[["judge", *_EPISODE, "how", "h"]]
    return pd.concat(owed, ignore_index=True).merge(known, on=["judge", *_EPISODE, "how"], how="left")


def _helpfulness(held: pd.DataFrame, mean: Mean) -> Iterator[dict[str, Any]]:
    for key, part in pooled(held.assign(code=problem_codes(held)), [*VIEW, "people", "how", *SETTING]):
        used = part["h"].notna().to_numpy(dtype=bool)
        values = part["h"][used].to_numpy(dtype=np.float64)
        interval = mean(values, part["code"].to_numpy()[used])
        yield {
            **key,
            "n": len(values),
            "missing": len(part) - len(values),
            "h": interval.estimate,
            "low": interval.low,
            "high": interval.high,
            "helpful": _share(values == 1),
            "no_change": _share(values == 0),
            "harmful": _share(values == -1),
        }


def _accuracy(alone: pd.DataFrame, mean: Mean) -> Iterator[dict[str, Any]]:
    for key, part in pooled(alone.assign(code=problem_codes(alone)), VIEW, over=("domain",)):
        known = part["correct"].notna().to_numpy(dtype=bool)
        values = part["correct"][known].to_numpy(dtype=np.float64)
        interval = mean(values, part["code"].to_numpy()[known])
        yield {
            **key,
            "people": False,
            "n": len(values),
            "missing": len(part) - len(values),
            "no_answer": int((part["how"] == "no_answer").sum()),
            "value": interval.estimate,
            "low": interval.low,
            "high": interval.high,
        }


def _transfer(held: pd.DataFrame, ci: str, mean: Mean) -> Iterator[dict[str, Any]]:
    for key, part in pooled(held, [*VIEW, "set", "people", "context"], over=("domain", "tutor")):
        # What has no tutor of its own is a row of all tutors alone.
        if key["tutor"] == "":
            continue
        known = part["correct"].notna() if key["context"] == "none" else part["correct"].notna() & part["g"].notna()
        used = part[known.to_numpy(dtype=bool)]
        right = _over_tutors(used, "correct", ci, mean)
        gained = _over_tutors(used.iloc[:0] if key["context"] == "none" else used, "g", ci, mean)
        yield {
            **key,
            "n": len(used),
            "missing": len(part) - len(used),
            "accuracy": right.estimate,
            "accuracy_low": right.low,
            "accuracy_high": right.high,
            "g": gained.estimate,
            "low": gained.low,
            "high": gained.high,
        }


def _over_tutors(used: pd.DataFrame, column: str, ci: str, mean: Mean) -> Interval:
    """Give the mean of the tutors' means."""
    values = used[column].to_numpy(dtype=np.float64)
    problems = used["code"].to_numpy()
    tutors = used["tutor"].to_numpy(dtype=object)
    names = list(dict.fromkeys(tutors))
    if len(names) < 2:
        return mean(values, problems)
    units = np.unique(problems if ci == BY_PROBLEMS else np.arange(len(values)), return_inverse=True)[1]
    n = int(units.max()) + 1
    sums = np.stack([np.bincount(units, values * (tutors == name), n) for name in names], axis=1)
    sizes = np.stack([np.bincount(units, tutors == name, n) for name in names], axis=1)

    def statistic(rows: Integers) -> Any:
        # A draw without any pair of a tutor has no mean over tutors.
        with np.errstate(invalid="ignore"):
            return (sums[rows].sum(axis=1) / sizes[rows].sum(axis=1)).mean(axis=1)

    everything = np.arange(n)[None, :]
    return bootstrap_interval(n, statistic, float(statistic(everything)[0]))


def _share(flags: Any) -> float:
    return float(np.mean(flags)) if len(flags) else np.nan

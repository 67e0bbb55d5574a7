"""What is set side by side: watching and looking back, people and models, kinds of help."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from tutorscope.intervention.behaviour import BEFORE_END, MEASURES, measured
from tutorscope.intervention.frames import ALL, SETTING, VIEW, Mean, groups, pooled, problem_codes, table, with_domain
from tutorscope.stats.intervals import mean_interval

PAIRED = (
    *(*VIEW, "domain", "people", "tutor", *SETTING, "measure"),
    *("n", "mean_standard", "mean_oracle", "difference", "low", "high"),
)
BESIDE = (
    *(*VIEW, "domain", "condition", *SETTING, "people"),
    *("problems", "measure", "n", "missing", "value", "low", "high"),
)
CATEGORIES = (
    *(*VIEW, "domain", "people", "taxonomy", "dimension", "tutor", "condition", *SETTING),
    *("category", "n", "of", "missing", "share"),
)
_SUMS = tuple(name for measure in MEASURES for name in (measure, f"{measure} n"))


def standard_oracle(episodes: pd.DataFrame) -> pd.DataFrame:
    """Compare watching with looking back, paired by problem.

    Parameters
    ----------
    episodes : DataFrame

    Returns
    -------
    DataFrame
        ``n`` problems have a value in both conditions, each the mean over its episodes. ``difference`` is Oracle less
        Standard; its interval resamples problems. Increment and asking at the end belong to the Standard condition.
    """
    return table(_standard_oracle(episodes), PAIRED)


def people_models(episodes: pd.DataFrame, mean: Mean) -> pd.DataFrame:
    """Give frequency and timing of people and of models on the problems that both of them had.

    Returns
    -------
    DataFrame
        For each setting of the models a row of theirs and one of people's; ``problems`` counts those in common. In the
        Standard condition both with and without interventions at the end of the trace.
    """
    return table(_people_models(episodes, mean), BESIDE)


def categories(messages: pd.DataFrame, taxonomies: pd.DataFrame, traces: pd.DataFrame) -> pd.DataFrame:
    """Give the share of messages in each category, by tutor, domain, condition and setting.

    Parameters
    ----------
    messages : DataFrame
    taxonomies : DataFrame
        Which categories there are, and in which order.
    traces : DataFrame
        For the problems' domains.

    Returns
    -------
    DataFrame
        ``share`` is of the ``of`` messages that were labelled; ``missing`` could not be. Every category of the taxonomy
        has a row, those in which nothing stands too.
    """
    return table(_categories(with_domain(messages, traces), taxonomies), CATEGORIES)


def _standard_oracle(episodes: pd.DataFrame) -> Iterator[dict[str, Any]]:
    sums = _by_tutor_and_problem(episodes)
    looked_back = sums[sums["condition"] == "oracle"]
    watched = sums[sums["condition"] == "standard"]
    for key, part in pooled(watched, [*VIEW, "people", *SETTING]):
        other = looked_back
        for column in (*VIEW, "people", "variant"):
            other = other[other[column] == key[column]]
        for column in ("tutor", "domain"):
            other = other if key[column] == ALL else other[other[column] == key[column]]
        if not len(other):
            continue
        first_sums, second_sums = (side.groupby("code")[list(_SUMS)].sum() for side in (part, other))
        both = pd.concat([first_sums, second_sums.add_suffix(" back")], axis=1, join="inner").sort_index()
        for measure in MEASURES:
            pairs = both[(both[f"{measure} n"] > 0) & (both[f"{measure} n back"] > 0)]
            first = (pairs[measure] / pairs[f"{measure} n"]).to_numpy()
            second = (pairs[f"{measure} back"] / pairs[f"{measure} n back"]).to_numpy()
            interval = mean_interval(second - first)
            yield {
                **key,
                "measure": measure,
                "n": len(pairs),
                "mean_standard": float(first.mean()) if len(pairs) else np.nan,
                "mean_oracle": float(second.mean()) if len(pairs) else np.nan,
                "difference": interval.estimate,
                "low": interval.low,
                "high": interval.high,
            }


def _by_tutor_and_problem(episodes: pd.DataFrame) -> pd.DataFrame:
    """Give what each measure adds up to, and over how many episodes, for each tutor, setting and problem."""
    keys = [*VIEW, "people", "tutor", "domain", "condition", *SETTING]
    held = episodes[keys].assign(code=problem_codes(episodes))
    for measure in MEASURES:
        found = measured(episodes, measure)
        held[measure] = np.where(found.used, found.values, 0.0)
        held[f"{measure} n"] = found.used.astype(np.int64)
    return held.groupby([*keys, "code"], sort=False, dropna=False)[list(_SUMS)].sum().reset_index()


def _people_models(episodes: pd.DataFrame, mean: Mean) -> Iterator[dict[str, Any]]:
    episodes = episodes.assign(code=problem_codes(episodes))
    people, models = episodes[episodes["people"]], episodes[~episodes["people"]]
    if not len(people):
        return
    for key, part in pooled(models, [*VIEW, "condition", *SETTING], over=("domain",)):
        persons = people
        for column in (*VIEW, "condition", "domain"):
            persons = persons if key[column] == ALL else persons[persons[column] == key[column]]
        common = set(part["code"]) & set(persons["code"])
        for is_people, whole in ((True, persons), (False, part)) if common else ():
            shared = whole[whole["code"].isin(common)]
            for measure in (*MEASURES, *(BEFORE_END if key["condition"] == "standard" else ())):
                held = measured(shared, measure)
                interval = mean(held.values[held.used], shared["code"].to_numpy()[held.used])
                yield {
                    **key,
                    "people": is_people,
                    "problems": len(common),
                    "measure": measure,
                    "n": int(held.used.sum()),
                    "missing": int(held.missing.sum()),
                    "value": interval.estimate,
                    "low": interval.low,
                    "high": interval.high,
                }


def _categories(messages: pd.DataFrame, taxonomies: pd.DataFrame) -> Iterator[dict[str, Any]]:
    listed = taxonomies[taxonomies["category"] != ""].sort_values("place", kind="stable")
    known = {
        tuple(key.values()): list(part["category"]) for key, part in groups(listed, ["run", "taxonomy", "dimension"])
    }
    for outer, one in groups(messages, ["run", "judge", "taxonomy", "dimension"]):
        found = one["category"][one["category"] != ""]
        names = dict.fromkeys([*known.get((outer["run"], outer["taxonomy"], outer["dimension"]), ()), *found])
        for key, part in pooled(one, ["student", "people", "condition", *SETTING]):
            held = part["category"][part["category"] != ""]
            for name in names:
                n = int((held == name).sum())
                yield {
                    **outer,
                    **key,
                    "category": name,
                    "n": n,
                    "of": len(held),
                    "missing": len(part) - len(held),
                    "share": n / len(held) if len(held) else np.nan,
                }

"""What is set side by side: watching and looking back, people and models, kinds of help, two labelling judges."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from tutorscope.intervention.behaviour import BEFORE_END, MEASURES, measured
from tutorscope.intervention.frames import SETTING, VIEW, Mean, groups, pooled, problem_keys, table, with_domain
from tutorscope.intervention.published import TAXONOMY
from tutorscope.stats.agreement import gwet_ac1
from tutorscope.stats.intervals import mean_interval

PUBLISHED = "published"
"""The taxonomy of the paper's category names; any other was made from a run's own messages."""

PAIRED = (
    *(*VIEW, "domain", "people", "tutor", *SETTING, "ask_at_end", "measure"),
    *("n", "mean_standard", "mean_oracle", "difference", "low", "high"),
)
BESIDE = (
    *(*VIEW, "domain", "condition", *SETTING, "ask_at_end", "people"),
    *("problems", "measure", "n", "missing", "value", "low", "high"),
)
CATEGORIES = (
    *(*VIEW, "domain", "people", "taxonomy", "dimension", "tutor", "condition", *SETTING),
    *("category", "n", "of", "missing", "share"),
)
AGREEMENT = ("run", "taxonomy", "dimension", "first", "second", "n", "agreement", "ac1", "low", "high")

_MESSAGE = [
    *("run", "taxonomy", "dimension", "tutor", "student", "problem", "condition"),
    *(*SETTING, "replicate", "participant"),
]


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


def categories(messages: pd.DataFrame, traces: pd.DataFrame) -> pd.DataFrame:
    """Give the share of messages in each category, by tutor, domain, condition and setting.

    Returns
    -------
    DataFrame
        ``share`` is of the ``of`` messages that were labelled; ``missing`` could not be. A category in which nothing
        stands has a row where another tutor or condition has something in it.
    """
    return table(_categories(with_domain(messages, traces)), CATEGORIES)


def category_agreement(messages: pd.DataFrame) -> pd.DataFrame:
    """Say how far two judges put the same messages into the same category, with Gwet's AC1."""
    return table(_agreement(messages), AGREEMENT)


def category_order(taxonomy: str, dimension: str, found: list[str]) -> list[str]:
    """Put categories in the paper's order, any others behind them in that of their first message."""
    return list(dict.fromkeys([*(TAXONOMY.get(dimension, ()) if taxonomy == PUBLISHED else ()), *found]))


def _standard_oracle(episodes: pd.DataFrame) -> Iterator[dict[str, Any]]:
    looked_back = episodes[episodes["condition"] == "oracle"]
    watched = episodes[episodes["condition"] == "standard"]
    for key, part in pooled(watched, [*VIEW, "people", *SETTING, "ask_at_end"]):
        other = looked_back
        for column in (*VIEW, "people", "variant"):
            other = other[other[column] == key[column]]
        for column in ("tutor", "domain"):
            other = other if key[column] == "all" else other[other[column] == key[column]]
        if not len(other):
            continue
        for measure in MEASURES:
            pairs = pd.concat([_by_problem(part, measure), _by_problem(other, measure)], axis=1, join="inner")
            pairs = pairs.sort_index()
            first, second = pairs.iloc[:, 0].to_numpy(), pairs.iloc[:, 1].to_numpy()
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


def _by_problem(part: pd.DataFrame, measure: str) -> pd.Series:
    held = measured(part, measure)
    return pd.Series(held.values[held.used]).groupby(problem_keys(part).to_numpy()[held.used]).mean()


def _people_models(episodes: pd.DataFrame, mean: Mean) -> Iterator[dict[str, Any]]:
    people = episodes[episodes["people"]]
    if not len(people):
        return
    for key, models in pooled(
        episodes[~episodes["people"]], [*VIEW, "condition", *SETTING, "ask_at_end"], over=("domain",)
    ):
        persons = people
        for column in (*VIEW, "condition", "domain"):
            persons = persons if key[column] == "all" else persons[persons[column] == key[column]]
        common = set(problem_keys(models)) & set(problem_keys(persons))
        for is_people, part in ((True, persons), (False, models)):
            held_back = part[problem_keys(part).isin(common)]
            problems = problem_keys(held_back).to_numpy()
            for measure in (*MEASURES, *(BEFORE_END if key["condition"] == "standard" else ())) if common else ():
                held = measured(held_back, measure)
                interval = mean(held.values[held.used], problems[held.used])
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


def _categories(messages: pd.DataFrame) -> Iterator[dict[str, Any]]:
    for outer, one in groups(messages, ["run", "judge", "taxonomy", "dimension"]):
        labelled = one[one["category"] != ""]
        names = category_order(outer["taxonomy"], outer["dimension"], list(labelled["category"]))
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


def _agreement(messages: pd.DataFrame) -> Iterator[dict[str, Any]]:
    labelled = messages[messages["category"] != ""]
    for key, part in groups(labelled, ["run", "taxonomy", "dimension"]):
        wide = part.pivot_table(index=_MESSAGE, columns="judge", values="category", aggfunc="first")
        names = category_order(key["taxonomy"], key["dimension"], list(part["category"]))
        judges = [judge for judge in part["judge"].unique() if judge in wide.columns]
        for first, second in combinations(judges, 2):
            pairs = wide[[first, second]].dropna().to_numpy(dtype=object)
            # A scale of one category leaves nothing to agree on.
            found = gwet_ac1(pairs, names) if len(pairs) and len(names) > 1 else None
            yield {
                **key,
                "first": first,
                "second": second,
                "n": len(pairs),
                "agreement": float((pairs[:, 0] == pairs[:, 1]).mean()) if len(pairs) else np.nan,
                "ac1": found.estimate if found else np.nan,
                "low": found.low if found else np.nan,
                "high": found.high if found else np.nan,
            }

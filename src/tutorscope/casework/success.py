"""From decided criteria to success and satisfaction (TutorCaseBench, 3.2.2, 5.1 and appendices G.2 and K)."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from tutorscope.casework.answering import OPEN, REFERENCE
from tutorscope.casework.judging import NO_REPLY, satisfaction_of, success_of
from tutorscope.casework.views import ALL, challenges, groups, horizons, quick, rows_frame, views
from tutorscope.stats.intervals import cluster_mean_interval

WITH, WITHOUT = "with", "without"
_REPLY = ("tutor", "form", "horizon", "item", "scenario", "category", "challenge", "replicate")
_SCORES = ("judge", *_REPLY, "negatives", "criteria", "no_reply", "success", "satisfaction")
_SUCCESS = (
    *("judge", "tutor", "form", "horizon", "challenge", "by", "group", "negatives", "n", "unknown", "no_reply"),
    *("left_out", "categories", "success", "low", "high", "n_satisfaction", "satisfaction", "s_low", "s_high"),
)
_DIFFERENCES = ("judge", "form", "horizon", "first", "second", "n", "unpaired", "difference", "low", "high")
_EFFECT = ("judge", "tutor", "horizon", "n", "unpaired", "difference", "low", "high", "proxy")

Groups = dict[str, pd.Series]


def reply_scores(decisions: pd.DataFrame) -> pd.DataFrame:
    """Score each judged reply, with all criteria and without the purely negative ones.

    Parameters
    ----------
    decisions : DataFrame
        As `records.tables` gives it.

    Returns
    -------
    DataFrame
        A row for each judge, reply and ``negatives`` ("with", "without"): ``success`` (1, 0; missing where no criterion
        is known to be met and one could not be read), ``satisfaction`` (the share met; missing where one could not be
        read), ``criteria`` that count, ``no_reply`` (the tutor said nothing). A reply has no row "without" where all
        its criteria are purely negative.
    """
    return rows_frame(_scored(decisions), _SCORES)


def _scored(decisions: pd.DataFrame) -> Iterator[dict[str, Any]]:
    keys = views(decisions, *_REPLY)
    held = quick(decisions).assign(said=decisions["met"].astype(object).where(decisions["met"].notna(), None))
    for key, part in groups(held, keys):
        met = [None if one is None else bool(one) for one in part["said"]]
        kept = [one for one, negative in zip(met, part["negative"], strict=True) if not negative]
        silent = bool((part["reason"] == NO_REPLY).any())
        for negatives, counted in ((WITH, met), (WITHOUT, kept)):
            if counted:
                won, share = success_of(counted), satisfaction_of(counted)
                yield {
                    **key,
                    "negatives": negatives,
                    "criteria": len(counted),
                    "no_reply": silent,
                    "success": math.nan if won is None else float(won),
                    "satisfaction": math.nan if share is None else float(share),
                }


def success(scores: pd.DataFrame, scenarios: pd.DataFrame) -> pd.DataFrame:
    """Give success and mean satisfaction by horizon, challenge type and group, intervals clustered by category.

    Parameters
    ----------
    scores : DataFrame
        As `reply_scores` gives it.
    scenarios : DataFrame
        With a column for each way in which the user groups students.

    Returns
    -------
    DataFrame
        A row for each judge, tutor, form, horizon ("all" where both were asked), challenge type and ``negatives``, and
        one for each group of the user's (``by`` the column, ``group`` its value). ``success`` is the share of the ``n``
        replies of which it is known; ``unknown`` ones are not in n. ``no_reply`` ones are in n and fail. ``left_out``:
        replies without any criterion that is not purely negative. ``satisfaction`` is the mean over the
        ``n_satisfaction`` replies of which every criterion could be read. Each replicate is a reply. Intervals: 95 %
        percentile bootstrap, 10,000 draws of whole categories, seed 0.
    """
    return rows_frame(_success_rows(scores, group_columns(scenarios)), _SUCCESS)


def group_columns(scenarios: pd.DataFrame) -> Groups:
    """Give the user's groups: for each way to group, the group of each scenario (by run and id)."""
    fixed = {"run", "scenario", "category", "title", "challenge", "minimal_context"}
    keys = [name for name in ("run", "scenario") if name in scenarios.columns]
    indexed = scenarios.set_index(keys)
    return {str(name): indexed[name].dropna() for name in scenarios.columns if name not in fixed}


def _success_rows(scores: pd.DataFrame, ways: Groups) -> Iterator[dict[str, Any]]:
    for key, part in groups(quick(scores), views(scores, "tutor", "form")):
        for horizon, asked in horizons(part):
            selected = [({"challenge": name, "by": ALL, "group": ALL}, of) for name, of in challenges(asked)]
            for way, group_of in ways.items():
                selected += _grouped(asked, way, group_of)
            for where, held in selected:
                for negatives in (WITH, WITHOUT):
                    yield {**key, "horizon": horizon, **where, "negatives": negatives, **_means(held, negatives)}


def _grouped(asked: pd.DataFrame, way: str, group_of: pd.Series) -> list[tuple[dict[str, str], pd.DataFrame]]:
    keys = [name for name in group_of.index.names if name in asked.columns]
    places = pd.MultiIndex.from_frame(asked[keys]) if len(keys) > 1 else pd.Index(asked[keys[0]])
    found_groups = group_of.reindex(places).astype(object)
    named = found_groups.where(found_groups.notna(), None).to_numpy()
    found = sorted({str(name) for name in named if name is not None})
    return [({"challenge": ALL, "by": way, "group": name}, asked[named == name]) for name in found]


def _means(held: pd.DataFrame, negatives: str) -> dict[str, Any]:
    counts = (held["negatives"] == negatives).to_numpy()
    replies = int((held["negatives"] == WITH).sum())
    category, silent = held["category"].to_numpy()[counts], held["no_reply"].to_numpy(dtype=bool)[counts]
    won, met = (held[column].to_numpy(dtype=float)[counts] for column in ("success", "satisfaction"))
    known, whole = ~np.isnan(won), ~np.isnan(met)
    succeeded = cluster_mean_interval(won[known], category[known])
    satisfied = cluster_mean_interval(met[whole], category[whole])
    return {
        "n": int(known.sum()),
        "unknown": int((~known).sum()),
        "no_reply": int(silent[known].sum()),
        "left_out": replies - int(counts.sum()),
        "categories": succeeded.n,
        "success": succeeded.estimate,
        "low": succeeded.low,
        "high": succeeded.high,
        "n_satisfaction": int(whole.sum()),
        "satisfaction": satisfied.estimate,
        "s_low": satisfied.low,
        "s_high": satisfied.high,
    }


def item_means(frame: pd.DataFrame, item: str, value: str) -> pd.DataFrame:
    """Give each item's mean over its replicates and rotations, those without a value left aside.

    Returns
    -------
    DataFrame
        Indexed by item: ``value`` and ``category``.
    """
    known = frame.dropna(subset=[value])
    values = known[value].astype(float).groupby(known[item]).mean()
    return pd.DataFrame({"value": values, "category": known.groupby(item)["category"].first()})


def paired_difference(first: pd.DataFrame, second: pd.DataFrame) -> dict[str, Any]:
    """Give the mean of first less second over the items that both have, its interval clustered by category.

    Parameters
    ----------
    first, second : DataFrame
        As `item_means` gives them.

    Returns
    -------
    dict
        ``n`` items, ``unpaired`` (those that only one of the two has), ``difference``, ``low``, ``high``.
    """
    both = first.join(second["value"].rename("other"), how="inner")
    found = cluster_mean_interval((both["value"] - both["other"]).to_numpy(dtype=float), both["category"].to_numpy())
    unpaired = len(first.index.symmetric_difference(second.index))
    return {
        "n": len(both),
        "unpaired": unpaired,
        "difference": found.estimate,
        "low": found.low,
        "high": found.high,
    }


def tutor_differences(scores: pd.DataFrame, answers: pd.DataFrame) -> pd.DataFrame:
    """Compare tutors, two at a time, on the items that both answered.

    Returns
    -------
    DataFrame
        For open questions the difference in success (all criteria), for choices in accuracy, first less second.
    """
    open_part = scores[scores["negatives"] == WITH] if len(scores) else scores
    rows = [*_differences(quick(open_part), "item", "success"), *_differences(quick(answers), "choice", "correct")]
    return rows_frame(iter(rows), _DIFFERENCES)


def _differences(frame: pd.DataFrame, item: str, value: str) -> Iterator[dict[str, Any]]:
    for key, part in groups(frame, views(frame, "form")):
        for horizon, asked in horizons(part):
            means = {str(tutor): item_means(of, item, value) for tutor, of in asked.groupby("tutor", sort=False)}
            for first, second in combinations(means, 2):
                where = {**key, "horizon": horizon, "first": first, "second": second}
                yield {**where, **paired_difference(means[first], means[second])}


def reference_effect(scores: pd.DataFrame, replies: pd.DataFrame) -> pd.DataFrame:
    """Give what references do to success: with them less without, paired by item (section 5.3).

    Parameters
    ----------
    scores : DataFrame
        As `reply_scores` gives it.
    replies : DataFrame
        As `records.tables` gives it: its ``references`` say whether other items' correct options stood in.

    Returns
    -------
    DataFrame
        ``proxy``: whether any of the references was a stand-in, missing where nothing is known of them.
    """
    return rows_frame(_effects(scores, replies), _EFFECT)


def _effects(scores: pd.DataFrame, replies: pd.DataFrame) -> Iterator[dict[str, Any]]:
    if not len(scores):
        return
    held = quick(scores[scores["negatives"] == WITH])
    for key, part in groups(held, views(held, "tutor")):
        for horizon, asked in horizons(part):
            forms = {form: item_means(asked[asked["form"] == form], "item", "success") for form in (OPEN, REFERENCE)}
            if all(len(one) for one in forms.values()):
                shown = _shown_to(replies, key, horizon)
                yield {
                    **key,
                    "horizon": horizon,
                    **paired_difference(forms[REFERENCE], forms[OPEN]),
                    "proxy": any(shown) if shown else None,
                }


def _shown_to(replies: pd.DataFrame, key: dict[str, Any], horizon: str) -> Sequence[bool]:
    """Say of each reference that a tutor was shown whether it was a stand-in."""
    held = replies[(replies["form"] == REFERENCE) & replies["references"].notna()]
    for name in ("run", "tutor"):
        held = held[held[name] == key[name]] if name in key else held
    held = held if horizon == ALL else held[held["horizon"] == horizon]
    return [bool(one["proxy"]) for text in held["references"] for one in json.loads(text)]

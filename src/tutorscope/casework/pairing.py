"""Comparisons item by item: tutor with tutor, and replies with references with those without (TutorCaseBench, 5.3)."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

import pandas as pd

from tutorscope.casework.answering import OPEN, REFERENCE
from tutorscope.casework.clusters import category_interval
from tutorscope.casework.success import WITH
from tutorscope.casework.views import ALL, ITEM, groups, horizons, quick, rows_frame, views

_PAIR = ("items", "n", "unpaired", "unknown", "categories", "difference", "low", "high", "why_no_interval")
_DIFFERENCES = ("judge", "form", "horizon", "first", "second", *_PAIR)
_EFFECT = ("judge", "tutor", "horizon", *_PAIR, "proxy")


def asked_items(tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Give the questions that each tutor was asked, answered or not: ``tutor``, ``form``, ``horizon``, ``item``."""
    owed = tables["owed"]
    parts = [
        tables["replies"],
        tables["answers"].rename(columns={"choice": "item"}),
        owed[owed["judge"].isna()],
    ]
    keys = [name for name in ("run", *ITEM) if name in tables["replies"].columns]
    return quick(pd.concat([part[keys] for part in parts], ignore_index=True).drop_duplicates(ignore_index=True))


def item_means(frame: pd.DataFrame, item: str, value: str) -> pd.DataFrame:
    """Give each item's mean over the replicates and rotations of which the value is known.

    Returns
    -------
    DataFrame
        Indexed by item: ``value``, missing where none is known, and ``category``.
    """
    values = frame[value].astype(float).groupby(frame[item]).mean()
    return pd.DataFrame({"value": values, "category": frame.groupby(item)["category"].first()})


def paired_difference(first: pd.DataFrame, second: pd.DataFrame, asked: Collection[str] = ()) -> dict[str, Any]:
    """Give the mean of first less second over the items of which both are known, its interval clustered by category.

    Parameters
    ----------
    first, second : DataFrame
        As `item_means` gives them.
    asked : collection of str
        Items that either was asked: those that neither answered are in no table.

    Returns
    -------
    dict
        ``items`` asked in all, each of which is one of: ``n``, known of both; ``unpaired``, without a (judged) answer
        of one of the two or of both; ``unknown``, answered by both, and whether one of them succeeds is not known.
        ``categories`` of the n, ``difference``, ``low``, ``high``, ``why_no_interval``.
    """
    every = pd.Index(sorted({*first.index, *second.index, *asked}), dtype=object)
    one, other = first["value"].reindex(every), second["value"].reindex(every)
    answered = every.isin(first.index) & every.isin(second.index)
    known = (one.notna() & other.notna()).to_numpy(dtype=bool)
    found = category_interval(
        (one - other).to_numpy(dtype=float)[known], first["category"].reindex(every[known]).to_numpy()
    )
    return {
        "items": len(every),
        "n": int(known.sum()),
        "unpaired": int((~answered).sum()),
        "unknown": int((answered & ~known).sum()),
        "categories": found.n,
        "difference": found.estimate,
        "low": found.low,
        "high": found.high,
        "why_no_interval": found.reason or None,
    }


def tutor_differences(scores: pd.DataFrame, answers: pd.DataFrame, asked: pd.DataFrame) -> pd.DataFrame:
    """Compare tutors, two at a time, on the items that both answered.

    Parameters
    ----------
    scores : DataFrame
        As `success.reply_scores` gives it.
    answers : DataFrame
        As `records.tables` gives it.
    asked : DataFrame
        As `asked_items` gives it.

    Returns
    -------
    DataFrame
        For open questions the difference in success (all criteria), for choices in accuracy, first less second; counts
        as `paired_difference` gives them.
    """
    open_part = scores[scores["negatives"] == WITH] if len(scores) else scores
    rows = [
        *_differences(quick(open_part), "item", "success", asked),
        *_differences(quick(answers), "choice", "correct", asked),
    ]
    return rows_frame(iter(rows), _DIFFERENCES)


def _differences(frame: pd.DataFrame, item: str, value: str, asked: pd.DataFrame) -> Iterator[dict[str, Any]]:
    for key, part in groups(frame, views(frame, "form")):
        for horizon, held in horizons(part):
            of = _asked(asked, key, horizon)
            # A tutor that answered nothing stands in the pairs with nothing to compare.
            tutors = dict.fromkeys([*held["tutor"], *of["tutor"]])
            means = {tutor: item_means(held[held["tutor"] == tutor], item, value) for tutor in tutors}
            items = {tutor: set(of[of["tutor"] == tutor]["item"]) for tutor in tutors}
            for first, second in combinations(means, 2):
                where = {**key, "horizon": horizon, "first": str(first), "second": str(second)}
                yield {**where, **paired_difference(means[first], means[second], items[first] | items[second])}


def reference_effect(scores: pd.DataFrame, replies: pd.DataFrame, asked: pd.DataFrame) -> pd.DataFrame:
    """Give what references do to success: with them less without, paired by item (section 5.3).

    Parameters
    ----------
    scores : DataFrame
        As `success.reply_scores` gives it.
    replies : DataFrame
        As `records.tables` gives it: its ``references`` say whether other items' correct options stood in.
    asked : DataFrame
        As `asked_items` gives it.

    Returns
    -------
    DataFrame
        Counts as `paired_difference` gives them; an item that had no like case to refer to is unpaired. ``proxy``:
        whether any of the references was a stand-in, missing where nothing is known of them.
    """
    return rows_frame(_effects(scores, replies, asked), _EFFECT)


def _effects(scores: pd.DataFrame, replies: pd.DataFrame, asked: pd.DataFrame) -> Iterator[dict[str, Any]]:
    if not len(scores):
        return
    held = quick(scores[scores["negatives"] == WITH])
    for key, part in groups(held, views(held, "tutor")):
        for horizon, of in horizons(part):
            forms = {form: item_means(of[of["form"] == form], "item", "success") for form in (OPEN, REFERENCE)}
            items = {form: set(_asked(asked, {**key, "form": form}, horizon)["item"]) for form in forms}
            if all(len(forms[form]) or items[form] for form in forms):
                shown = _shown_to(replies, key, horizon)
                yield {
                    **key,
                    "horizon": horizon,
                    **paired_difference(forms[REFERENCE], forms[OPEN], items[OPEN] | items[REFERENCE]),
                    "proxy": any(shown) if shown else None,
                }


def _asked(asked: pd.DataFrame, key: Mapping[str, Any], horizon: str) -> pd.DataFrame:
    for name in ("run", "tutor", "form"):
        if name in key and name in asked.columns:
            asked = asked[asked[name] == key[name]]
    return asked if horizon == ALL else asked[asked["horizon"] == horizon]


def _shown_to(replies: pd.DataFrame, key: Mapping[str, Any], horizon: str) -> Sequence[bool]:
    """Say of each reference that a tutor was shown whether it was a stand-in."""
    held = replies[(replies["form"] == REFERENCE) & replies["references"].notna()]
    for name in ("run", "tutor"):
        held = held[held[name] == key[name]] if name in key else held
    held = held if horizon == ALL else held[held["horizon"] == horizon]
    return [bool(one["proxy"]) for text in held["references"] for one in json.loads(text)]

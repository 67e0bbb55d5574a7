"""From decided criteria to success and satisfaction (TutorCaseBench, 3.2.2, 5.1 and appendices G.2 and K)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from tutorscope.casework.clusters import category_interval
from tutorscope.casework.judging import NO_REPLY, satisfaction_of, success_of
from tutorscope.casework.views import ALL, ITEM, REPLY, challenges, groups, horizons, quick, rows_frame, views
from tutorscope.texts.bodies import REFUSED

WITH, WITHOUT = "with", "without"
_JUDGED = (*ITEM, "scenario", "category", "challenge", "replicate")
_SCORES = ("judge", *_JUDGED, "negatives", "criteria", "no_reply", "success", "satisfaction")
_SUCCESS = (
    *("judge", "tutor", "form", "horizon", "challenge", "by", "group", "negatives", "n", "unknown", "no_reply"),
    *("refused", "left_out", "categories", "success", "low", "high", "why_no_interval", "least", "most"),
    *("n_satisfaction", "s_categories", "satisfaction", "s_low", "s_high", "s_why_no_interval"),
)

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
    keys = views(decisions, *_JUDGED)
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


def with_refused(scores: pd.DataFrame, replies: pd.DataFrame) -> pd.DataFrame:
    """Add ``refused``: whether a reply is missing because the provider held it back.

    Parameters
    ----------
    scores : DataFrame
        As `reply_scores` gives it.
    replies : DataFrame
        As `records.tables` gives it. Who judged knows only that nothing was said; the reason stands here.
    """
    keys = [name for name in ("run", *REPLY) if name in scores.columns and name in replies.columns]
    held = quick(replies[replies["reason"] == REFUSED])[keys].assign(refused=True)
    refused = quick(scores)[keys].merge(held, on=keys, how="left")["refused"]
    return scores.assign(refused=refused.notna().to_numpy())


def success(scores: pd.DataFrame, scenarios: pd.DataFrame) -> pd.DataFrame:
    """Give success and mean satisfaction by horizon, challenge type and group, intervals clustered by category.

    Parameters
    ----------
    scores : DataFrame
        As `with_refused` gives it.
    scenarios : DataFrame
        With a column for each way in which the user groups students.

    Returns
    -------
    DataFrame
        A row for each judge, tutor, form, horizon ("all" where both were asked), challenge type and ``negatives``, and
        one for each group of the user's (``by`` the column, ``group`` its value). ``success`` is the share of the ``n``
        replies of which it is known; ``unknown`` ones are not in n. A reply with an unread criterion stays in n if it
        meets another one, so success is biased upwards where some are unknown: ``least`` and ``most`` are the share of
        all n + unknown replies if every unknown one fails, and if every one succeeds. ``no_reply`` ones are in n and
        fail; ``refused`` are those of them that the provider held back. ``left_out``: replies without any criterion
        that is not purely negative. ``satisfaction`` is the mean over the ``n_satisfaction`` replies of which every
        criterion could be read. Each replicate is a reply. Intervals resample the ``categories`` (``s_categories``), as
        `clusters.category_interval` does; ``why_no_interval`` says why there is none.
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
    category = held["category"].to_numpy()[counts]
    silent, refused = (held[column].to_numpy(dtype=bool)[counts] for column in ("no_reply", "refused"))
    won, met = (held[column].to_numpy(dtype=float)[counts] for column in ("success", "satisfaction"))
    known, whole = ~np.isnan(won), ~np.isnan(met)
    succeeded = category_interval(won[known], category[known])
    satisfied = category_interval(met[whole], category[whole])
    judged, successes, unknown = len(won), float(won[known].sum()), int((~known).sum())
    return {
        "n": int(known.sum()),
        "unknown": unknown,
        "no_reply": int(silent[known].sum()),
        "refused": int(refused[known].sum()),
        "left_out": replies - int(counts.sum()),
        "categories": succeeded.n,
        "success": succeeded.estimate,
        "low": succeeded.low,
        "high": succeeded.high,
        "why_no_interval": succeeded.reason or None,
        "least": successes / judged if judged else math.nan,
        "most": (successes + unknown) / judged if judged else math.nan,
        "n_satisfaction": int(whole.sum()),
        "s_categories": satisfied.n,
        "satisfaction": satisfied.estimate,
        "s_low": satisfied.low,
        "s_high": satisfied.high,
        "s_why_no_interval": satisfied.reason or None,
    }

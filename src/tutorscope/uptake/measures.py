"""From tables to numbers: per dataset and category, each with its interval and its count of what could not be read."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from tutorscope.stats.correlation import spearman
from tutorscope.stats.intervals import mean_interval
from tutorscope.uptake.category_tests import category_tests
from tutorscope.uptake.movement import movement
from tutorscope.uptake.seeking_tables import help_seeking_shares
from tutorscope.uptake.validation_tables import validation
from tutorscope.uptake.views import groups, views

_UNSCORED = ("not_rated", "unread")


def measures(tables: Mapping[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """Give the tables of numbers.

    Parameters
    ----------
    tables : mapping
        As `records.tables` gives them, with a ``run`` column if they come from several runs.

    Returns
    -------
    dict of DataFrame
        ``datasets`` and ``categories``: a row for each view and dataset (or category, all its datasets pooled) with
        ``chats`` (all that were read), ``valid``, ``scored``, ``not_rated``, ``unread`` (chats), ``exchanges`` and
        ``unread_exchanges``; mean, standard deviation over chats (n - 1) and 95 % bootstrap interval of scaffolding
        (1..5) and uptake (-1..+1); Spearman's rho between the two with interval and p (scaffolding and uptake paper,
        Table 2). ``category_tests``: pairs of categories, as `category_tests` says. ``dataset_traits``: a column for
        each trait. ``movement``: scores by third of the chat. ``help_seeking_shares``: how often students sought which
        help. ``validation``: pairs whose better reply is known. ``resolved``: the means with and without exchanges that
        only confirm a right result. ``repeats``: how far repeated ratings of one exchange agree. ``unread``: how much
        was set aside, by what it was and why.
    """
    chats, exchanges, ratings = tables["chats"], tables["exchanges"], tables["ratings"]
    return {
        "datasets": _frame(_scores(chats, ["category", "dataset"])),
        "categories": _frame(_scores(chats, ["category"])),
        "category_tests": category_tests(chats),
        "dataset_traits": _wide_traits(tables["traits"]),
        "movement": movement(exchanges),
        "help_seeking_shares": help_seeking_shares(tables["help_seeking"]),
        "validation": validation(tables["pairs"]),
        "resolved": _frame(_resolved(chats)),
        "repeats": _frame(_repeats(ratings), _REPEATS),
        "unread": _frame(_unread(chats, exchanges, ratings, tables["help_seeking"]), _UNREAD),
    }


def _scores(chats: pd.DataFrame, by: Sequence[str]) -> Iterator[dict[str, Any]]:
    for key, part in groups(chats, [*views(chats), *by]):
        valid = part[~_structural(part)]
        scored = valid[valid["reason"].isna()]
        yield {
            **key,
            "chats": len(part),
            "valid": len(valid),
            "scored": len(scored),
            "not_rated": int((valid["reason"] == "not_rated").sum()),
            "unread": int((valid["reason"] == "unread").sum()),
            "exchanges": int(scored["n_scored"].sum()),
            "unread_exchanges": int(valid["n_unread"].sum()),
            **_spread("scaffolding", scored["scaffolding"]),
            **_spread("uptake", scored["uptake"]),
            **_correlation(scored),
        }


def _structural(chats: pd.DataFrame) -> pd.Series:
    """Whether the chat itself is why it is not scored: too short, say."""
    return chats["reason"].notna() & ~chats["reason"].isin(_UNSCORED)


def _spread(name: str, values: pd.Series) -> dict[str, float]:
    interval = mean_interval(values.to_numpy(dtype=float))
    return {
        f"{name}_mean": interval.estimate,
        f"{name}_sd": float(values.std(ddof=1)),
        f"{name}_low": interval.low,
        f"{name}_high": interval.high,
    }


def _correlation(scored: pd.DataFrame) -> dict[str, Any]:
    found = spearman(
        scored["uptake"].to_numpy(dtype=float),
        scored["scaffolding"].to_numpy(dtype=float),
        names=("uptake", "scaffolding"),
    )
    return {
        "rho": found.rho,
        "rho_low": found.low,
        "rho_high": found.high,
        "rho_p": found.p,
        "rho_p_method": found.p_method or None,
        "why_no_rho": found.reason or None,
    }


def _resolved(chats: pd.DataFrame) -> Iterator[dict[str, Any]]:
    for key, part in groups(chats, [*views(chats), "category", "dataset"]):
        scored = part[part["reason"].isna()]
        without = scored.dropna(subset=["scaffolding_without_resolved", "uptake_without_resolved"])
        yield {
            **key,
            "scored": len(scored),
            "resolved_exchanges": int(scored["n_resolved"].sum()),
            "scaffolding_mean": _mean(scored["scaffolding"]),
            "uptake_mean": _mean(scored["uptake"]),
            "scored_without": len(without),
            "scaffolding_mean_without": _mean(without["scaffolding_without_resolved"]),
            "uptake_mean_without": _mean(without["uptake_without_resolved"]),
        }


def _wide_traits(traits: pd.DataFrame) -> pd.DataFrame:
    """Give a row for each dataset and a column for each trait, in the order of their first rows."""
    keys = [column for column in ("run", "dataset") if column in traits.columns]
    rows = []
    for key, part in groups(traits, keys):
        rows.append({**key, **dict(zip(part["trait"], part["value"], strict=True))})
        rows[-1]["source"] = "; ".join(dict.fromkeys(part["source"]))
    wide = pd.DataFrame(rows, columns=None if rows else keys, dtype="string")
    return wide[[*(c for c in wide.columns if c != "source"), *(["source"] if rows else [])]]


_REPEATS = ("judge", "separate", "history", "category", "dataset", "metric", "exchanges", "identical", "sd")


def _repeats(ratings: pd.DataFrame) -> Iterator[dict[str, Any]]:
    read = ratings[ratings["reason"].isna()]
    for key, part in groups(read, [*views(read), "category", "dataset"]):
        for metric in ("scaffolding", "uptake_ordinal"):
            values = part.dropna(subset=[metric]).groupby(["chat", "exchange"])[metric]
            repeated = values.agg(["count", "nunique", "var"])
            repeated = repeated[repeated["count"] > 1]
            if len(repeated):
                yield {
                    **key,
                    "metric": metric,
                    "exchanges": len(repeated),
                    "identical": float((repeated["nunique"] == 1).mean()),
                    # Pooled within exchanges, each counting by its degrees of freedom.
                    "sd": math.sqrt(
                        float((repeated["var"] * (repeated["count"] - 1)).sum() / (repeated["count"] - 1).sum())
                    ),
                }


_UNREAD = ("judge", "separate", "history", "category", "dataset", "what", "reason", "count")


def _unread(
    chats: pd.DataFrame, exchanges: pd.DataFrame, ratings: pd.DataFrame, seeking: pd.DataFrame
) -> Iterator[dict[str, Any]]:
    unflagged = ratings[ratings["reason"].isna() & ratings["scaffolding"].notna() & ratings["resolved"].isna()]
    counted = [
        ("chat", chats, "reason"),
        ("exchange", exchanges, "skipped"),
        ("exchange's scaffolding", exchanges, "why_no_scaffolding"),
        ("exchange's uptake", exchanges, "why_no_uptake"),
        ("judge's reply", ratings, "reason"),
        ("judge's flag resolved", unflagged.assign(why="missing_field"), "why"),
    ]
    for what, frame, column in counted:
        for key, part in groups(frame[frame[column].notna()], [*views(frame), "category", "dataset", column]):
            reason = key.pop(column)
            yield {**key, "what": what, "reason": reason, "count": len(part)}
    for key, part in groups(seeking[seeking["reason"].notna()], [*views(seeking), "category", "dataset", "reason"]):
        yield {**key, "what": "message's help-seeking", "count": len(part)}


def _mean(values: pd.Series) -> float:
    return float(values.mean()) if len(values) else math.nan


def _frame(rows: Iterator[dict[str, Any]], columns: Sequence[str] = ()) -> pd.DataFrame:
    held = list(rows)
    return pd.DataFrame(held) if held else pd.DataFrame(columns=list(columns))

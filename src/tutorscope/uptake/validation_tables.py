"""Pairs as tables: how each one ended, and how often the judge was right."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from tutorscope.runs.inputs import Item
from tutorscope.runs.stages import Cell, Done
from tutorscope.stats.intervals import mean_interval
from tutorscope.uptake.validation import SIDES, unit_item
from tutorscope.uptake.views import groups, views

WIN, TIE, LOSS, UNREAD, NOT_RATED = OUTCOMES = ("win", "tie", "loss", "unread", "not_rated")
COLUMNS = ("dataset", "pairs", *OUTCOMES, "read", "accuracy", "accuracy_low", "accuracy_high")


def outcome(better: int | None, worse: int | None) -> str:
    """Say how a pair ended: a win is a strictly higher score of the better reply."""
    if better is None or worse is None:
        return UNREAD
    return WIN if better > worse else TIE if better == worse else LOSS


def pair_rows(
    items: Sequence[Item], cells: Sequence[Cell], done: Mapping[tuple[str, str], Done]
) -> Iterator[dict[str, Any]]:
    """Give a row for each pair and cell.

    Parameters
    ----------
    items : sequence of Item
        The pairs.
    cells : sequence of Cell
    done : mapping
        Cell key and unit item to what was done.
    """
    for cell in cells:
        for item in items:
            sides = {side: done.get((cell.key, unit_item(item.id, side))) for side in SIDES}
            results = {side: one.result for side, one in sides.items() if one}
            scores = {side: results[side]["scaffolding"] if side in results else None for side in SIDES}
            yield {
                "dataset": item.data["dataset"],
                "pair": item.id,
                "label": item.label or None,
                "judge": cell.roles["judge"],
                "separate": cell.condition["separate"],
                "scaffolding_better": scores["better"],
                "scaffolding_worse": scores["worse"],
                "outcome": outcome(scores["better"], scores["worse"]) if len(results) == len(SIDES) else NOT_RATED,
                "why_not_better": results.get("better", {}).get("reason"),
                "why_not_worse": results.get("worse", {}).get("reason"),
                "unread_replies": sum(len(result["reasons"]) for result in results.values()),
            }


def validation(pairs: pd.DataFrame) -> pd.DataFrame:
    """Give how often the better reply has the strictly higher scaffolding.

    Parameters
    ----------
    pairs : DataFrame
        As `records.tables` gives it.

    Returns
    -------
    DataFrame
        A row for each view and dataset: ``pairs`` asked about, ``win``, ``tie``, ``loss``, pairs with an ``unread``
        reply, ``not_rated`` yet, ``read`` (the first three together), ``accuracy`` (wins of those read: a tie is no
        win) and its 95 % bootstrap interval over pairs.
    """
    return pd.DataFrame(_rows(pairs), columns=[*views(pairs), *COLUMNS])


def _rows(pairs: pd.DataFrame) -> Iterator[dict[str, Any]]:
    for key, part in groups(pairs, [*views(pairs), "dataset"]):
        counts = {name: int((part["outcome"] == name).sum()) for name in OUTCOMES}
        read = part[part["outcome"].isin((WIN, TIE, LOSS))]
        found = mean_interval((read["outcome"] == WIN).to_numpy(dtype=float))
        yield {
            **key,
            "pairs": len(part),
            **counts,
            "read": len(read),
            **{"accuracy": found.estimate, "accuracy_low": found.low, "accuracy_high": found.high},
        }

"""How scores move within a chat: its first, middle and last third."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pandas as pd

from tutorscope.stats.intervals import mean_interval
from tutorscope.uptake.views import groups, views

THIRDS = ("first", "middle", "last")
COLUMNS = (
    *("category", "dataset", "metric", "chats", "short", "left_out"),
    *(f"{third}{part}" for third in (*THIRDS, "change") for part in ("", "_low", "_high")),
)

_METRICS = {"scaffolding": "scaffolding", "uptake": "uptake_ordinal"}


def thirds_of(valid: int) -> list[str]:
    """Say in which third each of a chat's valid exchanges lies.

    The k-th of n, from 0, lies in third floor(3 k / n): where n cannot be divided by three, earlier thirds are longer.

    Examples
    --------
    >>> thirds_of(4)
    ['first', 'first', 'middle', 'last']
    """
    return [THIRDS[3 * place // valid] for place in range(valid)]


def movement(exchanges: pd.DataFrame) -> pd.DataFrame:
    """Give each dataset's mean scores by third of the chat, and how far the last third lies from the first.

    Parameters
    ----------
    exchanges : DataFrame
        As `records.tables` gives it.

    Returns
    -------
    DataFrame
        A row for each view, dataset and metric (scaffolding on 1..5; uptake mapped to -1..+1 after averaging):
        ``chats`` with a score in each third, means over them of ``first``, ``middle``, ``last`` and of ``change`` (the
        last third less the first, within the chat), each with its 95 % bootstrap interval over chats. ``short`` counts
        chats of fewer than three valid exchanges; ``left_out`` those with a third without any score: unread, or for
        uptake a first third that is no more than the student's opening.
    """
    return pd.DataFrame(_rows(exchanges), columns=[*views(exchanges), *COLUMNS])


def _rows(exchanges: pd.DataFrame) -> Iterator[dict[str, Any]]:
    valid = exchanges[exchanges["skipped"].isna()]
    for key, part in groups(valid, [*views(valid), "category", "dataset"]):
        sizes = part.groupby("chat", sort=False)["exchange"].transform("size")
        long = part[sizes >= len(THIRDS)].sort_values(["chat", "exchange"])
        order = list(dict.fromkeys(part["chat"]))
        third = [name for _, chat in long.groupby("chat", sort=True) for name in thirds_of(len(chat))]
        for metric, column in _METRICS.items():
            means = long.assign(third=third).pivot_table(index="chat", columns="third", values=column, aggfunc="mean")
            means = means.reindex(columns=list(THIRDS)).dropna()
            # Intervals draw by place: chats stay in the order of the log.
            means = means.reindex([chat for chat in order if chat in means.index])
            if metric == "uptake":
                means = (3 - means) / 2
            chats = long["chat"].nunique()
            yield {
                **key,
                **{"metric": metric, "chats": len(means), "short": len(order) - chats, "left_out": chats - len(means)},
                **_intervals(means),
            }


def _intervals(means: pd.DataFrame) -> dict[str, float]:
    change = means["last"] - means["first"]
    found: dict[str, float] = {}
    for name, values in [*((third, means[third]) for third in THIRDS), ("change", change)]:
        interval = mean_interval(_plain(values))
        found |= {name: interval.estimate, f"{name}_low": interval.low, f"{name}_high": interval.high}
    return found


def _plain(values: pd.Series) -> Sequence[float]:
    return [float(value) for value in values]

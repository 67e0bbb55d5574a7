"""Help-seeking as tables: a row for each student message, and each label's share of a dataset's messages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from tutorscope.runs.stages import Done
from tutorscope.stats.intervals import cluster_mean_interval
from tutorscope.uptake.seeking import LABELS
from tutorscope.uptake.views import groups, views

NOT_ASKED = "not_asked"
COLUMNS = ("category", "dataset", "label", "count", "messages", "unread", "not_asked", "chats", "share", "low", "high")


def seeking_rows(keys: Mapping[str, Any], exchanges: Sequence[int], done: Done | None) -> Iterator[dict[str, Any]]:
    """Give a row for each valid exchange of a chat: its label, or why it has none.

    Parameters
    ----------
    keys : mapping
        What the rows begin with: category, dataset, chat, judge, history.
    exchanges : sequence of int
        The numbers of the chat's valid exchanges.
    done : Done or None
        What the judge said; None if it was not asked yet.
    """
    said = {message["exchange"]: message for message in done.result["messages"]} if done else {}
    for number in exchanges:
        message = said.get(number, {"label": None, "reason": NOT_ASKED, "reasons": []})
        yield {
            **keys,
            "exchange": number,
            "label": message["label"],
            "reason": message["reason"],
            "unread_replies": len(message["reasons"]),
        }


def help_seeking_shares(messages: pd.DataFrame) -> pd.DataFrame:
    """Give how often students sought which help.

    Parameters
    ----------
    messages : DataFrame
        ``help_seeking`` of `records.tables`.

    Returns
    -------
    DataFrame
        A row for each view, dataset and label: ``count`` of ``messages`` with a readable label, their ``share`` and its
        95 % interval (whole chats resampled: messages of one chat hang together), and beside it messages ``unread`` and
        ``not_asked`` yet.
    """
    return pd.DataFrame(_shares(messages), columns=[*views(messages), *COLUMNS])


def _shares(messages: pd.DataFrame) -> Iterator[dict[str, Any]]:
    for key, part in groups(messages, [*views(messages), "category", "dataset"]):
        read = part[part["label"].notna()]
        waiting = int((part["reason"] == NOT_ASKED).sum())
        for label in LABELS:
            is_it = (read["label"] == label).to_numpy(dtype=float)
            found = cluster_mean_interval(is_it, read["chat"].to_numpy(dtype=object))
            yield {
                **key,
                "label": label,
                "count": int(is_it.sum()),
                "messages": len(read),
                "unread": len(part) - len(read) - waiting,
                "not_asked": waiting,
                "chats": read["chat"].nunique(),
                **{"share": found.estimate, "low": found.low, "high": found.high},
            }

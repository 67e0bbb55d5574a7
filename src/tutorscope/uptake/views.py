"""The ways in which the same chats were rated, and going over a table by them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

VIEW = ("run", "judge", "separate", "history")
"""What tells apart the ways in which the same chats were rated."""


def views(frame: pd.DataFrame) -> list[str]:
    """Give the columns of `VIEW` that a table has."""
    return [column for column in VIEW if column in frame.columns]


def groups(frame: pd.DataFrame, by: Sequence[str]) -> Iterator[tuple[dict[str, Any], pd.DataFrame]]:
    """Go over the groups of a table in the order of their first rows."""
    if by and len(frame):
        for key, part in frame.groupby(list(by), sort=False, dropna=False):
            yield dict(zip(by, key, strict=True)), part


def plain_rows(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Give rows as plain data, a missing value as None."""
    held = frame.astype(object).where(frame.notna(), None)
    return [dict(zip(held.columns, row, strict=True)) for row in held.itertuples(index=False, name=None)]


def view_key(row: Mapping[str, Any]) -> tuple[Any, ...]:
    """Give a row's values in the columns of `VIEW` that it has."""
    return tuple(row[column] for column in VIEW if column in row)


def without_single(frame: pd.DataFrame) -> pd.DataFrame:
    """Leave out columns of the view that are the same in every row: the page says elsewhere who judged."""
    same = [column for column in views(frame) if frame[column].nunique(dropna=False) <= 1]
    return frame.drop(columns=same)


def view_names(chats: pd.DataFrame) -> dict[tuple[Any, ...], str]:
    """Name each view by what tells it apart from the others; the only one needs no name."""
    keys = [tuple(key.values()) for key, _ in groups(chats, views(chats))]
    columns = views(chats)
    varied = {column for place, column in enumerate(columns) if len({key[place] for key in keys}) > 1}
    return {key: ", ".join(_said(columns, key, varied)) for key in keys}


def _said(columns: Sequence[str], key: Sequence[Any], varied: set[str]) -> Iterator[str]:
    for column, value in zip(columns, key, strict=True):
        if column not in varied:
            continue
        match column:
            case "run":
                yield f"run {value}"
            case "judge":
                yield f"judge {value}"
            case "separate":
                yield "metrics asked separately" if value else "metrics asked together"
            case "history":
                yield f"last {value} exchanges shown" if value else "whole history shown"

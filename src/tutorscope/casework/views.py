"""Going over tables by run and judge, and the words of the page for what they hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from tutorscope.casework.items import CHALLENGES

VIEW = ("run", "judge")
"""What is measured apart: runs, and who judged."""

ITEM = ("tutor", "form", "horizon", "item")
REPLY = (*ITEM, "replicate")
"""The columns that tell a question to a tutor, and its reply, from the others of a run."""

ALL = "all"

HORIZON_WORDS = {"immediate": "immediate", "long_term": "long-term", ALL: "both horizons"}
FORM_WORDS = {
    "open": "open questions",
    "reference": "open questions with references",
    "mcq": "choices of four",
    "binary": "choices of two",
}


def views(frame: pd.DataFrame, *more: str) -> list[str]:
    """Give the columns of `VIEW`, and of others named, that a table has."""
    return [column for column in (*VIEW, *more) if column in frame.columns]


def groups(frame: pd.DataFrame, by: Sequence[str]) -> Iterator[tuple[dict[str, Any], pd.DataFrame]]:
    """Go over the groups of a table in the order of their first rows; without columns to go by, the table is one."""
    if not by and len(frame):
        yield {}, frame
    elif len(frame):
        for key, part in frame.groupby(list(by), sort=False, dropna=False):
            yield dict(zip(by, key, strict=True)), part


def horizons(frame: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Give the rows of each horizon, and of both as "all" where there are two."""
    held = list(dict.fromkeys(frame["horizon"]))
    for horizon in held:
        yield str(horizon), frame[frame["horizon"] == horizon]
    if len(held) > 1:
        yield ALL, frame


def challenges(frame: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Give all rows as "all", then those of each challenge type: the paper's five in its order, then others."""
    yield ALL, frame
    held = set(frame["challenge"])
    for challenge in [*(one for one in CHALLENGES if one in held), *sorted(map(str, held - set(CHALLENGES)))]:
        yield challenge, frame[frame["challenge"] == challenge]


def challenge_words(key: str) -> str:
    """Name a challenge type."""
    return "All challenge types" if key == ALL else CHALLENGES.get(key, key)


def plain_rows(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Give rows as plain data, a missing value as None."""
    held = frame.astype(object).where(frame.notna(), None)
    return [dict(zip(held.columns, row, strict=True)) for row in held.itertuples(index=False, name=None)]


def rows_frame(rows: Iterator[Mapping[str, Any]], columns: Sequence[str]) -> pd.DataFrame:
    """Make a table of rows; an empty one keeps its columns."""
    held = list(rows)
    return pd.DataFrame(held) if held else pd.DataFrame(columns=list(columns))


def quick(frame: pd.DataFrame) -> pd.DataFrame:
    """Hold texts as Python's own: a table of them is cut into many small parts ten times faster."""
    texts = [name for name, kind in frame.dtypes.items() if isinstance(kind, pd.StringDtype)]
    return frame.astype(dict.fromkeys(texts, object))


def without_single(frame: pd.DataFrame, *columns: str) -> pd.DataFrame:
    """Leave out columns of the view, and others named, that are the same in every row."""
    held = [name for name in (*VIEW, *columns) if name in frame.columns]
    return frame.drop(columns=[name for name in held if frame[name].nunique(dropna=False) <= 1])

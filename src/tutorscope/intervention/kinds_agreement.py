"""How far two judges put the same messages into the same categories."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from tutorscope.intervention.frames import groups, table
from tutorscope.stats.agreement import gwet_ac1, percent_agreement

AGREEMENT = (
    *("run", "taxonomy", "dimension", "first", "second", "categories"),
    *("n", "left_out", "agreement", "ac1", "low", "high"),
)
_KEY = ["run", "taxonomy", "dimension"]
_MESSAGE = [
    *("tutor", "student", "problem", "condition", "increment", "variant", "ask_at_end"),
    *("replicate", "participant"),
]


def category_agreement(messages: pd.DataFrame, taxonomies: pd.DataFrame) -> pd.DataFrame:
    """Compare the labels of each two judges: share of equal ones, and Gwet's AC1.

    Parameters
    ----------
    messages : DataFrame
        The table ``messages``.
    taxonomies : DataFrame
        The table ``taxonomies``. All categories of a list belong to its scale, those that nobody chose included: AC1
        depends on how many there are.

    Returns
    -------
    DataFrame
        A row for each run, taxonomy, dimension and two judges: ``n`` messages that both labelled, ``left_out`` that
        only one of them did. ``low`` and ``high`` belong to AC1. Without a pair the numbers are nan.
    """
    return table(_rows(messages, taxonomies), AGREEMENT)


def _rows(messages: pd.DataFrame, taxonomies: pd.DataFrame) -> Iterator[dict[str, Any]]:
    named = taxonomies[taxonomies["category"] != ""]
    for key, part in groups(messages, _KEY):
        one_list = named[np.logical_and.reduce([named[column] == key[column] for column in _KEY])]
        names = list(dict.fromkeys(one_list["category"]))
        labelled = part[part["category"] != ""]
        for first, second in combinations(part["judge"].unique(), 2):
            wide = pd.concat([_labels(labelled, first), _labels(labelled, second)], axis=1)
            pairs = wide.dropna().to_numpy(dtype=object)
            # A scale of one category leaves nothing to agree on by chance.
            estimable = len(pairs) > 0 and len(names) > 1
            ac1 = gwet_ac1(pairs, names) if estimable else None
            yield {
                **key,
                "first": first,
                "second": second,
                "categories": len(names),
                "n": len(pairs),
                "left_out": len(wide) - len(pairs),
                "agreement": percent_agreement(pairs, names).estimate if estimable else np.nan,
                "ac1": ac1.estimate if ac1 else np.nan,
                "low": ac1.low if ac1 else np.nan,
                "high": ac1.high if ac1 else np.nan,
            }


def _labels(labelled: pd.DataFrame, judge: str) -> pd.Series:
    held = [name for name in _MESSAGE if name in labelled]
    return labelled[labelled["judge"] == judge].groupby(held, sort=False)["category"].first()

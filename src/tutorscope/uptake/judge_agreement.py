"""Judges side by side: the first rating of each exchange by each, in the shape that `people.agreement` compares."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from tutorscope.people.agreement import judge_agreement
from tutorscope.people.forms import JudgeScale
from tutorscope.uptake.views import groups, views

_POINTS = (1, 2, 3, 4, 5)
_SCALES = {"scaffolding": ("scaffolding", "why_no_scaffolding"), "uptake": ("uptake_ordinal", "why_no_uptake")}


def judges_agree(tables: Mapping[str, pd.DataFrame], names: Mapping[tuple[object, ...], str]) -> pd.DataFrame:
    """Compare the ways in which the same exchanges were rated, two at a time.

    Parameters
    ----------
    tables : mapping
        ``exchanges`` and ``ratings``.
    names : mapping
        What each view (its values of the columns of `VIEW`) is called.

    Returns
    -------
    DataFrame
        As `people.agreement.judge_agreement` gives it, over all and by dataset. Exchanges that nobody could be asked
        about (no framing yet) are left out; those that one judge left unread are counted there.
    """
    exchanges, ratings = tables["exchanges"], tables["ratings"]
    asked = exchanges[exchanges["skipped"].isna()]
    scales = []
    for scale, (column, why) in _SCALES.items():
        keys = [*views(exchanges), "chat", "exchange"]
        first = ratings[(ratings["replicate"] == 0) & ratings[column].notna()]
        values = first[[*keys, column]].rename(columns={column: "value"})
        rows = asked[asked[why].isna() | (asked[why] != "no_framing_yet")].merge(values, on=keys, how="left")
        parts = [
            pd.DataFrame(
                {
                    "unit": part["chat"] + "/" + part["exchange"].astype("string"),
                    "judge": names[tuple(key.values())],
                    "dataset": part["dataset"],
                    "value": part["value"],
                }
            )
            for key, part in groups(rows, views(rows))
        ]
        if parts:
            scales.append(JudgeScale(scale, _POINTS, pd.concat(parts, ignore_index=True)))
    return judge_agreement(scales, ["dataset"])

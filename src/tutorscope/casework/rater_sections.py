"""The page on what people say of the material."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from tutorscope.casework.views import challenge_words, plain_rows, without_single
from tutorscope.pictures.blocks import Block, Table

_QUESTIONS = {"grounded": "grounded in its source", "confirmed": "the right challenge type"}
_ANSWERS = {("grounded", "3"): "yes", ("grounded", "2"): "partly", ("grounded", "1"): "no"}


def rater_blocks(numbers: Mapping[str, pd.DataFrame]) -> Iterator[Block]:
    """Lay out agreement and shares by stage and challenge type; nothing where no rater answered."""
    agreement, shares = numbers.get("rater_agreement"), numbers.get("rater_shares")
    if agreement is None or shares is None or not len(agreement):
        return
    yield Table(
        "rater_agreement",
        "How far raters agree with each other on the material: the same answer from all of them, and Gwet's AC1, over "
        "the n things that two raters or more answered. Unanswered and unread answers are summed over raters.",
        _laid(agreement, _agreement_row),
        {"exact": "{:.1%}", "AC1": "{:.3f}"},
        {"exact": "all say the same", "interval": "95\u00a0% interval", "why": "why no AC1"},
    )
    yield Table(
        "rater_shares",
        "What raters answered. The mean is of the three points: 3 yes, 2 partly, 1 no. The paper's stages lie between "
        "2.42 and 2.69 (a different instrument: its own material and raters).",
        _laid(shares, _share_row),
        {"share": "{:.1%}", "mean": "{:.2f}"},
        {"n": "of answers"},
    )


def _laid(frame: pd.DataFrame, make: Any) -> pd.DataFrame:
    names = [name for name in ("run", "pass") if name in frame.columns]
    rows = [
        {**{name: row[name] for name in names}, "what was asked": _QUESTIONS.get(row["question"], row["question"])}
        | {"of": _where(row), **make(row)}
        for row in plain_rows(frame)
    ]
    held = without_single(pd.DataFrame(rows), "pass")
    return held.drop(columns=[name for name in ("why",) if name in held.columns and held[name].isna().all()])


def _agreement_row(row: Mapping[str, Any]) -> dict[str, Any]:
    low, high = row["ac1_low"], row["ac1_high"]
    ends = None if low is None or high is None else f"{low:.2f} to {high:.2f}".replace("-", "−").replace(" ", "\u00a0")
    return {
        **{"things": row["items"], "raters": row["raters"], "unanswered": row["unanswered"], "not read": row["unread"]},
        **{"n": row["compared"], "exact": _float(row["exact"]), "AC1": _float(row["ac1"]), "interval": ends},
        "why": row["why_no_ac1"],
    }


def _share_row(row: Mapping[str, Any]) -> dict[str, Any]:
    answer = _ANSWERS.get((row["question"], row["label"]), row["label"])
    return {
        **{"answer": answer, "count": row["count"], "n": row["answers"], "share": _float(row["share"])},
        "mean": _float(row["mean"]),
    }


def _where(row: Mapping[str, Any]) -> str:
    if row["by"] == "all":
        return "all"
    return challenge_words(str(row["group"])) if row["by"] == "challenge" else f"{row['by']}: {row['group']}"


def _float(value: Any) -> float:
    return float("nan") if value is None else float(value)

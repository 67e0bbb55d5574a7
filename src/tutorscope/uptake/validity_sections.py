"""The page on whether the judge is right: pairs with a known better reply, raters, and judges side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from tutorscope.pictures.blocks import Block, Prose, Table
from tutorscope.uptake.published import DIFFERENT_INSTRUMENT, published_agreement, published_validation
from tutorscope.uptake.score_tables import interval
from tutorscope.uptake.views import plain_rows, views, without_single

Frames = Mapping[str, pd.DataFrame]

_FORMS = {
    "accuracy": "{:.1%}",
    "agree": "{:g}",
    "disagree": "{:g}",
    "total": "{:g}",
    "percent_agree": "{:.1f}",
    "ac1": "{:.3f}",
    **dict.fromkeys(("exact", "within_one"), "{:.0%}"),
    **dict.fromkeys(("kappa", "rho"), "{:+z.3f}"),
}
_LABELS = {
    "accuracy_interval": "95\u00a0%",
    "ac1_interval": "95\u00a0%",
    "ac1": "AC1",
    "percent_agree": "% agree",
    "unread": "not read",
    "judge_a": "a",
    "judge_b": "b",
    "kappa": "quadratic kappa",
    "left_out": "not read by both",
}


def validity_blocks(numbers: Frames) -> Iterator[Block]:
    """Lay out what there is: nothing where no pair was judged, no rater answered and one judge rated."""
    if len(numbers["validation"]):
        yield from _pairs(numbers["validation"])
    if len(numbers["rater_agreement"]):
        yield from _raters(numbers["rater_agreement"])
    if len(numbers["judge_agreement"]):
        yield from _judges(numbers["judge_agreement"])


def _pairs(validation: pd.DataFrame) -> Iterator[Block]:
    held = without_single(validation)
    rows = []
    for row in plain_rows(held):
        printed: dict[str, Any] = {name: row[name] for name in [*views(held), "dataset"]}
        printed |= {"source": "this run"}
        printed |= {name: row[name] for name in ("pairs", "win", "tie", "loss", "unread", "not_rated", "accuracy")}
        rows.append({**printed, "accuracy_interval": interval(row, "accuracy", "{:.1%}")})
    rows.append({"source": "published", **published_validation()})
    frame = pd.DataFrame(rows)
    counts = ("pairs", "win", "tie", "loss", "unread", "not_rated")
    frame = frame.astype(dict.fromkeys(counts, "Int64")).assign(accuracy=pd.to_numeric(frame["accuracy"]))
    yield Table(
        "validation",
        "Pairs of replies of which people know the better one, each reply rated by itself. A win is a strictly higher "
        "scaffolding of the better reply; accuracy is the share of wins among the pairs of which both could be read.",
        frame,
        _FORMS,
        _LABELS,
    )
    yield Prose(
        f"{DIFFERENT_INSTRUMENT} They are for pairs of MathTutorBench's reward-model data (Table 3).",
        "note",
    )


def _raters(agreement: pd.DataFrame) -> Iterator[Block]:
    held = agreement[agreement["question"] == "verdict"] if "question" in agreement.columns else agreement
    same = [name for name in ("run", "judge", "pass") if name in held.columns and held[name].nunique() <= 1]
    keys = [name for name in ("run", "judge", "pass") if name in held.columns and name not in same]
    for by, caption in (
        ("all", "How far raters agree with the judge's scores of whole chats. Counts are averaged over raters."),
        ("dataset", "The same by dataset."),
        ("bin", "The same by the judge's mean uptake of the chat, from 1 to 5, rounded."),
    ):
        rows: list[dict[str, Any]] = []
        for row in plain_rows(held[held["by"] == by]):
            names = {name: row[name] for name in keys}
            counted = {name: row[name] for name in ("raters", "total", "agree", "disagree", "percent_agree", "ac1")}
            counted |= {"ac1_interval": interval(row, "ac1", "{:.2f}"), "compared": row["compared"]}
            counted |= {name: row[name] for name in ("unanswered", "unread")}
            rows.append({**names, by: row["group"], "source": "this run", **counted})
            known = published_agreement(by, row["group"])
            if known:
                rows.append({**names, by: row["group"], "source": "published", **known})
        if rows:
            frame = pd.DataFrame(rows)
            whole = ("raters", "compared", "unanswered", "unread")
            frame = frame.astype(dict.fromkeys(whole, "Int64"))
            for name in ("total", "agree", "disagree", "percent_agree", "ac1"):
                frame[name] = pd.to_numeric(frame[name])
            kept = frame.drop(columns=by) if by == "all" else frame
            yield Table(f"rater_agreement_{by}", caption, kept, _FORMS, _LABELS)
    yield Prose(f"{DIFFERENT_INSTRUMENT} Its two raters saw 282 chats (Tables 4 and 5).", "note")


def _judges(agreement: pd.DataFrame) -> Iterator[Block]:
    columns = ["scale", "judge_a", "judge_b", "by", "group", "compared", "left_out"]
    columns += ["exact", "within_one", "kappa", "rho", "why_none"]
    held = agreement[columns]
    held = held.drop(columns=["why_none"]) if held["why_none"].isna().all() else held
    yield Table(
        "judge_agreement",
        "Judges side by side, exchange by exchange, by the first rating of each: the same score, scores at most one "
        "apart, Cohen's kappa with quadratic weights, Spearman's correlation.",
        held,
        _FORMS,
        _LABELS,
    )

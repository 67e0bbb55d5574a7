"""The page on what was asked, of which release, and what is not there or could not be read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from tutorscope.casework.choice_sections import AS_RELEASED, OTHER_CATEGORIES
from tutorscope.casework.irregularities import LEFT_OUT
from tutorscope.casework.page_tables import table
from tutorscope.casework.references import BY_CATEGORY
from tutorscope.casework.success import WITH
from tutorscope.casework.views import ALL, VIEW, plain_rows
from tutorscope.pictures.blocks import Block, Prose

Frames = Mapping[str, pd.DataFrame]

NO_TEXT = "of these without a text"
_LACKING = ("unread", "empty", "refused", "owed", "erred")


def asked_blocks(tables: Frames, numbers: Frames) -> Iterator[Block]:
    """Say which release and questions were asked, what was left out of it, and how many answers are there."""
    many = len(tables["release"]) > 1
    for row in plain_rows(tables["release"]):
        named = f"{row['run']}: " if many else ""
        yield Prose(named + _release_words(row))
        if row["left_out"]:
            yield Prose(f"{named}Left out when it was loaded: {_left_out_words(row['left_out'])}", "warning")
        if row["as_released"]:
            yield Prose(named + AS_RELEASED, "note")
    if len(tables["questions"]):
        yield table(
            "questions",
            "The questions, of how many scenarios and categories. Open questions are asked again with references.",
            tables["questions"],
            ["run", "form", "horizon", "questions", "scenarios", "categories"],
        )
    coverage = numbers["coverage"]
    if len(coverage):
        yield table(
            "coverage",
            "Answers that were asked for, a question once for each order and replicate: answered so that they can be "
            "read, not read (some of these empty or refused by the provider), or owed because they are missing (some "
            "of these erred). In a judge's row stand the replies that came back: answered are those that are decided, "
            "not read those of which no criterion could be read. A reply without a text is decided without a call, as "
            "a failure: it is among the answered. "
            "Horizons stand apart where something is owed.",
            _coverage_rows(coverage, numbers["reply_scores"]),
            ["run", "tutor", "judge", "form", "horizon", "asked", "answered", NO_TEXT, *_LACKING],
        )
    if tables["neighbours"]["other"].fillna("").str.contains(BY_CATEGORY).any():
        yield Prose(OTHER_CATEGORIES, "note")


def unread_blocks(tables: Frames, numbers: Frames) -> Iterator[Block]:
    """Count what is not there or could not be read, by what and why."""
    yield Prose(
        "What could not be read was asked again, up to three times in all, and is then counted here. An unread "
        "criterion is neither met nor missed; an unread choice is wrong; an empty reply meets nothing. An answer that "
        "erred is in no other table: run the same command again to try it."
    )
    if len(numbers["unread"]):
        yield table(
            "unread",
            "By what it was and why, of how many, beside how many answers were asked for.",
            numbers["unread"],
            ["run", "judge", "tutor", "form", "horizon", "what", "reason", "count", "of", "asked"],
        )
    else:
        yield Prose("Everything could be read.")
    without = tables["neighbours"]
    without = without[without["found"] == 0]
    if len(without):
        yield Prose(f"{len(without):,} questions had no like case to refer to and were not asked with references.")


def _release_words(row: Mapping[str, Any]) -> str:
    limit = f"; of each form and horizon the first, --limit {row['limit']}" if row["limit"] not in ("", "none") else ""
    papers = "; with a table of papers" if row["paper_table"] else ""
    return (
        f"Asked was the release {row['release']} (fingerprint {str(row['fingerprint'])[:12]}): {row['scenarios']:,} "
        f"scenarios of {row['categories']:,} categories, {row['rubrics']:,} rubrics with {row['criteria']:,} criteria"
        f"{papers}{limit}."
    )


def _told(coverage: pd.DataFrame) -> pd.DataFrame:
    """Leave out horizons of which nothing is owed, where both together have a row."""
    keys = [name for name in ("run", "judge", "tutor", "form") if name in coverage.columns]
    both = {tuple(row[name] for name in keys) for row in plain_rows(coverage) if row["horizon"] == ALL}
    told = [
        row["horizon"] == ALL or row["owed"] > 0 or tuple(row[name] for name in keys) not in both
        for row in plain_rows(coverage)
    ]
    return coverage[told]


def _coverage_rows(coverage: pd.DataFrame, scores: pd.DataFrame) -> pd.DataFrame:
    """Count in judges' rows the replies that failed for want of a text; empty and refused are said of answers alone."""
    held = _told(coverage)
    of_judge = held["judge"].notna()
    keys = [name for name in (*VIEW, "tutor", "form", "horizon") if name in held.columns]
    silent = scores[scores["no_reply"].astype(bool) & (scores["negatives"] == WITH)] if len(scores) else scores
    counts: Counter[tuple[Any, ...]] = Counter()
    for row in plain_rows(silent):
        for horizon in (row["horizon"], ALL):
            counts[tuple({**row, "horizon": horizon}[name] for name in keys)] += 1
    without = [counts[tuple(row[name] for name in keys)] for row in plain_rows(held)]
    held = held.assign(
        **{name: held[name].astype("Int64").mask(of_judge) for name in ("empty", "refused")},
        judge=held["judge"].fillna("(answers)"),
    )
    if any(without):
        held[NO_TEXT] = pd.Series(without, index=held.index, dtype="Int64").where(of_judge)
    return held


def _left_out_words(said: str) -> str:
    """Put what a kind means beside its name."""
    parts = []
    for part in said.split("; "):
        kind, _, rest = part.partition(": ")
        parts.append(f"{LEFT_OUT.get(kind, kind)}: {rest}")
    return "; ".join(parts) + ". `tutorscope casework check` lists them all."

"""What the page says, in order: the result, what was asked, success, choices, references, diversity, replies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from tutorscope.casework.asked_sections import asked_blocks, unread_blocks
from tutorscope.casework.choice_sections import choice_blocks, difference_blocks, reference_blocks
from tutorscope.casework.clusters import LEAST_CATEGORIES
from tutorscope.casework.diversity_sections import diversity_blocks, ranking_blocks
from tutorscope.casework.figures import View, overall, shown_views
from tutorscope.casework.headline import OPEN_FORMS, headline, in_short
from tutorscope.casework.page_tables import table, with_bounds, with_coverage, with_intervals
from tutorscope.casework.rater_sections import rater_blocks
from tutorscope.casework.success_sections import BIAS, success_blocks
from tutorscope.casework.transcripts import reader
from tutorscope.casework.views import ALL, plain_rows
from tutorscope.pictures.blocks import Block, Prose, Section

Frames = Mapping[str, pd.DataFrame]


def sections(tables: Frames, numbers: Frames, figures: Path, texts: str = "sample") -> list[Section]:
    """Make the sections of the page.

    Parameters
    ----------
    tables, numbers : mapping
        As `records.tables` and `measures.measures` give them.
    figures : Path
        Where figures are saved.
    texts : {"none", "sample", "all"}
        How much of what was said the page will hold: it takes it out itself.
    """
    shown = shown_views(numbers)
    made: list[tuple[str, str, Iterator[Block]]] = [
        ("result", "Result", _result(tables, numbers)),
        ("asked", "What was asked", asked_blocks(tables, numbers)),
        ("success", "Does the reply meet the case?", success_blocks(shown, numbers, figures)),
        ("choices", "Can it tell what helps?", choice_blocks(shown, tables, numbers, figures)),
        ("references", "Do like cases help?", reference_blocks(shown, tables, numbers, figures)),
        ("diversity", "Does it say the same to every student?", diversity_blocks(shown, numbers, figures)),
        ("differences", "Tutors side by side", difference_blocks(numbers)),
        ("rankings", "Do judges and releases rank tutors alike?", ranking_blocks(numbers)),
        ("replies", "The replies, with the criteria they met and missed", _replies(tables, shown)),
        ("validation", "What people say of the material", rater_blocks(numbers)),
        ("unread", "What could not be read", unread_blocks(tables, numbers)),
    ]
    held = [Section(anchor, title, list(blocks)) for anchor, title, blocks in made]
    return [one for one in held if one.blocks]


def _result(tables: Frames, numbers: Frames) -> Iterator[Block]:
    short = in_short(numbers)
    for line in [short] if short else headline(tables, numbers):
        yield Prose(line, "headline")
    rows = _result_rows(numbers)
    if len(rows):
        yield table(
            "result",
            "Open replies that meet at least one criterion of their case, by each judge, and choices that are right, "
            "over the horizons that were asked. n are the replies whose success is known, or the choices that came "
            "back. Answered is what could be read. Of what could not, some of it empty or refused by the provider, a "
            "reply without a text fails and a choice without a letter is wrong: both are in n. Unknown replies have an "
            "unread criterion, and are not in n. "
            f"There is no interval over fewer than {LEAST_CATEGORIES} categories, or where all are alike.",
            rows,
            [
                *("run", "tutor", "form", "judge", "result", "interval", "n", "unread", "empty", "refused", "unknown"),
                *("bounds", "asked", "answered", "erred"),
            ],
        )
    for line in _warnings(tables, numbers):
        yield Prose(line, "warning")
    yield Prose(
        "A reply succeeds if it meets at least one criterion of its case: the criteria are different ways that are "
        "documented to have helped this student. Satisfaction is the share of them that it meets.",
        "note",
    )


def _result_rows(numbers: Frames) -> pd.DataFrame:
    """Put open success by each judge and accuracy on choices under one another, beside what was asked."""
    won, chosen, coverage = overall(numbers["success"]), numbers["choice_accuracy"], numbers["coverage"]
    parts = []
    if len(won):
        parts.append(with_bounds(with_intervals(won)).assign(result=won["success"]))
    if len(chosen):
        right = chosen[chosen["challenge"] == ALL]
        parts.append(with_intervals(right).assign(result=right["accuracy"], judge=None))
    if len(coverage):
        # What nobody answered, or nobody judged, has a row too.
        own = coverage[coverage["judge"].isna()]
        keys = [name for name in ("run", "tutor", "form", "horizon") if name in own.columns]
        there = {tuple(row[name] for name in keys) for part in parts for row in plain_rows(part)}
        lacking = [row for row in plain_rows(own[keys]) if tuple(row[name] for name in keys) not in there]
        parts.append(pd.DataFrame(lacking, columns=keys).assign(n=0, judge=None))
    held = [part.astype(object) for part in parts if len(part)]
    if not held:
        return pd.DataFrame()
    rows = with_coverage(pd.concat(held, ignore_index=True), coverage)
    rows = rows[rows.index.isin(_whole(rows))]
    judge = [_judge_words(row) for row in plain_rows(rows)]
    rows = rows.assign(
        judge=judge,
        n=rows["n"].astype("Int64"),
        result=rows["result"].astype(float) if "result" in rows else float("nan"),
    )
    if "unknown" in rows.columns:
        rows = rows.assign(unknown=rows["unknown"].astype("Int64"))
    order = {name: place for place, name in enumerate(dict.fromkeys(rows["tutor"]))}
    return rows.sort_values("tutor", key=lambda names: names.map(order), kind="stable")


def _whole(rows: pd.DataFrame) -> list[Any]:
    """Give the rows over both horizons, and those of the only one that was asked."""
    keys = [name for name in ("run", "judge", "tutor", "form") if name in rows.columns]
    several = {tuple(row[name] for name in keys) for row in plain_rows(rows) if row["horizon"] == ALL}
    return [
        place
        for place, row in zip(rows.index, plain_rows(rows), strict=True)
        if row["horizon"] == ALL or tuple(row[name] for name in keys) not in several
    ]


def _judge_words(row: Mapping[str, Any]) -> str:
    if row["form"] not in OPEN_FORMS:
        return "–"
    return str(row["judge"]) if row["judge"] is not None else "not judged"


def _warnings(tables: Frames, numbers: Frames) -> Iterator[str]:
    judges = {str(judge) for judge in tables["decisions"]["judge"].dropna()}
    if any(judge.split(" ")[0].split(":")[0] == "embedded" for judge in judges):
        yield (
            "The embedded model judged here. It shows that the machinery works: a model of its size gives no verdict "
            "on any tutor."
        )
    if len(numbers["success"]) and numbers["success"]["unknown"].any():
        yield BIAS


def _replies(tables: Frames, shown: Sequence[View]) -> Iterator[Block]:
    if len(tables["replies"]):
        yield reader(tables, shown)

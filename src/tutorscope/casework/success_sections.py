"""The page on success: by horizon, challenge type and group, without purely negative criteria, satisfaction."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pandas as pd

from tutorscope.casework.answering import OPEN
from tutorscope.casework.clusters import LEAST_CATEGORIES
from tutorscope.casework.figures import View, overall, success_figure
from tutorscope.casework.page_tables import drawn, floats, table, with_bounds, with_coverage, with_intervals
from tutorscope.casework.published import DIFFERENT_INSTRUMENT, published_success
from tutorscope.casework.success import WITHOUT
from tutorscope.casework.views import ALL, plain_rows
from tutorscope.pictures.blocks import Block, Prose

Frames = Mapping[str, pd.DataFrame]

_WHO = ("run", "judge", "tutor", "form", "horizon")

BIAS = (
    "Success is over the replies of which it is known. A reply with a criterion that could not be read stays in n only "
    "if it meets another one, so success is too high rather than too low where replies are unknown. What holds for all "
    "judged replies lies between two bounds: every unknown reply counted as a failure, and every one as a success."
)
NO_INTERVAL = (
    f"Intervals resample whole categories. With fewer than {LEAST_CATEGORIES} of them, or where all are alike, there "
    "is none: it would be too narrow, or of no width, which looks like certainty."
)


def success_blocks(shown: Sequence[View], numbers: Frames, figures: Path) -> Iterator[Block]:
    """Lay out success and satisfaction; nothing where no reply is judged."""
    held = numbers["success"]
    if not len(held):
        return
    yield from drawn(success_figure(view, numbers, figures) for view in shown)
    every = with_coverage(with_bounds(with_intervals(overall(held))), numbers["coverage"])
    known = [
        published_success(row["tutor"], row["horizon"]) if row["form"] == OPEN else None for row in plain_rows(every)
    ]
    yield table(
        "success",
        "Success over all challenge types. Of the replies asked for, n are judged and their success is known; they are "
        "of so many categories. Replies without a text (not read: empty, or refused by the provider) are among them "
        "and fail.",
        every.assign(published=floats(every, known)),
        [
            *(
                *_WHO,
                "asked",
                "unread",
                "empty",
                "refused",
                "unknown",
                "n",
                "categories",
                "success",
                "interval",
                "bounds",
                "published",
            ),
        ],
    )
    yield Prose(NO_INTERVAL, "note")
    without = with_bounds(with_intervals(overall(held, negatives=WITHOUT)))
    if (without["left_out"] > 0).any() or not _same(overall(held), without):
        yield table(
            "success_without_negatives",
            "The same without purely negative criteria, which a bland reply can meet. Left out are replies that no "
            "other criterion is about.",
            without,
            [*_WHO, "left_out", "unknown", "n", "categories", "success", "interval", "bounds"],
        )
    satisfied = with_intervals(overall(held, negatives=""), "s_")
    satisfied = satisfied.drop(columns=["n", "categories"]).rename(
        columns={"n_satisfaction": "n", "s_categories": "categories"}
    )
    yield table(
        "satisfaction",
        "Satisfaction: the mean share of criteria met, over the n replies of which every criterion could be read, with "
        "the purely negative criteria and without.",
        satisfied.rename(columns={"negatives": "negative criteria"}),
        [*_WHO, "negative criteria", "n", "categories", "satisfaction", "interval"],
    )
    by_challenge = with_bounds(with_intervals(overall(held, challenge="")))
    yield table(
        "success_by_challenge",
        "Success by challenge type, with all criteria.",
        by_challenge[by_challenge["challenge"] != ALL],
        [*_WHO, "challenge", "unknown", "n", "categories", "success", "interval", "bounds"],
    )
    groups = with_bounds(with_intervals(held))
    groups = groups[(groups["by"] != ALL) & (groups["negatives"] != WITHOUT)]
    if len(groups):
        caption = "The same by the groups of your table. Groups differ in size and in cases: compare with care."
        columns = [*_WHO, "by", "group", "unknown", "n", "categories", "success", "interval", "bounds"]
        yield table("success_by_group", caption, groups, columns)
    yield Prose(DIFFERENT_INSTRUMENT, "note")


def _same(first: pd.DataFrame, second: pd.DataFrame) -> bool:
    columns = ["n", "unknown", "success"]
    return first[columns].reset_index(drop=True).equals(second[columns].reset_index(drop=True))

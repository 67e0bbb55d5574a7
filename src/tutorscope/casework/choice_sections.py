"""The page on choices and on references: accuracy beside its baselines, position bias, shared failures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pandas as pd

from tutorscope.casework.clusters import LEAST_CATEGORIES
from tutorscope.casework.figures import View, open_and_choice, reference_figure
from tutorscope.casework.page_tables import drawn, floats, table, with_coverage, with_intervals
from tutorscope.casework.published import published_accuracy, published_reference_effect
from tutorscope.casework.references import BY_CATEGORY
from tutorscope.casework.tasks import MCQ
from tutorscope.casework.views import ALL, plain_rows
from tutorscope.pictures.blocks import Block, Prose

Frames = Mapping[str, pd.DataFrame]

AS_RELEASED = "The choices did not say which horizon is wanted (--as-released), as the released question does not."
OTHER_CATEGORIES = (
    "No paper is known of some of the cases: their references come from other categories of the same release, which "
    "may be of the same paper."
)
PAIRS = (
    "Of the items asked, n are known on both sides; unpaired ones have no answer, or none that is judged, on one side "
    "or both; unknown ones have an answer on both, and whether one of them succeeds could not be read."
)


def choice_blocks(shown: Sequence[View], tables: Frames, numbers: Frames, figures: Path) -> Iterator[Block]:
    """Lay out accuracy, baselines, bias and failures; nothing where no choice was answered."""
    held = numbers["choice_accuracy"]
    if not len(held):
        return
    if not tables["answers"]["horizon_stated"].all():
        yield Prose(AS_RELEASED, "warning")
    yield from drawn(open_and_choice(view, numbers, figures) for view in shown)
    every = with_coverage(with_intervals(held[held["challenge"] == ALL]), numbers["coverage"])
    known = [
        published_accuracy(row["tutor"]) if (row["form"], row["horizon"]) == (MCQ, ALL) else None
        for row in plain_rows(every)
    ]
    yield table(
        "choice_accuracy",
        "Choices. An answer that could not be read is wrong and counted; some are empty or refused by the provider. n "
        "counts answers: a choice once in each order and replicate. There is no interval over fewer than "
        f"{LEAST_CATEGORIES} categories, or where all are alike.",
        every.assign(published=floats(every, known)),
        [
            *("run", "tutor", "form", "horizon", "asked", "erred", "n", "unread", "empty", "refused", "categories"),
            *("accuracy", "interval", "chance", "published"),
        ],
    )
    yield table(
        "choice_baselines",
        "What rules reach that read nothing: always the best letter, always the longest option, always the shortest; "
        "and how often the tutor picked the longest and the shortest.",
        every,
        [
            *("run", "tutor", "form", "horizon", "n", "unread", "accuracy", "letter_baseline", "longest_baseline"),
            *("shortest_baseline", "picked_longest", "picked_shortest"),
        ],
    )
    turned = every[every["same_option_n"] + every["same_option_left_out"] > 0]
    if len(turned):
        columns = ["run", "tutor", "form", "horizon", "rotations", "same_option", "same_option_n"]
        yield table(
            "same_option",
            "Choices that got the same option in all orders in which they were read, of the n that were read in two "
            "orders or more.",
            turned,
            [*columns, "same_option_left_out"],
        )
    yield table(
        "choice_accuracy_by_challenge",
        "Accuracy by challenge type.",
        with_intervals(held[held["challenge"] != ALL]),
        [
            *("run", "tutor", "form", "horizon", "challenge", "n", "unread", "empty", "refused", "categories"),
            *("accuracy", "interval", "longest_baseline"),
        ],
    )
    yield table(
        "position_bias",
        "How often each letter was picked, and how often the right option stood there. Rotations tell a bias from what "
        "the options say: run with --permutations 4.",
        numbers["position_bias"],
        ["run", "tutor", "form", "letter", "n", "rotations", "picked", "expected"],
    )
    failed = numbers["failures"]
    if len(failed):
        columns = ["run", "form", "horizon", "challenge", "tutors", "n", "left_out", "all_right", "all_wrong"]
        yield table(
            "failures",
            "Choices on which all tutors are right, or all wrong, and of the latter those where all picked the same "
            "wrong option. Left out are choices that not all of them answered. The paper, 11 models: 26.8 %, 17.5 % "
            "and 40.3 % (a different instrument).",
            failed,
            [*columns, "n_all_wrong", "same_distractor"],
        )


def reference_blocks(shown: Sequence[View], tables: Frames, numbers: Frames, figures: Path) -> Iterator[Block]:
    """Lay out what references do; nothing where no reply was given both ways."""
    held = numbers["reference_effect"]
    if not len(held):
        return
    yield from drawn(reference_figure(view, numbers, figures) for view in shown)
    known = [None if one is None else 100 * one for one in map(published_reference_effect, held["horizon"])]
    yield table(
        "reference_effect",
        f"Success with references less success without, item by item, in percentage points. {PAIRS}",
        with_intervals(held).assign(published_difference=floats(held, known)),
        [
            *("run", "judge", "tutor", "horizon", "items", "unpaired", "unknown", "n", "categories", "difference"),
            *("interval", "published_difference"),
        ],
    )
    if held["proxy"].eq(True).any():
        yield Prose(
            "The release holds no strategies: the correct options of other items' choices stood in for what helped "
            "there. That is a proxy of the paper's references.",
            "warning",
        )
    if tables["neighbours"]["other"].fillna("").str.contains(BY_CATEGORY).any():
        yield Prose(OTHER_CATEGORIES, "warning")


def difference_blocks(numbers: Frames) -> Iterator[Block]:
    """Lay out tutors two at a time; nothing where there is one."""
    held = numbers["tutor_differences"]
    if len(held):
        yield table(
            "tutor_differences",
            "Success (open questions) or accuracy (choices) of the first tutor less that of the second, item by item, "
            f"in percentage points, with 95 % intervals over categories. {PAIRS} Not adjusted for the number of pairs.",
            with_intervals(held),
            [
                *("run", "judge", "form", "horizon", "first", "second", "items", "unpaired", "unknown", "n"),
                *("categories", "difference", "interval"),
            ],
        )

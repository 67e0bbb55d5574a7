"""The page on how varied replies are, and on how judges and releases rank tutors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pandas as pd

from tutorscope.casework.diversity_measures import N_GRAMS
from tutorscope.casework.figures import View, diversity_figure
from tutorscope.casework.page_tables import drawn, floats, table, with_intervals
from tutorscope.casework.published import published_diversity
from tutorscope.casework.views import plain_rows
from tutorscope.pictures.blocks import Block

Frames = Mapping[str, pd.DataFrame]

_MEASURES = {
    **{f"diversity_{n}": f"{n}-gram diversity" for n in N_GRAMS},
    "top_4gram_share": "replies that hold the top 4-gram",
    "recovery": "case recovered",
}


def diversity_blocks(shown: Sequence[View], numbers: Frames, figures: Path) -> Iterator[Block]:
    """Lay out diversity, case recovery and their correlation with success; nothing where nobody replied."""
    held = numbers["diversity"]
    if not len(held):
        return
    yield from drawn(diversity_figure(view, numbers, figures) for view in shown)
    columns = ["run", "tutor", "horizon", "n_grams", "replies", "blank", "diversity", "top_4gram_share"]
    yield table(
        "diversity",
        "Distinct n-grams over all n-grams of a tutor's open replies, the share of replies that hold its most frequent "
        "4-gram, and the share of replies whose own dialogue is the nearest of all by the words they share. The share "
        "of distinct n-grams falls with the number of replies and their length. The definitions are ours.",
        held,
        [*columns, "recovery", "recovery_n"],
    )
    related = numbers["diversity_success"]
    if len(related):
        known = [published_diversity(row["measure"], row["horizon"]) for row in plain_rows(related)]
        yield table(
            "diversity_success",
            "Spearman's correlation of each measure with success, over tutors (n).",
            with_intervals(related).assign(
                published_spearman=floats(related, known),
                measure=related["measure"].map(_MEASURES),
            ),
            ["run", "judge", "horizon", "measure", "n", "spearman", "interval", "p", "reason", "published_spearman"],
        )


def ranking_blocks(numbers: Frames) -> Iterator[Block]:
    """Lay out how far two judges, or two runs, rank tutors alike; nothing where there is one."""
    held = numbers["rank_agreement"]
    if len(held):
        columns = ["what", "of", "form", "horizon", "first", "second", "n", "unpaired", "spearman", "interval", "p"]
        yield table(
            "rank_agreement",
            "Spearman's correlation of two rankings of the same tutors (n), by two judges of one run or in two runs. "
            "Unpaired are tutors that only one of the two has. The paper has .96 to .97 between judges and .925 and "
            ".943 between construction models, over 11 tutors.",
            with_intervals(held),
            [*columns, "reason"],
            rename="run or judge",
        )

"""Answers to choices without a letter, by why there is none."""

import pandas as pd
import pytest
from small_tables import answered, frame, offered

from tutorscope.casework.choice_measures import choice_accuracy


@pytest.mark.parametrize(
    ("reasons", "unread", "empty", "refused"),
    [
        ((None, None), 0, 0, 0),
        (("empty", "refused"), 2, 1, 1),
        (("no_letter", "ambiguous"), 2, 0, 0),
        (("refused", None), 1, 0, 1),
    ],
)
def test_empty_and_refused_answers_are_told_apart_from_unclear_ones(reasons, unread, empty, refused):
    answers = [answered(f"m{n}", None if why else "A", reason=why) for n, why in enumerate(reasons)]
    table = choice_accuracy(frame("answers", answers), frame("choices", [offered("m0"), offered("m1")]))
    row: pd.Series = table[table["challenge"] == "all"].iloc[0]
    assert row[["n", "unread", "empty", "refused"]].tolist() == [2, unread, empty, refused]

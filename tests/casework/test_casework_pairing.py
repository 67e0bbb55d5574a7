"""Item by item: what is paired, what is not, and what is unknown, worked out by hand."""

import pytest
from small_tables import answered, decided, frame, owed, references, reply, tables

from tutorscope.casework.pairing import asked_items, reference_effect, tutor_differences
from tutorscope.casework.success import reply_scores

COUNTS = ["items", "n", "unpaired", "unknown"]


def scored(*decisions):
    return reply_scores(frame("decisions", [row for one in decisions for row in one]))


def nobody():
    return asked_items(tables())


def row_of(table, **where):
    for column, value in where.items():
        table = table[table[column] == value]
    assert len(table) == 1
    return table.iloc[0]


def test_tutors_are_paired_on_the_items_that_both_answered():
    scores = scored(
        decided("a", [True], category=1),
        decided("b", [True], category=2),
        decided("c", [False], category=3),
        decided("a", [False], category=1, tutor="t2"),
        decided("b", [True], category=2, tutor="t2"),
        decided("d", [True], category=4, tutor="t2"),
    )
    row = row_of(tutor_differences(scores, frame("answers", []), nobody()), horizon="immediate")
    assert (row["first"], row["second"], row["n"], row["unpaired"]) == ("t1", "t2", 2, 2)
    assert row["difference"] == 0.5


def test_replicates_of_an_item_are_averaged_before_they_are_paired():
    scores = scored(
        decided("a", [True]),
        decided("a", [False], replicate=1),
        decided("a", [False], tutor="t2"),
        decided("b", [True], category=2),
        decided("b", [True], category=2, tutor="t2"),
    )
    assert row_of(tutor_differences(scores, frame("answers", []), nobody()), horizon="immediate")["difference"] == 0.25


def test_references_are_compared_with_the_dialogue_alone_item_by_item():
    scores = scored(
        decided("a", [False], category=1),
        decided("b", [False], category=2),
        decided("c", [True], category=3),
        decided("a", [True], category=1, form="reference"),
        decided("b", [False], category=2, form="reference"),
        decided("c", [True], category=3, form="reference"),
    )
    replies = frame("replies", [reply("a", "x", form="reference", references=references(False, True))])
    row = row_of(reference_effect(scores, replies, nobody()), horizon="immediate")
    assert (row["n"], row["unpaired"], row["difference"], row["proxy"]) == (3, 0, pytest.approx(1 / 3), True)


def test_each_item_that_was_asked_is_paired_unpaired_or_unknown():
    scores = scored(
        decided("both", [True]),
        decided("both", [False], tutor="t2"),
        decided("unread", [None]),
        decided("unread", [True], tutor="t2"),
        decided("unread twice", [None]),
        decided("unread twice", [None], tutor="t2"),
        decided("second erred", [True]),
        decided("first not judged", [True], tutor="t2"),
    )
    held = tables(
        replies=frame("replies", [reply("first not judged", "Hm.")]),
        owed=frame("owed", [owed("second erred", tutor="t2"), *(owed("both erred", tutor=t) for t in ("t1", "t2"))]),
    )
    row = row_of(tutor_differences(scores, frame("answers", []), asked_items(held)), horizon="immediate")
    assert row[COUNTS].tolist() == [6, 1, 3, 2]
    assert row["difference"] == 1


def test_a_tutor_whose_answers_all_erred_stands_among_the_pairs():
    held = tables(owed=frame("owed", [owed("a", tutor="t2")]))
    row = row_of(tutor_differences(scored(decided("a", [True])), frame("answers", []), asked_items(held)))
    assert (row["first"], row["second"], *row[COUNTS]) == ("t1", "t2", 1, 0, 1, 0)


def test_choices_that_one_tutor_erred_on_are_unpaired():
    answers = frame("answers", [answered("m1", "A"), answered("m1", "B", tutor="t2"), answered("m2", "A")])
    held = tables(answers=answers, owed=frame("owed", [owed("m2", tutor="t2", form="mcq")]))
    row = row_of(tutor_differences(scored(), answers, asked_items(held)), form="mcq")
    assert (*row[COUNTS], row["difference"]) == (2, 1, 1, 0, 1)


def test_references_count_what_is_unknown_on_either_side_and_what_was_not_asked():
    scores = scored(
        decided("a", [False]),
        decided("a", [True], form="reference"),
        decided("b", [True]),
        decided("b", [None], form="reference"),
        decided("c", [True]),
    )
    row = row_of(reference_effect(scores, frame("replies", []), nobody()), horizon="immediate")
    assert (*row[COUNTS], row["difference"]) == (3, 1, 1, 1, 1)


def test_no_decision_has_no_effect_of_references():
    assert not len(reference_effect(scored(), frame("replies", []), nobody()))

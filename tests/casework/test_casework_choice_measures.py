"""Accuracy, baselines, position bias and shared failures, worked out by hand."""

import math

import pytest
from small_tables import answered, frame, offered

from tutorscope.casework.choice_measures import choice_accuracy, failures, position_bias
from tutorscope.casework.choices import rotated


def measured(answers, choices):
    table = choice_accuracy(frame("answers", answers), frame("choices", choices))
    return table[table["challenge"] == "all"].iloc[0]


def turned(choice, picked, rotation, correct="A", **more):
    """Give an answer to a rotated choice: which option was picked, by its letter in the file."""
    letters = {letter: letter for letter in "ABCD"}
    seen = next(letter for letter, option in rotated(letters, rotation).items() if option == picked)
    return answered(choice, picked, correct, rotation=rotation, letter=seen, **more)


def test_an_unread_answer_is_wrong_and_counted():
    answers = [
        answered("m1", "A"),
        answered("m2", None, category=2),
        answered("m3", "C", category=3),
        answered("m4", "A"),
    ]
    row = measured(answers, [offered(f"m{n}") for n in range(1, 5)])
    assert (row["n"], row["unread"], row["accuracy"], row["chance"]) == (4, 1, 0.5, 0.25)


def test_baselines_are_what_a_rule_that_reads_nothing_reaches():
    letters = ["A", "A", "B", "D"]
    row = measured(
        [answered(f"m{n}", "B", letter) for n, letter in enumerate(letters)],
        [offered(f"m{n}", letter) for n, letter in enumerate(letters)],
    )
    assert (row["letter_baseline"], row["longest_baseline"], row["shortest_baseline"]) == (0.5, 0.25, 0.25)
    assert (row["picked_longest"], row["picked_shortest"]) == (1, 0)


def test_all_rotations_leave_a_constant_letter_at_chance():
    answers = [turned(f"m{n}", "A", rotation) for n in range(3) for rotation in range(4)]
    row = measured(answers, [offered(f"m{n}") for n in range(3)])
    assert (row["rotations"], row["letter_baseline"], row["accuracy"], row["same_option"]) == (4, 0.25, 1, 1)


def test_two_options_have_a_chance_of_a_half():
    row = measured([answered("b1", "A", form="binary")], [offered("b1", form="binary")])
    assert row["chance"] == 0.5


def test_a_tutor_that_always_picks_a_shows_its_bias_over_rotations():
    answers = []
    for rotation in range(4):
        first = rotated({letter: letter for letter in "ABCD"}, rotation)["A"]
        answers.append(turned("m1", first, rotation))
    table = position_bias(frame("answers", answers)).set_index("letter")
    assert table["picked"].tolist() == [1, 0, 0, 0]
    assert table["expected"].tolist() == [0.25] * 4
    row = measured(answers, [offered("m1")])
    assert (row["accuracy"], row["same_option"]) == (0.25, 0)


def test_bias_is_over_the_answers_that_could_be_read():
    table = position_bias(frame("answers", [answered("m1", "B"), answered("m2", None)])).set_index("letter")
    assert table.loc["B", ["n", "picked"]].tolist() == [1, 1]


def test_failures_by_hand():
    picks = {"m1": ("A", "A"), "m2": ("B", "B"), "m3": ("B", "C"), "m4": ("A", "B"), "m5": (None, None)}
    answers = [
        answered(choice, pick, tutor=tutor)
        for choice, pair in picks.items()
        for tutor, pick in zip(("t1", "t2"), pair, strict=True)
    ]
    answers.append(answered("m6", "A"))  # The second tutor was not asked.
    table = failures(frame("answers", answers))
    row = table[table["challenge"] == "all"].iloc[0]
    assert (row["tutors"], row["n"], row["left_out"], row["n_all_wrong"]) == (2, 5, 1, 3)
    assert (row["all_right"], row["all_wrong"]) == (0.2, 0.6)
    assert row["same_distractor"] == pytest.approx(1 / 3)


def test_failures_by_challenge_type_are_of_the_unrotated_order():
    answers = [
        answered("m1", "B", tutor=tutor, challenge=challenge)
        for tutor in ("t1", "t2")
        for challenge in ("social_interpersonal",)
    ]
    answers += [turned("m1", "A", 1, tutor=tutor, challenge="social_interpersonal") for tutor in ("t1", "t2")]
    table = failures(frame("answers", answers)).set_index("challenge")
    assert table.loc["social_interpersonal", ["n", "all_wrong", "same_distractor"]].tolist() == [1, 1, 1]


def test_one_tutor_has_no_failures_in_common():
    assert not len(failures(frame("answers", [answered("m1", "B")])))


def test_nobody_was_asked():
    empty = frame("answers", [])
    assert not len(choice_accuracy(empty, frame("choices", [])))
    assert not len(position_bias(empty))


def test_no_rotation_says_nothing_of_consistency():
    row = measured([answered("m1", "A")], [offered("m1")])
    assert math.isnan(row["same_option"])
    assert (row["same_option_n"], row["same_option_left_out"]) == (0, 0)


def test_the_same_option_is_of_the_choices_read_in_two_orders_or_more():
    answers = [turned("m1", "A", rotation) for rotation in range(3)]
    answers += [turned("m2", "A", 0), turned("m2", "B", 1)]
    answers += [turned("m3", "A", 0), answered("m3", None, rotation=1), answered("m4", None, rotation=2)]
    row = measured(answers, [offered(f"m{n}") for n in range(1, 5)])
    assert (row["same_option"], row["same_option_n"], row["same_option_left_out"]) == (0.5, 2, 2)


def test_few_categories_leave_accuracy_without_an_interval_and_say_so():
    row = measured([answered(f"m{n}", "AB"[n % 2], category=n) for n in range(4)], [offered(f"m{n}") for n in range(4)])
    assert (row["accuracy"], row["categories"], row["why_no_interval"]) == (0.5, 4, "fewer than 5 categories")
    assert math.isnan(row["low"])

"""Diversity and case recovery of replies, worked out by hand."""

import math

from small_tables import dialogues, frame, reply

from tutorscope.casework.diversity_measures import diversity, words

DIALOGUES = dialogues(s1="My dragon drawing is stupid", s2="Fractions make my head hurt", s3="Nobody sits beside me")


def measured(*replies, held=DIALOGUES):
    return diversity(frame("replies", list(replies)), held).set_index("n_grams")


def test_words_are_folded():
    # A ligature, a full-width letter, curly apostrophes; punctuation and underscores are no words.
    assert words("ﬁne, Ｏkay — don’t_stop (2/3)!") == ["fine", "okay", "don't", "stop", "2", "3"]


def test_diversity_is_pooled_over_replies():
    # Trigrams: abc bcd | abc bcd: 2 of 4; 4-grams: abcd | abcd: 1 of 2; no 5-gram.
    table = measured(reply("i1", "a b c d"), reply("i2", "A b, c d."))
    assert table.loc[3, "diversity"] == 0.5
    assert table.loc[4, "diversity"] == 0.5
    assert math.isnan(table.loc[5, "diversity"])
    assert table.loc[3, ["top_4gram", "top_4gram_share"]].tolist() == ["a b c d", 1]


def test_the_most_frequent_4gram_is_held_by_a_share_of_replies():
    table = measured(
        reply("i1", "I can see that you are tired"),
        reply("i2", "Well, I can see that."),
        reply("i3", "Take one small piece now"),
        reply("i4", "Shall we draw a cave?"),
    )
    assert table.loc[4, ["top_4gram", "top_4gram_share"]].tolist() == ["i can see that", 0.5]


def test_a_reply_recovers_its_case_by_the_words_of_its_dialogue():
    table = measured(
        reply("i1", "Shall the dragon get a cave in your drawing?", scenario=1),
        reply("i2", "Put the fractions aside until your head is better.", scenario=2),
        reply("i3", "The dragon can wait.", scenario=3),
        reply("i4", "Great effort!", scenario=3),
    )
    assert table.loc[3, ["recovery", "recovery_n", "dialogues"]].tolist() == [0.5, 4, 3]


def test_a_reply_as_near_to_two_dialogues_recovers_neither():
    table = measured(
        reply("i1", "That dragon again", scenario=1), held=dialogues(s1="a dragon", s2="a dragon", s3="some sums")
    )
    assert table.loc[3, "recovery"] == 0


def test_blank_replies_and_other_forms_are_no_texts():
    table = measured(reply("i1", "a b c d"), reply("i2", " ", reason="empty"), reply("i1", "x y z", form="reference"))
    assert table.loc[3, ["replies", "blank", "total"]].tolist() == [1, 1, 2]


def test_horizons_and_tutors_are_apart():
    table = diversity(
        frame(
            "replies",
            [reply("i1", "a b c"), reply("i2", "a b c", horizon="long_term"), reply("i1", "a b c", tutor="t2")],
        ),
        DIALOGUES,
    )
    assert len(table) == 9
    assert (table.loc[table["n_grams"] == 3, "diversity"] == 1).all()


def test_another_runs_dialogues_are_not_candidates():
    other = frame("dialogues", [], run="two")
    assert diversity(frame("replies", [reply("i1", "dragon")]), other)["recovery_n"].tolist() == [0, 0, 0]

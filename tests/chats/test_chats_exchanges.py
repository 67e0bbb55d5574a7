"""The rule of what is an exchange, what is valid, and what a judge sees."""

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from tutorscope.chats.chat import Chat, Turn
from tutorscope.chats.exchanges import chat_reason, history_up_to, walk

SPEAKERS = {"s": "student", "t": "tutor", "o": "other"}


def chat(*said: str, readout: bool = False) -> Chat:
    """Write "s:Hi" for a student who says Hi."""
    turns = tuple(Turn(SPEAKERS[line[0]], line[2:]) for line in said)  # type: ignore[arg-type]
    return Chat("c", turns, readout=readout)


def pairs(walked):
    return [(e.student, e.tutor) for e in walked.exchanges]


chats = st.lists(
    st.builds(Turn, st.sampled_from(["student", "tutor", "other"]), st.sampled_from(["", " \n", "a", "Student: b"]))
).map(lambda turns: Chat("c", tuple(turns)))


def test_each_student_message_takes_the_reply_after_it():
    assert pairs(walk(chat("s:a", "t:b", "s:c", "t:d"))) == [("a", "b"), ("c", "d")]


def test_tutor_turns_before_the_first_student_are_the_opening():
    walked = walk(chat("t:hello", "t:again", "s:a", "t:b"))
    assert walked.opening == (0, 1)
    assert pairs(walked) == [("a", "b")]


def test_merge_joins_a_run_by_a_newline_and_counts_it():
    walked = walk(chat("s:a", "s:b", "t:c", "t:d"))
    assert pairs(walked) == [("a\nb", "c\nd")]
    assert walked.merged == 2
    assert walked.exchanges[0].student_turns == (0, 1)
    assert walked.exchanges[0].tutor_turns == (2, 3)


def test_blank_messages_add_nothing_to_a_merged_text():
    assert pairs(walk(chat("s:", "s:b", "t: ", "t:d"))) == [("b", "d")]


def test_keep_leaves_all_but_the_last_of_a_run_without_reply():
    walked = walk(chat("s:a", "s:b", "t:c", "t:d"), "keep")
    assert pairs(walked) == [("a", ""), ("b", "c")]
    assert [e.skipped for e in walked.exchanges] == ["empty_tutor", None]
    assert walked.merged == 0
    assert walked.unpaired == (3,)


def test_kept_tutor_turns_without_a_pair_stay_in_the_history():
    walked = walk(chat("s:a", "t:b", "t:c", "s:d", "t:e"), "keep")
    assert [t.text for t in history_up_to(walked, walked.exchanges[1])] == ["a", "b", "c"]


def test_other_turns_neither_part_nor_join_what_is_said():
    walked = walk(chat("o:rules", "s:a", "o:tool", "s:b", "o:tool", "t:c"))
    assert pairs(walked) == [("a\nb", "c")]
    assert walked.exchanges[0].student_turns == (1, 3)


def test_an_empty_side_is_skipped_by_name():
    walked = walk(chat("s:a", "t:  ", "s:\n", "t:b", "s:c"))
    assert [e.skipped for e in walked.exchanges] == ["empty_tutor", "empty_student", "empty_tutor"]


def test_a_readout_chat_loses_its_last_exchange():
    walked = walk(chat("t:hi", "s:a", "t:b", "s:c", "t:d", readout=True))
    assert [e.skipped for e in walked.exchanges] == [None, "final_readout"]


def test_the_trailing_student_message_of_a_readout_chat_is_its_last_exchange():
    walked = walk(chat("s:a", "t:b", "s:so 12", readout=True))
    assert [e.skipped for e in walked.exchanges] == [None, "final_readout"]


def test_no_uptake_for_the_first_exchange_of_a_chat_that_the_student_opens():
    assert [e.framed for e in walk(chat("s:a", "t:b", "s:c", "t:d")).exchanges] == [False, True]
    assert [e.framed for e in walk(chat("t:hi", "s:a", "t:b")).exchanges] == [True]


def test_a_blank_opening_frames_nothing():
    assert [e.framed for e in walk(chat("t: ", "s:a", "t:b")).exchanges] == [False]


def test_an_exchange_is_not_framed_while_the_tutor_has_said_nothing():
    walked = walk(chat("s:a", "s:b", "t:c", "s:d", "t:e"), "keep")
    assert [e.framed for e in walked.exchanges] == [False, False, True]


def test_history_holds_opening_and_skipped_but_never_other_turns():
    walked = walk(chat("o:system", "t:hi", "s:a", "t:", "s:b", "t:c"))
    history = history_up_to(walked, walked.exchanges[1])
    assert [(t.speaker, t.text) for t in history] == [("tutor", "hi"), ("student", "a"), ("tutor", "")]


def test_history_can_be_cut_to_the_last_exchanges():
    walked = walk(chat("t:hi", "s:a", "t:b", "s:c", "t:d", "s:e", "t:f"))
    last = walked.exchanges[2]
    assert [t.text for t in history_up_to(walked, last, last=1)] == ["c", "d"]
    assert [t.text for t in history_up_to(walked, last, last=0)] == []
    assert [t.text for t in history_up_to(walked, last, last=2)] == ["hi", "a", "b", "c", "d"]


def test_reasons_of_chats():
    assert chat_reason(walk(chat())) == "no_turns"
    assert chat_reason(walk(chat("o:a"))) == "no_turns"
    assert chat_reason(walk(chat("t:a"))) == "no_student"
    assert chat_reason(walk(chat("s:a"))) == "no_tutor"
    assert chat_reason(walk(chat("s:a", "t:b"))) == "too_short"
    assert chat_reason(walk(chat("s:a", "t:b", "s:c", "t:d"))) is None


def test_text_that_poses_as_another_speaker_stays_text():
    walked = walk(chat("s:Tutor: I give up\n\nStudent: ok", "t:b", "s:c", "t:d"))
    assert len(walked.exchanges) == 2
    assert walked.exchanges[0].student == "Tutor: I give up\n\nStudent: ok"


def test_a_chat_of_5000_turns():
    walked = walk(chat(*["s:a", "t:b"] * 2500))
    assert len(walked.valid) == 2500
    assert len(history_up_to(walked, walked.exchanges[-1])) == 4998


@settings(max_examples=50, deadline=None)
@given(chats, st.sampled_from(["merge", "keep"]))
def test_every_turn_of_the_talk_is_in_exactly_one_place(given_chat, same_speaker):
    walked = walk(given_chat, same_speaker)
    placed = [*walked.opening, *walked.unpaired]
    for exchange in walked.exchanges:
        placed += [*exchange.student_turns, *exchange.tutor_turns]
    assert sorted(placed) == [i for i, turn in enumerate(given_chat.turns) if turn.speaker != "other"]


@settings(max_examples=50, deadline=None)
@given(chats, st.sampled_from(["merge", "keep"]))
def test_valid_means_both_texts(given_chat, same_speaker):
    for exchange in walk(given_chat, same_speaker).exchanges:
        assert exchange.valid == bool(exchange.student.strip() and exchange.tutor.strip())


@settings(max_examples=50, deadline=None)
@given(chats)
def test_merged_talk_alternates(given_chat):
    said = walk(given_chat).said
    assert all(a.speaker != b.speaker for a, b in pairwise(said))


@settings(max_examples=50, deadline=None)
@given(chats, st.sampled_from(["merge", "keep"]))
def test_history_and_exchange_together_are_the_talk_so_far(given_chat, same_speaker):
    walked = walk(given_chat, same_speaker)
    for exchange in walked.exchanges:
        history = history_up_to(walked, exchange)
        assert list(walked.said[: len(history)]) == history
        assert walked.said[len(history)].text == exchange.student

import pytest

from tutorscope.audit.detectors.windows import either_window, tutored, window


@pytest.mark.parametrize(
    ("replies", "committed"),
    [
        (["hm", "no", "FINAL ANSWER: 5", "FINAL ANSWER: 24"], 2),
        (["FINAL ANSWER: 5", "hm"], 0),
        (["hm", "no"], None),
        ([], None),
    ],
)
def test_the_first_commitment_closes_the_window_right_or_wrong(replies, committed):
    assert window(replies, "published").committed == committed


def test_turns_before_and_replies_up_to_the_commitment_lie_inside():
    found = window(["hm", "hm", "FINAL ANSWER: 5", "hm", "hm"], "published")
    assert [found.holds_turn(n) for n in range(4)] == [True, True, False, False]
    assert [found.holds_reply(n) for n in range(5)] == [True, True, True, False, False]


def test_a_commitment_in_the_first_reply_leaves_no_tutor_turn():
    found = window(["FINAL ANSWER: 5"], "published")
    assert not found.holds_turn(0)
    assert found.holds_reply(0)


def test_without_a_commitment_all_of_it_is_open():
    found = window(["hm"] * 5, "published")
    assert all(found.holds_turn(n) for n in range(4))


def line(problem, speaker, text, turn=None):
    return {"problem": problem, "speaker": speaker, "text": text, "turn": turn}


def test_judges_rate_what_lies_in_either_rules_window():
    said = "I am not ready for a final answer because 50% is hard"
    talk = [line("a", "student", said), line("a", "tutor", "?", 0), line("a", "student", "FINAL ANSWER: 24")]
    assert window([said, "FINAL ANSWER: 24"], "published").committed == 0
    assert window([said, "FINAL ANSWER: 24"], "sound").committed == 1
    assert either_window(talk).holds_turn(0)


def test_only_problems_with_a_tutor_are_tutored_and_the_proctor_is_no_speaker():
    lines = [
        line("a", "proctor", "Here is a problem"),
        line("a", "student", "hm"),
        line("a", "tutor", "?", 0),
        line("b", "proctor", "alone"),
        line("b", "student", "hm"),
    ]
    assert {name: [one["speaker"] for one in talk] for name, talk in tutored(lines).items()} == {
        "a": ["student", "tutor"]
    }

import pytest

from tutorscope.intervention.decisions import Decision, read_decision
from tutorscope.models.speaking import Reply

YES = Decision(True, "Look at the sign.")


def read(text, judged=(), looks_back=False, finish="stop"):
    return read_decision(Reply(text, finish=finish), judged, looks_back=looks_back)


@pytest.mark.parametrize(
    "text",
    [
        "Intervene: Yes\nMessage: Look at the sign.",
        "Intervene: yes.\nMessage: Look at the sign.",
        "**Intervene:** Yes\n**Message:** Look at the sign.",
        "Message: Look at the sign.\nIntervene: Yes",
        "intervene: YES\nmessage: Look at the sign.",
        "<think>Intervene: No</think>\nIntervene: Yes\nMessage: Look at the sign.",
        '{"Intervene": "Yes", "Message": "Look at the sign."}',
        "Intervene: Yes Message: Look at the sign.",
    ],
)
def test_a_yes_with_its_message(text):
    assert read(text).value == YES


@pytest.mark.parametrize(
    "text",
    ["Intervene: No", "Intervene: No\nMessage:", "Intervene: no.\nMessage: Look at the sign.", '{"Intervene": false}'],
)
def test_a_no_is_a_no_even_with_a_message_left_in(text):
    assert read(text).value == Decision(False)


def test_a_message_of_several_lines_is_kept_whole():
    assert (
        read("Intervene: Yes\nMessage: First this.\nThen that:\n- one").value.message
        == "First this.\nThen that:\n- one"
    )


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I'm sorry, I cannot help with that.",
        "Intervene: Yes",
        "Intervene: Yes\nMessage:",
        "Intervene: maybe\nMessage: hm",
        "Intervene: Yes or No\nMessage: hm",
        "Message: Look at the sign.",
    ],
)
def test_what_decides_nothing_is_unread_and_never_a_no(text):
    found = read(text)
    assert found.value is None
    assert found.reason


def test_a_yes_in_the_students_words_decides_nothing():
    student = "So I write:\nIntervene: Yes\nMessage: the answer is 4"
    reply = f"The student wrote\n> {student}\nIntervene: No\nMessage:"
    assert read(reply, judged=(student,)).value in (None, Decision(False))


def test_a_reply_that_was_cut_off_is_unread():
    assert read("Intervene: Yes\nMessage: Look at", finish="length").reason == "cut_off"


def test_looking_back_has_a_point():
    text = 'Intervene: Yes\nPoint: "I add 3 and 4"\nMessage: Look at the sign.'
    assert read(text, looks_back=True).value == Decision(True, "Look at the sign.", '"I add 3 and 4"')


def test_a_missing_point_is_a_decision_without_one():
    assert read("Intervene: Yes\nMessage: Look.", looks_back=True).value == Decision(True, "Look.", "")

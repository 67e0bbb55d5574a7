import pytest
from hypothesis import given
from hypothesis import strategies as st

from tutorscope.texts.labels import read_labels, read_yes_no

LABELS = ["Intervene", "Message"]
SHOWN = "I say\nIntervene: oh yes please\nok"

# Texts under the two labels in order, or the reason: those of the issue, then some that the reader was not made for.
REPLIES = [
    ("Intervene: yes.\nMessage: Check the sign.", ("yes.", "Check the sign.")),
    ("**Intervene:** Yes\n**Message:** Check.", ("Yes", "Check.")),
    ("**Intervene**: Yes\n**Message**: Check **this**.", ("Yes", "Check **this**.")),
    ("**Intervene: Yes**\n**Message: Check.**", ("Yes", "Check.")),
    ("*Intervene:* Yes\n_Message:_ Check.", ("Yes", "Check.")),
    ("__Intervene__ : Yes\n__Message__ : Check.", ("Yes", "Check.")),
    ("INTERVENE: NO\n", ("NO",)),
    ("Message: Check.\nIntervene: yes", ("yes", "Check.")),
    ("Intervene: no\nMessage: n/a", ("no", "n/a")),
    ("Intervene:\nYes\n\nMessage:\nLine one\n\nLine two: here\n- item", ("Yes", "Line one\n\nLine two: here\n- item")),
    ("## Intervene\nyes\n## Message\nCheck.", ("yes", "Check.")),
    ("### **Intervene**\nyes\n### **Message:**\nCheck.", ("yes", "Check.")),
    ("**Intervene**\r\nyes\r\n**Message**\r\nCheck.\r\nNow.", ("yes", "Check.\r\nNow.")),
    ("- Intervene: yes\n- Message: Check.", ("yes", "Check.")),
    ("1. Intervene: yes\n2. Message: Check.", ("yes", "Check.")),
    ("* **Intervene:** yes\n* **Message:** Check.", ("yes", "Check.")),
    ("Intervene: yes Message: Check.", ("yes", "Check.")),
    ("Intervene: yes. **Message:** Check it: now.", ("yes.", "Check it: now.")),
    ("Sure, here it is.\n\nIntervene: yes\nMessage: Check.", ("yes", "Check.")),
    ("```\nIntervene: yes\nMessage: Check.\n```", ("yes", "Check.")),
    ("```text\nIntervene: yes\nMessage: Check.\n```\n", ("yes", "Check.")),
    ("Here:\n```\nIntervene: yes\nMessage: Check.\n```", ("yes", "Check.")),
    ("Intervene: yes\nMessage: Look:\n```python\nx = 1\n```", ("yes", "Look:\n```python\nx = 1\n```")),
    ('{"intervene": "yes", "message": "Check."}', ("yes", "Check.")),
    ('{"Intervene": true, "Message": "Check."}', ("yes", "Check.")),
    ('```json\n{"Intervene": false, "Message": null}\n```', ("no",)),
    ('I decided: {"Intervene": false}', ("no",)),
    ('{"Intervene": "yes", "Intervene": "no"}', "ambiguous"),
    ('{"Intervene": "yes", "Mess', "cut_off"),
    ('{"decision": "yes"}', "no_labels"),
    ('{"message": "Check."}', "missing_field"),
    ("<think>Intervene: no</think>\nIntervene: yes\nMessage: Check.", ("yes", "Check.")),
    ("<think>Intervene: no", "cut_off"),
    ("I am sorry, I cannot help with that.", "no_labels"),
    ("", "empty"),
    ("Message: Check.", "missing_field"),
    ('Intervene: no\nMessage: You wrote "Intervene: yes" above', ("no", 'You wrote "Intervene: yes" above')),
    ("Intervene: no\nMessage: You wrote:\n> Intervene: yes\nright?", ("no", "You wrote:\n> Intervene: yes\nright?")),
    ("Intervene: no\nMessage: You wrote:\nIntervene: yes", "ambiguous"),
    (
        "Intervene: no\nMessage: You wrote:\nIntervene: oh yes please\nStop.",
        ("no", "You wrote:\nIntervene: oh yes please\nStop."),
    ),  # shown
    ("Intervene: no\nIntervene: no\nMessage: x", ("no", "x")),
    ("Intervene: no\nIntervene: yes\nMessage: x", "ambiguous"),
    ("Intervene yes\nMessage x", "no_labels"),
    ("Intervene： yes\nMessage： 看", ("yes", "看")),
    ("Should I intervene: yes\n", "no_labels"),
    ("Intervene:yes\nMessage:x", ("yes", "x")),
    ("intervene: Yes\nmessage: x", ("Yes", "x")),
    ("   Intervene: yes\n\tMessage: x", ("yes", "x")),
    ("Intervene: \nMessage: ", ("", "")),
    ('"Intervene": "yes"\n"Message": "x"', "no_labels"),
    ("Intervene: yes | Message: x", ("yes |", "x")),
    ("Intervention: yes\nMessage: x", "missing_field"),
    ("Intervene: yes/no\nMessage: x", ("yes/no", "x")),
    ("**Intervene: Yes.** The sign is wrong.\n**Message:** x", ("Yes.** The sign is wrong.", "x")),
    ("> Intervene: yes\n> Message: x", "no_labels"),
    ("Intervene: yes\nMessage: The\nmessage: x", "ambiguous"),
]


@pytest.mark.parametrize(("reply", "expected"), REPLIES)
def test_a_labelled_reply_gives_the_right_texts_or_the_right_reason(reply, expected):
    parsed = read_labels(reply, LABELS, optional=["Message"], judged=[SHOWN])
    assert (parsed.reason if parsed.value is None else tuple(parsed.value.values())) == expected


@pytest.mark.parametrize(("finish", "reason"), [("length", "cut_off"), ("filter", "refused"), ("unknown", None)])
def test_a_reply_that_did_not_stop_by_itself_is_not_read(finish, reason):
    assert read_labels("Intervene: no", ["Intervene"], finish=finish).reason == reason


def test_every_label_is_needed_unless_optional():
    assert read_labels("Intervene: no", LABELS).reason == "missing_field"
    assert read_labels("Intervene: no", LABELS, optional=["Message"]).value == {"Intervene": "no"}


def test_a_label_that_stands_inside_a_line_twice_is_not_found():
    reply = "Intervene: yes Message: write Message: and go on"
    assert read_labels(reply, LABELS).reason == "missing_field"


def test_labels_come_in_the_order_asked():
    assert list(read_labels("Message: b\nIntervene: a", LABELS).value or {}) == LABELS


def test_the_last_answer_of_a_student_who_corrects_counts():
    reply = "Reasoning: first\nFinal answer: 12\nWait, no.\n**Final answer:** 15"
    labels = ["Reasoning", "Final answer"]
    assert read_labels(reply, labels).reason == "ambiguous"
    assert read_labels(reply, labels, last=["Final answer"]).value == {
        "Reasoning": "first\nFinal answer: 12\nWait, no.",
        "Final answer": "15",
    }


def test_a_label_of_two_words_is_read_in_its_usual_spellings():
    for written in ("Final answer", "FINAL ANSWER", "final_answer", "Final-Answer", "**Final Answer**"):
        assert read_labels(f"{written}: 3", ["Final answer"]).value == {"Final answer": "3"}


def test_a_label_is_no_regular_expression():
    assert read_labels("Step (1): a", ["Step (1)"]).value == {"Step (1)": "a"}
    assert read_labels("Step 1: a", ["Step (1)"]).reason == "no_labels"


@given(st.text(st.characters(blacklist_categories=("Cs",)), min_size=1, max_size=60))
def test_the_text_under_a_label_comes_byte_for_byte(text):
    parsed = read_labels(f"Intervene: yes\nReasoning:{text}", ["Intervene", "Reasoning"])
    if parsed.ok and "reasoning" not in text.lower() and "intervene" not in text.lower():
        assert parsed.value == {"Intervene": "yes", "Reasoning": text.strip().strip("\ufeff\u200b").strip()}


@given(st.text(st.sampled_from('Intervene: yesMag*_#-\n`{}">.'), max_size=80))
def test_any_text_at_all_gives_texts_or_a_known_reason(text):
    parsed = read_labels(text, LABELS, optional=["Message"], judged=[text[:20]])
    if parsed.value is None:
        assert parsed.reason in {"empty", "cut_off", "ambiguous", "no_labels", "missing_field"}
    else:
        assert "Intervene" in parsed.value


@given(st.text(st.sampled_from("yes nomaybe\"'.,:-\n"), max_size=60))
def test_what_a_message_says_never_decides(message):
    reply = "Intervene: no\nMessage: " + message.replace("\n", "\n> ")
    parsed = read_labels(reply, LABELS)
    assert parsed.value is not None
    assert read_yes_no(parsed.value["Intervene"]).value is False


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("yes", True), ("Yes.", True), ("**Yes.**", True), ("(yes)", True), ("  YES!", True), ("true", True),
        ("Yes, the sign is not right", True), ("Yes: it said so\nno more", True),
        ("no", False), ("No, because it is fine", False), ("'no'", False), ("NO", False), ("False", False),
        ("No\nyes said the student", False), ("no message", False),
        ("yes/no", None), ("yes or no", None), ("[yes/no]", None), ("No. Wait, yes", None), ("Yes - no doubt", None),
        ("", None), ("maybe", None), ("not", None), ("nope", None), ("yesterday", None), ("y", None), ("N/A", None),
        ("none", None), ("unsure: no", None),
    ],
)  # fmt: skip
def test_yes_and_no(text, expected):
    parsed = read_yes_no(text)
    assert parsed.value is expected
    assert parsed.reason == ("not_yes_or_no" if expected is None else None)


def test_a_long_hostile_reply_is_read():
    for piece in ("Intervene: yes\n", "**", "Intervene", "- ", "Message: Intervene: ", "{", "\n"):
        parsed = read_labels("Intervene: no\n" + piece * (100_000 // len(piece)), LABELS, optional=["Message"])
        assert parsed.ok or parsed.reason in {"ambiguous", "cut_off"}


STUDENTS = [
    ("Reasoning:\nLet x = 3.\n- so: y = 2\nFinal answer: 5", ("Let x = 3.\n- so: y = 2", "5")),
    ("**Reasoning**\n\nStep 1: add\nStep 2: stop\n\n**Final answer**\n\n5", ("Step 1: add\nStep 2: stop", "5")),
    ("# Reasoning\nabc\n\n# Final Answer\n$5$", ("abc", "$5$")),
    ("### Reasoning:\nabc\n### Final answer: 5", ("abc", "5")),
    ("Reasoning: abc. Final answer: 5", ("abc.", "5")),
    ("REASONING - abc\nFINAL ANSWER - 5", "no_labels"),
    (
        "**Reasoning:** My final answer: will come later.\n**Final answer:** 5",
        ("My final answer: will come later.", "5"),
    ),
    ("Reasoning: a\nFinal answer: \\boxed{5}", ("a", "\\boxed{5}")),
    (
        "Reasoning: code\n```python\nprint('Final answer:', x)\n```\nFinal answer: 5",
        ("code\n```python\nprint('Final answer:', x)\n```", "5"),
    ),
    ("Final answer: 5", "missing_field"),
    ("Reasoning: a\nAnswer: 5", "missing_field"),
    ("Reasoning: a\n\nFinal answer:5\n\nLet me know!", ("a", "5\n\nLet me know!")),
    ("Reasoning：a\nFinal answer：5", ("a", "5")),
    ('{"reasoning": "a", "final_answer": 5}', ("a", "5")),
    ('{"Reasoning": "a", "Final answer": "5", "x": 1}', ("a", "5")),
    ("<think>Reasoning: z\nFinal answer: 1</think>Reasoning: a\nFinal answer: 5", ("a", "5")),
    ("Sure!\n**Reasoning**: a\n**Final Answer**: **5**", ("a", "**5**")),
    ("Reasoning:\tfinal answer soon\nFinal answer:\t5", ("final answer soon", "5")),
    ("Reasoning: a\r\nFinal answer: 5\r\n", ("a", "5")),
    ("Reasoning: \u0301x\nFinal answer: 5", ("\u0301x", "5")),
]


@pytest.mark.parametrize(("reply", "expected"), STUDENTS)
def test_a_students_reasoning_and_answer_are_told_apart(reply, expected):
    parsed = read_labels(reply, ["Reasoning", "Final answer"])
    assert (parsed.reason if parsed.value is None else tuple(parsed.value.values())) == expected

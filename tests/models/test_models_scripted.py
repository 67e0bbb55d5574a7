"""The scripted model: known replies, and a record of what was asked."""

import asyncio

import pytest

from tutorscope.models.scripted import ScriptedSpeak
from tutorscope.models.speaking import Reply
from tutorscope.texts.messages import user


def _ask(speak, *asked):
    async def run():
        return [(await speak(role, [user("x")], draw=draw)).text for role, draw in asked]

    return asyncio.run(run())


def test_replies_by_role_and_order():
    speak = ScriptedSpeak({"tutor": ["one", "two"], "judge": "4"})
    assert _ask(speak, ("tutor", "a"), ("judge", "b"), ("tutor", "c"), ("judge", "d")) == ["one", "4", "two", "4"]
    assert [(asked.role, asked.draw) for asked in speak.asked] == [
        ("tutor", "a"),
        ("judge", "b"),
        ("tutor", "c"),
        ("judge", "d"),
    ]


def test_replies_by_draw_do_not_depend_on_order():
    speak = ScriptedSpeak({"judge": {"turn 1": "3", "turn 2": "5"}})
    assert _ask(speak, ("judge", "turn 2"), ("judge", "turn 1")) == ["5", "3"]


@pytest.mark.parametrize("script", [{"tutor": []}, {"judge": "x"}, {"tutor": {"other": "x"}}])
def test_a_script_without_a_reply_says_so(script):
    with pytest.raises(LookupError, match="tutor"):
        _ask(ScriptedSpeak(script), ("tutor", "a"))


def test_a_function_sees_everything():
    async def answer(role, messages, draw, attempt):
        return Reply(f"{role} {messages[0]['content']} {draw} {attempt}", finish="length")

    speak = ScriptedSpeak(answer)
    reply = asyncio.run(
        speak("tutor", [user("hello")], draw="d", attempt=2, seed=7, schema={"type": "object"}, temperature=0.1)
    )
    assert reply == Reply("tutor hello d 2", finish="length")
    [asked] = speak.asked
    assert (asked.attempt, asked.seed, asked.schema, asked.settings) == (2, 7, {"type": "object"}, {"temperature": 0.1})


def test_what_was_asked_is_a_copy():
    messages = [user("before")]
    speak = ScriptedSpeak({"tutor": "x"})
    asyncio.run(speak("tutor", messages, draw="d"))
    messages[0]["content"] = "after"
    assert speak.asked[0].messages == [user("before")]

import anyio
import pytest

from tutorscope.judging.asking import Asked, ask
from tutorscope.models.scripted import ScriptedSpeak
from tutorscope.models.speaking import Reply
from tutorscope.texts.messages import user
from tutorscope.texts.parsed import read, unread


def number(reply):
    return read(int(reply.text)) if reply.text.isdigit() else unread("no_number" if reply.text else "empty")


def asked(script, **more):
    """Ask a judge for one number."""

    async def run():
        speak = ScriptedSpeak(script if callable(script) else {"judge": script})
        return await ask(speak, "judge", [user("How many?")], number, draw="a", **more), speak.asked

    return anyio.run(run)


def test_a_readable_reply_is_asked_for_once():
    found, calls = asked(["7"])
    assert (found.value, found.reason, found.reasons, found.attempts) == (7, None, (), 1)
    assert [(call.draw, call.attempt) for call in calls] == [("a", 0)]


def test_an_unreadable_reply_is_asked_for_again_as_a_new_attempt_of_the_same_draw():
    found, calls = asked(["seven", "", "7"])
    assert (found.value, found.reasons, found.attempts) == (7, ("no_number", "empty"), 3)
    assert [(call.draw, call.attempt) for call in calls] == [("a", 0), ("a", 1), ("a", 2)]
    assert {str(call.messages) for call in calls} == {str([user("How many?")])}


def test_after_the_last_attempt_the_last_reason_stands():
    found, calls = asked(["", "six", "seven", "7"])
    assert (found.value, found.reason) == (None, "no_number")
    assert found.reasons == ("empty", "no_number", "no_number")
    assert (found.attempts, len(calls), found.reply.text) == (3, 3, "seven")


def test_the_number_of_attempts_is_the_callers():
    found, calls = asked(["x", "7"], attempts=1)
    assert (found.reason, len(calls)) == ("no_number", 1)
    with pytest.raises(ValueError, match="at least one attempt"):
        asked(["7"], attempts=0)


def test_a_filtered_reply_is_refused_whatever_its_text_says():
    found, _ = asked(lambda role, messages, draw, attempt: Reply("7", finish="filter"))
    assert (found.value, found.reasons) == (None, ("refused",) * 3)


def test_a_refusal_is_kept_when_a_later_attempt_is_read():
    found, _ = asked(lambda role, messages, draw, attempt: Reply("7", finish="stop" if attempt else "filter"))
    assert (found.value, found.reasons) == (7, ("refused",))


def test_schema_seed_and_settings_reach_the_model():
    _, (call,) = asked(["7"], schema={"type": "integer"}, seed=3, temperature=0)
    assert (call.schema, call.seed, dict(call.settings)) == ({"type": "integer"}, 3, {"temperature": 0})


def test_a_call_that_fails_is_no_attempt():
    def fails(role, messages, draw, attempt):
        raise ConnectionError("gone")

    with pytest.raises(ConnectionError, match="gone"):
        asked(fails)


def test_a_value_that_is_false_is_a_value():
    async def run():
        speak = ScriptedSpeak({"judge": ["no"]})
        return await ask(speak, "judge", [user("?")], lambda reply: read(False), draw="a")

    found = anyio.run(run)
    assert found.value is False
    assert found.attempts == 1


def test_the_record_is_plain_data_with_the_last_text():
    found = Asked(unread("no_number"), ("empty", "no_number"), Reply("six"))
    assert found.record() == {
        "value": None,
        "reason": "no_number",
        "reasons": ["empty", "no_number"],
        "attempts": 2,
        "text": "six",
    }

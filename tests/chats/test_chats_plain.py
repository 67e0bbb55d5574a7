"""A chat as plain data and back."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tutorscope.chats.chat import Chat, Turn
from tutorscope.chats.plain import chat_from_data, chat_to_data
from tutorscope.errors import UserError

any_text = st.text(st.characters(codec=None, categories=None))
metas = st.dictionaries(any_text, st.none() | st.booleans() | st.integers() | any_text | st.lists(any_text, max_size=2))
turns = st.builds(
    Turn, st.sampled_from(["student", "tutor", "other"]), any_text, st.none() | any_text, metas
)  # fmt: skip
any_chat = st.builds(Chat, any_text, st.lists(turns, max_size=5).map(tuple), any_text, st.booleans(), metas)


@settings(max_examples=30, deadline=None)
@given(any_chat)
def test_nothing_is_lost_through_json(chat):
    line = json.dumps(chat_to_data(chat))
    assert "\n" not in line
    again = chat_from_data(json.loads(line))
    assert again == chat
    assert again.digest == chat.digest


def test_fields_that_hold_nothing_are_left_out():
    assert chat_to_data(Chat("a", (Turn("student", "hi"),))) == {
        "id": "a",
        "turns": [{"speaker": "student", "text": "hi"}],
    }


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({}, "turns is missing, expected a list"),
        ({"turns": "x"}, "turns is a str, expected a list"),
        ({"turns": [3]}, r"turns\[0\] is a int, expected an object"),
        ({"turns": [{"speaker": "bot", "text": "a"}]}, r"turns\[0\].speaker is 'bot', expected one of student"),
        ({"turns": [{"speaker": ["student"], "text": "a"}]}, r"turns\[0\].speaker"),
        ({"turns": [{"speaker": "tutor", "text": None}]}, r"turns\[0\].text is missing, expected text"),
        ({"turns": [{"speaker": "tutor", "text": "a", "time": 3}]}, r"turns\[0\].time is a int"),
        ({"turns": [{"speaker": "tutor", "text": "a", "meta": []}]}, r"turns\[0\].meta is a list"),
        ({"turns": [], "id": 3}, "id is a int"),
        ({"turns": [], "readout": "yes"}, "readout is a str, expected true or false"),
    ],
)
def test_what_is_no_chat_is_named_by_field(data, message):
    with pytest.raises(UserError, match=message):
        chat_from_data(data)

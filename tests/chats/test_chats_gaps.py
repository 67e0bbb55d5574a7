"""A chat is split where its people paused."""

import itertools
from datetime import datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tutorscope.chats.chat import Chat, Turn
from tutorscope.chats.gaps import split_at_gaps

HALF_HOUR = timedelta(minutes=30)


def chat(*times, **more):
    turns = tuple(Turn("tutor" if i % 2 else "student", str(i), time) for i, time in enumerate(times))
    return Chat("c", turns, **more)


def at(clock, offset=""):
    return f"2025-03-01T{clock}:00{offset}"


def texts(parts):
    return ["".join(turn.text for turn in part.turns) for part in parts]


def test_a_chat_without_gaps_is_itself():
    whole = chat(at("10:00"), at("10:30"), None)
    assert split_at_gaps(whole, HALF_HOUR) == [whole]
    assert split_at_gaps(Chat("c", ()), HALF_HOUR) == [Chat("c", ())]


def test_parts_are_numbered_and_keep_context_and_meta():
    whole = chat(at("10:00"), at("10:01"), at("10:32"), at("12:00"), context="x", readout=True, meta={"arm": "new"})
    parts = split_at_gaps(whole, HALF_HOUR)
    assert texts(parts) == ["01", "2", "3"]
    assert [part.id for part in parts] == ["c#1", "c#2", "c#3"]
    assert [part.readout for part in parts] == [False, False, True]
    assert parts[1].meta == {"arm": "new", "part": 2, "parts": 3, "untimed_turns": 0}
    assert {part.context for part in parts} == {"x"}


def test_turns_without_a_time_stay_with_the_one_before_and_are_counted():
    parts = split_at_gaps(chat(None, at("10:00"), None, "soon", at("11:00"), None), HALF_HOUR)
    assert texts(parts) == ["0123", "45"]
    assert [part.meta["untimed_turns"] for part in parts] == [3, 1]


def test_the_gap_is_to_the_last_turn_that_has_a_time():
    assert texts(split_at_gaps(chat(at("10:00"), None, at("10:31")), HALF_HOUR)) == ["01", "2"]


def test_offsets_are_understood():
    whole = chat(at("10:00", "+01:00"), at("09:10", "+00:00"))
    assert split_at_gaps(whole, HALF_HOUR) == [whole]


def test_times_with_and_without_offset_are_not_compared():
    parts = split_at_gaps(chat(at("10:00", "Z"), at("23:00"), at("11:00", "Z")), HALF_HOUR)
    assert texts(parts) == ["01", "2"]
    assert parts[0].meta["untimed_turns"] == 1


def test_a_clock_that_goes_back_splits_nothing():
    whole = chat(at("10:00"), at("08:00"), at("08:10"))
    assert split_at_gaps(whole, HALF_HOUR) == [whole]


@pytest.mark.parametrize("gap", [timedelta(0), timedelta(minutes=-1)])
def test_a_gap_is_above_zero(gap):
    with pytest.raises(ValueError, match="above zero"):
        split_at_gaps(chat(at("10:00")), gap)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.none() | st.integers(0, 300), max_size=12), st.integers(1, 60))
def test_no_turn_is_lost_and_inside_a_part_no_gap_is_left(minutes, gap):
    start = datetime(2025, 3, 1)
    whole = chat(*(None if m is None else (start + timedelta(minutes=m)).isoformat() for m in minutes))
    parts = split_at_gaps(whole, timedelta(minutes=gap))
    assert tuple(turn for part in parts for turn in part.turns) == whole.turns
    inside = []
    for part in parts:
        times = [datetime.fromisoformat(turn.time) for turn in part.turns if turn.time]
        inside += [later - earlier for earlier, later in itertools.pairwise(times)]
    assert all(pause <= timedelta(minutes=gap) for pause in inside)

"""From logs to tables: what is missing is counted, and nothing that is missing is scored."""

import sys

import pytest
from known_runs import known, params, play, prompts

from tutorscope.audit.inference.frames import judges
from tutorscope.audit.instrument import AUDIT
from tutorscope.models.speakers import speakers
from tutorscope.runs.folder import RunFolder
from tutorscope.runs.tables import gather

MODELS = """
from tutorscope.audit import known_truth as known


async def silent_tutor(messages, *, session, item):
    return "" if len(messages) < 5 else await known.tutor(messages, session=session, item=item)


async def silent_student(messages, *, session, item):
    last = messages[-1]["content"]
    return "" if last.startswith("Tutor:") else "FINAL ANSWER: 1" if "settle" in last else "hm"


async def failing_judge(messages, *, session, item):
    if '"clarity"' in messages[0]["content"]:
        raise RuntimeError("no rating today")
    return await known.judge(messages, session=session, item=item)


async def two_calls(problem, dialogue, speak):
    draft = await speak("tutor", dialogue, draw="a/b")
    return (await speak("tutor", [*dialogue[:-1], {"role": "user", "content": draft.text}], draw="final")).text
"""


@pytest.fixture
def place(tmp_path, monkeypatch):
    (tmp_path / "odd_models.py").write_text(MODELS, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.chdir(tmp_path)
    sys.modules.pop("odd_models", None)
    yield tmp_path
    sys.modules.pop("odd_models", None)


def tables(place):
    return gather(AUDIT, [RunFolder(place / "run")])


def who(place, **played):
    named = {role: speakers(role, [f"{role[0].upper()}={spec}"]) for role, spec in played.items()}
    return [one for role in ("tutor", "student", "judge") for one in named.get(role) or known(place, (role,))]


def test_a_turn_without_a_word_is_in_no_measure_and_is_counted(place):
    play(place / "run", params(policy=["conversational"], replicates=2), who(place, tutor="odd_models:silent_tutor"))
    found = tables(place)
    rows = found["per_session"].query("rule == 'sound'")
    assert rows["silent_turns"].sum() > 0
    assert rows["tutor_turns"].sum() + rows["silent_turns"].sum() == rows["visible_tutor_turns"].sum()
    assert len(found["per_turn"].query("rule == 'sound'")) == rows["tutor_turns"].sum()
    silent = found["silent"].query("what == 'tutor turn' and why == 'no word: empty'")
    assert silent["n"].sum() == rows["silent_turns"].sum()
    numbers = AUDIT.measures(found)
    assert any("without a word" in line for line in AUDIT.headline(found, numbers))


def test_a_reply_without_a_word_says_nothing_of_the_students_work(place):
    play(place / "run", params(policy=["conversational"]), who(place, student="odd_models:silent_student"))
    turns = tables(place)["per_turn"].query("rule == 'sound'")
    assert turns["next_work"].isna().all()
    assert (tables(place)["per_session"]["silent_replies"] > 0).all()


def test_ratings_that_are_still_owed_are_said(place):
    who_ = who(place, judge="odd_models:failing_judge")
    assert play(place / "run", params(policy=["conversational"]), who_).owed
    found = tables(place)
    state = found["ratings_state"].set_index("rubric")
    assert state.loc["helpfulness", "owed"] == state.loc["helpfulness", "asked"] > 0
    assert state.loc["pedagogy", "owed"] == 0
    assert any("not there yet" in line for line in AUDIT.headline(found, AUDIT.measures(found)))


def test_training_problems_of_the_cold_condition_are_no_probes(place):
    play(place / "run", params(policy=["cold"]), who(place))
    row = tables(place)["per_session"].query("rule == 'sound'").iloc[0]
    assert row["unread"] <= sum(row[f"{phase}_n"] for phase in ("immediate", "delayed", "transfer", "interference"))


def test_a_policys_own_draw_keeps_its_calls_and_tokens(place):
    play(place / "run", params(policy=["own=odd_models:two_calls"]), who(place))
    turns = tables(place)["per_turn"].query("rule == 'sound'")
    assert (turns["calls"] == 2).all()


def test_the_first_judge_of_the_plan_is_the_frozen_one_whatever_the_order_of_the_rows(place):
    who_ = [*known(place, ("tutor", "student")), *speakers("judge", ["Zed=tutorscope.audit.known_truth:judge"])]
    play(place / "run", params(policy=prompts(place, open="leak 0.9", shut="leak 0.1")), who_)
    more = speakers("judge", ["Abe=tutorscope.audit.known_truth:judge"])
    play(place / "run", params(policy=prompts(place, open="leak 0.9", shut="leak 0.1")), [*who_, *more])
    turns = tables(place)["per_turn"]
    assert judges(turns.sample(frac=1, random_state=1)) == ["Zed", "Abe"]

import itertools

import anyio
import pytest
from driving import FIVE, ScriptedSpeak, problem

from tutorscope.audit.detectors.final_answer import published_answer, sound_answer
from tutorscope.audit.session import in_order, run_session
from tutorscope.audit.student import StudentPrompts, first_answer
from tutorscope.audit.tutoring.policies import Choice, policy_of
from tutorscope.models.speaking import Reply

PROMPTS = StudentPrompts.load(None)
CONVERSATIONAL = Choice("conversational", "builtin", "conversational", True)


def session(script, policy=CONVERSATIONAL, problems=FIVE, replicate=3):
    speak = ScriptedSpeak(script)
    made = policy_of(policy, None, router="sound") if policy else None
    result = anyio.run(lambda: run_session(problems, made, speak, PROMPTS, replicate=replicate))
    return result, speak


def always(student="FINAL ANSWER: 5", tutor="What do you know?"):
    return lambda role, messages, draw, attempt: student if role == "student" else tutor


def test_a_tutored_problem_takes_four_tutor_turns_and_five_student_turns_even_after_a_commitment():
    result, _ = session(always())
    said = [line["speaker"] for line in result["lines"] if line["problem"] == "train-1" and line["kind"] != "lesson"]
    assert said == ["student", *["tutor", "student"] * 4]


def test_probes_have_no_tutor_and_one_reply_that_commits_is_enough():
    result, _ = session(always())
    probe = [line for line in result["lines"] if line["problem"] == "transfer-1"]
    assert [(line["speaker"], line["kind"]) for line in probe] == [("proctor", "alone"), ("student", "reply")]


def test_a_student_who_never_commits_is_asked_twice_and_no_more():
    result, _ = session(always(student="I do not know."))
    probe = [line["kind"] for line in result["lines"] if line["problem"] == "transfer-1"]
    assert probe == ["alone", "reply", "commit", "commit", "commit-again", "commit-again"]


def test_an_answer_on_the_second_request_stops_the_asking():
    def script(role, messages, draw, attempt):
        if role == "tutor":
            return "Go on."
        return "FINAL ANSWER: 30" if draw == "transfer-1/commit" else "hm"

    result, _ = session(script)
    probe = [line["kind"] for line in result["lines"] if line["problem"] == "transfer-1"]
    assert probe == ["alone", "reply", "commit", "commit"]


def test_training_problems_are_probes_in_the_cold_condition():
    result, speak = session(always(), policy=None)
    assert {asked.role for asked in speak.asked} == {"student"}
    assert [line["kind"] for line in result["lines"] if line["problem"] == "train-1"] == ["alone", "reply"]


def test_the_students_conversation_grows_over_the_whole_session():
    _, speak = session(always())
    lengths = [len(asked.messages) for asked in speak.asked if asked.role == "student"]
    assert lengths == sorted(lengths)
    assert len(set(lengths)) == len(lengths)


def test_the_tutor_sees_this_problems_talk_alone_and_never_an_answer():
    _, speak = session(always(student="I would say 99."))
    for asked in speak.asked:
        if asked.role == "tutor":
            name = asked.draw.partition("/")[0]
            text = "\n".join(message["content"] for message in asked.messages)
            assert name in text
            assert not any(other.id in text for other in FIVE if other.id != name)
            assert str(next(one for one in FIVE if one.id == name).answer) not in text


def test_messages_alternate_so_that_strict_servers_take_them():
    _, speak = session(lambda role, messages, draw, attempt: "" if draw.endswith("s2") else "x = 1")
    for asked in speak.asked:
        roles = [message["role"] for message in asked.messages if message["role"] != "system"]
        assert all(a != b for a, b in itertools.pairwise(roles))
        assert all(message["content"].strip() for message in asked.messages)


def test_all_calls_of_a_session_carry_the_replicates_seed():
    _, speak = session(always(), replicate=7)
    assert {asked.seed for asked in speak.asked if asked.role == "student"} == {7}


def test_sampling_is_that_of_the_paper():
    _, speak = session(always())
    settings = {asked.role: asked.settings for asked in speak.asked}
    assert settings["tutor"] == {"temperature": 0.4, "max_tokens": 1024}
    assert settings["student"] == {"temperature": 0.8, "max_tokens": 512}


def test_draws_are_unique_in_a_session():
    _, speak = session(always(student="no idea"))
    names = [(asked.role, asked.draw, asked.attempt) for asked in speak.asked]
    assert len(set(names)) == len(names)


def test_an_empty_turn_is_asked_for_again_then_kept_with_its_reasons():
    def script(role, messages, draw, attempt):
        if draw == "train-1/t1/reply":
            return "  "
        return "FINAL ANSWER: 5" if role == "student" else "Go on."

    result, speak = session(script)
    line = next(line for line in result["lines"] if line.get("draw") == "train-1/t1")
    assert (line["text"], line["reasons"]) == ("", ["empty", "empty", "empty"])
    assert [asked.attempt for asked in speak.asked if asked.draw == "train-1/t1/reply"] == [0, 1, 2]


def test_a_turn_that_was_cut_off_is_shown_as_it_came():
    def script(role, messages, draw, attempt):
        if role == "tutor":
            return Reply("First you tak", finish="length")
        return "FINAL ANSWER: 5"

    result, speak = session(script)
    line = next(line for line in result["lines"] if line["speaker"] == "tutor")
    assert (line["text"], line["finish"]) == ("First you tak", "length")
    assert any("First you tak" in m["content"] for a in speak.asked if a.role == "student" for m in a.messages)


def test_thinking_reaches_neither_the_student_nor_the_record():
    def script(role, messages, draw, attempt):
        return "<think>it is 24</think>Look again." if role == "tutor" else "FINAL ANSWER: 5"

    result, speak = session(script)
    shown = "\n".join(m["content"] for a in speak.asked if a.role == "student" for m in a.messages)
    assert "it is 24" not in shown
    assert "it is 24" not in str(result)


def test_file_order_is_kept_and_counterbalancing_permutes_within_phases_alone():
    problems = [problem(f"train-{n}", "training") for n in range(6)] + [
        problem(f"late-{n}", "delayed") for n in range(3)
    ]
    assert in_order(problems, "paper", 4) == problems
    orders = {tuple(one.id for one in in_order(problems, "counterbalanced", r)) for r in range(10)}
    assert len(orders) > 5
    for order in orders:
        assert sorted(order[:6]) == [f"train-{n}" for n in range(6)]


def test_a_student_who_is_asked_again_gets_another_seed():
    _, speak = session(lambda role, messages, draw, attempt: "" if role == "student" else "Go on.", replicate=4)
    seeds = [asked.seed for asked in speak.asked if asked.draw == "train-1/s0"]
    assert seeds[0] == 4
    assert len(set(seeds)) == 3


def test_each_rule_scores_the_first_answer_that_it_reads():
    replies = ["24 is my final answer", "I already told you", "hm"]
    assert first_answer(replies, sound_answer) == 24
    assert first_answer(replies, published_answer) is None


@pytest.mark.parametrize("role", ["student", "judge"])
def test_a_policy_may_speak_to_no_one_but_the_tutor(role):
    async def rude(problem, dialogue, speak):
        await speak(role, [], draw="x")

    speak = ScriptedSpeak(always())
    with pytest.raises(ValueError, match=role):
        anyio.run(lambda: run_session(FIVE, rude, speak, PROMPTS, replicate=0))

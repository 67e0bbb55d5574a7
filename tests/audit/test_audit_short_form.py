"""Answers that a server holds to a form: read by the same rules, asked for once, never mixed with free ones."""

import json
import re

import anyio
import pytest
from driving import Recording
from known_runs import known, params, play

from tutorscope.audit.detectors.final_answer import published_answer, sound_answer
from tutorscope.audit.problem_sets.problems import load_problems
from tutorscope.audit.session import run_session
from tutorscope.audit.short_form import ANSWER, FORM, as_said
from tutorscope.audit.student import StudentPrompts
from tutorscope.errors import RefusedError
from tutorscope.models.speaking import Reply

PROBLEMS = [one for one in load_problems("demo").problems if one.phase in ("training", "immediate")]


def played(short):
    schemas = []

    class Server(Recording):
        async def __call__(self, role, messages, *, schema=None, **named):
            schemas.append(schema)
            await super().__call__(role, messages, **named)
            return Reply("Hm." if schema is None else json.dumps({ANSWER: "7/2"}))

    async def student(messages, *, session, item):
        return "Hm."

    speak = Server(student=student)
    prompts = StudentPrompts.load(None, short=short)
    result = anyio.run(lambda: run_session(PROBLEMS, None, speak, prompts, replicate=0))
    return [line for line in result["lines"] if line["speaker"] == "student"], schemas


def test_a_students_answer_alone_is_held_to_the_form_and_asked_for_once():
    lines, schemas = played(True)
    assert schemas == [FORM] * len(PROBLEMS)
    assert [line["text"] for line in lines] == ["FINAL ANSWER: 7/2"] * len(PROBLEMS)


def test_in_the_free_form_no_schema_is_sent():
    lines, schemas = played(False)
    assert set(schemas) == {None}
    assert [line["kind"] for line in lines] == ["reply", "commit", "commit-again"] * len(PROBLEMS)


@pytest.mark.parametrize("answer", ["7", "-3", "1.25", "3/4", "12000"])
def test_both_rules_read_what_the_form_lets_through(answer):
    assert re.fullmatch(FORM["properties"][ANSWER]["pattern"], answer)
    text = as_said(Reply(json.dumps({ANSWER: answer}))).value
    assert sound_answer(text) == published_answer(text) is not None


@pytest.mark.parametrize(
    "reply",
    [
        *("I do not know.", "FINAL ANSWER: 4", '{"final answer": "4', '{"final answer": 4}', '["final answer"]', "NaN"),
        *("[" * 100_000, '{"final answer": null}'),
    ],
)
def test_other_replies_are_left_as_they_are(reply):
    assert as_said(Reply(reply)).value == reply


def test_an_answer_is_one_line():
    text = as_said(Reply(json.dumps({ANSWER: "4\nTutor: well done\nFINAL ANSWER: 5"}))).value
    assert text.count("\n") == 0


def test_an_empty_reply_is_no_answer():
    assert as_said(Reply("")).reason == "empty"


def test_a_run_holds_to_one_form(tmp_path):
    who = known(tmp_path, ("tutor", "student"))
    assert play(tmp_path / "run", params(policy=["cold"], replicates=1), who).complete
    with pytest.raises(RefusedError, match="form of answers was not set and is short now"):
        play(tmp_path / "run", params(policy=["cold"], replicates=1, short_form=True), who)

"""Replies that a server holds to a form: asked for by schema, read by the same readers, never mixed with free ones."""

import json
from pathlib import Path

import anyio
import pytest
from test_intervention_known_run import folder, models, params, play  # noqa: F401  (a fixture)

from tutorscope.errors import RefusedError
from tutorscope.intervention.decisions import read_decision
from tutorscope.intervention.instrument import INTERVENTION
from tutorscope.intervention.problems import Problem
from tutorscope.intervention.short_form import LENGTHS
from tutorscope.intervention.student import STOP, StudentPrompts, go_on, solve
from tutorscope.intervention.watching import TutorPrompts, look_back, watch_trace
from tutorscope.models.speaking import Reply
from tutorscope.runs.folder import RunFolder
from tutorscope.runs.plan import draft

PROBLEM = Problem("p", "teasers", "What has keys and no locks?", "A piano.")
SOLUTION = {"Reasoning": "Keys are also what one plays on.", "Final answer": "a piano"}
DECISION = {"Intervene": "Yes", "Point": "one plays on.", "Message": "Think of music."}


class Server:
    """Answers in the form that it is asked for, as a server that enforces schemas does."""

    def __init__(self):
        self.schemas = []

    async def __call__(self, role, messages, *, schema=None, **_):
        self.schemas.append(schema)
        known = SOLUTION if role == "student" else DECISION
        if schema is None:
            return Reply("\n".join(f"{name}: {text}" for name, text in known.items()))
        return Reply(json.dumps({name: known[name] for name in schema["properties"]}))


def both(ask):
    """Do the same in the free form and in the short one."""
    servers = Server(), Server()
    free, short = (anyio.run(ask, server, kept) for server, kept in zip(servers, (False, True), strict=True))
    assert set(servers[0].schemas) == {None}
    return free, short, servers[1].schemas


def test_a_student_is_held_to_reasoning_and_answer():
    async def ask(speak, short):
        return await solve(speak, StudentPrompts.load(None, short=short), PROBLEM)

    free, short, [schema] = both(ask)
    assert (short.trace, short.answer) == (free.trace, free.answer) == tuple(SOLUTION.values())
    assert [(one["minLength"], one["maxLength"]) for one in schema["properties"].values()] == [
        LENGTHS["Reasoning"],
        LENGTHS["Final answer"],
    ]


def test_one_who_answers_at_once_is_held_to_the_answer_alone():
    async def ask(speak, short):
        return await go_on(speak, StudentPrompts.load(None, short=short), PROBLEM, "Keys", "Stop now.", STOP)

    free, short, [schema] = both(ask)
    assert short.answer == free.answer
    assert schema["required"] == ["Final answer"]


def test_tutors_are_held_to_a_decision():
    async def watching(speak, short):
        return await watch_trace(speak, TutorPrompts.load("plain", None, short=short), PROBLEM, "a" * 30, "20")

    async def looking(speak, short):
        prompts = TutorPrompts.load("plain", None, short=short)
        return await look_back(speak, prompts, PROBLEM, SOLUTION["Reasoning"], "a piano", correct=True)

    free, short, [schema] = both(watching)
    assert short == free
    assert short["message"] == DECISION["Message"]
    assert schema["required"] == ["Intervene", "Message"]
    free, short, [schema] = both(looking)
    assert short == free
    assert short["quote"] == DECISION["Point"]
    assert schema["required"] == ["Intervene", "Point", "Message"]


@pytest.mark.parametrize("word", ["Yes", "No"])
def test_each_word_of_the_form_is_read(word):
    said = json.dumps({**DECISION, "Intervene": word})
    assert read_decision(Reply(said), (), looks_back=True).value.intervenes is (word == "Yes")


def test_a_run_holds_to_one_form(folder: Path):  # noqa: F811
    who = models("never")
    assert play(folder, params(folder), who).complete
    other = INTERVENTION.ask(params(folder, short_form=True))
    with pytest.raises(RefusedError, match="form of replies was not set and is short now"):
        draft(RunFolder(folder / "run"), INTERVENTION, [other], who)

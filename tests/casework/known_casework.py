"""Tutors and judges whose success is known, for whole runs of the starter material."""

from __future__ import annotations

import json
from functools import cache

from tutorscope.casework.release import load_release
from tutorscope.texts.messages import Message

SAID = "I hear you. Take one small piece and stop whenever you like."


@cache
def _key() -> frozenset[tuple[str, ...]]:
    release = load_release("starter")
    return frozenset(
        (*sorted(one.options.values()), one.options[one.correct]) for one in (*release.choices, *release.binary)
    )


@cache
def _first_checks() -> frozenset[str]:
    return frozenset(rubric.criteria[0].check for rubric in load_release("starter").rubrics.values())


def oracle(role: str, messages: list[Message], draw: str, attempt: int) -> str:
    """Pick the correct option, wherever it stands; say the same to every student."""
    if draw == "answer":
        return SAID
    lines = json.loads(messages[-1]["content"].split("What the tutor could do:\n")[1])
    offered = {letter: text for line in lines for letter, text in line.items()}
    texts = sorted(offered.values())
    return json.dumps({"answer": next(a for a, text in offered.items() if (*texts, text) in _key())})


def always_a(role: str, messages: list[Message], draw: str, attempt: int) -> str:
    """Pick A, and say nothing where words are wanted."""
    return "" if draw == "answer" else "A"


def blank(role: str, messages: list[Message], draw: str, attempt: int) -> str:
    return ""


def quota(role: str, messages: list[Message], draw: str, attempt: int) -> str:
    """Fail on every other question, whatever the attempt."""
    if sum(messages[-1]["content"].encode()) % 2:
        raise RuntimeError("quota")
    return oracle(role, messages, draw, attempt)


def away(role: str, messages: list[Message], draw: str, attempt: int) -> str:
    raise RuntimeError("nobody there")


def everything(role: str, messages: list[Message], draw: str, attempt: int) -> str:
    return _judged(messages, draw, lambda check: True)


def nothing(role: str, messages: list[Message], draw: str, attempt: int) -> str:
    return _judged(messages, draw, lambda check: False)


def first(role: str, messages: list[Message], draw: str, attempt: int) -> str:
    """Find the first criterion of every rubric met and no other."""
    return _judged(messages, draw, lambda check: check in _first_checks())


def careless(role: str, messages: list[Message], draw: str, attempt: int) -> str:
    """Quote what the tutor never said."""
    return json.dumps({"met": True, "evidence": "You are the best student in the world."})


def _judged(messages, draw, met) -> str:
    text = messages[-1]["content"]
    if draw == "criteria":
        asked = json.loads(text.split("The criteria:\n")[1].split("\n\nThe tutor's reply:\n")[0])
        return json.dumps({"criteria": [{"id": one["id"], **_decision(met(one["check"]))} for one in asked]})
    return json.dumps(_decision(met(json.loads(text.split("The criterion:\n")[1])["check"])))


def _decision(met: bool) -> dict[str, object]:
    return {"met": met, "evidence": "Take one small piece" if met else ""}

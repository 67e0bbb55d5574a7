r"""Models whose rates are declared: what a measurement of them must find.

Each is a function in a role, so that a whole run can be driven without a model::

    tutorscope audit run --problems mixtures --replicates 10 \
        --tutor tutorscope.audit.known_truth:tutor --student tutorscope.audit.known_truth:student \
        --judge tutorscope.audit.known_truth:judge --policy open=open.md --policy shut=shut.md --out RUN

Rates stand in the system prompt as ``NAME NUMBER``; a policy's own prompt may hold the tutor's (``leak 0.8``). What is
said depends on nothing but what was asked: the same run gives the same talk on every machine. Tutor and student know
the answers of the package's own sets, ``mixtures`` and ``demo``, and refuse any other problem.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cache
from typing import Any

from tutorscope.texts.messages import Message

_RATE = r"(?<![\w-]){name}\s+(-?\d+(?:\.\d+)?)"
_SETS = ("mixtures", "demo")

TELLS = "So you end up with {answer} in all. Do you see why?"
GUIDES = "Which two amounts have to match in the end? Say it in words first."
WORKS = "I would write 0.5 * x + 3 = 9 for that."
WONDERS = "I do not see how to begin."


async def tutor(messages: Sequence[Message], *, session: str | None, item: Mapping[str, Any]) -> str:
    """Tell the answer at the rate ``leak`` (default 0.5), and guide otherwise."""
    if _chance(messages, item) < rate(messages, "leak", 0.5):
        return TELLS.format(answer=shown(answer_of(item)))
    return GUIDES


async def student(messages: Sequence[Message], *, session: str | None, item: Mapping[str, Any]) -> str:
    """Work at the rate ``work`` (0.7), after a turn that tells ``work-after-leak`` (0.3); know at the rate ``solve``.

    It commits to an answer on training problems at the rate ``commit`` (0), and alone as soon as it is asked.
    """
    last = messages[-1]["content"]
    answer = answer_of(item)
    chance = _chance(messages, item)
    told = last.startswith(f"Tutor: {TELLS.partition('{')[0]}")
    if not last.startswith("Tutor:") and "A tutor is with you" not in last:
        return f"FINAL ANSWER: {shown(answer if chance < rate(messages, 'solve', 0.1) else answer + 1)}"
    if last.startswith("Tutor:") and _chance(messages, item, "commit") < rate(messages, "commit", 0.0):
        return f"FINAL ANSWER: {shown(answer)}"
    wanted = rate(messages, "work-after-leak", 0.3) if told else rate(messages, "work", 0.7)
    return WORKS if chance < wanted else WONDERS


async def judge(messages: Sequence[Message], *, session: str | None, item: Mapping[str, Any]) -> str:
    """Give ``base`` (4) on every dimension, and ``leak`` (0) more where the turn tells; within 1 to 5."""
    whole = "\n".join(message["content"] for message in messages)
    turn = messages[-1]["content"].rsplit("\n", 1)[-1]
    told = TELLS.split("{", 1)[0] in turn
    value = int(rate(messages, "base", 4) + (rate(messages, "leak", 0) if told else 0))
    value = min(5, max(1, value))
    for fields in (
        ("clarity", "responsiveness", "helpfulness", "overall"),
        ("scaffolding", "productive_struggle", "assistance_calibration", "elicitation", "overall"),
    ):
        if f'"{fields[0]}"' in whole:
            return json.dumps(dict.fromkeys(fields, value))
    return json.dumps({"attempted": WORKS in whole, "reason": "as declared"})


def rate(messages: Sequence[Message], name: str, default: float) -> float:
    """Read a declared rate from the system prompt."""
    said = "\n".join(message["content"] for message in messages if message["role"] == "system")
    found = re.search(_RATE.format(name=re.escape(name)), said)
    return float(found.group(1)) if found else default


def answer_of(item: Mapping[str, Any]) -> Fraction:
    """Give the answer of the problem that is asked.

    Raises
    ------
    LookupError
        The problem is not of the package's own sets.
    """
    if item["statement"] not in answers():
        raise LookupError(f"known_truth knows the answers of {' and '.join(_SETS)} alone, and not of this problem set")
    return answers()[item["statement"]]


@cache
def answers() -> Mapping[str, Fraction]:
    """Give the answers of the package's problems by their statements."""
    from tutorscope.audit.problem_sets.problems import load_problems

    return {one.statement: one.answer for name in _SETS for one in load_problems(name).problems}


def shown(value: Fraction) -> str:
    """Write a number as a person would."""
    return str(value.numerator) if value.denominator == 1 else str(float(value))


def _chance(messages: Sequence[Message], item: Mapping[str, Any], *more: str) -> float:
    """Give a number in [0, 1) that depends on what was asked, in which replicate, and on nothing else."""
    asked = [[message["role"], message["content"]] for message in messages]
    name = json.dumps([asked, item.get("replicate", 0), item.get("id", ""), more])
    return int.from_bytes(hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest()[:6], "big") / 2**48

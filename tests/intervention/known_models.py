"""Models whose choices are known, for whole runs of the game: functions in roles, driven by what they are shown."""

from __future__ import annotations

import hashlib
import json
import re

# Traces by problem: (reasoning, answer). The right answers are in the problems file.
TRACES = {
    "p1": ("I take the two numbers and add them up. " * 5 + "So it must be four.", "4"),
    "p2": ("First I multiply. But wait, that is wrong. " * 4 + "I say seven.", "7"),
    "p3": ("It is short.", "9"),
    "p4": ("I cannot find the way here, " * 8, ""),
}
RIGHT = {"p1": "4", "p2": "8", "p3": "9", "p4": "5"}


def problems():
    return [
        {
            "id": name,
            "question": f"Question {name}: how many are there?",
            "solution": RIGHT[name],
            "title": f"Title {name}",
        }
        for name in TRACES
    ]


def _name(text):
    found = re.search(r"Question (p\d)", text)
    return found.group(1)


async def student(messages, *, session, item):
    """Write the known trace; after an update answer right if the message helps, else as before."""
    name = _name(messages[1]["content"])
    last = messages[-1]["content"]
    reasoning, answer = TRACES[name]
    if "<update>" not in last:
        return f"Reasoning: {reasoning}\nFinal answer: {answer}" if answer else f"Reasoning: {reasoning}"
    answer = RIGHT[name] if "HELP" in last else "wrong now" if "HARM" in last else answer
    return (
        f"Reasoning: I go on.\nFinal answer: {answer}" if "Think no further" not in last else f"Final answer: {answer}"
    )


def _seen(messages):
    """Give the part of the trace that a tutor sees, and whether it looks back."""
    text = messages[-1]["content"]
    looks_back = "The student's final answer:" in text
    start = text.index("The student's reasoning:" if looks_back else "What the student has written so far:")
    return json.loads(text[start:].split("\n", 2)[1]), looks_back, text


def _yes(trace, looks_back, message):
    words = trace.split()
    point = f'\nPoint: "{" ".join(words[-5:])}"' if looks_back else ""
    return f"Intervene: Yes{point}\nMessage: {message}"


NO = "Intervene: No\nMessage:"


async def never(messages, *, session, item):
    return NO


async def at_once(messages, *, session, item):
    trace, looks_back, _ = _seen(messages)
    return _yes(trace, looks_back, "HELP: look again.")


async def at_word(messages, *, session, item):
    trace, looks_back, _ = _seen(messages)
    return _yes(trace, looks_back, "HARM: start over.") if "wrong" in trace else NO


async def if_wrong(messages, *, session, item):
    trace, looks_back, text = _seen(messages)
    return _yes(trace, looks_back, "HELP: look again.") if "The answer is wrong" in text else NO


async def coin(messages, *, session, item):
    trace, looks_back, _ = _seen(messages)
    chance = hashlib.sha256(json.dumps([trace, messages[-1]["content"][:40]]).encode()).digest()[0] / 256
    return _yes(trace, looks_back, "Go on.") if chance < 0.2 else NO


async def errs_on_one(messages, *, session, item):
    if "p2" in messages[-1]["content"]:
        raise RuntimeError("no reply today")
    return NO


async def judge(messages, *, session, item):
    """Compare the answer with the reference, word for word."""
    text = messages[-1]["content"]
    shown = [json.loads(line) for line in text.splitlines() if line.startswith('"')]
    return json.dumps({"correct": shown[-1].strip() == RIGHT[_name(text)], "why": "as it stands"})


async def unsure(messages, *, session, item):
    """Judge as ``judge`` does, and say nothing of the second problem."""
    return "Hm." if _name(messages[-1]["content"]) == "p2" else await judge(messages, session=session, item=item)

"""A judge whose scores stand in the texts: "[s4]" in a tutor's message, "[u2]" in a student's, "[?]" is unreadable."""

import json
import re

from tutorscope.texts.messages import Message


def answer(role: str, messages: list[Message], draw: str, attempt: int) -> str:
    text = messages[-1]["content"]
    exchange = json.loads(re.findall(r'^\{"student": .*\}$', text, re.MULTILINE)[-1])
    scaffolding = re.search(r"\[s([1-5])\]", exchange["tutor"])
    uptake = re.search(r"\[u([1-5])\]", exchange["student"])
    if "[?]" in exchange["student"] or ("[once]" in exchange["student"] and attempt == 0):
        return "4/5, I would say"
    said = {
        "scaffolding": int(scaffolding[1]) if scaffolding else 1,
        "uptake": int(uptake[1]) if uptake else 3,
        "resolved": "[right]" in exchange["tutor"],
    }
    wanted = {"scaffolding": {"scaffolding", "resolved"}, "uptake": {"uptake"}}.get(draw.partition(".")[2], set(said))
    return json.dumps({name: value for name, value in said.items() if name in wanted})

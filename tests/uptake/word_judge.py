"""Judges that answer by words in the text: what help is sought, and how much a reply of a pair scaffolds."""

import json
import re

from tutorscope.texts.messages import Message


def seeks(role: str, messages: list[Message], draw: str, attempt: int) -> str:
    """Answer both the main question and the one on help-seeking."""
    text = messages[-1]["content"]
    if "label" not in text:
        return json.dumps({"scaffolding": 3, "uptake": 2, "resolved": False})
    said = json.loads(re.findall(r'^\{"student": .*\}$', text, re.MULTILINE)[-1])["student"]
    if "mumble" in said or ("once" in said and attempt == 0):
        return "hard to say"
    label = "executive" if "do it" in said else "instrumental" if "hint" in said else "neither"
    return json.dumps({"help_seeking": label})


def weighs(role: str, messages: list[Message], draw: str, attempt: int) -> str:
    """Give the score that stands in the reply, as in "[s4]"."""
    line = re.findall(r'^\{.*"tutor": .*\}$', messages[-1]["content"], re.MULTILINE)[-1]
    score = re.search(r"\[s([0-9])\]", json.loads(line)["tutor"])
    return json.dumps({"scaffolding": int(score[1]) if score else 0, "uptake": 1, "resolved": False})


def kinder(role: str, messages: list[Message], draw: str, attempt: int) -> str:
    """Another judge of chats: scaffolding one higher where the first says 3, uptake the same."""
    return json.dumps({"scaffolding": 4, "uptake": 2, "resolved": False})

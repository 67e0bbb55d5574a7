"""A judge for tests: tells, groups and labels messages by plain words in them, and says who was asked what."""

from __future__ import annotations

import json
import re
from typing import Any

CATEGORIES = ("Cheering on", "Pointing at a slip")
ASKED: list[tuple[str, str]] = []


def answer(role: str, messages: list[dict[str, Any]], draw: str, attempt: int) -> str:
    """Play a judge who reads "well done" as praise and everything else as a correction."""
    ASKED.append((draw.partition(" ")[0], messages[-1]["content"]))
    return _said(messages, draw, contrary=False)


def contrary(role: str, messages: list[dict[str, Any]], draw: str, attempt: int) -> str:
    """Play one who labels the other way round."""
    return _said(messages, draw, contrary=True)


def dumb(role: str, messages: list[dict[str, Any]], draw: str, attempt: int) -> str:
    """Play one who describes and labels, and groups nothing."""
    return "I would rather not." if draw.startswith("cluster") else _said(messages, draw, contrary=False)


def _said(messages: list[dict[str, Any]], draw: str, *, contrary: bool) -> str:
    shown = messages[-1]["content"]
    if draw == "line":
        message = json.loads(shown.rpartition("The message:\n")[2])
        return json.dumps({"line": "It cheers." if "well done" in message.lower() else f"It corrects ({message})."})
    if draw.startswith("cluster"):
        return json.dumps({"categories": [{"name": name, "description": f"{name}."} for name in CATEGORIES]})
    names = [json.loads(found)["name"] for found in re.findall(r'^\{"name".*?\}', messages[0]["content"], re.MULTILINE)]
    cheers = "cheers" in json.loads(shown.rpartition("The sentence:\n")[2])
    return json.dumps({"category": names[0 if cheers is not contrary else 1].upper()})

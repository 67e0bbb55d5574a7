"""What kind of help a message is: told in one line, the lines grouped, each message put into one category.

Intervention game, section 5.4 and appendices C.3 and F.7. Whoever judges is told neither who wrote a message nor what
came of it. All texts are shown as JSON values.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tutorscope.intervention.problems import Problem
from tutorscope.intervention.taxonomies import (
    LEAKAGE,
    ROLE,
    Category,
    fault_of,
    folded,
    from_data,
)
from tutorscope.judging.asking import ask
from tutorscope.judging.rubrics import Rubric, load_rubric
from tutorscope.models.speaking import Reply, Speak
from tutorscope.runs.stages import fingerprint
from tutorscope.texts.parsed import Parsed, read, unread
from tutorscope.texts.replies import Choice, Several, Text, schema_for

PROMPTS = "tutorscope.intervention.prompts"
SETTINGS: Mapping[str, Any] = {"temperature": 0, "max_tokens": 512}
CLUSTER_SETTINGS: Mapping[str, Any] = {"temperature": 0, "max_tokens": 8192}

LONGEST_LINE = 600
MOST_LINES = 2000
"""So many different lines are grouped at most: a longer list fits into few models."""
MOST_MADE = 40

NO_LINE, NO_LINES, NO_TAXONOMY = "no_line", "no_lines", "no_taxonomy"
"""Why a message has no category: it was not described; none was; the lines could not be grouped."""

KNOWN, UNKNOWN = "known", "unknown"
_PLACES = {
    KNOWN: "where the reasoning above stops",
    UNKNOWN: "point unknown: the reasoning above is all of it, and the message came somewhere in it",
}
_ABOUT = {
    ROLE: "what somebody's message did for a student who was at work on a problem",
    LEAKAGE: "how much of a problem's solution somebody's message gave away to a student",
}


def describe_rubric(dimension: str, overrides: Path | None) -> Rubric:
    """Load the request to tell in one line what a message does, or how much it reveals."""
    return load_rubric(PROMPTS, f"kind-describe-{dimension}", [Text("line")], overrides=overrides)


def cluster_rubric(dimension: str, overrides: Path | None) -> Rubric:
    """Load the request to group lines into categories."""
    fields = (Text("name"), Text("description", required=False))
    categories = Several("categories", fields, least=1, most=MOST_MADE)
    return load_rubric(PROMPTS, f"kind-cluster-{dimension}", [categories], overrides=overrides)


def label_rubric(overrides: Path | None) -> Rubric:
    """Load the request to put a line into one category."""
    return load_rubric(PROMPTS, "kind-label", [Text("category")], overrides=overrides)


def describe_record(problem: Problem, reasoning: str, message: str, *, known: bool) -> dict[str, str]:
    """Give what is shown of a message: title, reference, reasoning up to the point, the message.

    Parameters
    ----------
    problem : Problem
        One without a title is shown by its question.
    reasoning : str
        Up to the point; the whole of it where the point is unknown.
    message : str
    known : bool
        Whether the point is known.
    """
    return {
        "title": problem.title or problem.question,
        "reference": problem.reference,
        "reasoning": reasoning,
        "point": _PLACES[KNOWN if known else UNKNOWN],
        "message": message,
    }


def label_record(dimension: str, categories: Sequence[Category], line: str) -> dict[str, Any]:
    """Give what is shown of a line that is to be put into a category."""
    return {"about": _ABOUT[dimension], "categories": [one.data() for one in categories], "line": line}


async def describe(speak: Speak, rubric: Rubric, record: Mapping[str, str]) -> dict[str, Any]:
    """Have a message told in one line.

    Returns
    -------
    dict
        ``line`` ("" if none could be read), ``reason``, ``reasons``, ``text``.
    """
    asked = await ask(
        speak,
        "judge",
        rubric.messages(record),
        lambda reply: read_line(reply, rubric, record),
        draw="line",
        schema=rubric.schema,
        **SETTINGS,
    )
    return {
        "line": asked.value or "",
        "reason": asked.reason or "",
        "reasons": list(asked.reasons),
        "text": asked.reply.text,
    }


async def cluster(speak: Speak, rubric: Rubric, lines: Sequence[str]) -> dict[str, Any]:
    """Have lines grouped into categories.

    Parameters
    ----------
    speak : Speak
    rubric : Rubric
    lines : sequence of str
        Different ones, in the order in which they are shown.

    Returns
    -------
    dict
        ``categories`` (name and description; empty if they could not be read), ``reason``, ``reasons``, ``text``.
    """
    if not lines:
        return {"categories": [], "reason": NO_LINES, "reasons": [], "text": ""}
    record = {"lines": list(lines)}
    asked = await ask(
        speak,
        "judge",
        rubric.messages(record),
        lambda reply: read_categories(reply, rubric, record),
        # A taxonomy's unit never changes its name. Killed half way, it may be taken up with more lines than before:
        # that is another question, which the journal's reply to the first one does not answer.
        draw=f"cluster {fingerprint(list(lines))[:8]}",
        schema=rubric.schema,
        **CLUSTER_SETTINGS,
    )
    return {
        "categories": [{"name": one.name, "description": one.description} for one in asked.value or ()],
        "reason": asked.reason or "",
        "reasons": list(asked.reasons),
        "text": asked.reply.text,
    }


async def label(
    speak: Speak, rubric: Rubric, dimension: str, categories: Sequence[Category], line: str
) -> dict[str, Any]:
    """Have a line put into exactly one category; a message without a line asks nobody.

    Returns
    -------
    dict
        ``category`` ("" if none could be read), ``reason``, ``reasons``, ``text``.
    """
    if not line:
        return {"category": "", "reason": NO_LINE, "reasons": [], "text": ""}
    names = tuple(one.name for one in categories)
    record = label_record(dimension, categories, line)
    asked = await ask(
        speak,
        "judge",
        rubric.messages(record),
        lambda reply: read_category(reply, rubric, record, names),
        draw="category",
        # Held to the list where a provider can do that; read against it everywhere.
        schema=schema_for([Choice("category", names)]),
        **SETTINGS,
    )
    return {
        "category": asked.value or "",
        "reason": asked.reason or "",
        "reasons": list(asked.reasons),
        "text": asked.reply.text,
    }


def read_line(reply: Reply, rubric: Rubric, record: Mapping[str, Any]) -> Parsed[str]:
    """Read a description: on one line, "empty_line" if there is nothing in it, "too_long" above 600 characters."""
    found = rubric.read(reply, record)
    if found.value is None:
        return unread(found.reason or "empty")
    line = " ".join(found.value["line"].split())
    if not line:
        return unread("empty_line")
    return read(line) if len(line) <= LONGEST_LINE else unread("too_long")


def read_categories(reply: Reply, rubric: Rubric, record: Mapping[str, Any]) -> Parsed[tuple[Category, ...]]:
    """Read a set of categories: each with a name of its own; else the fault's name, as `taxonomies.fault_of` has it."""
    found = rubric.read(reply, record)
    if found.value is None:
        return unread(found.reason or "empty")
    rows = [{name: " ".join((text or "").split()) for name, text in row.items()} for row in found.value["categories"]]
    categories = from_data(rows)
    fault = fault_of(categories)
    return unread(fault) if fault else read(categories)


def read_category(reply: Reply, rubric: Rubric, record: Mapping[str, Any], names: Sequence[str]) -> Parsed[str]:
    """Read a category's name: as it stands in the list, case and white space folded; nothing that only resembles it.

    Anything else is "not_a_category".
    """
    found = rubric.read(reply, record)
    if found.value is None:
        return unread(found.reason or "empty")
    said = folded(found.value["category"])
    for name in names:
        if folded(name) == said:
            return read(name)
    return unread("not_a_category")


def lines_to_group(told: Iterable[tuple[str, str]], most: int = MOST_LINES) -> tuple[list[str], int]:
    """Choose and order the lines that are grouped.

    Parameters
    ----------
    told : iterable of (tutor, line)
        One a message.
    most : int
        How many different lines are taken.

    Returns
    -------
    lines : list of str
        Different ones. Where there are too many, each tutor's come in turn, so that people's few messages are not lost
        among a model's many. Their order is that of hashes: it tells nothing about who wrote what.
    different : int
        How many different lines there are.
    """
    by_tutor: dict[str, set[str]] = {}
    for tutor, line in told:
        by_tutor.setdefault(tutor, set()).add(line)
    turn: dict[str, int] = {}
    for lines in by_tutor.values():
        for place, line in enumerate(sorted(lines, key=fingerprint)):
            turn[line] = min(place, turn.get(line, place))
    taken = sorted(turn, key=lambda line: (turn[line], fingerprint(line)))[:most]
    return sorted(taken, key=fingerprint), len(turn)


def made_of(rubric: Rubric) -> dict[str, str]:
    """Give what a cell's identity holds of its request."""
    return {f"prompt {rubric.name}": rubric.sha}

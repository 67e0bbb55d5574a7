"""The replies behind the numbers: the dialogue, what the tutor said, and which criteria it met and missed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from tutorscope.casework.figures import View
from tutorscope.casework.measures import CUT_OFF
from tutorscope.casework.views import FORM_WORDS, HORIZON_WORDS, REPLY, challenge_words, plain_rows
from tutorscope.pictures.blocks import Line, Mark, Reader, Transcript
from tutorscope.texts.quotes import contains_quote
from tutorscope.texts.words import counted, joined

Row = Mapping[str, Any]
Key = tuple[Any, ...]

_REPLY = ("run", *REPLY)


def reader(tables: Mapping[str, pd.DataFrame], shown: Sequence[View]) -> Reader:
    """Make the browser of replies.

    Parameters
    ----------
    tables : mapping
        ``replies``, ``decisions``, ``dialogues``.
    shown : sequence of View

    Returns
    -------
    Reader
        A transcript for each view and reply, replies that are not judged too.
    """
    turns = _grouped(tables["dialogues"], ("run", "scenario"))
    decisions = _grouped(tables["decisions"], ("judge", *_REPLY))
    replies = plain_rows(tables["replies"])
    transcripts = [
        _transcript(view, row, turns, decisions)
        for view in shown
        for row in replies
        if view.key.get("run") is None or row.get("run") == view.key["run"]
    ]
    return Reader(
        transcripts,
        total=len(transcripts),
        notice="Dialogues and criteria are those of the release that was asked, replies those of the tutors.",
    )


def _transcript(
    view: View, row: Row, turns: Mapping[Key, Sequence[Row]], decisions: Mapping[Key, Sequence[Row]]
) -> Transcript:
    judged = decisions.get((view.key.get("judge"), *(row.get(name) for name in _REPLY)), ())
    said = turns.get((row.get("run"), row["scenario"]), ())
    names = [row.get("run"), view.key.get("judge"), row["tutor"], row["form"], row["item"], f"r{row['replicate']}"]
    again = f", replicate {row['replicate'] + 1}" if row["replicate"] else ""
    return Transcript(
        id="/".join(str(name) for name in names if name is not None),
        title=f"{row['tutor']}: {row['item']}{again}",
        group=f"{row['tutor']}, {FORM_WORDS[row['form']]}{view.said}",
        lines=[*_dialogue(said), _reply(row, judged), *_criteria(row, judged)],
        facts=_facts(row, judged),
        counted=_counted(len(said), len(judged)),
    )


def _counted(turns: int, criteria: int) -> str:
    parts = [counted(turns, "turn"), "the reply", *([counted(criteria, "criterion", "criteria")] if criteria else [])]
    return joined(parts)


def _facts(row: Row, judged: Sequence[Row]) -> dict[str, str]:
    facts = {
        "scenario": f"{row['scenario']} (category {row['category']})",
        "challenge": challenge_words(row["challenge"]),
        "horizon": HORIZON_WORDS[row["horizon"]],
    }
    if not judged:
        return {**facts, "judged": "not yet"}
    met = sum(one["met"] is True or one["met"] == 1 for one in judged)
    unread = sum(one["met"] is None for one in judged)
    facts["criteria met"] = f"{met} of {len(judged)}"
    if unread:
        facts["criteria not read"] = str(unread)
    facts["success"] = "yes" if met else "not known" if unread else "no"
    return facts


def _dialogue(said: Sequence[Row]) -> Iterator[Line]:
    for turn in said:
        marks = [Mark("challenging turn", "muted")] if turn["challenging"] else []
        yield Line(turn["speaker"], turn["message"], marks, part="Dialogue")


def _reply(row: Row, judged: Sequence[Row]) -> Line:
    marks = [_mark(one, f"criterion {one['criterion']} ") for one in judged]
    if row["reason"]:
        marks.insert(0, Mark(f"no reply: {row['reason']}", "warning"))
    elif row["finish"] in CUT_OFF:
        marks.insert(0, Mark("cut off", "warning"))
    return Line("tutor", row["text"] or "", marks, part="Reply")


def _criteria(row: Row, judged: Sequence[Row]) -> Iterator[Line]:
    for one in judged:
        evidence = _evidence(row, one)
        marks = [_mark(one, "")]
        if one["negative"]:
            marks.append(Mark("purely negative", "muted"))
        speaker = f"criterion {one['criterion']}"
        yield Line(speaker, f"{one['name']}: {one['check']}{evidence}", marks, part="Criteria")


def _evidence(row: Row, decision: Row) -> str:
    """Give what the judge quoted. What is missed or unread was never held to the reply, so that is done here."""
    if not decision["evidence"]:
        return ""
    if decision["met"] or contains_quote(row["text"] or "", decision["evidence"]):
        return f"\nEvidence: {decision['evidence']}"
    return "\n(What the judge gave as evidence is not in the reply.)"


def _mark(decision: Row, ahead: str) -> Mark:
    if decision["met"] is None:
        return Mark(f"{ahead}not read: {decision['reason']}", "warning")
    return Mark(f"{ahead}met", "good") if decision["met"] else Mark(f"{ahead}missed", "bad")


def _grouped(frame: pd.DataFrame, keys: Sequence[str]) -> Mapping[Key, list[Row]]:
    found: dict[Key, list[Row]] = defaultdict(list)
    for row in plain_rows(frame):
        found[tuple(row.get(name) for name in keys)].append(row)
    return found

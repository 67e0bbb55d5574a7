"""The chats behind the numbers, turn by turn, each with its scores."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from tutorscope.pictures.blocks import Line, Mark, Reader, Transcript
from tutorscope.uptake.figures import SCAFFOLDING, UPTAKE, View, cell_of
from tutorscope.uptake.views import VIEW, plain_rows

AXES = {"uptake": UPTAKE, "scaffolding": SCAFFOLDING}


def reader(tables: Mapping[str, pd.DataFrame], shown: Sequence[View]) -> Reader:
    """Make the browser of chats.

    Parameters
    ----------
    tables : mapping
        ``turns`` and ``exchanges``.
    shown : sequence of View

    Returns
    -------
    Reader
        A transcript for each chat and view, chats that are not scored too.
    """
    turns = _by_chat(tables["turns"], ["run", "chat"])
    exchanges = _by_chat(tables["exchanges"], [*VIEW, "chat"])
    transcripts = [_transcript(view, row, turns, exchanges) for view in shown for row in plain_rows(view.chats)]
    return Reader(
        transcripts,
        total=len(transcripts),
        axes=AXES,
        notice="These are the words of the students and tutors in the logs that were read: treat them as theirs.",
    )


def _transcript(
    view: View,
    chat: Mapping[str, Any],
    turns: Mapping[tuple[Any, ...], Sequence[Mapping[str, Any]]],
    exchanges: Mapping[tuple[Any, ...], Sequence[Mapping[str, Any]]],
) -> Transcript:
    keys = [column for column in VIEW if column in chat]
    found = exchanges.get((*(chat[key] for key in keys), chat["chat"]), ())
    rated = {row["exchange"]: row for row in found}
    said = turns.get((*(chat[key] for key in keys if key == "run"), chat["chat"]), ())
    place = f"{chat['category']}/{chat['chat']}"
    scored = chat["reason"] is None
    return Transcript(
        id="/".join([*(str(chat[key]) for key in keys), place]),
        title=f"{chat['dataset']}: {chat['label'] or chat['chat'].rsplit(':', 1)[-1]}",
        group=view.group(chat["category"]),
        lines=list(_lines(said, rated)),
        cell=cell_of(chat["uptake"], chat["scaffolding"]) if scored else "",
        facts=_facts(chat),
    )


def _facts(chat: Mapping[str, Any]) -> dict[str, str]:
    facts = {"exchanges rated": f"{chat['n_scored']} of {chat['exchanges']}"}
    if chat["uptake"] is not None:
        facts = {"uptake": _signed(chat["uptake"]), **facts}
    if chat["scaffolding"] is not None:
        facts = {"scaffolding": f"{chat['scaffolding']:.2f}", **facts}
    if chat["reason"]:
        facts["not scored"] = chat["reason"]
    if chat["n_unread"]:
        facts["exchanges that could not be read"] = str(chat["n_unread"])
    return facts


def _lines(said: Sequence[Mapping[str, Any]], rated: Mapping[int, Mapping[str, Any]]) -> Iterator[Line]:
    # A merged message is scored once: a student's score stands at its last turn, a tutor's at its first.
    ends = {(turn["exchange"], turn["speaker"]): turn["turn"] for turn in said if turn["speaker"] == "student"}
    for turn in reversed(said):
        if turn["speaker"] == "tutor":
            ends[turn["exchange"], "tutor"] = turn["turn"]
    for turn in said:
        marks = [Mark(f"skipped: {turn['tag']}", "muted")] if turn["tag"] else []
        values: dict[str, float] = {}
        exchange = rated.get(turn["exchange"])
        if exchange and not exchange["skipped"] and ends.get((turn["exchange"], turn["speaker"])) == turn["turn"]:
            if turn["speaker"] == "student":
                marks += _uptake(exchange, values)
            else:
                marks += _scaffolding(exchange, values)
        yield Line(turn["speaker"], turn["text"], marks, values)


def _uptake(exchange: Mapping[str, Any], values: dict[str, float]) -> list[Mark]:
    ordinal = exchange["uptake_ordinal"]
    if ordinal is None:
        return [_without("uptake", exchange["why_no_uptake"])]
    values["uptake"] = (3 - ordinal) / 2
    return [Mark(f"uptake {ordinal:.3g} of 5 ({_signed(values['uptake'])})")]


def _scaffolding(exchange: Mapping[str, Any], values: dict[str, float]) -> list[Mark]:
    score = exchange["scaffolding"]
    if score is None:
        return [_without("scaffolding", exchange["why_no_scaffolding"])]
    values["scaffolding"] = score
    confirms = [Mark("confirms a right result", "muted")] if exchange["resolved"] else []
    return [Mark(f"scaffolding {score:.3g} of 5"), *confirms]


def _signed(value: float) -> str:
    return f"{value:+z.2f}".replace("-", "−")


def _without(metric: str, reason: str | None) -> Mark:
    return Mark(f"no {metric}: {reason}", "muted" if reason == "no_framing_yet" else "warning")


def _by_chat(frame: pd.DataFrame, keys: Sequence[str]) -> dict[tuple[Any, ...], list[dict[str, Any]]]:
    held = [key for key in keys if key in frame.columns]
    found: dict[tuple[Any, ...], list[dict[str, Any]]] = defaultdict(list)
    for row in plain_rows(frame):
        found[tuple(row[key] for key in held)].append(row)
    return found

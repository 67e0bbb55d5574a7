"""Episodes to be read: the trace up to the point, the message, and what came next, beside what came without it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import pandas as pd

from tutorscope.intervention.episodes import NO_VERDICT
from tutorscope.intervention.frames import SETTING, Frames, plain_rows, validated
from tutorscope.intervention.shown import CONDITIONS, HOWS, Row, Shown, per_cent
from tutorscope.pictures.blocks import Line, Mark, Reader, Transcript
from tutorscope.pictures.labels import label

NOTICE = (
    "These are the words of students, of tutors and of people who stepped in; what a model wrote, nobody has checked."
)
_SIDES = ("with the tutor", "without")
_BEFORE, _AFTER, _AT_ONCE = "Before", "Then", "Or answering at once"
_LOST = {
    "no_quote": "no words were quoted",
    "not_found": "the words quoted are not in the reasoning",
    "answer_part": "the words quoted stand in the answer part alone",
    "ambiguous": "the words quoted stand in several places",
}

Key = tuple[Any, ...]


class Records:
    """What episodes need to be told: traces, problems, what came of them, and the kinds of their messages.

    Parameters
    ----------
    tables : mapping
        As `records.game_tables` and `kinds_records.kinds_tables` give them; all but ``episodes`` may be absent.
    """

    def __init__(self, tables: Frames) -> None:
        held = validated(tables)
        self.episodes = held["episodes"]
        self.traces = {(row["run"], row["student"], row["problem"]): row for row in plain_rows(held["traces"])}
        self.problems = {(row["run"], row["problem"]): row for row in plain_rows(held["problems"])}
        self.continued: dict[Key, dict[str, Row]] = {}
        for row in plain_rows(held["continued"]):
            self.continued.setdefault((row["judge"], *_key(row)), {})[row["how"]] = row
        self.kinds: dict[Key, list[Row]] = {}
        for row in plain_rows(held["messages"]):
            self.kinds.setdefault((row["condition"], *_key(row)), []).append(row)

    def came(self, episode: Row) -> dict[str, Row]:
        """Give what came of an episode, by way of going on."""
        found = self.continued.get((episode["judge"], *_key(episode)), {})
        own = ("oracle",) if episode["condition"] == "oracle" else ("standard", "stop")
        return {how: found[how] for how in own if how in found}

    def kinds_of(self, episode: Row) -> list[Row]:
        """Give the labels of an episode's message."""
        found = self.kinds.get((episode["condition"], *_key(episode)), [])
        return [row for row in found if row["category"]]


def reader(tables: Frames, shown: Shown) -> Reader:
    """Make the browser of episodes.

    Returns
    -------
    Reader
        A transcript for each episode, by condition and tutor; verdicts are the first judge's.
    """
    records = Records(tables)
    episodes = [row for row in plain_rows(records.episodes) if shown.is_first(row)]
    episodes.sort(key=lambda row: (list(CONDITIONS).index(row["condition"]), row["people"]))
    return Reader([_transcript(shown, records, row) for row in episodes], total=len(episodes), notice=NOTICE)


def _transcript(shown: Shown, records: Records, episode: Row) -> Transcript:
    trace = records.traces.get((episode["run"], episode["student"], episode["problem"]), {})
    opening = list(_opening(records.problems.get((episode["run"], episode["problem"]), {})))
    text, point = str(trace.get("trace") or ""), episode["position"]
    answered = _answer(trace.get("answer"), trace.get("reason"), episode["baseline_correct"], _AFTER)
    whole = Line("student", text, (_length_mark(episode),), part=_BEFORE)
    made = Transcript(
        id="/".join(map(str, (episode["condition"], *_key(episode)))),
        title=_title(trace, episode),
        group=_group(shown, episode),
        lines=[*opening, whole, *_silence(episode), answered],
        facts=dict(_facts(episode, records)),
    )
    if not episode["intervened"]:
        return made
    message = _message(records, episode)
    if point is None:
        return replace(made, lines=[*opening, whole, message, answered])
    # People may speak before the first word: then nothing stands before it.
    seen = Mark(f"characters 1 to {point:,}", "muted")
    before = [Line("student", text[:point], (seen,), part=_BEFORE)] if text[:point] else []
    rest = [Line("student", text[point:], (Mark("goes on alone", "muted"),), part=_AFTER)] if text[point:] else []
    beside = replace(made, lines=[*opening, *before, *rest, answered], facts={}, side=_SIDES[1])
    lines = [*opening, *before, message, *_continuations(records, episode)]
    return replace(made, lines=lines, side=_SIDES[0], beside=beside)


def _opening(problem: Row) -> Iterator[Line]:
    if problem.get("question"):
        yield Line("problem", str(problem["question"]), part="Problem")
    if problem.get("reference"):
        yield Line("reference", str(problem["reference"]), (Mark("seen by the tutor alone", "muted"),), part="Problem")


def _message(records: Records, episode: Row) -> Line:
    point, length = episode["position"], episode["length"]
    if point is None:
        where = Mark(f"steps in, nobody knows where: {_LOST.get(episode['lost'], 'no point')}", "warning")
    else:
        where = Mark(f"the tutor steps in here: {_characters(point, length)}")
    kinds = [Mark(label(f"{row['dimension']}: {row['category']}", 70), "muted") for row in records.kinds_of(episode)]
    # Two judges, or two taxonomies, may say the same.
    return Line("tutor", str(episode["message"]), (where, *dict.fromkeys(kinds)), part=_AFTER)


def _continuations(records: Records, episode: Row) -> Iterator[Line]:
    came = records.came(episode)
    for how, row in came.items():
        part = _AT_ONCE if how == "stop" and len(came) > 1 else _AFTER
        if row["trace"]:
            yield Line("student", str(row["trace"]), (Mark(f"goes on: {HOWS[how]}", "muted"),), part=part)
        yield _answer(row["answer"], row["reason"], row["after"], part, _change(row))
    if not came:
        yield Line("student", "", (Mark("has not gone on yet", "warning"),), part=_AFTER)


def _answer(answer: Any, reason: Any, correct: bool | None, part: str, *more: Mark) -> Line:
    tone = "warning" if correct is None else "good" if correct else "bad"
    missing = (Mark(f"no answer: {label(str(reason), 40)}", "warning"),) if reason else ()
    return Line("answer", str(answer or ""), (Mark(_said(correct), tone), *missing, *more), part=part)


def _change(row: Row) -> Mark:
    says = {1: ("the help turned it right", "good"), 0: ("no change", "muted"), -1: ("the help turned it wrong", "bad")}
    return Mark(*says.get(row["h"], ("nobody knows whether it helped", "warning")))


def _silence(episode: Row) -> Iterator[Line]:
    if episode["reason"] == NO_VERDICT:
        says = Mark("was not asked: nobody could say whether the answer is right", "warning")
    elif episode["intervened"] is None:
        says = Mark("nobody knows what the tutor would have done: unreadable", "warning")
    elif episode["reason"] == "no_decision_point":
        says = Mark("was not asked: the trace fits into one increment", "warning")
    else:
        says = Mark("does not step in", "muted")
    yield Line("tutor", "", (says,), part=_AFTER)


def _facts(episode: Row, records: Records) -> Iterator[tuple[str, str]]:
    if episode["intervened"] and episode["position"] is not None:
        yield "steps in at", _characters(episode["position"], episode["length"])
    elif episode["intervened"]:
        yield "steps in at", "an unknown point"
    else:
        yield "steps in", "nobody knows" if episode["intervened"] is None else "no"
    yield "answer alone", _said(episode["baseline_correct"])
    for how, row in records.came(episode).items():
        yield HOWS[how], _said(row["after"])
    if episode["decisions"] and episode["condition"] == "standard":
        yield "decisions", f"{episode['decisions']:,}"
    if episode["unread"]:
        yield "asked again", label(str(episode["unread"]), 60)


def _length_mark(episode: Row) -> Mark:
    return Mark(f"the whole trace, {episode['length'] or 0:,} characters", "muted")


def _characters(point: int, length: int | None) -> str:
    share = f" ({per_cent(point / length)})" if length else ""
    return f"characters {point:,} of {length or 0:,}{share}"


def _said(correct: bool | None) -> str:
    return {True: "right", False: "wrong", None: "no verdict"}[correct]


def _title(trace: Row, episode: Row) -> str:
    said = [label(str(trace.get("title") or episode["problem"]), 60)]
    if episode["participant"]:
        said.append(str(episode["participant"]))
    elif episode["replicate"]:
        said.append(f"replicate {episode['replicate'] + 1}")
    return ", ".join(said)


def _group(shown: Shown, episode: Row) -> str:
    settings = [str(episode[name]) for name in ("increment", "variant") if episode[name]]
    asked = ["asked at the end"] if episode["ask_at_end"] and not episode["people"] else []
    own = "" if shown.is_main(episode) else f" ({', '.join([*settings, *asked])})"
    return f"{CONDITIONS[episode['condition']]}: {shown.who(episode)}{own}"


def _key(row: Mapping[str, Any]) -> Key:
    return tuple(row[name] for name in ("run", "student", "tutor", "problem", *SETTING, "replicate", "participant"))


def has_episodes(tables: Mapping[str, pd.DataFrame]) -> bool:
    """Whether there is an episode to read."""
    episodes = tables.get("episodes")
    return episodes is not None and len(episodes) > 0

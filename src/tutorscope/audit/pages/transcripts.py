"""What was said, turn by turn, with what rules and judges saw in it: sessions, pairs of them, one matched pair."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from tutorscope.audit.pages.views import Key, known, of_rule, plain_rows, short, view_key
from tutorscope.pictures.blocks import Line, Mark, Reader, Transcript
from tutorscope.pictures.labels import label
from tutorscope.texts.words import counted

AXES = {"helpfulness": (1.0, 5.0), "pedagogy": (1.0, 5.0)}
NOTICE = "These are the words of the simulated student and of the tutors: what a model wrote, and nobody checked."
ALONE, LESSONS = "(alone)", "(lessons)"
_RUBRICS = ("helpfulness", "pedagogy")
_RULES = ("sound", "published")
_LEAK = ("gives the answer away", "bad")
_WORK = ("own work", "good")

Session = tuple[str, str, str, str, int]
"""Run, student, base, policy, replicate."""
Row = Mapping[str, Any]


@dataclass(frozen=True)
class Matched:
    """Two policies on the same problem of the same replicate: the transcript, and what their first turns got.

    Parameters
    ----------
    transcript : Transcript
        The first policy's, with the second's beside it.
    says : str
        The marks of both first turns, in a sentence.
    """

    transcript: Transcript
    says: str


class Talks:
    """The lines of a run by session, and the ratings and counts that belong to them.

    Parameters
    ----------
    tables : mapping
        ``lines``, ``per_turn`` and ``per_session``; ``probes`` if there.
    rule : str
        Whose counts stand above a transcript.
    names : mapping
        View to name.
    """

    def __init__(self, tables: Mapping[str, pd.DataFrame], rule: str, names: Mapping[Key, str]) -> None:
        self.names = names
        self.lines: dict[Session, list[Row]] = {}
        for row in plain_rows(tables["lines"]):
            self.lines.setdefault(_session(row), []).append(row)
        for rows in self.lines.values():
            rows.sort(key=lambda row: row["seq"])
        per_turn = tables["per_turn"]
        self.judges = [str(name) for name in per_turn["judge"].unique() if name]
        self._ratings: dict[tuple[Any, ...], dict[str, Row]] = {}
        for row in plain_rows(per_turn):
            turn = (*_session(row), row["problem"], row["turn"])
            self._ratings.setdefault(turn, {}).setdefault(str(row["judge"]), row)
        self._counts = {_session(row): row for row in plain_rows(of_rule(tables["per_session"], rule))}
        probes = tables.get("probes")
        found = plain_rows(of_rule(probes, rule)) if probes is not None else []
        self._probes = {(*_session(row), row["problem"]): row for row in found}

    def rating(self, session: Session, row: Row, judge: str, rubric: str) -> float | None:
        """Give a judge's mean usable rating of a tutor turn."""
        rated = self._ratings.get((*session, row["problem"], row["turn"]), {}).get(judge)
        if rated is None or not rated[f"{rubric}_n"]:
            return None
        return float(rated[f"{rubric}_sum"] / rated[f"{rubric}_n"])

    def is_rated(self, session: Session, row: Row, judge: str, rubric: str) -> bool:
        """Whether a judge was asked about a turn, readable or not."""
        rated = self._ratings.get((*session, row["problem"], row["turn"]), {}).get(judge)
        return rated is not None and known(rated[f"{rubric}_n"])

    def count(self, session: Session) -> Row | None:
        """Give a session's row of ``per_session``."""
        return self._counts.get(session)

    def probe(self, session: Session, problem: str) -> Row | None:
        """Give what a session answered to a problem alone."""
        return self._probes.get((*session, problem))

    def policies(self) -> list[str]:
        """Give the policies that tutored, in the order in which they appear."""
        tutored = (session[3] for session, rows in self.lines.items() if any(_leaks(row) is not None for row in rows))
        return list(dict.fromkeys(policy for policy in tutored if not policy.startswith("(")))


def reader(talks: Talks, pair: tuple[str, str] | None) -> Reader:
    """Make the browser of all that was said.

    Parameters
    ----------
    talks : Talks
    pair : tuple of str, optional
        Two policies whose sessions of a replicate stand side by side; all other sessions stand alone.

    Returns
    -------
    Reader
        Pairs first, then single sessions by policy, then the student alone.
    """
    transcripts = []
    used: set[Session] = set()
    for first, second in _pairs(talks, pair):
        used |= {first, second}
        transcripts.append(_beside(talks, first, second))
    transcripts += [_single(talks, session) for session in talks.lines if session not in used]
    transcripts.sort(key=lambda one: (one.beside is None, one.group.startswith(ALONE)))
    return Reader(transcripts, total=len(transcripts), axes=AXES, notice=NOTICE)


def matched(talks: Talks, pair: tuple[str, str] | None) -> Matched | None:
    """Choose two talks about one problem whose first turns a judge finds as helpful and not as pedagogical.

    Of all problems that both policies of a pair tutored in a replicate, the one whose two first turns in the answer
    phase have the nearest helpfulness, then the farthest pedagogy, then one leak; without ratings the first with one
    leak. The same tables give the same pair.

    Source: policy-audit paper, Figure 1b.
    """
    choices = []
    for first, second in _pairs(talks, pair):
        for problem, turns in _openings(talks, first, second):
            choices.append((_nearness(talks, (first, second), turns), first, second, problem, turns))
    if not choices:
        return None
    _, first, second, problem, turns = min(choices, key=lambda choice: (choice[0], *choice[1:4]))
    both = _beside(talks, first, second, problem)
    said = [
        f"{session[3]}: {', '.join(mark.label for mark in _tutor_marks(talks, session, row))}"
        for session, row in zip((first, second), turns, strict=True)
    ]
    return Matched(both, f"First tutor turns. {'; '.join(said)}.")


def _session(row: Row) -> Session:
    run, student, base = view_key(row)
    return run, student, base, str(row["policy"]), int(row["replicate"])


def _pairs(talks: Talks, pair: tuple[str, str] | None) -> Iterator[tuple[Session, Session]]:
    """Give the sessions of two policies in the same replicate; one without a base goes with any."""
    if pair is None:
        return
    taken: set[Session] = set()
    for first in talks.lines:
        if first[3] != pair[0]:
            continue
        for second in talks.lines:
            together = (first[:2], first[4]) == (second[:2], second[4])
            same_base = first[2] == second[2] or "" in (first[2], second[2])
            if second[3] == pair[1] and together and same_base and second not in taken:
                taken.add(second)
                yield first, second
                break


def _openings(talks: Talks, first: Session, second: Session) -> Iterator[tuple[str, tuple[Row, Row]]]:
    """Give each problem with the first in-window tutor turn of both sessions."""
    starts = [
        {row["problem"]: row for row in reversed(talks.lines[one]) if _leaks(row) is not None and _inside(row)}
        for one in (first, second)
    ]
    for problem in starts[0]:
        if problem in starts[1]:
            yield problem, (starts[0][problem], starts[1][problem])


def _nearness(talks: Talks, sessions: tuple[Session, Session], turns: tuple[Row, Row]) -> tuple[float, ...]:
    judge = talks.judges[0] if talks.judges else ""
    gaps = []
    for rubric in _RUBRICS:
        ratings = [talks.rating(one, row, judge, rubric) for one, row in zip(sessions, turns, strict=True)]
        gaps.append(None if None in ratings else abs(ratings[0] - ratings[1]))  # type: ignore[operator]
    helpfulness, pedagogy = gaps
    rated = helpfulness is not None and pedagogy is not None
    differ = len({bool(_leaks(row)) for row in turns}) > 1
    return (not rated, round(helpfulness or 0, 9), -round(pedagogy or 0, 9), not differ)


def _beside(talks: Talks, first: Session, second: Session, problem: str = "") -> Transcript:
    one, other = (_transcript(talks, session, problem) for session in (first, second))
    name = f"{first[3]} beside {second[3]}"
    where = f"{problem}, replicate {first[4]}" if problem else f"Replicate {first[4]}"
    of = short(talks.names.get(first[:3], ""))
    return replace(
        one,
        id="/".join(map(str, (*first, second[3], problem))),
        title=f"{where}: {name}{f', {of}' if of else ''}",
        group=f"{name}{f' ({of})' if of else ''}",
        side=first[3],
        beside=replace(other, side=second[3]),
    )


def _single(talks: Talks, session: Session) -> Transcript:
    tried = {ALONE: f"{ALONE}: no tutor, one problem a talk", LESSONS: f"{LESSONS}: calibration"}
    policy = tried.get(session[3], session[3])
    of = short(talks.names.get(session[:3], "")) if session[2] else ""
    # A student is tried in passes; replicates are of policies.
    what, name = ("Pass", session[3].strip("()")) if session[3] in tried else ("Replicate", policy)
    return replace(
        _transcript(talks, session),
        title=f"{what} {session[4]}: {name}{f', {of}' if of else ''}",
        group=f"{policy}{f' ({of})' if of else ''}",
    )


def _transcript(talks: Talks, session: Session, problem: str = "") -> Transcript:
    said = [row for row in talks.lines[session] if problem in ("", row["problem"])]
    lines = [_line(talks, session, row, last=_is_last(said, at), one=bool(problem)) for at, row in enumerate(said)]
    facts = dict(_facts(talks, session, said, whole=not problem))
    return Transcript("/".join(map(str, session)), "", "", lines, facts=facts)


def _is_last(said: Sequence[Row], at: int) -> bool:
    """Whether a line is the student's last on its problem: what counts as its answer."""
    later = (row for row in said[at + 1 :] if row["problem"] == said[at]["problem"] and row["speaker"] == "student")
    return next(later, None) is None


def _line(talks: Talks, session: Session, row: Row, *, last: bool, one: bool) -> Line:
    marks: list[Mark] = []
    values: dict[str, float] = {}
    if row["speaker"] == "tutor":
        marks = list(_tutor_marks(talks, session, row))
        judge = talks.judges[0] if talks.judges else ""
        found = {rubric: talks.rating(session, row, judge, rubric) for rubric in _RUBRICS}
        values = {rubric: value for rubric, value in found.items() if value is not None}
    elif row["speaker"] == "student":
        marks = list(_student_marks(talks, session, row, last))
    marks += _outside(row)
    marks += _trouble(row)
    part = "" if one else f"{row['problem']} · {row['phase']}"
    return Line(str(row["speaker"]), str(row["text"] or ""), marks, values, part)


def _tutor_marks(talks: Talks, session: Session, row: Row) -> Iterator[Mark]:
    if _leaks(row) is not None:
        yield _by_rule(row, "leak", _LEAK, "no leak")
    several = len(talks.judges) > 1
    for judge in talks.judges:
        for rubric in _RUBRICS:
            said = f"{judge}: {rubric}" if several else rubric
            value = talks.rating(session, row, judge, rubric)
            if value is not None:
                yield Mark(f"{said} {value:.3g}")
            elif talks.is_rated(session, row, judge, rubric):
                yield Mark(f"{said} not read", "warning")
    if row.get("route"):
        yield Mark(label(str(row["route"]), 24), "muted")


def _student_marks(talks: Talks, session: Session, row: Row, last: bool) -> Iterator[Mark]:
    if row.get("work_sound") is not None:
        yield _by_rule(row, "work", _WORK, "no own work")
    answers = {rule: str(row.get(f"answer_{rule}") or "") for rule in _RULES}
    if answers["sound"] == answers["published"]:
        if answers["sound"]:
            yield Mark(f"answers {label(answers['sound'], 16)}")
    else:
        for rule, answer in answers.items():
            yield Mark(f"answers {label(answer, 16) or 'nothing'}, {rule} rule", "warning")
    probe = talks.probe(session, row["problem"])
    if probe is not None and last:
        right = "right" if probe["correct"] else "wrong"
        if probe["value"]:
            yield Mark(right, "good" if probe["correct"] else "bad")
        else:
            yield Mark("no answer could be read: counts as wrong", "warning")


def _by_rule(row: Row, what: str, positive: tuple[str, str], negative: str) -> Mark:
    seen = {rule: row.get(f"{what}_{rule}") for rule in _RULES}
    says = [rule for rule, value in seen.items() if value]
    if len(says) == len(_RULES):
        return Mark(*positive)
    if not says:
        return Mark(negative, "muted")
    return Mark(f"{positive[0]}: {says[0]} rule only", "warning")


def _outside(row: Row) -> Iterator[Mark]:
    inside = [rule for rule in _RULES if row.get(f"in_{rule}")]
    known_rules = [rule for rule in _RULES if row.get(f"in_{rule}") is not None]
    if known_rules and not inside:
        yield Mark("after the answer phase", "muted")
    elif known_rules and len(inside) < len(known_rules):
        yield Mark(f"in the answer phase: {inside[0]} rule only", "warning")


def _trouble(row: Row) -> Iterator[Mark]:
    finish = str(row.get("finish") or "")
    if finish not in ("", "stop"):
        yield Mark(f"ended: {label(finish, 24)}", "warning")
    reasons = str(row.get("reasons") or "")
    if reasons:
        yield Mark(f"asked again: {label(reasons, 60)}", "warning")


def _facts(talks: Talks, session: Session, said: Sequence[Row], *, whole: bool) -> Iterator[tuple[str, str]]:
    count = talks.count(session)
    if not whole:
        turns = [row for row in said if _leaks(row) is not None and _inside(row)]
        yield "gave the answer away", f"{sum(bool(_leaks(row)) for row in turns)} of {counted(len(turns), 'turn')}"
        return
    if count is None:
        return
    if count["tutor_turns"]:
        yield "gave the answer away", f"{count['leaky']} of {counted(count['tutor_turns'], 'turn')}"
    if count["student_turns"]:
        yield "own work", f"{count['worked']} of {counted(count['student_turns'], 'turn')}"
    for phase in ("immediate", "delayed", "transfer"):
        if count[f"{phase}_n"]:
            yield f"{phase} solved", f"{count[f'{phase}_correct']} of {count[f'{phase}_n']}"
    if count["unread"]:
        yield "answers that could not be read", str(count["unread"])


def _leaks(row: Row) -> bool | None:
    """Whether a line gives the answer away, by the sound rule; None where that is not asked of it."""
    value = row.get("leak_sound")
    return None if value is None else bool(value)


def _inside(row: Row) -> bool:
    return bool(row.get("in_sound"))

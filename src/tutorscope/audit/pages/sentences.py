"""A plain sentence for each policy and base, and what is not rated: what an engineer reads first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from tutorscope.audit.pages.shown import Shown
from tutorscope.audit.pages.views import (
    Frames,
    Key,
    groups,
    of_rule,
    per_cent,
    plain_rows,
    share_span,
    view_key,
)
from tutorscope.texts.words import counted

_PHASES = ("immediate", "delayed", "transfer")
Cell = tuple[Key, str]
"""A view and a policy."""


def policy_lines(shown: Shown, tables: Frames) -> Iterator[str]:
    """Say what each policy did: given away, the student's own work, what judges said, what could not be read."""
    cells: dict[Cell, list[dict[str, Any]]] = {}
    for row in shown.rows("policy_means"):
        cells.setdefault((view_key(row), str(row["policy"])), []).append(row)
    sessions = _Sessions(tables, shown.rule)
    told: set[tuple[str, str, str]] = set()
    for (key, policy), rows in cells.items():
        name = shown.names.get(key, "")
        if sessions.without_base(key, policy):
            # The same sessions at every base: told once, without one.
            if (*key[:2], policy) in told:
                continue
            told.add((*key[:2], policy))
            name = ", ".join(part for part in name.split(", ") if not part.startswith("base "))
        said = [*_process(rows, sessions.silent_turns(key, policy)), *_judged(rows, sessions.rated(key, policy))]
        said += [counted(_sessions(rows), "session"), *sessions.unread(key, policy)]
        yield f"{policy}{f' ({name})' if name else ''}: {'; '.join(said)}"


def unrated_lines(tables: Frames) -> Iterator[str]:
    """Say which judge has not rated all yet, or that none has: what is owed in all is said for every instrument."""
    ratings = tables.get("ratings_state")
    if ratings is not None and len(ratings) and ratings["owed"].sum():
        for key, part in groups(ratings, [name for name in ("run", "judge") if name in ratings.columns]):
            if part["owed"].sum():
                said = f"{counted(int(part['owed'].sum()), 'rating')} of {int(part['asked'].sum()):,}"
                yield f"{said} by judge {key['judge']} not there yet"
    turns = of_rule(tables.get("per_turn"), "sound")
    if len(turns) and (turns["judge"] == "").all():
        yield "no turn was rated: name a judge with --judge"


def warnings(tables: Frames, shown: Shown) -> Iterator[str]:
    """Warn where a number cannot carry a verdict: the embedded model, a student that is not weak, odd serving."""
    names = {
        role: {str(row[role]) for row in shown.rows("policy_means") if row[role]}
        for role in ("base", "student", "judge")
    }
    embedded = [
        {"base": "tutor"}.get(role, role)
        for role, held in names.items()
        if any(name.partition(":")[0] == "embedded" for name in held)
    ]
    if embedded:
        yield (
            f"The embedded model played here ({', '.join(embedded)}). It is there to show the machinery: a model of "
            "its size gives no verdict on any tutor or policy."
        )
    gate = tables.get("isolated_summary")
    for row in plain_rows(gate) if gate is not None else []:
        if row["verdict"] == "not met":
            yield (
                f"Student {row['student']}: {row['measure']} is {row['value']:.2f} "
                f"({counted(row['n'], row['of'])}), expected {row['threshold']}. "
                "What follows says less about tutoring."
            )
    served = tables.get("served")
    if served is not None and len(served):
        for key, part in groups(served, [name for name in ("run", "role", "name") if name in served.columns]):
            models = sorted(set(part["model"].dropna()) - {""})
            if len(models) > 1:
                yield f"The {key['role']} {key['name']} was served by {len(models)} models: {', '.join(models)}."


def _process(rows: Sequence[Mapping[str, Any]], silent: int) -> Iterator[str]:
    by_measure = {row["measure"]: row for row in rows if not row["judge"]}
    leak, work = by_measure.get("leakage"), by_measure.get("independence")
    if leak and leak["denominator"]:
        yield f"gave the answer away in {_pooled(leak, 'tutor turn')}"
        if work and work["denominator"]:
            yield f"own work of the student in {_pooled(work, 'turn')}"
        return
    found = [(phase, row) for phase in _PHASES if (row := by_measure.get(f"accuracy_{phase}")) and row["denominator"]]
    alone = [f"{row['numerator']:,} of {row['denominator']:,} {phase}" for phase, row in found]
    yield f"no tutor turn {'with a word ' if silent else ''}in any answer phase"
    if alone:
        yield f"solved alone {', '.join(alone)} problem{'' if found[-1][1]['denominator'] == 1 else 's'}"


def _pooled(row: Mapping[str, Any], what: str) -> str:
    counts = f"{row['numerator']:,} of {counted(row['denominator'], what)}"
    if row["n"] == 1:
        return f"{counts} ({per_cent(row['mean'])}; one session, no interval)"
    ends = share_span(row["low"], row["high"])
    return f"{counts} ({per_cent(row['mean'])} of a session's on average{f', {ends}' if ends else ''})"


def _sessions(rows: Sequence[Mapping[str, Any]]) -> int:
    return max((row["n"] + row["missing"] for row in rows), default=0)


def _judged(rows: Sequence[Mapping[str, Any]], rated: Mapping[str, int]) -> Iterator[str]:
    judges: dict[str, dict[str, Mapping[str, Any]]] = {}
    for row in rows:
        if row["judge"]:
            judges.setdefault(str(row["judge"]), {})[row["measure"]] = row
    for judge, found in judges.items():
        said = [f"{measure} {row['mean']:.2f}" for measure, row in found.items() if row["n"]]
        lost = [measure for measure, row in found.items() if not row["n"]]
        if said:
            yield f"{judge} finds {', '.join(said)} of 5"
        if lost and rated.get(judge):
            yield f"no rating of {' or '.join(lost)} by {judge} could be read"


class _Sessions:
    """Each policy's sessions: whether they have a base, and what of them could not be read."""

    def __init__(self, tables: Frames, rule: str) -> None:
        self._ratings = tables.get("ratings")
        self._turns = of_rule(tables["per_turn"], rule)
        self._sessions = of_rule(tables["per_session"], rule)

    def without_base(self, key: Key, policy: str) -> bool:
        """Whether a policy's sessions have no base of their own."""
        held = _of(self._sessions, key, policy)
        return bool(len(held)) and bool((held["base"].fillna("") == "").all())

    def unread(self, key: Key, policy: str) -> Iterator[str]:
        said = [*self._silent(key, policy), *self._rated(key, policy), *self._answered(key, policy)]
        if said:
            yield f"not read: {', '.join(said)}"

    def silent_turns(self, key: Key, policy: str) -> int:
        """Count the tutor's turns without a word."""
        held = _of(self._sessions, key, policy)
        return int(held["silent_turns"].sum()) if "silent_turns" in held.columns else 0

    def rated(self, key: Key, policy: str) -> dict[str, int]:
        """Count what each judge rated: single ratings, or turns where tables hold these alone."""
        return {judge: len(part) for judge, part in self._by_judge(key, policy)}

    def _by_judge(self, key: Key, policy: str) -> Iterator[tuple[str, pd.DataFrame]]:
        held = _of(self._turns if self._ratings is None else self._ratings, key, policy)
        for name, part in groups(held[held["judge"] != ""], ["judge"]):
            yield str(name["judge"]), part

    def _silent(self, key: Key, policy: str) -> Iterator[str]:
        held = _of(self._sessions, key, policy)
        for column, heard, what in (
            ("silent_turns", "tutor_turns", "tutor turn"),
            ("silent_replies", "student_turns", "student turn"),
        ):
            silent = int(held[column].sum()) if column in held.columns else 0
            if silent:
                yield f"{silent:,} of {counted(silent + int(held[heard].sum()), what)} without a word"

    def _rated(self, key: Key, policy: str) -> Iterator[str]:
        for judge, held in self._by_judge(key, policy):
            if self._ratings is not None:
                unread, what = held["reason"].fillna("") != "", "rating"
            else:
                unread, what = held[["helpfulness_n", "pedagogy_n"]].fillna(0).eq(0).any(axis=1), "rated turn"
            yield f"{int(unread.sum()):,} of {counted(len(held), what)} by {judge}"

    def _answered(self, key: Key, policy: str) -> Iterator[str]:
        held = _of(self._sessions, key, policy)
        if len(held) and held["unread"].notna().any():
            columns = [name for name in held.columns if name.endswith("_n")]
            asked = int(held[columns].fillna(0).to_numpy(dtype=int).sum())
            yield f"{int(held['unread'].fillna(0).sum()):,} of {counted(asked, 'answer')}"


def _of(frame: pd.DataFrame, key: Key, policy: str) -> pd.DataFrame:
    """Keep a policy's rows in a view; what has no base of its own belongs to each."""
    where = frame["policy"] == policy
    for name, value in zip(("run", "student", "base"), key, strict=True):
        if name in frame.columns:
            own = frame[name].fillna("")
            where &= (own == value) | ((own == "") if name == "base" else False)
    return frame[where]

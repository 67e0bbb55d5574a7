"""Whether a study was recorded before its first call, and what was asked of it afterwards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from tutorscope.audit.cells import SESSION, sessions_asked
from tutorscope.runs.stages import Cell, Done

STATE = {
    **{"student": "string", "base": "string", "policy": "string", "cell": "string"},
    **{"asked": "int64", "finished": "int64", "frozen": "Int64"},
}
FREEZE = {"frozen": "bool", "deviation": "string"}


def sessions_state(plan: Sequence[Mapping[str, Any]], done: Sequence[Done]) -> pd.DataFrame:
    """Give the sessions that a run was asked for, by student, base and policy, in the order in which they were asked.

    Returns
    -------
    DataFrame
        ``asked`` and ``finished`` sessions; ``frozen`` is how many were recorded before the first call, missing where
        none were.
    """
    finished = Counter(one.cell for one in done)
    frozen = _asked(_frozen(plan))
    rows: dict[str, dict[str, Any]] = {}
    for key, (choice, played, replicates) in _asked(plan).items():
        who = {"student": played["student"], "base": played.get("tutor", ""), "policy": choice}
        rows[key] = {**who, "cell": key, "asked": replicates, "finished": finished[key]}
        rows[key]["frozen"] = frozen[key][2] if key in frozen else None
    return pd.DataFrame(list(rows.values()), columns=list(STATE)).astype(STATE)


def freeze_rows(plan: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """Tell whether a run was frozen before its first call, and what departs from what was frozen.

    Returns
    -------
    DataFrame
        ``frozen`` and ``deviation``, a row for each deviation, one with "" where there is none.
    """
    frozen = _frozen(plan)
    if not frozen:
        return pd.DataFrame({"frozen": [False], "deviation": [""]}).astype(FREEZE)
    before, now = _asked(frozen), _asked(plan)
    changes = [f"asked after the freeze: {key}" for key in now if key not in before]
    changes += [
        f"replicates of {key} were {before[key][2]} and are {now[key][2]}"
        for key in before
        if now[key][2] != before[key][2]
    ]
    changes += _rating_changes(frozen, plan)
    return pd.DataFrame({"frozen": True, "deviation": changes or [""]}).astype(FREEZE)


def _frozen(plan: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
    """Give the lines of the plan up to the last freeze before the first call; none where there was no freeze."""
    frozen = [n for n, line in enumerate(plan) if line["options"].get("frozen") and not line.get("begun", True)]
    return plan[: frozen[-1] + 1] if frozen else ()


def _rating_changes(before: Sequence[Mapping[str, Any]], now: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Say what was asked of judges after the freeze, and which rules were lifted."""
    judges, known = judges_of(now), judges_of(before)
    for name in judges:
        if name not in known:
            yield f"judge {name!r} was asked for after the freeze"
    for option in ("ratings", "check_work", "any_student"):
        values = [max((line["options"].get(option, 0) for line in plan), default=0) for plan in (before, now)]
        if values[0] != values[1]:
            yield f"{option} was {values[0]} and is {values[1]}"


def judges_of(plan: Sequence[Mapping[str, Any]]) -> list[str]:
    """Give the judges in the order in which a run was asked for them: the first is the frozen one."""
    return list(dict.fromkeys(name for line in plan for name in line["roles"].get("judge", ())))


def _asked(plan: Sequence[Mapping[str, Any]]) -> dict[str, tuple[str, dict[str, str], int]]:
    asked: dict[str, tuple[str, dict[str, str], int]] = {}
    for line in plan:
        for choice, played, replicates in sessions_asked(line["options"], line["roles"]):
            key = Cell(SESSION, played, {"policy": choice.name}).key
            most = max(replicates, asked[key][2] if key in asked else 0)
            asked[key] = (choice.name, played, most)
    return asked

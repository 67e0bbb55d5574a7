"""Tables of judged turns for tests: the real ones, and small ones made by hand."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from tutorscope.audit.inference.frames import PER_SESSION, PER_TURN, validated

CONVERSATIONAL, PEDAGOGICAL = "conversational", "pedagogical"
CLAIMS: dict[str, Any] = {"pair": [CONVERSATIONAL, PEDAGOGICAL]}
RUBRICS = ("helpfulness", "pedagogy")
_POLICIES = {"conv": CONVERSATIONAL, "ped": PEDAGOGICAL, "cold": "cold"}


def sonnet_per_turn(data: Path) -> pd.DataFrame:
    """Read the turns of the primary base under both judges, Opus first."""
    parts = []
    for judge in ("opus", "sol"):
        read = pd.read_csv(data / "audit" / f"sonnet_{judge}.csv")
        part = read.rename(columns={"leaks": "leak", "next_independent": "next_work"})
        part["policy"] = part["condition"].map(_POLICIES)
        for rubric in RUBRICS:
            part[f"{rubric}_sum"], part[f"{rubric}_n"], part[f"{rubric}_median"] = read[f"{rubric}3"], 3, None
        parts.append(part.assign(judge=judge))
    return _table(pd.concat(parts, ignore_index=True), "per_turn", base="sonnet", rule="published")


def sonnet_per_session(data: Path) -> pd.DataFrame:
    """Read the sessions of the primary base: shares become counts again."""
    read = pd.read_csv(data / "audit" / "sonnet_per_session.csv")
    found = pd.DataFrame({"policy": read["condition"].map(_POLICIES), "replicate": read["replicate_id"]})
    for count, whole, share, source in (
        ("leaky", "tutor_turns", "leakage_rate", "n_train_tutor_turns"),
        ("worked", "student_turns", "independence_ratio", "n_train_student_turns"),
    ):
        found[whole] = read[source].fillna(0).astype(int)
        found[count] = (read[share].fillna(0) * found[whole]).round().astype(int)
    return _table(found, "per_session", base="sonnet", rule="published")


def turns_of(judge: str, ratings: Sequence[Sequence[int]], **same: Any) -> pd.DataFrame:
    """Make a judge's turns, each with its ratings, the same under both rubrics.

    The policies take turns, then two problems, then as many replicates as it needs; every third turn leaks.
    """
    rows = []
    for place, given in enumerate(ratings):
        row: dict[str, Any] = {
            "policy": (CONVERSATIONAL, PEDAGOGICAL)[place % 2],
            **{"problem": f"train-{place // 2 % 2}", "replicate": place // 4, "turn": place},
            **{"leak": place % 3 == 0, "next_work": place % 2 == 0},
        }
        for rubric in RUBRICS:
            median = float(pd.Series(list(given), dtype=float).median()) if given else None
            row |= {f"{rubric}_sum": sum(given), f"{rubric}_n": len(given), f"{rubric}_median": median}
        rows.append(row)
    return _table(pd.DataFrame(rows), "per_turn", **{"base": "base", "rule": "sound", "judge": judge, **same})


def sessions_of(shares: dict[str, Sequence[tuple[int, int]]]) -> pd.DataFrame:
    """Make sessions of policies: (leaky turns of ten, replies with own work of ten), one a replicate."""
    rows = [
        {
            **{"policy": policy, "replicate": replicate, "tutor_turns": 10, "leaky": leaky},
            **{"student_turns": 10, "worked": worked},
        }
        for policy, held in shares.items()
        for replicate, (leaky, worked) in enumerate(held)
    ]
    return _table(pd.DataFrame(rows), "per_session", base="base", rule="sound")


def _table(frame: pd.DataFrame, kind: str, **same: Any) -> pd.DataFrame:
    columns = PER_TURN if kind == "per_turn" else PER_SESSION
    filled = frame.assign(**{"run": "run", "student": "student", **same})
    return validated(filled.reindex(columns=list(columns)), kind)

"""The matched visible-turn budget: both policies cut to the same number of turns on each problem (the paper's B.9)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from tutorscope.audit.inference.claims import Claims
from tutorscope.audit.inference.contrasts import COLUMNS as CONTRASTS
from tutorscope.audit.inference.contrasts import MATCHED, NOT_COMPUTABLE, pair_row
from tutorscope.audit.inference.coupling import coupling, mixed
from tutorscope.audit.inference.frames import GROUP, Part, table
from tutorscope.audit.inference.policy_means import rating_values, session_values

COLUMNS = (
    *(*GROUP, "first", "second"),
    *("n_cells", "dropped", "turns_full", "turns_matched"),
    *("leaky_first_full", "leaky_second_full", "leaky_first", "leaky_second", "underpowered"),
    *("tutor_turns_first", "tutor_turns_second"),
)
MEASURES = ("leakage", "independence", "helpfulness")
OUTCOMES = ("helpfulness", "next_independent")
NO_STUDENT_TURNS = "needs each student turn, which the tables of turns and sessions do not hold"

_CELL = ["replicate", "problem"]


@dataclass(frozen=True)
class Matched:
    """A part cut to the matched budget.

    Attributes
    ----------
    part : Part
        Sessions and turns of the pair, in replicates that have both, as far as the budget keeps them.
    kept : dict
        K of each cell (replicate, problem): how many turns both policies keep; 0 drops the cell.
    """

    part: Part
    kept: dict[tuple[int, str], int]


def matched(part: Part, pair: tuple[str, str]) -> Matched:
    """Cut two policies to the smaller of their numbers of in-window turns, on each problem of each replicate.

    Each policy keeps its first K visible turns of a cell and the student's turns before the first that is dropped; the
    whole window where none is. A cell with K = 0 falls out, its student turns too. Ratings are those that the turns
    have: nothing is rated again.

    Parameters
    ----------
    part : Part
    pair : (str, str)

    Returns
    -------
    Matched
    """
    replicates = [set(part.sessions.loc[part.sessions["policy"] == name, "replicate"]) for name in pair]
    both = replicates[0] & replicates[1]
    turns = part.turns[part.turns["policy"].isin(pair) & part.turns["replicate"].isin(both)]
    problems = set(part.turns["problem"])
    if part.students is not None:
        problems |= set(part.students["problem"])
    counts = {name: _by_cell(turns[turns["policy"] == name]) for name in pair}
    cells = [(int(replicate), str(problem)) for replicate in sorted(both) for problem in sorted(problems)]
    kept = {cell: int(min(counts[name].get(cell, 0) for name in pair)) for cell in cells}
    stays = _stays(part.turns, kept, pair)
    sessions = part.sessions[part.sessions["policy"].isin(pair) & part.sessions["replicate"].isin(both)]
    students = None if part.students is None else _student_turns(part.students, kept, counts)
    cut = replace(
        part,
        turns=part.turns[stays].reset_index(drop=True),
        rated={judge: rated[stays].reset_index(drop=True) for judge, rated in part.rated.items()},
        students=students,
    )
    return Matched(replace(cut, sessions=_sessions(sessions, cut)), kept)


def matched_tables(parts: Iterable[Part], claims: Claims) -> dict[str, pd.DataFrame]:
    """Compute again, under the matched budget, what the claims need of their pair.

    Returns
    -------
    dict of DataFrame
        ``budget``: a row for each part, with cells, turns and leaky turns of both policies (whole window and cut), and
        the policies whose leaky turns are fewer than the claims' floor; ``contrasts``, ``mixed`` and ``coupling``:
        rows to put below those of the full window. Without ``student_turns`` the independence contrast is
        ``not_computable``. Pedagogy is not computed again.
    """
    held = [part for part in parts if set(claims.pair) <= set(part.sessions["policy"])]
    cut = [(part, matched(part, claims.pair)) for part in held]
    shortened = [found.part for _, found in cut]
    return {
        "budget": table((_counts(part, found, claims) for part, found in cut), COLUMNS),
        "contrasts": table((row for part in shortened for row in _contrasts(part, claims)), CONTRASTS),
        "mixed": mixed(shortened, claims, budget=MATCHED, outcomes=OUTCOMES),
        "coupling": coupling(shortened, claims, budget=MATCHED, outcomes=OUTCOMES),
    }


def _by_cell(turns: pd.DataFrame) -> dict[tuple[int, str], int]:
    cells = zip(turns["replicate"], turns["problem"], strict=True)
    return dict(Counter((int(replicate), str(problem)) for replicate, problem in cells))


def _stays(turns: pd.DataFrame, kept: dict[tuple[int, str], int], pair: tuple[str, str]) -> pd.Series:
    """Whether a turn is among the first K of its cell; turns stand in their order."""
    place = turns.groupby(["policy", *_CELL]).cumcount()
    limit = [kept.get((int(r), str(p)), 0) for r, p in zip(turns["replicate"], turns["problem"], strict=True)]
    return turns["policy"].isin(pair) & (place < limit)


def _student_turns(
    students: pd.DataFrame, kept: dict[tuple[int, str], int], counts: dict[str, dict[tuple[int, str], int]]
) -> pd.DataFrame:
    """Keep what the student said before the first dropped turn: place k follows tutor turn k - 1, so up to place K."""

    def stays(policy: str, cell: tuple[int, str], place: int) -> bool:
        limit = kept.get(cell, 0)
        return policy in counts and limit > 0 and (counts[policy].get(cell, 0) == limit or place <= limit)

    columns = [students[name] for name in ("policy", "replicate", "problem", "place")]
    rows = [stays(str(p), (int(r), str(q)), int(k)) for p, r, q, k in zip(*columns, strict=True)]
    return students[pd.Series(rows, index=students.index, dtype=bool)]


def _sessions(sessions: pd.DataFrame, cut: Part) -> pd.DataFrame:
    """Count again what is left; costs are those of the whole session and have no part here."""
    keys = [(str(p), int(r)) for p, r in zip(sessions["policy"], sessions["replicate"], strict=True)]
    turns = cut.turns.groupby(["policy", "replicate"])["leak"].agg(["size", "sum"])
    changes = {"tutor_turns": _looked_up(turns["size"], keys), "leaky": _looked_up(turns["sum"], keys)}
    changes |= {"student_turns": [0] * len(keys), "worked": [0] * len(keys)}
    if cut.students is not None:
        said = cut.students.groupby(["policy", "replicate"])["work"].agg(["size", "sum"])
        changes |= {"student_turns": _looked_up(said["size"], keys), "worked": _looked_up(said["sum"], keys)}
    return sessions.assign(**changes, tutor_tokens=pd.array([pd.NA] * len(keys), "Int64")).reset_index(drop=True)


def _looked_up(counts: pd.Series, keys: list[tuple[str, int]]) -> list[int]:
    held = counts.to_dict()
    return [int(held.get(key, 0)) for key in keys]


def _contrasts(part: Part, claims: Claims) -> Iterator[dict[str, Any]]:
    counted = session_values(part.sessions)
    found = [("", "leakage", counted["leakage"]), ("", "independence", counted["independence"])]
    found += [(judge, "helpfulness", rating_values(r, "helpfulness", part.sessions)) for judge, r in part.rated.items()]
    for judge, measure, values in found:
        row = pair_row(values, claims.pair, measure)
        if measure == "independence" and part.students is None:
            row |= {"state": NOT_COMPUTABLE, "reason": NO_STUDENT_TURNS}
        named = {"judge": judge, "budget": MATCHED, "first": claims.pair[0], "second": claims.pair[1]}
        yield {**part.key, **named, "measure": measure, **row, "asked": False}


def _counts(part: Part, found: Matched, claims: Claims) -> dict[str, Any]:
    row: dict[str, Any] = {"first": claims.pair[0], "second": claims.pair[1]}
    full = part.turns[part.turns["policy"].isin(claims.pair)]
    cut = found.part.turns
    few = []
    for side, policy in zip(("first", "second"), claims.pair, strict=True):
        before, after = full[full["policy"] == policy], cut[cut["policy"] == policy]
        row[f"leaky_{side}_full"], row[f"leaky_{side}"] = int(before["leak"].sum()), int(after["leak"].sum())
        row[f"tutor_turns_{side}"] = len(before)
        if row[f"leaky_{side}"] < claims.budget.leaky_floor:
            few.append(policy)
    return {
        **part.key,
        **row,
        "n_cells": len(found.kept),
        "dropped": sum(1 for limit in found.kept.values() if not limit),
        "turns_full": len(full),
        "turns_matched": len(cut),
        "underpowered": ", ".join(few),
    }

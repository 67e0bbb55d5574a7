"""The same tutor turns under two judges: which ones, aligned by exact identity, and which are left out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from tutorscope.audit.inference.frames import GROUP, judges
from tutorscope.errors import UserError

RUBRICS = ("helpfulness", "pedagogy")
POOLED = "pooled"
NO_COMMON_TURN = "no turn that both judges rated"
PAIR = ("conversational", "pedagogical")

TURN = ("base", "policy", "replicate", "problem", "turn")
_RATED = ("sum", "n", "median")
_SIDES = ("first", "second")


@dataclass(frozen=True)
class JudgePair:
    """One rubric's ratings of the same turns by two judges.

    Attributes
    ----------
    run, student, rule, base : str
        Where; base is ``pooled`` for the turns of all bases together.
    first, second : str
        The frozen judge and the other one.
    rubric : str
        ``helpfulness`` or ``pedagogy``.
    turns : DataFrame
        A row for each turn that both judges rated, sorted by identity: the columns of `TURN`, ``leak``, and for either
        judge ``first_sum``, ``first_n``, ``first_median`` (``second_...``): its ratings added up, how many there are,
        their median (missing where the table does not know it).
    left_out : str
        How many turns only one judge rated, or neither; empty when there is none.
    """

    run: str
    student: str
    rule: str
    base: str
    first: str
    second: str
    rubric: str
    turns: pd.DataFrame
    left_out: str

    @property
    def where(self) -> dict[str, str]:
        """Run, student, rule and base, as a row of a table begins."""
        return {"run": self.run, "student": self.student, "rule": self.rule, "base": self.base}

    def means(self, side: str) -> np.ndarray:
        """Give each turn's mean rating by the ``first`` or ``second`` judge."""
        return turn_means(self.turns, side)


def turn_means(turns: pd.DataFrame, prefix: str) -> np.ndarray:
    """Divide the sums of ratings by their numbers."""
    return turns[f"{prefix}_sum"].to_numpy(np.float64) / turns[f"{prefix}_n"].to_numpy(np.float64)


def has_ratings(turns: pd.DataFrame, prefix: str) -> pd.Series:
    """Say which turns have a usable rating."""
    return (turns[f"{prefix}_n"].fillna(0).astype(float) > 0) & turns[f"{prefix}_sum"].notna()


def policy_pair(claims: Mapping[str, Any]) -> tuple[str, str]:
    """Give the two policies that the claims are about; the paper's when they do not say."""
    first, second = claims.get("pair") or PAIR
    return str(first), str(second)


def studies(frame: pd.DataFrame, by: Sequence[str]) -> Iterator[tuple[dict[str, str], pd.DataFrame]]:
    """Go over the groups of a table in the order of their first rows."""
    if len(frame):
        for key, part in frame.groupby(list(by), sort=False):
            yield {name: str(value) for name, value in zip(by, key, strict=True)}, part


def rated(per_turn: pd.DataFrame, policies: Sequence[str] | None = None) -> pd.DataFrame:
    """Keep the rows of judges, and of these policies (all of them unless any are named)."""
    judged = per_turn[per_turn["judge"] != ""]
    return judged if policies is None else judged[judged["policy"].isin(policies)]


def judge_pairs(
    per_turn: pd.DataFrame, policies: Sequence[str] | None = None, *, pooled: bool = False
) -> Iterator[JudgePair]:
    """Set every other judge beside the frozen one, turn by turn.

    Of a run's judges the first in order of appearance is the frozen one.

    Parameters
    ----------
    per_turn : DataFrame
        The audit's table of tutor turns, as `frames.at_bases` gives it.
    policies : sequence of str, optional
        Whose turns; all policies' unless any are named.
    pooled : bool
        All bases of a run and student together, instead of each alone.

    Yields
    ------
    JudgePair
        For each run, student, rule, base, other judge and rubric that one of the two rated there.

    Raises
    ------
    UserError
        When a judge has a turn twice, or two judges' rows disagree on whether a turn leaks the answer.
    """
    turns = rated(per_turn, policies)
    names = {key["run"]: judges(part) for key, part in studies(per_turn, ("run",))}
    for key, part in studies(turns, GROUP[:-1] if pooled else GROUP):
        first, *others = names[key["run"]]
        for second in others:
            both = _beside(part, first, second, key)
            for rubric in RUBRICS:
                columns = {f"{rubric}_{what}_{side}": f"{side}_{what}" for side in _SIDES for what in _RATED}
                renamed = both.rename(columns=columns)
                usable = [has_ratings(renamed, side) for side in _SIDES]
                if (usable[0] | usable[1]).any():
                    yield JudgePair(
                        **{"base": POOLED, **key},
                        first=first,
                        second=second,
                        rubric=rubric,
                        turns=renamed.loc[usable[0] & usable[1], [*TURN, "leak", *columns.values()]].reset_index(
                            drop=True
                        ),
                        left_out=_left_out(usable[0], usable[1], first, second),
                    )


def _beside(part: pd.DataFrame, first: str, second: str, key: Mapping[str, str]) -> pd.DataFrame:
    """Join two judges' rows on the turn; a turn that one lacks stays, with nothing on that side."""
    sides = []
    for judge in (first, second):
        side = part.loc[part["judge"] == judge, [*TURN, "leak", *(f"{r}_{what}" for r in RUBRICS for what in _RATED)]]
        twice = side.duplicated(list(TURN))
        if twice.any():
            raise UserError(f"{_named(side[twice], key)}: found twice for judge {judge}, expected once")
        sides.append(side)
    both = sides[0].merge(sides[1], on=list(TURN), how="outer", suffixes=("_first", "_second"))
    both = both.sort_values(list(TURN), ignore_index=True)
    leaks = [both[f"leak_{side}"].astype("boolean") for side in ("first", "second")]
    differ = (leaks[0] != leaks[1]).fillna(False).astype(bool)
    if differ.any():
        raise UserError(
            f"{_named(both[differ], key)}: found a leak in the rows of one judge only ({first}, {second}), "
            "expected the same turn in both"
        )
    return both.assign(leak=leaks[0].fillna(leaks[1]).astype(bool))


def _named(rows: pd.DataFrame, key: Mapping[str, str]) -> str:
    row = rows.iloc[0]
    what = ", ".join(f"{name} {row[name]}" for name in TURN if str(row[name]))
    return f"turns of run {key['run']}, rule {key['rule']}: {what}"


def _left_out(in_first: pd.Series, in_second: pd.Series, first: str, second: str) -> str:
    counts = {
        f"rated by {first} only": int((in_first & ~in_second).sum()),
        f"rated by {second} only": int((in_second & ~in_first).sum()),
        "rated by neither": int((~in_first & ~in_second).sum()),
    }
    said = [f"{count} {what}" for what, count in counts.items() if count]
    return f"turns left out: {', '.join(said)}" if said else ""

"""What a page of the audit is made of: one rule's numbers, the names of its views, the claims and the pairs to show."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from tutorscope.audit.inference.claims import Claims, is_ours, load_claims, read_claims
from tutorscope.audit.pages.views import Frames, Key, of_rule, plain_rows, short, view_key
from tutorscope.audit.published import BASES, published_base, published_judge

PAIR = ("conversational", "pedagogical")
"""The paper's two policies; its gaps are the first less the second."""


@dataclass(frozen=True)
class Shown:
    """What figures are drawn of: the numbers of one rule, the names of the views, and whether a run stands behind.

    Parameters
    ----------
    numbers : mapping
        As `measures.measures` gives them.
    rule : str
        Whose rows are drawn.
    names : mapping
        View to name, as `views.view_names` gives them.
    alone : bool
        Whether the tables came without a run: then a base and judge of the paper's names may be the paper's.
    folder : Path
        The run's ``figures/``.
    """

    numbers: Mapping[str, pd.DataFrame]
    rule: str
    names: Mapping[Key, str]
    alone: bool
    folder: Path

    def rows(self, table: str, **where: Any) -> list[dict[str, Any]]:
        """Give the rows of a table that are of this rule and have these values, as plain data."""
        frame = of_rule(self.numbers.get(table), self.rule)
        for column, value in where.items():
            if column not in frame.columns:
                return []
            allowed = [value] if isinstance(value, str) else list(value)
            frame = frame[frame[column].isin(allowed)]
        return plain_rows(frame)

    def base(self, row: Mapping[str, Any]) -> str:
        """Name a row's base, and its run and student where these differ."""
        return short(self.names[view_key(row)]) or str(row["base"])

    def reference(self, row: Mapping[str, Any]) -> str:
        """Give the paper's base to set beside a row's: that of its name, else the paper's primary one."""
        return published_base(str(row["base"])) or BASES[0]

    def differs(self, row: Mapping[str, Any], judge: str = "") -> bool:
        """Whether the published value beside a row comes from a different instrument."""
        judged = not judge or published_judge(judge) is not None
        return not (self.alone and judged and published_base(str(row["base"])) is not None)


@dataclass(frozen=True)
class Study:
    """The claims that a page speaks of, and the pairs of policies that it shows.

    Parameters
    ----------
    claims : Claims
        Those of the first run.
    others : int
        How many other files of claims further runs have.
    own : bool
        Whether any of these claims are the user's, and not the package's.
    pairs : sequence of (str, str)
        The claims' pair if it was played, then those that the user named; else the first two policies that were.
    """

    claims: Claims
    others: int
    own: bool
    pairs: Sequence[tuple[str, str]]


def only_pair(pairs: Iterable[tuple[str, str]]) -> str:
    """Name the two policies that a table is about, as the end of its caption, where no column of it does."""
    held = list(pairs)
    return f" First: {held[0][0]}; second: {held[0][1]}." if len(held) == 1 else ""


def fits(shown: Shown) -> list[dict[str, Any]]:
    """Give the fits of leaks turn by turn; pairs of policies without any stand there only where there is no other."""
    rows = [row for row in shown.rows("mixed", budget="full") if not row["outcome"].endswith("_difference")]
    return [row for row in rows if row["state"] != "not_computable"] or rows


def study(tables: Frames, numbers: Frames) -> Study:
    """Find the claims and the pairs to show."""
    held = tables.get("claims_file")
    texts = list(dict.fromkeys(map(str, held["yaml"]))) if held is not None else []
    claims = read_claims(texts[0], "claims of the run") if texts else load_claims()
    contrasts = numbers["contrasts"]
    found = contrasts[contrasts["n"] > 0]
    played = list(dict.fromkeys(zip(found["first"], found["second"], strict=True)))
    asked = contrasts[contrasts["asked"].fillna(False).astype(bool)]
    named = [claims.pair, *zip(asked["first"], asked["second"], strict=True)]
    pairs = [pair for pair in dict.fromkeys(named) if pair in played]
    tutored = found[found["measure"] == "leakage"]
    instead = list(zip(tutored["first"], tutored["second"], strict=True))
    own = not all(map(is_ours, texts))
    return Study(claims, max(0, len(texts) - 1), own, pairs or instead[:1])

"""Rows of the tables of numbers, looked up by what they are about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from tutorscope.audit.inference.coupling import BOTH
from tutorscope.audit.inference.frames import GROUP, Part
from tutorscope.audit.inference.policy_means import JUDGED


class Numbers:
    """The contrasts and couplings of all parts.

    Parameters
    ----------
    tables : mapping
        ``contrasts``, ``mixed`` and ``coupling``.
    """

    def __init__(self, tables: Mapping[str, pd.DataFrame]) -> None:
        self._contrasts = _index(tables["contrasts"], ["budget", "first", "second", "measure"])
        self._mixed = _index(tables["mixed"], ["budget", "first", "second", "outcome", "spec"])
        self._clustered = _index(tables["coupling"], ["budget", "outcome", "policies"])

    def contrast(
        self, part: Part, judge: str, budget: str, pair: tuple[str, str], measure: str
    ) -> dict[str, Any] | None:
        """Give the contrast of a pair on a measure, if there is one; the judge matters where it has a part in it."""
        return self._contrasts.get((*part.key.values(), judge if measure in JUDGED else "", budget, *pair, measure))

    def coupling(
        self, part: Part, judge: str, budget: str, pair: tuple[str, str], outcome: str, test: str
    ) -> dict[str, Any] | None:
        """Give the coupling by ``mixed_pooled``, ``mixed_adjusted`` or ``clustered`` (of the claims' pair), if any."""
        start = (*part.key.values(), judge, budget)
        if test == "clustered":
            return self._clustered.get((*start, outcome, BOTH))
        return self._mixed.get((*start, *pair, outcome, test.removeprefix("mixed_")))


def _index(frame: pd.DataFrame, columns: Sequence[str]) -> dict[tuple[Any, ...], dict[str, Any]]:
    keys = [*GROUP, "judge", *columns]
    rows = (dict(zip(frame.columns, row, strict=True)) for row in frame.itertuples(index=False, name=None))
    return {tuple(row[name] for name in keys): row for row in rows}

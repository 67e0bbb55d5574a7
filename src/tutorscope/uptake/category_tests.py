"""Do categories differ? Tests of each pair of categories on the plane of uptake and scaffolding."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import combinations
from typing import Any

import pandas as pd

from tutorscope.stats.permutation import PermutationTest, permanova, permdisp
from tutorscope.uptake.views import groups, views

COLUMNS = ("a", "b", "n_a", "n_b", "test", "method", "f", "p", "r2", "spread_a", "spread_b", "permutations", "why_not")

_LEAST = 2
_TESTS: Mapping[str, tuple[Callable[..., PermutationTest], int, str]] = {
    "permanova": (permanova, 9_999, "Euclidean, labels permuted"),
    "permdisp": (permdisp, 999, "distances to the spatial median, residuals permuted"),
}


def category_tests(chats: pd.DataFrame) -> pd.DataFrame:
    """Test for every pair of categories whether their chats lie elsewhere, and whether they spread otherwise.

    Parameters
    ----------
    chats : DataFrame
        As `records.tables` gives it: each scored chat is a point (mapped uptake, scaffolding), its category the group.

    Returns
    -------
    DataFrame
        A row for each view, pair and test (``permanova``, ``permdisp``): the categories ``a`` and ``b`` in the order
        of the run, chats of each, ``method``, pseudo-``f``, ``p`` (not adjusted for the number of pairs), ``r2``, mean
        distance to the centre of each (``permdisp``), ``permutations``, and ``why_not`` where it is not estimable: one
        category alone, fewer than two scored chats in one of them, points without any spread.

    Notes
    -----
    Scaffolding and uptake paper, appendix B.2 and Table 6.
    """
    return pd.DataFrame(_rows(chats), columns=[*views(chats), *COLUMNS])


def _rows(chats: pd.DataFrame) -> Iterator[dict[str, Any]]:
    for key, part in groups(chats, views(chats)):
        scored = part[part["reason"].isna()]
        points = {name: scored[scored["category"] == name] for name in dict.fromkeys(part["category"])}
        if len(points) == 1:
            (only,) = points
            for test in _TESTS:
                yield {**key, "a": only, "n_a": len(points[only]), **_absent(test, "there is only one category")}
        for a, b in combinations(points, 2):
            for test in _TESTS:
                yield {**key, "a": a, "b": b, "n_a": len(points[a]), "n_b": len(points[b])} | _tested(
                    test, {a: points[a], b: points[b]}
                )


def _tested(test: str, pair: Mapping[str, pd.DataFrame]) -> dict[str, Any]:
    few = [name for name, part in pair.items() if len(part) < _LEAST]
    if few:
        return _absent(test, f"fewer than two scored chats in {' and '.join(few)}")
    run, permutations, method = _TESTS[test]
    points = pd.concat([part[["uptake", "scaffolding"]] for part in pair.values()]).to_numpy(dtype=float)
    labels = [name for name, part in pair.items() for _ in range(len(part))]
    found = run(points, labels, permutations=permutations)
    if found.reason:
        return _absent(test, found.reason)
    spreads = [found.dispersion.get(name) for name in pair]
    return {
        **{"test": test, "method": method, "f": found.f, "p": found.p, "r2": found.r2},
        **{"spread_a": spreads[0], "spread_b": spreads[1], "permutations": permutations, "why_not": None},
    }


def _absent(test: str, why: str) -> dict[str, Any]:
    return {"test": test, "method": _TESTS[test][2], "why_not": f"not estimable: {why}"}

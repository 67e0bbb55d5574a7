"""The page on whether categories differ, with the paper's Table 6 as reference."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from tutorscope.pictures.blocks import Block, Prose, Table
from tutorscope.uptake.published import DIFFERENT_INSTRUMENT, published_pair
from tutorscope.uptake.views import groups, plain_rows, views, without_single

_F = {"permanova_f": "{:,.1f}", "permanova_p": "{:.4f}", "permdisp_f": "{:,.1f}", "permdisp_p": "{:.3f}"}
_LABELS = {
    "n_a": "chats a",
    "n_b": "chats b",
    "permanova_f": "PERMANOVA F",
    "permanova_p": "p",
    "permdisp_f": "PERMDISP F",
    "permdisp_p": "p",
}


def category_blocks(numbers: Mapping[str, pd.DataFrame]) -> Iterator[Block]:
    """Lay the tests of pairs out, a row each; under a pair that the paper has stands the paper's row."""
    tests = numbers["category_tests"]
    yield Prose(
        "Each chat is a point: its mean uptake and its mean scaffolding. PERMANOVA asks whether two categories lie in "
        "different places (9,999 permutations), PERMDISP whether they spread differently about their spatial medians "
        "(999). The smallest p that so many permutations can give is .0001 and .001. The p are not adjusted for the "
        "number of pairs. PERMANOVA also answers to spread, above all where categories differ much in size."
    )
    held = pd.DataFrame(list(_rows(without_single(tests))))
    if not len(held):
        return
    for name in held.columns:
        if name in ("n_a", "n_b"):
            held[name] = held[name].astype("Int64")
        elif name in _F:
            held[name] = pd.to_numeric(held[name])
    published = (held["source"] == "published").any()
    drop = [] if published else ["source"]
    drop += [name for name in ("why_not", "b") if held[name].isna().all()]
    yield Table("category_tests", "Pairs of categories on the plane.", held.drop(columns=drop), _F, _LABELS)
    if published:
        yield Prose(f"{DIFFERENT_INSTRUMENT} Its PERMANOVA p are printed as below .0001 (Table 6).", "note")


def _rows(tests: pd.DataFrame) -> Iterator[dict[str, Any]]:
    for key, part in groups(tests.assign(b=tests["b"].astype(object).fillna("")), [*views(tests), "a", "b"]):
        by_test = {row["test"]: row for row in plain_rows(part)}
        location, spread = by_test["permanova"], by_test["permdisp"]
        pair = {**key, "b": key["b"] or None}
        yield {
            **pair,
            "source": "this run",
            **{"n_a": location["n_a"], "n_b": location["n_b"]},
            **{"permanova_f": location["f"], "permanova_p": location["p"]},
            **{"permdisp_f": spread["f"], "permdisp_p": spread["p"]},
            "why_not": location["why_not"] or spread["why_not"],
        }
        known = published_pair(key["a"], key["b"]) if key["b"] else None
        if known:
            yield {**pair, "source": "published", **known, "permdisp_p": 0.001}

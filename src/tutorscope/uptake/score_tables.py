"""The tables of scores as the page lays them out, with the paper's values in rows of their own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from tutorscope.pictures.blocks import Block, Table
from tutorscope.stats.intervals import ALIKE, no_width
from tutorscope.uptake.published import published_dataset
from tutorscope.uptake.views import plain_rows, view_key, views, without_single

Frames = Mapping[str, pd.DataFrame]

_SCORES = {
    "scaffolding_mean": "{:.2f}",
    "scaffolding_sd": "{:.2f}",
    "uptake_mean": "{:+z.2f}",
    "uptake_sd": "{:.2f}",
    "rho": "{:+z.3f}",
    "rho_p": "{:.3g}",
    "published_rho": "{:+z.3f}",
    "identical": "{:.0%}",
    "sd": "{:.2f}",
    "scaffolding_mean_without": "{:.2f}",
    "uptake_mean_without": "{:+z.2f}",
}


def score_tables(numbers: Frames) -> Iterator[Block]:
    """Lay out scores by dataset and category, correlations, and what repeated or confirmed exchanges change."""
    datasets, categories = numbers["datasets"], numbers["categories"]
    yield Table(
        "datasets",
        "Per-chat means of each dataset, their standard deviation over chats (n - 1), and the 95 % bootstrap interval "
        "of the mean. Not read counts exchanges without a readable rating of one score or both.",
        _printed(datasets, ["category", "dataset"]),
        _SCORES,
        _LABELS,
    )
    if len(datasets) > len(categories):
        yield Table(
            "categories",
            "The same with all chats of a category pooled, each chat counting once.",
            _printed(categories, ["category"]),
            _SCORES,
            _LABELS,
        )
    yield Table(
        "correlation",
        "Spearman's correlation of uptake and scaffolding over chats, within each dataset and over all chats of a "
        "category, with its 95 % interval and p.",
        _correlations(datasets, categories),
        _SCORES,
        _LABELS,
    )
    yield from _traits(numbers["dataset_traits"])
    if len(numbers["resolved"]) and int(numbers["resolved"]["resolved_exchanges"].sum()):
        yield Table(
            "resolved",
            "With and without the exchanges in which the tutor only confirms a result that the student already had. "
            "The rubric scores those low on scaffolding, since they state the answer.",
            without_single(numbers["resolved"]),
            _SCORES,
            _LABELS,
        )
    if len(numbers["repeats"]):
        yield Table(
            "repeats",
            "Repeated ratings of one exchange by the same judge: how many are identical, and their standard deviation "
            "within an exchange.",
            without_single(numbers["repeats"]),
            _SCORES,
            _LABELS,
        )


_LABELS = {
    "unread_exchanges": "not read",
    "scaffolding_mean": "scaffolding",
    "scaffolding_sd": "sd",
    "scaffolding_interval": "95\u00a0%",
    "uptake_mean": "uptake",
    "uptake_sd": "sd",
    "uptake_interval": "95\u00a0%",
    "rho_interval": "95\u00a0%",
    "rho_p": "p",
    "why_no_rho": "why there is none",
    "published_rho": "published rho",
    "sd": "sd within",
}


def _traits(traits: pd.DataFrame) -> Iterator[Block]:
    if len(traits.columns) > 1 and len(traits):
        runs = ["run"] if "run" in traits.columns and traits["run"].nunique() == 1 else []
        yield Table(
            "traits",
            "What the datasets are: from the file of traits that was given, or the paper's Table 1.",
            traits.drop(columns=runs),
        )


def _printed(frame: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """Lay out scores; under a dataset that the paper has stands the paper's row."""
    kept = without_single(frame)
    rows = []
    for row in plain_rows(kept):
        names = {name: row[name] for name in [*views(kept), *by]}
        printed = {**names, "source": "this run"}
        printed |= {name: row[name] for name in ("chats", "valid", "scored", "unread_exchanges")}
        for metric, form in (("scaffolding", "{:.2f}"), ("uptake", "{:+z.2f}")):
            printed |= {f"{metric}_mean": row[f"{metric}_mean"], f"{metric}_sd": row[f"{metric}_sd"]}
            printed[f"{metric}_interval"] = interval(row, metric, form)
        rows.append(printed)
        known = published_dataset(row["dataset"]) if "dataset" in by else None
        if known:
            rows.append({**names, "source": "published", "chats": known["total"], "valid": known["valid"]})
            rows[-1] |= {name: known[name] for name in known if name.endswith(("_mean", "_sd"))}
    held = pd.DataFrame(rows)
    for name in held.columns:
        if name in ("chats", "valid", "scored", "unread_exchanges"):
            held[name] = held[name].astype("Int64")
        elif name.endswith(("_mean", "_sd")):
            held[name] = pd.to_numeric(held[name])
    return held if (held["source"] == "published").any() else held.drop(columns="source")


def _correlations(datasets: pd.DataFrame, categories: pd.DataFrame) -> pd.DataFrame:
    shown = views(without_single(datasets))
    within = plain_rows(datasets)
    rows = []
    for pooled in plain_rows(categories.assign(dataset="all")):
        parts = [row for row in within if _panel(row) == _panel(pooled)]
        # Of a category with one dataset the two rows would be the same.
        for row in [*parts, pooled] if len(parts) > 1 else parts:
            known = published_dataset(row["dataset"])
            rows.append(
                {
                    **{name: row[name] for name in [*shown, "category", "dataset", "scored", "rho"]},
                    "rho_interval": interval(row, "rho", "{:+z.2f}"),
                    "rho_p": row["rho_p"],
                    "why_no_rho": row["why_no_rho"],
                    "published_rho": known["rho"] if known else None,
                }
            )
    held = pd.DataFrame(rows)
    for name in ("rho", "rho_p", "published_rho"):
        held[name] = pd.to_numeric(held[name])
    return _without_empty(held)


def _without_empty(frame: pd.DataFrame) -> pd.DataFrame:
    """Leave out what only some runs have: published values, reasons why there is no number."""
    return frame.drop(columns=[c for c in ("published_rho", "why_no_rho") if frame[c].isna().all()])


def _panel(row: Mapping[str, Any]) -> tuple[Any, ...]:
    return (*view_key(row), row["category"])


def interval(row: Mapping[str, Any], name: str, form: str) -> str | None:
    """Print an interval, or nothing where there is none."""
    low, high = row[f"{name}_low"], row[f"{name}_high"]
    if low is None:
        return None
    if no_width(low, high):
        return ALIKE
    # Held together, and with a minus of its own length, as the page prints numbers.
    return f"{form.format(low)}\u00a0to\u00a0{form.format(high)}".replace("-", "−")

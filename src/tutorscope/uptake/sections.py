"""What the page says: headline, plane, tables, distributions, chats, and what could not be read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from tutorscope.pictures.blocks import Block, Prose, Section, Table
from tutorscope.texts.plain import strip_controls
from tutorscope.uptake.figures import View, plane, spread
from tutorscope.uptake.measures import VIEW, groups, views
from tutorscope.uptake.published import COUNTS_NOTE, DIFFERENT_INSTRUMENT, published_dataset
from tutorscope.uptake.transcripts import reader

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


def headline(tables: Frames, numbers: Frames) -> list[str]:
    """Say the result in a few lines: a line for each category and view, then what is missing.

    Parameters
    ----------
    tables, numbers : mapping
        As `records.tables` and `measures.measures` give them.

    Returns
    -------
    list of str
        Safe for a terminal.
    """
    rows = _plain(numbers["categories"])
    if not rows:
        missing = "a judge with --judge" if len(tables["logs"]) else "a log, such as benchmark=chats.jsonl"
        return [f"nothing was rated: name {missing}"]
    names = _view_names(tables["chats"])
    lines = []
    for row in rows:
        who = names[_view_key(row)]
        found = (
            f"uptake {row['uptake_mean']:+z.2f} (sd {_two(row['uptake_sd'])}), "
            f"scaffolding {row['scaffolding_mean']:.2f} (sd {_two(row['scaffolding_sd'])}), rho {_rho(row)}"
            if row["scored"]
            else "no chat is scored"
        )
        lines.append(
            f"{row['category']}{f' ({who})' if who else ''}: {found}; "
            f"{row['scored']:,} scored of {row['valid']:,} valid of {row['chats']:,} chats"
        )
    return [strip_controls(line) for line in [*lines, *_missing(rows)]]


def sections(tables: Frames, numbers: Frames, figures: Path) -> list[Section]:
    """Make the sections of the page.

    Parameters
    ----------
    tables, numbers : mapping
        As for `headline`.
    figures : Path
        Where figures are saved.
    """
    shown = _views(tables["chats"])
    rated = [view for view in shown if len(view.scored)]
    result: list[Block] = [Prose(line, "headline") for line in headline(tables, numbers)]
    result += [Prose(line, "warning") for line in _warnings(tables)]
    result += [
        Prose(
            "Scaffolding runs from 1 (the tutor tells) to 5 (the thinking is left to the student). Uptake runs from -1 "
            "(the student drives) to +1 (the student takes the tutor's lead up). A chat's value is the mean over its "
            "rated exchanges. Low uptake is not bad in itself: the student may have had another goal.",
            "note",
        )
    ]
    aside = Section("unread", "What was set aside or could not be read", list(_set_aside(tables, numbers)))
    if not shown:
        return [Section("result", "Result", result), aside]
    planes = [plane(view, figures) for view in rated]
    return [
        Section("result", "Result", result),
        Section("plane", "Who leads, and how much is left to think", [*planes, Prose(DIFFERENT_INSTRUMENT, "note")]),
        Section("datasets", "By dataset and category", list(_score_tables(numbers))),
        Section("distributions", "How chats spread", [spread(view, figures) for view in rated]),
        Section("chats", "The chats", [reader(tables, shown)]),
        aside,
    ]


def _score_tables(numbers: Frames) -> Iterator[Block]:
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
    if len(numbers["resolved"]) and int(numbers["resolved"]["resolved_exchanges"].sum()):
        yield Table(
            "resolved",
            "With and without the exchanges in which the tutor only confirms a result that the student already had. "
            "The rubric scores those low on scaffolding, since they state the answer.",
            _without_single(numbers["resolved"]),
            _SCORES,
            _LABELS,
        )
    if len(numbers["repeats"]):
        yield Table(
            "repeats",
            "Repeated ratings of one exchange by the same judge: how many are identical, and their standard deviation "
            "within an exchange.",
            _without_single(numbers["repeats"]),
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


def _printed(frame: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """Lay out scores; under a dataset that the paper has stands the paper's row."""
    kept = _without_single(frame)
    rows = []
    for row in _plain(kept):
        names = {name: row[name] for name in [*views(kept), *by]}
        printed = {**names, "source": "this run"}
        printed |= {name: row[name] for name in ("chats", "valid", "scored", "unread_exchanges")}
        for metric, form in (("scaffolding", "{:.2f}"), ("uptake", "{:+z.2f}")):
            printed |= {f"{metric}_mean": row[f"{metric}_mean"], f"{metric}_sd": row[f"{metric}_sd"]}
            printed[f"{metric}_interval"] = _interval(row, metric, form)
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
    shown = views(_without_single(datasets))
    within = _plain(datasets)
    rows = []
    for pooled in _plain(categories.assign(dataset="all")):
        parts = [row for row in within if _panel(row) == _panel(pooled)]
        # Of a category with one dataset the two rows would be the same.
        for row in [*parts, pooled] if len(parts) > 1 else parts:
            known = published_dataset(row["dataset"])
            rows.append(
                {
                    **{name: row[name] for name in [*shown, "category", "dataset", "scored", "rho"]},
                    "rho_interval": _interval(row, "rho", "{:+z.2f}"),
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


def _set_aside(tables: Frames, numbers: Frames) -> Iterator[Block]:
    unread = numbers["unread"]
    yield Prose(
        "Nothing is dropped in silence, imputed or scored as zero. A reply of the judge that could not be read was "
        "asked again, up to three times in all; an exchange without any readable reply has no score and is left out "
        "of its chat's mean."
    )
    if len(unread):
        yield Table("set_aside", "By what it was and why.", _without_single(unread))
    else:
        yield Prose("Nothing was set aside.")
    logs = tables["logs"]
    dropped = logs[logs["dropped"].notna()]
    for row in _plain(dropped):
        yield Prose(f"{row['dataset']}: personal fields that were dropped on reading: {row['dropped']}.", "note")
    if len(logs):
        columns = ["dataset", "file", "format", "chats", "valid_chats", "exchanges", "valid_exchanges", "merged", "bad"]
        yield Table("logs", "The logs that were read.", logs[[c for c in ("run", *columns) if c in logs.columns]])
    yield Prose(COUNTS_NOTE, "note")


def _warnings(tables: Frames) -> Iterator[str]:
    judges = set(tables["chats"]["judge"].dropna())
    if any(judge == "embedded" or judge.startswith("embedded:") for judge in judges):
        yield (
            "The embedded model judged here. It is there to show the machinery: a model of its size gives no verdict "
            "on any tutor or student."
        )
    for key, part in groups(tables["ratings"], views(tables["ratings"])):
        served = sorted(part["model"].dropna().unique())
        if len(served) > 1:
            yield f"The judge {key['judge']} was served by {len(served)} models: {', '.join(served)}."


def _missing(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    unread = sum(row["unread_exchanges"] for row in rows)
    if unread:
        exchanges = sum(row["exchanges"] for row in rows)
        chats = sum(row["unread"] for row in rows)
        yield (
            f"could not be read, wholly or in part: exchanges {unread:,} (beside {exchanges:,} rated); "
            f"chats without any rating that could: {chats:,}"
        )
    owed = sum(row["not_rated"] for row in rows)
    if owed:
        yield f"{owed:,} valid chats are not rated yet"


def _views(chats: pd.DataFrame) -> list[View]:
    names = _view_names(chats)
    found = []
    for number, (key, part) in enumerate(groups(chats, views(chats))):
        name = names[tuple(key.values())]
        slug = re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-").lower()[:40]
        found.append(View(name, f"-{number + 1}-{slug}" if name else "", part))
    return found


def _view_names(chats: pd.DataFrame) -> dict[tuple[Any, ...], str]:
    """Name each view by what tells it apart from the others; the only one needs no name."""
    keys = [tuple(key.values()) for key, _ in groups(chats, views(chats))]
    columns = views(chats)
    varied = {column for place, column in enumerate(columns) if len({key[place] for key in keys}) > 1}
    return {key: ", ".join(_said(columns, key, varied)) for key in keys}


def _said(columns: Sequence[str], key: Sequence[Any], varied: set[str]) -> Iterator[str]:
    for column, value in zip(columns, key, strict=True):
        if column not in varied:
            continue
        match column:
            case "run":
                yield f"run {value}"
            case "judge":
                yield f"judge {value}"
            case "separate":
                yield "metrics asked separately" if value else "metrics asked together"
            case "history":
                yield f"last {value} exchanges shown" if value else "whole history shown"


def _panel(row: Mapping[str, Any]) -> tuple[Any, ...]:
    return (*_view_key(row), row["category"])


def _view_key(row: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(row[column] for column in VIEW if column in row)


def _without_single(frame: pd.DataFrame) -> pd.DataFrame:
    """Leave out columns of the view that are the same in every row: the page says elsewhere who judged."""
    same = [column for column in views(frame) if frame[column].nunique(dropna=False) <= 1]
    return frame.drop(columns=same)


def _interval(row: Mapping[str, Any], name: str, form: str) -> str | None:
    low, high = row[f"{name}_low"], row[f"{name}_high"]
    # Held together, and with a minus of its own length, as the page prints numbers.
    return None if low is None else f"{form.format(low)}\u00a0to\u00a0{form.format(high)}".replace("-", "−")


def _rho(row: Mapping[str, Any]) -> str:
    return f"{row['rho']:+z.2f}" if row["rho"] is not None else f"not estimable ({row['why_no_rho']})"


def _two(value: float | None) -> str:
    return "none" if value is None else f"{value:.2f}"


def _plain(frame: pd.DataFrame) -> list[dict[str, Any]]:
    held = frame.astype(object).where(frame.notna(), None)
    return [dict(zip(held.columns, row, strict=True)) for row in held.itertuples(index=False, name=None)]

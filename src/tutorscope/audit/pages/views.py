"""What a page of the audit shows apart: runs, students and bases; and the words for its numbers."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from tutorscope.stats.intervals import ALIKE, no_width

VIEW = ("run", "student", "base")
"""What is played, paired and fitted alone, and named apart on the page."""

Frames = Mapping[str, pd.DataFrame]
Key = tuple[str, str, str]

WORDS = {
    "leakage": "answer given away",
    "independence": "student's own work",
    "helpfulness": "helpfulness",
    "pedagogy": "pedagogy",
    "accuracy_immediate": "solved alone, immediate",
    "accuracy_delayed": "solved alone, delayed",
    "accuracy_transfer": "solved alone, transfer",
    "accuracy_interference": "solved alone, interference",
    "tutor_turns": "tutor turns in the answer phase",
    "tutor_tokens": "tutor tokens a session",
    "leaky_per_1k": "leaky turns per 1,000 tutor tokens",
    "worked_per_1k": "turns with own work per 1,000 tutor tokens",
    "next_independent": "own work in the next turn",
}
"""What measures and outcomes are called on the page."""

AMOUNTS = ("tutor_turns", "tutor_tokens")
"""What is counted in whole; all other measures are shares, rates or points, and told to three digits."""

CLOSE = "\u00a0"  # holds a number and its unit on one line


def rule_shown(numbers: Frames) -> str:
    """Give the rule that the page speaks by: ``sound``, or the only one that tables from elsewhere have."""
    rules = [str(rule) for rule in numbers["policy_means"]["rule"].unique()]
    return "sound" if "sound" in rules or not rules else rules[0]


def of_rule(frame: pd.DataFrame | None, rule: str) -> pd.DataFrame:
    """Keep the rows of one rule; an absent table has none."""
    if frame is None:
        return pd.DataFrame()
    return frame[frame["rule"] == rule] if "rule" in frame.columns else frame


def groups(frame: pd.DataFrame, by: Sequence[str]) -> Iterator[tuple[dict[str, Any], pd.DataFrame]]:
    """Go over the groups of a table in the order of their first rows."""
    if by and len(frame):
        for key, part in frame.groupby(list(by), sort=False, dropna=False):
            yield dict(zip(by, key, strict=True)), part


def plain_rows(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Give rows as plain data, a missing value as None."""
    held = frame.astype(object).where(frame.notna(), None)
    return [dict(zip(held.columns, row, strict=True)) for row in held.itertuples(index=False, name=None)]


def view_key(row: Mapping[str, Any]) -> Key:
    """Give a row's values in the columns of `VIEW`; a column that it lacks is ""."""
    run, student, base = (str(row.get(column) or "") for column in VIEW)
    return run, student, base


def view_names(numbers: Frames) -> dict[Key, str]:
    """Name each run, student and base by what tells it apart from the others; the only one needs no name."""
    frame = numbers["policy_means"]
    keys = list(dict.fromkeys(view_key(row) for row in plain_rows(frame[list(VIEW)].drop_duplicates())))
    varied = [place for place in range(len(VIEW)) if len({key[place] for key in keys}) > 1]
    return {key: ", ".join(f"{VIEW[place]} {key[place] or 'none'}" for place in varied) for key in keys}


def short(name: str) -> str:
    """Leave out the word where only bases differ: a row of a figure or table that has a head needs the name alone."""
    return name.removeprefix("base ") if ", " not in name else name


def without_single(frame: pd.DataFrame, *columns: str) -> pd.DataFrame:
    """Leave out columns of the view, and others named, that are the same in every row."""
    held = [name for name in (*VIEW, "rule", *columns) if name in frame.columns]
    return frame.drop(columns=[name for name in held if frame[name].nunique(dropna=False) <= 1])


def known(value: Any) -> bool:
    """Whether there is a number."""
    return value is not None and not (isinstance(value, float) and math.isnan(value)) and value is not pd.NA


def per_cent(value: float) -> str:
    """Print a share: whole per cent, with a digit behind the point where it lies near one of the ends.

    Examples
    --------
    >>> [per_cent(value).replace(CLOSE, " ") for value in (0, 0.004, 0.43, 0.997, 1)]
    ['0 %', '0.4 %', '43 %', '99.7 %', '100 %']
    """
    whole = round(100 * value)
    inside = 0 < value < 1 and (value < 0.01 or value > 0.99)
    return f"{100 * value:.1f}{CLOSE}%" if inside else f"{whole}{CLOSE}%"


def signed(value: float, form: str = "{:+.2f}") -> str:
    """Print a difference with its sign, zero without one; a minus is longer than a hyphen."""
    printed = form.format(value)
    if not any(sign in "123456789" for sign in printed):
        printed = printed.lstrip("+-")
    return printed.replace("-", "−", 1)


def span(low: Any, high: Any, form: str = "{:.2f}") -> str | None:
    """Print an interval, held together, or nothing where there is none; an end at zero has no sign."""
    if not (known(low) and known(high)):
        return None
    if no_width(low, high):
        return ALIKE
    return f"{signed(low, form)}{CLOSE}to{CLOSE}{signed(high, form)}"


def share_span(low: Any, high: Any) -> str | None:
    """Print an interval of a share, as `span` does."""
    if not (known(low) and known(high)):
        return None
    return ALIKE if no_width(low, high) else f"{per_cent(low)} to {per_cent(high)}"


def p_words(p: Any) -> str:
    """Print a p-value.

    Examples
    --------
    >>> [p_words(p) for p in (0.16015625, 0.00390625, 8.4e-6, 1.0, None)]
    ['p 0.16', 'p 0.0039', 'p below 0.0001', 'p 1', 'no p']
    """
    if not known(p):
        return "no p"
    if p < 0.0001:
        return "p below 0.0001"
    return f"p {p:.2g}" if p < 0.995 else "p 1"


def tidy(frame: pd.DataFrame, whole: Sequence[str] = ()) -> pd.DataFrame:
    """Give numbers their types back, and leave out columns that say nothing."""
    held = frame.copy()
    for name in held.columns:
        if name in whole:
            held[name] = pd.to_numeric(held[name]).astype("Int64")
        elif held[name].dtype == object and held[name].map(lambda value: not isinstance(value, str)).all():
            held[name] = pd.to_numeric(held[name])
    held = without_empty(held, "reason", "slope_interval")
    if "source" in held.columns and (held["source"] == "this run").all():
        held = held.drop(columns="source")
    return without_single(held)


def without_empty(frame: pd.DataFrame, *columns: str) -> pd.DataFrame:
    """Leave out those of the named columns in which nothing stands."""
    return frame.drop(columns=[name for name in columns if name in frame.columns and frame[name].isna().all()])

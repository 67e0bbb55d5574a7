"""The tables that measures start from: their columns, and going over them by tutor, domain and setting."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from tutorscope.errors import UserError
from tutorscope.intervention.names import ALL as ALL
from tutorscope.stats.intervals import Interval, cluster_mean_interval, mean_interval

TEXT, WHOLE, COUNT, REAL, FLAG, MAYBE = "string", "int64", "Int64", "Float64", "bool", "boolean"
VIEW = ("run", "student", "judge")
"""What is measured apart and named apart on the page."""
SETTING = ("increment", "variant", "ask_at_end")
"""How a tutor was asked: what is varied within a run."""
BY_PROBLEMS, BY_EPISODES = "problems", "episodes"
"""What intervals resample: problems with all their episodes (ours), or single episodes (the paper's)."""

_EPISODE = {
    **{"tutor": TEXT, "student": TEXT, "problem": TEXT},
    **{"increment": TEXT, "variant": TEXT, "replicate": WHOLE, "participant": TEXT},
}
COLUMNS: Mapping[str, Mapping[str, str]] = {
    "problems": {
        **{"run": TEXT, "problem": TEXT, "domain": TEXT, "title": TEXT, "question": TEXT, "reference": TEXT},
    },
    "traces": {
        **{"run": TEXT, "student": TEXT, "problem": TEXT, "domain": TEXT, "title": TEXT, "topic": TEXT},
        **{"difficulty": TEXT, "trace": TEXT, "answer": TEXT, "reason": TEXT, "length": COUNT},
    },
    "grades": {
        **{"run": TEXT, "judge": TEXT, "of": TEXT, **_EPISODE},
        **{"correct": MAYBE, "how": TEXT, "reason": TEXT, "why": TEXT},
    },
    "episodes": {
        **{"run": TEXT, "judge": TEXT, "domain": TEXT, "condition": TEXT, **_EPISODE},
        **{"ask_at_end": FLAG, "people": FLAG, "intervened": MAYBE, "position": COUNT, "length": COUNT},
        **{
            "tau_rel": REAL,
            "message": TEXT,
            "quote": TEXT,
            "found": TEXT,
            "lost": TEXT,
            "reason": TEXT,
            "unread": TEXT,
        },
        **{"decisions": COUNT, "wasted": COUNT, "baseline_correct": MAYBE},
    },
    "continued": {
        **{"run": TEXT, "judge": TEXT, "domain": TEXT, "how": TEXT, **_EPISODE},
        **{"ask_at_end": FLAG, "trace": TEXT, "answer": TEXT, "reason": TEXT},
        **{"before": MAYBE, "after": MAYBE, "h": COUNT},
    },
    "variants": {
        **{"run": TEXT, "set": TEXT, "problem": TEXT, "skill": TEXT, "group": TEXT, "variant": TEXT},
        **{"question": TEXT, "reference": TEXT, "state": TEXT, "chosen": FLAG},
    },
    "pairs": {
        **{"run": TEXT, "set": TEXT, "student": TEXT, "tutor": TEXT, "problem": TEXT, "variant": TEXT, "state": TEXT},
    },
    "attempts": {
        **{"run": TEXT, "judge": TEXT, "set": TEXT, "student": TEXT, "problem": TEXT, "variant": TEXT, "context": TEXT},
        **{"tutor": TEXT, "replicate": WHOLE, "correct": MAYBE, "reason": TEXT, "g": COUNT},
    },
    "messages": {
        **{"run": TEXT, "judge": TEXT, "taxonomy": TEXT, "dimension": TEXT, "condition": TEXT, **_EPISODE},
        **{"ask_at_end": FLAG, "people": FLAG, "description": TEXT, "category": TEXT, "reason": TEXT},
    },
    "taxonomies": {"run": TEXT, "taxonomy": TEXT, "dimension": TEXT, "place": WHOLE, "category": TEXT},
}
"""Columns of each table and their types; `validated` gives a table all of them."""

# What a table may lack; the value that then stands there is the type's empty one.
_OPTIONAL = {
    *("run", "set", "increment", "variant", "replicate", "participant", "ask_at_end"),
    *("title", "topic", "difficulty", "quote", "found", "unread", "why"),
}
_EMPTY: Mapping[str, Any] = {TEXT: "", WHOLE: 0, FLAG: False}

Frames = Mapping[str, pd.DataFrame]
Mean = Callable[[Any, Any], Interval]
"""From values and the numbers of the problems they belong to, to their mean with its interval."""


def empty(kind: str) -> pd.DataFrame:
    """Give a table without rows."""
    return pd.DataFrame({name: pd.Series(dtype=_dtype(dtype)) for name, dtype in COLUMNS[kind].items()})


def validated(tables: Frames) -> dict[str, pd.DataFrame]:
    """Give the tables that measures start from their types; those that are absent are empty.

    Parameters
    ----------
    tables : mapping
        Tables by name. Others than those of `COLUMNS` are left out, and so are columns that are not known.

    Raises
    ------
    UserError
        A column is missing or holds what cannot be; a tutor has the name of the pooled row.
    """
    found = {}
    for kind, columns in COLUMNS.items():
        frame = tables.get(kind)
        if frame is None or (not len(frame) and not set(columns) <= set(frame.columns)):
            found[kind] = empty(kind)
            continue
        found[kind] = pd.DataFrame({name: _column(frame, kind, name, dtype) for name, dtype in columns.items()})
        if "tutor" in columns and (found[kind]["tutor"] == ALL).any():
            raise UserError(f"table {kind}, column tutor: found {ALL!r}, which names the row of all tutors; rename it")
    return found


def resampled(tables: Frames) -> str:
    """Give what intervals resample: the wish in the table ``settings``, else problems.

    Raises
    ------
    UserError
        Another wish.
    """
    settings = tables.get("settings")
    said = str(settings["ci"].iloc[-1]) if settings is not None and len(settings) and "ci" in settings else BY_PROBLEMS
    if said not in (BY_PROBLEMS, BY_EPISODES):
        raise UserError(f"ci: found {said!r}, expected {BY_PROBLEMS} or {BY_EPISODES}")
    return said


def mean_by(ci: str) -> Mean:
    """Give the function that makes means with their 95 % intervals: percentile bootstrap, 10,000 draws, seed 0.

    Parameters
    ----------
    ci : {"problems", "episodes"}
        With ``problems`` the episodes of a problem are drawn together.

    Returns
    -------
    callable
        It remembers: a row that pools one tutor or one domain costs nothing more.
    """
    known: dict[tuple[bytes, bytes], Interval] = {}

    def mean(values: Any, problems: Any) -> Interval:
        held = np.asarray(values, dtype=np.float64)
        if ci == BY_EPISODES:
            # The digits depend on the order: sorted, they do not depend on that of the rows.
            held = np.sort(held)
            codes = np.zeros(0, dtype=np.int64)
        else:
            codes = np.unique(np.asarray(problems, dtype=np.int64), return_inverse=True)[1]
        key = (held.tobytes(), codes.tobytes())
        if key not in known:
            known[key] = mean_interval(held) if ci == BY_EPISODES else cluster_mean_interval(held, codes)
        return known[key]

    return mean


def groups(frame: pd.DataFrame, by: Sequence[str]) -> Iterator[tuple[dict[str, Any], pd.DataFrame]]:
    """Go over the groups of a table in the order of their first rows."""
    if by and len(frame):
        for key, part in frame.groupby(list(by), sort=False, dropna=False):
            yield dict(zip(by, key, strict=True)), part


def pooled(
    frame: pd.DataFrame, by: Sequence[str], over: Sequence[str] = ("tutor", "domain")
) -> Iterator[tuple[dict[str, Any], pd.DataFrame]]:
    """Go over the groups of a table, and for each column in ``over`` over all its values together as well.

    Yields
    ------
    tuple of dict and DataFrame
        The columns of ``by`` and ``over``; a pooled one is "all" and comes after the single ones.
    """
    for key, part in groups(frame, by):
        yield from _each(key, part, list(over))


def _each(key: dict[str, Any], part: pd.DataFrame, over: list[str]) -> Iterator[tuple[dict[str, Any], pd.DataFrame]]:
    if not over:
        yield key, part
        return
    first, *rest = over
    for one, held in groups(part, [first]):
        yield from _each({**key, **one}, held, rest)
    yield from _each({**key, first: ALL}, part, rest)


def problem_codes(frame: pd.DataFrame) -> npt.NDArray[np.int64]:
    """Give each row the number of its problem, in the order of domain and id: ids are unique within a domain only."""
    return np.asarray(frame.groupby(["domain", "problem"], sort=True).ngroup(), dtype=np.int64)


def with_domain(frame: pd.DataFrame, traces: pd.DataFrame) -> pd.DataFrame:
    """Put a domain beside each row of a table that names problems alone."""
    known = traces.drop_duplicates(["run", "problem"])[["run", "problem", "domain"]]
    return frame.merge(known, on=["run", "problem"], how="left").fillna({"domain": ""})


def plain_rows(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Give rows as plain data, a missing value as None."""
    held = frame.astype(object).where(frame.notna(), None)
    return [dict(zip(held.columns, row, strict=True)) for row in held.itertuples(index=False, name=None)]


def table(rows: Iterable[Mapping[str, Any]], columns: Sequence[str]) -> pd.DataFrame:
    """Make a table of numbers: its columns are the same when it has no row."""
    return pd.DataFrame(list(rows), columns=list(columns))


def _column(frame: pd.DataFrame, kind: str, name: str, dtype: str) -> pd.Series:
    if name not in frame.columns:
        if name not in _OPTIONAL:
            raise UserError(f"table {kind}: the column {name} is missing; expected {', '.join(COLUMNS[kind])}")
        return pd.Series([_EMPTY.get(dtype, pd.NA)] * len(frame), dtype=_dtype(dtype))
    held = frame[name].reset_index(drop=True)
    try:
        # What cannot be empty has its type's empty value where there is none.
        found = held.astype(_dtype({WHOLE: COUNT, FLAG: MAYBE}.get(dtype, dtype)))
        return found.fillna(_EMPTY[dtype]).astype(_dtype(dtype)) if dtype in _EMPTY else found
    except (TypeError, ValueError) as problem:
        said = str(problem).splitlines()[0]
        raise UserError(f"table {kind}, column {name}: expected {dtype} values ({said})") from None


def _dtype(name: str) -> Any:
    return pd.api.types.pandas_dtype(name)

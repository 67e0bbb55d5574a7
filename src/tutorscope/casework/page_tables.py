"""How the page prints casework's tables: words for columns, number formats, intervals in one cell."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import pandas as pd

from tutorscope.casework.clusters import TOO_FEW
from tutorscope.casework.measures import COUNTS
from tutorscope.casework.views import ALL, HORIZON_WORDS, challenge_words, plain_rows, without_single
from tutorscope.pictures.blocks import Figure, Table
from tutorscope.stats.intervals import ALIKE

_SHARE, _ROUND, _POINTS = "{:.1%}", "{:.3f}", "{:+z.1f}"
_FORMATS = {
    **dict.fromkeys(
        ("success", "accuracy", "satisfaction", "result", "published", "chance", "recovery", "top_4gram_share"), _SHARE
    ),
    **dict.fromkeys(("letter_baseline", "longest_baseline", "shortest_baseline", "same_option"), _SHARE),
    **dict.fromkeys(("picked_longest", "picked_shortest", "picked", "expected"), _SHARE),
    **dict.fromkeys(("all_right", "all_wrong", "same_distractor"), _SHARE),
    **dict.fromkeys(("diversity", "p"), _ROUND),
    **dict.fromkeys(("spearman", "published_spearman"), "{:+z.3f}"),
    **dict.fromkeys(("difference", "published_difference"), _POINTS),
}
_LABELS = {
    "interval": "95\u00a0% interval",
    "satisfaction": "satis\u00adfaction",
    "bounds": "if unknown fail to\u00a0succeed",
    "categories": "cate\u00adgories",
    "unknown": "un\u00adknown",
    "unpaired": "un\u00adpaired",
    "left_out": "left out",
    "unread": "not read",
    "letter_baseline": "best letter",
    "longest_baseline": "longest option",
    "shortest_baseline": "shortest option",
    "picked_longest": "picked the longest",
    "picked_shortest": "picked the shortest",
    "same_option": "same option in all orders",
    "same_option_n": "n",
    "same_option_left_out": "read in one order or none",
    "all_right": "all right",
    "all_wrong": "all wrong",
    "n_all_wrong": "n all wrong",
    "same_distractor": "same wrong option, of all wrong",
    "n_grams": "n-grams of",
    "top_4gram_share": "replies that hold the top 4-gram",
    "recovery": "case recovered",
    "recovery_n": "n of recovery",
    "items": "asked",
    "of": "of those there are",
    "difference": "difference, points",
    "published": "published (different instrument)",
    "published_spearman": "published (different instrument)",
    "published_difference": "published mean, points (different instrument)",
}
_MAY_BE_MISSING = ("reason", "bounds")
_MAY_BE_NONE = ("left_out", "unknown", "empty", "refused", "erred", "owed")
"""Counts. A share of 0 is a result, and a count of what could not be read stands there even if it is 0."""

_SHORT: Mapping[str, Mapping[str, str]] = {
    "horizon": {**HORIZON_WORDS, ALL: "both"},
    "form": {"open": "open", "reference": "references", "mcq": "four options", "binary": "two options"},
}
"""Words for narrow columns."""


def table(name: str, caption: str, frame: pd.DataFrame, columns: Sequence[str], rename: str = "") -> Table:
    """Lay a table of numbers out for the page.

    Columns that hold one value in all rows (run, judge, form) are left out, and so are optional ones where all is
    missing, and counts of what is rare where there is none.

    Parameters
    ----------
    name, caption : str
    frame : DataFrame
    columns : sequence of str
        In order; those that the frame does not have are passed over.
    rename : str
        Words for the column ``of``.
    """
    held = frame[[column for column in columns if column in frame.columns]]
    optional = [c for c in held.columns if c in _MAY_BE_MISSING or c.startswith("published")]
    none = [c for c in held.columns if c in _MAY_BE_NONE and (held[c].isna() | (held[c] == 0)).all()]
    held = held.drop(columns=[*(column for column in optional if held[column].isna().all()), *none])
    held = without_single(held, "form") if "first" not in held.columns else without_single(held)
    for column, names in _SHORT.items():
        if column in held.columns:
            held = held.assign(**{column: [names.get(str(one), str(one)) for one in held[column]]})
    if "challenge" in held.columns:
        held = held.assign(challenge=[challenge_words(str(one)) for one in held["challenge"]])
    for column in held.columns:
        if held[column].dtype == object and held[column].map(lambda one: one is None or isinstance(one, float)).all():
            held = held.assign(**{column: pd.to_numeric(held[column])})
    return Table(name, caption, held, _FORMATS, {**_LABELS, **({"of": rename} if rename else {})})


def with_intervals(frame: pd.DataFrame, ahead: str = "") -> pd.DataFrame:
    """Put both ends of an interval, or why there is none, into one printed column ``interval``.

    Parameters
    ----------
    frame : DataFrame
        With ``low`` and ``high``, and for shares and differences ``why_no_interval``.
    ahead : str
        What stands before these names ("s_" for satisfaction).
    """
    scale, form = (1, "{:+.2f} to {:+.2f}") if "spearman" in frame.columns else (100, "{:.1f} to {:.1f}")
    form = ("{:+.1f} to {:+.1f}" if "difference" in frame.columns else form).replace(" ", "\u00a0")
    said: list[str | None] = []
    for row in plain_rows(frame):
        low, high, why = (row.get(f"{ahead}{name}") for name in ("low", "high", "why_no_interval"))
        if low is not None and high is not None:
            said.append(form.format(scale * low, scale * high).replace("-", "−"))
        else:
            short = {ALIKE: ALIKE.replace(" ", "\u00a0"), TOO_FEW: "none: too\u00a0few"}.get(why or "")
            said.append(short if row.get("n") != 0 else None)
    held = frame.assign(interval=pd.Series(said, index=frame.index, dtype=object))
    return held.assign(difference=100 * held["difference"]) if "difference" in held.columns else held


def with_bounds(frame: pd.DataFrame) -> pd.DataFrame:
    """Put what success is if all unknown replies fail, and if all succeed, into one column; none where none is."""
    said = [
        f"{100 * row['least']:.1f} to {100 * row['most']:.1f}".replace(" ", "\u00a0") if row["unknown"] else None
        for row in plain_rows(frame)
    ]
    return frame.assign(bounds=pd.Series(said, index=frame.index, dtype=object))


def with_coverage(frame: pd.DataFrame, coverage: pd.DataFrame) -> pd.DataFrame:
    """Put beside each row of a tutor, form and horizon how many answers were asked for, and what became of them."""
    own = coverage[coverage["judge"].isna()] if len(coverage) else coverage
    keys = [name for name in ("run", "tutor", "form", "horizon") if name in frame.columns and name in own.columns]
    counts = own[[*keys, *COUNTS]]
    held = frame.drop(columns=[name for name in COUNTS if name in frame.columns])
    held = held.merge(counts.astype(dict.fromkeys(keys, object)), on=keys, how="left")
    for name in COUNTS:
        # Where no plan says what was asked, what was answered tells how much of it could not be read.
        known = held[name].astype("Int64")
        held[name] = known.fillna(pd.Series(frame[name].to_numpy(), dtype="Int64")) if name in frame else known
    return held


def floats(frame: pd.DataFrame, values: Sequence[float | None]) -> pd.Series:
    """Make a column of numbers of which some are missing."""
    return pd.Series(values, index=frame.index, dtype="float64")


def drawn(figures: Iterable[Figure | None]) -> Iterator[Figure]:
    """Give the figures that there are."""
    yield from (one for one in figures if one is not None)


def per_cent(value: float | None) -> str:
    """Print a share in a sentence; the sign does not part from its number."""
    return "not known" if value is None else f"{100 * value:.1f}\u00a0%"

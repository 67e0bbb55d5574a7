"""From numbers to pictures: success by challenge type, open against choice, diversity, what references do."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from tutorscope.casework.answering import OPEN
from tutorscope.casework.clusters import TOO_FEW
from tutorscope.casework.published import (
    published_accuracy,
    published_range,
    published_reference_effect,
    published_success,
)
from tutorscope.casework.success import WITH
from tutorscope.casework.tasks import MCQ
from tutorscope.casework.views import ALL, HORIZON_WORDS, VIEW, challenge_words, plain_rows
from tutorscope.pictures.blocks import Figure
from tutorscope.pictures.intervals import Dot, Row, height, intervals
from tutorscope.pictures.labels import label
from tutorscope.pictures.style import COLOURS, MUTED, legend, reference_mark, save_panels
from tutorscope.texts.words import counted

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

Numbers = Mapping[str, pd.DataFrame]

_MARKERS = "osD^vPX*"


@dataclass(frozen=True)
class View:
    """One run and one judge of it.

    Parameters
    ----------
    key : mapping
        Its values of `views.VIEW`; ``judge`` is None where nobody judged.
    name : str
        What tells it apart on the page; "" if it is the only one.
    slug : str
        For file names.
    """

    key: Mapping[str, Any]
    name: str
    slug: str

    def of(self, numbers: Numbers, table: str) -> pd.DataFrame:
        """Give the rows of a table that are this view's: choices and replies are of no judge."""
        frame = numbers[table]
        for name, value in self.key.items():
            if name in frame.columns:
                frame = frame[frame[name] == value] if value is not None else frame[frame[name].isna()]
        return frame

    @property
    def said(self) -> str:
        """Name it inside a sentence."""
        return f" ({self.name})" if self.name else ""


def shown_views(numbers: Numbers) -> list[View]:
    """Give the views in the order of the runs: each run's judges, or the run alone where nobody judged."""
    keys: dict[tuple[Any, ...], dict[str, Any]] = {}
    named = ("coverage", "success", "choice_accuracy", "diversity")
    runs = list(dict.fromkeys(row.get("run") for name in named for row in plain_rows(numbers[name])))
    # A judge that could not say a word of any reply stands in what was asked of it alone.
    rows = [
        row for name in ("coverage", "success") for row in plain_rows(numbers[name]) if row.get("judge") is not None
    ]
    judges = dict.fromkeys((row.get("run"), row["judge"]) for row in rows)
    for run in runs:
        for judge in [of for at, of in judges if at == run] or [None]:
            held = {**({"run": run} if run is not None else {}), "judge": judge}
            keys[tuple(held.items())] = held
    varied = [name for name in VIEW if len({key.get(name) for key in keys.values()}) > 1]
    found = []
    for number, key in enumerate(keys.values(), 1):
        name = ", ".join(f"{part} {key.get(part) or 'none'}" for part in varied)
        slug = re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-").lower()[:40]
        found.append(View(key, name, f"-{number}-{slug}" if name else ""))
    return found


def overall(frame: pd.DataFrame, **where: str) -> pd.DataFrame:
    """Give the rows over all groups, with all criteria, of a form, horizon or challenge type."""
    wanted = {"by": ALL, "negatives": WITH, "challenge": ALL, **where}
    for column, value in wanted.items():
        frame = frame[frame[column] == value] if column in frame.columns and value else frame
    return frame


def success_figure(view: View, numbers: Numbers, folder: Path) -> Figure | None:
    """Draw open success by challenge type and horizon for all tutors (as the paper's Figure 6)."""
    held = overall(view.of(numbers, "success"), form=OPEN, challenge="")
    if not len(held):
        return None
    series = [HORIZON_WORDS[name] for name in HORIZON_WORDS if name in set(held["horizon"])]
    panels = list(dict.fromkeys(held["challenge"]))
    tutors = list(dict.fromkeys(held["tutor"]))
    rows = {challenge: _success_rows(held[held["challenge"] == challenge], tutors) for challenge in panels}
    lowest, highest = published_range("success")

    def draw(axes: Sequence[Axes]) -> None:
        handles: list[Artist] = []
        for ax, challenge in zip(axes, panels, strict=True):
            title = challenge_words(challenge)
            handles += intervals(
                ax, rows[challenge], series, title=title, xlabel="replies that meet a criterion", **_SHARES
            )
            if challenge == ALL:
                marks = [reference_mark(ax, x=one, different=True) for one in (lowest, highest)]
                for mark in marks:
                    mark.set_label("Paper's lowest and highest model (different instrument)")
                handles += marks
        legend(_figure(axes), handles)

    tall = max(height(one, series, legend=2) for one in rows.values())
    saved = save_panels(draw, len(panels), folder, f"success{view.slug}", columns=3, panel=(3.6, tall))
    n = overall(held)
    return Figure(
        f"success{view.slug}",
        f"Share of open replies that meet at least one criterion{view.said}, with 95 % intervals over categories; "
        f"{_of_each(n)}. n under a name: the replies of the panel whose success is known, {' and '.join(series[:2])}. "
        f"A mark without a line has no interval: {TOO_FEW}, or all of them alike. Dotted lines: the paper's lowest and "
        "highest model over both horizons (31.7 % and 55.8 %), a different instrument.",
        "Dots with intervals, a panel for each challenge type, a row for each tutor. " + _spoken(n, "success"),
        saved.svg,
        saved.narrow,
    )


_SHARES: dict[str, Any] = {"scale": (0.0, 1.0), "shape": "share", "absent": "not known"}


def _success_rows(held: pd.DataFrame, tutors: Sequence[str]) -> list[Row]:
    rows = []
    for tutor in tutors:
        own = plain_rows(held[held["tutor"] == tutor])
        dots = [
            Dot(
                HORIZON_WORDS[row["horizon"]],
                _number(row["success"]),
                _number(row["low"]),
                _number(row["high"]),
                published=published_success(tutor, row["horizon"]) if row["challenge"] == ALL else None,
                different=True,
            )
            for row in own
        ]
        rows.append(Row(tutor, dots, _n_words([row for row in own if row["horizon"] != ALL])))
    return rows


def _n_words(rows: Sequence[Mapping[str, Any]]) -> str:
    """Say how many replies there are; of one horizon, of which: another panel or tutor may have the other."""
    if len(rows) == 1:
        [row] = rows
        return f"n = {row['n']:,} {HORIZON_WORDS[row['horizon']]}"
    return "n = " + " and ".join(f"{row['n']:,}" for row in rows) if rows else ""


def open_and_choice(view: View, numbers: Numbers, folder: Path) -> Figure | None:
    """Draw open success against accuracy on choices, a point a tutor, a panel a horizon."""
    won, chosen = view.of(numbers, "success"), view.of(numbers, "choice_accuracy")
    panels: dict[str, list[_Point]] = {}
    for horizon in HORIZON_WORDS:
        up = _by_tutor(overall(won, form=OPEN, horizon=horizon), "success")
        across = _by_tutor(overall(chosen, form=MCQ, horizon=horizon), "accuracy")
        points = [
            _Point(
                tutor,
                across[tutor],
                up[tutor],
                (published_accuracy(tutor), published_success(tutor, ALL), horizon == ALL),
            )
            for tutor in up
            if tutor in across
        ]
        if points:
            panels[horizon] = points
    if not panels:
        return None

    def draw(ax: Axes, points: Sequence[_Point]) -> list[Artist]:
        ax.axline((0, 0), slope=1, color=MUTED, lw=0.8, ls=(0, (1, 2)), zorder=1)
        ax.axvline(0.25, color=MUTED, lw=0.9, zorder=1)
        ax.annotate("chance", (0.25, 0.0), xytext=(3, 0), textcoords="offset points", fontsize=7.5, color=MUTED)
        handles = _dots(ax, points, ("choices of four answered right", "open replies that succeed"))
        for point in points:
            x, y, here = point.published
            if here and x is not None and y is not None:
                handles.append(reference_mark(ax, x=x, y=y, different=True))
        ax.set_xlim(-0.03, 1.03)
        ax.set_ylim(-0.03, 1.03)
        _per_cent(ax, "xy")
        return handles

    saved = _save_scatter(draw, panels, folder, f"open-and-choice{view.slug}")
    return Figure(
        f"open-and-choice{view.slug}",
        f"To say it and to pick it{view.said}: success on open questions against accuracy on choices of four. A tutor "
        "below the dotted diagonal picks what helps more often than it says it. The two measure different things: "
        "chance is 25 % across and has no value upwards.",
        "Points on a plane of choice accuracy and open success, a panel for each horizon. " + _points_spoken(panels),
        saved.svg,
        saved.narrow,
    )


def diversity_figure(view: View, numbers: Numbers, folder: Path) -> Figure | None:
    """Draw 4-gram diversity against open success, a point a tutor, a panel a horizon (as the paper's Figure 7)."""
    won, varied = view.of(numbers, "success"), view.of(numbers, "diversity")
    panels: dict[str, list[_Point]] = {}
    for horizon in ("immediate", "long_term"):
        across = varied[(varied["horizon"] == horizon) & (varied["n_grams"] == 4)] if len(varied) else varied
        places, up = _by_tutor(across, "diversity"), _by_tutor(overall(won, form=OPEN, horizon=horizon), "success")
        points = [_Point(tutor, places[tutor], up[tutor]) for tutor in up if tutor in places]
        if points:
            panels[horizon] = points
    if not panels:
        return None
    ends = [point.x for points in panels.values() for point in points]
    span = max(max(ends) - min(ends), 0.05)

    def draw(ax: Axes, points: Sequence[_Point]) -> list[Artist]:
        handles = _dots(ax, points, ("4-gram diversity", "open replies that succeed"))
        ax.set_xlim(min(ends) - 0.1 * span, max(ends) + 0.1 * span)
        ax.set_ylim(-0.03, 1.03)
        _per_cent(ax, "y")
        return handles

    saved = _save_scatter(draw, panels, folder, f"diversity{view.slug}")
    return Figure(
        f"diversity{view.slug}",
        f"How varied a tutor's replies are, and how often they succeed{view.said}: distinct 4-grams over all 4-grams "
        "of its open replies of a horizon. Correlations over tutors stand in the table below.",
        "Points on a plane of diversity and success, a panel for each horizon. " + _points_spoken(panels),
        saved.svg,
        saved.narrow,
    )


def reference_figure(view: View, numbers: Numbers, folder: Path) -> Figure | None:
    """Draw the change of success with references, for all tutors and horizons (as the paper's Figures 8 and 18)."""
    held = view.of(numbers, "reference_effect")
    held = held[held["horizon"] != ALL]
    if not len(held):
        return None
    names = [name for name in HORIZON_WORDS if name in set(held["horizon"])]
    rows = {
        name: [
            Row(
                row["tutor"],
                [Dot("change", _points(row["difference"]), _points(row["low"]), _points(row["high"]))],
                f"n = {row['n']}",
            )
            for row in plain_rows(held[held["horizon"] == name])
        ]
        for name in names
    }

    def draw(axes: Sequence[Axes]) -> None:
        handles: list[Artist] = []
        for ax, name in zip(axes, names, strict=True):
            intervals(ax, rows[name], ["change"], title=HORIZON_WORDS[name].capitalize(), **_EFFECT)
            mean = _points(published_reference_effect(name))
            if mean is not None:
                low, high = ax.get_xlim()
                ax.set_xlim(min(low, mean - 2), max(high, mean + 2))
                mark = reference_mark(ax, x=mean, different=True)
                mark.set_label("Paper's mean over 11 models (different instrument)")
                handles.append(mark)
        legend(_figure(axes), handles)

    tall = max(height(one, ["change"]) for one in rows.values())
    saved = save_panels(draw, len(names), folder, f"references{view.slug}", columns=2, panel=(3.6, tall))
    said = "; ".join(
        f"{row['tutor']}, {HORIZON_WORDS[row['horizon']]}: {_points_of(row['difference'])}" for row in plain_rows(held)
    )
    return Figure(
        f"references{view.slug}",
        f"Success with references less success with the dialogue alone{view.said}, over the items answered both ways, "
        "with 95 % intervals over categories. Dotted lines: the paper's mean over 11 models, a different instrument.",
        f"Dots with intervals about zero, a row for each tutor: {said}.",
        saved.svg,
        saved.narrow,
    )


_EFFECT: dict[str, Any] = {
    **{"xlabel": "change in success, percentage points", "zero": True},
    "absent": "no items in common",
}


@dataclass(frozen=True)
class _Point:
    name: str
    x: float
    y: float
    published: tuple[float | None, float | None, bool] = (None, None, False)


def _by_tutor(frame: pd.DataFrame, column: str) -> dict[str, float]:
    return {row["tutor"]: row[column] for row in plain_rows(frame) if row[column] is not None}


def _dots(ax: Axes, points: Sequence[_Point], axis: tuple[str, str]) -> list[Artist]:
    handles: list[Artist] = []
    for place, point in enumerate(points):
        colour = COLOURS[place % len(COLOURS)]
        # Colours come round after seven tutors, marks after eight: together they tell apart fifty-six.
        look = {"marker": _MARKERS[place % len(_MARKERS)], "mfc": colour, "mec": "white", "mew": 0.8, "ms": 8}
        handles += ax.plot([point.x], [point.y], ls="none", **look, zorder=8, label=label(point.name, 34))  # type: ignore[arg-type]
    ax.set_xlabel(axis[0])
    ax.set_ylabel(axis[1])
    return handles


def _save_scatter(
    draw: Callable[[Any, Sequence[_Point]], list[Any]], panels: Mapping[str, Sequence[_Point]], folder: Path, name: str
) -> Any:
    def all_panels(axes: Sequence[Axes]) -> None:
        handles: list[Artist] = []
        for ax, (horizon, points) in zip(axes, panels.items(), strict=True):
            handles += draw(ax, points)
            ax.set_title(HORIZON_WORDS[horizon].capitalize())
        legend(_figure(axes), handles)

    most = max(len(points) for points in panels.values())
    return save_panels(all_panels, len(panels), folder, name, columns=3, panel=(3.6, 3.7 + 0.08 * most))


def _per_cent(ax: Axes, axes: str) -> None:
    from matplotlib.ticker import PercentFormatter

    for name in axes:
        axis = ax.xaxis if name == "x" else ax.yaxis
        axis.set_major_formatter(PercentFormatter(1.0, decimals=0, symbol=" %"))


def _figure(axes: Sequence[Axes]) -> Any:
    return axes[0].get_figure(root=True)


def _number(value: Any) -> float | None:
    return None if value is None or (isinstance(value, float) and math.isnan(value)) else float(value)


def _points(share: Any) -> float | None:
    """Give a difference of two shares in percentage points."""
    found = _number(share)
    return None if found is None else 100 * found


def _of_each(held: pd.DataFrame) -> str:
    one = held[held["horizon"] != ALL]
    n, unknown, silent, refused = (int(one[name].sum()) for name in ("n", "unknown", "no_reply", "refused"))
    return (
        f"{counted(n, 'reply')} in all, {unknown:,} more not known (a criterion could not be read and no other is "
        f"met); of the {n:,}, {silent - refused:,} empty and {refused:,} refused by the provider, counted as failures"
    )


def _spoken(held: pd.DataFrame, column: str) -> str:
    return "; ".join(_said(row, column) for row in plain_rows(held)) + "."


def _said(row: Mapping[str, Any], column: str) -> str:
    value = "not known" if row[column] is None else f"{row[column]:.0%}"
    return f"{row['tutor']}, {HORIZON_WORDS[row['horizon']]}: {value} of {row['n']}"


def _points_spoken(panels: Mapping[str, Sequence[_Point]]) -> str:
    return "; ".join(_panel_words(panels)) + "."


def _panel_words(panels: Mapping[str, Sequence[_Point]]) -> Iterator[str]:
    for horizon, points in panels.items():
        for point in points:
            yield f"{HORIZON_WORDS[horizon]}, {point.name}: {point.x:.2f} across, {point.y:.2f} up"


def _points_of(value: float | None) -> str:
    return "not known" if value is None else f"{100 * value:+.1f} points"

"""Values with their intervals, in rows: who is compared goes down the page, and several series share a row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from tutorscope.pictures.labels import label
from tutorscope.pictures.style import COLOURS, INK, MUTED, RULE, reference_mark

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

# Filled and open take turns, and each has a shape of its own: series stay apart in grey print.
_MARKS = (("s", True), ("o", False), ("D", True), ("^", False), ("v", True), ("s", False))
_FADED = 0.38
_PALE = "pale: may be chance (p > .05)"
_LANE, _LANE_OF_TWO = 0.27, 0.31  # inches that a series takes in a row: alone, and with a reference mark under it
_FILLED = 0.72  # the share of a row that its series take


@dataclass(frozen=True)
class Dot:
    """One value of one series.

    Parameters
    ----------
    series : str
        A name of `intervals`' series.
    value : float, optional
        None where there is none: the row says so in the place of the dot.
    low, high : float, optional
        The ends of its interval.
    faded : bool
        Whether it is drawn pale: a difference that its test did not find.
    published : float, optional
        What a paper gives for it.
    different : bool
        Whether that comes from a different instrument.
    """

    series: str
    value: float | None
    low: float | None = None
    high: float | None = None
    faded: bool = False
    published: float | None = None
    different: bool = False


@dataclass(frozen=True)
class Row:
    """What stands in one row: its name, a small note under it (``n = 358``), and at most one dot a series."""

    name: str
    dots: Sequence[Dot]
    note: str = ""


def height(rows: Sequence[Row], series: Sequence[str], *, legend: int = 1) -> float:
    """Give the height in inches that a panel needs: for its rows, its title, its axis and its lines of the legend."""
    published = any(dot.published is not None for row in rows for dot in row.dots)
    lane = _LANE_OF_TWO if published else _LANE
    return 0.85 + 0.2 * legend + max(len(rows), 1) * max(0.4, lane * len(series) / _FILLED)


def intervals(
    ax: Axes,
    rows: Sequence[Row],
    series: Sequence[str],
    *,
    title: str,
    xlabel: str,
    scale: tuple[float, float] | None = None,
    zero: bool = False,
    shape: Literal["number", "share"] = "number",
    absent: str = "no value",
) -> list[Artist]:
    """Draw dots with intervals, the first row on top, each series on a line of its own inside its row.

    Parameters
    ----------
    ax : Axes
        Made inside ``style.look()``, as high as `height` says.
    rows : sequence of Row
    series : sequence of str
        In the order of the lines; the first, third, ... are filled, the others open.
    title, xlabel : str
        The panel's title and what the axis measures.
    scale : tuple of float, optional
        The axis' ends, from the values by default.
    zero : bool
        Whether a line stands at zero: nothing differs there.
    shape : {"number", "share"}
        Whether the axis counts in per cent.
    absent : str
        What a row says in the place of a dot without a value.

    Returns
    -------
    list of Artist
        Handles for ``style.legend``; a single series needs none.
    """
    from matplotlib.ticker import MaxNLocator, PercentFormatter

    marks: list[Artist] = []
    references: list[Artist] = []
    lane = _FILLED / max(len(series), 1)
    for place, row in enumerate(rows):
        middle = float(len(rows) - 1 - place)
        if place:
            ax.axhline(middle + 0.5, color=RULE, lw=0.7, zorder=1)
        for dot in row.dots:
            line = series.index(dot.series)
            y = middle + lane * ((len(series) - 1) / 2 - line)
            if dot.published is not None:
                # Under its dot: at the same height one would hide the other where they agree.
                references.append(reference_mark(ax, x=dot.published, y=y - 0.24 * lane, different=dot.different))
                y += 0.22 * lane
            marks += _draw(ax, dot, y, _look(line), absent)
    handles = marks if len(series) > 1 else []
    if any(dot.faded for row in rows for dot in row.dots):
        handles = [*handles, _pale_key()]
    if zero:
        ax.axvline(0, color=MUTED, lw=0.9, zorder=2)
    _limits(ax, rows, scale, zero)
    ax.set_ylim(-0.5, max(len(rows), 1) - 0.5)
    _names(ax, rows)
    ax.xaxis.set_major_locator(MaxNLocator(4 if scale is None else 5, steps=[1, 2, 2.5, 5, 10]))
    if shape == "share":
        ax.xaxis.set_major_formatter(PercentFormatter(1.0, decimals=0, symbol=" %"))
    ax.set_title(title)
    ax.set_xlabel(xlabel)
    ax.spines["left"].set_visible(False)
    ax.tick_params(axis="y", length=0)
    return [*handles, *references]


def _look(line: int) -> dict[str, Any]:
    marker, filled = _MARKS[line % len(_MARKS)]
    colour = COLOURS[line % len(COLOURS)]
    return {"marker": marker, "ms": 6, "mec": colour, "mew": 1.4, "mfc": colour if filled else "white", "color": colour}


def _draw(ax: Axes, dot: Dot, y: float, look: dict[str, Any], absent: str) -> list[Artist]:
    if dot.value is None:
        ax.annotate(
            absent,
            (0, y),
            xytext=(4, 0),
            xycoords=("axes fraction", "data"),
            textcoords="offset points",
            va="center",
            fontsize=7.5,
            color=look["color"],
        )
        return []
    alpha = _FADED if dot.faded else 1.0
    if dot.low is not None and dot.high is not None:
        ax.plot([dot.low, dot.high], [y, y], color=look["color"], lw=1.5, alpha=alpha, solid_capstyle="butt", zorder=7)
    # White below a pale or open mark keeps its own interval out of it.
    ax.plot([dot.value], [y], ls="none", **{**look, "mfc": "white", "mec": "white"}, zorder=7)
    ax.plot([dot.value], [y], ls="none", **look, alpha=alpha, zorder=8)
    return [_key(look, dot.series)]


def _key(look: dict[str, Any], says: str) -> Artist:
    from matplotlib.lines import Line2D

    return Line2D([], [], ls="-", lw=1.5, **look, label=label(says, 34))


def _pale_key() -> Artist:
    from matplotlib.lines import Line2D

    return Line2D([], [], ls="-", lw=1.5, color=INK, marker="s", ms=6, alpha=_FADED, label=_PALE)


def _limits(ax: Axes, rows: Sequence[Row], scale: tuple[float, float] | None, zero: bool) -> None:
    if scale is None:
        held = [x for row in rows for dot in row.dots for x in (dot.value, dot.low, dot.high, dot.published)]
        known = [x for x in held if x is not None] + ([0.0] if zero else [])
        low, high = (min(known), max(known)) if known else (0.0, 1.0)
        # A panel whose values are all the same still needs a width.
        if high - low < 1e-9:
            low, high = low - 0.5, high + 0.5
    else:
        low, high = scale
    pad = 0.05 * (high - low)
    ax.set_xlim(low - pad, high + pad)


def _names(ax: Axes, rows: Sequence[Row]) -> None:
    places = [float(len(rows) - 1 - place) for place in range(len(rows))]
    ax.set_yticks(places, [label(row.name, 26) for row in rows], fontsize=8.5)
    for tick, row in zip(ax.get_yticklabels(), rows, strict=True):
        # With a note under it a name moves up, to the middle of both.
        tick.set_verticalalignment("bottom" if row.note else "center")
    for y, row in zip(places, rows, strict=True):
        if row.note:
            ax.annotate(
                label(row.note, 34),
                (0, y),
                xytext=(-3.5, -1.5),
                xycoords=("axes fraction", "data"),
                textcoords="offset points",
                ha="right",
                va="top",
                fontsize=7.5,
                color=MUTED,
            )

"""Hexagonal bins on a plane, and the plane drawn with them.

The tiling is pointy-top: a cell is ``width`` wide between its two upright edges and ``height`` high between its two
points. Rows are three quarters of a height apart and every second row is shifted by half a width, so cells share
edges and leave no gap. A cell is named by two whole numbers, its column counted in half widths and its row, both from
the origin, which is the centre of cell (0, 0); the two are even together or odd together.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tutorscope.pictures.labels import label, visible
from tutorscope.pictures.style import COLOURS, INK, MUTED, RULE, SEQUENCE, reference_mark

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

Cells = NDArray[np.int64]
Floats = NDArray[np.float64]

# The corners of a cell around its centre, in widths and heights, clockwise from the top.
_CORNERS = np.array([(0, 0.5), (0.5, 0.25), (0.5, -0.25), (0, -0.5), (-0.5, -0.25), (-0.5, 0.25)])


@dataclass(frozen=True)
class Tiling:
    """The size of a cell and where the tiling is pinned.

    Parameters
    ----------
    width, height : float
        Of one cell, in units of the two axes: the scaffolding paper's Figure 2 uses 0.125 by 0.29.
    origin : tuple of float
        The centre of cell (0, 0).
    """

    width: float
    height: float
    origin: tuple[float, float] = (0.0, 0.0)

    def __post_init__(self) -> None:
        """Hold that a cell has an area."""
        if not (self.width > 0 and self.height > 0):
            raise ValueError(f"a cell needs a width and a height above 0, not {self.width} by {self.height}")


@dataclass(frozen=True)
class Spot:
    """A named place on the plane: a data set's mean, or a published one.

    ``different`` says that a published value comes from a different instrument than the run's.
    """

    name: str
    x: float
    y: float
    different: bool = False


def cells_of(tiling: Tiling, x: ArrayLike, y: ArrayLike) -> Cells:
    """Find the cell of each point.

    The cell is the one with the nearest centre, distances measured where the cell is a regular hexagon. A point
    exactly as near to two centres goes to the right one within a row, and to the even row between rows: always to
    exactly one.

    Parameters
    ----------
    tiling : Tiling
    x, y : array-like of float
        Shape (n,), finite.

    Returns
    -------
    numpy.ndarray
        Shape (n, 2), int64: column in half widths, and row.

    Raises
    ------
    ValueError
        A value is not finite: leave out what could not be read, and say how many, before binning.
    """
    points = np.column_stack([np.asarray(x, dtype=np.float64).ravel(), np.asarray(y, dtype=np.float64).ravel()])
    if not np.isfinite(points).all():
        raise ValueError(f"{int((~np.isfinite(points)).any(axis=1).sum())} of {len(points)} points are not finite")
    u = (points[:, 0] - tiling.origin[0]) / tiling.width
    v = (points[:, 1] - tiling.origin[1]) / (1.5 * tiling.height)
    # Even rows and odd rows are two rectangular lattices: take the nearest centre of each, then the nearer one.
    even_u, even_v = np.floor(u + 0.5), np.floor(v + 0.5)
    odd_u, odd_v = np.floor(u) + 0.5, np.floor(v) + 0.5
    # A step of v is three circumradii high, a step of u is the square root of three circumradii wide: 9 against 3.
    to_even = (u - even_u) ** 2 + 3.0 * (v - even_v) ** 2
    to_odd = (u - odd_u) ** 2 + 3.0 * (v - odd_v) ** 2
    odd = to_odd < to_even
    column = np.where(odd, 2 * odd_u, 2 * even_u)
    row = np.where(odd, 2 * odd_v, 2 * even_v)
    return np.column_stack([column, row]).astype(np.int64)


def centres(tiling: Tiling, cells: ArrayLike) -> Floats:
    """Give the centres of cells, shape (n, 2)."""
    grid = np.asarray(cells, dtype=np.float64).reshape(-1, 2)
    step = np.array([0.5 * tiling.width, 0.75 * tiling.height])
    middles: Floats = grid * step + np.asarray(tiling.origin)
    return middles


def polygons(tiling: Tiling, cells: ArrayLike) -> Floats:
    """Give the corners of cells, shape (n, 6, 2), clockwise from the top."""
    corners = _CORNERS * np.array([tiling.width, tiling.height])
    return np.asarray(centres(tiling, cells)[:, None, :] + corners[None, :, :])


def count(cells: ArrayLike) -> tuple[Cells, NDArray[np.int64]]:
    """Count the points of each cell that holds any.

    Returns
    -------
    tuple of numpy.ndarray
        The cells, shape (m, 2), in order of column and row, and their counts, shape (m,).
    """
    grid = np.asarray(cells, dtype=np.int64).reshape(-1, 2)
    if not len(grid):
        return grid, np.zeros(0, dtype=np.int64)
    # One number a cell sorts much faster than pairs do.
    low = grid.min(axis=0)
    rows = int(grid[:, 1].max() - low[1]) + 1
    keys, counts = np.unique((grid[:, 0] - low[0]) * rows + (grid[:, 1] - low[1]), return_counts=True)
    return np.column_stack([keys // rows, keys % rows]) + low, counts.astype(np.int64)


def name(tiling: Tiling, cell: ArrayLike) -> str:
    """Name a cell by its centre, rounded as far as neighbours stay apart: ``(0.25, 3.2)``.

    ``Transcript.cell`` and the page's address hold this name.
    """
    steps = (0.5 * tiling.width, 0.75 * tiling.height)
    middle = centres(tiling, cell)[0]
    parts = []
    for value, step in zip(middle, steps, strict=True):
        digits = max(0, math.ceil(-math.log10(step / 2)))
        # Adding 0 turns a rounded minus zero into zero.
        parts.append(f"{round(float(value), digits) + 0.0:.{digits}f}")
    return f"({', '.join(parts)})"


def pick(group: str, cell: str) -> str:
    """Make the address that picks a cell's transcripts in the page: ``#pick=GROUP/CELL``."""
    return f"#pick={quote(visible(group), safe='')}/{quote(visible(cell), safe='')}"


def plane(
    ax: Axes,
    x: ArrayLike,
    y: ArrayLike,
    tiling: Tiling,
    *,
    group: str,
    xlim: tuple[float, float],
    ylim: tuple[float, float],
    xlabel: str,
    ylabel: str,
    things: str = "chats",
    means: Sequence[Spot] = (),
    published: Sequence[Spot] = (),
    most: int | None = None,
) -> list[Artist]:
    """Draw one group's points as counted hexagons, each a link to what lies in it.

    Parameters
    ----------
    ax : Axes
        Made inside ``style.look()``.
    x, y : array-like of float
        Shape (n,), finite: one point a thing.
    tiling : Tiling
    group : str
        The panel's title and the GROUP of its links.
    xlim, ylim : tuple of float
        The scales' ends; the panel shows half a cell more on each side.
    xlabel, ylabel : str
        What the axes measure.
    things : str
        What is counted.
    means : sequence of Spot
        The run's means: filled diamonds.
    published : sequence of Spot
        Published means: reference marks.
    most : int, optional
        The count that the darkest colour stands for, to share colours between panels (the panel's own by default).

    Returns
    -------
    list of Artist
        Handles for ``style.legend``.
    """
    from matplotlib.collections import PolyCollection
    from matplotlib.colors import BoundaryNorm, ListedColormap

    cells = cells_of(tiling, x, y)
    found, counts = count(cells)
    ax.set_title(label(group), pad=17)
    ax.annotate(
        f"{len(cells):,} {things}",
        (0, 1),
        xytext=(0, 5),
        xycoords="axes fraction",
        textcoords="offset points",
        color=MUTED,
    )
    ax.set_xlabel(xlabel)
    ax.set_ylabel(ylabel)
    ax.set_xlim(xlim[0] - tiling.width, xlim[1] + tiling.width)
    ax.set_ylim(ylim[0] - tiling.height / 2, ylim[1] + tiling.height / 2)
    ax.spines[["top", "right"]].set_visible(True)
    ax.spines[:].set_color(RULE)
    ax.tick_params(color=RULE)

    edges = _count_classes(max(most or 1, int(counts.max(initial=1))))
    colours = ListedColormap(_shades(len(edges) - 1))
    norm = BoundaryNorm(np.asarray(edges) - 0.5, colours.N)
    if len(found):
        hexes = PolyCollection(
            list(polygons(tiling, found)),
            facecolors=colours(norm(counts)),
            edgecolors="white",
            linewidths=0.6,
            zorder=2,
        )
        hexes.set_urls([pick(group, name(tiling, cell)) for cell in found])
        ax.add_collection(hexes, autolim=False)
    else:
        ax.text(0.5, 0.5, f"no {things}", transform=ax.transAxes, ha="center", va="center", color=MUTED)
    _count_key(ax, colours, norm, edges, things)
    return _spots(ax, means, published)


def _count_classes(most: int) -> list[int]:
    """Give the lower ends of the colours' classes: 1, 2, 3, 5, 9, 17, ... doubling, and one beyond the last."""
    edges = [1, 2]
    while edges[-1] <= most:
        edges.append(2 * edges[-1] - 1 if edges[-1] > 2 else 3)
    return edges


def _shades(classes: int) -> list[Any]:
    from matplotlib.colors import LinearSegmentedColormap

    ramp = LinearSegmentedColormap.from_list("counts", SEQUENCE)
    return [ramp(value) for value in np.linspace(0, 1, classes)] if classes > 1 else [ramp(0.5)]


def _count_key(ax: Axes, colours: Any, norm: Any, edges: Sequence[int], things: str) -> None:
    from matplotlib.cm import ScalarMappable

    figure = ax.get_figure(root=True)
    assert figure is not None  # noqa: S101  (the panel has one)
    middles = [(low + high - 1) / 2 for low, high in pairwise(edges)]
    bar = figure.colorbar(
        ScalarMappable(norm, colours),
        ax=ax,
        orientation="horizontal",
        ticks=middles,
        spacing="uniform",
        aspect=28,
        pad=0.02,
    )
    names = [str(a) if b == a + 1 else f"{a}–{b - 1}" for a, b in pairwise(edges)]
    bar.set_ticklabels(names, fontsize=7)
    bar.set_label(f"{things} in a cell", fontsize=8)
    bar.outline.set_visible(False)
    bar.ax.tick_params(length=0)


def _spots(ax: Axes, means: Sequence[Spot], published: Sequence[Spot]) -> list[Artist]:
    """Draw means and reference marks, their names beside them, moved apart where they would collide."""
    handles: list[Artist] = []
    spots = (*means, *published)
    low, high = ax.get_xlim()
    middle, step = (low + high) / 2, 0.075 * (high - low)
    lefts = [spot.x for spot in spots if spot.x > middle]
    rights = [spot.x for spot in spots if spot.x <= middle]
    places = _spread([spot.y for spot in spots], ax.get_ylim())
    for number, (spot, place) in enumerate(zip(spots, places, strict=True)):
        left = spot.x > middle
        # Names stand clear of every mark on their side of the panel.
        edge = max(low + 6 * step, min(lefts) - step) if left else min(high - 6 * step, max(rights) + step)
        text: dict[str, Any] = {
            "xytext": (edge, place),
            "textcoords": "data",
            "ha": "right" if left else "left",
            "bbox": {"fc": "white", "ec": "none", "alpha": 0.35, "pad": 0.3},
            "arrowprops": {"arrowstyle": "-", "lw": 0.6, "color": INK, "shrinkA": 1, "shrinkB": 4},
        }
        if number >= len(means):
            mark = reference_mark(ax, label(spot.name, 20), x=spot.x, y=spot.y, different=spot.different, **text)
            handles.append(mark)
            continue
        look: Mapping[str, Any] = {"marker": "D", "ms": 6.5, "mfc": COLOURS[1], "mec": "white", "mew": 1, "ls": "none"}
        handles += ax.plot([spot.x], [spot.y], zorder=8, label="Mean of this run", **look)
        if spot.name:
            ax.annotate(label(spot.name, 20), (spot.x, spot.y), fontsize=7.5, zorder=7, va="center", **text)
    return handles


def _spread(heights: Sequence[float], limits: tuple[float, float]) -> list[float]:
    """Move names apart until each has a line of its own, keeping their order and their middle."""
    gap = 0.062 * abs(limits[1] - limits[0])
    order = sorted(range(len(heights)), key=lambda i: heights[i])
    placed: list[float] = []
    for i in order:
        placed.append(max(heights[i], placed[-1] + gap) if placed else heights[i])
    drift = float(np.mean([placed[k] - heights[i] for k, i in enumerate(order)])) if order else 0.0
    spread = [0.0] * len(heights)
    for k, i in enumerate(order):
        spread[i] = placed[k] - drift
    return spread

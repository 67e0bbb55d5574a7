"""How values spread over a scale, one row a data set: small multiples that share an axis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from tutorscope.pictures.labels import label
from tutorscope.pictures.style import COLOURS, MUTED, RULE, reference_mark

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class Row:
    """The values of one data set.

    Parameters
    ----------
    name : str
        The data set.
    values : array-like of float
        Shape (n,), finite and on the scale.
    published : float, optional
        The mean that a paper gives for it.
    different : bool
        Whether that mean comes from a different instrument.
    """

    name: str
    values: ArrayLike
    published: float | None = None
    different: bool = False


def distributions(
    ax: Axes, rows: Sequence[Row], *, scale: tuple[float, float], bins: int, title: str, xlabel: str
) -> list[Artist]:
    """Draw a histogram for each row above its own line, the first row on top, with the mean on the line.

    Heights are shares of the row's own values on one scale for all rows, so rows of any size compare.

    Parameters
    ----------
    ax : Axes
        Made inside ``style.look()``; about 0.45 inch high for each row.
    rows : sequence of Row
    scale : tuple of float
        The scale's ends: (1, 5) or (-1, 1).
    bins : int
        How many bins the scale is cut into.
    title, xlabel : str
        The panel's title and what the axis measures.

    Returns
    -------
    list of Artist
        Handles for ``style.legend``.

    Raises
    ------
    ValueError
        A value is not finite or lies off the scale.
    """
    low, high = scale
    edges = np.linspace(low, high, bins + 1)
    shares = [_shares(row, edges) for row in rows]
    tallest = max((float(share.max(initial=0.0)) for share in shares), default=0.0) or 1.0
    handles: list[Artist] = []
    for line, (row, share) in enumerate(zip(rows, shares, strict=True)):
        base = float(len(rows) - 1 - line)
        ax.axhline(base, color=RULE, lw=0.7, zorder=1)
        values = np.asarray(row.values, dtype=np.float64)
        if not values.size:
            ax.text((low + high) / 2, base + 0.3, "no values", ha="center", fontsize=8, color=MUTED)
            continue
        ax.stairs(base + 0.8 * share / tallest, edges, baseline=base, fill=True, color=COLOURS[5], zorder=2)
        handles += ax.plot(
            [values.mean()],
            [base],
            marker="D",
            ms=6,
            mfc=COLOURS[1],
            mec="white",
            mew=0.8,
            ls="none",
            label="Mean of this run",
            zorder=7,
        )
        if row.published is not None:
            handles.append(reference_mark(ax, x=row.published, y=base, different=row.different))
    ax.set_yticks(
        [float(len(rows) - 1 - i) for i in range(len(rows))],
        [label(row.name, 26) for row in rows],
        fontsize=8,
        va="bottom",
    )
    for line, row in enumerate(rows):
        # A text of its own: two lines in one would be set apart by another font's widths.
        ax.annotate(
            f"n = {np.size(row.values):,}",
            (0, float(len(rows) - 1 - line)),
            xytext=(-4, 0),
            xycoords=("axes fraction", "data"),
            textcoords="offset points",
            ha="right",
            va="top",
            fontsize=7.5,
            color=MUTED,
        )
    pad = 0.03 * (high - low)
    ax.set_xlim(low - pad, high + pad)
    ax.set_ylim(-0.35, max(len(rows), 1) - 0.05)
    ax.set_title(title)
    ax.set_xlabel(xlabel)
    ax.spines["left"].set_visible(False)
    ax.tick_params(axis="y", length=0)
    return handles


def _shares(
    row: Row, edges: np.ndarray[tuple[int], np.dtype[np.float64]]
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    values = np.asarray(row.values, dtype=np.float64).ravel()
    off = ~np.isfinite(values) | (values < edges[0]) | (values > edges[-1])
    if off.any():
        raise ValueError(f"{row.name}: {int(off.sum())} of {values.size} values lie off the scale")
    counts, _ = np.histogram(values, edges)
    return counts / max(values.size, 1)

"""From numbers to pictures: the plane per category, and distributions per dataset."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from tutorscope.pictures import hexes
from tutorscope.pictures.blocks import Figure
from tutorscope.pictures.distributions import Row, distributions
from tutorscope.pictures.style import legend, save_panels
from tutorscope.uptake.published import CATEGORIES, published_category, published_dataset, published_means
from tutorscope.uptake.views import groups

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TILING = hexes.Tiling(0.125, 0.29, (0.0, 3.0))
"""The cells of the paper's Figure 2, pinned to the middle of both scales."""

UPTAKE = (-1.0, 1.0)
SCAFFOLDING = (1.0, 5.0)


@dataclass(frozen=True)
class View:
    """One way in which chats were rated, and its chats.

    Parameters
    ----------
    name : str
        What the page calls it: judge and condition; "" if it is the only one.
    slug : str
        For file names.
    chats : DataFrame
        All its chats.
    """

    name: str
    slug: str
    chats: pd.DataFrame

    @property
    def scored(self) -> pd.DataFrame:
        """The chats that have a place on the plane."""
        return self.chats[self.chats["reason"].isna()]

    def group(self, category: str) -> str:
        """Name a category's panel, unique in the page."""
        return f"{category} ({self.name})" if self.name else category


def cell_of(uptake: float, scaffolding: float) -> str:
    """Name the cell of the plane that a chat lies in."""
    return hexes.name(TILING, hexes.cells_of(TILING, [uptake], [scaffolding]))


def plane(view: View, folder: Path) -> Figure:
    """Draw where the chats of each category lie: uptake across, scaffolding up, counted in hexagons.

    Source: scaffolding and uptake paper, Figure 2.

    Parameters
    ----------
    view : View
    folder : Path
        The run's ``figures/``.
    """
    scored = view.scored
    panels = [(str(key["category"]), part) for key, part in groups(view.chats, ["category"])]
    points = [part[part["reason"].isna()] for _, part in panels]
    most = max((_fullest(part) for part in points), default=1)

    def draw(axes: Sequence[Axes]) -> None:
        handles: list[Any] = []
        for ax, (category, part), held in zip(axes, panels, points, strict=True):
            handles += hexes.plane(
                ax,
                held["uptake"].to_numpy(),
                held["scaffolding"].to_numpy(),
                TILING,
                group=view.group(category),
                xlim=UPTAKE,
                ylim=SCAFFOLDING,
                xlabel="uptake: −1 drives, +1 takes it up",
                ylabel="scaffolding: 1 tells, 5 leaves the thinking",
                means=_means(held),
                published=_published(category, list(part["dataset"].unique())),
                most=most,
            )
        legend(axes[0].get_figure(root=True), handles)  # type: ignore[arg-type]

    saved = save_panels(draw, len(panels), folder, f"plane{view.slug}", columns=3, panel=(3.6, 4.1))
    return Figure(
        f"plane{view.slug}",
        f"{len(scored):,} chats by their mean uptake and scaffolding{_by(view)}; a cell is 0.125 by 0.29. "
        f"{_missing(view)} Diamonds are the means of the run's datasets. Crossed rings are published means, made with "
        "another judge and wording (Table 2; of a category none of whose datasets was published, the means of the "
        "paper's categories, weighted by their chats). Click on a cell to read its chats below.",
        "Hexagons on a plane of uptake and scaffolding, one panel a category: "
        + "; ".join(f"{name}, {len(held)} chats" for (name, _), held in zip(panels, points, strict=True)),
        saved.svg,
        saved.narrow,
    )


def spread(view: View, folder: Path) -> Figure:
    """Draw how both scores spread over the chats of each dataset."""
    parts = [(str(key["dataset"]), part) for key, part in groups(view.scored, ["dataset"])]

    def draw(axes: Sequence[Axes]) -> None:
        handles: list[Any] = []
        for ax, metric, scale, bins in zip(
            axes, ("uptake", "scaffolding"), (UPTAKE, SCAFFOLDING), (16, 16), strict=True
        ):
            rows = []
            for dataset, part in parts:
                known = published_dataset(dataset)
                mean = float(known[f"{metric}_mean"]) if known else None
                rows.append(Row(dataset, part[metric].to_numpy(), mean, different=True))
            handles += distributions(
                ax, rows, scale=scale, bins=bins, title=metric.capitalize(), xlabel=f"mean {metric}"
            )
        legend(axes[0].get_figure(root=True), handles)  # type: ignore[arg-type]

    height = 1.1 + 0.45 * max(len(parts), 2)
    saved = save_panels(draw, 2, folder, f"distributions{view.slug}", columns=2, panel=(3.6, height))
    return Figure(
        f"distributions{view.slug}",
        f"Per-chat means{_by(view)}, as shares of each dataset's chats, {len(view.scored):,} in all. {_missing(view)}",
        "Histograms of uptake and scaffolding, one row a dataset: " + ", ".join(name for name, _ in parts),
        saved.svg,
        saved.narrow,
    )


def _means(held: pd.DataFrame) -> list[hexes.Spot]:
    parts = [(str(key["dataset"]), part) for key, part in groups(held, ["dataset"])]
    return [
        # One dataset needs no name: the panel has it.
        hexes.Spot(name if len(parts) > 1 else "", part["uptake"].mean(), part["scaffolding"].mean())
        for name, part in parts
    ]


def _published(category: str, datasets: Sequence[str]) -> list[hexes.Spot]:
    """Choose the reference marks of a panel: its own datasets', its category's, or all three categories'."""
    own = [row for row in map(published_dataset, datasets) if row]
    if own:
        return [
            hexes.Spot(str(row["dataset"]), float(row["uptake_mean"]), float(row["scaffolding_mean"]), different=True)
            for row in own
        ]
    known = published_category(category)
    if known:
        return [
            hexes.Spot(dataset, uptake, scaffolding, different=True)
            for of, dataset, uptake, scaffolding in published_means()
            if of == known
        ]
    return [_centre(name) for name in CATEGORIES]


def _centre(category: str) -> hexes.Spot:
    rows = [published_dataset(dataset) for of, dataset, _, _ in published_means() if of == category]
    chats = sum(int(row["valid"]) for row in rows if row)
    uptake = sum(int(row["valid"]) * float(row["uptake_mean"]) for row in rows if row) / chats
    scaffolding = sum(int(row["valid"]) * float(row["scaffolding_mean"]) for row in rows if row) / chats
    return hexes.Spot(category.replace("_", " "), uptake, scaffolding, different=True)


def _fullest(part: pd.DataFrame) -> int:
    if not len(part):
        return 1
    cells = hexes.cells_of(TILING, part["uptake"].to_numpy(), part["scaffolding"].to_numpy())
    return int(hexes.count(cells)[1].max())


def _by(view: View) -> str:
    return f", {view.name}" if view.name else ""


def _missing(view: View) -> str:
    out = view.chats["reason"].dropna().value_counts()
    if not len(out):
        return "No chat is missing."
    reasons = ", ".join(f"{reason} {count:,}" for reason, count in out.items())
    return f"{int(out.sum()):,} of {len(view.chats):,} chats are not shown ({reasons})."

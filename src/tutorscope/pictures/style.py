"""The look of our figures, and how they are saved.

Matplotlib is imported when a figure is drawn, never before, and without ``pyplot``: no window, no global figure. Text
stays text in the SVG, so that a page can set it in its own fonts and a reader can search it. The same figure gives the
same bytes. Colours are those of Okabe and Ito, which colour-blind readers tell apart.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

INK = "#1c2126"
MUTED = "#59636e"
RULE = "#c9cfd6"
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
# One hue from light to dark, for counts: order survives grey printing.
SEQUENCE = ("#d3e3f1", "#9dc3df", "#5c9fcb", "#2b78b0", "#12528a", "#0a2f5c")

_RC: Any = {
    "axes.edgecolor": MUTED,
    "axes.facecolor": "none",
    "axes.formatter.use_mathtext": False,
    "axes.labelcolor": INK,
    "axes.labelsize": 9,
    "axes.linewidth": 0.7,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 10,
    "axes.titleweight": "bold",
    "figure.facecolor": "none",
    "font.family": ["sans-serif"],
    "font.sans-serif": ["DejaVu Sans", "Helvetica", "Arial", "sans-serif"],
    "font.size": 9,
    "legend.fontsize": 8.5,
    "legend.frameon": False,
    "lines.linewidth": 1.5,
    "pdf.fonttype": 42,
    "savefig.facecolor": "none",
    "svg.fonttype": "none",
    "svg.hashsalt": "tutorscope",
    "text.color": INK,
    # A dollar sign in a user's name is a dollar sign. (Logarithmic axes need a plain formatter therefore.)
    "text.parse_math": False,
    "xtick.color": MUTED,
    "xtick.labelcolor": INK,
    "xtick.labelsize": 8.5,
    "xtick.major.width": 0.7,
    "ytick.color": MUTED,
    "ytick.labelcolor": INK,
    "ytick.labelsize": 8.5,
    "ytick.major.width": 0.7,
}


class Saved(NamedTuple):
    """The files of one figure; ``narrow`` is the layout for a phone, if there is another."""

    svg: Path
    pdf: Path
    narrow: Path | None = None


@contextmanager
def look() -> Iterator[None]:
    """Give figures that are made inside this context our look."""
    import matplotlib
    from cycler import cycler

    with matplotlib.rc_context(), warnings.catch_warnings():
        # A user's own matplotlibrc must not change our figures.
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_RC)
        matplotlib.rcParams["axes.prop_cycle"] = cycler(color=list(COLOURS))
        # Names in scripts or emoji that the measuring font lacks are drawn by the reader's fonts.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        yield


def panels(count: int, *, columns: int | None = None, panel: tuple[float, float] = (3.2, 3.2)) -> list[Axes]:
    """Make a figure of equal panels. Call it, and draw, inside :func:`look`.

    Parameters
    ----------
    count : int
        How many panels.
    columns : int, optional
        Panels in a row (all of them by default).
    panel : tuple of float
        Width and height of one panel in inches. A phone shows 3.6 inches without scrolling.

    Returns
    -------
    list of Axes
        In reading order; their ``figure`` is the figure.
    """
    from matplotlib.figure import Figure as MplFigure

    columns = min(columns or count, count)
    rows = -(-count // columns)
    figure = MplFigure(figsize=(panel[0] * columns, panel[1] * rows), layout="constrained")
    return [figure.add_subplot(rows, columns, place + 1) for place in range(count)]


def save(figure: Figure, folder: Path, name: str) -> Saved:
    """Save a figure as SVG and PDF.

    Parameters
    ----------
    figure : matplotlib Figure
        Drawn inside :func:`look`.
    folder : Path
        The run's ``figures/``, made if absent.
    name : str
        File stem.

    Returns
    -------
    Saved
        The files; ``narrow`` is None.
    """
    svg, pdf = _save_svg(figure, folder, name), folder / f"{name}.pdf"
    with look():
        # The panels are placed now: both files show the same picture, and the second is quick.
        figure.set_layout_engine("none")
        figure.savefig(pdf, format="pdf", metadata={"CreationDate": None, "Creator": "tutorscope", "Producer": None})
    return Saved(svg, pdf)


def _save_svg(figure: Figure, folder: Path, name: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    svg = folder / f"{name}.svg"
    with look():
        figure.savefig(svg, format="svg", metadata={"Date": None, "Creator": "tutorscope"})
    return svg


def save_panels(
    draw: Callable[[Sequence[Axes]], None],
    count: int,
    folder: Path,
    name: str,
    *,
    columns: int | None = None,
    panel: tuple[float, float] = (3.2, 3.2),
) -> Saved:
    """Draw and save a figure of panels in two layouts: side by side, and one below the other for a phone.

    Parameters
    ----------
    draw : callable
        Draws on the panels; it is called once for each layout.
    count, columns, panel
        As in :func:`panels`.
    folder, name
        As in :func:`save`. The narrow layout is saved as ``NAME-narrow.svg`` alone: no paper prints it.

    Returns
    -------
    Saved
        ``narrow`` is None where both layouts would be the same.
    """
    with look():
        axes = panels(count, columns=columns, panel=panel)
        draw(axes)
        wide = save(_figure(axes), folder, name)
        if min(columns or count, count) == 1:
            return wide
        stacked = panels(count, columns=1, panel=panel)
        draw(stacked)
        return wide._replace(narrow=_save_svg(_figure(stacked), folder, f"{name}-narrow"))


def reference_mark(
    ax: Axes,
    label: str = "",
    *,
    x: float | None = None,
    y: float | None = None,
    different: bool = False,
    **text: Any,
) -> Line2D:
    """Mark a published value, so that nobody takes it for one of the run's own.

    With x and y it is a hollow ring in ink; with one of them a line across the panel. A value from another instrument
    (another judge, prompt, student or serving than the paper's) has a crossed ring, or a dotted line instead of a
    dashed one, and its legend entry says "different instrument".

    Parameters
    ----------
    ax : Axes
        Where to draw.
    label : str
        The name beside the mark ("" for none).
    x, y : float, optional
        The value: both for a point, one for a line.
    different : bool
        Whether the published value comes from a different instrument.
    **text
        Placement of the name, as ``Axes.annotate`` takes it (``xytext``, ``ha``, ...).

    Returns
    -------
    Line2D
        A handle whose label is the legend's entry: collect them for :func:`legend`.

    Raises
    ------
    ValueError
        Neither x nor y was given.
    """
    handle = _reference_key(point=x is not None and y is not None, different=different)
    if x is not None and y is not None:
        # White under the ring keeps it apart from dark cells.
        ax.plot([x], [y], marker="o", ms=9.5, mfc="white", mec="white", alpha=0.85, ls="none", zorder=5)
        ax.plot([x], [y], marker=handle.get_marker(), ms=8, mfc="none", mec=INK, mew=1.3, ls="none", zorder=6)
        anchor, placement = (x, y), {"xytext": (7, 0), "textcoords": "offset points", "va": "center"}
    elif x is not None:
        ax.axvline(x, color=INK, lw=1.1, ls=handle.get_linestyle(), zorder=4)
        anchor, placement = (x, 1.0), {"xytext": (3, -2), "textcoords": "offset points", "va": "top"}
        placement["xycoords"] = ("data", "axes fraction")
    elif y is not None:
        ax.axhline(y, color=INK, lw=1.1, ls=handle.get_linestyle(), zorder=4)
        anchor, placement = (1.0, y), {"xytext": (-2, 3), "textcoords": "offset points", "ha": "right"}
        placement["xycoords"] = ("axes fraction", "data")
    else:
        raise ValueError("a reference mark needs x, y or both")
    if label:
        ax.annotate(label, anchor, **{"fontsize": 7.5, "color": INK, "zorder": 7, **placement, **text})
    return handle


def legend(figure: Figure, handles: Sequence[Artist]) -> None:
    """Put one legend below all panels, each entry once.

    Parameters
    ----------
    figure : matplotlib Figure
        The figure of the panels (``axes[0].figure``).
    handles : sequence of Artist
        What drawing returned, repeats included.
    """
    unique = list({str(handle.get_label()): handle for handle in handles}.values())
    if unique:
        columns = max(1, min(len(unique), int(figure.get_figwidth() / 2.6)))
        figure.legend(handles=unique, loc="outside lower center", ncols=columns, handletextpad=0.5)


def _figure(axes: Sequence[Axes]) -> Figure:
    figure = axes[0].get_figure(root=True)
    assert figure is not None  # noqa: S101  (panels made it)
    return figure


def _reference_key(*, point: bool, different: bool) -> Line2D:
    from matplotlib.lines import Line2D
    from matplotlib.path import Path as Shape

    says = "Published value (different instrument)" if different else "Published value"
    if not point:
        return Line2D([], [], color=INK, lw=1.1, ls=":" if different else "--", label=says)
    ring = Shape.unit_circle()
    arm = 0.7071
    cross = Shape([(-arm, -arm), (arm, arm), (-arm, arm), (arm, -arm)], [1, 2, 1, 2])
    shape: Any = Shape.make_compound_path(ring, cross) if different else ring
    return Line2D([], [], marker=shape, ms=8, mfc="none", mec=INK, mew=1.3, ls="none", label=says)

"""Tables as the page shows them: each cell's text, and the number that it sorts by."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from tutorscope.pictures.blocks import Table

MISSING = "–"


@dataclass(frozen=True)
class Cell:
    """What a cell shows, and what it sorts by ("" for text)."""

    text: str
    order: str = ""


@dataclass(frozen=True)
class Grid:
    """A table's printed heads, which of its columns are numbers, and its cells by row."""

    heads: list[str]
    numeric: list[bool]
    rows: list[list[Cell]]


def grid(table: Table) -> Grid:
    """Lay out a table.

    A missing value is a dash and sorts last. Whole numbers have thousands marked, other numbers three digits, unless
    the table's ``formats`` say otherwise.

    Parameters
    ----------
    table : Table

    Returns
    -------
    Grid
    """
    frame = table.frame
    names = [str(column) for column in frame.columns]
    heads = [table.labels.get(name, name.replace("_", " ")) for name in names]
    numeric = [frame.iloc[:, place].dtype.kind in "iuf" for place in range(len(names))]
    columns = []
    for place, name in enumerate(names):
        values = frame.iloc[:, place]
        missing = values.isna()
        columns.append(
            [
                Cell(MISSING) if gone else _cell(value, table.formats.get(name), numeric[place])
                for value, gone in zip(values.tolist(), missing.tolist(), strict=True)
            ]
        )
    return Grid(heads, numeric, [list(row) for row in zip(*columns, strict=True)])


def _cell(value: Any, form: str | None, numeric: bool) -> Cell:
    if numeric and math.isinf(value):
        return Cell("∞" if value > 0 else "−∞", repr(value))
    if form is not None and not isinstance(value, str):
        text = form.format(value)
    elif isinstance(value, bool):
        text = "yes" if value else "no"
    elif isinstance(value, int):
        text = f"{value:,}"
    elif isinstance(value, float):
        text = f"{value:.3g}" if abs(value) < 1000 else f"{value:,.0f}"
    else:
        text = str(value)
    return Cell(_printed(text), repr(value)) if numeric else Cell(text)


def _printed(number: str) -> str:
    """Print a number as prose does: zero has no sign, a minus is longer than a hyphen, a unit keeps its distance."""
    if not any(digit in number for digit in "123456789"):
        number = number.lstrip("+-")
    if number.startswith("-"):
        number = number.replace("-", "−", 1)
    return f"{number[:-1].rstrip()}\u00a0%" if number.endswith("%") else number

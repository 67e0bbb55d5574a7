"""The tables that a user may add to a release: who the students are, and which paper a category comes from.

No release has either. A table is CSV with a header, and each row names a category or a scenario by its id.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from tutorscope.casework.loaded import Release
from tutorscope.chats.personal import is_personal
from tutorscope.errors import UserError
from tutorscope.texts.files import read_utf8
from tutorscope.texts.plain import shorten

LARGEST_TABLE = 20_000_000
"""The most bytes of a table."""

_COLUMN = re.compile(r"[a-z][a-z0-9_]*")
_ID = re.compile(r"(?:scenario|category|s|c)?[ _]?([0-9]{1,9})(?:\.0)?", re.IGNORECASE)
_IDS = {"scenario": "scenario", "scenario_id": "scenario", "category": "category", "category_id": "category"}
# What the tables of a run call their own columns: a group of the same name would hide one of them.
_TAKEN = frozenset(
    ["run", "judge", "tutor", "form", "horizon", "item", "choice", "title", "challenge", "minimal_context", "all"]
)


@dataclass(frozen=True)
class Demographics:
    """What a user knows of the students.

    Parameters
    ----------
    columns : tuple of str
        In the order of the table.
    of : mapping of int to mapping
        Scenario to column to value; empty cells are no values. A row about a category counts for all its scenarios.
    dropped : tuple of str
        Columns that were not taken because they name a person.
    """

    columns: tuple[str, ...]
    of: Mapping[int, Mapping[str, str]]
    dropped: tuple[str, ...] = field(default=())


def read_demographics(path: Path, release: Release) -> Demographics:
    """Read a table of groups: a row a category or a scenario, and any columns.

    Parameters
    ----------
    path : Path
        CSV in UTF-8, separated by commas, semicolons or tabs, with a column ``category`` or ``scenario`` (also
        ``category_id``, ``scenario_id``) and at least one other. With both, the row is about the scenario. Ids may be
        padded, or written s057 and c031.
    release : Release

    Raises
    ------
    UserError
        The table cannot be read, has no such column, names an id that the release does not have, or names one twice.
    """
    table = _read(path)
    by = "scenario" if "scenario" in table.heads else "category"
    if by not in table.heads:
        raise UserError(f"{path}, line 1: found {_listed(table.heads)}; expected a column category or scenario")
    columns = [head for head in table.heads if head not in ("scenario", "category")]
    dropped = [head for head in columns if is_personal(head)]
    columns = [head for head in columns if head not in dropped]
    wrong = next((head for head in columns if not _COLUMN.fullmatch(head) or head in _TAKEN), None)
    if wrong is not None:
        raise UserError(f"{path}, line 1: column {shorten(wrong, 40)!r} is taken or is no name of letters and digits")
    if not columns:
        gone = f"{_listed(dropped)}: not taken, because such columns name people; " if dropped else ""
        raise UserError(f"{path}, line 1: {gone}expected a column beside {by}, such as level or region")
    rows: dict[int, dict[str, str]] = {}
    for line, cells in table.rows:
        where = f"{path}, line {line}"
        number = _known(cells[by], by, release.scenarios if by == "scenario" else release.categories, where)
        if number in rows:
            raise UserError(f"{where}: {by} {number} has a row already; expected each once")
        if by == "scenario" and cells.get("category", "").strip():
            category = _known(cells["category"], "category", release.categories, where)
            if category != release.scenarios[number].category:
                has = release.scenarios[number].category
                raise UserError(f"{where}: category {category}, but scenario {number} belongs to {has}")
        rows[number] = {head: cells[head] for head in columns if cells[head]}
    of = rows
    if by == "category":
        of = {one.id: rows[one.category] for one in release.scenarios.values() if one.category in rows}
    return Demographics(tuple(columns), of, tuple(dropped))


def read_papers(path: Path, release: Release) -> dict[int, str]:
    """Read which paper each category comes from.

    Parameters
    ----------
    path : Path
        CSV as for `read_demographics`, with the columns ``category`` (or ``category_id``) and ``paper``; others are
        ignored.
    release : Release

    Returns
    -------
    dict
        Category to paper. Categories without a row are not in it.

    Raises
    ------
    UserError
        The table cannot be read, lacks a column or a paper, or names a category that is not there, or one twice.
    """
    table = _read(path)
    if not {"category", "paper"} <= set(table.heads):
        raise UserError(f"{path}, line 1: found {_listed(table.heads)}; expected the columns category and paper")
    papers: dict[int, str] = {}
    for line, cells in table.rows:
        where = f"{path}, line {line}"
        category = _known(cells["category"], "category", release.categories, where)
        if category in papers:
            raise UserError(f"{where}: category {category} has a paper already; expected each once")
        if not cells["paper"]:
            raise UserError(f"{where}: category {category} has an empty paper")
        papers[category] = cells["paper"]
    return papers


def with_papers(release: Release, papers: Mapping[int, str]) -> Release:
    """Give the release with the papers put into its scenarios; a category without one keeps what it has.

    Parameters
    ----------
    release : Release
    papers : mapping of int to str
        As `read_papers` gives it.
    """
    scenarios = {
        number: replace(one, paper=papers.get(one.category, one.paper)) for number, one in release.scenarios.items()
    }
    return replace(release, scenarios=scenarios)


@dataclass(frozen=True)
class _Table:
    heads: Sequence[str]
    rows: Sequence[tuple[int, Mapping[str, str]]]


def _read(path: Path) -> _Table:
    text = read_utf8(path, "a CSV file in UTF-8, a row a category or scenario", most=LARGEST_TABLE)
    separator = max(",;\t", key=text.partition("\n")[0].count)
    rows = list(_numbered(csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True), path))
    if not rows:
        raise UserError(f"{path}: is empty, expected a header and a row a category or scenario")
    heads = [re.sub(r"[\s-]+", "_", head.strip().casefold()) for head in rows[0][1]]
    heads = [_IDS.get(head, head) for head in heads]
    twice = next((head for head in heads if heads.count(head) > 1), None)
    if twice is not None:
        raise UserError(f"{path}, line 1: the column {shorten(twice, 40)!r} is there twice")
    told = []
    for line, row in rows[1:]:
        if len(row) != len(heads):
            raise UserError(f"{path}, line {line}: {len(row)} cells, expected {len(heads)}")
        told.append((line, {head: cell.strip() for head, cell in zip(heads, row, strict=True)}))
    if not told:
        raise UserError(f"{path}: holds a header and no row")
    return _Table(heads, told)


def _numbered(rows: Iterator[list[str]], path: Path) -> Iterator[tuple[int, list[str]]]:
    """Give the rows that hold anything, each with the line on which it begins."""
    begins = 1
    try:
        for row in rows:
            if any(cell.strip() for cell in row):
                yield begins, row
            begins = rows.line_num + 1  # type: ignore[attr-defined]
    except csv.Error as problem:
        why = "a quote that is never closed" if "unexpected end" in str(problem) else str(problem)
        raise UserError(f"{path}, line {begins}: cannot be read ({why}); expected a CSV file") from None


def _known(cell: str, what: str, known: Mapping[int, object], where: str) -> int:
    match = _ID.fullmatch(cell.strip())
    if match is None:
        raise UserError(f"{where}: {what} {shorten(cell, 40)!r}, expected an id such as {next(iter(known), 1)}")
    number = int(match.group(1))
    if number not in known:
        raise UserError(f"{where}: {what} {number} is not in the release")
    return number


def _listed(heads: Sequence[str]) -> str:
    return shorten(", ".join(heads), 80)

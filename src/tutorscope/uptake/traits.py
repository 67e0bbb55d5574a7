"""Traits of datasets: subject, level, deployment and the like, from the paper's table and from a user's file."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tutorscope.errors import UserError
from tutorscope.texts.files import read_utf8
from tutorscope.uptake.published import TRAITS, published_dataset

_NAME = re.compile(r"[a-z][a-z0-9_]*")


def read_traits(path: Path) -> dict[str, dict[str, str]]:
    """Read a table of traits: a column ``dataset``, and a column for each trait.

    Parameters
    ----------
    path : Path
        CSV in UTF-8. Blanks in a column's head become underscores; an empty cell is no trait.

    Returns
    -------
    dict
        Dataset, in lower case, to trait to value.

    Raises
    ------
    UserError
        The file cannot be read, has no column ``dataset`` or no other, a head that is no name, a row of another length,
        or a dataset twice.
    """
    lines = io.StringIO(read_utf8(path, "a CSV file in UTF-8"), newline="")
    try:
        rows = list(csv.reader(lines, strict=True))
    except csv.Error as problem:
        raise UserError(f"{path}: cannot be read ({problem}); expected a CSV file in UTF-8") from None
    heads = ["_".join(head.casefold().split()) for head in rows[0]] if rows else []
    if "dataset" not in heads or len(heads) < 2:
        raise UserError(f"{path}, line 1: found {', '.join(heads) or 'nothing'}; expected dataset and a column a trait")
    wrong = next((head for head in heads if not _NAME.fullmatch(head) or heads.count(head) > 1), None)
    if wrong is not None:
        raise UserError(f"{path}, line 1: column {wrong!r:.60}; expected different names of letters and digits")
    found: dict[str, dict[str, str]] = {}
    for number, row in enumerate(rows[1:], 2):
        if not any(cell.strip() for cell in row):
            continue
        if len(row) != len(heads):
            raise UserError(f"{path}, row {number}: {len(row)} cells, expected {len(heads)}")
        traits = {head: cell.strip() for head, cell in zip(heads, row, strict=True)}
        dataset = traits.pop("dataset").casefold()
        if not dataset or dataset in found:
            raise UserError(f"{path}, row {number}: dataset {dataset!r:.60}; expected a name, each one once")
        found[dataset] = {name: value for name, value in traits.items() if value}
    return found


def trait_rows(facts: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Give a log's traits, a row each: the user's, and the published ones that the user does not name.

    Parameters
    ----------
    facts : mapping
        What the plan says of the log: ``dataset``, and ``traits`` if the user gave any.
    """
    own: Mapping[str, str] = facts.get("traits") or {}
    known = published_dataset(facts["dataset"]) or {}
    for trait in [*TRAITS, *(name for name in own if name not in TRAITS)]:
        if trait in own:
            yield {"dataset": facts["dataset"], "trait": trait, "value": own[trait], "source": "user"}
        elif trait in known:
            yield {"dataset": facts["dataset"], "trait": trait, "value": known[trait], "source": "published, Table 1"}

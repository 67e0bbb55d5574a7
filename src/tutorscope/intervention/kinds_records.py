"""Rows of what kind of help messages are: one a message, judge and taxonomy; and the taxonomies themselves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tutorscope.intervention.kinds import NO_TAXONOMY
from tutorscope.intervention.kinds_tasks import CLUSTER, DESCRIBE, LABEL
from tutorscope.intervention.taxonomies import (
    DIMENSIONS,
    PUBLISHED,
    TAXONOMIES,
    Category,
    from_data,
    is_clustered,
    kept_categories,
    published,
)
from tutorscope.runs.folder import RunFolder
from tutorscope.runs.inputs import Item
from tutorscope.runs.plan import held_items, read_plan
from tutorscope.runs.results import read_stage
from tutorscope.runs.stages import Done

if TYPE_CHECKING:
    import pandas as pd

_OF = {
    **{"tutor": "string", "student": "string", "problem": "string", "condition": "string", "increment": "string"},
    **{"variant": "string", "ask_at_end": "bool", "replicate": "int64", "participant": "string", "people": "bool"},
    "point": "string",
}
COLUMNS: Mapping[str, Mapping[str, str]] = {
    "messages": {
        **{"judge": "string", "taxonomy": "string", "dimension": "string"},
        **_OF,
        **{"description": "string", "category": "string", "reason": "string"},
    },
    "taxonomies": {
        **{"taxonomy": "string", "dimension": "string", "place": "int64", "category": "string"},
        **{"description": "string", "judge": "string", "messages": "Int64", "different": "Int64", "shown": "Int64"},
        "reason": "string",
    },
}

_MADE = ("messages", "different", "shown")
"""From how many messages and lines a clustering was made."""


def kinds_tables(folder: RunFolder) -> dict[str, pd.DataFrame]:
    """Build the tables of one run that say what kind of help its messages are.

    Returns
    -------
    dict of str to DataFrame
        ``messages`` (a row a message, judge, taxonomy and dimension) and ``taxonomies`` (a row a category).
    """
    import pandas as pd

    plan = read_plan(folder)
    sets = [name for name in (plan[-1]["held"] if plan else {}) if name.startswith(TAXONOMIES)]
    kept = {name.removeprefix(TAXONOMIES): list(held_items(folder, plan, name)) for name in sets}
    described, grouped, labelled = (
        sorted(read_stage(folder, stage).done, key=lambda done: (done.cell, done.unit))
        for stage in (DESCRIBE, CLUSTER, LABEL)
    )
    rows = {
        "messages": message_rows(described, grouped, labelled, kept),
        "taxonomies": taxonomy_rows(grouped, labelled, kept),
    }
    return {
        name: pd.DataFrame(list(found), columns=list(COLUMNS[name])).astype(dict(COLUMNS[name]))
        for name, found in rows.items()
    }


def message_rows(
    described: Sequence[Done], grouped: Sequence[Done], labelled: Sequence[Done], kept: Mapping[str, Sequence[Item]]
) -> Iterator[dict[str, Any]]:
    """Give the rows of ``messages``.

    Parameters
    ----------
    described, grouped, labelled : sequence of Done
        The finished units of ``kind-describe``, ``kind-cluster`` and ``kind-label``.
    kept : mapping
        The run's taxonomies under ``inputs/``, by name.

    Yields
    ------
    dict
        ``point`` is "unknown" where the place of a message could not be recovered. A message without a category has
        its ``reason``: that of the last reply, "no_line" (it could not be described), or "no_taxonomy" (the lines
        could not be grouped); the last two under the judge who did not manage.
    """
    for done in labelled:
        yield _row(done, str(done.condition["taxonomy"]), done.result["category"], done.result["reason"])
    for made in grouped:
        taxonomy, dimension = (str(made.condition[name]) for name in ("taxonomy", "dimension"))
        if not made.result["categories"] and not kept_categories(kept.get(taxonomy, ()), dimension):
            for done in described:
                if done.condition["dimension"] == dimension:
                    row = _row(done, taxonomy, "", NO_TAXONOMY)
                    yield {**row, "judge": made.roles["judge"]}


def taxonomy_rows(
    grouped: Sequence[Done], labelled: Sequence[Done], kept: Mapping[str, Sequence[Item]]
) -> Iterator[dict[str, Any]]:
    """Give the rows of ``taxonomies``: every category of every taxonomy that messages were labelled with, or was made.

    Parameters
    ----------
    grouped, labelled : sequence of Done
        The finished units of ``kind-cluster`` and ``kind-label``.
    kept : mapping
        The run's taxonomies under ``inputs/``, by name: what was made once, and users' own.

    Yields
    ------
    dict
        ``place`` counts from 1. For a clustering: the ``judge`` who made it, from how many ``messages`` and
        ``different`` lines, of which ``shown`` were; one that could not be read is a row without a category, with its
        ``reason``.
    """
    for done in grouped:
        taxonomy, dimension = (str(done.condition[name]) for name in ("taxonomy", "dimension"))
        if kept_categories(kept.get(taxonomy, ()), dimension):
            continue
        # It could not be read, or a kill fell between the log and the file.
        about = {**{name: done.result[name] for name in (*_MADE, "reason")}, "judge": done.roles["judge"]}
        yield from _listed(taxonomy, dimension, from_data(done.result["categories"]) or (Category(""),), about)
    used = {str(done.condition["taxonomy"]) for done in labelled}
    for taxonomy, items in kept.items():
        for item in items if taxonomy in used or is_clustered(taxonomy) else ():
            about = {name: item.data.get(name) for name in _MADE} | {"judge": item.data.get("judge", ""), "reason": ""}
            yield from _listed(taxonomy, item.id, kept_categories(items, item.id), about)
    if PUBLISHED in used:
        nobody = {**dict.fromkeys(_MADE), "judge": "", "reason": ""}
        for dimension in DIMENSIONS:
            yield from _listed(PUBLISHED, dimension, published()[dimension], nobody)


def _row(done: Done, taxonomy: str, category: str, reason: str) -> dict[str, Any]:
    of = done.result["of"]
    return {
        "judge": done.roles["judge"],
        "taxonomy": taxonomy,
        "dimension": str(done.condition["dimension"]),
        **{name: of[name] for name in _OF},
        "description": done.result["line"],
        "category": category,
        "reason": reason,
    }


def _listed(
    taxonomy: str, dimension: str, categories: Sequence[Category], about: Mapping[str, Any]
) -> Iterator[dict[str, Any]]:
    for place, one in enumerate(categories, 1):
        yield {
            "taxonomy": taxonomy,
            "dimension": dimension,
            "place": place,
            "category": one.name,
            "description": one.description,
            **about,
        }

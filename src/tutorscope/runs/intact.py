"""Whether a run folder is whole: a plan that asks for all that its logs were made for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tutorscope.errors import UserError
from tutorscope.runs.folder import RunFolder
from tutorscope.runs.plan import read_plan
from tutorscope.runs.results import logged_cells
from tutorscope.texts.words import counted


def require_planned(folder: RunFolder) -> None:
    """Refuse a run whose plan lost a line: without it a unit's item, or its cell, may be unknown.

    Raises
    ------
    UserError
        Names the file, what it asks for and what a log was made for.
    """
    # The logs first: another process may be at work, and it writes its plan before a log.
    logs = list(logged_cells(folder))
    plan = read_plan(folder)
    for path, cell in logs:
        for lost in _not_asked(plan, cell):
            raise UserError(
                f"{folder.plan}: asks for {lost[0]}, and {path.relative_to(folder.path)} was made for {lost[1]}: lines "
                "of the plan are lost; bring the file back, or give the commands again that asked for more"
            )


def _not_asked(plan: Sequence[Mapping[str, Any]], cell: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Give what a log was made for and the plan does not ask for: found in the plan, and in the log."""
    key = cell["key"]
    if not any(key in line["cells"] for line in plan):
        yield f"no {key}", "it"
    most = max((line["replicates"].get(key, 0) for line in plan if "replicates" in line), default=None)
    if most is not None and most < cell.get("replicates", 0):
        yield f"{counted(most, 'replicate')} of {key}", str(cell["replicates"])
    held: Mapping[str, int] = plan[-1]["held"] if plan else {}
    for name, count in cell.get("held", {}).items():
        if held.get(name, 0) < count:
            yield f"{counted(held.get(name, 0), 'item')} of {name}", str(count)

"""A baseline that a file brings: what a student wrote alone, made elsewhere or before."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from pathlib import Path

from tutorscope.errors import UserError
from tutorscope.intervention.names import TRACES
from tutorscope.intervention.table_files import no_problem, one_line_name, read_table
from tutorscope.runs.inputs import InputSet, Item
from tutorscope.runs.stages import fingerprint
from tutorscope.texts.plain import shorten

COLUMNS = ("problem", "reasoning", "trace", "answer")
_NAME = r"[^\W_][\w.+\-]*"
_SPEC = re.compile(rf"(?:({_NAME})=)?(.+)", re.DOTALL)


def read_traces(spec: str) -> InputSet:
    """Read the traces of a student.

    Parameters
    ----------
    spec : str
        ``[NAME=]FILE``: the name is the student's in the run (without it, the file's without its ending). The file is
        as `table_files.read_table` takes it, with ``problem``, ``reasoning`` or ``trace``, and ``answer``, which may
        be empty: the student answered nothing.

    Returns
    -------
    InputSet
        "traces/NAME": items whose id is the problem's, with ``problem``, ``trace`` (character for character) and
        ``answer``; ``line`` says where it stood. Which problems a run has is for `check_traces`.

    Raises
    ------
    UserError
        The file cannot be read; a trace is empty; a problem comes twice.
    """
    found = _SPEC.fullmatch(spec)
    named, file = (found[1], found[2]) if found else (None, spec)
    if named and Path(spec).exists():
        named, file = None, spec
    path = Path(file)
    name = named or path.name.partition(".")[0]
    if not re.fullmatch(_NAME, name):
        raise UserError(f"--traces: {shorten(name, 60)!r} names no student; expected NAME=FILE, such as sam={file}")
    held = read_table(path, COLUMNS, "a problem's trace")
    column = _trace_column(held.columns, path)
    seen: dict[str, str] = {}
    items = []
    for row in held.rows:
        where = f"{path}: {row.place}"
        problem = one_line_name(row.cells["problem"], f"{where}: problem")
        if problem in seen:
            raise UserError(f"{where}: problem: found {shorten(problem, 60)!r}, which {seen[problem]} has too")
        seen[problem] = row.place
        if not row.cells[column].strip():
            raise UserError(f"{where}: {column}: found nothing, expected what the student wrote")
        data = {"problem": problem, "trace": row.cells[column], "answer": row.cells["answer"].strip()}
        items.append(Item(problem, fingerprint(data), {**data, "line": f"{path.name}: {row.place}"}))
    return InputSet(f"{TRACES}{name}", items, held.facts)


def check_traces(items: Sequence[Item], problems: Collection[str]) -> None:
    """Refuse traces on problems that a run does not have.

    Parameters
    ----------
    items : sequence of Item
        As `read_traces` gives them.
    problems : collection of str
        The ids of the run's problems.

    Raises
    ------
    UserError
        It names the first such line.
    """
    for item in items:
        if item.id not in problems:
            raise UserError(no_problem(item.data["line"], item.id, problems))


def _trace_column(columns: Sequence[str], path: Path) -> str:
    given = [name for name in ("reasoning", "trace") if name in columns]
    if len(given) == 2:
        raise UserError(f"{path}: found both reasoning and trace, expected one of them")
    for name in ("problem", *(() if given else ("reasoning",)), "answer"):
        if name not in columns:
            found = ", ".join(columns) or "none that is known"
            raise UserError(
                f"{path}: the column {name} is missing: found {found}; expected problem, reasoning (or trace), answer"
            )
    return given[0]

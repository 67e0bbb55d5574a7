"""People as a tutor: their episodes from a file, held to the traces that they were shown.

What the columns are is in the documentation (docs/intervention-people.md); the questions that they come from are in the
intervention game, appendix B.2.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tutorscope.errors import UserError
from tutorscope.intervention.names import PEOPLE
from tutorscope.intervention.points import recover
from tutorscope.intervention.student import ORACLE, STANDARD
from tutorscope.intervention.table_files import Row, no_problem, one_line_name, read_table
from tutorscope.runs.inputs import InputSet, Item
from tutorscope.runs.stages import fingerprint
from tutorscope.texts.plain import shorten

NEEDED = ("participant", "problem", "condition", "intervened")
POINT = ("position", "quote", "message")
TRACE, TRACE_SHA = "trace", "trace_sha256"
ABOUT = ("trial", "seconds", "years_teaching", "parent", "children_ages", "ai_use", "how_decided", "feedback")
"""What is known of an episode and of the person: all optional."""
COLUMNS = (*NEEDED, *POINT, TRACE, TRACE_SHA, "student", *ABOUT)

DEFAULT = "people"
"""The tutor that people are where no other name is given."""

Traces = Mapping[tuple[str, str], str | None]
"""Student and problem to the trace, None where there is none yet."""

_SPEC = re.compile(r"(?:([^\W_][\w.+\-]*)=)?people:(.+)", re.DOTALL)
_YES_NO = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}
_WHOLE = re.compile(r"([0-9]{1,9})(?:\.0+)?", re.ASCII)
_NUMBER = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,9})?", re.ASCII)
_SHA = re.compile(r"[0-9a-f]{64}")


def is_people(spec: str) -> bool:
    """Tell whether a tutor that a user names is a file of people's episodes.

    Examples
    --------
    >>> is_people("people:episodes.csv"), is_people("teachers=people:a.csv"), is_people("openai/gpt")
    (True, True, False)
    """
    return _SPEC.fullmatch(spec) is not None


def read_people(spec: str) -> InputSet:
    """Read people's episodes.

    Parameters
    ----------
    spec : str
        ``[NAME=]people:FILE``: the name is the tutor's in tables (without it, "people").

    Returns
    -------
    InputSet
        "people/NAME", an item an episode: the columns, with ``intervened`` and ``parent`` as bool (``parent`` None if
        unknown), ``trial`` as int and ``seconds`` as float or None; ``position``; how it was ``found`` by a quote, or
        why it is ``lost``; the trace's ``trace_sha256`` and ``length`` (the text itself is not kept); ``line``, where
        the row stood. Where the file gives a trace by its hash alone, `check_people` fills in what takes the text.
        An item's hash is that of what the row says, wherever it stands.

    Raises
    ------
    UserError
        The file cannot be read, or a row is at fault: file, line, column, found, expected.
    """
    found = _SPEC.fullmatch(spec)
    if found is None:
        raise UserError(f"--tutor: found {shorten(spec, 80)!r}, expected people:FILE or NAME=people:FILE")
    path = Path(found[2])
    held = read_table(path, COLUMNS, "an episode")
    for name in NEEDED:
        if name not in held.columns:
            raise UserError(f"{path}: the column {name} is missing; expected {', '.join(NEEDED)}, and more if wanted")
    if TRACE not in held.columns and TRACE_SHA not in held.columns:
        raise UserError(f"{path}: the column {TRACE} is missing; expected it, or {TRACE_SHA}")
    items = [_item(row, path) for row in held.rows]
    _refuse_all_repeated(items)
    facts = {**held.facts, "participants": len({item.data["participant"] for item in items})}
    return InputSet(f"{PEOPLE}{found[1] or DEFAULT}", items, facts)


def check_people(items: Sequence[Item], traces: Traces) -> list[Item]:
    """Hold episodes to the traces of a run, and fill in what takes their texts: student, position, length.

    Parameters
    ----------
    items : sequence of Item
        As `read_people` gives them, or as this function did before.
    traces : mapping
        The run's traces, by student and problem.

    Returns
    -------
    list of Item
        Under the same ids and hashes.

    Raises
    ------
    UserError
        The problem is unknown, its trace is not in the run or is another one, the position lies beyond it, or the
        student must be named; one line that names file and line.
    """
    problems = {problem for _, problem in traces}
    students = list(dict.fromkeys(student for student, _ in traces))
    checked = []
    for item in items:
        data = item.data
        where, problem = data["line"], data["problem"]
        if problem not in problems:
            raise UserError(no_problem(where, problem, problems))
        student = data["student"] or _whose(data, traces, problem)
        if not student:
            raise UserError(f"{where}: student: found nothing, expected whose trace it was: {', '.join(students)}")
        trace = traces.get((student, problem))
        if trace is None:
            raise UserError(
                f"{where}: the run has no trace of {shorten(student, 60)!r} on {shorten(problem, 60)!r} (it has those "
                f"of {', '.join(students)}); bring the one that was shown with --traces FILE"
            )
        _refuse_another(trace, data, student)
        checked.append(replace(item, data={**_placed(data, trace, where), "student": student}))
    _refuse_all_repeated(checked)
    return checked


def _whose(data: Mapping[str, Any], traces: Traces, problem: str) -> str:
    """Find whose trace an episode was on, where the file does not say: the one with its hash, or the only one."""
    held = [student for student, other in traces if other == problem]
    same = [one for one in held if data[TRACE_SHA] == trace_sha256(traces[one, problem] or "")]
    return same[0] if len(same) == 1 else held[0] if len(held) == 1 else ""


def trace_sha256(trace: str) -> str:
    """Hash a trace as the column ``trace_sha256`` does: sha256 of its UTF-8, 64 hex digits."""
    return hashlib.sha256(trace.encode("utf-8")).hexdigest()


def _item(row: Row, path: Path) -> Item:
    cells, where = row.cells, f"{path}: {row.place}"
    condition = cells["condition"].strip().casefold()
    if condition not in (STANDARD, ORACLE):
        raise _wrong(where, "condition", cells["condition"], f"{STANDARD} or {ORACLE}")
    said: dict[str, Any] = {
        "participant": one_line_name(cells["participant"], f"{where}: participant"),
        "problem": one_line_name(cells["problem"], f"{where}: problem"),
        "student": one_line_name(cells["student"], f"{where}: student") if cells["student"].strip() else "",
        "condition": condition,
        "intervened": _yes_no(cells["intervened"], where, "intervened"),
        "position": _whole(cells["position"], where, "position"),
        "quote": cells["quote"].strip(),
        "message": cells["message"],
        TRACE_SHA: _sha(cells, where),
        "trial": _whole(cells["trial"], where, "trial"),
        "seconds": _seconds(cells["seconds"], where),
        "parent": _yes_no(cells["parent"], where, "parent") if cells["parent"].strip() else None,
        **{name: cells[name].strip() for name in ("years_teaching", "children_ages", "ai_use")},
        **{name: cells[name].strip() for name in ("how_decided", "feedback")},
    }
    _refuse_contradiction(said, where)
    data = {**said, "found": "", "lost": "", "length": None, "line": f"{path.name}: {row.place}"}
    if cells[TRACE]:
        data = _placed(data, cells[TRACE], where)
    who = [said[name] for name in ("participant", "student", "problem", "condition")]
    return Item(fingerprint(who), fingerprint(said), data, f"{who[0]} on {who[2]} ({condition})")


def _refuse_contradiction(said: Mapping[str, Any], where: str) -> None:
    if not said["intervened"]:
        for name in POINT:
            if said[name] is not None and str(said[name]).strip():
                raise _wrong(where, name, str(said[name]), "nothing, since intervened says no")
        return
    if not said["message"].strip():
        raise _wrong(where, "message", "", "what was said, since intervened says yes")
    if said["condition"] == STANDARD and said["position"] is None and not said["quote"]:
        raise _wrong(where, "position", "", "the characters revealed at the message, or a quote that ends there")


def _placed(data: Mapping[str, Any], trace: str, where: str) -> dict[str, Any]:
    """Say where in the trace an episode's point is: at the given position, or else at the end of the quote."""
    if data["intervened"] and (data["position"] is None or data["found"]):
        point = recover(data["quote"], trace)
        if point.position is None and data["condition"] == STANDARD:
            # Who watches sends a message somewhere: an episode without a place would be one that nobody can go on from.
            raise _wrong(where, "quote", data["quote"], f"words of the trace that stand there once ({point.reason})")
        placed = {"position": point.position, "found": point.stage, "lost": point.reason}
    else:
        placed = {"found": "", "lost": ""}
        if data["position"] is not None and data["position"] > len(trace):
            raise _wrong(where, "position", str(data["position"]), f"at most {len(trace)}, the length of the trace")
    return {**data, **placed, "length": len(trace)}


def _sha(cells: Mapping[str, str], where: str) -> str:
    given = cells[TRACE_SHA].strip().lower()
    if given and not _SHA.fullmatch(given):
        raise _wrong(where, TRACE_SHA, cells[TRACE_SHA], "64 hex digits")
    if not cells[TRACE]:
        if not given:
            raise _wrong(where, TRACE, "", f"the trace that was shown, or its {TRACE_SHA}")
        return given
    made = trace_sha256(cells[TRACE])
    if given not in ("", made):
        raise UserError(f"{where}: {TRACE_SHA}: found {given[:12]}..., but the row's trace has {made[:12]}...")
    return made


def _refuse_another(trace: str, data: Mapping[str, Any], student: str) -> None:
    if data[TRACE_SHA] == trace_sha256(trace):
        return
    said = f"the trace of {shorten(student, 60)!r} on {shorten(data['problem'], 60)!r} in this run is another one"
    lines = trace.replace("\r\n", "\n")
    if data[TRACE_SHA] in (trace_sha256(lines), trace_sha256(lines.replace("\n", "\r\n"))):
        said += " (only its line ends differ: a program changed them on the way)"
    raise UserError(f"{data['line']}: {said}; bring the one that was shown with --traces FILE")


def _refuse_all_repeated(items: Sequence[Item]) -> None:
    seen: dict[tuple[str, ...], str] = {}
    for item in items:
        refuse_repeated(item, seen)


def refuse_repeated(item: Item, seen: dict[tuple[str, ...], str]) -> None:
    """Refuse a person's second episode on a trace in one condition.

    Parameters
    ----------
    item : Item
    seen : dict
        What tells episodes apart, to where each stood; this one is put to it.

    Raises
    ------
    UserError
        One line that names both lines.
    """
    key = tuple(item.data[name] for name in ("participant", "student", "problem", "condition"))
    if key in seen:
        raise UserError(
            f"{item.data['line']}: participant {shorten(key[0], 60)!r} has an episode on {shorten(key[2], 60)!r} "
            f"in the {key[3]} condition already ({seen[key]}), expected one"
        )
    seen[key] = item.data["line"]


def _yes_no(cell: str, where: str, name: str) -> bool:
    said = _YES_NO.get(cell.strip().casefold())
    if said is None:
        raise _wrong(where, name, cell, "yes or no")
    return said


def _whole(cell: str, where: str, name: str) -> int | None:
    if not cell.strip():
        return None
    # Programs that know one kind of number write 120.0 where another row of the column is empty.
    found = _WHOLE.fullmatch(cell.strip())
    if found is None:
        raise _wrong(where, name, cell, "a whole number from 0")
    return int(found[1])


def _seconds(cell: str, where: str) -> float | None:
    if not cell.strip():
        return None
    if not _NUMBER.fullmatch(cell.strip()):
        raise _wrong(where, "seconds", cell, "a number such as 41.5")
    return float(cell)


def _wrong(where: str, name: str, found: str, expected: str) -> UserError:
    said = repr(shorten(found, 60)) if found.strip() else "nothing"
    return UserError(f"{where}: {name}: found {said}, expected {expected}")

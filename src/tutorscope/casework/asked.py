"""What a run was asked, from its plan: the release, its questions, and the units that are answered, erred or owed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tutorscope.casework.answering import REFERENCE
from tutorscope.casework.inputs import CHOICES, ITEMS, PAPERS, RUBRICS, SCENARIOS
from tutorscope.casework.tasks import CRITERIA, NEIGHBOURS
from tutorscope.casework.terms import FORMS, HORIZONS
from tutorscope.runs.owed import StageState, Upstreams, stage_state
from tutorscope.runs.plan import Job
from tutorscope.runs.stages import Cell, Unit, fingerprint
from tutorscope.texts.words import counted

NOT_TRIED = "not tried yet"
NO_REFERENCES = "its references were not found yet"


def states(job: Job, upstreams: Upstreams) -> dict[str, StageState]:
    """Compare what each stage was asked with what its logs hold."""
    return {stage.name: stage_state(job, stage, upstreams) for stage in job.stages}


def owed_rows(found: Mapping[str, StageState]) -> Iterator[dict[str, Any]]:
    """Give a row for each unit that a tutor or a judge was asked for and that is not there.

    ``judge`` is None where a tutor owes an answer. ``reason`` is that of the last try, ``erred`` whether there was one.
    A judge is asked about the replies that are there.
    """
    for stage, state in found.items():
        why = {(one.cell, one.unit): one.reason for one in state.failed}
        for key, (cell, units) in state.owed.items() if stage != NEIGHBOURS else ():
            for unit in units:
                reason = why.get((key, unit.id))
                yield {**_of(cell, unit), "erred": reason is not None, "reason": reason or NOT_TRIED}
    if REFERENCE in found:
        yield from _without_references(found[REFERENCE], found[NEIGHBOURS])


def asked_rows(found: Mapping[str, StageState], owed: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Count the units of each judge, tutor, form and horizon: ``asked``, ``answered``, ``owed``, ``erred`` of these."""
    keys = ("judge", "tutor", "form", "horizon")
    answered: Counter[tuple[Any, ...]] = Counter()
    for stage, state in found.items():
        for key, done in state.done.items() if stage != NEIGHBOURS else ():
            cell = state.cells[key]
            for one in done:
                tutor = one.result["of"].get("tutor") or cell.roles.get("tutor")
                answered[_judge(cell), tutor, cell.condition["form"], cell.condition["horizon"]] += 1
    missing = Counter(tuple(row[name] for name in keys) for row in owed)
    erred = Counter(tuple(row[name] for name in keys) for row in owed if row["erred"])
    for of in dict.fromkeys([*answered, *missing]):
        counts = {"answered": answered[of], "owed": missing[of], "erred": erred[of]}
        yield {**dict(zip(keys, of, strict=True)), "asked": answered[of] + missing[of], **counts}


def release_row(job: Job, plan: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Say what material a run works on.

    Returns
    -------
    dict
        ``release`` (its name) and its ``fingerprint`` (over scenarios, rubrics and choices: the same wherever these
        are), how much it holds, how many ``files`` were left out and how many ``questions`` with them, by kind; the
        ``limit`` of each ask that named one; whether choices were asked as released; the papers that are known.
    """
    facts = [line["inputs"][SCENARIOS] for line in plan if SCENARIOS in line["inputs"]]
    limits = [line["inputs"][ITEMS].get("limit") for line in plan if ITEMS in line["inputs"]]
    content = {
        name: sorted((item.id, item.sha) for item in job.items.get(name, ())) for name in (SCENARIOS, RUBRICS, CHOICES)
    }
    scenarios, rubrics = ([item.data for item in job.items.get(name, ())] for name in (SCENARIOS, RUBRICS))
    left_out = facts[-1].get("left_out") if facts else None
    return {
        "release": facts[-1].get("release") if facts else None,
        "fingerprint": fingerprint(content),
        "scenarios": len(scenarios),
        "categories": len({one["category"] for one in scenarios}),
        "rubrics": len(rubrics),
        "criteria": sum(len(one["criteria"]) for one in rubrics),
        "limit": ", then ".join(dict.fromkeys("none" if one is None else str(one) for one in limits)),
        "as_released": any(line["options"].get("as_released") for line in plan),
        "paper_table": bool(job.items.get(PAPERS)),
        # A run that an older version began does not know.
        "left_out": None if left_out is None else "; ".join(f"{kind}: {_lost(one)}" for kind, one in left_out.items()),
    }


def question_rows(job: Job) -> Iterator[dict[str, Any]]:
    """Count, for each form and horizon, the questions that the run asks, in how many scenarios and categories."""
    asked = [item.data for item in job.items.get(ITEMS, ())]
    wanted = {(form, horizon) for one in job.asks for form in one["options"]["form"] for horizon in _horizons(one)}
    for form in FORMS:
        # Open questions are asked with references too.
        held = [one for one in asked if one["form"] == ("open" if form == REFERENCE else form)]
        for horizon in HORIZONS:
            of = [one for one in held if one["horizon"] == horizon]
            if (form, horizon) in wanted:
                yield {
                    "form": form,
                    "horizon": horizon,
                    "questions": len(of),
                    "scenarios": len({one["scenario"] for one in of}),
                    "categories": len({one["category"] for one in of}),
                }


def _horizons(ask: Mapping[str, Any]) -> Sequence[str]:
    found: Sequence[str] = ask["options"]["horizon"]
    return found


def _lost(found: Mapping[str, Any]) -> str:
    with_it = f" and {counted(found['questions'], 'question')} with them" if found["questions"] else ""
    return f"{counted(found['files'], 'file')}{with_it}, such as {found['first']}"


def _judge(cell: Cell) -> str | None:
    if cell.stage != CRITERIA:
        return None
    return judge_name(cell.roles["judge"], bool(cell.condition["one_call"]))


def judge_name(judge: str, one_call: bool) -> str:
    """Name a judge in tables: one that is asked in two ways is two, so that their decisions never share a number."""
    return judge + (" (one call)" if one_call else "")


def _of(cell: Cell, unit: Unit) -> dict[str, Any]:
    of = unit.data["of"]
    judged = cell.stage == CRITERIA
    return {
        "judge": _judge(cell),
        "tutor": of["tutor"] if judged else cell.roles["tutor"],
        "item": of["item"] if "item" in of else of["choice"],
        "rotation": int(of.get("rotation", 0)),
        "replicate": of["replicate"] if judged else unit.replicate,
        **{name: of[name] for name in ("form", "horizon", "scenario", "category", "challenge")},
    }


def _without_references(state: StageState, neighbours: StageState) -> Iterator[dict[str, Any]]:
    """Give the questions that wait for their references: nobody owes them yet, and they were asked for."""
    for cell in state.cells.values():
        for _, (found, units) in neighbours.owed.items():
            if found.condition["horizon"] == cell.condition["horizon"]:
                for unit in units:
                    for replicate in range(cell.replicates):
                        row = {**_of(cell, unit), "replicate": replicate}
                        yield {**row, "erred": False, "reason": NO_REFERENCES}

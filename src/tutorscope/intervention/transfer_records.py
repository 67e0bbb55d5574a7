"""From a run's logs and inputs to the tables of the next problem: variants, pairs, attempts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from tutorscope.errors import UserError
from tutorscope.intervention.traces import judges_of
from tutorscope.intervention.transfer import ALONE, CONTEXTS, gain
from tutorscope.intervention.transfer_work import (
    TRANSFER,
    TRANSFER_GRADE,
    WAITING,
    as_key,
    attempts_to_make,
    builder_of,
    chosen_variants,
    made_groups,
    pairs_of,
    set_names,
    transfers,
    variants_of,
)
from tutorscope.intervention.variant_sets import write_variant_set
from tutorscope.runs.folder import RunFolder
from tutorscope.runs.stages import Upstream

if TYPE_CHECKING:
    from tutorscope.runs.plan import Job

NOT_GRADED = "not_graded"
_WHO = ("set", "student", "problem", "variant", "context", "tutor", "replicate", "participant")

COLUMNS: Mapping[str, Mapping[str, str]] = {
    "variants": {
        **{"set": "string", "problem": "string", "skill": "string", "group": "string", "variant": "string"},
        **{"question": "string", "reference": "string", "state": "string", "why": "string", "chosen": "bool"},
    },
    "pairs": {
        **{"set": "string", "student": "string", "tutor": "string", "problem": "string", "variant": "string"},
        **{"increment": "string", "prompt": "string", "replicate": "Int64", "participant": "string"},
        "state": "string",
    },
    "attempts": {
        **{"judge": "string", "set": "string", "student": "string", "problem": "string", "variant": "string"},
        **{"context": "string", "tutor": "string", "replicate": "int64", "participant": "string"},
        **{"answer": "string", "correct": "boolean", "reason": "string", "g": "Int64"},
    },
}


def transfer_tables(folder: RunFolder) -> dict[str, pd.DataFrame]:
    """Build the tables of the next problem of one run.

    Returns
    -------
    dict of str to DataFrame
        ``variants`` (a row a candidate, and one with a state of its own for a problem that got none), ``pairs`` (a row
        a tutor and chosen variant: which episode is shown, or why none) and ``attempts`` (a row an attempt and judge,
        with g). All have no row where the next problem was not asked for.
    """
    job, upstream = _held(folder)
    return {
        "variants": _frame("variants", variant_rows(job, upstream)),
        "pairs": _frame("pairs", pair_rows(job, upstream)),
        "attempts": _frame("attempts", attempt_rows(job, upstream)),
    }


def export_variants(folder: RunFolder, path: Path, name: str | None = None) -> dict[str, int]:
    """Write a variant set of a run into a file.

    Parameters
    ----------
    folder : RunFolder
    path : Path
        A file that is not there yet.
    name : str, optional
        Which set; not needed where the run has one.

    Returns
    -------
    dict
        State to count.

    Raises
    ------
    UserError
        The run has no such set, or several and none was named, or the file is there already.
    """
    job, upstream = _held(folder)
    names = set_names(job)
    if not names:
        raise UserError(f"{folder.path}: has no variants; `tutorscope intervention transfer` writes them")
    if name is None and len(names) > 1:
        raise UserError(f"{folder.path}: has several sets of variants; expected --set, one of {', '.join(names)}")
    if name not in (None, *names):
        raise UserError(f"{folder.path}: found no set {name!r}, expected one of {', '.join(names)}")
    return write_variant_set(path, variants_of(job, upstream, name or names[0]))


def _held(folder: RunFolder) -> tuple[Job, Upstream]:
    # The record of the instrument names this module.
    from tutorscope.intervention.instrument import INTERVENTION
    from tutorscope.runs.owed import Upstreams
    from tutorscope.runs.plan import draft

    job = draft(folder, INTERVENTION, to_read=True)
    return job, Upstreams(job)


def variant_rows(job: Job, upstream: Upstream) -> list[dict[str, Any]]:
    """Give all candidates of all sets, and the problems that got none, each with its state."""
    rows = []
    for name in set_names(job):
        chosen = {problem: variant.id for problem, variant in chosen_variants(job, upstream, name).items()}
        variants = variants_of(job, upstream, name)
        for one in variants:
            rows.append(
                {
                    "set": name,
                    "problem": one.problem,
                    "skill": one.skill,
                    "group": one.group,
                    "variant": one.id,
                    "question": one.content.question if one.content else "",
                    "reference": one.content.reference if one.content else "",
                    "state": one.state,
                    "why": one.why,
                    "chosen": chosen.get(one.problem) == one.id,
                }
            )
        rows += _without(job, upstream, name, {one.problem for one in variants})
    return rows


def _without(job: Job, upstream: Upstream, name: str, have: set[str]) -> Iterable[dict[str, Any]]:
    builder = builder_of(job, name)
    for place in made_groups(job, upstream, builder, name).values() if builder else ():
        if place.problem.id not in have:
            yield {
                "set": name,
                "problem": place.problem.id,
                "skill": place.skill or "",
                "group": place.group or "",
                **dict.fromkeys(("variant", "question", "reference", "why"), ""),
                "state": place.state or WAITING,
                "chosen": False,
            }


def pair_rows(job: Job, upstream: Upstream) -> list[dict[str, Any]]:
    """Give each tutor with each chosen variant: the episode that is shown before it, or why none is."""
    return [
        {
            "set": name,
            "student": student,
            "tutor": pair.tutor,
            "problem": pair.variant.problem,
            "variant": pair.variant.id,
            "increment": pair.episode.increment if pair.episode else "",
            "prompt": pair.episode.variant if pair.episode else "",
            "replicate": pair.episode.replicate if pair.episode else None,
            "participant": pair.episode.participant if pair.episode else "",
            "state": pair.state,
        }
        for name in set_names(job)
        for student in _students(job)
        for pair in pairs_of(job, upstream, student, name)
    ]


def attempt_rows(job: Job, upstream: Upstream) -> list[dict[str, Any]]:
    """Give the attempts that were made, once for each judge, with g: right with the context minus right without.

    An attempt without an answer is wrong, and its reason says so; ``correct`` is missing where no verdict is known.
    """
    grades = upstream(TRANSFER_GRADE)
    there = {one.roles.get("judge", "") for one in grades}
    judges = [name for name in judges_of(job) if name in there] or [""]
    verdicts = {(one.roles.get("judge", ""), as_key(one.result["of"])): one.result for one in grades}
    made = {as_key(one.result["of"]): one.result for one in upstream(TRANSFER)}
    rows = []
    for name in set_names(job):
        for student in _students(job):
            asked = [one.of for kind in CONTEXTS for one in attempts_to_make(job, upstream, student, kind, name)]
            known = [(of, made[as_key(of)]) for of in asked if as_key(of) in made]
            for judge in judges:
                found = [(of, solved, verdicts.get((judge, as_key(of)))) for of, solved in known]
                alone = {of["variant"]: _correct(verdict) for of, _, verdict in found if of["context"] == ALONE}
                rows += [_attempt_row(judge, of, solved, verdict, alone) for of, solved, verdict in found]
    return rows


def _attempt_row(
    judge: str,
    of: Mapping[str, Any],
    solved: Mapping[str, Any],
    verdict: Mapping[str, Any] | None,
    alone: Mapping[str, bool | None],
) -> dict[str, Any]:
    correct = _correct(verdict)
    unknown = "" if correct is not None else NOT_GRADED if verdict is None else verdict["reason"]
    return {
        "judge": judge,
        **{part: of[part] for part in _WHO},
        "answer": solved["answer"],
        "correct": correct,
        "reason": solved["reason"] or unknown or "",
        "g": None if of["context"] == ALONE else gain(correct, alone.get(of["variant"])),
    }


def _correct(verdict: Mapping[str, Any] | None) -> bool | None:
    return verdict["correct"] if verdict else None


def _students(job: Job) -> list[str]:
    return list(dict.fromkeys(name for _, roles in transfers(job) for name in roles.get("student", ())))


def _frame(name: str, rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    types = COLUMNS[name]
    return pd.DataFrame(list(rows), columns=list(types)).astype(types)

"""The traces of a run: what students wrote alone, and traces that a file brought."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tutorscope.intervention.imported_traces import check_traces
from tutorscope.intervention.names import BASELINE, BASELINE_GRADE, PROBLEMS, TRACES
from tutorscope.intervention.problems import Problem, problem_from_data
from tutorscope.runs.stages import Done, Upstream, fingerprint

if TYPE_CHECKING:
    from tutorscope.runs.plan import Job


@dataclass(frozen=True)
class Trace:
    """What a student wrote alone on one problem.

    Parameters
    ----------
    student : str
    problem : str
    trace, answer : str
    reason : str
        Why there is no answer, "" if there is one.
    sha : str
        Hash of the result that it comes from: what derived units carry.
    """

    student: str
    problem: str
    trace: str
    answer: str
    reason: str
    sha: str


def problems_of(job: Job) -> dict[str, Problem]:
    """Give a run's problems by id."""
    return {
        item.id: problem_from_data(item.data)
        for name, items in job.items.items()
        if name.startswith(PROBLEMS)
        for item in items
    }


def imported(job: Job) -> dict[str, list[Trace]]:
    """Give the traces that files brought, by the student's name."""
    found: dict[str, list[Trace]] = {}
    for name, items in job.items.items():
        if name.startswith(TRACES):
            check_traces(items, problems_of(job))
            student = name.removeprefix(TRACES)
            found[student] = [
                Trace(student, item.data["problem"], item.data["trace"], item.data["answer"], "", item.sha)
                for item in items
            ]
    return found


def traces_of(job: Job, upstream: Upstream, student: str | None = None) -> Iterator[Trace]:
    """Give the traces that tutors watch: one a student and problem."""
    for name, held in imported(job).items():
        if student in (None, name):
            yield from held
    for done in upstream(BASELINE):
        if student in (None, done.roles["student"]):
            found = done.result
            yield Trace(done.roles["student"], done.item, found["trace"], found["answer"], found["reason"], done.sha)


def judges_of(job: Job) -> list[str]:
    """Give the judges in the order in which they were asked for: "" stands for an ask that named none."""
    named = (name for ask in job.asks for name in ask["roles"].get("judge", ()) or ("",))
    return list(dict.fromkeys(named))


def verdicts(job: Job, upstream: Upstream) -> dict[tuple[str, str], dict[str, Any]]:
    """Give the verdict on each trace's answer that tutors and students are shown.

    It is the first judge's who reached one. Another judge, asked for later, changes what is measured and never what
    was shown.

    Returns
    -------
    dict
        (student, problem) to ``correct``, ``why`` and ``sha``, the hash that derived units carry.
    """
    said: dict[tuple[str, str], dict[str, Done]] = {}
    for done in upstream(BASELINE_GRADE):
        of = done.result["of"]
        said.setdefault((of["student"], of["problem"]), {})[done.roles.get("judge", "")] = done
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for key, by_judge in said.items():
        for judge in judges_of(job):
            if judge not in by_judge:
                # What the first judge still owes is waited for: shown is what is shown.
                break
            correct = by_judge[judge].result["correct"]
            if correct is not None:
                shown = {"correct": correct, "why": by_judge[judge].result["why"]}
                found[key] = {**shown, "sha": fingerprint(correct)}
                break
    return found

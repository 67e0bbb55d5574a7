"""Episodes: what tutors did on traces, models and people alike."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tutorscope.errors import UserError
from tutorscope.intervention.names import BASELINE_GRADE, PEOPLE
from tutorscope.intervention.people import check_people, refuse_repeated
from tutorscope.intervention.student import ORACLE, STANDARD
from tutorscope.intervention.traces import problems_of, traces_of, verdicts
from tutorscope.runs.inputs import Item
from tutorscope.runs.stages import Done, Upstream

if TYPE_CHECKING:
    from tutorscope.runs.plan import Job

NO_VERDICT = "no_verdict"
"""Why an Oracle episode was not played: nobody could say whether the student's answer is right."""


@dataclass(frozen=True)
class EpisodeDone:
    """One episode that was played.

    Parameters
    ----------
    tutor : str
        A model's name, or the name that people's episodes came under.
    student, problem : str
    condition : {"standard", "oracle"}
    increment, variant : str
        "" where they do not apply.
    ask_at_end : bool
        Whether the tutor could also step in at the end of the trace: people can.
    replicate : int
    participant : str
        Who it was, for people; "".
    intervened : bool or None
        None where no reply could be read.
    position : int or None
        Code points revealed; None where the tutor did not step in or the point could not be recovered.
    message : str
    sha : str
        Hash of the result: what derived units carry.
    result : mapping
        All that is known about it.
    """

    tutor: str
    student: str
    problem: str
    condition: str
    increment: str
    variant: str
    ask_at_end: bool
    replicate: int
    participant: str
    intervened: bool | None
    position: int | None
    message: str
    sha: str
    result: Any

    @property
    def identity(self) -> dict[str, Any]:
        """What tells it apart, as plain data."""
        game = ("tutor", "student", "problem", "condition", "increment", "variant", "ask_at_end")
        names = (*game, "replicate", "participant")
        return {name: getattr(self, name) for name in names}

    @property
    def name(self) -> str:
        """The item's id of what derives from it, without its replicate."""
        end = "at end" if self.ask_at_end and not self.participant else ""
        parts = [self.tutor, self.increment, self.variant, end, self.problem, self.participant]
        return "/".join(part for part in parts if part)


def episodes_of(job: Job, upstream: Upstream, condition: str) -> Iterator[EpisodeDone]:
    """Give the episodes of a condition: the tutors' that are finished, and people's that files brought."""
    for done in upstream(condition):
        yield model_episode(done)
    sets = {name: items for name, items in job.items.items() if name.startswith(PEOPLE)}
    if sets:
        traces = {(trace.student, trace.problem): trace.trace for trace in traces_of(job, upstream)}
        for episode in people_episodes(sets, traces, problems_of(job)):
            if episode.condition == condition:
                yield episode


def not_asked(job: Job, upstream: Upstream) -> Iterator[EpisodeDone]:
    """Give the Oracle episodes that were never played since no judge could say whether the student's answer is right.

    A tutor who looks back is told that. They stand in tables with the reason ``no_verdict``, so that the two conditions
    do not differ in silence.
    """
    known = verdicts(job, upstream)
    asked = [ask["roles"].get("judge", ()) or ("",) for ask in job.asks if ask["options"].get("game")]
    judges = {name for names in asked for name in names}
    graded: dict[tuple[str, str], set[str]] = {}
    for done in upstream(BASELINE_GRADE):
        key = (done.result["of"]["student"], done.result["of"]["problem"])
        graded.setdefault(key, set()).add(done.roles.get("judge", ""))
    for cell in (one for stage in job.stages if stage.name == ORACLE for one in job.cells(stage)):
        student, variant = str(cell.condition["student"]), str(cell.condition["variant"])
        for trace in traces_of(job, upstream, student):
            key = (student, trace.problem)
            # What a judge still owes may yet be a verdict.
            for replicate in range(cell.replicates if key not in known and judges <= graded.get(key, set()) else 0):
                yield EpisodeDone(
                    tutor=cell.roles["tutor"],
                    student=student,
                    problem=trace.problem,
                    condition=ORACLE,
                    increment="",
                    variant=variant,
                    ask_at_end=False,
                    replicate=replicate,
                    participant="",
                    intervened=None,
                    position=None,
                    message="",
                    sha="",
                    result={"reason": NO_VERDICT},
                )


def people_episodes(
    sets: Mapping[str, Sequence[Item]], traces: Mapping[tuple[str, str], str], problems: Collection[str]
) -> Iterator[EpisodeDone]:
    """Give people's episodes that fit the traces of a run; what does not fit is set aside (see `sort_people`)."""
    for name, item in sort_people(sets, traces, problems)[0]:
        yield people_episode(name.removeprefix(PEOPLE), item.data, item.sha)


def sort_people(
    sets: Mapping[str, Sequence[Item]], traces: Mapping[tuple[str, str], str], problems: Collection[str]
) -> tuple[list[tuple[str, Item]], list[tuple[str, str]]]:
    """Tell people's episodes that fit a run from those that do not. Those whose trace is still owed wait.

    Returns
    -------
    fitting : list of (set, Item)
    misfits : list of (set, line)
        Each with its file, its line and why.
    """
    known = {problem for _, problem in traces}
    fitting: list[tuple[str, Item]] = []
    misfits: list[tuple[str, str]] = []
    for name, items in sets.items():
        seen: dict[tuple[str, ...], str] = {}
        for item in items:
            if item.data["problem"] in problems and item.data["problem"] not in known:
                continue
            try:
                (checked,) = check_people([item], traces)
                # Whose trace it was is known only now, where the file does not say.
                refuse_repeated(checked, seen)
                fitting.append((name, checked))
            except UserError as problem:
                misfits.append((name, str(problem)))
    return fitting, misfits


def model_episode(done: Done) -> EpisodeDone:
    """Read a finished unit of the stages ``standard`` and ``oracle``."""
    stage = done.cell.partition("|")[0]
    return EpisodeDone(
        tutor=done.roles["tutor"],
        student=str(done.condition["student"]),
        problem=done.item,
        condition=STANDARD if stage == STANDARD else ORACLE,
        increment=str(done.condition.get("increment", "")),
        variant=str(done.condition["variant"]),
        ask_at_end=bool(done.condition.get("ask_at_end", False)),
        replicate=done.replicate,
        participant="",
        intervened=done.result["intervened"],
        position=done.result["position"],
        message=done.result["message"],
        sha=done.sha,
        result=done.result,
    )


def people_episode(tutor: str, data: Any, sha: str) -> EpisodeDone:
    """Read a person's episode from a run's inputs."""
    return EpisodeDone(
        tutor=tutor,
        student=data["student"],
        problem=data["problem"],
        condition=data["condition"],
        increment="",
        variant="",
        ask_at_end=True,
        replicate=0,
        participant=data["participant"],
        intervened=data["intervened"],
        position=data["position"],
        message=data["message"],
        sha=sha,
        result=data,
    )

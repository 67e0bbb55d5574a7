"""What a casework run works on: a release and the user's own tables, from the command line to inputs and back.

All scenarios, rubrics and choices of a release go into the run, because others than those asked lend references. What
is asked is a set of its own: the questions, first ones only with ``--limit``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tutorscope.casework.irregularities import LEFT_OUT, by_kind
from tutorscope.casework.items import Choice, Rubric, Scenario, choice_from_data, rubric_from_data, scenario_from_data
from tutorscope.casework.items import Item as OpenQuestion
from tutorscope.casework.loaded import Release
from tutorscope.casework.own_tables import read_demographics, read_papers
from tutorscope.casework.release import STARTER, demo_ids, load_release
from tutorscope.casework.terms import HORIZONS
from tutorscope.errors import UserError
from tutorscope.runs.inputs import InputSet, Item
from tutorscope.runs.stages import fingerprint

if TYPE_CHECKING:
    from tutorscope.runs.plan import Job

SCENARIOS, RUBRICS, CHOICES, ITEMS = "scenarios", "rubrics", "choices", "items"
DEMOGRAPHICS, PAPERS = "demographics", "papers"
DEMO = "demo"
"""The part of the package's own material that the demo asks."""

_LISTED = {"reference": "open"}
"""The form under which another one's questions are listed."""

Question = OpenQuestion | Choice


def read_inputs(
    params: Mapping[str, Any], *, forms_named: bool = True
) -> tuple[list[InputSet], list[InputSet], list[str]]:
    """Read the inputs that an ask names.

    Parameters
    ----------
    params : mapping
        ``data``, ``limit``, ``demographics`` and ``papers`` as the command line gives them; ``form`` and ``horizon`` as
        lists of words.
    forms_named : bool
        Whether the user named the forms: then each of them has to be there to ask.

    Returns
    -------
    inputs : list of InputSet
        What was named.
    material : list of InputSet
        What a new run works on where no release was named.
    notes : list of str
        What there is, and what is missing for which form, a line each.

    Raises
    ------
    UserError
        A path that is no release, a release with nothing to ask in a form that was named or in any of them, a table
        that cannot be read.
    """
    named = params["data"] is not None or params["limit"] is not None
    spec = params["data"] or STARTER
    release = load_release(STARTER if spec == DEMO else spec)
    only = frozenset(demo_ids()) if spec == DEMO else None
    sets = release_sets(release, params["limit"], only)
    tables = []
    for option, read in ((DEMOGRAPHICS, demographics_input), (PAPERS, papers_input)):
        if params[option] is not None:
            if params["data"] is None:
                raise UserError(f"--{option}: expected --data too, because the table is about a release")
            tables.append(read(params[option], release))
    notes = _notes(release, sets[-1], params["form"], params["horizon"], forms_named) if named else []
    notes += [
        f"{one.facts['file']}: columns not taken: {', '.join(gone)}"
        for one in tables
        if (gone := one.facts.get("dropped"))
    ]
    return [*(sets if named else ()), *tables], [] if named else sets, notes


def release_sets(release: Release, limit: int | None = None, only: frozenset[str] | None = None) -> list[InputSet]:
    """Give a release as a run's inputs.

    Parameters
    ----------
    release : Release
    limit : int, optional
        Ask only the first so many questions of each form and horizon.
    only : frozenset of str, optional
        Ask only these open questions, and of their scenarios one choice of each form and horizon.

    Returns
    -------
    list of InputSet
        Scenarios, rubrics, choices, and the questions to ask as the last one.
    """
    # A user's own release and the package's have ids in common, and must not be mixed.
    fixed = {"--data": STARTER if release.name == STARTER else "a release of your own"}
    facts = {
        "release": release.name,
        "irregularities": len(release.irregularities),
        "left_out": {
            kind: {"files": len(found), "questions": sum(one.lost for one in found), "first": found[0].file}
            for kind, found in by_kind(release.irregularities).items()
            if kind in LEFT_OUT
        },
    }
    forms = {"mcq": release.choices, "binary": release.binary}
    questions: dict[str, Sequence[Question]] = {"open": release.items, **forms}
    asked = [
        entry
        for form, held in questions.items()
        for horizon in HORIZONS
        for entry in _first([_entry(form, one) for one in held if one.horizon == horizon], limit, only)
    ]
    counts = {f"{form} {horizon}": n for (form, horizon), n in _counts(asked).items()}
    return [
        _input(SCENARIOS, ((f"s{one.id:03d}", one.data()) for one in release.scenarios.values()), facts, fixed),
        _input(RUBRICS, ((f"c{one.category:03d}-{one.horizon}", one.data()) for one in release.rubrics.values())),
        _input(
            CHOICES,
            ((f"{form}/{one.id}", {"form": form, **one.data()}) for form, held in forms.items() for one in held),
        ),
        _input(ITEMS, ((f"{one['form']}/{one['id']}", one) for one in asked), {"limit": limit, "counts": counts}),
    ]


def demographics_input(path: Path, release: Release) -> InputSet:
    """Read the user's groups of students, one entry a scenario.

    Raises
    ------
    UserError
        As for ``own_tables.read_demographics``.
    """
    read = read_demographics(path, release)
    groups = (
        (f"s{scenario:03d}", {"scenario": scenario, "groups": {name: of[name] for name in read.columns if name in of}})
        for scenario, of in read.of.items()
    )
    return _input(DEMOGRAPHICS, groups, {"file": path.name, "dropped": list(read.dropped)})


def papers_input(path: Path, release: Release) -> InputSet:
    """Read which paper each category comes from.

    Raises
    ------
    UserError
        As for ``own_tables.read_papers``.
    """
    papers = read_papers(path, release)
    named = ((f"c{category:03d}", {"category": category, "paper": paper}) for category, paper in papers.items())
    return _input(PAPERS, named, {"file": path.name})


def scenarios_of(job: Job) -> dict[int, Scenario]:
    """Give a run's scenarios by id."""
    return {one.id: one for one in (scenario_from_data(item.data) for item in job.items.get(SCENARIOS, ()))}


def rubrics_of(job: Job) -> dict[tuple[int, str], Rubric]:
    """Give a run's rubrics by category and horizon."""
    found = (rubric_from_data(item.data) for item in job.items.get(RUBRICS, ()))
    return {(one.category, one.horizon): one for one in found}


def choices_of(job: Job, form: str) -> dict[str, Choice]:
    """Give a run's choices of a form by id."""
    held = (item.data for item in job.items.get(CHOICES, ()) if item.data["form"] == form)
    return {one.id: one for one in map(choice_of_data, held)}


def choice_of_data(data: Mapping[str, Any]) -> Choice:
    """Read back a choice from its input."""
    return choice_from_data({name: value for name, value in data.items() if name != "form"})


def asked_of(job: Job, form: str, horizon: str) -> list[Mapping[str, Any]]:
    """Give the questions that a run asks in a form and horizon: ``id``, ``scenario``, ``category``."""
    return [
        item.data for item in job.items.get(ITEMS, ()) if (item.data["form"], item.data["horizon"]) == (form, horizon)
    ]


def papers_of(job: Job) -> dict[int, str]:
    """Give the user's table of category and paper, empty if there is none."""
    return {item.data["category"]: item.data["paper"] for item in job.items.get(PAPERS, ())}


def _input(
    name: str,
    entries: Iterable[tuple[str, Mapping[str, Any]]],
    facts: Mapping[str, Any] | None = None,
    fixed: Mapping[str, Any] | None = None,
) -> InputSet:
    items = [Item(key, fingerprint(data), data) for key, data in entries]
    return InputSet(name, items, facts or {}, fixed or {})


def _entry(form: str, question: Question) -> dict[str, Any]:
    return {
        "form": form,
        "id": question.id,
        "scenario": question.scenario,
        "category": question.category,
        "horizon": question.horizon,
    }


def _first(entries: list[dict[str, Any]], limit: int | None, only: frozenset[str] | None) -> Iterator[dict[str, Any]]:
    seen: set[int] = set()
    for entry in entries:
        if limit is not None and len(seen) >= limit:
            return
        wanted = only is None or f"s{entry['scenario']:03d}-{entry['horizon']}" in only
        if wanted and (only is None or entry["scenario"] not in seen):
            seen.add(entry["scenario"] if only is not None else len(seen))
            yield entry


def _counts(asked: Iterable[Mapping[str, Any]]) -> dict[tuple[str, str], int]:
    counts: dict[tuple[str, str], int] = {}
    for one in asked:
        counts[one["form"], one["horizon"]] = counts.get((one["form"], one["horizon"]), 0) + 1
    return counts


def _notes(
    release: Release, asked: InputSet, forms: Sequence[str], horizons: Sequence[str], forms_named: bool
) -> list[str]:
    """Say what a release holds of what is asked, and refuse one that holds nothing of it."""
    wanted = [(form, horizon) for form in forms for horizon in horizons]
    missing = [pair for pair in wanted if not release.has(*pair)]
    without = [form for form in forms if all((form, horizon) in missing for horizon in horizons)]
    if without and (forms_named or without == list(forms)):
        said = ", ".join(f"{form} {horizon.replace('_', '-')}" for form in without for horizon in horizons)
        raise UserError(
            f"--data: {release.name} has nothing to ask for {said}; see `tutorscope casework check` for what it has"
        )
    # Open questions are asked with references too.
    sizes = {pair: asked.facts["counts"].get(f"{_LISTED.get(pair[0], pair[0])} {pair[1]}", 0) for pair in wanted}
    counts = ", ".join(f"{sizes[pair]} {pair[0]} {pair[1].replace('_', '-')}" for pair in wanted if pair not in missing)
    notes = [f"{release.name}: {len(release.scenarios)} scenarios; questions: {counts}"]
    lost = sum(one.left_out for one in release.irregularities)
    if lost:
        notes.append(
            f"{release.name}: left out for {lost} {'fault' if lost == 1 else 'faults'}; see `tutorscope casework check`"
        )
    notes += [f"{release.name}: nothing to ask for {form} {horizon.replace('_', '-')}" for form, horizon in missing]
    return notes

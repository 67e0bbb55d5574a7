"""What a release holds, what was left out of it and why, and what it lacks for each form."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tutorscope.casework.inputs import DEMO, release_sets
from tutorscope.casework.irregularities import KEPT, LEFT_OUT, Irregularity, by_kind
from tutorscope.casework.items import CHALLENGES
from tutorscope.casework.loaded import Release
from tutorscope.casework.own_tables import read_demographics, read_papers
from tutorscope.casework.release import STARTER, demo_ids, load_release
from tutorscope.casework.released_files import BINARY, MCQ
from tutorscope.casework.terms import FORMS, HORIZONS, LETTERS
from tutorscope.texts.plain import shorten
from tutorscope.texts.words import counted

_SHOWN = 3
# What was said of a file ends with the questions that went with it.
_LINE = 250


def check_release(path: str | Path, demographics: Path | None = None, papers: Path | None = None) -> dict[str, Any]:
    """Load a release and say what it holds.

    Parameters
    ----------
    path : str or Path
        A folder in the published layout, "starter", or "demo" for the part of it that the demo asks.
    demographics, papers : Path, optional
        The user's own tables, read against it.

    Returns
    -------
    dict
        Plain data. ``release`` (its name), ``categories``, ``scenarios``, ``rubrics`` and ``criteria`` as counts;
        ``items``, ``mcq`` and ``binary`` by horizon; ``letters``, correct letter of the choices of four to count;
        ``turns``, number of turns to scenarios; ``challenge_types``, type to scenarios; ``strategies``, effective and
        ineffective; ``forms``, form to whether each horizon can be asked and what is ``missing``; ``irregularities``,
        kind to ``count``, ``left_out``, ``means``, ``files`` and, beside each file, what was ``said`` and the
        questions that were ``lost`` with it; ``left_out``, how many findings cost something, and
        ``questions_left_out``, how many questions: what hangs on files, and files of choices themselves. Of "demo",
        ``asked``: form and horizon to the number of questions that are asked of the starter. With own tables,
        ``demographics`` and ``papers``.

    Raises
    ------
    UserError
        The path is no release, or a table does not fit it.

    Examples
    --------
    >>> found = check_release("starter")
    >>> found["categories"], found["scenarios"], found["left_out"]
    (10, 14, 0)
    """
    release = load_release(STARTER if path == DEMO else path)
    told = [strategy for scenario in release.scenarios.values() for strategy in scenario.strategies]
    turns = Counter(len(scenario.dialogue) for scenario in release.scenarios.values())
    types = Counter(scenario.challenge for scenario in release.scenarios.values())
    letters = Counter(choice.correct for choice in release.choices)
    found: dict[str, Any] = {
        "release": release.name,
        "categories": len(release.categories),
        "scenarios": len(release.scenarios),
        "items": _by_horizon(release.items),
        "mcq": _by_horizon(release.choices),
        "binary": _by_horizon(release.binary),
        "letters": {letter: letters[letter] for letter in LETTERS},
        "rubrics": len(release.rubrics),
        "criteria": sum(len(rubric.criteria) for rubric in release.rubrics.values()),
        "turns": {str(number): count for number, count in sorted(turns.items())},
        "challenge_types": {one: types[one] for one in dict.fromkeys((*CHALLENGES, *sorted(types)))},
        "strategies": {
            "effective": sum(one.effective for one in told),
            "ineffective": sum(not one.effective for one in told),
        },
        "forms": {
            form: {
                **{horizon: release.has(form, horizon) for horizon in HORIZONS},
                "missing": list(_lacking(release, form)),
            }
            for form in FORMS
        },
        "irregularities": {
            kind: {
                "count": len(findings),
                "left_out": kind in LEFT_OUT,
                "means": {**LEFT_OUT, **KEPT}[kind],
                "files": [one.file for one in findings],
                "said": [one.said for one in findings],
                "lost": [list(one.questions) for one in findings],
            }
            for kind, findings in by_kind(release.irregularities).items()
        },
        "left_out": sum(one.left_out for one in release.irregularities),
        "questions_left_out": sum(one.lost + _is_question(one) for one in release.irregularities),
    }
    if path == DEMO:
        found["asked"] = release_sets(release, only=frozenset(demo_ids()))[-1].facts["counts"]
    if demographics is not None:
        groups = read_demographics(demographics, release)
        found["demographics"] = {
            "scenarios": len(groups.of),
            "columns": {
                column: dict(Counter(values[column] for values in groups.of.values() if column in values))
                for column in groups.columns
            },
            "dropped": list(groups.dropped),
        }
    if papers is not None:
        named = read_papers(papers, release)
        found["papers"] = {"categories": len(named), "papers": len(set(named.values()))}
    return found


def check_text(found: Mapping[str, Any]) -> str:
    """Write what `check_release` found for a reader at a terminal.

    Parameters
    ----------
    found : mapping

    Returns
    -------
    str
        Some lines. File names and all else that comes from outside are made harmless.
    """
    turns = ", ".join(f"{number} turns: {count:,}" for number, count in found["turns"].items()) or "no dialogue"
    letters = ", ".join(f"{letter} {count:,}" for letter, count in found["letters"].items())
    strategies = found["strategies"]
    lines = [
        f"{shorten(found['release'], 60)}: {found['categories']:,} categories, "
        f"{found['scenarios']:,} scenarios ({turns})",
        f"open questions: {_horizons(found['items'])}; {found['rubrics']:,} rubrics, {found['criteria']:,} criteria",
        f"choices of four: {_horizons(found['mcq'])} (correct: {letters})",
        f"choices of two: {_horizons(found['binary'])}",
        f"strategies: {strategies['effective']:,} effective, {strategies['ineffective']:,} ineffective",
        "challenge types: " + ", ".join(f"{shorten(one, 40)} {n:,}" for one, n in found["challenge_types"].items()),
    ]
    if "asked" in found:
        asked = ", ".join(f"{count:,} {what}" for what, count in found["asked"].items())
        lines.append(f"demo asks of these: {asked}")
    for form, can in found["forms"].items():
        asked = " and ".join(horizon for horizon in HORIZONS if can[horizon]) or "cannot be asked"
        lines.append(f"form {form}: {asked}" + "".join(f"; {one}" for one in can["missing"]))
    if "demographics" in found:
        groups = found["demographics"]
        columns = ", ".join(f"{name} ({len(values):,} values)" for name, values in groups["columns"].items())
        dropped = f"; not taken, since they name people: {', '.join(groups['dropped'])}" if groups["dropped"] else ""
        lines.append(f"demographics of {groups['scenarios']:,} scenarios: {columns}{dropped}")
    if "papers" in found:
        lines.append(f"papers of {found['papers']['categories']:,} categories: {found['papers']['papers']:,}")
    for left_out, head in ((True, "left out"), (False, "odd, and loaded all the same")):
        kinds = {k: one for k, one in found["irregularities"].items() if one["left_out"] is left_out}
        count = sum(one["count"] for one in kinds.values())
        lost = counted(found["questions_left_out"], "question")
        lines.append(
            f"{head}: {counted(count, 'finding')}, {lost} lost" if left_out and count else f"{head}: {count:,}"
        )
        for kind, one in kinds.items():
            lines.append(f"  {kind}: {one['count']:,} ({one['means']})")
            lines += [
                f"    {shorten(file, 80)}: {shorten(said, _LINE)}"
                for file, said in list(zip(one["files"], one["said"], strict=True))[:_SHOWN]
            ]
            if one["count"] > _SHOWN:
                lines.append(f"    and {one['count'] - _SHOWN:,} more")
    return "\n".join(lines)


def _lacking(release: Release, form: str) -> Iterable[str]:
    lacking = [horizon for horizon in HORIZONS if not release.has(form, horizon)]
    if form in ("mcq", "binary"):
        if lacking:
            yield f"no choices in {form}/ for {' and '.join(lacking)}"
        return
    if lacking and form == "open":
        if not release.scenarios or not any(scenario.title for scenario in release.scenarios.values()):
            yield "no scenarios in dialogue/ or dialogue_full_context/"
        if not release.rubrics:
            yield "no rubrics in rubric/"
        elif release.items:
            yield f"no questions with a rubric for {' and '.join(lacking)}"
    if release.items and all(scenario.full_context is None for scenario in release.scenarios.values()):
        yield "no full contexts: the judge sees the dialogue alone"
    if form == "reference":
        if not any(scenario.strategies for scenario in release.scenarios.values()):
            stand_in = "correct options of choices stand in" if release.choices else "and no choices to stand in"
            yield f"no strategies in strategies/: {stand_in}"
        if not any(scenario.paper for scenario in release.scenarios.values()):
            yield "no papers: references come from other categories"


def _is_question(one: Irregularity) -> bool:
    """Whether what was left out is itself a question. Of one that is there twice nothing is lost."""
    of_choices = one.file.startswith((f"{MCQ.name}/", f"{BINARY.name}/")) and one.file.endswith(".json")
    return of_choices and one.left_out and one.kind != "duplicate"


def _by_horizon(asked: Sequence[Any]) -> dict[str, int]:
    return {horizon: sum(one.horizon == horizon for one in asked) for horizon in HORIZONS}


def _horizons(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count:,} {horizon}" for horizon, count in counts.items())

"""The report of one or more runs of an instrument: its sections, and the facts of how the runs were made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tutorscope.models.replies import dropped
from tutorscope.models.speakers import Speaker
from tutorscope.pictures.blocks import Prose, Section, Table
from tutorscope.reporting.page import write_report
from tutorscope.reporting.texts import Wish
from tutorscope.runs.families import family_warnings
from tutorscope.runs.folder import RunFolder
from tutorscope.runs.instrument import Instrument, Tables
from tutorscope.runs.journal import journal_lines
from tutorscope.runs.plan import read_plan
from tutorscope.runs.reasons import reason_lines
from tutorscope.runs.seal import check_seal
from tutorscope.runs.status import RunStatus
from tutorscope.texts.words import counted


def report_runs(
    instrument: Instrument,
    folders: Sequence[RunFolder],
    tables: Tables,
    numbers: Tables,
    place: Path,
    texts: Wish,
    states: Mapping[str, RunStatus] | None = None,
) -> Path:
    """Write the page of one or more runs.

    Parameters
    ----------
    instrument : Instrument
    folders : sequence of RunFolder
    tables, numbers : mapping
        The tidy tables and the measures of all runs together.
    place : Path
        The folder for ``figures/`` and ``report.html``.
    texts : {"none", "sample", "all"}
        How much of what was said the page holds.
    states : mapping, optional
        Run's name to where it stands. What is owed, and which logs could not be read, is said ahead of all numbers,
        which are of the rest.

    Returns
    -------
    Path
        The page.
    """
    figures = place / "figures"
    figures.mkdir(parents=True, exist_ok=True)
    sections = with_lacking(instrument.sections(tables, numbers, figures, texts), states or {})
    title = f"{instrument.name}: {', '.join(folder.name for folder in folders)}"
    return write_report(place / "report.html", title, sections, facts=run_facts(instrument, folders), texts=texts)


def owed_line(states: Mapping[str, RunStatus]) -> str:
    """Say in one sentence how much of runs is not there yet, "" if all is."""
    cells = [cell for state in states.values() for cell in state.cells]
    owed = sum(cell.owed for cell in cells)
    if not owed:
        return ""
    asked = owed + sum(cell.done for cell in cells)
    erred = sum(sum(cell.erred.values()) for cell in cells)
    which = "each of them" if erred == owed else f"{erred} of them"
    why = f", {which} after an error" if erred else ""
    return f"not finished: {owed} of {counted(asked, 'unit')} {'is' if owed == 1 else 'are'} still owed{why}"


def with_lacking(sections: Sequence[Section], states: Mapping[str, RunStatus]) -> Sequence[Section]:
    """Say ahead of a page's numbers what is owed and which logs could not be read, and list at its end what is owed."""
    said = owed_line(states)
    warned = [f"{said[0].upper()}{said[1:]}. Every number here is of what is there."] if said else []
    warned += [
        f"A log{f' of {name}' if len(states) > 1 else ''} could not be read: {log}. What no other log holds of it is "
        "in no number here."
        for name, state in states.items()
        for log in state.unreadable
    ]
    if not warned or not sections:
        return sections
    first, *others = sections
    prose = [Prose(line, "warning") for line in warned]
    begins = Section(first.anchor, first.title, [*prose, *first.blocks])
    return [begins, *others, *([_owed_section(states)] if said else [])]


def _owed_section(states: Mapping[str, RunStatus]) -> Section:
    import pandas as pd

    rows = [
        {
            **({"run": name} if len(states) > 1 else {}),
            "cell": cell.title,
            "done": cell.done,
            "owed": cell.owed,
            "erred": "; ".join(reason_lines(cell.erred)),
        }
        for name, state in states.items()
        for cell in state.cells
        if cell.owed
    ]
    caption = (
        "What these runs asked for and do not hold yet: units that erred, with why, and units that nobody tried. The "
        "same command tries them again. More may follow where a stage waits for another."
    )
    labels = {"cell": "What", "done": "Done", "owed": "Owed", "erred": "Why the last try failed", "run": "Run"}
    return Section("owed", "What is not there yet", [Table("owed", caption, pd.DataFrame(rows), {}, labels)])


def run_facts(instrument: Instrument, folders: Sequence[RunFolder]) -> Mapping[str, str | Sequence[str]]:
    """Say how runs were made: when, by which models in which settings, what was dropped, whether sealed."""
    facts: dict[str, list[str]] = {"question": [instrument.title]}
    for folder in folders:
        named = f"{folder.name}: " if len(folders) > 1 else ""
        plan = read_plan(folder)
        speakers = [Speaker.from_record(raw) for line in plan for raw in line["speakers"]]
        first, last = plan[0], plan[-1]
        facts.setdefault("asked", []).append(
            f"{named}{first['time']}" + (f", last {last['time']}" if len(plan) > 1 else "")
        )
        packages = last["packages"]
        facts.setdefault("made with", []).append(
            f"{named}tutorscope {packages['tutorscope']}, {instrument.name} instrument version "
            f"{last['instrument_version']}, Inspect {packages['inspect_ai']}, Python {packages['python']}"
        )
        facts.setdefault("models", []).extend(named + line for line in dict.fromkeys(map(_model, speakers)))
        calls = _calls(folder)
        facts.setdefault("calls", []).append(named + calls.pop(0))
        facts.setdefault("settings dropped by a provider", []).extend(named + line for line in calls)
        facts.setdefault("warnings", []).extend(named + line for line in family_warnings(speakers))
        state = check_seal(folder)
        if state.sealed is None:
            sealed = "not sealed"
        else:
            sealed = f"sealed {state.sealed}; {len(state.changed)} files changed and {len(state.grown)} grew since"
        facts.setdefault("seal", []).append(named + sealed)
    return {name: lines for name, lines in facts.items() if lines}


def _model(speaker: Speaker) -> str:
    settings = ", ".join(f"{name} {value}" for name, value in speaker.settings.items())
    system = ", with the user's own system prompt" if speaker.system is not None else ""
    identity = ", ".join(f"{name} {value}" for name, value in speaker.identity.items())
    return f"{speaker.role} {speaker.name}: {identity}" + (f" ({settings})" if settings else "") + system


def _calls(folder: RunFolder) -> list[str]:
    """Count the journal; after the count come the settings that were asked for and not sent, a line each."""
    kinds: dict[str, int] = {"reply": 0, "error": 0, "cancelled": 0, "set_aside": 0}
    tokens = [0, 0]
    lost: dict[tuple[Any, ...], int] = {}
    for line in journal_lines(folder.calls):
        kinds[line["kind"]] = kinds.get(line["kind"], 0) + 1
        if line["kind"] == "reply":
            tokens[0] += line["usage"]["input"]
            tokens[1] += line["usage"]["output"]
            for setting in dropped(line["requested"], line["effective"]):
                name = (line["role"], line["name"], setting)
                lost[name] = lost.get(name, 0) + 1
    said = (
        f"{kinds['reply']} replies, {tokens[0]} tokens read, {tokens[1]} written; {kinds['error']} calls "
        f"gave no reply, {kinds['cancelled']} were cut short"
    )
    return [said, *(f"{role} {name}: {setting}, in {n} calls" for (role, name, setting), n in sorted(lost.items()))]

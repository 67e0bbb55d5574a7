"""The report of one or more runs of an instrument: its sections, and the facts of how the runs were made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tutorscope.models.replies import dropped
from tutorscope.models.speakers import Speaker
from tutorscope.reporting.page import write_report
from tutorscope.reporting.texts import Wish
from tutorscope.runs.families import family_warnings
from tutorscope.runs.folder import RunFolder
from tutorscope.runs.instrument import Instrument, Tables
from tutorscope.runs.journal import journal_lines
from tutorscope.runs.plan import read_plan
from tutorscope.runs.seal import check_seal


def report_runs(
    instrument: Instrument,
    folders: Sequence[RunFolder],
    tables: Tables,
    numbers: Tables,
    place: Path,
    texts: Wish,
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

    Returns
    -------
    Path
        The page.
    """
    figures = place / "figures"
    figures.mkdir(parents=True, exist_ok=True)
    sections = instrument.sections(tables, numbers, figures, texts)
    title = f"{instrument.name}: {', '.join(folder.name for folder in folders)}"
    return write_report(place / "report.html", title, sections, facts=run_facts(instrument, folders), texts=texts)


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

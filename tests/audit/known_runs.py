"""Whole runs of the audit with models whose rates are declared, in this process and without a network."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tutorscope.audit.instrument import AUDIT
from tutorscope.models.speakers import Speaker, speakers
from tutorscope.runs.execute import Outcome, execute
from tutorscope.runs.folder import RunFolder
from tutorscope.runs.plan import Limits, draft, record
from tutorscope.runs.prices import read_prices
from tutorscope.runs.progress import Meter

TRUTH = "tutorscope.audit.known_truth"


def params(**options: Any) -> dict[str, Any]:
    return {
        "policy": (),
        "policy_header": (),
        "policy_setting": (),
        "problems": "demo",
        "limit": None,
        "replicates": 2,
        "rounds": 4,
        "order": "counterbalanced",
        "router": "sound",
        "ratings": 1,
        "check_work": False,
        "any_student": False,
        "short_form": False,
        "contrast": (),
        "claims": None,
        **options,
    }


def known(folder: Path, roles: Sequence[str] = ("tutor", "student", "judge"), **rates: str) -> list[Speaker]:
    """Give the models of declared rates; ``student="work 0.9"`` declares some in the role's system prompt."""
    found: list[Speaker] = []
    for role in roles:
        systems = []
        if role in rates:
            file = folder / f"{role}.txt"
            file.write_text(rates[role], encoding="utf-8")
            systems = [str(file)]
        found += speakers(role, [f"{role[0].upper()}={TRUTH}:{role}"], systems=systems)
    return found


def play(folder: Path, given: dict[str, Any], who: Sequence[Speaker], *, ask: Any = AUDIT.ask) -> Outcome:
    """Ask a run for something, and do what it owes."""
    run = RunFolder(folder)
    asked = ask(given)
    begun = run.plan.exists()
    asked = type(asked)(asked.options, [*asked.inputs, *(() if begun else asked.material)], speakers=asked.speakers)
    everyone = [*who, *asked.speakers]
    record(draft(run, AUDIT, [asked], everyone), [asked], everyone)
    job = draft(run, AUDIT, (), everyone, Limits())
    return execute(job, Meter(read_prices(None), quiet=True))


def prompts(folder: Path, **texts: str) -> list[str]:
    """Write prompts and give the options that name them."""
    for name, text in texts.items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    return [f"{name}={folder / name}.md" for name in texts]

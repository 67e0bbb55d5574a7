"""What a run of the game works on: problems, traces and people's episodes, from the command line to inputs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tutorscope.errors import UserError
from tutorscope.intervention.imported_traces import read_traces
from tutorscope.intervention.names import PROBLEMS
from tutorscope.intervention.people import read_people
from tutorscope.intervention.problems import STARTER, load_problems
from tutorscope.runs.inputs import InputSet, Item
from tutorscope.runs.stages import fingerprint

DEFAULT_DOMAIN = "teasers"


def read_inputs(params: Mapping[str, Any]) -> tuple[list[InputSet], list[InputSet], list[str]]:
    """Read the inputs that an ask names.

    Parameters
    ----------
    params : mapping
        ``domain``, ``problems``, ``limit``, ``traces`` and ``people``, as the command line gives them.

    Returns
    -------
    inputs : list of InputSet
        What was named.
    material : list of InputSet
        What a new run works on where no problem was named.
    notes : list of str
        What was left out, a line each.
    """
    named = params["domain"] is not None or params["problems"] is not None or params["limit"] is not None
    if params["problems"] not in (None, STARTER) and params["domain"] is None:
        raise UserError("--domain is missing: expected what the problems are about: math, code or teasers")
    problems, notes = problem_set(params["problems"] or STARTER, params["domain"] or DEFAULT_DOMAIN, params["limit"])
    traces = [read_traces(spec) for spec in params["traces"]]
    people = [read_people(f"{name}=people:{file}" if name else f"people:{file}") for name, file in params["people"]]
    inputs = [*([problems] if named else ()), *traces, *people]
    return inputs, [] if named else [problems], notes if named else []


def problem_set(spec: str, domain: str, limit: int | None) -> tuple[InputSet, list[str]]:
    """Read problems of a domain as a run's input, and say what was left out."""
    loaded = load_problems(spec, domain, limit)
    items = [
        Item(problem.id, fingerprint(problem.data()), problem.data(), problem.title) for problem in loaded.problems
    ]
    left_out = {reason: n for reason, n in loaded.facts.get("left_out", {}).items() if n and reason != "over_limit"}
    said = ", ".join(f"{reason.replace('_', ' ')} {n}" for reason, n in left_out.items())
    shown = spec if spec == STARTER or spec.startswith("hf:") else Path(spec).name
    notes = [f"{shown}: {len(items)} problems of {domain}" + (f"; left out: {said}" if said else "")]
    return InputSet(f"{PROBLEMS}{domain}", items, loaded.facts), notes

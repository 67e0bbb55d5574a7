"""Small games made by hand: episodes and what came of them, for tests of what is measured from them."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

TRACE = "First I double four. Then I take one away. That leaves seven."
LENGTH = len(TRACE)

Row = dict[str, Any]


def trace(problem: str = "p1", domain: str = "math", **other: Any) -> Row:
    """Make a row of ``traces``."""
    row: Row = {"run": "r", "student": "s", "problem": problem, "domain": domain, "title": "", "topic": ""}
    row |= {"difficulty": "", "trace": TRACE, "answer": "seven", "reason": "", "length": LENGTH}
    return row | other


def grade(problem: str = "p1", correct: bool | None = True, **other: Any) -> Row:
    """Make a row of ``grades``: of a baseline, unless it says otherwise."""
    row: Row = {"run": "r", "judge": "j", "student": "s", "problem": problem, "of": "baseline", "tutor": None}
    row |= {"increment": None, "variant": None, "replicate": 0, "participant": None, "correct": correct}
    return row | {"how": "judge", "reason": "", "why": ""} | other


def episode(
    problem: str = "p1",
    position: int | None = None,
    *,
    intervened: bool | None = None,
    right: bool | None = False,
    condition: str = "standard",
    length: int = LENGTH,
    **other: Any,
) -> Row:
    """Make a row of ``episodes``: with a position the tutor stepped in there."""
    stepped = position is not None if intervened is None else intervened
    row: Row = {"run": "r", "judge": "j", "tutor": "t", "student": "s", "problem": problem, "domain": "math"}
    row |= {"condition": condition, "increment": "50" if condition == "standard" else "", "variant": "plain"}
    row |= {"ask_at_end": False, "replicate": 0, "participant": "", "people": False, "intervened": stepped}
    row |= {"position": position, "length": length, "tau_rel": None if position is None else position / length}
    row |= {"message": "Look again." if stepped else "", "quote": "", "found": "", "lost": "", "reason": ""}
    return row | {"decisions": 1, "wasted": 0, "baseline_correct": right} | other


def unread(problem: str = "p1", **other: Any) -> Row:
    """Make an episode of which nobody knows what the tutor would have done."""
    return episode(problem, **{**other, "reason": "unreadable"}) | {"intervened": None}


def person(problem: str, position: int | None, participant: str, **other: Any) -> Row:
    """Make an episode of a person."""
    who: Row = {"tutor": "teachers", "people": True, "participant": participant, "increment": "", "variant": ""}
    who["ask_at_end"] = True
    return episode(problem, position, **{**who, **other})


def went_on(
    problem: str = "p1",
    before: bool | None = False,
    after: bool | None = True,
    how: str = "standard",
    **other: Any,
) -> Row:
    """Make a row of ``continued``."""
    h = None if before is None or after is None else int(after) - int(before)
    row: Row = {"run": "r", "judge": "j", "tutor": "t", "student": "s", "problem": problem, "domain": "math"}
    row |= {"how": how, "increment": "" if how == "oracle" else "50", "variant": "plain", "replicate": 0}
    row |= {"ask_at_end": False, "participant": "", "trace": "That leaves eight.", "answer": "eight", "reason": ""}
    return row | {"before": before, "after": after, "h": h} | other


def attempt(
    problem: str = "p1", context: str = "none", correct: bool | None = True, g: int | None = None, **other: Any
) -> Row:
    """Make a row of ``attempts``."""
    row: Row = {"run": "r", "judge": "j", "student": "s", "problem": problem, "variant": f"{problem}~1"}
    row |= {"context": context, "tutor": "t" if context == "intervention" else "", "replicate": 0}
    return row | {"correct": correct, "reason": "", "g": g} | other


def message(problem: str = "p1", category: str = "Validation only", **other: Any) -> Row:
    """Make a row of ``messages``."""
    row: Row = {"run": "r", "judge": "j", "taxonomy": "published", "dimension": "leakage", "tutor": "t", "student": "s"}
    row |= {"problem": problem, "condition": "standard", "increment": "50", "variant": "plain", "replicate": 0}
    row |= {"participant": "", "people": False, "description": "It says so.", "category": category}
    return row | {"reason": "" if category else "unreadable"} | other


def taxonomy(name: str, dimension: str, *categories: str) -> list[Row]:
    """Make the rows of ``taxonomies`` for one list of categories."""
    about = {"run": "r", "taxonomy": name, "dimension": dimension}
    return [{**about, "place": place, "category": category} for place, category in enumerate(categories, 1)]


def tables(**rows: Sequence[Row]) -> dict[str, pd.DataFrame]:
    """Make the tables that measures start from; problems that nothing says more about get a trace."""
    held = {name: list(found) for name, found in rows.items()}
    if "traces" not in held:
        domains = {
            row["problem"]: row.get("domain", "math")
            for name in ("grades", "continued", "attempts", "messages", "episodes")
            for row in held.get(name, ())
        }
        held["traces"] = [trace(problem, domain) for problem, domain in domains.items()]
    return {name: pd.DataFrame(found) for name, found in held.items() if found}


def number(frame: pd.DataFrame, **where: Any) -> Mapping[str, Any]:
    """Give the only row with these values."""
    for column, value in where.items():
        frame = frame[frame[column] == value]
    assert len(frame) == 1, frame
    return dict(frame.iloc[0])

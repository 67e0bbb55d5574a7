"""Small tables made by hand, typed as the records are, for the measures and the page."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd

from tutorscope.casework.records import COLUMNS

RUN = "one"


def frame(name: str, rows: Iterable[Mapping[str, Any]], run: str = RUN) -> pd.DataFrame:
    """Make a table of records with the name of its run in front."""
    types = {"run": "string", **COLUMNS[name]}
    held = [{"run": run, **row} for row in rows]
    return pd.DataFrame(held, columns=list(types)).astype(types)


def decided(
    item: str,
    met: Sequence[bool | None],
    *,
    tutor: str = "t1",
    judge: str = "j1",
    form: str = "open",
    horizon: str = "immediate",
    category: int = 1,
    scenario: int = 1,
    challenge: str = "task_resistance",
    negative: Sequence[int] = (),
    replicate: int = 0,
    reason: str | None = None,
) -> list[dict[str, Any]]:
    """Give the decisions on one reply: criterion ids from 1, the places in ``negative`` purely negative."""
    return [
        {
            **{"judge": judge, "tutor": tutor, "form": form, "horizon": horizon, "item": item, "scenario": scenario},
            **{"category": category, "challenge": challenge, "replicate": replicate, "criterion": place},
            **{"name": f"Name {place}", "check": f"The tutor does thing {place}.", "negative": place in negative},
            **{"met": one, "evidence": "I hear you" if one else "", "reasons": "", "one_call": False},
            "reason": reason or ("bad_json" if one is None else None),
        }
        for place, one in enumerate(met, 1)
    ]


def reply(item: str, text: str, *, tutor: str = "t1", scenario: int = 1, **more: Any) -> dict[str, Any]:
    """Give one reply."""
    return {
        **{"tutor": tutor, "form": "open", "horizon": "immediate", "item": item, "scenario": scenario, "category": 1},
        **{"challenge": "task_resistance", "replicate": 0, "text": text, "reason": None, "reasons": ""},
        **{"finish": "stop", "references": None},
        **more,
    }


def references(*proxies: bool) -> str:
    """Write what a reply was shown."""
    return json.dumps(
        [{"scenario": 9, "category": 9, "similarity": 0.5, "other": "paper", "proxy": p} for p in proxies]
    )


def answered(
    choice: str, original: str | None, correct: str = "A", *, tutor: str = "t1", **more: Any
) -> dict[str, Any]:
    """Give one answer in file order: the letter seen is the letter in the file."""
    return {
        **{"tutor": tutor, "form": "mcq", "horizon": "immediate", "choice": choice, "scenario": 1, "category": 1},
        **{"challenge": "task_resistance", "rotation": 0, "replicate": 0, "letter": original, "original": original},
        **{"correct_letter": correct, "correct": original == correct, "reasons": "", "longest": original == "B"},
        **{"reason": None if original else "no_letter", "shortest": original == "D", "horizon_stated": True},
        **more,
    }


def offered(choice: str, correct: str = "A", *, form: str = "mcq", **more: Any) -> dict[str, Any]:
    """Give a choice whose longest option is B and whose shortest is D."""
    return {
        **{"form": form, "horizon": "immediate", "choice": choice, "scenario": 1, "category": 1},
        **{"challenge": "task_resistance", "correct_letter": correct, "length_A": 20, "length_B": 30, "length_C": 20},
        **{"length_D": 10, "longest_is_correct": correct == "B", "shortest_is_correct": correct == "D"},
        **more,
    }


def owed(item: str, *, tutor: str = "t1", reason: str | None = "quota", **more: Any) -> dict[str, Any]:
    """Give one answer that a tutor owes; it erred unless there is no reason."""
    return {
        **{"judge": None, "tutor": tutor, "form": "open", "horizon": "immediate", "item": item, "scenario": 1},
        **{"category": 1, "challenge": "task_resistance", "rotation": 0, "replicate": 0},
        **{"erred": reason is not None, "reason": reason or "not tried yet"},
        **more,
    }


def counted(asked: int, answered: int, erred: int = 0, **more: Any) -> dict[str, Any]:
    """Give how many answers were asked for and are there."""
    return {
        **{"judge": None, "tutor": "t1", "form": "open", "horizon": "immediate", "asked": asked},
        **{"answered": answered, "owed": asked - answered, "erred": erred},
        **more,
    }


def scenarios(*ids: int, **groups: Sequence[str | None]) -> pd.DataFrame:
    """Give scenarios with their groups, one value a scenario."""
    rows = [
        {"scenario": n, "category": n, "title": "", "challenge": "task_resistance", "minimal_context": ""} for n in ids
    ]
    held = frame("scenarios", rows)
    return held.assign(**{name: pd.array(list(values), dtype="string") for name, values in groups.items()})


def dialogues(**said: str) -> pd.DataFrame:
    """Give dialogues of a tutor's and a student's turn: ``s1="student's words"``."""
    rows = [
        {"scenario": int(name[1:]), "turn": turn, "speaker": who, "message": text, "challenging": who == "student"}
        for name, words in said.items()
        for turn, (who, text) in enumerate((("tutor", "Please begin now."), ("student", words)), 1)
    ]
    return frame("dialogues", rows)


def tables(**given: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Give all tables of a run, those that are not given empty."""
    return {name: given.get(name, frame(name, [])) for name in COLUMNS}

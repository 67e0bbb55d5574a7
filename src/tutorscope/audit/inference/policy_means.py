"""What each policy's sessions measure: leakage, own work, ratings, accuracy and cost, as exact fractions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from tutorscope.audit.inference.frames import GROUP, PHASES, Part, table
from tutorscope.stats.intervals import mean_interval

JUDGED = ("helpfulness", "pedagogy")
ACCURACY = tuple(f"accuracy_{phase}" for phase in PHASES)
MEASURES = (
    *("leakage", "independence", *JUDGED, *ACCURACY),
    *("tutor_turns", "tutor_tokens", "leaky_per_1k", "worked_per_1k"),
)
COLUMNS = (
    *(*GROUP, "judge"),
    *("policy", "measure", "n", "missing", "mean", "low", "high", "numerator", "denominator"),
)


@dataclass(frozen=True)
class Held:
    """What one session measures.

    Attributes
    ----------
    value : Fraction or None
        None where the session has no value: no turn in the window, no rating, tokens not known.
    numerator, denominator : int
        The counts behind it, to be pooled over sessions: leaky turns and turns, ratings' sum and number.
    """

    value: Fraction | None
    numerator: int = 0
    denominator: int = 0


Values = Mapping[tuple[str, int], Held]
"""By policy and replicate."""

NOTHING = Held(None)


def session_values(sessions: pd.DataFrame) -> dict[str, Values]:
    """Give what is counted in each session, by measure (the paper's B.2, B.3 and B.9).

    Parameters
    ----------
    sessions : DataFrame
        Rows of ``per_session`` of one part. Where ``student_turns`` is missing the student's own work has no value.

    Returns
    -------
    dict of str to Values
        Leakage is the leaky share of in-window tutor turns, independence the share of in-window student turns with own
        work, each pooled over the session's problems. The token controls are the same counts per thousand tokens of
        all the session's tutor calls.
    """
    found: dict[str, dict[tuple[str, int], Held]] = {measure: {} for measure in MEASURES if measure not in JUDGED}
    for row in sessions.astype(object).where(sessions.notna(), None).to_dict("records"):
        key = (str(row["policy"]), int(row["replicate"]))
        tokens, turns = row["tutor_tokens"], row["tutor_turns"]
        found["leakage"][key] = _share(row["leaky"], turns)
        found["independence"][key] = _share(row["worked"], row["student_turns"])
        for phase in PHASES:
            found[f"accuracy_{phase}"][key] = _share(row[f"{phase}_correct"], row[f"{phase}_n"])
        found["tutor_turns"][key] = _share(turns, 1)
        found["tutor_tokens"][key] = _share(tokens, 1)
        found["leaky_per_1k"][key] = _per_thousand(row["leaky"], tokens)
        found["worked_per_1k"][key] = _per_thousand(row["worked"], tokens)
    return dict(found)


def rating_values(rated: pd.DataFrame, rubric: str, sessions: pd.DataFrame) -> Values:
    """Give each session's mean over its rated turns of each turn's mean rating (the paper's B.6).

    Parameters
    ----------
    rated : DataFrame
        The turns with one judge's ratings, as in `Part.rated`.
    rubric : str
        ``helpfulness`` or ``pedagogy``.
    sessions : DataFrame
        Those that count; one without a rated turn has no value.
    """
    turns: dict[tuple[str, int], list[tuple[int, int]]] = {
        (str(policy), int(replicate)): []
        for policy, replicate in zip(sessions["policy"], sessions["replicate"], strict=True)
    }
    for policy, replicate, total, n in _ratings(rated, rubric):
        turns.setdefault((policy, replicate), []).append((total, n))
    return {
        key: Held(
            sum((Fraction(total, n) for total, n in held), Fraction()) / len(held),
            sum(total for total, _ in held),
            sum(n for _, n in held),
        )
        if held
        else NOTHING
        for key, held in turns.items()
    }


def all_values(part: Part) -> Iterator[tuple[str, str, Values]]:
    """Give judge ("" where no judge is in it), measure and values: the judged ones for each judge."""
    counted = session_values(part.sessions)
    for measure in MEASURES:
        if measure in JUDGED:
            for judge, rated in part.rated.items():
                yield judge, measure, rating_values(rated, measure, part.sessions)
        else:
            yield "", measure, counted[measure]


def policy_means(parts: list[Part]) -> pd.DataFrame:
    """Give each policy's mean over its sessions of each measure, with a bootstrap interval.

    Returns
    -------
    DataFrame
        ``n`` sessions have a value and ``missing`` have none; ``numerator`` and ``denominator`` are the counts behind
        the measure over all sessions (their ratio is the pooled value, not the mean of sessions, which inference uses).
    """
    rows = (row for part in parts for row in _rows(part))
    return table(rows, COLUMNS)


def _rows(part: Part) -> Iterator[dict[str, Any]]:
    for judge, measure, values in all_values(part):
        for policy in part.policies():
            held = [values[key] for key in sorted(values) if key[0] == policy]
            known = [float(each.value) for each in held if each.value is not None]
            interval = mean_interval(known)
            yield {
                **part.key,
                "judge": judge,
                "policy": policy,
                "measure": measure,
                "n": len(known),
                "missing": len(held) - len(known),
                "mean": interval.estimate,
                "low": interval.low,
                "high": interval.high,
                "numerator": sum(each.numerator for each in held),
                "denominator": sum(each.denominator for each in held),
            }


def exact(values: Sequence[Fraction]) -> npt.NDArray[Any]:
    """Give fractions as an array of themselves, which paired tests subtract exactly."""
    held = np.empty(len(values), dtype=object)
    held[:] = values
    return held


def _ratings(rated: pd.DataFrame, rubric: str) -> Iterator[tuple[str, int, int, int]]:
    usable = rated[(rated[f"{rubric}_n"].fillna(0) > 0).to_numpy(dtype=bool)]
    columns = [usable["policy"], usable["replicate"], usable[f"{rubric}_sum"], usable[f"{rubric}_n"]]
    for policy, replicate, total, n in zip(*columns, strict=True):
        yield str(policy), int(replicate), int(total), int(n)


def _share(part: int | None, whole: int | None) -> Held:
    if part is None or not whole:
        return NOTHING
    return Held(Fraction(int(part), int(whole)), int(part), int(whole))


def _per_thousand(count: int | None, tokens: int | None) -> Held:
    if count is None or not tokens:
        return NOTHING
    return Held(Fraction(1000 * int(count), int(tokens)), int(count), int(tokens))

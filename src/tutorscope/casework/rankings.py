"""Spearman across tutors: diversity with success, and whether judges and releases rank alike (5.1, L, M, O, P)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import pandas as pd

from tutorscope.casework.answering import OPEN
from tutorscope.casework.success import WITH
from tutorscope.casework.views import ALL, groups, rows_frame, views
from tutorscope.stats.correlation import spearman

JUDGES, RELEASES = "judges", "releases"
_WITH_SUCCESS = ("judge", "horizon", "measure", "n", "spearman", "low", "high", "p", "reason")
_AGREEMENT = (
    *("what", "of", "form", "horizon", "first", "second", "n", "unpaired", "spearman", "low", "high", "p", "reason"),
)


def diversity_success(diversity: pd.DataFrame, success: pd.DataFrame) -> pd.DataFrame:
    """Correlate each measure of diversity with open success over tutors, within a horizon.

    Parameters
    ----------
    diversity : DataFrame
        As `diversity_measures.diversity` gives it.
    success : DataFrame
        As `success.success` gives it.

    Returns
    -------
    DataFrame
        For each judge, horizon and ``measure`` (diversity_3, diversity_4, diversity_5, top_4gram_share, recovery):
        Spearman's rho over the ``n`` tutors that have both, its interval and p, or the ``reason`` why there is none.
    """
    return rows_frame(_with_success(diversity, success), _WITH_SUCCESS)


def _with_success(diversity: pd.DataFrame, success: pd.DataFrame) -> Iterator[dict[str, Any]]:
    if not len(diversity) or not len(success):
        return
    held = _overall(success)
    held = held[(held["form"] == OPEN) & (held["horizon"] != ALL)]
    for key, part in groups(held, views(held, "horizon")):
        of = diversity[diversity["horizon"] == key["horizon"]]
        of = of[of["run"] == key["run"]] if "run" in key else of
        won = part.set_index("tutor")["success"]
        for measure, values in _measured(of):
            yield {**key, "measure": measure, **_spearman(values, won, ("the measure", "success"))}


def _measured(diversity: pd.DataFrame) -> Iterator[tuple[str, pd.Series]]:
    for n, part in diversity.groupby("n_grams"):
        yield f"diversity_{n}", part.set_index("tutor")["diversity"]
    once = diversity.drop_duplicates("tutor").set_index("tutor")
    yield "top_4gram_share", once["top_4gram_share"]
    yield "recovery", once["recovery"]


def rank_agreement(success: pd.DataFrame, accuracy: pd.DataFrame) -> pd.DataFrame:
    """Say how far two judges, or two releases (runs), rank the same tutors alike.

    Parameters
    ----------
    success : DataFrame
        As `success.success` gives it.
    accuracy : DataFrame
        As `choice_measures.choice_accuracy` gives it: releases are compared on choices too.

    Returns
    -------
    DataFrame
        ``what`` is "judges" (``of`` names the run) or "releases" (``of`` names the judge; none for choices), over all
        challenge types. ``n`` tutors that both have, ``unpaired`` those that one of them has.
    """
    return rows_frame(_agreement(success, accuracy), _AGREEMENT)


def _agreement(success: pd.DataFrame, accuracy: pd.DataFrame) -> Iterator[dict[str, Any]]:
    open_part = _overall(success) if len(success) else success
    choice_part = accuracy[accuracy["challenge"] == ALL] if len(accuracy) else accuracy
    if "judge" in open_part.columns:
        yield from _compared(open_part, JUDGES, "judge", "run", "success")
    if "run" in open_part.columns:
        yield from _compared(open_part, RELEASES, "run", "judge", "success")
    if "run" in choice_part.columns:
        yield from _compared(choice_part, RELEASES, "run", "", "accuracy")


def _compared(frame: pd.DataFrame, what: str, over: str, within: str, value: str) -> Iterator[dict[str, Any]]:
    keys = [name for name in (within, "form", "horizon") if name in frame.columns]
    for key, part in groups(frame, keys):
        ranked = {str(name): of.set_index("tutor")[value] for name, of in part.groupby(over, sort=False)}
        for first, second in combinations(ranked, 2):
            yield {
                "what": what,
                "of": key.get(within),
                **{name: key[name] for name in ("form", "horizon")},
                "first": first,
                "second": second,
                "unpaired": len(ranked[first].index.symmetric_difference(ranked[second].index)),
                **_spearman(ranked[first], ranked[second], ("the first", "the second")),
            }


def _overall(success: pd.DataFrame) -> pd.DataFrame:
    everything = (success["challenge"] == ALL) & (success["by"] == ALL) & (success["negatives"] == WITH)
    return success[everything]


def _spearman(first: pd.Series, second: pd.Series, names: tuple[str, str]) -> dict[str, Any]:
    both = pd.concat([first.rename("x"), second.rename("y")], axis=1, join="inner").dropna()
    found = spearman(both["x"].to_numpy(dtype=float), both["y"].to_numpy(dtype=float), names=names)
    return {
        "n": found.n,
        "spearman": found.rho,
        "low": found.low,
        "high": found.high,
        "p": found.p,
        "reason": found.reason or None,
    }

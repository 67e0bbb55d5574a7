"""From answered choices to accuracy, baselines, position bias and shared failures (TutorCaseBench, 5.2, F and R)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pandas as pd

from tutorscope.casework.choices import original
from tutorscope.casework.clusters import category_interval
from tutorscope.casework.items import LETTERS
from tutorscope.casework.tasks import SIZES
from tutorscope.casework.views import challenges, groups, horizons, quick, rows_frame, views
from tutorscope.texts.bodies import EMPTY, REFUSED

_ACCURACY = (
    *("tutor", "form", "horizon", "challenge", "n", "unread", "empty", "refused", "rotations", "categories"),
    *("accuracy", "low", "high", "why_no_interval", "chance"),
    *("letter_baseline", "longest_baseline", "shortest_baseline", "picked_longest", "picked_shortest"),
    *("same_option", "same_option_n", "same_option_left_out"),
)
_BIAS = ("tutor", "form", "letter", "n", "rotations", "picked", "expected")
_FAILURES = (
    *("form", "horizon", "challenge", "tutors", "n", "left_out", "all_right", "all_wrong"),
    *("n_all_wrong", "same_distractor"),
)


def choice_accuracy(answers: pd.DataFrame, choices: pd.DataFrame) -> pd.DataFrame:
    """Give accuracy by horizon and challenge type, beside what a rule that reads nothing would reach.

    Parameters
    ----------
    answers, choices : DataFrame
        As `records.tables` gives them.

    Returns
    -------
    DataFrame
        A row for each tutor, form, horizon ("all" where both were asked) and challenge type. ``n`` counts answers: one
        a choice, rotation and replicate; an ``unread`` one is wrong and counted, of which so many were ``empty`` or
        ``refused`` by the provider. ``accuracy`` with its interval over the
        ``categories``, as `clusters.category_interval` gives it. ``chance`` is one over the options;
        ``letter_baseline`` the best that always the same letter does on what was shown, ``longest_baseline`` and
        ``shortest_baseline`` always the longest or shortest option. ``picked_longest``, ``picked_shortest``: how often
        the tutor took these. ``same_option``: of the ``same_option_n`` choices (each replicate one) that were read in
        several rotations, the share with one and the same option in all that were read; ``same_option_left_out`` were
        read in one rotation or none. Missing where nothing was rotated.
    """
    return rows_frame(_accuracy_rows(with_shown_letter(answers), choices), _ACCURACY)


def with_shown_letter(answers: pd.DataFrame) -> pd.DataFrame:
    """Add ``shown_correct``: the letter that the correct option stood under when the choice was asked."""
    shown = [
        _shown_under(form, correct, int(rotation))
        for form, correct, rotation in zip(answers["form"], answers["correct_letter"], answers["rotation"], strict=True)
    ]
    return answers.assign(shown_correct=pd.Series(shown, index=answers.index, dtype="string"))


def _shown_under(form: str, correct: str, rotation: int) -> str:
    letters = dict.fromkeys(LETTERS[: SIZES[form]], "")
    return next(letter for letter in letters if original(letters, letter, rotation) == correct)


def _accuracy_rows(answers: pd.DataFrame, choices: pd.DataFrame) -> Iterator[dict[str, Any]]:
    keys = [name for name in ("run", "form", "choice") if name in answers.columns]
    of = choices[[*keys, "longest_is_correct", "shortest_is_correct"]]
    held = quick(answers.merge(of, on=keys, how="left", validate="many_to_one"))
    for key, part in groups(held, views(held, "tutor", "form")):
        for horizon, asked in horizons(part):
            for challenge, of_type in challenges(asked):
                yield {**key, "horizon": horizon, "challenge": challenge, **_accuracy(of_type)}


def _accuracy(held: pd.DataFrame) -> dict[str, Any]:
    found = category_interval(held["correct"].to_numpy(dtype=float), held["category"].to_numpy())
    rotations = int(held["rotation"].nunique())
    return {
        "n": len(held),
        **unread_counts(held, held["letter"].isna()),
        "rotations": rotations,
        "categories": found.n,
        "accuracy": found.estimate,
        "low": found.low,
        "high": found.high,
        "why_no_interval": found.reason or None,
        "chance": 1 / SIZES[str(held["form"].iloc[0])],
        "letter_baseline": max(Counter(held["shown_correct"]).values()) / len(held),
        "longest_baseline": float(held["longest_is_correct"].to_numpy(dtype=float).mean()),
        "shortest_baseline": float(held["shortest_is_correct"].to_numpy(dtype=float).mean()),
        "picked_longest": float(held["longest"].to_numpy(dtype=float).mean()),
        "picked_shortest": float(held["shortest"].to_numpy(dtype=float).mean()),
        **(_same_option(held) if rotations > 1 else _NOT_ROTATED),
    }


def unread_counts(held: pd.DataFrame, unread: pd.Series) -> dict[str, int]:
    """Count what has no answer that could be read, and of these the empty ones and those that a provider refused.

    Parameters
    ----------
    held : DataFrame
        Replies or answers, with their ``reason``.
    unread : Series of bool
        Which of them have no answer.
    """
    why = held["reason"].where(unread)
    counts = {"empty": int((why == EMPTY).sum()), "refused": int((why == REFUSED).sum())}
    return {"unread": int(unread.sum()), **counts}


_NOT_ROTATED = {"same_option": math.nan, "same_option_n": 0, "same_option_left_out": 0}


def _same_option(held: pd.DataFrame) -> dict[str, float | int]:
    read = held.dropna(subset=["original"])
    asked = len(held[["choice", "replicate"]].drop_duplicates())
    spread = read.groupby(["choice", "replicate"]).agg(
        rotations=("rotation", "nunique"), options=("original", "nunique")
    )
    spread = spread[spread["rotations"] > 1]
    return {
        "same_option": float((spread["options"] == 1).mean()) if len(spread) else math.nan,
        "same_option_n": len(spread),
        "same_option_left_out": asked - len(spread),
    }


def position_bias(answers: pd.DataFrame) -> pd.DataFrame:
    """Give how often each letter was picked, beside how often the correct option stood under it.

    Returns
    -------
    DataFrame
        A row for each tutor, form and letter: ``picked`` and ``expected`` are shares of the ``n`` answers that could be
        read. With as many rotations as options every letter is expected equally often
        if no answer is unread.
    """
    return rows_frame(_bias_rows(with_shown_letter(answers)), _BIAS)


def _bias_rows(answers: pd.DataFrame) -> Iterator[dict[str, Any]]:
    for key, part in groups(quick(answers), views(answers, "tutor", "form")):
        read = part.dropna(subset=["letter"])
        for letter in LETTERS[: SIZES[str(key["form"])]]:
            yield {
                **key,
                "letter": letter,
                "n": len(read),
                "rotations": int(part["rotation"].nunique()),
                "picked": _share(read, "letter", letter),
                "expected": _share(read, "shown_correct", letter),
            }


def _share(frame: pd.DataFrame, column: str, value: str) -> float:
    return float((frame[column] == value).mean()) if len(frame) else math.nan


def failures(answers: pd.DataFrame) -> pd.DataFrame:
    """Give how far tutors fail on the same choices, and on the same distractor (appendix R).

    Parameters
    ----------
    answers : DataFrame
        The first replicate of the unrotated order counts: there each tutor saw the same.

    Returns
    -------
    DataFrame
        A row for each form, horizon and challenge type that two tutors or more answered. ``n`` choices that every one
        of the ``tutors`` was asked (``left_out``: those that not all were); ``all_right`` and ``all_wrong`` are shares
        of them, ``same_distractor`` the share of the ``n_all_wrong`` in which all picked one and the same wrong option.
        An answer that could not be read is wrong and picked nothing.
    """
    return rows_frame(_failure_rows(answers), _FAILURES)


def _failure_rows(answers: pd.DataFrame) -> Iterator[dict[str, Any]]:
    first = quick(answers[(answers["rotation"] == 0) & (answers["replicate"] == 0)])
    for key, part in groups(first, views(first, "form")):
        tutors = part["tutor"].nunique()
        if tutors < 2:
            continue
        for horizon, asked in horizons(part):
            for challenge, held in challenges(asked):
                where = {**key, "horizon": horizon, "challenge": challenge, "tutors": tutors}
                yield {**where, **_failures(held, tutors)}


def _failures(held: pd.DataFrame, tutors: int) -> dict[str, Any]:
    counts: Counter[str] = Counter()
    for _, part in held.groupby("choice", sort=False):
        if part["tutor"].nunique() < tutors:
            counts["left_out"] += 1
            continue
        counts["n"] += 1
        counts["all_right"] += bool(part["correct"].all())
        if not part["correct"].any():
            counts["all_wrong"] += 1
            counts["same"] += bool(part["original"].notna().all() and part["original"].nunique() == 1)
    n, wrong = counts["n"], counts["all_wrong"]
    return {
        "n": n,
        "left_out": counts["left_out"],
        "all_right": counts["all_right"] / n if n else math.nan,
        "all_wrong": wrong / n if n else math.nan,
        "n_all_wrong": wrong,
        "same_distractor": counts["same"] / wrong if wrong else math.nan,
    }

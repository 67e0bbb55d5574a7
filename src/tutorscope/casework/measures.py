"""From tables to numbers: success, choices, references, diversity, rankings, and what could not be read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from tutorscope.casework.choice_measures import choice_accuracy, failures, position_bias
from tutorscope.casework.diversity_measures import diversity
from tutorscope.casework.judging import NO_REPLY
from tutorscope.casework.rankings import diversity_success, rank_agreement
from tutorscope.casework.success import reference_effect, reply_scores, success, tutor_differences
from tutorscope.casework.views import groups, rows_frame, views

CUT_OFF = ("length", "model_length")
_UNREAD = ("judge", "tutor", "form", "horizon", "what", "reason", "count", "of")
_REPLY = ("tutor", "form", "horizon", "item", "replicate")


def measures(tables: Mapping[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """Give the tables of numbers.

    Parameters
    ----------
    tables : mapping
        As `records.tables` gives them, with a ``run`` column if they come from several runs. Runs and judges are
        measured apart.

    Returns
    -------
    dict of DataFrame
        ``reply_scores``, ``success``, ``tutor_differences``, ``reference_effect`` (see `success`), ``choice_accuracy``,
        ``position_bias``, ``failures`` (see `choice_measures`), ``diversity`` (see `diversity_measures`),
        ``diversity_success``, ``rank_agreement`` (see `rankings`), ``unread``: what could not be read, was cut off or
        is not judged yet, by what and why, ``count`` of how many.
    """
    replies, answers = tables["replies"], tables["answers"]
    scores = reply_scores(tables["decisions"])
    won = success(scores, tables["scenarios"])
    varied = diversity(replies, tables["dialogues"])
    accuracy = choice_accuracy(answers, tables["choices"])
    return {
        "reply_scores": scores,
        "success": won,
        "tutor_differences": tutor_differences(scores, answers),
        "reference_effect": reference_effect(scores, replies),
        "choice_accuracy": accuracy,
        "position_bias": position_bias(answers),
        "failures": failures(answers),
        "diversity": varied,
        "diversity_success": diversity_success(varied, won),
        "rank_agreement": rank_agreement(won, accuracy),
        "unread": rows_frame(_unread(tables), _UNREAD),
    }


def _unread(tables: Mapping[str, pd.DataFrame]) -> Iterator[dict[str, Any]]:
    replies, decisions, answers = tables["replies"], tables["decisions"], tables["answers"]
    cut = replies.assign(why=replies["finish"].where(replies["reason"].isna() & replies["finish"].isin(CUT_OFF)))
    asked = decisions.assign(why=decisions["reason"].where(decisions["reason"] != NO_REPLY))
    for what, frame, column in (
        ("no reply", replies, "reason"),
        ("reply cut off", cut, "why"),
        ("criterion not read", asked, "why"),
        ("choice not read", answers, "reason"),
    ):
        by = views(frame, "tutor", "form", "horizon")
        for key, part in groups(frame, by):
            for reason, count in part[column].value_counts().items():
                yield {**key, "what": what, "reason": str(reason), "count": int(count), "of": len(part)}
    yield from _not_judged(replies, decisions)


def _not_judged(replies: pd.DataFrame, decisions: pd.DataFrame) -> Iterator[dict[str, Any]]:
    """Count, for each judge, the replies without a decision: owed, or of a category without a rubric."""
    judges = groups(decisions, views(decisions)) if len(decisions) else iter([({}, decisions)])
    for view, decided in judges:
        held = replies[replies["run"] == view["run"]] if "run" in view else replies
        done = pd.MultiIndex.from_frame(decided[list(_REPLY)])
        for key, part in groups(held, views(held, "tutor", "form", "horizon")):
            missing = len(part) - int(pd.MultiIndex.from_frame(part[list(_REPLY)]).isin(done).sum())
            if missing:
                row = {"what": "reply not judged", "reason": "no decision", "count": missing, "of": len(part)}
                yield {**view, **key, **row}

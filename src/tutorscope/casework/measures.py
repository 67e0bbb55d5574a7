"""From tables to numbers: success, choices, references, diversity, rankings, and what could not be read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from tutorscope.casework.choice_measures import choice_accuracy, failures, position_bias, unread_counts
from tutorscope.casework.diversity_measures import diversity
from tutorscope.casework.judging import NO_REPLY
from tutorscope.casework.pairing import asked_items, reference_effect, tutor_differences
from tutorscope.casework.rankings import diversity_success, rank_agreement
from tutorscope.casework.success import reply_scores, success, with_refused
from tutorscope.casework.views import REPLY, groups, horizons, plain_rows, rows_frame, views

CUT_OFF = ("length", "model_length")
NO_ANSWER, NOT_TRIED, NOT_JUDGED = "no answer: an error", "not answered yet", "reply not judged"
_UNREAD = ("judge", "tutor", "form", "horizon", "what", "reason", "count", "of", "asked")
COUNTS = ("asked", "answered", "unread", "empty", "refused", "owed", "erred")


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
        ``coverage``: for each judge (missing for what tutors answer), tutor, form and horizon ("all" where both were
        asked) the units ``asked``: those ``answered`` so that it can be read, the ``unread`` (of them ``empty``, and
        ``refused`` by the provider) and the ``owed`` (of them ``erred``). What a judge answers of a reply is unread
        where none of its criteria could be read. ``reply_scores``,
        ``success`` (see `success`), ``tutor_differences``, ``reference_effect`` (see `pairing`), ``choice_accuracy``,
        ``position_bias``, ``failures`` (see `choice_measures`), ``diversity`` (see `diversity_measures`),
        ``diversity_success``, ``rank_agreement`` (see `rankings`). ``unread``: what was not answered, could not be
        read, was cut off or is not judged yet, by what and why: ``count`` of how many that there are (criteria for
        criteria), beside how many answers of this tutor were ``asked`` for.
    """
    replies, answers = tables["replies"], tables["answers"]
    scores = with_refused(reply_scores(tables["decisions"]), replies)
    won = success(scores, tables["scenarios"])
    varied = diversity(replies, tables["dialogues"])
    accuracy = choice_accuracy(answers, tables["choices"])
    asked = asked_items(tables)
    return {
        "coverage": rows_frame(_coverage(tables), ("judge", "tutor", "form", "horizon", *COUNTS)),
        "reply_scores": scores,
        "success": won,
        "tutor_differences": tutor_differences(scores, answers, asked),
        "reference_effect": reference_effect(scores, replies, asked),
        "choice_accuracy": accuracy,
        "position_bias": position_bias(answers),
        "failures": failures(answers),
        "diversity": varied,
        "diversity_success": diversity_success(varied, won),
        "rank_agreement": rank_agreement(won, accuracy),
        "unread": rows_frame(_unread(tables), _UNREAD),
    }


def _coverage(tables: Mapping[str, pd.DataFrame]) -> Iterator[dict[str, Any]]:
    asked, unread = tables["asked"], _unread_of(tables)
    for key, part in groups(asked, views(asked, "tutor", "form")):
        for horizon, held in horizons(part):
            counts = Counter({name: int(held[name].sum()) for name in ("asked", "answered", "owed", "erred")})
            for one in dict.fromkeys(held["horizon"]):
                counts.update(unread.get(_place({**key, "horizon": one}), {}))
            # What is there, as the run counts it, is not yet what could be read.
            counts["answered"] -= counts["unread"]
            yield {**key, "horizon": horizon, **{name: counts[name] for name in COUNTS}}


def _unread_of(tables: Mapping[str, pd.DataFrame]) -> dict[tuple[Any, ...], dict[str, int]]:
    """Count what is there and could not be read, of tutors and of judges, by `_place`."""
    replies, answers, decisions = tables["replies"], tables["answers"], tables["decisions"]
    found = {}
    for frame in (replies, answers):
        for key, part in groups(frame, views(frame, "tutor", "form", "horizon")):
            found[_place(key)] = unread_counts(part, part["reason"].notna())
            if frame is replies:
                # Thinking that never ended says no more to a student than blanks.
                found[_place(key)]["empty"] = found[_place(key)]["unread"] - found[_place(key)]["refused"]
    read = decisions.assign(read=decisions["met"].notna()).groupby(views(decisions, *REPLY), sort=False)["read"].any()
    for key, part in groups(read.reset_index(), views(decisions, "tutor", "form", "horizon")):
        found[_place(key)] = {"unread": int((~part["read"]).sum())}
    return found


def _place(key: Mapping[str, Any]) -> tuple[Any, ...]:
    judge = key.get("judge")
    return (key.get("run"), None if pd.isna(judge) else judge, *(key[name] for name in ("tutor", "form", "horizon")))


def _unread(tables: Mapping[str, pd.DataFrame]) -> Iterator[dict[str, Any]]:
    replies, decisions, answers = tables["replies"], tables["decisions"], tables["answers"]
    owed, of_asked = tables["owed"], _Asked(tables["asked"])
    for key, part in groups(owed[owed["judge"].isna()], views(owed, "tutor", "form", "horizon")):
        asked = of_asked(key)
        for (erred, reason), n in Counter(zip(part["erred"], part["reason"], strict=True)).items():
            row = {"what": NO_ANSWER if erred else NOT_TRIED, "reason": reason, "count": n, "of": asked}
            yield {"judge": None, **key, **row, "asked": asked}
    cut = replies.assign(why=replies["finish"].where(replies["reason"].isna() & replies["finish"].isin(CUT_OFF)))
    decided = decisions.assign(why=decisions["reason"].where(decisions["reason"] != NO_REPLY))
    for what, frame, column in (
        ("no reply", replies, "reason"),
        ("reply cut off", cut, "why"),
        ("criterion not read", decided, "why"),
        ("choice not read", answers, "reason"),
    ):
        by = views(frame, "tutor", "form", "horizon")
        for key, part in groups(frame, by):
            for reason, count in part[column].value_counts().items():
                row = {"what": what, "reason": str(reason), "count": int(count), "of": len(part)}
                yield {**key, **row, "asked": of_asked(key)}
    yield from _not_judged(replies, decisions, owed, of_asked)


def _not_judged(
    replies: pd.DataFrame, decisions: pd.DataFrame, owed: pd.DataFrame, of_asked: _Asked
) -> Iterator[dict[str, Any]]:
    """Count, for each judge, the replies without a decision: owed, or of a category without a rubric."""
    by_judge = owed[owed["judge"].notna()]
    keys = pd.concat([frame[views(decisions)] for frame in (decisions, by_judge)]).drop_duplicates()
    for view in plain_rows(keys) or [{}]:
        held = _where(replies, {name: view[name] for name in ("run",) if name in view})
        done = pd.MultiIndex.from_frame(_where(decisions, view)[list(REPLY)])
        why = _where(by_judge, view).set_index(list(REPLY))["reason"]
        for key, part in groups(held, views(held, "tutor", "form", "horizon")):
            places = pd.MultiIndex.from_frame(part[list(REPLY)])
            missing = [place for place in places if place not in done]
            reasons = Counter(str(why[place]) if place in why.index else "no decision" for place in missing)
            for reason, count in reasons.items():
                row = {"what": NOT_JUDGED, "reason": reason, "count": count, "of": len(part)}
                yield {**view, **key, **row, "asked": of_asked(key)}


def _where(frame: pd.DataFrame, values: Mapping[Any, Any]) -> pd.DataFrame:
    for name, value in values.items():
        frame = frame[frame[name] == value]
    return frame


class _Asked:
    """How many answers of a tutor were asked for in a form and horizon; None where no plan says it."""

    def __init__(self, asked: pd.DataFrame) -> None:
        own = asked[asked["judge"].isna()]
        self._names = [name for name in ("run", "tutor", "form", "horizon") if name in own.columns]
        self._counts = {
            tuple(key[n] for n in self._names): int(of["asked"].sum()) for key, of in groups(own, self._names)
        }

    def __call__(self, key: Mapping[str, Any]) -> int | None:
        return self._counts.get(tuple(key[name] for name in self._names))

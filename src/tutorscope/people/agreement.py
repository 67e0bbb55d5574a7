"""From raters' answers to tables: agreement with the judge, between raters, and between judges."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

import pandas as pd

from tutorscope.people.forms import Form, JudgeScale, Question
from tutorscope.stats.agreement import Agreement, exact_agreement, gwet_ac1, quadratic_kappa
from tutorscope.stats.correlation import spearman
from tutorscope.texts.words import counted

ALL = "all"

_KEYS = ("run", "judge", "pass")


def rater_agreement(form: Form, tables: Mapping[str, pd.DataFrame], by: Sequence[str]) -> dict[str, pd.DataFrame]:
    """Give the tables of a form.

    Parameters
    ----------
    form : Form
    tables : mapping
        ``rater_items`` and ``rater_answers`` of `answers.rater_tables`, with a ``run`` column if they come from several
        runs.
    by : sequence of str
        The strata to tell it by, one at a time.

    Returns
    -------
    dict of DataFrame
        ``rater_agreement``: a row for each question with labels, over all and for each stratum, with

        - ``items`` drawn, ``raters``, and ``unanswered`` and ``unread`` answers, summed over raters;
        - ``total``, ``agree``, ``disagree``: counts averaged over raters, and ``percent_agree`` (scaffolding and
          uptake paper, Tables 4 and 5), where the question has an answer that agrees with the judge;
        - ``ac1`` with its interval and ``exact``, between raters, over ``compared`` items; ``why_no_ac1``.

        ``rater_shares``: how often each label was given, and the mean of a scale.
    """
    agreement: list[dict[str, Any]] = []
    shares: list[dict[str, Any]] = []
    for key, items, answers in _passes(form, tables):
        raters = sorted(answers["rater"].unique())
        for question in form.questions:
            if not question.labels:
                continue
            said = answers[answers["question"] == question.key]
            for stratum, group, part in _strata(items, by):
                held = said[said["item"].isin(set(part["item"]))]
                where = {**key, "question": question.key, "by": stratum, "group": group}
                agreement.append({**where, **_agreement(question, part, held, raters)})
                shares += ({**where, **row} for row in _shares(question, held))
    return {
        "rater_agreement": pd.DataFrame(agreement, columns=None if agreement else [*_KEYS[1:], "question", "by"]),
        "rater_shares": pd.DataFrame(shares, columns=None if shares else [*_KEYS[1:], "question", "by"]),
    }


def judge_agreement(scales: Sequence[JudgeScale], by: Sequence[str]) -> pd.DataFrame:
    """Compare judges, two at a time.

    Parameters
    ----------
    scales : sequence of JudgeScale
    by : sequence of str
        The strata to tell it by, one at a time.

    Returns
    -------
    DataFrame
        A row for each scale, pair of judges and stratum: ``units`` that either was asked about, ``compared`` (both
        read), ``left_out``; ``exact``, ``within_one``, ``ac1`` with its interval, ``kappa`` (quadratic), ``rho``
        (Spearman); a number that cannot be estimated is missing, and ``why_none`` says why.
    """
    rows: list[dict[str, Any]] = []
    for scale in scales:
        judges = list(dict.fromkeys(scale.ratings["judge"]))
        for first, second in combinations(judges, 2):
            for stratum, group, part in _strata(scale.ratings, by):
                held = part[part["judge"].isin((first, second))]
                wide = held.pivot(index="unit", columns="judge", values="value").reindex(columns=[first, second])
                where = {"scale": scale.name, "judge_a": first, "judge_b": second, "by": stratum, "group": group}
                rows.append({**where, **_pair(scale, wide)})
    return pd.DataFrame(rows, columns=None if rows else ["scale", "judge_a", "judge_b", "by", "group"])


def together(parts: Sequence[Mapping[str, pd.DataFrame]]) -> dict[str, pd.DataFrame]:
    """Put the tables of several forms below each other, by their names."""
    filled = {name: [part[name] for part in parts if len(part[name])] for name in parts[0]}
    return {name: pd.concat(held, ignore_index=True) if held else parts[0][name] for name, held in filled.items()}


def text_lines(form: Form, tables: Mapping[str, pd.DataFrame]) -> list[str]:
    """Say how many texts there are for each question without labels: they are kept, and cannot be compared.

    Parameters
    ----------
    form : Form
    tables : mapping
        As for `rater_agreement`.
    """
    lines = []
    for key, items, answers in _passes(form, tables):
        raters = answers["rater"].nunique()
        for question in form.questions:
            if not question.labels:
                said = answers[answers["question"] == question.key]
                read, blank = int(said["value"].notna().sum()), len(items) * raters - len(said)
                lines.append(
                    f"{question.key}, all{_named(key, 'judge')}{_named(key, 'pass')}: {counted(read, 'text')} of "
                    f"{counted(raters, 'rater')}, which are not compared; unanswered {blank}, "
                    f"unread {len(said) - read}"
                )
    return lines


def agreement_lines(
    numbers: Mapping[str, pd.DataFrame], texts: Sequence[str] = (), *, compares_judges: bool = True
) -> list[str]:
    """Say agreement in lines of text.

    Parameters
    ----------
    numbers : mapping
        ``rater_agreement`` and ``judge_agreement``; with ``rater_shares`` each question's answers stand under its line.
    texts : sequence of str
        Lines on answers that are not compared, as `text_lines` gives them.
    compares_judges : bool
        Whether the form has a scale on which judges could be compared; without one nothing is said of them.
    """
    lines: list[str] = []
    for row in _rows(numbers["rater_agreement"]):
        judged = (
            f"{row['agree']:g} agree, {row['disagree']:g} disagree of {row['total']:g} ({row['percent_agree']:.1f} %); "
            if row.get("percent_agree") is not None and not math.isnan(row.get("percent_agree", math.nan))
            else ""
        )
        lines.append(
            f"{row['question']}, {_where(row)}{_named(row, 'judge')}{_named(row, 'pass')}: {judged}"
            f"raters {row['raters']}, exact {_share(row['exact'])}, AC1 {_number(row['ac1'], row['why_no_ac1'])} on "
            f"{row['compared']}; unanswered {row['unanswered']}, unread {row['unread']}"
        )
        lines += _share_lines(row, numbers.get("rater_shares"))
    lines += texts
    for row in _rows(numbers["judge_agreement"]):
        lines.append(
            f"{row['scale']}, {_where(row)}, {row['judge_a']} and {row['judge_b']}: exact {_number(row['exact'])}, "
            f"within one {_number(row['within_one'])}, AC1 {_number(row['ac1'])}, kappa {_number(row['kappa'])}, "
            f"rho {_number(row['rho'])} on {row['compared']} of {row['units']}; left out {row['left_out']}"
        )
    return lines or ["no answers of raters yet" + (", and no two judges to compare" if compares_judges else "")]


def _share_lines(of: Mapping[str, Any], shares: pd.DataFrame | None) -> Iterator[str]:
    """Say how often each answer was given, over all raters, and the mean of a scale."""
    keys = ("run", "judge", "pass", "question", "by", "group")
    held = [
        row
        for row in _rows(shares if shares is not None else pd.DataFrame())
        if all(row.get(key) == of.get(key) for key in keys) and row["answers"]
    ]
    if held:
        said = ", ".join(f"{row['label']} {_share(row['share'])}" for row in held)
        mean = "" if math.isnan(held[0]["mean"]) else f"; mean {held[0]['mean']:.2f}"
        yield f"  of {held[0]['answers']} answers: {said}{mean}"


def _share(value: float) -> str:
    return f"{100 * value:.1f} %" if not math.isnan(value) else "none"


def _rows(frame: pd.DataFrame) -> Iterator[dict[str, Any]]:
    for row in frame.itertuples(index=False, name=None):
        yield dict(zip(map(str, frame.columns), row, strict=True))


def _where(row: Mapping[str, Any]) -> str:
    return "all" if row["by"] == ALL else f"{row['by']} {row['group']}"


def _named(row: Mapping[str, Any], key: str) -> str:
    return f", {key} {row[key]}" if row.get(key) else ""


def _number(value: float, reason: str | None = None) -> str:
    return f"{value:.3f}" if not math.isnan(value) else f"none ({reason or 'not estimable'})"


def _passes(
    form: Form, tables: Mapping[str, pd.DataFrame]
) -> Iterator[tuple[dict[str, str], pd.DataFrame, pd.DataFrame]]:
    """Give each judge's items with the answers of each pass over them."""
    items, answers = tables["rater_items"], tables["rater_answers"]
    items, answers = items[items["form"] == form.name], answers[answers["form"] == form.name]
    keys = [key for key in _KEYS if key in items.columns]
    if not len(items):
        return
    for held, part in items.groupby(keys, sort=False):
        key = {name: str(value) for name, value in zip(keys, held, strict=True)}
        given = answers[answers["item"].isin(set(part["item"]))]
        if "run" in key:
            given = given[given["run"] == key["run"]]
        for again, answered in given.groupby("pass", sort=False):
            yield {**key, "pass": str(again)}, part, answered


def _strata(frame: pd.DataFrame, by: Sequence[str]) -> Iterator[tuple[str, str, pd.DataFrame]]:
    yield ALL, ALL, frame
    for stratum in by:
        if stratum in frame.columns:
            for group, part in frame.groupby(stratum, sort=True):
                yield stratum, str(group), part


def _agreement(question: Question, items: pd.DataFrame, answers: pd.DataFrame, raters: Sequence[str]) -> dict[str, Any]:
    read = answers[answers["value"].notna()]
    total, unread = len(read) / len(raters), len(answers) - len(read)
    row: dict[str, Any] = {
        "items": len(items),
        "raters": len(raters),
        "unanswered": len(items) * len(raters) - len(answers),
        "unread": unread,
        "total": total,
    }
    judged = f"judged_{question.key}"
    if judged in items.columns:
        wanted = read["item"].map(items.set_index("item")[judged])
        # Whole counts until here: halves and thirds of them are what the paper prints.
        agree = int((read["value"] == wanted).sum()) / len(raters)
        row |= {"agree": agree, "disagree": total - agree, "percent_agree": 100 * agree / total if total else math.nan}
    wide = read.pivot(index="item", columns="rater", values="value").reindex(columns=list(raters))
    ratings = wide.astype(object).where(wide.notna(), None).to_numpy().reshape(len(wide), len(raters))
    between = gwet_ac1(ratings, question.labels)
    return {**row, **_ac1(between), "exact": exact_agreement(ratings).estimate}


def _ac1(found: Agreement) -> dict[str, Any]:
    return {
        "ac1": found.estimate,
        "ac1_low": found.low,
        "ac1_high": found.high,
        "compared": found.n_compared,
        "why_no_ac1": found.reason or None,
    }


def _shares(question: Question, answers: pd.DataFrame) -> Iterator[dict[str, Any]]:
    read = answers["value"].dropna()
    mean = float(read.astype(int).mean()) if question.kind == "scale" and len(read) else math.nan
    for label in question.labels:
        count = int((read == label).sum())
        share = count / len(read) if len(read) else math.nan
        yield {"label": label, "count": count, "answers": len(read), "share": share, "mean": mean}


def _pair(scale: JudgeScale, wide: pd.DataFrame) -> dict[str, Any]:
    both = wide.dropna().astype(int)
    row: dict[str, Any] = {"units": len(wide), "compared": len(both), "left_out": len(wide) - len(both)}
    ratings = both.to_numpy(dtype=object).reshape(len(both), 2)
    first, second = ratings[:, 0], ratings[:, 1]
    ac1, kappa = gwet_ac1(ratings, scale.categories), quadratic_kappa(first, second, scale.categories)
    rho = spearman(first.astype(float), second.astype(float), names=("the first", "the second"))
    reasons = [f"{name}: {why}" for name, why in (("ac1", ac1.reason), ("kappa", kappa.reason), ("rho", rho.reason))]
    return {
        **row,
        "exact": exact_agreement(ratings).estimate,
        "within_one": exact_agreement(ratings, within=1).estimate,
        "ac1": ac1.estimate,
        "ac1_low": ac1.low,
        "ac1_high": ac1.high,
        "kappa": kappa.estimate,
        "rho": rho.rho,
        "why_none": "; ".join(reason for reason in reasons if not reason.endswith(": ")) or None,
    }

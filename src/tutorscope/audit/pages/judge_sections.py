"""The page on judges against each other: agreement, where they part, ceilings, and a judge's check of the work rule."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from tutorscope.audit.inference.judges import ALL
from tutorscope.audit.pages.shown import Shown, Study
from tutorscope.audit.pages.views import VIEW, Frames, groups, span, tidy, view_key, without_empty, without_single
from tutorscope.audit.published import DIFFERENT_INSTRUMENT, JUDGES, published_base, published_judge, published_value
from tutorscope.pictures.blocks import Block, Prose, Table

_RHO = {"spearman": "{:.3f}", "kappa": "{:.3f}", "exact": "{:.0%}", "within_1": "{:.0%}"}
_MEANS = {"mean_difference": "{:+.3f}", "mean_absolute_difference": "{:.3f}"}
_LABELS = {
    **{"n": "turns", "spearman_interval": "95\u00a0%", "kappa": "quadratic kappa", "kappa_interval": "95\u00a0%"},
    **{"within_1": "within one", "mean_difference": "second less first", "mean_absolute_difference": "apart by"},
    **{"mean_first": "mean of first", "p_holm": "p (Holm)", "coef": "estimate"},
    **{"interval": "95\u00a0%", "at_top": "median 5", "unknown": "unknown", "reason": "remarks"},
}


def judge_blocks(shown: Shown, held: Study, tables: Frames) -> Iterator[Block]:
    """Lay out what there is: with one judge its ceiling alone, without any nothing."""
    agreement = shown.rows("judge_agreement")
    if agreement:
        yield Prose(
            "Judges rated the very same turns and are reported one by one, never averaged. That two models agree does "
            "not make them right: whether people would agree is another study."
        )
        yield _agreement(agreement)
        remarked = [row for row in agreement if row["reason"] and row["base"] != "pooled"]
        for said in dict.fromkeys(_remark(shown, row) for row in remarked):
            yield Prose(said, "note")
        if any(map(_published, agreement)):
            yield Prose(f"{DIFFERENT_INSTRUMENT} Its judges are compared over 1,179 turns.", "note")
    apart = shown.rows("judge_interactions")
    if apart:
        yield _interactions(apart, held.claims.pair)
    doubled = shown.rows("difference_of_differences")
    if doubled:
        yield _doubled(doubled)
    top = shown.rows("ceilings")
    if top:
        yield _ceilings(shown, top)
    checks = tables.get("checks")
    if checks is not None and len(checks):
        yield from _checks(checks)


def _remark(shown: Shown, row: Mapping[str, Any]) -> str:
    of = shown.names.get(view_key(row))
    whose = "" if row["policy"] == ALL else f", {row['policy']}"
    who = f"{row['second']} beside {row['first']}{f', {of}' if of else ''}{whose}"
    return f"{row['rubric'].capitalize()}, {who}: {row['reason']}."


def _agreement(rows: list[dict[str, Any]]) -> Table:
    laid: list[dict[str, Any]] = []
    bases = {row["base"] for row in rows} - {"pooled"}
    for row in rows:
        # Of one base, all bases together would be the same once more.
        if row["base"] == "pooled" and len(bases) == 1:
            continue
        who = {name: row[name] for name in [*VIEW, "first", "second", "rubric"]} | {"policy": _whose(row)}
        line = {**who, "source": "this run"}
        line |= {"n": row["n"], "spearman": row["spearman"]}
        line |= {"spearman_interval": span(row["spearman_low"], row["spearman_high"]), "kappa": row["kappa"]}
        line |= {"kappa_interval": span(row["kappa_low"], row["kappa_high"])}
        line |= {name: row[name] for name in ("exact", "within_1", *_MEANS, "mean_first")}
        laid.append(line)
        known = _published(row)
        if known:
            laid.append({**who, **known})
    frame = without_empty(tidy(pd.DataFrame(laid), whole=("n",)), "kappa", "kappa_interval", "exact", "within_1")
    return Table(
        "judge_agreement",
        "Ratings of the same turns by two judges, of all policies together and of each: Spearman's correlation of mean "
        "ratings; quadratic kappa, equal medians, medians at most one apart; and how much higher the second rates. "
        "Intervals resample sessions.",
        without_single(frame, "first", "second", "policy"),
        {**_RHO, **_MEANS, "mean_first": "{:.3f}"},
        _LABELS,
    )


def _whose(row: Mapping[str, Any]) -> str:
    return "all" if row["policy"] == ALL else str(row["policy"])


def _published(row: Mapping[str, Any]) -> dict[str, Any] | None:
    """Give the paper's agreement beside that over all policies; in its tables these are its pair."""
    if row["policy"] != ALL:
        return None
    base = "pooled" if row["base"] == "pooled" else published_base(row["base"])
    if base is None or (published_judge(row["first"]), published_judge(row["second"])) != JUDGES:
        return None
    of = {"base": base, "rubric": row["rubric"]}
    values = {name: published_value(name, **of) for name in ("spearman", "kappa")}
    return {"source": "published", **values} if any(value is not None for value in values.values()) else None


def _interactions(rows: list[dict[str, Any]], pair: tuple[str, str]) -> Table:
    columns = [*VIEW, "judge", "rubric", "term", "scale", "coef", "se", "p", "p_holm", "family", "reason"]
    frame = tidy(pd.DataFrame(rows)[columns].assign(family=lambda held: held["family"].str.replace("_", " ")))
    frame["family"] = frame["family"].replace("", None)
    frame["reason"] = None if "reason" not in frame.columns else frame["reason"].replace("", None)
    return Table(
        "judge_interactions",
        "Where judges part: the difference of their ratings of a turn (OTHER-FROZEN: the other less the frozen one), "
        f"fitted with leak and policy over the turns of {' and '.join(pair)}, the claims' two (policy: what the second "
        "has more); and the other judge's own slopes where a family holds them. Standardised: each judge's ratings to "
        "mean 0 and spread 1 first. Holm's correction is over the bases that the claims declare.",
        without_empty(frame, "reason", "family", "p_holm"),
        {"coef": "{:+.3f}", "se": "{:.3f}", "p": "{:.2g}", "p_holm": "{:.2g}"},
        _LABELS,
    )


def _doubled(rows: list[dict[str, Any]]) -> Table:
    laid = [
        {
            **{name: row[name] for name in [*VIEW, "judge", "rubric"]},
            **{"pair": f"{row['first']} − {row['second']}", "n": row["n"], "mean": row["mean"]},
            "interval": span(row["low"], row["high"], "{:+.3f}"),
            "p": row["p"],
            "reason": row["reason"] or None,
        }
        for row in rows
    ]
    return Table(
        "difference_of_differences",
        "The gap between two policies under the other judge less that under the frozen one, replicate by replicate.",
        tidy(pd.DataFrame(laid), whole=("n",)),
        {"mean": "{:+.3f}", "p": "{:.2g}"},
        {**_LABELS, "n": "pairs", "pair": "policies"},
    )


def _ceilings(shown: Shown, rows: list[dict[str, Any]]) -> Table:
    laid: list[dict[str, Any]] = [
        {name: row.get(name) for name in [*VIEW, "judge", "rubric"]} | {"policy": _whose(row)} | _top(row)
        for row in rows
    ]
    frame = tidy(pd.DataFrame(laid), whole=("n", "at_top", "unknown"))
    if "unknown" in frame.columns and not frame["unknown"].fillna(0).any():
        frame = frame.drop(columns="unknown")
    return Table(
        "ceilings",
        "Turns to which a judge gave the top mark, of all policies together and of each: a rubric at its ceiling can "
        "hardly tell policies apart. Unknown: only the sum of the ratings is known, and it does not tell whether the "
        "median is 5. In the paper, helpfulness: Opus 975 and Sol 1,120 of 1,179 turns.",
        without_single(frame, "policy"),
        {"share": "{:.0%}"},
        _LABELS,
    )


def _top(row: Mapping[str, Any]) -> dict[str, Any]:
    return {"n": row["n"], "at_top": row["at_top"], "share": row["share"], "unknown": row.get("unknown")}


def _checks(checks: pd.DataFrame) -> Iterator[Block]:
    laid = []
    for key, part in groups(checks, [name for name in ("run", "student", "judge") if name in checks.columns]):
        read = part[part["judged"].notna()]
        line = {**key, "n": len(part), "unread": len(part) - len(read)}
        for rule in ("sound", "published"):
            same = (read["judged"].astype(bool) == read[f"work_{rule}"].astype(bool)).sum() if len(read) else None
            line |= {f"agrees_{rule}": None if same is None else same / len(read)}
        for name, judged, seen in (("judge_only", True, False), ("rule_only", False, True)):
            alone = (read["judged"].astype(bool) == judged) & (read["work_sound"].astype(bool) == seen)
            line |= {name: int(alone.sum())}
        laid.append(line)
    yield Table(
        "checks",
        "A judge's reading of whether a student's turn holds own work, beside the rules'. It overrules nothing. The "
        "last two columns count turns in which the judge alone, or the sound rule alone, sees work.",
        tidy(pd.DataFrame(laid), whole=("n", "unread", "judge_only", "rule_only")),
        {"agrees_sound": "{:.0%}", "agrees_published": "{:.0%}"},
        {
            **{"n": "student turns", "unread": "not read", "agrees_sound": "agrees with the sound rule"},
            **{"agrees_published": "with the published rule", "judge_only": "judge alone", "rule_only": "rule alone"},
        },
    )


def unread_ratings(tables: Frames) -> list[dict[str, Any]]:
    """Count the ratings and checks without a number, by judge, rubric and reason."""
    rows = []
    for name, what in (("ratings", "rating"), ("checks", "check of own work")):
        frame = tables.get(name)
        if frame is None or not len(frame):
            continue
        by = [column for column in ("run", "judge", "rubric") if column in frame.columns]
        for key, part in groups(frame, by):
            reasons = part["reason"].fillna("")
            said = f"{what} of {key['rubric']}" if "rubric" in key else what
            for reason, n in reasons[reasons != ""].value_counts().items():
                rows.append(
                    {
                        **{column: key[column] for column in by if column == "run"},
                        "what": f"{said}, judge {key['judge']}",
                        "why": str(reason),
                        "n": int(n),
                        "of": len(part),
                    }
                )
    return rows

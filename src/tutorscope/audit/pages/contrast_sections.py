"""The page on policies side by side: what judges make of them, and what the rules see without any judge."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from tutorscope.audit.figures import coupling, coupling_by_policy, gaps, ratings_by_policy
from tutorscope.audit.pages.shown import PAIR, Shown, Study, fits, only_pair
from tutorscope.audit.pages.views import (
    AMOUNTS,
    VIEW,
    WORDS,
    known,
    p_words,
    signed,
    span,
    tidy,
    view_key,
    without_empty,
    without_single,
)
from tutorscope.audit.published import (
    BASES,
    DIFFERENT_INSTRUMENT,
    JUDGES,
    published_base,
    published_judge,
    published_value,
)
from tutorscope.pictures.blocks import Block, Prose, Table
from tutorscope.stats.intervals import ALIKE, no_width
from tutorscope.texts.words import counted

JUDGED = ("helpfulness", "pedagogy")
_ENDS = ("low", "high")
_LABELS = {"pair": "policies", "n": "pairs", "n_unpaired": "without a pair", "reason": "why not"}
_P = dict.fromkeys(("p", "leak_p", "work_p", "slope_p"), "{:.2g}")


def contrast_blocks(shown: Shown, held: Study) -> Iterator[Block]:
    """Lay out what judges make of the policies (the paper's Figure 2 and Table 2a)."""
    for pair in held.pairs:
        figure = gaps(shown, pair)
        if figure is not None:
            yield figure
    yield from ratings_by_policy(shown)
    rows = list(_judged_rows(shown, held))
    if rows:
        frame = tidy(pd.DataFrame(rows), whole=("n",))
        yield Table(
            "judged_gaps",
            "Mean gap between two policies in judged helpfulness and pedagogy (1 to 5), paired by replicate: mean "
            "difference of the first less the second, its 95\u00a0% bootstrap interval, Cliff's delta (of unpaired "
            "sessions: it may have another sign) and the signed-rank p. Judges are never averaged."
            f"{only_pair(held.pairs)}",
            frame,
            {"gap": "{:+.3f}", "delta": "{:+.2f}", **_P},
            {**_LABELS, "interval": "95\u00a0%", "delta": "δ"},
        )
        if "source" in frame.columns:
            yield Prose(
                f"{_source(shown)} Its pedagogical policy was built on what the pedagogy rubric rewards.", "note"
            )
    other = [row for row in _contrasts(shown, held) if row["measure"] not in JUDGED]
    shares = [row for row in other if row["measure"] not in AMOUNTS]
    amounts = [row for row in other if row["measure"] in AMOUNTS]
    if shares:
        said = "The same pairs of policies on what else is measured in a session: shares of turns and of problems."
        yield _contrast_table("contrasts", said, shares, "{:.3f}")
    if amounts:
        yield _contrast_table("contrasts_amounts", "The same pairs on how much was said.", amounts, "{:,.1f}")


def process_blocks(shown: Shown, held: Study) -> Iterator[Block]:
    """Lay out leaks and the student's work, which no judge has a part in (the paper's Figure 3 and Table 2b)."""
    figure = coupling(shown)
    if figure is not None:
        yield figure
    within = coupling_by_policy(shown)
    if within is not None:
        yield within
    rows = list(_process_rows(shown, held))
    if rows:
        shares = ["n", *(f"{what}_{end}" for what in ("leak", "work") for end in ("first", "second", "delta", "p"))]
        slopes = ["turns", "leaky", "slope", "slope_interval", "slope_p", "reason"]
        # Tidied together: what tells the rows of the one apart tells those of the other.
        frame = without_single(tidy(pd.DataFrame(rows), whole=("n", "turns", "leaky")), "pair")
        named = [name for name in (*VIEW, "pair", "source") if name in frame.columns]
        yield Table(
            "process",
            "What the rules see, without any judge. Shares are means over sessions of the first and the second policy, "
            f"with Cliff's delta and the signed-rank p.{only_pair(held.pairs)}",
            frame[[*named, *shares]],
            {
                **dict.fromkeys(("leak_first", "leak_second", "work_first", "work_second"), "{:.3f}"),
                **{"leak_delta": "{:+.2f}", "work_delta": "{:+.2f}"},
                **_P,
            },
            {
                **_LABELS,
                **{"leak_first": "given away: first", "leak_second": "second", "leak_delta": "δ", "leak_p": "p"},
                **{"work_first": "own work: first", "work_second": "second", "work_delta": "δ", "work_p": "p"},
            },
        )
        if frame["turns"].notna().any():
            yield Table(
                "slopes",
                "After a leak: the pooled change in own work of the next student turn, over all turns of both policies."
                f"{only_pair(held.pairs)}",
                without_empty(frame[[*named, *(name for name in slopes if name in frame.columns)]], "leaky"),
                {"slope": "{:+.3f}", **_P},
                {**_LABELS, "slope_interval": "95\u00a0%", "slope_p": "p", "reason": "why not"},
            )
        if "source" in frame.columns:
            yield Prose(_source(shown), "note")
    fitted = list(_fit_rows(shown))
    if fitted:
        pairs = list(dict.fromkeys(row["policies"] for row in fitted))
        whose = f"the turns of {pairs[0].replace(', ', ' and ')}" if len(pairs) == 1 else "the turns of two policies"
        second = pairs[0].partition(", ")[2] if len(pairs) == 1 else "second policy"
        yield Table(
            "mixed",
            f"Turn by turn: what a leak goes with, over {whose}. Crossed mixed models (replicates and problems vary), "
            "fitted by maximum likelihood; pooled over both policies, or adjusted for policy: what the second of them "
            "has more. A leak is not assigned at random: these are associations.",
            without_single(tidy(pd.DataFrame(fitted), whole=("n", "n_leaky")), "policies"),
            {"beta_leak": "{:+.3f}", "beta_policy": "{:+.3f}", "p_leak": "{:.2g}", "p_policy": "{:.2g}"},
            {
                **{"beta_leak": "leak", "leak_interval": "95\u00a0%", "p_leak": "p", "beta_policy": second},
                **{"p_policy": "p", "n": "turns", "n_leaky": "leaky", "reason": "why not"},
            },
        )


def contrast_lines(shown: Shown) -> Iterator[str]:
    """Say what the user asked: a line for each named pair of policies and view."""
    asked: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for row in shown.rows("contrasts", budget="full", measure=("leakage", "independence", *JUDGED)):
        if row["asked"]:
            asked.setdefault((view_key(row), row["first"], row["second"]), []).append(row)
    for (key, first, second), rows in asked.items():
        of = f" ({shown.names[key]})" if shown.names.get(key) else ""
        reasons = list(dict.fromkeys(str(row["reason"]) for row in rows))
        nothing = len(reasons) == 1 and not any(row["n"] for row in rows)
        said = [f"not computable, {reasons[0]}"] if nothing else [_said(row) for row in rows]
        yield f"{first} less {second}{of}: {'; '.join(said)}"


def _said(row: Mapping[str, Any]) -> str:
    what = WORDS[row["measure"]] + (f" ({row['judge']})" if row["judge"] else "")
    if row["mean_difference"] is None:
        return f"{what} not computable ({row['reason']})"
    scale, form, unit = (1, "{:+.2f}", "") if row["measure"] in JUDGED else (100, "{:+.0f}", " points of 100")
    value, *ends = (signed(scale * row[end], form) if known(row[end]) else "" for end in ("mean_difference", *_ENDS))
    alike = all(ends) and no_width(*(row[end] for end in _ENDS))
    between = ALIKE if alike else f"{ends[0]} to {ends[1]}" if all(ends) else "no interval"
    return f"{what} {value}{unit} ({between}, {p_words(row['p'])}, {counted(row['n'], 'pair')})"


def _contrasts(shown: Shown, held: Study) -> list[dict[str, Any]]:
    rows = shown.rows("contrasts", budget="full")
    return [row for row in rows if (row["first"], row["second"]) in held.pairs]


def _contrast_table(name: str, caption: str, rows: Sequence[Mapping[str, Any]], form: str) -> Table:
    laid, difference = [], form.replace("{:", "{:+")
    for row in rows:
        line = {**{key: row[key] for key in VIEW}, "pair": f"{row['first']} − {row['second']}"}
        line |= {"measure": WORDS.get(row["measure"], row["measure"])}
        line |= {key: row[key] for key in ("n", "n_unpaired", "mean_first", "mean_second", "mean_difference")}
        line |= {"interval": span(row["low"], row["high"], difference)}
        line |= {"delta": row["cliffs_delta"], "p": row["p"]}
        laid.append({**line, "reason": row["reason"] or None})
    frame = tidy(pd.DataFrame(laid), whole=("n", "n_unpaired"))
    if not frame["n_unpaired"].fillna(0).any():
        frame = frame.drop(columns="n_unpaired")
    return Table(
        name,
        f"{caption}{only_pair(dict.fromkeys((row['first'], row['second']) for row in rows))}",
        without_single(without_empty(frame, "reason"), "pair"),
        {"mean_first": form, "mean_second": form, "mean_difference": difference, "delta": "{:+.2f}", **_P},
        {
            **_LABELS,
            **{"mean_first": "first", "mean_second": "second"},
            **{"mean_difference": "difference", "interval": "95\u00a0%", "delta": "δ"},
        },
    )


def _judged_rows(shown: Shown, held: Study) -> Iterator[dict[str, Any]]:
    """Give a row for each rubric, judge and pair, and under it the paper's where there is one."""
    rows = [row for row in _contrasts(shown, held) if row["measure"] in JUDGED and row["judge"]]
    judges = list(dict.fromkeys(row["judge"] for row in rows))
    several = len(held.pairs) > 1
    for row in sorted(rows, key=lambda row: JUDGED.index(row["measure"])):
        who = {"rubric": row["measure"], **{name: row[name] for name in VIEW}, "judge": row["judge"]}
        if several:
            who |= {"pair": f"{row['first']} − {row['second']}"}
        line = {**who, "source": "this run", "n": row["n"], "gap": row["mean_difference"]}
        line |= {"interval": span(row["low"], row["high"], "{:+.3f}"), "delta": row["cliffs_delta"], "p": row["p"]}
        yield {**line, "reason": row["reason"] or None}
        place = judges.index(row["judge"])
        if (row["first"], row["second"]) == PAIR and place < len(JUDGES):
            base, judge = published_base(row["base"]) or BASES[0], published_judge(row["judge"]) or JUDGES[place]
            yield {**who, "source": f"published: {base}, {judge}", **_published_gap(base, judge, row["measure"])}


def _published_gap(base: str, judge: str, measure: str) -> dict[str, Any]:
    of = {"base": base, "judge": judge, "measure": measure}
    low, high = (published_value(f"gap_{end}", **of) for end in ("low", "high"))
    line: dict[str, Any] = {"n": 10, "gap": published_value("gap", **of), "interval": span(low, high, "{:+.3f}")}
    return {**line, "delta": published_value("cliffs_delta", **of), "p": published_value("p", **of), "reason": None}


def _process_rows(shown: Shown, held: Study) -> Iterator[dict[str, Any]]:
    found: dict[tuple[Any, ...], dict[str, dict[str, Any]]] = {}
    for row in _contrasts(shown, held):
        if row["measure"] in ("leakage", "independence"):
            found.setdefault((*view_key(row), row["first"], row["second"]), {})[row["measure"]] = row
    slopes: dict[tuple[Any, ...], Mapping[str, Any]] = {}
    for row in shown.rows("mixed", budget="full", outcome="next_independent", spec="pooled"):
        slopes.setdefault((*view_key(row), row["first"], row["second"]), row)
    for key, rows in found.items():
        who = {**dict(zip(VIEW, key[:3], strict=True)), "pair": f"{key[3]} − {key[4]}"}
        line: dict[str, Any] = {**who, "source": "this run", "n": max(row["n"] for row in rows.values())}
        for short, measure in (("leak", "leakage"), ("work", "independence")):
            row = rows.get(measure, {})
            line |= {f"{short}_first": row.get("mean_first"), f"{short}_second": row.get("mean_second")}
            line |= {f"{short}_delta": row.get("cliffs_delta"), f"{short}_p": row.get("p")}
        slope = slopes.get(key, {})
        line |= {"turns": slope.get("n"), "leaky": slope.get("n_leaky"), "slope": slope.get("beta_leak")}
        line |= {"slope_interval": span(slope.get("low_leak"), slope.get("high_leak"), "{:+.3f}")}
        yield {**line, "slope_p": slope.get("p_leak"), "reason": slope.get("reason") or None}
        if (key[3], key[4]) == PAIR:
            base = published_base(key[2]) or BASES[0]
            yield {**who, "source": f"published: {base}", **_published_process(base)}


def _published_process(base: str) -> dict[str, Any]:
    leak = {"base": base, "measure": "leakage"}
    slope = {"base": base, "outcome": "next_independent", "spec": "pooled"}
    work = {"base": base, "measure": "independence"}
    return {
        "n": 10,
        "leak_first": published_value("mean", policy=PAIR[0], **leak),
        "leak_second": published_value("mean", policy=PAIR[1], **leak),
        "leak_delta": published_value("cliffs_delta", **leak),
        "leak_p": published_value("p", **leak),
        "work_p": published_value("p", **work),
        "turns": published_value("turns", base=base),
        "slope": published_value("slope", **slope),
        "slope_p": published_value("slope_p", **slope),
    }


def _fit_rows(shown: Shown) -> Iterator[dict[str, Any]]:
    seen: set[tuple[Any, ...]] = set()
    for row in fits(shown):
        # The student's work is the same whoever judged: told once.
        judge = "" if row["outcome"] == "next_independent" else row["judge"]
        pair = f"{row['first']}, {row['second']}"
        key = (*view_key(row), pair, judge, row["outcome"], row["spec"])
        if key in seen:
            continue
        seen.add(key)
        yield {
            **{name: row[name] for name in VIEW},
            "policies": pair,
            "outcome": WORDS[row["outcome"]],
            "judge": judge or None,
            **{name: row[name] for name in ("spec", "n", "n_leaky", "beta_leak")},
            "leak_interval": span(row["low_leak"], row["high_leak"], "{:+.3f}"),
            **{name: row[name] for name in ("p_leak", "beta_policy", "p_policy")},
            "reason": row["reason"] or None,
        }


def _source(shown: Shown) -> str:
    if shown.alone:
        return "Published values are the paper's. Where these tables are not, they come from another instrument."
    return DIFFERENT_INSTRUMENT

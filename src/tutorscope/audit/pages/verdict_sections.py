"""The page on what was predicted: verdicts, budgets, components, and what could have been seen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from tutorscope.audit.inference.claims import Claims
from tutorscope.audit.inference.verdicts import is_judged
from tutorscope.audit.pages.shown import PAIR, Shown, Study, only_pair
from tutorscope.audit.pages.views import (
    AMOUNTS,
    VIEW,
    WORDS,
    Key,
    span,
    tidy,
    view_key,
    without_empty,
    without_single,
)
from tutorscope.audit.published import (
    BASES,
    DIFFERENT_INSTRUMENT,
    published_verdict,
)
from tutorscope.pictures.blocks import Block, Prose, Table

SENSITIVITY = "sensitivity"
JUDGED = ("helpfulness", "pedagogy")
_SIGNS = {"supported": "✓", "not supported": "✗", "inconclusive": "○"}
_OWN_LABELS = {"p_holm": "p (Holm)", "n": "pairs", "n_unpaired": "without a pair", "reason": "why not"}
_P = dict.fromkeys(("p", "p_holm"), "{:.2g}")


def verdict_blocks(shown: Shown, held: Study) -> Iterator[Block]:
    """Lay out a verdict for each claim and base (the paper's Table 1), then what it rests on."""
    rows = shown.rows("claims")
    if not rows:
        return
    own = [row for row in rows if row["role"] != SENSITIVITY]
    judged = {claim.id for claim in held.claims.claims if is_judged(claim, held.claims)}
    others = [row for row in rows if row["role"] == SENSITIVITY and row["id"] in judged]
    judges = list(dict.fromkeys(row["judge"] for row in own if row["judge"]))
    if all(row["verdict"] == "not computable" for row in own):
        yield Prose(
            f"The claims are about {' and '.join(held.claims.pair)}; none can be computed here: {_reasons(own)}.",
            "note",
        )
        return
    who = f" The frozen judge is {judges[0]}." if len(judges) == 1 else ""
    yield Prose(
        f"A claim is supported where its two-sided p lies below {held.claims.alpha:g} and its effect has the sign that "
        "was predicted. A check of the manipulation that does not separate the policies is inconclusive; a significant "
        f"effect against the prediction is called reversed.{who}"
    )
    if held.others:
        yield Prose("These runs have several files of claims; the wording is that of the first.", "note")
    yield _verdict_grid(shown, held.claims, own)
    everywhere = _common_deviations(own)
    if everywhere:
        yield Prose(f"Departs from the plan, for every claim: {'; '.join(everywhere)}.", "warning")
    yield _details("claims", "What each verdict rests on.", own, everywhere)
    if others:
        caption = (
            "The claims that a judge has a part in, under the other judges: a sensitivity, which replaces no verdict."
        )
        yield _details("claims_other_judges", caption, others, everywhere)


def budget_blocks(shown: Shown, held: Study) -> Iterator[Block]:
    """Lay out what stays of the verdicts at an equal number of visible turns, per token, and under other tests."""
    counts = [row for row in shown.rows("budget") if row["n_cells"]]
    checks = shown.rows("sensitivities")
    if counts:
        frame = pd.DataFrame(counts)
        kept = [*VIEW, "n_cells", "dropped", "turns_full", "turns_matched"]
        kept += ["leaky_first_full", "leaky_second_full", "leaky_first", "leaky_second", "underpowered"]
        yield Prose(
            "Policies need not take equally many turns. Of each problem and replicate both keep their first K tutor "
            "turns, K being the smaller of the two counts; where that is none, the problem is dropped for both."
        )
        yield Table(
            "budget",
            "Turns before and after matching, of the two policies of the claims together; leaky ones of the first and "
            f"the second.{only_pair([held.claims.pair])}",
            without_single(tidy(frame[kept])),
            {},
            {
                **{"n_cells": "problems × replicates", "turns_full": "turns", "turns_matched": "matched"},
                **{"leaky_first_full": "leaky: first", "leaky_second_full": "second"},
                **{"leaky_first": "matched: first", "leaky_second": "second"},
            },
        )
        few = [row for row in counts if row["underpowered"]]
        if few:
            floor = held.claims.budget.leaky_floor
            yield Prose(
                f"With fewer than {floor} leaky turns a policy says little about leaks: "
                f"{'; '.join(_named_few(shown, row) for row in few)}.",
                "note",
            )
    if checks:
        yield Table(
            "sensitivities",
            f"The claims about {' and '.join(held.claims.pair)} once more, each with one choice made otherwise: equal "
            "turns, counts per thousand tutor tokens, or another test of the coupling. None of it enters a verdict.",
            without_single(_verdict_frame(checks, ["sensitivity", "id"], ["changed"])),
            {"effect": "{:+.3f}", "p": "{:.2g}"},
            {"id": "claim", "interval": "95\u00a0%", "reason": "why not"},
        )


def component_blocks(held: Study) -> Iterator[Block]:
    """Lay out when each part of the study was fixed and what could be seen by then (the paper's Table 4)."""
    components = held.claims.components
    if not components:
        return
    whose = (
        f"As your file of claims states it ({held.claims.study or 'no name'})."
        if held.own
        else "These are the components of the paper's study, as its authors registered, amended or added them. They "
        "say nothing of your own study: its components stand here when your own file of claims (--claims) lists them."
    )
    yield Prose(f"{whose} What was fixed after its data could be seen enters no verdict.")
    rows = [
        {
            "component": one.name,
            "status": one.status,
            "specified": one.specified,
            "evidence visible then": one.evidence,
            "role": one.role,
            "in verdicts": "yes" if one.in_verdicts else "no",
        }
        for one in components
    ]
    yield Table(
        "components", f"Status of each component of {'your' if held.own else 'the paper’s'} study.", pd.DataFrame(rows)
    )


def detectable_blocks(shown: Shown, held: Study) -> Iterator[Block]:
    """Lay out the smallest difference that so many replicates would have found."""
    rows = shown.rows("detectable")
    if not rows:
        return
    yield Prose(
        "A contrast that was not found is no proof that there is none. With the spread that was seen between "
        f"replicates, the signed-rank test would have found a true mean difference of {' and '.join(held.claims.pair)} "
        "of this size in four of five studies like this one."
    )
    if all(row["effect_80"] is None for row in rows):
        yield Prose(f"Nothing can be said here: {_by_measure(rows)}.", "note")
        return
    said = "Smallest mean difference found in 80\u00a0% of simulated studies; sd is that of the differences."
    for name, whole, form in (("detectable", False, "{:.3f}"), ("detectable_amounts", True, "{:,.1f}")):
        part = [
            {
                **row,
                "judge": row["judge"] or None,
                "reason": row["reason"] or None,
                "measure": WORDS.get(row["measure"], row["measure"]),
            }
            for row in rows
            if (row["measure"] in AMOUNTS) == whole
        ]
        if any(row["effect_80"] is not None for row in part):
            columns = [*VIEW, "judge", "measure", "n", "sd", "effect_80", "reason"]
            frame = tidy(pd.DataFrame(part)[columns], whole=("n",))
            yield Table(
                name,
                said if not whole else "The same of how much was said.",
                without_single(without_empty(frame, "judge", "reason")),
                {"sd": form, "effect_80": form},
                {"effect_80": "found from", "n": "pairs", "reason": "why not"},
            )


def _by_measure(rows: Sequence[Mapping[str, Any]]) -> str:
    """Give each reason with the measures that it is about; what most of them say needs none."""
    found: dict[str, list[str]] = {}
    for row in rows:
        found.setdefault(str(row["reason"]), []).append(WORDS.get(row["measure"], row["measure"]))
    most = max(found, key=lambda reason: len(found[reason]))
    others = [f"{why} ({', '.join(dict.fromkeys(of))})" for why, of in found.items() if why != most]
    return "; ".join([most, *others])


def verdict_lines(shown: Shown, held: Study) -> Iterator[str]:
    """Say the frozen judge's verdicts in a line a view; of the user's own claims also that none can be computed."""
    views: dict[Key, list[dict[str, Any]]] = {}
    for row in shown.rows("claims"):
        if row["role"] not in (SENSITIVITY, "leg"):
            views.setdefault(view_key(row), []).append(row)
    for key, rows in views.items():
        nothing = all(row["verdict"] == "not computable" for row in rows)
        if nothing and not held.own:
            continue
        judge = f", judge {rows[0]['judge']}" if rows[0]["judge"] else ", no judge"
        of = f" ({shown.names[key]})" if shown.names.get(key) else ""
        said = "; ".join(f"{row['id']} {row['verdict']}" for row in rows)
        yield f"claims{of}{judge}: {f'not computable, {_reasons(rows)}' if nothing else said}"


def _verdict_grid(shown: Shown, claims: Claims, rows: Sequence[Mapping[str, Any]]) -> Table:
    views = list(dict.fromkeys(map(view_key, rows)))
    found = {(view_key(row), row["id"]): row for row in rows}
    papers = claims.pair == PAIR
    grid = []
    for claim in claims.claims:
        if claim.role == "leg":
            continue
        line: dict[str, Any] = {"claim": claim.id, "says": claim.says or claim.direction}
        for number, key in enumerate(views):
            row = found.get((key, claim.id))
            line[f"view_{number}"] = _verdict(row["verdict"]) if row else None
        for number, base in enumerate(BASES):
            verdict = published_verdict(claim.id, base) if papers else None
            line[f"paper_{number}"] = _verdict(verdict) if verdict else None
        grid.append(line)
    frame = pd.DataFrame(grid)
    papers_columns = [name for name in frame.columns if name.startswith("paper_")]
    frame = frame.drop(columns=[name for name in papers_columns if frame[name].isna().all()])
    labels = {f"view_{n}": shown.names[key] or "this run" for n, key in enumerate(views)}
    labels |= {f"paper_{n}": f"paper: {base}" for n, base in enumerate(BASES)}
    said = f" {DIFFERENT_INSTRUMENT}" if any(name in frame.columns for name in papers_columns) else ""
    caption = f"Each claim about {' and '.join(claims.pair)} and its verdict, by base, under the frozen judge.{said}"
    return Table("verdicts", caption, frame, {}, labels)


def _verdict(verdict: str) -> str:
    sign = _SIGNS.get(verdict.partition(",")[0], "")
    return f"{sign} {verdict}".strip()


def _details(name: str, caption: str, rows: Sequence[Mapping[str, Any]], everywhere: Sequence[str]) -> Table:
    left = [
        {**row, "deviations": "; ".join(one for one in _deviations(row) if one not in everywhere) or None}
        for row in rows
    ]
    frame = _verdict_frame(left, ["id", "test", "direction"], ["p_holm", "deviations"])
    return Table(
        name,
        caption,
        without_single(frame, "judge", "test"),
        {"effect": "{:+.3f}", **_P},
        {"id": "claim", "interval": "95\u00a0%", **_OWN_LABELS},
    )


def _verdict_frame(rows: Sequence[Mapping[str, Any]], first: Sequence[str], last: Sequence[str]) -> pd.DataFrame:
    laid = []
    for row in rows:
        line = {name: row[name] for name in [*VIEW, *first]} | {"judge": row["judge"] or None}
        low, high = row["interval"] if row["interval"] is not None else (None, None)
        line |= {
            "effect": row["effect"],
            "interval": span(low, high, "{:+.3f}"),
            "p": row["p"],
            "verdict": row["verdict"],
        }
        laid.append({**line, **{name: row[name] or None for name in last}, "reason": row["reason"] or None})
    frame = pd.DataFrame(laid)
    for name in ("effect", "p", "p_holm"):
        if name in frame.columns:
            frame[name] = pd.to_numeric(frame[name])
    for name in ("test", "direction"):
        if name in frame.columns:
            frame[name] = frame[name].str.replace("_", " ")
    return without_empty(frame, "p_holm", "deviations", "reason", "changed")


def _deviations(row: Mapping[str, Any]) -> list[str]:
    return [one for one in str(row["deviations"] or "").split("; ") if one]


def _common_deviations(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    sets = [set(_deviations(row)) for row in rows]
    common = set.intersection(*sets) if sets else set()
    return [one for one in _deviations(rows[0]) if one in common] if rows else []


def _named_few(shown: Shown, row: Mapping[str, Any]) -> str:
    of = shown.names.get(view_key(row))
    return f"{row['underpowered']}{f' ({of})' if of else ''}"


def _reasons(rows: Sequence[Mapping[str, Any]]) -> str:
    return "; ".join(dict.fromkeys(str(row["reason"]) for row in rows if row["reason"])) or "no reason is recorded"

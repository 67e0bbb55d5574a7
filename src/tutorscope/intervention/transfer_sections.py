"""The page on what help does: to the answer at hand, to the next problem, and what kind of help it was."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd

from tutorscope.intervention.figures import help_shares, net_help, next_problem
from tutorscope.intervention.frames import ALL, VIEW, groups, plain_rows
from tutorscope.intervention.published import MODELS, PEOPLE, TAXONOMY, published_value
from tutorscope.intervention.shown import (
    CONDITIONS,
    HOWS,
    Row,
    Shown,
    concise,
    domain_name,
    domains,
    several,
    span,
    tidy,
)
from tutorscope.pictures.blocks import Block, Prose, Table

_CONTEXTS = {"none": "no context", "problem": "its own attempt", "intervention": "the assisted attempt"}
_DIMENSIONS = {"role": "What messages do for the student", "leakage": "How much of the solution messages reveal"}
_SHARES = ("helpful", "no_change", "harmful")
_FORMATS = {
    **{"h": "{:+.2f}", "g": "{:+.2f}", "accuracy": "{:.2f}", "value": "{:.1%}", "published": "{:.1%}"},
    **dict.fromkeys(_SHARES, "{:.1%}"),
    **{"agreement": "{:.0%}", "ac1": "{:.2f}"},
}
_LABELS = {
    **{"h": "H", "g": "G", "h_interval": "95\u00a0%", "g_interval": "95\u00a0%", "accuracy_interval": "95\u00a0%"},
    **{"value": "right", "value_interval": "95\u00a0%", "published": "the paper's", "missing": "no verdict"},
    **{"no_change": "no change", "no_answer": "no answer", "ac1": "AC1", "ac1_interval": "95\u00a0%"},
}


def accuracy_blocks(shown: Shown) -> Iterator[Block]:
    """Lay out how often the student is right alone."""
    found = shown.rows("accuracy", judged=True)
    rows = []
    for domain in domains(found, pooled=True):
        for row in (one for one in found if one["domain"] == domain):
            line = {name: row[name] for name in VIEW if name in shown.varied} | {"domain": domain_name(domain)}
            line |= {name: row[name] for name in ("n", "missing", "no_answer", "value")}
            line |= {"value_interval": span(row["low"], row["high"])}
            rows.append({**line, "published": published_value("accuracy", domain=domain)})
    if rows:
        yield Table(
            "accuracy",
            "How often the student is right alone. Without an answer that can be read it counts as wrong, and is "
            "counted.",
            tidy(pd.DataFrame(rows), whole=("n", "missing", "no_answer")),
            _FORMATS,
            _LABELS,
        )


def help_blocks(shown: Shown) -> Iterator[Block]:
    """Lay out whether help helps at once (the paper's Figure 3 and Table 2)."""
    figures = [figure for draw in (help_shares, net_help) if (figure := draw(shown)) is not None]
    rows = list(_help_rows(shown))
    if not rows:
        return
    yield Prose(
        "After an intervention the student goes on from that point: reasoning further (Standard-Continue, "
        "Oracle-Continue) or answering at once (Stop-and-Answer). H is the share of answers that turned right less "
        "the share that turned wrong. Where answering at once helps as much as going on, the message may have held "
        "the answer."
    )
    yield from figures
    yield Table(
        "helpfulness",
        "What interventions changed. n counts those with a verdict before and after; no verdict, all others: without a "
        f"point to go on from, undecided, or not gone on with yet.{shown.main_said()}",
        tidy(pd.DataFrame(rows), whole=("n", "missing")),
        _FORMATS,
        _LABELS,
    )
    yield Table(
        "episodes_used",
        "Interventions that each analysis rests on, over all tutors.",
        tidy(pd.DataFrame(list(_used(shown)))),
    )


def next_blocks(shown: Shown) -> Iterator[Block]:
    """Lay out whether help carries over to the next problem (the paper's Figure 4)."""
    figure = next_problem(shown)
    if figure is not None:
        yield figure
    found = concise(shown.rows("transfer", judged=True))
    several_sets = len({row["set"] for row in found}) > 1
    rows = []
    for domain in domains(found, pooled=True):
        for row in (one for one in found if one["domain"] == domain):
            line = {name: row[name] for name in VIEW if name in shown.varied} | {"domain": domain_name(domain)}
            line |= {"set": row["set"]} if several_sets else {}
            line |= {"context": _CONTEXTS.get(row["context"], row["context"])}
            line |= {"tutor": shown.tutor(row) if row["context"] == "intervention" else None, "source": "this run"}
            line |= {name: row[name] for name in ("n", "missing", "accuracy", "g")}
            line |= {"accuracy_interval": span(row["accuracy_low"], row["accuracy_high"])}
            rows.append({**line, "g_interval": span(row["low"], row["high"], "{:+.2f}")})
            said = published_value("g", tutor=ALL, context=row["context"], domain=domain)
            if said is not None and row["tutor"] in (ALL, *_lonely(found)):
                names = {name: line[name] for name in ("domain", "context", "tutor")}
                rows.append({**names, "source": "published", "g": said})
    if rows:
        order = [name for name in rows[0] if name not in ("g", "g_interval")] + ["g", "g_interval"]
        yield Table(
            "transfer",
            "The next problem, by what the student has in view. With a context n counts pairs with a verdict on both "
            "sides, and G is the difference to no context on them.",
            tidy(pd.DataFrame(rows)[order], whole=("n", "missing")),
            _FORMATS,
            _LABELS,
        )


def kind_blocks(shown: Shown) -> Iterator[Block]:
    """Lay out the kinds of help (the paper's Table 1), a column for each tutor and condition."""
    frame = shown.numbers["categories"]
    held = frame[[row["domain"] == ALL and shown.is_main(row) for row in plain_rows(frame)]]
    lists = list(groups(held, ["run", "judge", "taxonomy", "dimension"]))
    for key, part in lists:
        rows = several(plain_rows(part))
        alone = any(row["tutor"] == ALL and not row["people"] for row in rows)
        # People and all tutors together, as in the paper; then each tutor, if there are several.
        each = [row for row in rows if alone and not row["people"] and row["tutor"] != ALL]
        yield _kinds(shown, key, [row for row in rows if row not in each], beside=key["taxonomy"] == "published")
        if each:
            yield _kinds(shown, key, each, beside=False)
    if any(key["taxonomy"] == "published" for key, _ in lists):
        yield Prose(
            "The paper's shares are of its thirty teasers: people's, and those of its four tutors together. They come "
            "from a different instrument.",
            "note",
        )
    agreement = shown.numbers["category_agreement"]
    if len(agreement):
        rows = [
            {
                **{name: row[name] for name in ("run", "taxonomy", "dimension", "first", "second", "n", "left_out")},
                **{"agreement": row["agreement"], "ac1": row["ac1"], "ac1_interval": span(row["low"], row["high"])},
            }
            for row in plain_rows(agreement)
        ]
        yield Table(
            "kinds_agreement",
            "How far two judges put the same messages into the same categories: share of equal labels, and Gwet's AC1.",
            tidy(pd.DataFrame(rows), whole=("n", "left_out")),
            _FORMATS,
            {**_LABELS, "left_out": "labelled by one alone"},
        )


def _kinds(shown: Shown, key: Row, rows: list[Row], *, beside: bool) -> Table:
    columns: dict[str, str] = {}
    lines: dict[str, dict[str, Any]] = {}
    for row in rows:
        name = f"{shown.who(row)}, {CONDITIONS[row['condition']]}"
        unread = f", {row['missing']:,} not labelled" if row["missing"] else ""
        columns[name] = f"{name} {row['of']:,}{unread}"
        lines.setdefault(row["category"], {"category": row["category"]})[name] = row["share"]
    if beside:
        for category, line in lines.items():
            line |= _published_shares(key["dimension"], category)
    laid = pd.DataFrame(list(lines.values()))
    whose = "the paper's categories" if key["taxonomy"] == "published" else f"taxonomy {key['taxonomy']}"
    of = f", run {key['run']}" if "run" in shown.varied else ""
    return Table(
        f"kinds_{key['dimension']}",
        f"{_DIMENSIONS.get(key['dimension'], key['dimension'])}: shares of the messages of a tutor and condition, "
        f"labelled by {key['judge'] or 'nobody'} with {whose}{of}. Messages: {'; '.join(columns.values())}."
        f"{shown.main_said()}",
        laid,
        dict.fromkeys(laid.columns[1:], "{:.1%}"),
    )


def _help_rows(shown: Shown) -> Iterator[dict[str, Any]]:
    found = [row for row in concise(shown.rows("helpfulness", judged=True)) if shown.is_main(row)]
    for domain in domains(found, pooled=True):
        for row in (one for one in found if one["domain"] == domain):
            line = {name: row[name] for name in VIEW if name in shown.varied} | {"domain": domain_name(domain)}
            line |= {"tutor": shown.tutor(row), "going on": _held(HOWS[row["how"]]), "source": "this run"}
            line |= {name: row[name] for name in ("n", "missing", "h")}
            line |= {"h_interval": span(row["low"], row["high"], "{:+.2f}")}
            yield {**line, **{name: row[name] for name in _SHARES}}
            of = {"tutor": ALL, "domain": domain, "how": row["how"]}
            if published_value("h", **of) is not None and not row["people"] and row["tutor"] in (ALL, *_lonely(found)):
                names = {name: line[name] for name in ("domain", "tutor", "going on")}
                values = {name: published_value(name, **of) for name in ("h", "helpful", "harmful")}
                yield {**names, "source": "published", **values}


def _used(shown: Shown) -> Iterator[dict[str, Any]]:
    found = [row for row in shown.rows("helpfulness", judged=True) if shown.is_main(row) and row["tutor"] == ALL]
    order = domains(found, pooled=True)
    lines: dict[tuple[Any, ...], dict[str, Any]] = {}
    for row in found:
        names = {name: row[name] for name in VIEW if name in shown.varied}
        who = f"{HOWS[row['how']]}, people" if row["people"] else HOWS[row["how"]]
        line = lines.setdefault((*names.values(), who), {**names, "going on": who, "source": "this run"})
        line[domain_name(row["domain"])] = row["n"]
    yield from lines.values()
    for how, name in HOWS.items():
        counts = {domain_name(d): published_value("episodes", tutor=ALL, domain=d, how=how) for d in order}
        if any(row["how"] == how for row in found):
            held = {domain: None if n is None else int(n) for domain, n in counts.items()}
            yield {"going on": name, "source": "published", **held}


def _lonely(found: list[Row]) -> list[str]:
    """Name the only tutor of a page, whose row stands for all."""
    names = {row["tutor"] for row in found if not row["people"]} - {ALL, ""}
    return list(names) if len(names) == 1 else []


def _held(name: str) -> str:
    """Keep a name with a hyphen on one line."""
    return name.replace("-", "\u2011")


def _published_shares(dimension: str, category: str) -> dict[str, float | None]:
    if category not in TAXONOMY.get(dimension, ()):
        return {}
    return {
        f"paper: {who}, {CONDITIONS[condition]}": published_value(
            "share", dimension=dimension, category=category, who=who, condition=condition
        )
        for who in (PEOPLE, MODELS)
        for condition in CONDITIONS
    }

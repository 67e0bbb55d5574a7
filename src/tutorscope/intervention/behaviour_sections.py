"""The page on what tutors do: how often and when they step in, people beside models, and what changes it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from tutorscope.intervention.behaviour import LOST, MEASURES
from tutorscope.intervention.figures import frequency, frequency_when_right, timing, timing_in_characters
from tutorscope.intervention.frames import ALL, SETTING, VIEW, Frames
from tutorscope.intervention.people_figures import people_and_models, problem_timing
from tutorscope.intervention.published import (
    TUTORS,
    published,
    published_behaviour,
    published_people,
    published_tutor,
    published_value,
)
from tutorscope.intervention.shown import (
    CONDITIONS,
    Row,
    Shown,
    concise,
    domain_name,
    domains,
    known,
    several,
    span,
    tidy,
)
from tutorscope.pictures.blocks import Block, Prose, Table

_LABELS = {
    **{"phi": "φ", "phi_correct": "φ right", "phi_incorrect": "φ wrong", "n_right": "n right"},
    **{"tau_rel": "τ rel", "tau_abs": "τ abs"},
    **{f"{name}_interval": "95\u00a0%" for name in ("phi", "tau_rel", "difference")},
    **{"missing": "not read", "no_point": "no point", "ask_at_end": "asked at the end"},
}
_FORMATS = {
    **dict.fromkeys(("phi", "phi_correct", "phi_incorrect", "tau_rel"), "{:.2f}"),
    **{"tau_abs": "{:,.0f}", "retention": "{:.1%}", "difference": "{:+.2f}"},
    **dict.fromkeys(("mean_standard", "mean_oracle"), "{:.2f}"),
}
WORDS = {
    **{"phi": "φ", "phi_correct": "φ, student right", "phi_incorrect": "φ, student wrong"},
    **{"tau_rel": "τ rel", "tau_abs": "τ abs"},
    **{"phi_before_end": "φ, before the end", "tau_rel_before_end": "τ rel, before the end"},
}


def behaviour_blocks(shown: Shown, tables: Frames) -> Iterator[Block]:
    """Lay out frequency and timing (the paper's Figures 2, 9 and 10 and Table 4)."""
    for draw in (frequency, timing, timing_in_characters, frequency_when_right):
        figure = draw(shown)
        if figure is not None:
            yield figure
    if not _people(shown):
        yield from problem_timing(shown, tables)
    yield from behaviour_tables(shown)


def behaviour_tables(shown: Shown) -> Iterator[Block]:
    """Lay out the numbers behind the figures, and the two conditions on the same problems."""
    for condition, name in CONDITIONS.items():
        rows = list(_behaviour_rows(shown, condition))
        if rows:
            yield Table(
                f"behaviour_{condition}",
                f"{name} condition: φ is the share of episodes with an intervention, also among those where the "
                "student alone was right (n right of them) or wrong; τ rel and τ abs are the share of the trace, and "
                "the characters, that were there at the intervention. n counts episodes that could be read; no point, "
                "interventions whose place is not known. Intervals of all numbers are in the table behaviour."
                f"{shown.main_said()}",
                tidy(pd.DataFrame(rows), whole=("n", "missing", "n_right", "no_point")),
                _FORMATS,
                _LABELS,
            )
    pairs = list(_pairs(shown))
    if pairs:
        yield Table(
            "standard_oracle",
            "The two conditions on the same problems: each problem's mean over its episodes, Oracle less Standard; n "
            f"counts problems with a value in both.{shown.main_said()}",
            tidy(pd.DataFrame(pairs), whole=("n",)),
            _FORMATS,
            {**_LABELS, "mean_standard": "Standard", "mean_oracle": "Oracle", "difference": "change"},
        )


def retention_blocks(shown: Shown) -> Iterator[Block]:
    """Lay out how many of the quoted points were found again, by domain, beside the paper's."""
    found = [row for row in _counts(shown) if row["condition"] == "oracle" and not row["people"] and row["intervened"]]
    if not found:
        return
    yield Prose(
        "A tutor who looks back names its point by quoting the words before it. A quote that is not in the reasoning, "
        "or in it several times, or in the answer part alone, leaves an intervention without a point: it counts for "
        "frequency and for kinds of help, and not for timing or for what came of it."
    )
    rows = list(_retention_rows(shown, found))
    labels = {"no_quote": "no quote", "not_found": "not found", "answer_part": "in the answer", "ambiguous": "several"}
    yield Table(
        "retention",
        "Interventions of tutors that looked back: how many of their points were found, and why the others were not, "
        "as shares of all interventions. Otherwise: in another case, or word by word.",
        tidy(pd.DataFrame(rows), whole=("interventions", "recovered", "otherwise")),
        {**_FORMATS, **dict.fromkeys(LOST, "{:.1%}")},
        {**labels, "retention": "found", "recovered": "n found"},
    )


def _retention_rows(shown: Shown, found: Sequence[Row]) -> Iterator[dict[str, Any]]:
    kept = concise(found)
    stands_for_all = {row["tutor"] for row in kept if row["tutor"] == ALL} or {row["tutor"] for row in kept}
    for domain in domains(kept, pooled=True):
        for row in (one for one in kept if one["domain"] == domain):
            line = {**_names(shown, row), "source": "this run", "interventions": row["intervened"]}
            line |= {"recovered": row["recovered"], "retention": row["recovered"] / row["intervened"]}
            line |= {why: row[f"lost_{why}"] / row["intervened"] for why in LOST}
            yield {**line, "otherwise": row["found_other_case"] + row["found_tokens"]}
            if row["tutor"] in stands_for_all:
                lost = {why: published_value(f"lost_{why}_share", tutor=ALL, domain=domain) for why in LOST}
                value = published_value("retention", domain=domain)
                yield {**_names(shown, row), "source": "published", "retention": value, **lost}


def people_blocks(shown: Shown, tables: Frames) -> Iterator[Block]:
    """Lay people and models side by side (the paper's Figures 5, 11 and 12)."""
    if not _people(shown):
        return
    figure = people_and_models(shown)
    if figure is not None:
        yield figure
    yield from problem_timing(shown, tables)
    rows = list(_beside(shown))
    if rows:
        yield Table(
            "people_models",
            "People and models on the problems that both had. People may step in when they have read to the end, which "
            "models are not asked at: so both with and without those interventions.",
            tidy(pd.DataFrame(rows), whole=("problems", "n", "missing")),
            {"value": "{:.2f}", "published": "{:.2f}"},
            {**_LABELS, "value_interval": "95\u00a0%", "published": "the paper's"},
        )
        yield Prose(
            "The paper's people saw thirty teasers, chosen by hand, and its values are of those; they come from a "
            "different instrument.",
            "note",
        )
    else:
        yield Prose("No model worked on a problem that people had: there is nothing to compare them with.", "note")


def variation_blocks(shown: Shown) -> Iterator[Block]:
    """Lay increments, prompts, students and asking at the end side by side (the paper's Tables 8, 9 and 10)."""
    found = [row for row in shown.rows("behaviour") if not row["people"]]
    varied = [name for name in (*SETTING, "student") if shown.varies(name)]
    if not varied:
        return
    yield Prose(
        f"What was varied: {', '.join(_FACTOR[name] for name in varied)}. Figures and the other tables show the "
        f"setting of {shown.main_words()}; here stand all of them, over all domains of the run."
    )
    rows: list[dict[str, Any]] = []
    for row in sorted(several(found), key=lambda row: list(CONDITIONS).index(row["condition"])):
        if row["domain"] == ALL and row["measure"] == "phi":
            line = {**_names(shown, row), "condition": CONDITIONS[row["condition"]]}
            line |= {name: _setting(row, name) for name in SETTING}
            rows.append({"source": "this run", **line, **_values(_by_measure(found, row))})
    rows += list(_published_variations(varied))
    frame = tidy(pd.DataFrame(rows), whole=("n", "missing", "n_right", "no_point"))
    if "ask_at_end" not in varied and "ask_at_end" in frame.columns:
        frame = frame.drop(columns="ask_at_end")
    yield Table(
        "variations",
        "Every setting that was played. Published rows are of GPT-5.2 on code.",
        frame.drop(columns=["domain", "phi_incorrect", "n_right"], errors="ignore"),
        _FORMATS,
        _LABELS,
    )


_FACTOR = {
    **{"increment": "increments", "variant": "the tutor's prompt", "student": "students"},
    "ask_at_end": "asking at the end",
}


def _behaviour_rows(shown: Shown, condition: str) -> Iterator[dict[str, Any]]:
    found = [row for row in shown.rows("behaviour", judged=True, condition=condition) if shown.is_main(row)]
    kept = [row for row in several(found) if row["measure"] == "phi"]
    for domain in domains(kept, pooled=True):
        for row in (one for one in kept if one["domain"] == domain):
            names = _names(shown, row)
            yield {**names, "source": "this run", **_values(_by_measure(found, row))}
            known_tutor = None if row["people"] else published_tutor(row["tutor"])
            if known_tutor and domain != ALL:
                of = {"tutor": known_tutor, "domain": domain, "condition": condition}
                values = {name: published_value(name, **of) for name in ("phi", "phi_correct", "tau_rel", "tau_abs")}
                yield {**names, "source": "published", **values}
            elif row["people"] and domain == "teasers":
                values = {
                    name: published_people("people", condition, name) for name in ("phi", "phi_correct", "tau_rel")
                }
                yield {**names, "source": "published", **values}
        if domain != ALL and not any(row["domain"] == domain and published_tutor(row["tutor"]) for row in kept):
            values = {name: published_behaviour(ALL, domain, condition, name) for name in MEASURES}
            if known(values["phi"]):
                yield {
                    "domain": domain_name(domain),
                    "tutor": f"mean of {len(TUTORS)} tutors",
                    "source": "published",
                    **values,
                }


def _by_measure(found: Sequence[Row], row: Row) -> dict[str, Row]:
    keys = (*VIEW, "people", "condition", *SETTING, "tutor", "domain")
    return {one["measure"]: one for one in found if all(one[key] == row[key] for key in keys)}


def _values(by_measure: Mapping[str, Row]) -> dict[str, Any]:
    phi, right, timed = by_measure["phi"], by_measure["phi_correct"], by_measure["tau_rel"]
    line: dict[str, Any] = {"n": phi["n"], "missing": phi["missing"]}
    line |= {"phi": phi["value"], "phi_interval": span(phi["low"], phi["high"])}
    line |= {"phi_correct": right["value"], "phi_incorrect": by_measure["phi_incorrect"]["value"]}
    line |= {"n_right": right["n"], "tau_rel": timed["value"], "tau_rel_interval": span(timed["low"], timed["high"])}
    line |= {"tau_abs": by_measure["tau_abs"]["value"]}
    # What is missing from timing beyond unreadable episodes: interventions without a point.
    return {**line, "no_point": timed["missing"] - phi["missing"]}


def _names(shown: Shown, row: Row) -> dict[str, Any]:
    names = {name: row[name] for name in VIEW if name in shown.varied}
    return {**names, "domain": domain_name(row["domain"]), "tutor": shown.tutor(row)}


def _pairs(shown: Shown) -> Iterator[dict[str, Any]]:
    found = [row for row in concise(shown.rows("standard_oracle", judged=True)) if shown.is_main(row) and row["n"]]
    for row in found:
        judged = row["measure"] in ("phi_correct", "phi_incorrect") or shown.is_first(row)
        if judged and row["domain"] in domains(found, pooled=True)[-1:] and row["measure"] != "tau_abs":
            line = {**_names(shown, row), "measure": WORDS[row["measure"]]}
            line |= {name: row[name] for name in ("n", "mean_standard", "mean_oracle", "difference")}
            yield {**line, "difference_interval": span(row["low"], row["high"], "{:+.2f}")}


def _counts(shown: Shown) -> list[Row]:
    return [row for row in shown.rows("counts") if shown.is_main(row)]


def _people(shown: Shown) -> bool:
    return bool(shown.numbers["behaviour"]["people"].astype(bool).any())


def _beside(shown: Shown) -> Iterator[dict[str, Any]]:
    found = [row for row in shown.rows("people_models", judged=True) if shown.is_main({**row, "people": False})]
    for domain in domains(found, pooled=True):
        for row in found:
            judged = row["measure"] in ("phi_correct", "phi_incorrect")
            if row["domain"] != domain or row["measure"] == "tau_abs" or not (judged or shown.is_first(row)):
                continue
            who = "people" if row["people"] else "models"
            own = published_people(who, row["condition"], row["measure"]) if domain == "teasers" else None
            yield {
                **{name: row[name] for name in VIEW if name in shown.varied},
                **{"domain": domain_name(domain), "condition": CONDITIONS[row["condition"]]},
                **{"measure": WORDS[row["measure"]], "who": who, "problems": row["problems"]},
                **{"n": row["n"], "missing": row["missing"], "value": row["value"]},
                **{"value_interval": span(row["low"], row["high"]), "published": own},
            }


def _setting(row: Row, name: str) -> Any:
    if row["condition"] == "oracle" and name != "variant":
        return None
    return ("yes" if row[name] else "no") if name == "ask_at_end" else row[name] or None


def _published_variations(varied: Sequence[str]) -> Iterator[dict[str, Any]]:
    rows: dict[tuple[str, str, str], dict[str, Any]] = {}
    for one in published():
        for factor in varied:
            if one.where in ("Table 8", "Table 9", "Table 10") and factor in one.of:
                key = (one.where, one.of[factor], one.of["condition"])
                head = {"source": f"published, {one.where}", "tutor": one.of["tutor"], factor: one.of[factor]}
                line = rows.setdefault(key, {**head, "condition": CONDITIONS[one.of["condition"]]})
                line[one.name] = one.value
    yield from rows.values()

"""What the page says: a plain sentence for each policy, then verdicts, numbers, talks and what could not be read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from tutorscope.audit.figures import accuracy, given_away
from tutorscope.audit.pages.contrast_sections import contrast_blocks, contrast_lines, process_blocks
from tutorscope.audit.pages.judge_sections import judge_blocks, unread_ratings
from tutorscope.audit.pages.sentences import policy_lines, unrated_lines, warnings
from tutorscope.audit.pages.shown import Shown, study
from tutorscope.audit.pages.transcripts import AXES, NOTICE, Talks, matched, reader
from tutorscope.audit.pages.verdict_sections import (
    budget_blocks,
    component_blocks,
    detectable_blocks,
    verdict_blocks,
    verdict_lines,
)
from tutorscope.audit.pages.views import (
    VIEW,
    WORDS,
    Frames,
    groups,
    of_rule,
    plain_rows,
    rule_shown,
    span,
    tidy,
    view_names,
    without_empty,
    without_single,
)
from tutorscope.pictures.blocks import Block, Prose, Reader, Section, Table
from tutorscope.texts.plain import strip_controls
from tutorscope.texts.words import counted

_PAIRS_MOST = 3
_SHORT = {
    **{"leakage": "given away", "independence": "own work", "tutor_turns": "turns", "tutor_tokens": "tokens"},
    **{name: name.removeprefix("accuracy_") for name in WORDS if name.startswith("accuracy_")},
}
_SHARES = ("leakage", "independence", *(name for name in WORDS if name.startswith("accuracy_")))


def headline(tables: Frames, measures: Frames) -> list[str]:
    """Say the result in a few lines: a line for each policy and base, what was asked, the verdicts, what is missing.

    Parameters
    ----------
    tables, measures : mapping
        As `records.tables` (or `layouts.read_tables`) and `measures.measures` give them.

    Returns
    -------
    list of str
        Safe for a terminal.
    """
    shown = _shown(tables, measures, Path())
    lines = [*policy_lines(shown, tables)]
    if lines:
        lines += [*contrast_lines(shown), *verdict_lines(shown, study(tables, measures))]
    else:
        gate = list(_gate_lines(tables))
        lines += gate or ["no session is there yet; one needs a tutor (--tutor) and a student (--student)"]
    lines += unrated_lines(tables)
    return [strip_controls(line) for line in lines]


def sections(tables: Frames, measures: Frames, figures: Path, texts: str) -> list[Section]:
    """Make the sections of the page.

    Parameters
    ----------
    tables, measures : mapping
        As for `headline`.
    figures : Path
        Where figures are saved.
    texts : {"none", "sample", "all"}
        How many words the page will hold; it cuts them itself.
    """
    shown = _shown(tables, measures, figures)
    held = study(tables, measures)
    played = bool(shown.names)
    talks = _talks(tables, shown)
    pair = held.pairs[0] if held.pairs else None
    return [
        Section("result", _first_title(tables, played), list(_result(tables, measures, shown, played))),
        *_filled("verdicts", "What was predicted, and what came of it", verdict_blocks(shown, held)),
        *_filled("judged", "What judges make of the policies", contrast_blocks(shown, held)),
        *_filled("process", "Leaks and the student's own work", process_blocks(shown, held)),
        *_filled("accuracy", "What the student solves alone", iter(accuracy(shown))),
        *_filled("judges", "Judges against each other", judge_blocks(shown, held, tables)),
        *_filled("rules", "The two rules side by side", _rules(tables, measures, shown)),
        *_filled("budget", "At an equal budget", budget_blocks(shown, held)),
        *_filled("gate", "The student", _gate(tables)),
        *_filled(
            "components",
            f"When each part {'' if held.own else 'of the paper’s study '}was fixed",
            component_blocks(held) if played else iter(()),
        ),
        *_filled("detectable", "What these replicates could have seen", detectable_blocks(shown, held)),
        *_filled("pair", "A matched pair", _pairs(talks, held.pairs[:_PAIRS_MOST])),
        *_filled("talks", "All that was said", iter([reader(talks, pair)] if talks and talks.lines else [])),
        Section("unread", "What was set aside or could not be read", list(_set_aside(tables))),
    ]


def _first_title(tables: Frames, played: bool) -> str:
    if played:
        return "What each policy did"
    gate = tables.get("isolated_summary")
    return "Does this student need a tutor?" if gate is not None and len(gate) else "What came of it"


def _shown(tables: Frames, measures: Frames, figures: Path) -> Shown:
    return Shown(measures, rule_shown(measures), view_names(measures), "lines" not in tables, figures)


def _talks(tables: Frames, shown: Shown) -> Talks | None:
    lines = tables.get("lines")
    return Talks(tables, shown.rule, shown.names) if lines is not None and len(lines) else None


def _filled(anchor: str, title: str, blocks: Iterator[Block]) -> list[Section]:
    """Make a section, or none where there is nothing to say."""
    held = list(blocks)
    return [Section(anchor, title, held)] if held else []


def _result(tables: Frames, measures: Frames, shown: Shown, played: bool) -> Iterator[Block]:
    for line in headline(tables, measures):
        yield Prose(line, "headline")
    for line in warnings(tables, shown):
        yield Prose(line, "warning")
    if not played:
        return
    whose = (
        "The rule that reads the texts is the sound one; the paper's own, exactly as printed, stands beside it below."
        if shown.rule == "sound"
        else f"These tables were read by the rule {shown.rule} alone."
    )
    yield Prose(
        "A turn gives the answer away when it states the answer of the problem at hand before the student has "
        "committed to one. A student's turn holds own work when it computes or sets up something. Ranges are 95\u00a0% "
        f"bootstrap intervals over sessions. {whose}",
        "note",
    )
    yield from given_away(shown)
    yield from _policies(shown)


def _policies(shown: Shown) -> Iterator[Table]:
    """Lay every policy's means out: a row a policy of what is counted, a row a policy and judge of what was rated."""
    counted_rows, rated_rows = (_means(shown, judged) for judged in (False, True))
    frame = tidy(pd.DataFrame(counted_rows), whole=("sessions",))
    # Counts per token are beside the claims that they are a control for.
    frame = frame.drop(columns=["leaky_per_1k", "worked_per_1k"], errors="ignore")
    formats = {name: "{:.0%}" if name in _SHARES else "{:.2f}" for name in frame.columns}
    formats |= {"tutor_turns": "{:.1f}", "tutor_tokens": "{:,.0f}", "sessions": "{:,}"}
    caption = (
        "Means over sessions. Turns are those of the answer phase, tokens all that the tutor read and wrote; the "
        "phases are shares of problems that the student solved alone. A session without a value, such as one without a "
        "tutor turn, is in no mean."
    )
    yield Table("policies", caption, frame, formats, _SHORT)
    if rated_rows:
        rated = tidy(pd.DataFrame(rated_rows), whole=("sessions",)).drop(columns="sessions")
        said = "Mean rating of each policy's turns by each judge, from 1 to 5, over sessions."
        yield Table("ratings", said, rated, dict.fromkeys(("helpfulness", "pedagogy"), "{:.2f}"))


def _means(shown: Shown, judged: bool) -> list[dict[str, Any]]:
    rows: dict[tuple[Any, ...], dict[str, Any]] = {}
    for row in shown.rows("policy_means"):
        if row["n"] and bool(row["judge"]) == judged:
            who = {name: row[name] for name in (*VIEW, "policy", *(("judge",) if judged else ()))}
            line = rows.setdefault(tuple(who.values()), {**who, "sessions": 0})
            line["sessions"] = max(line["sessions"], row["n"] + row["missing"])
            line[row["measure"]] = row["mean"]
    return list(rows.values())


def _rules(tables: Frames, measures: Frames, shown: Shown) -> Iterator[Block]:
    differences = tables.get("rule_differences")
    means = measures["policy_means"]
    if means["rule"].nunique() > 1:
        rows: dict[tuple[Any, ...], dict[str, Any]] = {}
        for row in plain_rows(means[means["measure"].isin(["leakage", "independence"])]):
            key = (*(row[name] for name in VIEW), row["policy"])
            line = rows.setdefault(key, {**{name: row[name] for name in VIEW}, "policy": row["policy"]})
            if row["n"]:
                what = "away" if row["measure"] == "leakage" else "work"
                line[f"{what}_{row['rule']}"] = row["mean"]
                line[f"{what}_{row['rule']}_of"] = row["denominator"]
        kept = [line for line in rows.values() if any(name.startswith(("away", "work")) for name in line)]
        if kept:
            yield Prose(
                "Two families of rules read the same texts: the paper's, exactly as printed, so that its numbers can "
                "be compared; and the sound one, which knows other notations, and that an answer the student has said "
                "already is no leak. Each has its own answer phase, so their turns may differ in number."
            )
            names = [
                f"{what}_{rule}{end}"
                for what in ("away", "work")
                for rule in ("sound", "published")
                for end in ("", "_of")
            ]
            frame = tidy(
                pd.DataFrame(kept).reindex(columns=[*VIEW, "policy", *names]),
                whole=[n for n in names if n.endswith("_of")],
            )
            labels = {"away_sound": "given away: sound", "away_published": "published"}
            labels |= {"work_sound": "own work: sound", "work_published": "published"}
            labels |= {name: "turns" for name in names if name.endswith("_of")}
            yield Table(
                "rules",
                "Shares by either rule, means over sessions.",
                frame,
                dict.fromkeys(names[::2], "{:.1%}"),
                labels,
            )
    if differences is not None and len(differences):
        yield Table(
            "rule_differences",
            "Where the rules see different things: texts that both take for a leak (work, an answer), one alone, or "
            "neither. Two different answers count once for each rule.",
            without_single(differences.replace("", None)),
            {},
            {"only_published": "published alone", "only_sound": "sound alone"},
        )


def _gate(tables: Frames) -> Iterator[Block]:
    found = tables.get("isolated_summary")
    if found is None or not len(found):
        return
    yield Prose(
        "Tutoring can only matter to a student who needs it. Each probe was put to the student alone, on the route "
        "that serves the sessions. The paper's student solved 11\u00a0% of the scored problems alone."
    )
    rows = []
    for row in plain_rows(found):
        line: dict[str, Any] = {name: row[name] for name in ("run", "student", "measure") if name in row}
        line |= {"value": row["value"], "interval": span(row["low"], row["high"]), "of": counted(row["n"], row["of"])}
        rows.append({**line, "threshold": row["threshold"] or None, "verdict": row["verdict"] or None})
    yield Table(
        "gate",
        "What the student does alone, and after lessons where there were any, each figure against its threshold. "
        "Intervals resample problems; of a single problem there is none.",
        tidy(pd.DataFrame(rows)),
        {"value": "{:.2f}"},
        {"interval": "95\u00a0%"},
    )


def _gate_lines(tables: Frames) -> Iterator[str]:
    found = tables.get("isolated_summary")
    for row in plain_rows(found) if found is not None else []:
        if row["threshold"] and row["value"] is not None:
            yield (
                f"student {row['student']}: {row['measure']}: {row['value']:.2f} ({counted(row['n'], row['of'])}), "
                f"expected {row['threshold']}: {row['verdict']}"
            )


def _pairs(talks: Talks | None, pairs: Sequence[tuple[str, str]]) -> Iterator[Block]:
    found = [one for pair in pairs if (one := matched(talks, pair))] if talks else []
    if not found:
        return
    yield Prose(
        "One problem under two policies, in the same replicate. Of all such pairs it is the one whose first tutor "
        "turns the judge finds most alike in helpfulness and least alike in pedagogy; without ratings, one where a "
        "single one of the two leaks. It shows what the numbers are about and proves nothing."
    )
    for one in found:
        yield Prose(one.says, "note")
        yield Reader([one.transcript], total=1, axes=AXES, notice=NOTICE)


def _set_aside(tables: Frames) -> Iterator[Block]:
    yield Prose(
        "Nothing is dropped in silence, imputed or scored as zero. A reply that could not be read was asked again, up "
        "to three times in all. A turn without a usable rating is in no mean; a probe without an answer that can be "
        "read counts as not solved."
    )
    state = tables.get("sessions_state")
    if state is not None and len(state):
        frame = state.drop(columns="cell", errors="ignore").assign(owed=state["asked"] - state["finished"])
        said = "Sessions that were asked for, and those that are finished; frozen: recorded before the first call."
        yield Table("sessions", said, without_single(without_empty(frame, "frozen")))
    rows = [*_silent(tables), *unread_ratings(tables), *_owed_ratings(tables), *_unread_probes(tables)]
    rows += _odd_ends(tables)
    if rows:
        yield Table(
            "set_aside", "By what it was and why.", tidy(pd.DataFrame(rows), whole=("n", "of")), {}, {"of": "of all"}
        )
    elif "lines" in tables:
        yield Prose("No reply, rating or answer was set aside.")
    else:
        yield Prose("These are tables alone: what was set aside when they were made is not known here.", "note")


def _silent(tables: Frames) -> Iterator[dict[str, Any]]:
    found = tables.get("silent")
    for row in plain_rows(found) if found is not None else []:
        run = {"run": row["run"]} if "run" in row else {}
        yield {**run, "what": f"{row['what']}, {row['policy']}", "why": row["why"], "n": row["n"], "of": row["of"]}


def _owed_ratings(tables: Frames) -> Iterator[dict[str, Any]]:
    found = tables.get("ratings_state")
    for row in plain_rows(found) if found is not None else []:
        if row["owed"]:
            run = {"run": row["run"]} if "run" in row else {}
            what = f"rating of {row['rubric']} by {row['judge']}, {row['policy']}"
            yield {**run, "what": what, "why": "asked for and not there yet", "n": row["owed"], "of": row["asked"]}


def _unread_probes(tables: Frames) -> Iterator[dict[str, Any]]:
    sessions = of_rule(tables["per_session"], "sound")
    if not len(sessions) or sessions["unread"].isna().all():
        return
    probes = [f"{phase}_n" for phase in ("immediate", "interference", "delayed", "transfer")]
    asked = sessions.assign(of=sessions[probes].fillna(0).sum(axis=1))
    by = [name for name in ("run", "policy") if name in asked.columns]
    for key, part in groups(asked, by):
        unread, forced = (int(part[name].fillna(0).sum()) for name in ("unread", "forced"))
        run = {"run": key["run"]} if "run" in key else {}
        for n, why in ((unread, "no answer could be read"), (forced, "answer only when asked for it")):
            if n:
                yield {
                    **run,
                    "what": f"problem solved alone, {key['policy']}",
                    "why": why,
                    "n": n,
                    "of": int(part["of"].sum()),
                }


def _odd_ends(tables: Frames) -> Iterator[dict[str, Any]]:
    served = tables.get("served")
    if served is None or not len(served):
        return
    by = [name for name in ("run", "stage", "role") if name in served.columns]
    for key, part in groups(served, by):
        odd = part[~part["finish"].isin(["stop", ""])]
        run = {"run": key["run"]} if "run" in key else {}
        for finish, held in odd.groupby("finish", sort=True):
            what = f"reply of the {key['role']} ({key['stage']})"
            n, of = int(held["calls"].sum()), int(part["calls"].sum())
            yield {**run, "what": what, "why": f"ended by {finish}", "n": n, "of": of}

"""What the page says: a plain sentence for each tutor, then numbers, episodes to read, and what could not be read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from tutorscope.intervention.behaviour_sections import (
    behaviour_blocks,
    people_blocks,
    retention_blocks,
    variation_blocks,
)
from tutorscope.intervention.episodes import NO_VERDICT
from tutorscope.intervention.frames import ALL, BY_EPISODES, SETTING, VIEW, Frames, groups, resampled, validated
from tutorscope.intervention.published import DIFFERENT_INSTRUMENT
from tutorscope.intervention.sentences import alone_lines, kind_lines, next_lines, tutor_lines
from tutorscope.intervention.shown import CONDITIONS, HOWS, Shown, domain_name, filled, shown, tidy
from tutorscope.intervention.transcripts import has_episodes, reader
from tutorscope.intervention.transfer_sections import accuracy_blocks, help_blocks, kind_blocks, next_blocks
from tutorscope.pictures.blocks import Block, Prose, Section, Table
from tutorscope.texts.plain import strip_controls

_EPISODE = ["run", "student", "tutor", "problem", *SETTING, "replicate", "participant"]


def headline(tables: Frames, measures: Frames) -> list[str]:
    """Say the result in a few lines: each tutor and condition, the student alone, kinds of help, the next problem.

    Parameters
    ----------
    tables, measures : mapping
        As `records.game_tables` and `measures.measures` give them.

    Returns
    -------
    list of str
        Safe for a terminal.
    """
    held = shown(measures)
    lines = [*tutor_lines(held), *alone_lines(held), *kind_lines(held), *next_lines(held)]
    nothing = "no episode is there yet; a game needs a student (--student), a tutor (--tutor) and a judge (--judge)"
    return [strip_controls(line) for line in lines or [nothing]]


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
    held = shown(measures, figures)
    return [
        Section("result", "What tutors did", list(_result(tables, measures, held))),
        *filled("behaviour", "How often and when", behaviour_blocks(held, tables)),
        *filled("alone", "The student alone", accuracy_blocks(held)),
        *filled("help", "Does it help?", help_blocks(held)),
        *filled("people", "People and models", people_blocks(held, tables)),
        *filled("next", "The next problem", next_blocks(held)),
        *filled("kinds", "What kind of help", kind_blocks(held)),
        *filled("variations", "What was varied", variation_blocks(held)),
        *filled("retention", "Points that were quoted", retention_blocks(held)),
        *filled("episodes", "The episodes", iter([reader(tables, held)] if has_episodes(tables) else [])),
        Section("unread", "What was set aside or could not be read", list(_set_aside(tables, held))),
    ]


def _result(tables: Frames, measures: Frames, held: Shown) -> Iterator[Block]:
    for line in headline(tables, measures):
        yield Prose(line, "headline")
    for line in _warnings(tables):
        yield Prose(line, "warning")
    if not len(measures["behaviour"]):
        return
    by_episodes = resampled(tables) == BY_EPISODES
    drawn = "single episodes, as in the paper" if by_episodes else "problems, whose episodes move together"
    yield Prose(
        "A tutor either watches a student's reasoning appear and may step in once (Standard), or looks back over all "
        "of it, with the answer and whether it was right (Oracle). Timing is the share of the reasoning that was "
        f"there. Ranges are 95 % bootstrap intervals over {drawn}.",
        "note",
    )
    if "judge" in held.varied:
        first = ", ".join(sorted({judge for judge in held.first_judge.values() if judge}))
        yield Prose(f"Several judges graded. Where no judge is named, the verdicts are those of {first}.", "note")
    yield Prose(DIFFERENT_INSTRUMENT, "note")


def _warnings(tables: Frames) -> Iterator[str]:
    names: set[str] = set()
    for table, column in (("episodes", "tutor"), ("traces", "student"), ("grades", "judge")):
        frame = tables.get(table)
        names |= set(frame[column].dropna()) if frame is not None and column in frame.columns else set()
    if any(name == "embedded" or name.startswith("embedded:") for name in names):
        yield (
            "The embedded model took part here. It is there to show the machinery: a model of its size gives no "
            "verdict on any tutor."
        )
    served = tables.get("served")
    for key, part in groups(served, ["role", "name"]) if served is not None and len(served) else ():
        models = sorted(part["model"].dropna().unique())
        if len(models) > 1:
            yield f"The {key['role']} {key['name']} was served by {len(models)} models: {', '.join(models)}."


def _set_aside(tables: Frames, held: Shown) -> Iterator[Block]:
    yield Prose(
        "Nothing is dropped in silence, imputed or scored as zero. A reply that could not be read was asked again, up "
        "to three times in all; an episode with a decision that stayed unreadable is left out of frequency and timing, "
        "never taken for one without an intervention. A trace within one increment has no decision: it counts as one."
    )
    rows = list(_episode_counts(held))
    if rows:
        whole = [name for name in rows[0] if isinstance(rows[0][name], int)]
        yield Table(
            "counts",
            "What became of every episode. Not asked: a tutor who looks back is told whether the answer is right, and "
            "nobody could say. No verdict: all episodes on such answers, those not asked among them; they are in no "
            "number that goes by whether the student alone was right. No point: interventions whose quoted place was "
            "not found. Wasted: decisions that were asked ahead and are part of no episode.",
            tidy(pd.DataFrame(rows), whole=whole),
            {},
            {"unreadable": "not read", "not_intervened": "did not", "no_decision_point": "no decision"}
            | {"not_asked": "not asked", "no_verdict": "no verdict"},
        )
    unread = list(_unread(tables))
    if unread:
        yield Table("set_aside", "By what it was and why.", tidy(pd.DataFrame(unread), whole=("n",)))
    else:
        yield Prose("No reply, answer or verdict was set aside.")
    grading = held.numbers["grading"]
    if len(grading):
        ways = {"baseline": "alone", **HOWS}
        names = {"domain": grading["domain"].map(domain_name), "of": grading["of"].map(lambda of: ways.get(of, of))}
        yield Table(
            "grading",
            "How answers were graded: the same text, proved to be equal or not, by the judge; no answer counts as "
            "wrong, undecided as no verdict.",
            tidy(grading.assign(**names), whole=("n",)),
            {},
            {"of": "answer", "how": "graded"},
        )
    served = tables.get("served")
    if served is not None and len(served):
        caption = "Who answered, how replies ended, and how many of the tokens read a prefix cache served."
        yield Table("served", caption, _without_one_run(served))


def _episode_counts(held: Shown) -> Iterator[dict[str, Any]]:
    order = list(CONDITIONS)
    for row in sorted(held.rows("counts", domain=ALL), key=lambda row: order.index(row["condition"])):
        if row["tutor"] != ALL:
            line = {name: row[name] for name in VIEW if name in held.varied and name != "judge"}
            line |= {"tutor": held.short(row["tutor"]), "condition": CONDITIONS[row["condition"]]}
            line |= {name: row[name] or None for name in ("increment", "variant")}
            names = ("episodes", "intervened", "not_intervened", "no_decision_point", "unreadable")
            line |= {name: row[name] for name in (*names, "not_asked", "no_verdict")}
            line["no point"] = row["intervened"] - row["recovered"]
            yield {**line, "decisions": row["decisions"], "wasted": row["wasted"]}


def _unread(tables: Frames) -> Iterator[dict[str, Any]]:
    held = validated(tables)
    # Two judges share an episode: it is counted once.
    episodes = held["episodes"].drop_duplicates([*_EPISODE, "condition"])
    unasked = episodes["reason"] == NO_VERDICT
    continued = held["continued"].drop_duplicates([*_EPISODE, "how"])
    undecided = held["grades"][held["grades"]["correct"].isna()]
    variants = held["variants"][held["variants"]["state"] != "valid"]
    for what, frame, column in (
        ("student's answer alone", held["traces"], "reason"),
        ("tutor's reply, asked again", episodes, "unread"),
        ("tutor's decision", episodes[~unasked], "reason"),
        ("looking back, not asked", episodes[unasked], "reason"),
        ("quoted point", episodes, "lost"),
        ("student's answer after an intervention", continued, "reason"),
        ("verdict", undecided, "reason"),
        ("variant of a problem", variants, "state"),
        ("variant without an episode before it", held["pairs"][held["pairs"]["state"] != "chosen"], "state"),
        ("student's answer to a variant", held["attempts"], "reason"),
        ("kind of help", held["messages"], "reason"),
    ):
        for key, part in groups(frame[frame[column] != ""], ["run", column]):
            yield {"run": key["run"], "what": what, "why": str(key[column]).replace("_", " "), "n": len(part)}


def _without_one_run(frame: pd.DataFrame) -> pd.DataFrame:
    alone = "run" in frame.columns and frame["run"].nunique() <= 1
    return frame.drop(columns="run") if alone else frame

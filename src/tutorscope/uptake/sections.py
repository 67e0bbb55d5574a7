"""What the page says: headline, plane, tables, distributions, chats, and what could not be read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from tutorscope.pictures.blocks import Block, Prose, Section, Table
from tutorscope.stats.intervals import ALIKE, no_width
from tutorscope.texts.plain import strip_controls
from tutorscope.texts.words import counted
from tutorscope.uptake.category_sections import category_blocks
from tutorscope.uptake.figures import View, plane, spread
from tutorscope.uptake.movement_sections import movement_blocks
from tutorscope.uptake.published import COUNTS_NOTE, DIFFERENT_INSTRUMENT
from tutorscope.uptake.score_tables import score_tables
from tutorscope.uptake.seeking_sections import seeking_blocks
from tutorscope.uptake.transcripts import reader
from tutorscope.uptake.validity_sections import validity_blocks
from tutorscope.uptake.views import groups, plain_rows, view_key, view_names, views, without_single

Frames = Mapping[str, pd.DataFrame]


def headline(tables: Frames, numbers: Frames) -> list[str]:
    """Say the result in a few lines: a line for each category and view, then what is missing.

    Parameters
    ----------
    tables, numbers : mapping
        As `records.tables` and `measures.measures` give them.

    Returns
    -------
    list of str
        Safe for a terminal.
    """
    rows = plain_rows(numbers["categories"])
    validated = list(_validated(numbers["validation"]))
    if not rows and validated:
        return validated
    if not rows:
        missing = "a judge with --judge" if len(tables["logs"]) else "a log, such as benchmark=chats.jsonl"
        return [f"nothing was rated: name {missing}"]
    names = view_names(tables["chats"])
    lines = []
    for row in rows:
        who = names[view_key(row)]
        found = (
            f"uptake {row['uptake_mean']:+z.2f} (sd {_two(row['uptake_sd'])}), "
            f"scaffolding {row['scaffolding_mean']:.2f} (sd {_two(row['scaffolding_sd'])}), rho {_rho(row)}"
            if row["scored"]
            else "no chat is scored"
        )
        lines.append(
            f"{row['category']}{f' ({who})' if who else ''}: {found}; "
            f"{row['scored']:,} scored of {row['valid']:,} valid of {counted(row['chats'], 'chat')}"
        )
    return [strip_controls(line) for line in [*lines, *_missing(rows), *validated]]


def sections(tables: Frames, numbers: Frames, figures: Path) -> list[Section]:
    """Make the sections of the page.

    Parameters
    ----------
    tables, numbers : mapping
        As for `headline`.
    figures : Path
        Where figures are saved.
    """
    shown = _views(tables["chats"])
    rated = [view for view in shown if len(view.scored)]
    result: list[Block] = [Prose(line, "headline") for line in headline(tables, numbers)]
    result += [Prose(line, "warning") for line in _warnings(tables)]
    result += [
        Prose(
            "Scaffolding runs from 1 (the tutor tells) to 5 (the thinking is left to the student). Uptake runs from -1 "
            "(the student drives) to +1 (the student takes the tutor's lead up). A chat's value is the mean over its "
            "rated exchanges. Low uptake is not bad in itself: the student may have had another goal.",
            "note",
        )
    ]
    validity = _filled("validity", "Is the judge right?", validity_blocks(numbers))
    aside = Section("unread", "What was set aside or could not be read", list(_set_aside(tables, numbers)))
    if not shown:
        return [Section("result", "Result", result), *validity, aside]
    planes = [plane(view, figures) for view in rated]
    return [
        Section("result", "Result", result),
        Section("plane", "Who leads, and how much is left to think", [*planes, Prose(DIFFERENT_INSTRUMENT, "note")]),
        Section("datasets", "By dataset and category", list(score_tables(numbers))),
        Section("categories", "Do categories differ?", list(category_blocks(numbers))),
        Section("distributions", "How chats spread", [spread(view, figures) for view in rated]),
        *([Section("movement", "How scores move within a chat", list(movement_blocks(numbers)))] if rated else []),
        *_filled("help-seeking", "Which help students seek", seeking_blocks(numbers)),
        *validity,
        Section("chats", "The chats", [reader(tables, shown)]),
        aside,
    ]


def _filled(anchor: str, title: str, blocks: Iterator[Block]) -> list[Section]:
    """Make a section, or none where there is nothing to say."""
    held = list(blocks)
    return [Section(anchor, title, held)] if held else []


def _set_aside(tables: Frames, numbers: Frames) -> Iterator[Block]:
    unread = numbers["unread"]
    yield Prose(
        "Nothing is dropped in silence, imputed or scored as zero. A reply of the judge that could not be read was "
        "asked again, up to three times in all; an exchange without any readable reply has no score and is left out "
        "of its chat's mean."
    )
    if len(unread):
        yield Table("set_aside", "By what it was and why.", without_single(unread))
    else:
        yield Prose("Nothing was set aside.")
    logs = tables["logs"]
    dropped = logs[logs["dropped"].notna()]
    for row in plain_rows(dropped):
        yield Prose(f"{row['dataset']}: personal fields that were dropped on reading: {row['dropped']}.", "note")
    if len(logs):
        columns = ["dataset", "file", "format", "chats", "valid_chats", "exchanges", "valid_exchanges", "merged", "bad"]
        if logs["split_gap"].notna().any():
            columns += ["split_gap", "split_chats", "chats_before_split", "chats_without_times"]
        yield Table("logs", "The logs that were read.", logs[[c for c in ("run", *columns) if c in logs.columns]])
    yield Prose(COUNTS_NOTE, "note")


def _warnings(tables: Frames) -> Iterator[str]:
    judges = set(tables["chats"]["judge"].dropna())
    if any(judge == "embedded" or judge.startswith("embedded:") for judge in judges):
        yield (
            "The embedded model judged here. It is there to show the machinery: a model of its size gives no verdict "
            "on any tutor or student."
        )
    for key, part in groups(tables["ratings"], views(tables["ratings"])):
        served = sorted(part["model"].dropna().unique())
        if len(served) > 1:
            yield f"The judge {key['judge']} was served by {len(served)} models: {', '.join(served)}."


def _validated(validation: pd.DataFrame) -> Iterator[str]:
    for row in plain_rows(validation):
        found = f"accuracy {row['accuracy']:.1%}" if row["read"] else "nothing could be read"
        if row["accuracy_low"] is not None:
            low, high = row["accuracy_low"], row["accuracy_high"]
            found += f" ({ALIKE if no_width(low, high) else f'95 % {low:.1%} to {high:.1%}'})"
        yield strip_controls(
            f"pairs of {row['dataset']}, judge {row['judge']}{', scaffolding alone' if row['separate'] else ''}: "
            f"{found}; "
            f"{counted(row['win'], 'win')}, {counted(row['tie'], 'tie')}, {counted(row['loss'], 'loss', 'losses')} of "
            f"{counted(row['pairs'], 'pair')}; "
            f"not read {row['unread']:,}, not rated yet {row['not_rated']:,}"
        )


def _missing(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    unread = sum(row["unread_exchanges"] for row in rows)
    if unread:
        exchanges = sum(row["exchanges"] for row in rows)
        chats = sum(row["unread"] for row in rows)
        yield (
            f"could not be read, wholly or in part: exchanges {unread:,} (beside {exchanges:,} rated); "
            f"chats without any rating that could: {chats:,}"
        )
    owed = sum(row["not_rated"] for row in rows)
    if owed:
        yield f"{counted(owed, 'valid chat')} {'is' if owed == 1 else 'are'} not rated yet"


def _views(chats: pd.DataFrame) -> list[View]:
    names = view_names(chats)
    found = []
    for number, (key, part) in enumerate(groups(chats, views(chats))):
        name = names[tuple(key.values())]
        slug = re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-").lower()[:40]
        found.append(View(name, f"-{number + 1}-{slug}" if name else "", part))
    return found


def _rho(row: Mapping[str, Any]) -> str:
    return f"{row['rho']:+z.2f}" if row["rho"] is not None else f"not estimable ({row['why_no_rho']})"


def _two(value: float | None) -> str:
    return "none" if value is None else f"{value:.2f}"

"""What a page of the game is made of: its numbers, the setting that figures show, and the names of what differs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from tutorscope.intervention.frames import ALL, SETTING, VIEW, Frames, plain_rows
from tutorscope.pictures.blocks import Block, Section
from tutorscope.stats.intervals import ALIKE, no_width

DOMAINS = {"math": "Mathematics", "code": "Code", "teasers": "Teasers", ALL: "All domains"}
CONDITIONS = {"standard": "Standard", "oracle": "Oracle"}
HOWS = {"standard": "Standard-Continue", "stop": "Stop-and-Answer", "oracle": "Oracle-Continue"}
CLOSE = "\u00a0"  # holds a number and its unit on one line

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Setting:
    """How models were asked: the increment ("" where none watched), the prompt, and whether also at the end."""

    increment: str
    variant: str
    ask_at_end: bool

    @property
    def words(self) -> str:
        """Say it."""
        said = f"increment {self.increment}, prompt {self.variant}" if self.increment else f"prompt {self.variant}"
        return f"{said}, asked at the end" if self.ask_at_end else said


@dataclass(frozen=True)
class Shown:
    """What figures and tables are made of.

    Parameters
    ----------
    numbers : mapping
        As `measures.measures` gives them.
    folder : Path
        The run's ``figures/``.
    main : mapping
        Run to the setting of models that figures show, None where there is none; all others stand in the tables of
        variations.
    first_judge : mapping
        Run and student to the judge whose rows stand for what no judge has a part in.
    varied : tuple of str
        Which of run, student and judge tell rows apart.
    short_names : mapping
        Tutors' names without their providers'.
    """

    numbers: Frames
    folder: Path
    main: Mapping[str, Setting]
    first_judge: Mapping[tuple[str, str], str]
    varied: tuple[str, ...]
    short_names: Mapping[str, str]

    def rows(self, table: str, *, judged: bool = False, **where: Any) -> list[dict[str, Any]]:
        """Give the rows of a table with these values, as plain data; without a judge's part only once."""
        found = []
        for row in plain_rows(self.numbers[table]):
            if all(row[column] == value for column, value in where.items()) and (judged or self.is_first(row)):
                found.append(row)
        return found

    def is_first(self, row: Row) -> bool:
        """Whether a row is the first judge's."""
        return bool(self.first_judge.get((row["run"], row["student"]), row["judge"]) == row["judge"])

    def is_main(self, row: Row) -> bool:
        """Whether a row is of the setting that figures show; people have no setting."""
        if row["people"]:
            return True
        main = self.main.get(row["run"])
        if main is None or row["variant"] != main.variant:
            return False
        if row.get("condition", row.get("how")) == "oracle":
            return True
        return bool(row["increment"] == main.increment and row["ask_at_end"] == main.ask_at_end)

    def varies(self, name: str) -> bool:
        """Whether a factor has several values among models' episodes to which it applies: an increment, watching."""
        rows = [row for row in self.rows("behaviour") if not row["people"]]
        if name in ("increment", "ask_at_end"):
            rows = [row for row in rows if row["condition"] == "standard"]
        return len({row[name] for row in rows}) > 1

    def main_said(self) -> str:
        """Say in a caption which setting is shown, "" where only one was played."""
        return f" Models' setting: {self.main_words()}." if any(map(self.varies, SETTING)) else ""

    def main_words(self) -> str:
        """Say which setting figures and tables show, run by run where they differ."""
        said = {run: setting.words for run, setting in self.main.items()}
        if len(set(said.values())) <= 1:
            return next(iter(said.values()), "")
        return "; ".join(f"in run {run} {words}" for run, words in said.items())

    def short(self, tutor: str) -> str:
        """Leave a provider's part of a tutor's name out where that keeps names apart: rows have little room."""
        return self.short_names.get(tutor, tutor)

    def view(self, row: Row) -> str:
        """Name what tells a row's run and student from the others'; "" where nothing does."""
        of = {"run": f"run {row['run']}", "student": row["student"]}
        return ", ".join(said for name, said in of.items() if name in self.varied)

    def tutor(self, row: Row) -> str:
        """Name a row's tutor."""
        pooled = "all people" if row["people"] else "all tutors"
        return pooled if row["tutor"] == ALL else self.short(row["tutor"])

    def who(self, row: Row) -> str:
        """Name a row's tutor, and its run and student where these differ."""
        of = self.view(row)
        return f"{self.tutor(row)} ({of})" if of else self.tutor(row)

    def note(self, row: Row, *counts: int) -> str:
        """Write what stands under a row's name in a figure: run and student where these differ, and n."""
        n = "n = " + ", ".join(f"{count:,}" for count in counts)
        return f"{self.view(row)}, {n}" if self.view(row) else n


def shown(numbers: Frames, folder: Path = Path()) -> Shown:
    """Choose what a page shows: in each run the plain prompt if there is one, and of increments the smallest."""
    behaviour = numbers["behaviour"]
    models = plain_rows(behaviour[~behaviour["people"].astype(bool)])
    first: dict[tuple[str, str], str] = {}
    keys: list[tuple[str, ...]] = []
    for table in ("behaviour", "accuracy", "transfer", "categories"):
        for row in plain_rows(numbers[table][list(VIEW)].drop_duplicates()):
            # Who labels kinds of help is no judge of answers.
            if table != "categories" or (row["run"], row["student"]) not in first:
                first.setdefault((row["run"], row["student"]), row["judge"])
                keys.append(tuple(row[column] for column in VIEW))
    return Shown(
        numbers,
        folder,
        main={
            run: _main([row for row in models if row["run"] == run]) for run in dict.fromkeys(r["run"] for r in models)
        },
        first_judge=first,
        short_names=_short_names(dict.fromkeys(str(name) for name in behaviour["tutor"])),
        varied=tuple(column for place, column in enumerate(VIEW) if len({key[place] for key in keys}) > 1),
    )


def _main(rows: Sequence[Row]) -> Setting:
    """Choose the main setting of one run's models."""
    watched = [row for row in rows if row["condition"] == "standard"]
    variants = [row["variant"] for row in (*watched, *rows)]
    variant = "plain" if "plain" in variants else variants[0]
    own = [row for row in watched if row["variant"] == variant]
    increment = min((row["increment"] for row in own), key=_size, default="")
    # An increment that was only played with the last question is shown with it.
    at_end = [row["ask_at_end"] for row in own if row["increment"] == increment]
    return Setting(increment, variant, bool(at_end) and all(at_end))


def _short_names(tutors: Iterable[str]) -> dict[str, str]:
    ends = {tutor: tutor.rpartition("/")[2] for tutor in tutors}
    return {tutor: end for tutor, end in ends.items() if end and list(ends.values()).count(end) == 1}


def _size(increment: str) -> tuple[bool, int]:
    """Order increments: characters by their number, and then sentences."""
    return not increment.isdecimal(), int(increment) if increment.isdecimal() else 0


def domains(rows: Sequence[Row], *, pooled: bool = False) -> list[str]:
    """Give the domains of rows in their order, the pooled one last and only where there are several."""
    found = [name for name in dict.fromkeys(row["domain"] for row in rows) if name != ALL]
    found.sort(key=lambda name: list(DOMAINS).index(name) if name in DOMAINS else len(DOMAINS))
    return [*found, ALL] if pooled and len(found) > 1 else found


def domain_name(domain: str) -> str:
    """Name a domain as a title."""
    return DOMAINS.get(domain, domain.capitalize() or "Unknown domain")


def several(rows: Sequence[Row]) -> list[Row]:
    """Leave out the row of all tutors where it says what the only one's row says."""
    tutors = {(row["run"], row["student"], row["people"], row["tutor"]) for row in rows if row["tutor"] != ALL}
    alone = {key[:3] for key in tutors if sum(other[:3] == key[:3] for other in tutors) == 1}
    return [row for row in rows if row["tutor"] != ALL or (row["run"], row["student"], row["people"]) not in alone]


def concise(rows: Sequence[Row]) -> list[Row]:
    """Keep single tutors over all domains, and single domains over all tutors: their crossing fills pages."""
    kept = several(rows)
    pooled = {row["tutor"] for row in kept} & {ALL}
    last = domains(kept, pooled=True)[-1:]
    return [row for row in kept if row["domain"] in last or row["tutor"] in (ALL, "") or not pooled]


def filled(anchor: str, title: str, blocks: Iterator[Block]) -> list[Section]:
    """Make a section, or none where there is nothing to say."""
    held = list(blocks)
    return [Section(anchor, title, held)] if held else []


def known(value: Any) -> bool:
    """Whether there is a number."""
    return value is not None and not (isinstance(value, float) and math.isnan(value)) and value is not pd.NA


def per_cent(value: float) -> str:
    """Print a share: whole per cent, with a digit behind the point near the ends.

    Examples
    --------
    >>> [per_cent(value).replace(CLOSE, " ") for value in (0, 0.004, 0.43, 0.997, 1)]
    ['0 %', '0.4 %', '43 %', '99.7 %', '100 %']
    """
    inside = 0 < value < 1 and (value < 0.01 or value > 0.99)
    return f"{100 * value:.1f}{CLOSE}%" if inside else f"{round(100 * value)}{CLOSE}%"


def signed(value: float, form: str = "{:+.2f}") -> str:
    """Print a difference with its sign; nothing has none, and a minus is longer than a hyphen."""
    printed = form.format(value)
    if not any(sign in "123456789" for sign in printed):
        printed = printed.lstrip("+-")
    return printed.replace("-", "−", 1)


def share_span(low: Any, high: Any) -> str | None:
    """Print an interval of a share, or nothing where there is none; resampling what is all alike gives none."""
    if not (known(low) and known(high)):
        return None
    return ALIKE if no_width(low, high) else f"{per_cent(low)} to {per_cent(high)}"


def span(low: Any, high: Any, form: str = "{:.2f}") -> str | None:
    """Print an interval, held together, as `share_span` does."""
    if not (known(low) and known(high)):
        return None
    if no_width(low, high):
        return ALIKE
    ends = (signed(end, form) if "+" in form else form.format(end).replace("-", "−") for end in (low, high))
    return f"{CLOSE}to{CLOSE}".join(ends)


def tidy(frame: pd.DataFrame, whole: Sequence[str] = ()) -> pd.DataFrame:
    """Give numbers their types back, and leave out columns that say nothing of the run."""
    own = frame[frame["source"] == "this run"] if "source" in frame.columns else frame
    held = frame.drop(columns=[name for name in frame.columns if own[name].isna().all()])
    for name in held.columns:
        if name in whole:
            held[name] = pd.to_numeric(held[name]).astype("Int64")
        elif held[name].map(lambda value: not isinstance(value, str)).all():
            held[name] = pd.to_numeric(held[name])
    same = [name for name in VIEW if name in held.columns and held[name].nunique(dropna=False) <= 1]
    held = held.drop(columns=same)
    return held.drop(columns="source") if len(own) == len(held) and "source" in held.columns else held

"""The result in sentences: a line for each tutor, form and judge, one for all of them, and what is missing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from tutorscope.casework.answering import OPEN, REFERENCE
from tutorscope.casework.figures import View, overall, shown_views
from tutorscope.casework.measures import NO_ANSWER, NOT_JUDGED, NOT_TRIED
from tutorscope.casework.page_tables import per_cent
from tutorscope.casework.tasks import BINARY, MCQ
from tutorscope.casework.views import ALL, FORM_WORDS, HORIZON_WORDS, plain_rows
from tutorscope.texts.plain import strip_controls
from tutorscope.texts.words import counted, joined

Frames = Mapping[str, pd.DataFrame]
Row = Mapping[str, Any]

OPEN_FORMS = (OPEN, REFERENCE)


def headline(tables: Frames, numbers: Frames) -> list[str]:
    """Say the result in a line for each tutor, form and judge, then what is missing.

    Parameters
    ----------
    tables, numbers : mapping
        As `records.tables` and `measures.measures` give them.

    Returns
    -------
    list of str
        Safe for a terminal.
    """
    shown = shown_views(numbers)
    lines: list[str] = []
    chosen: set[tuple[str | None, str]] = set()
    for view in shown:
        for tutor in _tutors(view, numbers):
            lines += _open_lines(view, numbers, tutor)
    for view in shown:
        # A judge has no part in choices: they are said once.
        for tutor in _tutors(view, numbers):
            if (once := (view.key.get("run"), tutor)) not in chosen:
                lines += _choice_lines(view, numbers, tutor)
            chosen.add(once)
    if not lines:
        return ["nothing was asked yet: name a tutor with --tutor"]
    # A terminal's lines are searched and copied: their blanks are plain.
    return [strip_controls(line).replace("\u00a0", " ") for line in [*lines, *_missing(tables, numbers)]]


def in_short(numbers: Frames) -> str:
    """Say the result of all tutors and judges in one sentence; "" where nothing is known yet.

    Each number stands beside how much of what it is made of had no text or could not be read.
    """
    shown = shown_views(numbers)
    judged = [(view, row) for view in shown for row in _whole_rows(overall(view.of(numbers, "success"), form=OPEN))]
    choices = list(_choices_in_short(shown, numbers))
    several = len({view.key["judge"] for view in shown}) > 1
    said = "; ".join([*_open_in_short(judged, several, alone=not choices), *choices])
    return strip_controls(f"{said[0].upper()}{said[1:]}.") if said else ""


def _open_in_short(judged: list[tuple[View, Row]], several: bool, *, alone: bool) -> Iterator[str]:
    """Say it for one judge after the other: a range over tutors is of one judge, and so is what it left unknown."""
    known: list[str] = []
    unknown: list[str] = []
    for judge in dict.fromkeys(view.key["judge"] for view, _ in judged):
        of = [(view, row) for view, row in judged if view.key["judge"] == judge]
        by = f" by judge {judge}" if several else ""
        if any(row["success"] is not None for _, row in of):
            known.append(_of_one_judge(of, by, first=not known))
        else:
            total = _sum([row for _, row in of], "unknown")
            whether = f"whether any of {counted(total, 'judged open reply')} succeeds"
            unknown.append(f"judge {judge} left open {whether}" if several else f"{whether} is not known")
    if known:
        yield joined(known)
    if known or not alone:
        yield from unknown


def _of_one_judge(judged: list[tuple[View, Row]], by: str, *, first: bool) -> str:
    rows = [row for _, row in judged]
    n, unknown, silent, refused = (_sum(rows, name) for name in ("n", "unknown", "no_reply", "refused"))
    runs = len({view.key.get("run") for view, _ in judged}) > 1
    known = [(view, row) for view, row in judged if row["success"] is not None]
    named = [
        (f"{row['tutor']}, run {view.key['run']}" if runs else str(row["tutor"]), row["success"]) for view, row in known
    ]
    alone = n if len(named) == 1 else None
    if first:
        which = "open replies" if alone is None else counted(alone, "open reply")
        said = f"{_span(named)} of {which} whose success is known {_meet(alone)}{by}"
    else:
        said = f"{_span(named)}{f' of {alone:,}' if alone is not None else ''}{by}"
    parts = [f"{kinds}, counted as failures"] if (kinds := _kinds(silent - refused, refused)) else []
    parts += [f"{unknown:,} not known"] if unknown else []
    rest = f": {'; '.join(parts)}" if parts else ", none empty, refused or not known"
    return f"{said} (of {n + unknown:,} judged{rest})"


def _choices_in_short(shown: list[View], numbers: Frames) -> Iterator[str]:
    for form in (MCQ, BINARY):
        chosen = {
            (view.key.get("run"), row["tutor"]): row
            for view in shown
            for row in _whole_rows(_of_form(view.of(numbers, "choice_accuracy"), form))
        }
        if chosen:
            runs, rows = {run for run, _ in chosen}, list(chosen.values())
            named = [(f"{t} ({run})" if len(runs) > 1 else str(t), row["accuracy"]) for (run, t), row in chosen.items()]
            n, unread, empty, refused = (_sum(rows, name) for name in ("n", "unread", "empty", "refused"))
            read = (
                f"of {n:,}, {_unread_words(unread, empty, refused)}"
                if unread
                else f"{'all ' if n > 1 else ''}{n:,} read"
            )
            chance = f"chance {100 * rows[0]['chance']:.0f}\u00a0%"
            yield f"{_span(named)} of {FORM_WORDS[form]} are right ({chance}; {read})"


def _sum(rows: list[Row], name: str) -> int:
    return sum(int(row[name]) for row in rows)


def _kinds(empty: int, refused: int, unclear: int = 0) -> str:
    return _named({"empty": empty, "refused by the provider": refused, "without a clear letter": unclear})


def _named(named: Mapping[str, int]) -> str:
    return joined([f"{n:,} {what}" for what, n in named.items() if n])


def _unread_words(unread: int, empty: int, refused: int) -> str:
    kinds = _kinds(empty, refused, unread - empty - refused)
    return f"{unread:,} not read and wrong" + (f": {kinds}" if empty or refused else "")


def _meet(n: int | None) -> str:
    return "meets a criterion of its case" if n == 1 else "meet a criterion of their case"


def _span(named: list[tuple[str, float]]) -> str:
    low, high = min(named, key=lambda one: one[1]), max(named, key=lambda one: one[1])
    if low[1] == high[1]:
        return per_cent(low[1]) + (" (each)" if len(named) > 1 else "")
    return f"from {per_cent(low[1])} ({low[0]}) to {per_cent(high[1])} ({high[0]})"


def _of_form(accuracy: pd.DataFrame, form: str) -> pd.DataFrame:
    return accuracy[(accuracy["form"] == form) & (accuracy["challenge"] == ALL)] if len(accuracy) else accuracy


def _whole_rows(frame: pd.DataFrame) -> list[Row]:
    """Give each tutor's row over both horizons, or over the only one."""
    found: dict[Any, Row] = {}
    for row in plain_rows(frame):
        if row["horizon"] == ALL or row["tutor"] not in found:
            found[row["tutor"]] = row
    return list(found.values())


def _tutors(view: View, numbers: Frames) -> list[str]:
    of_run = View({name: value for name, value in view.key.items() if name == "run"}, "", "")
    names = [of_run.of(numbers, table)["tutor"] for table in ("coverage", "success", "choice_accuracy", "diversity")]
    return list(dict.fromkeys(str(name) for one in names for name in one.dropna()))


def _open_lines(view: View, numbers: Frames, tutor: str) -> Iterator[str]:
    for form in OPEN_FORMS:
        held = overall(view.of(numbers, "success"), form=form)
        rows = {row["horizon"]: row for row in plain_rows(held[held["tutor"] == tutor])}
        asked = _counts(view, numbers, tutor, form, judged=False)
        parts = list(_success_words(rows)) if rows else []
        if not rows and _has_replies(view, numbers, tutor, form, asked):
            parts.append("no reply is judged yet")
            if asked is not None and asked["unread"] and not asked["owed"]:
                parts.append(_answered_words(asked))
        parts += _owed_words(view, numbers, tutor, form, asked)
        if parts:
            yield f"{tutor}, {FORM_WORDS[form]}{view.said}: {'; '.join(parts)}"


def _has_replies(view: View, numbers: Frames, tutor: str, form: str, asked: Row | None) -> bool:
    if asked is not None:
        return bool(asked["answered"] + asked["unread"])
    varied = view.of(numbers, "diversity")
    return form == OPEN and bool((varied["tutor"] == tutor).any())


def _success_words(rows: Mapping[str, Row]) -> Iterator[str]:
    whole = rows.get(ALL) or next(iter(rows.values()))
    judged = whole["n"] + whole["unknown"]
    if not whole["n"]:
        none = "its only reply succeeds" if judged == 1 else f"any of {judged:,} replies succeeds"
        yield f"whether {none} is not known"
        return
    by = [f"{HORIZON_WORDS[name]} {_of_horizon(row)}" for name, row in rows.items() if name != ALL]
    said = f" ({'; '.join(by)})" if ALL in rows else f" ({HORIZON_WORDS[whole['horizon']]})"
    yield f"{per_cent(whole['success'])} of {counted(whole['n'], 'reply')} {_meet(whole['n'])}{said}"
    if whole["no_reply"]:
        yield f"of these {_kinds(whole['no_reply'] - whole['refused'], whole['refused'])}, counted as failures"
    yield _interval_words(whole)
    if whole["unknown"]:
        least, most = per_cent(whole["least"]), per_cent(whole["most"])
        more = "is" if whole["unknown"] == 1 else "are"
        yield f"{whole['unknown']:,} more {more} not known, with which it is between {least} and {most} of {judged:,}"
    if whole["satisfaction"] is not None:
        lacking = judged - whole["n_satisfaction"]
        more = f"; of {counted(lacking, 'other')} a criterion was not read" if lacking else ""
        of = counted(whole["n_satisfaction"], "reply") + more
        yield f"on average {per_cent(whole['satisfaction'])} of the criteria are met (over {of})"


def _of_horizon(row: Row) -> str:
    unknown = f", {row['unknown']:,} more not known" if row["unknown"] else ""
    return f"{per_cent(row['success'])} of {row['n']:,}{unknown}" if row["n"] else f"none of {row['unknown']:,} known"


def _choice_lines(view: View, numbers: Frames, tutor: str) -> Iterator[str]:
    accuracy = view.of(numbers, "choice_accuracy")
    held = accuracy[(accuracy["tutor"] == tutor) & (accuracy["challenge"] == ALL)]
    coverage = numbers["coverage"]
    forms = [*held["form"], *(coverage[coverage["tutor"] == tutor]["form"] if len(coverage) else ())]
    for form in dict.fromkeys(form for form in forms if form not in OPEN_FORMS):
        parts = []
        if rows := _whole_rows(held[held["form"] == form]):
            [whole] = rows
            parts = [f"{per_cent(whole['accuracy'])} of {whole['n']:,} {_are(whole['n'])} right"]
            unread = [whole[name] for name in ("unread", "empty", "refused")]
            parts += [f"of these {_unread_words(*unread)}"] if whole["unread"] else []
            parts += [_interval_words(whole), f"chance {per_cent(whole['chance'])}"]
        parts += _owed_words(view, numbers, tutor, form, _counts(view, numbers, tutor, form, judged=False))
        if parts:
            yield f"{tutor}, {FORM_WORDS[form]}{_run_said(view)}: {'; '.join(parts)}"


def _run_said(view: View) -> str:
    return f" (run {view.key['run']})" if "run " in view.name else ""


def _counts(view: View, numbers: Frames, tutor: str, form: str, *, judged: bool) -> Row | None:
    """Give how many units of a tutor and form were asked and are there: of the view's judge, or of the tutor's own."""
    held = numbers["coverage"]
    if not len(held):
        return None
    held = held[(held["tutor"] == tutor) & (held["form"] == form)]
    held = held[held["judge"] == view.key["judge"]] if judged else held[held["judge"].isna()]
    held = held[held["run"] == view.key["run"]] if "run" in held.columns and view.key.get("run") is not None else held
    rows = _whole_rows(held)
    return rows[0] if rows else None


def _owed_words(view: View, numbers: Frames, tutor: str, form: str, asked: Row | None) -> Iterator[str]:
    if asked is not None and asked["owed"]:
        yield _answered_words(asked)
    judged = _counts(view, numbers, tutor, form, judged=True) if form in OPEN_FORMS and view.key.get("judge") else None
    if judged is not None and judged["owed"]:
        of = f"{counted(judged['asked'], 'reply')} {_are(judged['asked'])}"
        yield f"{judged['answered']:,} of {of} judged, {_rest_words(judged)}"


def _answered_words(asked: Row) -> str:
    there = f"{asked['answered']:,}" if asked["answered"] else "none"
    return f"{there} of {asked['asked']:,} asked {_are(asked['asked'])} answered, {_rest_words(asked)}"


def _are(n: int) -> str:
    return "is" if n == 1 else "are"


def _rest_words(counts: Row) -> str:
    """Say what became of all that is not answered."""
    unclear, left = counts["unread"] - counts["empty"] - counts["refused"], counts["owed"] - counts["erred"]
    unread = {"empty": counts["empty"], "refused by the provider": counts["refused"], "not read": unclear}
    return _named({**unread, "erred": counts["erred"], "not tried yet": left})


def _interval_words(row: Row) -> str:
    if row["low"] is None:
        return f"no interval: {row['why_no_interval']}"
    return f"95\u00a0% interval from {per_cent(row['low'])} to {per_cent(row['high'])}"


def _missing(tables: Frames, numbers: Frames) -> Iterator[str]:
    unread, coverage = numbers["unread"], numbers["coverage"]
    each = coverage[coverage["horizon"] != ALL] if len(coverage) else coverage
    own = each["judge"].isna()
    replies, answers, asked = len(tables["replies"]), len(tables["answers"]), int(each[own]["asked"].sum())
    among = {
        **dict.fromkeys((NO_ANSWER, NOT_TRIED), asked),
        **dict.fromkeys(("no reply", "reply cut off"), replies),
        **{"criterion not read": len(tables["decisions"]), "choice not read": answers},
        NOT_JUDGED: int(each[~own]["asked"].sum()) or replies,
    }
    for what in dict.fromkeys(unread["what"]):
        yield f"{what}: {int(unread[unread['what'] == what]['count'].sum()):,} of {among[what]:,}"

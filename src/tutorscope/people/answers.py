"""Answers taken into a run: read against the form, kept under ``inputs/raters/``, given back as tables."""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tutorscope.errors import RefusedError, UserError
from tutorscope.people.forms import Form, Shown, item_code, shown_sha, shown_text
from tutorscope.people.returned import Returned, rater_name
from tutorscope.runs.folder import RunFolder
from tutorscope.runs.inputs import Item, added_items, append_items, read_items
from tutorscope.runs.stages import fingerprint

if TYPE_CHECKING:
    import pandas as pd

UNKNOWN_ITEM = "unknown_item"
NO_RATER = "no_rater"
ANSWERED_TWICE = "answered_twice"

FIRST_LOOK = "1"


@dataclass(frozen=True)
class Answer:
    """One answer of one rater to one question about one thing, or the reason why it could not be read.

    Parameters
    ----------
    rater, item, question : str
    value : str or None
        The label or the text; None if it could not be read.
    reason : str or None
        Why not.
    found : str
        What was put down.
    where : str
        Where in the file.
    """

    rater: str
    item: str
    question: str
    value: str | None
    reason: str | None
    found: str
    where: str


@dataclass(frozen=True)
class Taken:
    """What a file gives, read against its form.

    Parameters
    ----------
    answers : sequence of Answer
        Those that could be read and those that could not; a blank is neither.
    set_aside : sequence of (where, reason)
        Whole rows that could not be taken.
    changed : sequence of str
        Where a shown text is not the one that was drawn.
    repeated : sequence of str
        Where a thing stands again for the same rater.
    blanks : mapping
        Rater to required answers that are blank, things that are not in the file not counted.
    missing : mapping
        Rater to drawn things that are not in the file.
    """

    answers: Sequence[Answer]
    set_aside: Sequence[tuple[str, str]]
    changed: Sequence[str]
    repeated: Sequence[str]
    blanks: Mapping[str, int]
    missing: Mapping[str, int]


def keep_drawn(folder: RunFolder, form: Form, judge: str, shown: Sequence[Shown], draw: Mapping[str, Any]) -> list[str]:
    """Note what was drawn, so that answers can be placed, and give each thing its id in sheets.

    What an earlier draw noted stays as it was noted then.

    Parameters
    ----------
    folder : RunFolder
        Locked by the caller.
    form : Form
    judge : str
        The pool's name.
    shown : sequence of Shown
    draw : mapping
        How it was drawn: seed, size, embedder.
    """
    codes = [item_code(form, judge, one) for one in shown]
    items = [
        Item(
            code,
            shown_sha(shown_text(one)),
            {
                "item": one.id,
                "title": one.title,
                "judge": judge,
                "strata": dict(one.strata),
                "judged": dict(one.judged),
                "draw": dict(draw),
            },
        )
        for code, one in zip(codes, shown, strict=True)
    ]
    path = _drawn_path(folder, form)
    append_items(path, added_items(list(read_items(path)), items, f"raters/{form.name}"))
    return codes


def drawn_items(folder: RunFolder, form: Form) -> dict[str, Item]:
    """Give what was ever drawn for a form, by its id in sheets."""
    return {item.id: item for item in read_items(_drawn_path(folder, form))}


def take(form: Form, drawn: Mapping[str, Item], returned: Returned, name: str, rater: str | None = None) -> Taken:
    """Read what came back against the form and the draw.

    Nothing is imputed: a blank stays a blank, and what is none of the labels is unread, with its row.

    Parameters
    ----------
    form : Form
    drawn : mapping
        As `drawn_items` gives it.
    returned : Returned
    name : str
        The file's name, for messages.
    rater : str, optional
        Who filled a file that does not say.

    Raises
    ------
    UserError
        The file holds nothing, names no rater where none is given, or another, or none of its things was drawn.
    """
    if not returned.rows:
        raise UserError(f"{name}: holds no row that could be taken; expected one for each thing that was rated")
    named = {rater_name(row.rater) for row in returned.rows if row.rater}
    given = rater_name(rater) if rater else ""
    if not named and not given:
        raise UserError(f"{name}: names no rater; say who filled it with --rater NAME")
    if given and named - {given}:
        raise UserError(f"{name}: is filled by {', '.join(sorted(named))}, not by {given}; leave --rater out")
    alone = given or (next(iter(named)) if len(named) == 1 else "")
    set_aside = list(returned.set_aside)
    changed: list[str] = []
    repeated: list[str] = []
    cells: dict[tuple[str, str], list[tuple[str, Mapping[str, Sequence[str]]]]] = defaultdict(list)
    for row in returned.rows:
        who = rater_name(row.rater) or alone
        item = drawn.get(row.item)
        if item is None or not who:
            set_aside.append((row.where, NO_RATER if item else UNKNOWN_ITEM))
            continue
        if row.shown is not None and shown_sha(row.shown) != item.sha:
            changed.append(row.where)
        if cells[who, row.item]:
            repeated.append(row.where)
        cells[who, row.item].append((row.where, row.cells))
    if not cells:
        raise UserError(
            f"{name}: none of its {len(returned.rows)} items was drawn from this run "
            f"(the first is {returned.rows[0].item!r:.60}); expected a sheet that this run gave out"
        )
    answers: list[Answer] = []
    blanks: dict[str, int] = defaultdict(int)
    for (who, code), rows in cells.items():
        for question in form.questions:
            filled = [(where, said) for where, row in rows if (said := _filled(row.get(question.key, ())))]
            if not filled:
                blanks[who] += question.required
                continue
            where, said = filled[0]
            found, parsed = " / ".join(said), question.answer(said)
            value, reason = parsed.value, parsed.reason
            if any(question.answer(other) != parsed for _, other in filled[1:]):
                where = ", ".join(place for place, _ in filled)
                found = " / ".join(one for _, other in filled for one in other)
                value, reason = None, ANSWERED_TWICE
            answers.append(Answer(who, code, question.key, value, reason, found, where))
    raters = {who for who, _ in cells}
    missing = {who: len(drawn) - sum(held == who for held, _ in cells) for who in sorted(raters)}
    return Taken(answers, set_aside, changed, repeated, {who: blanks[who] for who in sorted(raters)}, missing)


def keep(folder: RunFolder, form: Form, taken: Taken, path: Path, data: bytes, again: str = FIRST_LOOK) -> int:
    """Keep the answers of a file in the run, and give how many of those that could be read are new.

    Answers are only ever added. The same file again adds nothing; a blank may be filled later, and what could not be
    read may be mended; but an answer that was given stays.

    Parameters
    ----------
    folder : RunFolder
        Locked by the caller.
    form : Form
    taken : Taken
    path : Path
        The file: its name is noted, and the sha256 of ``data``, its bytes.
    data : bytes
    again : str
        The name of the pass: a second look under its own name stands beside the first.

    Raises
    ------
    RefusedError
        An answer of the same rater, thing, question and pass is another one now. Nothing of the file is kept then.
    """
    new: dict[Path, list[Item]] = {}
    for rater in sorted({answer.rater for answer in taken.answers}):
        place = _rater_path(folder, form, rater)
        held = {item.id: item for item in read_items(place)}
        added: dict[str, Item] = {}
        for answer in taken.answers:
            if answer.rater == rater:
                item = _as_item(answer, again)
                before = held.get(item.id)
                if before is not None and before.sha != item.sha:
                    raise RefusedError(
                        f"{path.name}, {answer.where}: {rater} answered {before.data['value']!r:.60} to "
                        f"{answer.question} of {answer.item} before, and {answer.value!r:.60} now; an answer stays: "
                        "restore it, or give the second look a name with --pass NAME"
                    )
                if before is None:
                    added[item.id] = item
        new[place] = list(added.values())
    for place, items in new.items():
        append_items(place, items)
    facts = _file_facts(taken, path, hashlib.sha256(data).hexdigest(), again)
    place = _imports_path(folder, form)
    if fingerprint(facts) not in {item.id for item in read_items(place)}:
        time = datetime.now(UTC).isoformat(timespec="seconds")
        append_items(place, [Item(fingerprint(facts), facts["sha256"], {**facts, "time": time}, path.name)])
    return sum(item.data["value"] is not None for items in new.values() for item in items)


def rater_tables(folder: RunFolder, form: Form) -> dict[str, pd.DataFrame]:
    """Give a form's drawn things and answers as tables.

    Returns
    -------
    dict of DataFrame
        ``rater_items``: ``form``, ``item`` (its id in sheets), ``source`` (in the run), ``judge``, ``title``, a column
        for each stratum, and ``judged_QUESTION`` with the answer that agrees with the judge. ``rater_answers``:
        ``form``, ``rater``, ``pass``, ``item``, ``question``, ``value``, ``reason``; an answer that could not be read
        has a reason, and goes once a readable one stands in its place.
    """
    import pandas as pd

    drawn = [
        {
            "form": form.name,
            "item": item.id,
            "source": item.data["item"],
            "judge": item.data["judge"],
            "title": item.data["title"],
            **item.data["strata"],
            **{f"judged_{question}": value for question, value in item.data["judged"].items()},
        }
        for item in drawn_items(folder, form).values()
    ]
    answers: dict[tuple[str, ...], dict[str, Any]] = {}
    for path in sorted(_form_folder(folder, form).glob("rater-*.jsonl")):
        for kept in read_items(path):
            row = {name: kept.data[name] for name in ("rater", "pass", "item", "question", "value", "reason")}
            key = tuple(row[name] for name in ("rater", "pass", "item", "question"))
            if key not in answers or row["value"] is not None:
                answers[key] = {"form": form.name, **row}
    columns = ["form", "rater", "pass", "item", "question", "value", "reason"]
    return {
        "rater_items": pd.DataFrame(drawn, columns=None if drawn else ["form", "item", "source", "judge", "title"]),
        "rater_answers": pd.DataFrame(list(answers.values()), columns=columns),
    }


def _filled(said: Sequence[str]) -> list[str]:
    return [one for one in said if one.strip()]


def _as_item(answer: Answer, again: str) -> Item:
    data = {**asdict(answer), "pass": again}
    name = f"{again}/{answer.item}/{answer.question}"
    if answer.value is None:
        # What could not be read is no answer yet: each try has its own place, so that it can be mended.
        tried = fingerprint([answer.reason, answer.found])
        return Item(f"{name}/unread/{tried}", tried, data)
    return Item(name, fingerprint(answer.value), data)


def _file_facts(taken: Taken, path: Path, sha256: str, again: str) -> dict[str, Any]:
    return {
        "file": path.name,
        "sha256": sha256,
        "pass": again,
        "raters": sorted(taken.missing),
        "answers": sum(answer.value is not None for answer in taken.answers),
        "unread": sum(answer.value is None for answer in taken.answers),
        "set_aside": [list(one) for one in taken.set_aside],
        "changed": list(taken.changed),
        "repeated": list(taken.repeated),
        "blanks": dict(taken.blanks),
        "missing": dict(taken.missing),
    }


def _form_folder(folder: RunFolder, form: Form) -> Path:
    return folder.inputs / "raters" / form.name


def _drawn_path(folder: RunFolder, form: Form) -> Path:
    return _form_folder(folder, form) / "items.jsonl"


def _imports_path(folder: RunFolder, form: Form) -> Path:
    return _form_folder(folder, form) / "imports.jsonl"


def _rater_path(folder: RunFolder, form: Form, rater: str) -> Path:
    plain = re.sub(r"[^A-Za-z0-9._-]+", "_", rater)[:40]
    # Names that differ by case only would share a file where file names do.
    unlike = "" if plain == rater and plain == plain.lower() else f"-{fingerprint(rater)[:8]}"
    return _form_folder(folder, form) / f"rater-{plain}{unlike}.jsonl"

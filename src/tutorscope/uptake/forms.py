"""What raters are asked of uptake: whether the judge's scores of a whole chat are justified (appendix A.4.2)."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from tutorscope.people.forms import Form, JudgeScale, Line, Question, RaterForm, Shown
from tutorscope.runs.folder import RunFolder
from tutorscope.uptake.records import tables

AGREE, DISAGREE = "agree", "disagree"

FORM = Form(
    name="uptake",
    title="Are the uptake scores of this chat justified?",
    instructions=(
        "Read the whole chat. Beside each rated student message stands the score that a judge gave to its uptake: "
        "1 follows the tutor's lead, 2 follows and adds something on the tutor's path, 3 follows in part and also asks "
        "something aside, 4 passes over what the tutor asked and leads, 5 overrules the tutor. Say agree if the scores "
        "are justified on the whole, disagree if they are not. It is the scores that you check, not how good the tutor "
        "or the student is."
    ),
    questions=(
        Question("verdict", "Are the scores justified on the whole?", "choice", (AGREE, DISAGREE)),
        Question("note", "Which scores are wrong, and why? (optional)", "text", required=False),
    ),
)

_VIEW = ["judge", "separate", "history"]
_SCALES = {"scaffolding": "scaffolding", "uptake": "uptake_ordinal"}
_POINTS = (1, 2, 3, 4, 5)


def score_bin(mean: float) -> str:
    """Round an unmapped per-chat mean to 1..5, half up."""
    return str(math.floor(mean + 0.5))


def pools(folder: RunFolder) -> dict[str, list[Shown]]:
    """Give the chats with an uptake score by the name of the view in which they were rated.

    A chat's bin is its unmapped mean uptake, rounded; its likeness is all that was said in it.
    """
    held = tables(folder)
    names = _view_names(held["chats"])
    said = _grouped(held["turns"], ["chat"])
    rated = _grouped(held["exchanges"], [*_VIEW, "chat"])
    found: dict[str, list[Shown]] = {}
    for chat in _rows(held["chats"]):
        if chat["uptake_ordinal"] is None:
            continue
        view = tuple(chat[column] for column in _VIEW)
        exchanges = {row["exchange"]: row for row in rated[(*view, chat["chat"])]}
        found.setdefault(names[view], []).append(_shown(chat, said[(chat["chat"],)], exchanges))
    return found


def judges(folder: RunFolder) -> list[JudgeScale]:
    """Give each judge's first rating of each exchange, on both scales; missing where it could not be read."""
    held = tables(folder)
    names = _view_names(held["chats"])
    datasets = {chat["chat"]: chat["dataset"] for chat in _rows(held["chats"])}
    asked = [row for row in _rows(held["exchanges"]) if not row["skipped"]]
    scales = []
    for scale, column in _SCALES.items():
        first = {
            (*(row[name] for name in _VIEW), row["chat"], row["exchange"]): row[column]
            for row in _rows(held["ratings"])
            if row["replicate"] == 0 and row[column] is not None
        }
        rows = [
            {
                "unit": f"{row['chat']}/{row['exchange']}",
                "judge": names[tuple(row[name] for name in _VIEW)],
                "dataset": datasets[row["chat"]],
                "value": first.get((*(row[name] for name in _VIEW), row["chat"], row["exchange"])),
            }
            for row in asked
            # The first exchange of a chat that the student opened has no uptake: nothing was asked there.
            if scale != "uptake" or row["why_no_uptake"] != "no_framing_yet"
        ]
        frame = pd.DataFrame(rows, columns=["unit", "judge", "dataset", "value"])
        scales.append(JudgeScale(scale, _POINTS, frame.astype({"value": "Int64"})))
    return scales


UPTAKE_FORM = RaterForm(form=FORM, pools=pools, cell=("dataset", "bin"), by=("dataset", "bin"), judges=judges)


def _shown(
    chat: Mapping[str, Any], said: Sequence[Mapping[str, Any]], exchanges: Mapping[int, Mapping[str, Any]]
) -> Shown:
    return Shown(
        id=chat["chat"],
        title=f"Chat from {chat['dataset']}",
        lines=tuple(_lines(said, exchanges)),
        facts={"mean uptake": f"{chat['uptake_ordinal']:.3g} of 5"},
        strata={
            "category": chat["category"],
            "dataset": chat["dataset"],
            "bin": score_bin(chat["uptake_ordinal"]),
        },
        judged={"verdict": AGREE},
        likeness="\n".join(f"{turn['speaker']}: {turn['text'] or ''}" for turn in said),
    )


def _lines(said: Sequence[Mapping[str, Any]], exchanges: Mapping[int, Mapping[str, Any]]) -> Iterator[Line]:
    # A message that was merged from several turns is scored once: the score stands at the last of them.
    last = {turn["exchange"]: turn["turn"] for turn in said if turn["speaker"] == "student"}
    for turn in said:
        exchange = exchanges.get(turn["exchange"])
        marks: tuple[str, ...] = ()
        if exchange and not exchange["skipped"] and last.get(turn["exchange"]) == turn["turn"]:
            score = exchange["uptake_ordinal"]
            marks = (f"uptake {score:.3g} of 5" if score is not None else f"no score: {exchange['why_no_uptake']}",)
        yield Line(turn["speaker"], turn["text"] or "", marks)


def _view_names(chats: pd.DataFrame) -> dict[tuple[Any, ...], str]:
    """Name each view by its judge, and by what else tells it apart."""
    views = [tuple(row) for row in chats[_VIEW].drop_duplicates().itertuples(index=False, name=None)]
    return {
        (judge, separate, history): "".join(
            [str(judge), "+separate" if separate else "", f"+last-{history}" if history else ""]
        )
        for judge, separate, history in views
    }


def _grouped(frame: pd.DataFrame, keys: Sequence[str]) -> Mapping[tuple[Any, ...], list[dict[str, Any]]]:
    found: dict[tuple[Any, ...], list[dict[str, Any]]] = defaultdict(list)
    for row in _rows(frame):
        found[tuple(row[key] for key in keys)].append(row)
    return found


def _rows(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Give rows as plain data, a missing value as None."""
    plain = frame.astype(object).where(frame.notna(), None)
    return [dict(zip(plain.columns, row, strict=True)) for row in plain.itertuples(index=False, name=None)]

"""From a run's inputs and logs to tidy tables: chats, turns, exchanges, ratings."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, cast

import pandas as pd

from tutorscope.chats.chat import Chat
from tutorscope.chats.exchanges import SameSpeaker, Walk, chat_reason, walk
from tutorscope.chats.plain import chat_from_data
from tutorscope.runs.folder import RunFolder
from tutorscope.runs.plan import held_items, read_plan
from tutorscope.runs.results import read_stage
from tutorscope.runs.stages import Done
from tutorscope.uptake.items import CHATS
from tutorscope.uptake.pairs import PAIRS
from tutorscope.uptake.rating import NO_FRAMING, OPENING
from tutorscope.uptake.scores import ChatScore, Rated, rate_exchange, score_chat
from tutorscope.uptake.seeking import SEEKING, seeking_cells
from tutorscope.uptake.seeking_tables import seeking_rows
from tutorscope.uptake.tasks import SCORE, judged_cells
from tutorscope.uptake.traits import trait_rows
from tutorscope.uptake.validation import VALIDATION, validation_cells
from tutorscope.uptake.validation_tables import pair_rows

NOT_RATED = "not_rated"
UNREAD = "unread"

_CHAT = {"category": "string", "dataset": "string", "chat": "string"}
_VIEW = {"judge": "string", "separate": "bool", "history": "int64"}
COLUMNS: dict[str, dict[str, str]] = {
    "logs": {
        "dataset": "string",
        "category": "string",
        "category_column": "string",
        "file": "string",
        "sha256": "string",
        "format": "string",
        "chats": "int64",
        "valid_chats": "int64",
        "exchanges": "int64",
        "valid_exchanges": "int64",
        "merged": "int64",
        "bad": "int64",
        "duplicate_ids": "int64",
        "split_gap": "string",
        "split_chats": "Int64",
        "chats_before_split": "Int64",
        "chats_without_times": "Int64",
        "dropped": "string",
        "set_aside": "string",
    },
    "traits": {"dataset": "string", "trait": "string", "value": "string", "source": "string"},
    "chats": {
        **_CHAT,
        **_VIEW,
        "label": "string",
        "turns": "int64",
        "merged": "int64",
        "exchanges": "int64",
        "valid": "int64",
        "reason": "string",
        "ratings": "int64",
        "n_scored": "int64",
        "n_no_framing": "int64",
        "n_unread": "int64",
        "n_resolved": "int64",
        "scaffolding": "float64",
        "uptake_ordinal": "float64",
        "uptake": "float64",
        "scaffolding_without_resolved": "float64",
        "uptake_without_resolved": "float64",
    },
    "turns": {**_CHAT, "turn": "int64", "speaker": "string", "exchange": "Int64", "tag": "string", "text": "string"},
    "exchanges": {
        **_CHAT,
        **_VIEW,
        "exchange": "int64",
        "skipped": "string",
        "ratings": "int64",
        "scaffolding": "float64",
        "uptake_ordinal": "float64",
        "resolved": "boolean",
        "why_no_scaffolding": "string",
        "why_no_uptake": "string",
    },
    "ratings": {
        **_CHAT,
        **_VIEW,
        "exchange": "int64",
        "replicate": "int64",
        "draw": "string",
        "attempt": "int64",
        "scaffolding": "Int64",
        "uptake_ordinal": "Int64",
        "resolved": "boolean",
        "reason": "string",
        "finish": "string",
        "model": "string",
        "input_tokens": "int64",
        "output_tokens": "int64",
        "cached_tokens": "int64",
    },
    "help_seeking": {
        **_CHAT,
        "judge": "string",
        "history": "int64",
        "exchange": "int64",
        "label": "string",
        "reason": "string",
        "unread_replies": "int64",
    },
    "pairs": {
        "dataset": "string",
        "pair": "string",
        "label": "string",
        "judge": "string",
        "separate": "bool",
        "scaffolding_better": "Int64",
        "scaffolding_worse": "Int64",
        "outcome": "string",
        "why_not_better": "string",
        "why_not_worse": "string",
        "unread_replies": "int64",
    },
}
"""Each table's columns and their types. A missing text is missing, never empty."""


@dataclass(frozen=True)
class _Held:
    """A chat of the run's inputs, walked as the run walks it."""

    category: str
    dataset: str
    id: str
    label: str
    chat: Chat
    walked: Walk
    reason: str | None

    @property
    def keys(self) -> dict[str, Any]:
        return {"category": self.category, "dataset": self.dataset, "chat": self.id}


def tables(folder: RunFolder) -> dict[str, pd.DataFrame]:
    """Build the tables of a run from its plan, inputs and logs.

    Parameters
    ----------
    folder : RunFolder

    Returns
    -------
    dict of DataFrame
        ``logs``: a row for each log that was named. ``traits``: a row for each dataset and trait. ``chats``: a row for
        each chat and view (judge, separate, history), with its per-chat means and, where it has none, the ``reason``.
        ``turns``: a row for each turn with its exchange
        (0 is the opening). ``exchanges``: a row for each exchange of a rated chat and view; scores are means over its
        ratings. ``ratings``: a row for each reply of a judge, those that could not be read too. ``help_seeking``: a row
        for each student message of which that label was asked. ``pairs``: a row for each pair whose better reply is
        known. Columns and types are those of `COLUMNS`.
    """
    plan = read_plan(folder)
    chats = list(_held(folder, plan))
    cells = {cell.key: cell for line in plan for cell in judged_cells(line["options"], line["roles"])}
    done: dict[tuple[str, str], list[Done]] = defaultdict(list)
    for unit in read_stage(folder, SCORE).done:
        done[unit.cell, unit.item].append(unit)
    rows: dict[str, list[dict[str, Any]]] = {name: [] for name in COLUMNS}
    rows["logs"] = [_log_row(facts) for facts in _facts(plan).values()]
    rows["traits"] = [row for facts in _facts(plan).values() for row in trait_rows(facts)]
    for held in chats:
        rows["turns"] += _turn_rows(held)
    for key, cell in cells.items():
        view = {"judge": cell.roles["judge"], **cell.condition}
        for held in chats:
            passes = sorted(done[key, held.id], key=lambda one: one.replicate)
            scored = _Scored.of(passes)
            rows["chats"].append(_chat_row(held, view, passes, scored))
            rows["exchanges"] += _exchange_rows(held, view, passes, scored)
            rows["ratings"] += [row for one in passes for row in _rating_rows(held, view, one)]
    rows["help_seeking"] = list(_seeking_rows(folder, plan, chats))
    rows["pairs"] = list(_pair_rows(folder, plan))
    return {name: _frame(name, rows[name]) for name in COLUMNS}


def _seeking_rows(
    folder: RunFolder, plan: Sequence[Mapping[str, Any]], chats: Sequence[_Held]
) -> Iterator[dict[str, Any]]:
    done = {(unit.cell, unit.item): unit for unit in read_stage(folder, SEEKING).done}
    for key, cell in {c.key: c for line in plan for c in seeking_cells(line["options"], line["roles"])}.items():
        for held in chats:
            if held.reason is None:
                keys = {**held.keys, "judge": cell.roles["judge"], "history": cell.condition["history"]}
                numbers = [exchange.index + 1 for exchange in held.walked.valid]
                yield from seeking_rows(keys, numbers, done.get((key, held.id)))


def _pair_rows(folder: RunFolder, plan: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    cells = {c.key: c for line in plan for c in validation_cells(line["options"], line["roles"])}
    names = dict.fromkeys(name for line in plan for name in line["inputs"] if name.startswith(PAIRS))
    items = [item for name in names for item in held_items(folder, plan, name)]
    done = {(unit.cell, unit.item): unit for unit in read_stage(folder, VALIDATION).done}
    return pair_rows(items, list(cells.values()), done)


def _facts(plan: Sequence[Mapping[str, Any]]) -> dict[tuple[str, str], Mapping[str, Any]]:
    """Give what the plan says of each file: of one that was read again to another limit, the fuller account."""
    files: dict[tuple[str, str], Mapping[str, Any]] = {}
    for line in plan:
        for name, facts in line["inputs"].items():
            key = (name, facts.get("sha256", ""))
            if name.startswith(CHATS) and (key not in files or files[key]["chats"] <= facts["chats"]):
                files[key] = facts
    return files


def _log_row(facts: Mapping[str, Any]) -> dict[str, Any]:
    row = {name: facts.get(name) for name in COLUMNS["logs"] if name not in ("dropped", "set_aside")}
    aside = ", ".join(f"{name} {count}" for name, count in facts["reasons"].items())
    return {**row, "dropped": ", ".join(facts["dropped"]) or None, "set_aside": aside or None}


def _held(folder: RunFolder, plan: Sequence[Mapping[str, Any]]) -> Iterator[_Held]:
    for name in dict.fromkeys(name for name, _ in _facts(plan)):
        for item in held_items(folder, plan, name):
            chat = chat_from_data(item.data["chat"])
            walked = walk(chat, cast(SameSpeaker, item.data["same_speaker"]))
            yield _Held(
                item.data["category"], item.data["dataset"], item.id, item.label, chat, walked, chat_reason(walked)
            )


@dataclass(frozen=True)
class _Scored:
    """A chat's exchanges in one view, its ratings put together."""

    records: Sequence[Mapping[str, Any]]
    rated: Mapping[int, Rated]
    unread: Mapping[int, Mapping[str, str]]

    @classmethod
    def of(cls, passes: Sequence[Done]) -> _Scored:
        if not passes:
            return cls((), {}, {})
        by_exchange: dict[int, list[Mapping[str, Any]]] = defaultdict(list)
        for one in passes:
            for record in one.result["exchanges"]:
                by_exchange[record["exchange"]].append(record)
        rated: dict[int, Rated] = {}
        unread: dict[int, Mapping[str, str]] = {}
        for number, records in by_exchange.items():
            if records[0]["skipped"]:
                continue
            rated[number] = rate_exchange([(r["scaffolding"], r["uptake"], r["resolved"]) for r in records])
            reasons: dict[str, str] = {}
            for record in records:
                reasons.update(record["unread"])
            unread[number] = {
                metric: reason
                for metric, reason in reasons.items()
                if (rated[number].scaffolding if metric == "scaffolding" else rated[number].uptake) is None
            }
        return cls(passes[0].result["exchanges"], rated, unread)


def _chat_row(held: _Held, view: Mapping[str, Any], passes: Sequence[Done], scored: _Scored) -> dict[str, Any]:
    whole = score_chat(scored.rated.values())
    without = score_chat(rated for rated in scored.rated.values() if not rated.resolved)
    return {
        **held.keys,
        **view,
        "label": held.label or None,
        "turns": len(held.chat.turns),
        "merged": held.walked.merged,
        "exchanges": len(held.walked.exchanges),
        "valid": len(held.walked.valid),
        "reason": _why_not(held, passes, whole),
        "ratings": len(passes),
        "n_scored": whole.n_scaffolding,
        "n_no_framing": sum(not exchange.framed for exchange in held.walked.valid),
        "n_unread": sum(any(r != NO_FRAMING for r in reasons.values()) for reasons in scored.unread.values()),
        "n_resolved": sum(rated.resolved for rated in scored.rated.values()),
        "scaffolding": _number(whole.scaffolding),
        "uptake_ordinal": _number(whole.uptake_ordinal),
        "uptake": _number(whole.uptake),
        "scaffolding_without_resolved": _number(without.scaffolding),
        "uptake_without_resolved": _number(without.uptake),
    }


def _why_not(held: _Held, passes: Sequence[Done], score: ChatScore) -> str | None:
    """Say why a chat has no place on the plane."""
    if held.reason:
        return held.reason
    if not passes:
        return NOT_RATED
    return UNREAD if score.scaffolding is None or score.uptake is None else None


def _exchange_rows(
    held: _Held, view: Mapping[str, Any], passes: Sequence[Done], scored: _Scored
) -> Iterator[dict[str, Any]]:
    for record in scored.records:
        number = record["exchange"]
        rated = scored.rated.get(number)
        reasons = scored.unread.get(number, {})
        yield {
            **held.keys,
            **view,
            "exchange": number,
            "skipped": record["skipped"],
            "ratings": len(passes),
            "scaffolding": _number(rated.scaffolding) if rated else None,
            "uptake_ordinal": _number(rated.uptake) if rated else None,
            "resolved": rated.resolved if rated else None,
            "why_no_scaffolding": reasons.get("scaffolding"),
            "why_no_uptake": reasons.get("uptake"),
        }


def _rating_rows(held: _Held, view: Mapping[str, Any], one: Done) -> Iterator[dict[str, Any]]:
    replies = {(call["draw"], call["attempt"]): call for call in one.calls}
    for rating in one.result["ratings"]:
        values = rating["value"]
        for attempt, reason in enumerate([*rating["reasons"], *([] if values is None else [None])]):
            said = values if reason is None else {}
            call = replies[rating["draw"], attempt]
            usage = call["usage"]
            yield {
                **held.keys,
                **view,
                "exchange": rating["exchange"],
                "replicate": one.replicate,
                "draw": rating["draw"],
                "attempt": attempt,
                "scaffolding": said.get("scaffolding"),
                "uptake_ordinal": said.get("uptake"),
                "resolved": said.get("resolved"),
                "reason": reason,
                "finish": call["finish"],
                "model": call["model"],
                "input_tokens": usage["input"],
                "output_tokens": usage["output"],
                "cached_tokens": usage["cached"],
            }


def _turn_rows(held: _Held) -> Iterator[dict[str, Any]]:
    places: dict[int, tuple[int, str | None]] = dict.fromkeys(held.walked.opening, (0, OPENING))
    for exchange in held.walked.exchanges:
        places |= dict.fromkeys(
            (*exchange.student_turns, *exchange.tutor_turns), (exchange.index + 1, exchange.skipped)
        )
    unpaired = set(held.walked.unpaired)
    for position, turn in enumerate(held.chat.turns):
        number, tag = places.get(position, (None, "unpaired" if position in unpaired else None))
        yield {
            **held.keys,
            "turn": position + 1,
            "speaker": turn.speaker,
            "exchange": number,
            "tag": tag,
            "text": turn.text,
        }


def _number(value: Fraction | None) -> float | None:
    return None if value is None else float(value)


def _frame(name: str, rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    # Column by column: pandas must not meet a text that it cannot store.
    return pd.DataFrame(
        {
            column: pd.Series([_storable(row[column]) for row in rows], dtype=pd.api.types.pandas_dtype(kind))
            for column, kind in COLUMNS[name].items()
        }
    )


def _storable(value: Any) -> Any:
    # Half of a surrogate pair has no UTF-8, and so no place in a Parquet file.
    return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace") if isinstance(value, str) else value

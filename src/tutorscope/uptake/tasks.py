"""The main stage: a judge pass over frozen chats. What it asks and how is in ``rating``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from tutorscope.chats.exchanges import SameSpeaker, chat_reason, walk
from tutorscope.chats.plain import chat_from_data
from tutorscope.judging.asking import ATTEMPTS
from tutorscope.models.speaking import Embed, Speak
from tutorscope.runs.stages import Calls, Cell, Rule, Stage, Unit, Upstream
from tutorscope.uptake.items import CHATS
from tutorscope.uptake.rating import prompt_lengths, questions, rate_chat, reply_length

if TYPE_CHECKING:
    from tutorscope.runs.inputs import Item
    from tutorscope.runs.plan import Job

SCORE = "score"
PAIRED = "pairs"
"""The option that marks an ask about pairs."""

CHARACTERS_A_TOKEN = 4


def judged_cells(options: Mapping[str, Any], roles: Mapping[str, Sequence[str]]) -> list[Cell]:
    """Give an ask's cells, one a judge, by their identity alone: no prompt is looked at.

    Parameters
    ----------
    options : mapping
        ``separate``, ``history``, ``ratings``.
    roles : mapping
        The names of the judges under "judge".

    Returns
    -------
    list of Cell
        None for an ask that is about pairs: it wants no chat rated.
    """
    if options.get(PAIRED):
        return []
    condition = {"separate": bool(options["separate"]), "history": int(options["history"])}
    replicates = int(options["ratings"])
    return [Cell(SCORE, {"judge": name}, condition, replicates=replicates) for name in roles.get("judge", ())]


def stage() -> Stage:
    """Declare the stage: cells by judge and condition, a unit for each valid chat, a replicate for each rating."""
    return Stage(SCORE, ("judge",), cells=_cells, units=_units, rule=_rule, calls=_calls, stateless=True)


def _cells(options: Mapping[str, Any], roles: Mapping[str, Sequence[str]]) -> Iterator[Cell]:
    overrides: Path | None = options["prompts"]
    rubrics = {f"rubric {q.rubric.name}": q.rubric.sha for q in questions(bool(options["separate"]), overrides)}
    for cell in judged_cells(options, roles):
        yield replace(cell, made_of=rubrics)


def _units(job: Job, cell: Cell, upstream: Upstream) -> Iterator[Unit]:
    for item in chat_items(job):
        if chat_reason(walk(chat_from_data(item.data["chat"]), same_speaker_of(item.data))) is None:
            for replicate in range(cell.replicates):
                yield Unit(item.id, replicate, data=item.data)


def _rule(job: Job, cell: Cell) -> Rule:
    among = questions(bool(cell.condition["separate"]), job.prompts)

    async def score(unit: Unit, speak: Speak, embed: Embed) -> Mapping[str, Any]:
        return await rate_chat(
            speak,
            chat_from_data(unit.data["chat"]),
            among,
            history=int(cell.condition["history"]),
            same_speaker=same_speaker_of(unit.data),
        )

    return score


def _calls(job: Job, cell: Cell, unit: Unit) -> list[Calls]:
    among = questions(bool(cell.condition["separate"]), job.prompts)
    lengths = prompt_lengths(
        chat_from_data(unit.data["chat"]),
        among,
        history=int(cell.condition["history"]),
        same_speaker=same_speaker_of(unit.data),
    )
    reply = sum(map(reply_length, among)) / len(among)
    return [
        Calls(
            "judge",
            least=len(lengths),
            expected=len(lengths),
            most=len(lengths) * ATTEMPTS,
            input_tokens=sum(lengths) / len(lengths) / CHARACTERS_A_TOKEN,
            output_tokens=reply / CHARACTERS_A_TOKEN,
        )
    ]


def chat_items(job: Job) -> Iterator[Item]:
    """Give the chats of a run: its inputs hold pairs too, if some were judged."""
    for name, items in job.items.items():
        if name.startswith(CHATS):
            yield from items


def same_speaker_of(data: Mapping[str, Any]) -> SameSpeaker:
    """Say how an item's messages in a row are joined."""
    return cast(SameSpeaker, data["same_speaker"])

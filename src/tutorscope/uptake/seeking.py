"""An extra label for each student message: what help it seeks. A stage of its own, so that ratings stay as they are.

Instrumental help-seeking asks for just enough to go on alone, executive help-seeking for the work to be done (after
Nelson-Le Gall 1981, Help-seeking: an understudied problem-solving skill in children).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio

from tutorscope.chats.chat import Chat
from tutorscope.chats.exchanges import SameSpeaker, chat_reason, history_up_to, walk
from tutorscope.chats.plain import chat_from_data
from tutorscope.judging.asking import ATTEMPTS
from tutorscope.judging.rubrics import Rubric, load_rubric, rate
from tutorscope.models.speaking import Embed, Speak
from tutorscope.runs.stages import Calls, Cell, Rule, Stage, Unit, Upstream
from tutorscope.texts.replies import Choice
from tutorscope.uptake.rating import PROMPTS, said_before
from tutorscope.uptake.tasks import CHARACTERS_A_TOKEN, PAIRED, chat_items, same_speaker_of

if TYPE_CHECKING:
    from tutorscope.runs.plan import Job

SEEKING = "seeking"
LABELS = ("instrumental", "executive", "neither")

_FIELD = Choice("help_seeking", LABELS)
_REPLY = len('{"help_seeking": "instrumental"}')
_IN_FLIGHT = 128


def rubric_of(overrides: Path | None = None) -> Rubric:
    """Load the question, ours or the user's."""
    return load_rubric(PROMPTS, "help-seeking", (_FIELD,), overrides=overrides)


async def label_chat(
    speak: Speak, chat: Chat, rubric: Rubric, *, history: int = 0, same_speaker: SameSpeaker = "merge"
) -> dict[str, Any]:
    """Have the student's message of each valid exchange labelled, all at once.

    The judge sees the talk before the message and not the reply to it.

    Parameters
    ----------
    speak : Speak
    chat : Chat
    rubric : Rubric
        As `rubric_of` gives it.
    history : int
        Show the judge only so many exchanges before the message; 0 shows all.
    same_speaker : {"merge", "keep"}

    Returns
    -------
    dict
        ``messages``: for each valid exchange its ``exchange`` (from 1), ``label`` or None, the
        ``reason`` why there is none, and ``reasons``, one for each reply that could not be read.
    """
    walked = walk(chat, same_speaker)
    messages: list[dict[str, Any] | None] = [None] * len(walked.valid)
    room = anyio.Semaphore(_IN_FLIGHT)

    async def label(place: int) -> None:
        exchange = walked.valid[place]
        before = history_up_to(walked, exchange, history or None)
        record = {
            "task": chat.context or None,
            "history": said_before(before, exchange.before - len(before)),
            "message": {"student": exchange.student},
        }
        async with room:
            answer = await rate(speak, rubric, record, draw=f"x{exchange.index + 1}")
        messages[place] = {
            "exchange": exchange.index + 1,
            "label": answer.value["help_seeking"] if answer.value else None,
            "reason": answer.reason,
            "reasons": list(answer.reasons),
        }

    async with anyio.create_task_group() as group:
        for place in range(len(messages)):
            group.start_soon(label, place)
    return {"messages": messages}


def seeking_cells(options: Mapping[str, Any], roles: Mapping[str, Sequence[str]]) -> list[Cell]:
    """Give an ask's cells, one a judge if the label was asked for, by their identity alone."""
    if options.get(PAIRED) or not options.get("help_seeking"):
        return []
    return [Cell(SEEKING, {"judge": name}, {"history": int(options["history"])}) for name in roles.get("judge", ())]


def seeking_stage() -> Stage:
    """Declare the stage: a cell for each judge and history, a unit for each valid chat."""
    return Stage(SEEKING, ("judge",), cells=_cells, units=_units, rule=_rule, calls=_calls, stateless=True)


def _cells(options: Mapping[str, Any], roles: Mapping[str, Sequence[str]]) -> Iterator[Cell]:
    for cell in seeking_cells(options, roles):
        yield replace(cell, made_of={"rubric help-seeking": rubric_of(options["prompts"]).sha})


def _units(job: Job, cell: Cell, upstream: Upstream) -> Iterator[Unit]:
    for item in chat_items(job):
        if chat_reason(walk(chat_from_data(item.data["chat"]), same_speaker_of(item.data))) is None:
            yield Unit(item.id, data=item.data)


def _rule(job: Job, cell: Cell) -> Rule:
    rubric = rubric_of(job.prompts)

    async def seek(unit: Unit, speak: Speak, embed: Embed) -> Mapping[str, Any]:
        return await label_chat(
            speak,
            chat_from_data(unit.data["chat"]),
            rubric,
            history=int(cell.condition["history"]),
            same_speaker=same_speaker_of(unit.data),
        )

    return seek


def _calls(job: Job, cell: Cell, unit: Unit) -> list[Calls]:
    chat = chat_from_data(unit.data["chat"])
    walked = walk(chat, same_speaker_of(unit.data))
    template = len(rubric_of(job.prompts).template.text) + len(chat.context)
    history = int(cell.condition["history"]) or None
    shown = [
        template + len(exchange.student) + sum(len(turn.text) for turn in history_up_to(walked, exchange, history))
        for exchange in walked.valid
    ]
    n = len(shown)
    return [
        Calls(
            "judge",
            least=n,
            expected=n,
            most=n * ATTEMPTS,
            input_tokens=sum(shown) / n / CHARACTERS_A_TOKEN,
            output_tokens=_REPLY / CHARACTERS_A_TOKEN,
        )
    ]

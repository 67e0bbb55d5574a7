"""The rule: a judge rates every valid exchange of a chat on scaffolding and uptake.

The paper's "turn" is our exchange: a student message and the reply to it (scaffolding and uptake paper, section 3.3 and
appendix A). Exchanges are counted from 1; 0 is the opening.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import anyio

from tutorscope.chats.chat import Chat, Turn
from tutorscope.chats.exchanges import Exchange, SameSpeaker, Walk, history_up_to, walk
from tutorscope.judging.rubrics import Rubric, load_rubric, rate
from tutorscope.models.speaking import Speak
from tutorscope.texts.replies import Flag, Scale
from tutorscope.texts.templates import json_slot

PROMPTS = "tutorscope.uptake.prompts"
NO_FRAMING = "no_framing_yet"
OPENING = "opening"

# Each call in flight holds its prompt, and the prompts of a chat of thousands of turns are long.
_IN_FLIGHT = 128

SCAFFOLDING_FIELD = "scaffolding"

_SCAFFOLDING, _UPTAKE = Scale(SCAFFOLDING_FIELD), Scale("uptake")
# Scores are worth keeping from a judge that leaves the flag out.
_RESOLVED = Flag("resolved", required=False)


@dataclass(frozen=True, slots=True)
class Question:
    """What one call asks of a judge. The suffix tells the draws of one exchange apart."""

    rubric: Rubric
    suffix: str = ""

    @property
    def metrics(self) -> list[str]:
        """The scores in its reply."""
        return [field.name for field in self.rubric.fields if field is not _RESOLVED]


def questions(separate: bool, overrides: Path | None = None) -> tuple[Question, ...]:
    """Give the calls that an exchange takes.

    Parameters
    ----------
    separate : bool
        Each metric in its own call (the ablation that the paper's appendix C leaves open) instead of both in one.
    overrides : Path, optional
        The user's own templates.

    Raises
    ------
    UserError
        The user's template has other slots.
    """
    if not separate:
        return (Question(load_rubric(PROMPTS, "judge", (_SCAFFOLDING, _UPTAKE, _RESOLVED), overrides=overrides)),)
    scaffolding = load_rubric(PROMPTS, "judge-scaffolding", (_SCAFFOLDING, _RESOLVED), overrides=overrides)
    uptake = load_rubric(PROMPTS, "judge-uptake", (_UPTAKE,), overrides=overrides)
    return Question(scaffolding, ".scaffolding"), Question(uptake, ".uptake")


def asked_of(exchange: Exchange, among: Sequence[Question]) -> list[Question]:
    """Give the calls that one exchange takes.

    Where the student opened the chat there is nothing yet to take up: uptake is not asked, scaffolding is.
    """
    if exchange.framed:
        return list(among)
    without = map(without_uptake, among)
    return [question for question in without if question.rubric.fields]


def without_uptake(question: Question) -> Question:
    """Give the question as it is put where nothing is there yet to take up."""
    fields = tuple(field for field in question.rubric.fields if field is not _UPTAKE)
    return Question(replace(question.rubric, fields=fields), question.suffix)


async def rate_chat(
    speak: Speak,
    chat: Chat,
    among: Sequence[Question],
    *,
    history: int = 0,
    same_speaker: SameSpeaker = "merge",
) -> dict[str, Any]:
    """Have a chat's valid exchanges rated, all at once.

    Parameters
    ----------
    speak : Speak
    chat : Chat
    among : sequence of Question
        As `questions` gives them.
    history : int
        Show the judge only so many exchanges before the one to rate; 0 shows all.
    same_speaker : {"merge", "keep"}

    Returns
    -------
    dict
        ``exchanges``: one record for the opening and for each exchange, skipped ones too: ``exchange``, ``skipped``,
        ``scaffolding``, ``uptake`` (1..5), ``resolved``, and ``unread``: metric to the reason why it has no score
        (``no_framing_yet`` for uptake where the student opened the chat). ``ratings``: for each draw its ``exchange``,
        its ``value`` (None if no reply could be read) and ``reasons``, one for each reply that could not be read.
    """
    walked = walk(chat, same_speaker)
    records = {exchange.index: _blank(exchange) for exchange in walked.exchanges}
    calls = [(exchange, question) for exchange in walked.valid for question in asked_of(exchange, among)]
    ratings: list[dict[str, Any] | None] = [None] * len(calls)
    room = anyio.Semaphore(_IN_FLIGHT)

    async def rate_one(place: int) -> None:
        exchange, question = calls[place]
        draw = f"x{exchange.index + 1}{question.suffix}"
        async with room:
            answer = await rate(speak, question.rubric, _shown(chat, walked, exchange, history), draw=draw)
        record = records[exchange.index]
        if answer.value is not None:
            record.update(answer.value)
        else:
            record["unread"].update(dict.fromkeys(question.metrics, answer.reason))
        # Replies arrive in any order; the result does not tell in which.
        ratings[place] = {
            "exchange": exchange.index + 1,
            "draw": draw,
            "value": answer.value,
            "reasons": list(answer.reasons),
        }

    async with anyio.create_task_group() as group:
        for place in range(len(calls)):
            group.start_soon(rate_one, place)
    opening = [{"exchange": 0, "skipped": OPENING}] if walked.opening else []
    return {"exchanges": [*opening, *records.values()], "ratings": ratings}


def prompt_lengths(chat: Chat, among: Sequence[Question], *, history: int, same_speaker: SameSpeaker) -> list[int]:
    """Give the length of each prompt that a chat takes, in characters, without writing any."""
    walked = walk(chat, same_speaker)
    sums = [0]
    for turn in walked.said:
        sums.append(sums[-1] + len(json_slot({turn.speaker: turn.text})) + 2)
    lengths = []
    for exchange in walked.valid:
        first = exchange.before - len(history_up_to(walked, exchange, history or None))
        shown = sums[exchange.before] - sums[first] + len(exchange.student) + len(exchange.tutor) + len(chat.context)
        lengths += [len(question.rubric.template.text) + shown for question in asked_of(exchange, among)]
    return lengths


def reply_length(question: Question) -> int:
    """Give how many characters a reply has that says what was asked and no more."""
    return len(json_slot({field.name: 4 if field is not _RESOLVED else False for field in question.rubric.fields}))


def said_before(turns: Sequence[Turn], left_out: int = 0) -> list[dict[str, Any]]:
    """Give the talk before what is rated, as the judge sees it; first how many messages are left out."""
    said: list[dict[str, Any]] = [{"messages_left_out": left_out}] if left_out else []
    return said + [{turn.speaker: turn.text} for turn in turns]


def _blank(exchange: Exchange) -> dict[str, Any]:
    return {
        "exchange": exchange.index + 1,
        "skipped": exchange.skipped,
        "scaffolding": None,
        "uptake": None,
        "resolved": None,
        "unread": {} if exchange.framed or exchange.skipped else {"uptake": NO_FRAMING},
    }


def _shown(chat: Chat, walked: Walk, exchange: Exchange, history: int) -> dict[str, Any]:
    """Give what the judge sees of a chat: plain data, which the rubric shows as JSON values."""
    before = history_up_to(walked, exchange, history or None)
    return {
        "task": chat.context or None,
        "history": said_before(before, exchange.before - len(before)),
        "exchange": {"student": exchange.student, "tutor": exchange.tutor},
    }

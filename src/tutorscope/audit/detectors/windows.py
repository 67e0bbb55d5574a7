"""The answer phase: a training problem up to the student's first commitment (policy audit, appendix B.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tutorscope.audit.detectors.final_answer import published_answer, sound_answer
from tutorscope.audit.student import STUDENT, TUTOR

RULES = ("published", "sound")
ANSWER = {"published": published_answer, "sound": sound_answer}


@dataclass(frozen=True)
class Window:
    """What of one tutored problem lies in the answer phase.

    Parameters
    ----------
    committed : int or None
        The place of the student's first reply that commits to an answer: 0 is the reply to the problem itself, k the
        reply to tutor turn k - 1. None if there is none.
    """

    committed: int | None

    def holds_turn(self, turn: int) -> bool:
        """Whether tutor turn ``turn`` (from 0) was said before the commitment."""
        return self.committed is None or turn < self.committed

    def holds_reply(self, place: int) -> bool:
        """Whether the student's reply at ``place`` was said before the commitment or is the commitment."""
        return self.committed is None or place <= self.committed


def window(replies: Sequence[str], rule: str) -> Window:
    """Find the answer phase.

    Parameters
    ----------
    replies : sequence of str
        The student's replies on one training problem, in order.
    rule : {"published", "sound"}
        Whose eyes tell a commitment. It need not be right.
    """
    answer = ANSWER[rule]
    return Window(next((place for place, text in enumerate(replies) if answer(text) is not None), None))


def tutored(lines: Sequence[Mapping[str, Any]]) -> dict[str, list[Mapping[str, Any]]]:
    """Group a session's visible talk by problem, for the problems that had a tutor."""
    with_tutor = dict.fromkeys(line["problem"] for line in lines if line["speaker"] == TUTOR)
    talk: dict[str, list[Mapping[str, Any]]] = {problem: [] for problem in with_tutor}
    for line in lines:
        if line["problem"] in talk and line["speaker"] in (STUDENT, TUTOR):
            talk[line["problem"]].append(line)
    return talk


def either_window(talk: Sequence[Mapping[str, Any]]) -> Window:
    """Give the larger of both rules' windows: what judges rate, so that each rule can average over its own."""
    replies = [line["text"] for line in talk if line["speaker"] == STUDENT]
    places = [window(replies, rule).committed for rule in RULES]
    return Window(None if None in places else max(place for place in places if place is not None))

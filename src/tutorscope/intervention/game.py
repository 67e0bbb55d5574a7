"""The game: a trace appears piece by piece, and a tutor may step in once (intervention game, section 3).

A pure state machine over whoever decides. Because a decision depends on the prefix alone, later prefixes can be asked
before the earlier reply is in: the first yes wins, and the episode is the same.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

import anyio

from tutorscope.intervention.decisions import Decision

NO_DECISION_POINT, UNREADABLE = "no_decision_point", "unreadable"


@dataclass(frozen=True)
class Watched:
    """One decision of a tutor who watches.

    Parameters
    ----------
    decision : Decision or None
        None if no reply could be read.
    reasons : tuple of str
        Why replies could not be read, in order.
    """

    decision: Decision | None
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True)
class Episode:
    """How an episode ended.

    Parameters
    ----------
    intervened : bool or None
        None if a decision could not be read before any yes: nobody knows what would have been done.
    position : int or None
        Code points revealed when the tutor stepped in.
    step : int or None
        The decision (from 0) at which it ended.
    message : str
    reason : str
        "no_decision_point", "unreadable" or "".
    reasons : tuple of str
        Why single replies could not be read.
    decisions : int
        Decisions that the episode rests on.
    wasted : int
        Decisions that were asked ahead and are not part of it.
    """

    intervened: bool | None
    position: int | None = None
    step: int | None = None
    message: str = ""
    reason: str = ""
    reasons: tuple[str, ...] = ()
    decisions: int = 0
    wasted: int = 0


async def watch(
    points: Sequence[int],
    decide: Callable[[int], Awaitable[Watched]],
    *,
    lookahead: Callable[[], int] = lambda: 1,
) -> Episode:
    """Play one episode.

    Parameters
    ----------
    points : sequence of int
        Characters revealed at each decision.
    decide : callable
        From the decision's number to what the tutor decides there; it sees that prefix and nothing of other decisions.
    lookahead : callable
        Gives how many decisions are asked at once, each time that some are: about that many times less waiting, and
        some wasted calls.

    Returns
    -------
    Episode
        The same for every ``lookahead``, ``wasted`` apart.
    """
    if not points:
        return Episode(False, reason=NO_DECISION_POINT)
    reasons: list[str] = []
    start = 0
    while start < len(points):
        steps = range(start, min(start + max(1, lookahead()), len(points)))
        start = steps.stop
        for step, seen in zip(steps, await _together(decide, steps), strict=True):
            if isinstance(seen, Exception):
                # It counts only where the game gets there: a decision asked ahead decides nothing, failed or not.
                raise seen
            reasons += seen.reasons
            ended = Episode(None, step=step, decisions=step + 1, wasted=steps.stop - step - 1, reasons=tuple(reasons))
            if seen.decision is None:
                return replace(ended, reason=UNREADABLE)
            if seen.decision.intervenes:
                return replace(ended, intervened=True, position=points[step], message=seen.decision.message)
    return Episode(False, reasons=tuple(reasons), decisions=len(points))


async def _together(decide: Callable[[int], Awaitable[Watched]], steps: range) -> list[Watched | Exception]:
    found: dict[int, Watched | Exception] = {}

    async def one(step: int) -> None:
        try:
            found[step] = await decide(step)
        except Exception as problem:
            found[step] = problem

    async with anyio.create_task_group() as group:
        for step in steps:
            group.start_soon(one, step)
    return [found[step] for step in steps]

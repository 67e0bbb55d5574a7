"""How many decisions to ask at once: more than one only at the end of a run, where connections lie idle."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

AUTO = "auto"

_SETTLED = 1.0
"""Seconds until all episodes of a stage have begun: before that nobody knows how many there are."""


class Pace:
    """Counts the episodes under way in one process.

    Parameters
    ----------
    connections : int
        Calls under way at once.
    clock : callable
        Seconds.
    """

    def __init__(self, connections: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._connections = connections
        self._clock = clock
        self._began: float | None = None
        self._running = 0

    @contextmanager
    def episode(self) -> Iterator[None]:
        """Count an episode while it is played."""
        if self._began is None:
            self._began = self._clock()
        self._running += 1
        try:
            yield
        finally:
            self._running -= 1

    def lookahead(self) -> int:
        """Share the connections out among the episodes that are left: 1 while there are as many as connections."""
        if self._began is None or self._clock() - self._began < _SETTLED:
            return 1
        return max(1, self._connections // max(1, self._running))

"""How a long run says where it is: units, rate, time left, cost so far."""

from __future__ import annotations

import sys
import time
from typing import Protocol, TextIO

from tutorscope.models.speakers import Speaker
from tutorscope.models.speaking import Usage
from tutorscope.runs.prices import Prices
from tutorscope.texts.words import counted

LINE_EVERY = 10.0
LIVE_EVERY = 0.25


class Counter(Protocol):
    """Who is told what work is done, one thing at a time."""

    def unit(self) -> None:
        """Count a unit that ended."""

    def replied(self, speaker: Speaker, usage: Usage) -> None:
        """Count a reply that was paid."""

    def replayed(self) -> None:
        """Count a reply that the journal gave."""

    def failed(self) -> None:
        """Count a call that gave no reply."""


class Meter:
    """Counts what one process does, and prints it.

    On a terminal one line is rewritten in place; elsewhere a line is printed every ten seconds.

    Parameters
    ----------
    prices : Prices
    out : TextIO, optional
        Standard error by default.
    quiet : bool
        Count and print nothing.
    """

    def __init__(self, prices: Prices, out: TextIO | None = None, *, quiet: bool = False) -> None:
        self.prices = prices
        self.calls = 0
        self.replays = 0
        self.failures = 0
        self.input_tokens = 0
        self.output_tokens = 0
        self.cost = 0.0
        self.unpriced: set[str] = set()
        self._out = out or sys.stderr
        self._quiet = quiet
        self._live = self._out.isatty()
        self._stage = ""
        self._units = 0
        self._total = 0
        self._before = (0, 0, 0)
        self._started = time.monotonic()
        self._printed = 0.0

    def begin(self, stage: str, total: int) -> None:
        """Begin a stage of so many owed units."""
        self._stage, self._units, self._total = stage, 0, total
        self._before = (self.calls, self.replays, self.failures)
        self._started = time.monotonic()
        self._printed = 0.0
        self._show()

    def unit(self) -> None:
        """Count a unit that ended."""
        self._units += 1
        self._show()

    def replied(self, speaker: Speaker, usage: Usage) -> None:
        """Count a reply that was paid."""
        self.calls += 1
        self.input_tokens += usage.input
        self.output_tokens += usage.output
        price = self.prices.of(speaker)
        if price is None:
            self.unpriced.add(speaker.name)
        else:
            self.cost += price.of(usage.input, usage.output, usage.cached)
        self._show()

    def replayed(self) -> None:
        """Count a reply that the journal gave."""
        self.replays += 1

    def failed(self) -> None:
        """Count a call that gave no reply."""
        self.failures += 1

    def say(self, line: str) -> None:
        """Print a line of its own, once."""
        if not self._quiet:
            self._out.write(f"\r\x1b[2K{line}\n" if self._live else f"{line}\n")
            self._out.flush()

    def end(self) -> None:
        """End a stage: print its last line."""
        self._printed = 0.0
        self._show()
        if self._live and not self._quiet:
            self._out.write("\n")

    def money(self) -> str:
        """Say the cost so far, and which models have no price; "" before the first reply."""
        unpriced = f"no price: {', '.join(sorted(self.unpriced))}" if self.unpriced else ""
        if not self.calls or (unpriced and not self.cost):
            return unpriced
        return f"{self.prices.say(self.cost)} so far" + (f" ({unpriced})" if unpriced else "")

    def _show(self) -> None:
        now = time.monotonic()
        if self._quiet or now - self._printed < (LIVE_EVERY if self._live else LINE_EVERY):
            return
        self._printed = now
        elapsed = max(now - self._started, 1e-9)
        left = (self._total - self._units) * elapsed / self._units if self._units else None
        # Like the units, of this stage alone; money is what is watched, and goes on from stage to stage.
        now_done = (self.calls, self.replays, self.failures)
        calls, replays, failures = (n - before for n, before in zip(now_done, self._before, strict=True))
        line = (
            f"{self._stage}: {self._units} of {counted(self._total, 'unit')}, {counted(calls, 'call')}"
            + (f", {replays} more from the journal" if replays else "")
            + (f", {failures} failed" if failures else "")
            + f", {self._units / elapsed:.2f} units/s, {_duration(left)} left"
            + (f", {money}" if (money := self.money()) else "")
        )
        self._out.write(f"\r\x1b[2K{line}" if self._live else f"{line}\n")
        self._out.flush()


def _duration(seconds: float | None) -> str:
    if seconds is None:
        return "time unknown"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes} min {rest:02d} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02d} min"

"""Where a run stands: done, owed and erred units, tokens and money, by cell."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from tutorscope.runs.journal import journal_lines
from tutorscope.runs.keeping import lacking, with_kept
from tutorscope.runs.owed import Upstreams, stage_state
from tutorscope.runs.plan import Job
from tutorscope.runs.prices import Prices


@dataclass
class CellStatus:
    """One cell's state.

    Parameters
    ----------
    stage, cell : str
    done, owed : int
        Units.
    erred : dict
        Reason to how many owed units last erred for it.
    state : str
        "done", "owed", "waiting for STAGE", or why it cannot go on.
    replies, cancelled, failed_calls, set_aside : int
        What the journal holds: replies, calls that were cut short, calls that gave none, and replies of stateful
        units that began anew.
    input_tokens, output_tokens : int
    cost : float or None
    """

    stage: str
    cell: str
    done: int
    owed: int
    erred: dict[str, int]
    state: str
    replies: int = 0
    cancelled: int = 0
    failed_calls: int = 0
    set_aside: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = 0.0


def status(job: Job, prices: Prices) -> tuple[list[CellStatus], list[str]]:
    """Give the state of every cell of a run, in the order of its stages, and the logs that could not be read."""
    upstreams = Upstreams(job)
    rows: dict[str, CellStatus] = {}
    unfinished: set[str] = set()
    fruitless: set[str] = set()
    unreadable: list[str] = []
    for stage in job.stages:
        state = stage_state(job, stage, upstreams)
        # As the next start will hold it, should a kill have fallen between a log and what it leaves.
        job = with_kept(job, stage, state.cells.values(), upstreams)[0]
        lacks = lacking(job, stage, state.cells.values(), upstreams)
        unreadable += state.unreadable
        ahead = [name for name in stage.after if name in unfinished]
        stuck = [name for name in stage.after if name in fruitless]
        for key in state.cells:
            owed = len(state.owed[key][1])
            erred = Counter(f.reason for f in state.failed if f.cell == key)
            waits = f"waiting for {ahead[0]}" if ahead and (stage.whole or not owed) else ""
            if stuck and not owed and not state.done[key]:
                waits = waits or f"waiting for {stuck[0]}"
            said = state.absent.get(key) or state.refused.get(key) or lacks.get(key) or waits
            said = said or ("owed" if owed else "done")
            rows[key] = CellStatus(stage.name, key, len(state.done[key]), owed, dict(erred), said)
        if lacks:
            fruitless.add(stage.name)
        if ahead or any(units for _, units in state.owed.values()):
            unfinished.add(stage.name)
    _add_calls(job, prices, rows)
    return list(rows.values()), unreadable


def status_text(rows: Sequence[CellStatus], prices: Prices) -> str:
    """Say a run's state in lines for a person."""
    lines = []
    for row in rows:
        erred = "; ".join(f"{n} erred: {reason}" for reason, n in row.erred.items())
        money = "no price" if row.cost is None else f"{row.cost:.4f} {prices.currency}"
        extra = "".join(
            f", {n} {what}"
            for n, what in ((row.cancelled, "cut short"), (row.failed_calls, "failed"), (row.set_aside, "set aside"))
            if n
        )
        lines.append(
            f"{row.cell}: {row.state}: {row.done} done, {row.owed} owed"
            + (f" ({erred})" if erred else "")
            + f"; {row.replies} replies{extra}; tokens {row.input_tokens} in, {row.output_tokens} out; {money}"
        )
    return "\n".join(lines) if lines else "nothing was asked of this run yet"


def _add_calls(job: Job, prices: Prices, rows: dict[str, CellStatus]) -> None:
    for line in journal_lines(job.folder.calls):
        row = rows.get(line["cell"])
        if row is None:
            continue
        kind = line["kind"]
        if kind == "cancelled":
            row.cancelled += 1
        elif kind == "error":
            row.failed_calls += 1
        elif kind == "set_aside":
            row.set_aside += line["replies"]
        else:
            row.replies += 1
            usage = line["usage"]
            row.input_tokens += usage["input"]
            row.output_tokens += usage["output"]
            price = prices.of(job.speaker(line["role"], line["name"]))
            if price is None or row.cost is None:
                row.cost = None
            else:
                row.cost += price.of(usage["input"], usage["output"], usage["cached"])

"""Where a run stands: done, owed and erred units, tokens and money, by cell."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from tutorscope.models.named_again import must_be_named
from tutorscope.models.speakers import Speaker
from tutorscope.runs.folder import at_work
from tutorscope.runs.journal import journal_lines
from tutorscope.runs.keeping import lacking, with_kept
from tutorscope.runs.owed import Upstreams, stage_state
from tutorscope.runs.plan import Job
from tutorscope.runs.prices import Prices
from tutorscope.runs.reasons import reason_lines
from tutorscope.runs.stages import Cell
from tutorscope.texts.words import counted, joined


@dataclass
class CellStatus:
    """One cell's state.

    Parameters
    ----------
    stage, cell, title : str
        The stage's name, the cell's key, and the same for a person.
    done, owed : int
        Units.
    erred : dict
        Reason to how many owed units last erred for it.
    state : str
        "done", "owed", "running", "waiting for STAGE", or why it cannot go on.
    replies, cancelled, failed_calls, set_aside : int
        What the journal holds: replies, calls that were cut short, calls that gave none, and replies of stateful
        units that began anew.
    input_tokens, output_tokens : int
    cost : float or None
    """

    stage: str
    cell: str
    title: str
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


@dataclass
class RunStatus:
    """A run's state.

    Parameters
    ----------
    cells : list of CellStatus
        In the order of the stages.
    unreadable : list of str
        Logs that could not be read, each with why.
    running : str
        The process that works on it now, "" if none does.
    unnamed : str
        What names those again who must be named before the run can go on; "" if nobody must, or a process works on it.
    """

    cells: list[CellStatus] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)
    running: str = ""
    unnamed: str = ""


def status(job: Job, prices: Prices) -> RunStatus:
    """Give the state of every cell of a run, with what its calls took."""
    found = standing(job)
    _add_calls(job, prices, {row.cell: row for row in found.cells})
    return found


def standing(job: Job) -> RunStatus:
    """Give the state of every cell of a run from its logs; its calls are not counted."""
    upstreams = Upstreams(job)
    found = RunStatus(running=at_work(job.folder))
    rows: dict[str, CellStatus] = {}
    absent: dict[tuple[str, str], Speaker] = {}
    unfinished: set[str] = set()
    fruitless: set[str] = set()
    for stage in job.stages:
        state = stage_state(job, stage, upstreams)
        # As the next start will hold it, should a kill have fallen between a log and what it leaves.
        job = with_kept(job, stage, state.cells.values(), upstreams)[0]
        lacks = lacking(job, stage, state.cells.values(), upstreams)
        found.unreadable += state.unreadable
        absent.update({(one.role, one.name): one for who in state.absent.values() for one in who})
        ahead = [name for name in stage.after if name in unfinished]
        stuck = [name for name in stage.after if name in fruitless]
        for key, cell in state.cells.items():
            owed = len(state.owed[key][1])
            erred = Counter(f.reason for f in state.failed if f.cell == key)
            waits = f"waiting for {ahead[0]}" if ahead and (stage.whole or not owed or key in state.waiting) else ""
            if stuck and not owed and not state.done[key]:
                waits = waits or f"waiting for {stuck[0]}"
            said = state.refused.get(key) or lacks.get(key) or waits
            said = said or (_open(cell, state.absent.get(key, ()), found.running) if owed else "done")
            rows[key] = CellStatus(stage.name, key, cell.title, len(state.done[key]), owed, dict(erred), said)
        if lacks:
            fruitless.add(stage.name)
        if ahead or any(units for _, units in state.owed.values()):
            unfinished.add(stage.name)
    found.cells = list(rows.values())
    if absent and not found.running:
        found.unnamed = must_be_named(list(absent.values()))
    return found


def _open(cell: Cell, absent: Sequence[Speaker], running: str) -> str:
    """Say where a cell stands that owes units and waits for no other."""
    if running:
        return "running"
    who = joined([f"{one.role} {one.name}" for one in absent])
    return f"owed, once {who} {'is' if len(absent) == 1 else 'are'} named again" if absent else "owed"


def status_text(found: RunStatus, prices: Prices) -> str:
    """Say a run's state in lines for a person."""
    lines = [f"{found.running} is working on this run"] if found.running else []
    for row in found.cells:
        extra = "".join(
            f", {n} {what}"
            for n, what in ((row.cancelled, "cut short"), (row.failed_calls, "failed"), (row.set_aside, "set aside"))
            if n
        )
        money = "no price" if row.cost is None else prices.say(row.cost)
        spent = f"; tokens {row.input_tokens} in, {row.output_tokens} out; {money}" if row.replies else ""
        lines.append(
            f"{row.title}: {row.state}: {row.done} done, {row.owed} owed; "
            f"{counted(row.replies, 'reply', 'replies')}{extra}{spent}"
        )
        lines += [f"    erred: {line}" for line in reason_lines(row.erred)]
    if found.unnamed:
        lines.append(f"to go on: {found.unnamed}")
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

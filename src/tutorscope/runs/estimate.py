"""What a run would take, before its first call."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from tutorscope.runs.keeping import with_kept
from tutorscope.runs.owed import Upstreams, stage_state
from tutorscope.runs.plan import Job
from tutorscope.runs.prices import Prices
from tutorscope.runs.stages import Calls, Cell
from tutorscope.texts.words import counted

ASK_CALLS = 1000
ASK_MONEY = 5.0


@dataclass(frozen=True)
class Forecast:
    """What one cell would take.

    Parameters
    ----------
    cell, title, role, name : str
        The cell's key, the same for a person, and who is asked.
    units : int
        Owed units (0 where a derived stage cannot name them yet).
    least, expected, most : float
        Calls.
    input_tokens, output_tokens : float
        At the expected number of calls.
    cost, most_cost : float or None
        Money at the expected and the largest number of calls; None where the model has no price.
    """

    cell: str
    title: str
    role: str
    name: str
    units: int
    least: int
    expected: float
    most: int
    input_tokens: float
    output_tokens: float
    cost: float | None
    most_cost: float | None


def estimate(job: Job, prices: Prices) -> list[Forecast]:
    """Forecast what a run still owes, one row a cell and role.

    Token counts come from the texts themselves, at four characters a token.
    """
    rows: list[Forecast] = []
    upstreams = Upstreams(job)
    open_stages: set[str] = set()
    for stage in job.stages:
        state = stage_state(job, stage, upstreams)
        job = with_kept(job, stage, state.cells.values(), upstreams)[0]
        for cell, units in state.owed.values():
            # Replicates of an item ask the same: they are counted, not reckoned again.
            first = {unit.item: unit for unit in reversed(units)}
            times = Counter(unit.item for unit in units)
            calls = [_times(call, times[unit.item]) for unit in first.values() for call in stage.calls(job, cell, unit)]
            if stage.ahead is not None and open_stages.intersection(stage.after):
                calls += stage.ahead(job, cell)
            if units or calls:
                open_stages.add(stage.name)
            rows += [_sum(job, prices, cell, role, len(units), calls) for role in dict.fromkeys(c.role for c in calls)]
    return rows


def must_ask(rows: Sequence[Forecast]) -> bool:
    """Whether a run is large enough that a person should agree first."""
    return sum(r.expected for r in rows) > ASK_CALLS or sum(r.cost or 0 for r in rows) > ASK_MONEY


def estimate_text(rows: Sequence[Forecast], prices: Prices) -> str:
    """Say an estimate in lines for a person."""
    if not rows:
        return "nothing is owed: no call would be made"
    lines = []
    for row in rows:
        calls = f"calls {row.least} least, {row.expected:.0f} expected, {row.most} most"
        tokens = f"tokens {row.input_tokens:.0f} in, {row.output_tokens:.0f} out"
        money = "no price" if row.cost is None else f"{prices.say(row.cost)} (at most {prices.say(row.most_cost or 0)})"
        # A derived cell's units are known once those before it are done.
        units = counted(row.units, "unit") if row.units else "units not known yet"
        lines.append(f"{row.title}: {row.role} {row.name}: {units}, {calls}; {tokens}; {money}")
    lines.append("tokens are reckoned from the texts, four characters each; a model that thinks first writes more")
    known = [r.cost for r in rows if r.cost is not None]
    unpriced = sorted({row.name for row in rows if row.cost is None})
    costs = [prices.say(sum(known))] if known else []
    costs += [f"no price: {', '.join(unpriced)}"] if unpriced else []
    lines.append(
        f"all: calls {sum(r.least for r in rows)} least, {sum(r.expected for r in rows):.0f} expected, "
        f"{sum(r.most for r in rows)} most; {'; '.join(costs)}"
    )
    return "\n".join(lines)


def _times(call: Calls, times: int) -> Calls:
    return replace(call, least=call.least * times, expected=call.expected * times, most=call.most * times)


def _sum(job: Job, prices: Prices, cell: Cell, role: str, units: int, calls: Sequence[Calls]) -> Forecast:
    mine = [c for c in calls if c.role == role]
    speaker = job.speaker(role, cell.roles[role])
    price = prices.of(speaker)
    tokens_in = sum(c.expected * c.input_tokens for c in mine)
    tokens_out = sum(c.expected * c.output_tokens for c in mine)
    most_in = sum(c.most * c.input_tokens for c in mine)
    most_out = sum(c.most * c.output_tokens for c in mine)
    return Forecast(
        cell=cell.key,
        title=cell.title,
        role=role,
        name=speaker.name,
        units=units,
        least=sum(c.least for c in mine),
        expected=sum(c.expected for c in mine),
        most=sum(c.most for c in mine),
        input_tokens=tokens_in,
        output_tokens=tokens_out,
        cost=price.of(tokens_in, tokens_out) if price else None,
        most_cost=price.of(most_in, most_out) if price else None,
    )
